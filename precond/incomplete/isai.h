/* isai.h: pattern and values of incomplete sparse approximate inverses, which isai.c describes. */
#ifndef GS_PRECOND_INCOMPLETE_ISAI_H
#define GS_PRECOND_INCOMPLETE_ISAI_H

#include "precond/incomplete/triangular_solve.h"

/* W ~ diag(scale) (I + L)^-1, L a strict lower triangle. Row i of W has the pattern S_i and solves
 * (W (I + L))(i, j) = scale_i I(i, j) for all j in S_i. */

/* *W = an owned matrix, values unset. The pattern S_i of its row i is that of row i of (I +
 * L)^power. If this row has more than `longest` entries, the largest power, at least 1, with at
 * most longest entries replaces it. *shortened: the number of such rows. GSOLVE_NO_MEMORY. */
gsolve_status gs_isai_pattern(gsolve_csr *W, gsolve_context *ctx, gsolve_type type,
                              const gs_strict_triangle *L, int power, int32_t longest,
                              int32_t *shortened);

/* The values of W, whose pattern is a lower triangle with its diagonal. scale: n numbers, NULL:
 * ones. *fits: all values are within the range of W's type. The cost is the number of entries of L
 * in the rows j of S_i, over all i: as much as the factorisation for power 1. */
gsolve_status gs_isai_fill(const gsolve_csr *W, gsolve_context *ctx, const gs_strict_triangle *L,
                           const double *scale, bool *fits);

/* *T, owned = (I + L) diag(1 / scale), whose inverse W approximates. */
gsolve_status gs_isai_triangle(gsolve_csr *T, gsolve_context *ctx, gsolve_type type,
                               const gs_strict_triangle *L, const double *scale, bool *fits);

#endif
