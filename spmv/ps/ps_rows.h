/* ps_rows.h: a task's rows, for one value type T and one type OFFSET of row starts. */

/* Rows from .. to - 1, whose entries are no more than a piece. */
static void ON(piece)(const gs_ps *s, int32_t from, int32_t to, T alpha, const T *x, T beta, T *y)
{
    const OFFSET *start = s->csr.start;
    const int64_t at = start[from];
    const bool plain = alpha == 1 && beta == 0;
    T product[PIECE];

    FN(multiply)(s, at, start[to] - at, x, product);
    for (int32_t i = from; i < to; i++) {
        const T sum = FN(any_sum)(product + (start[i] - at), start[i + 1] - start[i]);
        if (plain) {
            y[i] = sum;
        } else {
            FN(finish_row)(alpha, sum, beta, &y[i]);
        }
    }
}

/* The task-th rows, a piece after the other; a row longer than a piece in several. */
static void ON(task)(const gs_ps *s, int64_t task, T alpha, const T *x, T beta, T *y)
{
    const OFFSET *start = s->csr.start;
    const int32_t last = row_at(&s->csr, (task + 1) * GS_PS_TASK);

    for (int32_t i = row_at(&s->csr, task * GS_PS_TASK), next; i < last; i = next) {
        next = i;
        while (next < last && start[next + 1] - start[i] <= PIECE) next++;
        if (next > i) {
            ON(piece)(s, i, next, alpha, x, beta, y);
        } else {
            FN(finish_row)(alpha, FN(long_sum)(s, start[i], start[i + 1], x), beta, &y[i]);
            next++;
        }
    }
}
