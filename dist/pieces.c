/* pieces.c: two rounds of messages, so that those of a round are consecutive: first all ranks send
 * to lower ranks, then to higher ones. */
#include "dist/pieces.h"

#include <string.h>

#include "core/try.h"
#include "dist/counts.h"

gsolve_status gs_pieces_new(gs_pieces *p, gsolve_context *ctx)
{
    const size_t ranks = (size_t)gs_comm_ranks(ctx->comm);
    gsolve_status status;

    *p = (gs_pieces){0};
    ALLOC(ctx, GSOLVE_HOST, p->out, ranks + 1);
    ALLOC(ctx, GSOLVE_HOST, p->in, ranks + 1);
    for (int k = 0; k < 2; k++) {
        ALLOC(ctx, GSOLVE_HOST, p->rank[k], ranks);
        ALLOC(ctx, GSOLVE_HOST, p->offset[k], ranks + 1);
    }
done:
    return gs_comm_check(ctx->comm, status);
}

void gs_pieces_drop(gs_pieces *p, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, p->out);
    gsolve_free(ctx, GSOLVE_HOST, p->in);
    for (int k = 0; k < 2; k++) {
        gsolve_free(ctx, GSOLVE_HOST, p->rank[k]);
        gsolve_free(ctx, GSOLVE_HOST, p->offset[k]);
    }
    *p = (gs_pieces){0};
}

gsolve_status gs_pieces_count(gs_pieces *p, gsolve_context *ctx)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    int64_t first = 0;
    gsolve_status status;

    for (int r = 0; r < ranks; r++) p->in[r] = p->out[r + 1] - p->out[r];
    TRY(gs_comm_exchange_counts(ctx->comm, p->in));
    for (int r = 0; r < ranks; r++) {
        const int64_t count = p->in[r];
        p->in[r] = first;
        first += count;
    }
    p->in[ranks] = first;
done:
    return status;
}

/* The messages with the ranks from `first` to `end` - 1; side: 0 sent, 1 received. */
static gsolve_messages messages_of(gs_pieces *p, int side, int first, int end, size_t size,
                                   void *buffer)
{
    const int64_t *at = side ? p->in : p->out;
    int count = 0;

    p->offset[side][0] = (size_t)at[first] * size;
    for (int r = first; r < end; r++) {
        if (at[r + 1] == at[r]) continue;
        p->rank[side][count++] = r;
        p->offset[side][count] = (size_t)at[r + 1] * size;
    }
    return (gsolve_messages){count, p->rank[side], p->offset[side], buffer};
}

gsolve_status gs_pieces_move(gs_pieces *p, gs_comm *comm, size_t size, const void *from, void *to)
{
    const int rank = comm ? comm->rank : 0, ranks = gs_comm_ranks(comm);
    const size_t own = (size_t)(p->out[rank + 1] - p->out[rank]) * size;
    void *sent = (void *)(uintptr_t)from; /* messages have a pointer for both directions */
    gsolve_messages out, in;
    gsolve_status status = GSOLVE_OK;

    if (own > 0) {
        memcpy((char *)to + (size_t)p->in[rank] * size,
               (const char *)from + (size_t)p->out[rank] * size, own);
    }
    if (!comm) return GSOLVE_OK;
    out = messages_of(p, 0, 0, rank, size, sent);
    in = messages_of(p, 1, rank + 1, ranks, size, to);
    TRY(gs_comm_exchange(comm, &out, &in));
    out = messages_of(p, 0, rank + 1, ranks, size, sent);
    in = messages_of(p, 1, 0, rank, size, to);
    TRY(gs_comm_exchange(comm, &out, &in));
done:
    return status;
}
