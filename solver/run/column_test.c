/* column_test.c: what the convergence of a column is tested against. It calls nothing else of the
 * run, so that operations, progress and methods can all use it. */
#include <math.h>

#include "solver/operations/operations.h"
#include "solver/run/run.h"

/* A correction reduces a residual of size 1 to this, if the tolerance asks for more: below, a
 * recurrence in this type only works on its own rounding errors. The next correction goes on. */
#define SINGLE_ROUND 0x1p-18
#define DOUBLE_ROUND 0x1p-40

double gs_column_target(const gs_krylov *k, int32_t c)
{
    const gs_column *column = &k->run->column[c];
    const gs_run_options *run = gs_run_options_of(k);
    const double target =
        fmax(run->rtol * ldexp(column->norm, -column->scale), ldexp(run->atol, -column->scale));
    const double least = k->csr.type == GSOLVE_F32 ? SINGLE_ROUND : DOUBLE_ROUND;

    return k->run->correcting && target > 0 ? fmax(target, least) : target;
}

double gs_column_norm(const gs_krylov *k, int32_t c)
{
    const gs_column *column = &k->run->column[c];
    const double norm = ldexp(column->norm, -column->scale);

    return norm > 0 ? fmin(norm, 1e300) : 1;
}

gs_convergence_test gs_convergence_test_of(const gs_krylov *k, int32_t c)
{
    const gs_convergence_test test = {
        k->run->progress, (double *)(void *)(k->run->progress + k->width),
        k->flag,          k->ended,
        k->ncols,         c};
    return test;
}

gs_scalar_arguments gs_scalar_arguments_of(const gs_krylov *k)
{
    const gs_scalar_arguments a = {
        .rr = k->rr,
        .convergence = gs_convergence_test_of(k, 0),
        .ncols = k->ncols,
    };
    return a;
}
