/* capacity.c: the free and the total memory of a device. */
#include "core/context.h"

gsolve_status gsolve_context_memory(gsolve_context *ctx, size_t *available, size_t *total)
{
    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!available || !total) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_context_memory: an argument is NULL");
    }
    if (!ctx->device->memory) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED, "the device %s has no memory of its own",
                           ctx->device->plugin.name);
    }
    size_t unused = 0, all = 0;
    const gsolve_status status = ctx->device->memory(ctx->queue, &unused, &all);
    if (status != GSOLVE_OK) return status;
    *available = ctx->device_bytes_left < unused ? ctx->device_bytes_left : unused;
    *total = all;
    return GSOLVE_OK;
}
