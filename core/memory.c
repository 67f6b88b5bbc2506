/* memory.c: counted allocations. The context's table has a record for every block until it is
 * freed. The record is separate from the block, so blocks on the host and on a device are handled
 * in the same way. */
#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum kind { ON_HOST, ON_DEVICE, PINNED, MAPPED } kind;

struct gs_block {
    gs_block *next, *previous;
    void *data, *whole;     /* whole: what the caller's allocator returned for data, or NULL */
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
    if (block->kind == ON_DEVICE) ctx->device_bytes += block->bytes;
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
    if (block->kind == ON_DEVICE) ctx->device_bytes -= block->bytes;
}

/* --- the caller's allocator of host memory -----------------------------------------------------
 */

static void *allocate_small(const gsolve_context *ctx, size_t bytes)
{
    const gsolve_context_options *o = &ctx->caller;

    return o->allocate_host ? o->allocate_host(bytes, o->user) : malloc(bytes);
}

static void release_small(const gsolve_context *ctx, void *block, size_t bytes)
{
    const gsolve_context_options *o = &ctx->caller;

    if (!o->release_host) {
        free(block);
    } else if (block) {
        o->release_host(block, bytes, o->user);
    }
}

#define ALIGNED 64 /* of every block on the host */

/* Sets block->data to block->bytes bytes of the caller's allocator, or NULL. */
static void allocate_by_caller(const gsolve_context *ctx, gs_block *block)
{
    const size_t capacity = block->bytes + ALIGNED - 1;

    block->whole = capacity < block->bytes ? NULL : allocate_small(ctx, capacity);
    block->capacity = capacity;
    block->data = NULL;
    if (!block->whole) return;
    block->data = (char *)block->whole + (ALIGNED - (uintptr_t)block->whole % ALIGNED) % ALIGNED;
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
    release_small(ctx, block, sizeof *block);
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
    if (block->whole || block->capacity < LARGE || ctx->device->alloc) {
        if (block->whole) {
            release_small(ctx, block->whole, block->capacity);
        } else {
            free(block->data);
        }
        release_small(ctx, block, sizeof *block);
        return;
    }
    block->next = ctx->spare;
    ctx->spare = block;
    ctx->spare_bytes += block->capacity;
    limit_spare(ctx, ctx->most > ctx->bytes ? ctx->most - ctx->bytes : 0);
}

static void *stream_of(const gsolve_context *ctx)
{
    return ctx->device->stream ? ctx->device->stream(ctx->queue) : NULL;
}

static void release_on_device(gsolve_context *ctx, gs_block *block)
{
    const gsolve_context_options *o = &ctx->caller;
    GS_ENTER(ctx);

    if (o->release_device) {
        o->release_device(block->data, block->bytes, stream_of(ctx), o->user);
    } else {
        ctx->device->free(ctx->queue, block->data);
    }
}

static void release_pinned(gsolve_context *ctx, gs_block *block)
{
    GS_ENTER(ctx);
    ctx->device->host_free(ctx->queue, block->data);
}

static void release(gsolve_context *ctx, gs_block *block)
{
    remove_block(ctx, block);
    switch (block->kind) {
    case ON_HOST: spare(ctx, block); return;
    case ON_DEVICE: release_on_device(ctx, block); break;
    case PINNED: release_pinned(ctx, block); break;
    case MAPPED: munmap(block->data, block->bytes); break;
    }
    release_small(ctx, block, sizeof *block);
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
    gs_block *block = count_allocation(ctx) ? allocate_small(ctx, sizeof *block) : NULL;

    if (block) block->whole = NULL;
    return block;
}

/* Large blocks use huge pages if the system allows: one page fault per 2 MiB, not per 4 KiB. */
static void *allocate_aligned(size_t bytes, size_t *capacity)
{
    const size_t unit = bytes >= LARGE ? HUGE_PAGE : ALIGNED;
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
    const gsolve_context_options *o = &ctx->caller;
    GS_ENTER(ctx);

    if (o->allocate_device) return o->allocate_device(bytes, stream_of(ctx), o->user);
    return ctx->device->alloc(ctx->queue, bytes);
}

/* --- the limit ----------------------------------------------------------------------------------
 */

size_t gs_memory_used(const gsolve_context *ctx)
{
    return ctx->device->alloc ? ctx->device_bytes : ctx->bytes;
}

/* The bytes that the limit leaves; SIZE_MAX: there is no limit. */
static size_t bytes_left(const gsolve_context *ctx)
{
    const size_t used = gs_memory_used(ctx);

    if (ctx->most_bytes == SIZE_MAX) return SIZE_MAX;
    return used < ctx->most_bytes ? ctx->most_bytes - used : 0;
}

/* Whether the limit allows bytes more in the host's memory, or in the device's. */
static bool is_allowed(const gsolve_context *ctx, bool host, size_t bytes)
{
    return (host && ctx->device->alloc) || bytes <= bytes_left(ctx);
}

void gs_memory_limit(gsolve_context *ctx, size_t bytes)
{
    ctx->most_bytes = bytes == SIZE_MAX ? SIZE_MAX : gs_memory_used(ctx) + bytes;
}

size_t gs_memory_available(const gsolve_context *ctx)
{
    const size_t left = bytes_left(ctx);
    size_t unused = SIZE_MAX, total;

    if (ctx->device->memory && ctx->device->memory(ctx->queue, &unused, &total) != GSOLVE_OK) {
        unused = SIZE_MAX;
    }
    return unused < left ? unused : left;
}

/* Part of a sentence that names the limit, or "". */
static void name_limit(const gsolve_context *ctx, char text[96])
{
    text[0] = 0;
    if (ctx->most_bytes == SIZE_MAX) return;
    snprintf(text, 96, "; the context is limited to %zu bytes (option memory)", ctx->most_bytes);
}

gsolve_status gs_memory_need(gsolve_context *ctx, double bytes, const char *what)
{
    const size_t most = gs_memory_available(ctx);
    char limit[96];

    if (most == SIZE_MAX || bytes <= (double)most) return GSOLVE_OK;
    name_limit(ctx, limit);
    return gsolve_fail(ctx, GSOLVE_NO_MEMORY,
                       "out of memory: %s needs %.0f bytes (%.3g GB) on the device, where %zu "
                       "(%.3g GB) are free%s",
                       what, bytes, 1e-9 * bytes, most, 1e-9 * (double)most, limit);
}

static void fail_allocation(gsolve_context *ctx, bool host, size_t count, size_t size)
{
    const bool limited = !host || !ctx->device->alloc; /* the limit is for this memory */
    size_t most = SIZE_MAX, total;
    char unused[64] = "", limit[96] = "";

    /* a lost device has recorded its own error */
    if (!host && ctx->device->memory && ctx->device->memory(ctx->queue, &most, &total)) return;
    if (limited && bytes_left(ctx) < most) most = bytes_left(ctx);
    if (limited) name_limit(ctx, limit);
    if (most != SIZE_MAX) snprintf(unused, sizeof unused, "%zu bytes are free and ", most);
    gsolve_fail(
        ctx, GSOLVE_NO_MEMORY,
        "out of memory: cannot allocate %zu elements of %zu bytes on the %s; %s%zu bytes are "
        "in use%s",
        count, size, host ? "host" : "device", unused, ctx->bytes, limit);
}

static void *alloc_pinned(gsolve_context *ctx, size_t bytes)
{
    GS_ENTER(ctx);
    return ctx->device->host_alloc(ctx->queue, bytes);
}

static void allocate(gsolve_context *ctx, gs_block *block)
{
    if (block->kind == ON_DEVICE) {
        block->data = alloc_on_device(ctx, block->bytes);
    } else if (block->kind == PINNED) {
        block->data = alloc_pinned(ctx, block->bytes);
    } else if (ctx->caller.allocate_host) {
        allocate_by_caller(ctx, block);
    } else {
        block->data = alloc_on_host(ctx, block->bytes, &block->capacity);
    }
}

static void *alloc_counted(gsolve_context *ctx, kind where, size_t count, size_t size)
{
    const bool host = where != ON_DEVICE;
    const bool overflows = size && count > SIZE_MAX / size;
    const size_t bytes = count && size && !overflows ? count * size : 1;
    gs_block *block = overflows || !is_allowed(ctx, host, bytes) ? NULL : new_block(ctx);

    if (block) {
        block->bytes = bytes;
        block->kind = where;
        allocate(ctx, block);
        if (block->data) {
            add_block(ctx, block);
            return block->data;
        }
        release_small(ctx, block, sizeof *block);
    }
    fail_allocation(ctx, host, count, size);
    return NULL;
}

void *gsolve_alloc(gsolve_context *ctx, gsolve_location location, size_t count, size_t size)
{
    const bool host = location == GSOLVE_HOST || !ctx->device->alloc;

    return alloc_counted(ctx, host ? ON_HOST : ON_DEVICE, count, size);
}

void *gs_alloc_pinned(gsolve_context *ctx, size_t count, size_t size)
{
    return alloc_counted(ctx, ctx->device->host_alloc ? PINNED : ON_HOST, count, size);
}

void *gs_map_file(gsolve_context *ctx, int file, int64_t offset, size_t bytes)
{
    gs_block *block = is_allowed(ctx, true, bytes) ? new_block(ctx) : NULL;
    char limit[96];

    if (block) {
        block->bytes = bytes;
        block->kind = MAPPED;
        block->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, (off_t)offset);
        if (block->data != MAP_FAILED) {
            madvise(block->data, bytes, MADV_HUGEPAGE); /* if the system supports it for files */
            add_block(ctx, block);
            return block->data;
        }
        release_small(ctx, block, sizeof *block);
    }
    name_limit(ctx, limit);
    gsolve_fail(ctx, GSOLVE_NO_MEMORY, "cannot map %zu bytes of a file into memory%s", bytes,
                ctx->device->alloc ? "" : limit);
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
    ctx->most_bytes = SIZE_MAX;
    ctx->live = allocate_small(ctx, BUCKETS * sizeof *ctx->live);
    if (!ctx->live) return GSOLVE_NO_MEMORY;
    memset(ctx->live, 0, BUCKETS * sizeof *ctx->live);
    return GSOLVE_OK;
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
    GS_ENTER(ctx);

    for (gs_block *handle; (handle = oldest_handle(ctx));) handle->destroy(handle->data);
    for (int k = 0; ctx->live && k < BUCKETS; k++) {
        while (ctx->live[k]) release(ctx, ctx->live[k]);
    }
    limit_spare(ctx, 0);
    release_small(ctx, ctx->live, BUCKETS * sizeof *ctx->live);
}

void gs_memory_trim(gsolve_context *ctx)
{
    limit_spare(ctx, 0);
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
