/* residual.c: the true residual of a solution, by which every row of gsolve compare --solvers is
 * checked. */
#include <math.h>

#include "cli/compare/bench.h"
#include "cli/compare/solvers.h"

/* The largest |r_c| / |b_c|. */
static double worst_of(const cmp *m, const cli_system *s, gsolve_dense r)
{
    double worst = 0;

    for (int32_t c = 0; c < s->b.ncols; c++) {
        const double *b = (const double *)s->b.value + (int64_t)c * s->b.stride;
        const double *rc = (const double *)r.value + (int64_t)c * r.stride;
        long double sum[2] = {0, 0}; /* squares of a double do not overflow here */
        for (int32_t i = 0; i < r.nrows; i++) {
            sum[0] += (long double)rc[i] * rc[i];
            sum[1] += (long double)b[i] * b[i];
        }
        m->backend->sum(m, sum, 2);
        const double residual = (double)sqrtl(sum[1] > 0 ? sum[0] / sum[1] : sum[0]);
        if (!(residual <= worst)) worst = residual; /* nan too */
    }
    return worst;
}

gsolve_status cms_true_residual(const cmp *m, const cli_system *s, gsolve_dense x, double *residual)
{
    gsolve_context *const ctx = m->c->ctx;
    gsolve_dense r;
    gsolve_status status = GSOLVE_NO_MEMORY;

    *residual = NAN;
    if (cmp_new_vector(ctx, &r, s->b.nrows, s->b.ncols, GSOLVE_F64, GSOLVE_HOST)) {
        status = GSOLVE_OK;
    }
    status = m->backend->agree_status(m, status);
    if (status == GSOLVE_OK) status = m->backend->residual(m, s, x, r);
    if (status == GSOLVE_OK) *residual = worst_of(m, s, r);
    gsolve_free(ctx, GSOLVE_HOST, r.value);
    return status;
}
