// rowwise_cuda.cu: csr_scalar and csr_vector on a GPU, see rowwise.h: one thread, or one warp, per
// row of any length.
#include "core/pdl.cuh"

extern "C" {
#include "spmv/yardsticks/rowwise.h"
}

namespace
{

template <class T>
struct product {
    const void *start;
    const int32_t *col;
    const T *value, *x;
    T *y;
    T alpha, beta;
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const product<T> &a, int64_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// csr_scalar: a thread sums one row in its order. Neighbouring threads read entries a row apart, so
// loads are not coalesced.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    thread_per_row(product<T> a, int32_t n, gs_guard guard)
{
    const O *start = (const O *)a.start;
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    T sum = 0;

    if (guard.has_ended() || i >= n) return;
    for (O k = start[i]; k < start[i + 1]; k++) sum += a.value[k] * __ldg(&a.x[a.col[k]]);
    finish(a, i, sum);
}

// csr_vector: a warp sums one row. Lane l adds entries l, l + 32, ..., coalesced, and a butterfly
// of shuffles adds the lanes.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    warp_per_row(product<T> a, int32_t n, gs_guard guard)
{
    const O *start = (const O *)a.start;
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;
    T sum = 0;

    if (guard.has_ended() || i >= n) return;
    for (int64_t k = (int64_t)start[i] + lane; k < start[i + 1]; k += 32) {
        sum += a.value[k] * __ldg(&a.x[a.col[k]]);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == 0) finish(a, i, sum);
}

template <class T, class O>
gsolve_status launch(gs_queue *q, gs_rowwise_kind kind, const product<T> &a, int32_t n)
{
    const int64_t threads = (int64_t)n * (kind == GS_VECTOR ? 32 : 1);
    const int blocks = (int)((threads + gs_block_size - 1) / gs_block_size);

    if (n == 0) return GSOLVE_OK;
    return kind == GS_VECTOR ? gs_launch_pdl(q, "the product with one warp per row",
                                             warp_per_row<T, O>, blocks, gs_block_size, a, n)
                             : gs_launch_pdl(q, "the product with one thread per row",
                                             thread_per_row<T, O>, blocks, gs_block_size, a, n);
}

template <class T, gs_rowwise_kind KIND>
gsolve_status apply(gs_queue *q, const gsolve_csr *A, double alpha, const void *x, double beta,
                    void *y)
{
    const product<T> a = {A->start, A->col, (const T *)A->value, (const T *)x, (T *)y,
                          (T)alpha, (T)beta};

    return A->offset == GSOLVE_O64 ? launch<T, int64_t>(q, KIND, a, A->nrows)
                                   : launch<T, int32_t>(q, KIND, a, A->nrows);
}

} // namespace

extern "C" const gs_rowwise_kernels gs_rowwise_cuda[GSOLVE_TYPE_COUNT] = {
    {{apply<float, GS_SCALAR>, apply<float, GS_VECTOR>}},
    {{apply<double, GS_SCALAR>, apply<double, GS_VECTOR>}},
};
