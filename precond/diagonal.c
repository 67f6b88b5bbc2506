/* diagonal.c: the diagonal of a matrix, for the preconditioners that divide by it. */
#include "precond/diagonal.h"

#include <math.h>

#include "core/staging.h"
#include "core/try.h"
#include "precond/diagonal_kernels.h"
#include "precond/diagonal_rule.h"
#include "vector/blocks.h"

/* Allocates what r lacks for n numbers; written: the host writes them. */
static gsolve_status allocate(gs_reciprocals *r, gsolve_context *ctx, int32_t n, gsolve_type type,
                              bool written)
{
    const size_t size = gs_type_size(type);
    const bool draft = written && gs_location(ctx) == GSOLVE_DEVICE;

    if (!r->d) r->d = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)n, size);
    if (draft && !r->draft) r->draft = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n, size);
    return r->d && (!draft || r->draft) ? GSOLVE_OK : GSOLVE_NO_MEMORY;
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

/* --- the diagonal, by the host ---------------------------------------------------------------- */

/* a_ii, or 0 if the entry is missing. */
static double diagonal_of(const gsolve_csr *csr, int32_t i)
{
    const int64_t at = gs_diagonal_at(csr, i);

    return at < 0 ? 0 : gs_value(csr, at);
}

static gsolve_status find_bad(int32_t *row, gs_bad_diagonal *why, gsolve_context *ctx,
                              const gsolve_csr *csr)
{
    const double most = gs_largest_value(csr->type);
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int32_t bad = INT32_MAX;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (int32_t i = 0; i < csr->nrows; i++) {
        if (gs_reciprocal(diagonal_of(csr, i), true) > most && i < bad) bad = i;
    }
    *row = bad == INT32_MAX ? -1 : bad;
    if (*row < 0) return GSOLVE_OK;
    *why = gs_diagonal_at(csr, bad) < 0   ? GS_MISSING
           : diagonal_of(csr, bad) == 0.0 ? GS_ZERO
                                          : GS_SMALL;
    return GSOLVE_OK;
}

static gsolve_status store(gsolve_context *ctx, const gsolve_csr *csr, bool absolute, void *d)
{
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));

#pragma omp parallel for schedule(static) num_threads(threads)
    for (int32_t i = 0; i < csr->nrows; i++) {
        gs_put_value(d, csr->type, i, gs_reciprocal(diagonal_of(csr, i), absolute));
    }
    return GSOLVE_OK;
}

const gs_diagonal_kernels gs_diagonal_host[GSOLVE_TYPE_COUNT] = {{find_bad, store},
                                                                 {find_bad, store}};

/* --- reciprocals ------------------------------------------------------------------------------ */

gsolve_status gs_diagonal_reciprocals(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                      bool absolute, gs_reciprocals *r)
{
    static const char *const reason[] = {
        [GS_MISSING] = "missing", [GS_ZERO] = "zero", [GS_SMALL] = "too small to divide by"};
    const bool on_host = csr->location == GSOLVE_HOST;
    const gs_diagonal_kernels *kernels =
        on_host ? &gs_diagonal_host[csr->type] : GS_SCALAR_KERNELS(gs_diagonal, ctx, csr->type);
    gs_bad_diagonal why = GS_MISSING;
    int32_t bad;
    gsolve_status status;

    TRY(kernels->find_bad(&bad, &why, ctx, csr));
    if (bad >= 0) {
        return gsolve_fail(
            ctx, GSOLVE_ZERO_PIVOT,
            "%s divides by the diagonal, but the diagonal entry of row %lld (counted from 1) is %s",
            who, (long long)gs_row_number(ctx, bad), reason[why]);
    }
    TRY(allocate(r, ctx, csr->nrows, csr->type, on_host));
    TRY(kernels->store(ctx, csr, absolute, on_host ? gs_reciprocals_on_host(r) : r->d));
    if (on_host) TRY(put(r, ctx, csr->nrows, csr->type));
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
    TRY(allocate(r, ctx, csr->ncols, csr->type, true));
    for (int32_t j = 0; j < csr->ncols; j++)
        gs_put_value(gs_reciprocals_on_host(r), csr->type, j, sum[j]);
    TRY(put(r, ctx, csr->ncols, csr->type));
done:
    gsolve_free(ctx, GSOLVE_HOST, sum);
    return status;
}
