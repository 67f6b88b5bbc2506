// ilu_cuda.cu: the incomplete factorisation of ilu.h on a GPU.
#include "precond/amg/prefix_sum.cuh"
#include "precond/amg/smoothers/row_lanes.cuh"

extern "C" {
#include "precond/amg/smoothers/ilu.h"
}

#define SMALL __device__ inline
#include "matrix/row_rule.h"

namespace
{

// --- strict triangles ----------------------------------------------------------------------------

// length[i] = the number of entries of row i below its diagonal, or above it if upper. A thread
// owns a row, and finds the diagonal by binary search.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    measure_side(int32_t n, const O *start, const int32_t *col, bool upper, int32_t *length)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i == n) length[i] = 0;
    if (i >= n) return;
    O from = start[i], to = start[i + 1];
    const O end = to;
    while (from < to) { // finds the first entry that does not belong to the lower part
        const O middle = from + (to - from) / 2;
        if (col[middle] < i || (upper && col[middle] == i)) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    length[i] = (int32_t)(upper ? end - from : from - start[i]);
}

// Copies the pattern of the first entries of A's rows (upper: the last) to T. Four threads own a
// row. Moves T's pattern once.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    copy_side(int32_t n, const O *start, const int32_t *col, bool upper, const int64_t *first,
              bool wide, void *to_start, int32_t *to_col)
{
    const gs_subwarp<4> g;
    const int64_t i = g.unit;

    if (i > n) return;
    const int64_t begin = first[i], length = i < n ? first[i + 1] - begin : 0;
    if (g.lane == 0 && wide) ((int64_t *)to_start)[i] = begin;
    if (g.lane == 0 && !wide) ((int32_t *)to_start)[i] = (int32_t)begin;
    if (i == n) return;
    const int64_t source = upper ? (int64_t)start[i + 1] - length : (int64_t)start[i];
    for (int64_t k = g.lane; k < length; k += 4) to_col[begin + k] = col[source + k];
}

template <class O>
gsolve_status make_side(gsolve_csr *T, gsolve_context *ctx, const gsolve_csr *A, const O *start,
                        bool upper)
{
    const int32_t n = A->nrows;
    int32_t *length = nullptr;
    int64_t *first = nullptr, entries = 0;
    gsolve_csr C = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, length, (size_t)n + 1);
    ALLOC_DEVICE(ctx, first, (size_t)n + 1);
    TRY(gs_launch(ctx->queue, "a triangle's rows", measure_side<O>,
                  gs_subwarp_blocks((int64_t)n + 1, 1), gs_block_size, n, start, A->col, upper,
                  length));
    TRY(gs_prefix_sum(ctx, n, length, first, &entries));
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, n, n, entries, A->type));
    TRY(gs_launch(ctx->queue, "a triangle's columns", copy_side<O>,
                  gs_subwarp_blocks((int64_t)n + 1, 4), gs_block_size, n, start, A->col, upper,
                  first, C.offset == GSOLVE_O64, gs_owned_block(ctx, C.start),
                  (int32_t *)gs_owned_block(ctx, C.col)));
    *T = C;
    C = gsolve_csr();
done:
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_csr_free(&C, ctx);
    return status;
}

gsolve_status side(gsolve_csr *T, gsolve_context *ctx, const gsolve_csr *A, bool upper)
{
    return gs_with_start(A, [&](auto start) { return make_side(T, ctx, A, start, upper); });
}

// --- factorisation -------------------------------------------------------------------------------

// If D_ii is smaller than this share of a_ii, or has another sign, this share of a_ii replaces it.
// A smoother works with a different M, but not with a large M^-1.
constexpr double min_pivot_share = 0.1;

// 1 / D_ii from the pivot and a = a_ii; 0 if a is 0, so that the smoother leaves this unknown
// alone.
__device__ double reciprocal(double pivot, double a)
{
    if (a == 0) return 0;
    return 1 / (pivot / a >= min_pivot_share ? pivot : min_pivot_share * a);
}

// One sweep. L threads own a row, and each of them computes whole entries s_ij in double precision:
// it walks through row i up to min(i, j), and looks up column j in the rows of these columns by
// binary search. Reads only old and d, so that the result does not depend on the order of the
// threads.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    sweep_rows(gs_rows<T, O> A, int32_t n, const T *old, const T *d, T *next, T *inverse)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit;

    if (i >= n) return;
    const int64_t begin = A.start[i], end = A.start[i + 1];
    for (int64_t e = begin + g.lane; e < end; e += L) {
        const int32_t j = A.col[e], least = min((int32_t)i, j);
        const double a = (double)A.value[e];
        double sum = a;
        for (int64_t k = begin; A.col[k] < least; k++) { // the loop ends at entry e at the latest
            const int32_t m = A.col[k];
            const int64_t at = gs_row_find(A.col, A.start[m], A.start[m + 1], j);
            if (at >= 0) sum -= (double)old[k] * (double)d[m] * (double)old[at];
        }
        next[e] = (T)sum;
        if (j == i) inverse[i] = (T)reciprocal(sum, a);
    }
}

template <class T>
gsolve_status sweep(gs_queue *q, const gsolve_csr *A, double mean, const void *old, const void *d,
                    void *next, void *inverse)
{
    if (A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const gs_rows<T, O> rows = {start, A->col, (const T *)A->value};
        return gs_with_subwarp(mean, [&](auto lanes) {
            return gs_launch(q, "incomplete factors", sweep_rows<decltype(lanes)::value, T, O>,
                             gs_subwarp_blocks(A->nrows, lanes), gs_block_size, rows, A->nrows,
                             (const T *)old, (const T *)d, (T *)next, (T *)inverse);
        });
    });
}

// value = the entries of one triangle of s, scaled by d. Four threads own a row. Moves the triangle
// once.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    put_rows(int32_t n, const O *start, const T *s, const T *d, const P *to_start,
             const int32_t *to_col, T *value, bool upper)
{
    const gs_subwarp<4> g;
    const int64_t i = g.unit;

    if (i >= n) return;
    const int64_t begin = to_start[i], length = to_start[i + 1] - begin;
    const int64_t source = upper ? (int64_t)start[i + 1] - length : (int64_t)start[i];
    for (int64_t k = g.lane; k < length; k += 4) {
        value[begin + k] = s[source + k] * d[upper ? (int32_t)i : to_col[begin + k]];
    }
}

template <class T>
gsolve_status put(gs_queue *q, const gsolve_csr *A, const void *s, const void *d,
                  const gsolve_csr *side, void *values, bool upper)
{
    if (A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_with_start(side, [&](auto to_start) {
            using P = std::remove_const_t<std::remove_pointer_t<decltype(to_start)>>;
            return gs_launch(q, "a triangle's values", put_rows<T, O, P>,
                             gs_subwarp_blocks(A->nrows, 4), gs_block_size, A->nrows, start,
                             (const T *)s, (const T *)d, to_start, side->col, (T *)values, upper);
        });
    });
}

} // namespace

extern "C" const gs_ilu_kernels gs_ilu_cuda[GSOLVE_TYPE_COUNT] = {
    {side, sweep<float>, put<float>}, {side, sweep<double>, put<double>}};
