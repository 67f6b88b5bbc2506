/* handle.c: the public functions that multiply and transpose distributed matrices. */
#include "core/try.h"
#include "dist/comm.h"
#include "dist/transpose.h"
#include "spgemm/distributed/distributed.h"
#include "spgemm/distributed/operands.h"

gsolve_status gsolve_dist_csr_multiply(gsolve_dist_csr *C, gsolve_context *ctx,
                                       const gsolve_dist_csr *A, const gsolve_dist_csr *B)
{
    gs_dist_operand a = {0}, b = {0};
    gs_dist_product *made = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = C ? GSOLVE_OK
               : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_dist_csr_multiply: C is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_dist_operand_prepare(&a, ctx, "A", A));
    TRY(gs_dist_operand_prepare(&b, ctx, "B", B));
    TRY(gs_dist_product_new(&made, ctx, &a.used, &b.used));
    gs_dist_product_take(made, C);
done:
    gs_dist_product_drop(&made, ctx);
    gs_dist_operand_free(&a, ctx);
    gs_dist_operand_free(&b, ctx);
    return status;
}

gsolve_status gsolve_dist_csr_transpose(gsolve_dist_csr *C, gsolve_context *ctx,
                                        const gsolve_dist_csr *A)
{
    gs_dist_operand a = {0};
    gs_dist_transpose *made = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = C ? GSOLVE_OK
               : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_dist_csr_transpose: C is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gs_dist_operand_prepare(&a, ctx, "A", A));
    TRY(gs_dist_transpose_new(&made, ctx, &a.used));
    gs_dist_transpose_take(made, C);
done:
    gs_dist_transpose_drop(&made, ctx);
    gs_dist_operand_free(&a, ctx);
    return status;
}
