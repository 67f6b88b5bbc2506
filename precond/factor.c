/* factor.c: strict triangles in double. */
#include "precond/factor.h"

#include <string.h>

#include "core/try.h"

gsolve_status gs_factor_new(gs_factor *f, gsolve_context *ctx, int32_t n, int64_t entries)
{
    gs_factor new = {0};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, new.start, (size_t)n + 1);
    ALLOC(ctx, GSOLVE_HOST, new.col, entries);
    ALLOC(ctx, GSOLVE_HOST, new.value, entries);
    *f = new;
    memset(&new, 0, sizeof new);
done:
    gs_factor_free(&new, ctx);
    return status;
}

void gs_factor_free(gs_factor *f, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, f->start);
    gsolve_free(ctx, GSOLVE_HOST, f->col);
    gsolve_free(ctx, GSOLVE_HOST, f->value);
    memset(f, 0, sizeof *f);
}

gsolve_status gs_factor_transpose(gs_factor *T, gsolve_context *ctx, int32_t n, const gs_factor *F)
{
    gs_factor t;
    gsolve_status status = gs_factor_new(&t, ctx, n, F->start[n]);

    if (status != GSOLVE_OK) return status;
    memset(t.start, 0, ((size_t)n + 1) * sizeof *t.start);
    for (int64_t k = 0; k < F->start[n]; k++) t.start[F->col[k] + 1]++;
    for (int32_t i = 0; i < n; i++) t.start[i + 1] += t.start[i];
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = F->start[i]; k < F->start[i + 1]; k++) {
            const int64_t at = t.start[F->col[k]]++;
            t.col[at] = i;
            t.value[at] = F->value[k];
        }
    }
    memmove(t.start + 1, t.start, (size_t)n * sizeof *t.start); /* each has moved on by one row */
    t.start[0] = 0;
    *T = t;
    return GSOLVE_OK;
}

static bool belongs(int32_t i, int32_t j, bool upper)
{
    return upper ? j > i : j < i;
}

gsolve_status gs_factor_triangle(gs_factor *f, gsolve_context *ctx, const gsolve_csr *csr,
                                 bool upper)
{
    const int32_t n = csr->nrows;
    int64_t entries = 0, at = 0;
    gs_factor t;
    gsolve_status status;

    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            entries += belongs(i, csr->col[k], upper);
        }
    }
    status = gs_factor_new(&t, ctx, n, entries);
    if (status != GSOLVE_OK) return status;
    for (int32_t i = 0; i < n; i++) {
        t.start[i] = at;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            if (!belongs(i, csr->col[k], upper)) continue;
            t.col[at] = csr->col[k];
            t.value[at++] = gs_value(csr, k);
        }
    }
    t.start[n] = at;
    *f = t;
    return GSOLVE_OK;
}
