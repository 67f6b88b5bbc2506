/* csr_body.h: the products on the CPU for one value type T. csr_rows.h holds the functions that
 * depend on the type of row starts. */

#include "spmv/multi_rhs/block_body.h"

#define OFFSET   int32_t
#define ON(name) FN(name##_o32)
#include "spmv/csr/csr_rows.h"
#undef OFFSET
#undef ON
#define OFFSET   int64_t
#define ON(name) FN(name##_o64)
#include "spmv/csr/csr_rows.h"
#undef OFFSET
#undef ON

/* Adds the sums of the tasks, then the terms of the long rows, in their order. */
static void FN(add_dots)(const gs_csr_plan *plan, const T *y, const gs_product_sums *dots)
{
    const T *w = dots->w;
    const gs_row_parts *parts = &plan->long_rows;
    double wy = gs_sum(plan->tasks, plan->dot), yy = gs_sum(plan->tasks, plan->dot + plan->tasks);

    for (int32_t p = 0; p < parts->count; p += parts->part[p].parts) {
        const int32_t i = parts->part[p].row;
        wy += (double)w[i] * (double)y[i];
        yy += (double)y[i] * (double)y[i];
    }
    *dots->wy = wy;
    if (dots->yy) *dots->yy = yy;
}

static gsolve_status FN(apply)(gs_queue *q, const gs_csr_plan *plan, double alpha, const void *px,
                               double beta, void *py, const gs_product_sums *dots)
{
    void (*const task)(const gs_csr_plan *, int32_t, double, const T *, double, T *,
                       const gs_product_sums *) =
        plan->csr.offset == GSOLVE_O64 ? FN(task_o64) : FN(task_o32);
    const T *x = px;
    T *y = py;

    if (plan->column_blocks.count > 0) {
        return GS_LEVEL(gs_column_blocks_host)[plan->csr.type].apply(
            &plan->column_blocks, q, &plan->csr, alpha, x, beta, y, dots);
    }
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (plan->tasks > 2)
    for (int32_t t = 0; t < plan->tasks; t++) task(plan, t, alpha, x, beta, y, dots);
    if (plan->long_rows.count > 0) {
        FN(long_rows)(gs_queue_threads(q), &plan->long_rows, alpha, x, beta, y);
    }
    if (dots) FN(add_dots)(plan, y, dots);
    return GSOLVE_OK;
}

/* x row-major, or column-major where cache windows pay. */
static gsolve_status FN(apply_block)(gs_queue *q, const gs_csr_plan *plan, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    const FN(block_form)
        form = {plan, plan->csr.offset == GSOLVE_O64 ? FN(columns_o64) : FN(columns_o32),
                plan->tasks, &plan->windows, plan->long_rows};
    const int32_t done = FN(multiply_block)(gs_queue_threads(q), &form, alpha, x, beta, y);

    if (done == x.ncols) return GSOLVE_OK;
    return FN(apply)(q, plan, alpha, gs_column_of(x, done).value, beta, gs_column_of(y, done).value,
                     NULL);
}

#undef OF
