/* invert.h: the inverse of the coarsest level's matrix where it lies, by elimination without
 * pivots, which a symmetric positive definite one does not need, nor many others; and what tells
 * whether it was right. */
#ifndef GS_PRECOND_AMG_COARSEST_INVERT_H
#define GS_PRECOND_AMG_COARSEST_INVERT_H

#include "matrix/csr.h"

#define GS_MAX_NULL 8 /* near-null vectors that are looked at */

typedef struct gs_inverted {
    double norm;                                     /* the largest sum of a row's magnitudes */
    double asymmetry;                                /* the largest |a_ij - a_ji| */
    double image[GS_MAX_NULL], largest[GS_MAX_NULL]; /* max |A w|_i and max |w_i| of each w */
    double least_pivot, most_pivot;                  /* not a positive number: 0 and infinity */
    double residual; /* the largest |A A^-1 - I|_ij, if the transposed inverse was asked for */
} gs_inverted;

typedef struct gs_invert_kernels {
    /* inverse (n x n by rows, of A's type) = A^-1, if what is found says so, and transposed its
     * transpose; NULL: A is symmetric. near_null: n x k of A's type. Waits for the device once. */
    gsolve_status (*invert)(void *inverse, void *transposed, gs_inverted *found,
                            gsolve_context *ctx, const gsolve_csr *A, gsolve_dense near_null);
} gs_invert_kernels;

extern const gs_invert_kernels gs_invert_host[GSOLVE_TYPE_COUNT];
extern const gs_invert_kernels gs_invert_cuda[GSOLVE_TYPE_COUNT];

#endif
