/* sliced.c: what the formats by slices share on every device, see sliced.h. */
#include "spmv/sliced/sliced.h"

#include <stdio.h>

#include "core/try.h"
#include "matrix/irregular.h"

/* Most columns of all slices together, so that twice as many units still have 32-bit numbers. */
#define MOST_COLUMNS (INT32_MAX / 2)

/* Lanes that keep a GPU's memory busy: 2000 warps, each with 2 kB of loads in flight. */
#define BUSY 65536
/* Least entries per lane if lanes share a row: a lane loads that many at once. */
#define LEAST_DEEP 8

/* --- making and freeing ----------------------------------------------------------------------- */

static int log2_of(int32_t n)
{
    int shift = 0;

    while (n >> (shift + 1)) shift++;
    return shift;
}

/* span[g] = the first position and slice of group g; span[groups] = the ends. */
static gsolve_status place_groups(gs_sliced *s, gsolve_context *ctx, const gs_sliced_policy *policy,
                                  gs_sliced_span *span)
{
    int64_t slices = 0;

    for (int32_t g = 0; g < policy->groups; g++) {
        const gs_sliced_group *group = &policy->group[g];
        const int32_t rows = s->lanes / group->lanes;
        const int64_t end = g + 1 < policy->groups ? group[1].first : s->csr.nrows;
        span[g] =
            (gs_sliced_span){group->first, (int32_t)slices, group->width, log2_of(group->lanes)};
        slices += (end - group->first + rows - 1) / rows;
        if (slices > MOST_COLUMNS) break;
        if (span[g].row_shift > s->most_row_shift) s->most_row_shift = span[g].row_shift;
    }
    if (slices > MOST_COLUMNS) {
        return gsolve_fail(
            ctx, GSOLVE_UNSUPPORTED,
            "%d rows make %lld slices of %d lanes, but at most 2^30 - 1 are supported",
            s->csr.nrows, (long long)slices, s->lanes);
    }
    s->slices = (int32_t)slices;
    span[policy->groups] = (gs_sliced_span){s->csr.nrows, s->slices, 0, 0};
    return GSOLVE_OK;
}

/* Stores the values of s->csr: in f32 if value=auto and all are exact in it, else in the type of
 * the matrix. columns: stores the column numbers, too. */
static gsolve_status fill(gs_sliced *s, gsolve_context *ctx, bool columns)
{
    const gs_sliced_kernels *sliced = GS_KERNELS(gs_sliced, ctx, s->csr.type);
    bool single = false;
    gsolve_status status;

    if (s->value == GS_VALUE_AUTO && s->csr.type == GSOLVE_F64) {
        TRY(sliced->fits_single(s, ctx, &single));
    }
    if (!s->value_of || single != s->single) {
        void *fresh = gsolve_alloc(ctx, gs_location(ctx), (size_t)(s->columns * s->lanes),
                                   single ? sizeof(float) : gs_type_size(s->csr.type));
        TRY(fresh ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        gsolve_free(ctx, gs_location(ctx), s->value_of);
        s->value_of = fresh;
        s->single = single;
    }
    TRY(sliced->fill(s, ctx, columns));
done:
    return status;
}

gsolve_status gs_sliced_make(gs_sliced **out, gsolve_context *ctx, const gsolve_csr *csr,
                             const gs_sliced_policy *policy)
{
    gs_sliced *s = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *s);
    gs_sliced_span *span = NULL;
    gsolve_status status;

    if (!s) {
        gsolve_free(ctx, gs_location(ctx), policy->order);
        return GSOLVE_NO_MEMORY;
    }
    *s = (gs_sliced){.csr = *csr,
                     .entries = policy->entries,
                     .lanes = policy->lanes,
                     .shift = log2_of(policy->lanes),
                     .keep = policy->keep > 0 ? policy->keep : INT32_MAX,
                     .most = policy->most > 0 ? policy->most : INT32_MAX,
                     .index = policy->index,
                     .value = policy->value,
                     .order = policy->order};
    ALLOC(ctx, GSOLVE_HOST, span, (size_t)policy->groups + 1);
    if (s->entries == 0) TRY(gs_csr_entries(ctx, csr, &s->entries));
    TRY(place_groups(s, ctx, policy, span));
    TRY(GS_KERNELS(gs_sliced, ctx, csr->type)
            ->shape(s, ctx, policy->groups, span, policy->lengths));
    TRY(fill(s, ctx, true));
    *out = s;
    s = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, span);
    if (s) gs_sliced_destroy(s, ctx);
    return status;
}

gsolve_status gs_sliced_inspect(gsolve_context *ctx, const gsolve_csr *csr, int32_t lanes,
                                int32_t most, gs_sliced_facts *facts)
{
    gsolve_status status;

    facts->longest = facts->kept = facts->stored = 0;
    if (facts->entries == 0) TRY(gs_csr_entries(ctx, csr, &facts->entries));
    TRY(GS_KERNELS(gs_sliced, ctx, csr->type)
            ->inspect(ctx, csr, lanes, most > 0 ? most : INT32_MAX, facts));
done:
    return status;
}

void gs_sliced_destroy(void *self, gsolve_context *ctx)
{
    gs_sliced *s = self;
    void *const blocks[] = {s->first, s->position, s->row_shift, s->order, s->length,   s->full,
                            s->col,   s->head,     s->unit,      s->base,  s->value_of, s->part,
                            s->sum,   s->done,     s->task,      s->dot};

    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        gsolve_free(ctx, gs_location(ctx), blocks[k]);
    }
    gs_column_blocks_drop(&s->column_blocks, ctx);
    gs_block_space_drop(&s->space, ctx);
    gs_cache_windows_drop(&s->windows, ctx);
    gs_subwarp_drop(&s->subwarps, ctx);
    gsolve_free(ctx, GSOLVE_HOST, s);
}

gsolve_status gs_sliced_fits(gsolve_context *ctx, const gs_sliced *s, int64_t columns)
{
    const size_t value = gs_type_size(s->csr.type);

    if (columns > MOST_COLUMNS) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "slices of %d lanes would have %lld columns for %lld entries, but at "
                           "most 2^30 - 1 are supported",
                           s->lanes, (long long)columns, (long long)s->entries);
    }
    return gs_memory_need(ctx, (double)columns * s->lanes * (double)(sizeof *s->col + value),
                          "the matrix in slices");
}

bool gs_sliced_pays(const gs_sliced *s)
{
    const int64_t narrow = 2 * s->units * s->lanes + 4 * s->bases + 8 * (int64_t)s->slices;

    return s->index == GS_INDEX_16 || 8 * narrow < 7 * 4 * s->columns * s->lanes;
}

int32_t gs_sliced_lanes(const gsolve_context *ctx)
{
    return gs_on_gpu(ctx) ? GS_SLICED_WARP : 8; /* sums that a core computes at once */
}

/* Rows that are sorted by length together, if any are: few where x is read nearby. */
static int32_t window_to_sort(const gsolve_context *ctx, const gsolve_csr *csr)
{
    const bool near = !gs_on_gpu(ctx) && !gs_is_irregular(csr);
    return near ? GS_SLICED_NEAR : GS_SLICED_WINDOW;
}

int32_t gs_sliced_window_of(int sigma, int32_t found, int32_t rows, double stored, double kept)
{
    const int32_t window = sigma > 0 ? sigma : stored > 1.1 * kept ? found : 1;
    return window == 1 ? 1 : (window + rows - 1) / rows * rows;
}

gsolve_status gs_sliced_order(gsolve_context *ctx, const gsolve_csr *csr, int sigma,
                              gs_sliced_policy *policy, int32_t *window)
{
    const int32_t rows = policy->lanes / policy->group->lanes;
    gs_sliced_facts facts = {.entries = policy->entries};
    gsolve_status status = GSOLVE_OK;

    if (sigma == 0) TRY(gs_sliced_inspect(ctx, csr, rows, policy->most, &facts));
    *window = gs_sliced_window_of(sigma, window_to_sort(ctx, csr), rows, (double)facts.stored,
                                  (double)facts.kept);
    if (*window > 1) {
        const gs_sliced_classes by = {*window, policy->most, 0, NULL};
        TRY(GS_KERNELS(gs_sliced, ctx, csr->type)->sort(ctx, csr, &by, &policy->order, NULL));
    }
done:
    return status;
}

int32_t gs_sliced_lanes_per_row(bool gpu, int32_t rows, int64_t entries)
{
    int32_t lanes = 1;

    if (!gpu) return 1;
    while (lanes < GS_SLICED_WARP && (int64_t)rows * lanes < BUSY &&
           entries >= (int64_t)rows * 2 * lanes * LEAST_DEEP) {
        lanes *= 2;
    }
    return rows > 0 ? lanes : 1;
}

int32_t gs_sliced_most(int asked, int32_t rows, int64_t entries)
{
    const int64_t most = rows > 0 ? 4 * (entries / rows) : 0;

    if (asked > 0) return asked;
    return most < 128 ? 128 : most > INT32_MAX ? INT32_MAX : (int32_t)most;
}

/* --- products --------------------------------------------------------------------------------- */

gsolve_status gs_sliced_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                              double beta, gsolve_dense y)
{
    const gs_sliced_kernels *sliced = GS_KERNELS(gs_sliced, ctx, x.type);
    return sliced->apply(ctx->queue, self, alpha, x.value, beta, y.value, NULL);
}

/* The product may let the work space of self grow. */
gsolve_status gs_sliced_apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y)
{
    return GS_KERNELS(gs_sliced, ctx, x.type)->apply_block(self, ctx, alpha, x, beta, y);
}

gsolve_status gs_sliced_apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                                  gsolve_dense w, double *wy, double *yy)
{
    const gs_sliced_kernels *sliced = GS_KERNELS(gs_sliced, ctx, x.type);
    const gs_product_sums dots = {w.value, wy, yy};

    return sliced->apply(ctx->queue, self, 1, x.value, 0, y.value, &dots);
}

bool gs_sliced_can_step(const void *self, const gsolve_context *ctx)
{
    const gs_sliced *s = self;

    return GS_KERNELS(gs_sliced, ctx, s->csr.type)->step && gs_sliced_row_per_lane(s) &&
           s->parts == 0;
}

gsolve_status gs_sliced_apply_step(void *self, gsolve_context *ctx, const void *x,
                                   const gs_step *step)
{
    const gs_sliced *s = self;

    return GS_KERNELS(gs_sliced, ctx, s->csr.type)->step(ctx->queue, s, x, step);
}

/* --- the rows, restored so that a matrix that is only multiplied need not be stored twice ------
 */

bool gs_sliced_holds_all(const void *self)
{
    const gs_sliced *s = self;

    return s->nlong == 0 && s->keep == INT32_MAX;
}

gsolve_status gs_sliced_restore(const void *self, gsolve_context *ctx, gsolve_csr *csr)
{
    const gs_sliced *s = self;
    gs_sliced here = *s;
    int32_t *col = NULL;
    void *value = NULL;
    gsolve_status status;

    here.csr = *csr;
    ALLOC(ctx, csr->location, col, s->entries);
    value = gsolve_alloc(ctx, csr->location, (size_t)s->entries, gs_type_size(csr->type));
    TRY(value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(GS_KERNELS(gs_sliced, ctx, csr->type)->restore(ctx->queue, &here, col, value));
    csr->col = col;
    csr->value = value;
    col = NULL;
    value = NULL;
done:
    gsolve_free(ctx, csr->location, col);
    gsolve_free(ctx, csr->location, value);
    return status;
}

/* --- new values, description, memory ---------------------------------------------------------- */

gsolve_status gs_sliced_update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_sliced *s = self;

    s->csr = *csr;
    return fill(s, ctx, false);
}

/* Bytes of the column numbers and of the heads and bases. */
static int64_t index_bytes(const gs_sliced *s)
{
    if (!s->narrow) return s->columns * s->lanes * (int64_t)sizeof *s->col;
    return s->units * s->lanes * (int64_t)sizeof *s->unit + s->bases * (int64_t)sizeof *s->base +
           s->slices * (int64_t)sizeof *s->head;
}

/* Writes the note: first what the format chose, then the storage of columns and values. */
static void write_note(const gs_sliced *s, gsolve_matrix_info *info)
{
    const char *bits = s->units == s->columns
                           ? "16"
                           : "16- and 32"; /* a column of 32-bit numbers takes two units */

    snprintf(info->note, sizeof info->note, "%s%s%s-bit column indices%s", s->note,
             s->note[0] ? "; " : "", s->narrow ? bits : "32", s->single ? ", values in f32" : "");
}

void gs_sliced_describe(const void *self, gsolve_matrix_info *info)
{
    const gs_sliced *s = self;
    const int64_t type = (int64_t)gs_type_size(s->csr.type), stored = s->columns * s->lanes;
    const int64_t value = s->single ? (int64_t)sizeof(float) : type;
    int64_t bytes = index_bytes(s) + stored * value + (s->slices + 1) * (int64_t)sizeof *s->first;

    bytes += s->in_parts * (4 + type) + s->parts * (int64_t)sizeof *s->part;
    if (s->order) bytes += s->csr.nrows * (int64_t)sizeof *s->order;
    if (s->length) bytes += s->csr.nrows * (int64_t)sizeof *s->length;
    if (s->position) bytes += s->slices * (int64_t)(sizeof *s->position + sizeof *s->row_shift);
    bytes += ((int64_t)s->csr.nrows + s->csr.ncols) * type;
    info->stored = stored + s->in_parts;
    info->bytes = (size_t)bytes;
    write_note(s, info);
}

size_t gs_sliced_bytes(const gsolve_csr *csr, double stored, int32_t lanes, bool order)
{
    const double slices = (double)csr->nrows / lanes + 1;

    return (size_t)(stored * (double)(sizeof(int32_t) + gs_type_size(csr->type)) +
                    slices * (sizeof(gs_sliced_head) + 2 * sizeof(int32_t)) +
                    (order ? 4.0 * csr->nrows : 0));
}

double gs_sliced_estimate_stored(const gsolve_csr *csr, int32_t lanes, int32_t window, int32_t most)
{
    const int32_t step = window > 1 ? window : lanes;
    double stored = 0;

    for (int32_t i = 0; i < csr->nrows;) {
        const int32_t end = csr->nrows - i < step ? csr->nrows : i + step;
        int64_t entries = 0, longest = 0;
        for (; i < end; i++) {
            const int32_t length = gs_sliced_short(csr, i, most);
            entries += length;
            if (length > longest) longest = length;
        }
        /* where lengths descend, the longest of a slice is at most each length of the one before */
        stored += (double)(window > 1 ? entries + longest * lanes : longest * lanes);
    }
    return stored;
}
