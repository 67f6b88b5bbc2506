/* subwarp_rows.h: products with many columns of formats whose kernels take x by rows: all numbers
 * that an entry is multiplied by lie side by side. By columns it is turned, so many columns at a
 * time; on the CPU y is too, and back, where the kernels of a GPU write it as it is. */
#ifndef GS_SPMV_MULTI_RHS_SUBWARP_ROWS_H
#define GS_SPMV_MULTI_RHS_SUBWARP_ROWS_H

#include "matrix/csr.h"

enum { GS_SUBWARP_FEW = 8, GS_SUBWARP_MANY = 32, GS_SUBWARP_MOST = 64, GS_SUBWARP_SIZES = 3 };

/* Room for x and y of 8 or 32 columns, turned, and for sums of parts of rows of 8, 32 or 64: had
 * once and kept, since recorded steps remember where it is. */
typedef struct gs_subwarp_space {
    void *turned[2][2];
    void *sums[GS_SUBWARP_SIZES];
} gs_subwarp_space;

/* y = alpha A x + beta y, x by rows, y too but on a GPU, GS_SUBWARP_MOST columns at most; sums: so
 * many for each column, as gs_subwarp_multiply was told, or NULL. */
typedef gsolve_status gs_subwarp_product(gsolve_context *ctx, const void *self, double alpha,
                                         gsolve_dense x, double beta, gsolve_dense y, void *sums);

/* The same of any columns and layout. */
gsolve_status gs_subwarp_multiply(gs_subwarp_product *product, gs_subwarp_space *room,
                                  gsolve_context *ctx, const void *self, int64_t sums, double alpha,
                                  gsolve_dense x, double beta, gsolve_dense y);
void gs_subwarp_drop(gs_subwarp_space *room, gsolve_context *ctx);

#endif
