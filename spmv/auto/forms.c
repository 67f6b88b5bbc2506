/* forms.c: the forms that a matrix of format auto holds: csr's, and the one it converted to. */
#include "spmv/auto/auto.h"

gsolve_status gs_auto_need_csr(gs_auto *a, gsolve_context *ctx)
{
    const gs_row_statistics *statistics = a->has_statistics ? &a->statistics : NULL;

    return a->rows ? GSOLVE_OK : gs_csr_build(&a->rows, ctx, &a->csr, a->entries, statistics);
}

void gs_auto_drop_other(gs_auto *a, gsolve_context *ctx)
{
    if (a->other_self) a->other->destroy(a->other_self, ctx);
    gsolve_free(ctx, GSOLVE_HOST, a->other_options);
    a->other_self = a->other_options = NULL;
    a->other = NULL;
}
