/* segmented.h: the format segmented (segSpMV and segSpMV-r of He, Tan, Tlelo-Cuautle, Wang, Tang).
 *
 * Every row is cut into segments of at most `length` entries. On the CPU a thread sums the segments
 * of a row and adds their sums, see segmented_host.c. The rest of this file is about a GPU. There a
 * row without entries has one empty segment. A row of one segment gets its element of y at once.
 * The sums of the segments of a cut row are stored in partial and added in their order.
 *
 * sum=thread: a thread sums a segment. Segments are stored in groups of GS_SEGMENT_LANES segments:
 * entry j of the group's l-th segment is at first + j GS_SEGMENT_LANES + l, up to the longest
 * segment of the group. Past the end of a segment the column is -1. sum=reduce: several threads sum
 * a segment, whose entries are read from the rows.
 *
 * A row of more than 256 segments is summed from the rows, by one block for each of up to 256
 * parts, whatever the option sum; see segmented_cuda.cu. */
#ifndef GS_SPMV_SEGMENTED_SEGMENTED_H
#define GS_SPMV_SEGMENTED_SEGMENTED_H

#include "matrix/csr.h"
#include "matrix/irregular.h"
#include "spmv/multi_rhs/subwarp_rows.h"
#include "vector/vector.h"

#define GS_SEGMENT_MOST 1024 /* entries of a segment, a power of two */

enum { GS_SUM_AUTO, GS_SUM_THREAD, GS_SUM_REDUCE };
enum { GS_ORDER_AUTO, GS_ORDER_ROWS, GS_ORDER_LENGTH, GS_ORDER_COLUMNS };

typedef struct gs_segmented_options {
    int length, sum, order; /* on the CPU sum and order are auto */
} gs_segmented_options;

extern const gsolve_option gs_segmented_option_table[];

#define GS_SEGMENTED_PLUGIN                                                 \
    {"segmented", "rows cut into segments of equal length, a power of two", \
     gs_segmented_option_table, sizeof(gs_segmented_options)}

/* The power of two that holds the length that the option asks for, or the mean row length. */
static inline int gs_segment_length(int asked, int64_t entries, int32_t rows)
{
    const double wanted = asked ? asked : (double)entries / (rows ? rows : 1);
    int length = 1;

    while (length < wanted && length < GS_SEGMENT_MOST) length *= 2;
    return length;
}

/* --- on the CPU ------------------------------------------------------------------------------- */

typedef struct gs_row_segments {
    gsolve_csr csr; /* the handle's rows */
    int64_t entries;
    gs_rows how; /* how segments are summed */
    int length;  /* most entries of a segment */
} gs_row_segments;

typedef struct gs_segmented_kernels { /* y = alpha A x + beta y, one column */
    gsolve_status (*apply)(const gs_row_segments *s, gsolve_context *ctx, double alpha,
                           gsolve_dense x, double beta, gsolve_dense y);
} gs_segmented_kernels;

extern const gs_segmented_kernels GS_HOST_TABLES(gs_segmented);

/* --- on a GPU --------------------------------------------------------------------------------- */

#define GS_SEGMENT_LANES   32   /* segments of a group: a warp sums them */
#define GS_SEGMENT_WINDOW  8192 /* segments that order=length sorts together */
#define GS_SEGMENT_COLUMNS 2048 /* columns that order=columns does not distinguish */
#define GS_SEGMENT_AROUND  2048 /* about the segments that a multiprocessor sums at a time */
#define GS_SEGMENT_SHORT                                                    \
    4 /* order=columns: short are at most length / GS_SEGMENT_SHORT entries \
       */
#define GS_SEGMENT_NEAR ((int64_t)128 << 10) /* bytes of x in the cache of a multiprocessor */

/* A part of a row that is too long for segments. */
typedef struct gs_segmented_part {
    int64_t from; /* first entry */
    int64_t entries;
    int32_t row, slot;    /* slot: index of its sum in part_sum */
    int32_t first, parts; /* of the row: first slot, number of parts */
} gs_segmented_part;

typedef struct gs_segmented {
    gsolve_csr csr; /* the handle's rows */
    gs_segmented_options chosen;
    int64_t entries, longest, stored;
    int length; /* most entries of a segment, a power of two */
    bool reduce;
    int32_t segments;
    int groups; /* of GS_SEGMENT_LANES segments */

    /* One allocation, which `from` begins, with one element per segment: its first entry (in the
     * type of offsets), its number of entries, and its target: the row if this is its only segment,
     * else ~ the index of its sum in partial. All NULL where segment s is row s. */
    void *from;
    uint16_t *size;
    int32_t *target;

    int64_t *first; /* sum=thread: groups + 1: where each group begins in col and value */
    int32_t *col;
    void *value;

    int32_t many, partials; /* cut rows; their segments */
    int32_t *row;           /* many: the cut rows; begins the allocation of row and begin */
    int32_t *begin;         /* many + 1: first index of each cut row in partial */
    void *partial;

    int32_t parts;
    int64_t in_parts; /* entries of rows that are summed in parts */
    gs_segmented_part *part;
    void *part_sum;
    unsigned *done; /* parts: finished parts of a long row, at its first slot; 0 between products */

    gs_subwarp_space space; /* work space for products with many columns */
} gs_segmented;

/* --- segmented_cut_cuda.cu: s's segments in the order of rows, the cut rows, and the parts ---- */

gsolve_status gs_segmented_cut(gs_segmented *s, gsolve_context *ctx);

/* --- segmented_order_cuda.cu ------------------------------------------------------------------ */

/* *column_order = whether many segments belong to cut rows and segments that are computed together
 * read x far apart. */
gsolve_status gs_segmented_inspect(const gs_segmented *s, gsolve_context *ctx, bool *column_order);
/* Sorts s's segments in GS_ORDER_LENGTH or GS_ORDER_COLUMNS. */
gsolve_status gs_segmented_sort(gs_segmented *s, gsolve_context *ctx, int order);

/* --- segmented_fill_cuda.cu ------------------------------------------------------------------- */

/* Fills s->first and s->stored. */
gsolve_status gs_segmented_measure_groups(gs_segmented *s, gsolve_context *ctx);
/* Writes s->value, and s->col if `columns` is set, from s->csr. */
gsolve_status gs_segmented_fill(gs_segmented *s, gsolve_context *ctx, bool columns);

/* --- segmented_cuda.cu and segmented_block_cuda.cu: the products ------------------------------ */

/* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. */
gsolve_status gs_segmented_multiply(const gs_segmented *s, gsolve_context *ctx, double alpha,
                                    gsolve_dense x, double beta, gsolve_dense y,
                                    const gs_product_sums *dots);
/* With many columns, row-major, from csr's rows, segment by segment. It needs a partial sum per
 * column for each segment of a cut row, or for each part. */
gs_subwarp_product gs_segmented_multiply_rows;

#endif
