/* opa.c: the optimal partition, see opa.h. */
#include "spmv/bce/opa.h"

#include <string.h>

enum {
    LEAST_DEEP = 8,      /* where lanes share rows to have more lanes: pads less than an eighth */
    MOST_WORK = 1 << 19, /* blocks x classes^2 of a search by layers, at most */
    MOST_LAYERS = 8320,  /* blocks x (classes + 1) of such a search with at most 128 blocks */
    MOST_PRICED = 360,   /* classes of a search with several prices, at most */
    TRIALS = 9,          /* prices tried, at most */
    NEAR = 9,            /* stop when the result is within 1 / 2^NEAR of the least */
};

/* --- what a block costs ----------------------------------------------------------------------- */

gs_bce_model gs_bce_model_of(gs_bce_measure measure, int64_t all, int64_t windows, int64_t entry,
                             bool gpu)
{
    const gs_bce_model model = {
        .measure = measure,
        .lanes = gpu ? 32 : 8, /* a warp; a vector */
        .most_lanes = gpu ? 32 : 1,
        .least = 128, /* the paper takes the cores of a multiprocessor: 192 then, 128 on Hopper */
        .entry = entry,
        /* 6300 warps share 4300 GB/s, so a warp could move 0.7 bytes per ns while it waits about 2
         * us for the head of a slice, for its first columns and for their x. On a CPU 5 ns. */
        .slice = gpu ? 1400 : 64,
        /* x is read in sectors of 32 bytes. A row that shares its sector with no neighbour reads 24
         * more bytes of x from the L2 cache, which holds x and y of a window: 8 for each of three
         * neighbours in another block. On a CPU cache lines are wider, and x is in a nearer cache.
         */
        .neighbour = gpu ? 8 : 1,
        .order = measure == GS_BCE_BYTES ? sizeof(int32_t) : 0,
        .all = all,
        .windows = windows,
        .busy = 65536, /* 2000 warps with 1.5 kB in flight each keep the memory busy */
        .deep = 96, /* 6000 warps share the memory for 60 us over 96 entries; a single warp takes a
                       third of that */
    };
    return model;
}

static int64_t depth_of(int32_t width, int lanes)
{
    return ((int64_t)width + lanes - 1) / lanes;
}

/* The lanes per row of a block with very many rows. */
static int fewest_lanes(const gs_bce_model *model, int32_t width)
{
    int lanes = 1;

    while (lanes < model->most_lanes && depth_of(width, lanes) > model->deep) lanes *= 2;
    return lanes;
}

/* A block of fewer rows than this has more than `lanes` lanes per row: either more lanes can be
 * busy, or all its rows then fit into one slice. Falls as lanes grow; 0 at the most lanes. */
static int64_t few_rows(const gs_bce_model *model, int32_t width, int lanes)
{
    const int64_t idle = depth_of(width, 2 * lanes) >= LEAST_DEEP ? model->busy / lanes : 0;
    const int64_t one_slice = lanes < width ? model->lanes / (2 * lanes) + 1 : 0;

    if (lanes == model->most_lanes) return 0;
    return idle > one_slice ? idle : one_slice;
}

int gs_bce_lanes(const gs_bce_model *model, int32_t width, int64_t rows)
{
    int lanes = fewest_lanes(model, width);

    while (rows < few_rows(model, width, lanes)) lanes *= 2;
    return lanes;
}

static inline int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int log2_of(int lanes)
{
    int shift = 0;

    while (lanes >> (shift + 1)) shift++;
    return shift;
}

static inline int64_t paper_cost(const gs_bce_model *model, int32_t width, int64_t rows)
{
    return width * (rows > model->least ? rows : model->least);
}

static int64_t slice_cost(const gs_bce_model *model, int32_t width, int lanes)
{
    return model->lanes * depth_of(width, lanes) * model->entry + model->slice;
}

/* A row has 1 << row_shift lanes. half: half a slice for each window beyond the first that has rows
 * of the block. */
static inline int64_t bytes_cost(const gs_bce_model *model, int64_t of_slice, int row_shift,
                                 int shift, int64_t rows)
{
    const int64_t half = least_of(model->windows - 1, rows - 1) << shift >> 1;
    const int64_t slices = ((rows << row_shift) + half + (1 << shift) - 1) >> shift;

    return slices * of_slice + model->neighbour * least_of(3 * rows, model->all - rows);
}

int64_t gs_bce_block_cost(const gs_bce_model *model, int32_t width, int64_t rows)
{
    const int lanes = gs_bce_lanes(model, width, rows);

    if (model->measure == GS_BCE_PAPER) return paper_cost(model, width, rows);
    return bytes_cost(model, slice_cost(model, width, lanes), log2_of(lanes), log2_of(model->lanes),
                      rows);
}

/* --- classes, merged if they are too many ---------------------------------------------------- */

/* Counts the groups of classes whose widths differ by a factor of at most 1 + slack, formed from
 * the longest down. If into is not NULL, stores them ascending at the end of its `classes`
 * elements; into may be class. */
static int group(int classes, const gs_bce_class *class, double slack, gs_bce_class *into)
{
    int groups = 0;

    for (int c = classes; c > 0;) {
        gs_bce_class all = {class[c - 1].width, 0};
        while (c > 0 && class[c - 1].width * (1 + slack) >= all.width) all.rows += class[--c].rows;
        groups++;
        if (into) into[classes - groups] = all;
    }
    return groups;
}

int gs_bce_merge(int classes, gs_bce_class *class, int most, double *slack)
{
    int groups;

    *slack = 0;
    if (classes <= most) return classes;
    for (*slack = 1.0 / 256; group(classes, class, *slack, NULL) > most; *slack *= 1.5) continue;
    groups = group(classes, class, *slack, class);
    memmove(class, class + classes - groups, (size_t)groups * sizeof *class);
    return groups;
}

/* --- the recurrence --------------------------------------------------------------------------- */

typedef struct search {
    const gs_bce_model *model;
    const gs_bce_class *class;
    int classes;
    int64_t before[GS_BCE_MOST_CLASSES + 1]; /* rows of the classes before this one */
    int64_t cost[GS_BCE_MOST_CLASSES + 1];   /* of the best partition of the classes before this */
} search;

typedef struct choice { /* the last block of a partition of the classes before j */
    int64_t cost;       /* of the complete partition */
    int from;           /* first class of the block */
} choice;

/* price[i - first] = cost[i] + cost of a block of the classes i to j - 1 with that many lanes per
 * row, for i from first to last - 1. Returns the least price. The loops have no branch, so that
 * they are vectorised. */
static int64_t price_all(const search *s, int j, int lanes, int first, int last, int64_t *price)
{
    const gs_bce_model model = *s->model;
    const int32_t width = s->class[j - 1].width;
    const int64_t of_slice = slice_cost(&model, width, lanes), rows = s->before[j];
    const int64_t *cost = s->cost + first, *before = s->before + first;
    const int row_shift = log2_of(lanes), shift = log2_of(model.lanes);
    int64_t least = INT64_MAX;

    if (model.measure == GS_BCE_PAPER) {
        for (int i = 0; i < last - first; i++) {
            price[i] = cost[i] + paper_cost(&model, width, rows - before[i]);
        }
    } else {
        for (int i = 0; i < last - first; i++) {
            price[i] = cost[i] + bytes_cost(&model, of_slice, row_shift, shift, rows - before[i]);
        }
    }
    for (int i = 0; i < last - first; i++) least = least_of(price[i], least);
    return least;
}

/* Replaces *best by the best of the last blocks that begin at class first to last - 1, with that
 * many lanes per row, if that is better. */
static void choose(const search *s, int j, int lanes, int first, int last, choice *best)
{
    int64_t price[GS_BCE_MOST_CLASSES];
    const int64_t least = price_all(s, j, lanes, first, last, price);

    if (least >= best->cost) return;
    best->cost = least;
    for (best->from = first; price[best->from - first] != least; best->from++) continue;
}

/* The first i from first to j for which the classes i to j - 1 have fewer than `few` rows. */
static int where_few(const search *s, int j, int first, int64_t few)
{
    int low = first, high = j;

    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (s->before[j] - s->before[middle] < few) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The best last block of all; `near` is a guess of its first class. */
static choice cheapest(const search *s, int j, int near)
{
    const int32_t width = s->class[j - 1].width;
    choice best = {0, near};
    int lanes = fewest_lanes(s->model, width);

    best.cost = s->cost[near] + gs_bce_block_cost(s->model, width, s->before[j] - s->before[near]);
    for (int i = 0, end; i < j; i = end, lanes *= 2) { /* the fewer rows, the more lanes */
        end = where_few(s, j, i, few_rows(s->model, width, lanes));
        choose(s, j, lanes, i, end, &best);
    }
    return best;
}

static void begin(search *s, int classes)
{
    s->classes = classes;
    s->before[0] = 0;
    for (int c = 0; c < classes; c++) s->before[c + 1] = s->before[c] + s->class[c].rows;
    s->cost[0] = 0;
}

/* Stores the blocks of layer k: from[k layer + j] is the first class of the last block of the
 * classes before j, and the blocks before it are in layer k - 1. layer 0: one layer for all. */
static void add_blocks(gs_bce_partition *best, const search *s, const uint16_t *from, int layer,
                       int k)
{
    int end[GS_BCE_MOST_BLOCKS], blocks = 0;

    for (int j = s->classes; j > 0; j = from[k * layer + j], k -= layer > 0) end[blocks++] = j;
    for (int b = 0, begin = 0; b < blocks; b++) {
        const int j = end[blocks - 1 - b];
        best->block[b].width = s->class[j - 1].width;
        best->block[b].rows = (int32_t)(s->before[j] - s->before[begin]);
        begin = j;
    }
    best->blocks = blocks;
}

/* At most `most` blocks: the best with one block, then with at most two, ... */
static void limited(gs_bce_partition *best, search *s, int most)
{
    uint16_t from[MOST_LAYERS];
    int64_t more[GS_BCE_MOST_CLASSES + 1];
    const int layer = s->classes + 1;

    for (int j = 1; j <= s->classes; j++) {
        s->cost[j] = gs_bce_block_cost(s->model, s->class[j - 1].width, s->before[j]);
        from[j] = 0;
    }
    for (int k = 1; k < most; k++) {
        for (int j = 1, near = 0; j < layer; j++) {
            const choice last = cheapest(s, j, near);
            more[j] = last.cost;
            from[k * layer + j] = (uint16_t)(near = last.from);
        }
        for (int j = 1; j < layer; j++) s->cost[j] = more[j];
    }
    best->cost = s->cost[s->classes];
    add_blocks(best, s, from, layer, most - 1);
}

/* Any number of blocks, each costing `price` besides its own cost. Returns their number; s->cost
 * includes the prices. */
static int any_number(search *s, uint16_t *from, int64_t price)
{
    int blocks = 0;

    for (int j = 1, near = 0; j <= s->classes; j++) {
        const choice last = cheapest(s, j, near);
        s->cost[j] = last.cost + price;
        from[j] = (uint16_t)(near = last.from);
    }
    for (int j = s->classes; j > 0; j = from[j]) blocks++;
    return blocks;
}

/* At most `most` blocks, where the best partition without a price has more: searches the least
 * price with which it has no more. A partition into at most `most` blocks costs at least (the best
 * cost with a price, prices included) - price x most. That bounds the loss. */
static void priced(gs_bce_partition *best, search *s, int most)
{
    uint16_t from[GS_BCE_MOST_CLASSES + 1];
    int64_t low = 0, high = 0, price = s->cost[s->classes] / (16 * (int64_t)most) + 1, bound = 0;

    best->cost = INT64_MAX;
    for (int t = 0; t < TRIALS || high == 0; t++) {
        const int blocks = any_number(s, from, price);
        const int64_t all = s->cost[s->classes], under = all - price * most;
        if (under > bound) bound = under;
        if (blocks > most) {
            low = price;
        } else {
            high = price;
            if (all - price * blocks < best->cost) {
                best->cost = all - price * blocks;
                add_blocks(best, s, from, 0, 0);
            }
        }
        if (high > 0 && best->cost - bound <= bound >> NEAR) break;
        price = high == 0 ? 4 * low : low < high / 8 ? high / 4 : low + (high - low) / 2;
        if (price == low || price == high) break;
    }
    best->slack = (1 + best->slack) * (bound > 0 ? (double)best->cost / (double)bound : 2) - 1;
}

/* Merges the classes of s further and starts the search again. */
static void merge_to(gs_bce_partition *best, search *s, gs_bce_class *class, int most)
{
    double slack;

    begin(s, gs_bce_merge(s->classes, class, most, &slack));
    best->slack = (1 + best->slack) * (1 + slack) - 1;
}

/* Several blocks also need an order of the rows, so one block may be cheaper. */
static void price_order(gs_bce_partition *best, const search *s)
{
    const int64_t rows = s->before[s->classes];

    if (best->blocks <= 1) return;
    best->cost += s->model->order * s->model->all;
    const gs_bce_class all_rows = {s->class[s->classes - 1].width, (int32_t)rows};
    const int64_t cost = gs_bce_block_cost(s->model, all_rows.width, rows);
    if (cost > best->cost) return;
    best->cost = cost;
    best->blocks = 1;
    best->block[0] = all_rows;
}

void gs_bce_best(gs_bce_partition *best, const gs_bce_model *model, int classes,
                 gs_bce_class *class, int most)
{
    search s = {.model = model, .class = class};
    uint16_t from[GS_BCE_MOST_CLASSES + 1];

    begin(&s, gs_bce_merge(classes, class, GS_BCE_MOST_CLASSES, &best->slack));
    const int blocks = any_number(&s, from, 0);
    best->cost = s.cost[s.classes];
    if (blocks <= most) {
        add_blocks(best, &s, from, 0, 0);
    } else if ((int64_t)most * s.classes * s.classes <= MOST_WORK) {
        limited(best, &s, most);
    } else {
        merge_to(best, &s, class, MOST_PRICED);
        any_number(&s, from, 0);
        priced(best, &s, most);
    }
    price_order(best, &s);
}
