/* adapt_matrix.c: A gets an estimate of the products to come, so that a format that adapts ("auto",
 * see spmv/auto/) converts as soon as the conversion is repaid.
 *
 * The estimate depends on iteration numbers and residuals alone, which are the same in every run,
 * and never on a clock: a change of the form changes the bits of what follows.
 *
 * A gets its first estimate after FIRST steps, and further ones at growing intervals. The number of
 * iterations left after j steps follows from the residual's reduction so far,
 *
 *     left = SHARE j ln(least / target) / ln(begin / least).
 *
 * A least residual above FALLEN begin counts as FALLEN begin: at the residual's own rate even more
 * iterations would be left. SHARE accounts for methods that converge faster as they go on. An
 * estimate that is too small is corrected at the next interval; a conversion in vain is not. */
#include "solver/run/run.h"

#include <math.h>

#include "core/try.h"
#include "dist/comm.h"

#define FIRST  4   /* steps */
#define SHARE  0.5 /* of the iterations that the rate so far predicts */
#define FALLEN 0.5 /* of the residual at the start */

/* Products with A so far; the host has read the progress of all steps. Half of the products of a
 * method that transposes are with A', whose form does not change. */
static double products_made(const gs_krylov *k)
{
    return k->run->counts.products * (k->method->transposes ? 0.5 : 1.0);
}

/* The estimate of the iterations that column c has left; negative: unknown. */
static double iterations_left(const gs_krylov *k, int32_t c)
{
    const gs_progress *p = &k->run->fetched[c];
    const double most = (double)gs_run_options_of(k)->maxit - p->iteration;
    const double steps = (double)p->iteration - k->run->counts.begun;
    const double fallen = fmin(p->least, FALLEN * p->begin);

    if (p->target == 0) return most; /* without a tolerance the run makes all maxit iterations */
    if (steps <= 0) return -1;
    return fmin(most, fmax(0, SHARE * steps * log(p->least / p->target) / log(p->begin / fallen)));
}

/* Gives A the estimate. If A changes its form, steps are recorded again `record_from` steps after
 * the start: the first product of a new form may allocate. */
static gsolve_status give_estimate(gs_krylov *k, const gsolve_run_estimate *estimate,
                                   int64_t record_from)
{
    gsolve_adaptation done = {false, true};
    const gsolve_status status = gs_comm_defer(k->comm, gsolve_matrix_adapt(k->A, estimate, &done));

    k->run->adapting.on = status == GSOLVE_OK && !done.final;
    gs_profile_pass(&k->run->profile, 0, false); /* A's conversion is no part of an iteration */
    if (!done.changed) return status;
    gs_forget_graph(k);
    k->run->recording.form++;
    k->run->recording.from = record_from;
    return status;
}

/* Whether the run's products use A's form. A resident run reads A's rows. A method on the host
 * makes few products, or has another solver make them. */
static bool uses_form(const gs_krylov *k)
{
    return !k->run->resident.on && k->period > 0;
}

gsolve_status gs_adapt_begin(gs_krylov *k)
{
    const double maxit = gs_run_options_of(k)->maxit, each = k->method->products;
    gsolve_run_estimate estimate = {0, maxit, 2 * maxit, k->ncols,
                                    false}; /* at most two in an iteration */
    gsolve_status status;

    k->run->adapting.on = false;
    k->run->adapting.next_at = FIRST;
    if (!uses_form(k)) return GSOLVE_OK;
    if (each > 0) estimate.remaining = estimate.most = each * maxit;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c] && k->run->column[c].target > 0) estimate.remaining = -1;
    }
    TRY(give_estimate(k, &estimate, 0));
    if (each > 0 && estimate.remaining >= 0)
        k->run->adapting.on = false; /* the estimate is exact */
done:
    return status;
}

int gs_adapt_first(const gs_krylov *k, int chunk)
{
    return k->run->adapting.on && chunk > FIRST && FIRST % k->period == 0 ? FIRST : chunk;
}

bool gs_adapt_due(const gs_krylov *k, int64_t j)
{
    return k->run->adapting.on && k->run->counts.begun + j >= k->run->adapting.next_at;
}

/* 4, 6, 8, 12, 16, 24, ... */
static int64_t next_estimate(int64_t j)
{
    int64_t power = FIRST;

    while (2 * power <= j) power *= 2;
    return j < power + power / 2 ? power + power / 2 : 2 * power;
}

gsolve_status gs_adapt_matrix(gs_krylov *k, int64_t j, int chunk)
{
    const double made = products_made(k), each = made / fmax(k->run->counts.iteration, 1);
    gsolve_run_estimate estimate = {(int64_t)made, -1, 0, k->ncols, false};

    k->run->adapting.next_at = next_estimate(k->run->counts.iteration);
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c])
            estimate.remaining = fmax(estimate.remaining, iterations_left(k, c) * each);
    }
    estimate.most = each * (gs_run_options_of(k)->maxit - k->run->counts.iteration);
    return give_estimate(k, &estimate, j + chunk);
}

gsolve_status gs_adapt_end(gs_krylov *k)
{
    const gsolve_run_estimate estimate = {(int64_t)products_made(k), 0, 0, k->ncols, true};

    if (!uses_form(k)) return GSOLVE_OK;
    return gs_comm_defer(k->comm, gsolve_matrix_adapt(k->A, &estimate, NULL));
}
