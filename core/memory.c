/* memory.c: counted allocations. Every block is on its context's list until it is freed; the
 * book-keeping of a block lies apart from it, so that blocks of any device are treated alike. */
#include "core/context.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum kind { ON_HOST, ON_DEVICE, MAPPED } kind;

struct gs_block {
    gs_block *next, *previous;
    void *data;
    size_t bytes;
    kind kind;
};

#define BUCKETS 64 /* of the table that finds a block by its address */

static gs_block **bucket_of(gsolve_context *ctx, const void *data)
{
    const uintptr_t address = (uintptr_t)data >> 6;
    return &ctx->live[(address ^ address >> 6 ^ address >> 12) % BUCKETS];
}

static void enlist(gsolve_context *ctx, gs_block *block)
{
    gs_block **bucket = bucket_of(ctx, block->data);
    block->next = *bucket;
    block->previous = NULL;
    if (*bucket) (*bucket)->previous = block;
    *bucket = block;
    ctx->blocks++;
    ctx->allocations++;
    ctx->bytes += block->bytes;
    if (ctx->bytes > ctx->peak) ctx->peak = ctx->bytes;
}

static void delist(gsolve_context *ctx, gs_block *block)
{
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        *bucket_of(ctx, block->data) = block->next;
    }
    if (block->next) block->next->previous = block->previous;
    ctx->blocks--;
    ctx->bytes -= block->bytes;
}

static void release(gsolve_context *ctx, gs_block *block)
{
    delist(ctx, block);
    switch (block->kind) {
    case ON_HOST: free(block->data); break;
    case ON_DEVICE: ctx->device->free(ctx->queue, block->data); break;
    case MAPPED: munmap(block->data, block->bytes); break;
    }
    free(block);
}

/* Takes one from what gsolve_context_grant allows. */
static bool granted(gsolve_context *ctx)
{
    if (ctx->granted == 0) return false;
    if (ctx->granted > 0) ctx->granted--;
    return true;
}

static gs_block *new_block(gsolve_context *ctx)
{
    return granted(ctx) ? malloc(sizeof(gs_block)) : NULL;
}

/* Large blocks in huge pages, where the system allows: a fault for each 2 MiB, not each 4 KiB. */
static void *alloc_on_host(size_t bytes)
{
    const size_t huge = (size_t)2 << 20, unit = bytes >= 2 * huge ? huge : 64;
    void *data =
        bytes > SIZE_MAX - unit ? NULL : aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (data && unit == huge) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
}

void *gsolve_alloc(gsolve_context *ctx, gsolve_place place, size_t count, size_t size)
{
    const bool host = place == GSOLVE_HOST || !ctx->device->alloc;
    const bool overflows = size && count > SIZE_MAX / size;
    const size_t bytes = count && size && !overflows ? count * size : 1;
    gs_block *block = overflows ? NULL : new_block(ctx);

    if (block) {
        block->bytes = bytes;
        block->kind = host ? ON_HOST : ON_DEVICE;
        block->data = host ? alloc_on_host(bytes) : ctx->device->alloc(ctx->queue, bytes);
        if (block->data) {
            enlist(ctx, block);
            return block->data;
        }
        free(block);
    }
    gsolve_fail(
        ctx, GSOLVE_NO_MEMORY,
        "out of memory: %zu elements of %zu bytes were asked for on the %s, where %zu bytes "
        "are held",
        count, size, host ? "host" : "device", ctx->bytes);
    return NULL;
}

void *gs_map_file(gsolve_context *ctx, int file, int64_t offset, size_t bytes)
{
    gs_block *block = new_block(ctx);

    if (block) {
        block->bytes = bytes;
        block->kind = MAPPED;
        block->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, (off_t)offset);
        if (block->data != MAP_FAILED) {
            madvise(block->data, bytes, MADV_HUGEPAGE); /* what is read in comes in large pages */
            enlist(ctx, block);
            return block->data;
        }
        free(block);
    }
    gsolve_fail(ctx, GSOLVE_NO_MEMORY, "cannot map %zu bytes of a file into memory", bytes);
    return NULL;
}

void gsolve_free(gsolve_context *ctx, gsolve_place place, void *data)
{
    (void)place;
    if (!data) return;
    for (gs_block *block = *bucket_of(ctx, data); block; block = block->next) {
        if (block->data == data) {
            release(ctx, block);
            return;
        }
    }
}

gsolve_status gs_memory_open(gsolve_context *ctx)
{
    ctx->granted = -1;
    ctx->live = calloc(BUCKETS, sizeof *ctx->live);
    return ctx->live ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

void gs_memory_close(gsolve_context *ctx)
{
    for (int k = 0; ctx->live && k < BUCKETS; k++) {
        while (ctx->live[k]) release(ctx, ctx->live[k]);
    }
    free(ctx->live);
}

void gsolve_context_grant(gsolve_context *ctx, int64_t count)
{
    ctx->granted = count < 0 ? -1 : count;
}

gsolve_status gsolve_copy(gsolve_context *ctx, void *to, gsolve_place to_place, const void *from,
                          gsolve_place from_place, size_t bytes)
{
    if (bytes == 0) return GSOLVE_OK;
    if (!ctx->device->copy || (to_place == GSOLVE_HOST && from_place == GSOLVE_HOST)) {
        gs_copy_host(gsolve_threads(ctx), to, from, bytes);
        return GSOLVE_OK;
    }
    ctx->fetched += to_place == GSOLVE_HOST;
    return ctx->device->copy(ctx->queue, to, from, bytes);
}
