/* copy.c: copies on the host, on the device and between them.
 *
 * A large copy between the host and the device is staged. A GPU cannot read ordinary (pageable)
 * memory; the driver's single thread would copy it piece by piece to page-locked memory. Here all
 * threads fill one page-locked buffer while the GPU reads the other, and the reverse for downloads.
 * These buffers are called pages. */
#include "core/context.h"

/* To allocate the pages takes about as long as they save on a copy of ALLOCATING_BYTES. Once the
 * pages exist, all copies of at least STAGED_BYTES use them. */
#define STAGED_BYTES     ((size_t)4 << 20)
#define ALLOCATING_BYTES ((size_t)64 << 20)

static bool has_pages(gsolve_context *ctx, bool make)
{
    for (int slot = 0; slot < GS_PAGES; slot++) {
        if (!ctx->device->page(ctx->queue, slot, make)) return false;
    }
    return true;
}

/* Bytes of part k of a copy: one page, or what is left. */
static size_t length_of(size_t bytes, size_t k)
{
    return bytes - k * GS_PAGE < GS_PAGE ? bytes - k * GS_PAGE : GS_PAGE;
}

/* Waits for the transfers of all pages, after a failure too: the next copy reuses the pages.
 * Returns the first failure. */
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
        status = device->sent(ctx->queue, slot); /* the previous transfer of this page */
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

/* Copies between the host and the device through the pages. *done: false, and nothing copied, if
 * the copy is too small, the host array is itself a page, or the device has no pages. */
static gsolve_status copy_staged(gsolve_context *ctx, void *to, gsolve_location to_location,
                                 const void *from, size_t bytes, bool *done)
{
    const gs_device *device = ctx->device;
    const void *host = to_location == GSOLVE_HOST ? to : from;

    *done = device->page && bytes >= STAGED_BYTES && !device->is_page(ctx->queue, host) &&
            has_pages(ctx, bytes >= ALLOCATING_BYTES);
    if (!*done) return GSOLVE_OK;
    return to_location == GSOLVE_HOST ? download(ctx, to, from, bytes)
                                      : upload(ctx, to, from, bytes);
}

gsolve_status gsolve_copy(gsolve_context *ctx, void *to, gsolve_location to_location,
                          const void *from, gsolve_location from_location, size_t bytes)
{
    gsolve_status status;
    bool done = false;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (bytes == 0) return GSOLVE_OK;
    if (!ctx->device->copy || (to_location == GSOLVE_HOST && from_location == GSOLVE_HOST)) {
        gs_copy_host(gsolve_threads(ctx), to, from, bytes);
        return GSOLVE_OK;
    }
    ctx->fetched += to_location == GSOLVE_HOST;
    if (to_location != from_location) {
        status = copy_staged(ctx, to, to_location, from, bytes, &done);
        if (done || status != GSOLVE_OK) return status;
    }
    return ctx->device->copy(ctx->queue, to, from, bytes);
}

gsolve_status gs_memory_synchronize(gsolve_context *ctx, gsolve_location location,
                                    const void *there)
{
    char first;

    if (location != GSOLVE_DEVICE || !there || !ctx->device->copy) return GSOLVE_OK;
    return ctx->device->copy(ctx->queue, &first, there, sizeof first);
}
