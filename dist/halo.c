/* halo.c: who sends what to whom, and the exchange. */
#include "dist/halo.h"

#include <string.h>

#include "core/try.h"
#include "dist/counts.h"
#include "vector/blocks.h"

/* --- set-up ----------------------------------------------------------------------------------- */

static gsolve_status new_side(gs_halo_side *side, gsolve_context *ctx, int count)
{
    gsolve_status status;

    side->count = count;
    ALLOC(ctx, GSOLVE_HOST, side->rank, count);
    ALLOC(ctx, GSOLVE_HOST, side->first, count + 1);
    ALLOC(ctx, GSOLVE_HOST, side->offset, count + 1);
    side->first[0] = 0;
done:
    return status;
}

static void drop_side(gs_halo_side *side, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, side->rank);
    gsolve_free(ctx, GSOLVE_HOST, side->first);
    gsolve_free(ctx, GSOLVE_HOST, side->offset);
    gsolve_free(ctx, GSOLVE_HOST, side->buffer);
    memset(side, 0, sizeof *side);
}

/* Sets one side from the number of elements of the message to or from each rank. */
static gsolve_status set_side(gs_halo_side *side, gsolve_context *ctx, int ranks,
                              const int64_t *number)
{
    int count = 0;
    gsolve_status status;

    for (int r = 0; r < ranks; r++) count += number[r] > 0;
    TRY(new_side(side, ctx, count));
    for (int r = 0, k = 0; r < ranks; r++) {
        const int64_t elements = number[r];
        if (elements == 0) continue;
        side->rank[k] = r;
        side->first[k + 1] = side->first[k] + elements;
        k++;
    }
done:
    return status;
}

static void set_width(gs_halo_side *side, size_t width)
{
    for (int k = 0; k <= side->count; k++) side->offset[k] = (size_t)side->first[k] * width;
}

static gsolve_messages messages_of(const gs_halo_side *side, void *buffer)
{
    return (gsolve_messages){side->count, side->rank, side->offset, buffer};
}

/* Tells the owners which elements this rank needs, and learns what others need: halo->pack. */
static gsolve_status ask(gs_halo *halo, gsolve_context *ctx, const gs_column_map *map)
{
    gsolve_messages request, asked;
    int64_t *number;
    gsolve_status status;

    number =
        gsolve_alloc(ctx, GSOLVE_HOST, (size_t)halo->out.first[halo->out.count], sizeof *number);
    halo->pack = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)halo->out.first[halo->out.count],
                              sizeof *halo->pack);
    TRY(gs_comm_check(ctx->comm, number && halo->pack ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    set_width(&halo->in, sizeof(int64_t));
    set_width(&halo->out, sizeof(int64_t));
    request = messages_of(&halo->in, map->ghost);
    asked = messages_of(&halo->out, number);
    TRY(gs_comm_exchange(ctx->comm, &request, &asked));
    for (int64_t k = 0; k < halo->out.first[halo->out.count]; k++) {
        halo->pack[k] = (int32_t)(number[k] - map->own.first);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, number);
    return status;
}

gsolve_status gs_halo_new(gs_halo *halo, gsolve_context *ctx, const gs_column_map *map,
                          const gs_ownership *owner)
{
    const int ranks = owner->ranks;
    int64_t *number; /* the elements that this rank needs of each rank; then what each needs of it */
    gsolve_status status;

    memset(halo, 0, sizeof *halo);
    number = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof *number);
    TRY(gs_comm_check(ctx->comm, number ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    memset(number, 0, (size_t)ranks * sizeof *number);
    for (int32_t g = 0; g < map->ghosts; g++) number[gs_owner(owner, map->ghost[g])]++;
    TRY(gs_comm_check(ctx->comm, set_side(&halo->in, ctx, ranks, number)));
    TRY(gs_comm_exchange_counts(ctx->comm, number));
    status = set_side(&halo->out, ctx, ranks, number);
    TRY(gs_comm_check(ctx->comm, status));
    if (ctx->comm) TRY(ask(halo, ctx, map));
done:
    gsolve_free(ctx, GSOLVE_HOST, number);
    if (status != GSOLVE_OK) gs_halo_drop(halo, ctx);
    return status;
}

void gs_halo_drop(gs_halo *halo, gsolve_context *ctx)
{
    drop_side(&halo->in, ctx);
    drop_side(&halo->out, ctx);
    gsolve_free(ctx, GSOLVE_HOST, halo->pack);
    memset(halo, 0, sizeof *halo);
}

/* --- the exchange ----------------------------------------------------------------------------- */

static gsolve_status grow(gs_halo_side *side, gsolve_context *ctx, size_t width)
{
    gsolve_free(ctx, GSOLVE_HOST, side->buffer);
    side->buffer = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)side->first[side->count], width);
    return side->buffer ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

gsolve_status gs_halo_reserve(gs_halo *halo, gsolve_context *ctx, gsolve_type type, int32_t ncols)
{
    const size_t width = (size_t)ncols * gs_type_size(type);
    gsolve_status status = GSOLVE_OK;

    if (!ctx->comm || width == 0) return GSOLVE_OK;
    if (width > halo->most) {
        halo->most = 0;
        status = grow(&halo->in, ctx, width);
        if (status == GSOLVE_OK) status = grow(&halo->out, ctx, width);
        TRY(gs_comm_check(ctx->comm, status));
        halo->most = width;
    }
    if (width != halo->width) {
        set_width(&halo->in, width);
        set_width(&halo->out, width);
        halo->width = width;
    }
done:
    return status;
}

#define GS_BODY "dist/halo_body.h"
#include "core/each_type.h"

gsolve_status gs_halo_begin(gs_halo *halo, gsolve_context *ctx, gsolve_dense x)
{
    gsolve_messages out, in;

    if (!ctx->comm || x.ncols == 0) return GSOLVE_OK;
    if (x.type == GSOLVE_F32) {
        pack_f32(halo, ctx, &x);
    } else {
        pack_f64(halo, ctx, &x);
    }
    out = messages_of(&halo->out, halo->out.buffer);
    in = messages_of(&halo->in, halo->in.buffer);
    return gs_comm_exchange_begin(ctx->comm, &out, &in);
}

gsolve_status gs_halo_end(gs_halo *halo, gsolve_context *ctx)
{
    (void)halo;
    return ctx->comm ? gs_comm_exchange_end(ctx->comm) : GSOLVE_OK;
}

gsolve_status gs_halo_add_back(gs_halo *halo, gsolve_context *ctx, gsolve_dense y)
{
    gsolve_messages out, in;
    gsolve_status status;

    if (!ctx->comm || y.ncols == 0) return GSOLVE_OK;
    out = messages_of(&halo->in, halo->in.buffer);
    in = messages_of(&halo->out, halo->out.buffer);
    TRY(gs_comm_exchange(ctx->comm, &out, &in));
    if (y.type == GSOLVE_F32) {
        add_f32(halo, &y);
    } else {
        add_f64(halo, &y);
    }
done:
    return status;
}
