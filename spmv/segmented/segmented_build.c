/* segmented_build.c: the stored form: the length of segments, their order, and what is copied. */
#include <stdio.h>

#include "core/try.h"
#include "spmv/segmented/segmented.h"

/* --- the length of segments ------------------------------------------------------------------- */

/* The power of two just above the mean length, as in the paper. If the longest row has at most
 * twice that, the power of two above it: a group is only as wide as the longest of its segments,
 * and no row is cut. Where lengths differ more, the device's best length, reduced until all its
 * processors have segments. */
int gs_segmented_length(const gs_segmented *s)
{
    const gs_segmented_kernels *device = s->kernels;
    const double wanted = s->chosen.length ? s->chosen.length
                                           : (double)s->entries / (s->csr.nrows ? s->csr.nrows : 1);
    int length = 1;

    while (length < wanted && length < GS_SEGMENT_MOST) length *= 2;
    if (s->chosen.length) return length;
    if (s->longest <= 2 * length && s->longest <= GS_SEGMENT_MOST) {
        return s->longest <= length ? length : 2 * length;
    }
    if (device->differing > 0) length = device->differing;
    while (length > 8 && s->entries / ((int64_t)length * device->lanes) < device->least_groups) {
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

static bool is_auto(const gs_segmented *s)
{
    return s->chosen.sum == GS_SUM_AUTO;
}

/* Whether segments may be stored in groups. Where x is read irregularly, loops over rows are
 * better, since they can prefetch x. */
static bool wants_groups(const gs_segmented *s)
{
    return s->chosen.sum == GS_SUM_THREAD ||
           (is_auto(s) && s->length <= s->kernels->threads_until && !s->irregular);
}

/* Whether one loop over each row computes its segments. */
static bool loops_over_rows(const gs_segmented *s)
{
    return s->kernels->one_loop && !wants_groups(s) && s->chosen.order <= GS_ORDER_ROWS &&
           s->chosen.finish == GS_FINISH_DEVICE;
}

gsolve_status gs_segmented_alloc_tables(const gs_segmented *s, gsolve_context *ctx,
                                        gs_segment_tables *t)
{
    const size_t n = (size_t)s->segments, offset = gs_offset_size(s->csr.offset);
    char *block =
        gsolve_alloc(ctx, gs_location(ctx), n, offset + sizeof *t->target + sizeof *t->size);

    if (!block) return GSOLVE_NO_MEMORY;
    t->from = block;
    t->target = (int32_t *)(block + n * offset);
    t->size = (uint16_t *)(block + n * (offset + sizeof *t->target));
    return GSOLVE_OK;
}

gsolve_status gs_segmented_alloc_rows(gs_segmented *s, gsolve_context *ctx)
{
    gsolve_status status;

    ALLOC(ctx, gs_location(ctx), s->row, 2 * (size_t)s->many + 1);
    s->begin = s->row + s->many;
done:
    return status;
}

static gsolve_status cut(gs_segmented *s, gsolve_context *ctx)
{
    const gs_segmented_kernels *kernels = s->kernels;
    const int64_t most = s->csr.nrows + s->entries / s->length;

    s->lanes = kernels->lanes;
    s->segments = s->csr.nrows;
    if (most > INT32_MAX) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "segmented would cut %lld entries into up to %lld segments of %d, but "
                           "supports 2147483647: choose a greater length",
                           (long long)s->entries, (long long)most, s->length);
    }
    return is_plain(s) || loops_over_rows(s) ? GSOLVE_OK : kernels->cut(s, ctx);
}

/* Makes the groups of the segments in their present order. Sorting does not change their number. */
static gsolve_status measure(gs_segmented *s, gsolve_context *ctx)
{
    gsolve_status status;

    s->groups = (int)(((int64_t)s->segments + s->lanes - 1) / s->lanes);
    if (!s->first) ALLOC(ctx, gs_location(ctx), s->first, (size_t)s->groups + 1);
    TRY(s->kernels->measure_groups(s, ctx));
done:
    return status;
}

/* Whether groups store at most `times` the entries; the last group is left out of account. */
static bool is_dense(const gs_segmented *s, double times)
{
    return (double)s->stored <=
           times * (double)(s->entries - s->in_parts) + 2.0 * s->lanes * s->length;
}

/* Whether there are too few segments for one thread each, and enough entries for several. */
static bool is_few(const gs_segmented *s)
{
    return s->groups < s->kernels->least_groups / 4 && s->entries >= 16 * (int64_t)s->segments;
}

/* Chooses the order of segments, and makes the groups if there are any. */
static gsolve_status arrange(gs_segmented *s, gsolve_context *ctx)
{
    const gs_segmented_kernels *kernels = s->kernels;
    const bool may_sort = s->chosen.order == GS_ORDER_AUTO;
    int order = s->chosen.order;
    bool column_order = false;
    gsolve_status status = GSOLVE_OK;

    s->reduce = !wants_groups(s);
    if (may_sort && s->from && kernels->inspect) TRY(kernels->inspect(s, ctx, &column_order));
    if (may_sort) order = column_order ? GS_ORDER_COLUMNS : GS_ORDER_ROWS;
    if (order != GS_ORDER_ROWS) TRY(kernels->sort(s, ctx, order));
    if (s->reduce) return status;
    TRY(measure(s, ctx));
    if (may_sort && !column_order && !is_dense(s, 1.1)) {
        if (!s->from) TRY(kernels->cut(s, ctx));
        TRY(kernels->sort(s, ctx, GS_ORDER_LENGTH));
        TRY(measure(s, ctx));
    }
    s->reduce = is_auto(s) && (!is_dense(s, 1.25) || is_few(s));
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
    TRY(s->kernels->fill(s, ctx, true));
done:
    return status;
}

static gsolve_status make(gs_segmented *s, gsolve_context *ctx, int length)
{
    const gs_segmented_kernels *kernels = s->kernels;
    const size_t size = gs_type_size(s->csr.type);
    gsolve_status status;

    s->length = length;
    TRY(cut(s, ctx));
    TRY(arrange(s, ctx));
    if (s->reduce) {
        gsolve_free(ctx, gs_location(ctx), s->first);
        s->first = NULL;
        s->stored = s->entries;
    } else {
        TRY(store(s, ctx));
    }
    if (s->chosen.gather == GS_GATHER_EXPAND) {
        s->expanded = gsolve_alloc(ctx, gs_location(ctx), (size_t)s->stored, size);
        TRY(s->expanded ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    }
    s->partial = gsolve_alloc(ctx, gs_location(ctx), (size_t)s->partials, size);
    TRY(s->partial ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(kernels->prepare(s, ctx));
done:
    return status;
}

void gs_segmented_destroy(void *self, gsolve_context *ctx)
{
    const gsolve_location location = gs_location(ctx);
    gs_segmented *s = self;

    s->kernels->drop(s, ctx);
    gsolve_free(ctx, location, s->from);
    gsolve_free(ctx, location, s->first);
    gsolve_free(ctx, location, s->col);
    gsolve_free(ctx, location, s->value);
    gsolve_free(ctx, location, s->row);
    gsolve_free(ctx, location, s->partial);
    gsolve_free(ctx, location, s->part);
    gsolve_free(ctx, location, s->part_sum);
    gsolve_free(ctx, location, s->done);
    gsolve_free(ctx, location, s->expanded);
    gs_subwarp_drop(&s->space, ctx);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

gsolve_status gs_segmented_build(gs_segmented **out, gsolve_context *ctx, const gs_segmented *like,
                                 int length)
{
    gs_segmented *s = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, s, 1);
    *s = *like;
    TRY(make(s, ctx, length));
    *out = s;
    s = NULL;
done:
    if (s) gs_segmented_destroy(s, ctx);
    return status;
}
