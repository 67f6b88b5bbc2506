/* rowwise.h: the formats csr_scalar and csr_vector (Bell and Garland, Implementing sparse
 * matrix-vector multiplication on throughput-oriented processors, 2009): the rows of csr, with one
 * thread or one warp per row whatever its length. They need no conversion. Other papers measure
 * against them. On the CPU they are csr.
 *
 * One product moves 12 bytes per entry (8 in single precision), 4 or 8 per row, and x and y once.
 * The loads of csr_scalar are not coalesced, since the threads of a warp read different rows. */
#ifndef GS_SPMV_YARDSTICKS_ROWWISE_H
#define GS_SPMV_YARDSTICKS_ROWWISE_H

#include "matrix/csr.h"

typedef enum gs_rowwise_kind { GS_SCALAR, GS_VECTOR, GS_ROWWISE_COUNT } gs_rowwise_kind;

typedef struct gs_rowwise_kernels {
    /* y = alpha A x + beta y */
    gsolve_status (*apply[GS_ROWWISE_COUNT])(gs_queue *q, const gsolve_csr *A, double alpha,
                                             const void *x, double beta, void *y);
} gs_rowwise_kernels;

extern const gs_rowwise_kernels gs_rowwise_cuda[GSOLVE_TYPE_COUNT];

#endif
