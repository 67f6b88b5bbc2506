/* formats.c: the built-in formats of each device, and what only some of them can do. */
#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/sliced/sliced.h"

static const gsolve_plugin *const host[] = {
    &gs_csr_format.plugin,
    &gs_sell_format.plugin,
    &gs_ell_format.plugin,
    &gs_ellr_format.plugin,
    &gs_bce_format.plugin,
    &gs_bsr_format.plugin,
    &gs_coo_host_format.plugin,
    &gs_hyb_format.plugin,
    &gs_segmented_host_format.plugin,
    &gs_ps_host_format.plugin,
    &gs_csr_scalar_host_format.plugin,
    &gs_csr_vector_host_format.plugin,
    &gs_speculative_host_format.plugin,
    &gs_auto_format.plugin,
    NULL,
};
static const gsolve_plugin *const cuda[] = {
    &gs_csr_format.plugin,         &gs_sell_format.plugin,
    &gs_ell_format.plugin,         &gs_ellr_format.plugin,
    &gs_bce_format.plugin,         &gs_bsr_format.plugin,
    &gs_coo_format.plugin,         &gs_hyb_format.plugin,
    &gs_segmented_format.plugin,   &gs_ps_format.plugin,
    &gs_csr_scalar_format.plugin,  &gs_csr_vector_format.plugin,
    &gs_speculative_format.plugin, &gs_cusparse_format.plugin,
    &gs_auto_format.plugin,        NULL,
};

static const gs_format_extras extras[] = {{&gs_sell_format, gs_sliced_holds_all, gs_sliced_restore,
                                           gs_sliced_can_step, gs_sliced_apply_step}};

gsolve_status gs_update_nothing(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    return GSOLVE_OK;
}

const gs_format_extras *gs_format_extras_of(const gsolve_format *format)
{
    for (size_t k = 0; k < sizeof extras / sizeof *extras; k++) {
        if (extras[k].format == format) return &extras[k];
    }
    return NULL;
}

const gsolve_plugin *const *gs_formats(const gsolve_context *ctx)
{
    return gs_on_gpu(ctx) ? cuda : host;
}

const gsolve_plugin *gsolve_format_at(const gsolve_context *ctx, int index)
{
    return gs_plugin_at(&ctx->formats, gs_formats(ctx), index);
}

gsolve_status gsolve_register_format(gsolve_context *ctx, const gsolve_format *format)
{
    gs_user_plugin copy = {.any = {0}};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (format) TRY(gs_copy_plugin(ctx, &copy, sizeof *format, format, "format"));
    if (!format || !copy.format.build || !copy.format.destroy || !copy.format.apply) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                           "a format needs its build, destroy and apply functions");
    }
    TRY(gs_register(ctx, &ctx->formats, gs_formats(ctx), &copy, "format"));
done:
    return status;
}
