/* speculative_body.h: the product on the CPU for one value type T; speculative_rows.h holds what
 * reads offsets. */

/* sum of value[k] x[col[k]] over n entries, in four sums of every fourth entry. */
static inline __attribute__((always_inline)) T FN(stretch)(int64_t n, const T *value,
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

/* The same bits; the lengths that rows mostly have run through straight code. */
static inline T FN(sum)(int64_t n, const T *value, const int32_t *col, const T *x)
{
    switch (n) {
    case 0: return 0;
    case 1: return FN(stretch)(1, value, col, x);
    case 2: return FN(stretch)(2, value, col, x);
    case 3: return FN(stretch)(3, value, col, x);
    case 4: return FN(stretch)(4, value, col, x);
    case 5: return FN(stretch)(5, value, col, x);
    case 6: return FN(stretch)(6, value, col, x);
    case 7: return FN(stretch)(7, value, col, x);
    case 8: return FN(stretch)(8, value, col, x);
    case 9: return FN(stretch)(9, value, col, x);
    default: return FN(stretch)(n, value, col, x);
    }
}

/* The sum for a scattered x, whose elements are asked for ahead entries before their use. */
static inline T FN(scattered_sum)(int64_t n, const T *value, const int32_t *col, const T *x,
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

static inline void FN(finish)(double alpha, T sum, double beta, T *y)
{
    *y = beta == 0 ? (T)alpha * sum : (T)alpha * sum + (T)beta * *y;
}

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "spmv/speculative/speculative_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "spmv/speculative/speculative_rows.h"
#undef OFFSET
#undef ON

/* The rows that end in another bunch than they begin in: their parts in order. */
static void FN(synchronize)(const gs_speculative_plan *plan, double alpha, double beta, T *y,
                            const gs_speculative_dots *dots)
{
    const gsolve_csr *A = &plan->csr;
    const T *w = dots ? dots->w : NULL;
    double wy = 0, yy = 0;

    for (int32_t b = 0; b < plan->count; b++) {
        const int32_t i = plan->first[b + 1] - 1;
        const int64_t end = i < plan->first[b] ? 0 : gs_start(A, i + 1);
        T sum = (T)plan->tail[b];
        if (end <= (b + 1) * plan->size) continue;
        for (int32_t c = b + 1; c * plan->size < end; c++) sum += (T)plan->head[c];
        FN(finish)(alpha, sum, beta, &y[i]);
        if (dots) {
            wy += (double)w[i] * (double)sum;
            yy += (double)sum * (double)sum;
        }
    }
    if (!dots) return;
    *dots->wy = wy + gs_sum(plan->count, plan->part);
    if (dots->yy) *dots->yy = yy + gs_sum(plan->count, plan->part + plan->count);
}

/* Empty rows behind the last entry, which are of no bunch. */
static void FN(rest)(gs_queue *q, const gs_speculative_plan *plan, double beta, T *y)
{
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t i = plan->first[plan->count]; i < plan->csr.nrows; i++) {
        FN(finish)(1, 0, beta, &y[i]);
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_speculative_plan *plan, double alpha,
                               const void *px, double beta, void *py,
                               const gs_speculative_dots *dots)
{
    const bool wide = plan->csr.offset == GSOLVE_O64;
    void (*bunch)(const gs_speculative_plan *, int32_t, double, const T *, double, T *,
                  const gs_speculative_dots *) =
        plan->scattered ? (wide ? FN(bunch_scattered_o64) : FN(bunch_scattered_o32))
                        : (wide ? FN(bunch_o64) : FN(bunch_o32));
    const int threads = gs_queue_threads(q), B = plan->shape.bunches;
    const int at_once = B > 0 ? B : plan->count / threads + 1;
    const T *x = px;
    T *y = py;

#pragma omp parallel for schedule(static, at_once) num_threads(threads) if (plan->count > 2)
    for (int32_t b = 0; b < plan->count; b++) bunch(plan, b, alpha, x, beta, y, dots);
    FN(synchronize)(plan, alpha, beta, y, dots);
    if (plan->first[plan->count] < plan->csr.nrows) FN(rest)(q, plan, beta, y);
    return GSOLVE_OK;
}
