/* create.c: a matrix handle whose rows are distributed over ranks. */
#include <string.h>

#include "core/try.h"
#include "dist/rows.h"
#include "spmv/distributed/distributed.h"

/* --- this rank's part ------------------------------------------------------------------------- */

/* *compact = the compact numbers of the entries' columns. */
static gsolve_status number_columns(int32_t **compact, gsolve_context *ctx, gs_dist_matrix *D,
                                    const int64_t *col)
{
    gsolve_status status;

    TRY(gs_column_map_new(&D->map, ctx, D->cols, D->given, col));
    ALLOC(ctx, GSOLVE_HOST, *compact, D->given);
    gs_column_compact_all(&D->map, ctx, D->given, col, *compact);
done:
    return status;
}

/* Splits this rank's rows. *interior gets those without ghost columns. */
static gsolve_status take_rows(gs_dist_matrix *D, gsolve_context *ctx, const gsolve_dist_csr *csr,
                               gsolve_csr *interior)
{
    gsolve_csr rows, sorted = {0};
    gs_csr_findings found;
    int32_t *compact = NULL;
    gsolve_status status;

    TRY(gs_dist_shape(&rows, ctx, csr));
    TRY(gs_dist_check_entries(ctx, csr, &rows));
    D->given = gs_start(&rows, rows.nrows);
    D->given_pattern = gs_dist_pattern(ctx, &rows, csr->col);
    TRY(number_columns(&compact, ctx, D, csr->col));
    rows.col = compact;
    rows.ncols = D->cols.count + D->map.ghosts;
    TRY(gs_csr_inspect(ctx, &rows, &found, NULL));
    if (!found.ascending) TRY(gs_csr_clean(&sorted, ctx, &rows, false, &D->destination));
    TRY(gs_dist_split(D, ctx, found.ascending ? &rows : &sorted, interior));
    TRY(gs_dist_move_boundary(D, ctx));
done:
    gsolve_csr_free(&sorted, ctx);
    gsolve_free(ctx, GSOLVE_HOST, compact);
    return status;
}

/* --- all ranks -------------------------------------------------------------------------------- */

/* What all ranks know of all: D->total_entries and D->square. */
static gsolve_status count_entries(gs_dist_matrix *D, gsolve_context *ctx, const gsolve_csr *rows)
{
    const double entries =
        (double)gs_start(rows, rows->nrows) + (double)gs_start(&D->boundary, D->boundary_rows);
    const bool square = D->rows.total == D->cols.total && D->rows.first == D->cols.first &&
                        D->rows.count == D->cols.count;
    double number[] = {entries, !square}; /* sums are exact below 2^53 */
    const gsolve_status status = gs_comm_sum_on_host(ctx->comm, number, 2);

    D->total_entries = (int64_t)number[0];
    D->square = number[1] == 0;
    return status;
}

/* The ranks agree on spec and type, and on who owns what. */
static gsolve_status agree(gs_dist_matrix *D, gsolve_context *ctx, const char *spec,
                           const gsolve_dist_csr *csr)
{
    gs_ownership rows = {0};
    gsolve_status status;

    TRY(gs_comm_same(ctx->comm, gs_hash(ctx, spec, strlen(spec), (uint64_t)csr->type),
                     "the spec and the value type of the matrix"));
    TRY(gs_ownership_new(&rows, ctx, &csr->rows, "rows"));
    gs_ownership_drop(&rows, ctx);
    TRY(gs_ownership_new(&D->owner, ctx, &csr->cols, "columns"));
done:
    return status;
}

static gsolve_status create(gsolve_matrix **out, gsolve_context *ctx, const char *spec,
                            const gsolve_dist_csr *csr)
{
    gsolve_matrix *A = NULL;
    gs_dist_matrix *D;
    gsolve_csr interior = {0};
    gsolve_status status;

    D = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *D);
    if (D) *D = (gs_dist_matrix){.rows = csr->rows, .cols = csr->cols}; /* another rank may fail */
    TRY(gs_comm_check(ctx->comm, D ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(agree(D, ctx, spec, csr));
    TRY(gs_comm_check(ctx->comm, take_rows(D, ctx, csr, &interior)));
    TRY(gs_halo_new(&D->halo, ctx, &D->map, &D->owner));
    TRY(gs_halo_reserve(&D->halo, ctx, csr->type, 1));
    TRY(count_entries(D, ctx, &interior));
    TRY(gs_comm_check(ctx->comm, gs_matrix_create_unchecked(&A, ctx, spec, &interior)));
    A->comm = gs_comm_ranks(ctx->comm) > 1 ? ctx->comm : NULL;
    A->dist = D;
    D = NULL;
    *out = A;
    A = NULL;
done:
    gsolve_csr_free(&interior, ctx);
    gsolve_matrix_destroy(&A);
    gs_dist_drop(&D, ctx);
    return status;
}

gsolve_status gsolve_matrix_create_dist(gsolve_matrix **A, gsolve_context *ctx, const char *spec,
                                        const gsolve_dist_csr *csr)
{
    gsolve_dist_csr own;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = A && spec ? gs_dist_check_view(ctx, csr)
                       : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                                     "gsolve_matrix_create_dist: an argument is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    own = gs_dist_complete(csr);
    TRY(create(A, ctx, spec, &own));
done:
    return status;
}

void gsolve_matrix_row_range(const gsolve_matrix *A, gsolve_row_range *rows, gsolve_row_range *cols,
                             int *rank, int *ranks)
{
    const gs_dist_matrix *D = A->dist;

    if (rows) *rows = D ? D->rows : (gsolve_row_range){0, A->csr.nrows, A->csr.nrows};
    if (cols) *cols = D ? D->cols : (gsolve_row_range){0, A->csr.ncols, A->csr.ncols};
    if (rank) *rank = A->comm ? A->comm->rank : 0;
    if (ranks) *ranks = gs_comm_ranks(A->comm);
}

gsolve_status gsolve_dist_csr_statistics(gsolve_context *ctx, const gsolve_dist_csr *csr,
                                         gsolve_statistics *statistics)
{
    gsolve_matrix *A = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    TRY(gsolve_matrix_create_dist(&A, ctx, "csr", csr));
    TRY(gsolve_matrix_statistics(A, statistics));
done:
    gsolve_matrix_destroy(&A);
    return status;
}
