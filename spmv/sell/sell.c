/* sell.c: the format sell, SELL-C-sigma: slices of C rows, each as wide as its longest row. Rows
 * are sorted by length within windows of sigma rows, so that the rows of a slice have similar
 * lengths. sliced.h describes the storage and the product; a row has one lane, or on a GPU several
 * where rows are few and long. */
#include "spmv/sliced/sliced.h"

#include <stdio.h>

#include "core/try.h"
#include "spmv/handle.h"

typedef struct sell_options {
    int slice, sigma, most, index, value;
} sell_options;

static const gsolve_option options[] = {
    {"slice",
     "rows per slice, a power of two from 8 to 1024. 0 chooses: 8 on the CPU; 32 on a GPU, or "
     "fewer if there are few but long rows (several threads then share a row)",
     GSOLVE_INT, offsetof(sell_options, slice), 0, 0, GS_SLICED_MOST, NULL},
    {"sigma",
     "rows are sorted by length within windows of this number of consecutive rows; 1: no sorting. "
     "0 "
     "chooses: 1 if without sorting the padding is at most 10 % of the entries; else 16384 on a "
     "GPU, and on the CPU 512, or 16384 if neighbouring rows read distant parts of x",
     GSOLVE_INT, offsetof(sell_options, sigma), 0, 0, INT32_MAX / 2, NULL},
    {"most",
     "rows with more entries than this are not copied into slices: they stay in csr, and each is "
     "cut into parts that are computed in parallel; 0: 4 times the mean row length, at least 128",
     GSOLVE_INT, offsetof(sell_options, most), 0, 0, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(sell_options),
    {0},
};

static gsolve_status check_slice(gsolve_context *ctx, int slice)
{
    if (slice == 0 || (slice >= GS_SLICED_LEAST && (slice & (slice - 1)) == 0)) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                       "sell,slice=%d: slice must be a power of two from %d to %d, or 0", slice,
                       GS_SLICED_LEAST, GS_SLICED_MOST);
}

/* Lanes per row: 1 where the option slice is given. */
static int32_t lanes_per_row_of(const sell_options *o, bool gpu, int32_t rows, int64_t entries)
{
    return o->slice > 0 ? 1 : gs_sliced_lanes_per_row(gpu, rows, entries);
}

static void write_note(gs_sliced *s, int32_t rows, int32_t window)
{
    int at = snprintf(s->note, sizeof s->note, "slices of %d row%s", rows, rows > 1 ? "s" : "");

    if (window > 1) {
        at += snprintf(s->note + at, sizeof s->note - (size_t)at, ", sorted within %d", window);
    }
    if (s->nlong > 0) {
        snprintf(s->note + at, sizeof s->note - (size_t)at, ", %d long rows in csr", s->nlong);
    }
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    const sell_options *o = chosen;
    const gs_sliced_group all = {0, lanes_per_row_of(o, gs_on_gpu(ctx), csr->nrows, entries), 0};
    gs_sliced_policy policy = {.lanes = o->slice > 0 ? o->slice : gs_sliced_lanes(ctx),
                               .groups = 1,
                               .group = &all,
                               .most = gs_sliced_most(o->most, csr->nrows, entries),
                               .index = o->index,
                               .value = o->value,
                               .entries = entries};
    int32_t window;
    gs_sliced *s;
    gsolve_status status;

    (void)user;
    TRY(check_slice(ctx, o->slice));
    TRY(gs_sliced_order(ctx, csr, o->sigma, &policy, &window));
    TRY(gs_sliced_make(&s, ctx, csr, &policy));
    write_note(s, policy.lanes / all.lanes, window);
    *self = s;
done:
    return status;
}

/* The memory in the layout of a GPU. It is used for devices with memory of their own only. */
static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    const sell_options *o = chosen;
    const int32_t lanes = o->slice > 0 ? o->slice : GS_SLICED_WARP, n = csr->nrows;
    const int64_t entries = gs_start(csr, n);
    const int32_t most = gs_sliced_most(o->most, n, entries);
    const int32_t lanes_per_row = lanes_per_row_of(o, true, n, entries),
                  rows = lanes / lanes_per_row;
    double stored = gs_sliced_estimate_stored(csr, rows, 1, most);
    int64_t kept = 0;

    (void)user;
    for (int32_t i = 0; i < n; i++) kept += gs_sliced_short(csr, i, most);
    const int32_t window =
        gs_sliced_window_of(o->sigma, GS_SLICED_WINDOW, rows, stored, (double)kept);
    if (window > 1) stored = gs_sliced_estimate_stored(csr, rows, window, most);
    stored += (double)n * (lanes_per_row - 1); /* a row fills its last column */

    return gs_sliced_bytes(csr, stored, rows, window > 1);
}

const gsolve_format gs_sell_format = {
    .plugin = {"sell",
               "rows in slices; the rows of a slice are padded to its longest row (SELL-C-sigma)",
               options, sizeof(sell_options)},
    .build = build,
    .apply_block = gs_sliced_apply_block,
    .memory = estimate_memory,
    GS_SLICED_MEMBERS,
};
