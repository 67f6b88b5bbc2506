/* progress.c: how far the columns of a run have come. The device judges each step; the host looks
 * now and then, and may run ahead of what it has seen: a column that has ended stays as it is. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/method.h"

gs_convergence_test gs_convergence_test_of(const gs_krylov *k, int32_t c)
{
    const gs_convergence_test judge = {
        k->progress, (double *)(void *)(k->progress + k->width), k->flag, k->ended, k->ncols, c};
    return judge;
}

gs_scalar_arguments gs_scalar_arguments_of(const gs_krylov *k)
{
    const gs_scalar_arguments a = {
        .rr = k->rr,
        .judge = gs_convergence_test_of(k, 0),
        .ncols = k->ncols,
    };
    return a;
}

static gsolve_status to_device(gs_krylov *k, void *to, const void *from, size_t size)
{
    return gsolve_copy(k->ctx, to, GSOLVE_DEVICE, from, GSOLVE_HOST, (size_t)k->ncols * size);
}

gsolve_status gs_set_active(gs_krylov *k)
{
    gsolve_status status;

    for (int32_t c = 0; c < k->ncols; c++) k->mask[c] = !k->active[c];
    TRY(to_device(k, k->ended, k->mask, sizeof *k->mask));
    memset(k->mask, 0, (size_t)k->ncols * sizeof *k->mask);
    TRY(to_device(k, k->flag, k->mask, sizeof *k->mask));
    if (k->all_ended) {
        TRY(gsolve_copy(k->ctx, k->all_ended, GSOLVE_DEVICE, k->mask, GSOLVE_HOST,
                        sizeof *k->all_ended));
    }
done:
    return status;
}

gsolve_status gs_progress_begin(gs_krylov *k)
{
    const gs_run_options *run = gs_run(k);
    gsolve_status status;

    TRY(gsolve_copy(k->ctx, k->relative, GSOLVE_HOST, k->rr, GSOLVE_DEVICE,
                    (size_t)k->ncols * sizeof(double)));
    for (int32_t c = 0; c < k->ncols; c++) {
        const double now = sqrt(k->relative[c]);
        gs_column *column = &k->column[c];
        if (column->first < 0) column->first = ldexp(now, column->scale);
        const double first = ldexp(column->first, -column->scale);
        const gs_progress begin = {
            .target = gs_outer_target(k, c),
            .ceiling = fmin(run->dtol * fmax(gs_outer_norm(k, c), first), 1e300),
            .begin = now,
            .least = INFINITY,
            .stall = run->stall,
            .iteration = k->iteration,
            .maxit = run->maxit,
            .outcome = -1,
        };
        k->seen[c] = begin;
    }
    TRY(to_device(k, k->progress, k->seen, sizeof *k->seen));
    k->begun = k->iteration;
    k->told = k->iteration - 1;
    k->stopped = false;
done:
    return status;
}

gsolve_status gs_progress_test(gs_krylov *k, int after)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    a.j = after;
    return GS_RUN_SCALAR(k, test, &a);
}

gsolve_status gs_progress_post(gs_krylov *k, int slot)
{
    const size_t bytes = (size_t)k->width * (sizeof(gs_progress) + GS_HISTORY * sizeof(double));
    const gs_device *device = k->ctx->device;

    k->ctx->fetched += device->post != NULL;
    return device->post ? device->post(k->ctx->queue, slot, k->progress, bytes) : GSOLVE_OK;
}

/* The largest |r| / |b| of the columns that were active at an iteration; history: of that one. */
static double worst_residual(const gs_krylov *k, int iteration, const double *history)
{
    double worst = 0;

    for (int32_t c = 0; c < k->ncols; c++) {
        const double r = history[c] / gs_outer_norm(k, c);
        if (k->round[c] && k->seen[c].iteration >= iteration && !(r <= worst)) worst = r;
    }
    return worst;
}

static void end_column(gs_krylov *k, int32_t c, gsolve_outcome outcome)
{
    gs_column *column = &k->column[c];

    column->outcome = outcome;
    column->iterations = k->seen[c].iteration;
    column->products += k->made[column->iterations % (2 * GS_HISTORY)] - k->before;
    k->active[c] = false;
}

gsolve_status gs_progress_read(gs_krylov *k, int slot, bool *any)
{
    const void *page = k->progress;
    const double *history;
    gsolve_status status = GSOLVE_OK;

    if (k->ctx->device->wait) TRY(k->ctx->device->wait(k->ctx->queue, slot, &page));
    memcpy(k->seen, page, (size_t)k->ncols * sizeof *k->seen);
    history = (const double *)(const void *)((const gs_progress *)page + k->width);
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->round[c] && k->seen[c].iteration > k->iteration) k->iteration = k->seen[c].iteration;
    }
    while (k->told < k->iteration) {
        const double *then = history + (int64_t)(++k->told % GS_HISTORY) * k->ncols;
        if (k->monitor && !k->stopped) {
            k->stopped = !k->monitor(k->told, worst_residual(k, k->told, then), k->user);
        }
    }
    *any = false;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        if (k->seen[c].outcome >= 0) {
            end_column(k, c, (gsolve_outcome)k->seen[c].outcome);
        } else if (k->stopped) {
            end_column(k, c, GSOLVE_STOPPED);
        }
        *any = *any || k->active[c];
    }
done:
    return status;
}
