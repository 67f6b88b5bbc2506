// block_jacobi_cuda.cu: the kernel on a GPU: a thread for each row.
#include "core/cuda.cuh"

extern "C" {
#include "precond/block_jacobi/block_jacobi.h"
}

namespace
{

template <class T>
__global__ void multiply(gs_block_jacobi_data M, bool transposed, const T *r, T *z,
                         const int *ended)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= M.n || (ended && *ended)) return;
    const int32_t b = (int32_t)i / M.size, row = (int32_t)i % M.size;
    const int64_t first = (int64_t)b * M.size;
    const int32_t m = M.n - first < M.size ? (int32_t)(M.n - first) : M.size;
    const T *B = (const T *)M.inverse + first * M.size + (transposed ? row * M.size : row);
    const int32_t step = transposed ? 1 : M.size;
    T sum = 0;
    for (int32_t j = 0; j < m; j++) sum += B[j * step] * r[first + j];
    z[i] = sum;
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_block_jacobi_data *M, bool transposed, const void *r,
                    void *z)
{
    const int blocks = (int)(((int64_t)M->n + gs_block_size - 1) / gs_block_size);

    if (blocks == 0) return GSOLVE_OK;
    return gs_launch(q, "block_jacobi", multiply<T>, blocks, gs_block_size, *M, transposed,
                     (const T *)r, (T *)z, q->guard);
}

} // namespace

extern "C" const gs_block_jacobi_kernels gs_block_jacobi_cuda[GSOLVE_TYPE_COUNT] = {
    {apply<float>}, {apply<double>}};
