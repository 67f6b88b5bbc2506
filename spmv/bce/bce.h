/* bce.h: the format bce: rows grouped into blocks by their lengths, with the cheapest partition
 * that opa.h finds, and stored by slices (spmv/sliced/sliced.h), column by column.
 *
 * Within windows of some rows the blocks follow each other, the widest first, and rows of a block
 * stay in their order, so that neighbours still read x side by side. A slice ends with its own
 * longest row: a block's width bounds its padding. Rows of more than GS_BCE_LONGEST entries are in
 * no block: they count as empty, and are multiplied in parts as they lie in csr.
 *
 * Source: Yang, Li, Li, A parallel computing method using blocked format with optimal partitioning
 * for SpMV on GPU, sections 5 and 6. In Algorithm 3 the search goes on with the next row where it
 * finds a length among the boundaries (the paper returns); in Algorithm 4 the product goes to
 * y[rowNo[Ap[block] + thread]] for threads below the rows of the block, over columns below its
 * width (the paper writes y[Ap[block] + thread], below N, up to and with width), and padding is
 * known by its column, not by its value. A block there is one thread block, and needs as many
 * threads as it has rows; here it is cut into slices, which section 5.6 leaves open. */
#ifndef GS_SPMV_BCE_BCE_H
#define GS_SPMV_BCE_BCE_H

#include "spmv/bce/bce_places.h"

typedef struct gs_bce_kernels {
    /* rows[m] = rows of m entries, m = 0 to GS_BCE_LONGEST, on the host; longer ones count as
     * empty. Waits for the device. */
    gsolve_status (*count)(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rows);
    /* *order (to be released with gsolve_free where csr lies): rows by window, then by block, then
     * as they come. first, unless NULL, on the host: place of the first row of each block in each
     * window, windows x blocks. */
    gsolve_status (*sort)(gsolve_context *ctx, const gsolve_csr *csr, const gs_bce_places *places,
                          int32_t **order, int32_t *first);
} gs_bce_kernels;

extern const gs_bce_kernels gs_bce_host[GSOLVE_TYPE_COUNT];
extern const gs_bce_kernels gs_bce_cuda[GSOLVE_TYPE_COUNT];

#endif
