/* halo.h: the halo exchange. Each rank gets the elements of a distributed vector for its ghost
 * columns from the ranks that own them. The elements of several columns travel together, row-major,
 * and are received in place. */
#ifndef GS_DIST_HALO_H
#define GS_DIST_HALO_H

#include "core/dense.h"
#include "dist/column_map.h"
#include "dist/row_range.h"

typedef struct gs_halo_side { /* the messages that a rank sends, or those that it receives */
    int count;
    int *rank;
    int64_t *first; /* count + 1: the elements of each message */
    size_t *offset; /* first, in bytes */
    void *buffer;   /* first[count] rows of `width` bytes */
} gs_halo_side;

typedef struct gs_halo {
    gs_halo_side in;  /* in.buffer: the elements of the ghost columns, in their order */
    gs_halo_side out; /* out.buffer: copies of own elements that others need */
    int32_t *pack;    /* the own elements of out, counted from the first own one */
    size_t width;     /* bytes that one element takes: of all columns of the vectors */
    size_t most;      /* the largest width for which the buffers have space */
} gs_halo;

/* Finds out who needs what: `map` are the columns of this rank, `owner` the owners of all columns.
 * Collective. On failure, which is that of all ranks, *halo is dropped. */
gsolve_status gs_halo_new(gs_halo *halo, gsolve_context *ctx, const gs_column_map *map,
                          const gs_ownership *owner);
void gs_halo_drop(gs_halo *halo, gsolve_context *ctx);

/* Allocates buffers for vectors of ncols columns. If they must grow, all ranks agree on success, so
 * ncols and type must be those of all ranks. */
gsolve_status gs_halo_reserve(gs_halo *halo, gsolve_context *ctx, gsolve_type type, int32_t ncols);

/* begin sends the elements of x, on the host, that others need. After end the elements of the ghost
 * columns are in halo->in.buffer: that of ghost g and column c is number g * x.ncols + c. Both are
 * called by all ranks, after gs_halo_reserve. */
gsolve_status gs_halo_begin(gs_halo *halo, gsolve_context *ctx, gsolve_dense x);
gsolve_status gs_halo_end(gs_halo *halo, gsolve_context *ctx);

/* The reverse: adds the numbers in halo->in.buffer, which are this rank's contributions to elements
 * of other ranks, to y on the ranks that own them, in rank order. */
gsolve_status gs_halo_add_back(gs_halo *halo, gsolve_context *ctx, gsolve_dense y);

#endif
