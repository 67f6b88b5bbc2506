/* step.h: a residual or a step of an iteration in one pass over a matrix. Each row sum adds its
 * terms in the same order as the product does.
 *
 * Besides the matrix, a residual moves three vectors, where a copy and a product move five. A step
 * moves five vectors instead of eight. */
#ifndef GS_SPMV_STEP_H
#define GS_SPMV_STEP_H

#include "matrix/csr.h"

/* y = x + a d * (b - A x) + c (x - old), or y = b - A x where d is NULL. d has one number per row,
 * and d * r is the product by elements. old may be y; NULL counts as 0. x is neither y nor wide.
 *
 * wide is NULL, or d and r are given and A is in single precision. Then y is written to wide in
 * double precision and to nowhere else, and *ry = r'y unless ry is NULL. */
typedef struct gs_step {
    double a, c;
    const void *d, *b, *old;
    void *y;
    double *wide, *ry;
    const double *r;
} gs_step;

/* Whether the form of A computes steps: for one column, whose vectors all lie where kernels read
 * them. The answer does not depend on A's values. */
bool gs_matrix_can_step(const gsolve_matrix *A);

/* Computes the step. gs_matrix_can_step(A) is true. */
gsolve_status gs_matrix_step(const gsolve_matrix *A, const void *x, const gs_step *step);

#endif
