/* sliced_host.h: what the CPU files of the slices share. */
#ifndef GS_SPMV_SLICED_SLICED_HOST_H
#define GS_SPMV_SLICED_SLICED_HOST_H

#include "spmv/sliced/sliced.h"

#define GS_SLICED_AHEAD 512 /* distance of a prefetch, in values */

typedef struct gs_slice { /* a slice, as the CPU reads it */
    int64_t first;        /* number of its first column */
    int32_t width, position, rows;
} gs_slice;

static inline gs_slice gs_slice_at(const gs_sliced *s, int32_t at)
{
    const int32_t position = at * s->lanes, left = s->csr.nrows - position;

    return (gs_slice){s->first[at], s->first[at + 1] - s->first[at], position,
                      left < s->lanes ? left : s->lanes};
}

/* The r-th row of a slice, or -1 where it is a long row. */
static inline int32_t gs_slice_row(const gs_sliced *s, const gs_slice *slice, int32_t r)
{
    return s->order ? s->order[slice->position + r] : slice->position + r;
}

/* Stored entries of row i; 0 for i = -1. */
static inline int32_t gs_slice_length(const gs_sliced *s, int32_t i)
{
    const int64_t length = i < 0 ? 0 : gs_start(&s->csr, i + 1) - gs_start(&s->csr, i);

    return length > s->most ? 0 : length > s->keep ? s->keep : (int32_t)length;
}

/* sliced_order_host.c: members of gs_sliced_kernels. */
gsolve_status gs_sliced_inspect_host(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                     int32_t most, gs_sliced_facts *facts);
gsolve_status gs_sliced_count_host(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rows);
gsolve_status gs_sliced_sort_host(gsolve_context *ctx, const gsolve_csr *csr,
                                  const gs_sliced_classes *by, int32_t **order, int32_t *first);
/* sliced_build_host.c: other members. */
gsolve_status gs_sliced_shape_host(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                   const gs_sliced_span *span, bool lengths);
gsolve_status gs_sliced_fits_single_host(const gs_sliced *s, gsolve_context *ctx, bool *single);

#endif
