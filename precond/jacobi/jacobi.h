/* jacobi.h: division by the diagonal of A. */
#ifndef GS_PRECOND_JACOBI_JACOBI_H
#define GS_PRECOND_JACOBI_JACOBI_H

#include "matrix/csr.h"

typedef struct gs_jacobi_kernels {
    /* z = d * r and *rz = r'z for one column */
    gsolve_status (*apply)(gs_queue *q, int64_t n, const void *d, const void *r, void *z,
                           double *rz);
    /* z = d * r for several columns */
    gsolve_status (*apply_columns)(gs_queue *q, const void *d, gsolve_dense r, gsolve_dense z);
} gs_jacobi_kernels;

extern const gs_jacobi_kernels GS_HOST_TABLES(gs_jacobi);
extern const gs_jacobi_kernels gs_jacobi_cuda[GSOLVE_TYPE_COUNT];

#endif
