/* speculative.h: the format speculative: the rows of csr, cut into tiles of equally many entries
 * whatever the rows are (Liu and Vinter, Speculative segmented sum for sparse matrix-vector
 * multiplication on heterogeneous processors, 2015).
 *
 * The letters of the paper: a thread-bunch has T threads, here a warp of 32. A thread has W entries
 * of a tile of W T entries. A bunch has S tiles, one after the other. A group has B bunches. On the
 * CPU a bunch is one task, and a thread takes B of them at a time.
 *
 * The plan is first[t], the paper's tile_offset, found by one binary search for each tile: the
 * first row that begins at or after entry t W T. The rows of a tile are those that begin in it. The
 * row before them is called open: it began earlier. The code differs from the paper in four places:
 * - The paper searches the rightmost match, so that an open row is the tile's first. Here the
 * leftmost match is searched, so that empty rows before a boundary belong to the tile in which they
 * begin.
 * - The paper's synchronizer adds each bunch's first sum to y, even where that row begins with the
 * bunch and its element of y has not been set. Here both ends of a bunch or group, head and tail,
 * go to the synchronizer, and a row is written once, when all its parts exist.
 * - The paper writes the sums of a dirty tile (a tile with empty rows) to wrong rows and moves them
 * later. This overwrites elements of y that beta has yet to scale, and loses the sum that the next
 * tile continues. Here a tile knows that it is dirty before it writes, since it has counted its
 * rows and their first entries, and writes to the right rows. Only tiles with far more rows than
 * entries are recorded in the speculator array; the plan does that once, since it depends on the
 * pattern alone, and other blocks write their empty rows.
 * - Both stages run where the matrix lies.
 *
 * One product moves 12 bytes per entry (8 in single precision), 4 or 8 per row, 4 per tile, and x
 * and y once. */
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_H
#define GS_SPMV_SPECULATIVE_SPECULATIVE_H

#include "matrix/csr.h"
#include "matrix/irregular.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "vector/vector.h"

#define GS_SPECULATIVE_T 32

typedef struct gs_speculative_shape {
    int width;   /* W; as an option: index of the word */
    int steps;   /* S; as an option 0: chosen */
    int bunches; /* B; as an option 0: chosen */
} gs_speculative_shape;

enum { GS_WIDTH_4, GS_WIDTH_8 };

typedef struct gs_speculative_plan {
    gsolve_csr csr; /* the handle's rows */
    gs_speculative_shape shape;
    int64_t entries;
    /* on the CPU, for bunches: */
    gs_rows how;         /* how rows are summed */
    int64_t size;        /* entries of a bunch, S W T */
    int32_t count;       /* number of bunches */
    int32_t *first;      /* count + 1 elements: first row of each bunch */
    double *head, *tail; /* count elements, the synchronizer: sums of the parts of open rows */
    double *part;        /* 2 count elements: sums for dots */
    gs_column_blocks column_blocks; /* used instead where count > 0 */
    struct gs_speculative
        *tile; /* on CUDA, instead of the members above: see speculative_cuda.cu */
} gs_speculative_plan;

typedef struct gs_speculative_kernels {
    /* Makes and releases the plan for plan->csr; plan->shape holds the options. */
    gsolve_status (*plan)(gs_speculative_plan *plan, gsolve_context *ctx);
    void (*drop)(gs_speculative_plan *plan, gsolve_context *ctx);
    /* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. */
    gsolve_status (*apply)(gs_queue *q, const gs_speculative_plan *plan, double alpha,
                           const void *x, double beta, void *y, const gs_product_sums *dots);
} gs_speculative_kernels;

gsolve_status gs_speculative_plan_host(gs_speculative_plan *plan, gsolve_context *ctx);
void gs_speculative_drop_host(gs_speculative_plan *plan, gsolve_context *ctx);

extern const gs_speculative_kernels gs_speculative_host[GSOLVE_TYPE_COUNT];
extern const gs_speculative_kernels gs_speculative_cuda[GSOLVE_TYPE_COUNT];

#endif
