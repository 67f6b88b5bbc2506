/* ilu_sweep.h: the data of the smoother ilu, and its sweep; see ilu.c. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_ILU_SWEEP_H
#define GS_PRECOND_AMG_SMOOTHERS_ILU_SWEEP_H

#include "precond/amg/smoothers/smoother.h"
#include "precond/incomplete/factors.h"

typedef struct gs_ilu_side { /* L or U as a matrix */
    gsolve_matrix *T;
    gsolve_csr rows; /* the rows of T */
    bool fused;      /* r - T y is one pass over the rows */
    double mean;     /* entries per row */
} gs_ilu_side;

typedef struct gs_ilu {
    bool exact;          /* CPU: exact solves with factors; else the members below */
    gs_factors *factors; /* NULL if not exact; the first transposed solve changes it */
    gs_ilu_side L, U;
    void *d; /* reciprocals of D */
    gsolve_dense y, z;
    int steps;
    double scale; /* factor of M^-1 */
    bool fused;   /* fused and mean of A */
    double mean;
    gsolve_matrix_info A;
} gs_ilu;

/* See gs_smoother.sweep. The sweep back equals the sweep. */
gsolve_status gs_ilu_sweep(const void *self, gsolve_context *ctx, const gs_level_view *level,
                           gsolve_dense b, gsolve_dense x, gsolve_dense space, bool zero,
                           bool back);

#endif
