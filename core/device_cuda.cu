// device_cuda.cu: a CUDA GPU as a device: its stream, its memory, copies to and from it.
#include <cstdio>
#include <new>

#include <cuda_runtime.h>

extern "C" {
#include "core/device.h"
}

struct gs_queue {
    cudaStream_t stream;
    int index;
};

namespace
{

const gsolve_option options[] = {
    {"index", "which of the GPUs, from 0", GSOLVE_INT, offsetof(gs_device_options, index), 0, 0,
     1023, nullptr},
    {},
};

gsolve_status refuse(char error[256], int index, const char *why)
{
    snprintf(error, 256, "CUDA device %d cannot be used: %s", index, why);
    return GSOLVE_NO_DEVICE;
}

gsolve_status open_cuda(gs_queue **queue, const void *chosen, char error[256],
                        char description[128])
{
    const int index = static_cast<const gs_device_options *>(chosen)->index;
    cudaDeviceProp about;
    gs_queue *q = new (std::nothrow) gs_queue{nullptr, index};
    cudaError_t code = q ? cudaSetDevice(index) : cudaErrorMemoryAllocation;

    if (code == cudaSuccess) code = cudaGetDeviceProperties(&about, index);
    if (code == cudaSuccess) code = cudaStreamCreateWithFlags(&q->stream, cudaStreamNonBlocking);
    if (code != cudaSuccess) {
        delete q;
        return refuse(error, index, cudaGetErrorString(code));
    }
    snprintf(description, 128, "%.80s, %.0f GB", about.name, 1e-9 * (double)about.totalGlobalMem);
    *queue = q;
    return GSOLVE_OK;
}

void close_cuda(gs_queue *q)
{
    cudaStreamDestroy(q->stream);
    delete q;
}

void *alloc_cuda(gs_queue *q, size_t bytes)
{
    void *block = nullptr;
    cudaSetDevice(q->index);
    return cudaMallocAsync(&block, bytes, q->stream) == cudaSuccess ? block : nullptr;
}

void free_cuda(gs_queue *q, void *block)
{
    cudaFreeAsync(block, q->stream);
}

// Done when it returns.
gsolve_status copy_cuda(gs_queue *q, void *to, gsolve_place, const void *from, gsolve_place,
                        size_t bytes)
{
    const cudaError_t code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, q->stream);
    return code == cudaSuccess && cudaStreamSynchronize(q->stream) == cudaSuccess
               ? GSOLVE_OK
               : GSOLVE_DEVICE_FAILED;
}

void *stream_cuda(gs_queue *q)
{
    return q->stream;
}

int threads_cuda(const gs_queue *)
{
    return 1;
}

} // namespace

extern "C" const gs_device gs_device_cuda = {
    {"cuda", "an NVIDIA GPU; memory and copies only, no kernels in this version", options,
     sizeof(gs_device_options)},
    open_cuda,
    close_cuda,
    alloc_cuda,
    free_cuda,
    copy_cuda,
    stream_cuda,
    threads_cuda,
    false};
