/* residual.h: b - A x and its norm from A's rows, in double precision. This norm decides whether a
 * system is solved. spmv/residual/residual.c computes it. */
#ifndef GS_MATRIX_RESIDUAL_H
#define GS_MATRIX_RESIDUAL_H

#include "gsolve.h"

typedef struct gs_norms {
    double r, b;     /* |b - A x| and |b|; INFINITY if not finite */
    double relative; /* |b - A x| / |b|; |b - A x| if b = 0 */
    double rounding; /* 2^-52 times the norm of |A| |x|, relative to |b|: the size of the rounding
                        errors of A x; 0 if b = 0, or if A is an operator */
} gs_norms;

/* Allocates what the residuals of A need, so that computing them needs only work space for b and x
 * that lie elsewhere. */
gsolve_status gs_matrix_prepare_residual(const gsolve_matrix *A);

/* The norms for one column of b and x, of any types and at any locations. Valid over the whole
 * range of double: squares that leave it are computed from scaled numbers. If rounding errors of A x
 * may be larger than b, r and relative are at least their bound, 2^-52 times the norm of |A| |x|. */
gsolve_status gs_matrix_norms(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                              gs_norms *norms);

/* r = 2^exponent (b - A x), one column of A's type; exponent from -1020 to 1020. */
gsolve_status gs_matrix_residual_vector(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                        int exponent, gsolve_dense r);

#endif
