/* ellr.c: the format ellr, ELLPACK-R: rows side by side with their lengths stored, so that padding
 * is never read, and T threads to a row. Slices are as wide as their longest row, not all as wide
 * as the longest of all as in the paper: what is never read need not be stored either. */
#include "spmv/sliced/sliced.h"

#include <stdio.h>

#include "core/try.h"
#include "spmv/matrix.h"

#define SPARSE 1.1 /* slots to an entry from which on the CPU sorts rows */
#define SHARE  16  /* entries for a thread, about, where threads are not given */

typedef struct ellr_options {
    int threads, most, index, value;
} ellr_options;

static const gsolve_option options[] = {
    {"threads",
     "to a row: 1, 2, 4, 8, 16 or 32; 0: by the mean length of rows on a GPU, 1 on the CPU",
     GSOLVE_INT, offsetof(ellr_options, threads), 0, 0, GS_SLICED_WARP, NULL},
    {"most",
     "longer rows are multiplied as they are, in parts; 0: 4 times the mean, but at least 128",
     GSOLVE_INT, offsetof(ellr_options, most), 0, 0, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(ellr_options),
    {0},
};

/* On slices of so many lanes. */
static int32_t threads_of(int threads, int32_t slice, int32_t rows, int64_t entries)
{
    int32_t lanes = 1;

    if (threads > 0 || slice < GS_SLICED_WARP) return threads > 0 ? threads : 1;
    while (lanes < GS_SLICED_WARP && entries > (int64_t)rows * SHARE * lanes) lanes *= 2;
    return lanes;
}

/* The CPU reads lines of eight lanes: where most of their slots would be padding, whose rows end
 * early, rows are sorted by length after all. */
static gsolve_status sort_if_sparse(gsolve_context *ctx, const gsolve_csr *csr,
                                    gs_sliced_policy *policy)
{
    gs_sliced_facts facts = {.entries = policy->entries};
    const int32_t rows = policy->lanes / policy->group->lanes, window = gs_sliced_window(ctx, csr);
    gsolve_status status;

    TRY(gs_sliced_look(ctx, csr, rows, policy->most, &facts));
    if ((double)facts.stored <= SPARSE * (double)facts.kept) goto done;
    TRY(gs_sliced_sort(ctx, csr, window, policy->most, &policy->order));
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    const ellr_options *o = chosen;
    gs_sliced_group all = {0, 1, 0};
    gs_sliced_policy policy = {.lanes = gs_sliced_lanes(ctx),
                               .groups = 1,
                               .group = &all,
                               .lengths = true,
                               .index = o->index,
                               .value = o->value};
    int64_t entries;
    gs_sliced *s;
    gsolve_status status;

    if (o->threads & (o->threads - 1)) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "ellr,threads=%d: 1, 2, 4, 8, 16 or 32, or 0 for a choice", o->threads);
    }
    TRY(gs_csr_entries(ctx, csr, &entries));
    policy.entries = entries;
    all.lanes = threads_of(o->threads, policy.lanes, csr->nrows, entries);
    if (all.lanes > policy.lanes) policy.lanes = all.lanes;
    policy.most = gs_sliced_most(o->most, csr->nrows, entries);
    if (ctx->device != &gs_device_cuda) TRY(sort_if_sparse(ctx, csr, &policy));
    TRY(gs_sliced_make(&s, ctx, csr, &policy));
    snprintf(s->note, sizeof s->note, "%d lane%s to a row", all.lanes, all.lanes > 1 ? "s" : "");
    *self = s;
done:
    return status;
}

static size_t forecast(const gsolve_csr *csr, const void *chosen)
{
    const ellr_options *o = chosen;
    const int64_t entries = gs_start(csr, csr->nrows);
    const int32_t lanes = threads_of(o->threads, GS_SLICED_WARP, csr->nrows, entries);
    const int32_t most = gs_sliced_most(o->most, csr->nrows, entries);
    const int32_t rows = GS_SLICED_WARP / lanes; /* of a slice; a row fills its last column */
    const double stored = gs_sliced_foretell(csr, rows, 1, most) + (double)csr->nrows * (lanes - 1);

    return gs_sliced_bytes(csr, stored, rows, true);
}

const gsolve_format gs_ellr_format = {
    .plugin = {"ellr", "rows side by side with their lengths, several threads to a row (ELLPACK-R)",
               options, sizeof(ellr_options)},
    .build = build,
    .destroy = gs_sliced_destroy,
    .apply = gs_sliced_apply,
    .apply_block = gs_sliced_apply_block,
    .by_rows = true,
    .apply_dot = gs_sliced_apply_dot,
    .update = gs_sliced_update,
    .forecast = forecast,
    .describe = gs_sliced_describe,
};
