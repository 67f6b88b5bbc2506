/* residual.c: the true residual of a solution, by which every row of gsolve compare --solvers is
 * checked. */
#include <math.h>

#include "cli/compare/solvers.h"

static double value_at(const gsolve_csr *A, int64_t k)
{
    return A->type == GSOLVE_F32 ? (double)((const float *)A->value)[k]
                                 : ((const double *)A->value)[k];
}

static int64_t start_at(const gsolve_csr *A, int32_t i)
{
    return A->offset == GSOLVE_O64 ? ((const int64_t *)A->start)[i]
                                   : ((const int32_t *)A->start)[i];
}

double cms_true_residual(const cli_system *s, const double *x)
{
    const gsolve_csr *A = &s->csr;
    double worst = 0;

    for (int32_t c = 0; c < s->b.ncols; c++) {
        const double *b = (const double *)s->b.value + (int64_t)c * s->b.stride;
        const double *xc = x + (int64_t)c * A->ncols;
        long double rr = 0, bb = 0; /* squares of a double do not overflow here */
        for (int32_t i = 0; i < A->nrows; i++) {
            double r = b[i];
            const int64_t end = start_at(A, i + 1);
            for (int64_t k = start_at(A, i); k < end; k++) r -= value_at(A, k) * xc[A->col[k]];
            rr += (long double)r * r;
            bb += (long double)b[i] * b[i];
        }
        const double residual = (double)sqrtl(bb > 0 ? rr / bb : rr);
        if (!(residual <= worst)) worst = residual; /* nan too */
    }
    return worst;
}
