/* device.h: where arrays live and kernels run. */
#ifndef GS_DEVICE_H
#define GS_DEVICE_H

#include "gsolve_plugin.h"

typedef struct gs_queue gs_queue; /* host: the thread count; CUDA: a stream and its handles */

typedef struct gs_device {
    gsolve_plugin plugin; /* its options are gs_device_options */
    /* Makes a queue, or returns GSOLVE_NO_DEVICE or GSOLVE_NO_MEMORY with a sentence in error
     * and fills description. */
    gsolve_status (*open)(gs_queue **queue, const void *options, char error[256],
                          char description[128]);
    void (*close)(gs_queue *queue);
    void *(*alloc)(gs_queue *queue, size_t bytes); /* NULL: out of memory */
    void (*free)(gs_queue *queue, void *block);
    gsolve_status (*copy)(gs_queue *queue, void *to, gsolve_place to_place, const void *from,
                          gsolve_place from_place, size_t bytes);
    void *(*stream)(gs_queue *queue);
    int (*threads)(const gs_queue *queue); /* for the work that stays on the host */
    bool solves;                           /* has kernels for every step of a solve */
} gs_device;

typedef struct gs_device_options {
    int threads, index;
} gs_device_options;

/* Without CUDA in the build gs_device_cuda has no name. */
extern const gs_device gs_device_host, gs_device_cuda;

/* The host's queue: what the CPU kernels see. */
struct gs_host_queue {
    int threads;
};
static inline int gs_queue_threads(const gs_queue *q)
{
    return ((const struct gs_host_queue *)(const void *)q)->threads;
}

/* Refuses a context whose device cannot solve. */
gsolve_status gs_check_device(gsolve_context *ctx);

/* A kernel family foo is a struct gs_foo_kernels with two tables over the value
 * types, gs_foo_host and gs_foo_cuda; without CUDA the latter comes, empty, from
 * no_cuda.c. This picks the one for a context and a type. */
#define GS_KERNELS(foo, ctx, type) \
    (&((ctx)->device == &gs_device_cuda ? foo##_cuda : foo##_host)[type])

#endif
