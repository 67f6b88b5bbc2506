/* residual.h: b - A x and its norm from A's rows, in double precision, or in doubled precision
 * where rounding errors could decide. This norm decides whether a system is solved.
 * spmv/residual/residual.c computes it. */
#ifndef GS_MATRIX_RESIDUAL_H
#define GS_MATRIX_RESIDUAL_H

#include "gsolve.h"

typedef struct gs_norms {
    double r, b;     /* |b - A x| and |b|; INFINITY if not finite */
    double relative; /* |b - A x| / |b|; |b - A x| if b = 0 */
    double rounding; /* 2^-52 times the norm of |A| |x|, relative to |b|: the size of the rounding
                        errors of A x; 0 if b = 0, or if A is an operator */
    bool doubled;    /* b - A x was computed in doubled precision */
} gs_norms;

/* x solves the system if |b - A x| <= max(relative |b|, absolute). */
typedef struct gs_tolerance {
    double relative, absolute;
} gs_tolerance;

/* Allocates what the residuals of A need, so that computing them needs only work space for b and x
 * that lie elsewhere. */
gsolve_status gs_matrix_prepare_residual(const gsolve_matrix *A);

/* The norms for one column of b and x, of any types and at any locations. Valid over the whole
 * range of double: squares that leave it are computed from scaled numbers.
 *
 * Where rounding errors could decide whether |b - A x| meets the tolerance, b - A x is computed
 * again in doubled precision, on the host: that copies b, x and, once, the rows there. Without a
 * tolerance (NULL) it is computed again where rounding errors of more than 2^-40 |b| exceed it. */
gsolve_status gs_matrix_norms(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                              const gs_tolerance *tolerance, gs_norms *norms);

/* Whether these norms, computed in double precision, need the doubled one for this tolerance. */
bool gs_norms_are_uncertain(const gs_norms *norms, const gs_tolerance *tolerance);

/* r = 2^exponent (b - A x), one column of A's type; exponent from -1020 to 1020. doubled: computed
 * in doubled precision on the host, and then rounded. */
gsolve_status gs_matrix_residual_vector(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                        int exponent, bool doubled, gsolve_dense r);

#endif
