/* bce.c: the format bce, see bce.h. */
#include "spmv/bce/bce.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/irregular.h"
#include "spmv/handle.h"

#define LEAST  1024  /* rows of a window, at least */
#define WINDOW 65536 /* rows of a window */
#define NEAR   2048  /* rows of a window on the CPU, unless x is read irregularly */

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

/* --- the plan ------------------------------------------------------------------------------------
 */

/* The classes of a matrix with rows[m] rows of m entries each. */
static int find_classes(const int32_t *rows, gs_bce_class *class)
{
    int classes = 0;

    for (int32_t m = 0; m <= GS_BCE_LONGEST; m++) {
        if (rows[m] > 0) class[classes++] = (gs_bce_class){m, rows[m]};
    }
    return classes;
}

static int32_t window_of(const gsolve_csr *csr, bool gpu)
{
    return gpu || gs_is_irregular(csr) ? WINDOW : NEAR;
}

void gs_bce_make_plan(gs_bce_plan *p, const gs_bce_options *o, const gsolve_csr *csr,
                      const int32_t *rows, bool gpu)
{
    const int32_t n = csr->nrows;
    const int64_t column = o->index == GS_INDEX_16 ? 2 : 4;
    gs_bce_class class[GS_BCE_LONGEST + 1];
    const int classes = find_classes(rows, class);
    const int32_t window = o->window > 0 ? o->window : window_of(csr, gpu);

    p->window = window < n ? window : n > 0 ? n : 1;
    p->windows = n / p->window + (n % p->window > 0);
    p->model = gs_bce_model_of((gs_bce_measure)o->cost, n, p->windows > 0 ? p->windows : 1,
                               (int64_t)gs_type_size(csr->type) + column, gpu);
    gs_bce_best(&p->best, &p->model, classes, class, o->blocks ? o->blocks : GS_BCE_MOST_BLOCKS);
    for (int32_t b = 0, m = 0; b < p->best.blocks; b++) {
        const gs_bce_class *block = &p->best.block[b];
        const int32_t position = p->best.blocks - 1 - b;
        p->lanes[position] = gs_bce_lanes(&p->model, block->width, block->rows);
        for (; m <= block->width; m++) p->block_of[m] = (uint8_t)position;
    }
}

static gs_bce_class all_rows(const gs_bce_plan *p, int32_t nrows)
{
    return (gs_bce_class){p->best.block[p->best.blocks - 1].width, nrows};
}

bool gs_bce_may_keep_order(const gs_bce_plan *p, int32_t nrows)
{
    if (p->best.blocks <= 1 || p->model.measure != GS_BCE_BYTES) return false;
    return gs_bce_lanes(&p->model, all_rows(p, nrows).width, nrows) == 1; /* lane per row */
}

void gs_bce_keep_order(gs_bce_plan *p, int32_t nrows, double stored)
{
    const gs_bce_model *model = &p->model;
    const double slices = (double)(nrows / model->lanes + 1);

    if (stored * (double)model->entry + slices * (double)model->slice > (double)p->best.cost) {
        return;
    }
    p->best.block[0] = all_rows(p, nrows);
    p->best.blocks = 1;
    p->lanes[0] = 1;
    memset(p->block_of, 0, sizeof p->block_of);
}

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
    const int32_t blocks = p->best.blocks, all = p->windows * blocks;
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
    const gs_sliced_kernels *sliced = GS_KERNELS(gs_sliced, ctx, csr->type);
    const gs_sliced_classes by = {p->window, GS_BCE_LONGEST, p->best.blocks, p->block_of};
    const int64_t all = (int64_t)p->windows * p->best.blocks;
    const gs_sliced_group alone = {0, p->best.blocks > 0 ? p->lanes[0] : 1, 0};
    gs_sliced_group *group = NULL;
    int32_t *first = NULL;
    gsolve_status status = GSOLVE_OK;

    policy->groups = 1;
    policy->group = &alone;
    if (same_lanes(p)) {
        if (p->best.blocks > 1) TRY(sliced->sort(ctx, csr, &by, &policy->order, NULL));
    } else {
        ALLOC(ctx, GSOLVE_HOST, first, all);
        ALLOC(ctx, GSOLVE_HOST, group, all);
        TRY(sliced->sort(ctx, csr, &by, &policy->order, first));
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
                           const void *chosen, void *user)
{
    const gs_bce_options *o = chosen;
    int32_t rows[GS_BCE_LONGEST + 1];
    gs_sliced_facts facts = {.entries = entries};
    gs_sliced *form;
    gs_bce_plan p;
    gsolve_status status;

    (void)user;
    if (o->window > 0 && o->window < LEAST) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "bce,window=%d: window must be %d or more, or 0",
                           o->window, LEAST);
    }
    TRY(GS_KERNELS(gs_sliced, ctx, csr->type)->count(ctx, csr, rows));
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

double gs_bce_estimate_stored(const gs_bce_plan *p, const gsolve_csr *csr, int64_t *slices)
{
    const int32_t n = csr->nrows, of_slice = p->model.lanes;
    int64_t columns = 0;

    *slices = 0;
    if (p->best.blocks == 1) { /* rows keep their order */
        const int32_t rows = of_slice / p->lanes[0];
        *slices = (n + rows - 1) / rows;
        return gs_sliced_estimate_stored(csr, rows, 1, GS_BCE_LONGEST) +
               (double)*slices * (of_slice - rows); /* a row fills its last column */
    }
    for (int32_t i = 0; i < n;) {
        const int32_t end = n - i < p->window ? n : i + p->window;
        int32_t rows[GS_BCE_MOST_BLOCKS] = {0}, widest[GS_BCE_MOST_BLOCKS] = {0}, lanes = 0;
        int64_t left = 0; /* lanes that are left in the last slice, which is wide enough */
        for (; i < end; i++) {
            const int32_t length = gs_sliced_short(csr, i, GS_BCE_LONGEST);
            const int32_t b = p->block_of[length];
            rows[b]++;
            if (length > widest[b]) widest[b] = length;
        }
        for (int32_t b = 0; b < p->best.blocks; b++) {
            if (rows[b] == 0) continue;
            if (p->lanes[b] != lanes) left = 0; /* their rows are not in one slice */
            lanes = p->lanes[b];
            const int64_t used = (int64_t)rows[b] * lanes, more = used > left ? used - left : 0;
            const int64_t added = (more + of_slice - 1) / of_slice;
            *slices += added;
            columns += added * ((widest[b] + lanes - 1) / lanes);
            left += added * of_slice - used;
        }
    }
    return (double)columns * of_slice;
}

/* The memory in the layout of a GPU. It is used for devices with memory of their own only. */
static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    const int32_t n = csr->nrows;
    int32_t rows[GS_BCE_LONGEST + 1] = {0};
    int64_t slices;
    gs_bce_plan p;

    (void)user;
    for (int32_t i = 0; i < n; i++) rows[gs_sliced_short(csr, i, GS_BCE_LONGEST)]++;
    gs_bce_make_plan(&p, chosen, csr, rows, true);
    const int32_t lanes = p.model.lanes;
    if (gs_bce_may_keep_order(&p, n)) {
        gs_bce_keep_order(&p, n, gs_sliced_estimate_stored(csr, lanes, 1, GS_BCE_LONGEST));
    }
    const double stored = gs_bce_estimate_stored(&p, csr, &slices);
    const int64_t more = slices - n / lanes; /* slices beyond those of n rows in full slices */
    return gs_sliced_bytes(csr, stored, lanes, p.best.blocks > 1) +
           (more > 0 ? (size_t)more * GS_SLICED_SLICE : 0);
}

const gsolve_format gs_bce_format = {
    .plugin = {"bce",
               "rows grouped by length; the partition into groups has the least cost (see cost), "
               "as in BCE of "
               "Yang, Li and Li",
               options, sizeof(gs_bce_options)},
    .build = build,
    .apply_block = gs_sliced_apply_block,
    .memory = estimate_memory,
    GS_SLICED_MEMBERS,
};
