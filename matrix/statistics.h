/* statistics.h: the inspection of compressed rows at their location. The first pass over the
 * entries checks them. The second pass, made only when somebody needs the statistics, finds them
 * all. Each function that reads all columns does so in a range of the profiler whose name begins
 * with "inspection". */
#ifndef GS_MATRIX_STATISTICS_H
#define GS_MATRIX_STATISTICS_H

#include "matrix/csr.h"
#include "matrix/symmetry.h"

/* What a check finds. A member is valid if no member above it reports an error. */
typedef struct gs_csr_findings {
    int32_t bad_row;   /* the first that ends before it begins; 0 if offset 0 is not 0; -1: none */
    int64_t entries;   /* number of all entries */
    int64_t bad_entry; /* the first with a column out of range or a value not finite; -1: none */
    bool ascending;    /* whether columns ascend strictly in every row */
} gs_csr_findings;

typedef struct gs_statistics {
    bool known; /* t and pattern are */
    gsolve_statistics t;
    uint64_t pattern; /* gs_csr_pattern_hash; 0: unknown */
} gs_statistics;

/* What is found about some rows, before the statistics of all rows follow from it. */
typedef struct gs_row_findings {
    gsolve_statistics t;
    double diagonal_least, diagonal_most, row_least, row_most;
    uint64_t squares; /* sum of the squares of the row lengths */
    uint64_t shares;  /* sum of min(1, |a_ii| / off_i), in GS_SHARE_UNIT */
    uint64_t pattern; /* sum of the hashes of the rows */
    gs_symmetry symmetry;
    unsigned sizes; /* bit b: the rows consist of dense b x b blocks */
    int32_t fixed;  /* number of rows with no other nonzero entry than that on the diagonal */
} gs_row_findings;

gs_row_findings gs_row_findings_of_none(void);

/* Bit b is set if the pattern of A, with that many entries, may consist of dense b x b blocks, b
 * from 2. A is at any location. */
unsigned gs_possible_block_sizes(const gsolve_csr *A, int64_t entries);

/* Adds row i of a matrix, which is row `row` of A. Its diagonal entry is in column `diagonal` of A;
 * -1: it is not stored; INT32_MAX: row i has no diagonal. Not the bandwidth, the pattern and the
 * symmetry. */
void gs_row_findings_add_row(gs_row_findings *f, const gsolve_csr *A, int32_t row, int32_t i,
                             int32_t diagonal);

/* Adds the findings about rows that follow. */
void gs_row_findings_add(gs_row_findings *to, const gs_row_findings *f);

/* What follows from the findings about all rows, except what symmetry.h sets. */
gsolve_statistics gs_statistics_of(const gs_row_findings *f, int64_t nrows, int64_t ncols,
                                   int64_t entries);

/* The statistics of clean rows at their location, without copying them. On every device they have
 * the same bits. */
typedef struct gs_statistics_kernels {
    /* *found = the findings about all rows. A has that many entries. */
    gsolve_status (*rows)(gs_row_findings *found, gsolve_context *ctx, const gsolve_csr *A,
                          int64_t entries);
    /* *hash = the sum of the hashes of all rows. */
    gsolve_status (*pattern)(uint64_t *hash, gsolve_context *ctx, const gsolve_csr *A);
    /* See symmetry.h. */
    gsolve_status (*empty_columns)(int32_t *empty, gsolve_context *ctx, const gsolve_csr *A,
                                   int64_t entries);
    gsolve_status (*symmetric_rest)(bool *symmetric, gsolve_context *ctx, const gsolve_csr *A);
} gs_statistics_kernels;

extern const gs_statistics_kernels gs_statistics_host[GSOLVE_TYPE_COUNT],
    gs_statistics_cuda[GSOLVE_TYPE_COUNT];

/* Checks and comparisons of compressed rows at their location, without copying them. */
typedef struct gs_inspect_kernels {
    /* Sets all members of *found, with one synchronisation of the device. */
    gsolve_status (*check)(gs_csr_findings *found, gsolve_context *ctx, const gsolve_csr *csr);
    /* *same: whether B has the pattern of A, which has that many entries, and if `values` is set
     * finite values. B has A's sizes, and valid columns only if *same. One pass, one
     * synchronisation. */
    gsolve_status (*compare)(gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                             const gsolve_csr *B, bool values, bool *same);
    /* start[0..nrows] = csr's 64-bit offsets, which fit in 32 bits. */
    gsolve_status (*narrow)(gsolve_context *ctx, const gsolve_csr *csr, int32_t *start);
} gs_inspect_kernels;

extern const gs_inspect_kernels gs_inspect_host[GSOLVE_TYPE_COUNT],
    gs_inspect_cuda[GSOLVE_TYPE_COUNT];

/* The functions for the location of csr. */
static inline const gs_inspect_kernels *gs_inspector(const gsolve_context *ctx,
                                                     const gsolve_csr *csr)
{
    return csr->location == GSOLVE_HOST ? &gs_inspect_host[csr->type]
                                        : GS_SCALAR_KERNELS(gs_inspect, ctx, csr->type);
}

/* As gs_csr_check; also returns the findings. clean may be NULL. */
gsolve_status gs_csr_inspect(gsolve_context *ctx, const gsolve_csr *csr, gs_csr_findings *findings,
                             bool *clean);

/* *pattern = gs_csr_pattern_hash of a clean csr at any location. */
gsolve_status gs_csr_find_pattern(uint64_t *pattern, gsolve_context *ctx, const gsolve_csr *csr);

/* Finds the statistics of a clean csr at any location, unless they are known. */
gsolve_status gs_csr_need_statistics(gsolve_context *ctx, const gsolve_csr *csr,
                                     gs_statistics *statistics);

#endif
