/* explain_cause.h: a cause, and what the tests and the sentences of causes share. */
#ifndef GS_SOLVER_CHOOSE_EXPLAIN_CAUSE_H
#define GS_SOLVER_CHOOSE_EXPLAIN_CAUSE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matrix/csr.h"
#include "solver/choose/explain.h"

enum {                  /* evidence */
       OF_A = 1,        /* the statistics of the matrix that the method iterates on */
       OF_ROWS = 2,     /* the rows of the caller's matrix */
       OF_RUN = 4,      /* a run, and */
       OF_RESIDUAL = 8, /* its residual, with the rows */
       OF_FAILURE = 16, /* a set-up that failed */
       BEFORE = 32      /* the cause is known before a run */
};

struct gs_cause {
    const char *name; /* NULL ends a table */
    int needs;        /* evidence */
    bool (*test)(gs_case *c);
    void (*say)(gs_case *c);
    gs_remedy_id remedies[5]; /* in order of preference */
};

#define OTHERS GS_USE_CHOICE, GS_USE_DIRECT

/* Certain causes in the matrix; causes in the run, and suspicions. */
extern const gs_cause gs_matrix_causes[], gs_run_causes[];

/* explain_causes.c: the method of the spec, or the inner method of refine. */
const gs_method *gs_method_of_case(const gs_case *c);

/* explain_matrix.c: tells of the zeros on the diagonal, if there are any. */
void gs_say_zero_diagonal(gs_case *c);

static inline bool method_is(const gs_case *c, const char *name)
{
    return gs_spec_is(c->f->method, name);
}

static inline bool precond_is(const gs_case *c, const char *name)
{
    return gs_spec_is(c->f->precond, name);
}

static inline bool ended(const gs_case *c, gsolve_outcome outcome)
{
    return c->f->ran && c->f->outcome == outcome;
}

static inline const char *name_of(const gs_case *c)
{
    const gs_method *m = gs_method_of_case(c);
    return m ? m->plugin.name : "the method";
}

static inline bool is_square(const gs_case *c)
{
    return c->f->t.nrows == c->f->t.ncols;
}

static inline bool needs_definite(const gs_case *c)
{
    const gs_method *m = gs_method_of_case(c);
    return m && m->definite;
}

#endif
