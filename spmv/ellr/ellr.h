/* ellr.h: the format ellr, ELLPACK-R: slices with the lengths of rows, so that padding is never
 * read, and T threads per row. A slice is as wide as its own longest row; in the paper all rows are
 * as wide as the longest of all.
 *
 * Its product with many columns is FastSpMM (Ortega, Vazquez, Garcia, Garzon): T threads per row
 * and Lc columns per pass, so that each entry is read once for all of these. It differs from the
 * paper in where the Lc sums of a row are. The paper keeps them in shared memory; here they are in
 * registers of a subwarp, each of whose threads owns two or four columns for all T lanes of its row
 * (or for four of them, where T is larger), see ellr_cuda.cu. */
#ifndef GS_SPMV_ELLR_ELLR_H
#define GS_SPMV_ELLR_ELLR_H

#include "spmv/sliced/sliced.h"

#define GS_ELLR_LEAST_BLOCK 64 /* threads */
#define GS_ELLR_MOST_BLOCK  1024

typedef struct gs_ellr_kernels {
    /* y = alpha A x + beta y, x row-major; self is a gs_sliced */
    gs_subwarp_product *multiply;
} gs_ellr_kernels;

extern const gs_ellr_kernels gs_ellr_cuda[GSOLVE_TYPE_COUNT];

#endif
