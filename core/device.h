/* device.h: where arrays live and kernels run. */
#ifndef GS_CORE_DEVICE_H
#define GS_CORE_DEVICE_H

#include <gs_levels.h> /* the header in cmake/levels/ that suits the processor */

#include "gsolve_plugin.h"

typedef struct gs_queue gs_queue;   /* host: the thread count; CUDA: a stream and its handles */
typedef struct gs_graph gs_graph;   /* a recorded sequence of kernels (CUDA graph) */
typedef struct gs_moment gs_moment; /* a point in the order of the device's work (CUDA event) */

#define GS_SLOTS 2                  /* asynchronous copies to the host at a time */
#define GS_PAGES 2                  /* page-locked buffers for large copies, see copy.c */
#define GS_PAGE  ((size_t)16 << 20) /* bytes of one buffer */

/* The state of a column of a solve. Kernels read it from a number on the device, the guard. */
enum {
    GS_GOES_ON, /* the column iterates */
    GS_ENDS,    /* it has ended; the kernels that complete its last step still run */
    GS_ENDED    /* no kernel works on it any more */
};

typedef struct gs_device {
    gsolve_plugin plugin; /* its options are gs_device_options */
    /* Creates a queue and fills description. On failure writes a sentence to error and returns
     * GSOLVE_NO_DEVICE (the machine has none), GSOLVE_NO_MEMORY (its memory is full) or
     * GSOLVE_DEVICE_FAILED. */
    gsolve_status (*open)(gs_queue **queue, gsolve_context *ctx, const void *options,
                          char error[256], char description[128]);
    void (*close)(gs_queue *queue);
    void *(*alloc)(gs_queue *queue, size_t bytes); /* NULL: out of memory */
    void (*free)(gs_queue *queue, void *block);
    /* A copy to or from the device is complete on return. A copy within the device is ordered
     * after earlier work of the queue. NULL: the device computes in the host's memory. */
    gsolve_status (*copy)(gs_queue *queue, void *to, const void *from, size_t bytes);
    void *(*stream)(gs_queue *queue);
    int (*threads)(const gs_queue *queue); /* for work on the host */
    /* The members from here to guard are NULL if kernels are complete when their call returns and
     * the device computes in the host's memory. */
    /* post starts a copy of bytes to a buffer of the host; wait waits for it, *page = the buffer */
    gsolve_status (*post)(gs_queue *queue, int slot, const void *from, size_t bytes);
    gsolve_status (*wait)(gs_queue *queue, int slot, const void **page);
    /* record: later kernels are recorded and do not run. recorded: ends this, *graph = the
     * recording. replay runs it. forget frees it. */
    gsolve_status (*record)(gs_queue *queue);
    gsolve_status (*recorded)(gs_queue *queue, gs_graph **graph);
    gsolve_status (*replay)(gs_queue *queue, gs_graph *graph);
    void (*forget)(gs_graph *graph);
    /* Later kernels do nothing if *ended is not 0 when they run. NULL: they always run. */
    void (*guard)(gs_queue *queue, const int *ended);
    /* optional: later work runs on this stream, which the caller owns */
    gsolve_status (*use_stream)(gs_queue *queue, void *stream);
    /* optional: free bytes (SIZE_MAX: unknown) and total bytes of the device's memory */
    gsolve_status (*memory)(gs_queue *queue, size_t *unused, size_t *total);
    /* optional, all four or none: page-locked buffers of the host. is_page: whether the caller's
     * array is page-locked. page: buffer number slot, allocated if make; NULL if there is none. */
    bool (*is_page)(gs_queue *queue, const void *host);
    void *(*page)(gs_queue *queue, int slot, bool make);
    gsolve_status (*send)(gs_queue *queue, int slot, void *to, const void *from, size_t bytes);
    gsolve_status (*sent)(gs_queue *queue, int slot); /* waits for the last send of slot */
    /* optional, all three or none: mark sets *moment (created if NULL) to the end of all work
     * submitted so far. between waits for two moments and returns the seconds between them. unmark
     * frees one. NULL: the host's clock is used. */
    gsolve_status (*mark)(gs_queue *queue, gs_moment **moment);
    gsolve_status (*between)(gs_queue *queue, gs_moment *from, gs_moment *to, double *seconds);
    void (*unmark)(gs_moment *moment);
    /* optional, both or none: named ranges for the device's profiler (NVTX); they nest */
    void (*range_push)(const char *name);
    void (*range_pop)(void);
    /* optional, both or none: enter makes the device current in this thread; leave makes the
     * caller's device current again. open and close do so themselves. */
    void (*enter)(gs_queue *queue);
    void (*leave)(gs_queue *queue);
    /* optional: waits for the work of the queue and frees the memory that it keeps for reuse */
    gsolve_status (*trim)(gs_queue *queue);
    /* optional, all three or none, with mark: page-locked memory of the host, which kernels read
     * and write (NULL: out of memory); host_free waits for the work of the queue. reach waits until
     * the device has reached a moment. */
    void *(*host_alloc)(gs_queue *queue, size_t bytes);
    void (*host_free)(gs_queue *queue, void *block);
    gsolve_status (*reach)(gs_queue *queue, gs_moment *moment);
} gs_device;

typedef struct gs_device_options {
    int threads, index;
    double memory; /* most bytes in the device's memory; 0: any number */
} gs_device_options;

#define GS_OPTION_MEMORY                                                                     \
    {"memory",    "most bytes that are allocated in the memory of this device; 0: no limit", \
     GSOLVE_REAL, offsetof(gs_device_options, memory),                                       \
     0,           0,                                                                         \
     1e18,        NULL}

/* In a build without CUDA, gs_device_cuda has no name. */
extern const gs_device gs_device_host, gs_device_cuda;

/* Copies bytes on the host with at most this number of threads. */
void gs_copy_host(int threads, void *to, const void *from, size_t bytes);

/* Returns threads, or 1 in a child of fork. Call it before each use of a stored thread count: the
 * process may have forked since. */
int gs_usable_threads(int threads);

/* Returns the number of processors on which the process may run. */
int gs_processors(void);

/* The host's queue: what the CPU kernels see. */
struct gs_host_queue {
    int threads;
};
static inline int gs_queue_threads(const gs_queue *q)
{
    return gs_usable_threads(((const struct gs_host_queue *)(const void *)q)->threads);
}

/* --- kernel tables ------------------------------------------------------------------------------
 *
 * A kernel family foo is a struct gs_foo_kernels with two tables over the value types, gs_foo_host
 * and gs_foo_cuda; without CUDA the latter comes, empty, from no_cuda.c.
 *
 * foo_host.c is compiled once for each level of the processor in <gs_levels.h>, with
 * GS_LEVEL_SUFFIX set to the level's name. It defines the table GS_LEVEL(gs_foo_host), such as
 * gs_foo_host_v3, and no other name that is not static. GS_HOST_TABLES declares the tables of all
 * levels. A file that is compiled for a level uses the tables of that level. All levels compute the
 * same bits. */
#define GS_LEVEL(name)              GS_LEVEL_PASTE(name, GS_LEVEL_SUFFIX)
#define GS_LEVEL_PASTE(name, level) GS_LEVEL_PASTE_(name, level)
#define GS_LEVEL_PASTE_(a, b)       a##_##b

#define GS_HOST_TABLES(foo) GS_LEVEL_COPIES(foo##_host, GSOLVE_TYPE_COUNT)

/* The kernels of a context, on the host or on its device, and for a value type. */
#define GS_HOST_KERNELS(foo, ctx, type) (&GS_AT_LEVEL(foo##_host, (ctx)->cpu_level)[type])
#define GS_KERNELS(foo, ctx, type) \
    ((ctx)->device == &gs_device_cuda ? &foo##_cuda[type] : GS_HOST_KERNELS(foo, ctx, type))

/* GS_KERNELS for a family whose host file is compiled once: its kernels are not vectorised. */
#define GS_SCALAR_KERNELS(foo, ctx, type) \
    (&((ctx)->device == &gs_device_cuda ? foo##_cuda : foo##_host)[type])

#endif
