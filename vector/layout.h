/* layout.h: dense blocks from one layout to the other. */
#ifndef GS_VECTOR_LAYOUT_H
#define GS_VECTOR_LAYOUT_H

#include "core/dense.h"

typedef struct gs_flip_kernels {
    /* to[c step + r] = from[r stride + c] for r < rows, c < columns, from being of any type: to by
     * columns what from holds by rows, or, with rows and columns changed about, by rows what from
     * holds by columns */
    gsolve_status (*flip)(gs_queue *q, int32_t rows, int32_t columns, gsolve_type type,
                          const void *from, int64_t stride, void *to, int64_t step);
} gs_flip_kernels;

extern const gs_flip_kernels gs_flip_host[GSOLVE_TYPE_COUNT];
extern const gs_flip_kernels gs_flip_cuda[GSOLVE_TYPE_COUNT];

/* to = from, of one shape and of different layouts, both where kernels read them. */
static inline gsolve_status gs_flip(gsolve_context *ctx, gsolve_dense from, gsolve_dense to)
{
    const bool rows = from.layout == GSOLVE_BY_ROWS;

    return GS_KERNELS(gs_flip, ctx, to.type)
        ->flip(ctx->queue, rows ? from.nrows : from.ncols, rows ? from.ncols : from.nrows,
               from.type, from.value, from.stride, to.value, to.stride);
}

#endif
