/* ilu.h: what the smoother ilu asks of a device with memory of its own: the incomplete
 * factorisation of level 0, A ~ M = (I + L) D (I + U), of which all entries are computed at once.
 * With
 *
 *     s_ij = a_ij - sum_{k < min(i, j)} s_ik s_kj / s_kk        on the pattern of A
 *
 * D = diag(s_ii), L = (lower s) D^-1, U = D^-1 (upper s). A sweep takes the right side from the
 * sweep before it, the first from A: after as many sweeps as rows depend on each other one by one
 * this is the factorisation, and close to it after a few (Chow and Patel, SIAM Journal on
 * Scientific Computing 37, 2015, who scale L; so, M is symmetric after any number of sweeps if A
 * is). */
#ifndef GS_PRECOND_AMG_SMOOTHERS_ILU_H
#define GS_PRECOND_AMG_SMOOTHERS_ILU_H

#include "matrix/csr.h"

#define GS_ILU_SWEEPS 3 /* after which cycles are as good as after more */

typedef struct gs_ilu_kernels {
    /* *T, owned = the part of A below (upper: above) its diagonal, values unset */
    gsolve_status (*side)(gsolve_csr *T, gsolve_context *ctx, const gsolve_csr *A, bool upper);
    /* A sweep: next = s of A's entries from what old holds; inverse[i] = 1 / D_ii where row i has a
     * diagonal entry, d: the same before. mean: entries a row of A. */
    gsolve_status (*sweep)(gs_queue *q, const gsolve_csr *A, double mean, const void *old,
                           const void *d, void *next, void *inverse);
    /* values, those of T, from s: L's are s_ij d_j, U's d_i s_ij */
    gsolve_status (*put)(gs_queue *q, const gsolve_csr *A, const void *s, const void *d,
                         const gsolve_csr *T, void *values, bool upper);
} gs_ilu_kernels;

extern const gs_ilu_kernels gs_ilu_host[GSOLVE_TYPE_COUNT], gs_ilu_cuda[GSOLVE_TYPE_COUNT];

#endif
