/* async_copy.h: copies between the host and a device that run beside its kernels: a lane for what
 * comes in, one for what goes out, and the queue itself. */
#ifndef GS_SPMV_STREAM_ASYNC_COPY_H
#define GS_SPMV_STREAM_ASYNC_COPY_H

#include "matrix/csr.h"

enum { GS_LANE_IN, GS_LANE_OUT, GS_LANE_QUEUE };

#define GS_MOMENTS          24 /* that can be told apart */
#define GS_ASYNC_COPY_PAGES 2  /* of each lane, which are one of copy.c; */
#define GS_ASYNC_COPY_PAGE  (GS_PAGE / GS_ASYNC_COPY_PAGES) /* bytes of one */

typedef struct gs_async_copy gs_async_copy;

/* Lines of bytes on the host, and side by side on the device. */
typedef struct gs_lines {
    size_t width, count;
    size_t pitch; /* on the host, from one line to the next */
} gs_lines;

/* Where kernels and copies are done when a call returns (the CPU, or a test's device), these do
 * what there is to do at once. */
typedef struct gs_async_copy_kernels {
    gsolve_status (*open)(gs_async_copy **copier, gsolve_context *ctx);
    void (*close)(gs_async_copy *copier); /* waits for all lanes; NULL: nothing */
    /* Whether copies from and to the array run by themselves: its pages are locked. */
    bool (*travels)(gs_async_copy *copier, const void *host);
    /* Page k of a lane, locked, made when first asked for; NULL: it cannot be had. */
    void *(*page)(gs_async_copy *copier, int lane, int k);
    /* In a lane, in its order: lines from the host (GS_LANE_IN), or to it. */
    gsolve_status (*copy)(gs_async_copy *copier, int lane, void *device, void *host,
                          const gs_lines *lines);
    /* moment = when the lane has come so far; the lane goes on only after moment */
    gsolve_status (*mark)(gs_async_copy *copier, int lane, int moment);
    gsolve_status (*after)(gs_async_copy *copier, int lane, int moment);
    /* *passed: whether moment is over; waits for that if wait */
    gsolve_status (*passed)(gs_async_copy *copier, int moment, bool wait, bool *passed);
} gs_async_copy_kernels;

extern const gs_async_copy_kernels gs_async_copy_host[1], gs_async_copy_cuda[1];

/* Those of v, on the host, which lies side by side on the device. */
static inline gs_lines gs_lines_of(gsolve_dense v)
{
    const size_t size = gs_type_size(v.type);
    const bool rows = v.layout == GSOLVE_ROW_MAJOR;

    return (gs_lines){(size_t)(rows ? v.ncols : v.nrows) * size, (size_t)(rows ? v.nrows : v.ncols),
                      (size_t)v.stride * size};
}

/* Bytes of ctx's memory that what travels may take; SIZE_MAX: no_row knows. */
size_t gs_stream_memory(gsolve_context *ctx, const gsolve_stream_options *options);

/* Columns first to first + count of v. */
static inline gsolve_dense gs_some_columns(gsolve_dense v, int32_t first, int32_t count)
{
    const int64_t step = v.layout == GSOLVE_ROW_MAJOR ? 1 : v.stride;

    v.value = (char *)v.value + (size_t)(first * step) * gs_type_size(v.type);
    v.ncols = v.ncols - first < count ? v.ncols - first : count;
    return v;
}

/* Bytes [from, to) of the lines, as they lie on the device, into page, or out of it. */
void gs_async_copy_pack(int threads, void *page, void *host, const gs_lines *lines, size_t from,
                        size_t to, bool out);

#endif
