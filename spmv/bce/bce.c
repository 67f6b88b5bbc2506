/* bce.c: the format bce, see bce.h. */
#include "spmv/bce/bce.h"

#include <stdio.h>

#include "core/try.h"
#include "spmv/bce/bce_plan.h"
#include "spmv/handle.h"
#include "spmv/sliced/sliced.h"

#define LEAST 1024 /* rows of a window, at least */

static const gsolve_option options[] = {
    {"blocks",
     "largest number of blocks; a block is a group of rows with similar lengths; 0: as many as "
     "reduce the cost, at most 128",
     GSOLVE_INT, offsetof(gs_bce_options, blocks), 0, 0, GS_BCE_MOST_BLOCKS, NULL},
    {"cost",
     "what the partition into blocks minimises; bytes: the bytes that a product moves; paper: the "
     "stored entries, where a block counts as at least 128 rows, as Yang, Li and Li do",
     GSOLVE_CHOICE, offsetof(gs_bce_options, cost), GS_BCE_BYTES, 0, 0, "bytes|paper"},
    {"window",
     "rows are grouped within windows of this number of consecutive rows, 1024 or more, so that "
     "their part of x stays in cache. 0 chooses: 65536 on a GPU; on the CPU 2048, or 65536 if "
     "neighbouring rows read distant parts of x",
     GSOLVE_INT, offsetof(gs_bce_options, window), 0, 0, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(gs_bce_options),
    {0},
};

/* --- making it -------------------------------------------------------------------------------- */

static bool same_lanes(const gs_bce_plan *p)
{
    for (int32_t b = 1; b < p->best.blocks; b++) {
        if (p->lanes[b] != p->lanes[0]) return false;
    }
    return true;
}

/* Finds the runs of positions whose rows have equally many lanes, from the positions where blocks
 * begin in each window. Returns their number. */
static int32_t find_groups(const gs_bce_plan *p, const int32_t *first, int32_t n,
                           gs_sliced_group *group)
{
    const int32_t blocks = p->positions.blocks, all = p->positions.windows * blocks;
    int32_t groups = 0;

    for (int32_t k = 0; k < all; k++) {
        const int32_t end = k + 1 < all ? first[k + 1] : n, lanes = p->lanes[k % blocks];
        if (first[k] == end || (groups > 0 && group[groups - 1].lanes == lanes)) continue;
        group[groups++] = (gs_sliced_group){first[k], lanes, 0};
    }
    return groups;
}

static gsolve_status make(gs_sliced **form, gsolve_context *ctx, const gsolve_csr *csr,
                          const gs_bce_plan *p, gs_sliced_policy *policy)
{
    const gs_bce_kernels *bce = GS_KERNELS(gs_bce, ctx, csr->type);
    const int64_t all = (int64_t)p->positions.windows * p->positions.blocks;
    const gs_sliced_group alone = {0, p->best.blocks > 0 ? p->lanes[0] : 1, 0};
    gs_sliced_group *group = NULL;
    int32_t *first = NULL;
    gsolve_status status = GSOLVE_OK;

    policy->groups = 1;
    policy->group = &alone;
    if (same_lanes(p)) {
        if (p->best.blocks > 1) TRY(bce->sort(ctx, csr, &p->positions, &policy->order, NULL));
    } else {
        ALLOC(ctx, GSOLVE_HOST, first, all);
        ALLOC(ctx, GSOLVE_HOST, group, all);
        TRY(bce->sort(ctx, csr, &p->positions, &policy->order, first));
        policy->groups = find_groups(p, first, csr->nrows, group);
        policy->group = group;
    }
    status = gs_sliced_make(form, ctx, csr, policy);
done:
    gsolve_free(ctx, GSOLVE_HOST, first);
    gsolve_free(ctx, GSOLVE_HOST, group);
    return status;
}

static void write_note(gs_sliced *form, const gs_bce_partition *best)
{
    const gs_bce_class *block = best->block;
    const int last = best->blocks - 1;

    if (last < 0) return;
    if (last == 0) {
        snprintf(form->note, sizeof form->note, "1 group of rows, padded to %d entries",
                 block[0].width);
    } else {
        snprintf(form->note, sizeof form->note, "%d groups of rows, padded to %d to %d entries",
                 best->blocks, block[0].width, block[last].width);
    }
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen)
{
    const gs_bce_options *o = chosen;
    int32_t rows[GS_BCE_LONGEST + 1];
    gs_sliced_facts facts = {.entries = entries};
    gs_sliced *form;
    gs_bce_plan p;
    gsolve_status status;

    if (o->window > 0 && o->window < LEAST) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "bce,window=%d: window must be %d or more, or 0",
                           o->window, LEAST);
    }
    TRY(GS_KERNELS(gs_bce, ctx, csr->type)->count(ctx, csr, rows));
    gs_bce_make_plan(&p, o, csr, rows, gs_on_gpu(ctx));
    if (gs_bce_may_keep_order(&p, csr->nrows)) {
        TRY(gs_sliced_inspect(ctx, csr, p.model.lanes, GS_BCE_LONGEST, &facts));
        gs_bce_keep_order(&p, csr->nrows, (double)facts.stored);
    }
    gs_sliced_policy policy = {.lanes = p.model.lanes,
                               .most = GS_BCE_LONGEST,
                               .index = o->index,
                               .value = o->value,
                               .entries = entries};
    TRY(make(&form, ctx, csr, &p, &policy));
    write_note(form, &p.best);
    *self = form;
done:
    return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The memory in the layout of a GPU. It is used for devices with memory of their own only. */
static size_t estimate_memory(const gsolve_csr *csr, const void *chosen)
{
    const int32_t n = csr->nrows;
    int32_t rows[GS_BCE_LONGEST + 1] = {0};
    gs_bce_plan p;

    for (int32_t i = 0; i < n; i++) rows[gs_bce_length(csr, i)]++;
    gs_bce_make_plan(&p, chosen, csr, rows, true);
    const int32_t lanes = p.model.lanes;
    if (gs_bce_may_keep_order(&p, n)) {
        gs_bce_keep_order(&p, n, gs_sliced_estimate_stored(csr, lanes, 1, GS_BCE_LONGEST));
    }
    const gs_bce_stored stored = gs_bce_estimate_stored(&p, csr);
    const int64_t more =
        stored.slices - n / lanes; /* slices beyond those of n rows in full slices */
    return gs_sliced_bytes(csr, (double)stored.columns * lanes, lanes, p.best.blocks > 1) +
           (more > 0 ? (size_t)more * GS_SLICED_SLICE : 0);
}

const gsolve_format gs_bce_format = {
    .plugin = {"bce",
               "rows grouped by length; the partition into groups has the least cost (see cost), "
               "as in BCE of "
               "Yang, Li and Li",
               options, sizeof(gs_bce_options)},
    .build = build,
    .destroy = gs_sliced_destroy,
    .apply = gs_sliced_apply,
    .apply_block = gs_sliced_apply_block,
    .row_major = true,
    .apply_dot = gs_sliced_apply_dot,
    .update = gs_sliced_update,
    .memory = estimate_memory,
    .describe = gs_sliced_describe,
};
