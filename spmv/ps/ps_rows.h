/* ps_rows.h: a task's rows, for one value type T and one type OFFSET of row starts. */

/* The task-th rows. The products of a piece are at hand: where a row's are not all among them, the
 * piece that begins with the row comes next. A row longer than a piece is summed apart. */
static void ON(task)(const gs_ps *s, int64_t task, T alpha, const T *x, T beta, T *y)
{
    const OFFSET *start = s->csr.start;
    const int32_t last = row_at(&s->csr, (task + 1) * GS_PS_TASK);
    const bool plain = alpha == 1 && beta == 0;
    T product[PIECE + 4] = {0}; /* sums read four at a time */
    int64_t from = 0, to = 0;

    for (int32_t i = row_at(&s->csr, task * GS_PS_TASK); i < last; i++) {
        const int64_t at = start[i], n = start[i + 1] - at;
        if (n <= PIECE && at + n > to) {
            from = at;
            to = start[last] - at < PIECE ? start[last] : at + PIECE;
            FN(multiply)(s, from, to - from, x, product);
        }
        const T sum =
            n > PIECE ? FN(long_sum)(s, at, at + n, x) : FN(sum_of)(product + (at - from), n);
        if (plain) {
            y[i] = sum;
        } else {
            FN(finish_row)(alpha, sum, beta, &y[i]);
        }
    }
}
