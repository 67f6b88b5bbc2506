/* async_copy.h: copies between the host and a device that overlap with its kernels. There are three
 * lanes. Each lane works in order: one for copies to the device, one for copies to the host,
 * and the context's queue. */
#ifndef GS_SPMV_STREAM_ASYNC_COPY_H
#define GS_SPMV_STREAM_ASYNC_COPY_H

#include "matrix/csr.h"

enum { GS_LANE_IN, GS_LANE_OUT, GS_LANE_QUEUE };

#define GS_EVENTS 24 /* number of events */
#define GS_ASYNC_COPY_PAGES                                              \
    2 /* page-locked buffers (pages) per lane: parts of a page of copy.c \
       */
#define GS_ASYNC_COPY_PAGE (GS_PAGE / GS_ASYNC_COPY_PAGES) /* bytes of a page */

typedef struct gs_async_copy gs_async_copy;

/* Lines of bytes; contiguous on the device. */
typedef struct gs_lines {
    size_t width, count;
    size_t pitch; /* on the host: distance from one line to the next */
} gs_lines;

/* Where kernels and copies are complete when a call returns (on the CPU, or on the device of a
 * test), these functions do their work at once. */
typedef struct gs_async_copy_kernels {
    gsolve_status (*open)(gs_async_copy **copier, gsolve_context *ctx);
    void (*close)(gs_async_copy *copier); /* waits for all lanes; does nothing for NULL */
    /* Whether the array is page-locked, so that copies from and to it run asynchronously. */
    bool (*is_locked)(gs_async_copy *copier, const void *host);
    /* Page k of a lane, allocated when first needed; NULL: no memory. */
    void *(*page)(gs_async_copy *copier, int lane, int k);
    /* Copies lines in a lane: from the host (GS_LANE_IN), or to it (GS_LANE_OUT). */
    gsolve_status (*copy)(gs_async_copy *copier, int lane, void *device, void *host,
                          const gs_lines *lines);
    /* mark records an event in a lane; after makes the lane wait for an event. */
    gsolve_status (*mark)(gs_async_copy *copier, int lane, int event);
    gsolve_status (*after)(gs_async_copy *copier, int lane, int event);
    /* *passed = whether the event is complete; with `wait`, waits for it. */
    gsolve_status (*passed)(gs_async_copy *copier, int event, bool wait, bool *passed);
} gs_async_copy_kernels;

extern const gs_async_copy_kernels gs_async_copy_host[1], gs_async_copy_cuda[1];

/* The lines of v on the host; v is contiguous on the device. */
static inline gs_lines gs_lines_of(gsolve_dense v)
{
    const size_t size = gs_type_size(v.type);
    const bool rows = v.layout == GSOLVE_ROW_MAJOR;

    return (gs_lines){(size_t)(rows ? v.ncols : v.nrows) * size, (size_t)(rows ? v.nrows : v.ncols),
                      (size_t)v.stride * size};
}

/* Copies lines to the device, or from it; complete when the call returns. */
gsolve_status gs_copy_lines(gsolve_context *ctx, bool in, void *device, void *host,
                            const gs_lines *lines);

/* Fails if x, y and the options do not suit csr. function: its name, for the message. */
gsolve_status gs_stream_check(gsolve_context *ctx, const char *function, const gsolve_csr *csr,
                              gsolve_dense x, gsolve_dense y, const gsolve_stream_options *o);

/* Bytes of the device's memory that a stream may use; SIZE_MAX: not known. */
size_t gs_stream_memory(gsolve_context *ctx, const gsolve_stream_options *options);

/* Copies bytes `from` to `to` - 1 of the lines, counted as they lie on the device, into the page,
 * or out of it. */
void gs_async_copy_pack(int threads, void *page, void *host, const gs_lines *lines, size_t from,
                        size_t to, bool out);

#endif
