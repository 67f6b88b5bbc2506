/* triples.c: what the formats by coordinates share on every device, see triples.h. */
#include "spmv/yardsticks/triples.h"

#include <string.h>

#include "core/try.h"
#include "spmv/handle.h"
#include "vector/vector.h"

static const gs_triples_kernels *kernels_of(const gs_triples *t, const gsolve_context *ctx)
{
    return GS_KERNELS(gs_triples, ctx, t->csr.type);
}

void gs_triples_drop(gs_triples *t, gsolve_context *ctx)
{
    gsolve_free(ctx, gs_location(ctx), t->row);
    if (t->skip > 0) {
        gsolve_free(ctx, gs_location(ctx), t->col);
        gsolve_free(ctx, gs_location(ctx), t->value);
    }
    if (t->form) gs_csr_format.destroy(t->form, ctx);
    gsolve_free(ctx, gs_location(ctx), t->nonempty.start);
    gsolve_free(ctx, gs_location(ctx), t->sum);
    gsolve_free(ctx, gs_location(ctx), t->head);
    gsolve_free(ctx, gs_location(ctx), t->tail);
    memset(t, 0, sizeof *t);
}

/* Without skipped entries, the columns and values are those of csr. */
static void point_to_csr(gs_triples *t, const gsolve_csr *csr)
{
    t->csr = *csr;
    if (t->skip > 0) return;
    t->col = csr->col;
    t->value = csr->value;
}

gsolve_status gs_triples_make(gs_triples *t, gsolve_context *ctx, const gsolve_csr *csr,
                              int64_t entries, int64_t skip)
{
    const int64_t interval = GS_KERNELS(gs_triples, ctx, csr->type)->interval;
    const size_t size = gs_type_size(csr->type);
    gsolve_status status;

    memset(t, 0, sizeof *t);
    t->skip = skip;
    t->entries = entries; /* make counts the entries of nonempty rows if skip > 0 */
    point_to_csr(t, csr);
    TRY(kernels_of(t, ctx)->make(t, ctx));
    if (interval == 0) return GSOLVE_OK;
    t->intervals = (t->entries + interval - 1) / interval;
    t->head = gsolve_alloc(ctx, gs_location(ctx), (size_t)t->intervals, size);
    TRY(t->head ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    t->tail = gsolve_alloc(ctx, gs_location(ctx), (size_t)t->intervals, size);
    TRY(t->tail ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    return GSOLVE_OK;
done:
    gs_triples_drop(t, ctx);
    return status;
}

gsolve_status gs_triples_update(gs_triples *t, gsolve_context *ctx, const gsolve_csr *csr)
{
    point_to_csr(t, csr);
    return t->skip > 0 ? kernels_of(t, ctx)->refill(t, ctx) : GSOLVE_OK;
}

gsolve_status gs_triples_add(const gs_triples *t, gsolve_context *ctx, double alpha, gsolve_dense x,
                             gsolve_dense y)
{
    const gsolve_dense sum = {.nrows = t->nonempty.nrows,
                              .ncols = 1,
                              .stride = t->nonempty.nrows,
                              .value = t->sum,
                              .type = x.type,
                              .location = x.location};
    gsolve_status status;

    if (t->entries == 0) return GSOLVE_OK;
    if (t->form) TRY(gs_csr_format.apply(t->form, ctx, alpha, x, 0, sum));
    TRY(kernels_of(t, ctx)->add(ctx->queue, t, alpha, x.value, y.value));
done:
    return status;
}

gsolve_status gs_triples_apply(const gs_triples *t, gsolve_context *ctx, double alpha,
                               gsolve_dense x, double beta, gsolve_dense y)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, x.type);
    gsolve_status status;

    if (beta == 0) {
        TRY(vector->zero(ctx->queue, y.nrows, y.value));
    } else if (beta != 1) {
        TRY(vector->scale(ctx->queue, y.nrows, (gs_ratio){.sign = beta}, y.value));
    }
    TRY(gs_triples_add(t, ctx, alpha, x, y));
done:
    return status;
}

double gs_triples_bytes(const gsolve_csr *csr, double entries, bool copied)
{
    const double size = (double)gs_type_size(csr->type), index = sizeof(int32_t);
    return entries * (index + (copied ? size + index : 0) + 2 * size / GS_TRIPLES_CUDA);
}
