/* sample.h: a look at a matrix that costs a small part of a product: all row lengths, and the
 * columns of at most GS_SAMPLE_GROUPS groups of GS_SAMPLE_ROWS rows, of each row the first
 * GS_SAMPLE_DEEP entries. All sums are of whole numbers, so that their order does not matter.
 *
 * A row is strewn if it has more than GS_SAMPLE_LONG entries, which reach over more than
 * GS_SAMPLE_REACH columns and are GS_SAMPLE_APART or more apart on average, and its middle column
 * is more than GS_SAMPLE_SAME from that of the row before: each of its entries then takes a cache
 * line of x for itself, and neither the row before nor its own end finds it there again.
 *
 * Column numbers of a group fit 16 bits as the format sell stores them: offsets from one base, or
 * from one for the k-th entries of all its rows, which must span at most GS_SAMPLE_SPAN. */
#ifndef GS_MATRIX_SAMPLE_H
#define GS_MATRIX_SAMPLE_H

#include "matrix/csr.h"

#define GS_SAMPLE_ROWS   32
#define GS_SAMPLE_GROUPS 1024
#define GS_SAMPLE_DEEP   64
#define GS_SAMPLE_SPAN   65534
#define GS_SAMPLE_FAR    4096
#define GS_SAMPLE_LONG   128
#define GS_SAMPLE_REACH  16384
#define GS_SAMPLE_APART  8
#define GS_SAMPLE_SAME   16
#define GS_SAMPLE_BLOCK  6 /* the largest block that is looked for */

/* What a look at all rows found. */
typedef struct gs_row_statistics {
    unsigned longest, empty; /* entries of a row; rows */
    unsigned near, far;      /* rows of a sample, see begins.cuh */
} gs_row_statistics;

typedef struct gs_sample_sums {
    unsigned long long entries;
    unsigned long long filled8, filled32, far, seen; /* seen: entries whose neighbour is known */
    unsigned long long irregular;                    /* entries of strewn rows */
    unsigned groups, narrow;                         /* of the sample, those with entries */
    unsigned places[GS_SAMPLE_BLOCK + 1], full[GS_SAMPLE_BLOCK + 1]; /* [b]: of b rows */
    gs_row_statistics rows;                                          /* near and far on CUDA only */
} gs_sample_sums;

typedef struct gs_sample_kernels {
    /* csr is on ctx's device; *sums on the host */
    gsolve_status (*sum)(gsolve_context *ctx, const gsolve_csr *csr, gs_sample_sums *sums);
} gs_sample_kernels;

extern const gs_sample_kernels gs_sample_host[GSOLVE_TYPE_COUNT];
extern const gs_sample_kernels gs_sample_cuda[GSOLVE_TYPE_COUNT];

/* From one group of the sample to the next. */
static inline int32_t gs_sample_step(int32_t nrows)
{
    const int32_t groups = nrows / GS_SAMPLE_ROWS + 1;
    return (groups + GS_SAMPLE_GROUPS - 1) / GS_SAMPLE_GROUPS;
}

/* csr lies on ctx's device. rows: what csr's own plan would look for, or NULL. */
gsolve_status gs_sample_pattern(gsolve_context *ctx, const gsolve_csr *csr,
                                gsolve_pattern_sample *glance, gs_row_statistics *rows);

#endif
