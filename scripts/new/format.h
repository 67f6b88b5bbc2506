/* @NAME@.h: the format @NAME@: what it stores, and its kernels. */
#ifndef GS_SPMV_ @UPPER @_ @UPPER @_H
#define GS_SPMV_ @UPPER @_ @UPPER @_H

#include "matrix/csr.h"

typedef struct gs_ @NAME @{gsolve_csr csr; /* the rows, which stay in place until destroy */
}
gs_ @NAME @;

typedef struct gs_ @NAME @_kernels
{
    /* y = alpha A x + beta y, one column; y is not read where beta is 0 */
    gsolve_status (*multiply)(gs_queue *q, const gs_ @NAME @ *m, double alpha, const void *x,
                              double beta, void *y);
}
gs_ @NAME @_kernels;

extern const gs_ @NAME @_kernels gs_ @NAME @_host[GSOLVE_TYPE_COUNT];

#endif
