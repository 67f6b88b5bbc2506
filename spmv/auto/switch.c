/* switch.c: when the format auto converts the matrix. It converts to the best candidate if
 *
 *     expected (1 - product) > MARGIN build            in products of csr
 *
 * expected: the products still to come with this matrix. product and build: estimated from row
 * lengths and from the columns of a sample of rows (sample.h, cost_model.c). The sample is taken
 * before the first run that can be long enough for a conversion to pay. csr's form uses its row
 * statistics, so they are computed once. The expected number of products is, in this order:
 *
 * - with expect=N, N less the products made so far;
 * - the estimate of the run, from the decrease of its residual;
 * - the number of products of the last run, if there was one;
 * - the number of products made so far. Whenever the run ends, a conversion has then cost no more
 * than csr had lost by then (the ski rental rule).
 *
 * Later solves are expected to need as many products as earlier ones.
 *
 * These are numbers of products, not times: the same input converts after the same product and
 * gives the same bits. trial=yes gives that up: it times both forms, and keeps csr if the other one
 * is not faster.
 *
 * The conversion starts when it is decided, in the solver's own stream. Memory bandwidth bounds
 * both the conversion and the iterations, so running them at the same time would save nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/staging.h"
#include "core/try.h"
#include "matrix/cost_model.h"
#include "matrix/sample.h"
#include "spmv/auto/auto.h"
#include "vector/vector.h"

#define MARGIN 1.2 /* the estimate may be somewhat better than the truth */
#define LEAST  16  /* expected products below which neither a conversion nor its estimate pays */

#define SPARE_FACTOR                                                             \
    2 /* free memory needed / bytes of the form: building needs temporary memory \
       */

/* A conversion that needs at most that many bytes is made without reading the free memory, since
 * reading it takes as long as several products. */
#define SMALL_BYTES 1e9

/* Entries below which a matrix stays in the caches (400 KB; on a GPU 6 MB, and launches dominate),
 * where the bytes of an entry matter little. */
#define LEAST_ENTRIES      (1 << 15)
#define LEAST_ENTRIES_CUDA (1 << 19)

/* --- the forms: csr's, and the one that A was converted to ---------------------------------------
 */

gsolve_status gs_auto_need_csr(gs_auto *a, gsolve_context *ctx)
{
    const gs_row_statistics *statistics = a->has_statistics ? &a->statistics : NULL;

    return a->rows ? GSOLVE_OK : gs_csr_build(&a->rows, ctx, &a->csr, a->entries, statistics);
}

void gs_auto_drop_other(gs_auto *a, gsolve_context *ctx)
{
    if (a->other_self) a->other->destroy(a->other_self, ctx);
    gsolve_free(ctx, GSOLVE_HOST, a->other_options);
    a->other_self = a->other_options = NULL;
    a->other = NULL;
}

/* --- the candidates --------------------------------------------------------------------------- */

/* Takes the sample and collects all formats that are estimated to be faster than csr. */
static gsolve_status find_candidates(gs_auto *a, gsolve_context *ctx)
{
    const gsolve_plugin *plugin;
    gsolve_pattern_sample sample;
    gsolve_status status;

    TRY(gs_sample_pattern(ctx, &a->csr, &sample, &a->statistics));
    a->has_statistics = true;
    for (int f = 0; (plugin = gsolve_format_at(ctx, f)) && a->count < GS_AUTO_CANDIDATES; f++) {
        gs_candidate *c = &a->candidate[a->count];
        c->format = gs_format_of(plugin);
        a->count += gs_estimate_format(c->format, &sample, &c->estimate);
    }
done:
    a->has_candidates = true;
    return status;
}

static double gain(const gs_candidate *c, double expected)
{
    return expected * (1 - c->estimate.product) - MARGIN * c->estimate.build;
}

/* The candidate with the largest gain, or NULL if none has a gain. For several columns, only
 * formats that multiply them at once count: csr does, and is faster than column by column. */
static gs_candidate *best_of(gs_auto *a, double expected, int32_t columns)
{
    gs_candidate *best = NULL;

    for (int k = 0; k < a->count; k++) {
        gs_candidate *c = &a->candidate[k];
        if (columns > 1 && !c->format->apply_block) continue;
        if (gain(c, expected) > (best ? gain(best, expected) : 0)) best = c;
    }
    return best;
}

/* An upper bound of expected_products until this run ends. */
static double most_products(const gs_auto *a, const gsolve_run_estimate *o)
{
    const double made = (double)o->made, before = (double)a->before;
    return a->options.expect > 0 ? a->options.expect - before - made : o->most + before;
}

static double expected_products(const gs_auto *a, const gsolve_run_estimate *o)
{
    const double made = (double)o->made, before = (double)a->before;
    double run = made;

    if (a->options.expect > 0) return most_products(a, o);
    if (o->remaining >= 0) {
        run = o->remaining;
    } else if (a->runs > 0) {
        run = fmax(made, (double)a->last - made);
    }
    return fmin(run, o->most) + before;
}

/* --- the conversion --------------------------------------------------------------------------- */

static gsolve_status make_other(gs_auto *a, gsolve_context *ctx, const gs_candidate *c)
{
    const gsolve_plugin *plugin = &c->format->plugin, *const only[] = {plugin, NULL};
    gsolve_status status;

    a->chosen = c->estimate;
    TRY(gs_plugin_parse(ctx, NULL, only, "format", c->estimate.spec, &plugin, &a->other_options));
    a->other = c->format;
    TRY(a->other->build(&a->other_self, ctx, &a->csr, a->entries, a->other_options,
                        a->other->user));
done:
    if (status != GSOLVE_OK) gs_auto_drop_other(a, ctx);
    return status;
}

static gsolve_status product(const gs_auto *a, gsolve_context *ctx, bool other, gsolve_dense x,
                             gsolve_dense y)
{
    return other ? a->other->apply(a->other_self, ctx, 1, x, 0, y)
                 : gs_csr_format.apply(a->rows, ctx, 1, x, 0, y);
}

/* seconds[0], seconds[1] = the least time of three rounds of products with csr and with the other
 * form. */
static gsolve_status time_both(gs_auto *a, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               double seconds[2])
{
    enum { ROUNDS = 4, AT_ONCE = 3 };
    double number = 0;
    gsolve_status status;

    TRY(gs_auto_need_csr(a, ctx));
    for (int k = 0; k < 2 * ROUNDS; k++) {
        const double begin = gs_now();
        for (int p = 0; p < AT_ONCE; p++) TRY(product(a, ctx, k % 2, x, y));
        TRY(gsolve_copy(ctx, &number, GSOLVE_HOST, y.value, y.location, gs_type_size(y.type)));
        if (k < 2 || gs_now() - begin < seconds[k % 2]) seconds[k % 2] = gs_now() - begin;
    }
done:
    return status;
}

/* *better = whether the other form is faster. */
static gsolve_status try_other_form(gs_auto *a, gsolve_context *ctx, bool *better)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, a->csr.type);
    const gsolve_type type = a->csr.type;
    gsolve_dense x = {0}, y = {0};
    double seconds[2];
    gsolve_status status;

    TRY(gs_dense_new(&x, ctx, gs_location(ctx), type, a->csr.ncols, 1));
    TRY(gs_dense_new(&y, ctx, gs_location(ctx), type, a->csr.nrows, 1));
    TRY(vector->zero(ctx->queue, x.nrows, x.value));
    TRY(time_both(a, ctx, x, y, seconds));
    *better = seconds[1] < seconds[0];
done:
    gsolve_free(ctx, x.location, x.value);
    gsolve_free(ctx, y.location, y.value);
    return status;
}

static gsolve_status make_and_try(gs_auto *a, gsolve_context *ctx, const gs_candidate *c)
{
    bool better = true;
    gsolve_status status;

    TRY(make_other(a, ctx, c));
    if (a->options.trial) TRY(try_other_form(a, ctx, &better));
    if (better) goto done;
    snprintf(a->reason, sizeof a->reason, "%.40s was not faster", c->estimate.spec);
    gs_auto_drop_other(a, ctx);
done:
    return status;
}

/* Converts to c. A refusal, or a trial that c loses, leaves csr. */
static gsolve_status convert_to(gs_auto *a, gsolve_context *ctx, const gs_candidate *c)
{
    const double begin = gs_now(), needed = SPARE_FACTOR * c->estimate.bytes;
    const double space = needed > SMALL_BYTES ? (double)gs_memory_available(ctx) : SMALL_BYTES;
    gsolve_status status;

    if (needed > space) {
        snprintf(a->reason, sizeof a->reason, "%.40s would need %.3g GB, and %.3g GB are free",
                 c->estimate.spec, 1e-9 * c->estimate.bytes, 1e-9 * space);
        gs_log(ctx, "format auto keeps csr: %s", a->reason);
        return GSOLVE_OK;
    }
    gs_range_push(ctx, "convert");
    status = make_and_try(a, ctx, c);
    gs_range_pop(ctx);
    a->convert_seconds += gs_now() - begin;
    if (a->other) {
        gs_log(ctx, "format auto: csr -> %s; the conversion took %.3g s", c->estimate.spec,
               gs_now() - begin);
    }
    if (!gs_auto_refused(status)) return status;
    gs_auto_drop_other(a, ctx);
    snprintf(a->reason, sizeof a->reason, "%.40s: %.70s", c->estimate.spec, ctx->error);
    gs_log(ctx, "format auto keeps csr: %s", a->reason);
    return GSOLVE_OK;
}

/* Converts to the best candidate; if it is refused, to the next best, as long as one pays. */
static gsolve_status convert(gs_auto *a, gsolve_context *ctx, double expected, int32_t columns)
{
    gs_candidate *best;
    gsolve_status status = GSOLVE_OK;

    while (!a->other && (best = best_of(a, expected, columns))) {
        TRY(convert_to(a, ctx, best));
        if (!a->other) *best = a->candidate[--a->count];
    }
done:
    return status;
}

/* Estimates if that has not been done, and converts if it pays. Without memory for either, the
 * matrix stays csr, and the context keeps its error text. */
static gsolve_status reconsider(gs_auto *a, gsolve_context *ctx, double expected, int32_t columns)
{
    char before[sizeof ctx->error];
    gsolve_status status = GSOLVE_OK;

    memcpy(before, ctx->error, sizeof before);
    if (!a->has_candidates) TRY(find_candidates(a, ctx));
    if (expected >= LEAST) TRY(convert(a, ctx, expected, columns));
done:
    if (gs_auto_refused(status)) {
        snprintf(a->reason, sizeof a->reason, "%.110s", ctx->error);
        a->count = 0;
        status = GSOLVE_OK;
    }
    if (status == GSOLVE_OK) memcpy(ctx->error, before, sizeof before);
    return status;
}

static void end_run(gs_auto *a, int64_t made)
{
    a->runs++;
    a->before += made;
    a->last = made;
}

bool gs_auto_may_adapt(const gs_auto *a, const gsolve_context *ctx)
{
    return a->entries >= (gs_on_gpu(ctx) ? LEAST_ENTRIES_CUDA : LEAST_ENTRIES);
}

gsolve_status gs_auto_adapt(void *self, gsolve_context *ctx, const gsolve_run_estimate *o,
                            gsolve_adaptation *made)
{
    gs_auto *a = self;
    gsolve_status status = GSOLVE_OK;

    if (o->ended) {
        end_run(a, o->made);
        return GSOLVE_OK;
    }
    if (a->other || !gs_auto_may_adapt(a, ctx) || (a->has_candidates && a->count == 0))
        return GSOLVE_OK;
    if (most_products(a, o) < LEAST) return GSOLVE_OK;
    TRY(reconsider(a, ctx, expected_products(a, o), o->columns));
    made->final = a->other || !best_of(a, most_products(a, o), o->columns);
    made->changed = a->other != NULL;
    a->changes += made->changed;
    a->since = a->before + o->made;
done:
    return status;
}
