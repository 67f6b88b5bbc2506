/* profile.h: where the time of a solver's iterations goes. Every operation of method.h is a span:
 * of a class, with the bytes that it has to move. While a profile is on, the device marks where a
 * span begins and ends; the marks are read when the host has seen that they have passed, so that an
 * iteration waits for nothing. Off, an operation costs a few assignments. */
#ifndef GS_SOLVER_RUN_PROFILE_H
#define GS_SOLVER_RUN_PROFILE_H

#include "core/context.h"

#define GS_CLASS_LIST(X)                                 \
    X(GS_PRODUCT, "product")                             \
    X(GS_PRODUCT_DOT, "product + dot")                   \
    X(GS_PRODUCT_TRANSPOSE, "transposed product")        \
    X(GS_PRECOND, "preconditioner")                      \
    X(GS_PRECOND_DOT, "preconditioner + dot")            \
    X(GS_PRECOND_TRANSPOSE, "transposed preconditioner") \
    X(GS_RESIDUAL_STEP, "residual step")                 \
    X(GS_DIRECTION_STEP, "direction step")               \
    X(GS_TURN, "axpbypcz + diagonal")                    \
    X(GS_SOLUTION_STEP, "solution step")                 \
    X(GS_PIPE_STEP, "pipelined step")                    \
    X(GS_DOT, "dot")                                     \
    X(GS_DOT2, "two dots")                               \
    X(GS_AXPBY, "axpby")                                 \
    X(GS_AXPBYPCZ, "axpbypcz")                           \
    X(GS_AXPY_NORM, "axpy + norm")                       \
    X(GS_DOTS, "dots with a basis")                      \
    X(GS_COMBINE, "combination of a basis")              \
    X(GS_COPY, "copy")                                   \
    X(GS_ZERO, "zero")                                   \
    X(GS_SCALE, "scale")                                 \
    X(GS_RESIDENT, "steps on the chip")                  \
    X(GS_SCALARS, "scalars")                             \
    X(GS_TEST, "test")                                   \
    X(GS_OTHER, "other") /* that nobody has given a class */

#define GS_CLASS_NAME(name, text) name,
typedef enum gs_class { GS_CLASS_LIST(GS_CLASS_NAME) GS_CLASS_COUNT } gs_class;
#undef GS_CLASS_NAME

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

/* What the next span is of. */
static inline void gs_expect_bytes(gs_profile *p, gs_class class, double bytes)
{
    p->class = class;
    p->bytes = bytes;
}

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
