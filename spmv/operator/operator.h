/* operator.h: the state of a matrix that is an operator: a function of the caller instead of rows.
 * The handle has no rows; its csr has the shape and the type only. */
#ifndef GS_SPMV_OPERATOR_OPERATOR_H
#define GS_SPMV_OPERATOR_OPERATOR_H

#include "core/function.h"
#include "spmv/handle.h"

typedef struct gs_operator {
    gs_function function;
    gsolve_csr shape;     /* of the handle */
    gsolve_dense product; /* y = A x, one column: where a product adds to y, and for residuals */
    /* for residuals, see operator_residual.c; without values until they are first needed */
    gsolve_dense x, b, r, scaled;
    double *sums; /* two numbers on the device */
} gs_operator;

/* *v = a vector of n elements of this type where kernels read it, unless it has values. */
gsolve_status gs_operator_need(gsolve_context *ctx, gsolve_type type, int32_t n, gsolve_dense *v);

/* product = A x for one column x of A's type. */
gsolve_status gs_operator_product(gs_operator *op, gsolve_context *ctx, gsolve_dense x);

/* operator_residual.c: gs_matrix_norms and gs_matrix_residual_vector of matrix/residual.h for an
 * operator. */
gsolve_status gs_operator_norms(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                gs_norms *norms);
gsolve_status gs_operator_residual_vector(const gsolve_matrix *A, gsolve_dense b, gsolve_dense x,
                                          int exponent, gsolve_dense r);

#endif
