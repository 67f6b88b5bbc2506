/* traffic.c: see traffic.h. */
#include "partition/traffic.h"

#include <string.h>

#include "core/try.h"
#include "dist/counts.h"

gsolve_status gs_traffic_new(gs_traffic *t, gsolve_context *ctx)
{
    const size_t ranks = (size_t)gs_comm_ranks(ctx->comm);
    gsolve_status status;

    t->rank = ctx->comm ? ctx->comm->rank : 0;
    t->ranks = (int)ranks;
    ALLOC(ctx, GSOLVE_HOST, t->out, ranks);
    ALLOC(ctx, GSOLVE_HOST, t->in, ranks);
    ALLOC(ctx, GSOLVE_HOST, t->peer, 2 * ranks);
    ALLOC(ctx, GSOLVE_HOST, t->offset, 2 * (ranks + 1));
    memset(t->out, 0, ranks * sizeof *t->out);
    memset(t->in, 0, ranks * sizeof *t->in);
done:
    return status;
}

void gs_traffic_drop(gs_traffic *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->out);
    gsolve_free(ctx, GSOLVE_HOST, t->in);
    gsolve_free(ctx, GSOLVE_HOST, t->peer);
    gsolve_free(ctx, GSOLVE_HOST, t->offset);
    memset(t, 0, sizeof *t);
}

gsolve_status gs_traffic_agree(gs_traffic *t, gsolve_context *ctx, int64_t *before, int64_t *total)
{
    int64_t sum = 0;
    gsolve_status status;

    memcpy(t->in, t->out, (size_t)t->ranks * sizeof *t->in);
    TRY(gs_comm_exchange_counts(ctx->comm, t->in));
    for (int r = 0; r < t->ranks; r++) {
        if (before) before[r] = sum; /* for rank r: what the ranks before it give to this one */
        sum += t->in[r];
    }
    if (before) TRY(gs_comm_exchange_counts(ctx->comm, before));
    if (total) total[t->rank] = sum;
    if (total && ctx->comm) TRY(gs_comm_allgather(ctx->comm, &sum, sizeof sum, total));
done:
    return status;
}

/* The messages to or from the ranks `begin` to `end` - 1: pieces of `buffer`, which has those of
 * all ranks. Arrays of t hold their description; second: the other half of them. */
static gsolve_messages messages_of(const gs_traffic *t, bool second, const int64_t *count,
                                   int begin, int end, size_t size, void *buffer)
{
    int *peer = t->peer + (second ? t->ranks : 0), found = 0;
    size_t *offset = t->offset + (second ? t->ranks + 1 : 0), at = 0;

    for (int r = 0; r < begin; r++) at += (size_t)count[r] * size;
    offset[0] = at;
    for (int r = begin; r < end; r++) {
        if (count[r] == 0) continue;
        at += (size_t)count[r] * size;
        peer[found++] = r;
        offset[found] = at;
    }
    return (gsolve_messages){found, peer, offset, buffer};
}

/* Two exchanges, to higher and to lower ranks: the elements that a rank keeps lie between those for
 * lower and for higher ranks, and messages must follow one another. */
gsolve_status gs_traffic_move(const gs_traffic *t, gsolve_context *ctx, bool back, size_t size,
                              const void *from, void *to)
{
    const int64_t *out = back ? t->in : t->out, *in = back ? t->out : t->in;
    void *const given = (void *)(uintptr_t)from;
    size_t sent = 0, got = 0;
    gsolve_status status = GSOLVE_OK;

    for (int r = 0; r < t->rank; r++) sent += (size_t)out[r] * size, got += (size_t)in[r] * size;
    if (out[t->rank] > 0) {
        memcpy((char *)to + got, (const char *)from + sent, (size_t)out[t->rank] * size);
    }
    if (!ctx->comm) return GSOLVE_OK;
    for (int up = 0; up < 2; up++) {
        const int low = t->rank, high = t->rank + 1, all = t->ranks;
        const gsolve_messages send =
            messages_of(t, false, out, up ? high : 0, up ? all : low, size, given);
        const gsolve_messages receive =
            messages_of(t, true, in, up ? 0 : high, up ? low : all, size, to);
        TRY(gs_comm_exchange(ctx->comm, &send, &receive));
    }
done:
    return status;
}
