/* pieces.h: an exchange in which each rank sends consecutive pieces of an array to other ranks, and
 * receives pieces of an array from them, in rank order. */
#ifndef GS_DIST_PIECES_H
#define GS_DIST_PIECES_H

#include "dist/comm.h"

typedef struct gs_pieces {
    int64_t *out, *in; /* ranks + 1: elements out[r] to out[r + 1] - 1 go to rank r, elements in[r]
                          to in[r + 1] - 1 come from it */
    int *rank[2];
    size_t *offset[2]; /* of the messages that are sent, and of those received */
} gs_pieces;

/* Allocates the arrays. Collective. */
gsolve_status gs_pieces_new(gs_pieces *p, gsolve_context *ctx);
void gs_pieces_drop(gs_pieces *p, gsolve_context *ctx);

/* Sets p->in to offsets that fit p->out of the other ranks. Collective. */
gsolve_status gs_pieces_count(gs_pieces *p, gsolve_context *ctx);

/* Moves elements of `size` bytes. The own piece is copied; if it is empty in `from`, it stays in
 * `to` as it is. A rank that sends or receives nothing may pass NULL. Collective. */
gsolve_status gs_pieces_move(gs_pieces *p, gs_comm *comm, size_t size, const void *from, void *to);

#endif
