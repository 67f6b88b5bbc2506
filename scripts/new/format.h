/* template_name.h: the format template_name: what it stores, and its kernels. */
#ifndef GS_SPMV_TEMPLATE_NAME_TEMPLATE_NAME_H
#define GS_SPMV_TEMPLATE_NAME_TEMPLATE_NAME_H

#include "matrix/csr.h"

typedef struct gs_template_name {
    gsolve_csr csr; /* the rows, which stay in place until destroy */
} gs_template_name;

typedef struct gs_template_name_kernels {
    /* y = alpha A x + beta y, one column; y is not read if beta is 0 */
    gsolve_status (*multiply)(gs_queue *q, const gs_template_name *m, double alpha, const void *x,
                              double beta, void *y);
} gs_template_name_kernels;

extern const gs_template_name_kernels GS_HOST_TABLES(gs_template_name);

#endif
