/* halo.h: the halo exchange. Each rank gets the elements of a distributed vector for its ghost
 * columns from the ranks that own them. The elements of several columns travel together, row-major,
 * and are received in place. */
#ifndef GS_DIST_HALO_H
#define GS_DIST_HALO_H

#include "core/dense.h"
#include "dist/column_map.h"
#include "dist/message_side.h"
#include "dist/row_range.h"

/* The buffers have rows of `width` bytes, on the host; kernels access them, too. */
typedef struct gs_halo {
    gs_message_side in;   /* in.buffer: the elements of the ghost columns, in their order */
    gs_message_side out;  /* out.buffer: copies of own elements that others need */
    int32_t *pack;        /* the own elements of out, counted from the first own one */
    int32_t *pack_there;  /* where kernels read them: pack, or a copy */
    void *ghost;          /* in.buffer, or its copy on the device */
    size_t width;         /* bytes that one element takes: of all columns of the vectors */
    size_t most;          /* the largest width for which the buffers have space */
    bool there;           /* the exchange that has begun is of a vector on the device */
    gsolve_status packed; /* of that exchange: a failure of this rank's device */
} gs_halo;

/* Vectors are where kernels read them. On a GPU the calls are submitted to q. */
typedef struct gs_halo_kernels {
    /* Row k of `to`, row-major, is row pack[k] of x, for k < n. */
    gsolve_status (*pack)(gs_queue *q, int64_t n, const int32_t *pack, const gsolve_dense *x,
                          void *to);
    /* Adds row k of `from`, row-major, to row pack[k] of y, for k < n. No two of these rows are the
     * same. */
    gsolve_status (*add)(gs_queue *q, int64_t n, const int32_t *pack, const void *from,
                         const gsolve_dense *y);
    /* Copies an array of the host that kernels access to the device. */
    gsolve_status (*copy)(gs_queue *q, size_t bytes, const void *from, void *to);
} gs_halo_kernels;

extern const gs_halo_kernels gs_halo_host[GSOLVE_TYPE_COUNT], gs_halo_cuda[GSOLVE_TYPE_COUNT];

/* Finds out who needs what: `map` are the columns of this rank, `owner` the owners of all columns.
 * Collective. On failure, which is that of all ranks, *halo is dropped. */
gsolve_status gs_halo_new(gs_halo *halo, gsolve_context *ctx, const gs_column_map *map,
                          const gs_ownership *owner);
void gs_halo_drop(gs_halo *halo, gsolve_context *ctx);

/* Allocates buffers for vectors of ncols columns. If they must grow, all ranks agree on success, so
 * ncols and type must be those of all ranks. */
gsolve_status gs_halo_reserve(gs_halo *halo, gsolve_context *ctx, gsolve_type type, int32_t ncols);

/* begin sends the elements of x that others need. After end the elements of the ghost columns are
 * in halo->ghost, or, if x is on the host, in halo->in.buffer: that of ghost g and column c is
 * number g * x.ncols + c. Both are called by all ranks, after gs_halo_reserve. A device that fails
 * in begin fails in end, after the messages. */
gsolve_status gs_halo_begin(gs_halo *halo, gsolve_context *ctx, gsolve_dense x);
gsolve_status gs_halo_end(gs_halo *halo, gsolve_context *ctx);

/* The reverse: adds the numbers in halo->in.buffer, which are this rank's contributions to elements
 * of other ranks, to y on the ranks that own them, in rank order. */
gsolve_status gs_halo_add_back(gs_halo *halo, gsolve_context *ctx, gsolve_dense y);

/* Joins the messages of begin and end, or of add_back, for vectors of ncols columns, with zeros. */
gsolve_status gs_halo_join(gs_halo *halo, gsolve_context *ctx, int32_t ncols, bool back);

/* Waits until kernels no longer use buffers, before the host writes to in.buffer. */
gsolve_status gs_halo_wait(gsolve_context *ctx);

#endif
