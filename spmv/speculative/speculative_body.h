/* speculative_body.h: the product on the CPU for one value type T. */

#include "spmv/row_sum.h"

/* The sum over entries `from` to `to` - 1, a row or a part of one. */
static inline T FN(part)(const gs_tiles *s, int64_t from, int64_t to, const T *x)
{
    return FN(sum_by)(s->how, to - from, (const T *)s->csr.value + from, s->csr.col + from, x,
                      gs_ahead(to, s->entries));
}

/* Writes the rows that begin and end in tile t, with the empty ones, and the tile's head and tail.
 */
static void FN(sum_tile)(const gs_tiles *s, int32_t t, double alpha, const T *x, double beta, T *y)
{
    const gsolve_csr *A = &s->csr;
    const int64_t end = end_of(s, t), opens = gs_start(A, s->first[t]);

    s->head[t] = FN(part)(s, (int64_t)t * GS_SPECULATIVE_TILE, opens < end ? opens : end, x);
    for (int32_t i = s->first[t]; i < s->first[t + 1]; i++) {
        const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
        if (to <= end) {
            FN(finish_row)(alpha, FN(part)(s, from, to, x), beta, &y[i]);
        } else {
            s->tail[t] = FN(part)(s, from, end, x);
        }
    }
}

/* Writes the rows that end in another tile than they begin: adds their parts in their order. */
static void FN(synchronize)(const gs_tiles *s, double alpha, double beta, T *y)
{
    for (int32_t t = 0; t < s->count; t++) {
        const int32_t i = s->first[t + 1] - 1;
        const int64_t to = i < s->first[t] ? 0 : gs_start(&s->csr, i + 1);
        if (to <= end_of(s, t)) continue;
        T sum = (T)s->tail[t];
        for (int32_t u = t + 1; (int64_t)u * GS_SPECULATIVE_TILE < to; u++) sum += (T)s->head[u];
        FN(finish_row)(alpha, sum, beta, &y[i]);
    }
}

static gsolve_status FN(apply)(const gs_tiles *s, gsolve_context *ctx, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y)
{
    const int threads = gs_queue_threads(ctx->queue);

#pragma omp parallel for schedule(static) num_threads(threads) if (s->count > 2)
    for (int32_t t = 0; t < s->count; t++) FN(sum_tile)(s, t, alpha, x.value, beta, y.value);
    FN(synchronize)(s, alpha, beta, y.value);
    return GSOLVE_OK;
}
