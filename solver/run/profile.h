/* profile.h: where the time of a solver's iterations goes. Every operation is a span: it has a
 * class and the bytes that it moves. While the profile is on, the device records the time at the
 * start and the end of a span. The host reads these times only after the span has ended, so that no
 * iteration waits. While the profile is off, an operation costs a few assignments. */
#ifndef GS_SOLVER_RUN_PROFILE_H
#define GS_SOLVER_RUN_PROFILE_H

#include "core/context.h"
#include "solver/operations/classes.h"

typedef struct gs_span gs_span;

typedef struct gs_profile {
    gsolve_context *ctx;
    bool on;
    int iteration; /* the current one; 0: none, and spans are not recorded */
    gs_class class;
    double bytes;          /* of the next span */
    double step_bytes;     /* of the next span, for each of its iterations if it has several */
    gs_span *open, *spare; /* the current span; those that can be reused */
    gs_span *first, *last; /* recorded and not yet counted, in their order */
    gsolve_status status;  /* of the last recording */
    gsolve_profile_class line[GS_CLASS_COUNT];
    /* of all iterations of a run, also while the profile is off */
    int iterations,
        steady_iterations; /* steady: without those during which steps are recorded as a graph */
    double seconds, steady_seconds, since;
    int64_t copies;
} gs_profile;

/* A run begins: nothing has been counted. */
void gs_profile_clear(gs_profile *p);
void gs_profile_free(gs_profile *p);

/* Whether spans are recorded, so that their bytes are needed. */
static inline bool gs_profiling(const gs_profile *p)
{
    return p->on && p->iteration > 0;
}

/* The class and the bytes of the next span. */
static inline void gs_expect_bytes(gs_profile *p, gs_class class, double bytes)
{
    p->class = class;
    p->bytes = bytes;
}

/* The parts of the profile that callers get. */
gsolve_profile gs_profile_summary(const gs_profile *p);
bool gs_profile_class_at(const gs_profile *p, int index, gsolve_profile_class *line);

void gs_profile_open(gs_profile *p);
void gs_profile_close(gs_profile *p);

/* Counts the spans of the iterations up to `iteration`, which have ended. Fails if recording one
 * has failed. */
gsolve_status gs_profile_count(gs_profile *p, int iteration);

/* Drops the spans of later iterations, which changed nothing. */
void gs_profile_forget(gs_profile *p);

/* `iterations` have ended since the last call; 0: starts the clock. steady: no step was recorded as
 * a graph during them. */
void gs_profile_pass(gs_profile *p, int iterations, bool steady);

/* Adds what an inner solver counted during an iteration of p. */
void gs_profile_merge(gs_profile *p, const gs_profile *inner);

#endif
