/* polynomial.h: polynomials in D^-1 A times D^-1, D a diagonal: by which the preconditioner
 * chebyshev applies itself, and multigrid smooths. */
#ifndef GS_PRECOND_CHEBYSHEV_POLYNOMIAL_H
#define GS_PRECOND_CHEBYSHEV_POLYNOMIAL_H

#include "matrix/csr.h"

/* A diagonal close to A's inverse: sign(a_ii) / sum_j |a_ij|; the one that minimises |I - D A| by
 * rows, a_ii / sum_j a_ij^2 (Broeker and Grote, Applied Numerical Mathematics 41, 2002); 1 / a_ii.
 * 0 where the divisor is. */
typedef enum gs_inverse_diagonal {
    GS_L1_SUMS,
    GS_LEAST_SQUARES,
    GS_POINT_JACOBI
} gs_inverse_diagonal;

/* What a step works on: p = a d * (b - Ax) + c old, x += p. Ax NULL: x counts as 0, p = x =
 * a d * b. old, which may be p or x, is read where c is not 0; p NULL: it is not kept. d: a number
 * a row. */
typedef struct gs_step_vectors {
    const void *d, *b, *Ax, *old;
    void *p, *x;
} gs_step_vectors;

typedef struct gs_polynomial_kernels {
    /* d = that diagonal of A */
    gsolve_status (*reciprocals)(gs_queue *q, const gsolve_csr *A, gs_inverse_diagonal kind,
                                 void *d);
    /* y[i] = a number in [-1, 1) that depends on seed and i alone */
    gsolve_status (*random)(gs_queue *q, int64_t n, uint64_t seed, void *y);
    /* b = r, x = a d * b: the first step, from 0, of what was in double precision */
    gsolve_status (*step_from_f64)(gs_queue *q, int64_t n, double a, const void *d, const double *r,
                                   void *b, void *x);
    /* A step in n rows of so many columns, whose numbers lie side by side. */
    gsolve_status (*step)(gs_queue *q, int64_t n, int32_t columns, double a, double c,
                          gs_step_vectors v);
} gs_polynomial_kernels;

extern const gs_polynomial_kernels gs_polynomial_host[GSOLVE_TYPE_COUNT];
extern const gs_polynomial_kernels gs_polynomial_cuda[GSOLVE_TYPE_COUNT];

/* x_k+1 = x_k + p_k, p_k = a D^-1 (b - A x_k) + c p_k-1: a step of the Chebyshev iteration, which
 * is small on [most / ratio, most] (Saad, Iterative Methods for Sparse Linear Systems,
 * section 12.3). */
typedef struct gs_polynomial {
    double most, ratio;
} gs_polynomial;

typedef struct gs_polynomial_step {
    double a, c, rho;
} gs_polynomial_step;

gs_polynomial_step gs_polynomial_first(gs_polynomial P);
gs_polynomial_step gs_polynomial_next(gs_polynomial P, gs_polynomial_step s);

/* p = map(scale p), map being linear. */
typedef gsolve_status gs_linear_map(const void *data, gsolve_context *ctx, double scale,
                                    gsolve_dense p);

/* *growth = that of |p| in the last of its power iterations from a start without meaning: about the
 * largest eigenvalue, from below. p: one column of space; square: a number on the device. Waits for
 * the device. */
gsolve_status gs_power_iteration(double *growth, gsolve_context *ctx, gs_linear_map *map,
                                 const void *data, int its, gsolve_dense p, double *square);

/* *most, of the eigenvalues of D^-1 A: on entry a bound, such as max_i sum_j |d_i a_ij|, in the end
 * 1.1 times the growth after its power iterations where that is less. d: D's reciprocals; p, q: a
 * column of space each; square: a number on the device. Nothing is waited for where its is 0. */
gsolve_status gs_estimate_lambda_max(double *most, gsolve_context *ctx, const gsolve_matrix *A,
                                     const void *d, int its, gsolve_dense p, gsolve_dense q,
                                     double *square);

#endif
