/* block_jacobi.h: multiplication by the inverses of the dense blocks on the diagonal of A. */
#ifndef GS_PRECOND_BLOCK_JACOBI_BLOCK_JACOBI_H
#define GS_PRECOND_BLOCK_JACOBI_BLOCK_JACOBI_H

#include "matrix/csr.h"

#define GS_BLOCK_JACOBI_MAX 32

typedef struct gs_block_jacobi_data {
    gsolve_type type;
    int32_t n, size, blocks; /* the last block may be smaller */
    void *inverse;           /* blocks x size x size, each block column-major */
} gs_block_jacobi_data;

typedef struct gs_block_jacobi_kernels {
    /* z = B^-1 r, or B^-T r */
    gsolve_status (*apply)(gs_queue *q, const gs_block_jacobi_data *M, bool transposed,
                           gsolve_dense r, gsolve_dense z);
} gs_block_jacobi_kernels;

extern const gs_block_jacobi_kernels GS_HOST_TABLES(gs_block_jacobi);
extern const gs_block_jacobi_kernels gs_block_jacobi_cuda[GSOLVE_TYPE_COUNT];

#endif
