/* kinds.c: the list of built-in preconditioners, registration of a user's kinds, and the kind none.
 */
#include "core/try.h"
#include "precond/handle.h"
#include "vector/vector.h"

const gsolve_plugin *const gs_preconds[] = {
    &gs_none.plugin, &gs_jacobi.plugin,    &gs_block_jacobi.plugin, &gs_ilu.plugin, &gs_ic.plugin,
    &gs_isai.plugin, &gs_chebyshev.plugin, &gs_amg.plugin,          NULL,
};

const gsolve_plugin *gsolve_precond_at(const gsolve_context *ctx, int index)
{
    return gs_plugin_at(&ctx->preconds, gs_preconds, index);
}

gsolve_status gsolve_register_precond(gsolve_context *ctx, const gsolve_precond_kind *kind)
{
    gs_user_plugin copy = {.any = {0}};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (kind) TRY(gs_copy_plugin(ctx, &copy, sizeof *kind, kind, "preconditioner"));
    if (!kind || !copy.precond.build || !copy.precond.destroy || !copy.precond.apply) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "a preconditioner needs its build, destroy and apply functions");
    }
    TRY(gs_register(ctx, &ctx->preconds, gs_preconds, &copy, "preconditioner"));
done:
    return status;
}

const gs_precond_extension *gs_precond_extension_of(const gsolve_precond_kind *kind)
{
    static const gs_precond_extension none;

    return kind == &gs_amg         ? &gs_amg_extension
           : kind == &gs_jacobi    ? &gs_jacobi_extension
           : kind == &gs_chebyshev ? &gs_chebyshev_extension
                                   : &none;
}

/* --- none: z = r ------------------------------------------------------------------------------ */

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *options, void *user)
{
    (void)user, (void)options, (void)csr;
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

const gsolve_precond_kind gs_none = {
    .plugin = {"none", "no preconditioner", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_transpose = apply,
};
