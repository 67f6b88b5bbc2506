/* dist_rows.c: rows of a file, and how they are divided among ranks. */
#include <string.h>

#include "core/try.h"
#include "dist/gather.h"
#include "dist/pieces.h"
#include "io/dist.h"
#include "matrix/csr.h"

gsolve_status gs_dist_arrays_new(gs_dist_arrays *a, gsolve_context *ctx, int32_t rows,
                                 int64_t entries)
{
    gsolve_status status;

    *a = (gs_dist_arrays){0};
    ALLOC(ctx, GSOLVE_HOST, a->start, (int64_t)rows + 1);
    ALLOC(ctx, GSOLVE_HOST, a->col, entries);
    ALLOC(ctx, GSOLVE_HOST, a->value, entries);
done:
    if (status != GSOLVE_OK) gs_dist_arrays_free(a, ctx);
    return status;
}

void gs_dist_arrays_free(gs_dist_arrays *a, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, a->start);
    gsolve_free(ctx, GSOLVE_HOST, a->col);
    gsolve_free(ctx, GSOLVE_HOST, a->value);
    *a = (gs_dist_arrays){0};
}

void gs_dist_csr_own(gsolve_dist_csr *csr, gsolve_row_range rows, gsolve_row_range cols,
                     gs_dist_arrays *a)
{
    *csr = (gsolve_dist_csr){.rows = rows,
                             .cols = cols,
                             .start = a->start,
                             .col = a->col,
                             .value = a->value,
                             .offset = GSOLVE_O64,
                             .type = GSOLVE_F64,
                             .location = GSOLVE_HOST};
    *a = (gs_dist_arrays){0};
}

gsolve_row_range gs_column_range(gsolve_row_range rows, int64_t ncols, int rank, int ranks)
{
    return ncols == rows.total ? rows : gsolve_row_range_even(ncols, rank, ranks);
}

/* --- another division ------------------------------------------------------------------------- */

typedef struct division { /* of the rows, before and after */
    gsolve_csr *A;        /* the rows of this rank before */
    gs_gather before;
    double *first; /* ranks + 1: the first row of each rank after */
    gs_pieces rows, entries;
    gsolve_row_range own; /* after */
} division;

/* The rows of A that begin before entry `entry` of A. */
static int32_t rows_before(const gsolve_csr *A, int64_t entry)
{
    int32_t low = 0, high = A->nrows;

    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (gs_start(A, middle) < entry) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* d->first: a rank begins with the first row of all ranks that begins at its first entry or later.
 */
static gsolve_status assign_rows(division *d, gsolve_context *ctx, int64_t total)
{
    const int ranks = gs_comm_ranks(ctx->comm), rank = ctx->comm ? ctx->comm->rank : 0;
    int64_t before, entries;
    gsolve_status status;

    TRY(gs_comm_place(ctx->comm, gs_start(d->A, d->A->nrows), &before, &entries));
    for (int r = 0; r < ranks; r++) {
        d->first[r] = rows_before(d->A, gs_first_entry(entries, r, ranks) - before);
    }
    TRY(gs_comm_sum_on_host(ctx->comm, d->first, ranks));
    d->first[ranks] = (double)total;
    d->own.first = (int64_t)d->first[rank];
    d->own.count = (int32_t)(d->first[rank + 1] - d->first[rank]);
    d->own.total = total;
done:
    return status;
}

/* The rows that this rank sends, counted from its first one before, and those that it receives,
 * counted from its first one after. */
static void assign_pieces(division *d, int rank, int ranks)
{
    const int64_t *before = d->before.first;
    const int64_t first = d->own.first, end = first + d->own.count;

    for (int r = 0; r <= ranks; r++) {
        d->rows.out[r] =
            gs_clamp((int64_t)d->first[r], before[rank], before[rank + 1]) - before[rank];
        d->rows.in[r] = gs_clamp(before[r], first, end) - first;
    }
}

/* start = the offsets of the rows after; and the entries that are sent and received. */
static gsolve_status move_lengths(division *d, gsolve_context *ctx, int64_t *start)
{
    const gsolve_csr *A = d->A;
    const int ranks = gs_comm_ranks(ctx->comm);
    int32_t *length = NULL, *received = NULL;
    gsolve_status status = GSOLVE_OK;

    length = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->nrows, sizeof *length);
    received = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)d->own.count, sizeof *received);
    TRY(gs_comm_check(ctx->comm, length && received ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int32_t i = 0; i < A->nrows; i++) {
        length[i] = (int32_t)(gs_start(A, i + 1) - gs_start(A, i));
    }
    TRY(gs_pieces_move(&d->rows, ctx->comm, sizeof *length, length, received));
    start[0] = 0;
    for (int32_t i = 0; i < d->own.count; i++) start[i + 1] = start[i] + received[i];
    for (int r = 0; r <= ranks; r++) {
        d->entries.out[r] = gs_start(A, (int32_t)d->rows.out[r]);
        d->entries.in[r] = start[d->rows.in[r]];
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, length);
    gsolve_free(ctx, GSOLVE_HOST, received);
    return status;
}

static void widen(gsolve_context *ctx, int64_t entries, const int32_t *from, int64_t *to)
{
    const int threads = gsolve_threads(ctx);

#pragma omp parallel for simd schedule(static) num_threads(threads)
    for (int64_t k = 0; k < entries; k++) to[k] = from[k];
}

/* Columns have 32 bits before and 64 bits after. */
static gsolve_status move_entries(division *d, gsolve_context *ctx, gs_dist_arrays *a)
{
    const int64_t entries = a->start[d->own.count];
    int32_t *col = NULL;
    gsolve_status status = GSOLVE_OK;

    col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *col);
    a->col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *a->col);
    a->value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *a->value);
    TRY(gs_comm_check(ctx->comm, col && a->col && a->value ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_pieces_move(&d->entries, ctx->comm, sizeof *col, d->A->col, col));
    widen(ctx, entries, col, a->col);
    gsolve_free(ctx, GSOLVE_HOST, col);
    col = NULL;
    TRY(gs_pieces_move(&d->entries, ctx->comm, sizeof *a->value, d->A->value, a->value));
done:
    gsolve_free(ctx, GSOLVE_HOST, col);
    return status;
}

/* All rows stay where they are. a takes ownership of the values. */
static gsolve_status keep_rows(division *d, gsolve_context *ctx, gs_dist_arrays *a)
{
    const int64_t entries = gs_start(d->A, d->A->nrows);
    gsolve_status status;

    a->col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)entries, sizeof *a->col);
    TRY(gs_comm_check(ctx->comm, a->col ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    for (int32_t i = 0; i <= d->A->nrows; i++) a->start[i] = gs_start(d->A, i);
    widen(ctx, entries, d->A->col, a->col);
    a->value = gs_csr_arrays_of(ctx, d->A).value;
    d->A->value = NULL;
done:
    return status;
}

/* Known to all ranks. */
static bool rows_stay(const division *d, int ranks)
{
    for (int r = 0; r <= ranks; r++) {
        if ((int64_t)d->first[r] != d->before.first[r]) return false;
    }
    return true;
}

static gsolve_status move_rows(division *d, gsolve_context *ctx, gs_dist_arrays *a)
{
    gsolve_status status;

    TRY(gs_pieces_new(&d->rows, ctx));
    TRY(gs_pieces_new(&d->entries, ctx));
    assign_pieces(d, ctx->comm ? ctx->comm->rank : 0, gs_comm_ranks(ctx->comm));
    TRY(move_lengths(d, ctx, a->start));
    TRY(move_entries(d, ctx, a));
done:
    return status;
}

static gsolve_status new_division(division *d, gsolve_context *ctx)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    gsolve_status status;

    d->first = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks + 1, sizeof *d->first);
    TRY(gs_comm_check(ctx->comm, d->first ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_gather_new(&d->before, ctx, d->A->nrows));
done:
    return status;
}

gsolve_status gs_divide_rows(gsolve_dist_csr *csr, gsolve_context *ctx, gsolve_csr *A,
                             int64_t ncols)
{
    const int ranks = gs_comm_ranks(ctx->comm), rank = ctx->comm ? ctx->comm->rank : 0;
    division d = {.A = A};
    gs_dist_arrays a = {0};
    gsolve_status status;

    TRY(new_division(&d, ctx));
    TRY(assign_rows(&d, ctx, d.before.first[ranks]));
    a.start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)d.own.count + 1, sizeof *a.start);
    TRY(gs_comm_check(ctx->comm, a.start ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(rows_stay(&d, ranks) ? keep_rows(&d, ctx, &a) : move_rows(&d, ctx, &a));
    gs_dist_csr_own(csr, d.own, gs_column_range(d.own, ncols, rank, ranks), &a);
done:
    gsolve_free(ctx, GSOLVE_HOST, d.first);
    gs_gather_drop(&d.before, ctx);
    gs_pieces_drop(&d.rows, ctx);
    gs_pieces_drop(&d.entries, ctx);
    gs_dist_arrays_free(&a, ctx);
    return status;
}
