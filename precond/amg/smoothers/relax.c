/* relax.c: when the passes of relax.h pay off. */
#include "precond/amg/smoothers/relax.h"

#include <string.h>

#include "core/try.h"

#define MOST(mean) (3 * (mean) + 16) /* a row up to this length counts as similar to the others */

gsolve_status gs_relax_rows_are_even(bool *even, gsolve_context *ctx, const gsolve_csr *A,
                                     double mean, int32_t longest)
{
    gsolve_status status = GSOLVE_OK;

    if (longest == 0) TRY(GS_KERNELS(gs_relax, ctx, A->type)->longest(ctx, A, &longest));
    *even = longest <= MOST(mean);
done:
    return status;
}

gsolve_status gs_relax_applies(bool *applies, double *mean, gsolve_context *ctx,
                               const gsolve_matrix *matrix, const gsolve_csr *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(matrix, &info);
    *mean = info.nrows > 0 ? (double)info.entries / info.nrows : 0;
    *applies = false;
    return strcmp(info.format, "csr") == 0 ? gs_relax_rows_are_even(applies, ctx, A, *mean, 0)
                                           : GSOLVE_OK;
}
