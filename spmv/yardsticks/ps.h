/* ps.h: the format ps, product and summation one after the other (P&S: Deng, Wang, Mu, as described
 * by He et al. in the paper of segSpMV): a yardstick.
 *
 * The rows are read as they are. A first pass writes value x for every entry, a second one adds the
 * products of each row: two launches, with an array of all products between them. On the CPU it is
 * csr. */
#ifndef GS_SPMV_YARDSTICKS_PS_H
#define GS_SPMV_YARDSTICKS_PS_H

#include "matrix/csr.h"

#define GS_PS_PIECE 2048 /* products at hand at a time, as in the paper */

typedef struct gs_ps {
    gsolve_csr csr; /* the handle's */
    int64_t entries;
    void *product; /* one for each entry */
} gs_ps;

typedef struct gs_ps_kernels {
    /* y = alpha A x + beta y */
    gsolve_status (*apply)(gs_queue *q, const gs_ps *s, double alpha, const void *x, double beta,
                           void *y);
} gs_ps_kernels;

extern const gs_ps_kernels gs_ps_cuda[GSOLVE_TYPE_COUNT];

#endif
