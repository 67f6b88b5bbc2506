/* ps_body.h: the product on the CPU for one value type T. */

#include "spmv/row_sum.h"

/* The sum of n products, the k-th into the (k mod 4)-th of four sums; where a row ends is masked,
 * as in spmv/row_sum.h: up to four products past them are read. */
static inline T FN(sum_of)(const T *product, int64_t n)
{
    FN(four) p, s = {0};
    int64_t k = 0;

    for (; k + 4 < n; k += 4) {
        memcpy(&p, product + k, sizeof p);
        s += p;
    }
    memcpy(&p, product + k, sizeof p);
    s += FN(first_of)(p, n - k);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Products of the entries at .. at + n - 1. Between two pieces nothing is read: so that memory does
 * not rest, the entries of the next ones are asked for here. */
static void FN(multiply)(const gs_ps *s, int64_t at, int64_t n, const T *x, T *restrict product)
{
    const T *value = (const T *)s->csr.value + at;
    const int32_t *col = s->csr.col + at;
    const int64_t ahead = s->scattered ? gs_ahead(at + n, s->entries) : 0;
    int64_t k = 0;

    for (; k + 8 <= n; k += 8) {
        __builtin_prefetch(value + k + FAR);
        __builtin_prefetch(col + k + FAR);
        for (int m = 0; ahead > 0 && m < 8; m++) __builtin_prefetch(&x[col[k + ahead + m]]);
        for (int m = 0; m < 8; m++) product[k + m] = value[k + m] * x[col[k + m]];
    }
    for (; k < n; k++) product[k] = value[k] * x[col[k]];
}

static T FN(long_sum)(const gs_ps *s, int64_t from, int64_t to, const T *x)
{
    T product[PIECE + 4] = {0}, sum = 0;

    for (int64_t at = from; at < to; at += PIECE) {
        const int64_t n = to - at < PIECE ? to - at : PIECE;
        FN(multiply)(s, at, n, x, product);
        sum += FN(sum_of)(product, n);
    }
    return sum;
}

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "spmv/ps/ps_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "spmv/ps/ps_rows.h"
#undef OFFSET
#undef ON

static gsolve_status FN(apply)(gs_queue *q, const gs_ps *s, double alpha, const void *x,
                               double beta, void *y)
{
    const int64_t tasks = s->entries / GS_PS_TASK + 1;
    void (*task)(const gs_ps *, int64_t, T, const T *, T, T *) =
        s->csr.offset == GSOLVE_O64 ? FN(task_o64) : FN(task_o32);

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (tasks > 2)
    for (int64_t t = 0; t < tasks; t++) task(s, t, (T)alpha, x, (T)beta, y);
    return GSOLVE_OK;
}
