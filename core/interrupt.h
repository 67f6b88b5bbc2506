/* interrupt.h: whether the caller wants the calls in a context to stop. Functions that can take
 * long ask at least every tenth of a second, where that is possible, and fail with
 * GSOLVE_INTERRUPTED; a run of a solver ends with what it has. */
#ifndef GS_CORE_INTERRUPT_H
#define GS_CORE_INTERRUPT_H

#include "core/context.h"

/* Whether a stop was asked for, or gs_must_stop has found that the time is over. Two loads; any
 * thread may call it. */
static inline bool gs_stop_asked(const gsolve_context *ctx)
{
    return (__atomic_load_n(&ctx->interrupt.asked, __ATOMIC_RELAXED) |
            __atomic_load_n(&ctx->interrupt.expired, __ATOMIC_RELAXED)) != 0;
}

/* Whether the caller has a test or a time limit, which only gs_must_stop asks. */
static inline bool gs_has_stop_test(const gsolve_context *ctx)
{
    return ctx->interrupt.test || ctx->interrupt.limit > 0;
}

/* gs_stop_asked, after the caller's test and the clock were asked. For the thread that called the
 * library. */
bool gs_must_stop(gsolve_context *ctx);

/* gs_must_stop in the thread that called the library, whose number in a parallel region is 0;
 * gs_stop_asked in the others. For loops over rows. */
static inline bool gs_worker_must_stop(gsolve_context *ctx, int worker)
{
    return worker == 0 && gs_has_stop_test(ctx) ? gs_must_stop(ctx) : gs_stop_asked(ctx);
}

/* GSOLVE_INTERRUPTED and a sentence if the calls in ctx must stop. For the thread that called the
 * library. */
gsolve_status gs_check_interrupt(gsolve_context *ctx);

/* The outcome of a run that gs_must_stop has ended. */
gsolve_outcome gs_stop_outcome(const gsolve_context *ctx);

#endif
