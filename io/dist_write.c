/* dist_write.c: writes a vector whose rows are distributed over ranks: all ranks write their rows
 * of one file, or rank 0 collects and writes them. */
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/dense.h"
#include "core/replace.h"
#include "core/staging.h"
#include "core/try.h"
#include "dist/row_range.h"
#include "io/dist.h"
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
    gs_replacement replacement; /* rank 0 has begun it, the others have joined it */
    bool is_open;
    char *text; /* the lines of one column of this rank's rows */
    int threads;
} shared_file;

/* What the other ranks need to know of the file of rank 0. */
typedef struct temporary_file {
    char name[sizeof((gs_replacement *)NULL)->temporary];
    int64_t bytes, inode;
} temporary_file;

/* Rank 0 creates the file, with its header. */
static gsolve_status begin_file(shared_file *f, temporary_file *t, const char *path,
                                gsolve_row_range rows, int32_t ncols, const char *comment)
{
    char sizes[64], *header = NULL;
    size_t bytes;
    struct stat about;
    int code;
    gsolve_status status;

    snprintf(sizes, sizeof sizes, "%lld %d", (long long)rows.total, ncols);
    TRY(gs_market_header(&header, &bytes, f->ctx, "array", "general", comment, sizes));
    code = gs_replace_begin(&f->replacement, f->ctx, path);
    f->is_open = code == 0;
    if (!code) code = gs_replace_write(&f->replacement, header, bytes);
    if (!code && fstat(f->replacement.file, &about) != 0) code = errno;
    if (code) {
        status = gs_write_error(f->ctx, path, code);
        goto done;
    }
    memcpy(t->name, f->replacement.temporary, sizeof t->name);
    t->bytes = (int64_t)bytes;
    t->inode = (int64_t)about.st_ino;
done:
    gsolve_free(f->ctx, GSOLVE_HOST, header);
    return status;
}

/* The others open it, if their hosts see the same file under this name. */
static void join_file(shared_file *f, const temporary_file *t, const char *path)
{
    struct stat about;

    if (gs_replace_join(&f->replacement, f->ctx, path, t->name) != 0) return;
    f->is_open = fstat(f->replacement.file, &about) == 0 && S_ISREG(about.st_mode) &&
                 about.st_size == t->bytes && (int64_t)about.st_ino == t->inode;
    if (!f->is_open) gs_replace_leave(&f->replacement);
}

/* *opened: all ranks can write to the file; *bytes: of its header. */
static gsolve_status open_file(shared_file *f, bool *opened, int64_t *bytes, const char *path,
                               gsolve_row_range rows, int32_t ncols, const char *comment)
{
    temporary_file t = {0};
    gsolve_status status = GSOLVE_OK;

    if (gs_is_first(f->ctx)) status = begin_file(f, &t, path, rows, ncols, comment);
    TRY(gs_check_file(f->ctx->comm, status));
    TRY(gs_share(f->ctx->comm, &t, sizeof t));
    if (!gs_is_first(f->ctx)) join_file(f, &t, path);
    TRY(gs_agree(opened, f->ctx, f->is_open));
    *bytes = t.bytes;
done:
    return status;
}

/* status: of all ranks. The file gets its name if it is GSOLVE_OK. */
static gsolve_status close_file(shared_file *f, gsolve_status status)
{
    int code;

    if (!f->is_open) return status;
    f->is_open = false;
    code = gs_is_first(f->ctx) ? gs_replace_end(&f->replacement, status == GSOLVE_OK, false)
                               : gs_replace_leave(&f->replacement);
    return status == GSOLVE_OK && code ? gs_write_error(f->ctx, f->replacement.path, code) : status;
}

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
        if (!code) code = gs_replace_write_at(&f->replacement, f->text, (size_t)bytes, at + before);
        at += total;
    }
    if (code) status = gs_write_error(f->ctx, f->replacement.path, code);
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
    int64_t header;
    gsolve_status status;

    *opened = true;
    TRY(check_values(f->ctx, rows, v));
    f->text = gsolve_alloc(f->ctx, GSOLVE_HOST, (size_t)rows.count, GS_VALUE_LINE);
    TRY(gs_comm_check(f->ctx->comm, f->text ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(open_file(f, opened, &header, path, rows, v->ncols, comment));
    if (!*opened) goto done;
    status = write_columns(f, v, header);
    if (!gs_is_first(f->ctx)) status = close_file(f, status);
    TRY(gs_check_file(f->ctx->comm, status));
    TRY(gs_check_file(f->ctx->comm, close_file(f, GSOLVE_OK)));
done:
    close_file(f, *opened ? status : GSOLVE_BAD_FILE);
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
        f->is_open = false;
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
