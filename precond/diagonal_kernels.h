/* diagonal_kernels.h: the reciprocals of the diagonal of a matrix with sorted rows, where its
 * kernels read it. */
#ifndef GS_PRECOND_DIAGONAL_KERNELS_H
#define GS_PRECOND_DIAGONAL_KERNELS_H

#include "matrix/csr.h"

typedef enum gs_bad_diagonal { GS_MISSING, GS_ZERO, GS_SMALL } gs_bad_diagonal;

typedef struct gs_diagonal_kernels {
    /* *row = the first row with a diagonal entry that A's type cannot divide by, and *why; -1:
     * there is none. */
    gsolve_status (*find_bad)(int32_t *row, gs_bad_diagonal *why, gsolve_context *ctx,
                              const gsolve_csr *A);
    /* d[i] = 1 / a_ii, or 1 / |a_ii| if absolute, in A's type, for an A without bad rows. */
    gsolve_status (*store)(gsolve_context *ctx, const gsolve_csr *A, bool absolute, void *d);
} gs_diagonal_kernels;

extern const gs_diagonal_kernels gs_diagonal_host[GSOLVE_TYPE_COUNT],
    gs_diagonal_cuda[GSOLVE_TYPE_COUNT];

#endif
