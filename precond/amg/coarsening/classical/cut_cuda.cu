// cut_cuda.cu: a matrix with its rows made shorter, on a GPU.
#include "precond/amg/coarsening/classical/cut.cuh"

extern "C" {
#include "precond/amg/coarsening/classical/classical.h"
}

#include "matrix/row_rule.h"

namespace
{

template <int L, class T>
__global__ void __launch_bounds__(gs_block_size)
    cut_rows(int32_t rows, gs_places start, const int32_t *col, const T *p, int most,
             double truncate, int32_t *keep, int32_t *column, T *value, int32_t *length)
{
    const gs_party<L> g;
    const int64_t r = g.unit;
    double all = 0;

    if (r > rows) return;
    const int64_t begin = r < rows ? start[r] : 0, end = r < rows ? start[r + 1] : 0;
    for (int64_t e = begin + g.lane; e < end; e += L) all += (double)p[e];
    const int32_t left = gs_cut(g, (int32_t)(end - begin), col + begin, p + begin, g.sum(all), most,
                                truncate, keep + begin, column + begin, value + begin);
    if (g.lane == 0) length[r] = left;
}

template <class T>
gsolve_status cut(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P, int most,
                  double truncate)
{
    int32_t *keep = nullptr, *column = nullptr, *length = nullptr;
    int64_t entries = 0;
    T *value = nullptr;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, P, &entries));
    ALLOC_DEVICE(ctx, keep, entries);
    ALLOC_DEVICE(ctx, column, entries);
    ALLOC_DEVICE(ctx, value, entries);
    ALLOC_DEVICE(ctx, length, (size_t)P->nrows + 1);
    TRY(gs_with_lanes((double)entries / (P->nrows + 1.0), [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "cutting rows", cut_rows<L, T>,
                         gs_lane_blocks((int64_t)P->nrows + 1, L), gs_block_size, P->nrows,
                         gs_places_of(P), P->col, (const T *)P->value, most, truncate, keep, column,
                         value, length);
    }));
    TRY(gs_close_up(Q, ctx, P->nrows, P->ncols, gs_places_of(P), length, column, value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, keep);
    gsolve_free(ctx, GSOLVE_DEVICE, column);
    gsolve_free(ctx, GSOLVE_DEVICE, value);
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    return status;
}

template <int L, class T>
__global__ void __launch_bounds__(gs_block_size)
    renew_rows(int32_t rows, gs_places start, const int32_t *col, T *value, gs_places from_start,
               const int32_t *from_col, const T *from)
{
    const gs_party<L> g;
    const int64_t r = g.unit;
    double all = 0, kept = 0;

    if (r >= rows) return;
    const int64_t begin = start[r], end = start[r + 1];
    const int64_t from_begin = from_start[r], from_end = from_start[r + 1];
    for (int64_t e = from_begin + g.lane; e < from_end; e += L) all += (double)from[e];
    for (int64_t e = begin + g.lane; e < end; e += L) {
        value[e] = from[gs_row_first(from_col, from_begin, from_end, col[e])];
        kept += (double)value[e];
    }
    if (end - begin == from_end - from_begin) return; // all of the group
    all = g.sum(all);
    const double scale = gs_scale_of(all, g.sum(kept));
    for (int64_t e = begin + g.lane; e < end; e += L) value[e] = (T)(scale * (double)value[e]);
}

template <class T>
gsolve_status renew(const gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P)
{
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, P, &entries));
    TRY(gs_with_lanes((double)entries / (P->nrows + 1.0), [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "rows that were cut", renew_rows<L, T>,
                         gs_lane_blocks(Q->nrows, L), gs_block_size, Q->nrows, gs_places_of(Q),
                         Q->col, (T *)gs_owned_block(ctx, Q->value), gs_places_of(P), P->col,
                         (const T *)P->value);
    }));
done:
    return status;
}

} // namespace

extern "C" const gs_classical_cut_kernels gs_classical_cut_cuda[GSOLVE_TYPE_COUNT] = {
    {cut<float>, renew<float>}, {cut<double>, renew<double>}};
