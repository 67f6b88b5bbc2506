/* ps.h: the format ps, product and summation one after the other (P&S: Deng, Wang, Mu, as described
 * by He et al. in the paper of segSpMV), for comparison.
 *
 * The rows of csr are not converted. A first launch writes value x for every entry to an array, and
 * a second one adds the products of each row. On the CPU, ps is csr. */
#ifndef GS_SPMV_YARDSTICKS_PS_H
#define GS_SPMV_YARDSTICKS_PS_H

#include "matrix/csr.h"

#define GS_PS_PIECE 2048 /* products in shared memory at a time, as in the paper */

typedef struct gs_ps {
    gsolve_csr csr; /* the handle's rows */
    int64_t entries;
    void *product; /* one product per entry */
} gs_ps;

typedef struct gs_ps_kernels {
    /* y = alpha A x + beta y */
    gsolve_status (*apply)(gs_queue *q, const gs_ps *s, double alpha, const void *x, double beta,
                           void *y);
} gs_ps_kernels;

extern const gs_ps_kernels gs_ps_cuda[GSOLVE_TYPE_COUNT];

#endif
