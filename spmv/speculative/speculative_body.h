/* speculative_body.h: the product on the CPU for one value type T; speculative_rows.h holds what
 * reads offsets. */

#include "spmv/row_sum.h"

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
                            const gs_product_sums *dots)
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
        FN(finish_row)(alpha, sum, beta, &y[i]);
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
        FN(finish_row)(1, 0, beta, &y[i]);
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_speculative_plan *plan, double alpha,
                               const void *px, double beta, void *py, const gs_product_sums *dots)
{
    static void (*const bunches[][2])(const gs_speculative_plan *, int32_t, double, const T *,
                                      double, T *, const gs_product_sums *) = {
        [GS_ROWS_EVEN] = {FN(bunch_o32), FN(bunch_o64)},
        [GS_ROWS_UNEVEN] = {FN(bunch_uneven_o32), FN(bunch_uneven_o64)},
        [GS_ROWS_IRREGULAR] = {FN(bunch_irregular_o32), FN(bunch_irregular_o64)},
    };
    const bool wide = plan->csr.offset == GSOLVE_O64;
    const int threads = gs_queue_threads(q), B = plan->shape.bunches;
    const int at_once = B > 0 ? B : plan->count / threads + 1;
    const T *x = px;
    T *y = py;

    if (plan->column_blocks.count > 0) {
        return gs_column_blocks_apply(&plan->column_blocks, q, &plan->csr, alpha, x, beta, y, dots);
    }
#pragma omp parallel for schedule(static, at_once) num_threads(threads) if (plan->count > 2)
    for (int32_t b = 0; b < plan->count; b++) {
        bunches[plan->how][wide](plan, b, alpha, x, beta, y, dots);
    }
    FN(synchronize)(plan, alpha, beta, y, dots);
    if (plan->first[plan->count] < plan->csr.nrows) FN(rest)(q, plan, beta, y);
    return GSOLVE_OK;
}
