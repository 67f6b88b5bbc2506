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

/* --- columns ---------------------------------------------------------------------------------- */

/* *columns = column-major vectors of v's shape and type in block number `which`. */
static gsolve_status make_columns(gs_krylov *k, int which, gsolve_dense v, gsolve_dense *columns)
{
    gs_row_major *r = &k->run->row_major;
    const size_t bytes = (size_t)v.nrows * (size_t)v.ncols * gs_type_size(v.type);

    if (!r->block[which] || r->bytes[which] < bytes) {
        gsolve_free(k->ctx, gs_location(k->ctx), r->block[which]);
        r->block[which] = gsolve_alloc(k->ctx, gs_location(k->ctx), bytes, 1);
        if (!r->block[which]) return GSOLVE_NO_MEMORY;
        r->bytes[which] = bytes;
    }
    *columns = (gsolve_dense){v.nrows,
                              v.ncols,
                              v.nrows,
                              r->block[which],
                              v.type,
                              gs_location(k->ctx),
                              GSOLVE_COLUMN_MAJOR};
    return GSOLVE_OK;
}

gsolve_status gs_columns_from(gs_krylov *k, int which, gsolve_dense v, gsolve_dense *columns)
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
    TRY(make_columns(k, which, v, columns));
    if (v.nrows == 0 || v.ncols == 0) goto done;
    TRY(gs_stage_in(&stage, k->ctx, gs_location(k->ctx), v, true));
    TRY(gs_change_layout(k->ctx, stage.used, *columns));
done:
    gs_stage_drop(&stage, k->ctx);
    return status;
}

gsolve_status gs_columns_to(gs_krylov *k, gsolve_dense columns, gsolve_dense v)
{
    gs_stage stage = {0};
    gsolve_status status = GSOLVE_OK;

    if (columns.value == v.value || v.nrows == 0 || v.ncols == 0) return GSOLVE_OK;
    TRY(gs_stage_in(&stage, k->ctx, gs_location(k->ctx), v, false));
    TRY(gs_change_layout(k->ctx, columns, stage.used));
    TRY(gs_stage_out(&stage, k->ctx));
    TRY(gs_memory_synchronize(k->ctx, v.location, v.value));
done:
    gs_stage_drop(&stage, k->ctx);
    return status;
}

void gs_row_major_release(gs_krylov *k)
{
    gs_row_major *r = &k->run->row_major;

    for (int i = 0; i < 2; i++) gsolve_free(k->ctx, gs_location(k->ctx), r->block[i]);
    memset(r, 0, sizeof *r);
}
