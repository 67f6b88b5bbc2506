// diagonal_cuda.cu: the reciprocals of the diagonal on a GPU, see diagonal.h. A thread owns a row
// and bisects it for its diagonal entry.
#include <cfloat>

#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/csr.h"
}

#define SMALL static __device__ inline
#include "matrix/row_rule.h"
#include "precond/diagonal_rule.h"

extern "C" {
#include "precond/diagonal_kernels.h"
}

namespace
{

typedef unsigned long long count_t;

// The diagonal entry of row i; 0 if it is missing.
template <class T, class O>
__device__ double diagonal_of(const O *start, const int32_t *col, const T *value, int32_t i,
                              bool *missing)
{
    const int64_t at = gs_row_find(col, (int64_t)start[i], (int64_t)start[i + 1], i);

    *missing = at < 0;
    return at < 0 ? 0 : (double)value[at];
}

// *bad = 4 times the number of the first row whose reciprocal is above `most`, plus a
// gs_bad_diagonal.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_bad(int32_t n, const O *start, const int32_t *col, const T *value, double most,
             count_t *bad)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        bool missing;
        const double a = diagonal_of(start, col, value, (int32_t)i, &missing);
        if (fabs(gs_reciprocal(a, true)) <= most) continue;
        atomicMin(bad, 4 * (count_t)i + (missing ? GS_MISSING : a == 0 ? GS_ZERO : GS_SMALL));
    }
}

template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    store(int32_t n, const O *start, const int32_t *col, const T *value, bool absolute, T *d)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        bool missing;
        d[i] = (T)gs_reciprocal(diagonal_of(start, col, value, (int32_t)i, &missing), absolute);
    }
}

template <class T, class O>
gsolve_status find_in(gsolve_context *ctx, const gsolve_csr *A, count_t *bad)
{
    const double most = sizeof(T) == sizeof(float) ? FLT_MAX : DBL_MAX;

    return gs_launch(ctx->queue, "checking the diagonal", find_bad<T, O>,
                     gs_grid(ctx->queue, A->nrows), gs_block_size, A->nrows, (const O *)A->start,
                     A->col, (const T *)A->value, most, bad);
}

template <class T>
gsolve_status find(int32_t *row, gs_bad_diagonal *why, gsolve_context *ctx, const gsolve_csr *A)
{
    constexpr count_t none = ~(count_t)0;
    gs_queue *q = ctx->queue;
    count_t *bad = reinterpret_cast<count_t *>(q->partial), found; // free between kernels
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(bad, 0xff, sizeof *bad, q->stream), "checking the diagonal"));
    TRY(A->offset == GSOLVE_O64 ? (find_in<T, int64_t>(ctx, A, bad))
                                : (find_in<T, int32_t>(ctx, A, bad)));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, bad, GSOLVE_DEVICE, sizeof found));
    *row = found == none ? -1 : (int32_t)(found / 4);
    *why = (gs_bad_diagonal)(found % 4);
done:
    return status;
}

template <class T, class O>
gsolve_status store_in(gsolve_context *ctx, const gsolve_csr *A, bool absolute, void *d)
{
    return gs_launch(ctx->queue, "the reciprocals of the diagonal", store<T, O>,
                     gs_grid(ctx->queue, A->nrows), gs_block_size, A->nrows, (const O *)A->start,
                     A->col, (const T *)A->value, absolute, (T *)d);
}

template <class T>
gsolve_status store_all(gsolve_context *ctx, const gsolve_csr *A, bool absolute, void *d)
{
    return A->offset == GSOLVE_O64 ? store_in<T, int64_t>(ctx, A, absolute, d)
                                   : store_in<T, int32_t>(ctx, A, absolute, d);
}

template <class T>
constexpr gs_diagonal_kernels table = {find<T>, store_all<T>};

} // namespace

extern "C" const gs_diagonal_kernels gs_diagonal_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                            table<double>};
