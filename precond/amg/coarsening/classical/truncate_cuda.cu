// truncate_cuda.cu: truncates all rows of a matrix on a GPU.
#include "precond/amg/coarsening/classical/truncate.cuh"

extern "C" {
#include "precond/amg/coarsening/classical/classical.h"
}

#include "matrix/row_rule.h"

namespace
{

// Truncated rows, each at the position of its row of P.
template <class T>
struct truncated_rows {
    int32_t *keep, *column, *length;
    T *value;
};

// L threads truncate a row of P. Moves P once and the truncated rows once, except that a row is
// compared with itself in the cache.
template <int L, class T>
__global__ void __launch_bounds__(gs_block_size)
    truncate_each_row(int32_t rows, gs_row_positions start, const int32_t *col, const T *p,
                      gs_truncation limit, truncated_rows<T> to)
{
    const gs_independent_subwarp<L> g;
    const int64_t r = g.unit;
    double all = 0;

    if (r > rows) return;
    const int64_t begin = r < rows ? start[r] : 0, end = r < rows ? start[r + 1] : 0;
    for (int64_t e = begin + g.lane; e < end; e += L) all += (double)p[e];
    const gs_row_entries<T> row = {(int32_t)(end - begin), col + begin, p + begin, g.sum(all)};
    const int32_t left =
        gs_truncate(g, row, limit, to.keep + begin, to.column + begin, to.value + begin);
    if (g.lane == 0) to.length[r] = left;
}

template <class T>
gsolve_status truncate_rows(gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P, int most,
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
    TRY(gs_with_subwarp((double)entries / (P->nrows + 1.0), [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "truncating rows", truncate_each_row<L, T>,
                         gs_subwarp_blocks((int64_t)P->nrows + 1, L), gs_block_size, P->nrows,
                         gs_row_positions_of(P), P->col, (const T *)P->value,
                         gs_truncation{most, truncate},
                         truncated_rows<T>{keep, column, length, value});
    }));
    TRY(gs_pack_rows(Q, ctx, P->nrows, P->ncols, gs_row_positions_of(P), length, column, value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, keep);
    gsolve_free(ctx, GSOLVE_DEVICE, column);
    gsolve_free(ctx, GSOLVE_DEVICE, value);
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    return status;
}

// New values of truncated rows. L threads own a row, and look up its columns in the whole row by
// binary search. Reads both matrices once.
template <int L, class T>
__global__ void __launch_bounds__(gs_block_size)
    update_rows(int32_t rows, gs_row_positions start, const int32_t *col, T *value,
                gs_row_positions from_start, const int32_t *from_col, const T *from)
{
    const gs_independent_subwarp<L> g;
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
    if (end - begin == from_end - from_begin) return; // the same for all lanes of the subwarp
    all = g.sum(all);
    const double scale = gs_sum_preserving_scale(all, g.sum(kept));
    for (int64_t e = begin + g.lane; e < end; e += L) value[e] = (T)(scale * (double)value[e]);
}

template <class T>
gsolve_status update(const gsolve_csr *Q, gsolve_context *ctx, const gsolve_csr *P)
{
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, P, &entries));
    TRY(gs_with_subwarp((double)entries / (P->nrows + 1.0), [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "truncated rows", update_rows<L, T>,
                         gs_subwarp_blocks(Q->nrows, L), gs_block_size, Q->nrows,
                         gs_row_positions_of(Q), Q->col, (T *)gs_owned_block(ctx, Q->value),
                         gs_row_positions_of(P), P->col, (const T *)P->value);
    }));
done:
    return status;
}

} // namespace

extern "C" const gs_classical_truncate_kernels gs_classical_truncate_cuda[GSOLVE_TYPE_COUNT] = {
    {truncate_rows<float>, update<float>}, {truncate_rows<double>, update<double>}};
