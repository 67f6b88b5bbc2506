/* ordering.c: the graph of a matrix, and its orderings. */
#include "factor/ordering.h"

#include <cs.h>
#include <limits.h>
#include <string.h>

#include "core/try.h"

/* --- the graph -------------------------------------------------------------------------------- */

void gs_adjacency_drop(gs_adjacency *g, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, g->start);
    gsolve_free(ctx, GSOLVE_HOST, g->neighbour);
    memset(g, 0, sizeof *g);
}

/* Merges row i of A and of A' without i. Returns the number of columns; writes them to `to` unless
 * that is NULL. */
static int64_t merge_rows(const gsolve_csr *A, const gsolve_csr *transposed, int32_t i, int32_t *to)
{
    int64_t a = gs_start(A, i), t = gs_start(transposed, i), count = 0;
    const int64_t a_end = gs_start(A, i + 1), t_end = gs_start(transposed, i + 1);

    while (a < a_end || t < t_end) {
        const int32_t from_a = a < a_end ? A->col[a] : INT32_MAX;
        const int32_t from_t = t < t_end ? transposed->col[t] : INT32_MAX;
        const int32_t j = from_a < from_t ? from_a : from_t;
        a += from_a == j;
        t += from_t == j;
        if (j == i) continue;
        if (to) to[count] = j;
        count++;
    }
    return count;
}

gsolve_status gs_adjacency_new(gs_adjacency *out, gsolve_context *ctx, const gsolve_csr *A)
{
    gs_adjacency g = {.n = A->nrows};
    gsolve_csr transposed = {0};
    gsolve_status status;

    TRY(gs_csr_transpose(&transposed, ctx, A));
    ALLOC(ctx, GSOLVE_HOST, g.start, (size_t)g.n + 1);
    g.start[0] = 0;
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < g.n; i++) g.start[i + 1] = merge_rows(A, &transposed, i, NULL);
    for (int32_t i = 0; i < g.n; i++) g.start[i + 1] += g.start[i];
    ALLOC(ctx, GSOLVE_HOST, g.neighbour, g.start[g.n]);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int32_t i = 0; i < g.n; i++) merge_rows(A, &transposed, i, g.neighbour + g.start[i]);
    *out = g;
    memset(&g, 0, sizeof g);
done:
    gsolve_csr_free(&transposed, ctx);
    gs_adjacency_drop(&g, ctx);
    return status;
}

/* --- approximate minimum degree --------------------------------------------------------------- */

bool gs_order_amd_counts(int32_t n, int64_t entries)
{
    return 2 * entries <= INT_MAX && entries + entries / 5 + 2 * (int64_t)n <= INT_MAX &&
           8 * ((int64_t)n + 1) <= INT_MAX;
}

static gsolve_status order_amd(int32_t *order, gsolve_context *ctx, const gs_adjacency *g)
{
    int *start = NULL, *found = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, start, (size_t)g->n + 1);
    for (int32_t i = 0; i <= g->n; i++) start[i] = (int)g->start[i];
    const cs_di A = {
        .nzmax = start[g->n], .m = g->n, .n = g->n, .p = start, .i = g->neighbour, .nz = -1};
    found = cs_di_amd(1, &A);
    if (found) {
        memcpy(order, found, (size_t)g->n * sizeof *order);
    } else {
        status = gsolve_fail(ctx, GSOLVE_NO_MEMORY, "out of memory while ordering by amd");
    }
    cs_di_free(found);
done:
    gsolve_free(ctx, GSOLVE_HOST, start);
    return status;
}

/* --- the choice ------------------------------------------------------------------------------- */

gsolve_status gs_order_rows(int32_t *order, gsolve_context *ctx, const gsolve_csr *csr,
                            gs_ordering which)
{
    gs_adjacency g = {0};
    gsolve_status status;

    TRY(gs_adjacency_new(&g, ctx, csr));
    if (which == GS_ORDER_ND && g.start[g.n] > INT_MAX) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "order=nd works with at most %d entries off the diagonal of A + A'; "
                             "this matrix has more: use order=rcm",
                             INT_MAX);
    } else if (which == GS_ORDER_AMD && !gs_order_amd_counts(g.n, g.start[g.n])) {
        status = gsolve_fail(ctx, GSOLVE_UNSUPPORTED,
                             "order=amd works with at most %d entries off the diagonal of A + A' "
                             "and at most %d rows; this matrix has more: use order=rcm",
                             INT_MAX / 2, INT_MAX / 8 - 1);
    } else if (which == GS_ORDER_RCM) {
        status = gs_order_rcm(order, ctx, &g);
    } else if (which == GS_ORDER_AMD) {
        status = order_amd(order, ctx, &g);
    } else {
        status = gs_order_nd(order, ctx, &g);
    }
done:
    gs_adjacency_drop(&g, ctx);
    return status;
}
