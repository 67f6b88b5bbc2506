/* row_sum.h: sums of rows on the CPU for one value type T, shared by the formats. */
#include <string.h>

#include "matrix/irregular.h"

/* The sum of value[k] x[col[k]] over n entries, entry k added to the (k mod 4)-th of four sums.
 * With a constant n the loop unrolls to straight-line code with the same bits. */
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

/* row_sum for any n. Short rows come in runs of equal length, so the branch of the switch predicts
 * well. */
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

typedef T FN(four) __attribute__((vector_size(4 * sizeof(T))));
typedef __typeof__((FN(four)){0} <
                   (FN(four)){0}) FN(mask); /* a mask: -1 keeps an element, 0 clears it */

static inline FN(four) FN(four_products)(const T *value, const int32_t *col, const T *x)
{
    FN(four) v;

    memcpy(&v, value, sizeof v);
    return v * (FN(four)){x[col[0]], x[col[1]], x[col[2]], x[col[3]]};
}

/* The first `left` <= 4 products of p, and 0 for the others, even if these are not finite. */
static inline FN(four) FN(first_of)(FN(four) p, int64_t left)
{
    static const int32_t masks[16] = {-1, -1, -1, -1, -1, -1, -1, -1}; /* and eight zeros */
    FN(mask) mask;

    memcpy(&mask, masks + 8 - left * (int64_t)(sizeof(T) / 4), sizeof mask);
    return (FN(four))((FN(mask))p & mask);
}

/* row_sum with the same bits, for rows whose lengths do not repeat. The last one to four entries
 * are selected by a mask, since a branch on their number would often be mispredicted. Reads up to 4
 * columns and values past the row. If `irregular`, a constant, elements of x are prefetched `ahead`
 * entries before their use. ahead is 0 where fewer than that many entries follow the row; then
 * nothing is read past it. */
static inline __attribute__((always_inline)) T FN(uneven_row_sum)(int64_t n, const T *value,
                                                                  const int32_t *col, const T *x,
                                                                  bool irregular, int64_t ahead)
{
    FN(four) s = {0};

    if (ahead == 0) return FN(row_sum)(n, value, col, x);
    for (int64_t left = n;; left -= 4, value += 4, col += 4) {
        for (int m = 0; irregular && m < 4; m++) __builtin_prefetch(&x[col[m + ahead]]);
        const FN(four) p = FN(four_products)(value, col, x);
        if (left <= 4) {
            s += FN(first_of)(p, left);
            break;
        }
        s += p;
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* The sum of a row by the method `how`, a constant: see matrix/irregular.h. */
static inline __attribute__((always_inline)) T FN(sum_by)(gs_rows how, int64_t n, const T *value,
                                                          const int32_t *col, const T *x,
                                                          int64_t ahead)
{
    if (how == GS_ROWS_EVEN) return FN(any_row_sum)(n, value, col, x);
    return FN(uneven_row_sum)(n, value, col, x, how == GS_ROWS_IRREGULAR, ahead);
}

/* y = alpha sum + beta y, y not read where beta is 0 */
static inline void FN(finish_row)(double alpha, T sum, double beta, T *y)
{
    *y = beta == 0 ? (T)alpha * sum : (T)alpha * sum + (T)beta * *y;
}
