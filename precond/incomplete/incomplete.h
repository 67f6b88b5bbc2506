/* incomplete.h: incomplete factorisations of level 0, A ~ (I + L) D (I + U) with L and U strict
 * triangles, on the host: what ilu, ic and isai begin with. */
#ifndef GS_PRECOND_INCOMPLETE_INCOMPLETE_H
#define GS_PRECOND_INCOMPLETE_INCOMPLETE_H

#include "precond/incomplete/triangular_solve.h"

#define GS_MIN_SHIFT 1e-3 /* of the diagonal, tried first where a factorisation breaks down */
#define GS_MAX_SHIFT  1e3  /* beyond which it is given up */
#define GS_MIN_PIVOT \
    1e-10 /* of what a pivot was made from: below, the factorisation broke down */

/* The shift to try after one that did not do. */
static inline double gs_next_shift(double shift)
{
    return shift > 0 ? 2 * shift : GS_MIN_SHIFT;
}

/* L and U, on entry the sides of csr, become those of csr + shift S (see the file heads);
 * d[i] = 1 / D_ii. *shift is the least to try, and then the one that did. schedule: of L; who: for
 * the sentence. GSOLVE_ZERO_PIVOT: a diagonal that cannot be, or even GS_MAX_SHIFT did not do; but
 * with allow_zero_diagonal, d[i] = 0 where a_ii is missing or 0, which leaves unknown i alone. The numbers fit
 * csr's type. */
gsolve_status gs_incomplete_lu(gs_strict_triangle *L, gs_strict_triangle *U, double *d, gsolve_context *ctx,
                               const char *who, const gsolve_csr *csr, const gs_schedule *schedule,
                               bool allow_zero_diagonal, double *shift);

/* The same with U = L', from L alone. */
gsolve_status gs_incomplete_cholesky(gs_strict_triangle *L, double *d, gsolve_context *ctx, const char *who,
                                     const gsolve_csr *csr, const gs_schedule *schedule,
                                     double *shift);

#endif
