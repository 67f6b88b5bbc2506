/* block_arnoldi.h: the operations of block_gmres: each on all blocks of columns, side by side. */
#ifndef GS_SOLVER_BLOCK_BLOCK_ARNOLDI_H
#define GS_SOLVER_BLOCK_BLOCK_ARNOLDI_H

#include "solver/block/arnoldi.h"
#include "solver/operations/operations.h"

typedef struct gs_arnoldi {
    int m;                    /* steps of a cycle */
    int most;                 /* columns of a block */
    int64_t ld;               /* of the small matrices */
    gsolve_dense V;           /* m vectors a column: block j of all columns behind block j - 1 */
    gsolve_dense W;           /* the block at hand */
    gs_scalar H, Q, g, again; /* see gs_arnoldi_small, for each block at its first column */
    gs_scalar G, t;
    int *once, *length, *nothing;
    void *space;
} gs_arnoldi;

/* For cycles of m steps, and at most so many columns in a block. */
gsolve_status gs_arnoldi_new(gs_krylov *k, gs_arnoldi *s, int m, int most);
/* Block j of V, of all columns. */
gsolve_dense gs_arnoldi_block(const gs_krylov *k, const gs_arnoldi *s, int j);
/* V_steps, or W where that is the last: W less its part in the first steps blocks of V, made
 * orthonormal; the residuals after so many steps, in k->rr. steps is 0: a cycle begins, with the
 * columns of W that have not ended, whose residuals are known. */
gsolve_status gs_arnoldi_orthogonalise(gs_krylov *k, const gs_arnoldi *s, int steps);
/* y, of so many steps; W = V y with the first count blocks of V for the columns whose nothing is 0
 * then. */
gsolve_status gs_arnoldi_solve(gs_krylov *k, const gs_arnoldi *s, int steps, int count);
/* D = D y with the last block of y, of a cycle of m steps. */
gsolve_status gs_arnoldi_last(gs_krylov *k, const gs_arnoldi *s, gsolve_dense D);
/* nothing = 1 for all: x has got it. */
gsolve_status gs_arnoldi_close(gs_krylov *k, const gs_arnoldi *s);

#endif
