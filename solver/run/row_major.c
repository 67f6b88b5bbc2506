/* row_major.c: the caller's b and x in row-major layout. A run works on columns, so b and x are
 * copied to columns where kernels read them, and x is copied back. The run's bits are those of
 * column-major vectors at the same location. The columns stay allocated for later runs. */
#include <string.h>

#include "core/try.h"
#include "solver/run/run.h"
#include "vector/layout.h"

/* --- vectors that share memory ---------------------------------------------------------------- */

/* The bytes of a line: a row of row-major vectors, a column of others. */
static size_t line_bytes(gsolve_dense v)
{
    return (size_t)(v.layout == GSOLVE_ROW_MAJOR ? v.ncols : v.nrows) * gs_type_size(v.type);
}

static size_t step_bytes(gsolve_dense v)
{
    return (size_t)v.stride * gs_type_size(v.type);
}

static uintptr_t end_of(gsolve_dense v)
{
    const int32_t lines = v.layout == GSOLVE_ROW_MAJOR ? v.nrows : v.ncols;

    return (uintptr_t)v.value + (size_t)(lines - 1) * (lines > 1 ? step_bytes(v) : 0) +
           line_bytes(v);
}

/* Whether columns of u and v, both column-major, share memory. */
static bool columns_overlap(gsolve_dense u, gsolve_dense v)
{
    for (int32_t c = 0; c < u.ncols; c++) {
        const uintptr_t at_u = (uintptr_t)gs_column_of(u, c).value;
        for (int32_t d = 0; d < v.ncols; d++) {
            const uintptr_t at_v = (uintptr_t)gs_column_of(v, d).value;
            if (at_u < at_v + line_bytes(v) && at_v < at_u + line_bytes(u)) return true;
        }
    }
    return false;
}

/* Whether rows of u and v, both row-major and with a common step, share memory: the position of u's
 * rows within the steps of v's rows decides. */
static bool rows_overlap(gsolve_dense u, gsolve_dense v)
{
    const uintptr_t at_u = (uintptr_t)u.value, at_v = (uintptr_t)v.value;
    const size_t step = step_bytes(u);
    const size_t behind =
        at_u >= at_v ? (at_u - at_v) % step : (step - (at_v - at_u) % step) % step;

    return behind < line_bytes(v) || behind + line_bytes(u) > step;
}

bool gs_vectors_overlap(gsolve_dense u, gsolve_dense v)
{
    const bool columns = u.layout == GSOLVE_COLUMN_MAJOR && v.layout == GSOLVE_COLUMN_MAJOR;

    if (columns) return columns_overlap(u, v);
    if (u.nrows == 0 || u.ncols == 0 || v.nrows == 0 || v.ncols == 0) return false;
    if (end_of(u) <= (uintptr_t)v.value || end_of(v) <= (uintptr_t)u.value) return false;
    return u.layout != v.layout || step_bytes(u) != step_bytes(v) || step_bytes(u) == 0 ||
           rows_overlap(u, v);
}

/* --- the check of the caller's vectors ---------------------------------------------------------
 */

gsolve_status gs_check_vectors(gsolve_context *ctx, int32_t nrows, int32_t ncols, gsolve_dense b,
                               gsolve_dense x)
{
    if ((unsigned)b.layout > GSOLVE_ROW_MAJOR || (unsigned)x.layout > GSOLVE_ROW_MAJOR) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "b has layout %d and x layout %d; a layout is 0 (column-major) or 1 (row-major)",
            (int)b.layout, (int)x.layout);
    }
    if (b.nrows != nrows || x.nrows != ncols || b.ncols != x.ncols || b.ncols < 0) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "the matrix is %d x %d, so b must have %d rows and x %d, and both the same "
            "number of columns; b is %d x %d and x is %d x %d",
            nrows, ncols, nrows, ncols, b.nrows, b.ncols, x.nrows, x.ncols);
    }
    if (!gs_stride_fits(b) || !gs_stride_fits(x)) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "the columns of b or x overlap: the strides are %lld and %lld, and a stride "
            "must be at least the number of rows, or of columns if the layout is row-major",
            (long long)b.stride, (long long)x.stride);
    }
    if ((!b.value && (int64_t)b.nrows * b.ncols > 0) ||
        (!x.value && (int64_t)x.nrows * x.ncols > 0)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "b or x has no values (NULL)");
    }
    if ((unsigned)b.type >= GSOLVE_TYPE_COUNT || (unsigned)x.type >= GSOLVE_TYPE_COUNT) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the type of b or x is neither GSOLVE_F32 nor GSOLVE_F64");
    }
    if (gs_location(ctx) == GSOLVE_HOST &&
        (b.location != GSOLVE_HOST || x.location != GSOLVE_HOST)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "the device is cpu, so b and x must lie on the host");
    }
    if (gs_vectors_overlap(b, x)) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "b and x share memory; x must be an array of its own");
    }
    return GSOLVE_OK;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* *columns = column-major vectors of v's shape and type in block number `which`. */
static gsolve_status make_columns(gs_row_major *r, gsolve_context *ctx, int which, gsolve_dense v,
                                  gsolve_dense *columns)
{
    const size_t bytes = (size_t)v.nrows * (size_t)v.ncols * gs_type_size(v.type);

    if (!r->block[which] || r->bytes[which] < bytes) {
        gsolve_free(ctx, gs_location(ctx), r->block[which]);
        r->block[which] = gsolve_alloc(ctx, gs_location(ctx), bytes, 1);
        if (!r->block[which]) return GSOLVE_NO_MEMORY;
        r->bytes[which] = bytes;
    }
    *columns = (gsolve_dense){
        v.nrows, v.ncols, v.nrows, r->block[which], v.type, gs_location(ctx), GSOLVE_COLUMN_MAJOR};
    return GSOLVE_OK;
}

gsolve_status gs_columns_from(gs_row_major *r, gsolve_context *ctx, int which, gsolve_dense v,
                              gsolve_dense *columns)
{
    gs_stage stage = {0};
    gsolve_status status = GSOLVE_OK;

    *columns = v;
    if (v.layout == GSOLVE_COLUMN_MAJOR) return GSOLVE_OK;
    if (v.ncols == 1 && (v.stride == 1 || v.nrows == 1)) {
        columns->layout = GSOLVE_COLUMN_MAJOR;
        columns->stride = v.nrows;
        return GSOLVE_OK;
    }
    TRY(make_columns(r, ctx, which, v, columns));
    if (v.nrows == 0 || v.ncols == 0) goto done;
    TRY(gs_stage_in(&stage, ctx, gs_location(ctx), v, true));
    TRY(gs_change_layout(ctx, stage.used, *columns));
done:
    gs_stage_drop(&stage, ctx);
    return status;
}

gsolve_status gs_columns_to(gsolve_context *ctx, gsolve_dense columns, gsolve_dense v)
{
    gs_stage stage = {0};
    gsolve_status status = GSOLVE_OK;

    if (columns.value == v.value || v.nrows == 0 || v.ncols == 0) return GSOLVE_OK;
    TRY(gs_stage_in(&stage, ctx, gs_location(ctx), v, false));
    TRY(gs_change_layout(ctx, columns, stage.used));
    TRY(gs_stage_out(&stage, ctx));
    TRY(gs_memory_synchronize(ctx, v.location, v.value));
done:
    gs_stage_drop(&stage, ctx);
    return status;
}

void gs_row_major_release(gs_row_major *r, gsolve_context *ctx)
{
    for (int i = 0; i < 2; i++) gsolve_free(ctx, gs_location(ctx), r->block[i]);
    memset(r, 0, sizeof *r);
}
