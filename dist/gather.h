/* gather.h: every rank gets all elements of an array that is divided among the ranks. */
#ifndef GS_DIST_GATHER_H
#define GS_DIST_GATHER_H

#include "dist/comm.h"

typedef struct gs_gather {
    int64_t *first;     /* ranks + 1: the elements of rank r are first[r] to first[r + 1] - 1 */
    int64_t most, step; /* most elements of a rank; elements that a rank sends in one message */
    size_t width;       /* bytes of an element for which the buffers have space */
    char *send, *recv;
} gs_gather;

/* This rank has `count` elements. Collective. On failure, which is that of all ranks, *g is
 * dropped. */
gsolve_status gs_gather_new(gs_gather *g, gsolve_context *ctx, int64_t count);
void gs_gather_drop(gs_gather *g, gsolve_context *ctx);

/* Allocates buffers for elements of `width` bytes, equal on all ranks. Collective. */
gsolve_status gs_gather_reserve(gs_gather *g, gsolve_context *ctx, size_t width);

/* all = the elements of all ranks in rank order. own: those of this rank. width: at most that of
 * gs_gather_reserve. Allocates nothing. Collective. */
gsolve_status gs_gather_run(gs_gather *g, gsolve_context *ctx, size_t width, const void *own,
                            void *all);

/* The number of elements of all ranks. */
static inline int64_t gs_gather_total(const gs_gather *g, const gsolve_context *ctx)
{
    return g->first[gs_comm_ranks(ctx->comm)];
}

#endif
