/* coarsening.c: freeing the transfer operators of a level. */
#include "precond/amg/coarsening/coarsening.h"

#include <string.h>

void gs_transfer_clear(gs_transfer *T, gsolve_context *ctx)
{
    gsolve_csr_free(&T->P, ctx);
    gsolve_csr_free(&T->R, ctx);
    gsolve_free(ctx, T->near_null.location, T->near_null.value);
    memset(T, 0, sizeof *T);
}
