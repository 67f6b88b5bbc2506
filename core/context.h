/* context.h: the members of a context, and the services that all parts of the library use. */
#ifndef GS_CORE_CONTEXT_H
#define GS_CORE_CONTEXT_H

#include <time.h>

#include "core/device.h"

#define GS_MAX_USER_PLUGINS 32

typedef struct gs_block gs_block; /* a live allocation, see memory.c */

typedef struct gs_trace gs_trace; /* see trace.h */

typedef union gs_user_plugin { /* the copy of a plug-in that the user added */
    struct {
        size_t size;
        gsolve_plugin plugin;
    } any; /* how each of the others begins */
    gsolve_format format;
    gsolve_precond_kind precond;
} gs_user_plugin;

typedef struct gs_registry { /* plug-ins of one kind that the user added */
    gs_user_plugin plugin[GS_MAX_USER_PLUGINS];
    int count;
} gs_registry;

typedef struct gs_interrupt {    /* see interrupt.h */
    int asked, expired;          /* atomic; by the caller; by the time limit */
    gsolve_interrupt_test *test; /* may be NULL */
    void *user;
    double next;           /* the time of the next call of the test */
    double limit, seconds; /* the time at which calls stop, 0: none; as the caller gave it */
} gs_interrupt;

struct gsolve_context {
    const gs_device *device;
    gs_queue *queue;
    int cpu_level;   /* of the kernels on the CPU, see GS_HOST_KERNELS */
    gs_block **live; /* all live blocks, by address */
    size_t bytes, peak;
    int64_t blocks, allocations;
    int64_t allocations_left; /* negative: no limit */
    int64_t fetched;          /* copies from the device to the host so far */
    gs_registry formats, preconds;
    int64_t handles;       /* number of matrices and preconditioners */
    int64_t assemblies;    /* number of assemblies that were created */
    char description[256]; /* of the device */
    char error[1024];
    size_t device_bytes;           /* of bytes, those in the memory of a device apart */
    size_t most_bytes;             /* in the device's memory, see gs_memory_used; SIZE_MAX: any */
    int depth;                     /* of nested public calls, see GS_ENTER */
    gsolve_context_options caller; /* the caller's allocators */
    gsolve_log *log;               /* may be NULL */
    void *log_user;
    gsolve_stage_monitor *stage_monitor; /* may be NULL */
    void *stage_user;
    struct gs_comm *comm; /* the ranks that share distributed matrices, dist/comm.h; or NULL */
    int rank, ranks;      /* with comm */
    char transport[16];
    gsolve_status agreed; /* the last failure, if all ranks know it; else GSOLVE_OK */
    int64_t first_row;    /* of the rows that are being set up, in the matrix of all ranks */
    gs_interrupt interrupt;
    gs_trace *trace;                /* see trace.h; NULL: $GSOLVE_TRACE is not set */
    struct gs_replacement *writing; /* core/replace.c: the file in progress, or NULL */
    int abandoned;                  /* core/replace.c: set by gsolve_abandon_files */
    gs_block *spare;                /* freed large blocks of the host, for reuse */
    size_t spare_bytes, most;       /* most: as peak, but never reset */
};

/* *copy = the user's struct at `given`, of which the library knows `known` bytes. Members that the
 * struct does not have are 0. Fails if it has others that are not 0. */
gsolve_status gs_copy_plugin(gsolve_context *ctx, gs_user_plugin *copy, size_t known,
                             const void *given, const char *what);

/* Adds plugin to the registry. builtin ends with NULL. what: "format", for the error sentence. */
gsolve_status gs_register(gsolve_context *ctx, gs_registry *registry,
                          const gsolve_plugin *const *builtin, const gs_user_plugin *plugin,
                          const char *what);

/* The format, or the kind of preconditioner, that has this member. */
static inline const gsolve_format *gs_format_of(const gsolve_plugin *plugin)
{
    const char *at = (const char *)plugin - offsetof(gsolve_format, plugin);

    return (const gsolve_format *)(const void *)at;
}

static inline const gsolve_precond_kind *gs_precond_kind_of(const gsolve_plugin *plugin)
{
    const char *at = (const char *)plugin - offsetof(gsolve_precond_kind, plugin);

    return (const gsolve_precond_kind *)(const void *)at;
}

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

/* Parses pairs, "key=value,...", into options; the other members keep their values. */
gsolve_status gs_spec_pairs(gsolve_context *ctx, const gsolve_plugin *plugin, const char *pairs,
                            void *options);

/* Whether spec's name (up to the first comma) is name, in any case and between blanks. */
bool gs_spec_is(const char *spec, const char *name);

/* Creates the table of live blocks; frees it and all blocks in it. */
gsolve_status gs_memory_open(gsolve_context *ctx);
void gs_memory_close(gsolve_context *ctx);

/* The bytes that ctx has allocated where its kernels read them: on the device, or on the host if
 * the device computes in the host's memory. */
size_t gs_memory_used(const gsolve_context *ctx);

/* Limits the memory that ctx allocates on its device from now on; freed bytes count as available
 * again. SIZE_MAX: no limit. Tests use it to simulate a full device. */
void gs_memory_limit(gsolve_context *ctx, size_t bytes);

/* Returns the free bytes of ctx's device, at most what the option memory leaves; SIZE_MAX if
 * unknown. */
size_t gs_memory_available(const gsolve_context *ctx);

/* Fails with GSOLVE_NO_MEMORY if bytes exceeds the free memory of ctx's device. The sentence names
 * what needs them, such as "the matrix in csr". Call it before any work. If the free memory is
 * unknown, as on the CPU, it succeeds. */
gsolve_status gs_memory_need(gsolve_context *ctx, double bytes, const char *what);

/* Frees the blocks of the host that are kept for reuse. */
void gs_memory_trim(gsolve_context *ctx);

/* Waits until ctx's device has completed all submitted work, if the array there is on the device.
 * The array has at least one byte; NULL: nothing happens. */
gsolve_status gs_memory_synchronize(gsolve_context *ctx, gsolve_location location,
                                    const void *there);

/* Whether ctx has allocated memory on a device. */
bool gs_memory_on_device(const gsolve_context *ctx);

/* Returns the block of ctx at this address as gsolve_alloc returned it, for writing; NULL if ctx
 * owns no such block. */
void *gs_owned_block(const gsolve_context *ctx, const void *block);

/* Allocates `count` elements of `size` bytes on the host that kernels of ctx's device read and
 * write, too: page-locked memory for a GPU, else as gsolve_alloc on the host. gsolve_free waits for
 * the work of the device. */
void *gs_alloc_pinned(gsolve_context *ctx, size_t count, size_t size);

/* Registers a destructor for handle, a block of ctx. gsolve_context_destroy calls destroy(handle)
 * for each handle that is left, the oldest first; destroy must free the block. A handle is older
 * than the handles that it owns and destroys them, so they are not destroyed twice. */
void gs_own(gsolve_context *ctx, void *handle, void (*destroy)(void *handle));

/* Maps the bytes [offset, offset + bytes) of a file into memory. Returns a block that gsolve_free
 * releases, or NULL. Writing to it does not change the file. */
void *gs_map_file(gsolve_context *ctx, int file, int64_t offset, size_t bytes);

/* Counts the contexts of this process that are opening a GPU at the moment; change: 1 or -1. */
void gs_count_gpu_starts(int change);

/* The number of threads for reading memory or files: gsolve_threads(ctx), but few while this
 * process starts a GPU. See docs/decisions/038. */
int gs_reading_threads(const gsolve_context *ctx);

/* Sets ctx->cpu_level to the highest level that the processor supports, or to $GSOLVE_CPU_LEVEL.
 * Fails with GSOLVE_BAD_ARGUMENT if the processor does not support that. */
gsolve_status gs_cpu_level_set(gsolve_context *ctx);
const char *gs_cpu_level_name(const gsolve_context *ctx);

/* Registers the fork handler on which gs_usable_threads depends. */
void gs_detect_fork(void);

/* Whether ctx's kernels run on a GPU: in warps of 32 threads, and asynchronously to the host. */
static inline bool gs_on_gpu(const gsolve_context *ctx)
{
    return ctx->device == &gs_device_cuda;
}

/* The number of row or column i in messages, counted from 1. i counts from the first row of this
 * rank if the matrix is distributed over ranks. */
static inline int64_t gs_row_number(const gsolve_context *ctx, int64_t i)
{
    return ctx->first_row + i + 1;
}

/* Returns a monotonic time in seconds. */
static inline double gs_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sends a line, formatted as by printf, to the caller's log, if there is one. */
void gs_log(gsolve_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- public calls -------------------------------------------------------------------------------
 *
 * Each public function that may use the device begins with GS_ENTER(ctx), after it has checked that
 * ctx is not NULL. During the outermost call in a context the device is the current one of the
 * thread. When the function returns, by whatever path, the caller's device is current again. */
gsolve_context *gs_enter(gsolve_context *ctx);
void gs_leave(gsolve_context **ctx);

#define GS_ENTER(ctx) \
    gsolve_context *entered_ __attribute__((cleanup(gs_leave), unused)) = gs_enter(ctx)

/* Opens the file of the trace if $GSOLVE_TRACE is set, see trace.h. Fails with GSOLVE_BAD_FILE. */
gsolve_status gs_trace_open(gsolve_context *ctx);

/* Writes what is left, and closes the file. */
void gs_trace_close(gsolve_context *ctx);

/* Begins a range with a name, a constant string, for the device's profiler, the trace, and the
 * caller's stage monitor. gs_range_pop ends it. Ranges nest. The second function begins one of a
 * level of amg, from 0. */
void gs_range_push(const gsolve_context *ctx, const char *name);
void gs_range_push_level(const gsolve_context *ctx, const char *name, int level);
void gs_range_pop(const gsolve_context *ctx);

#endif
