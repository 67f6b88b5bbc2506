/* layout.h: conversion between column-major and row-major dense blocks. */
#ifndef GS_VECTOR_LAYOUT_H
#define GS_VECTOR_LAYOUT_H

#include "core/dense.h"

typedef struct gs_layout_kernels {
    /* to[c step + r] = from[r stride + c] for r < rows and c < columns; from has any type. This
     * converts row-major to column-major, and with rows and columns exchanged the reverse. */
    gsolve_status (*transpose)(gs_queue *q, int32_t rows, int32_t columns, gsolve_type type,
                               const void *from, int64_t stride, void *to, int64_t step);
} gs_layout_kernels;

extern const gs_layout_kernels GS_HOST_TABLES(gs_layout);
extern const gs_layout_kernels gs_layout_cuda[GSOLVE_TYPE_COUNT];

/* to = from; both have the same shape and different layouts, and are where kernels read them. */
static inline gsolve_status gs_change_layout(gsolve_context *ctx, gsolve_dense from,
                                             gsolve_dense to)
{
    const bool rows = from.layout == GSOLVE_ROW_MAJOR;

    return GS_KERNELS(gs_layout, ctx, to.type)
        ->transpose(ctx->queue, rows ? from.nrows : from.ncols, rows ? from.ncols : from.nrows,
                    from.type, from.value, from.stride, to.value, to.stride);
}

#endif
