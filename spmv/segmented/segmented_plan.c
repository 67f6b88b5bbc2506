/* segmented_plan.c: the tables of segments on the CPU. Blocks of rows make them in parallel; a
 * first pass counts what the blocks before each block make. */
#include <string.h>

#include "core/try.h"
#include "matrix/irregular.h"
#include "spmv/segmented/segmented.h"
#include "vector/blocks.h"

static int64_t row_length(const gsolve_csr *A, int32_t i)
{
    return gs_start(A, i + 1) - gs_start(A, i);
}

gsolve_status gs_segmented_measure_rows(gs_segmented *s, gsolve_context *ctx)
{
    const gsolve_csr *A = &s->csr;
    int64_t longest = 0;

#pragma omp parallel for reduction(max : longest) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < A->nrows; i++) {
        if (row_length(A, i) > longest) longest = row_length(A, i);
    }
    s->longest = longest;
    s->irregular = gs_is_irregular(A);
    return GSOLVE_OK;
}

/* --- the segments ----------------------------------------------------------------------------- */

typedef struct counts { /* of a block of rows, or of all blocks before it */
    int32_t segments, partials, many;
} counts;

static int32_t segments_of(const gs_segmented *s, int32_t i)
{
    const int64_t n = row_length(&s->csr, i);
    return n == 0 ? 1 : (int32_t)((n + s->length - 1) / s->length);
}

static counts count_rows(const gs_segmented *s, int64_t begin, int64_t end)
{
    counts c = {0};

    for (int64_t i = begin; i < end; i++) {
        const int32_t segments = segments_of(s, (int32_t)i);
        c.segments += segments;
        c.partials += segments > 1 ? segments : 0;
        c.many += segments > 1;
    }
    return c;
}

static void set_from(const gs_segmented *s, int32_t segment, int64_t from)
{
    if (s->csr.offset == GSOLVE_O64) {
        ((int64_t *)s->from)[segment] = from;
    } else {
        ((int32_t *)s->from)[segment] = (int32_t)from;
    }
}

static void cut_rows(gs_segmented *s, int64_t begin, int64_t end, counts at)
{
    for (int64_t i = begin; i < end; i++) {
        const int32_t segments = segments_of(s, (int32_t)i);
        const int64_t from = gs_start(&s->csr, (int32_t)i), n = row_length(&s->csr, (int32_t)i);
        if (segments > 1) {
            s->row[at.many] = (int32_t)i;
            s->begin[at.many++] = at.partials;
        }
        for (int32_t k = 0; k < segments; k++, at.segments++) {
            const int64_t left = n - (int64_t)k * s->length;
            set_from(s, at.segments, from + (int64_t)k * s->length);
            s->size[at.segments] = (uint16_t)(left < s->length ? left : s->length);
            s->target[at.segments] = segments == 1 ? (int32_t)i : ~at.partials++;
        }
    }
}

static gsolve_status new_tables(gs_segmented *s, gsolve_context *ctx, counts all)
{
    gs_segment_tables tables;
    gsolve_status status;

    s->segments = all.segments;
    s->partials = all.partials;
    s->many = all.many;
    TRY(gs_segmented_alloc_tables(s, ctx, &tables));
    s->from = tables.from;
    s->size = tables.size;
    s->target = tables.target;
    TRY(gs_segmented_alloc_rows(s, ctx));
    s->begin[all.many] = all.partials;
done:
    return status;
}

gsolve_status gs_segmented_cut(gs_segmented *s, gsolve_context *ctx)
{
    const gs_blocks rows = gs_blocks_of(s->csr.nrows);
    counts before[GS_MAX_BLOCKS + 1], all = {0};
    gsolve_status status;

#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int b = 0; b < rows.count; b++) {
        before[b] = count_rows(s, gs_block_begin(&rows, b), gs_block_end(&rows, b));
    }
    for (int b = 0; b < rows.count; b++) {
        const counts block = before[b];
        before[b] = all;
        all.segments += block.segments;
        all.partials += block.partials;
        all.many += block.many;
    }
    TRY(new_tables(s, ctx, all));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int b = 0; b < rows.count; b++) {
        cut_rows(s, gs_block_begin(&rows, b), gs_block_end(&rows, b), before[b]);
    }
done:
    return status;
}

/* --- the order of segments -------------------------------------------------------------------- */

/* The column in the middle of segment i, which is not empty. */
static int32_t middle_column(const gs_segmented *s, int32_t i)
{
    return s->csr.col[gs_segment_from(s, i) + s->size[i] / 2];
}

/* The sort key of segment i. Segments of equal keys keep their order. */
static uint32_t key_of(const gs_segmented *s, int order, int32_t i)
{
    const int32_t first_short =
        order == GS_ORDER_COLUMNS ? s->csr.ncols / GS_SEGMENT_COLUMNS + 1 : 0;
    const bool column_order =
        order == GS_ORDER_COLUMNS && GS_SEGMENT_SHORT * s->size[i] > s->length;
    const int32_t coarse = column_order ? middle_column(s, i) / GS_SEGMENT_COLUMNS
                                        : first_short + i / GS_SEGMENT_WINDOW;
    return (uint32_t)coarse * (uint32_t)(s->length + 1) + (uint32_t)(s->length - s->size[i]);
}

typedef struct keyed {
    uint32_t key;
    int32_t segment;
} keyed;

/* to = from, sorted by 11 bits of the keys from `bit` on. */
static void sort_bits(int32_t n, const keyed *from, keyed *to, int bit)
{
    enum { BUCKETS = 2048 };
    int32_t at[BUCKETS + 1] = {0};

    for (int32_t i = 0; i < n; i++) at[(from[i].key >> bit) % BUCKETS + 1]++;
    for (int b = 0; b < BUCKETS; b++) at[b + 1] += at[b];
    for (int32_t i = 0; i < n; i++) to[at[(from[i].key >> bit) % BUCKETS]++] = from[i];
}

/* to[i] = from[order[i]], for elements of `size` bytes. */
static void permute(gsolve_context *ctx, int32_t n, const keyed *order, const void *from, void *to,
                    size_t size)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) {
        memcpy((char *)to + (size_t)i * size, (const char *)from + (size_t)order[i].segment * size,
               size);
    }
}

gsolve_status gs_segmented_sort(gs_segmented *s, gsolve_context *ctx, int order)
{
    const int32_t n = s->segments;
    keyed *a = NULL, *b = NULL;
    gs_segment_tables sorted = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, a, n);
    ALLOC(ctx, GSOLVE_HOST, b, n);
    TRY(gs_segmented_alloc_tables(s, ctx, &sorted));
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < n; i++) a[i] = (keyed){key_of(s, order, i), i};
    sort_bits(n, a, b, 0);
    sort_bits(n, b, a, 11);
    sort_bits(n, a, b, 22);
    permute(ctx, n, b, s->from, sorted.from, gs_offset_size(s->csr.offset));
    permute(ctx, n, b, s->size, sorted.size, sizeof *s->size);
    permute(ctx, n, b, s->target, sorted.target, sizeof *s->target);
    gsolve_free(ctx, gs_location(ctx), s->from);
    s->from = sorted.from;
    s->size = sorted.size;
    s->target = sorted.target;
done:
    gsolve_free(ctx, GSOLVE_HOST, a);
    gsolve_free(ctx, GSOLVE_HOST, b);
    return status;
}

gsolve_status gs_segmented_measure_groups(gs_segmented *s, gsolve_context *ctx)
{
    s->first[0] = 0;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t g = 0; g < s->groups; g++) {
        const int32_t begin = g * s->lanes;
        int64_t width = 0;
        for (int32_t i = begin; i < s->segments && i - begin < s->lanes; i++) {
            const int64_t size = gs_segment_size(s, i);
            if (size > width) width = size;
        }
        s->first[g + 1] = width * s->lanes;
    }
    for (int32_t g = 0; g < s->groups; g++) s->first[g + 1] += s->first[g];
    s->stored = s->first[s->groups];
    return GSOLVE_OK;
}

gsolve_status gs_segmented_prepare(gs_segmented *s, gsolve_context *ctx)
{
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), s->dots, 2 * GS_MAX_BLOCKS);
    if (s->reduce && !s->from && !s->expanded)
        TRY(gs_column_blocks_make(&s->column_blocks, ctx, &s->csr));
done:
    return status;
}

void gs_segmented_drop(gs_segmented *s, gsolve_context *ctx)
{
    gsolve_free(ctx, gs_location(ctx), s->dots);
    gs_column_blocks_drop(&s->column_blocks, ctx);
}
