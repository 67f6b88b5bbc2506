/* cxsparse.c: the product of CXSparse as a format: y += A x with compressed columns, on one thread.
 * As a format it is checked, timed and solved with like all others. */
#include <cs.h>
#include <string.h>

#include "cli/compare/compare.h"

typedef struct columns {
    cs_di *A;
    double *scaled; /* alpha x, where alpha is not 1 */
} columns;

static void destroy(void *self, gsolve_context *ctx)
{
    columns *C = self;

    cs_di_spfree(C->A);
    gsolve_free(ctx, GSOLVE_HOST, C->scaled);
    gsolve_free(ctx, GSOLVE_HOST, C);
}

/* A copy of csr's rows as the columns of A'; NULL: out of memory. */
static cs_di *copy_rows(const gsolve_csr *csr, int64_t entries)
{
    cs_di *rows = cs_di_spalloc(csr->ncols, csr->nrows, (int)entries, 1, 0);

    if (!rows) return NULL;
    memcpy(rows->p, csr->start, ((size_t)csr->nrows + 1) * sizeof *rows->p);
    memcpy(rows->i, csr->col, (size_t)entries * sizeof *rows->i);
    memcpy(rows->x, csr->value, (size_t)entries * sizeof *rows->x);
    return rows;
}

/* The rows of A are the columns of A'; CXSparse transposes A'. */
static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    columns *C;

    (void)user, (void)options;
    if (csr->type != GSOLVE_F64 || csr->offset != GSOLVE_O32) {
        return gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                           "cxsparse supports only f64 and fewer than 2^31 entries");
    }
    C = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *C);
    if (!C) return GSOLVE_NO_MEMORY;
    C->scaled = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)csr->ncols, sizeof(double));
    cs_di *rows = C->scaled ? copy_rows(csr, entries) : NULL;
    C->A = rows ? cs_di_transpose(rows, 1) : NULL;
    cs_di_spfree(rows);
    if (!C->A) {
        destroy(C, ctx);
        return gsolve_fail(ctx, GSOLVE_NO_MEMORY, "out of memory for the columns of cxsparse");
    }
    *self = C;
    return GSOLVE_OK;
}

/* y = alpha A x + beta y */
static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    const columns *C = self;
    const double *from = x.value;
    double *to = y.value;

    (void)ctx;
    if (beta == 0) memset(to, 0, (size_t)y.nrows * sizeof *to);
    for (int32_t i = 0; beta != 0 && beta != 1 && i < y.nrows; i++) to[i] *= beta;
    if (alpha != 1) {
        for (int32_t j = 0; j < x.nrows; j++) C->scaled[j] = alpha * from[j];
        from = C->scaled;
    }
    cs_di_gaxpy(C->A, from, to);
    return GSOLVE_OK;
}

static const gsolve_format format = {
    .size = sizeof(gsolve_format),
    .plugin = {"cxsparse", "product of the library CXSparse on one thread, for comparison", NULL,
               0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
};

gsolve_status cmp_register_cxsparse(gsolve_context *ctx, const gsolve_context_info *device)
{
    if (strcmp(device->device, "cpu") != 0) return GSOLVE_OK;
    return gsolve_register_format(ctx, &format);
}
