/* block_counts.h: into how many dense blocks a sample of the rows falls, for each size of block
 * that is tried: what the formats of blocks choose their size by. */
#ifndef GS_MATRIX_BLOCK_COUNTS_H
#define GS_MATRIX_BLOCK_COUNTS_H

#include "matrix/csr.h"

enum {
    GS_BLOCK_COUNT_LEAST = 2,     /* sizes of blocks that are tried */
    GS_BLOCK_COUNT_MOST = 8,      /* and the largest */
    GS_BLOCK_COUNT_ROWS = 8192,   /* block rows of each sample, about */
    GS_BLOCK_COUNT_LONGEST = 2048 /* entries of a block row: longer ones are left out */
};

typedef struct gs_block_count { /* of a sample */
    unsigned long long entries, blocks;
} gs_block_count;

typedef struct gs_block_count_kernels {
    /* of[b - GS_BLOCK_COUNT_LEAST] = the tally with blocks of b rows and columns; A lies on ctx's
     * device, of on the host. Any block row of the sample may be missing. */
    gsolve_status (*count)(gs_block_count of[GS_BLOCK_COUNT_MOST - GS_BLOCK_COUNT_LEAST + 1],
                           gsolve_context *ctx, const gsolve_csr *A);
} gs_block_count_kernels;

extern const gs_block_count_kernels gs_block_count_host[GSOLVE_TYPE_COUNT];
extern const gs_block_count_kernels gs_block_count_cuda[GSOLVE_TYPE_COUNT];

/* Of the sizes least to most that which takes the fewest bytes for an entry, block columns of 4
 * bytes included, and *bytes = how many; least, and 0, where the sample holds no entry. */
static inline int gs_best_block_size(const gs_block_count *of, gsolve_type type, int least,
                                     int most, double *bytes)
{
    int best = least;

    *bytes = 0;
    for (int b = least; b <= most; b++) {
        const gs_block_count *t = &of[b - GS_BLOCK_COUNT_LEAST];
        const double block = b * b * (double)gs_type_size(type) + sizeof(int32_t);
        if (t->entries == 0) continue;
        const double each = block * (double)t->blocks / (double)t->entries;
        if (*bytes == 0 || each < *bytes) {
            *bytes = each;
            best = b;
        }
    }
    return best;
}

#endif
