/* diagonal.c: the diagonal of a matrix, for the preconditioners that divide by it. */
#include "precond/diagonal.h"

#include <math.h>

/* The place of column i among the ascending columns of row i, or -1. */
int64_t gs_diagonal_at(const gsolve_csr *csr, int32_t i)
{
    int64_t low = gs_start(csr, i), high = gs_start(csr, i + 1);

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (csr->col[middle] == i) return middle;
        if (csr->col[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

gsolve_status gs_diagonal_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                      bool absolute, void *d)
{
    int32_t bad = INT32_MAX;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx)) reduction(min : bad)
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        const double a = at < 0 ? 0 : gs_value(csr, at);
        const double inverse = 1 / (absolute ? fabs(a) : a);
        if ((a == 0 || !isfinite(inverse)) && i < bad) bad = i;
        if (csr->type == GSOLVE_F32) {
            ((float *)d)[i] = (float)inverse;
        } else {
            ((double *)d)[i] = inverse;
        }
    }
    if (bad == INT32_MAX) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                       "%s divides by the diagonal, and that of row %d (counted from 1) is %s", who,
                       bad + 1, gs_diagonal_at(csr, bad) < 0 ? "missing" : "zero");
}
