/* message_side.c: see message_side.h. */
#include "dist/message_side.h"

#include <string.h>

#include "core/try.h"

static gsolve_status allocate(gs_message_side *side, gsolve_context *ctx, int count)
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

gsolve_status gs_message_side_set(gs_message_side *side, gsolve_context *ctx, int ranks,
                                  const int64_t *number)
{
    int count = 0;
    gsolve_status status;

    for (int r = 0; r < ranks; r++) count += number[r] > 0;
    TRY(allocate(side, ctx, count));
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

void gs_message_side_drop(gs_message_side *side, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, side->rank);
    gsolve_free(ctx, GSOLVE_HOST, side->first);
    gsolve_free(ctx, GSOLVE_HOST, side->offset);
    gsolve_free(ctx, GSOLVE_HOST, side->buffer);
    memset(side, 0, sizeof *side);
}

gsolve_messages gs_messages_of_width(const gs_message_side *side, size_t width, void *buffer)
{
    for (int k = 0; k <= side->count; k++) side->offset[k] = (size_t)side->first[k] * width;
    return gs_messages_of(side, buffer);
}

gsolve_messages gs_messages_of(const gs_message_side *side, void *buffer)
{
    return (gsolve_messages){side->count, side->rank, side->offset, buffer};
}

gsolve_status gs_message_sides_exchange(gsolve_context *ctx, size_t width,
                                        const gs_message_side *out, const void *from,
                                        const gs_message_side *in, void *to)
{
    gsolve_messages sent, received;

    if (!ctx->comm) return GSOLVE_OK;
    sent = gs_messages_of_width(out, width, (void *)(uintptr_t)from);
    received = gs_messages_of_width(in, width, to);
    return gs_comm_exchange(ctx->comm, &sent, &received);
}
