/* segmented.h: the format segmented (segSpMV and segSpMV-r of He, Tan, Tlelo-Cuautle, Wang, Tang).
 *
 * Every row is cut into segments of at most `length` entries, a row without entries into one that
 * is empty. The sums of the segments are all alike to make; a row of one segment gets its element
 * of y at once, and the sums of a row of several are kept in partial and added in their order.
 *
 * sum=thread: a thread (on the CPU a lane of a vector) sums a segment. Segments are stored in
 * groups of as many as run together: entry j of the group's l-th segment at first + j lanes + l,
 * up to the longest of the group; past a segment's end the column is -1.
 * sum=reduce: several threads sum a segment, whose entries stay where they are in the rows.
 *
 * On a GPU a row of more than 256 segments is summed from the rows as they are, by a block for each
 * of up to 256 parts, whichever the sum: see segmented_cuda.cu. */
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

#define GS_SEGMENT_MOST    1024 /* entries of a segment; a power of two */
#define GS_SEGMENT_WINDOW  8192 /* segments that order=length sorts among themselves */
#define GS_SEGMENT_COLUMNS 2048 /* columns between which order=columns does not distinguish */
#define GS_SEGMENT_NEAR    ((int64_t)128 << 10) /* bytes of x that a processor keeps at hand */
#define GS_SEGMENT_SHORT   4 /* times the entries of a segment that order=columns takes as short */
#define GS_SEGMENT_AROUND  2048 /* segments that one processor works on at a time, about */

typedef struct gs_segmented_options {
    int length, sum, finish, gather, order;
    bool tune;
} gs_segmented_options;

/* On a GPU: a part of a row too long for segments. */
typedef struct gs_segmented_part {
    int64_t from; /* entry */
    int64_t entries;
    int32_t row, slot;    /* slot: where its sum goes */
    int32_t first, parts; /* the row's: first slot, parts */
} gs_segmented_part;

typedef struct gs_segmented {
    gsolve_csr csr; /* the handle's */
    const struct gs_segmented_kernels *kernels;
    gs_segmented_options chosen;
    int64_t entries, longest, stored;
    int length;     /* of a segment, at most: a power of two */
    bool scattered; /* on the CPU: see matrix/irregular.h */
    bool reduce;
    int32_t segments;
    int lanes, groups; /* of lanes segments each */

    /* segments, all NULL where segment s is row s, or all of its segments: first entry (of the
     * offsets' type), entries, and the row if it has no other segment, else ~ the place of its sum
     * in partial; one block, which from begins */
    void *from;
    uint16_t *size;
    int32_t *target;

    int64_t *first; /* sum=thread: groups + 1: where each group begins in col and value */
    int32_t *col;
    void *value;

    int32_t many, partials; /* rows of several segments; their segments */
    int32_t *row, *begin;   /* many; many + 1: first place in partial; one block */
    void *partial;

    int32_t parts;    /* on a GPU */
    int64_t in_parts; /* entries */
    gs_segmented_part *part;
    void *part_sum;
    unsigned *done; /* parts: at a long row's first, those that are there */

    void *expanded;                 /* gather=expand: x for each stored entry */
    double *dots;                   /* on the CPU: sums of blocks */
    gs_column_blocks column_blocks; /* ... and instead of walks, where they pay */
    struct gs_segmented_far *far;   /* finish=host on a GPU: see segmented_cuda.cu */
    gs_subwarp_space space;         /* for products with many columns */
} gs_segmented;

/* All arrays of gs_segmented lie where ctx's device works. */
typedef struct gs_segmented_kernels {
    int lanes;         /* segments of a group */
    int differing;     /* entries of a segment where rows differ much; 0: no more than the mean */
    int least_groups;  /* that keep all processors busy */
    int threads_until; /* length up to which sum=auto lets a thread sum a segment */
    bool walks; /* sum=reduce in the order of rows needs no tables: a row's segments are one loop */
    /* s->longest; on the CPU s->scattered */
    gsolve_status (*measure_rows)(gs_segmented *s, gsolve_context *ctx);
    /* s's segments in the order of rows, and rows of several; parts */
    gsolve_status (*cut)(gs_segmented *s, gsolve_context *ctx);
    /* NULL: order=auto does not look; *by_columns: many segments are of cut rows, and those worked
     * on together are far apart */
    gsolve_status (*look)(const gs_segmented *s, gsolve_context *ctx, bool *by_columns);
    /* s's segments in GS_ORDER_LENGTH or GS_ORDER_COLUMNS */
    gsolve_status (*sort)(gs_segmented *s, gsolve_context *ctx, int order);
    /* fills s->first; s->stored */
    gsolve_status (*measure_groups)(gs_segmented *s, gsolve_context *ctx);
    /* s->value, and s->col if columns, from s->csr */
    gsolve_status (*fill)(gs_segmented *s, gsolve_context *ctx, bool columns);
    /* what finishing takes; and that undone */
    gsolve_status (*prepare)(gs_segmented *s, gsolve_context *ctx);
    void (*drop)(gs_segmented *s, gsolve_context *ctx);
    /* y = alpha A x + beta y; dots: if not NULL, alpha is 1 and beta 0 */
    gsolve_status (*apply)(gs_queue *q, const gs_segmented *s, double alpha, const void *x,
                           double beta, void *y, const gs_product_sums *dots);
    /* of many columns by rows, from csr's rows, segment by segment; unless it walks it takes as
     * many sums for each column as there are segments of cut rows, or parts */
    gs_subwarp_product *multiply;
} gs_segmented_kernels;

extern const gs_segmented_kernels gs_segmented_host[GSOLVE_TYPE_COUNT];
extern const gs_segmented_kernels gs_segmented_cuda[GSOLVE_TYPE_COUNT];

/* segmented_build.c: entries of a segment at most; the form of such segments, from what `like` has
 * of csr, kernels, chosen, entries and longest; and its end. */
int gs_segmented_length(const gs_segmented *like);
gsolve_status gs_segmented_build(gs_segmented **s, gsolve_context *ctx, const gs_segmented *like,
                                 int length);
void gs_segmented_destroy(void *self, gsolve_context *ctx);

/* Room for the tables of s->segments segments, and for those of s->many rows. */
typedef struct gs_segment_tables {
    void *from;
    uint16_t *size;
    int32_t *target;
} gs_segment_tables;

gsolve_status gs_segmented_alloc_tables(const gs_segmented *s, gsolve_context *ctx,
                                        gs_segment_tables *t);
gsolve_status gs_segmented_alloc_rows(gs_segmented *s, gsolve_context *ctx);

/* The tables on the CPU, see segmented_plan.c. */
gsolve_status gs_segmented_measure_rows(gs_segmented *s, gsolve_context *ctx);
gsolve_status gs_segmented_cut(gs_segmented *s, gsolve_context *ctx);
gsolve_status gs_segmented_sort(gs_segmented *s, gsolve_context *ctx, int order);
gsolve_status gs_segmented_measure_groups(gs_segmented *s, gsolve_context *ctx);
gsolve_status gs_segmented_prepare(gs_segmented *s, gsolve_context *ctx);
void gs_segmented_drop(gs_segmented *s, gsolve_context *ctx);

/* First entry and entries of segment i. */
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
