/* ilu.h: the incomplete LU factorisation of level 0 on a GPU, A ~ M = (I + L) D (I + U), computed
 * by fixed-point sweeps over all entries at once. With
 *
 *     s_ij = a_ij - sum_{k < min(i, j)} s_ik s_kj / s_kk        on the pattern of A
 *
 * D = diag(s_ii), L = (lower part of s) D^-1, U = D^-1 (upper part of s). A sweep evaluates the
 * right-hand side with the s of the previous sweep, the first with A. After as many sweeps as the
 * longest chain of dependent rows has members, the result is exact; it is close after a few (Chow
 * and Patel, SIAM Journal on Scientific Computing 37, 2015). Chow and Patel scale L. This form
 * keeps M symmetric after any number of sweeps if A is symmetric. */
#ifndef GS_PRECOND_AMG_SMOOTHERS_ILU_H
#define GS_PRECOND_AMG_SMOOTHERS_ILU_H

#include "matrix/csr.h"

#define GS_ILU_SWEEPS 3 /* more sweeps do not make the cycles converge faster */

/* On a GPU only: all members are NULL on the CPU. */
typedef struct gs_ilu_kernels {
    /* *T, owned = the pattern of A below its diagonal, or above it if upper; values unset */
    gsolve_status (*side)(gsolve_csr *T, gsolve_context *ctx, const gsolve_csr *A, bool upper);
    /* A sweep: next = s from the values in old; inverse[i] = 1 / D_ii if row i has a diagonal
     * entry. d: the reciprocals of the previous sweep. mean: entries per row of A. */
    gsolve_status (*sweep)(gs_queue *q, const gsolve_csr *A, double mean, const void *old,
                           const void *d, void *next, void *inverse);
    /* values = those of T, from s: L has s_ij d_j, U has d_i s_ij */
    gsolve_status (*put)(gs_queue *q, const gsolve_csr *A, const void *s, const void *d,
                         const gsolve_csr *T, void *values, bool upper);
} gs_ilu_kernels;

extern const gs_ilu_kernels gs_ilu_host[GSOLVE_TYPE_COUNT], gs_ilu_cuda[GSOLVE_TYPE_COUNT];

#endif
