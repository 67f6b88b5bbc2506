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

/* Whether values of a wider type are stored as float: all must be exact in it. */
static bool FN(fits_single)(gs_queue *q, const gs_sliced *s)
{
    const T *value = s->csr.value;
    bool exact = s->value == GS_VALUE_AUTO && sizeof(T) > sizeof(float);

    if (!exact) return false;
#pragma omp parallel for schedule(static) reduction(&& : exact) \
    num_threads(gs_threads_for(s->entries, gs_queue_threads(q)))
    for (int64_t k = 0; k < s->entries; k++) exact = exact && (T)(float)value[k] == value[k];
    return exact;
}

static void FN(fill)(gs_queue *q, const gs_sliced *s, bool columns)
{
    (s->single ? FN(fill_single) : FN(fill_own))(q, s, columns);
}

/* Allocates s->value_of for the type that `single` selects. */
static gsolve_status FN(alloc_values)(gs_sliced *s, gsolve_context *ctx, bool single)
{
    void *fresh = gsolve_alloc(ctx, gs_location(ctx), (size_t)(s->columns * s->lanes),
                               single ? sizeof(float) : sizeof(T));

    if (!fresh) return GSOLVE_NO_MEMORY;
    gsolve_free(ctx, gs_location(ctx), s->value_of);
    s->value_of = fresh;
    s->single = single;
    return GSOLVE_OK;
}

static gsolve_status FN(make)(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                              const gs_sliced_span *span, bool lengths)
{
    gsolve_status status;

    (void)spans, (void)lengths;
    TRY(gs_sliced_shape_host(s, ctx, span->width));
    TRY(FN(alloc_values)(s, ctx, FN(fits_single)(ctx->queue, s)));
    FN(fill)(ctx->queue, s, true);
    if (s->lanes == 8) TRY(gs_column_blocks_make(&s->column_blocks, ctx, &s->csr));
done:
    return status;
}

static gsolve_status FN(refill)(gs_sliced *s, gsolve_context *ctx)
{
    const bool single = FN(fits_single)(ctx->queue, s);
    gsolve_status status = GSOLVE_OK;

    if (single != s->single) TRY(FN(alloc_values)(s, ctx, single));
    FN(fill)(ctx->queue, s, false);
done:
    return status;
}

static gsolve_status FN(apply)(gs_queue *q, const gs_sliced *s, double alpha, const void *x,
                               double beta, void *y, const gs_product_sums *dots)
{
    const gs_vector_kernels *vector = &gs_vector_host[s->csr.type];
    const bool column_blocks = s->column_blocks.count > 0;
    const gs_product_sums *fused = s->nlong == 0 && !column_blocks ? dots : NULL;
    const gs_row_parts parts = long_rows_of(s);
    const int32_t n = s->csr.nrows;
    void (*task)(const gs_sliced *, int32_t, double, const T *, double, T *,
                 const gs_product_sums *) = s->single ? FN(task_single) : FN(task_own);

    if (column_blocks && s->nlong == n) {
        return gs_column_blocks_apply(&s->column_blocks, q, &s->csr, alpha, x, beta, y, dots);
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
