/* long_rows.h: rows of very many entries. They are cut into parts, which threads sum independently;
 * the sums of a row's parts are then added in their order. row_sums.h and block_body.h hold the
 * kernels of the CPU. */
#ifndef GS_SPMV_MULTI_RHS_LONG_ROWS_H
#define GS_SPMV_MULTI_RHS_LONG_ROWS_H

#include "matrix/csr.h"

#define GS_LONG_ROW_PART 8192 /* entries of a part on the CPU */

typedef struct gs_row_part { /* a part of a long row */
    int64_t from;            /* first entry in csr */
    int32_t entries, row;
    int32_t l; /* number of the row's counter: on a GPU `first`, on the CPU the index of the
                * row among the long ones */
    int32_t first, parts; /* number of the row's first part, and of its parts */
    int32_t unused;
} gs_row_part;

typedef struct gs_row_parts { /* the long rows of csr, where the CPU reads them */
    const gsolve_csr *csr;
    int32_t rows, count;
    gs_row_part *part; /* count elements, by ascending rows; NULL: none */
    void *sum;         /* work space: eight sums for each part, of any type */
} gs_row_parts;

/* *parts = the parts of the rows of more than `most` entries. parts owns what it allocates, also on
 * failure; csr must stay where it is. */
gsolve_status gs_row_parts_make(gs_row_parts *parts, gsolve_context *ctx, const gsolve_csr *csr,
                                int64_t most);
void gs_row_parts_drop(gs_row_parts *parts, gsolve_context *ctx);

#endif
