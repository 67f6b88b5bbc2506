/* row_sum.h: sums of rows on the CPU for one value type T, which formats share. */

/* sum of value[k] x[col[k]] over n entries, entry k into the (k mod 4)-th of four sums. Inlined
 * with a constant n it unrolls into straight code, with the same bits. */
static inline __attribute__((always_inline)) T FN(row_sum)(int64_t n, const T *value,
                                                           const int32_t *col, const T *x)
{
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = 0;

#pragma GCC unroll 4
    for (; k + 4 <= n; k += 4) {
        s0 += value[k] * x[col[k]];
        s1 += value[k + 1] * x[col[k + 1]];
        s2 += value[k + 2] * x[col[k + 2]];
        s3 += value[k + 3] * x[col[k + 3]];
    }
    if (k < n) s0 += value[k] * x[col[k]];
    if (k + 1 < n) s1 += value[k + 1] * x[col[k + 1]];
    if (k + 2 < n) s2 += value[k + 2] * x[col[k + 2]];
    return (s0 + s1) + (s2 + s3);
}

/* The same; short rows, which come in runs of equal length, through a jump that predicts well. */
static inline T FN(any_row_sum)(int64_t n, const T *value, const int32_t *col, const T *x)
{
    switch (n) {
    case 0: return 0;
    case 1: return FN(row_sum)(1, value, col, x);
    case 2: return FN(row_sum)(2, value, col, x);
    case 3: return FN(row_sum)(3, value, col, x);
    case 4: return FN(row_sum)(4, value, col, x);
    case 5: return FN(row_sum)(5, value, col, x);
    case 6: return FN(row_sum)(6, value, col, x);
    case 7: return FN(row_sum)(7, value, col, x);
    case 8: return FN(row_sum)(8, value, col, x);
    case 9: return FN(row_sum)(9, value, col, x);
    default: return FN(row_sum)(n, value, col, x);
    }
}

/* The same for a scattered x, in one running sum: what costs is the wait for x, so its elements
 * are asked for ahead entries before their use, and the branches that several sums need. */
static inline T FN(scattered_row_sum)(int64_t n, const T *value, const int32_t *col, const T *x,
                                      int64_t ahead)
{
    T s = 0;

#pragma GCC unroll 1
    for (int64_t k = 0; k < n; k++) {
        __builtin_prefetch(&x[col[k + ahead]]);
        s += value[k] * x[col[k]];
    }
    return s;
}

/* y = alpha sum + beta y, y not read where beta is 0 */
static inline void FN(finish_row)(double alpha, T sum, double beta, T *y)
{
    *y = beta == 0 ? (T)alpha * sum : (T)alpha * sum + (T)beta * *y;
}
