/* halo.c: who sends what to whom, and the exchange. */
#include "dist/halo.h"

#include <string.h>

#include "core/try.h"
#include "dist/counts.h"
#include "vector/blocks.h"

/* --- set-up ----------------------------------------------------------------------------------- */

static gsolve_status copy_pack(gs_halo *halo, gsolve_context *ctx)
{
    const size_t count = (size_t)halo->out.first[halo->out.count];
    gsolve_status status = GSOLVE_OK;

    halo->pack_there = halo->pack;
    if (gs_location(ctx) == GSOLVE_HOST) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_DEVICE, halo->pack_there, count);
    TRY(gsolve_copy(ctx, halo->pack_there, GSOLVE_DEVICE, halo->pack, GSOLVE_HOST,
                    count * sizeof *halo->pack));
done:
    return status;
}

/* Tells the owners which elements this rank needs, and learns what others need: halo->pack. */
static gsolve_status ask(gs_halo *halo, gsolve_context *ctx, const gs_column_map *map)
{
    int64_t *number;
    gsolve_status status;

    number =
        gsolve_alloc(ctx, GSOLVE_HOST, (size_t)halo->out.first[halo->out.count], sizeof *number);
    halo->pack = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)halo->out.first[halo->out.count],
                              sizeof *halo->pack);
    TRY(gs_comm_check(ctx->comm, number && halo->pack ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    TRY(gs_message_sides_exchange(ctx, sizeof *number, &halo->in, map->ghost, &halo->out, number));
    for (int64_t k = 0; k < halo->out.first[halo->out.count]; k++) {
        halo->pack[k] = (int32_t)(number[k] - map->own.first);
    }
    TRY(gs_comm_check(ctx->comm, copy_pack(halo, ctx)));
done:
    gsolve_free(ctx, GSOLVE_HOST, number);
    return status;
}

gsolve_status gs_halo_new(gs_halo *halo, gsolve_context *ctx, const gs_column_map *map,
                          const gs_ownership *owner)
{
    const int ranks = owner->ranks;
    int64_t *number; /* elements that this rank needs of each rank; then those each needs of it */
    gsolve_status status;

    memset(halo, 0, sizeof *halo);
    number = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof *number);
    TRY(gs_comm_check(ctx->comm, number ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    memset(number, 0, (size_t)ranks * sizeof *number);
    for (int32_t g = 0; g < map->ghosts; g++) number[gs_owner(owner, map->ghost[g])]++;
    TRY(gs_comm_check(ctx->comm, gs_message_side_set(&halo->in, ctx, ranks, number)));
    TRY(gs_comm_exchange_counts(ctx->comm, number));
    status = gs_message_side_set(&halo->out, ctx, ranks, number);
    TRY(gs_comm_check(ctx->comm, status));
    if (ctx->comm) TRY(ask(halo, ctx, map));
done:
    gsolve_free(ctx, GSOLVE_HOST, number);
    if (status != GSOLVE_OK) gs_halo_drop(halo, ctx);
    return status;
}

static void drop_ghost(gs_halo *halo, gsolve_context *ctx)
{
    if (halo->ghost != halo->in.buffer) gsolve_free(ctx, GSOLVE_DEVICE, halo->ghost);
    halo->ghost = NULL;
}

void gs_halo_drop(gs_halo *halo, gsolve_context *ctx)
{
    drop_ghost(halo, ctx);
    gs_message_side_drop(&halo->in, ctx);
    gs_message_side_drop(&halo->out, ctx);
    if (halo->pack_there != halo->pack) gsolve_free(ctx, GSOLVE_DEVICE, halo->pack_there);
    gsolve_free(ctx, GSOLVE_HOST, halo->pack);
    memset(halo, 0, sizeof *halo);
}

/* --- the exchange ----------------------------------------------------------------------------- */

/* Whether there is no other rank. */
static bool is_alone(const gsolve_context *ctx)
{
    return gs_comm_ranks(ctx->comm) == 1;
}

static gsolve_status grow(gs_message_side *side, gsolve_context *ctx, size_t width)
{
    gsolve_free(ctx, GSOLVE_HOST, side->buffer);
    side->buffer = gs_alloc_pinned(ctx, (size_t)side->first[side->count], width);
    return side->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static gsolve_status grow_all(gs_halo *halo, gsolve_context *ctx, size_t width)
{
    gsolve_status status;

    drop_ghost(halo, ctx);
    TRY(grow(&halo->in, ctx, width));
    TRY(grow(&halo->out, ctx, width));
    halo->ghost = halo->in.buffer;
    if (gs_location(ctx) == GSOLVE_HOST) goto done;
    halo->ghost = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)halo->in.first[halo->in.count], width);
    if (!halo->ghost) status = GSOLVE_NO_MEMORY;
done:
    return status;
}

gsolve_status gs_halo_reserve(gs_halo *halo, gsolve_context *ctx, gsolve_type type, int32_t ncols)
{
    const size_t width = (size_t)ncols * gs_type_size(type);
    gsolve_status status = GSOLVE_OK;

    if (is_alone(ctx) || width == 0) return GSOLVE_OK;
    if (width > halo->most) {
        halo->most = 0;
        TRY(gs_comm_check(ctx->comm, grow_all(halo, ctx, width)));
        halo->most = width;
    }
    if (width != halo->width) {
        gs_messages_of_width(&halo->in, width, NULL);
        gs_messages_of_width(&halo->out, width, NULL);
        halo->width = width;
    }
done:
    return status;
}

#define GS_BODY "dist/halo_body.h"
#include "core/each_type.h"

static gsolve_status copy(gs_queue *q, size_t bytes, const void *from, void *to)
{
    gs_copy_host(gs_queue_threads(q), to, from, bytes);
    return GSOLVE_OK;
}

const gs_halo_kernels gs_halo_host[GSOLVE_TYPE_COUNT] = {{pack_f32, add_f32, copy},
                                                         {pack_f64, add_f64, copy}};

/* What works on a vector where it lies: kernels, their queue, and halo->pack. */
typedef struct worker {
    const gs_halo_kernels *kernels;
    gs_queue *q;
    const int32_t *pack;
    struct gs_host_queue on_host;
} worker;

static void set_worker(worker *w, const gs_halo *halo, const gsolve_context *ctx,
                       const gsolve_dense *v)
{
    const bool there = v->location == GSOLVE_DEVICE;

    w->on_host.threads = gsolve_threads(ctx);
    w->kernels = there ? GS_SCALAR_KERNELS(gs_halo, ctx, v->type) : &gs_halo_host[v->type];
    w->q = there ? ctx->queue : (gs_queue *)(void *)&w->on_host;
    w->pack = there ? halo->pack_there : halo->pack;
}

/* Whether messages of a vector at this location wait for the device. */
static bool is_asynchronous(const gs_comm *comm, bool there)
{
    return there && gs_comm_is_asynchronous(comm);
}

/* On a GPU the messages leave in gs_halo_end, when the device has packed them; meanwhile it
 * computes what it was given after that. */
gsolve_status gs_halo_begin(gs_halo *halo, gsolve_context *ctx, gsolve_dense x)
{
    const int64_t n = halo->out.first ? halo->out.first[halo->out.count] : 0;
    worker w;
    gsolve_messages out, in;

    halo->packed = GSOLVE_OK;
    halo->there = x.location == GSOLVE_DEVICE;
    if (is_alone(ctx) || x.ncols == 0) return GSOLVE_OK;
    set_worker(&w, halo, ctx, &x);
    if (n > 0) halo->packed = w.kernels->pack(w.q, n, w.pack, &x, halo->out.buffer);
    if (is_asynchronous(ctx->comm, halo->there)) {
        if (halo->packed == GSOLVE_OK) halo->packed = gs_comm_mark(ctx->comm);
        ctx->comm->pending = true;
        return GSOLVE_OK;
    }
    out = gs_messages_of(&halo->out, halo->out.buffer);
    in = gs_messages_of(&halo->in, halo->in.buffer);
    return gs_comm_exchange_begin(ctx->comm, &out, &in);
}

/* Exchanges the messages of both sides when the device has written them. Returns its failure, or
 * that of this rank before, after the messages. */
static gsolve_status exchange_written(gs_comm *comm, const gs_message_side *from,
                                      const gs_message_side *to, gsolve_status local)
{
    const gsolve_messages out = gs_messages_of(from, from->buffer),
                          in = gs_messages_of(to, to->buffer);
    gsolve_status status;

    if (local == GSOLVE_OK) local = gs_comm_reach(comm);
    status = gs_comm_exchange(comm, &out, &in);
    return status == GSOLVE_OK ? local : status;
}

gsolve_status gs_halo_end(gs_halo *halo, gsolve_context *ctx)
{
    const size_t bytes = halo->in.first ? (size_t)halo->in.first[halo->in.count] * halo->width : 0;
    gs_comm *comm = ctx->comm;
    gsolve_status status;

    if (is_alone(ctx)) return GSOLVE_OK;
    if (is_asynchronous(comm, halo->there)) {
        if (!comm->pending) return GSOLVE_OK;
        comm->pending = false;
        TRY(exchange_written(comm, &halo->out, &halo->in, halo->packed));
    } else {
        TRY(gs_comm_exchange_end(comm));
    }
    if (halo->there && halo->ghost != halo->in.buffer && bytes > 0) {
        TRY(GS_SCALAR_KERNELS(gs_halo, ctx, GSOLVE_F64)
                ->copy(ctx->queue, bytes, halo->in.buffer, halo->ghost));
    }
done:
    return status;
}

/* Adds what other ranks sent, message by message, since several may have sent the same element. */
static gsolve_status add_messages(const gs_halo *halo, gsolve_context *ctx, const gsolve_dense *y)
{
    const size_t width = halo->width;
    worker w;
    gsolve_status status = GSOLVE_OK;

    set_worker(&w, halo, ctx, y);
    for (int m = 0; m < halo->out.count && status == GSOLVE_OK; m++) {
        const int64_t first = halo->out.first[m], n = halo->out.first[m + 1] - first;
        status = w.kernels->add(w.q, n, w.pack + first,
                                (const char *)halo->out.buffer + (size_t)first * width, y);
    }
    return status;
}

gsolve_status gs_halo_add_back(gs_halo *halo, gsolve_context *ctx, gsolve_dense y)
{
    const bool there = y.location == GSOLVE_DEVICE;
    gsolve_status status = GSOLVE_OK;

    if (is_alone(ctx) || y.ncols == 0) return GSOLVE_OK;
    if (is_asynchronous(ctx->comm, there)) status = gs_comm_mark(ctx->comm);
    if (is_asynchronous(ctx->comm, there)) {
        TRY(exchange_written(ctx->comm, &halo->in, &halo->out, status));
    } else {
        const gsolve_messages out = gs_messages_of(&halo->in, halo->in.buffer);
        const gsolve_messages in = gs_messages_of(&halo->out, halo->out.buffer);
        TRY(gs_comm_exchange(ctx->comm, &out, &in));
    }
    TRY(add_messages(halo, ctx, &y));
done:
    return status;
}

gsolve_status gs_halo_join(gs_halo *halo, gsolve_context *ctx, int32_t ncols, bool back)
{
    const gs_message_side *from = back ? &halo->in : &halo->out,
                          *to = back ? &halo->out : &halo->in;
    gsolve_messages out, in;
    gsolve_status status;

    if (is_alone(ctx) || ncols == 0) return GSOLVE_OK;
    gs_halo_wait(ctx); /* a failure of the device is not that of the messages */
    out = gs_messages_of(from, from->buffer);
    in = gs_messages_of(to, to->buffer);
    memset(out.buffer, 0, (size_t)from->first[from->count] * halo->width);
    TRY(gs_comm_exchange(ctx->comm, &out, &in));
done:
    return status;
}

gsolve_status gs_halo_wait(gsolve_context *ctx)
{
    gsolve_status status = GSOLVE_OK;

    if (is_alone(ctx)) return GSOLVE_OK;
    TRY(gs_comm_mark(ctx->comm));
    TRY(gs_comm_reach(ctx->comm));
done:
    return status;
}
