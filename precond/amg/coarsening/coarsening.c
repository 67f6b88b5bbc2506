/* coarsening.c: what all coarsenings share: the transposed transfer operator, the check of nodes.
 */
#include "precond/amg/coarsening/coarsening.h"

#include <string.h>

#include "precond/amg/kernels.h"

gsolve_status gs_check_nodes(gsolve_context *ctx, const gs_level_view *fine)
{
    if (fine->A->nrows % fine->block == 0) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "%d unknowns are not nodes of %d unknowns each; set block= to a divisor",
                       fine->A->nrows, fine->block);
}

gsolve_status gs_transfer_transpose(gs_transfer *T, gsolve_context *ctx, int64_t entries)
{
    void *order = NULL; /* of P's entries in R; an update finds the entries without it */
    const gsolve_status status = gs_transpose_make(&T->R, &order, ctx, &T->P, entries);

    gsolve_free(ctx, GSOLVE_DEVICE, order);
    return status;
}

gsolve_status gs_transfer_update(gs_transfer *T, gsolve_context *ctx)
{
    return GS_KERNELS(gs_amg, ctx, T->P.type)
        ->transpose_values(ctx->queue, &T->P, &T->R, gs_owned_block(ctx, T->R.value));
}

void gs_transfer_clear(gs_transfer *T, gsolve_context *ctx)
{
    gsolve_csr_free(&T->P, ctx);
    gsolve_csr_free(&T->R, ctx);
    gsolve_free(ctx, T->near_null.location, T->near_null.value);
    memset(T, 0, sizeof *T);
}
