/* template_name.c: the format template_name: build, apply, update, describe. See template_name.h.
 */
#include "spmv/template_name/template_name.h"

#include "core/context.h"
#include "core/try.h"
#include "spmv/handle.h"

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    gs_template_name *m = NULL;
    gsolve_status status;

    (void)user, (void)options, (void)entries;
    ALLOC(ctx, GSOLVE_HOST, m, 1);
    m->csr = *csr;
    *self = m;
done:
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const gs_template_name *m = self;

    return GS_HOST_KERNELS(gs_template_name, ctx, m->csr.type)
        ->multiply(ctx->queue, m, alpha, x.value, beta, y.value);
}

/* New values in the same pattern. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)ctx;
    ((gs_template_name *)self)->csr = *csr;
    return GSOLVE_OK;
}

const gsolve_format gs_template_name_format = {
    .plugin = {"template_name", "FILL-IN: compressed rows, one after the other", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .update = update,
};
