/* segmented.c: the format segmented, see segmented.h. */
#include "spmv/segmented/segmented.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "core/try.h"

static const gsolve_option options[] = {
    {"length",
     "entries per segment, rounded up to a power of two; 0: the smallest power of two that holds "
     "the mean row length, or twice that number if this holds the longest row",
     GSOLVE_INT, offsetof(gs_segmented_options, length), 0, 0, GS_SEGMENT_MOST, NULL},
    {"sum",
     "how a segment is summed; thread: by one thread, from a padded copy (segSpMV); reduce: by "
     "several threads, without a copy (segSpMV-r); auto: thread unless it needs much padding",
     GSOLVE_CHOICE, offsetof(gs_segmented_options, sum), GS_SUM_AUTO, 0, 0, "auto|thread|reduce"},
    {"finish",
     "how the segment sums of a row are added; device: in parallel on the device; host: by one CPU "
     "thread, as He et al. do (segSpMV)",
     GSOLVE_CHOICE, offsetof(gs_segmented_options, finish), GS_FINISH_DEVICE, 0, 0, "device|host"},
    {"gather",
     "how x is read; fused: within the product; expand: before the product, the element of x for "
     "each entry is written to memory, as He et al. do (segSpMV)",
     GSOLVE_CHOICE, offsetof(gs_segmented_options, gather), GS_GATHER_FUSED, 0, 0, "fused|expand"},
    {"order",
     "order of the segments; rows: as in the matrix; length: by length; columns: long segments "
     "that read the same part of x are neighbours; auto: chosen from the matrix",
     GSOLVE_CHOICE, offsetof(gs_segmented_options, order), GS_ORDER_AUTO, 0, 0,
     "auto|rows|length|columns"},
    {0},
};

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *given)
{
    gs_segmented like = {.csr = *csr,
                         .entries = entries,
                         .chosen = *(const gs_segmented_options *)given},
                 *s = NULL;
    gsolve_status status;

    like.kernels = GS_KERNELS(gs_segmented, ctx, csr->type);
    TRY(like.kernels->measure_rows(&like, ctx));
    TRY(gs_segmented_build(&s, ctx, &like, gs_segmented_length(&like)));
    *self = s;
    s = NULL;
done:
    if (s) gs_segmented_destroy(s, ctx);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const gs_segmented *s = self;
    return s->kernels->apply(ctx->queue, s, alpha, x.value, beta, y.value, NULL);
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_segmented *s = self;
    const int64_t cut = s->partials > s->parts ? s->partials : s->parts;
    const int64_t sums = s->kernels->one_loop ? 0 : cut;
    const gs_subwarp_form form = {s->kernels->multiply, s, sums};

    return gs_subwarp_multiply(&form, &s->space, ctx, alpha, x, beta, y);
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    const gs_segmented *s = self;
    const gs_product_sums dots = {w.value, wy, yy};
    return s->kernels->apply(ctx->queue, s, 1, x.value, 0, y.value, &dots);
}

/* The segments depend on the pattern only. With sum=reduce, values are read where they lie. */
static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_segmented *s = self;

    s->csr = *csr;
    return s->reduce ? GSOLVE_OK : s->kernels->fill(s, ctx, false);
}

/* Bytes of the tables of segments. */
static size_t table_bytes(const gs_segmented *s)
{
    return (size_t)s->segments *
           (gs_offset_size(s->csr.offset) + sizeof *s->size + sizeof *s->target);
}

/* Where no row is cut, every group is as wide as its longest row. Else the groups are estimated as
 * after sorting. */
static size_t estimate_memory(const gsolve_csr *csr, const void *given)
{
    enum { LANES = 32 };
    gs_segmented s = {.csr = *csr,
                      .kernels = &gs_segmented_host[csr->type],
                      .chosen = *(const gs_segmented_options *)given,
                      .entries = gs_start(csr, csr->nrows)};
    const size_t entry = sizeof *csr->col + gs_type_size(csr->type);
    int64_t plain = 0;
    size_t bytes;

    for (int64_t i = 0; i < csr->nrows; i += LANES) {
        int64_t longest = 0;
        for (int32_t r = (int32_t)i; r < csr->nrows && r - i < LANES; r++) {
            const int64_t row = gs_start(csr, r + 1) - gs_start(csr, r);
            if (row > longest) longest = row;
        }
        plain += LANES * longest;
        if (longest > s.longest) s.longest = longest;
    }
    s.length = gs_segmented_length(&s);
    s.segments = (int32_t)fmin(csr->nrows + (double)(s.entries / s.length), INT32_MAX);
    if (s.longest <= s.length && s.chosen.order <= GS_ORDER_ROWS &&
        (double)plain <= 1.1 * (double)s.entries) {
        bytes = (size_t)plain * entry;
    } else { /* the tables exist twice during the sort, with keys and indices of 4 bytes each */
        bytes = (size_t)(1.1 * (double)s.entries) * entry + 2 * table_bytes(&s) +
                (size_t)s.segments * 4 * sizeof(int32_t);
    }
    if (s.chosen.sum == GS_SUM_REDUCE) bytes -= (size_t)s.entries * entry;
    if (s.chosen.gather == GS_GATHER_EXPAND) bytes += (size_t)s.entries * gs_type_size(csr->type);
    return bytes + (size_t)s.segments / LANES * sizeof *s.first;
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
    if (s->expanded) info->bytes += 2 * value * (size_t)s->stored;
    if (!s->reduce) {
        info->bytes += ((size_t)s->groups + 1) * sizeof *s->first;
    } else if (s->from) {
        info->bytes += table_bytes(s) - (size_t)s->segments * sizeof *s->target;
    } else {
        info->bytes += ((size_t)s->csr.nrows + 1) * gs_offset_size(s->csr.offset);
    }
}

const gsolve_format gs_segmented_format = {
    .plugin = {"segmented", "rows cut into segments of equal length, a power of two", options,
               sizeof(gs_segmented_options)},
    .build = build,
    .destroy = gs_segmented_destroy,
    .apply = apply,
    .apply_block = apply_block,
    .row_major = true,
    .apply_dot = apply_dot,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
