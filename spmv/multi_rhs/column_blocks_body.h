/* column_blocks_body.h: the product by column blocks for one value type T. */

#include "spmv/row_sum.h"

/* The four sums of a row. */
typedef struct FN(sums) {
    T of[4];
} FN(sums);

/* *sum += the sums over n entries, entry k into the (k mod 4)-th sum. Prefetches as much at next
 * and next_col as it reads. */
static inline void FN(add_piece)(int32_t n, const T *value, const int32_t *col, const T *x,
                                 const T *next, const int32_t *next_col, FN(sums) * sum)
{
    T s0 = sum->of[0], s1 = sum->of[1], s2 = sum->of[2], s3 = sum->of[3];
    int32_t k = 0;

    for (; k + 8 <= n; k += 8) {
        __builtin_prefetch(next + k);
        __builtin_prefetch(next_col + k);
#pragma GCC unroll 2
        for (int m = k; m < k + 8; m += 4) {
            s0 += value[m] * x[col[m]];
            s1 += value[m + 1] * x[col[m + 1]];
            s2 += value[m + 2] * x[col[m + 2]];
            s3 += value[m + 3] * x[col[m + 3]];
        }
    }
    __builtin_prefetch(next + k);
    __builtin_prefetch(next_col + k);
    if (k + 4 <= n) {
        s0 += value[k] * x[col[k]];
        s1 += value[k + 1] * x[col[k + 1]];
        s2 += value[k + 2] * x[col[k + 2]];
        s3 += value[k + 3] * x[col[k + 3]];
        k += 4;
    }
    if (k < n) s0 += value[k] * x[col[k]];
    if (k + 1 < n) s1 += value[k + 1] * x[col[k + 1]];
    if (k + 2 < n) s2 += value[k + 2] * x[col[k + 2]];
    *sum = (FN(sums)){{s0, s1, s2, s3}};
}

/* sum[i - first] += the sums of row i over block s. The rows' entries of one block do not lie
 * together in memory, so they are prefetched ROWS_AHEAD rows ahead. The next block's part of x is
 * prefetched in equal pieces, one with each row. */
static void FN(add_column_block)(const gs_column_blocks *column_blocks, int32_t s,
                                 const gsolve_csr *A, int32_t first, int32_t last, const T *x,
                                 FN(sums) * sum)
{
    const int32_t width = gs_column_block_width(A->type), share = width / (last - first) + 1;
    const int32_t *cut = column_blocks->cut + (int64_t)s * A->nrows, *end = cut + A->nrows;
    const T *value = A->value;
    int64_t next_x = (int64_t)(s + 1) * width, until = next_x;

    for (int32_t i = first; i < last; i++) {
        const int32_t later = i + ROWS_AHEAD < last ? i + ROWS_AHEAD : last - 1;
        const int64_t from = gs_start(A, i) + cut[i], next = gs_start(A, later) + cut[later];
        until += share;
        if (until > A->ncols) until = A->ncols;
        for (; next_x < until; next_x += 64 / (int)sizeof(T)) __builtin_prefetch(x + next_x, 0, 2);
        FN(add_piece)
        (end[i] - cut[i], value + from, A->col + from, x, value + next, A->col + next,
         &sum[i - first]);
    }
}

static void FN(group)(const gs_column_blocks *column_blocks, const gsolve_csr *A, int32_t first,
                      int32_t last, double alpha, const T *x, double beta, T *y)
{
    FN(sums) sum[GS_COLUMN_BLOCK_ROWS] = {{{0}}};

    for (int32_t s = 0; s < column_blocks->count; s++)
        FN(add_column_block)(column_blocks, s, A, first, last, x, sum);
    for (int32_t i = first; i < last; i++) {
        const T *of = sum[i - first].of;
        FN(finish_row)(alpha, (of[0] + of[1]) + (of[2] + of[3]), beta, &y[i]);
    }
}

static gsolve_status FN(apply)(const gs_column_blocks *column_blocks, gs_queue *q,
                               const gsolve_csr *A, double alpha, const void *x, double beta,
                               void *y, const gs_product_sums *dots)
{
    const int threads = gs_queue_threads(q);
    const int32_t n = A->nrows, rows = gs_column_block_group(n, threads);

#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int32_t first = 0; first < n; first += rows) {
        FN(group)(column_blocks, A, first, n - first < rows ? n : first + rows, alpha, x, beta, y);
    }
    return dots ? gs_sum_product(&GS_LEVEL(gs_vector_host)[A->type], q, n, y, dots) : GSOLVE_OK;
}
