/* block.h: kernels on blocks of columns, for methods whose right-hand sides share what they search
 * in. A block is of b <= GS_BLOCK columns, n rows each; small matrices are of doubles, by columns
 * that are GS_BLOCK apart. */
#ifndef GS_BLOCK_H
#define GS_BLOCK_H

#include "core/vector.h"

#define GS_BLOCK 16

typedef struct gs_block_columns { /* stride: elements between columns */
    void *v;
    int64_t stride;
} gs_block_columns;

typedef struct gs_block_kernels {
    size_t space_size; /* bytes of space, on the device, that gram needs; it begins as 0 */
    /* G[i] = U'V[i], b x b, for each of count <= 2 blocks V[i] */
    gsolve_status (*gram)(gs_queue *q, int64_t n, int b, gs_block_columns U, int count,
                          const gs_block_columns *V, double *const *G, void *space);
    /* X += S alpha in the columns that have not ended, W -= Q xi in all */
    gsolve_status (*step)(gs_queue *q, int64_t n, int b, gs_block_columns S, gs_block_columns Q,
                          const double *alpha, const double *xi, gs_block_columns X,
                          gs_block_columns W, const int *ended);
    /* S = Z t + S zeta, without zeta Z t, and W = W t */
    gsolve_status (*turn)(gs_queue *q, int64_t n, int b, gs_block_columns Z, const double *t,
                          const double *zeta, gs_block_columns S, gs_block_columns W);
} gs_block_kernels;

extern const gs_block_kernels gs_block_host[GSOLVE_TYPE_COUNT];
extern const gs_block_kernels gs_block_cuda[GSOLVE_TYPE_COUNT];

#endif
