/* loop.c: the loop around every method.
 *
 * A run is one round or more. A round is the method's start, its steps until every column has
 * ended, and the true residual (outer_answer.c), which decides. A column that converged by its
 * recurrence and not by the true residual starts again from its x, as long as each start reduces
 * the true residual.
 *
 * The device tests convergence after every step. The host reads the result once a chunk of steps,
 * and usually launches the next chunk before it reads the result of the last one. */
#include "solver/run/least_squares.h"
#include "solver/run/run.h"

#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "solver/resident/resident.h"

#define MOST_STEPS 16 /* of a chunk */
#define SOME_STEPS 4
#define FEW_STEPS  2

/* The number of kernels that M launches is not known. It is estimated from the bytes that M moves:
 * with less than MOVED_ROW for each row one or two; from MOVED_MUCH on about 20 or more, as in
 * multigrid; from MOVED_LONG on they take a millisecond, which hides the launches of a step. */
#define MOVED_ROW  128
#define MOVED_MUCH (32 << 20)
#define MOVED_LONG ((size_t)4 << 30)

/* --- chunks of steps -------------------------------------------------------------------------- */

/* The most steps of a chunk. The steps after a column's end, and those of the chunk that follows
 * it, launch kernels that do nothing. So a chunk is long where a step is short, short where M moves
 * much, and one step where the launches of a step take less time than its kernels. */
static int most_steps(const gs_krylov *k)
{
    gsolve_precond_info M = GSOLVE_INIT(gsolve_precond_info);

    if (k->M && !k->method->ignores_precond) gsolve_precond_describe(k->M, &M);
    if (M.moved >= (size_t)k->csr.nrows * MOVED_ROW) {
        if (M.moved >= MOVED_LONG) return 1;
        if (M.moved >= MOVED_MUCH) return FEW_STEPS;
    }
    return k->csr.nrows < 1 << 20 ? MOST_STEPS : SOME_STEPS;
}

/* Whether the caller wants to hear of the iterations soon, or to stop them. */
static bool is_watched(const gs_krylov *k)
{
    return k->run->monitor.call || k->run->monitor.test || gs_has_stop_test(k->ctx);
}

/* Whether the device runs ahead of the host: not where the host reads the device's memory directly,
 * nor over several ranks, where it waits for each sum. */
static bool runs_ahead(const gs_krylov *k)
{
    return k->ctx->device->post && k->period > 0 && !k->comm;
}

/* The steps of a chunk: 1 where the device does not run ahead; else whole periods if they can be
 * recorded. Whether they are recorded makes no difference: A's form changes between
 * chunks, so that the bits would depend on it. */
static int chunk_size(const gs_krylov *k)
{
    const int period = k->period;
    int most;

    if (k->run->resident.on) return is_watched(k) ? MOST_STEPS : GS_RESIDENT_STEPS;
    if (!runs_ahead(k)) return 1;
    most = most_steps(k);
    if (most <= FEW_STEPS && period > most) return most;
    return period > GS_MAX_PERIOD ? most : period >= most ? period : most - most % period;
}

/* Steps of the chunk that begins with step j. A chunk that is shorter than a period ends where the
 * period ends, since columns may move there. */
static int steps_from(const gs_krylov *k, int64_t j, int count)
{
    const int period = k->period;
    const int64_t left = period > count ? period - j % period : count;

    return left < count ? (int)left : count;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* Drops the recording if it leaves out a column that is active. */
static void forget_partial_graph(gs_krylov *k)
{
    const gs_recording *r = &k->run->recording;

    for (int32_t c = 0; c < k->ncols; c++) {
        if (r->graph && k->active[c] && !r->active[c]) gs_forget_graph(k);
    }
}

/* A round begins: the method's start, which is tested as iteration 0. */
static gsolve_status start(gs_krylov *k)
{
    gsolve_status status;

    TRY(gs_columns_compact(k));
    forget_partial_graph(k);
    TRY(gs_set_active(k));
    k->run->x_is_zero = k->inner;
    status = k->method->start(k);
    k->run->x_is_zero = false;
    if (status != GSOLVE_OK) goto done;
    TRY(gs_progress_begin(k));
    TRY(gs_outer_keep_first(k));
    *gs_products_by(k, k->run->counts.iteration) = k->run->counts.products;
    TRY(gs_progress_test(k, 0));
    TRY(gs_progress_send(k, 0));
done:
    return status;
}

/* Launches the steps j to j + count one by one. */
static gsolve_status launch_steps(gs_krylov *k, int64_t j, int count)
{
    const gs_counts *counts = &k->run->counts;
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < count; i++) {
        const int64_t iteration = counts->begun + j + i + 1;
        k->run->profile.iteration = (int)iteration;
        TRY(k->method->step(k, j + i));
        if (!k->method->tests_convergence) TRY(gs_progress_test(k, 1));
        TRY(gs_columns_test_ended(k));
        *gs_products_by(k, iteration) = counts->products;
    }
done:
    k->run->profile.iteration = 0;
    return status;
}

/* Whether `count` steps are whole periods that can be recorded. */
static bool can_record(const gs_krylov *k, int count)
{
    const int period = k->period;

    return k->ctx->device->record && !k->comm && !k->run->recording.impossible && period > 0 &&
           period <= GS_MAX_PERIOD && count % period == 0 && gs_matrix_is_recordable(k->A) &&
           gs_precond_is_recordable(k->M);
}

/* Records the steps j to j + count. Where something in a step, or on the caller's stream, cannot be
 * recorded, there is no graph afterwards. */
static void record_steps(gs_krylov *k, int64_t j, int count)
{
    const gs_device *device = k->ctx->device;
    gs_recording *r = &k->run->recording;
    gs_counts *counts = &k->run->counts;
    const int before = counts->products;
    gsolve_status status;

    r->impossible = device->record(k->ctx->queue) != GSOLVE_OK;
    if (r->impossible) return;
    memcpy(r->active, k->active, (size_t)k->ncols * sizeof *r->active);
    status = launch_steps(k, j, count);
    for (int i = 1; i <= count; i++) {
        r->products[i - 1] = *gs_products_by(k, counts->begun + j + i) - before;
    }
    counts->products = before;
    r->impossible = device->recorded(k->ctx->queue, &r->graph) != GSOLVE_OK || status != GSOLVE_OK;
    if (r->impossible) gs_forget_graph(k);
}

/* Records the next steps, if they can be and are not. Before A gets its estimate this is done while
 * the device still runs the last ones, so that it need not wait for the recording afterwards; the
 * recording is dropped if A changes its form. */
static void need_recording(gs_krylov *k, int64_t j, int count)
{
    const gs_recording *r = &k->run->recording;

    if (k->run->profile.on || r->graph || j < r->from || !can_record(k, count)) return;
    record_steps(k, j, count);
}

static gsolve_status replay_steps(gs_krylov *k, int64_t j, int count)
{
    const gs_recording *r = &k->run->recording;
    gs_counts *counts = &k->run->counts;
    gsolve_status status;

    TRY(k->ctx->device->replay(k->ctx->queue, r->graph));
    for (int i = 1; i <= count; i++) {
        *gs_products_by(k, counts->begun + j + i) = counts->products + r->products[i - 1];
    }
    counts->products += r->products[count - 1];
done:
    return status;
}

/* Launches the next steps. Those of the first chunk are launched one by one, since they may set up
 * what is set up at first use; the second chunk is recorded; later ones are replayed. With a
 * profile all steps are launched one by one. */
static gsolve_status next_steps(gs_krylov *k, int64_t j, int count)
{
    const gs_recording *r = &k->run->recording;

    if (k->run->resident.on) return gs_resident_launch_steps(k, j, count);
    need_recording(k, j, count);
    if (k->run->profile.on || !r->graph || j < r->from) return launch_steps(k, j, count);
    return replay_steps(k, j, count);
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Reads the progress of the next chunk. `sent` chunks were launched, and the progress of *read of
 * them was read before. A chunk has `count` steps. */
static gsolve_status read_chunk(gs_krylov *k, int sent, int *read, int count, bool *any)
{
    const int before = k->run->counts.iteration;
    int made;
    gsolve_status status;

    TRY(gs_progress_read(k, (*read)++ % GS_SLOTS, any));
    TRY(gs_outer_keep(k, sent - *read));
    made = k->run->counts.iteration - before;
    gs_profile_pass(&k->run->profile, made, *read > 3 && made == count);
    TRY(gs_comm_defer(k->comm, gs_profile_count(&k->run->profile, k->run->counts.iteration)));
done:
    return status;
}

/* Moves the active columns to the front, before step j. The host has read all progress. */
static gsolve_status compact(gs_krylov *k, int64_t j, int count)
{
    const int32_t before = k->wide;
    gsolve_status status;

    gs_forget_graph(k);
    k->run->recording.from = j + count; /* the first product of fewer columns may allocate */
    TRY(gs_columns_compact(k));
    if (k->method->narrow) TRY(k->method->narrow(k, before));
done:
    return status;
}

/* Begins to time the messages of a profile. False: there is none, or an outer run times them. On a
 * GPU the host exchanges while the device computes: their times do not add up. */
static bool time_messages(gs_krylov *k)
{
    if (!k->comm || !k->run->profiled || k->comm->timed || gs_comm_is_asynchronous(k->comm)) {
        return false;
    }
    gs_comm_time(k->comm, true);
    return true;
}

/* From a start until every column has ended. The host reads the progress of a chunk while the
 * device runs the next one. Before columns move or A may change its form the host reads all of it.
 * The first chunk may be shorter, so that A gets its first estimate soon. */
static gsolve_status iterate(gs_krylov *k)
{
    const int count = chunk_size(k), ahead = runs_ahead(k);
    const int64_t fetched = k->ctx->fetched;
    const bool timed = time_messages(k);
    int sent = 1, read = 0, steps = gs_adapt_first(k, count);
    bool any = true;
    gsolve_status status;

    k->run->recording.from = steps;
    TRY(read_chunk(k, sent, &read, count, &any));
    for (int64_t j = 0; any; j += steps, steps = steps_from(k, j, count)) {
        if (gs_adapt_due(k, j)) need_recording(k, j, count);
        while ((gs_adapt_due(k, j) || gs_columns_should_compact(k, j)) && read < sent) {
            TRY(read_chunk(k, sent, &read, count, &any));
        }
        if (!any) break;
        if (gs_columns_should_compact(k, j)) TRY(compact(k, j, count));
        if (gs_adapt_due(k, j)) TRY(gs_adapt_matrix(k, j, count));
        TRY(next_steps(k, j, steps));
        TRY(gs_progress_send(k, sent++ % GS_SLOTS));
        if (sent - read > ahead) TRY(read_chunk(k, sent, &read, count, &any));
    }
    while (read < sent) TRY(read_chunk(k, sent, &read, count, &any));
    gs_progress_stop(k); /* with the iterations that ran meanwhile: x is that of the last one */
done:
    gs_profile_forget(&k->run->profile);
    if (timed) {
        gs_profile_add_messages(&k->run->profile);
        gs_comm_time(k->comm, false);
    }
    k->run->profile.copies += k->ctx->fetched - fetched;
    return status;
}

/* *again: some columns must start again. */
static gsolve_status run_round(gs_krylov *k, bool *again)
{
    gsolve_status status;

    memcpy(k->run->in_round, k->active, (size_t)k->ncols * sizeof *k->run->in_round);
    k->run->counts.before = k->run->counts.products;
    TRY(start(k));
    TRY(iterate(k));
    k->run->counts.products = *gs_products_by(k, k->run->counts.iteration);
    k->wide = k->ncols;
    if (k->method->finish) TRY(k->method->finish(k));
    TRY(gs_outer_verify(k, again));
done:
    return status;
}

/* Whether this rank or another one watches the run, and keeps a profile. */
static gsolve_status agree_who_watches(gs_krylov *k)
{
    double any[] = {is_watched(k), k->run->profile.on};
    const gsolve_status status = gs_comm_largest(k->comm, any, 2);

    k->run->monitor.watched = any[0] > 0;
    k->run->profiled = any[1] > 0;
    return status;
}

gsolve_status gs_krylov_run(gs_krylov *k, gsolve_dense b, gsolve_dense x)
{
    gs_counts *counts = &k->run->counts;
    bool again = false;
    gsolve_status status;

    counts->iteration = counts->products = 0;
    counts->product_seconds = counts->precond_seconds = 0;
    gs_columns_begin(k);
    TRY(agree_who_watches(k));
    TRY(gs_projection_begin(k));
    TRY(gs_spectrum_begin(k));
    TRY(gs_resident_begin(k));
    TRY(gs_outer_begin(k, b, x));
    TRY(gs_guess_begin(k));
    TRY(gs_adapt_begin(k));
    for (int32_t c = 0; c < k->ncols; c++) again = again || k->active[c];
    while (again) TRY(run_round(k, &again));
    TRY(gs_adapt_end(k));
done:
    gs_columns_end(k);
    if (status == GSOLVE_OK) status = gs_guess_end(k);
    status = gs_outer_end(k, status);
    status = gs_comm_check(k->comm, status); /* also what was deferred */
    if (status == GSOLVE_OK) gs_least_squares_note(k);
    return status;
}
