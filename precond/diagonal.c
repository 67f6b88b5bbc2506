/* diagonal.c: the diagonal of a matrix, for the preconditioners that divide by it. */
#include "precond/diagonal.h"

#include <math.h>

#include "core/staging.h"
#include "vector/blocks.h"

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
                                      bool absolute, void **d)
{
    const double most = gs_largest_value(csr->type);
    const size_t bytes = (size_t)csr->nrows * gs_type_size(csr->type);
    const int threads = gs_threads_for(csr->nrows, gsolve_threads(ctx));
    int32_t bad = INT32_MAX;
    void *draft;

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
    if (!*d) *d = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    draft = *d ? gs_draft(ctx, *d, bytes) : NULL;
    if (!draft) return GSOLVE_NO_MEMORY;
    store(ctx, csr, absolute, draft);
    return gs_draft_put(ctx, *d, draft, bytes);
}
