/* sliced_block_columns.h: the product with COLUMNS columns of x by rows on the CPU for a value type
 * T and a type V that values are stored in. */

/* sum += the product of an entry. from: what column numbers count from. narrow: a constant. */
static inline __attribute__((always_inline)) void OF_SLICES(add_entry)(OF(numbers) * sum,
                                                                       const ON(entries) * e,
                                                                       int64_t at, int64_t from,
                                                                       const T *x, int64_t stride,
                                                                       bool narrow)
{
    const int64_t column = from + (narrow ? (int64_t)e->unit[at] : (int64_t)e->col[at]);

    OF(add_product)(sum, (T)e->value[at], x + column * stride);
}

/* sum[l] = sum of value x over the columns of lane l of eight; x: the first column, rows stride
 * apart; base: what column numbers count from. step, end: as in octet. narrow, each: constants.
 * Four lanes at a time keep a core busy. */
static inline __attribute__((always_inline)) void OF_SLICES(octet)(
    const ON(entries) * e, int64_t step, bool narrow, bool each, const int32_t *end, const T *x,
    int64_t base, int64_t stride, OF(numbers) * sum)
{
    for (int l = 0; l < 8; l += 4) {
        OF(numbers) a[4] = {{{{0}}}};
        for (int32_t k = 0; k < e->full; k++) {
#pragma GCC unroll 4
            for (int m = 0; m < 4; m++) {
                OF_SLICES(add_entry)
                (&a[m], e, k * step + l + m, each ? e->base[k] : base, x, stride, narrow);
            }
        }
#pragma GCC unroll 4
        for (int m = 0; m < 4; m++) sum[l + m] = a[m];
    }
    for (int l = 0; l < 8 && e->full < e->width; l++) {
        OF(numbers) a = sum[l];
        for (int32_t k = e->full; k < e->width; k++) {
            const int64_t at = k * step + l;
            const bool in = end ? k < end[l] : narrow ? e->unit[at] != UINT16_MAX : e->col[at] >= 0;
            if (!in) break;
            OF_SLICES(add_entry)(&a, e, at, each ? e->base[k] : base, x, stride, narrow);
        }
        sum[l] = a;
    }
}

/* The same, however the columns are stored. */
static inline __attribute__((always_inline)) void OF_SLICES(any_octet)(
    const ON(entries) * e, int64_t step, const int32_t *end, const T *x, int64_t base,
    int64_t stride, OF(numbers) * sum)
{
    if (!e->unit) {
        OF_SLICES(octet)(e, step, false, false, end, x, base, stride, sum);
    } else if (e->base) {
        OF_SLICES(octet)(e, step, true, true, end, x, base, stride, sum);
    } else {
        OF_SLICES(octet)(e, step, true, false, end, x, base, stride, sum);
    }
}

/* The columns from first on of slice `at`. */
static void OF_SLICES(some_columns)(const gs_sliced *s, int32_t at, const gs_slice *slice,
                                    double alpha, gsolve_dense v, int32_t first, double beta,
                                    const FN(rows_of_y) * y)
{
    const T *x = (const T *)v.value + first;
    ON(entries) e = ON(entries_of)(s, at, slice, x);
    const int64_t base = e.x - x;
    const int32_t lanes = 1 << slice->share;
    OF(numbers) sum[GS_SLICED_MOST];
    int32_t end[GS_SLICED_MOST];
    const bool ends = s->length && e.full < e.width;

    if (ends) ON(name_ends)(s, slice, end);
    for (int32_t l = 0; l < s->lanes; l += 8) {
        OF_SLICES(any_octet)(&e, s->lanes, ends ? end + l : NULL, x, base, v.stride, sum + l);
        e.value += 8;
        e.col += e.unit ? 0 : 8;
        e.unit += e.unit ? 8 : 0;
    }
    for (int32_t r = 0; r < slice->rows; r++) {
        const int32_t i = gs_slice_row(s, slice, r);
        OF(numbers) total = sum[r * lanes];
        for (int32_t l = 1; l < lanes; l++) OF(add_numbers)(&total, &sum[r * lanes + l]);
        if (i < 0) continue;
        OF(finish_rows)(alpha, &total, beta, y->value + i * y->row + first * y->column, y->column);
    }
}
