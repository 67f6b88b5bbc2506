/* formats.c: the list of formats. */
#include "spmv/matrix.h"

const gsolve_plugin *const gs_formats[] = {
    &gs_csr_format.plugin,
    NULL,
};

const gsolve_plugin *gsolve_format_at(const gsolve_context *ctx, int index)
{
    return gs_plugin_at(&ctx->formats, gs_formats, index);
}

gsolve_status gsolve_register_format(gsolve_context *ctx, const gsolve_format *format)
{
    if (!format || !format->build || !format->destroy || !format->apply) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "a format needs its build, destroy and apply functions");
    }
    return gs_register(ctx, &ctx->formats, gs_formats, &format->plugin, "format");
}
