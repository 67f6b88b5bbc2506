/* sliced_block_columns.h: the product with COLUMNS columns of a row-major x on the CPU for a value
 * type T and a type V that values are stored in. */

/* sum += the product of an entry. Column numbers are relative to `from`. narrow is a constant. */
static inline __attribute__((always_inline)) void OF_SLICES(add_entry)(OF(numbers) * sum,
                                                                       const ON(entries) * e,
                                                                       int64_t at, int32_t from,
                                                                       const FN(rows_of_x) * x,
                                                                       bool narrow)
{
    const int32_t column = from + (narrow ? (int32_t)e->unit[at] : e->col[at]);

    OF(add_product)(sum, (T)e->value[at], FN(row_of)(x, column));
}

/* sum[l] = sum of value x over the columns of lane l, for eight lanes. Column numbers are relative
 * to base. step is that of octet in sliced_slices.h; narrow and each are constants. Four lanes at a
 * time keep a core busy. */
static inline __attribute__((always_inline)) void OF_SLICES(octet)(const ON(entries) * e,
                                                                   int64_t step, bool narrow,
                                                                   bool each,
                                                                   const FN(rows_of_x) * x,
                                                                   int32_t base, OF(numbers) * sum)
{
    for (int l = 0; l < 8; l += 4) {
        OF(numbers) a[4] = {{{{0}}}};
        for (int32_t k = 0; k < e->full; k++) {
#pragma GCC unroll 4
            for (int m = 0; m < 4; m++) {
                OF_SLICES(add_entry)
                (&a[m], e, k * step + l + m, each ? e->base[k] : base, x, narrow);
            }
        }
#pragma GCC unroll 4
        for (int m = 0; m < 4; m++) sum[l + m] = a[m];
    }
    for (int l = 0; l < 8 && e->full < e->width; l++) {
        OF(numbers) a = sum[l];
        for (int32_t k = e->full; k < e->width; k++) {
            const int64_t at = k * step + l;
            if (narrow ? e->unit[at] == UINT16_MAX : e->col[at] < 0) break;
            OF_SLICES(add_entry)(&a, e, at, each ? e->base[k] : base, x, narrow);
        }
        sum[l] = a;
    }
}

/* octet for all storages of columns. */
static inline __attribute__((always_inline)) void OF_SLICES(any_octet)(
    const ON(entries) * e, int64_t step, const FN(rows_of_x) * x, int32_t base, OF(numbers) * sum)
{
    if (!e->unit) {
        OF_SLICES(octet)(e, step, false, false, x, base, sum);
    } else if (e->base) {
        OF_SLICES(octet)(e, step, true, true, x, base, sum);
    } else {
        OF_SLICES(octet)(e, step, true, false, x, base, sum);
    }
}

/* Slice `at`, columns of y from `first` on. */
static inline void OF_SLICES(slice)(const gs_sliced *s, int32_t at, double alpha,
                                    const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                                    int32_t first)
{
    const gs_slice slice = gs_slice_at(s, at);
    ON(entries) e = ON(entries_of)(s, at, &slice, x->value);
    const int32_t base = (int32_t)(e.x - x->value);
    OF(numbers) sum[GS_SLICED_MOST];

    for (int32_t l = 0; l < s->lanes; l += 8) {
        OF_SLICES(any_octet)(&e, s->lanes, x, base, sum + l);
        ON(advance)(&e, 8, e.unit);
    }
    for (int32_t r = 0; r < slice.rows; r++) {
        const int32_t i = gs_slice_row(s, &slice, r);
        if (i >= 0) OF(finish_rows)(alpha, &sum[r], beta, y, i, first);
    }
}

/* The slices of task t. */
static void OF_SLICES(slices)(const void *self, int32_t t, double alpha, const FN(rows_of_x) * x,
                              double beta, const FN(rows_of_y) * y, int32_t first)
{
    const gs_sliced *s = self;
    const FN(rows_of_x) here = FN(columns_from)(x, first);
    const FN(rows_of_y) there = *y; /* a copy that stores through y cannot alias */

    for (int32_t at = s->task[t]; at < s->task[t + 1]; at++) {
        OF_SLICES(slice)(s, at, alpha, &here, beta, &there, first);
    }
}
