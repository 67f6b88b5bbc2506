/* csr_columns.h: the product with COLUMNS columns of x, row-major, for one value type T and one
 * type OFFSET of row starts. */

/* The rows of task t except the long ones. ahead: see row_sums. */
static void OF_OFFSET(task_of_rows)(const gs_csr_plan *plan, int32_t t, double alpha,
                                    const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                                    int32_t first, int64_t ahead)
{
    const FN(rows_of_x) here = FN(columns_from)(x, first);
    const FN(rows_of_y) there = *y; /* a copy that stores through y cannot alias */
    const OFFSET *start = plan->csr.start;
    const int32_t *col = plan->csr.col, end = plan->begin[t + 1];
    const T *value = plan->csr.value;

    for (int32_t i = plan->begin[t]; i < end; i++) {
        const int64_t from = start[i], n = start[i + 1] - from;
        OF(numbers) sum;
        if (n > GS_LONG_ROW) continue;
        OF(any_row_sums)(n, value + from, col + from, &here, ahead, &sum);
        OF(finish_rows)(alpha, &sum, beta, &there, i, first);
    }
}

/* The long rows, if any: one parallel region sums all parts, since a row of GS_LONG_ROW entries is
 * worth starting threads. Then the parts of each row are added in their order. */
static void OF_OFFSET(long_rows)(gs_queue *q, const gs_csr_plan *plan, double alpha,
                                 const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                                 int32_t first)
{
    const FN(rows_of_x) here = FN(columns_from)(x, first);
    const int32_t *col = plan->csr.col;
    const T *value = plan->csr.value;
    const int64_t parts = plan->first_part[plan->nlong];
    OF(numbers) *part = (void *)(plan->part + 2 * plan->tasks);

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int64_t p = 0; p < parts; p++) {
        int64_t n;
        const int64_t from = long_part(plan, p, &n);
        OF(row_sums)(n, value + from, col + from, &here, 0, &part[p]);
    }
    for (int32_t l = 0; l < plan->nlong; l++) {
        OF(numbers) sum = {{{0}}};
        for (int64_t p = plan->first_part[l]; p < plan->first_part[l + 1]; p++) {
            OF(add_numbers)(&sum, &part[p]);
        }
        OF(finish_rows)(alpha, &sum, beta, y, plan->long_row[l], first);
    }
}
