/* ritz.h: extreme eigenvalues and singular values of the small matrices of Krylov methods. */
#ifndef GS_SOLVER_RUN_RITZ_H
#define GS_SOLVER_RUN_RITZ_H

#include <stdint.h>

/* The smallest and the largest of some numbers. */
typedef struct gs_range {
    double least, most;
} gs_range;

/* Returns the extreme eigenvalues of the symmetric tridiagonal matrix T with n >= 1 rows: t[2 i] is
 * its diagonal element i, t[2 i + 1] the element on the right of it. Bisection with Sturm sequences
 * (Golub and Van Loan 2013, section 8.4.1); the error is about 1e-15 times the largest |element|.
 */
gs_range gs_tridiagonal_range(int n, const double *t);

/* An upper triangular matrix: element (i, j) is r[j * stride + i] for j - band <= i <= j, and 0
 * otherwise. */
typedef struct gs_triangle {
    int n, band;
    int64_t stride;
    const double *r;
} gs_triangle;

/* Returns estimates of the extreme singular values of R, n >= 1: power iteration with R'R and its
 * inverse, to about three digits. `least` is never too small and `most` never too large, up to
 * rounding. `least` is 0 if an element of the diagonal is 0. work: 2 n numbers. */
gs_range gs_triangle_range(gs_triangle R, double *work);

/* Returns R of the QR factorisation of T with the row below it, (n + 1) x n, where T is as above
 * and the row has the element t[2 n - 1] at its end. space: 3 n + 2 numbers, which R uses. */
gs_triangle gs_tridiagonal_triangle(int n, const double *t, double *space);

#endif
