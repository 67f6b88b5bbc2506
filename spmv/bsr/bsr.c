/* bsr.c: the format bsr, see bsr.h. It does not estimate its memory: the number of blocks does not
 * follow from the lengths of rows. Blocks are counted before the values are allocated. */
#include "spmv/bsr/bsr.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/block_counts.h"

/* With block=0, the build fails if the blocks would take ALLOWANCE times the bytes of the rows and
 * more than SMALL bytes in all. */
#define ALLOWANCE 1.25
#define SMALL     ((double)(64 << 20))

static const gsolve_option bsr_options[] = {
    {"block",
     "rows and columns per block, 2 to 8; 0: the size from 2 to 6 that needs the least memory, "
     "estimated from a sample of the rows",
     GSOLVE_INT, offsetof(gs_bsr_options, block), 0, 0, GS_BSR_MOST, NULL},
    {"index",
     "bits of the column index of a block; auto and 16: 16 bits if all indices fit, else 32",
     GSOLVE_CHOICE, offsetof(gs_bsr_options, index), GS_BSR_AUTO, 0, 0, "auto|16|32"},
    {0},
};

gsolve_status gs_bsr_fits(const gs_bsr *m, gsolve_context *ctx)
{
    char what[120];

    snprintf(what, sizeof what, "bsr, %lld values for %lld entries in blocks of %d x %d,",
             (long long)m->stored, (long long)m->entries, m->b, m->b);
    return gs_memory_need(ctx, (double)m->bytes, what);
}

/* Chooses m->b from a sample. */
static gsolve_status choose_size(gs_bsr *m, gsolve_context *ctx)
{
    const gsolve_csr *A = &m->csr;
    const double row = (double)gs_type_size(A->type) + sizeof(int32_t); /* bytes of a csr entry */
    gs_block_count found[GS_BLOCK_COUNT_MOST - GS_BLOCK_COUNT_LEAST + 1];
    double each, blocks, rows;
    gsolve_status status;

    TRY(GS_SCALAR_KERNELS(gs_block_count, ctx, A->type)->count(found, ctx, A));
    m->b = gs_best_block_size(found, A->type, GS_BSR_LEAST, GS_BSR_MOST_CHOSEN, &each);
    if (each == 0) each = (double)(m->b * m->b) * row; /* all rows are too long for the sample */
    blocks = each * (double)m->entries;
    rows = row * (double)m->entries;
    if (blocks > ALLOWANCE * rows && blocks > SMALL) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "bsr: blocks of %d x %d are the smallest of 2 to 6 in memory, but need "
                           "up to %.0f MB where csr needs %.0f MB; at most %g times as much is "
                           "used unless the option block gives a size",
                           m->b, m->b, 1e-6 * blocks, 1e-6 * rows, ALLOWANCE);
    }
done:
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gs_bsr *m = self;

    GS_KERNELS(gs_bsr, ctx, m->csr.type)->drop(m, ctx);
    gs_subwarp_drop(&m->space, ctx);
    gsolve_free(ctx, GSOLVE_HOST, m);
}

/* Builds the form from csr's rows, or from blocks of csr's matrix unless `given` is NULL. */
static gsolve_status make(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                          const gs_square_blocks *given, const gs_bsr_options *o)
{
    gs_bsr *m = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, m, 1);
    memset(m, 0, sizeof *m);
    m->csr = *csr;
    m->b = given ? given->size : o->block;
    m->index = o->index;
    m->entries = entries;
    if (m->b == 0) TRY(choose_size(m, ctx));
    m->rows = (int32_t)(((int64_t)csr->nrows + m->b - 1) / m->b);
    m->cols = (int32_t)(((int64_t)csr->ncols + m->b - 1) / m->b);
    TRY(GS_KERNELS(gs_bsr, ctx, csr->type)->store(m, ctx, given));
    *self = m;
    m = NULL;
done:
    if (m) destroy(m, ctx);
    return status;
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    const gs_bsr_options *o = options;

    (void)user;
    if (o->block == 1) {
        return gsolve_fail(ctx, GSOLVE_BAD_SPEC,
                           "bsr,block=1: block must be from 2 to 8, "
                           "or 0");
    }
    return make(self, ctx, csr, entries, NULL, o);
}

/* --- blocks of the caller --------------------------------------------------------------------- */

int32_t gs_bsr_size(const void *options)
{
    return ((const gs_bsr_options *)options)->block;
}

bool gs_bsr_take_size(void *options, int32_t size)
{
    gs_bsr_options *o = options;

    if (size < GS_BSR_LEAST || size > GS_BSR_MOST || (o->block != 0 && o->block != size))
        return false;
    o->block = size;
    return true;
}

gsolve_status gs_bsr_build_blocks(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                  const gs_square_blocks *blocks, const void *options)
{
    int64_t count = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, &blocks->csr, &count));
    TRY(make(self, ctx, csr, count * blocks->size * blocks->size, blocks, options));
done:
    return status;
}

gsolve_status gs_bsr_update_blocks(void *self, gsolve_context *ctx, const gs_square_blocks *blocks)
{
    return GS_KERNELS(gs_bsr, ctx, blocks->csr.type)->refill(self, ctx, blocks);
}

gsolve_status gs_bsr_spread(const void *self, gsolve_context *ctx, const gs_square_blocks *blocks,
                            const gsolve_csr *csr)
{
    return GS_KERNELS(gs_bsr, ctx, csr->type)->spread(self, ctx, blocks, csr);
}

/* --- products and updates --------------------------------------------------------------------- */

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const gs_bsr_kernels *bsr = GS_KERNELS(gs_bsr, ctx, x.type);
    return bsr->apply(ctx->queue, self, alpha, x.value, beta, y.value, NULL);
}

static gsolve_status apply_block(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    gs_bsr *m = self;
    const gs_bsr_kernels *bsr = GS_KERNELS(gs_bsr, ctx, x.type);
    const int64_t sums = bsr->sums ? bsr->sums(m) : 0;
    const gs_subwarp_form form = {bsr->multiply, m, sums};

    return gs_subwarp_multiply(&form, &m->space, ctx, alpha, x, beta, y);
}

static gsolve_status apply_dot(void *self, gsolve_context *ctx, gsolve_dense x, gsolve_dense y,
                               gsolve_dense w, double *wy, double *yy)
{
    const gs_bsr_kernels *bsr = GS_KERNELS(gs_bsr, ctx, x.type);
    const gs_product_sums dots = {w.value, wy, yy};
    return bsr->apply(ctx->queue, self, 1, x.value, 0, y.value, &dots);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_bsr *m = self;

    m->csr = *csr;
    return GS_KERNELS(gs_bsr, ctx, csr->type)->refill(m, ctx, NULL);
}

static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_bsr *m = self;

    snprintf(info->note, sizeof info->note, "%lld blocks of %d x %d", (long long)m->blocks, m->b,
             m->b);
    info->stored = m->stored;
    info->bytes =
        m->bytes + ((size_t)m->csr.nrows + (size_t)m->csr.ncols) * gs_type_size(m->csr.type);
}

const gsolve_format gs_bsr_format = {
    .plugin = {"bsr", "dense blocks of 2 to 8 rows and columns, in slices on a GPU", bsr_options,
               sizeof(gs_bsr_options)},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_block = apply_block,
    .row_major = true,
    .apply_dot = apply_dot,
    .update = update,
    .describe = describe,
};
