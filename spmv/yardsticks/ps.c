/* ps.c: the format ps, see ps.h. */
#include "spmv/yardsticks/ps.h"

#include "core/try.h"

static void destroy(void *self, gsolve_context *ctx)
{
    gs_ps *s = self;

    gsolve_free(ctx, gs_location(ctx), s->product);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options)
{
    gs_ps *s = NULL;
    gsolve_status status;

    (void)options;
    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = (gs_ps){.csr = *csr, .entries = entries};
    s->product = gsolve_alloc(ctx, gs_location(ctx), (size_t)s->entries, gs_type_size(csr->type));
    TRY(s->product ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return gs_ps_cuda[x.type].apply(ctx->queue, self, alpha, x.value, beta, y.value);
}

/* The product reads the values of csr. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    return GSOLVE_OK;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *options)
{
    (void)options;
    return (size_t)gs_start(csr, csr->nrows) * gs_type_size(csr->type);
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_ps *s = self;
    const size_t value = gs_type_size(s->csr.type);

    info->stored = s->entries;
    info->bytes = (size_t)gs_csr_bytes(&s->csr, s->entries);
    info->bytes += ((size_t)s->csr.ncols + (size_t)s->csr.nrows + 2 * (size_t)s->entries) * value;
}

const gsolve_format gs_ps_format = {
    .plugin = {"ps",
               "first the products of all entries, then the row sums (product-sum); for comparison",
               NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
