/* cost.h: upper bounds of the cost of sparse factorisations by CXSparse, from their symbolic
 * analysis. Operations are additions and multiplications. */
#ifndef GS_FACTOR_COST_H
#define GS_FACTOR_COST_H

#include <cs.h>

#include "core/context.h"

typedef struct gs_direct_cost {
    double entries;    /* of all factors together */
    double operations; /* of the numeric factorisation */
} gs_direct_cost;

/* Whether both numbers of cost are at most those of limit. */
bool gs_cost_fits(gs_direct_cost cost, gs_direct_cost limit);

/* Cholesky of A, n x n; S = cs_di_schol(order, A). Exact. */
gs_direct_cost gs_cholesky_cost(const cs_dis *S, int n);

/* LU of a matrix with a symmetric pattern, n x n, if all pivots lie on the diagonal; S =
 * cs_di_schol(order, A). With other pivots the cost can be much higher. */
gs_direct_cost gs_diagonal_lu_cost(const cs_dis *S, int n);

/* QR of A, m x n with m >= n; S = cs_di_sqr(order, A, 1). An upper bound. */
gsolve_status gs_qr_cost(gs_direct_cost *cost, gsolve_context *ctx, const cs_di *A,
                         const cs_dis *S);

/* LU of A, n x n, with any pivots and the column order of S = cs_di_sqr(order, A, 1). An upper
 * bound: the pattern of the Householder vectors of QR contains that of L, and the pattern of R
 * contains that of U (George and Ng 1987). */
gsolve_status gs_pivoted_lu_cost(gs_direct_cost *cost, gsolve_context *ctx, const cs_di *A,
                                 const cs_dis *S);

/* LU of any n x n matrix with any pivots. An upper bound. */
gs_direct_cost gs_dense_lu_cost(int n);

#endif
