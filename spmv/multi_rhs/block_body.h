/* block_body.h: products with several columns on the CPU for one value type T, from a format's
 * functions for one task. The including file includes omp.h, and undefines OF in the end. */
#include "spmv/multi_rhs/row_blocks.h"

/* calls functions of row_blocks.h */
#include "spmv/multi_rhs/cache_windows_body.h"

/* Task t for some columns of x, and the columns of y from `first` on. */
typedef void FN(columns_of_task)(const void *self, int32_t t, double alpha, const FN(rows_of_x) * x,
                                 double beta, const FN(rows_of_y) * y, int32_t first);

/* How a format multiplies several columns. Long rows belong to no task. */
typedef struct FN(block_form) {
    const void *self;
    FN(columns_of_task) *const *by; /* by[w]: w columns at once, w = 1, 2, 4, 8 */
    int32_t tasks;
    const gs_cache_windows *windows; /* of the tasks */
    gs_row_parts long_rows;
} FN(block_form);

/* --- long rows -------------------------------------------------------------------------------- */

/* The sum over a part of a long row, entry k added to the (k mod 4)-th of four sums. The wait for x
 * dominates, so elements of x are prefetched. */
static T FN(part_sum)(const gsolve_csr *A, const gs_row_part *part, const T *x)
{
    const T *value = (const T *)A->value + part->from;
    const int32_t *col = A->col + part->from, n = part->entries;
    T sum[4] = {0};
    int32_t k = 0;

    for (; k + 4 + GS_AHEAD <= n; k += 4) {
        for (int m = 0; m < 4; m++) __builtin_prefetch(&x[col[k + m + GS_AHEAD]]);
        for (int m = 0; m < 4; m++) sum[m] += value[k + m] * x[col[k + m]];
    }
    for (; k < n; k++) sum[k % 4] += value[k] * x[col[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The long rows, one column. One parallel region sums all parts. */
static void FN(long_rows)(int threads, const gs_row_parts *parts, double alpha, const T *x,
                          double beta, T *y)
{
    T *sum = parts->sum;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t p = 0; p < parts->count; p++) {
        sum[p] = FN(part_sum)(parts->csr, &parts->part[p], x);
    }
    for (int32_t p = 0; p < parts->count; p += parts->part[p].parts) {
        T total = 0;
        for (int32_t k = 0; k < parts->part[p].parts; k++) total += sum[p + k];
        FN(finish_row)(alpha, total, beta, &y[parts->part[p].row]);
    }
}

/* --- several columns -------------------------------------------------------------------------- */

/* x row-major. What a task reads of the matrix comes from memory once and stays in cache for all
 * columns. */
static void FN(block_row_major)(int threads, const FN(block_form) * f, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y)
{
    static void (*const long_rows[])(int, const gs_row_parts *, double, const FN(rows_of_x) *,
                                     double, const FN(rows_of_y) *, int32_t) = {
        [1] = GS_PASTE(FN(long_rows), 1),
        [2] = GS_PASTE(FN(long_rows), 2),
        [4] = GS_PASTE(FN(long_rows), 4),
        [8] = GS_PASTE(FN(long_rows), 8),
    };
    const FN(rows_of_x) in = FN(by_stride)(x.value, x.stride);
    const FN(rows_of_y) out = FN(rows_of)(y);

#pragma omp parallel for schedule(static) num_threads(threads) if (f->tasks > 2)
    for (int32_t t = 0; t < f->tasks; t++) {
        for (int32_t j = 0, w; j < x.ncols; j += w) {
            w = gs_columns_in(x.ncols - j);
            f->by[w](f->self, t, alpha, &in, beta, &out, j);
        }
    }
    for (int32_t j = 0, w; f->long_rows.count > 0 && j < x.ncols; j += w) {
        w = gs_columns_in(x.ncols - j);
        long_rows[w](threads, &f->long_rows, alpha, &in, beta, &out, j);
    }
}

/* x column-major, at most GS_CACHE_WINDOW_COLUMNS columns. There are no long rows. */
static void FN(block_by_windows)(int threads, const FN(block_form) * f, double alpha,
                                 gsolve_dense x, double beta, gsolve_dense y)
{
    const int32_t w = gs_cache_window_columns(x.ncols);
    const FN(rows_of_y) out = FN(rows_of)(y);

#pragma omp parallel num_threads(threads) if (f -> tasks > 2)
    {
        FN(window_buffer) buffer = FN(window_buffer_of)(f->windows, w, omp_get_thread_num());
#pragma omp for schedule(static)
        for (int32_t t = 0; t < f->tasks; t++) {
            FN(load_window)(&buffer, f->windows, t, x);
            f->by[w](f->self, t, alpha, &buffer.x, beta, &out, 0);
        }
    }
}

/* y = alpha A x + beta y with x as gs_cache_windows_prepare leaves it. Returns the number of
 * columns that are done: all, or all but one, which is left to the product with one column. */
static int32_t FN(multiply_block)(int threads, const FN(block_form) * f, double alpha,
                                  gsolve_dense x, double beta, gsolve_dense y)
{
    int32_t j = 0;

    if (x.layout == GSOLVE_ROW_MAJOR) {
        FN(block_row_major)(threads, f, alpha, x, beta, y);
        return x.ncols;
    }
    for (gsolve_dense in; j + 1 < x.ncols; j += in.ncols) {
        in = gs_cache_window_pass(x, j);
        FN(block_by_windows)(threads, f, alpha, in, beta, gs_cache_window_pass(y, j));
    }
    return j;
}
