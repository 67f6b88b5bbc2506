/* strict_triangle.c: strict triangles in double precision, as work space of a factorisation. */
#include <string.h>

#include "core/try.h"
#include "precond/incomplete/triangular_solve.h"

gsolve_status gs_strict_triangle_new(gs_strict_triangle *out, gsolve_context *ctx, int32_t n,
                                     bool upper, int64_t entries)
{
    gs_strict_triangle t = {.n = n, .upper = upper};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, t.start, (size_t)n + 1);
    ALLOC(ctx, GSOLVE_HOST, t.col, entries);
    ALLOC(ctx, GSOLVE_HOST, t.value, entries);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    gs_strict_triangle_free(&t, ctx);
    return status;
}

void gs_strict_triangle_free(gs_strict_triangle *t, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, t->start);
    gsolve_free(ctx, GSOLVE_HOST, t->col);
    gsolve_free(ctx, GSOLVE_HOST, t->value);
    memset(t, 0, sizeof *t);
}

/* The entries [*from, *to) of row i of csr above the diagonal if upper, else below it. */
static void find_side(const gsolve_csr *csr, bool upper, int32_t i, int64_t *from, int64_t *to)
{
    *from = gs_start(csr, i);
    *to = gs_start(csr, i + 1);
    if (upper) {
        while (*from < *to && csr->col[*from] <= i) ++*from;
    } else {
        while (*from < *to && csr->col[*to - 1] >= i) --*to;
    }
}

void gs_strict_triangle_reload(gs_strict_triangle *t, gsolve_context *ctx, const gsolve_csr *csr)
{
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < t->n; i++) {
        int64_t from, to;
        find_side(csr, t->upper, i, &from, &to);
        for (int64_t k = from; k < to; k++) t->value[t->start[i] + k - from] = gs_value(csr, k);
    }
}

gsolve_status gs_strict_triangle_extract(gs_strict_triangle *out, gsolve_context *ctx,
                                         const gsolve_csr *csr, bool upper)
{
    const int32_t n = csr->nrows;
    int64_t entries = 0, from, to;
    gs_strict_triangle t;
    gsolve_status status;

    for (int32_t i = 0; i < n; i++) {
        find_side(csr, upper, i, &from, &to);
        entries += to - from;
    }
    status = gs_strict_triangle_new(&t, ctx, n, upper, entries);
    if (status != GSOLVE_OK) return status;
    t.start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        find_side(csr, upper, i, &from, &to);
        memcpy(t.col + t.start[i], csr->col + from, (size_t)(to - from) * sizeof *t.col);
        t.start[i + 1] = t.start[i] + to - from;
    }
    gs_strict_triangle_reload(&t, ctx, csr);
    *out = t;
    return GSOLVE_OK;
}

gsolve_status gs_strict_triangle_transpose(gs_strict_triangle *out, gsolve_context *ctx,
                                           const gs_strict_triangle *A)
{
    const int32_t n = A->n;
    gs_strict_triangle B;
    gsolve_status status = gs_strict_triangle_new(&B, ctx, n, !A->upper, A->start[n]);

    if (status != GSOLVE_OK) return status;
    memset(B.start, 0, ((size_t)n + 1) * sizeof *B.start);
    for (int64_t k = 0; k < A->start[n]; k++) B.start[A->col[k] + 1]++;
    for (int32_t i = 0; i < n; i++) B.start[i + 1] += B.start[i];
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            const int64_t at = B.start[A->col[k]]++;
            B.col[at] = i;
            B.value[at] = A->value[k];
        }
    }
    memmove(B.start + 1, B.start,
            (size_t)n * sizeof *B.start); /* each start[i] has become start[i + 1] */
    B.start[0] = 0;
    *out = B;
    return GSOLVE_OK;
}
