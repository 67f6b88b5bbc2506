/* set_up.c: the preconditioner amg of a matrix that is distributed over ranks. It keeps a copy of
 * the finest level's rows. */
#include <string.h>

#include "core/try.h"
#include "dist/comm.h"
#include "precond/amg/amg.h"
#include "precond/amg/coarsening/aggregation.h"
#include "precond/amg/distributed/distributed.h"

/* *out = a handle without levels, for the matrix with these rows of this rank. */
static gsolve_status create_over_ranks(gs_amg_state **out, gsolve_context *ctx,
                                       const gsolve_matrix *A, const gsolve_dist_csr *rows,
                                       const void *chosen)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gs_amg_state *M;
    gsolve_status status;

    TRY(gs_amg_check_options(ctx, chosen));
    TRY(gs_amg_check_over_ranks(ctx, chosen));
    ALLOC(ctx, GSOLVE_HOST, M, 1);
    gsolve_matrix_describe(A, &info);
    *M = (gs_amg_state){.S = {.options = *(const gs_amg_options *)chosen,
                              .type = rows->type,
                              .entries = info.total_entries},
                        .comm = ctx->comm,
                        .pattern = gs_rank_rows_pattern(ctx, rows)};
    M->S.options.aggregation = GS_AGGREGATION_MIS2;
    *out = M;
done:
    return status;
}

static gsolve_status check_pattern(const gs_amg_state *M, gsolve_context *ctx,
                                   const gsolve_dist_csr *rows)
{
    if (rows->type == M->S.type && gs_rank_rows_pattern(ctx, rows) == M->pattern) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_MATRIX,
                       "the new matrix differs in pattern or type from the matrix of the "
                       "preconditioner; create a new preconditioner");
}

/* Sets M up, or updates it. M takes ownership of rows if it waits for near-null vectors. */
static gsolve_status set_up_from_rows(gs_amg_state *M, gsolve_context *ctx, gsolve_dist_csr *rows)
{
    const gs_amg_matrix A = {.rows = rows};

    if (M->S.h) return gs_amg_update_levels(M, ctx, A);
    if (M->S.options.near_null != GS_AMG_GIVEN) return gs_amg_set_up_constants(&M->S, ctx, A);
    gsolve_dist_csr_free(&M->given, ctx);
    M->given = *rows;
    memset(rows, 0, sizeof *rows);
    return GSOLVE_OK;
}

gsolve_status gs_amg_set_up_over_ranks(void **self, gsolve_context *ctx, const gsolve_matrix *A,
                                       const void *chosen)
{
    gsolve_dist_csr rows = {0};
    gs_amg_state *M = *self, *new = NULL;
    gsolve_status status = gs_rank_rows_of(&rows, ctx, A);

    if (status == GSOLVE_OK && M) status = check_pattern(M, ctx, &rows);
    if (status == GSOLVE_OK && !M) status = create_over_ranks(&new, ctx, A, &rows, chosen);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(set_up_from_rows(M ? M : new, ctx, &rows));
    if (!M) *self = new;
    new = NULL;
done:
    if (new) gs_amg_destroy(new, ctx);
    gsolve_dist_csr_free(&rows, ctx);
    return status;
}
