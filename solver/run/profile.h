/* profile.h: where the time of a solver's iterations goes. Every operation of method.h is a span:
 * of a class, with the bytes that it has to move. While a profile is on, the device marks where a
 * span begins and ends; the marks are read when the host has seen that they have passed, so that an
 * iteration waits for nothing. Off, an operation costs a few assignments. */
#ifndef GS_SOLVER_RUN_PROFILE_H
#define GS_SOLVER_RUN_PROFILE_H

#include "core/context.h"
#include "solver/operations/classes.h"

typedef struct gs_span gs_span;

typedef struct gs_profile {
    gsolve_context *ctx;
    bool on;
    int iteration; /* the one that is being made; 0: none, and no span is noted */
    gs_class class;
    double bytes;          /* of the next span */
    double step_bytes;     /* and for each of the iterations that it makes, if several */
    gs_span *open, *spare; /* the one under way; those to use again */
    gs_span *first, *last; /* noted and not yet counted, in their order */
    gsolve_status status;  /* of what was noted last */
    gsolve_profile_class line[GS_CLASS_COUNT];
    /* of all iterations of a run, whether on or not */
    int iterations, steady_iterations; /* steady: but for those while a GPU's are recorded */
    double seconds, steady_seconds, since;
    int64_t copies;
} gs_profile;

/* A run begins: nothing has been counted. */
void gs_profile_clear(gs_profile *p);
void gs_profile_free(gs_profile *p);

/* Whether spans are being noted, so that bytes are of use. */
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

/* ... and its bytes for each of the iterations that it makes, where it makes several. */
static inline void gs_expect_step_bytes(gs_profile *p, double bytes)
{
    p->step_bytes = bytes;
}

/* Spans belong to this iteration from here on; 0: to none, and are not noted. */
static inline void gs_profile_set_iteration(gs_profile *p, int iteration)
{
    p->iteration = iteration;
}

static inline void gs_profile_add_copies(gs_profile *p, int64_t copies)
{
    p->copies += copies;
}

static inline void gs_profile_switch(gs_profile *p, bool on)
{
    p->on = on;
}

/* What callers see of it. */
gsolve_profile gs_profile_summary(const gs_profile *p);
bool gs_profile_class_at(const gs_profile *p, int index, gsolve_profile_class *line);

void gs_profile_open(gs_profile *p);
void gs_profile_close(gs_profile *p);

/* Counts the spans of the iterations up to that one, which have ended. Fails if one could not be
 * noted. */
gsolve_status gs_profile_count(gs_profile *p, int iteration);

/* Drops those that were noted of later iterations, which changed nothing. */
void gs_profile_forget(gs_profile *p);

/* So many iterations have passed since it was said last; 0: the clock starts. */
void gs_profile_pass(gs_profile *p, int iterations, bool steady);

/* Adds to p, in an iteration of it, what an inner solver counted. */
void gs_profile_merge(gs_profile *p, const gs_profile *inner);

#endif
