/* sliced_column_blocks.h: the product by column blocks (spmv/multi_rhs/column_blocks.h) on the CPU
 * for a value type T and a type V that values are stored in. Slices have eight lanes.
 */

/* The column of slice `at` where block k begins for the slice's first row, if that row is stored.
 */
static int32_t ON(cut)(const gs_sliced *s, const gs_slice *slice, int32_t full, int32_t k)
{
    const int32_t i = gs_slice_row(s, slice, 0);
    const int32_t cut = i < 0 ? full : s->column_blocks.cut[(int64_t)k * s->csr.nrows + i];
    return cut < full && k < s->column_blocks.count ? cut : full;
}

/* sum += the sums of slice `at` over block k. The next slice's values are prefetched. */
static void ON(add_column_block)(const gs_sliced *s, int32_t at, int32_t k, const T *x, T *sum)
{
    const bool ends = k + 1 == s->column_blocks.count;
    const gs_slice slice = gs_slice_at(s, at);
    const gs_slice next = gs_slice_at(s, at + 1 < s->slices ? at + 1 : at);
    ON(entries) e = ON(entries_of)(s, at, &slice, x);
    const int32_t from = ON(cut)(s, &slice, e.full, k), to = ON(cut)(s, &slice, e.full, k + 1);
    const int64_t before = 8 * (int64_t)from;
    const int64_t later = next.first + ON(cut)(s, &next, next.width, k);
    const ON(interval) part = {from, to, k == 0, ends, 8 * (later - slice.first) - before};

    ON(advance)(&e, before, e.unit);
    ON(any_octet)(&e, part, 8, sum);
}

/* The rows of slices first to last - 1, a group. */
static void ON(group)(const gs_sliced *s, int32_t first, int32_t last, double alpha, const T *x,
                      double beta, T *y)
{
    const int32_t width = gs_column_block_width(s->csr.type), piece = width / (last - first) + 1;
    T sum[GS_COLUMN_BLOCK_ROWS];

    for (int32_t k = 0; k < s->column_blocks.count; k++) {
        int64_t next_x = (int64_t)(k + 1) * width, until = next_x;
        for (int32_t at = first; at < last; at++) {
            until = until + piece < s->csr.ncols ? until + piece : s->csr.ncols;
            for (; next_x < until; next_x += 64 / (int)sizeof(T))
                __builtin_prefetch(x + next_x, 0, 2);
            ON(add_column_block)(s, at, k, x, &sum[8 * (at - first)]);
        }
    }
    for (int32_t at = first; at < last; at++) {
        const gs_slice slice = gs_slice_at(s, at);
        for (int32_t r = 0; r < slice.rows; r++) {
            const int32_t i = gs_slice_row(s, &slice, r);
            const T of_row = sum[8 * (at - first) + r];
            if (i < 0) continue;
            y[i] = beta == 0 ? (T)alpha * of_row : (T)alpha * of_row + (T)beta * y[i];
        }
    }
}

static void ON(by_column_blocks)(int threads, const gs_sliced *s, double alpha, const T *x,
                                 double beta, T *y)
{
    const int32_t n = s->slices, some = gs_column_block_group(s->csr.nrows, threads) / 8;

#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int32_t first = 0; first < n; first += some) {
        ON(group)(s, first, n - first < some ? n : first + some, alpha, x, beta, y);
    }
}
