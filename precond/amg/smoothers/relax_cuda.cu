// relax_cuda.cu: the passes of relax.h on a GPU. L threads own a row; each has every L-th entry. A
// pass reads the matrix once, reads b, d and old and writes y once, and reads x through the cache.
// The sum of a row has a fixed order for each L, which depends on the mean row length only.
#include "core/pdl.cuh"
#include "precond/amg/smoothers/row_lanes.cuh"
#include "vector/each.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/smoothers/relax.h"
#include "vector/convergence.h"
}

namespace
{

// --- longest row ---------------------------------------------------------------------------------

// *most = the maximum row length. A thread owns every step-th row; a warp does one atomic
// operation.
template <class O>
__global__ void __launch_bounds__(gs_block_size) longest_row(int32_t n, const O *start, int *most)
{
    const int64_t first = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    int own = 0;

    for (int64_t i = first; i < n; i += (int64_t)gridDim.x * gs_block_size) {
        own = max(own, (int)(start[i + 1] - start[i]));
    }
    for (int d = 16; d > 0; d /= 2) own = max(own, __shfl_xor_sync(gs_all_lanes, own, d));
    if (threadIdx.x % 32 == 0) atomicMax(most, own);
}

gsolve_status longest(gsolve_context *ctx, const gsolve_csr *A, int32_t *result)
{
    gs_queue *q = ctx->queue;
    int *most = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, most, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(most, 0, sizeof *most, q->stream), "the longest row"));
    TRY(gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the longest row", longest_row<O>, gs_grid(q, A->nrows), gs_block_size,
                         A->nrows, start, most);
    }));
    TRY(gsolve_copy(ctx, result, GSOLVE_HOST, most, GSOLVE_DEVICE, sizeof *result));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, most);
    return status;
}

// --- passes --------------------------------------------------------------------------------------

template <class T>
struct keep_residual { // r = b - A x
    static constexpr bool reads_x = false;
    const T *b;
    T *r;
    void skip(int32_t columns) { b += columns, r += columns; }
    template <int W>
    __device__ void at(int64_t, int64_t k, gs_pack<T, W> Ax, gs_pack<T, W>) const
    {
        const auto B = gs_load<W>(b, k);
        for (int w = 0; w < W; w++) Ax.v[w] = B.v[w] - Ax.v[w];
        gs_store<W>(r, k, Ax);
    }
};

template <class T>
struct step { // y = x + a d * (b - A x) + c (x - old)
    static constexpr bool reads_x = true;
    T a, c;
    const T *d, *b, *old;
    T *y;
    void skip(int32_t columns)
    {
        b += columns, y += columns;
        if (old) old += columns;
    }
    template <int W>
    __device__ void at(int64_t i, int64_t k, gs_pack<T, W> Ax, gs_pack<T, W> x) const
    {
        const T D = d[i];
        const auto B = gs_load<W>(b, k);
        gs_pack<T, W> before = {};
        if (c != 0 && old) before = gs_load<W>(old, k);
        for (int w = 0; w < W; w++) {
            T next = x.v[w] + a * D * (B.v[w] - Ax.v[w]);
            if (c != 0) next += c * (x.v[w] - before.v[w]);
            Ax.v[w] = next;
        }
        gs_store<W>(y, k, Ax);
    }
};

// The lanes of a row own one column, or W of up to 8 columns, row-major: see row_lanes.cuh. They
// work on several rows at a time, so that their loads overlap. end says what is done with A x: a
// residual or a step.
template <class M, class T, class O, class End>
__global__ void __launch_bounds__(gs_block_size)
    pass(gs_rows<T, O> A, int32_t n, gs_column_group group, const T *x, End end, gs_guard guard)
{
    constexpr int at_once = M::template rows<T>, W = M::width;
    const gs_subwarp<M::lanes> g;
    const M m(group, g.lane);
    const int64_t groups = (int64_t)gridDim.x * (gs_block_size / M::lanes);
    int64_t i[at_once];
    gs_pack<T, W> sum[at_once];

    if (guard.has_ended()) return;
    for (int r = 0; r < at_once; r++) i[r] = g.unit + r * groups < n ? g.unit + r * groups : -1;
    gs_row_sums(A, m, i, x, sum);
#pragma unroll
    for (int r = 0; r < at_once; r++) {
        if (i[r] < 0 || m.share > 0 || m.idle) continue;
        const int64_t k = m.at(i[r]);
        gs_pack<T, W> own = {};
        if (End::reads_x) own = gs_load<W>(x, k);
        end.template at<W>(i[r], k, sum[r], own);
    }
}

template <class T>
struct operands {
    gs_queue *q;
    const gsolve_csr *A;
    double mean;
    int32_t columns;
    const T *x;
};

template <class M, class T, class O, class End>
gsolve_status launch(const operands<T> &a, const gs_rows<T, O> &rows, const gs_column_group &group,
                     const T *x, const End &end)
{
    constexpr int at_once = M::template rows<T>;
    const int64_t groups = ((int64_t)a.A->nrows + at_once - 1) / at_once;

    return gs_launch_pdl(a.q, "smooth", pass<M, T, O, End>, gs_subwarp_blocks(groups, M::lanes),
                         gs_block_size, rows, a.A->nrows, group, x, end);
}

template <int W, class T, class O, class End>
gsolve_status run_columns(const operands<T> &a, const gs_rows<T, O> &rows, End end)
{
    const T *x = a.x;
    gsolve_status status = GSOLVE_OK;

    for (int32_t j = 0; j < a.columns && status == GSOLVE_OK; j += 8) {
        const gs_column_group group = gs_column_group_from<W>(a.columns, j);
        const double work = a.mean / 4 * group.subwarp;
        status = gs_with_subwarp(work > group.subwarp ? work : group.subwarp, [&](auto lanes) {
            return launch<gs_column_lane<decltype(lanes)::value, W>>(a, rows, group, x, end);
        });
        x += 8;
        end.skip(8);
    }
    return status;
}

template <class T, class End>
gsolve_status run(const operands<T> &a, bool aligned, const End &end)
{
    if (a.A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(a.A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        constexpr int wide = gs_wide<T>;
        const gs_rows<T, O> rows = {start, a.A->col, (const T *)a.A->value};
        if (a.columns > 1) {
            return aligned && a.columns % wide == 0 ? run_columns<wide>(a, rows, end)
                                                    : run_columns<1>(a, rows, end);
        }
        return gs_with_subwarp(a.mean / 2, [&](auto lanes) {
            return launch<gs_one_column<decltype(lanes)::value>>(a, rows, gs_column_group{1, 1, 1},
                                                                 a.x, end);
        });
    });
}

template <class T>
gsolve_status relax(gs_queue *q, const gsolve_csr *A, double mean, int32_t columns, const void *x,
                    const gs_step *s)
{
    const operands<T> a = {q, A, mean, columns, (const T *)x};

    if (!s->d) {
        return run(a, gs_all_aligned(s->b, x, s->y), keep_residual<T>{(const T *)s->b, (T *)s->y});
    }
    return run(
        a, gs_all_aligned(s->b, x, s->old, s->y),
        step<T>{(T)s->a, (T)s->c, (const T *)s->d, (const T *)s->b, (const T *)s->old, (T *)s->y});
}

} // namespace

extern "C" const gs_relax_kernels gs_relax_cuda[GSOLVE_TYPE_COUNT] = {{longest, relax<float>},
                                                                      {longest, relax<double>}};
