/* profile.h: where the time of a solver's iterations goes. Every operation is a span: it has a
 * class and the bytes that it moves. While the profile is on, the device records the time at the
 * start and the end of a span. The host reads these times only after the span has ended, so that no
 * iteration waits. While the profile is off, an operation costs a few assignments.
 *
 * Over several ranks that compute on CPUs, the messages have classes of their own; the time of a
 * span is without those of its messages. */
#ifndef GS_SOLVER_RUN_PROFILE_H
#define GS_SOLVER_RUN_PROFILE_H

#include "core/context.h"
#include "dist/comm.h"

/* The kinds of operation that a profile tells apart. */
#define GS_CLASS_LIST(X)                                 \
    X(GS_PRODUCT, "product")                             \
    X(GS_PRODUCT_DOT, "product + dot")                   \
    X(GS_PRODUCT_TRANSPOSE, "transposed product")        \
    X(GS_PRECOND, "preconditioner")                      \
    X(GS_PRECOND_DOT, "preconditioner + dot")            \
    X(GS_PRECOND_TRANSPOSE, "transposed preconditioner") \
    X(GS_RESIDUAL_STEP, "update of r")                   \
    X(GS_DIRECTION_STEP, "update of p and x")            \
    X(GS_DIRECTION_UPDATE, "update of p")                \
    X(GS_AXPBYPCZ_DIAGONAL, "axpbypcz + diagonal")       \
    X(GS_SOLUTION_STEP, "update of x and r")             \
    X(GS_PIPE_STEP, "update of all vectors")             \
    X(GS_DOT, "dot")                                     \
    X(GS_DOT2, "two dots")                               \
    X(GS_AXPBY, "axpby")                                 \
    X(GS_AXPBYPCZ, "axpbypcz")                           \
    X(GS_AXPY_NORM, "axpy + norm")                       \
    X(GS_PROJECTION, "projection of the null space")     \
    X(GS_DOTS, "dots with a basis")                      \
    X(GS_COMBINE, "combination of a basis")              \
    X(GS_COPY, "copy")                                   \
    X(GS_ZERO, "zero")                                   \
    X(GS_SCALE, "scale")                                 \
    X(GS_RESIDENT, "steps on the chip")                  \
    X(GS_SCALARS, "scalars")                             \
    X(GS_TEST, "test")                                   \
    X(GS_HALO_EXCHANGE, "halo exchange")                 \
    X(GS_SUM_OVER_RANKS, "sum over ranks")               \
    X(GS_GATHER, "gather from all ranks")                \
    X(GS_WAIT_FOR_RANKS, "wait for other ranks")         \
    X(GS_OTHER, "other") /* operations without a class of their own */

#define GS_CLASS_NAME(name, text) name,
typedef enum gs_class { GS_CLASS_LIST(GS_CLASS_NAME) GS_CLASS_COUNT } gs_class;
#undef GS_CLASS_NAME

typedef struct gs_span gs_span;

typedef struct gs_profile {
    gsolve_context *ctx;
    bool on;
    int iteration; /* the current one; 0: none, and spans are not recorded */
    gs_class class;
    gs_moment *origin;     /* for the trace: the begin of the run by the device's clock */
    double origin_time;    /* and by the host's */
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

/* Switches the profile on or off. With $GSOLVE_TRACE it is always on. */
void gs_profile_switch(gs_profile *p, bool on);
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

/* Adds the messages of ctx's communicator, as it has timed them. */
void gs_profile_add_messages(gs_profile *p);

/* Adds what an inner solver counted during an iteration of p. */
void gs_profile_merge(gs_profile *p, const gs_profile *inner);

#endif
