/* bce_plan.c: the plan of bce, see bce_plan.h. */
#include "spmv/bce/bce_plan.h"

#include <string.h>

#include "matrix/irregular.h"
#include "spmv/sliced/sliced.h"

#define WINDOW 65536 /* rows of a window */
#define NEAR   2048  /* rows of a window on the CPU, unless x is read irregularly */

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
    gs_bce_places *positions = &p->positions;

    const int32_t window = o->window > 0 ? o->window : window_of(csr, gpu);
    positions->window = window < n ? window : n > 0 ? n : 1;
    positions->windows = n / positions->window + (n % positions->window > 0);
    p->model =
        gs_bce_model_of((gs_bce_measure)o->cost, n, positions->windows > 0 ? positions->windows : 1,
                        (int64_t)gs_type_size(csr->type) + column, gpu);
    gs_bce_best(&p->best, &p->model, classes, class, o->blocks ? o->blocks : GS_BCE_MOST_BLOCKS);
    positions->blocks = p->best.blocks;
    for (int32_t b = 0, m = 0; b < p->best.blocks; b++) {
        const gs_bce_class *block = &p->best.block[b];
        const int32_t position = p->best.blocks - 1 - b;
        p->lanes[position] = gs_bce_lanes(&p->model, block->width, block->rows);
        for (; m <= block->width; m++) positions->block_of[m] = (uint8_t)position;
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
    p->best.blocks = p->positions.blocks = 1;
    p->lanes[0] = 1;
    memset(p->positions.block_of, 0, sizeof p->positions.block_of);
}

/* --- size of the slices ----------------------------------------------------------------------- */

typedef struct block_rows { /* the rows of a block in a window, while they are put into slices */
    int64_t at, begin;      /* position of its next row; of its first row */
    int64_t group;          /* position where the slices with its number of lanes began */
    bool joins;             /* its first slice also holds rows of the block before */
    bool crossed;           /* its rows reached the end of a slice */
    int32_t head;           /* width of its widest row up to that end */
    int32_t open;           /* width of its widest row since the last end of a slice */
} block_rows;

typedef struct slice_count {
    gs_bce_stored stored;
    int64_t group;  /* position where the group of slices began */
    int32_t lanes;  /* per row in the last block; 0: there was none */
    bool any;       /* the last slice is not full and has rows */
    int32_t widest; /* widest of these rows */
} slice_count;

static void end_slice(slice_count *f, int32_t width)
{
    f->stored.slices++;
    f->stored.columns += width;
}

/* Finds where the blocks of the window of rows begin to end - 1 lie. */
static void place_blocks(const gs_bce_plan *p, const gsolve_csr *csr, int32_t begin, int32_t end,
                         slice_count *f, block_rows *of)
{
    int32_t rows[GS_BCE_MOST_BLOCKS] = {0};
    int64_t at = begin;

    for (int32_t i = begin; i < end; i++) rows[p->positions.block_of[gs_bce_length(csr, i)]]++;
    for (int32_t b = 0; b < p->positions.blocks; at += rows[b++]) {
        of[b] = (block_rows){.at = at, .begin = at, .joins = true};
        if (rows[b] > 0 && p->lanes[b] != f->lanes) {
            of[b].joins = false;
            f->group = at;
            f->lanes = p->lanes[b];
        }
        of[b].group = f->group;
    }
}

static void add_row(const gs_bce_plan *p, slice_count *f, block_rows *s, int32_t lanes,
                    int32_t length)
{
    const int32_t columns = (length + lanes - 1) / lanes;

    if (columns > s->open) s->open = columns;
    if ((++s->at - s->group) % (p->model.lanes / lanes) != 0) return;
    if (s->crossed) {
        end_slice(f, s->open);
    } else {
        s->head = s->open;
    }
    s->crossed = true;
    s->open = 0;
}

/* Counts the slices that hold rows of several blocks. */
static void join_block(const gs_bce_plan *p, slice_count *f, const block_rows *s, int32_t lanes)
{
    if (!s->joins && f->any) end_slice(f, f->widest);
    if (!s->joins) f->widest = 0;
    if (s->crossed) end_slice(f, s->head > f->widest ? s->head : f->widest);
    if (s->crossed) f->widest = 0;
    if (s->open > f->widest) f->widest = s->open;
    f->any = (s->at - s->group) % (p->model.lanes / lanes) != 0;
}

gs_bce_stored gs_bce_estimate_stored(const gs_bce_plan *p, const gsolve_csr *csr)
{
    const int32_t n = csr->nrows, window = p->positions.window;
    block_rows of[GS_BCE_MOST_BLOCKS];
    slice_count f = {0};

    for (int32_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < window ? n : begin + window;
        place_blocks(p, csr, begin, end, &f, of);
        for (int32_t i = begin; i < end; i++) {
            const int32_t length = gs_bce_length(csr, i), b = p->positions.block_of[length];
            add_row(p, &f, &of[b], p->lanes[b], length);
        }
        for (int32_t b = 0; b < p->positions.blocks; b++) {
            if (of[b].at > of[b].begin) join_block(p, &f, &of[b], p->lanes[b]);
        }
    }
    if (f.any) end_slice(&f, f.widest);
    return f.stored;
}
