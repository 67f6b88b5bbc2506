/* column_blocks.h: products of long rows that reach all over a large x, on the CPU: one strip of
 * columns after the other, so that its part of x stays in the second cache while all rows of a
 * group use it. Row by row nearly every entry waits for a line of x, since the whole of x goes by
 * before the next row comes to that line.
 *
 *              strip 0   strip 1   strip 2
 *      row 0   a . b . | . c . . | d . e .
 *      row 1   . f . . | g . h . | . . . i
 *
 * A row is cut next to where column_blocks meet, after a multiple of eight entries, so that it is
 * summed as if it were not cut: entry k into the (k mod 4)-th of four sums. The rows are read where
 * they lie; to find their parts there are 4 bytes for each row and strip. */
#ifndef GS_SPMV_MULTI_RHS_COLUMN_BLOCKS_H
#define GS_SPMV_MULTI_RHS_COLUMN_BLOCKS_H

#include "matrix/csr.h"
#include "vector/vector.h"

#define GS_COLUMN_BLOCK_BYTES (128 << 10) /* bytes of x: a quarter of a second cache */
#define GS_COLUMN_BLOCK_ROWS  1024        /* of a group at most, */
#define GS_COLUMN_BLOCK_FEW   64          /* ... and at least, which the bits do not depend on */

typedef struct gs_column_blocks {
    int32_t count; /* of column_blocks; 0: they do not pay, and there is no cut */
    int32_t *cut;  /* (count + 1) x nrows: entries of a row before strip s, from s nrows on */
} gs_column_blocks;

static inline int32_t gs_column_block_width(gsolve_type type)
{
    return GS_COLUMN_BLOCK_BYTES / (int32_t)gs_type_size(type);
}

/* Rows of a group, so that all threads have as many groups: a multiple of 8. */
static inline int32_t gs_column_block_group(int32_t rows, int threads)
{
    const int64_t turns = rows / ((int64_t)threads * GS_COLUMN_BLOCK_ROWS) + 1;
    const int32_t each = (int32_t)(rows / (threads * turns)) / 8 * 8 + 8;
    return each < GS_COLUMN_BLOCK_FEW ? GS_COLUMN_BLOCK_FEW : each;
}

/* *column_blocks of csr, whose columns ascend in every row and which lies where the CPU reads it.
 * count is 0 unless x is large, and there are many rows with many entries in most column_blocks. */
gsolve_status gs_column_blocks_make(gs_column_blocks *column_blocks, gsolve_context *ctx,
                                    const gsolve_csr *csr);
void gs_column_blocks_drop(gs_column_blocks *column_blocks, gsolve_context *ctx);

/* y = alpha A x + beta y; dots: if not NULL, alpha is 1 and beta 0. count is not 0. */
gsolve_status gs_column_blocks_apply(const gs_column_blocks *column_blocks, gs_queue *q,
                                     const gsolve_csr *A, double alpha, const void *x, double beta,
                                     void *y, const gs_product_sums *dots);

#endif
