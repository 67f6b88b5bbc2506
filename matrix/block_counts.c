/* block_counts.c: counts the blocks of a sample on the CPU, see block_counts.h. */
#include "matrix/block_counts.h"

#include <string.h>

/* Counts the blocks of the block row whose first row is first: merges the b rows by ascending
 * column. Returns zeros if it has more than GS_BLOCK_COUNT_LONGEST entries. */
static gs_block_count count_row(const gsolve_csr *A, int64_t first, int b)
{
    int64_t at[GS_BLOCK_COUNT_MOST], end[GS_BLOCK_COUNT_MOST];
    gs_block_count total = {0, 0};

    for (int r = 0; r < b; r++) {
        const bool exists = first + r < A->nrows;
        at[r] = exists ? gs_start(A, (int32_t)(first + r)) : 0;
        end[r] = exists ? gs_start(A, (int32_t)(first + r) + 1) : 0;
        total.entries += (unsigned long long)(end[r] - at[r]);
    }
    if (total.entries > GS_BLOCK_COUNT_LONGEST) return (gs_block_count){0, 0};
    for (unsigned long long left = total.entries; left > 0; total.blocks++) {
        int32_t least = INT32_MAX;
        for (int r = 0; r < b; r++) {
            if (at[r] < end[r] && A->col[at[r]] < least) least = A->col[at[r]];
        }
        const int32_t from = least / b * b;
        for (int r = 0; r < b; r++) {
            for (; at[r] < end[r] && A->col[at[r]] - from < b; at[r]++) left--;
        }
    }
    return total;
}

static gsolve_status count(gs_block_count of[], gsolve_context *ctx, const gsolve_csr *A)
{
    (void)ctx;
    for (int b = GS_BLOCK_COUNT_LEAST; b <= GS_BLOCK_COUNT_MOST; b++) {
        const int64_t rows = ((int64_t)A->nrows + b - 1) / b, step = rows / GS_BLOCK_COUNT_ROWS + 1;
        gs_block_count *all = &of[b - GS_BLOCK_COUNT_LEAST];
        memset(all, 0, sizeof *all);
        for (int64_t I = 0; I < rows; I += step) {
            const gs_block_count one = count_row(A, I * b, b);
            all->entries += one.entries;
            all->blocks += one.blocks;
        }
    }
    return GSOLVE_OK;
}

const gs_block_count_kernels gs_block_count_host[GSOLVE_TYPE_COUNT] = {{count}, {count}};
