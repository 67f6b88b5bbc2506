/* polynomial.h: polynomials in D^-1 A times D^-1, D a diagonal. The preconditioner chebyshev
 * applies one, and the diagonal smoothers of amg are such polynomials. */
#ifndef GS_PRECOND_CHEBYSHEV_POLYNOMIAL_H
#define GS_PRECOND_CHEBYSHEV_POLYNOMIAL_H

#include "matrix/csr.h"

/* An approximation of A's inverse by a diagonal. GS_L1_SUMS: sign(a_ii) / sum_j |a_ij|.
 * GS_LEAST_SQUARES: a_ii / sum_j a_ij^2, which minimises each row of |I - D A| (Broeker and Grote,
 * Applied Numerical Mathematics 41, 2002). GS_POINT_JACOBI: 1 / a_ii. An element is 0 if its
 * divisor is 0. */
typedef enum gs_inverse_diagonal {
    GS_L1_SUMS,
    GS_LEAST_SQUARES,
    GS_POINT_JACOBI
} gs_inverse_diagonal;

/* The vectors of a step p = a d * (b - Ax) + c old, x += p. If Ax is NULL, x counts as 0, and p = x
 * = a d * b. old may be p or x, and is read only if c is not 0. p is not stored if it is NULL. d
 * has one number per row. */
typedef struct gs_step_vectors {
    const void *d, *b, *Ax, *old;
    void *p, *x;
} gs_step_vectors;

typedef struct gs_polynomial_kernels {
    /* d = the diagonal of this kind */
    gsolve_status (*reciprocals)(gs_queue *q, const gsolve_csr *A, gs_inverse_diagonal kind,
                                 void *d);
    /* y[i] = a pseudo-random number in [-1, 1), a function of seed and i */
    gsolve_status (*random)(gs_queue *q, int64_t n, uint64_t seed, void *y);
    /* b = r rounded to this type, x = a d * b: the first step from zero of a cycle that reads r in
     * double precision */
    gsolve_status (*step_from_f64)(gs_queue *q, int64_t n, double a, const void *d, const double *r,
                                   void *b, void *x);
    /* A step on n rows of this many columns, row-major. */
    gsolve_status (*step)(gs_queue *q, int64_t n, int32_t columns, double a, double c,
                          gs_step_vectors v);
} gs_polynomial_kernels;

extern const gs_polynomial_kernels GS_HOST_TABLES(gs_polynomial);
extern const gs_polynomial_kernels gs_polynomial_cuda[GSOLVE_TYPE_COUNT];

/* A step of the Chebyshev iteration: x_k+1 = x_k + p_k, p_k = a D^-1 (b - A x_k) + c p_k-1. The
 * residual polynomial is small on [lambda_max / ratio, lambda_max] (Saad, Iterative Methods for
 * Sparse Linear Systems, section 12.3). */
typedef struct gs_polynomial {
    double lambda_max, ratio;
} gs_polynomial;

typedef struct gs_polynomial_step {
    double a, c, rho;
} gs_polynomial_step;

gs_polynomial_step gs_polynomial_first(gs_polynomial P);
gs_polynomial_step gs_polynomial_next(gs_polynomial P, gs_polynomial_step s);

/* A linear map: p = map(scale p). */
typedef gsolve_status gs_linear_map(const void *data, gsolve_context *ctx, double scale,
                                    gsolve_dense p);

/* *growth = the ratio of |p| after and before the last of its power iterations, which begin with a
 * random p: an estimate of the largest eigenvalue from below. comm: the ranks that share the rows,
 * or NULL. p: work space of one column. square: one number on the device. Synchronises. */
gsolve_status gs_power_iteration(double *growth, gsolve_context *ctx, struct gs_comm *comm,
                                 gs_linear_map *map, const void *data, int its, gsolve_dense p,
                                 double *square);

/* *lambda_max = min(*lambda_max, 1.1 growth): an upper estimate of the eigenvalues of D^-1 A. On
 * entry *lambda_max is a bound such as max_i sum_j |d_i a_ij|. growth: of its power iterations;
 * none if its is 0, and then the host does not synchronise. d: the reciprocals of D. p, q: work
 * space of one column each. square: one number on the device. */
gsolve_status gs_estimate_lambda_max(double *lambda_max, gsolve_context *ctx,
                                     const gsolve_matrix *A, const void *d, int its, gsolve_dense p,
                                     gsolve_dense q, double *square);

/* max_i sum_j |d_i a_ij| over this rank's rows of A, which is distributed over ranks. d: the
 * reciprocals of the diagonal, on the host. */
double gs_largest_sum_over_ranks(const gsolve_matrix *A, const void *d);

#endif
