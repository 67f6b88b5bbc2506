/* block_counts.h: the number of dense b x b blocks that cover the entries of a sample of the rows,
 * for each block size b. The block formats choose their block size by it. */
#ifndef GS_MATRIX_BLOCK_COUNTS_H
#define GS_MATRIX_BLOCK_COUNTS_H

#include "matrix/csr.h"

enum {
    GS_BLOCK_COUNT_LEAST = 2,     /* the smallest block size */
    GS_BLOCK_COUNT_MOST = 8,      /* the largest block size */
    GS_BLOCK_COUNT_ROWS = 8192,   /* approximate number of block rows in a sample */
    GS_BLOCK_COUNT_LONGEST = 2048 /* entries: longer block rows are left out */
};

typedef struct gs_block_count { /* totals of a sample */
    unsigned long long entries, blocks;
} gs_block_count;

typedef struct gs_block_count_kernels {
    /* of[b - GS_BLOCK_COUNT_LEAST] = the totals for b x b blocks. A is on ctx's device, of is on
     * the host. An implementation may leave out any block row of the sample. */
    gsolve_status (*count)(gs_block_count of[GS_BLOCK_COUNT_MOST - GS_BLOCK_COUNT_LEAST + 1],
                           gsolve_context *ctx, const gsolve_csr *A);
} gs_block_count_kernels;

extern const gs_block_count_kernels gs_block_count_host[GSOLVE_TYPE_COUNT];
extern const gs_block_count_kernels gs_block_count_cuda[GSOLVE_TYPE_COUNT];

/* Returns the block size from least to most that needs the fewest bytes per entry; *bytes = these
 * bytes. A block needs b*b values and a column number of 4 bytes. If the sample has no entries,
 * returns least and *bytes = 0. */
static inline int gs_best_block_size(const gs_block_count *of, gsolve_type type, int least,
                                     int most, double *bytes)
{
    int best = least;

    *bytes = 0;
    for (int b = least; b <= most; b++) {
        const gs_block_count *count = &of[b - GS_BLOCK_COUNT_LEAST];
        const double block = b * b * (double)gs_type_size(type) + sizeof(int32_t);
        if (count->entries == 0) continue;
        const double per_entry = block * (double)count->blocks / (double)count->entries;
        if (*bytes == 0 || per_entry < *bytes) {
            *bytes = per_entry;
            best = b;
        }
    }
    return best;
}

#endif
