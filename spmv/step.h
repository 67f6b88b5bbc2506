/* step.h: what a product and the vectors around it come to, in one pass over a matrix whose form
 * can do so. Each row has its sum in the order of its product.
 *
 * Beside the matrix a residual moves three vectors, where a copy and a product move five; a step
 * moves five instead of eight. */
#ifndef GS_SPMV_STEP_H
#define GS_SPMV_STEP_H

#include "matrix/csr.h"

/* y = x + a d * (b - A x) + c (x - old), or where d is NULL y = b - A x. d: a number a row; old may
 * be y, and NULL: counts as 0. x is neither y nor wide.
 *
 * Where wide is not NULL, d and r are given and A is in single precision: y goes to wide, in double
 * precision, and nowhere else, and *ry = r'y, unless ry is NULL. */
typedef struct gs_step {
    double a, c;
    const void *d, *b, *old;
    void *y;
    double *wide, *ry;
    const double *r;
} gs_step;

/* Whether A makes such steps, whatever its values: with one column, where kernels see all vectors.
 */
bool gs_matrix_steps(const gsolve_matrix *A);

/* The step, of an A that makes them. */
gsolve_status gs_matrix_step(const gsolve_matrix *A, const void *x, const gs_step *step);

#endif
