/* statistics.c: the statistics of a distributed matrix. Each rank inspects its rows, and the
 * findings are added in rank order. For the symmetry each rank sends the entries in ghost columns
 * to the ranks that own these columns, which compare them with their mirror images. */
#include <math.h>
#include <string.h>

#include "core/info.h"
#include "core/try.h"
#include "dist/counts.h"
#include "matrix/statistics.h"
#include "spmv/distributed/distributed.h"

#define SMALL static inline
#include "matrix/symmetry_rule.h"

/* --- this rank's rows ------------------------------------------------------------------------- */

static void add_bandwidth(const gs_dist_matrix *D, const gs_dist_row *row, int32_t i, double *width)
{
    for (int64_t k = row->begin; k < row->end; k++) {
        const int64_t col = gs_dist_global_column(D, row->from->col[k]);
        *width = fmax(*width, fabs((double)(D->rows.first + i - col)));
    }
}

/* The column of the boundary matrix with this number in the whole matrix; -1: these rows do not use
 * it; INT32_MAX: there is none. */
static int32_t find_column(const gs_dist_matrix *D, int64_t col)
{
    int32_t compact;

    if (col >= D->cols.total) return INT32_MAX;
    if (gs_column_is_own(&D->map, col)) return (int32_t)(col - D->cols.first);
    compact = gs_column_compact(&D->map, col);
    if (compact >= D->map.below) compact -= D->cols.count;
    if (compact >= D->map.ghosts || D->map.ghost[compact] != col) return -1;
    return D->cols.count + compact;
}

static gs_row_findings inspect(const gsolve_matrix *A)
{
    const gs_dist_matrix *D = A->dist;
    gs_row_findings f = gs_row_findings_of_none();
    double width = 0;

    for (int32_t i = 0, next = 0; i < D->rows.count; i++) {
        const gs_dist_row row = gs_dist_row_of(D, &A->rows, i, next);
        gs_row_findings_add_row(&f, row.from, row.boundary ? next : i, i,
                                find_column(D, D->rows.first + i));
        add_bandwidth(D, &row, i, &width);
        next += row.boundary;
    }
    f.t.bandwidth = width < INT32_MAX ? (int32_t)width : INT32_MAX;
    return f;
}

/* --- mirror images of entries in ghost columns ------------------------------------------------ */

typedef struct pair { /* the entry (row, col) of the whole matrix, and the diagonal of the row */
    int64_t row, col;
    double value, diagonal;
} pair;

typedef struct pairs { /* messages to or from each rank */
    gsolve_messages m;
    int *rank;
    size_t *offset;
    pair *all;
    int64_t count;
} pairs;

static void drop_pairs(pairs *p, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, p->rank);
    gsolve_free(ctx, GSOLVE_HOST, p->offset);
    gsolve_free(ctx, GSOLVE_HOST, p->all);
}

/* Allocates messages with number[r] pairs for rank r. */
static gsolve_status new_pairs(pairs *p, gsolve_context *ctx, int ranks, const int64_t *number)
{
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, p->rank, ranks);
    ALLOC(ctx, GSOLVE_HOST, p->offset, (size_t)ranks + 1);
    p->offset[0] = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t n = number[r];
        if (n == 0) continue;
        p->count += n;
        p->rank[p->m.count++] = r;
        p->offset[p->m.count] = (size_t)p->count * sizeof(pair);
    }
    ALLOC(ctx, GSOLVE_HOST, p->all, p->count);
    p->m = (gsolve_messages){p->m.count, p->rank, p->offset, p->all};
done:
    return status;
}

static double diagonal_of(const gs_dist_matrix *D, int32_t b)
{
    for (int64_t k = gs_start(&D->boundary, b); k < gs_start(&D->boundary, b + 1); k++) {
        if (D->boundary.col[k] == D->boundary_row[b]) return gs_value(&D->boundary, k);
    }
    return 0;
}

/* The first pair for the owner of each ghost column follows those for lower ranks; at[g] is the
 * owner's place in the messages. */
static void fill_pairs(const gs_dist_matrix *D, pairs *p, int64_t *at, int ranks)
{
    const gsolve_csr *B = &D->boundary;

    for (int r = 0, k = 0; r < ranks; r++) {
        at[r] = k < p->m.count ? (int64_t)(p->offset[k] / sizeof(pair)) : p->count;
        k += k < p->m.count && p->rank[k] == r;
    }
    for (int32_t b = 0; b < D->boundary_rows; b++) {
        const double diagonal = diagonal_of(D, b);
        for (int64_t k = gs_start(B, b); k < gs_start(B, b + 1); k++) {
            if (B->col[k] < D->cols.count) continue;
            const int64_t col = gs_dist_global_column(D, B->col[k]);
            p->all[at[gs_owner(&D->owner, col)]++] =
                (pair){D->rows.first + D->boundary_row[b], col, gs_value(B, k), diagonal};
        }
    }
}

/* number[r] = the entries in columns of rank r. */
static void count_pairs(const gs_dist_matrix *D, int ranks, int64_t *number)
{
    const gsolve_csr *B = &D->boundary;

    memset(number, 0, (size_t)ranks * sizeof *number);
    for (int64_t k = 0; k < gs_start(B, D->boundary_rows); k++) {
        if (B->col[k] < D->cols.count) continue;
        number[gs_owner(&D->owner, gs_dist_global_column(D, B->col[k]))]++;
    }
}

/* Compares the entry (row, col) of another rank with this rank's entry (col, row). */
static void match(const gs_dist_matrix *D, const pair *p, gs_symmetry *s)
{
    const int32_t row = (int32_t)(p->col - D->rows.first), b = gs_dist_boundary_before(D, row);
    const gsolve_csr *B = &D->boundary;
    const bool here = b < D->boundary_rows && D->boundary_row[b] == row;

    for (int64_t k = here ? gs_start(B, b) : 0; here && k < gs_start(B, b + 1); k++) {
        if (B->col[k] < D->cols.count || gs_dist_global_column(D, B->col[k]) != p->row) continue;
        const double v = gs_value(B, k), most = fmax(fabs(v), fabs(p->value));
        const double diagonal = diagonal_of(D, b);
        s->symmetric &= gs_is_rounding(B->type, v - p->value, most, diagonal, p->diagonal);
        s->skew &= gs_is_rounding(B->type, v + p->value, most, diagonal, p->diagonal);
        return;
    }
    s->paired = false;
}

/* Sends the entries in ghost columns to their mirror images, and compares those that arrive. The
 * numbers of both are equal if each has one. */
static gsolve_status match_pairs(const gsolve_matrix *A, gs_symmetry *s)
{
    gsolve_context *ctx = A->ctx;
    const gs_dist_matrix *D = A->dist;
    const int ranks = D->owner.ranks;
    pairs out = {0}, in = {0};
    int64_t *number;
    gsolve_status status;

    number = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof *number);
    TRY(gs_comm_check(ctx->comm, number ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    count_pairs(D, ranks, number);
    TRY(gs_comm_check(ctx->comm, new_pairs(&out, ctx, ranks, number)));
    TRY(gs_comm_exchange_counts(ctx->comm, number));
    TRY(gs_comm_check(ctx->comm, new_pairs(&in, ctx, ranks, number)));
    fill_pairs(D, &out, number, ranks);
    TRY(gs_comm_exchange(ctx->comm, &out.m, &in.m));
    s->paired &= in.count == out.count;
    for (int64_t k = 0; k < in.count && s->paired; k++) match(D, &in.all[k], s);
done:
    drop_pairs(&out, ctx);
    drop_pairs(&in, ctx);
    gsolve_free(ctx, GSOLVE_HOST, number);
    return status;
}

/* The symmetry of this rank's rows. Rows and columns are divided in the same way. */
static gsolve_status find_symmetry(const gsolve_matrix *A, gs_symmetry *s)
{
    const gs_dist_matrix *D = A->dist;
    const bool had = D->block.start;
    gsolve_status status;

    TRY(gs_comm_check(A->ctx->comm, gs_dist_need_block(A)));
    *s = gs_symmetry_of_none(&D->block);
    gs_symmetry_add_rows(s, &D->block, 0, D->block.nrows);
    if (A->ctx->comm) TRY(match_pairs(A, s));
done:
    gs_dist_release_block(A, had);
    return status;
}

/* --- empty columns ---------------------------------------------------------------------------- */

/* *empty = the number of this rank's columns without entries on any rank. */
static gsolve_status count_empty_columns(const gsolve_matrix *A, double *empty)
{
    gs_dist_matrix *D = A->dist;
    const gsolve_csr *B = &D->boundary;
    gsolve_dense used = {D->cols.count, 1,           D->cols.count,      NULL,
                         GSOLVE_F64,    GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    double *own, *ghost;
    gsolve_status status;

    own = used.value = gsolve_alloc(A->ctx, GSOLVE_HOST, (size_t)D->cols.count, sizeof *own);
    TRY(gs_comm_check(A->ctx->comm, own ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_halo_reserve(&D->halo, A->ctx, GSOLVE_F64, 1));
    TRY(gs_comm_check(A->ctx->comm, gs_halo_wait(A->ctx)));
    ghost = D->halo.in.buffer;
    memset(own, 0, (size_t)D->cols.count * sizeof *own);
    for (int64_t k = 0; k < A->entries; k++) own[A->rows.col[k]] = 1;
    for (int32_t g = 0; g < D->map.ghosts; g++) ghost[g] = 1; /* each is used */
    for (int64_t k = 0; k < gs_start(B, D->boundary_rows); k++) {
        if (B->col[k] < D->cols.count) own[B->col[k]] = 1;
    }
    TRY(gs_halo_add_back(&D->halo, A->ctx, used));
    for (int32_t c = 0; c < D->cols.count; c++) *empty += own[c] == 0;
done:
    gsolve_free(A->ctx, GSOLVE_HOST, own);
    return status;
}

/* --- all ranks -------------------------------------------------------------------------------- */

/* *f = the findings of all ranks, added in rank order. */
static gsolve_status add_ranks(const gsolve_matrix *A, gs_row_findings *f)
{
    const int ranks = gs_comm_ranks(A->ctx->comm);
    gs_row_findings *all;
    gsolve_status status;

    all = gsolve_alloc(A->ctx, GSOLVE_HOST, (size_t)ranks, sizeof *all);
    TRY(gs_comm_check(A->ctx->comm, all ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    all[0] = *f;
    if (A->ctx->comm) TRY(gs_comm_allgather(A->ctx->comm, f, sizeof *f, all));
    *f = all[0];
    for (int r = 1; r < ranks; r++) gs_row_findings_add(f, &all[r]);
done:
    gsolve_free(A->ctx, GSOLVE_HOST, all);
    return status;
}

/* The number in the whole matrix of local row i, at most 2^31 - 1; -1 stays. */
static int32_t row_of_all(int32_t i, int64_t first)
{
    return i < 0 ? i : first + i < INT32_MAX ? (int32_t)(first + i) : INT32_MAX;
}

static void shift_rows(gs_row_findings *f, int64_t first)
{
    f->t.first_empty_row = row_of_all(f->t.first_empty_row, first);
    f->t.first_zero_diagonal = row_of_all(f->t.first_zero_diagonal, first);
}

gsolve_status gs_dist_need_statistics(const gsolve_matrix *A)
{
    const gs_dist_matrix *D = A->dist;
    gs_statistics *known = &A->lazy->statistics;
    gs_row_findings f;
    double empty = 0;
    gsolve_status status = GSOLVE_OK;

    if (known->known) return GSOLVE_OK;
    f = inspect(A);
    shift_rows(&f, D->rows.first);
    if (D->square) TRY(find_symmetry(A, &f.symmetry));
    TRY(add_ranks(A, &f));
    TRY(count_empty_columns(A, &empty));
    TRY(gs_comm_sum_on_host(A->ctx->comm, &empty, 1));
    known->t = gs_statistics_of(&f, D->rows.total, D->cols.total, D->total_entries);
    known->t.block = 1;
    known->t.empty_cols = empty < INT32_MAX ? (int32_t)empty : INT32_MAX;
    gs_symmetry_set(&f.symmetry, &known->t);
    known->known = true;
done:
    return status;
}
