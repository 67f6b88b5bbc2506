/* row_range.c: which rank owns a row. */
#include "dist/row_range.h"

#include "core/try.h"

/* Fails unless the ranges of all ranks follow one another. All ranks see the same ranges. */
static gsolve_status check(gsolve_context *ctx, const gsolve_row_range *range, int ranks,
                           const char *what)
{
    int64_t next = 0;

    for (int r = 0; r < ranks; r++) {
        if (range[r].count < 0 || range[r].first != next || range[r].total != range[0].total) {
            return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                               "rank %d owns %d %s from %lld on, of %lld; it must begin at %lld, "
                               "where the rank before ends, and all ranks must name the same total "
                               "(rank 0: %lld)",
                               r, range[r].count, what, (long long)range[r].first,
                               (long long)range[r].total, (long long)next,
                               (long long)range[0].total);
        }
        next += range[r].count;
    }
    if (next == range[0].total) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT,
                       "the ranks together own %lld %s, but the matrix has %lld", (long long)next,
                       what, (long long)range[0].total);
}

gsolve_status gs_ownership_new(gs_ownership *o, gsolve_context *ctx, const gsolve_row_range *range,
                               const char *what)
{
    const int ranks = gs_comm_ranks(ctx->comm);
    gsolve_row_range *all;
    gsolve_status status;

    o->ranks = ranks;
    o->first = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks + 1, sizeof *o->first);
    all = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)ranks, sizeof *all);
    TRY(gs_comm_check(ctx->comm, o->first && all ? GSOLVE_OK : GSOLVE_NO_MEMORY));
    all[0] = *range;
    if (ctx->comm) TRY(gs_comm_allgather(ctx->comm, range, sizeof *range, all));
    TRY(check(ctx, all, ranks, what));
    for (int r = 0; r < ranks; r++) o->first[r] = all[r].first;
    o->first[ranks] = range->total;
done:
    gsolve_free(ctx, GSOLVE_HOST, all);
    if (status != GSOLVE_OK) gs_ownership_drop(o, ctx);
    return status;
}

void gs_ownership_drop(gs_ownership *o, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, o->first);
    o->first = NULL;
}

int gs_owner(const gs_ownership *o, int64_t row)
{
    int low = 0, high = o->ranks; /* first[low] <= row < first[high] */

    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (o->first[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
