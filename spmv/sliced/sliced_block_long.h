/* sliced_block_long.h: long rows with COLUMNS columns of a row-major x on the CPU for a value type
 * T. */

/* Columns of y from `first` on: all parts are summed in parallel, then the parts of each row are
 * added in their order. */
static void OF(long_rows)(gs_queue *q, const gs_sliced *s, double alpha, const FN(rows_of_x) * x,
                          double beta, const FN(rows_of_y) * y, int32_t first)
{
    const FN(rows_of_x) here = FN(columns_from)(x, first);
    const T *value = s->csr.value;
    OF(numbers) *sum = s->sum;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t p = 0; p < s->parts; p++) {
        const gs_sliced_part *part = &s->part[p];
        OF(row_sums)
        (part->entries, value + part->from, s->csr.col + part->from, &here, 0, &sum[p]);
    }
    for (int32_t p = 0; p < s->parts; p += s->part[p].parts) {
        OF(numbers) total = {{{0}}};
        for (int32_t k = 0; k < s->part[p].parts; k++) OF(add_numbers)(&total, &sum[p + k]);
        OF(finish_rows)(alpha, &total, beta, y, s->part[p].row, first);
    }
}
