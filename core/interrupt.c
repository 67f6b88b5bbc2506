/* interrupt.c: requests of the caller that calls stop, and the stages of a call, see interrupt.h.
 */
#include "core/interrupt.h"

#include <math.h>

#define EVERY 0.01 /* seconds between two calls of the caller's test */

void gsolve_context_interrupt(gsolve_context *ctx, bool on)
{
    __atomic_store_n(&ctx->interrupt.asked, on, __ATOMIC_RELAXED);
}

void gsolve_context_set_interrupt_test(gsolve_context *ctx, gsolve_interrupt_test *test, void *user)
{
    ctx->interrupt.test = test;
    ctx->interrupt.user = user;
    ctx->interrupt.next = 0;
}

gsolve_status gsolve_context_set_time_limit(gsolve_context *ctx, double seconds)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!(seconds >= 0)) {
        return gsolve_fail(
            ctx, GSOLVE_BAD_ARGUMENT,
            "a time limit of %g seconds; it must be at least 0, or INFINITY for none", seconds);
    }
    ctx->interrupt.seconds = seconds;
    ctx->interrupt.limit = isinf(seconds) ? 0 : gs_now() + seconds;
    __atomic_store_n(&ctx->interrupt.expired, 0, __ATOMIC_RELAXED);
    return GSOLVE_OK;
}

bool gs_must_stop(gsolve_context *ctx)
{
    gs_interrupt *i = &ctx->interrupt;
    double now;

    if (gs_stop_asked(ctx)) return true;
    if (!gs_has_stop_test(ctx)) return false;
    now = gs_now();
    if (i->limit > 0 && now >= i->limit) {
        __atomic_store_n(&i->expired, 1, __ATOMIC_RELAXED);
        return true;
    }
    if (!i->test || now < i->next) return false;
    i->next = now + EVERY;
    if (i->test(i->user)) __atomic_store_n(&i->asked, 1, __ATOMIC_RELAXED);
    return gs_stop_asked(ctx);
}

gsolve_status gs_check_interrupt(gsolve_context *ctx)
{
    if (!gs_must_stop(ctx)) return GSOLVE_OK;
    if (gs_stop_outcome(ctx) == GSOLVE_TIME_LIMIT) {
        return gsolve_fail(ctx, GSOLVE_INTERRUPTED, "interrupted by the time limit of %g s",
                           ctx->interrupt.seconds);
    }
    return gsolve_fail(ctx, GSOLVE_INTERRUPTED, "interrupted by the caller");
}

gsolve_outcome gs_stop_outcome(const gsolve_context *ctx)
{
    return __atomic_load_n(&ctx->interrupt.asked, __ATOMIC_RELAXED) ? GSOLVE_STOPPED
                                                                    : GSOLVE_TIME_LIMIT;
}

/* --- stages ----------------------------------------------------------------------------------- */

void gsolve_context_set_stage_monitor(gsolve_context *ctx, gsolve_stage_monitor *monitor,
                                      void *user)
{
    ctx->stage_monitor = monitor;
    ctx->stage_user = user;
}
