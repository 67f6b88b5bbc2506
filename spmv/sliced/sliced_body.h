/* sliced_body.h: conversion and products on the CPU for a value type T. sliced_slices.h holds what
 * depends on the type that values are stored in. */

typedef T FN(quad) __attribute__((vector_size(4 * sizeof(T))));

#define V        T
#define ON(name) FN(name##_own)
#include "spmv/sliced/sliced_slices.h"

/* calls functions of sliced_slices.h */
#include "spmv/sliced/sliced_column_blocks.h"
#undef V
#undef ON
#define V        float
#define ON(name) FN(name##_single)
#include "spmv/sliced/sliced_slices.h"

/* calls functions of sliced_slices.h */
#include "spmv/sliced/sliced_column_blocks.h"
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

/* The sum over a part of a long row, entry k added to the (k mod 4)-th of four sums. The wait for x
 * dominates, so elements of x are prefetched. */
static T FN(part_sum)(const gsolve_csr *A, const gs_sliced_part *part, const T *x)
{
    const T *value = (const T *)A->value + part->from;
    const int32_t *col = A->col + part->from, n = part->entries;
    T sum[4] = {0};
    int32_t k = 0;

    for (; k + 4 + GS_AHEAD <= n; k += 4) {
        for (int m = 0; m < 4; m++) __builtin_prefetch(&x[col[k + m + GS_AHEAD]]);
        for (int m = 0; m < 4; m++) sum[m] += value[k + m] * x[col[k + m]];
    }
    for (; k < n; k++) sum[k % 4] += value[k] * x[col[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void FN(long_rows)(gs_queue *q, const gs_sliced *s, double alpha, const T *x, double beta,
                          T *y)
{
    T *sum = s->sum;

#pragma omp parallel for schedule(static) num_threads(gs_queue_threads(q))
    for (int32_t p = 0; p < s->parts; p++) sum[p] = FN(part_sum)(&s->csr, &s->part[p], x);
    for (int32_t p = 0; p < s->parts; p += s->part[p].parts) {
        const int32_t i = s->part[p].row;
        T total = 0;
        for (int32_t k = 0; k < s->part[p].parts; k++) total += sum[p + k];
        y[i] = beta == 0 ? (T)alpha * total : (T)alpha * total + (T)beta * y[i];
    }
}

static gsolve_status FN(apply)(gs_queue *q, const gs_sliced *s, double alpha, const void *x,
                               double beta, void *y, const gs_product_sums *dots)
{
    const gs_vector_kernels *vector = &gs_vector_host[s->csr.type];
    const bool column_blocks = s->column_blocks.count > 0;
    const gs_product_sums *fused = s->nlong == 0 && !column_blocks ? dots : NULL;
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
    if (s->nlong > 0) FN(long_rows)(q, s, alpha, x, beta, y);
    if (!fused) return dots ? gs_sum_product(vector, q, n, y, dots) : GSOLVE_OK;
    *fused->wy = gs_sum(s->tasks, s->dot);
    if (fused->yy) *fused->yy = gs_sum(s->tasks, s->dot + s->tasks);
    return GSOLVE_OK;
}
