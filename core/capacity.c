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
    const gsolve_status status = ctx->device->memory(ctx->queue, available, total);
    if (status == GSOLVE_OK && ctx->device_bytes_left < *available)
        *available = ctx->device_bytes_left;
    return status;
}
