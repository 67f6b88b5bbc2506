/* bce.c: the format bce, see bce.h. */
#include "spmv/bce/bce.h"

#include <string.h>

#include "core/try.h"
#include "spmv/matrix.h"
#include "spmv/sliced/sliced.h"

typedef struct bce_options {
    int blocks, cost, window, index, value;
} bce_options;

static const gsolve_option options[] = {
    {"blocks", "blocks at most; 0: as many as pay, up to 128", GSOLVE_INT,
     offsetof(bce_options, blocks), 0, 0, GS_BCE_MOST_BLOCKS, NULL},
    {"cost",
     "what the partition makes least: bytes moved, or entries stored with the paper's floor",
     GSOLVE_CHOICE, offsetof(bce_options, cost), GS_BCE_BYTES, 0, 0, "bytes|paper"},
    {"window", "rows within which they are grouped, so that x stays near; of all: as many or more",
     GSOLVE_INT, offsetof(bce_options, window), 65536, 1024, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(bce_options),
    {0},
};

/* --- what to do with rows of these lengths ---------------------------------------------------- */

typedef struct plan {
    gs_bce_model model;
    gs_bce_partition best;
    gs_bce_places places;
    int32_t lanes[GS_BCE_MOST_BLOCKS]; /* to a row; by block, the widest first */
} plan;

/* The classes of rows[m] rows of m entries each. */
static int find_classes(const int32_t *rows, gs_bce_class *class)
{
    int classes = 0;

    for (int32_t m = 0; m <= GS_BCE_LONGEST; m++) {
        if (rows[m] > 0) class[classes++] = (gs_bce_class){m, rows[m]};
    }
    return classes;
}

/* rows[m]: rows of m entries of csr, whose shape and type alone are looked at. */
static void make_plan(plan *p, const bce_options *o, const gsolve_csr *csr, const int32_t *rows,
                      bool gpu)
{
    const int32_t n = csr->nrows;
    const int64_t column = o->index == GS_INDEX_16 ? 2 : 4;
    gs_bce_class class[GS_BCE_LONGEST + 1];
    const int classes = find_classes(rows, class);
    gs_bce_places *places = &p->places;

    places->window = o->window < n ? o->window : n > 0 ? n : 1;
    places->windows = n / places->window + (n % places->window > 0);
    p->model =
        gs_bce_model_of((gs_bce_measure)o->cost, n, places->windows > 0 ? places->windows : 1,
                        (int64_t)gs_type_size(csr->type) + column, gpu);
    gs_bce_best(&p->best, &p->model, classes, class, o->blocks ? o->blocks : GS_BCE_MOST_BLOCKS);
    places->blocks = p->best.blocks;
    for (int32_t b = 0, m = 0; b < p->best.blocks; b++) {
        const gs_bce_class *block = &p->best.block[b];
        const int32_t place = p->best.blocks - 1 - b;
        p->lanes[place] = gs_bce_lanes(&p->model, block->width, block->rows);
        for (; m <= block->width; m++) places->block_of[m] = (uint8_t)place;
    }
}

static bool same_lanes(const plan *p)
{
    for (int32_t b = 1; b < p->best.blocks; b++) {
        if (p->lanes[b] != p->lanes[0]) return false;
    }
    return true;
}

/* --- making it -------------------------------------------------------------------------------- */

/* The stretches of places whose rows have as many lanes, from the first places of the blocks in
 * each window; returns how many. */
static int32_t find_groups(const plan *p, const int32_t *first, int32_t n, gs_sliced_group *group)
{
    const int32_t blocks = p->places.blocks, all = p->places.windows * blocks;
    int32_t groups = 0;

    for (int32_t k = 0; k < all; k++) {
        const int32_t end = k + 1 < all ? first[k + 1] : n, lanes = p->lanes[k % blocks];
        if (first[k] == end || (groups > 0 && group[groups - 1].lanes == lanes)) continue;
        group[groups++] = (gs_sliced_group){first[k], lanes, 0};
    }
    return groups;
}

static gsolve_status make(gs_sliced **form, gsolve_context *ctx, const gsolve_csr *csr,
                          const plan *p, gs_sliced_policy *policy)
{
    const gs_bce_kernels *bce = GS_KERNELS(gs_bce, ctx, csr->type);
    const int64_t all = (int64_t)p->places.windows * p->places.blocks;
    const gs_sliced_group alone = {0, p->best.blocks > 0 ? p->lanes[0] : 1, 0};
    gs_sliced_group *group = NULL;
    int32_t *first = NULL;
    gsolve_status status = GSOLVE_OK;

    policy->groups = 1;
    policy->group = &alone;
    if (same_lanes(p)) {
        if (p->best.blocks > 1) TRY(bce->sort(ctx, csr, &p->places, &policy->order, NULL));
    } else {
        ALLOC(ctx, GSOLVE_HOST, first, all);
        ALLOC(ctx, GSOLVE_HOST, group, all);
        TRY(bce->sort(ctx, csr, &p->places, &policy->order, first));
        policy->groups = find_groups(p, first, csr->nrows, group);
        policy->group = group;
    }
    status = gs_sliced_make(form, ctx, csr, policy);
done:
    gsolve_free(ctx, GSOLVE_HOST, first);
    gsolve_free(ctx, GSOLVE_HOST, group);
    return status;
}

/* One block, where the slices that rows make as they come cost less than the partition: these are
 * as wide as their own longest row, not as the block's. */
static gsolve_status keep_order(plan *p, gsolve_context *ctx, const gsolve_csr *csr)
{
    const gs_bce_model *model = &p->model;
    const gs_bce_class all = {p->best.block[p->best.blocks - 1].width, csr->nrows};
    gs_sliced_facts facts;
    gsolve_status status = GSOLVE_OK;

    if (gs_bce_lanes(model, all.width, all.rows) > 1) return status; /* to a row */
    TRY(gs_sliced_look(ctx, csr, model->lanes, GS_BCE_LONGEST, &facts));
    const int64_t slices = csr->nrows / model->lanes + 1;
    if (facts.stored * model->entry + slices * model->slice <= p->best.cost) {
        p->best.blocks = p->places.blocks = 1;
        p->best.block[0] = all;
        p->lanes[0] = 1;
    }
done:
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                           const void *chosen)
{
    const bce_options *o = chosen;
    int32_t rows[GS_BCE_LONGEST + 1];
    gs_sliced *form;
    plan p;
    gsolve_status status;

    TRY(GS_KERNELS(gs_bce, ctx, csr->type)->count(ctx, csr, rows));
    make_plan(&p, o, csr, rows, ctx->device == &gs_device_cuda);
    if (p.best.blocks > 1 && o->cost == GS_BCE_BYTES) TRY(keep_order(&p, ctx, csr));
    gs_sliced_policy policy = {
        .lanes = p.model.lanes, .most = GS_BCE_LONGEST, .index = o->index, .value = o->value};
    TRY(make(&form, ctx, csr, &p, &policy));
    *self = form;
done:
    return status;
}

/* --- forecast --------------------------------------------------------------------------------- */

/* Slots of a block at most, each of its windows ending within a slice. */
static double slots_of(const plan *p, const gs_bce_class *block)
{
    const int64_t lanes = gs_bce_lanes(&p->model, block->width, block->rows);
    const int64_t windows = p->places.windows < block->rows ? p->places.windows : block->rows;
    const int64_t slots = block->rows * lanes + windows * (p->model.lanes - 1);

    return (double)slots * (double)((block->width + lanes - 1) / lanes);
}

/* By the layout of a GPU: only a device with memory of its own asks. */
static size_t forecast(const gsolve_csr *csr, const void *chosen)
{
    int32_t rows[GS_BCE_LONGEST + 1] = {0};
    double stored = 0;
    plan p;

    for (int32_t i = 0; i < csr->nrows; i++) rows[gs_bce_length(csr, i)]++;
    make_plan(&p, chosen, csr, rows, true);
    for (int32_t b = 0; b < p.best.blocks; b++) stored += slots_of(&p, &p.best.block[b]);
    if (p.best.blocks == 1) { /* as they come: each slice as wide as its own longest row */
        const int32_t at_once = p.model.lanes / p.lanes[0];
        const double slices = (double)csr->nrows / at_once + 1;
        stored = gs_sliced_foretell(csr, at_once, 1, GS_BCE_LONGEST) + p.model.lanes * slices;
    }
    return gs_sliced_bytes(csr, stored, p.model.lanes, p.best.blocks > 1);
}

const gsolve_format gs_bce_format = {
    .plugin = {"bce", "rows grouped by length with the optimal partition, in slices (BCE)", options,
               sizeof(bce_options)},
    .build = build,
    .destroy = gs_sliced_destroy,
    .apply = gs_sliced_apply,
    .apply_dot = gs_sliced_apply_dot,
    .update = gs_sliced_update,
    .forecast = forecast,
    .describe = gs_sliced_describe,
};
