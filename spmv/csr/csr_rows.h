/* csr_rows.h: one task of the product, for one value type T and one type OFFSET of row starts. */

/* The rows of task t but the long ones; if dots, its sums over them. how is a constant. */
static inline __attribute__((always_inline)) void ON(task_rows)(const gs_csr_plan *plan, int32_t t,
                                                                double alpha, const T *restrict x,
                                                                double beta, T *restrict y,
                                                                const gs_product_sums *dots,
                                                                gs_rows how)
{
    const OFFSET *start = plan->csr.start;
    const int32_t *col = plan->csr.col;
    const T *value = plan->csr.value;
    const bool plain = alpha == 1 && beta == 0;
    const int64_t ahead = gs_ahead(start[plan->begin[t + 1]], start[plan->csr.nrows]);
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;

    for (int32_t i = plan->begin[t]; i < plan->begin[t + 1]; i++) {
        const int64_t from = start[i], n = start[i + 1] - from;
        if (n > GS_LONG_ROW) continue;
        const T sum = FN(sum_by)(how, n, value + from, col + from, x, ahead);
        if (plain) {
            y[i] = sum;
        } else {
            FN(finish_row)(alpha, sum, beta, &y[i]);
        }
        if (dots) {
            wy += (double)w[i] * (double)sum;
            yy += (double)sum * (double)sum;
        }
    }
    if (dots) {
        plan->part[t] = wy;
        plan->part[plan->tasks + t] = yy;
    }
}

static void ON(task)(const gs_csr_plan *plan, int32_t t, double alpha, const T *restrict x,
                     double beta, T *restrict y, const gs_product_sums *dots)
{
    ON(task_rows)(plan, t, alpha, x, beta, y, dots, GS_ROWS_EVEN);
}

static void ON(task_uneven)(const gs_csr_plan *plan, int32_t t, double alpha, const T *restrict x,
                            double beta, T *restrict y, const gs_product_sums *dots)
{
    ON(task_rows)(plan, t, alpha, x, beta, y, dots, GS_ROWS_UNEVEN);
}

static void ON(task_scattered)(const gs_csr_plan *plan, int32_t t, double alpha,
                               const T *restrict x, double beta, T *restrict y,
                               const gs_product_sums *dots)
{
    ON(task_rows)(plan, t, alpha, x, beta, y, dots, GS_ROWS_SCATTERED);
}

#define OF_OFFSET(name) GS_PASTE(ON(name), COLUMNS)
#define COLUMNS         8
#include "spmv/csr/csr_columns.h"
#undef COLUMNS
#define COLUMNS 4
#include "spmv/csr/csr_columns.h"
#undef COLUMNS
#define COLUMNS 2
#include "spmv/csr/csr_columns.h"
#undef COLUMNS
#define COLUMNS 1
#include "spmv/csr/csr_columns.h"
#undef COLUMNS
#undef OF_OFFSET

/* Task t with all columns, of which eight, four, two or one are taken at once: its rows come from
 * the memory once and are near for all. */
static void ON(block_task)(const gs_csr_plan *plan, int32_t t, double alpha, gsolve_dense v,
                           double beta, const FN(rows_of_y) * y)
{
    const OFFSET *start = plan->csr.start;
    const int64_t there = gs_ahead(start[plan->begin[t + 1]], start[plan->csr.nrows]);
    const int64_t ahead = plan->how == GS_ROWS_SCATTERED ? there : 0;
    const T *x = v.value;
    int32_t j = 0;

    for (; j + 8 <= v.ncols; j += 8) {
        GS_PASTE(ON(task_of_rows), 8)(plan, t, alpha, x, v.stride, beta, y, j, ahead);
    }
    for (; j + 4 <= v.ncols; j += 4) {
        GS_PASTE(ON(task_of_rows), 4)(plan, t, alpha, x, v.stride, beta, y, j, ahead);
    }
    for (; j + 2 <= v.ncols; j += 2) {
        GS_PASTE(ON(task_of_rows), 2)(plan, t, alpha, x, v.stride, beta, y, j, ahead);
    }
    for (; j < v.ncols; j++) {
        GS_PASTE(ON(task_of_rows), 1)(plan, t, alpha, x, v.stride, beta, y, j, ahead);
    }
}
