/* progress.c: how far the columns of a run have come. The device tests convergence after every
 * step; the host reads the result once a chunk of steps, and may be a chunk behind. A column that
 * has ended does not change any more. */
#include "solver/run/run.h"

#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "dist/comm.h"
#include "solver/operations/operations.h"

gsolve_status gs_set_active(gs_krylov *k)
{
    int *mask = k->run->mask, *all_ended = k->run->columns.all_ended;
    const size_t bytes = (size_t)k->ncols * sizeof *mask;
    gsolve_status status;

    for (int32_t c = 0; c < k->ncols; c++) mask[c] = !k->active[c];
    TRY(gsolve_copy(k->ctx, k->ended, GSOLVE_DEVICE, mask, GSOLVE_HOST, bytes));
    memset(mask, 0, bytes);
    TRY(gsolve_copy(k->ctx, k->flag, GSOLVE_DEVICE, mask, GSOLVE_HOST, bytes));
    if (all_ended) {
        TRY(gsolve_copy(k->ctx, all_ended, GSOLVE_DEVICE, mask, GSOLVE_HOST, sizeof *all_ended));
    }
done:
    return status;
}

gsolve_status gs_fetch_ended(gs_krylov *k, const int **ended)
{
    int *mask = k->run->mask;

    *ended = mask;
    return gsolve_copy(k->ctx, mask, GSOLVE_HOST, k->ended, GSOLVE_DEVICE,
                       (size_t)k->ncols * sizeof *mask);
}

/* The progress of column c at a start, whose |r| is now. */
static gs_progress first_progress(gs_krylov *k, int32_t c, double now)
{
    const gs_run_options *run = gs_run_options_of(k);
    gs_column *column = &k->run->column[c];
    double first;

    if (column->first < 0) column->first = ldexp(now, column->scale);
    first = ldexp(column->first, -column->scale);
    return (gs_progress){
        .target = gs_column_target(k, c),
        .ceiling = fmin(run->dtol * fmax(gs_column_norm(k, c), first), 1e300),
        .begin = now,
        .least = INFINITY,
        .stall = run->stall,
        .iteration = k->run->counts.iteration,
        .maxit = column->most,
        .outcome = -1,
    };
}

gsolve_status gs_progress_begin(gs_krylov *k)
{
    struct gs_run *run = k->run;
    gsolve_status status;

    TRY(gsolve_copy(k->ctx, run->squares, GSOLVE_HOST, k->rr, GSOLVE_DEVICE,
                    (size_t)k->ncols * sizeof(double)));
    for (int32_t c = 0; c < k->ncols; c++) {
        run->fetched[c] = first_progress(k, c, sqrt(run->squares[c]));
    }
    TRY(gsolve_copy(k->ctx, run->progress, GSOLVE_DEVICE, run->fetched, GSOLVE_HOST,
                    (size_t)k->ncols * sizeof *run->fetched));
    run->counts.begun = run->counts.iteration;
    run->monitor.reported = run->counts.iteration - 1;
    run->monitor.stopped = false;
done:
    return status;
}

gsolve_status gs_progress_test(gs_krylov *k, int iterations)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    a.j = iterations;
    return GS_RUN_SCALAR(k, test, &a);
}

gsolve_status gs_progress_send(gs_krylov *k, int slot)
{
    const size_t bytes = (size_t)k->width * (sizeof(gs_progress) + GS_HISTORY * sizeof(double));
    const gs_device *device = k->ctx->device;

    k->ctx->fetched += device->post != NULL;
    return device->post ? device->post(k->ctx->queue, slot, k->run->progress, bytes) : GSOLVE_OK;
}

/* The largest |r| / |b| of the columns that made iteration `iteration`; history: the |r| of all
 * columns in it. */
static double worst_residual(const gs_krylov *k, int iteration, const double *history)
{
    double worst = 0;

    for (int32_t c = 0; c < k->ncols; c++) {
        const bool made = k->run->in_round[c] && k->run->fetched[c].iteration >= iteration;
        const double r = history[c] / gs_column_norm(k, c);
        if (made && !(r <= worst)) worst = r;
    }
    return worst;
}

static void stop_run(gs_monitoring *m, int iteration, gsolve_outcome outcome)
{
    m->stopped = true;
    m->stopped_at = iteration;
    m->outcome = outcome;
}

/* Asks the caller's stopping test about each column that made iteration `iteration`. The run ends
 * as accepted if the test accepts all of these columns that go on, and there is one. */
static void ask_stopping_test(gs_krylov *k, int iteration, const double *history)
{
    gs_monitoring *m = &k->run->monitor;
    bool all = true, any = false;

    for (int32_t c = 0; c < k->ncols; c++) {
        const gs_progress *p = &k->run->fetched[c];
        const gs_column *column = &k->run->column[c];
        const bool ends = p->iteration == iteration && p->outcome >= 0;
        gsolve_decision decision;
        if (!k->run->in_round[c] || p->iteration < iteration) continue;
        decision = m->test(iteration, k->run->order[c], ldexp(history[c], column->scale),
                           column->norm, m->test_user);
        if (decision == GSOLVE_STOP) {
            stop_run(m, iteration, GSOLVE_STOPPED);
            return;
        }
        all = all && (ends || decision == GSOLVE_ACCEPT);
        any = any || !ends;
    }
    if (all && any) stop_run(m, iteration, GSOLVE_ACCEPTED);
}

/* Calls the monitor and the stopping test for the iterations that they have not been called for. */
static void call_monitor(gs_krylov *k, const double *history)
{
    gs_monitoring *m = &k->run->monitor;

    while (m->reported < k->run->counts.iteration) {
        const int iteration = ++m->reported;
        const double *then = history + (int64_t)(iteration % GS_HISTORY) * k->ncols;
        if (m->call && !m->stopped) {
            const bool on = m->call(iteration, worst_residual(k, iteration, then), m->user);
            if (!on) stop_run(m, iteration, GSOLVE_STOPPED);
        }
        if (m->test && !m->stopped) ask_stopping_test(k, iteration, then);
    }
}

/* Ends the run if the caller has asked the calls in the context to stop, or the time is over. */
static void ask_context(gs_krylov *k)
{
    gs_monitoring *m = &k->run->monitor;

    if (m->stopped || !gs_must_stop(k->ctx)) return;
    stop_run(m, k->run->counts.iteration, gs_stop_outcome(k->ctx));
}

/* Over several ranks: all stop, or none. If some rank watches the run, all exchange the outcome of
 * the lowest rank that stops. Else a rank can only be interrupted by gsolve_context_interrupt, and
 * the other ranks know that since the last sum. */
static gsolve_status agree_to_stop(gs_krylov *k)
{
    gs_monitoring *m = &k->run->monitor;
    double outcome = m->stopped ? 1 + (double)m->outcome : 0;
    gsolve_status status = GSOLVE_OK;

    if (!k->comm) return GSOLVE_OK;
    if (m->watched) {
        TRY(gs_comm_largest(k->comm, &outcome, 1));
    } else {
        outcome = k->comm->stop_asked ? 1 + (double)GSOLVE_STOPPED : 0;
    }
    m->stopped = false;
    if (outcome > 0) stop_run(m, k->run->counts.iteration, (gsolve_outcome)(outcome - 1));
done:
    return status;
}

/* Iterations that were already submitted when the caller stopped the run may fail or reach a limit:
 * that does not count. */
static void end_column(gs_krylov *k, int32_t c, gsolve_outcome outcome)
{
    const gs_monitoring *m = &k->run->monitor;
    const bool went_on = m->stopped && k->run->fetched[c].iteration > m->stopped_at;
    gs_column *column = &k->run->column[c];

    column->outcome = went_on && outcome != GSOLVE_CONVERGED ? m->outcome : outcome;
    column->iterations = k->run->fetched[c].iteration;
    column->products += *gs_products_by(k, column->iterations) - k->run->counts.before;
    k->active[c] = false;
}

gsolve_status gs_progress_read(gs_krylov *k, int slot, bool *any)
{
    gs_progress *fetched = k->run->fetched;
    const void *page = k->run->progress;
    int *iteration = &k->run->counts.iteration;
    gsolve_status status = GSOLVE_OK;

    if (k->ctx->device->wait) TRY(k->ctx->device->wait(k->ctx->queue, slot, &page));
    memcpy(fetched, page, (size_t)k->ncols * sizeof *fetched);
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->run->in_round[c] && fetched[c].iteration > *iteration) {
            *iteration = fetched[c].iteration;
        }
    }
    call_monitor(k, (const double *)(const void *)((const gs_progress *)page + k->width));
    ask_context(k);
    TRY(agree_to_stop(k));
    *any = false;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        if (fetched[c].outcome >= 0) end_column(k, c, (gsolve_outcome)fetched[c].outcome);
        *any = *any || k->active[c];
    }
    *any = *any && !k->run->monitor.stopped;
done:
    return status;
}

void gs_progress_stop(gs_krylov *k)
{
    for (int32_t c = 0; c < k->ncols && k->run->monitor.stopped; c++) {
        if (k->active[c]) end_column(k, c, k->run->monitor.outcome);
    }
}

/* --- queries of methods ----------------------------------------------------------------------- */

bool gs_is_first_start(const gs_krylov *k)
{
    return k->run->counts.iteration == 0;
}

int gs_steps_of_column(const gs_krylov *k, int32_t c)
{
    return k->run->in_round[c] ? k->run->column[c].iterations - k->run->counts.begun : 0;
}

double gs_last_residual(const gs_krylov *k, int32_t c)
{
    return k->run->fetched[c].r;
}

void gs_add_precond_seconds(gs_krylov *k, double seconds)
{
    k->run->counts.precond_seconds += seconds;
}
