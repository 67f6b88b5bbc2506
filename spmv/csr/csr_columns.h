/* csr_columns.h: the product with COLUMNS columns of x, row-major, for one value type T and one
 * type OFFSET of row starts. */

/* The rows of task t except the long ones. */
static void OF_OFFSET(task_of_rows)(const void *self, int32_t t, double alpha,
                                    const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                                    int32_t first)
{
    const gs_csr_plan *plan = self;
    const FN(rows_of_x) here = FN(columns_from)(x, first);
    const FN(rows_of_y) there = *y; /* a copy that stores through y cannot alias */
    const OFFSET *start = plan->csr.start;
    const int32_t *col = plan->csr.col, end = plan->begin[t + 1];
    const T *value = plan->csr.value;
    const int64_t ahead =
        plan->how == GS_ROWS_IRREGULAR ? gs_ahead(start[end], start[plan->csr.nrows]) : 0;

    for (int32_t i = plan->begin[t]; i < end; i++) {
        const int64_t from = start[i], n = start[i + 1] - from;
        OF(numbers) sum;
        if (n > GS_LONG_ROW) continue;
        OF(any_row_sums)(n, value + from, col + from, &here, ahead, &sum);
        OF(finish_rows)(alpha, &sum, beta, &there, i, first);
    }
}
