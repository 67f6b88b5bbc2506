/* refine.h: what refine.c and refine_inner.c share. */
#ifndef GS_SOLVER_METHODS_REFINE_H
#define GS_SOLVER_METHODS_REFINE_H

#include "solver/operations/operations.h"

/* The values of the option inner. */
#define GS_REFINE_INNER "auto|cg|bicgstab|gmres|fgmres|minres"

typedef struct gs_refine_options {
    gs_run_options run;
    double rtol; /* of the inner method */
    int inner, maxit, type;
} gs_refine_options;

typedef struct gs_refine_state {
    gsolve_dense r, t, d, kept; /* t: the next b - Ax; kept: x before the step */
    gs_scalar scale;            /* 2^-e */
    gsolve_dense low_r, low_d;  /* in the inner type */
    gsolve_matrix *A;           /* copies in f32, or NULL */
    gsolve_precond *M;
    gsolve_solver *inner, *plain; /* on the copies; on k->A and k->M; or NULL */
    uint64_t version;             /* of A's values that are copied */
    /* on the host, for each column */
    double *factor, *before, *after; /* scale; |r|^2 before and after the inner solve */
    bool *use,
        *fell_back; /* it is corrected in this step; single precision did not halve its |r| */
    gsolve_outcome *outcome; /* of the inner solve in A's type */
    int iterations;          /* inner ones of this run */
    bool warm;               /* inner has made a run since the last start */
} gs_refine_state;

/* Whether the inner method works on copies in f32. */
bool gs_refine_copies(const gs_krylov *k);
/* Sets up s->inner for A's present values; s->plain where f32 cannot hold or factor them. */
gsolve_status gs_refine_prepare(gs_krylov *k);
/* Sets up s->plain, unless it exists. */
gsolve_status gs_refine_plain(gs_krylov *k);
/* x = A^-1 b by `inner` (s->inner or s->plain), whose work counts as that of k. */
gsolve_status gs_refine_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                            gsolve_outcome *outcome);
/* Releases inner, plain and the copies. */
void gs_refine_drop(gs_krylov *k);

#endif
