/* column_test.c: what the convergence of a column is tested against. It calls nothing else of the
 * run, so that operations, progress and methods can all use it. */
#include <math.h>

#include "solver/operations/operations.h"
#include "solver/run/run.h"

/* The smallest target of a correction, whose residual is about 1 at first. Below it, a recurrence
 * in this type only reduces its own rounding errors; the next correction continues from there. */
#define LEAST_SINGLE 0x1p-18
#define LEAST_DOUBLE 0x1p-40

double gs_column_target(const gs_krylov *k, int32_t c)
{
    const gs_column *column = &k->run->column[c];
    const gs_run_options *run = gs_run_options_of(k);
    const double target =
        fmax(run->rtol * ldexp(column->norm, -column->scale), ldexp(run->atol, -column->scale));
    const double least = k->csr.type == GSOLVE_F32 ? LEAST_SINGLE : LEAST_DOUBLE;

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
