/* bce.h: the format bce: rows grouped into blocks by their lengths, with the cheapest partition
 * that opa.h finds, and stored in slices (spmv/sliced/sliced.h), column by column.
 *
 * The rows are divided into windows. Within a window the blocks follow one another, the widest
 * first, and the rows of a block keep their order, so that neighbouring rows still read
 * neighbouring elements of x. A slice is as wide as its own longest row, so a block's width bounds
 * its padding. Rows of more than GS_BCE_LONGEST entries are in no block: they count as empty and
 * are multiplied from csr in parts.
 *
 * Source: Yang, Li, Li, A parallel computing method using blocked format with optimal partitioning
 * for SpMV on GPU, sections 5 and 6. The code differs from the paper in three places. In Algorithm
 * 3 the search goes on with the next row where it finds a length among the boundaries; the paper
 * returns. In Algorithm 4 the product goes to y[rowNo[Ap[block] + thread]] for threads below the
 * rows of the block, over columns below its width; the paper writes y[Ap[block] + thread], for
 * threads below N, up to and including the width. Padding is marked by its column, not by its
 * value. In the paper, a block is one thread block and needs as many threads as it has rows; here
 * it is cut into slices, which section 5.6 leaves open. */
#ifndef GS_SPMV_BCE_BCE_H
#define GS_SPMV_BCE_BCE_H

#include "spmv/bce/opa.h"
#include "spmv/sliced/sliced.h"

#define GS_BCE_LONGEST GS_SLICED_COUNTED

typedef struct gs_bce_options {
    int blocks, cost, window, index, value;
} gs_bce_options;

/* The plan for rows of given lengths. Blocks are numbered from the widest. */
typedef struct gs_bce_plan {
    gs_bce_model model;
    gs_bce_partition best;
    int32_t window, windows;              /* rows of a window; ceil(nrows / window) */
    uint8_t block_of[GS_BCE_LONGEST + 1]; /* by the length of a row */
    int32_t lanes[GS_BCE_MOST_BLOCKS];    /* per row; by block */
} gs_bce_plan;

/* rows[m] = number of rows of m entries of csr, m = 0 to GS_BCE_LONGEST; longer rows count as
 * empty. Of csr, only the shape and the type are read. */
void gs_bce_make_plan(gs_bce_plan *p, const gs_bce_options *o, const gsolve_csr *csr,
                      const int32_t *rows, bool gpu);

/* Whether it may pay to keep the rows in their order. If so, call gs_bce_keep_order with the stored
 * entries of slices of model.lanes rows in their order. It chooses one block of all rows if that
 * costs less: such a slice is as wide as its own longest row, not as its block. */
bool gs_bce_may_keep_order(const gs_bce_plan *p, int32_t nrows);
void gs_bce_keep_order(gs_bce_plan *p, int32_t nrows, double stored);

/* An upper bound of the stored entries of rows in blocks, and their slices; csr lies on the host.
 */
double gs_bce_estimate_stored(const gs_bce_plan *p, const gsolve_csr *csr, int64_t *slices);

#endif
