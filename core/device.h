/* device.h: where arrays live and kernels run. */
#ifndef GS_CORE_DEVICE_H
#define GS_CORE_DEVICE_H

#include "gsolve_plugin.h"

typedef struct gs_queue gs_queue;   /* host: the thread count; CUDA: a stream and its handles */
typedef struct gs_graph gs_graph;   /* a recorded sequence of kernels */
typedef struct gs_moment gs_moment; /* a point in the order of what the device does */

#define GS_SLOTS 2
#define GS_PAGES 2                  /* by which large copies travel, see copy.c */
#define GS_PAGE  ((size_t)16 << 20) /* bytes of one */

/* Whether a column goes on: what the number that guards kernels says. */
enum {
    GS_GOES_ON,
    GS_ENDS, /* what completes the step that it ended with still runs */
    GS_ENDED
};

typedef struct gs_device {
    gsolve_plugin plugin; /* its options are gs_device_options */
    /* Makes a queue and fills description; or GSOLVE_NO_DEVICE: the machine has none,
     * GSOLVE_NO_MEMORY: it is full, GSOLVE_DEVICE_FAILED: else, with a sentence in error. */
    gsolve_status (*open)(gs_queue **queue, gsolve_context *ctx, const void *options,
                          char error[256], char description[128]);
    void (*close)(gs_queue *queue);
    void *(*alloc)(gs_queue *queue, size_t bytes); /* NULL: out of memory */
    void (*free)(gs_queue *queue, void *block);
    /* to and from the device: done at the end; within: in its turn. NULL: the host is all */
    gsolve_status (*copy)(gs_queue *queue, void *to, const void *from, size_t bytes);
    void *(*stream)(gs_queue *queue);
    int (*threads)(const gs_queue *queue); /* for the work that stays on the host */
    /* NULL where kernels have ended when their call returns, and the device's memory is the host's:
     */
    /* copies bytes to a page of the host without waiting; waits until that has happened */
    gsolve_status (*post)(gs_queue *queue, int slot, const void *from, size_t bytes);
    gsolve_status (*wait)(gs_queue *queue, int slot, const void **page);
    /* from here on kernels are recorded and do not run; *graph = what was recorded; runs it */
    gsolve_status (*record)(gs_queue *queue);
    gsolve_status (*recorded)(gs_queue *queue, gs_graph **graph);
    gsolve_status (*replay)(gs_queue *queue, gs_graph *graph);
    void (*forget)(gs_graph *graph);
    /* kernels do nothing where *ended is not 0 when they run; NULL: all do */
    void (*guard)(gs_queue *queue, const int *ended);
    /* optional: from here on everything runs on that stream, which stays the caller's */
    gsolve_status (*use_stream)(gs_queue *queue, void *stream);
    /* optional: bytes that alloc could still grant (SIZE_MAX: nobody knows), and all there are;
     * NULL: nobody knows */
    gsolve_status (*memory)(gs_queue *queue, size_t *unused, size_t *total);
    /* optional, all four or none: pages of the host to and from which copies run by themselves */
    bool (*is_page)(gs_queue *queue,
                    const void *host); /* whether the caller's array is like them */
    void *(*page)(gs_queue *queue, int slot, bool make); /* NULL: not made, or cannot be had */
    gsolve_status (*send)(gs_queue *queue, int slot, void *to, const void *from, size_t bytes);
    gsolve_status (*sent)(gs_queue *queue, int slot); /* waits until what was sent is there */
    /* optional, together: *moment (made if it is NULL) = after all that was asked of the device so
     * far; seconds from one to another, once they have passed; and the end of one. Without them the
     * host's clock tells. */
    gsolve_status (*mark)(gs_queue *queue, gs_moment **moment);
    gsolve_status (*between)(gs_queue *queue, gs_moment *from, gs_moment *to, double *seconds);
    void (*unmark)(gs_moment *moment);
    /* optional, together: what the host is about, for the device's own tools; ranges nest */
    void (*range_push)(const char *name);
    void (*range_pop)(void);
} gs_device;

typedef struct gs_device_options {
    int threads, index;
} gs_device_options;

/* Without CUDA in the build gs_device_cuda has no name. */
extern const gs_device gs_device_host, gs_device_cuda;

/* to = from on the host, by at most so many threads. */
void gs_copy_host(int threads, void *to, const void *from, size_t bytes);

/* threads, or 1 in a child of fork, where no others run. Whoever keeps a number of threads from one
 * call to the next asks again before using it. */
int gs_usable_threads(int threads);

/* The host's queue: what the CPU kernels see. */
struct gs_host_queue {
    int threads;
};
static inline int gs_queue_threads(const gs_queue *q)
{
    return gs_usable_threads(((const struct gs_host_queue *)(const void *)q)->threads);
}

/* A kernel family foo is a struct gs_foo_kernels with two tables over the value
 * types, gs_foo_host and gs_foo_cuda; without CUDA the latter comes, empty, from
 * no_cuda.c. This picks the one for a context and a type. */
#define GS_KERNELS(foo, ctx, type) \
    (&((ctx)->device == &gs_device_cuda ? foo##_cuda : foo##_host)[type])

#endif
