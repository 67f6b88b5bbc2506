/* sliced_build_host.c: the structure of the slices on the CPU, all but columns and values. */
#include <string.h>

#include "core/try.h"
#include "spmv/sliced/sliced_host.h"
#include "vector/blocks.h"

#define TASK       8192 /* work of a task: its slots plus SLICE_WORK per slice */
#define SLICE_WORK 16

static int64_t row_length(const gsolve_csr *A, int32_t i)
{
    return gs_start(A, i + 1) - gs_start(A, i);
}

/* --- long rows -------------------------------------------------------------------------------- */

/* Fills in s->part, and s->order with -1 at the positions of long rows. */
static gsolve_status part_long_rows(gs_sliced *s, gsolve_context *ctx)
{
    const gsolve_csr *A = &s->csr;
    gs_row_parts found;
    gsolve_status status = gs_row_parts_make(&found, ctx, A, s->most);

    s->nlong = found.rows;
    s->parts = found.count;
    s->part = found.part;
    s->sum = found.sum;
    if (status != GSOLVE_OK || s->nlong == 0) return status;
    for (int32_t p = 0; p < s->parts; p++) s->in_parts += s->part[p].entries;
    if (!s->order) {
        ALLOC(ctx, gs_location(ctx), s->order, A->nrows);
        for (int32_t i = 0; i < A->nrows; i++) s->order[i] = i;
    }
    for (int32_t position = 0; position < A->nrows; position++) {
        if (row_length(A, s->order[position]) > s->most) s->order[position] = -1;
    }
done:
    return status;
}

/* --- slices ----------------------------------------------------------------------------------- */

/* Returns the width of a slice, at least `least`, and stores its number of full columns. */
static int32_t measure(gs_sliced *s, int32_t at, int32_t least)
{
    const gs_slice slice = gs_slice_at(s, at); /* its columns are not known yet */
    int32_t width = least, full = slice.rows == s->lanes ? INT32_MAX : 0;

    for (int32_t r = 0; r < slice.rows; r++) {
        const int32_t length = gs_slice_length(s, gs_slice_row(s, &slice, r));
        if (length > width) width = length;
        if (length < full) full = length;
    }
    s->full[at] = full;
    return width;
}

static gsolve_status measure_all(gs_sliced *s, gsolve_context *ctx, int32_t least)
{
    int64_t columns = 0;
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), s->first, (size_t)s->slices + 1);
    ALLOC(ctx, gs_location(ctx), s->full, s->slices);
    memset(s->first, 0, ((size_t)s->slices + 1) * sizeof *s->first);
    for (int32_t at = 0; at < s->slices; at++) {
        const int32_t width = measure(s, at, least);
        s->first[at] = (int32_t)(columns < INT32_MAX ? columns : INT32_MAX);
        columns += width;
    }
    TRY(gs_sliced_fits(ctx, s, columns));
    s->first[s->slices] = (int32_t)columns;
    s->columns = columns;
done:
    return status;
}

/* --- 16 bits ---------------------------------------------------------------------------------- */

typedef struct range {
    int32_t least, most;
} range;

static void include_column(range *r, int32_t column)
{
    if (column < r->least) r->least = column;
    if (column > r->most) r->most = column;
}

static bool is_narrow(range r)
{
    return r.most - r.least <=
           GS_SLICED_SPAN; /* also without columns, where the difference is -1 - INT32_MAX */
}

/* The range of the column numbers in column j of a slice, or in the slice if j is -1. */
static range columns_of(const gs_sliced *s, const gs_slice *slice, int32_t j)
{
    range found = {INT32_MAX, -1};

    for (int32_t r = 0; r < slice->rows; r++) {
        const int32_t i = gs_slice_row(s, slice, r), length = gs_slice_length(s, i);
        if (length == 0 || j >= length) continue;
        const int32_t *col = s->csr.col + gs_start(&s->csr, i);
        include_column(&found, col[j < 0 ? 0 : j]);
        include_column(&found, col[j < 0 ? length - 1 : j]); /* columns ascend */
    }
    return found;
}

/* How the columns of a slice are stored: at = -1 for 32 bits; base = -1 for one base per column. */
static gs_sliced_head choose_head(const gs_sliced *s, int32_t at)
{
    const gs_slice slice = gs_slice_at(s, at);
    const range all = columns_of(s, &slice, -1);

    if (slice.width == 0 || all.most < 0) return (gs_sliced_head){0, 0};
    if (is_narrow(all)) return (gs_sliced_head){0, all.least};
    if (s->lanes > GS_SLICED_EACH) return (gs_sliced_head){-1, 0};
    for (int32_t j = 0; j < slice.width; j++) {
        if (!is_narrow(columns_of(s, &slice, j))) return (gs_sliced_head){-1, 0};
    }
    return (gs_sliced_head){0, -1};
}

/* Replaces how columns are stored by where they are stored. */
static void number_units(gs_sliced *s)
{
    for (int32_t at = 0; at < s->slices; at++) {
        gs_sliced_head *head = &s->head[at];
        const int32_t width = s->first[at + 1] - s->first[at];
        const bool wide = head->at < 0, each = head->base < 0;
        head->at = wide ? ~(int32_t)s->units : (int32_t)s->units;
        if (each) head->base = ~(int32_t)s->bases;
        s->units += wide ? 2 * (int64_t)width : width;
        s->bases += each ? width : 0;
    }
}

static void set_bases(gs_sliced *s, int32_t at)
{
    const gs_slice slice = gs_slice_at(s, at);

    if (s->head[at].at < 0 || s->head[at].base >= 0) return;
    for (int32_t j = 0; j < slice.width; j++) {
        const range found = columns_of(s, &slice, j);
        s->base[~s->head[at].base + j] = found.most < 0 ? 0 : found.least;
    }
}

/* Allocates the memory for column numbers, of 16 bits or 32. */
static gsolve_status alloc_columns(gs_sliced *s, gsolve_context *ctx)
{
    gsolve_status status = GSOLVE_OK;

    if (s->index != GS_INDEX_32) {
        ALLOC(ctx, gs_location(ctx), s->head, s->slices);
#pragma omp parallel for schedule(static) \
    num_threads(gs_threads_for(s->entries, gs_queue_threads(ctx->queue)))
        for (int32_t at = 0; at < s->slices; at++) s->head[at] = choose_head(s, at);
        number_units(s);
        s->narrow = gs_sliced_pays(s);
    }
    if (!s->narrow) {
        ALLOC(ctx, gs_location(ctx), s->col, s->columns * s->lanes);
        goto done;
    }
    ALLOC(ctx, gs_location(ctx), s->unit, s->units * s->lanes);
    ALLOC(ctx, gs_location(ctx), s->base, s->bases);
    for (int32_t at = 0; at < s->slices; at++) set_bases(s, at);
done:
    return status;
}

/* --- tasks ------------------------------------------------------------------------------------ */

static gsolve_status cut_tasks(gs_sliced *s, gsolve_context *ctx)
{
    const int64_t work = s->columns * s->lanes + (int64_t)SLICE_WORK * s->slices;
    int32_t at = 0;
    gsolve_status status;

    s->tasks = (int32_t)((work + TASK - 1) / TASK);
    ALLOC(ctx, gs_location(ctx), s->task, (size_t)s->tasks + 1);
    ALLOC(ctx, gs_location(ctx), s->dot, 2 * (size_t)s->tasks);
    for (int32_t t = 0; t < s->tasks; t++) {
        while (at < s->slices &&
               (int64_t)s->first[at] * s->lanes + (int64_t)SLICE_WORK * at < (int64_t)t * TASK) {
            at++;
        }
        s->task[t] = at;
    }
    s->task[s->tasks] = s->slices;
done:
    return status;
}

/* Computes which rows of x the tasks read. This needs csr's columns. Long rows read all of x, so
 * there are no windows with them. */
static gsolve_status find_cache_windows(gs_sliced *s, gsolve_context *ctx)
{
    int32_t *begin = NULL;
    gsolve_status status = GSOLVE_OK;

    if (s->nlong > 0) return GSOLVE_OK;
    ALLOC(ctx, GSOLVE_HOST, begin, (size_t)s->tasks + 1);
    for (int32_t t = 0; t <= s->tasks; t++) { /* the last tasks may have no slices */
        const bool any = s->task[t] < s->slices;
        begin[t] = any ? s->task[t] * s->lanes : s->csr.nrows;
    }
    TRY(gs_cache_windows_find(&s->windows, ctx, &s->csr, s->tasks, begin, s->order));
done:
    gsolve_free(ctx, GSOLVE_HOST, begin);
    return status;
}

gsolve_status gs_sliced_shape_host(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                   const gs_sliced_span *span, bool lengths)
{
    gsolve_status status;

    (void)spans, (void)lengths;
    TRY(part_long_rows(s, ctx));
    TRY(measure_all(s, ctx, span->width));
    TRY(alloc_columns(s, ctx));
    TRY(cut_tasks(s, ctx));
    TRY(find_cache_windows(s, ctx));
    if (s->lanes == 8) TRY(gs_column_blocks_make(&s->column_blocks, ctx, &s->csr));
done:
    return status;
}

gsolve_status gs_sliced_fits_single_host(const gs_sliced *s, gsolve_context *ctx, bool *single)
{
    const double *value = s->csr.value;
    bool exact = true;

#pragma omp parallel for schedule(static) reduction(&& : exact) \
    num_threads(gs_threads_for(s->entries, gs_queue_threads(ctx->queue)))
    for (int64_t k = 0; k < s->entries; k++) exact = exact && (double)(float)value[k] == value[k];
    *single = exact;
    return GSOLVE_OK;
}
