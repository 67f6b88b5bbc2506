/* sliced.h: rows gathered into slices, the engine of the formats that store rows side by side.
 *
 * A slice has a fixed number of lanes (on a GPU the threads of a warp, or a multiple or part of
 * them). A row takes T of them, so that a slice of C lanes holds C/T rows: entry k of its r-th row
 * sits in lane r T + k mod T of the slice's column k / T. Columns of a slice lie one after the
 * other, lanes side by side: what the lanes read at the same time is contiguous. A slice has as
 * many columns as its longest row needs; the rest is padding, which is marked and never multiplied.
 *
 *      row 0   a b c                 lanes   0 1 2 3
 *      row 1   d                   column 0  a d e h      C = 4, T = 1: 4 rows a slice,
 *      row 2   e f g                      1  b . f .      3 columns, 4 slots of padding
 *      row 3   h                          2  c . g .
 *
 * A format decides in which order rows are taken, how many lanes which of them get, which are too
 * long for it, and how indices and values are stored: that is the policy. Rows of more than
 * policy.most entries are not stored at all: they are multiplied where they lie in csr, in parts
 * that are added in their order.
 *
 * Column numbers take 16 bits where they fit: in a slice whose columns span at most 65534 they are
 * offsets from one base, and where only each column of the slice does, from a base for each of
 * these; other slices keep 32 bits. 0xFFFF (in 32 bits: -1) marks padding. */
#ifndef GS_SPMV_SLICED_SLICED_H
#define GS_SPMV_SLICED_SLICED_H

#include "matrix/csr.h"
#include "spmv/multi_rhs/block.h"
#include "spmv/multi_rhs/cache_windows.h"
#include "spmv/multi_rhs/column_blocks.h"
#include "vector/vector.h"

/* --- the policy ------------------------------------------------------------------------------- */

#define GS_SLICED_WARP 32 /* lanes of a slice on a GPU */

enum { GS_INDEX_AUTO, GS_INDEX_16, GS_INDEX_32 }; /* how column numbers are stored */
enum { GS_VALUE_OWN, GS_VALUE_AUTO };             /* values: the matrix's type; fp32 if exact */

#define GS_SLICED_SPAN  65534 /* between columns that fit into 16 bits */
#define GS_SLICED_EACH  32    /* lanes of slices that may have a base of each column, at most */
#define GS_SLICED_LEAST 8     /* lanes of a slice, a power of two */
#define GS_SLICED_MOST  1024
#define GS_SLICED_PART  1024 /* entries of a part of a long row on a GPU: a warp's */
#define GS_SLICED_PARTS 8192 /* ... and on the CPU */

#define GS_SLICED_BLOCK  32 /* columns of x that a pass over parts of long rows takes at most */
#define GS_SLICED_CHUNKS 4  /* ... in so many chunks at most */

#define GS_SLICED_SLICE 21 /* bytes of a slice at most, besides what it stores */

#define GS_SLICED_WINDOW 16384 /* rows that are sorted by length on a GPU */
#define GS_SLICED_NEAR   512   /* ... and on the CPU, unless x is scattered */

#define GS_SLICED_COUNTED \
    4096 /* length of rows up to which gs_sliced_estimate_stored counts them */

/* The lines of the option table for members index and value of the options o. */
#define GS_SLICED_OPTIONS(o)                                                                     \
    {"index",                                                                                    \
     "bits of a column number; auto: 16 where many fit",                                         \
     GSOLVE_CHOICE,                                                                              \
     offsetof(o, index),                                                                         \
     GS_INDEX_AUTO,                                                                              \
     0,                                                                                          \
     0,                                                                                          \
     "auto|16|32"},                                                                              \
    {                                                                                            \
        "value", "own: the matrix's type; auto: fp32 if every value of an fp64 matrix is exact", \
            GSOLVE_CHOICE, offsetof(o, value), GS_VALUE_OWN, 0, 0, "own|auto"                    \
    }

/* Places of the order that follow each other and are stored alike; they begin a new slice. */
typedef struct gs_sliced_group {
    int32_t first; /* place; of the first group 0, ascending */
    int32_t lanes; /* to a row: 1, 2, 4, ... 32, at most those of a slice */
    int32_t width; /* columns that each slice has at least; 0: as many as its rows need */
} gs_sliced_group;

typedef struct gs_sliced_policy {
    int32_t lanes;                /* of a slice */
    int32_t *order;               /* nrows, where the matrix lies: the row at each place; NULL: as
                                     they come. gs_sliced_make takes it over, even if it fails */
    int32_t groups;               /* at least 1 */
    const gs_sliced_group *group; /* on the host */
    int32_t keep;                 /* entries of a row that are stored at most, its first; 0: all */
    int32_t most;                 /* longer rows are multiplied from csr; 0: there are none */
    bool lengths;                 /* those of the rows are stored, and padding is not read */
    int index, value;
    int64_t entries; /* of csr, where they are known already; else 0, and they are asked for */
} gs_sliced_policy;

/* --- the form --------------------------------------------------------------------------------- */

/* Where a slice's column numbers are. */
typedef struct gs_sliced_head {
    int32_t at;   /* first unit, of `lanes` 16-bit numbers; ~at: two units a column hold 32 bits */
    int32_t base; /* of all columns; ~base: number of the base of its first column */
} gs_sliced_head;

typedef struct gs_sliced_part { /* of a long row */
    int64_t from;               /* entry of csr */
    int32_t entries, row;
    int32_t l;            /* the row's number among the long ones */
    int32_t first, parts; /* number of its first part; how many it has */
    int32_t unused;
} gs_sliced_part;

typedef struct gs_sliced {
    gsolve_csr csr;   /* the handle's */
    int64_t entries;  /* of csr; */
    int64_t in_parts; /* ... of its long rows */
    int64_t columns;  /* of all slices; stored entries are columns x lanes */
    int32_t lanes, slices;
    int shift;          /* lanes = 1 << shift */
    int32_t most_share; /* log2 of the lanes of a row at most */
    int32_t keep, most;
    int index, value; /* as asked for */
    bool narrow;      /* column numbers are in unit, by head; else in col */
    bool light;       /* values of an fp64 matrix are in fp32 */
    bool aligned;     /* on a GPU: neighbouring rows read neighbouring columns, as stencils do, so
                         that x by columns is read best as it is */
    int32_t *first;   /* slices + 1: the number of each slice's first column */
    int32_t *place;   /* slices + 1: the place of its first row; NULL: one group */
    uint8_t *share;   /* slices: log2 of the lanes of its rows; NULL: one group, of most_share */
    int32_t *order;   /* nrows: the row at each place, -1: a long one's; NULL: as they come */
    int32_t *length;  /* nrows: stored entries of the row at each place; NULL: padding tells */
    int32_t *full;    /* slices: leading columns without padding; on the CPU */
    int32_t *col;     /* columns x lanes; -1: padding */
    gs_sliced_head *head; /* slices */
    uint16_t *unit;       /* units x lanes */
    int32_t *base;        /* bases */
    int64_t units, bases;
    void *value_of; /* columns x lanes */
    int32_t nlong, parts;
    gs_sliced_part *part; /* parts */
    void *sum;            /* parts x 8, on a GPU x GS_SLICED_BLOCK, in the matrix's type */
    unsigned *done;       /* nlong x GS_SLICED_CHUNKS: parts that are there; on a GPU */
    int32_t tasks;        /* on the CPU: stretches of slices of about equal work */
    int32_t *task;        /* tasks + 1: first slice of each */
    double *dot;          /* scratch: two sums for each task */
    gs_column_blocks column_blocks; /* instead of tasks, where they pay; on the CPU */
    gs_block_space space;           /* scratch: x by rows, where it is not */
    gs_cache_windows windows;       /* of the tasks, or instead of space; on the CPU */
    char note[80];                  /* what the format that made it chose, or "" */
} gs_sliced;

/* Whether a warp of a GPU has a slice, a thread a row, and padding tells where that ends. */
static inline bool gs_sliced_row_a_lane(const gs_sliced *s)
{
    return s->lanes == GS_SLICED_WARP && s->most_share == 0 && !s->length;
}

typedef struct gs_sliced_span { /* a group, with where its slices begin */
    int32_t place, slice, width;
    int32_t share; /* log2 of its lanes to a row */
} gs_sliced_span;

/* What a policy may want to know first. */
typedef struct gs_sliced_facts {
    int64_t entries, longest; /* of a row */
    int64_t kept;             /* entries, but those of rows of more than most */
    int64_t stored;           /* with the padding of slices of `lanes` rows in their order */
} gs_sliced_facts;

/* --- the kernels ------------------------------------------------------------------------------ */

typedef struct gs_sliced_kernels {
    /* Lengths of rows, seen in slices of so many rows, rows of more than most left out; waits for
     * the device. */
    gsolve_status (*look)(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes, int32_t most,
                          gs_sliced_facts *facts);
    /* *order (to be released with gsolve_free where csr lies): rows by descending length within
     * windows of so many rows, those of equal length as they come. Rows of more than most entries
     * count as empty. */
    gsolve_status (*sort)(gsolve_context *ctx, const gsolve_csr *csr, int32_t window, int32_t most,
                          int32_t **order);
    /* All arrays of s, of which csr, entries, lanes, slices, shift, most_share, keep, most, index,
     * value and order are set. What there is on failure is the caller's to release. */
    gsolve_status (*make)(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                          const gs_sliced_span *span, bool lengths);
    /* The values of s->csr anew: in its type where they were in fp32 and are no longer exact there,
     * and the other way round. */
    gsolve_status (*refill)(gs_sliced *s, gsolve_context *ctx);
    /* y = alpha A x + beta y; dots: if not NULL, alpha is 1 and beta 0 */
    gsolve_status (*apply)(gs_queue *q, const gs_sliced *s, double alpha, const void *x,
                           double beta, void *y, const gs_product_sums *dots);
    /* the same for several columns, x and y of one layout; s->space and s->windows may grow */
    gsolve_status (*apply_block)(gs_sliced *s, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
} gs_sliced_kernels;

extern const gs_sliced_kernels gs_sliced_host[GSOLVE_TYPE_COUNT];
extern const gs_sliced_kernels gs_sliced_cuda[GSOLVE_TYPE_COUNT];

/* --- what formats call ------------------------------------------------------------------------ */

/* *out = csr by that policy. On failure nothing is left, and *out stays unset. */
gsolve_status gs_sliced_make(gs_sliced **out, gsolve_context *ctx, const gsolve_csr *csr,
                             const gs_sliced_policy *policy);

/* facts of csr, wherever it lies; see look above. most 0: no row is left
 * out. facts->entries is asked for only if it is 0. */
gsolve_status gs_sliced_inspect(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                int32_t most, gs_sliced_facts *facts);

/* *order = csr's rows by length; see sort above (most 0: no
 * row is long). To be given to a policy, or to gsolve_free. */
gsolve_status gs_sliced_sort(gsolve_context *ctx, const gsolve_csr *csr, int32_t window,
                             int32_t most, int32_t **order);

/* An upper bound of the bytes of a form of that many stored entries, long rows not included. */
size_t gs_sliced_bytes(const gsolve_csr *csr, double stored, int32_t lanes, bool order);

/* Stored entries, by the lengths of csr's rows alone, which lie on the host: slices of `lanes`
 * rows, sorted by length in windows of so many rows (1: not; a multiple of lanes), rows of more
 * than most (0: none is) left out. Where most exceeds GS_SLICED_COUNTED as if unsorted, which is
 * an upper bound. */
double gs_sliced_estimate_stored(const gsolve_csr *csr, int32_t lanes, int32_t window,
                                 int32_t most);

/* Refuses so many columns of all slices together: too many to number, or to hold. */
gsolve_status gs_sliced_fits(gsolve_context *ctx, const gs_sliced *s, int64_t columns);

/* Lanes of a slice that suit ctx's device. */
int32_t gs_sliced_lanes(const gsolve_context *ctx);

/* Rows within which they should be sorted by length, if at all: few where x comes from near. */
int32_t gs_sliced_window(const gsolve_context *ctx, const gsolve_csr *csr);

/* Lanes that should share a row, a power of two up to GS_SLICED_WARP, where that many rows hold
 * that many entries: on a GPU more than 1 where rows are long and too few to keep it busy. */
int32_t gs_sliced_share(bool gpu, int32_t rows, int64_t entries);

/* A policy's most: as asked for, or for 0 four times the mean length, but at least 128. */
int32_t gs_sliced_most(int asked, int32_t rows, int64_t entries);

/* Whether 16 bits, with the units and bases that s has, are to be used. */
bool gs_sliced_pays(const gs_sliced *s);

/* Entries of a row that is not long, 0 for one that is; csr lies on the host. */
static inline int32_t gs_sliced_short(const gsolve_csr *csr, int32_t i, int32_t most)
{
    const int64_t length = gs_start(csr, i + 1) - gs_start(csr, i);
    return length > most ? 0 : (int32_t)length;
}

/* Members of a gsolve_format whose self is a gs_sliced; a format with more around it calls them. */
void gs_sliced_destroy(void *self, gsolve_context *ctx);
gsolve_status gs_sliced_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y);
gsolve_status gs_sliced_apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y);
gsolve_status gs_sliced_apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                  gsolve_dense w, double *wy, double *yy);
gsolve_status gs_sliced_update(void *self, gsolve_context *ctx, const gsolve_csr *csr);
void gs_sliced_describe(const void *self, gsolve_matrix_info *info);

#endif
