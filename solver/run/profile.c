/* profile.c: spans and their sums, see profile.h. */
#include "solver/run/profile.h"
#include "core/info.h"

#include <string.h>

#include "core/trace.h"
#include "core/try.h"

struct gs_span {
    gs_span *next;
    gs_class class;
    int iteration;
    double step_bytes;            /* see gs_profile */
    double bytes, begin, seconds; /* by the host's clock, if the device records no times */
    double messages;              /* seconds of messages before the span; then in it */
    gs_moment *from, *to;         /* if it does */
};

static const char *const name_of[] = {
#define TEXT(name, text) [name] = (text),
    GS_CLASS_LIST(TEXT)
#undef TEXT
};

/* --- spans ------------------------------------------------------------------------------------ */

static void free_list(gs_profile *p, gs_span *s)
{
    const gs_device *device = p->ctx->device;

    while (s) {
        gs_span *next = s->next;
        if (s->from) device->unmark(s->from);
        if (s->to) device->unmark(s->to);
        gsolve_free(p->ctx, GSOLVE_HOST, s);
        s = next;
    }
}

void gs_profile_free(gs_profile *p)
{
    gs_profile_forget(p);
    free_list(p, p->spare);
    p->spare = NULL;
    if (p->origin) p->ctx->device->unmark(p->origin);
    p->origin = NULL;
}

void gs_profile_forget(gs_profile *p)
{
    if (p->first) {
        p->last->next = p->spare;
        p->spare = p->first;
    }
    p->first = p->last = NULL;
}

void gs_profile_switch(gs_profile *p, bool on)
{
    p->on = on || p->ctx->trace;
}

/* Sets the origin of the trace's times: waits until the device has passed a moment. */
static gsolve_status set_origin(gs_profile *p)
{
    const gs_device *device = p->ctx->device;
    double zero;
    gsolve_status status;

    TRY(device->mark(p->ctx->queue, &p->origin));
    TRY(device->between(p->ctx->queue, p->origin, p->origin, &zero));
    p->origin_time = gs_now();
done:
    return status;
}

void gs_profile_clear(gs_profile *p)
{
    gs_profile_forget(p);
    memset(p->line, 0, sizeof p->line);
    for (int i = 0; i < GS_CLASS_COUNT; i++) p->line[i].name = name_of[i];
    p->status = GSOLVE_OK;
    p->iterations = p->steady_iterations = 0;
    p->seconds = p->steady_seconds = 0;
    p->copies = 0;
    if (p->ctx->trace && p->ctx->device->mark) p->status = set_origin(p);
}

static gs_span *new_span(gs_profile *p)
{
    gs_span *s = p->spare;

    if (s) {
        p->spare = s->next;
        return s;
    }
    s = gsolve_alloc(p->ctx, GSOLVE_HOST, 1, sizeof *s);
    if (s) memset(s, 0, sizeof *s);
    return s;
}

void gs_profile_open(gs_profile *p)
{
    const gs_device *device = p->ctx->device;
    gs_span *s = NULL;

    if (device->range_push) device->range_push(name_of[p->class]);
    if (gs_profiling(p) && p->status == GSOLVE_OK) {
        s = new_span(p);
        p->status = s ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    }
    if (s) {
        s->class = p->class;
        s->bytes = p->bytes;
        s->step_bytes = p->step_bytes;
        s->iteration = p->iteration;
        if (device->mark) p->status = device->mark(p->ctx->queue, &s->from);
        s->messages = gs_comm_seconds(p->ctx->comm);
        s->begin = gs_now();
    }
    p->open = s;
    p->step_bytes = 0;
    gs_expect_bytes(p, GS_OTHER, 0);
}

void gs_profile_close(gs_profile *p)
{
    const gs_device *device = p->ctx->device;
    gs_span *s = p->open;

    if (device->range_pop) device->range_pop();
    if (!s) return;
    s->seconds = gs_now() - s->begin;
    s->messages = gs_comm_seconds(p->ctx->comm) - s->messages;
    if (device->mark && p->status == GSOLVE_OK) p->status = device->mark(p->ctx->queue, &s->to);
    s->next = NULL;
    if (p->last) {
        p->last->next = s;
    } else {
        p->first = s;
    }
    p->last = s;
    p->open = NULL;
}

/* Adds a span that has ended, and the bytes that it moved, to the trace. */
static gsolve_status trace_span(const gs_profile *p, const gs_span *s, double bytes)
{
    const gs_device *device = p->ctx->device;
    double begin = s->begin;
    gsolve_status status = GSOLVE_OK;

    if (device->mark) {
        TRY(device->between(p->ctx->queue, p->origin, s->from, &begin));
        begin += p->origin_time;
    }
    gs_trace_operation(p->ctx->trace, name_of[s->class], begin, s->seconds, bytes, s->iteration);
done:
    return status;
}

gsolve_status gs_profile_count(gs_profile *p, int iteration)
{
    const gs_device *device = p->ctx->device;
    gsolve_status status;

    TRY(p->status);
    while (p->first && p->first->iteration <= iteration) {
        gs_span *s = p->first;
        gsolve_profile_class *line = &p->line[s->class];
        if (device->mark) TRY(device->between(p->ctx->queue, s->from, s->to, &s->seconds));
        const double bytes = s->bytes + s->step_bytes * (iteration - s->iteration + 1);
        if (p->ctx->trace) TRY(trace_span(p, s, bytes));
        line->calls++;
        line->bytes += bytes;
        line->seconds += s->seconds - s->messages;
        p->first = s->next;
        if (!p->first) p->last = NULL;
        s->next = p->spare;
        p->spare = s;
    }
done:
    return status;
}

void gs_profile_pass(gs_profile *p, int iterations, bool steady)
{
    const double now = gs_now();

    if (iterations > 0) {
        p->iterations += iterations;
        p->seconds += now - p->since;
    }
    if (iterations > 0 && steady) {
        p->steady_iterations += iterations;
        p->steady_seconds += now - p->since;
    }
    p->since = now;
}

void gs_profile_add_messages(gs_profile *p)
{
    static const gs_class class_of[GS_MESSAGE_KINDS] = {[GS_MESSAGE_EXCHANGE] = GS_HALO_EXCHANGE,
                                                        [GS_MESSAGE_SUM] = GS_SUM_OVER_RANKS,
                                                        [GS_MESSAGE_GATHER] = GS_GATHER,
                                                        [GS_MESSAGE_WAIT] = GS_WAIT_FOR_RANKS};

    for (int k = 0; p->on && k < GS_MESSAGE_KINDS; k++) {
        const gs_message_time *t = &p->ctx->comm->time[k];
        gsolve_profile_class *line = &p->line[class_of[k]];
        line->calls += t->calls;
        line->bytes += t->bytes;
        line->seconds += t->seconds;
    }
}

void gs_profile_merge(gs_profile *p, const gs_profile *inner)
{
    if (!gs_profiling(p)) return;
    for (int i = 0; i < GS_CLASS_COUNT; i++) {
        p->line[i].calls += inner->line[i].calls;
        p->line[i].bytes += inner->line[i].bytes;
        p->line[i].seconds += inner->line[i].seconds;
    }
}

/* --- what callers get ------------------------------------------------------------------------- */

gsolve_profile gs_profile_summary(const gs_profile *p)
{
    const bool steady = p->steady_iterations > 0;
    const int iterations = steady ? p->steady_iterations : p->iterations;
    double bytes = 0, seconds = 0;

    for (int i = 0; i < GS_CLASS_COUNT; i++) {
        bytes += p->line[i].bytes;
        seconds += p->line[i].seconds;
    }
    return (gsolve_profile){
        .iterations = p->iterations,
        .seconds = p->seconds,
        .iteration_seconds =
            iterations > 0 ? (steady ? p->steady_seconds : p->seconds) / iterations : 0,
        .copies = p->copies,
        .iteration_bytes = p->iterations > 0 ? bytes / p->iterations : 0,
        .class_seconds = seconds,
    };
}

bool gs_profile_class_at(const gs_profile *p, int index, gsolve_profile_class *line)
{
    if (!GS_INFO_FITS(gsolve_profile_class, line)) return false;
    for (int i = 0; i < GS_CLASS_COUNT; i++) {
        if (p->line[i].calls > 0 && index-- == 0) {
            GS_FILL_INFO(gsolve_profile_class, line, &p->line[i]);
            return true;
        }
    }
    return false;
}
