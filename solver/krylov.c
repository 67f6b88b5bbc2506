/* krylov.c: the loop around every method: start, test, step, and in the end the true residual,
 * which decides. A column that a recurrence calls converged and the true residual does not is
 * started again from where it is, as long as that helps. */
#include "solver/krylov.h"

#include <math.h>
#include <string.h>

#include "core/try.h"

#define MAX_RESTARTS 20

/* --- one column ---------------------------------------------------------------------------------
 */

static void end_column(gs_krylov *k, int32_t c, gsolve_outcome outcome)
{
    gs_column *column = &k->column[c];

    column->outcome = outcome;
    column->iterations = k->iteration;
    k->active[c] = false;
}

/* Judges column c by its recurrence. */
static void test_column(gs_krylov *k, int32_t c)
{
    const gs_run_options *run = gs_run(k);
    gs_column *column = &k->column[c];
    const double r = sqrt(k->rr[c]);

    if (r <= column->target) {
        end_column(k, c, GSOLVE_CONVERGED);
    } else if (!isfinite(r) || r > run->dtol * fmax(column->norm, column->begin)) {
        end_column(k, c, GSOLVE_DIVERGED);
    } else if (k->flag[c]) {
        end_column(k, c, (gsolve_outcome)k->flag[c]);
    } else if (k->iteration >= run->maxit) {
        end_column(k, c, GSOLVE_ITERATION_LIMIT);
    } else if (r < column->least) {
        column->least = r;
        column->since_least = 0;
    } else if (run->stall && ++column->since_least >= run->stall) {
        end_column(k, c, GSOLVE_STAGNATED);
    }
}

/* The largest |r| / |b| by the recurrences of the columns that go on or have just ended. */
static double worst_residual(const gs_krylov *k, const bool *was_active)
{
    double worst = 0;

    for (int32_t c = 0; c < k->ncols; c++) {
        const double r = sqrt(k->rr[c]) / (k->column[c].norm > 0 ? k->column[c].norm : 1);
        if (was_active[c] && !(r <= worst)) worst = r;
    }
    return worst;
}

/* Tests all columns, tells the monitor; true: some go on. */
static bool go_on(gs_krylov *k)
{
    bool any = false;

    memcpy(k->tested, k->active, (size_t)k->ncols * sizeof *k->tested);
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c]) test_column(k, c);
        any = any || k->active[c];
    }
    if (k->monitor && !k->monitor(k->iteration, worst_residual(k, k->tested), k->user)) {
        for (int32_t c = 0; c < k->ncols; c++) {
            if (k->active[c]) end_column(k, c, GSOLVE_STOPPED);
        }
        any = false;
    }
    return any;
}

/* --- the true residual --------------------------------------------------------------------------
 */

/* Whether column c, whose |b - Ax| is r now, is worth another start. */
static bool worth_restart(const gs_krylov *k, int32_t c, double r)
{
    const gs_column *column = &k->column[c];
    const bool drifted = column->outcome == GSOLVE_CONVERGED;
    const bool broke = column->outcome == GSOLVE_BREAKDOWN;

    return (drifted || broke) && isfinite(r) && column->restarts < MAX_RESTARTS &&
           k->iteration < gs_run(k)->maxit && r < (drifted ? 0.5 : 0.9) * column->verified;
}

/* Judges the columns that ended in this round by their true residual; true: some start again. */
static gsolve_status verify(gs_krylov *k, bool *again)
{
    gsolve_dense b = k->b, x = k->x;
    gsolve_status status;

    *again = false;
    b.ncols = x.ncols = k->ncols;
    TRY(gsolve_matrix_residual(k->A, b, x, k->relative));
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        const double r = k->relative[c] * (column->norm > 0 ? column->norm : 1);
        if (!k->round[c]) continue;
        column->residual = k->relative[c];
        if (r <= column->target || k->relative[c] <= gs_run(k)->rtol) {
            column->outcome = GSOLVE_CONVERGED;
        } else if (worth_restart(k, c, r)) {
            k->active[c] = true;
            column->restarts++;
            column->verified = r;
            *again = true;
        } else if (column->outcome == GSOLVE_CONVERGED) {
            column->outcome = isfinite(r) ? GSOLVE_STAGNATED : GSOLVE_DIVERGED;
        }
    }
done:
    return status;
}

/* --- the loop
 * ------------------------------------------------------------------------------------- */

static gsolve_status start(gs_krylov *k)
{
    gsolve_status status;

    for (int32_t c = 0; c < k->ncols; c++) k->flag[c] = 0;
    TRY(k->method->start(k));
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        if (!k->active[c]) continue;
        column->begin = sqrt(k->rr[c]);
        column->least = INFINITY;
        column->since_least = 0;
        if (column->restarts == 0) column->verified = INFINITY;
    }
done:
    return status;
}

/* One round: from a start until every column has ended, then the verdict. */
static gsolve_status run_round(gs_krylov *k, bool *again)
{
    gsolve_status status;

    memcpy(k->round, k->active, (size_t)k->ncols * sizeof *k->round);
    TRY(start(k));
    while (go_on(k)) {
        TRY(k->method->step(k));
        k->iteration++;
    }
    if (k->method->finish) TRY(k->method->finish(k));
    TRY(verify(k, again));
done:
    return status;
}

/* |b| of every column, and what follows from it. A column with b = 0 has the solution 0. */
static gsolve_status begin_columns(gs_krylov *k)
{
    gsolve_status status;

    memset(k->column, 0, (size_t)k->ncols * sizeof *k->column);
    for (int32_t c = 0; c < k->ncols; c++) k->active[c] = true;
    TRY(gs_dot(k, k->b, k->b, k->rr));
    for (int32_t c = 0; c < k->ncols; c++) {
        gs_column *column = &k->column[c];
        column->norm = sqrt(k->rr[c]);
        column->target = fmax(gs_run(k)->rtol * column->norm, gs_run(k)->atol);
        if (column->norm > 0) continue;
        TRY(k->vector->zero(k->ctx->queue, k->x.nrows, gs_column_of(k->x, c).value));
        end_column(k, c, GSOLVE_CONVERGED);
    }
done:
    return status;
}

gsolve_status gs_krylov_run(gs_krylov *k)
{
    bool again = false;
    gsolve_status status;

    k->iteration = k->products = 0;
    k->product_seconds = k->precond_seconds = 0;
    TRY(begin_columns(k));
    for (int32_t c = 0; c < k->ncols; c++) again = again || k->active[c];
    while (again) TRY(run_round(k, &again));
done:
    return status;
}
