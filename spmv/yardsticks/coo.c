/* coo.c: the format coo, coordinates: the rows of csr, and the row number of each entry. triples.h
 * describes the product. */
#include <string.h>

#include "core/try.h"
#include "spmv/handle.h"
#include "spmv/yardsticks/triples.h"

static void destroy(void *self, gsolve_context *ctx)
{
    gs_triples_drop(self, ctx);
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options)
{
    gs_triples *t = NULL;
    gsolve_status status;

    (void)options;
    ALLOC(ctx, GSOLVE_HOST, t, 1);
    TRY(gs_triples_make(t, ctx, csr, entries, 0));
    *self = t;
    t = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, t);
    return status;
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    return gs_triples_apply(self, ctx, alpha, x, beta, y);
}

static gsolve_status update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    return gs_triples_update(self, ctx, csr);
}

static size_t estimate_memory(const gsolve_csr *csr, const void *options)
{
    (void)options;
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
    .apply = apply,
    .update = update,
    .memory = estimate_memory,
    .describe = describe,
};
