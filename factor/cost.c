/* cost.c: bounds on sparse factorisations, see cost.h. */
#include "factor/cost.h"

#include <string.h>

#include "core/try.h"

bool gs_cost_fits(gs_direct_cost cost, gs_direct_cost limit)
{
    return cost.entries <= limit.entries && cost.operations <= limit.operations;
}

/* Column j of L has c_j entries. Multiples of its lower parts are subtracted from the columns of
 * these entries: from about c_j^2 / 2 entries, with 2 operations each. */
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

/* rows[k] = the number of entries of Householder vector k. These are the rows of A whose first
 * entry is in column k, and the rows of the vectors of its children in the elimination tree of A'A
 * without their pivots. */
static void count_householder_rows(const cs_di *A, const cs_dis *S, int *rows)
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

/* Householder vector k is applied to each column with an entry in row k of R, with 4 operations for
 * each entry of the vector. */
gsolve_status gs_qr_cost(gs_direct_cost *out, gsolve_context *ctx, const cs_di *A, const cs_dis *S)
{
    gs_direct_cost cost = {S->lnz + S->unz, 0};
    int *rows = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, rows, A->n);
    count_householder_rows(A, S, rows);
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

/* Column k of L has at most as many entries as Householder vector k. It is subtracted from at most
 * as many columns as the vector is applied to, with 2 operations for each entry instead of 4. */
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
