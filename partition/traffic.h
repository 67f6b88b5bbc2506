/* traffic.h: moves numbers between all ranks: each rank gives some to each rank, itself included.
 */
#ifndef GS_PARTITION_TRAFFIC_H
#define GS_PARTITION_TRAFFIC_H

#include "dist/comm.h"

typedef struct gs_traffic {
    int rank, ranks;
    int64_t *out, *in; /* number of elements that this rank gives to and gets from each rank */
    int *peer;         /* 2 * ranks, for the messages */
    size_t *offset;    /* 2 * (ranks + 1) */
} gs_traffic;

/* Allocates; out and in are 0. Local. */
gsolve_status gs_traffic_new(gs_traffic *t, gsolve_context *ctx);
void gs_traffic_drop(gs_traffic *t, gsolve_context *ctx);

/* Sets t->in from the t->out of all ranks. Unless they are NULL: before[r] = what the ranks before
 * this one give to rank r, and total[r] = what all ranks give to rank r. Collective;
 * memory for O(ranks) numbers. */
gsolve_status gs_traffic_agree(gs_traffic *t, gsolve_context *ctx, int64_t *before, int64_t *total);

/* Moves elements of `size` bytes: `from` has those for each rank, `to` gets those of each rank,
 * both in rank order. back: the reverse, from those of `in` to those of `out`. Collective. */
gsolve_status gs_traffic_move(const gs_traffic *t, gsolve_context *ctx, bool back, size_t size,
                              const void *from, void *to);

#endif
