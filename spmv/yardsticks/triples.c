/* triples.c: what the formats by coordinates share on every device, their functions on the CPU, and
 * the format coo of a GPU; see triples.h. */
#include "spmv/yardsticks/triples.h"

#include <string.h>

#include "core/try.h"
#include "spmv/handle.h"
#include "vector/vector.h"

static const gs_triples_kernels *kernels_of(const gs_triples *t, const gsolve_context *ctx)
{
    return GS_SCALAR_KERNELS(gs_triples, ctx, t->csr.type);
}

void gs_triples_drop(gs_triples *t, gsolve_context *ctx)
{
    gsolve_free(ctx, gs_location(ctx), t->row);
    if (t->skip > 0) {
        gsolve_free(ctx, gs_location(ctx), t->col);
        gsolve_free(ctx, gs_location(ctx), t->value);
    }
    if (t->form) gs_csr_format.destroy(t->form, ctx);
    gsolve_free(ctx, gs_location(ctx), t->nonempty.start);
    gsolve_free(ctx, gs_location(ctx), t->first);
    gsolve_free(ctx, gs_location(ctx), t->sum);
    gsolve_free(ctx, gs_location(ctx), t->head);
    gsolve_free(ctx, gs_location(ctx), t->tail);
    memset(t, 0, sizeof *t);
}

/* Without skipped entries, the columns and values are those of csr. */
static void point_to_csr(gs_triples *t, const gsolve_csr *csr)
{
    t->csr = *csr;
    if (t->skip > 0) return;
    t->col = csr->col;
    t->value = csr->value;
}

gsolve_status gs_triples_make(gs_triples *t, gsolve_context *ctx, const gsolve_csr *csr,
                              int64_t entries, int64_t skip)
{
    gsolve_status status;

    memset(t, 0, sizeof *t);
    t->skip = skip;
    t->entries = entries; /* make counts the entries of nonempty rows if skip > 0 */
    point_to_csr(t, csr);
    status = kernels_of(t, ctx)->make(t, ctx);
    if (status != GSOLVE_OK) gs_triples_drop(t, ctx);
    return status;
}

gsolve_status gs_triples_update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    gs_triples *t = self;

    point_to_csr(t, csr);
    return t->skip > 0 ? kernels_of(t, ctx)->refill(t, ctx) : GSOLVE_OK;
}

gsolve_status gs_triples_add(const gs_triples *t, gsolve_context *ctx, double alpha, gsolve_dense x,
                             gsolve_dense y)
{
    const gsolve_dense sum = {.nrows = t->nonempty.nrows,
                              .ncols = 1,
                              .stride = t->nonempty.nrows,
                              .value = t->sum,
                              .type = x.type,
                              .location = x.location};
    gsolve_status status;

    if (t->entries == 0) return GSOLVE_OK;
    if (t->form) TRY(gs_csr_format.apply(t->form, ctx, alpha, x, 0, sum));
    TRY(kernels_of(t, ctx)->add(ctx->queue, t, alpha, x.value, y.value));
done:
    return status;
}

gsolve_status gs_triples_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                               double beta, gsolve_dense y)
{
    const gs_vector_kernels *vector = GS_KERNELS(gs_vector, ctx, x.type);
    gsolve_status status;

    if (beta == 0) {
        TRY(vector->zero(ctx->queue, y.nrows, y.value));
    } else if (beta != 1) {
        TRY(vector->scale(ctx->queue, y.nrows, (gs_ratio){.sign = beta}, y.value));
    }
    TRY(gs_triples_add(self, ctx, alpha, x, y));
done:
    return status;
}

double gs_triples_bytes(const gsolve_csr *csr, double entries, bool copied)
{
    const double size = (double)gs_type_size(csr->type), index = sizeof(int32_t);
    const double each = index + (copied ? size + index : 0) + 2 * size / GS_TRIPLES_CUDA;

    return entries * each + (copied ? 8.0 * (csr->nrows + 1.0) : 0);
}

/* --- the CPU ---------------------------------------------------------------------------------- */

#define SERIAL 4096 /* rows: fewer are not worth a parallel region */

static int64_t length_of(const gsolve_csr *csr, int32_t i)
{
    return gs_start(csr, i + 1) - gs_start(csr, i);
}

/* Fills t's entries and row, and t->nonempty except its columns and values. */
static gsolve_status find_rows(gs_triples *t, gsolve_context *ctx)
{
    const gsolve_csr *csr = &t->csr;
    void *start = NULL;
    int32_t n = 0;
    gsolve_status status;

    for (int32_t i = 0; i < csr->nrows; i++) n += length_of(csr, i) > t->skip;
    ALLOC(ctx, gs_location(ctx), t->row, n);
    start = gsolve_alloc(ctx, gs_location(ctx), (size_t)n + 1, gs_offset_size(csr->offset));
    TRY(start ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    t->nonempty = *csr;
    t->nonempty.nrows = n;
    t->nonempty.start = start;
    const gs_csr_arrays nonempty_arrays = {.csr = t->nonempty, .start = start};
    t->entries = 0;
    n = 0;
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t rest = length_of(csr, i) - t->skip;
        if (rest <= 0) continue;
        gs_set_start(&nonempty_arrays, n, t->entries);
        t->row[n++] = i;
        t->entries += rest;
    }
    gs_set_start(&nonempty_arrays, n, t->entries);
done:
    return status;
}

/* Copies t's own entries, where it has any, from csr; columns: column numbers too. */
static void copy(const gs_triples *t, gsolve_context *ctx, bool columns)
{
    const size_t size = gs_type_size(t->csr.type);
    const char *value = t->csr.value;
    char *own_value = gs_owned_block(ctx, t->value);
    int32_t *own_col = gs_owned_block(ctx, t->col);

#pragma omp parallel for schedule(dynamic, 512) num_threads(gsolve_threads(ctx))
    for (int32_t r = 0; r < t->nonempty.nrows; r++) {
        const int64_t from = gs_start(&t->csr, t->row[r]) + t->skip, to = gs_start(&t->nonempty, r);
        const size_t n = (size_t)(gs_start(&t->nonempty, r + 1) - to);
        memcpy(own_value + (size_t)to * size, value + (size_t)from * size, n * size);
        if (columns) memcpy(own_col + to, t->csr.col + from, n * sizeof *t->col);
    }
}

static gsolve_status refill(const gs_triples *t, gsolve_context *ctx)
{
    copy(t, ctx, false);
    return GSOLVE_OK;
}

static gsolve_status make(gs_triples *t, gsolve_context *ctx)
{
    const size_t size = gs_type_size(t->csr.type);
    int32_t *col;
    gsolve_status status;

    TRY(find_rows(t, ctx));
    if (t->skip > 0) {
        ALLOC(ctx, gs_location(ctx), col, t->entries);
        t->col = col;
        t->value = gsolve_alloc(ctx, gs_location(ctx), (size_t)t->entries, size);
        TRY(t->value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        copy(t, ctx, true);
    }
    t->sum = gsolve_alloc(ctx, gs_location(ctx), (size_t)t->nonempty.nrows, size);
    TRY(t->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    t->nonempty.col = t->col;
    t->nonempty.value = t->value;
    TRY(gs_csr_format.build(&t->form, ctx, &t->nonempty, t->entries, NULL, NULL));
done:
    return status;
}

/* sum holds the product already. */
static gsolve_status add(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y)
{
    const bool single = t->csr.type == GSOLVE_F32;

    (void)alpha, (void)x;
#pragma omp parallel for schedule(static) \
    num_threads(gs_queue_threads(q)) if (t->nonempty.nrows > SERIAL)
    for (int32_t r = 0; r < t->nonempty.nrows; r++) {
        if (single) {
            ((float *)y)[t->row[r]] += ((const float *)t->sum)[r];
        } else {
            ((double *)y)[t->row[r]] += ((const double *)t->sum)[r];
        }
    }
    return GSOLVE_OK;
}

const gs_triples_kernels gs_triples_host[GSOLVE_TYPE_COUNT] = {
    {make, refill, add},
    {make, refill, add},
};

/* --- the format coo: the rows of csr, and the row number of each entry ------------------------ */

static void destroy(void *self, gsolve_context *ctx)
{
    gs_triples_drop(self, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    gs_triples *t = NULL;
    gsolve_status status;

    (void)user, (void)options;
    ALLOC(ctx, GSOLVE_HOST, t, 1);
    TRY(gs_triples_make(t, ctx, csr, entries, 0));
    *self = t;
    t = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, t);
    return status;
}

static size_t estimate_memory(const gsolve_csr *csr, const void *options, void *user)
{
    (void)user, (void)options;
    return (size_t)gs_triples_bytes(csr, (double)gs_start(csr, csr->nrows), false);
}

/* The product first sets y, and then reads and writes the elements of y whose rows have entries. */
static void describe(const void *self, gsolve_matrix_info *info)
{
    const gs_triples *t = self;
    const size_t size = gs_type_size(t->csr.type);

    info->stored = t->entries;
    info->bytes = (size_t)t->entries * (size + 2 * sizeof(int32_t)) +
                  ((size_t)t->csr.ncols + 3 * (size_t)t->csr.nrows) * size;
}

const gsolve_format gs_coo_format = {
    .plugin = {"coo", "coordinate format: each entry is stored with its row and column", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = gs_triples_apply,
    .update = gs_triples_update,
    .memory = estimate_memory,
    .describe = describe,
};
