/* kernels.h: the device kernels that amg needs beyond products and the vector operations of
 * vector/vector.h. */
#ifndef GS_PRECOND_AMG_KERNELS_H
#define GS_PRECOND_AMG_KERNELS_H

#include "matrix/csr.h"

typedef struct gs_amg_kernels {
    /* first[i] = count[0] + ... + count[i - 1] for i <= n; *total = first[n]. count has n + 1
     * elements; the last becomes 0. */
    gsolve_status (*sum)(gsolve_context *ctx, int32_t n, int32_t *count, int64_t *first,
                         int64_t *total);
    /* The same in place. The last of the n + 1 elements is 0 on entry. */
    gsolve_status (*number)(gsolve_context *ctx, int32_t n, int32_t *number, int32_t *total);
    /* value = the values of R = P', whose pattern is given. Rows are sorted. */
    gsolve_status (*transpose_values)(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R,
                                      void *value);
    /* bit k of bits = whether flag[k] is not 0, for k < n; 32 bits per word */
    gsolve_status (*pack)(gs_queue *q, int64_t n, const uint8_t *flag, uint32_t *bits);
    /* x = M b. M: dense, n x n, row-major. b and x: at most GS_AMG_COLUMNS columns, row-major.
     * *count += columns, a number on the device. NULL on the CPU. */
    gsolve_status (*dense)(gs_queue *q, int32_t n, int32_t columns, const void *M, const void *b,
                           void *x, int64_t *count);
} gs_amg_kernels;

extern const gs_amg_kernels GS_HOST_TABLES(gs_amg), gs_amg_cuda[GSOLVE_TYPE_COUNT];

#endif
