/* kernels.h: what multigrid asks of a device beyond products and the vectors of core/vector.h. */
#ifndef GS_PRECOND_AMG_KERNELS_H
#define GS_PRECOND_AMG_KERNELS_H

#include "matrix/csr.h"

typedef struct gs_amg_kernels {
    /* y[i] = 1 where i % block is c, else 0 */
    gsolve_status (*constant)(gs_queue *q, int64_t n, int32_t block, int32_t c, void *y);
    /* R's values = those of P, of which R is the transpose; columns ascend */
    gsolve_status (*transpose_values)(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R,
                                      void *value);
    /* bits, 32 to a word = whether yes[k] is not 0, for k < n */
    gsolve_status (*pack)(gs_queue *q, int64_t n, const uint8_t *yes, uint32_t *bits);
    /* x = M b, M dense, n x n by rows; b and x of so many columns, at most GS_AMG_COLUMNS, a row's
     * numbers side by side; *count += columns, a number on the device */
    gsolve_status (*dense)(gs_queue *q, int32_t n, int32_t columns, const void *M, const void *b,
                           void *x, int64_t *count);
} gs_amg_kernels;

extern const gs_amg_kernels gs_amg_host[GSOLVE_TYPE_COUNT], gs_amg_cuda[GSOLVE_TYPE_COUNT];

#endif
