/* loop.c: the loop around every method: start, test, step, and in the end the true residual,
 * which decides (outer.c). A column that a recurrence calls converged and the true residual does
 * not is started again from where it is, as long as that helps. */
#include "solver/method.h"

#include <math.h>
#include <string.h>

#include "core/try.h"

#define MAX_PERIOD (GS_HISTORY / 4) /* that is recorded */
#define MOST_STEPS 16               /* of a chunk */
#define FEW_STEPS  2
/* How many launches M takes is not known: guesses by the bytes that it moves. */
#define A_PASS    128               /* of a row: one or two, with fewer */
#define LAUNCHES  (32 << 20)        /* some 20 or more of multigrid */
#define LONG_STEP ((size_t)4 << 30) /* take a millisecond, in which those of a step are made */

/* --- the loop --------------------------------------------------------------------------------- */

void gs_forget_graph(gs_krylov *k)
{
    if (k->graph) k->ctx->device->forget(k->graph);
    k->graph = NULL;
}

/* What was recorded when a column had ended already does not move that column. */
static void forget_partial(gs_krylov *k)
{
    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->graph && k->active[c] && !k->recorded_active[c]) gs_forget_graph(k);
    }
}

/* A round begins: the method's start, judged as iteration 0 of it. */
static gsolve_status start(gs_krylov *k)
{
    gsolve_status status;

    for (int32_t c = 0; c < k->ncols; c++) {
        if (k->active[c] && k->column[c].restarts == 0) k->column[c].verified = INFINITY;
    }
    TRY(gs_columns_move_up(k));
    forget_partial(k);
    TRY(gs_set_active(k));
    k->at_zero = k->within;
    status = k->method->start(k);
    k->at_zero = false;
    if (status != GSOLVE_OK) goto done;
    TRY(gs_progress_begin(k));
    TRY(gs_outer_keep_first(k));
    k->made[k->iteration % (2 * GS_HISTORY)] = k->products;
    TRY(gs_progress_test(k, 0));
    TRY(gs_progress_post(k, 0));
done:
    return status;
}

int gs_period(const gs_krylov *k)
{
    return k->method->period ? k->method->period(k) : 2;
}

/* Whether so many steps are whole periods that can be recorded. */
static bool recordable(const gs_krylov *k, int count)
{
    const int period = gs_period(k);

    return k->ctx->device->record && !k->unrecordable && period > 0 && period <= MAX_PERIOD &&
           count % period == 0;
}

/* Steps that are worth a look. Those of the chunk that the host gives while it waits for the last
 * one, and those after a column's end, are made in vain: each kernel is launched and does nothing.
 * So there are many where a step is short, few where M moves much, and one where the host keeps
 * ahead of the device without a graph. */
static int worth_inspecting(const gs_krylov *k)
{
    gsolve_precond_info M = {0};

    if (k->M && !k->method->ignores_precond) gsolve_precond_describe(k->M, &M);
    if (M.moved >= (size_t)k->csr.nrows * A_PASS) {
        if (M.moved >= LONG_STEP) return 1;
        if (M.moved >= LAUNCHES) return FEW_STEPS;
    }
    return k->csr.nrows < 1 << 20 ? MOST_STEPS : 4;
}

/* Steps between two looks: 1 where looking costs nothing or little; else whole periods, if they can
 * be recorded, and more of them where a step is short. Whether they are recorded does not count:
 * A's form changes between chunks, so that the bits would depend on it. */
static int chunk(const gs_krylov *k)
{
    const int period = gs_period(k);
    int most;

    if (k->on_chip) return k->monitor ? MOST_STEPS : GS_RESIDENT_STEPS;
    if (!k->ctx->device->post || period == 0) return 1;
    most = worth_inspecting(k);
    if (most <= FEW_STEPS && period > most) return most;
    return period > MAX_PERIOD ? most : period >= most ? period : most - most % period;
}

/* Steps from j on before the next look: a chunk that is shorter than a period does not go beyond
 * it, since that is where columns may move. */
static int steps_from(const gs_krylov *k, int64_t j, int count)
{
    const int period = gs_period(k);
    const int64_t left = period > count ? period - j % period : count;

    return left < count ? (int)left : count;
}

/* The steps j to j + count, one by one. */
static gsolve_status take_steps(gs_krylov *k, int64_t j, int count)
{
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < count; i++) {
        k->profile.iteration = (int)(k->begun + j + i + 1);
        TRY(k->method->step(k, j + i));
        if (!k->method->tests_convergence) TRY(gs_progress_test(k, 1));
        TRY(gs_columns_test_ended(k));
        k->made[(k->begun + j + i + 1) % (2 * GS_HISTORY)] = k->products;
    }
done:
    k->profile.iteration = 0;
    return status;
}

/* The same recorded; where something in a step, or on the caller's stream, cannot be recorded,
 * there is no graph. */
static gsolve_status record_steps(gs_krylov *k, int64_t j, int count)
{
    const gs_device *device = k->ctx->device;
    const int products = k->products;
    gsolve_status status = device->record(k->ctx->queue), ended;

    if (status != GSOLVE_OK) {
        k->unrecordable = true;
        return GSOLVE_OK;
    }
    memcpy(k->recorded_active, k->active, (size_t)k->ncols * sizeof *k->active);
    status = take_steps(k, j, count);
    ended = device->recorded(k->ctx->queue, &k->graph);
    for (int i = 1; i <= count; i++) {
        k->recorded[i - 1] = k->made[(k->begun + j + i) % (2 * GS_HISTORY)] - products;
    }
    k->products = products;
    if (status != GSOLVE_OK || ended != GSOLVE_OK) {
        gs_forget_graph(k);
        k->unrecordable = true;
    }
    return GSOLVE_OK;
}

static gsolve_status resident_steps(gs_krylov *k, int64_t j, int count)
{
    const double begin = gs_now();
    gsolve_status status = GSOLVE_OK;

    k->profile.iteration = (int)(k->begun + j + 1);
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        gs_resident_expect_bytes(k);
        gs_profile_open(&k->profile);
        status = k->method->resident_steps(k, c, j, count);
        gs_profile_close(&k->profile);
        if (status != GSOLVE_OK) goto done;
    }
    for (int i = 1; i <= count; i++) {
        k->products += k->method->products;
        k->made[(k->begun + j + i) % (2 * GS_HISTORY)] = k->products;
    }
    k->product_seconds += gs_now() - begin;
done:
    k->profile.iteration = 0;
    return status;
}

/* The next steps: the first chunk, which may build what is built when first needed, one by one;
 * the second is recorded; later ones are replayed. A profile has them all one by one. */
static gsolve_status next_steps(gs_krylov *k, int64_t j, int count)
{
    gsolve_status status = GSOLVE_OK;

    if (k->on_chip) return resident_steps(k, j, count);
    if (k->profile.on) return take_steps(k, j, count);
    if (!k->graph && j >= k->record_from && recordable(k, count)) TRY(record_steps(k, j, count));
    if (!k->graph || j < k->record_from) return take_steps(k, j, count);
    TRY(k->ctx->device->replay(k->ctx->queue, k->graph));
    for (int i = 1; i <= count; i++) {
        k->made[(k->begun + j + i) % (2 * GS_HISTORY)] = k->products + k->recorded[i - 1];
    }
    k->products += k->recorded[count - 1];
done:
    return status;
}

/* The next steps are recorded while the device is at the last ones, which otherwise would wait for
 * that once A was asked; in vain if A turns, or no steps follow. */
static gsolve_status record_ahead(gs_krylov *k, int64_t j, int count)
{
    if (k->profile.on || k->graph || j < k->record_from || !recordable(k, count)) return GSOLVE_OK;
    return record_steps(k, j, count);
}

/* The host looks at what came of a chunk of count steps, of all that were posted. */
static gsolve_status look(gs_krylov *k, int posted, int *looked, int count, bool *any)
{
    const int before = k->iteration;
    gsolve_status status;

    TRY(gs_progress_read(k, (*looked)++ % GS_SLOTS, any));
    TRY(gs_outer_keep(k, posted - *looked));
    gs_profile_pass(&k->profile, k->iteration - before,
                    *looked > 3 && k->iteration - before == count);
    TRY(gs_profile_count(&k->profile, k->iteration));
done:
    return status;
}

/* Columns that have ended make room for others, once all that happened has been looked at. */
static gsolve_status move_up(gs_krylov *k, int64_t j, int count)
{
    const int32_t before = k->wide;
    gsolve_status status;

    gs_forget_graph(k);
    k->record_from = j + count; /* products of fewer columns may make something first */
    TRY(gs_columns_move_up(k));
    if (k->method->narrow) TRY(k->method->narrow(k, before));
done:
    return status;
}

/* From a start until every column has ended. The host looks at a chunk while the next one runs, but
 * for those after which A may turn: then it has to see all that led there. The
 * first chunk may be shorter, so that A is asked early. */
static gsolve_status iterate(gs_krylov *k)
{
    const int count = chunk(k), ahead = k->ctx->device->post && gs_period(k) > 0;
    const int64_t fetched = k->ctx->fetched;
    int posted = 1, looked = 0, steps = gs_adapt_first(k, count);
    bool any = true;
    gsolve_status status;

    k->record_from = steps;
    TRY(look(k, posted, &looked, count, &any));
    for (int64_t j = 0; any; j += steps, steps = steps_from(k, j, count)) {
        if (gs_adapt_due(k, j)) TRY(record_ahead(k, j, count));
        while ((gs_adapt_due(k, j) || gs_columns_due(k, j)) && looked < posted) {
            TRY(look(k, posted, &looked, count, &any));
        }
        if (!any) break;
        if (gs_columns_due(k, j)) TRY(move_up(k, j, count));
        if (gs_adapt_due(k, j)) TRY(gs_adapt_matrix(k, j, count));
        TRY(next_steps(k, j, steps));
        TRY(gs_progress_post(k, posted++ % GS_SLOTS));
        if (posted - looked > ahead) TRY(look(k, posted, &looked, count, &any));
    }
    while (looked < posted) TRY(look(k, posted, &looked, count, &any));
done:
    gs_profile_forget(&k->profile);
    k->profile.copies += k->ctx->fetched - fetched;
    return status;
}

/* One round: from a start until every column has ended, then the verdict. */
static gsolve_status run_round(gs_krylov *k, bool *again)
{
    gsolve_status status;

    memcpy(k->round, k->active, (size_t)k->ncols * sizeof *k->round);
    k->before = k->products;
    TRY(start(k));
    TRY(iterate(k));
    k->products = k->made[k->iteration % (2 * GS_HISTORY)];
    k->wide = k->ncols;
    if (k->method->finish) TRY(k->method->finish(k));
    TRY(gs_outer_verify(k, again));
done:
    return status;
}

gsolve_status gs_krylov_run(gs_krylov *k, gsolve_dense b, gsolve_dense x)
{
    bool again = false;
    gsolve_status status;

    k->iteration = k->products = 0;
    k->product_seconds = k->precond_seconds = 0;
    gs_columns_begin(k);
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
    return gs_outer_end(k, status);
}
