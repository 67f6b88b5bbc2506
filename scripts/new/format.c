/* @NAME@.c: the format @NAME@: build, apply, update, describe. See @NAME@.h. */
#include "spmv/@NAME@/@NAME@.h"

#include "core/try.h"
#include "spmv/handle.h"

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options)
{
    gs_ @NAME @ *m = NULL;
    gsolve_status status;

    (void)options;
    ALLOC(ctx, GSOLVE_HOST, m, 1);
    m->csr = *csr;
    *self = m;
done:
    return status;
}

static gsolve_status apply(const void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const gs_ @NAME @ *m = self;

    return gs_ @NAME @_host[m->csr.type].multiply(ctx->queue, m, alpha, x.value, beta, y.value);
}

/* New values in the same pattern. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)ctx;
    ((gs_ @NAME @ *)self)->csr = *csr;
    return GSOLVE_OK;
}

const gsolve_format gs_ @NAME @_format = {
    .plugin = {"@NAME@", "compressed rows, one after the other", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .update = update,
};
