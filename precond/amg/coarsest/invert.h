/* invert.h: the dense inverse of the coarsest level's matrix, computed on the device by elimination
 * without pivoting; and measures that tell whether it is accurate. A symmetric positive definite
 * matrix needs no pivoting, nor do many others. */
#ifndef GS_PRECOND_AMG_COARSEST_INVERT_H
#define GS_PRECOND_AMG_COARSEST_INVERT_H

#include "matrix/csr.h"

#define GS_MAX_NULL 8 /* near-null vectors that are tested */

typedef struct gs_inverted {
    double norm;      /* the largest sum of magnitudes in a row */
    double asymmetry; /* the largest |a_ij - a_ji| */
    double image[GS_MAX_NULL],
        largest[GS_MAX_NULL];       /* max_i |A w|_i and max_i |w_i| for each vector w */
    double least_pivot, most_pivot; /* 0 and infinity if a pivot is not a positive number */
    double residual; /* max |A A^-1 - I|_ij; computed only with the transposed inverse */
} gs_inverted;

typedef struct gs_invert_kernels {
    /* inverse = A^-1: n x n, row-major, of A's type; *found tells whether it is accurate.
     * transposed = its transpose, or NULL if A is symmetric. near_null: n x k of A's type.
     * Synchronises once. NULL on the CPU. */
    gsolve_status (*invert)(void *inverse, void *transposed, gs_inverted *found,
                            gsolve_context *ctx, const gsolve_csr *A, gsolve_dense near_null);
} gs_invert_kernels;

extern const gs_invert_kernels gs_invert_host[GSOLVE_TYPE_COUNT];
extern const gs_invert_kernels gs_invert_cuda[GSOLVE_TYPE_COUNT];

#endif
