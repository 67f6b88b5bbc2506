/* speculative.h: the format speculative: the rows as they are, cut into pieces of equally many
 * entries whatever the rows (Liu and Vinter, Speculative segmented sum for sparse matrix-vector
 * multiplication on heterogeneous processors, 2015).
 *
 * The paper's letters: T threads of a thread-bunch, here a warp, 32; W entries of a thread; a tile
 * of W T entries; a bunch of S tiles, one after the other; a group of B bunches. On the CPU a bunch
 * is one task, and a thread takes B of them at a time.
 *
 * What is made of the matrix, by one binary search for each tile, is first[t], the paper's
 * tile_offset: the first row that begins at or after entry t W T. The rows of a tile are those that
 * begin in it; the row before them is open: it began earlier. Where the paper's text differs:
 *  - it searches the rightmost match, so that an open row is a tile's first; the leftmost one here
 *    leaves empty rows before a boundary to the tile in which they begin;
 *  - its synchronizer adds each bunch's first sum to y, also where that row begins with the bunch
 *    and nothing has set its y; here both ends of a piece, head and tail, go to the synchronizer,
 *    and a row is written once, when all its parts are there;
 *  - it writes a dirty tile's sums to wrong rows and moves them later, which destroys elements of y
 *    that beta is still to scale, and then loses the sum carried to the next tile; here a tile
 *    knows that it is dirty before it writes, since it has counted its rows and their first
 *    entries, and mends itself. Only what would keep a tile from its work, many more rows than one
 *    of its size should have, is noted in the speculator array, once, since it depends on the
 *    pattern alone, and checked by others;
 *  - both stages run where the matrix lives.
 *
 * One product moves 12 bytes an entry (8 in fp32), 4 or 8 a row, 4 a tile, and x and y once. */
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_H
#define GS_SPMV_SPECULATIVE_SPECULATIVE_H

#include "matrix/csr.h"
#include "matrix/irregular.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "vector/vector.h"

#define GS_SPECULATIVE_T 32

typedef struct gs_speculative_shape {
    int width;   /* W; as an option: which word */
    int steps;   /* S; as an option 0: chosen */
    int bunches; /* B; as an option 0: chosen */
} gs_speculative_shape;

enum { GS_WIDTH_4, GS_WIDTH_8 };

typedef struct gs_speculative_plan {
    gsolve_csr csr; /* the handle's */
    gs_speculative_shape shape;
    int64_t entries;
    /* on the CPU; of a bunch: */
    gs_rows how;                    /* rows are summed */
    int64_t size;                   /* S W T, its entries */
    int32_t count;                  /* bunches */
    int32_t *first;                 /* count + 1 */
    double *head, *tail;            /* count, the synchronizer: sums of the parts of open rows */
    double *part;                   /* 2 count: sums that are made on the way */
    gs_column_blocks column_blocks; /* instead, where they pay */
    struct gs_speculative *tile;    /* on CUDA instead: see speculative_cuda.cu */
} gs_speculative_plan;

typedef struct gs_speculative_kernels {
    /* What is made of plan->csr, whose shape is the option's; and that undone. */
    gsolve_status (*plan)(gs_speculative_plan *plan, gsolve_context *ctx);
    void (*drop)(gs_speculative_plan *plan, gsolve_context *ctx);
    /* y = alpha A x + beta y; dots: if not NULL, alpha is 1 and beta 0 */
    gsolve_status (*apply)(gs_queue *q, const gs_speculative_plan *plan, double alpha,
                           const void *x, double beta, void *y, const gs_product_sums *dots);
} gs_speculative_kernels;

gsolve_status gs_speculative_plan_host(gs_speculative_plan *plan, gsolve_context *ctx);
void gs_speculative_drop_host(gs_speculative_plan *plan, gsolve_context *ctx);

extern const gs_speculative_kernels gs_speculative_host[GSOLVE_TYPE_COUNT];
extern const gs_speculative_kernels gs_speculative_cuda[GSOLVE_TYPE_COUNT];

#endif
