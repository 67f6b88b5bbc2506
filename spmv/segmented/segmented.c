/* segmented.c: the format segmented on a GPU: the length of segments, their order, and what is
 * copied; see segmented.h. */
#include "spmv/segmented/segmented.h"

#include <math.h>
#include <stdio.h>

#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/sliced/sliced.h"

#define DIFFERING                                                                       \
    32 /* entries of a segment where the lengths of rows differ much: with more, single \
          threads take long */
#define LEAST_GROUPS                                                              \
    4096 /* groups that keep all processors busy: about half of those that run at \
            once */

/* --- the length of segments ------------------------------------------------------------------- */

/* The power of two just above the mean length, as in the paper. If the longest row has at most
 * twice that, the power of two above it: a group is only as wide as the longest of its segments,
 * and no row is cut. Where lengths differ more, DIFFERING, reduced until all processors have
 * segments. */
static int choose_length(const gs_segmented *s)
{
    int length = gs_segment_length(s->chosen.length, s->entries, s->csr.nrows);

    if (s->chosen.length) return length;
    if (s->longest <= 2 * length && s->longest <= GS_SEGMENT_MOST) {
        return s->longest <= length ? length : 2 * length;
    }
    length = DIFFERING;
    while (length > 8 && s->entries / ((int64_t)length * GS_SEGMENT_LANES) < LEAST_GROUPS) {
        length /= 2;
    }
    return length;
}

/* --- the form --------------------------------------------------------------------------------- */

/* Whether segments are rows and no row is cut. */
static bool is_plain(const gs_segmented *s)
{
    return s->longest <= s->length && s->chosen.order <= GS_ORDER_ROWS;
}

static gsolve_status cut(gs_segmented *s, gsolve_context *ctx)
{
    const int64_t most = s->csr.nrows + s->entries / s->length;

    s->segments = s->csr.nrows;
    if (most > INT32_MAX) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "segmented would cut %lld entries into up to %lld segments of %d, but "
                           "supports 2147483647: choose a greater length",
                           (long long)s->entries, (long long)most, s->length);
    }
    return is_plain(s) ? GSOLVE_OK : gs_segmented_cut(s, ctx);
}

/* Makes the groups of the segments in their present order. Sorting does not change their number. */
static gsolve_status measure(gs_segmented *s, gsolve_context *ctx)
{
    gsolve_status status;

    s->groups = (int)(((int64_t)s->segments + GS_SEGMENT_LANES - 1) / GS_SEGMENT_LANES);
    if (!s->first) ALLOC(ctx, gs_location(ctx), s->first, (size_t)s->groups + 1);
    TRY(gs_segmented_measure_groups(s, ctx));
done:
    return status;
}

/* Whether groups store at most `times` the entries; the last group is left out of account. */
static bool is_dense(const gs_segmented *s, double times)
{
    return (double)s->stored <=
           times * (double)(s->entries - s->in_parts) + 2.0 * GS_SEGMENT_LANES * s->length;
}

/* Whether there are too few segments for one thread each, and enough entries for several. */
static bool is_few(const gs_segmented *s)
{
    return s->groups < LEAST_GROUPS / 4 && s->entries >= 16 * (int64_t)s->segments;
}

/* Chooses the order of segments, and makes the groups if there are any. */
static gsolve_status arrange(gs_segmented *s, gsolve_context *ctx)
{
    const bool may_sort = s->chosen.order == GS_ORDER_AUTO;
    int order = s->chosen.order;
    bool column_order = false;
    gsolve_status status = GSOLVE_OK;

    s->reduce = s->chosen.sum == GS_SUM_REDUCE;
    if (may_sort && s->from) TRY(gs_segmented_inspect(s, ctx, &column_order));
    if (may_sort) order = column_order ? GS_ORDER_COLUMNS : GS_ORDER_ROWS;
    if (order != GS_ORDER_ROWS) TRY(gs_segmented_sort(s, ctx, order));
    if (s->reduce) return status;
    TRY(measure(s, ctx));
    if (may_sort && !column_order && !is_dense(s, 1.1)) {
        if (!s->from) TRY(gs_segmented_cut(s, ctx));
        TRY(gs_segmented_sort(s, ctx, GS_ORDER_LENGTH));
        TRY(measure(s, ctx));
    }
    s->reduce = s->chosen.sum == GS_SUM_AUTO && (!is_dense(s, 1.25) || is_few(s));
done:
    return status;
}

/* Fails if much padding does not fit into memory. The memory without padding has been checked
 * before; asking for the free memory takes as long as several passes, so it is not done without
 * need. */
static gsolve_status check_memory(const gs_segmented *s, gsolve_context *ctx)
{
    const double entry = (double)(gs_type_size(s->csr.type) + sizeof *s->col);
    char what[120];

    if ((double)s->stored <= 1.25 * (double)s->entries) return GSOLVE_OK;
    snprintf(what, sizeof what, "segmented stores %lld entries for %lld (length %d), which",
             (long long)s->stored, (long long)s->entries, s->length);
    return gs_memory_need(ctx, (double)s->stored * entry, what);
}

static gsolve_status store(gs_segmented *s, gsolve_context *ctx)
{
    const size_t size = gs_type_size(s->csr.type);
    gsolve_status status;

    TRY(check_memory(s, ctx));
    ALLOC(ctx, gs_location(ctx), s->col, s->stored);
    s->value = gsolve_alloc(ctx, gs_location(ctx), (size_t)s->stored, size);
    TRY(s->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_segmented_fill(s, ctx, true));
done:
    return status;
}

static gsolve_status make(gs_segmented *s, gsolve_context *ctx)
{
    gs_sliced_facts facts = {.entries = s->entries};
    gsolve_status status;

    TRY(gs_sliced_inspect(ctx, &s->csr, GS_SEGMENT_LANES, 0, &facts));
    s->longest = facts.longest;
    s->length = choose_length(s);
    TRY(cut(s, ctx));
    TRY(arrange(s, ctx));
    if (s->reduce) {
        gsolve_free(ctx, gs_location(ctx), s->first);
        s->first = NULL;
        s->stored = s->entries;
    } else {
        TRY(store(s, ctx));
    }
    s->partial =
        gsolve_alloc(ctx, gs_location(ctx), (size_t)s->partials, gs_type_size(s->csr.type));
    TRY(s->partial ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_segmented *s = self;
    void *const block[] = {s->from,    s->first, s->col,      s->value, s->row,
                           s->partial, s->part,  s->part_sum, s->done};

    for (size_t k = 0; k < sizeof block / sizeof *block; k++) {
        gsolve_free(ctx, gs_location(ctx), block[k]);
    }
    gs_subwarp_drop(&s->space, ctx);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    gs_segmented *s = NULL;
    gsolve_status status;

    (void)user;
    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = (gs_segmented){
        .csr = *csr, .entries = entries, .chosen = *(const gs_segmented_options *)chosen};
    TRY(make(s, ctx));
    *self = s;
    s = NULL;
done:
    if (s) destroy(s, ctx);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return gs_segmented_multiply(self, ctx, alpha, x, beta, y, NULL);
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_segmented *s = self;
    const gs_subwarp_form form = {gs_segmented_multiply_rows, s,
                                  s->partials > s->parts ? s->partials : s->parts};

    return gs_subwarp_multiply(&form, &s->space, ctx, alpha, x, beta, y);
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    const gs_product_sums dots = {w.value, wy, yy};
    return gs_segmented_multiply(self, ctx, 1, x, 0, y, &dots);
}

/* The segments depend on the pattern only. With sum=reduce, values are read where they lie. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_segmented *s = self;

    s->csr = *csr;
    return s->reduce ? GSOLVE_OK : gs_segmented_fill(s, ctx, false);
}

/* Bytes of the tables of segments. */
static size_t table_bytes(const gs_segmented *s)
{
    return (size_t)s->segments *
           (gs_offset_size(s->csr.offset) + sizeof *s->size + sizeof *s->target);
}

/* Where no row is cut, every group is as wide as its longest row. Else the groups are estimated as
 * after sorting. */
static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    gs_segmented s = {.csr = *csr,
                      .chosen = *(const gs_segmented_options *)chosen,
                      .entries = gs_start(csr, csr->nrows)};
    const size_t entry = sizeof *csr->col + gs_type_size(csr->type);
    int64_t plain = 0;
    size_t bytes;

    (void)user;
    for (int64_t i = 0; i < csr->nrows; i += GS_SEGMENT_LANES) {
        int64_t longest = 0;
        for (int32_t r = (int32_t)i; r < csr->nrows && r - i < GS_SEGMENT_LANES; r++) {
            const int64_t row = gs_start(csr, r + 1) - gs_start(csr, r);
            if (row > longest) longest = row;
        }
        plain += GS_SEGMENT_LANES * longest;
        if (longest > s.longest) s.longest = longest;
    }
    s.length = choose_length(&s);
    s.segments = (int32_t)fmin(csr->nrows + (double)(s.entries / s.length), INT32_MAX);
    if (is_plain(&s) && (double)plain <= 1.1 * (double)s.entries) {
        bytes = (size_t)plain * entry;
    } else { /* the tables exist twice during the sort, with keys and indices of 4 bytes each */
        bytes = (size_t)(1.1 * (double)s.entries) * entry + 2 * table_bytes(&s) +
                (size_t)s.segments * 4 * sizeof(int32_t);
    }
    if (s.chosen.sum == GS_SUM_REDUCE) bytes -= (size_t)s.entries * entry;
    return bytes + (size_t)s.segments / GS_SEGMENT_LANES * sizeof *s.first;
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_segmented *s = self;
    const size_t value = gs_type_size(s->csr.type), entry = sizeof *s->col + value;

    snprintf(info->note, sizeof info->note, "%d segments of up to %d entries, each summed by %s",
             s->segments, s->length, s->reduce ? "several threads" : "one thread");

    info->stored = s->reduce ? s->entries : s->stored + s->in_parts;
    info->bytes = (size_t)info->stored * entry;
    info->bytes += ((size_t)s->csr.ncols + (size_t)s->csr.nrows) * value;
    info->bytes += (size_t)s->parts * sizeof *s->part;
    info->bytes += (size_t)s->partials * 2 * value + (size_t)s->many * 2 * sizeof *s->row;
    if (s->target) info->bytes += (size_t)s->segments * sizeof *s->target;
    if (!s->reduce) {
        info->bytes += ((size_t)s->groups + 1) * sizeof *s->first;
    } else if (s->from) {
        info->bytes += table_bytes(s) - (size_t)s->segments * sizeof *s->target;
    } else {
        info->bytes += ((size_t)s->csr.nrows + 1) * gs_offset_size(s->csr.offset);
    }
}

const gsolve_format gs_segmented_format = {
    .plugin = GS_SEGMENTED_PLUGIN,
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_block = apply_block,
    .row_major = true,
    .apply_dot = apply_dot,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
