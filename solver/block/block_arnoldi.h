/* block_arnoldi.h: the operations of block_gmres, each on all blocks of columns. */
#ifndef GS_SOLVER_BLOCK_BLOCK_ARNOLDI_H
#define GS_SOLVER_BLOCK_BLOCK_ARNOLDI_H

#include "solver/block/block.h"
#include "solver/operations/operations.h"

typedef struct gs_arnoldi {
    int m;                    /* steps of a cycle */
    int most;                 /* columns of a block */
    int64_t ld;               /* of the small matrices */
    gsolve_dense V;           /* m vectors a column: block j of all columns behind block j - 1 */
    gsolve_dense W;           /* the current block */
    gs_scalar H, Q, g, again; /* see gs_arnoldi_small, for each block at its first column */
    gs_scalar G, t;
    int *once, *length, *no_update;
    void *space;
} gs_arnoldi;

/* Work space for cycles of m steps, with at most `most` columns in a block. */
gsolve_status gs_arnoldi_new(gs_krylov *k, gs_arnoldi *s, int m, int most);
/* Block j of V, of all columns. */
gsolve_dense gs_arnoldi_block(const gs_krylov *k, const gs_arnoldi *s, int j);
/* Makes W orthogonal to the first `steps` blocks of V and orthonormal, and stores it as block
 * `steps` of V, or in W itself after the last step. Sets k->rr to the residuals after `steps`
 * steps. steps is 0: a cycle begins with the active columns of W, whose residuals are known. */
gsolve_status gs_arnoldi_orthogonalise(gs_krylov *k, const gs_arnoldi *s, int steps);
/* Computes y for `steps` steps, and W = V y with the first `count` blocks of V, in the columns that
 * have a correction. */
gsolve_status gs_arnoldi_solve(gs_krylov *k, const gs_arnoldi *s, int steps, int count);
/* D = D y with the last block of y, after a cycle of m steps. */
gsolve_status gs_arnoldi_last(gs_krylov *k, const gs_arnoldi *s, gsolve_dense D);
/* x has the correction: no column has one any more. */
gsolve_status gs_arnoldi_close(gs_krylov *k, const gs_arnoldi *s);

#endif
