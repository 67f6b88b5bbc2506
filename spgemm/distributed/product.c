/* product.c: A B of distributed matrices. This rank's rows of A are multiplied by the rows of B
 * that they need: own rows, and copies of others. */
#include <string.h>

#include "core/try.h"
#include "dist/local_rows.h"
#include "spgemm/distributed/distributed.h"
#include "spgemm/distributed/operands.h"
#include "spgemm/spgemm.h"

struct gs_dist_product {
    gs_local_rows A, B;
    gs_product made;
    gsolve_dist_csr csr; /* its values are those of made.C */
};

static gsolve_status multiply(gs_dist_product *P, gsolve_context *ctx, gsolve_row_range rows)
{
    const gs_blocked a = gs_plain_blocks(&P->A.csr), b = gs_plain_blocks(&P->B.csr);
    gsolve_status status;

    TRY(gs_product_make(&P->made, ctx, "auto", &a, &b, true));
    TRY(gs_dist_name_columns(&P->csr, ctx, &P->made.C.csr, &P->B.map, rows));
done:
    return status;
}

gsolve_status gs_dist_product_new(gs_dist_product **out, gsolve_context *ctx,
                                  const gsolve_dist_csr *A, const gsolve_dist_csr *B)
{
    gs_dist_product *P;
    gsolve_status status;

    *out = NULL;
    P = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *P);
    if (P) memset(P, 0, sizeof *P); /* another rank may fail */
    status = P ? gs_dist_check_fit(ctx, "A B", A, B) : GSOLVE_NO_MEMORY;
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_local_rows_new(&P->A, ctx, NULL, A));
    TRY(gs_local_rows_new(&P->B, ctx, &P->A.map, B));
    TRY(gs_comm_check(ctx->comm, multiply(P, ctx, A->rows)));
    *out = P;
    P = NULL;
done:
    gs_dist_product_drop(&P, ctx);
    return status;
}

const gsolve_dist_csr *gs_dist_product_csr(const gs_dist_product *P)
{
    return &P->csr;
}

gsolve_status gs_dist_product_update(gs_dist_product *P, gsolve_context *ctx,
                                     const gsolve_dist_csr *A, const gsolve_dist_csr *B)
{
    const gs_blocked a = gs_plain_blocks(&P->A.csr), b = gs_plain_blocks(&P->B.csr);
    gsolve_status status;

    TRY(gs_local_rows_update(&P->A, ctx, A));
    TRY(gs_local_rows_update(&P->B, ctx, B));
    TRY(gs_comm_check(ctx->comm, gs_product_update(&P->made, &a, &b)));
done:
    return status;
}

void gs_dist_product_take(gs_dist_product *P, gsolve_dist_csr *C)
{
    *C = P->csr;
    memset(&P->csr, 0, sizeof P->csr);
    P->made.C.csr.value = NULL;
}

void gs_dist_product_drop(gs_dist_product **handle, gsolve_context *ctx)
{
    gs_dist_product *P = *handle;

    if (!P) return;
    P->csr.value = NULL;
    gsolve_dist_csr_free(&P->csr, ctx);
    gs_product_drop(&P->made);
    gs_local_rows_drop(&P->B, ctx);
    gs_local_rows_drop(&P->A, ctx);
    gsolve_free(ctx, GSOLVE_HOST, P);
    *handle = NULL;
}
