// block_jacobi_cuda.cu: the product with the inverse blocks on a GPU.
#include "core/pdl.cuh"

extern "C" {
#include "precond/block_jacobi/block_jacobi.h"
}

namespace
{

// A thread computes one row of z for up to C columns: it reads a row of its inverse block once, and
// the block's part of r for each column. columns <= C.
template <int C, class T>
__global__ void multiply(gs_block_jacobi_data M, bool transposed, int columns, const T *r,
                         int64_t rstride, T *z, int64_t zstride, gs_guard guard)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (guard.has_ended() || i >= M.n) return;
    const int32_t b = (int32_t)i / M.size, row = (int32_t)i % M.size;
    const int64_t first = (int64_t)b * M.size;
    const int32_t m = M.n - first < M.size ? (int32_t)(M.n - first) : M.size;
    const T *B = (const T *)M.inverse + first * M.size + (transposed ? row * M.size : row);
    const int32_t step = transposed ? 1 : M.size;
    T sum[C] = {};
    for (int32_t j = 0; j < m; j++) {
        const T a = B[j * step];
#pragma unroll
        for (int c = 0; c < C; c++) {
            if (c < columns) sum[c] += a * r[c * rstride + first + j];
        }
    }
#pragma unroll
    for (int c = 0; c < C; c++) {
        if (c < columns) z[c * zstride + i] = sum[c];
    }
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_block_jacobi_data *M, bool transposed, gsolve_dense r,
                    gsolve_dense z)
{
    constexpr int most = 8; // columns of a launch
    const int blocks = (int)(((int64_t)M->n + gs_block_size - 1) / gs_block_size);
    gsolve_status status = GSOLVE_OK;

    if (blocks == 0) return GSOLVE_OK;
    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c += most) {
        const int columns = r.ncols - c < most ? r.ncols - c : most;
        status = gs_launch_pdl(q, "block_jacobi", columns == 1 ? multiply<1, T> : multiply<most, T>,
                               blocks, gs_block_size, *M, transposed, columns,
                               (const T *)gs_column_of(r, c).value, r.stride,
                               (T *)gs_column_of(z, c).value, z.stride);
    }
    return status;
}

} // namespace

extern "C" const gs_block_jacobi_kernels gs_block_jacobi_cuda[GSOLVE_TYPE_COUNT] = {
    {apply<float>}, {apply<double>}};
