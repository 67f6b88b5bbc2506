/* seidel_rows.h: the rows of one block from at to end, for one type OFFSET of row starts. */

/* Sums before and after the diagonal are apart, so that the product with the element reached last
 * is not waited for by the others. */
static inline __attribute__((always_inline)) T ON(around)(OFFSET k, OFFSET to, const T *value,
                                                          const int32_t *col, int32_t i, int32_t at,
                                                          int32_t end, const T *x, const T *old)
{
    T before = 0, after = 0;

    for (; k < to && col[k] < at; k++) after += value[k] * old[col[k]];
    for (; k < to && col[k] < i; k++) before += value[k] * x[col[k]];
    for (; k < to && col[k] < end; k++) after += value[k] * x[col[k]];
    for (; k < to; k++) after += value[k] * old[col[k]];
    return after + before;
}

static void ON(next)(const gsolve_csr *A, int32_t at, int32_t end, bool back, const T *d,
                     const T *b, T *x, const T *old)
{
    const OFFSET *start = A->start;
    const int32_t step = back ? -1 : 1;

    for (int32_t i = back ? end - 1 : at; i >= at && i < end; i += step) {
        x[i] += d[i] *
                (b[i] - ON(around)(start[i], start[i + 1], A->value, A->col, i, at, end, x, old));
    }
}

/* From 0: only what has been reached counts. */
static void ON(first)(const gsolve_csr *A, int32_t at, int32_t end, bool back, const T *d,
                      const T *b, T *x)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = at; !back && i < end; i++) {
        T sum = 0;
        for (OFFSET k = start[i]; k < start[i + 1] && col[k] < i; k++) {
            if (col[k] >= at) sum += value[k] * x[col[k]];
        }
        x[i] = d[i] * (b[i] - sum);
    }
    for (int32_t i = end - 1; back && i >= at; i--) {
        T sum = 0;
        for (OFFSET k = start[i + 1] - 1; k >= start[i] && col[k] > i; k--) {
            if (col[k] < end) sum += value[k] * x[col[k]];
        }
        x[i] = d[i] * (b[i] - sum);
    }
}
