/* ellr.c: the format ellr, see ellr.h. */
#include "spmv/ellr/ellr.h"

#include <stdio.h>

#include "core/try.h"
#include "spmv/handle.h"

#define SHARE 16 /* mean entries per thread where the option threads is 0 */

typedef struct ellr_options {
    int threads, block, rows, most, index, value;
} ellr_options;

static const gsolve_option options[] = {
    {"threads", "GPU: threads per row: 1, 2, 4, 8, 16 or 32; 0: chosen from the mean row length",
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
    {"most",
     "rows with more entries than this are not copied into slices: they stay in csr, and each is "
     "cut into parts that are computed in parallel; 0: 4 times the mean row length, at least 128",
     GSOLVE_INT, offsetof(ellr_options, most), 0, 0, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(ellr_options),
    {0},
};

/* The threads per row on a GPU. */
static int32_t threads_of(int threads, int32_t rows, int64_t entries)
{
    int32_t lanes = 1;

    if (threads > 0) return threads;
    while (lanes < GS_SLICED_WARP && entries > (int64_t)rows * SHARE * lanes) lanes *= 2;
    return lanes;
}

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

static void write_note(gs_sliced *s, int32_t threads)
{
    const gs_sliced_schedule *schedule = &s->schedule;
    int at =
        snprintf(s->note, sizeof s->note, "%d thread%s per row", threads, threads > 1 ? "s" : "");

    if (schedule->block > 0) {
        at +=
            snprintf(s->note + at, sizeof s->note - (size_t)at, ", blocks of %d", schedule->block);
    }
    if (schedule->rows > 0) {
        snprintf(s->note + at, sizeof s->note - (size_t)at, " for %d rows", schedule->rows);
    }
}

/* On the CPU the form is that of sell: a vector reads eight lanes at once, and the padding marks
 * the ends of rows. */
static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    const ellr_options *o = chosen;
    const bool gpu = gs_on_gpu(ctx);
    const gs_sliced_group all = {0, gpu ? threads_of(o->threads, csr->nrows, entries) : 1, 0};
    gs_sliced_policy policy = {.lanes = gs_sliced_lanes(ctx),
                               .groups = 1,
                               .group = &all,
                               .most = gs_sliced_most(o->most, csr->nrows, entries),
                               .lengths = gpu,
                               .index = o->index,
                               .value = o->value,
                               .entries = entries};
    int32_t window;
    gs_sliced *s;
    gsolve_status status;

    (void)user;
    TRY(check(ctx, o));
    if (!gpu) TRY(gs_sliced_order(ctx, csr, 0, &policy, &window));
    TRY(gs_sliced_make(&s, ctx, csr, &policy));
    s->schedule = (gs_sliced_schedule){o->block, o->rows};
    if (gpu) write_note(s, all.lanes);
    *self = s;
done:
    return status;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    const ellr_options *o = chosen;
    const int64_t entries = gs_start(csr, csr->nrows);
    const int32_t lanes = threads_of(o->threads, csr->nrows, entries);
    const int32_t most = gs_sliced_most(o->most, csr->nrows, entries);
    const int32_t rows = GS_SLICED_WARP / lanes; /* of a slice; a row fills its last column */
    const double stored =
        gs_sliced_estimate_stored(csr, rows, 1, most) + (double)csr->nrows * (lanes - 1);

    (void)user;
    return gs_sliced_bytes(csr, stored, rows, true);
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_sliced *s = self;

    if (!gs_on_gpu(ctx) || (s->aligned && x.layout == GSOLVE_COLUMN_MAJOR)) {
        return gs_sliced_apply_block(s, ctx, alpha, x, beta, y);
    }
    const gs_subwarp_form form = {gs_ellr_cuda[x.type].multiply, s, s->parts};
    return gs_subwarp_multiply(&form, &s->subwarps, ctx, alpha, x, beta, y);
}

const gsolve_format gs_ellr_format = {
    .plugin =
        {"ellr",
         "slices of padded rows, and the length of each row; several threads per row (ELLPACK-R); "
         "on the CPU the same as sell",
         options, sizeof(ellr_options)},
    .build = build,
    .apply_block = apply_block,
    .memory = estimate_memory,
    GS_SLICED_MEMBERS,
};
