/* context.h: what a context holds, and the services that the library's own parts share. */
#ifndef GS_CORE_CONTEXT_H
#define GS_CORE_CONTEXT_H

#include "core/device.h"

#define GS_MAX_USER_PLUGINS 32

typedef struct gs_block gs_block; /* a live allocation, see memory.c */

typedef struct gs_registry { /* plug-ins of one kind that the user added */
    const gsolve_plugin *plugin[GS_MAX_USER_PLUGINS];
    int count;
} gs_registry;

struct gsolve_context {
    const gs_device *device;
    gs_queue *queue;
    gs_block **live; /* all live blocks, by address */
    size_t bytes, peak;
    int64_t blocks, allocations;
    int64_t allocations_left; /* negative: no limit */
    int64_t fetched;          /* copies from the device to the host so far */
    gs_registry formats, preconds;
    int64_t handles;       /* matrices and preconditioners that live */
    char description[256]; /* of the device */
    char error[1024];
    size_t room;                    /* bytes that the device may still grant, see gs_memory_limit */
    struct gs_replacement *writing; /* io/replace.c: the file that is being written, or NULL */
    int abandoned;                  /* io/replace.c: by gsolve_abandon_files */
    gs_block *spare;                /* large blocks of the host that wait to be used again */
    size_t spare_bytes, most;       /* most: bytes held at once so far, whatever peak is set to */
};

/* Adds plugin to the registry; builtin ends with NULL. */
gsolve_status gs_register(gsolve_context *ctx, gs_registry *registry,
                          const gsolve_plugin *const *builtin, const gsolve_plugin *plugin,
                          const char *what);

/* The index-th of builtin followed by the registry's (which may be NULL), or NULL. */
const gsolve_plugin *gs_plugin_at(const gs_registry *registry, const gsolve_plugin *const *builtin,
                                  int index);

/* Finds the plug-in that spec names and parses spec's options into *options (allocated on the
 * host, to be released with gsolve_free). what: "format", for the error sentence. */
gsolve_status gs_plugin_parse(gsolve_context *ctx, const gs_registry *registry,
                              const gsolve_plugin *const *builtin, const char *what,
                              const char *spec, const gsolve_plugin **plugin, void **options);

/* Parses the keys of spec after its name into options, first set to their initial values. */
gsolve_status gs_spec_options(gsolve_context *ctx, const gsolve_plugin *plugin, const char *spec,
                              void *options);

/* Whether spec's name (up to the first comma) is name. */
bool gs_spec_is(const char *spec, const char *name);

/* The table of live blocks: made empty; freed with all that is left in it. */
gsolve_status gs_memory_open(gsolve_context *ctx);
void gs_memory_close(gsolve_context *ctx);

/* From here on ctx takes at most so many bytes more of its device's memory, as if no others were
 * free; what it frees it may take again. SIZE_MAX: no limit. So tests meet a full device without
 * taking the memory from others. */
void gs_memory_limit(gsolve_context *ctx, size_t bytes);

/* Bytes that ctx's device could still grant; SIZE_MAX: nobody knows. */
size_t gs_memory_available(const gsolve_context *ctx);

/* GSOLVE_NO_MEMORY, with a sentence, if what ("the matrix in csr") needs more bytes on ctx's device
 * than can be had there, so that it is refused before any work. Where nobody knows how many those
 * are, as on the CPU, it is not refused. */
gsolve_status gs_memory_need(gsolve_context *ctx, double bytes, const char *what);

/* Until ctx's device has done what it was asked, if what lies there, in its place, is on it: a byte
 * or more, or NULL. */
gsolve_status gs_memory_synchronize(gsolve_context *ctx, gsolve_location location,
                                    const void *there);

/* Whether something of ctx lies in a device's own memory. */
bool gs_memory_on_device(const gsolve_context *ctx);

/* Returns the block of ctx at this address as gsolve_alloc returned it, for writing; NULL if ctx owns
 * no such block. */
void *gs_owned_block(const gsolve_context *ctx, const void *block);

/* handle, a block of ctx, has more to release than blocks of ctx: if it is left when the context is
 * destroyed, destroy(handle) is called, which must free the block. The oldest handle goes first:
 * what a handle owns was made after it, and is gone when its turn comes. */
void gs_own(gsolve_context *ctx, void *handle, void (*destroy)(void *handle));

/* A file's bytes [offset, offset + bytes) as a block that gsolve_free releases, or NULL.
 * Private to the process: writing to it does not change the file. */
void *gs_map_file(gsolve_context *ctx, int file, int64_t offset, size_t bytes);

/* From here on a child of fork is told from its parent, see gs_usable_threads. */
void gs_detect_fork(void);

/* Whether ctx's kernels run on a GPU: in warps of 32 threads, and after the call that launches them
 * has returned. */
static inline bool gs_on_gpu(const gsolve_context *ctx)
{
    return ctx->device == &gs_device_cuda;
}

/* Seconds from some fixed point, monotonic. */
double gs_now(void);

/* What the host is about from here to the matching gs_range_pop, for the device's own tools. */
static inline void gs_range_push(const gsolve_context *ctx, const char *name)
{
    if (ctx->device->range_push) ctx->device->range_push(name);
}

static inline void gs_range_pop(const gsolve_context *ctx)
{
    if (ctx->device->range_pop) ctx->device->range_pop();
}

#endif
