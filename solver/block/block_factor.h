/* block_factor.h: the pivoted Cholesky factorisation of a Gram matrix, which reveals on which
 * vectors the others depend. block.cuh has the same on a GPU. */
#ifndef GS_SOLVER_BLOCK_BLOCK_FACTOR_H
#define GS_SOLVER_BLOCK_BLOCK_FACTOR_H

#include "solver/block/block.h"

/* Of a Gram matrix G = W'W: D G D = L L' in the rows and columns order[0..rank), d_i = G_ii^-1/2;
 * what is left of the others is rounding. Row i of L is in the order of the pivots. t = D L'^-1, so
 * that W t is orthonormal in its first rank columns and 0 in the others, and W = W t zeta' with
 * zeta = L D^-1. */
typedef struct gs_block_factor {
    int rank, order[GS_BLOCK];
    double least; /* pivot that was taken; 1 if none was */
    double d[GS_BLOCK], L[GS_BLOCK][GS_BLOCK], rest[GS_BLOCK][GS_BLOCK], t[GS_BLOCK][GS_BLOCK];
} gs_block_factor;

/* G b x b, of columns GS_BLOCK apart. floor: of vectors whose square is no larger W t and zeta take
 * nothing; NULL: 0. */
void gs_block_factorise(gs_block_factor *f, int b, const double *G, const double *floor);

static inline double gs_block_zeta(const gs_block_factor *f, int i, int m)
{
    return f->d[i] > 0 ? f->L[i][m] / f->d[i] : 0;
}

#endif
