/* row_sums.h: sums of rows on the CPU for COLUMNS columns of x by rows at once, for one value type
 * T; OF(name) is the name of that number's copy. What the sums of one column are is in row_sum.h.
 */

#define WIDE  (COLUMNS * sizeof(T) < 32 ? COLUMNS * sizeof(T) : 32) /* bytes of a vector */
#define COUNT (COLUMNS * sizeof(T) / WIDE)                          /* of vectors */

/* Some of the numbers, lying anywhere. */
typedef T OF(vector) __attribute__((vector_size(WIDE), aligned(sizeof(T)), may_alias));

typedef struct OF(numbers) {
    OF(vector) v[COUNT];
} OF(numbers);

/* sum += value x */
static inline __attribute__((always_inline)) void OF(add_product)(OF(numbers) * sum, T value,
                                                                  const T *x)
{
#pragma GCC unroll 2
    for (size_t i = 0; i < COUNT; i++)
        sum->v[i] += value * ((const OF(vector) *)(const void *)x)[i];
}

/* sum += more */
static inline __attribute__((always_inline)) void OF(add_numbers)(OF(numbers) * sum,
                                                                  const OF(numbers) * more)
{
#pragma GCC unroll 2
    for (size_t i = 0; i < COUNT; i++) sum->v[i] += more->v[i];
}

/* sum = row_sum. x: the first column, rows stride apart. ahead: rows of x are asked for so many
 * entries before their use, which must be there; 0: not. */
static inline __attribute__((always_inline)) void OF(row_sums)(int64_t n, const T *value,
                                                               const int32_t *col, const T *x,
                                                               int64_t stride, int64_t ahead,
                                                               OF(numbers) * sum)
{
    OF(numbers) s0 = {{{0}}}, s1 = s0, s2 = s0, s3 = s0;
    int64_t k = 0;

    for (; k + 4 <= n; k += 4) {
        for (int m = 0; ahead > 0 && m < 4; m++) {
            __builtin_prefetch(x + col[k + m + ahead] * stride);
        }
        OF(add_product)(&s0, value[k], x + col[k] * stride);
        OF(add_product)(&s1, value[k + 1], x + col[k + 1] * stride);
        OF(add_product)(&s2, value[k + 2], x + col[k + 2] * stride);
        OF(add_product)(&s3, value[k + 3], x + col[k + 3] * stride);
    }
    if (k < n) OF(add_product)(&s0, value[k], x + col[k] * stride);
    if (k + 1 < n) OF(add_product)(&s1, value[k + 1], x + col[k + 1] * stride);
    if (k + 2 < n) OF(add_product)(&s2, value[k + 2], x + col[k + 2] * stride);
#pragma GCC unroll 2
    for (size_t i = 0; i < COUNT; i++) sum->v[i] = (s0.v[i] + s1.v[i]) + (s2.v[i] + s3.v[i]);
}

/* y = alpha sum + beta y for a row, its numbers step apart; y is not read where beta is 0 */
static inline __attribute__((always_inline)) void OF(finish_rows)(double alpha,
                                                                  const OF(numbers) * sum,
                                                                  double beta, T *y, int64_t step)
{
    if (beta == 0 && step == 1) {
#pragma GCC unroll 2
        for (size_t i = 0; i < COUNT; i++) {
            ((OF(vector) *)(void *)y)[i] = (T)alpha * sum->v[i];
        }
        return;
    }
    for (int c = 0; c < COLUMNS; c++) {
        FN(finish_row)(alpha, ((const T *)sum)[c], beta, &y[c * step]);
    }
}

#undef WIDE
#undef COUNT
