/* column_blocks.h: products on the CPU with long rows whose columns spread over a large x. The
 * columns are cut into blocks, and a group of rows is multiplied one column block after the other,
 * so that the block's part of x stays in the L2 cache while all rows of the group use it. Without
 * blocks, nearly every entry would wait for a cache line of x: each row reads much of x, and evicts
 * the lines that the next row needs.
 *
 *              block 0   block 1   block 2
 *      row 0   a . b . | . c . . | d . e .
 *      row 1   . f . . | g . h . | . . . i
 *
 * A row is cut near the boundaries of the blocks, after a multiple of eight entries. So its sum is
 * the same as without cuts: entry k is added to the (k mod 4)-th of four sums. The rows are read
 * where they lie; the cuts take 4 bytes for each row and block. */
#ifndef GS_SPMV_MULTI_RHS_COLUMN_BLOCKS_H
#define GS_SPMV_MULTI_RHS_COLUMN_BLOCKS_H

#include "matrix/csr.h"
#include "vector/vector.h"

#define GS_COLUMN_BLOCK_BYTES (128 << 10) /* bytes of x in a block: a quarter of an L2 cache */
#define GS_COLUMN_BLOCK_ROWS  1024        /* most rows of a group */
#define GS_COLUMN_BLOCK_FEW   64          /* least rows of a group; the bits do not depend on it */

typedef struct gs_column_blocks {
    int32_t count; /* column blocks; 0: they do not pay, and cut is NULL */
    int32_t *cut;  /* (count + 1) x nrows: entries of row i before block s, at s nrows + i */
} gs_column_blocks;

static inline int32_t gs_column_block_width(gsolve_type type)
{
    return GS_COLUMN_BLOCK_BYTES / (int32_t)gs_type_size(type);
}

/* Rows of a group, a multiple of 8, so that all threads get equally many groups. */
static inline int32_t gs_column_block_group(int32_t rows, int threads)
{
    const int64_t rounds = rows / ((int64_t)threads * GS_COLUMN_BLOCK_ROWS) + 1;
    const int32_t each = (int32_t)(rows / (threads * rounds)) / 8 * 8 + 8;
    return each < GS_COLUMN_BLOCK_FEW ? GS_COLUMN_BLOCK_FEW : each;
}

/* *blocks = the column blocks of csr. csr lies on the host, and columns ascend in every row. count
 * is 0 unless x is large and many rows have many entries in most blocks. */
gsolve_status gs_column_blocks_make(gs_column_blocks *column_blocks, gsolve_context *ctx,
                                    const gsolve_csr *csr);
void gs_column_blocks_drop(gs_column_blocks *column_blocks, gsolve_context *ctx);

typedef struct gs_column_blocks_kernels {
    /* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. count is not 0. */
    gsolve_status (*apply)(const gs_column_blocks *column_blocks, gs_queue *q, const gsolve_csr *A,
                           double alpha, const void *x, double beta, void *y,
                           const gs_product_sums *dots);
} gs_column_blocks_kernels;

extern const gs_column_blocks_kernels GS_HOST_TABLES(gs_column_blocks);

#endif
