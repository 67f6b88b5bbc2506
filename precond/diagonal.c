/* diagonal.c: the diagonal of a matrix, for the preconditioners that divide by it. */
#include "precond/diagonal.h"

#include <math.h>

#include "core/staging.h"
#include "core/try.h"
#include "vector/blocks.h"

/* Allocates what r lacks for n numbers. */
static gsolve_status allocate(gs_reciprocals *r, gsolve_context *ctx, int32_t n, gsolve_type type)
{
    const size_t size = gs_type_size(type);

    if (!r->d) r->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)n, size);
    if (gs_location(ctx) == GSOLVE_DEVICE && !r->draft) {
        r->draft = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n, size);
    }
    return r->d && (gs_location(ctx) == GSOLVE_HOST || r->draft) ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static gsolve_status put(const gs_reciprocals *r, gsolve_context *ctx, int32_t n, gsolve_type type)
{
    if (!r->draft) return GSOLVE_OK;
    return gsolve_copy(ctx, r->d, gs_location(ctx), r->draft, GSOLVE_HOST,
                       (size_t)n * gs_type_size(type));
}

void gs_reciprocals_free(gs_reciprocals *r, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, r->draft);
    gsolve_free(ctx, GSOLVE_DEVICE, r->d);
    *r = (gs_reciprocals){0};
}

/* 1 / a_ii, or 1 / |a_ii| if absolute; infinite if the entry is missing or zero. */
static double reciprocal(const gsolve_csr *csr, int32_t i, bool absolute)
{
    const int64_t at = gs_diagonal_at(csr, i);
    const double a = at < 0 ? 0 : gs_value(csr, at);

    return 1 / (absolute || a == 0 ? fabs(a) : a);
}

static void store(gsolve_context *ctx, const gsolve_csr *csr, bool absolute, void *d)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t i = 0; i < csr->nrows; i++) {
        gs_put_value(d, csr->type, i, reciprocal(csr, i, absolute));
    }
}

gsolve_status gs_diagonal_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                      bool absolute, gs_reciprocals *r)
{
    const double most = gs_largest_value(csr->type);
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int32_t bad = INT32_MAX;
    gsolve_status status;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (int32_t i = 0; i < csr->nrows; i++) {
        if (fabs(reciprocal(csr, i, absolute)) > most && i < bad) bad = i;
    }
    if (bad != INT32_MAX) {
        const int64_t at = gs_diagonal_at(csr, bad);
        return gsolve_fail(
            ctx, GSOLVE_ZERO_PIVOT,
            "%s divides by the diagonal, but the diagonal entry of row %d (counted from 1) is %s",
            who, bad + 1,
            at < 0                     ? "missing"
            : gs_value(csr, at) == 0.0 ? "zero"
                                       : "too small to divide by");
    }
    TRY(allocate(r, ctx, csr->nrows, csr->type));
    store(ctx, csr, absolute, gs_reciprocals_on_host(r));
    TRY(put(r, ctx, csr->nrows, csr->type));
done:
    return status;
}

/* sum[j] = 1 / |a_j|^2, or 1 if a_j is 0. Returns the first column for which that is too large, or
 * -1. */
static int32_t invert_columns(const gsolve_csr *csr, double *sum)
{
    const int64_t end = gs_start(csr, csr->nrows);
    const double most = gs_largest_value(csr->type);
    int32_t bad = -1;

    for (int32_t j = 0; j < csr->ncols; j++) sum[j] = 0;
    for (int64_t k = 0; k < end; k++) {
        const double v = gs_value(csr, k);
        sum[csr->col[k]] += v * v;
        if (v != 0 && v * v == 0 && sum[csr->col[k]] == 0) sum[csr->col[k]] = 0x1p-1074;
    }
    for (int32_t j = csr->ncols - 1; j >= 0; j--) {
        sum[j] = sum[j] == 0 ? 1 : 1 / sum[j];
        if (!(sum[j] <= most) || sum[j] == 0) bad = j;
    }
    return bad;
}

gsolve_status gs_column_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                    gs_reciprocals *r)
{
    double *sum = NULL;
    int32_t bad;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, sum, csr->ncols);
    bad = invert_columns(csr, sum);
    if (bad >= 0) {
        status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                             "%s divides by the squares of the norms of A's columns, but that of "
                             "column %d (counted from 1) is too small or too large; scale the "
                             "column, or use the preconditioner none",
                             who, bad + 1);
        goto done;
    }
    TRY(allocate(r, ctx, csr->ncols, csr->type));
    for (int32_t j = 0; j < csr->ncols; j++)
        gs_put_value(gs_reciprocals_on_host(r), csr->type, j, sum[j]);
    TRY(put(r, ctx, csr->ncols, csr->type));
done:
    gsolve_free(ctx, GSOLVE_HOST, sum);
    return status;
}
