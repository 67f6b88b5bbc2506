/* csr_columns.h: one task of the product with COLUMNS columns of x by rows, for one value type T
 * and one type OFFSET of row starts. */

/* The rows of task t but the long ones. ahead: see row_sums. */
static void OF_OFFSET(task_of_rows)(const gs_csr_plan *plan, int32_t t, double alpha, const T *x,
                                    int64_t xstride, double beta, const FN(rows_of_y) * y,
                                    int32_t first, int64_t ahead)
{
    const OFFSET *start = plan->csr.start;
    const int32_t *col = plan->csr.col;
    const T *value = plan->csr.value;

    for (int32_t i = plan->begin[t]; i < plan->begin[t + 1]; i++) {
        const int64_t from = start[i], n = start[i + 1] - from;
        OF(numbers) sum;
        if (n > GS_LONG_ROW) continue;
        OF(row_sums)(n, value + from, col + from, x + first, xstride, ahead, &sum);
        OF(finish_rows)(alpha, &sum, beta, y->value + i * y->row + first * y->column, y->column);
    }
}
