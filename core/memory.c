/* memory.c: counted allocations. The context's table has a record for every block until it is
 * freed. The record is separate from the block, so blocks on the host and on a device are handled
 * in the same way. */
#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum kind { ON_HOST, ON_DEVICE, MAPPED } kind;

struct gs_block {
    gs_block *next, *previous;
    void *data;
    size_t bytes, capacity; /* capacity: allocated bytes of a block on the host */
    kind kind;
    int64_t number;          /* of its allocation */
    void (*destroy)(void *); /* of a handle, see gs_own, or NULL */
};

#define BUCKETS 64 /* of the hash table of blocks by address */

static gs_block **bucket_of(const gsolve_context *ctx, const void *data)
{
    const uintptr_t address = (uintptr_t)data >> 6;
    return &ctx->live[(address ^ address >> 6 ^ address >> 12) % BUCKETS];
}

static void add_block(gsolve_context *ctx, gs_block *block)
{
    gs_block **bucket = bucket_of(ctx, block->data);
    block->next = *bucket;
    block->previous = NULL;
    if (*bucket) (*bucket)->previous = block;
    *bucket = block;
    block->destroy = NULL;
    block->number = ctx->allocations++;
    ctx->blocks++;
    ctx->bytes += block->bytes;
    if (ctx->bytes > ctx->peak) ctx->peak = ctx->bytes;
    if (ctx->bytes > ctx->most) ctx->most = ctx->bytes;
}

static void remove_block(gsolve_context *ctx, gs_block *block)
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

/* --- reuse of large blocks ----------------------------------------------------------------------
 *
 * The operating system clears every page of a new large block, which takes longer than many kernels
 * that fill it. On the CPU, freed large blocks are therefore kept for reuse, as long as the total
 * does not exceed the largest number of bytes that were in use at some time. */

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE     (2 * HUGE_PAGE)

static void drop_spare(gsolve_context *ctx, gs_block **at)
{
    gs_block *block = *at;

    *at = block->next;
    ctx->spare_bytes -= block->capacity;
    free(block->data);
    free(block);
}

/* Frees the oldest spare blocks until at most most bytes are left. */
static void limit_spare(gsolve_context *ctx, size_t most)
{
    while (ctx->spare_bytes > most) {
        gs_block **last = &ctx->spare;
        while ((*last)->next) last = &(*last)->next;
        drop_spare(ctx, last);
    }
}

/* Returns the smallest spare block of at least bytes and at most 1.5 bytes, or NULL. */
static void *take_spare(gsolve_context *ctx, size_t bytes, size_t *capacity)
{
    gs_block **best = NULL;
    void *data;

    for (gs_block **at = &ctx->spare; *at; at = &(*at)->next) {
        const bool fits = (*at)->capacity >= bytes && (*at)->capacity - bytes <= bytes / 2;
        if (fits && (!best || (*at)->capacity < (*best)->capacity)) best = at;
    }
    if (!best) return NULL;
    *capacity = (*best)->capacity;
    data = (*best)->data;
    (*best)->data = NULL;
    drop_spare(ctx, best);
    return data;
}

/* Keeps the memory of a freed block for reuse, or frees it. */
static void spare(gsolve_context *ctx, gs_block *block)
{
    if (block->capacity < LARGE || ctx->device->alloc) {
        free(block->data);
        free(block);
        return;
    }
    block->next = ctx->spare;
    ctx->spare = block;
    ctx->spare_bytes += block->capacity;
    limit_spare(ctx, ctx->most > ctx->bytes ? ctx->most - ctx->bytes : 0);
}

static void release(gsolve_context *ctx, gs_block *block)
{
    remove_block(ctx, block);
    switch (block->kind) {
    case ON_HOST: spare(ctx, block); return;
    case ON_DEVICE:
        ctx->device->free(ctx->queue, block->data);
        if (ctx->device_bytes_left != SIZE_MAX) ctx->device_bytes_left += block->bytes;
        break;
    case MAPPED: munmap(block->data, block->bytes); break;
    }
    free(block);
}

/* Counts an allocation. Returns whether gsolve_context_limit_allocations allows it. */
static bool count_allocation(gsolve_context *ctx)
{
    if (ctx->allocations_left == 0) return false;
    if (ctx->allocations_left > 0) ctx->allocations_left--;
    return true;
}

static gs_block *new_block(gsolve_context *ctx)
{
    return count_allocation(ctx) ? malloc(sizeof(gs_block)) : NULL;
}

/* Large blocks use huge pages if the system allows: one page fault per 2 MiB, not per 4 KiB. */
static void *allocate_aligned(size_t bytes, size_t *capacity)
{
    const size_t unit = bytes >= LARGE ? HUGE_PAGE : 64;
    void *data;

    if (bytes > SIZE_MAX - unit) return NULL;
    *capacity = (bytes + unit - 1) / unit * unit;
    data = aligned_alloc(unit, *capacity);
    if (data && unit == HUGE_PAGE) madvise(data, bytes, MADV_HUGEPAGE);
    return data;
}

static void *alloc_on_host(gsolve_context *ctx, size_t bytes, size_t *capacity)
{
    void *data = bytes >= LARGE ? take_spare(ctx, bytes, capacity) : NULL;
    const size_t held = ctx->bytes + bytes; /* after the allocation */

    if (data) return data;
    if (bytes >= LARGE) limit_spare(ctx, ctx->most > held ? ctx->most - held : 0);
    data = allocate_aligned(bytes, capacity);
    if (data || !ctx->spare) return data;
    limit_spare(ctx, 0);
    return allocate_aligned(bytes, capacity);
}

static void *alloc_on_device(gsolve_context *ctx, size_t bytes)
{
    void *data = bytes <= ctx->device_bytes_left ? ctx->device->alloc(ctx->queue, bytes) : NULL;

    if (data && ctx->device_bytes_left != SIZE_MAX) ctx->device_bytes_left -= bytes;
    return data;
}

void gs_memory_limit(gsolve_context *ctx, size_t bytes)
{
    ctx->device_bytes_left = bytes;
}

size_t gs_memory_available(const gsolve_context *ctx)
{
    size_t unused = SIZE_MAX, total;

    if (ctx->device->memory && ctx->device->memory(ctx->queue, &unused, &total) != GSOLVE_OK) {
        unused = SIZE_MAX;
    }
    return unused < ctx->device_bytes_left ? unused : ctx->device_bytes_left;
}

gsolve_status gs_memory_need(gsolve_context *ctx, double bytes, const char *what)
{
    const size_t most = gs_memory_available(ctx);

    if (most == SIZE_MAX || bytes <= (double)most) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_NO_MEMORY,
                       "out of memory: %s needs %.0f bytes (%.3g GB) on the device, where %zu "
                       "(%.3g GB) are free",
                       what, bytes, 1e-9 * bytes, most, 1e-9 * (double)most);
}

static void fail_allocation(gsolve_context *ctx, bool host, size_t count, size_t size)
{
    size_t most = SIZE_MAX, total;
    char unused[64] = "";

    /* a lost device has recorded its own error */
    if (!host && ctx->device->memory && ctx->device->memory(ctx->queue, &most, &total)) return;
    if (!host && ctx->device_bytes_left < most) most = ctx->device_bytes_left;
    if (most != SIZE_MAX) snprintf(unused, sizeof unused, "%zu bytes are free and ", most);
    gsolve_fail(
        ctx, GSOLVE_NO_MEMORY,
        "out of memory: cannot allocate %zu elements of %zu bytes on the %s; %s%zu bytes are "
        "in use",
        count, size, host ? "host" : "device", unused, ctx->bytes);
}

void *gsolve_alloc(gsolve_context *ctx, gsolve_location location, size_t count, size_t size)
{
    const bool host = location == GSOLVE_HOST || !ctx->device->alloc;
    const bool overflows = size && count > SIZE_MAX / size;
    const size_t bytes = count && size && !overflows ? count * size : 1;
    gs_block *block = overflows ? NULL : new_block(ctx);

    if (block) {
        block->bytes = bytes;
        block->kind = host ? ON_HOST : ON_DEVICE;
        block->data =
            host ? alloc_on_host(ctx, bytes, &block->capacity) : alloc_on_device(ctx, bytes);
        if (block->data) {
            add_block(ctx, block);
            return block->data;
        }
        free(block);
    }
    fail_allocation(ctx, host, count, size);
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
            madvise(block->data, bytes, MADV_HUGEPAGE); /* if the system supports it for files */
            add_block(ctx, block);
            return block->data;
        }
        free(block);
    }
    gsolve_fail(ctx, GSOLVE_NO_MEMORY, "cannot map %zu bytes of a file into memory", bytes);
    return NULL;
}

static gs_block *block_of(const gsolve_context *ctx, const void *data)
{
    gs_block *block = *bucket_of(ctx, data);

    while (block && block->data != data) block = block->next;
    return block;
}

void gsolve_free(gsolve_context *ctx, gsolve_location location, const void *data)
{
    gs_block *block = data ? block_of(ctx, data) : NULL;

    (void)location;
    if (block) release(ctx, block);
}

void *gs_owned_block(const gsolve_context *ctx, const void *data)
{
    const gs_block *block = data ? block_of(ctx, data) : NULL;

    return block ? block->data : NULL;
}

void gs_own(gsolve_context *ctx, void *handle, void (*destroy)(void *handle))
{
    block_of(ctx, handle)->destroy = destroy;
}

gsolve_status gs_memory_open(gsolve_context *ctx)
{
    ctx->allocations_left = -1;
    ctx->device_bytes_left = SIZE_MAX;
    ctx->live = calloc(BUCKETS, sizeof *ctx->live);
    return ctx->live ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

/* The oldest handle that is left, or NULL. */
static gs_block *oldest_handle(const gsolve_context *ctx)
{
    gs_block *oldest = NULL;

    for (int k = 0; ctx->live && k < BUCKETS; k++) {
        for (gs_block *block = ctx->live[k]; block; block = block->next) {
            if (block->destroy && (!oldest || block->number < oldest->number)) oldest = block;
        }
    }
    return oldest;
}

void gs_memory_close(gsolve_context *ctx)
{
    for (gs_block *handle; (handle = oldest_handle(ctx));) handle->destroy(handle->data);
    for (int k = 0; ctx->live && k < BUCKETS; k++) {
        while (ctx->live[k]) release(ctx, ctx->live[k]);
    }
    limit_spare(ctx, 0);
    free(ctx->live);
}

bool gs_memory_on_device(const gsolve_context *ctx)
{
    for (int k = 0; k < BUCKETS; k++) {
        for (const gs_block *block = ctx->live[k]; block; block = block->next) {
            if (block->kind == ON_DEVICE) return true;
        }
    }
    return false;
}

void gsolve_context_limit_allocations(gsolve_context *ctx, int64_t count)
{
    ctx->allocations_left = count < 0 ? -1 : count;
}
