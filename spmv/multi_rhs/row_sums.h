/* row_sums.h: sums of rows on the CPU for COLUMNS columns of a row-major x at once, for one value
 * type T. OF(name) is the copy of a name for that number of columns. row_sum.h says in which order
 * the terms of one column are added. */

#define SUM_BYTES (COLUMNS * sizeof(T))
#define WIDE      (SUM_BYTES < GS_LEVEL_BYTES ? SUM_BYTES : GS_LEVEL_BYTES) /* bytes of a vector */
#define COUNT     (COLUMNS * sizeof(T) / WIDE)                              /* number of vectors */

/* A vector of numbers without alignment. */
typedef T OF(vector) __attribute__((vector_size(WIDE), aligned(sizeof(T)), may_alias));

typedef struct OF(numbers) {
    OF(vector) v[COUNT];
} OF(numbers);

/* sum += value x */
static inline __attribute__((always_inline)) void OF(add_product)(OF(numbers) * sum, T value,
                                                                  const T *x)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < COUNT; i++)
        sum->v[i] += value * ((const OF(vector) *)(const void *)x)[i];
}

/* sum += more */
static inline __attribute__((always_inline)) void OF(add_numbers)(OF(numbers) * sum,
                                                                  const OF(numbers) * more)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < COUNT; i++) sum->v[i] += more->v[i];
}

/* *sum = row_sum for the first COLUMNS columns of x. Rows of x are prefetched `ahead` entries
 * before their use, so `ahead` entries must follow the row; 0: no prefetch. With a constant n the
 * compiler emits straight-line code. */
static inline __attribute__((always_inline)) void OF(row_sums)(int64_t n, const T *value,
                                                               const int32_t *col,
                                                               const FN(rows_of_x) * x,
                                                               int64_t ahead, OF(numbers) * sum)
{
    OF(numbers) s0 = {{{0}}}, s1 = s0, s2 = s0, s3 = s0;
    int64_t k = 0;

    for (; k + 4 <= n; k += 4) {
        for (int m = 0; ahead > 0 && m < 4; m++) {
            __builtin_prefetch(FN(row_of)(x, col[k + m + ahead]));
        }
        OF(add_product)(&s0, value[k], FN(row_of)(x, col[k]));
        OF(add_product)(&s1, value[k + 1], FN(row_of)(x, col[k + 1]));
        OF(add_product)(&s2, value[k + 2], FN(row_of)(x, col[k + 2]));
        OF(add_product)(&s3, value[k + 3], FN(row_of)(x, col[k + 3]));
    }
    for (int64_t m = k; ahead > 0 && m < n; m++) {
        __builtin_prefetch(FN(row_of)(x, col[m + ahead]));
    }
    if (k < n) OF(add_product)(&s0, value[k], FN(row_of)(x, col[k]));
    if (k + 1 < n) OF(add_product)(&s1, value[k + 1], FN(row_of)(x, col[k + 1]));
    if (k + 2 < n) OF(add_product)(&s2, value[k + 2], FN(row_of)(x, col[k + 2]));
#pragma GCC unroll 4
    for (size_t i = 0; i < COUNT; i++) sum->v[i] = (s0.v[i] + s1.v[i]) + (s2.v[i] + s3.v[i]);
}

/* row_sums for any n. Rows of stencils come in runs of equal length, so the branch of the switch
 * predicts well. */
static inline __attribute__((always_inline)) void OF(any_row_sums)(int64_t n, const T *value,
                                                                   const int32_t *col,
                                                                   const FN(rows_of_x) * x,
                                                                   int64_t ahead, OF(numbers) * sum)
{
    switch (ahead > 0 ? 0 : n) {
    case 5: OF(row_sums)(5, value, col, x, 0, sum); break;
    case 6: OF(row_sums)(6, value, col, x, 0, sum); break;
    case 7: OF(row_sums)(7, value, col, x, 0, sum); break;
    default: OF(row_sums)(n, value, col, x, ahead, sum);
    }
}

/* y = alpha sum + beta y for row i, for the columns of y from `first` on. y is not read where beta
 * is 0. */
static inline __attribute__((always_inline)) void OF(finish_rows)(double alpha,
                                                                  const OF(numbers) * sum,
                                                                  double beta,
                                                                  const FN(rows_of_y) * y,
                                                                  int64_t i, int32_t first)
{
    T *out = y->value + i * y->row + first * y->column;
    const int32_t left = y->columns - first;

    if (left < COLUMNS) {
        for (int32_t c = 0; c < left; c++) {
            FN(finish_row)(alpha, ((const T *)sum)[c], beta, &out[c * y->column]);
        }
    } else if (beta == 0 && y->column == 1) {
#pragma GCC unroll 4
        for (size_t k = 0; k < COUNT; k++) {
            ((OF(vector) *)(void *)out)[k] = (T)alpha * sum->v[k];
        }
    } else {
        for (int c = 0; c < COLUMNS; c++) {
            FN(finish_row)(alpha, ((const T *)sum)[c], beta, &out[c * y->column]);
        }
    }
}

/* Long rows, columns of y from `first` on: all parts are summed in parallel, then the parts of each
 * row are added in their order. */
static inline void OF(long_rows)(int threads, const gs_row_parts *parts, double alpha,
                                 const FN(rows_of_x) * x, double beta, const FN(rows_of_y) * y,
                                 int32_t first)
{
    const FN(rows_of_x) here = FN(columns_from)(x, first);
    const int32_t *col = parts->csr->col;
    const T *value = parts->csr->value;
    OF(numbers) *sum = parts->sum;

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t p = 0; p < parts->count; p++) {
        const gs_row_part *part = &parts->part[p];
        OF(row_sums)(part->entries, value + part->from, col + part->from, &here, 0, &sum[p]);
    }
    for (int32_t p = 0; p < parts->count; p += parts->part[p].parts) {
        OF(numbers) total = {{{0}}};
        for (int32_t k = 0; k < parts->part[p].parts; k++) OF(add_numbers)(&total, &sum[p + k]);
        OF(finish_rows)(alpha, &total, beta, y, parts->part[p].row, first);
    }
}

#undef SUM_BYTES
#undef WIDE
#undef COUNT
