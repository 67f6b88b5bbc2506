/* csr_body.h: the products on the CPU for one value type T. csr_rows.h holds the functions that
 * depend on the type of row starts. */

#include "spmv/multi_rhs/row_blocks.h"

/* calls functions of row_blocks.h */
#include "spmv/multi_rhs/cache_windows_body.h"

/* The sum over one part of a long row. */
static T FN(part_sum)(const gs_csr_plan *plan, int64_t part, const T *x)
{
    const gsolve_csr *A = &plan->csr;
    int64_t n;
    const int64_t begin = long_part(plan, part, &n);

    return FN(row_sum)(n, (const T *)A->value + begin, A->col + begin, x);
}

/* The long rows, if any: one parallel region sums all parts, since a row of GS_LONG_ROW entries is
 * worth starting threads. Then the parts of each row are added in their order. */
static void FN(long_rows)(gs_queue *q, const gs_csr_plan *plan, double alpha, const T *x,
                          double beta, T *y)
{
    const int64_t parts = plan->first_part[plan->nlong];
    double *part = plan->part + 2 * plan->tasks;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t p = 0; p < parts; p++) part[p] = FN(part_sum)(plan, p, x);
    for (int32_t l = 0; l < plan->nlong; l++) {
        T sum = 0;
        for (int64_t p = plan->first_part[l]; p < plan->first_part[l + 1]; p++) sum += (T)part[p];
        FN(finish_row)(alpha, sum, beta, &y[plan->long_row[l]]);
    }
}

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "spmv/csr/csr_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "spmv/csr/csr_rows.h"
#undef OFFSET
#undef ON

/* Adds the sums of the tasks, then the terms of the long rows, in their order. */
static void FN(add_dots)(const gs_csr_plan *plan, const T *y, const gs_product_sums *dots)
{
    const T *w = dots->w;
    double wy = gs_sum(plan->tasks, plan->part), yy = gs_sum(plan->tasks, plan->part + plan->tasks);

    for (int32_t l = 0; l < plan->nlong; l++) {
        const int32_t i = plan->long_row[l];
        wy += (double)w[i] * (double)y[i];
        yy += (double)y[i] * (double)y[i];
    }
    *dots->wy = wy;
    if (dots->yy) *dots->yy = yy;
}

static gsolve_status FN(apply)(gs_queue *q, const gs_csr_plan *plan, double alpha, const void *px,
                               double beta, void *py, const gs_product_sums *dots)
{
    static void (*const tasks[][2])(const gs_csr_plan *, int32_t, double, const T *, double, T *,
                                    const gs_product_sums *) = {
        [GS_ROWS_EVEN] = {FN(task_o32), FN(task_o64)},
        [GS_ROWS_UNEVEN] = {FN(task_uneven_o32), FN(task_uneven_o64)},
        [GS_ROWS_IRREGULAR] = {FN(task_irregular_o32), FN(task_irregular_o64)},
    };
    const bool wide = plan->csr.offset == GSOLVE_O64;
    const T *x = px;
    T *y = py;

    if (plan->column_blocks.count > 0) {
        return gs_column_blocks_apply(&plan->column_blocks, q, &plan->csr, alpha, x, beta, y, dots);
    }
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (plan->tasks > 2)
    for (int32_t t = 0; t < plan->tasks; t++) {
        tasks[plan->how][wide](plan, t, alpha, x, beta, y, dots);
    }
    if (plan->nlong > 0) FN(long_rows)(q, plan, alpha, x, beta, y);
    if (dots) FN(add_dots)(plan, y, dots);
    return GSOLVE_OK;
}

/* x row-major. The rows of a task come from memory once and stay in cache for all columns. */
static void FN(block_row_major)(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y)
{
    const bool wide = plan->csr.offset == GSOLVE_O64;
    const FN(rows_of_x) in = FN(by_stride)(x.value, x.stride);
    const FN(rows_of_y) out = FN(rows_of)(y);

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (plan->tasks > 2)
    for (int32_t t = 0; t < plan->tasks; t++) {
        for (int32_t j = 0, w; j < x.ncols; j += w) {
            w = gs_columns_in(x.ncols - j);
            (wide ? FN(some_columns_o64) : FN(some_columns_o32))(plan, t, w, alpha, &in, beta, &out,
                                                                 j);
        }
    }
    for (int32_t j = 0, w; plan->nlong > 0 && j < x.ncols; j += w) {
        w = gs_columns_in(x.ncols - j);
        (wide ? FN(some_long_o64) : FN(some_long_o32))(q, plan, w, alpha, &in, beta, &out, j);
    }
}

/* x column-major, at most GS_CACHE_WINDOW_COLUMNS columns. There are no long rows. */
static void FN(block_by_windows)(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    const bool wide = plan->csr.offset == GSOLVE_O64;
    const int32_t w = gs_cache_window_columns(x.ncols);
    const FN(rows_of_y) out = FN(rows_of)(y);

#pragma omp parallel num_threads(gs_queue_threads(q)) if (plan -> tasks > 2)
    {
        FN(window_buffer) buffer = FN(window_buffer_of)(&plan->windows, w, omp_get_thread_num());
#pragma omp for schedule(static)
        for (int32_t t = 0; t < plan->tasks; t++) {
            FN(load_window)(&buffer, &plan->windows, t, x);
            (wide ? FN(some_columns_o64) : FN(some_columns_o32))(plan, t, w, alpha, &buffer.x, beta,
                                                                 &out, 0);
        }
    }
}

/* x row-major, or column-major where cache windows pay. */
static gsolve_status FN(apply_block)(gs_queue *q, const gs_csr_plan *plan, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    if (x.layout == GSOLVE_ROW_MAJOR) {
        FN(block_row_major)(q, plan, alpha, x, beta, y);
        return GSOLVE_OK;
    }
    for (int32_t j = 0; j < x.ncols; j += GS_CACHE_WINDOW_COLUMNS) {
        const gsolve_dense in = gs_cache_window_pass(x, j), out = gs_cache_window_pass(y, j);
        if (in.ncols == 1) {
            FN(apply)(q, plan, alpha, in.value, beta, out.value, NULL);
        } else {
            FN(block_by_windows)(q, plan, alpha, in, beta, out);
        }
    }
    return GSOLVE_OK;
}

#undef OF
