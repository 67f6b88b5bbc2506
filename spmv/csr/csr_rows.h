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

static void ON(task4)(const gs_csr_plan *plan, int32_t t, double alpha, const T *restrict x,
                      int64_t xstride, double beta, T *restrict y, int64_t ystride)
{
    const OFFSET *start = plan->csr.start;
    const int32_t *col = plan->csr.col;
    const T *value = plan->csr.value;

    for (int32_t i = plan->begin[t]; i < plan->begin[t + 1]; i++) {
        const int64_t from = start[i], n = start[i + 1] - from;
        T sum[4];
        if (n > GS_LONG_ROW) continue;
        FN(row_sum4)(n, value + from, col + from, x, xstride, sum);
        for (int c = 0; c < 4; c++) FN(finish_row)(alpha, sum[c], beta, &y[i + c * ystride]);
    }
}
