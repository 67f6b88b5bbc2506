/* dist_write.c: writes a vector whose rows are distributed over ranks. */
#include <string.h>

#include "core/try.h"
#include "io/dist.h"

/* Rank 0 collects all rows and writes. */
static gsolve_status write_on_first(gsolve_context *ctx, const char *path, gsolve_row_range rows,
                                    const gsolve_dense *v, const char *comment)
{
    const bool first = !ctx->comm || ctx->comm->rank == 0;
    gsolve_dense all = {0};
    gsolve_status status = GSOLVE_OK;

    if (first) status = gs_columns_new(&all, ctx, rows.total, v->ncols);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_move_columns(ctx, rows, all, *v, true));
    if (first) status = gsolve_write_dense(ctx, path, &all, comment);
    TRY(gs_check_file(ctx->comm, status));
done:
    gsolve_dense_free(&all, ctx);
    return status;
}

gsolve_status gsolve_write_dense_dist(gsolve_context *ctx, const char *path, gsolve_row_range rows,
                                      const gsolve_dense *v, const char *comment)
{
    gsolve_status status = GSOLVE_OK;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!path || !v || v->type != GSOLVE_F64 || v->location != GSOLVE_HOST ||
        v->nrows != rows.count || v->layout != GSOLVE_COLUMN_MAJOR || rows.total > INT32_MAX) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_write_dense_dist: path or v is NULL, v is not column-major "
                             "with doubles on the host and the rows of this rank, or there are "
                             "2^31 rows or more");
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_same(ctx->comm, (uint64_t)v->ncols, "the numbers of columns"));
    status = write_on_first(ctx, path, rows, v, comment);
done:
    return status;
}
