/* dist.c: matrices and vectors whose rows are distributed over ranks: each rank generates its rows,
 * or rank 0 reads a file and sends them. */
#include <string.h>

#include "core/try.h"
#include "dist/row_range.h"
#include "io/generators.h"

/* --- messages of rank 0 ----------------------------------------------------------------------- */

typedef struct route { /* from rank 0 to the others: elements first[r] to first[r + 1] - 1 */
    int count;
    int *rank;
    size_t *offset;
} route;

static void drop_route(route *r, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, r->rank);
    gsolve_free(ctx, GSOLVE_HOST, r->offset);
}

static gsolve_status new_route(route *r, gsolve_context *ctx)
{
    const size_t ranks = (size_t)gs_comm_ranks(ctx->comm);
    gsolve_status status;

    *r = (route){0};
    ALLOC(ctx, GSOLVE_HOST, r->rank, ranks);
    ALLOC(ctx, GSOLVE_HOST, r->offset, ranks + 1);
done:
    return status;
}

/* The messages for elements of `size` bytes in an array of all ranks. They need not begin at its
 * first element, since rank 0 keeps its own. */
static gsolve_messages messages_of(route *r, const int64_t *first, int ranks, size_t size,
                                   void *all)
{
    r->count = 0;
    r->offset[0] = (size_t)first[1] * size;
    for (int k = 1; k < ranks; k++) {
        if (first[k + 1] == first[k]) continue;
        r->rank[r->count++] = k;
        r->offset[r->count] = (size_t)first[k + 1] * size;
    }
    return (gsolve_messages){r->count, r->rank, r->offset, all};
}

/* Moves elements of `size` bytes between `all` on rank 0, where rank r's are first[r] to
 * first[r + 1] - 1, and `own`, which has `count` elements, on each rank. to_all: to rank 0. */
static gsolve_status move(gs_comm *comm, route *r, const int64_t *first, int64_t count, size_t size,
                          void *all, void *own, bool to_all)
{
    const int zero = 0;
    const size_t offset[] = {0, (size_t)count * size};
    const gsolve_messages none = {0, NULL, offset, NULL};
    const gsolve_messages mine = {count > 0, &zero, offset, own};
    gsolve_messages others;

    if (comm && comm->rank > 0) {
        return to_all ? gs_comm_exchange(comm, &mine, &none) : gs_comm_exchange(comm, &none, &mine);
    }
    if (count > 0) {
        memcpy(to_all ? all : own, to_all ? own : all, (size_t)count * size);
    }
    if (!comm) return GSOLVE_OK;
    others = messages_of(r, first, comm->ranks, size, all);
    return to_all ? gs_comm_exchange(comm, &none, &others) : gs_comm_exchange(comm, &others, &none);
}

/* --- matrices --------------------------------------------------------------------------------- */

typedef struct arrays { /* of a gsolve_dist_csr, for writing */
    int64_t *start, *col;
    double *value;
} arrays;

static void drop_arrays(arrays *a, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, a->start);
    gsolve_free(ctx, GSOLVE_HOST, a->col);
    gsolve_free(ctx, GSOLVE_HOST, a->value);
}

static void give(gsolve_dist_csr *csr, gsolve_row_range rows, gsolve_row_range cols, arrays *a)
{
    *csr = (gsolve_dist_csr){.rows = rows,
                             .cols = cols,
                             .start = a->start,
                             .col = a->col,
                             .value = a->value,
                             .offset = GSOLVE_O64,
                             .type = GSOLVE_F64,
                             .location = GSOLVE_HOST};
    *a = (arrays){0};
}

/* a = copies of the rows. */
static gsolve_status widen(arrays *a, gsolve_context *ctx, const gsolve_csr *rows)
{
    const int64_t entries = gs_start(rows, rows->nrows);
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, a->start, (size_t)rows->nrows + 1);
    ALLOC(ctx, GSOLVE_HOST, a->col, entries);
    ALLOC(ctx, GSOLVE_HOST, a->value, entries);
    for (int32_t i = 0; i <= rows->nrows; i++) a->start[i] = gs_start(rows, i);
    for (int64_t k = 0; k < entries; k++) a->col[k] = rows->col[k];
    memcpy(a->value, rows->value, (size_t)entries * sizeof *a->value);
done:
    return status;
}

static gsolve_status generate(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                              gsolve_source *source)
{
    gs_row_slice slice = {.rank = ctx->comm ? ctx->comm->rank : 0,
                          .ranks = gs_comm_ranks(ctx->comm)};
    gsolve_csr rows = {0};
    arrays a = {0};
    gsolve_status status;

    TRY(gs_comm_check(ctx->comm, gs_generate(&rows, ctx, name + 4, &slice)));
    TRY(gs_comm_check(ctx->comm, widen(&a, ctx, &rows)));
    if (source) source->stored = gs_start(&rows, rows.nrows);
    give(csr, slice.rows, slice.cols, &a);
done:
    drop_arrays(&a, ctx);
    gsolve_csr_free(&rows, ctx);
    return status;
}

/* first[r] = the first row of rank r, so that ranks have about equal numbers of entries. */
static void divide_entries(const gsolve_csr *A, int ranks, int64_t *first)
{
    const int64_t entries = gs_start(A, A->nrows);
    int32_t row = 0;

    for (int r = 0; r <= ranks; r++) {
        const int64_t begin = (int64_t)((double)entries / ranks * r);
        while (r < ranks && row < A->nrows && gs_start(A, row) < begin) row++;
        first[r] = r < ranks ? row : A->nrows;
    }
}

/* head: numbers of rank 0, to all ranks. */
static gsolve_status share(gs_comm *comm, gsolve_context *ctx, int64_t *head, size_t count)
{
    int64_t *all;
    gsolve_status status;

    if (!comm) return GSOLVE_OK;
    all = gsolve_alloc(ctx, GSOLVE_HOST, count * (size_t)comm->ranks, sizeof *all);
    TRY(gs_comm_check(comm, all ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_comm_allgather(comm, head, count * sizeof *head, all));
    memcpy(head, all, count * sizeof *head);
done:
    gsolve_free(ctx, GSOLVE_HOST, all);
    return status;
}

/* Sends the lengths of the rows; a->start = the offsets of this rank. */
static gsolve_status send_lengths(arrays *a, gsolve_context *ctx, route *r, const gsolve_csr *A,
                                  const int64_t *first, int32_t count)
{
    int64_t *length = NULL;
    gsolve_status status;

    a->start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)count + 1, sizeof *a->start);
    length = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->nrows, sizeof *length);
    TRY(gs_comm_check(ctx->comm, a->start && length ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int32_t i = 0; i < A->nrows; i++) length[i] = gs_start(A, i + 1) - gs_start(A, i);
    TRY(move(ctx->comm, r, first, count, sizeof *length, length, a->start + 1, false));
    a->start[0] = 0;
    for (int32_t i = 0; i < count; i++) a->start[i + 1] += a->start[i];
done:
    gsolve_free(ctx, GSOLVE_HOST, length);
    return status;
}

/* Sends columns and values. A: the whole matrix on rank 0, else empty. */
static gsolve_status send_entries(arrays *a, gsolve_context *ctx, route *r, const gsolve_csr *A,
                                  const int64_t *first, int32_t count)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    const int64_t entries = a->start[count];
    const gs_csr_arrays from = gs_csr_arrays_of(ctx, A);
    int64_t *begin = NULL;
    int32_t *col = NULL;
    gsolve_status status;

    begin = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks + 1, sizeof *begin);
    col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *col);
    a->col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *a->col);
    a->value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *a->value);
    TRY(gs_comm_check(ctx->comm,
                      begin && col && a->col && a->value ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int k = 0; k <= ranks; k++) begin[k] = A->start ? gs_start(A, (int32_t)first[k]) : 0;
    TRY(move(ctx->comm, r, begin, entries, sizeof *col, from.col, col, false));
    TRY(move(ctx->comm, r, begin, entries, sizeof *a->value, from.value, a->value, false));
    for (int64_t k = 0; k < entries; k++) a->col[k] = col[k];
done:
    gsolve_free(ctx, GSOLVE_HOST, begin);
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

/* What a rank needs to know of a matrix that rank 0 has read. */
typedef struct part {
    int64_t rows, cols; /* of the matrix */
    int64_t first, count;
} part;

/* *own = this rank's part, from rank 0. first: of each rank, on rank 0. work: ranks + 1 numbers. */
static gsolve_status send_parts(part *own, gsolve_context *ctx, route *r, const gsolve_csr *A,
                                const int64_t *first, int64_t *work)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    const bool all_here = !ctx->comm || ctx->comm->rank == 0;
    part *all = NULL;
    gsolve_status status;

    all = gsolve_alloc(ctx, GSOLVE_HOST, all_here ? (size_t)ranks : 0, sizeof *all);
    TRY(gs_comm_check(ctx->comm, all ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int k = 0; all_here && k < ranks; k++) {
        all[k] = (part){A->nrows, A->ncols, first[k], first[k + 1] - first[k]};
    }
    for (int k = 0; k <= ranks; k++) work[k] = k;
    TRY(move(ctx->comm, r, work, 1, sizeof *all, all, own, false));
done:
    gsolve_free(ctx, GSOLVE_HOST, all);
    return status;
}

static gsolve_status distribute(gsolve_dist_csr *csr, gsolve_context *ctx, const gsolve_csr *A)
{
    const int rank = ctx->comm ? ctx->comm->rank : 0, ranks = gs_comm_ranks(ctx->comm);
    int64_t *first; /* the first row of each rank, on rank 0; then as many numbers to work with */
    gsolve_row_range rows, cols;
    part own;
    arrays a = {0};
    route r = {0};
    gsolve_status status;

    first = gsolve_alloc(ctx, GSOLVE_HOST, 2 * ((size_t)ranks + 1), sizeof *first);
    TRY(gs_comm_check(ctx->comm, first ? new_route(&r, ctx) : GSOLVE_NO_MEMORY));
    memset(first, 0, 2 * ((size_t)ranks + 1) * sizeof *first);
    if (rank == 0) divide_entries(A, ranks, first);
    TRY(send_parts(&own, ctx, &r, A, first, first + ranks + 1));
    rows = (gsolve_row_range){own.first, own.rows, (int32_t)own.count};
    cols = own.rows == own.cols ? rows : gsolve_row_range_even(own.cols, rank, ranks);
    TRY(send_lengths(&a, ctx, &r, A, first, rows.count));
    TRY(send_entries(&a, ctx, &r, A, first, rows.count));
    give(csr, rows, cols, &a);
done:
    gsolve_free(ctx, GSOLVE_HOST, first);
    drop_arrays(&a, ctx);
    drop_route(&r, ctx);
    return status;
}

gsolve_status gsolve_read_matrix_dist(gsolve_dist_csr *csr, gsolve_context *ctx, const char *name,
                                      const gsolve_read_options *options, gsolve_source *source)
{
    const bool first = ctx && (!ctx->comm || ctx->comm->rank == 0);
    gsolve_csr A = {0};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = csr && name ? GSOLVE_OK
                         : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                                       "gsolve_read_matrix_dist: csr or name is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_comm_same(ctx->comm, gs_hash(ctx, name, strlen(name), 0), "the name of the matrix"));
    if (strncmp(name, "gen:", 4) == 0) return generate(csr, ctx, name, source);
    status = first ? gsolve_read_matrix(&A, ctx, name, options, source) : GSOLVE_OK;
    TRY(gs_comm_check(ctx->comm, status));
    TRY(distribute(csr, ctx, &A));
done:
    gsolve_csr_free(&A, ctx);
    return status;
}

/* --- vectors ---------------------------------------------------------------------------------- */

/* Moves the columns between `all`, which rank 0 has, and v. */
static gsolve_status move_columns(gsolve_context *ctx, gsolve_row_range rows, gsolve_dense all,
                                  gsolve_dense v, bool to_all)
{
    gs_ownership owner = {0};
    route r = {0};
    gsolve_status status;

    TRY(gs_ownership_new(&owner, ctx, &rows, "rows"));
    TRY(gs_comm_check(ctx->comm, new_route(&r, ctx)));
    for (int32_t c = 0; c < v.ncols; c++) {
        TRY(move(ctx->comm, &r, owner.first, rows.count, sizeof(double),
                 all.value ? gs_column_of(all, c).value : NULL, gs_column_of(v, c).value, to_all));
    }
done:
    gs_ownership_drop(&owner, ctx);
    drop_route(&r, ctx);
    return status;
}

/* *v = ncols columns of n doubles. */
static gsolve_status new_columns(gsolve_dense *v, gsolve_context *ctx, int64_t n, int32_t ncols)
{
    const size_t count = (size_t)n * (size_t)ncols;

    *v = (gsolve_dense){(int32_t)n,
                        ncols,
                        n,
                        gsolve_alloc(ctx, GSOLVE_HOST, count, sizeof(double)),
                        GSOLVE_F64,
                        GSOLVE_HOST,
                        GSOLVE_COLUMN_MAJOR};
    return v->value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static gsolve_status read_all(gsolve_dense *all, gsolve_context *ctx, const char *name,
                              gsolve_row_range rows, const gsolve_read_options *options)
{
    gsolve_status status;

    TRY(gsolve_read_dense(all, ctx, name, options, NULL));
    if (all->nrows != rows.total) {
        status = gsolve_fail(ctx, GSOLVE_BAD_FILE, "%s has %d rows; the system has %lld", name,
                             all->nrows, (long long)rows.total);
    }
done:
    return status;
}

gsolve_status gsolve_read_dense_dist(gsolve_dense *v, gsolve_context *ctx, const char *name,
                                     gsolve_row_range rows, const gsolve_read_options *options)
{
    gsolve_dense all = {0}, own = {0};
    int64_t ncols = 0;
    gsolve_status status = GSOLVE_OK;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!v || !name) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_read_dense_dist: v or name is NULL");
    } else if (!ctx->comm || ctx->comm->rank == 0) {
        status = read_all(&all, ctx, name, rows, options);
        ncols = all.ncols;
    }
    TRY(gs_comm_check(ctx->comm, status));
    TRY(share(ctx->comm, ctx, &ncols, 1));
    TRY(gs_comm_check(ctx->comm, new_columns(&own, ctx, rows.count, (int32_t)ncols)));
    TRY(move_columns(ctx, rows, all, own, false));
    *v = own;
    own = (gsolve_dense){0};
done:
    gsolve_dense_free(&all, ctx);
    gsolve_dense_free(&own, ctx);
    return status;
}

gsolve_status gsolve_write_dense_dist(gsolve_context *ctx, const char *path, gsolve_row_range rows,
                                      const gsolve_dense *v, const char *comment)
{
    const bool first = ctx && (!ctx->comm || ctx->comm->rank == 0);
    gsolve_dense all = {0};
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
    if (first) status = new_columns(&all, ctx, rows.total, v->ncols);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(move_columns(ctx, rows, all, *v, true));
    if (first) status = gsolve_write_dense(ctx, path, &all, comment);
    TRY(gs_comm_check(ctx->comm, status));
done:
    gsolve_dense_free(&all, ctx);
    return status;
}
