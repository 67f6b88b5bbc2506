/* gather.c: see gather.h. An allgather takes equally many elements of each rank. Several of them
 * send parts of equal size, so that the buffers hold about twice the whole array even if one rank
 * has all elements. */
#include "dist/gather.h"

#include <string.h>

#include "core/try.h"

#define MIN_STEP 64 /* elements of a message, at least */

static void set_step(gs_gather *g, int ranks)
{
    const int64_t even = 2 * (g->first[ranks] / ranks + 1);

    g->step = even > MIN_STEP ? even : MIN_STEP;
    for (int r = 0; r < ranks; r++) {
        const int64_t count = g->first[r + 1] - g->first[r];
        if (count > g->most) g->most = count;
    }
    if (g->step > g->most) g->step = g->most;
}

gsolve_status gs_gather_new(gs_gather *g, gsolve_context *ctx, int64_t count)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    gsolve_status status;

    memset(g, 0, sizeof *g);
    g->first = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks + 1, sizeof *g->first);
    TRY(gs_comm_check(ctx->comm, g->first ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    g->first[0] = 0;
    g->first[1] = count;
    if (ctx->comm) TRY(gs_comm_allgather(ctx->comm, &count, sizeof count, &g->first[1]));
    for (int r = 0; r < ranks; r++) g->first[r + 1] += g->first[r];
    set_step(g, ranks);
done:
    if (status != GSOLVE_OK) gs_gather_drop(g, ctx);
    return status;
}

void gs_gather_drop(gs_gather *g, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, g->first);
    gsolve_free(ctx, GSOLVE_HOST, g->send);
    gsolve_free(ctx, GSOLVE_HOST, g->recv);
    memset(g, 0, sizeof *g);
}

gsolve_status gs_gather_reserve(gs_gather *g, gsolve_context *ctx, size_t width)
{
    const size_t ranks = (size_t)gs_comm_ranks(ctx->comm), step = (size_t)g->step;
    gsolve_status status = GSOLVE_OK;

    if (width <= g->width) return GSOLVE_OK;
    g->width = 0;
    gsolve_free(ctx, GSOLVE_HOST, g->send);
    gsolve_free(ctx, GSOLVE_HOST, g->recv);
    g->send = gsolve_alloc(ctx, GSOLVE_HOST, step, width);
    g->recv = gsolve_alloc(ctx, GSOLVE_HOST, step * ranks, width);
    TRY(gs_comm_check(ctx->comm, g->send && g->recv ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    g->width = width;
done:
    return status;
}

/* The elements of rank r in the message that begins at element `at` of each rank. */
static int64_t part_of(const gs_gather *g, int r, int64_t at)
{
    const int64_t left = g->first[r + 1] - g->first[r] - at;

    return left < 0 ? 0 : left < g->step ? left : g->step;
}

gsolve_status gs_gather_run(gs_gather *g, gsolve_context *ctx, size_t width, const void *own,
                            void *all)
{
    const size_t bytes = (size_t)g->step * width;
    gs_comm *comm = ctx->comm;
    gsolve_status status = GSOLVE_OK;

    if (!comm) {
        if (g->most > 0) memcpy(all, own, (size_t)g->most * width);
        return GSOLVE_OK;
    }
    for (int64_t at = 0; at < g->most; at += g->step) {
        const size_t part = (size_t)part_of(g, comm->rank, at) * width;
        memset(g->send, 0, bytes);
        if (part > 0) memcpy(g->send, (const char *)own + (size_t)at * width, part);
        TRY(gs_comm_allgather(comm, g->send, bytes, g->recv));
        for (int r = 0; r < comm->ranks; r++) {
            const size_t some = (size_t)part_of(g, r, at) * width;
            char *to = (char *)all + (size_t)(g->first[r] + at) * width;
            if (some > 0) memcpy(to, g->recv + (size_t)r * bytes, some);
        }
    }
done:
    return status;
}
