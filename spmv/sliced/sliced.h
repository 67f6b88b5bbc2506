/* sliced.h: rows stored in slices; sell, bce, ellr, ell and hyb use this storage.
 *
 * A slice has a fixed number of lanes (on a GPU the threads of a warp, or a multiple or part of
 * them). A row takes T lanes, so a slice of C lanes holds C/T rows: entry k of its r-th row is in
 * lane r T + k mod T of the slice's column k / T. The columns of a slice follow one another, and
 * the lanes of a column are contiguous, so what the lanes read at the same time is contiguous. A
 * slice has as many columns as its longest row needs; the rest is padding, which is marked and
 * never multiplied.
 *
 *      row 0   a b c                 lanes   0 1 2 3
 *      row 1   d                   column 0  a d e h      C = 4, T = 1: 4 rows a slice,
 *      row 2   e f g                      1  b . f .      3 columns, 4 slots of padding
 *      row 3   h                          2  c . g .
 *
 * A format decides in which order rows are stored, how many lanes a row has, which rows are too
 * long, and how indices and values are stored: that is the policy. Rows of more than policy.most
 * entries are not stored in slices. They are multiplied from csr, in parts whose sums are added in
 * their order.
 *
 * Column numbers take 16 bits where they fit. In a slice whose columns span at most 65534, they are
 * offsets from one base; where only each column of the slice does, they are offsets from one base
 * per column; other slices keep 32 bits. 0xFFFF (in 32 bits: -1) marks padding. */
#ifndef GS_SPMV_SLICED_SLICED_H
#define GS_SPMV_SLICED_SLICED_H

#include "matrix/csr.h"
#include "spmv/multi_rhs/block.h"
#include "spmv/multi_rhs/cache_windows.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "spmv/multi_rhs/long_rows.h"
#include "spmv/multi_rhs/subwarp_rows.h"
#include "spmv/step.h"
#include "vector/vector.h"

/* --- the policy ------------------------------------------------------------------------------- */

#define GS_SLICED_WARP 32 /* lanes of a slice on a GPU */

enum { GS_INDEX_AUTO, GS_INDEX_16, GS_INDEX_32 }; /* how column numbers are stored */
enum { GS_VALUE_OWN, GS_VALUE_AUTO }; /* values: in the matrix's type; in f32 if all are exact */

#define GS_SLICED_SPAN  65534 /* largest difference of column numbers in 16 bits */
#define GS_SLICED_EACH  32    /* most lanes of a slice with one base per column */
#define GS_SLICED_LEAST 8     /* least lanes of a slice; their number is a power of two */
#define GS_SLICED_MOST  1024  /* most lanes of a slice */
#define GS_SLICED_PART  1024  /* entries of a part of a long row on a GPU; a warp sums a part */

#define GS_SLICED_BLOCK  32 /* most columns of x in a pass over parts of long rows */
#define GS_SLICED_CHUNKS 4  /* most chunks of columns in such a pass */

#define GS_SLICED_SLICE 21 /* bytes of a slice besides its columns and values, at most */

#define GS_SLICED_WINDOW 16384 /* rows that are sorted by length together on a GPU */
#define GS_SLICED_NEAR   512   /* the same number on the CPU, unless x is read irregularly */

#define GS_SLICED_COUNTED 2048 /* longest row that gs_sliced_kernels.count counts */

/* The option table's lines for members index and value of the options o. */
#define GS_SLICED_OPTIONS(o)                                                                       \
    {"index",                                                                                      \
     "bits of a column index; auto: 16 where that saves memory",                                   \
     GSOLVE_CHOICE,                                                                                \
     offsetof(o, index),                                                                           \
     GS_INDEX_AUTO,                                                                                \
     0,                                                                                            \
     0,                                                                                            \
     "auto|16|32"},                                                                                \
    {                                                                                              \
        "value",                                                                                   \
            "type of the stored values; own: the type of the matrix; auto: f32 if f32 represents " \
            "every value of an f64 matrix exactly, else own",                                      \
            GSOLVE_CHOICE, offsetof(o, value), GS_VALUE_OWN, 0, 0, "own|auto"                      \
    }

/* A run of positions of the order with the same storage. A group begins a new slice. */
typedef struct gs_sliced_group {
    int32_t first; /* position of the first row; ascending, 0 in the first group */
    int32_t lanes; /* per row: 1, 2, 4, ... 32, at most those of a slice */
    int32_t width; /* columns of each slice at least; 0: as many as its rows need */
} gs_sliced_group;

typedef struct gs_sliced_policy {
    int32_t lanes;  /* of a slice */
    int32_t *order; /* nrows, where the matrix lies: the row at each position; NULL: rows keep their
                       order. gs_sliced_make takes ownership, even if it fails */
    int32_t groups; /* at least 1; on the CPU 1, and a row has one lane */
    const gs_sliced_group *group; /* on the host */
    int32_t keep;                 /* only the first `keep` entries of a row are stored; 0: all */
    int32_t most;                 /* longer rows are multiplied from csr; 0: no limit */
    bool lengths;                 /* GPU: lengths of rows are stored, and padding is not read */
    int index, value;
    int64_t entries; /* of csr; 0: not known, and gs_sliced_make counts them */
} gs_sliced_policy;

/* --- the form --------------------------------------------------------------------------------- */

/* Where the column numbers of a slice are stored. */
typedef struct gs_sliced_head {
    int32_t at;   /* first unit, that is `lanes` 16-bit numbers; ~at: 32-bit numbers, two units per
                     column */
    int32_t base; /* of all columns; ~base: number of the first column's base */
} gs_sliced_head;

/* How the product of ellr with several columns distributes the rows over the thread blocks of a
 * GPU; 0: chosen from the numbers of rows and columns. */
typedef struct gs_sliced_schedule {
    int block;    /* threads per block: BS in the paper */
    int32_t rows; /* rows that a block computes before it goes on elsewhere */
} gs_sliced_schedule;

typedef struct gs_sliced {
    gsolve_csr csr;   /* the handle's rows */
    int64_t entries;  /* of csr */
    int64_t in_parts; /* entries of long rows */
    int64_t columns;  /* of all slices; stored entries are columns x lanes */
    int32_t lanes, slices;
    int shift;              /* lanes = 1 << shift */
    int32_t most_row_shift; /* log2 of the most lanes of a row */
    int32_t keep, most;
    int index, value; /* as the policy says */
    bool narrow;      /* column numbers are in unit, see head; else in col */
    bool single;      /* values of an f64 matrix are stored in f32 */
    /* On a GPU: neighbouring rows read neighbouring columns, as stencils do, so that a column-major
     * x needs no conversion. */
    bool aligned;
    int32_t *first;     /* slices + 1: number of each slice's first column */
    int32_t *position;  /* slices + 1: position of its first row; NULL: one group */
    uint8_t *row_shift; /* slices: log2 of the lanes of its rows; NULL: most_row_shift for all */
    int32_t *order;  /* nrows: row at each position, -1: a long one; NULL: rows keep their order */
    int32_t *length; /* nrows: stored entries of the row at each position; NULL: padding ends it */
    int32_t *full;   /* slices: leading columns without padding; on the CPU */
    int32_t *col;    /* columns x lanes; -1: padding */
    gs_sliced_head *head; /* slices */
    uint16_t *unit;       /* units x lanes */
    int32_t *base;        /* bases */
    int64_t units, bases;
    void *value_of; /* columns x lanes */
    int32_t nlong, parts;
    gs_row_part *part; /* parts */
    void *sum;         /* parts x 8, on a GPU x GS_SLICED_BLOCK, in the matrix's type */
    unsigned *done;    /* on a GPU: parts x GS_SLICED_CHUNKS counters of finished parts, 0
                          between products */
    int32_t tasks;     /* on the CPU: runs of slices of about equal work */
    int32_t *task;     /* tasks + 1: first slice of each */
    double *dot;       /* work space: two sums for each task */
    gs_column_blocks column_blocks; /* used instead of tasks where count > 0; on the CPU */
    gs_block_space space;           /* work space: x row-major where the caller's is not */
    gs_cache_windows windows;       /* of the tasks, or instead of space; on the CPU */
    gs_sliced_schedule schedule;    /* of ellr; on a GPU */
    gs_subwarp_space subwarps;      /* work space of ellr; on a GPU */
    char note[80];                  /* what the format chose, or "" */
} gs_sliced;

/* Whether on a GPU a warp owns a slice and a thread one row, and padding marks the end of a row. */
static inline bool gs_sliced_row_per_lane(const gs_sliced *s)
{
    return s->lanes == GS_SLICED_WARP && s->most_row_shift == 0 && !s->length;
}

typedef struct gs_sliced_span { /* a group, and where its slices begin */
    int32_t position, slice, width;
    int32_t row_shift; /* log2 of the lanes of a row */
} gs_sliced_span;

/* How rows are sorted: by class within windows of `window` rows; rows of one class keep their
 * order. */
typedef struct gs_sliced_classes {
    int32_t window, most; /* rows of more than `most` entries count as empty */
    int32_t classes;      /* their number where there is class_of */
    const uint8_t
        *class_of; /* on the host: class by length, 0 to most; NULL: by descending length */
} gs_sliced_classes;

/* The row statistics for a policy. */
typedef struct gs_sliced_facts {
    int64_t entries, longest; /* of csr; of its longest row */
    int64_t kept;             /* entries of rows that are not long */
    int64_t stored; /* kept entries and padding, in slices of `lanes` rows in their order */
} gs_sliced_facts;

/* --- the kernels ------------------------------------------------------------------------------ */

typedef struct gs_sliced_kernels {
    /* Computes the statistics for slices of `lanes` rows without the rows of more than `most`
     * entries. Waits for the device. */
    gsolve_status (*inspect)(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                             int32_t most, gs_sliced_facts *facts);
    /* rows[m] = number of rows of m entries, m = 0 to GS_SLICED_COUNTED, on the host; longer rows
     * count as empty. Waits for the device. */
    gsolve_status (*count)(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rows);
    /* *order (release it with gsolve_free where csr lies) = the sorted rows. first, unless NULL, on
     * the host, with class_of and on a GPU: position of the first row of each class in each window,
     * windows x classes. */
    gsolve_status (*sort)(gsolve_context *ctx, const gsolve_csr *csr, const gs_sliced_classes *by,
                          int32_t **order, int32_t *first);
    /* Makes all arrays of s but the values; columns are not filled in. csr, entries, lanes, slices,
     * shift, most_row_shift, keep, most, index, value and order are set. On failure the caller
     * releases what exists. */
    gsolve_status (*shape)(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                           const gs_sliced_span *span, bool lengths);
    /* *single = whether all values of s->csr, in double precision, are exact in single. */
    gsolve_status (*fits_single)(const gs_sliced *s, gsolve_context *ctx, bool *single);
    /* Stores the values of s->csr, and with `columns` the column numbers. */
    gsolve_status (*fill)(gs_sliced *s, gsolve_context *ctx, bool columns);
    /* y = alpha A x + beta y. If dots is not NULL, alpha is 1 and beta is 0. */
    gsolve_status (*apply)(gs_queue *q, const gs_sliced *s, double alpha, const void *x,
                           double beta, void *y, const gs_product_sums *dots);
    /* y = alpha A x + beta y with several columns; x and y have the same layout. s->space and
     * s->windows may grow. */
    gsolve_status (*apply_block)(gs_sliced *s, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
    /* On a GPU, else NULL: restores col[] and value[] of s->csr, whose offsets exist, in their
     * original order. Does not wait for the device. */
    gsolve_status (*restore)(gs_queue *q, const gs_sliced *s, int32_t *col, void *value);
    /* On a GPU, else NULL: a step of spmv/step.h. A thread owns a complete row. */
    gsolve_status (*step)(gs_queue *q, const gs_sliced *s, const void *x, const gs_step *step);
} gs_sliced_kernels;

extern const gs_sliced_kernels GS_HOST_TABLES(gs_sliced);
extern const gs_sliced_kernels gs_sliced_cuda[GSOLVE_TYPE_COUNT];

/* --- functions for formats -------------------------------------------------------------------- */

/* *out = csr in slices, by the policy. On failure nothing is left, and *out is not set. */
gsolve_status gs_sliced_make(gs_sliced **out, gsolve_context *ctx, const gsolve_csr *csr,
                             const gs_sliced_policy *policy);

/* *facts = the statistics of csr, at any location; most = 0: no row is left out. facts->entries is
 * counted only if it is 0. */
gsolve_status gs_sliced_inspect(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                int32_t most, gs_sliced_facts *facts);

/* An upper bound of the bytes of a form with that many stored entries, without long rows. */
size_t gs_sliced_bytes(const gsolve_csr *csr, double stored, int32_t lanes, bool order);

/* The stored entries, computed from the lengths of rows of a csr on the host: slices of `lanes`
 * rows without rows of more than `most` entries. If rows are sorted by length in windows of
 * `window` rows (1: they are not), the result is an upper bound. */
double gs_sliced_estimate_stored(const gsolve_csr *csr, int32_t lanes, int32_t window,
                                 int32_t most);

/* Fails if the slices have too many columns to number, or do not fit into memory. */
gsolve_status gs_sliced_fits(gsolve_context *ctx, const gs_sliced *s, int64_t columns);

/* Lanes of a slice on ctx's device. */
int32_t gs_sliced_lanes(const gsolve_context *ctx);

/* The window of a sort, a multiple of the `rows` of a slice; 1: no sort. sigma: the window, or 0:
 * `found`, if without sorting the padding of `stored` exceeds 10 % of the entries `kept`. */
int32_t gs_sliced_window_of(int sigma, int32_t found, int32_t rows, double stored, double kept);

/* Sorts the rows by length for a policy with one group, within the window that gs_sliced_window_of
 * chooses, which is stored in *window. */
gsolve_status gs_sliced_order(gsolve_context *ctx, const gsolve_csr *csr, int sigma,
                              gs_sliced_policy *policy, int32_t *window);

/* Lanes per row, a power of two up to GS_SLICED_WARP, for that many rows and entries: on a GPU more
 * than 1 where rows are long and too few to keep it busy. */
int32_t gs_sliced_lanes_per_row(bool gpu, int32_t rows, int64_t entries);

/* The member `most` of a policy: `asked`, or if that is 0, four times the mean length and at least
 * 128. */
int32_t gs_sliced_most(int asked, int32_t rows, int64_t entries);

/* Whether 16 bits save memory with the units and bases of s. */
bool gs_sliced_pays(const gs_sliced *s);

/* Entries of a row, 0 if it is long; csr lies on the host. */
static inline int32_t gs_sliced_short(const gsolve_csr *csr, int32_t i, int32_t most)
{
    const int64_t length = gs_start(csr, i + 1) - gs_start(csr, i);
    return length > most ? 0 : (int32_t)length;
}

/* Members of a gsolve_format whose self is a gs_sliced. A format that stores more calls them. */
void gs_sliced_destroy(void *self, gsolve_context *ctx);
gsolve_status gs_sliced_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y);
gsolve_status gs_sliced_apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y);
gsolve_status gs_sliced_apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                  gsolve_dense w, double *wy, double *yy);
gsolve_status gs_sliced_update(void *self, gsolve_context *ctx, const gsolve_csr *csr);
void gs_sliced_describe(const void *self, gsolve_matrix_info *info);

/* The members that such formats share. */
#define GS_SLICED_MEMBERS                                                      \
    .destroy = gs_sliced_destroy, .apply = gs_sliced_apply, .row_major = true, \
    .apply_dot = gs_sliced_apply_dot, .update = gs_sliced_update, .describe = gs_sliced_describe

/* Members of a gs_format_extras. The form holds all entries if none is left out, and none is in a
 * long row. A step needs a thread that owns a complete row. */
bool gs_sliced_holds_all(const void *self);
gsolve_status gs_sliced_restore(const void *self, gsolve_context *ctx, gsolve_csr *csr);
bool gs_sliced_can_step(const void *self, const gsolve_context *ctx);
gsolve_status gs_sliced_apply_step(void *self, gsolve_context *ctx, const void *x,
                                   const gs_step *step);

#endif
