/* refine.h: what refine.c and refine_inner.c share. */
#ifndef GS_SOLVER_METHODS_REFINE_H
#define GS_SOLVER_METHODS_REFINE_H

#include "solver/operations/operations.h"

/* The words of the option inner. */
#define GS_REFINE_INNER "auto|cg|bicgstab|gmres|fgmres|minres"

typedef struct gs_refine_options {
    gs_run_options run;
    double rtol; /* of the inner method */
    int inner, maxit, type;
} gs_refine_options;

typedef struct gs_refine_state {
    gsolve_matrix *A; /* copies in f32, or NULL */
    gsolve_precond *M;
    gsolve_solver *inner, *plain; /* on the copies, or NULL; on k->A and k->M, once needed */
    uint64_t version;             /* of A's values that are copied */
    gsolve_dense r, t, d, kept;   /* t = b - Ax to be; kept = x before the step */
    gsolve_dense low_r, low_d;    /* in the inner type */
    gs_scalar scale;              /* 2^-e */
    /* on the host, for each column */
    double *factor, *before, *after; /* scale; |r|^2 before and after the inner solve */
    bool *use, *fallen;              /* takes part in this step; goes on in A's type */
    gsolve_outcome *outcome;         /* of the inner solve in A's type */
    int iterations;                  /* inner ones of this run */
    bool warm;                       /* inner can go on where it ended */
} gs_refine_state;

/* Whether the inner method works on copies in f32. */
bool gs_refine_copies(const gs_krylov *k);
/* inner for A's present values, or, where f32 cannot hold or factor them, plain. */
gsolve_status gs_refine_prepare(gs_krylov *k);
/* plain, if it is not there yet. */
gsolve_status gs_refine_plain(gs_krylov *k);
/* x = A^-1 b by inner or plain, whose outcome is told and whose work is counted. */
gsolve_status gs_refine_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                            gsolve_outcome *outcome);
/* Releases inner, plain and the copies. */
void gs_refine_drop(gs_krylov *k);

#endif
