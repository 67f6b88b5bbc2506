/* sliced_body.h: conversion and products on the CPU for a value type T. sliced_slices.h holds what
 * depends on the type that values are stored in. */

#include "spmv/multi_rhs/block_body.h"

typedef T FN(quad) __attribute__((vector_size(4 * sizeof(T))));

#define V        T
#define ON(name) FN(name##_own)
#include "spmv/sliced/sliced_slices.h"
#undef V
#undef ON
#define V        float
#define ON(name) FN(name##_single)
#include "spmv/sliced/sliced_slices.h"
#undef V
#undef ON

static gsolve_status FN(fill)(gs_sliced *s, gsolve_context *ctx, bool columns)
{
    (s->single ? FN(fill_single) : FN(fill_own))(ctx->queue, s, columns);
    return GSOLVE_OK;
}

static gsolve_status FN(apply)(gs_queue *q, const gs_sliced *s, double alpha, const void *x,
                               double beta, void *y, const gs_product_sums *dots)
{
    const gs_vector_kernels *vector = &GS_LEVEL(gs_vector_host)[s->csr.type];
    const bool column_blocks = s->column_blocks.count > 0;
    const gs_product_sums *fused = s->nlong == 0 && !column_blocks ? dots : NULL;
    const gs_row_parts parts = long_rows_of(s);
    const int32_t n = s->csr.nrows;
    void (*task)(const gs_sliced *, int32_t, double, const T *, double, T *,
                 const gs_product_sums *) = s->single ? FN(task_single) : FN(task_own);

    if (column_blocks && s->nlong == n) {
        return GS_LEVEL(gs_column_blocks_host)[s->csr.type].apply(&s->column_blocks, q, &s->csr,
                                                                  alpha, x, beta, y, dots);
    }
    if (column_blocks) {
        (s->single ? FN(by_column_blocks_single) : FN(by_column_blocks_own))(gs_queue_threads(q), s,
                                                                             alpha, x, beta, y);
    }
#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q)) if (s->tasks > 2)
    for (int32_t t = 0; t < (column_blocks ? 0 : s->tasks); t++)
        task(s, t, alpha, x, beta, y, fused);
    if (s->nlong > 0) FN(long_rows)(gs_queue_threads(q), &parts, alpha, x, beta, y);
    if (!fused) return dots ? gs_sum_product(vector, q, n, y, dots) : GSOLVE_OK;
    *fused->wy = gs_sum(s->tasks, s->dot);
    if (fused->yy) *fused->yy = gs_sum(s->tasks, s->dot + s->tasks);
    return GSOLVE_OK;
}

static gsolve_status FN(apply_block)(gs_sliced *s, gsolve_context *ctx, double alpha,
                                     gsolve_dense x, double beta, gsolve_dense y)
{
    const FN(block_form) form = {s, s->single ? FN(columns_single) : FN(columns_own), s->tasks,
                                 &s->windows, long_rows_of(s)};
    int32_t done;
    gsolve_status status;

    TRY(gs_cache_windows_prepare(&s->windows, &s->space, ctx, x, &x));
    done = FN(multiply_block)(gsolve_threads(ctx), &form, alpha, x, beta, y);
    if (done < x.ncols) {
        TRY(FN(apply)(ctx->queue, s, alpha, gs_column_of(x, done).value, beta,
                      gs_column_of(y, done).value, NULL));
    }
done:
    return status;
}

#undef OF
