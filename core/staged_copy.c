/* staged_copy.c: large copies between the host and a device. Ordinary memory cannot be read by a
 * device on its own: the driver's one thread copies it piece by piece to where it can. Here all
 * threads do, into one page while the other travels; and they empty one while the next comes. */
#include "core/context.h"

/* Making the pages takes about as long as they save on a copy of MANY bytes; once there are pages,
 * they serve for all that are not FEW, which would not fill them. */
#define FEW  ((size_t)4 << 20)
#define MANY ((size_t)64 << 20)

static bool has_pages(gsolve_context *ctx, bool make)
{
    for (int slot = 0; slot < GS_PAGES; slot++) {
        if (!ctx->device->page(ctx->queue, slot, make)) return false;
    }
    return true;
}

/* The bytes of page k of a copy. */
static size_t length_of(size_t bytes, size_t k)
{
    return bytes - k * GS_PAGE < GS_PAGE ? bytes - k * GS_PAGE : GS_PAGE;
}

/* Also after a failure: nothing may be under way when the pages are used again. */
static gsolve_status wait_for_all(gsolve_context *ctx, gsolve_status status)
{
    for (int slot = 0; slot < GS_PAGES; slot++) {
        const gsolve_status ended = ctx->device->sent(ctx->queue, slot);
        if (status == GSOLVE_OK) status = ended;
    }
    return status;
}

static gsolve_status upload(gsolve_context *ctx, char *to, const char *from, size_t bytes)
{
    const gs_device *device = ctx->device;
    gsolve_status status = GSOLVE_OK;

    for (size_t k = 0; k * GS_PAGE < bytes && status == GSOLVE_OK; k++) {
        const int slot = (int)(k % GS_PAGES);
        const size_t at = k * GS_PAGE, length = length_of(bytes, k);
        void *page = device->page(ctx->queue, slot, false);
        status = device->sent(ctx->queue, slot); /* what was in it */
        if (status != GSOLVE_OK) break;
        gs_copy_host(gsolve_threads(ctx), page, from + at, length);
        status = device->send(ctx->queue, slot, to + at, page, length);
    }
    return wait_for_all(ctx, status);
}

static gsolve_status download(gsolve_context *ctx, char *to, const char *from, size_t bytes)
{
    const gs_device *device = ctx->device;
    const size_t pages = (bytes + GS_PAGE - 1) / GS_PAGE;
    gsolve_status status = GSOLVE_OK;

    for (size_t asked = 0, got = 0; got < pages && status == GSOLVE_OK;) {
        const bool ask = asked < pages && asked < got + GS_PAGES;
        const size_t k = ask ? asked++ : got++;
        const int slot = (int)(k % GS_PAGES);
        void *page = device->page(ctx->queue, slot, false);
        if (ask) {
            status = device->send(ctx->queue, slot, page, from + k * GS_PAGE, length_of(bytes, k));
        } else {
            status = device->sent(ctx->queue, slot);
            if (status != GSOLVE_OK) break;
            gs_copy_host(gsolve_threads(ctx), to + k * GS_PAGE, page, length_of(bytes, k));
        }
    }
    return wait_for_all(ctx, status);
}

gsolve_status gs_copy_staged(gsolve_context *ctx, void *to, gsolve_location to_place,
                             const void *from, size_t bytes, bool *done)
{
    const gs_device *device = ctx->device;
    const void *host = to_place == GSOLVE_HOST ? to : from;

    *done = device->page && bytes >= FEW && !device->is_page(ctx->queue, host) &&
            has_pages(ctx, bytes >= MANY);
    if (!*done) return GSOLVE_OK;
    return to_place == GSOLVE_HOST ? download(ctx, to, from, bytes) : upload(ctx, to, from, bytes);
}
