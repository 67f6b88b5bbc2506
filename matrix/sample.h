/* sample.h: pattern statistics of a matrix, for the choice of formats and for their plans. Their
 * cost is a small part of the cost of a product. They read all row lengths, and unless only the
 * lengths are wanted the first GS_SAMPLE_DEEP columns of each row in at most
 * GS_SAMPLE_GROUPS groups of GS_SAMPLE_ROWS rows. All sums are integers, so their order does not
 * matter.
 *
 * A row is irregular if all of this holds:
 * - it has more than GS_SAMPLE_LONG entries;
 * - they span more than GS_SAMPLE_REACH columns, and more than GS_SAMPLE_APART columns per entry;
 * - its middle column is more than GS_SAMPLE_SAME columns from that of the row before.
 * Each entry of an irregular row then reads a cache line of x that no other entry of this row and
 * no entry of the row before reads.
 *
 * A group is narrow if the format sell can store its columns as 16-bit offsets: for each k, the
 * k-th entries of its rows span at most GS_SAMPLE_SPAN columns. */
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
#define GS_SAMPLE_BLOCK  6 /* the largest block size that is tested */

#define GS_SAMPLE_NEAR 4096 /* columns between the first columns of near rows */

/* Statistics over all rows. */
typedef struct gs_row_statistics {
    unsigned longest, empty; /* entries of the longest row; number of empty rows */
    /* Of a sample of pairs of neighbouring rows, CUDA only: whether their first columns are at most
     * GS_SAMPLE_NEAR apart */
    unsigned near, far;
} gs_row_statistics;

typedef struct gs_sample_sums {
    unsigned long long entries;
    unsigned long long filled8, filled32; /* entries when groups of 8 or 32 rows are padded */
    /* pairs: k-th entries of two neighbouring rows. far: pairs more than GS_SAMPLE_FAR apart */
    unsigned long long far, pairs;
    unsigned long long irregular; /* entries of irregular rows */
    unsigned groups, narrow;      /* groups of the sample that have entries; narrow groups */
    /* [b]: block rows of b rows that were tested; those made of dense, aligned b x b blocks */
    unsigned tested[GS_SAMPLE_BLOCK + 1], full[GS_SAMPLE_BLOCK + 1];
    gs_row_statistics rows;
} gs_sample_sums;

typedef struct gs_sample_kernels {
    /* csr is on ctx's device, *sums on the host. columns: the sample of columns is taken, too; else
     * all members that depend on it are 0. */
    gsolve_status (*sum)(gsolve_context *ctx, const gsolve_csr *csr, bool columns,
                         gs_sample_sums *sums);
} gs_sample_kernels;

extern const gs_sample_kernels gs_sample_host[GSOLVE_TYPE_COUNT];
extern const gs_sample_kernels gs_sample_cuda[GSOLVE_TYPE_COUNT];

/* The distance from one group of the sample to the next, in groups. */
static inline int32_t gs_sample_step(int32_t nrows)
{
    const int32_t groups = nrows / GS_SAMPLE_ROWS + 1;
    return (groups + GS_SAMPLE_GROUPS - 1) / GS_SAMPLE_GROUPS;
}

/* csr is on ctx's device. rows, if not NULL, receives the statistics that the plan of the format
 * csr needs. */
gsolve_status gs_sample_pattern(gsolve_context *ctx, const gsolve_csr *csr,
                                gsolve_pattern_sample *sample, gs_row_statistics *rows);

#endif
