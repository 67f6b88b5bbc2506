/* kernels.h: what multigrid asks of a device beyond products and the vectors of core/vector.h. */
#ifndef GS_AMG_KERNELS_H
#define GS_AMG_KERNELS_H

#include "core/csr.h"

/* A diagonal close to A's inverse: sign(a_ii) / sum_j |a_ij|; the one that minimises |I - D A| by
 * rows, a_ii / sum_j a_ij^2 (Broeker and Grote, Applied Numerical Mathematics 41, 2002); 1 / a_ii.
 * 0 where the divisor is. */
typedef enum gs_inverse_diagonal { GS_L1_SUMS, GS_LEAST_SQUARES, GS_POINTS } gs_inverse_diagonal;

typedef struct gs_amg_kernels {
    /* d = that diagonal of A */
    gsolve_status (*reciprocals)(gs_queue *q, const gsolve_csr *A, gs_inverse_diagonal kind,
                                 void *d);
    /* y[i] = a number in [-1, 1) that depends on seed and i alone */
    gsolve_status (*noise)(gs_queue *q, int64_t n, uint64_t seed, void *y);
    /* y[i] = 1 where i % block is c, else 0 */
    gsolve_status (*constant)(gs_queue *q, int64_t n, int32_t block, int32_t c, void *y);
    /* p = a d * (b - Ax) + c p, x += p; p is not read where c is 0, and may be NULL there: it is
     * not kept. Ax NULL: x counts as 0, p = x = a d * b. One column of n elements. */
    gsolve_status (*step)(gs_queue *q, int64_t n, double a, double c, const void *d, const void *b,
                          const void *Ax, void *p, void *x);
    /* R's values = those of P, of which R is the transpose; columns ascend */
    gsolve_status (*transpose_values)(gs_queue *q, const gsolve_csr *P, const gsolve_csr *R);
    /* bits, 32 to a word = whether yes[k] is not 0, for k < n; and back, as 1 and 0 */
    gsolve_status (*pack)(gs_queue *q, int64_t n, const uint8_t *yes, uint32_t *bits);
    gsolve_status (*unpack)(gs_queue *q, int64_t n, const uint32_t *bits, uint8_t *yes);
    /* x = M b, M dense, n x n by rows; *count += 1, a number on the device */
    gsolve_status (*dense)(gs_queue *q, int32_t n, const void *M, const void *b, void *x,
                           int64_t *count);
} gs_amg_kernels;

extern const gs_amg_kernels gs_amg_host[GSOLVE_TYPE_COUNT], gs_amg_cuda[GSOLVE_TYPE_COUNT];

#endif
