/* speculative_rows.h: one bunch of the product, for one value type T and one type OFFSET of row
 * starts. */

/* The sum over entries from .. to, a part of a row. */
static T ON(part_sum)(const gs_speculative_plan *plan, int64_t from, int64_t to, const T *x)
{
    return FN(row_sum)(to - from, (const T *)plan->csr.value + from, plan->csr.col + from, x);
}

/* The rows that begin in bunch b: those that end there too are written, empty ones among them. What
 * the bunch holds of the row before goes to head, of a row that goes on after it to tail. */
static inline __attribute__((always_inline)) void ON(any_bunch)(
    const gs_speculative_plan *plan, int32_t b, double alpha, const T *restrict x, double beta,
    T *restrict y, const gs_product_sums *dots, gs_rows how)
{
    const OFFSET *start = plan->csr.start;
    const int32_t *col = plan->csr.col;
    const T *value = plan->csr.value;
    const int64_t from = b * plan->size, left = plan->entries - from;
    const int64_t to = from + (left < plan->size ? left : plan->size);
    const int64_t ahead = gs_ahead(to, plan->entries);
    const int32_t first = plan->first[b], last = plan->first[b + 1];
    const bool plain = alpha == 1 && beta == 0, open = last > first && start[last] > to;
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;

    plan->head[b] = ON(part_sum)(plan, from, start[first] < to ? start[first] : to, x);
    if (open) plan->tail[b] = ON(part_sum)(plan, start[last - 1], to, x);
    for (int32_t i = first; i < last - open; i++) {
        const int64_t at = start[i], n = start[i + 1] - at;
        const T sum = FN(sum_by)(how, n, value + at, col + at, x, ahead);
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
    plan->part[b] = wy;
    plan->part[plan->count + b] = yy;
}

static void ON(bunch)(const gs_speculative_plan *plan, int32_t b, double alpha, const T *restrict x,
                      double beta, T *restrict y, const gs_product_sums *dots)
{
    ON(any_bunch)(plan, b, alpha, x, beta, y, dots, GS_ROWS_EVEN);
}

static void ON(bunch_uneven)(const gs_speculative_plan *plan, int32_t b, double alpha,
                             const T *restrict x, double beta, T *restrict y,
                             const gs_product_sums *dots)
{
    ON(any_bunch)(plan, b, alpha, x, beta, y, dots, GS_ROWS_UNEVEN);
}

static void ON(bunch_irregular)(const gs_speculative_plan *plan, int32_t b, double alpha,
                                const T *restrict x, double beta, T *restrict y,
                                const gs_product_sums *dots)
{
    ON(any_bunch)(plan, b, alpha, x, beta, y, dots, GS_ROWS_IRREGULAR);
}
