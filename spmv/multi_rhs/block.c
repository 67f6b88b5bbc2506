/* block.c: products with any number of columns in any layout, see block.h. */
#include "spmv/multi_rhs/block.h"

#include "core/try.h"
#include "vector/layout.h"

static gsolve_status column_by_column(gs_block_product *one, void *self, gsolve_context *ctx,
                                      double alpha, gsolve_dense x, double beta, gsolve_dense y)
{
    gsolve_status status = GSOLVE_OK;

    for (int32_t j = 0; j < x.ncols && status == GSOLVE_OK; j++) {
        status = one(self, ctx, alpha, gs_column_of(x, j), beta, gs_column_of(y, j));
    }
    return status;
}

/* One column with stride 1 has both layouts; it is treated as column-major. */
static gsolve_dense prefer_column_major(gsolve_dense v)
{
    if (v.layout == GSOLVE_ROW_MAJOR && v.ncols == 1 && v.stride == 1) {
        v.layout = GSOLVE_COLUMN_MAJOR;
        v.stride = v.nrows;
    }
    return v;
}

gsolve_status gs_block_convert(gs_block_space *space, int which, gsolve_context *ctx,
                               gsolve_layout layout, gsolve_dense v, bool read, gsolve_dense *used)
{
    const size_t size = gs_type_size(v.type), need = (size_t)v.nrows * (size_t)v.ncols * size;

    *used = v;
    if (v.layout == layout) return GSOLVE_OK;
    if (need > space->bytes[which]) {
        gsolve_free(ctx, gs_location(ctx), space->block[which]);
        space->bytes[which] = 0;
        space->block[which] = gsolve_alloc(ctx, gs_location(ctx), need, 1);
        if (!space->block[which]) return GSOLVE_NO_MEMORY;
        space->bytes[which] = need;
    }
    used->layout = layout;
    used->stride = layout == GSOLVE_ROW_MAJOR ? v.ncols : v.nrows;
    used->value = space->block[which];
    return read ? gs_change_layout(ctx, v, *used) : GSOLVE_OK;
}

gsolve_status gs_block_multiply(const gs_block_products *by, void *self, gsolve_context *ctx,
                                gs_block_space *space, double alpha, gsolve_dense x, double beta,
                                gsolve_dense y)
{
    const bool rows = by->many && by->row_major && x.ncols > 1 && x.layout == GSOLVE_ROW_MAJOR &&
                      x.stride <= INT32_MAX; /* kernels keep strides in 32 bits */
    const gsolve_layout layout = rows ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR;
    gsolve_dense in, out;
    gsolve_status status;

    x = prefer_column_major(x);
    y = prefer_column_major(y);
    if ((int64_t)x.nrows * x.ncols == 0) x.layout = layout; /* nothing to convert */
    if ((int64_t)y.nrows * y.ncols == 0) return GSOLVE_OK;
    TRY(gs_block_convert(space, 0, ctx, layout, x, true, &in));
    TRY(gs_block_convert(space, 1, ctx, layout, y, beta != 0, &out));
    if (by->many && x.ncols > 1) {
        TRY(by->many(self, ctx, alpha, in, beta, out));
    } else {
        TRY(column_by_column(by->one, self, ctx, alpha, in, beta, out));
    }
    if (out.value != y.value) TRY(gs_change_layout(ctx, out, y));
done:
    return status;
}

void gs_block_space_drop(gs_block_space *space, gsolve_context *ctx)
{
    for (int k = 0; k < 2; k++) {
        gsolve_free(ctx, gs_location(ctx), space->block[k]);
        space->block[k] = NULL;
        space->bytes[k] = 0;
    }
}
