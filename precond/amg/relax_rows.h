/* relax_rows.h: a block of rows of relax_body.h, for one type OFFSET of row starts. */

static void ON(rows)(const gsolve_csr *A, int32_t at, int32_t end, T a, T c, const T *restrict d,
                     const T *restrict b, const T *restrict x, const T *old, T *y)
{
    const OFFSET *start = A->start;
    const int32_t *col = A->col;
    const T *value = A->value;

    for (int32_t i = at; i < end; i++) {
        const OFFSET k = start[i];
        const T r = b[i] - FN(any_row_sum)(start[i + 1] - k, value + k, col + k, x);
        if (!d) {
            y[i] = r;
        } else if (c == 0) {
            y[i] = x[i] + a * d[i] * r;
        } else {
            y[i] = x[i] + a * d[i] * r + c * (x[i] - (old ? old[i] : 0));
        }
    }
}
