/* adapt_matrix.c: what a run tells A of the products to come, so that a form which is worth
 * its conversion is taken up early ("auto", see spmv/auto/auto.c).
 *
 * All of it follows from iteration numbers and residuals, which are the same in every run, and
 * never from a clock: a change of the form changes the bits of what follows.
 *
 * How many iterations are left is read off the residual's fall so far,
 *
 *     left = SHARE j ln(least / target) / ln(begin / least)     after j steps,
 *
 * at growing intervals. One that has not fallen to FALLEN yet is taken to have: at the rate at
 * which it does fall more would be left. SHARE: most methods go faster as they go on; what is
 * forecast too low is mended at the next turn, a conversion in vain is not. */
#include "solver/method.h"

#include <math.h>

#include "core/try.h"

#define FIRST  4   /* steps after which A is asked first */
#define SHARE  0.5 /* of the forecast that is believed */
#define FALLEN 0.5 /* of the residual at the start */

/* Products with A so far, where all that was made has been looked at: of those of a method that
 * transposes, half are with A', which keeps its form. */
static double products_made(const gs_krylov *k)
{
    return k->products * (k->method->transposes ? 0.5 : 1.0);
}

/* Iterations that column c has left; negative: that cannot be told. */
static double iterations_left(const gs_krylov *k, int32_t c)
{
    const gs_progress *p = &k->seen[c];
    const double most = (double)gs_run(k)->maxit - p->iteration;
    const double steps = (double)p->iteration - k->begun;
    const double fallen = fmin(p->least, FALLEN * p->begin);

    if (p->target == 0) return most; /* asked for so many iterations */
    if (steps <= 0) return -1;
    return fmin(most, fmax(0, SHARE * steps * log(p->least / p->target) / log(p->begin / fallen)));
}

static gsolve_status tell(gs_krylov *k, const gsolve_run_estimate *outlook, int64_t record_from)
{
    gsolve_adaptation turn = {false, true};
    const gsolve_status status = gsolve_matrix_adapt(k->A, outlook, &turn);

    k->adapting = status == GSOLVE_OK && !turn.final;
    gs_profile_pass(&k->profile, 0, false); /* what A did is no part of an iteration */
    if (!turn.changed) return status;
    gs_forget_graph(k); /* its products are of the old form */
    k->recorded_form++;
    k->record_from = record_from; /* what the new one makes when first used is no part of a graph */
    return status;
}

/* Whether the run's products go through A's form: a resident one reads the rows, and a method on
 * the host makes few, or lets others make them. */
static bool multiplies(const gs_krylov *k)
{
    return !k->on_chip && gs_period(k) > 0;
}

gsolve_status gs_adapt_begin(gs_krylov *k)
{
    const double maxit = gs_run(k)->maxit, each = k->method->products;
    gsolve_run_estimate outlook = {0, maxit, 2 * maxit, k->ncols, false}; /* two for an iteration */
    gsolve_status status;

    k->adapting = false;
    k->adapt_at = FIRST;
    if (!multiplies(k)) return GSOLVE_OK;
    if (each > 0) outlook.remaining = outlook.most = each * maxit;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c] && k->column[c].target > 0) outlook.remaining = -1;
    }
    TRY(tell(k, &outlook, 0));
    if (each > 0 && outlook.remaining >= 0) k->adapting = false; /* more will not be known */
done:
    return status;
}

/* Steps of the first chunk: no more than after which A is asked first, if these are whole periods.
 */
int gs_adapt_first(const gs_krylov *k, int chunk)
{
    return k->adapting && chunk > FIRST && FIRST % gs_period(k) == 0 ? FIRST : chunk;
}

bool gs_adapt_due(const gs_krylov *k, int64_t j)
{
    return k->adapting && k->begun + j >= k->adapt_at;
}

/* 4, 6, 8, 12, 16, 24, ... */
static int64_t next_turn(int64_t j)
{
    int64_t power = FIRST;

    while (2 * power <= j) power *= 2;
    return j < power + power / 2 ? power + power / 2 : 2 * power;
}

gsolve_status gs_adapt_matrix(gs_krylov *k, int64_t j, int chunk)
{
    const double made = products_made(k), each = made / fmax(k->iteration, 1);
    gsolve_run_estimate outlook = {(int64_t)made, -1, 0, k->ncols, false};

    k->adapt_at = next_turn(k->iteration);
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c]) outlook.remaining = fmax(outlook.remaining, iterations_left(k, c) * each);
    }
    outlook.most = each * (gs_run(k)->maxit - k->iteration);
    return tell(k, &outlook, j + chunk);
}

gsolve_status gs_adapt_end(gs_krylov *k)
{
    const gsolve_run_estimate outlook = {(int64_t)products_made(k), 0, 0, k->ncols, true};

    return multiplies(k) ? gsolve_matrix_adapt(k->A, &outlook, NULL) : GSOLVE_OK;
}
