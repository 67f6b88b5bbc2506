/* dist_write.c: writes a vector whose rows are distributed over ranks: all ranks write their rows
 * of one file, or rank 0 collects and writes them. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "core/dense.h"
#include "core/staging.h"
#include "core/try.h"
#include "dist/row_range.h"
#include "io/dist.h"
#include "io/dist_file.h"
#include "io/write.h"

/* Rank 0 collects all rows and writes. */
static gsolve_status write_on_first(gsolve_context *ctx, const char *path,
                                    const gs_ownership *owner, const gsolve_dense *v,
                                    const char *comment)
{
    const bool first = gs_is_first(ctx);
    const int32_t nrows = (int32_t)owner->first[owner->ranks];
    gsolve_dense all = {0};
    gsolve_status status = GSOLVE_OK;

    if (first) status = gs_dense_new(&all, ctx, GSOLVE_HOST, GSOLVE_F64, nrows, v->ncols);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_move_elements(ctx, owner, all.value, (int64_t)all.nrows * all.ncols, *v, true));
    if (first) status = gsolve_write_dense(ctx, path, &all, comment);
    TRY(gs_check_file(ctx->comm, status));
done:
    gsolve_dense_free(&all, ctx);
    return status;
}

/* --- all ranks write -------------------------------------------------------------------------- */

typedef struct shared_file {
    gsolve_context *ctx;
    gs_dist_file file;
    char *text; /* the lines of one column of this rank's rows */
    int threads;
} shared_file;

/* The first line that thread t writes. */
static int64_t first_line(const shared_file *f, int32_t lines, int t)
{
    return (int64_t)lines * t / f->threads;
}

/* Formats a column in one piece; returns its number of bytes. */
static int64_t format_column(const shared_file *f, const gsolve_dense *column)
{
    char *ends[64], *to = f->text;

#pragma omp parallel for schedule(static, 1) num_threads(f->threads)
    for (int t = 0; t < f->threads; t++) {
        const int64_t from = first_line(f, column->nrows, t);
        ends[t] = gs_write_values(column, from, first_line(f, column->nrows, t + 1),
                                  f->text + from * GS_VALUE_LINE);
    }
    for (int t = 0; t < f->threads; t++) {
        const char *from = f->text + first_line(f, column->nrows, t) * GS_VALUE_LINE;
        memmove(to, from, (size_t)(ends[t] - from));
        to += ends[t] - from;
    }
    return to - f->text;
}

/* Writes behind `at` bytes of the file. A rank that fails goes on with the messages. */
static gsolve_status write_columns(shared_file *f, const gsolve_dense *v, int64_t at)
{
    int code = 0;
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < v->ncols; c++) {
        const gsolve_dense column = gs_column_of(*v, c);
        const int64_t bytes = format_column(f, &column);
        int64_t before, total;
        TRY(gs_comm_place(f->ctx->comm, bytes, &before, &total));
        if (!code)
            code = gs_replace_write_at(&f->file.replacement, f->text, (size_t)bytes, at + before);
        at += total;
    }
    if (code) status = gs_write_error(f->ctx, f->file.replacement.path, code);
done:
    return status;
}

/* Fails with the first value of all columns that is not finite. */
static gsolve_status check_values(gsolve_context *ctx, gsolve_row_range rows, const gsolve_dense *v)
{
    const int64_t bad = gs_first_not_finite(v);
    const double none = -(double)rows.total * v->ncols - 1;
    double own = bad < 0 ? none
                         : -((double)(bad / v->nrows) * (double)rows.total +
                             (double)(rows.first + bad % v->nrows));
    double first = own;
    gsolve_status status;

    TRY(gs_comm_largest(ctx->comm, &first, 1));
    if (bad >= 0 && own == first) status = gs_refuse_element(ctx, v, bad, rows.first);
    TRY(gs_check_file(ctx->comm, status));
done:
    return status;
}

/* *opened: whether all ranks can open one file; if not, nothing is written. */
static gsolve_status write_on_all(shared_file *f, bool *opened, const char *path,
                                  gsolve_row_range rows, const gsolve_dense *v, const char *comment)
{
    char sizes[64], *header = NULL;
    size_t bytes = 0;
    gsolve_status status;

    *opened = true;
    TRY(check_values(f->ctx, rows, v));
    f->text = gsolve_alloc(f->ctx, GSOLVE_HOST, (size_t)rows.count, GS_VALUE_LINE);
    status = f->text ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (gs_is_first(f->ctx) && !status) {
        snprintf(sizes, sizeof sizes, "%lld %d", (long long)rows.total, v->ncols);
        status = gs_market_header(&header, &bytes, f->ctx, "array", "general", comment, sizes);
    }
    TRY(gs_comm_check(f->ctx->comm, status));
    TRY(gs_dist_file_open(&f->file, opened, f->ctx, path, header, &bytes));
    if (!*opened) goto done;
    status = gs_dist_file_close(&f->file, write_columns(f, v, (int64_t)bytes));
done:
    gsolve_free(f->ctx, GSOLVE_HOST, header);
    gsolve_free(f->ctx, GSOLVE_HOST, f->text);
    f->text = NULL;
    return status;
}

/* Whether several ranks write this file, as rank 0 sees it. */
static gsolve_status is_parallel(bool *parallel, gsolve_context *ctx, const char *path)
{
    *parallel = gs_comm_ranks(ctx->comm) > 1 && !gs_ends_in_gz(path) &&
                gsolve_file_format_of(path) == GSOLVE_FILE_MARKET && !gs_replace_is_stream(path);
    return gs_share(ctx->comm, parallel, sizeof *parallel);
}

static gsolve_status write_dense(gsolve_context *ctx, const char *path, gsolve_row_range rows,
                                 const gs_ownership *owner, const gsolve_dense *v,
                                 const char *comment)
{
    shared_file *f = NULL;
    bool parallel;
    gsolve_status status;

    TRY(is_parallel(&parallel, ctx, path));
    if (parallel) {
        f = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *f);
        TRY(gs_comm_check(ctx->comm, f ? GSOLVE_OK : GSOLVE_NO_MEMORY));
        f->ctx = ctx;
        f->text = NULL;
        f->threads = gsolve_threads(ctx) < 64 ? gsolve_threads(ctx) : 64;
        TRY(write_on_all(f, &parallel, path, rows, v, comment));
    }
    if (!parallel) TRY(write_on_first(ctx, path, owner, v, comment));
done:
    gsolve_free(ctx, GSOLVE_HOST, f);
    return status;
}

/* Whether v has these rows. It may have no memory if there are none. */
static bool is_writable(const gsolve_dense *v, gsolve_row_range rows)
{
    return v->type == GSOLVE_F64 && v->location == GSOLVE_HOST &&
           v->layout == GSOLVE_COLUMN_MAJOR && v->nrows == rows.count && v->ncols >= 0 &&
           gs_stride_fits(*v) && (v->value || rows.count == 0) && rows.total <= INT32_MAX;
}

gsolve_status gsolve_write_dense_dist(gsolve_context *ctx, const char *path, gsolve_row_range rows,
                                      const gsolve_dense *v, const char *comment)
{
    gs_ownership owner = {0};
    gsolve_status status = GSOLVE_OK;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!path || !v || !is_writable(v, rows)) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                             "gsolve_write_dense_dist: path or v is NULL, v is not column-major "
                             "with doubles on the host and the rows of this rank, or there are "
                             "2^31 rows or more");
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_same_name(ctx, path));
    TRY(gs_comm_same(ctx->comm, (uint64_t)v->ncols, "the numbers of columns"));
    TRY(gs_ownership_new(&owner, ctx, &rows, "rows"));
    status = write_dense(ctx, path, rows, &owner, v, comment);
done:
    gs_ownership_drop(&owner, ctx);
    return status;
}
