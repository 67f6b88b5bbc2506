/* relax_columns.h: a block of rows of relax_body.h for COLUMNS of the columns, row-major. */

static void OF_OFFSET(row_block)(const FN(relaxed) * v, int32_t at, int32_t end, int32_t first)
{
    const OFFSET *start = v->A->start;
    const int32_t *col = v->A->col;
    const T *value = v->A->value, *d = v->d, *old = v->old, c = v->c;
    const FN(rows_of_x) all = FN(by_stride)(v->x + first, v->columns);

    for (int32_t i = at; i < end; i++) {
        const int64_t k = start[i], e = (int64_t)i * v->columns + first;
        const T *b = v->b + e, *x = v->x + e, step = d ? v->a * d[i] : 0;
        OF(numbers) sum;
        T *y = v->y + e;
        OF(row_sums)(start[i + 1] - k, value + k, col + k, &all, 0, &sum);
        for (int j = 0; j < COLUMNS; j++) {
            const T r = b[j] - ((const T *)&sum)[j];
            if (!d) {
                y[j] = r;
            } else if (c == 0) {
                y[j] = x[j] + step * r;
            } else {
                y[j] = x[j] + step * r + c * (x[j] - (old ? old[e + j] : 0));
            }
        }
    }
}
