/* locked_cuda.c: locked pages by the CUDA runtime. */
#include <cuda_runtime_api.h>

#include "bench/locked.h"

void *locked_alloc(size_t bytes)
{
    void *block = NULL;
    return cudaMallocHost(&block, bytes) == cudaSuccess ? block : NULL;
}

void locked_free(void *block)
{
    cudaFreeHost(block);
}
