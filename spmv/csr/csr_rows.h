/* csr_rows.h: one task of the product, for one value type T and one type OFFSET of row starts. */

/* The rows of task t except the long ones. If dots is not NULL, the two sums of the task are stored
 * too. how is a compile-time constant. */
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
        plan->dot[t] = wy;
        plan->dot[plan->tasks + t] = yy;
    }
}

static void ON(task)(const gs_csr_plan *plan, int32_t t, double alpha, const T *restrict x,
                     double beta, T *restrict y, const gs_product_sums *dots)
{
    switch (plan->how) {
    case GS_ROWS_EVEN: ON(task_rows)(plan, t, alpha, x, beta, y, dots, GS_ROWS_EVEN); return;
    case GS_ROWS_UNEVEN: ON(task_rows)(plan, t, alpha, x, beta, y, dots, GS_ROWS_UNEVEN); return;
    default: ON(task_rows)(plan, t, alpha, x, beta, y, dots, GS_ROWS_IRREGULAR);
    }
}

#define OF_OFFSET(name) GS_PASTE(ON(name), COLUMNS)
#define GS_COLUMNS_BODY "spmv/csr/csr_columns.h"
#include "vector/each_columns.h"
#undef GS_COLUMNS_BODY
#undef OF_OFFSET

static FN(columns_of_task) *const ON(columns)[] = {
    [1] = GS_PASTE(ON(task_of_rows), 1),
    [2] = GS_PASTE(ON(task_of_rows), 2),
    [4] = GS_PASTE(ON(task_of_rows), 4),
    [8] = GS_PASTE(ON(task_of_rows), 8),
};
