/* ellr.c: the format ellr, see ellr.h. */
#include "spmv/ellr/ellr.h"

#include <stdio.h>

#include "core/try.h"
#include "spmv/handle.h"

#define SPARSE 1.1 /* on the CPU: stored slots per entry from which rows are sorted */
#define SHARE  16  /* mean entries per thread where the option threads is 0 */

enum { LARGE_CACHE, LEAST_CACHE }; /* the words of cache= */

typedef struct ellr_options {
    int threads, block, rows, cache, most, index, value;
} ellr_options;

static const gsolve_option options[] = {
    {"threads",
     "threads per row: 1, 2, 4, 8, 16 or 32; 0: on a GPU chosen from the mean row length, on the "
     "CPU 1",
     GSOLVE_INT, offsetof(ellr_options, threads), 0, 0, GS_SLICED_WARP, NULL},
    {"block",
     "GPU, products with many columns: threads per block, a power of two from 64 to 1024; "
     "0: 1024, or fewer if multiprocessors would be idle otherwise",
     GSOLVE_INT, offsetof(ellr_options, block), 0, 0, GS_ELLR_MOST_BLOCK, NULL},
    {"rows",
     "GPU, products with many columns: number of consecutive rows that a multiprocessor computes "
     "before it takes the next group of rows; 0: about 1024, such that all multiprocessors finish "
     "at about the same time",
     GSOLVE_INT, offsetof(ellr_options, rows), 0, 0, 1 << 20, NULL},
    {"cache",
     "GPU, products with many columns: size of the L1 cache; large: as large as possible; least: "
     "as small as possible (most of the on-chip memory is shared memory), a variant that the "
     "paper on FastSpMM (Ortega et al.) measures",
     GSOLVE_CHOICE, offsetof(ellr_options, cache), LARGE_CACHE, 0, 0, "large|least"},
    {"most",
     "rows with more entries than this are not copied into slices: they stay in csr, and each is "
     "cut into parts that are computed in parallel; 0: 4 times the mean row length, at least 128",
     GSOLVE_INT, offsetof(ellr_options, most), 0, 0, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(ellr_options),
    {0},
};

/* The threads per row, for slices of `slice` lanes. */
static int32_t threads_of(int threads, int32_t slice, int32_t rows, int64_t entries)
{
    int32_t lanes = 1;

    if (threads > 0 || slice < GS_SLICED_WARP) return threads > 0 ? threads : 1;
    while (lanes < GS_SLICED_WARP && entries > (int64_t)rows * SHARE * lanes) lanes *= 2;
    return lanes;
}

/* The CPU reads eight lanes at once. Where many of their slots would be padding, rows are sorted by
 * length. */
static gsolve_status sort_if_sparse(gsolve_context *ctx, const gsolve_csr *csr,
                                    gs_sliced_policy *policy)
{
    gs_sliced_facts facts = {.entries = policy->entries};
    const int32_t rows = policy->lanes / policy->group->lanes, window = gs_sliced_window(ctx, csr);
    gsolve_status status;

    TRY(gs_sliced_inspect(ctx, csr, rows, policy->most, &facts));
    if ((double)facts.stored <= SPARSE * (double)facts.kept) goto done;
    TRY(gs_sliced_sort(ctx, csr, window, policy->most, &policy->order));
done:
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static void destroy(void *self, gsolve_context *ctx)
{
    gs_ellr *m = self;

    if (m->slices) gs_sliced_destroy(m->slices, ctx);
    gs_subwarp_drop(&m->space, ctx);
    gsolve_free(ctx, GSOLVE_HOST, m);
}

/* *out = csr with that many threads per row. */
static gsolve_status make(gs_ellr **out, gsolve_context *ctx, const gsolve_csr *csr,
                          const ellr_options *o, int64_t entries, int32_t threads)
{
    const gs_sliced_group all = {0, threads, 0};
    gs_sliced_policy policy = {.lanes = gs_sliced_lanes(ctx),
                               .groups = 1,
                               .group = &all,
                               .most = gs_sliced_most(o->most, csr->nrows, entries),
                               .lengths = true,
                               .index = o->index,
                               .value = o->value,
                               .entries = entries};
    gs_ellr *m = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, m, 1);
    *m = (gs_ellr){.schedule = {o->block, o->rows, o->cache == LEAST_CACHE}};
    if (threads > policy.lanes) policy.lanes = threads;
    if (!gs_on_gpu(ctx)) TRY(sort_if_sparse(ctx, csr, &policy));
    TRY(gs_sliced_make(&m->slices, ctx, csr, &policy));
    *out = m;
    m = NULL;
done:
    if (m) destroy(m, ctx);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static gsolve_status check(gsolve_context *ctx, const ellr_options *o)
{
    if (o->threads & (o->threads - 1)) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "ellr,threads=%d: threads must be 1, 2, 4, 8, 16 or 32, or 0",
                           o->threads);
    }
    if ((o->block & (o->block - 1)) || (o->block > 0 && o->block < GS_ELLR_LEAST_BLOCK)) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "ellr,block=%d: block must be 64, 128, 256, 512 or 1024, or 0",
                           o->block);
    }
    return GSOLVE_OK;
}

static void write_note(gs_ellr *m, bool on_gpu)
{
    gs_sliced *s = m->slices;
    const int32_t lanes = 1 << s->most_row_shift;
    int at = snprintf(s->note, sizeof s->note, "%d %s%s per row", lanes,
                      on_gpu ? "thread" : "SIMD lane", lanes > 1 ? "s" : "");

    if (m->schedule.block > 0) {
        at += snprintf(s->note + at, sizeof s->note - (size_t)at, ", blocks of %d",
                       m->schedule.block);
    }
    if (m->schedule.rows > 0) {
        snprintf(s->note + at, sizeof s->note - (size_t)at, " for %d rows", m->schedule.rows);
    }
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen)
{
    const ellr_options *o = chosen;
    gs_ellr *m = NULL;
    int32_t threads;
    gsolve_status status;

    TRY(check(ctx, o));
    threads = threads_of(o->threads, gs_sliced_lanes(ctx), csr->nrows, entries);
    TRY(make(&m, ctx, csr, o, entries, threads));
    write_note(m, gs_on_gpu(ctx));
    *self = m;
    m = NULL;
done:
    if (m) destroy(m, ctx);
    return status;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *chosen)
{
    const ellr_options *o = chosen;
    const int64_t entries = gs_start(csr, csr->nrows);
    const int32_t lanes = threads_of(o->threads, GS_SLICED_WARP, csr->nrows, entries);
    const int32_t most = gs_sliced_most(o->most, csr->nrows, entries);
    const int32_t rows = GS_SLICED_WARP / lanes; /* of a slice; a row fills its last column */
    const double stored =
        gs_sliced_estimate_stored(csr, rows, 1, most) + (double)csr->nrows * (lanes - 1);

    return gs_sliced_bytes(csr, stored, rows, true);
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return gs_sliced_apply(((const gs_ellr *)self)->slices, ctx, alpha, x, beta, y);
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    return gs_sliced_apply_dot(((const gs_ellr *)self)->slices, ctx, x, y, w, wy, yy);
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_ellr *m = self;

    if (!gs_on_gpu(ctx) || (m->slices->aligned && x.layout == GSOLVE_COLUMN_MAJOR)) {
        return gs_sliced_apply_block(m->slices, ctx, alpha, x, beta, y);
    }
    const gs_subwarp_form form = {gs_ellr_cuda[x.type].multiply, m, m->slices->parts};
    return gs_subwarp_multiply(&form, &m->space, ctx, alpha, x, beta, y);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return gs_sliced_update(((gs_ellr *)self)->slices, ctx, csr);
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    gs_sliced_describe(((const gs_ellr *)self)->slices, info);
}

const gsolve_format gs_ellr_format = {
    .plugin =
        {"ellr",
         "slices of padded rows, and the length of each row; several threads per row (ELLPACK-R)",
         options, sizeof(ellr_options)},
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
