/* block_body.h: products with several columns on the CPU for one value type T, from a format's
 * functions for one task. The including file includes omp.h, and undefines OF in the end. */
#include <gs_shuffle.h> /* the header in cmake/ that suits the compiler */

#include "spmv/multi_rhs/row_blocks.h"

/* --- the buffer of a thread, see cache_windows.h ---------------------------------------------- */

#define BLOCK_ROWS 16 /* rows transposed together, so that each cache line is loaded once */

typedef struct FN(window_buffer) {
    FN(rows_of_x) x;
    T *value;
    gs_cache_window held; /* rows of x that the buffer holds */
} FN(window_buffer);

/* The buffer of a thread, with w columns. */
static inline FN(window_buffer)
    FN(window_buffer_of)(const gs_cache_windows *windows, int32_t w, int thread)
{
    T *value = (T *)windows->buffer + (int64_t)thread * windows->rows * GS_CACHE_WINDOW_COLUMNS;

    return (FN(window_buffer)){{value, w, (uint32_t)windows->rows - 1}, value, {0, 0}};
}

typedef T FN(unaligned) __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* Transposes four columns, `stride` apart, of four rows into rows with distance w. The shuffles
 * make the compiler load complete vectors; vectors built from elements would be loaded one element
 * at a time. */
static inline __attribute__((always_inline)) void FN(transpose_four)(const T *from, int64_t stride,
                                                                     T *to, int64_t w)
{
    const FN(four) p = *(const FN(unaligned) *)(const void *)from;
    const FN(four) q = *(const FN(unaligned) *)(const void *)(from + stride);
    const FN(four) r = *(const FN(unaligned) *)(const void *)(from + 2 * stride);
    const FN(four) s = *(const FN(unaligned) *)(const void *)(from + 3 * stride);
    const FN(four) a = GS_SHUFFLE(p, q, 0, 4, 2, 6);
    const FN(four) b = GS_SHUFFLE(p, q, 1, 5, 3, 7);
    const FN(four) c = GS_SHUFFLE(r, s, 0, 4, 2, 6);
    const FN(four) d = GS_SHUFFLE(r, s, 1, 5, 3, 7);

    *(FN(unaligned) *)(void *)to = GS_SHUFFLE(a, c, 0, 1, 4, 5);
    *(FN(unaligned) *)(void *)(to + w) = GS_SHUFFLE(b, d, 0, 1, 4, 5);
    *(FN(unaligned) *)(void *)(to + 2 * w) = GS_SHUFFLE(a, c, 2, 3, 6, 7);
    *(FN(unaligned) *)(void *)(to + 3 * w) = GS_SHUFFLE(b, d, 2, 3, 6, 7);
}

/* to[i w + j] = from[j stride + i] for i < rows, j < columns. The function is not inlined, so that
 * its loops have all registers. */
__attribute__((noinline)) static void FN(transpose_rows)(int32_t rows, int32_t columns,
                                                         const T *from, int64_t stride, T *to,
                                                         int64_t w)
{
    const int32_t even = columns / 4 * 4;

    for (int32_t first = 0; first < rows; first += BLOCK_ROWS) {
        const int32_t end = rows - first < BLOCK_ROWS ? rows : first + BLOCK_ROWS;
        const int32_t last = end / 4 * 4;
        for (int32_t j = 0; j < even; j += 4) {
            for (int32_t i = first; i < last; i += 4) {
                FN(transpose_four)(from + j * stride + i, stride, to + i * w + j, w);
            }
        }
        for (int32_t i = even < columns ? first : last; i < end; i++) {
            for (int32_t j = i < last ? even : 0; j < columns; j++) {
                to[i * w + j] = from[j * stride + i];
            }
        }
    }
}

/* Loads into the buffer what task t reads of x. */
static inline void FN(load_window)(FN(window_buffer) * buffer, const gs_cache_windows *windows,
                                   int32_t t, gsolve_dense x)
{
    gs_cache_window fresh = gs_cache_window_move(&buffer->held, windows->of[t], windows->rows);

    while (fresh.first < fresh.end) {
        const int32_t at = fresh.first & (windows->rows - 1), space = windows->rows - at;
        const int32_t left = fresh.end - fresh.first, rows = left < space ? left : space;
        FN(transpose_rows)
        (rows, x.ncols, (const T *)x.value + fresh.first, x.stride,
         buffer->value + at * buffer->x.stride, buffer->x.stride);
        fresh.first += rows;
    }
}

#undef BLOCK_ROWS

/* --- the tasks of a format -------------------------------------------------------------------- */

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
        in = gs_some_columns(x, j, GS_CACHE_WINDOW_COLUMNS);
        FN(block_by_windows)(threads, f, alpha, in, beta, gs_some_columns(y, j, in.ncols));
    }
    return j;
}
