/* galerkin.c: R A P of distributed matrices. On the CPU one step computes R A P, row by row of R,
 * as (R A) P (galerkin/triple_host.c). Its order of sums is not that of R (A P). So a rank gets the
 * rows of A that its rows of R need, and the rows of P that these rows of A need, and makes that
 * step. */
#include <string.h>

#include "core/try.h"
#include "dist/local_rows.h"
#include "spgemm/distributed/distributed.h"
#include "spgemm/distributed/operands.h"
#include "spgemm/spgemm.h"

struct gs_dist_galerkin {
    gs_local_rows R, A, P;
    gs_galerkin made;
    gsolve_dist_csr csr; /* its values are those of made.RAP.C */
};

static gsolve_status multiply(gs_dist_galerkin *G, gsolve_context *ctx, gsolve_row_range rows)
{
    gsolve_status status;

    TRY(gs_galerkin_make(&G->made, ctx, "auto", &G->R.csr, &G->A.csr, &G->P.csr, true));
    TRY(gs_dist_name_columns(&G->csr, ctx, &G->made.RAP.C.csr, &G->P.map, rows));
done:
    return status;
}

gsolve_status gs_dist_galerkin_new(gs_dist_galerkin **out, gsolve_context *ctx,
                                   const gsolve_dist_csr *R, const gsolve_dist_csr *A,
                                   const gsolve_dist_csr *P)
{
    gs_dist_galerkin *G;
    gsolve_status status;

    *out = NULL;
    G = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *G);
    if (G) memset(G, 0, sizeof *G); /* another rank may fail */
    status = G ? gs_dist_check_fit(ctx, "R A", R, A) : GSOLVE_NO_MEMORY;
    if (status == GSOLVE_OK) status = gs_dist_check_fit(ctx, "A P", A, P);
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_local_rows_new(&G->R, ctx, NULL, R));
    TRY(gs_local_rows_new(&G->A, ctx, &G->R.map, A));
    TRY(gs_local_rows_new(&G->P, ctx, &G->A.map, P));
    TRY(gs_comm_check(ctx->comm, multiply(G, ctx, R->rows)));
    *out = G;
    G = NULL;
done:
    gs_dist_galerkin_drop(&G, ctx);
    return status;
}

const gsolve_dist_csr *gs_dist_galerkin_csr(const gs_dist_galerkin *G)
{
    return &G->csr;
}

gsolve_status gs_dist_galerkin_update(gs_dist_galerkin *G, gsolve_context *ctx,
                                      const gsolve_dist_csr *R, const gsolve_dist_csr *A,
                                      const gsolve_dist_csr *P)
{
    gsolve_status status;

    TRY(gs_local_rows_update(&G->R, ctx, R));
    TRY(gs_local_rows_update(&G->A, ctx, A));
    TRY(gs_local_rows_update(&G->P, ctx, P));
    status = gs_galerkin_update(&G->made, &G->R.csr, &G->A.csr, &G->P.csr);
    TRY(gs_comm_check(ctx->comm, status));
done:
    return status;
}

void gs_dist_galerkin_drop(gs_dist_galerkin **handle, gsolve_context *ctx)
{
    gs_dist_galerkin *G = *handle;

    if (!G) return;
    G->csr.value = NULL;
    gsolve_dist_csr_free(&G->csr, ctx);
    gs_galerkin_drop(&G->made);
    gs_local_rows_drop(&G->P, ctx);
    gs_local_rows_drop(&G->A, ctx);
    gs_local_rows_drop(&G->R, ctx);
    gsolve_free(ctx, GSOLVE_HOST, G);
    *handle = NULL;
}
