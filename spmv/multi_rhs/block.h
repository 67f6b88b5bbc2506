/* block.h: products with any number of columns in any layout, by what a format has for them. */
#ifndef GS_SPMV_MULTI_RHS_BLOCK_H
#define GS_SPMV_MULTI_RHS_BLOCK_H

#include "matrix/csr.h"

typedef gsolve_status gs_block_product(void *self, gsolve_context *ctx, double alpha,
                                       gsolve_dense x, double beta, gsolve_dense y);

typedef struct gs_block_products { /* y = alpha A x + beta y */
    gs_block_product *one;         /* of a column */
    gs_block_product *many;        /* of several, of one layout; NULL: there is none */
    bool row_major;                /* many takes that layout too */
} gs_block_products;

/* Room for x and y in the other layout, which grows when more is needed than ever before. */
typedef struct gs_block_space {
    void *block[2];
    size_t bytes[2];
} gs_block_space;

/* The product, where kernels see x and y, by the layout of x if that can be. */
gsolve_status gs_block_multiply(const gs_block_products *by, void *self, gsolve_context *ctx,
                                gs_block_space *space, double alpha, gsolve_dense x, double beta,
                                gsolve_dense y);

/* *used = v in that layout: v itself, or room number `which`, which holds v's values if read. */
gsolve_status gs_block_turn(gs_block_space *space, int which, gsolve_context *ctx,
                            gsolve_layout layout, gsolve_dense v, bool read, gsolve_dense *used);
void gs_block_space_drop(gs_block_space *space, gsolve_context *ctx);

/* Of so many columns that are left 8, 4, 2 or 1, which kernels on the CPU take at once. */
static inline int32_t gs_columns_in(int32_t left)
{
    return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* Those of a format. */
static inline gs_block_products gs_block_products_of(const gsolve_format *format)
{
    return (gs_block_products){format->apply, format->apply_block, format->row_major};
}

#endif
