/* ps_body.h: the product on the CPU for one value type T. */

#include "spmv/row_sum.h"

static inline __attribute__((always_inline)) T FN(sum_of)(const T *product, int64_t n)
{
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = 0;

    for (; k + 4 <= n; k += 4) {
        s0 += product[k];
        s1 += product[k + 1];
        s2 += product[k + 2];
        s3 += product[k + 3];
    }
    for (; k < n; k++) s0 += product[k];
    return (s0 + s1) + (s2 + s3);
}

/* The same; short rows, which come in runs of equal length, through a jump that predicts well. */
static inline T FN(any_sum)(const T *product, int64_t n)
{
    switch (n) {
    case 0: return 0;
    case 1: return FN(sum_of)(product, 1);
    case 2: return FN(sum_of)(product, 2);
    case 3: return FN(sum_of)(product, 3);
    case 4: return FN(sum_of)(product, 4);
    case 5: return FN(sum_of)(product, 5);
    case 6: return FN(sum_of)(product, 6);
    case 7: return FN(sum_of)(product, 7);
    case 8: return FN(sum_of)(product, 8);
    case 9: return FN(sum_of)(product, 9);
    default: return FN(sum_of)(product, n);
    }
}

/* Products of the entries at .. at + n - 1. Between two pieces nothing is read: so that memory does
 * not rest, the entries of the next ones are asked for here. */
static void FN(multiply)(const gs_ps *s, int64_t at, int64_t n, const T *x, T *restrict product)
{
    const T *value = (const T *)s->csr.value + at;
    const int32_t *col = s->csr.col + at;
    const bool scattered = s->scattered && at + n + GS_AHEAD <= s->entries;
    int64_t k = 0;

    for (; k + 8 <= n; k += 8) {
        __builtin_prefetch(value + k + FAR);
        __builtin_prefetch(col + k + FAR);
        for (int m = 0; scattered && m < 8; m++) __builtin_prefetch(&x[col[k + GS_AHEAD + m]]);
        for (int m = 0; m < 8; m++) product[k + m] = value[k + m] * x[col[k + m]];
    }
    for (; k < n; k++) product[k] = value[k] * x[col[k]];
}

static T FN(long_sum)(const gs_ps *s, int64_t from, int64_t to, const T *x)
{
    T product[PIECE], sum = 0;

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
