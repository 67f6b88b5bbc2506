/* hyb.c: the format hyb, Bell and Garland: the first K entries of each row in ELLPACK, where all
 * rows are K wide, and the others in coordinates. K is the greatest width such that at least a
 * third of the rows have K entries or more; on the CPU three quarters, since a row of fewer than K
 * entries costs a branch misprediction there. (The paper also requires 4096 such rows; fewer rows
 * do not fill a GPU in either form.) sliced/ stores the ELLPACK part, triples.h the coordinates. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/sliced/sliced.h"
#include "spmv/yardsticks/triples.h"

/* Twelfths of the rows that must have K entries or more. */
#define SHARE_CUDA 4
#define SHARE_HOST 9

typedef struct hyb_options {
    int width, index, value;
} hyb_options;

typedef struct hyb {
    gs_sliced *ell; /* NULL: K is 0 */
    gs_triples rest;
} hyb;

static const gsolve_option options[] = {
    {"width",
     "entries per row in ELLPACK; 0: the largest width that at least one third (on the CPU three "
     "quarters) of the rows reach",
     GSOLVE_INT, offsetof(hyb_options, width), 0, 0, INT32_MAX, NULL},
    GS_SLICED_OPTIONS(hyb_options),
    {0},
};

static void destroy(void *self, gsolve_context *ctx)
{
    hyb *h = self;

    if (h->ell) gs_sliced_destroy(h->ell, ctx);
    gs_triples_drop(&h->rest, ctx);
    gsolve_free(ctx, GSOLVE_HOST, h);
}

/* The rank, from 0, by descending length of the row whose length is K; 0 if the option gives K. */
static int32_t rank_of(int asked, int32_t rows, bool gpu)
{
    const int64_t share = gpu ? SHARE_CUDA : SHARE_HOST;
    return asked > 0 ? 0 : (int32_t)((rows * share + 11) / 12) - 1;
}

/* The length of the rank-th longest row of csr on the host: bisects for the length, and counts the
 * rows that are longer. */
static int64_t ranked_length(const gsolve_csr *csr, int32_t rank)
{
    int64_t low = 0, high = csr->ncols;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        int32_t longer = 0;
        for (int32_t i = 0; i < csr->nrows; i++) {
            longer += gs_start(csr, i + 1) - gs_start(csr, i) > middle;
        }
        if (longer > rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The same on a GPU: sorts the rows by length. */
static gsolve_status ranked_length_cuda(gsolve_context *ctx, const gsolve_csr *csr, int32_t rank,
                                        int64_t *length)
{
    const size_t size = gs_offset_size(csr->offset);
    int32_t *order = NULL, row;
    int64_t start[2];
    const gsolve_csr of_row = {.start = start, .offset = csr->offset};
    const gs_sliced_classes by_length = {.window = csr->nrows, .most = INT32_MAX};
    gsolve_status status;

    TRY(GS_KERNELS(gs_sliced, ctx, csr->type)->sort(ctx, csr, &by_length, &order, NULL));
    TRY(gsolve_copy(ctx, &row, GSOLVE_HOST, order + rank, GSOLVE_DEVICE, sizeof row));
    TRY(gsolve_copy(ctx, start, GSOLVE_HOST, (const char *)csr->start + (size_t)row * size,
                    GSOLVE_DEVICE, 2 * size));
    *length = gs_start(&of_row, 1) - gs_start(&of_row, 0);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, order);
    return status;
}

/* *width = K, at most the longest row. */
static gsolve_status choose_width(gsolve_context *ctx, const gsolve_csr *csr, int asked,
                                  int64_t *width)
{
    const int32_t rank = rank_of(asked, csr->nrows, gs_on_gpu(ctx));
    gsolve_status status = GSOLVE_OK;

    *width = 0;
    if (csr->nrows == 0) return status;
    if (gs_on_gpu(ctx)) {
        TRY(ranked_length_cuda(ctx, csr, rank, width));
    } else {
        *width = ranked_length(csr, rank);
    }
    if (asked > 0 && asked < *width) *width = asked;
done:
    return status;
}

static gsolve_status refuse_padding(gsolve_context *ctx, const gsolve_csr *csr, int64_t width)
{
    const double slots = (double)width * csr->nrows;

    return gs_memory_need(ctx, slots * (double)(gs_type_size(csr->type) + sizeof(int16_t)),
                          "hyb, with all rows padded to width entries,");
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *chosen, void *user)
{
    const hyb_options *o = chosen;
    hyb *h = NULL;
    int64_t width;
    gsolve_status status;

    (void)user;
    ALLOC(ctx, GSOLVE_HOST, h, 1);
    memset(h, 0, sizeof *h);
    TRY(choose_width(ctx, csr, o->width, &width));
    TRY(refuse_padding(ctx, csr, width));
    TRY(gs_triples_make(&h->rest, ctx, csr, entries, width));
    if (width > 0) {
        const bool gpu = gs_on_gpu(ctx);
        const int32_t lanes = gs_sliced_lanes_per_row(gpu, csr->nrows, csr->nrows * width);
        const gs_sliced_group all = {0, lanes, (int32_t)((width + lanes - 1) / lanes)};
        const gs_sliced_policy policy = {.lanes = gs_sliced_lanes(ctx),
                                         .groups = 1,
                                         .group = &all,
                                         .keep = (int32_t)width,
                                         .entries = entries,
                                         .index = o->index,
                                         .value = o->value};
        TRY(gs_sliced_make(&h->ell, ctx, csr, &policy));
        snprintf(h->ell->note, sizeof h->ell->note,
                 "%d entr%s per row in ELLPACK, %lld entries in coordinate format", (int)width,
                 width == 1 ? "y" : "ies", (long long)h->rest.entries);
    }
    *self = h;
    h = NULL;
done:
    if (h) destroy(h, ctx);
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    hyb *h = self;
    gsolve_status status;

    if (!h->ell) return gs_triples_apply(&h->rest, ctx, alpha, x, beta, y);
    TRY(gs_sliced_apply(h->ell, ctx, alpha, x, beta, y));
    TRY(gs_triples_add(&h->rest, ctx, alpha, x, y));
done:
    return status;
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    hyb *h = self;
    gsolve_status status;

    TRY(gs_triples_update(&h->rest, ctx, csr));
    if (h->ell) TRY(gs_sliced_update(h->ell, ctx, csr));
done:
    return status;
}

/* csr is on the host, so that no device is needed. */
static size_t estimate_memory(const gsolve_csr *csr, const void *chosen, void *user)
{
    const hyb_options *o = chosen;
    int64_t width = 0, rest = 0;

    (void)user;
    if (csr->nrows > 0) width = ranked_length(csr, rank_of(o->width, csr->nrows, true));
    if (o->width > 0 && o->width < width) width = o->width;
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t left = gs_start(csr, i + 1) - gs_start(csr, i) - width;
        rest += left > 0 ? left : 0;
    }
    const int32_t lanes = gs_sliced_lanes_per_row(true, csr->nrows, csr->nrows * width);
    const double stored = (double)csr->nrows * (double)((width + lanes - 1) / lanes * lanes);
    return (width > 0 ? gs_sliced_bytes(csr, stored, GS_SLICED_WARP / lanes, false) : 0) +
           (size_t)gs_triples_bytes(csr, (double)rest, width > 0);
}

/* Describes both parts. The product with the second part reads x again, and reads and writes y in
 * its rows; the number of bytes assumes that these are all rows. */
static void describe(const void *self, gsolve_matrix_info *info)
{
    const hyb *h = self;
    const gsolve_csr *csr = &h->rest.csr;
    const size_t size = gs_type_size(csr->type);
    const int64_t touched = h->rest.entries < csr->nrows ? h->rest.entries : csr->nrows;

    info->stored = 0;
    info->bytes = ((size_t)csr->ncols + 2 * (size_t)csr->nrows) * size; /* without ell */
    snprintf(info->note, sizeof info->note, "all entries in coordinates");
    if (h->ell) gs_sliced_describe(h->ell, info);
    info->stored += h->rest.entries;
    info->bytes +=
        (size_t)h->rest.entries * (size + 2 * sizeof(int32_t)) + 2 * (size_t)touched * size;
}

const gsolve_format gs_hyb_format = {
    .plugin = {"hyb",
               "the first entries of each row in ELLPACK, the others in coordinate format (HYB)",
               options, sizeof(hyb_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
