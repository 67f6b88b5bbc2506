/* bce_plan.c: the plan of bce, see bce_plan.h. */
#include "spmv/bce/bce_plan.h"

#include <string.h>

#include "matrix/irregular.h"
#include "spmv/sliced/sliced.h"

#define WINDOW 65536 /* rows that are grouped, */
#define NEAR   2048  /* ... and where x comes from near */

/* The classes of rows[m] rows of m entries each. */
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
    gs_bce_places *places = &p->places;

    const int32_t window = o->window > 0 ? o->window : window_of(csr, gpu);
    places->window = window < n ? window : n > 0 ? n : 1;
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

static gs_bce_class all_rows(const gs_bce_plan *p, int32_t nrows)
{
    return (gs_bce_class){p->best.block[p->best.blocks - 1].width, nrows};
}

bool gs_bce_may_keep_order(const gs_bce_plan *p, int32_t nrows)
{
    if (p->best.blocks <= 1 || p->model.measure != GS_BCE_BYTES) return false;
    return gs_bce_lanes(&p->model, all_rows(p, nrows).width, nrows) == 1; /* to a row */
}

void gs_bce_keep_order(gs_bce_plan *p, int32_t nrows, double stored)
{
    const gs_bce_model *model = &p->model;
    const double slices = (double)(nrows / model->lanes + 1);

    if (stored * (double)model->entry + slices * (double)model->slice > (double)p->best.cost) {
        return;
    }
    p->best.block[0] = all_rows(p, nrows);
    p->best.blocks = p->places.blocks = 1;
    p->lanes[0] = 1;
    memset(p->places.block_of, 0, sizeof p->places.block_of);
}

/* --- what it will store ----------------------------------------------------------------------- */

typedef struct stretch { /* the rows of a block in a window, as they are put into slices */
    int64_t at, begin;   /* place of its next row, of its first */
    int64_t group;       /* that where the slices of as many lanes began */
    bool joins;          /* the slices before */
    bool crossed;        /* the end of a slice: */
    int32_t head;        /* the widest row up to the first, */
    int32_t open;        /* ... and since the last */
} stretch;

typedef struct filling {
    gs_bce_stored room;
    int64_t group;  /* place where it began */
    int32_t lanes;  /* to a row in the last stretch; 0: there was none */
    bool any;       /* rows in its last slice, which is not full */
    int32_t widest; /* ... of them */
} filling;

static void end_slice(filling *f, int32_t width)
{
    f->room.slices++;
    f->room.columns += width;
}

/* Where the stretches of the window of rows begin to end - 1 lie. */
static void lay_stretches(const gs_bce_plan *p, const gsolve_csr *csr, int32_t begin, int32_t end,
                          filling *f, stretch *of)
{
    int32_t rows[GS_BCE_MOST_BLOCKS] = {0};
    int64_t at = begin;

    for (int32_t i = begin; i < end; i++) rows[p->places.block_of[gs_bce_length(csr, i)]]++;
    for (int32_t b = 0; b < p->places.blocks; at += rows[b++]) {
        of[b] = (stretch){.at = at, .begin = at, .joins = true};
        if (rows[b] > 0 && p->lanes[b] != f->lanes) {
            of[b].joins = false;
            f->group = at;
            f->lanes = p->lanes[b];
        }
        of[b].group = f->group;
    }
}

static void take_row(const gs_bce_plan *p, filling *f, stretch *s, int32_t lanes, int32_t length)
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

/* Slices that rows of several stretches are in. */
static void join_stretch(const gs_bce_plan *p, filling *f, const stretch *s, int32_t lanes)
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
    const int32_t n = csr->nrows, window = p->places.window;
    stretch of[GS_BCE_MOST_BLOCKS];
    filling f = {0};

    for (int32_t begin = 0, end; begin < n; begin = end) {
        end = n - begin < window ? n : begin + window;
        lay_stretches(p, csr, begin, end, &f, of);
        for (int32_t i = begin; i < end; i++) {
            const int32_t length = gs_bce_length(csr, i), b = p->places.block_of[length];
            take_row(p, &f, &of[b], p->lanes[b], length);
        }
        for (int32_t b = 0; b < p->places.blocks; b++) {
            if (of[b].at > of[b].begin) join_stretch(p, &f, &of[b], p->lanes[b]);
        }
    }
    if (f.any) end_slice(&f, f.widest);
    return f.room;
}
