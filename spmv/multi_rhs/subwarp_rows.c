/* subwarp_rows.c: many columns by rows, a few at a time, see subwarp_rows.h. */
#include "spmv/multi_rhs/subwarp_rows.h"

#include "core/try.h"
#include "vector/layout.h"

/* Columns j to j + count of v. */
static gsolve_dense columns_of(gsolve_dense v, int32_t j, int32_t count)
{
    const int64_t step = v.layout == GSOLVE_ROW_MAJOR ? 1 : v.stride;

    v.value = (char *)v.value + (size_t)(j * step) * gs_type_size(v.type);
    v.ncols = count;
    return v;
}

/* *block, of that many numbers of a type, if it is not there yet. */
static gsolve_status need(void **block, gsolve_context *ctx, int64_t count, gsolve_type type)
{
    if (!*block) *block = gsolve_alloc(ctx, gs_location(ctx), (size_t)count, gs_type_size(type));
    return *block ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

/* *out = v by rows, in a block that has room for most columns; its numbers too if read. */
static gsolve_status turn(gsolve_dense *out, void **block, gsolve_context *ctx, int32_t most,
                          gsolve_dense v, bool read)
{
    gsolve_status status = GSOLVE_OK;

    *out = v;
    if (v.layout == GSOLVE_ROW_MAJOR) return status;
    TRY(need(block, ctx, (int64_t)v.nrows * most, v.type));
    out->layout = GSOLVE_ROW_MAJOR;
    out->stride = v.ncols;
    out->value = *block;
    if (read) TRY(gs_change_layout(ctx, v, *out));
done:
    return status;
}

gsolve_status gs_subwarp_multiply(gs_subwarp_product *product, gs_subwarp_space *room,
                                  gsolve_context *ctx, const void *self, int64_t sums, double alpha,
                                  gsolve_dense x, double beta, gsolve_dense y)
{
    static const int32_t sizes[GS_SUBWARP_SIZES] = {GS_SUBWARP_FEW, GS_SUBWARP_MANY,
                                                    GS_SUBWARP_MOST};
    const bool rows = x.layout == GSOLVE_ROW_MAJOR;
    const bool direct = rows || gs_on_gpu(ctx); /* y is written where it is to be */
    const int size = x.ncols <= GS_SUBWARP_FEW ? 0 : rows && x.ncols > GS_SUBWARP_MANY ? 2 : 1;
    const int32_t most = sizes[size];
    void **turned = room->turned[size % 2]; /* of 64 none is */
    gsolve_status status = GSOLVE_OK;
    gsolve_dense in, out;

    if (sums > 0) TRY(need(&room->sums[size], ctx, sums * most, x.type));
    for (int32_t j = 0, count; j < x.ncols; j += count) {
        const int32_t left = x.ncols - j;
        count = left < most ? left : most;
        const gsolve_dense now = columns_of(y, j, count);
        TRY(turn(&in, &turned[0], ctx, most, columns_of(x, j, count), true));
        out = now;
        if (!direct) TRY(turn(&out, &turned[1], ctx, most, now, beta != 0));
        TRY(product(ctx, self, alpha, in, beta, out, room->sums[size]));
        if (!direct) TRY(gs_change_layout(ctx, out, now));
    }
done:
    return status;
}

void gs_subwarp_drop(gs_subwarp_space *room, gsolve_context *ctx)
{
    for (int k = 0; k < 4; k++) gsolve_free(ctx, gs_location(ctx), room->turned[k / 2][k % 2]);
    for (int k = 0; k < GS_SUBWARP_SIZES; k++) gsolve_free(ctx, gs_location(ctx), room->sums[k]);
}
