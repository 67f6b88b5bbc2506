/* segmented.h: the format segmented (segSpMV and segSpMV-r of He, Tan, Tlelo-Cuautle, Wang, Tang).
 *
 * Every row is cut into segments of at most `length` entries; a row without entries has one empty
 * segment. A row of one segment gets its element of y at once. The sums of the segments of a cut
 * row are stored in partial and added in their order.
 *
 * sum=thread: a thread (on the CPU a lane of a vector) sums a segment. Segments are stored in
 * groups of `lanes` segments: entry j of the group's l-th segment is at first + j lanes + l, up to
 * the longest segment of the group. Past the end of a segment the column is -1. sum=reduce: several
 * threads sum a segment, whose entries are read from the rows.
 *
 * On a GPU, a row of more than 256 segments is summed from the rows, by one block for each of up to
 * 256 parts, whatever the option sum; see segmented_cuda.cu. */
#ifndef GS_SPMV_SEGMENTED_SEGMENTED_H
#define GS_SPMV_SEGMENTED_SEGMENTED_H

#include "matrix/csr.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "spmv/multi_rhs/subwarp_rows.h"
#include "vector/vector.h"

enum { GS_SUM_AUTO, GS_SUM_THREAD, GS_SUM_REDUCE };
enum { GS_FINISH_DEVICE, GS_FINISH_HOST };
enum { GS_GATHER_FUSED, GS_GATHER_EXPAND };
enum { GS_ORDER_AUTO, GS_ORDER_ROWS, GS_ORDER_LENGTH, GS_ORDER_COLUMNS };

#define GS_SEGMENT_MOST    1024 /* entries of a segment, a power of two */
#define GS_SEGMENT_WINDOW  8192 /* segments that order=length sorts together */
#define GS_SEGMENT_COLUMNS 2048 /* columns that order=columns does not distinguish */
#define GS_SEGMENT_AROUND  2048 /* about the segments that a multiprocessor sums at a time */
#define GS_SEGMENT_SHORT                                                    \
    4 /* order=columns: short are at most length / GS_SEGMENT_SHORT entries \
       */
#define GS_SEGMENT_NEAR ((int64_t)128 << 10) /* bytes of x in the cache of a multiprocessor */

typedef struct gs_segmented_options {
    int length, sum, finish, gather, order;
} gs_segmented_options;

/* On a GPU: a part of a row that is too long for segments. */
typedef struct gs_segmented_part {
    int64_t from; /* first entry */
    int64_t entries;
    int32_t row, slot;    /* slot: index of its sum in part_sum */
    int32_t first, parts; /* of the row: first slot, number of parts */
} gs_segmented_part;

typedef struct gs_segmented {
    gsolve_csr csr; /* the handle's rows */
    const struct gs_segmented_kernels *kernels;
    gs_segmented_options chosen;
    int64_t entries, longest, stored;
    int length;     /* most entries of a segment, a power of two */
    bool irregular; /* on the CPU: x is read irregularly, see matrix/irregular.h */
    bool reduce;
    int32_t segments;
    int lanes, groups; /* groups of `lanes` segments each */

    /* One allocation, which `from` begins, with one element per segment: its first entry (in the
     * type of offsets), its number of entries, and its target: the row if this is its only segment,
     * else ~ the index of its sum in partial. All NULL where segment s is row s, or all segments of
     * it. */
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

    int32_t parts;    /* on a GPU */
    int64_t in_parts; /* entries of rows that are summed in parts */
    gs_segmented_part *part;
    void *part_sum;
    unsigned *done; /* parts: finished parts of a long row, at its first slot; 0 between products */

    void *expanded;                 /* gather=expand: the element of x for each stored entry */
    double *dots;                   /* on the CPU: sums of blocks */
    gs_column_blocks column_blocks; /* on the CPU, instead of loops over rows where they pay */
    struct gs_segmented_host_sums
        *host_sums;         /* finish=host on a GPU: see segmented_finish_cuda.cu */
    gs_subwarp_space space; /* work space for products with many columns */
} gs_segmented;

/* All arrays of gs_segmented lie where ctx's device reads them. */
typedef struct gs_segmented_kernels {
    int lanes;         /* segments of a group */
    int differing;     /* entries of a segment where the lengths of rows differ much; 0: at most the
                          mean */
    int least_groups;  /* groups that keep all processors busy */
    int threads_until; /* length up to which sum=auto chooses a thread per segment */
    bool one_loop;     /* with sum=reduce and order=rows, one loop over a row computes its segments
                          without tables */
    /* Computes s->longest and, on the CPU, s->irregular. */
    gsolve_status (*measure_rows)(gs_segmented *s, gsolve_context *ctx);
    /* Makes s's segments in the order of rows, the list of cut rows, and the parts. */
    gsolve_status (*cut)(gs_segmented *s, gsolve_context *ctx);
    /* NULL: order=auto keeps the order of rows. *column_order = whether many segments belong to cut
     * rows and segments that are computed together read x far apart. */
    gsolve_status (*inspect)(const gs_segmented *s, gsolve_context *ctx, bool *column_order);
    /* Sorts s's segments in GS_ORDER_LENGTH or GS_ORDER_COLUMNS. */
    gsolve_status (*sort)(gs_segmented *s, gsolve_context *ctx, int order);
    /* Fills s->first and s->stored. */
    gsolve_status (*measure_groups)(gs_segmented *s, gsolve_context *ctx);
    /* Writes s->value, and s->col if `columns` is set, from s->csr. */
    gsolve_status (*fill)(gs_segmented *s, gsolve_context *ctx, bool columns);
    /* Allocates and releases what `apply` needs besides. */
    gsolve_status (*prepare)(gs_segmented *s, gsolve_context *ctx);
    void (*drop)(gs_segmented *s, gsolve_context *ctx);
    /* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. */
    gsolve_status (*apply)(gs_queue *q, const gs_segmented *s, double alpha, const void *x,
                           double beta, void *y, const gs_product_sums *dots);
    /* The product with many columns, row-major, from csr's rows, segment by segment. Unless
     * one_loop is set, it needs a partial sum per column for each segment of a cut row, or for each
     * part. */
    gs_subwarp_product *multiply;
} gs_segmented_kernels;

extern const gs_segmented_kernels gs_segmented_host[GSOLVE_TYPE_COUNT];
extern const gs_segmented_kernels gs_segmented_cuda[GSOLVE_TYPE_COUNT];

/* segmented_build.c: the length of segments; the form with such segments, from like's csr, kernels,
 * chosen, entries and longest; its end. */
int gs_segmented_length(const gs_segmented *like);
gsolve_status gs_segmented_build(gs_segmented **s, gsolve_context *ctx, const gs_segmented *like,
                                 int length);
void gs_segmented_destroy(void *self, gsolve_context *ctx);

/* Allocates the tables of s->segments segments, and those of s->many rows. */
typedef struct gs_segment_tables {
    void *from;
    uint16_t *size;
    int32_t *target;
} gs_segment_tables;

gsolve_status gs_segmented_alloc_tables(const gs_segmented *s, gsolve_context *ctx,
                                        gs_segment_tables *t);
gsolve_status gs_segmented_alloc_rows(gs_segmented *s, gsolve_context *ctx);

/* segmented_plan.c: the tables on the CPU. */
gsolve_status gs_segmented_measure_rows(gs_segmented *s, gsolve_context *ctx);
gsolve_status gs_segmented_cut(gs_segmented *s, gsolve_context *ctx);
gsolve_status gs_segmented_sort(gs_segmented *s, gsolve_context *ctx, int order);
gsolve_status gs_segmented_measure_groups(gs_segmented *s, gsolve_context *ctx);
gsolve_status gs_segmented_prepare(gs_segmented *s, gsolve_context *ctx);
void gs_segmented_drop(gs_segmented *s, gsolve_context *ctx);

/* First entry and number of entries of segment i. */
static inline int64_t gs_segment_from(const gs_segmented *s, int32_t i)
{
    if (!s->from) return gs_start(&s->csr, i);
    return s->csr.offset == GSOLVE_O64 ? ((const int64_t *)s->from)[i]
                                       : (int64_t)((const int32_t *)s->from)[i];
}

static inline int64_t gs_segment_size(const gs_segmented *s, int32_t i)
{
    return s->size ? s->size[i] : gs_start(&s->csr, i + 1) - gs_start(&s->csr, i);
}

#endif
