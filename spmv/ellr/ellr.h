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

#include "spmv/multi_rhs/subwarp_rows.h"
#include "spmv/sliced/sliced.h"

#define GS_ELLR_LEAST_BLOCK 64 /* threads */
#define GS_ELLR_MOST_BLOCK  1024

/* How the rows are distributed over the thread blocks of a GPU; 0: chosen from the numbers of rows
 * and columns. */
typedef struct gs_ellr_schedule {
    int block;    /* threads per block: BS in the paper */
    int32_t rows; /* rows that a block computes before it goes on elsewhere */
    bool shared;  /* the L1 cache is as small as possible, as in the paper's comparison */
} gs_ellr_schedule;

typedef struct gs_ellr {
    gs_sliced *slices;
    gs_ellr_schedule schedule;
    gs_subwarp_space space;
} gs_ellr;

typedef struct gs_ellr_kernels {
    /* y = alpha A x + beta y, x row-major */
    gs_subwarp_product *multiply;
} gs_ellr_kernels;

extern const gs_ellr_kernels gs_ellr_cuda[GSOLVE_TYPE_COUNT];

#endif
