// one_point.cuh: interpolation from one point on a GPU, see interpolate_body.h.
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_ONE_POINT_CUH
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_ONE_POINT_CUH

#include "precond/amg/coarsening/classical/interpolate_row.cuh"

namespace
{

// The C point that row i depends on most, the first of equal ones; negative: none.
template <class T, class O>
__device__ int32_t strongest(const rows_of<T, O> &w, int32_t i)
{
    int32_t best = -1;
    double most = 0;

    for (int64_t k = (int64_t)w.start[i]; k < (int64_t)w.start[i + 1]; k++) {
        const double v = fabs((double)w.a[k]);
        const int32_t c = w.strong_c(k);
        if (c >= 0 && v > most) best = c, most = v;
    }
    return best;
}

// The C point that row i depends on through the strong point it depends on most.
template <class T, class O>
__device__ int32_t strongest_at_two(const rows_of<T, O> &w, int32_t i)
{
    int32_t best = -1;
    double most = 0;

    for (int64_t k = (int64_t)w.start[i]; k < (int64_t)w.start[i + 1]; k++) {
        const double v = fabs((double)w.a[k]);
        if (!(w.mark[k] & GS_STRONG) || v <= most) continue;
        const int32_t c = strongest(w, w.col[k]);
        if (c >= 0) best = c, most = v;
    }
    return best;
}

// A thread owns a row of P: it writes its single column and the value 1, or length 0.
template <class T, class O>
__global__ void choose_one_points(rows_of<T, O> w, int32_t *column, T *value, int32_t *length)
{
    const int64_t r = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (r >= w.rows) return;
    const int32_t i = w.row(r);
    int32_t c = w.number[i];
    if (c < 0) c = strongest(w, i);
    if (c < 0) c = strongest_at_two(w, i);
    column[r] = c;
    value[r] = 1;
    length[r] = c >= 0;
}

template <class T, class O>
gsolve_status choose_in(gsolve_csr *P, gsolve_context *ctx, const gs_interpolation_rows *w,
                        const O *start)
{
    const rows_of<T, O> rows = rows_for<T>(w, start);
    int32_t *column = nullptr, *length = nullptr;
    T *value = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, column, w->rows);
    ALLOC_DEVICE(ctx, value, w->rows);
    ALLOC_DEVICE(ctx, length, (size_t)w->rows + 1);
    TRY(gs_cuda(ctx->queue,
                cudaMemsetAsync(length + w->rows, 0, sizeof *length, ctx->queue->stream),
                "lengths of rows"));
    TRY(gs_launch(ctx->queue, "one-point interpolation", choose_one_points<T, O>,
                  gs_subwarp_blocks(w->rows, 1), gs_block_size, rows, column, value, length));
    TRY(gs_pack_rows(P, ctx, w->rows, w->count, gs_row_positions{nullptr, false, 1}, length, column,
                     value));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, column);
    gsolve_free(ctx, GSOLVE_DEVICE, value);
    gsolve_free(ctx, GSOLVE_DEVICE, length);
    return status;
}

} // namespace

#endif
