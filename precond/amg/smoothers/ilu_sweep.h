/* ilu_sweep.h: what the smoother ilu is made of, see ilu.c; and its sweeps. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_ILU_SWEEP_H
#define GS_PRECOND_AMG_SMOOTHERS_ILU_SWEEP_H

#include "precond/amg/smoothers/smoother.h"
#include "precond/incomplete/factors.h"

typedef struct gs_ilu_side { /* L or U, to multiply with */
    gsolve_matrix *T;
    gsolve_csr rows; /* T's */
    bool fused;      /* r - T y is one pass over rows */
    double mean;     /* entries a row */
} gs_ilu_side;

typedef struct gs_ilu {
    bool exact; /* by factors; else by what follows it */
    gs_factors factors;
    gs_ilu_side L, U;
    void *d; /* reciprocals of D */
    gsolve_dense y, z;
    int steps;
    double scale; /* of M^-1 */
    bool fused;   /* of A, as for a side */
    double mean;
    gsolve_matrix_info A;
} gs_ilu;

/* gs_smoother.sweep; the sweep back is the sweep. */
gsolve_status gs_ilu_sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero,
                           bool back);

#endif
