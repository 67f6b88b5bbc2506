/* none.c: no preconditioner: z = r. */
#include "precond/handle.h"
#include "vector/vector.h"

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options)
{
    (void)options, (void)csr;
    *self = gsolve_alloc(ctx, GSOLVE_HOST, 1, 1); /* a handle must not be NULL */
    return *self ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, r.type);
    gsolve_status status = GSOLVE_OK;

    (void)self;
    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c++) {
        status = vector->copy(ctx->queue, r.nrows, r.type, gs_column_of(r, c).value,
                              gs_column_of(z, c).value);
    }
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    return GSOLVE_OK;
}

const gsolve_precond_kind gs_none = {
    .plugin = {"none", "no preconditioner", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
    .update = update,
};
