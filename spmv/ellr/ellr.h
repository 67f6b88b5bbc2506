/* ellr.h: the format ellr, ELLPACK-R: rows side by side with their lengths stored, so that padding
 * is never read, and T threads to a row. Slices are as wide as their longest row, not all as wide
 * as the longest of all as in the paper: what is never read need not be stored either.
 *
 * Its product with many columns is FastSpMM (Ortega, Vazquez, Garcia, Garzon): T threads a row, Lc
 * columns a pass, so that what is read of A serves for all of these. It differs from the paper in
 * where the Lc sums of a row are: there in shared memory, here in registers of a subwarp of
 * threads, each of which answers for two or four columns of all T lanes of its row (or of four of
 * them, where T is more), see ellr_cuda.cu. */
#ifndef GS_SPMV_ELLR_ELLR_H
#define GS_SPMV_ELLR_ELLR_H

#include "spmv/multi_rhs/subwarp_rows.h"
#include "spmv/sliced/sliced.h"

#define GS_ELLR_LEAST_BLOCK 64 /* threads */
#define GS_ELLR_MOST_BLOCK  1024

/* On a GPU, how the rows are dealt to thread blocks; 0: by their number and that of the columns. */
typedef struct gs_ellr_deal {
    int block;    /* threads of one: the BS of the paper */
    int32_t rows; /* that one goes through before it goes on elsewhere */
    bool shared;  /* the first caches are as small as can be, as the paper compares */
} gs_ellr_deal;

typedef struct gs_ellr {
    gs_sliced *slices;
    gs_ellr_deal deal;
    gs_subwarp_space space;
} gs_ellr;

typedef struct gs_ellr_kernels {
    /* y = alpha A x + beta y by rows */
    gs_subwarp_product *multiply;
} gs_ellr_kernels;

extern const gs_ellr_kernels gs_ellr_cuda[GSOLVE_TYPE_COUNT];

#endif
