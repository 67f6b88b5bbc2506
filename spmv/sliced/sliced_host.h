/* sliced_host.h: what the parts of the engine on the CPU share. */
#ifndef GS_SPMV_SLICED_SLICED_HOST_H
#define GS_SPMV_SLICED_SLICED_HOST_H

#include "spmv/sliced/sliced.h"

#define GS_SLICED_AHEAD 512 /* values that are asked for ahead of their use */

typedef struct gs_slice { /* one, as the CPU works on it */
    int64_t first;        /* its first column's number */
    int32_t width, place, rows, share;
} gs_slice;

static inline gs_slice gs_slice_at(const gs_sliced *s, int32_t at)
{
    const int32_t share = s->share ? s->share[at] : s->most_share, rows = s->lanes >> share;
    const int32_t place = s->place ? s->place[at] : (int32_t)((int64_t)at * rows);
    const int32_t end = s->place                      ? s->place[at + 1]
                        : s->csr.nrows - place < rows ? s->csr.nrows
                                                      : place + rows;

    return (gs_slice){s->first[at], s->first[at + 1] - s->first[at], place, end - place, share};
}

/* The r-th row of a slice, or -1 for a long one. */
static inline int32_t gs_slice_row(const gs_sliced *s, const gs_slice *slice, int32_t r)
{
    return s->order ? s->order[slice->place + r] : slice->place + r;
}

/* Stored entries of row i, or of no row for -1. */
static inline int32_t gs_slice_length(const gs_sliced *s, int32_t i)
{
    const int64_t length = i < 0 ? 0 : gs_start(&s->csr, i + 1) - gs_start(&s->csr, i);

    return length > s->most ? 0 : length > s->keep ? s->keep : (int32_t)length;
}

/* sliced_order_host.c: members of gs_sliced_kernels. */
gsolve_status gs_sliced_inspect_host(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                     int32_t most, gs_sliced_facts *facts);
gsolve_status gs_sliced_sort_host(gsolve_context *ctx, const gsolve_csr *csr, int32_t window,
                                  int32_t most, int32_t **order);
/* sliced_build_host.c: all of a form but its columns and values. */
gsolve_status gs_sliced_shape_host(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                   const gs_sliced_span *span, bool lengths);

#endif
