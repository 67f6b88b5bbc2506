/* block.h: products with any number of columns in any layout, from the products that a format has.
 */
#ifndef GS_SPMV_MULTI_RHS_BLOCK_H
#define GS_SPMV_MULTI_RHS_BLOCK_H

#include "matrix/csr.h"

typedef gsolve_status gs_block_product(void *self, gsolve_context *ctx, double alpha,
                                       gsolve_dense x, double beta, gsolve_dense y);

typedef struct gs_block_products { /* y = alpha A x + beta y */
    gs_block_product *one;         /* with one column */
    gs_block_product *many; /* with several columns in one layout; NULL: the format has none */
    bool row_major;         /* `many` accepts row-major x and y */
} gs_block_products;

/* Work space for x and y in the other layout. It grows when a product needs more than all before.
 */
typedef struct gs_block_space {
    void *block[2];
    size_t bytes[2];
} gs_block_space;

/* y = alpha A x + beta y. x and y lie where kernels read them. The product runs in the layout of x
 * if the format can. */
gsolve_status gs_block_multiply(const gs_block_products *by, void *self, gsolve_context *ctx,
                                gs_block_space *space, double alpha, gsolve_dense x, double beta,
                                gsolve_dense y);

/* *used = v in that layout: v itself, or block number `which` of the work space. The block gets v's
 * values if `read` is set. */
gsolve_status gs_block_convert(gs_block_space *space, int which, gsolve_context *ctx,
                               gsolve_layout layout, gsolve_dense v, bool read, gsolve_dense *used);
void gs_block_space_drop(gs_block_space *space, gsolve_context *ctx);

/* Columns that a kernel takes at once, 8, 4, 2 or 1, where `left` columns are left. */
static inline int32_t gs_columns_in(int32_t left)
{
    return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* The products of a format. */
static inline gs_block_products gs_block_products_of(const gsolve_format *format)
{
    return (gs_block_products){format->apply, format->apply_block, format->row_major};
}

#endif
