/* rowwise.c: the formats csr_scalar and csr_vector, see rowwise.h. */
#include "spmv/yardsticks/rowwise.h"

#include "core/try.h"

/* *self = the handle's rows. */
static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options)
{
    gsolve_csr *rows = NULL;
    gsolve_status status;

    (void)options, (void)entries;
    ALLOC(ctx, GSOLVE_HOST, rows, 1);
    *rows = *csr;
    *self = rows;
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply_scalar(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                  double beta, gsolve_dense y)
{
    const gs_rowwise_kernels *kernels = &gs_rowwise_cuda[x.type];
    return kernels->apply[GS_SCALAR](ctx->queue, self, alpha, x.value, beta, y.value);
}

static gsolve_status apply_vector(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                  double beta, gsolve_dense y)
{
    const gs_rowwise_kernels *kernels = &gs_rowwise_cuda[x.type];
    return kernels->apply[GS_VECTOR](ctx->queue, self, alpha, x.value, beta, y.value);
}

/* The product reads the values of csr. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    return GSOLVE_OK;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *options)
{
    (void)csr, (void)options;
    return sizeof *csr;
}

const gsolve_format gs_csr_scalar_format = {
    .plugin = {"csr_scalar", "compressed sparse rows, one thread per row; for comparison", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply_scalar,
    .update = update,
    .memory = estimate_memory,
};

const gsolve_format gs_csr_vector_format = {
    .plugin = {"csr_vector", "compressed sparse rows, one warp per row; for comparison", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply_vector,
    .update = update,
    .memory = estimate_memory,
};
