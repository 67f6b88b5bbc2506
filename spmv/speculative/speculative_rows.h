/* speculative_rows.h: one bunch of the product, for one value type T and one type OFFSET of row
 * starts. */

/* The sum over entries from .. to; scattered is a constant. */
static inline __attribute__((always_inline)) T ON(between)(const gs_speculative_plan *plan,
                                                           int64_t from, int64_t to, const T *x,
                                                           bool scattered, int64_t ahead)
{
    const int32_t *col = plan->csr.col + from;
    const T *value = (const T *)plan->csr.value + from;
    return scattered ? FN(scattered_row_sum)(to - from, value, col, x, ahead)
                     : FN(any_row_sum)(to - from, value, col, x);
}

/* The rows that begin in bunch b: those that end there too are written, empty ones among them. What
 * the bunch holds of the row before goes to head, of a row that goes on after it to tail. */
static inline __attribute__((always_inline)) void ON(any_bunch)(
    const gs_speculative_plan *plan, int32_t b, double alpha, const T *restrict x, double beta,
    T *restrict y, const gs_product_sums *dots, bool scattered)
{
    const OFFSET *start = plan->csr.start;
    const int64_t from = b * plan->size, left = plan->entries - from;
    const int64_t to = from + (left < plan->size ? left : plan->size);
    const bool at_end = to + GS_AHEAD > plan->entries; /* columns past are not there */
    const int64_t ahead = at_end ? 0 : GS_AHEAD;
    const int32_t first = plan->first[b], last = plan->first[b + 1];
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;

    plan->head[b] =
        ON(between)(plan, from, start[first] < to ? start[first] : to, x, scattered, ahead);
    for (int32_t i = first; i < last; i++) {
        if (start[i + 1] > to) {
            plan->tail[b] = ON(between)(plan, start[i], to, x, scattered, ahead);
            break;
        }
        const T sum = ON(between)(plan, start[i], start[i + 1], x, scattered, ahead);
        FN(finish_row)(alpha, sum, beta, &y[i]);
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
    ON(any_bunch)(plan, b, alpha, x, beta, y, dots, false);
}

static void ON(bunch_scattered)(const gs_speculative_plan *plan, int32_t b, double alpha,
                                const T *restrict x, double beta, T *restrict y,
                                const gs_product_sums *dots)
{
    ON(any_bunch)(plan, b, alpha, x, beta, y, dots, true);
}
