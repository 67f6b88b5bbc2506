/* kinds.c: the list of built-in preconditioners, and registration of a user's kinds. */
#include "precond/handle.h"

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
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!kind || !kind->build || !kind->destroy || !kind->apply) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "a preconditioner needs its build, destroy and apply functions");
    }
    return gs_register(ctx, &ctx->preconds, gs_preconds, &kind->plugin, "preconditioner");
}

const gs_precond_extension *gs_precond_extension_of(const gsolve_precond_kind *kind)
{
    static const gs_precond_extension none;

    return kind == &gs_amg ? &gs_amg_extension : &none;
}
