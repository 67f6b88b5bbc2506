/* cost.c: bounds on sparse factorisations, see cost.h. */
#include "factor/cost.h"

#include <string.h>

#include "core/try.h"

bool gs_cost_fits(gs_direct_cost cost, gs_direct_cost limit)
{
    return cost.entries <= limit.entries && cost.operations <= limit.operations;
}

/* Column j of L is subtracted, times an entry, from as many columns as it has entries. */
gs_direct_cost gs_cholesky_cost(const cs_dis *S, int n)
{
    gs_direct_cost cost = {S->lnz, 0};

    for (int j = 0; j < n; j++) {
        const double length = S->cp[j + 1] - S->cp[j];
        cost.operations += length * length;
    }
    return cost;
}

gs_direct_cost gs_diagonal_lu_cost(const cs_dis *S, int n)
{
    const gs_direct_cost half = gs_cholesky_cost(S, n);

    return (gs_direct_cost){2 * half.entries, 2 * half.operations};
}

/* rows[k] = entries of Householder vector k, which are the rows that column k reaches: those that
 * begin in column k, and those of its children in the elimination tree of A'A but their pivots. */
static void count_rows(const cs_di *A, const cs_dis *S, int *rows)
{
    memset(rows, 0, (size_t)A->n * sizeof *rows);
    for (int i = 0; i < A->m; i++) {
        if (S->leftmost[i] >= 0) rows[S->leftmost[i]]++;
    }
    for (int k = 0; k < A->n; k++) {
        if (rows[k] == 0) rows[k] = 1; /* an empty row that CXSparse adds */
        if (S->parent[k] >= 0) rows[S->parent[k]] += rows[k] - 1;
    }
}

/* Vector k is applied to each column with an entry in row k of R, at 4 operations an entry. */
gsolve_status gs_qr_cost(gs_direct_cost *out, gsolve_context *ctx, const cs_di *A, const cs_dis *S)
{
    gs_direct_cost cost = {S->lnz + S->unz, 0};
    int *rows = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, rows, A->n);
    count_rows(A, S, rows);
    for (int k = 0; k < A->n; k++) cost.operations += 4. * rows[k] * S->cp[k];
    *out = cost;
done:
    gsolve_free(ctx, GSOLVE_HOST, rows);
    return status;
}

gs_direct_cost gs_dense_lu_cost(int n)
{
    const double m = n;

    return (gs_direct_cost){m * (m + 1), m * (m - 1) * (2 * m - 1) / 3 + m * (m - 1) / 2};
}

/* Column k of L, of as many entries as vector k at most, is subtracted from as many columns, at 2
 * operations an entry. */
gsolve_status gs_pivoted_lu_cost(gs_direct_cost *cost, gsolve_context *ctx, const cs_di *A,
                                 const cs_dis *S)
{
    const gs_direct_cost dense = gs_dense_lu_cost(A->n);
    const gsolve_status status = gs_qr_cost(cost, ctx, A, S);

    if (status != GSOLVE_OK) return status;
    cost->operations /= 2;
    if (dense.entries < cost->entries) cost->entries = dense.entries;
    if (dense.operations < cost->operations) cost->operations = dense.operations;
    return GSOLVE_OK;
}
