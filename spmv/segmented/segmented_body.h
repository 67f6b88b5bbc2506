/* segmented_body.h: the product on the CPU for one value type T. */

#include "spmv/row_sum.h"

/* The sum of row i: the sums of its segments, added in their order. */
static inline T FN(sum_segments)(const gs_row_segments *s, int32_t i, const T *x)
{
    const int64_t end = gs_start(&s->csr, i + 1);
    T sum = 0;

    for (int64_t k = gs_start(&s->csr, i), to; k < end; k = to) {
        to = end - k < s->length ? end : k + s->length;
        sum += FN(sum_by)(s->how, to - k, (const T *)s->csr.value + k, s->csr.col + k, x,
                          gs_ahead(to, s->entries));
    }
    return sum;
}

static gsolve_status FN(apply)(const gs_row_segments *s, gsolve_context *ctx, double alpha,
                               gsolve_dense x, double beta, gsolve_dense y)
{
    const int threads = gs_queue_threads(ctx->queue);

#pragma omp parallel for schedule(dynamic, ROWS) num_threads(threads) if (y.nrows > ROWS)
    for (int32_t i = 0; i < y.nrows; i++) {
        FN(finish_row)(alpha, FN(sum_segments)(s, i, x.value), beta, (T *)y.value + i);
    }
    return GSOLVE_OK;
}
