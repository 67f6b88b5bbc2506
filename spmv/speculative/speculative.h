/* speculative.h: the format speculative: the rows of csr, cut into tiles of equally many entries
 * whatever the rows are (Liu and Vinter, Speculative segmented sum for sparse matrix-vector
 * multiplication on heterogeneous processors, 2015).
 *
 * The letters of the paper: a thread-bunch has T threads, here a warp of 32. A thread has W entries
 * of a tile of W T entries. A bunch has S tiles, one after the other. A group has B bunches. On the
 * CPU a tile has 8192 entries and is a task, see speculative_host.c.
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

#define GS_SPECULATIVE_T 32

enum { GS_WIDTH_4, GS_WIDTH_8 }; /* the words of width= */

typedef struct gs_speculative_options { /* on the CPU all have their defaults */
    int width, steps, bunches;          /* W; S and B, 0: chosen */
} gs_speculative_options;

extern const gsolve_option gs_speculative_option_table[];

#define GS_SPECULATIVE_PLUGIN                                                              \
    {"speculative",                                                                        \
     "compressed sparse rows in tiles with equal numbers of entries, summed as if no row " \
     "were empty and corrected afterwards (Liu and Vinter); no conversion; the last bits " \
     "depend on the GPU unless steps is set",                                              \
     gs_speculative_option_table, sizeof(gs_speculative_options)}

/* --- on the CPU ------------------------------------------------------------------------------- */

#define GS_SPECULATIVE_TILE 8192 /* entries */

typedef struct gs_tiles {
    gsolve_csr csr; /* the handle's rows */
    int64_t entries;
    gs_rows how;         /* how rows are summed */
    int32_t count;       /* at least 1 */
    int32_t *first;      /* count + 1: first row of each tile */
    double *head, *tail; /* count each, the synchronizer: sums of the parts of open rows */
} gs_tiles;

typedef struct gs_speculative_kernels { /* y = alpha A x + beta y, one column */
    gsolve_status (*apply)(const gs_tiles *s, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y);
} gs_speculative_kernels;

extern const gs_speculative_kernels GS_HOST_TABLES(gs_speculative);

#endif
