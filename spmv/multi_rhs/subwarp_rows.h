/* subwarp_rows.h: products with many columns for formats whose kernels take a row-major x: all
 * elements of x that an entry multiplies lie together. A column-major x is converted, some columns
 * at a time. On the CPU y is converted, too, and converted back; the kernels of a GPU write y in
 * either layout. */
#ifndef GS_SPMV_MULTI_RHS_SUBWARP_ROWS_H
#define GS_SPMV_MULTI_RHS_SUBWARP_ROWS_H

#include "matrix/csr.h"

enum { GS_SUBWARP_FEW = 8, GS_SUBWARP_MANY = 32, GS_SUBWARP_MOST = 64, GS_SUBWARP_SIZES = 3 };

/* Work space for x and y of 8 or 32 columns in row-major layout, and for partial sums of 8, 32 or
 * 64 columns. It is allocated once and kept, since recorded CUDA graphs contain its addresses. */
typedef struct gs_subwarp_space {
    void *converted[2][2];
    void *sums[GS_SUBWARP_SIZES];
} gs_subwarp_space;

/* y = alpha A x + beta y with x row-major, at most GS_SUBWARP_MOST columns, and y row-major on the
 * CPU. sums: memory for the partial sums, or NULL. */
typedef gsolve_status gs_subwarp_product(gsolve_context *ctx, const void *self, double alpha,
                                         gsolve_dense x, double beta, gsolve_dense y, void *sums);

/* How a form multiplies: its product, and the number of partial sums per column that it needs. */
typedef struct gs_subwarp_form {
    gs_subwarp_product *product;
    const void *self;
    int64_t sums;
} gs_subwarp_form;

/* y = alpha A x + beta y with any number of columns in any layout. */
gsolve_status gs_subwarp_multiply(const gs_subwarp_form *form, gs_subwarp_space *space,
                                  gsolve_context *ctx, double alpha, gsolve_dense x, double beta,
                                  gsolve_dense y);
void gs_subwarp_drop(gs_subwarp_space *space, gsolve_context *ctx);

#endif
