/* subwarp_rows.c: products with many columns, row-major, some columns at a time; see
 * subwarp_rows.h. */
#include "spmv/multi_rhs/subwarp_rows.h"

#include "core/try.h"
#include "vector/layout.h"

/* Allocates *block for `count` numbers of a type, unless it is allocated. */
static gsolve_status allocate(void **block, gsolve_context *ctx, int64_t count, gsolve_type type)
{
    if (!*block) *block = gsolve_alloc(ctx, gs_location(ctx), (size_t)count, gs_type_size(type));
    return *block ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

/* *out = v in row-major layout, in a block with memory for `most` columns. If `read`, the numbers
 * are copied too. */
static gsolve_status to_row_major(gsolve_dense *out, void **block, gsolve_context *ctx,
                                  int32_t most, gsolve_dense v, bool read)
{
    gsolve_status status = GSOLVE_OK;

    *out = v;
    if (v.layout == GSOLVE_ROW_MAJOR) return status;
    TRY(allocate(block, ctx, (int64_t)v.nrows * most, v.type));
    out->layout = GSOLVE_ROW_MAJOR;
    out->stride = v.ncols;
    out->value = *block;
    if (read) TRY(gs_change_layout(ctx, v, *out));
done:
    return status;
}

gsolve_status gs_subwarp_multiply(const gs_subwarp_form *form, gs_subwarp_space *space,
                                  gsolve_context *ctx, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y)
{
    static const int32_t sizes[GS_SUBWARP_SIZES] = {GS_SUBWARP_FEW, GS_SUBWARP_MANY,
                                                    GS_SUBWARP_MOST};
    const bool rows = x.layout == GSOLVE_ROW_MAJOR;
    const bool direct = rows || gs_on_gpu(ctx); /* y is written in place */
    const int size = x.ncols <= GS_SUBWARP_FEW ? 0 : rows && x.ncols > GS_SUBWARP_MANY ? 2 : 1;
    const int32_t most = sizes[size];
    void **converted =
        space->converted[size % 2]; /* with 64 columns x is row-major and none is used */
    gsolve_status status = GSOLVE_OK;
    gsolve_dense in, out;

    if (form->sums > 0) TRY(allocate(&space->sums[size], ctx, form->sums * most, x.type));
    for (int32_t j = 0, count; j < x.ncols; j += count) {
        const int32_t left = x.ncols - j;
        count = left < most ? left : most;
        const gsolve_dense now = gs_some_columns(y, j, count);
        TRY(to_row_major(&in, &converted[0], ctx, most, gs_some_columns(x, j, count), true));
        out = now;
        if (!direct) TRY(to_row_major(&out, &converted[1], ctx, most, now, beta != 0));
        TRY(form->product(ctx, form->self, alpha, in, beta, out, space->sums[size]));
        if (!direct) TRY(gs_change_layout(ctx, out, now));
    }
done:
    return status;
}

void gs_subwarp_drop(gs_subwarp_space *space, gsolve_context *ctx)
{
    for (int k = 0; k < 4; k++) gsolve_free(ctx, gs_location(ctx), space->converted[k / 2][k % 2]);
    for (int k = 0; k < GS_SUBWARP_SIZES; k++) gsolve_free(ctx, gs_location(ctx), space->sums[k]);
}
