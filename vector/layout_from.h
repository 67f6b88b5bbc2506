/* layout_from.h: transposition for one type FROM of the source. */

/* Transposes columns first to end - 1 of `rows` rows. A constant number of rows (8) makes the inner
 * loop straight-line code. */
static inline __attribute__((always_inline)) void ON(transpose_part)(int32_t rows, int64_t first,
                                                                     int64_t end, const FROM *from,
                                                                     int64_t stride, T *to,
                                                                     int64_t step)
{
    for (int64_t c = first; c < end; c++) {
        for (int32_t r = 0; r < rows; r++) to[c * step + r] = (T)from[r * stride + c];
    }
}

/* Few rows of many columns. A thread transposes LINE columns at a time, eight rows after eight. */
static void ON(transpose_wide)(gs_queue *q, int32_t rows, int32_t columns, const FROM *from,
                               int64_t stride, T *to, int64_t step)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (columns > 4096)
    for (int64_t c = 0; c < columns; c += LINE) {
        const int64_t end = c + LINE < columns ? c + LINE : columns;
        int32_t r = 0;
        for (; r + 8 <= rows; r += 8) {
            ON(transpose_part)(8, c, end, from + r * stride, stride, to + r, step);
        }
        ON(transpose_part)(rows - r, c, end, from + r * stride, stride, to + r, step);
    }
}

/* Many rows of few columns. A thread transposes LINE rows at a time, column by column. */
static void ON(transpose_tall)(gs_queue *q, int32_t rows, int32_t columns, const FROM *from,
                               int64_t stride, T *to, int64_t step)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (rows > 4096)
    for (int64_t r = 0; r < rows; r += LINE) {
        const int32_t count = rows - r < LINE ? (int32_t)(rows - r) : LINE;
        for (int32_t c = 0; c < columns; c++) {
            T *out = to + c * step + r;
            for (int32_t k = 0; k < count; k++) out[k] = (T)from[(r + k) * stride + c];
        }
    }
}
