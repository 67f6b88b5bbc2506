/* cxsparse_plan.c: Cholesky, LU and QR by CXSparse within limits on the factors' entries and
 * operations: the symbolic analysis, which bounds them, and the numeric factorisation. */
#include <float.h>
#include <string.h>

#include "core/try.h"
#include "factor/cxsparse.h"
#include "factor/lu.h"

#define SMALL      3000 /* rows that LU factors without an estimate if the limits allow */
#define MOST_RATIO 4    /* of LU's cost to its estimate; above it pivots have left the diagonal */
#define TRIAL      5e8  /* operations of an LU whose bound is above the limits */

/* CXSparse's number of a column order: `order`, or 0 to keep the order. */
static int order_of(const gs_factorisation *F, int order)
{
    return F->request.ordered ? 0 : order;
}

static void drop(gs_cxsparse_state *s)
{
    cs_di_nfree(s->numeric);
    cs_di_sfree(s->symbolic);
    s->numeric = NULL;
    s->symbolic = NULL;
}

/* The smallest over the largest magnitude of the last entries of T's columns, or of the first. */
static double diagonal_ratio(const cs_di *T, bool first)
{
    double least = DBL_MAX, most = 0;

    for (int j = 0; j < T->n; j++) {
        const double pivot = fabs(first ? T->x[T->p[j]] : T->x[T->p[j + 1] - 1]);
        least = fmin(least, pivot), most = fmax(most, pivot);
    }
    return T->n == 0 ? 1 : least / most;
}

/* --- Cholesky --------------------------------------------------------------------------------- */

static gsolve_status cholesky(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *rows)
{
    const cs_di A = gs_columns_view(ctx, rows);
    gs_cxsparse_state *s = F->state;
    gsolve_status status;

    TRY(gs_factor_check(ctx, gs_cholesky_cost(s->symbolic, A.n), F->request.limit));
    s->numeric = cs_di_chol(&A, s->symbolic);
    if (!s->numeric) return gs_factor_not_definite(ctx, F, rows);
    F->pivot_ratio = diagonal_ratio(s->numeric->L, true);
    F->pivot_ratio *= F->pivot_ratio;
done:
    return status;
}

/* --- LU --------------------------------------------------------------------------------------- */

/* The analysis for pivots on the diagonal, with an estimate of LU's cost. */
static gsolve_status plan_diagonal(gs_factorisation *F, gsolve_context *ctx, const cs_di *A)
{
    const gs_direct_cost limit = F->request.limit;
    gs_cxsparse_state *s = F->state;
    gsolve_status status = GSOLVE_OK;

    s->most = INFINITY;
    if (A->n > SMALL || !gs_cost_fits(gs_dense_lu_cost(A->n), limit)) {
        cs_dis *S = cs_di_schol(order_of(F, 1), A);
        if (!S) return gs_factor_out_of_memory(ctx);
        const gs_direct_cost cost = gs_diagonal_lu_cost(S, A->n);
        cs_di_sfree(S);
        TRY(gs_factor_check(ctx, cost, limit));
        s->most = MOST_RATIO * cost.operations;
    }
    s->symbolic = cs_di_sqr(order_of(F, 1), A, 0);
    if (!s->symbolic) return gs_factor_out_of_memory(ctx);
done:
    return status;
}

/* The analysis for any pivots, which bounds LU's cost. */
static gsolve_status plan_pivoted(gs_factorisation *F, gsolve_context *ctx, const cs_di *A)
{
    gs_cxsparse_state *s = F->state;
    gsolve_status status = GSOLVE_OK;

    s->bound = gs_dense_lu_cost(A->n);
    const bool any = gs_cost_fits(s->bound, F->request.limit);
    s->symbolic = cs_di_sqr(order_of(F, 2), A, !any);
    if (!s->symbolic) return gs_factor_out_of_memory(ctx);
    if (any) return GSOLVE_OK;
    TRY(gs_pivoted_lu_cost(&s->bound, ctx, A, s->symbolic));
    s->symbolic->lnz = s->symbolic->unz = 4. * A->p[A->n] + A->n; /* space to begin with */
done:
    if (status != GSOLVE_OK) drop(s);
    return status;
}

/* The bound may be far too high; so LU is tried even if the bound is above the limits, for about a
 * second. */
static gsolve_status lu_pivoted(gs_factorisation *F, gsolve_context *ctx, const cs_di *A)
{
    gs_cxsparse_state *s = F->state;
    gs_direct_cost most = F->request.limit;
    const bool fits = gs_cost_fits(s->bound, most);
    gsolve_status status;

    if (!fits) most.operations = fmin(most.operations, TRIAL);
    status = gs_lu(&s->numeric, ctx, A, s->symbolic, 1, most);
    if (status == GSOLVE_UNSUPPORTED && !fits) {
        status = gs_factor_check(ctx, s->bound, F->request.limit);
    }
    return status;
}

/* Pivots are sought on the diagonal first if the caller asks for it. Small diagonal entries may
 * still force other pivots, and the factors may fill. LU then starts again, with the columns in an
 * order that suits any pivots. */
static gsolve_status lu(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *rows)
{
    const cs_di A = gs_columns_view(ctx, rows);
    gs_cxsparse_state *s = F->state;
    gsolve_status status = GSOLVE_UNSUPPORTED;

    if (s->diagonal) {
        gs_direct_cost most = F->request.limit;
        most.operations = fmin(most.operations, s->most);
        status = gs_lu(&s->numeric, ctx, &A, s->symbolic, 0.01, most);
        if (status == GSOLVE_UNSUPPORTED) {
            drop(s);
            s->diagonal = false;
            TRY(plan_pivoted(F, ctx, &A));
        }
    }
    if (!s->diagonal) status = lu_pivoted(F, ctx, &A);
    if (status == GSOLVE_OK) F->pivot_ratio = diagonal_ratio(s->numeric->U, false);
done:
    return status;
}

static gsolve_status plan_lu(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *rows)
{
    const cs_di A = gs_columns_view(ctx, rows);
    gs_cxsparse_state *s = F->state;

    s->diagonal = F->request.diagonal;
    return s->diagonal ? plan_diagonal(F, ctx, &A) : plan_pivoted(F, ctx, &A);
}

/* --- QR --------------------------------------------------------------------------------------- */

/* *A = a view of the one of A and A' that is not wide; *turned owns its arrays if they are new. */
static gsolve_status tall_view(cs_di *A, gsolve_csr *turned, gsolve_context *ctx,
                               const gsolve_csr *rows)
{
    gsolve_status status = GSOLVE_OK;

    if (rows->nrows >= rows->ncols) TRY(gs_csr_transpose(turned, ctx, rows));
    *A = gs_columns_view(ctx, rows->nrows >= rows->ncols ? turned : rows);
done:
    return status;
}

/* A row of A with r entries gives R at least r (r + 1) / 2 entries. A row that is too long is
 * refused before the analysis, which forms A'A. */
static gsolve_status check_longest_row(gsolve_context *ctx, const cs_di *A, gs_direct_cost limit)
{
    int *length = NULL;
    double longest = 0;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, length, A->m);
    memset(length, 0, (size_t)A->m * sizeof *length);
    for (int p = 0; p < A->p[A->n]; p++) {
        const int entries = ++length[A->i[p]];
        if (entries > longest) longest = entries;
    }
    status = gs_factor_check(ctx, (gs_direct_cost){longest * (longest + 1) / 2, 0}, limit);
done:
    gsolve_free(ctx, GSOLVE_HOST, length);
    return status;
}

static gsolve_status plan_qr(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *rows)
{
    gs_cxsparse_state *s = F->state;
    gsolve_csr turned = {0};
    cs_di A;
    gsolve_status status;

    TRY(tall_view(&A, &turned, ctx, rows));
    TRY(check_longest_row(ctx, &A, F->request.limit));
    s->symbolic = cs_di_sqr(order_of(F, 3), &A, 1);
    if (!s->symbolic) status = gs_factor_out_of_memory(ctx);
done:
    gsolve_csr_free(&turned, ctx);
    return status;
}

static gsolve_status qr(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *rows)
{
    gs_cxsparse_state *s = F->state;
    gsolve_csr turned = {0};
    cs_di A;
    gs_direct_cost cost;
    gsolve_status status;

    TRY(tall_view(&A, &turned, ctx, rows));
    TRY(gs_qr_cost(&cost, ctx, &A, s->symbolic));
    TRY(gs_factor_check(ctx, cost, F->request.limit));
    s->numeric = cs_di_qr(&A, s->symbolic);
    if (!s->numeric) status = gs_factor_out_of_memory(ctx);
done:
    gsolve_csr_free(&turned, ctx);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

/* Column k of L, or Householder vector k, meets each entry in row k of U or R. */
static gs_direct_cost product_cost(const cs_di *L, const cs_di *U, double each)
{
    gs_direct_cost cost = {(double)L->p[L->n] + U->p[U->n], 0};

    for (int p = 0; p < U->p[U->n]; p++) {
        const int k = U->i[p];
        if (k < L->n) cost.operations += each * (L->p[k + 1] - L->p[k]);
    }
    return cost;
}

gs_direct_cost gs_cxsparse_cost(const gs_factorisation *F)
{
    const gs_cxsparse_state *s = F->state;
    const cs_din *N = s->numeric;

    if (F->request.kind == GS_CHOLESKY) return gs_cholesky_cost(s->symbolic, F->nrows);
    return product_cost(N->L, N->U, F->request.kind == GS_LU ? 2 : 4);
}

gsolve_status gs_cxsparse_analyse(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    gs_cxsparse_state *s = F->state;

    if (F->request.kind == GS_LU) return plan_lu(F, ctx, A);
    if (F->request.kind == GS_QR) return plan_qr(F, ctx, A);
    const cs_di columns = gs_columns_view(ctx, A);
    s->symbolic = cs_di_schol(order_of(F, 1), &columns);
    return s->symbolic ? GSOLVE_OK : gs_factor_out_of_memory(ctx);
}

gsolve_status gs_cxsparse_factor(gs_factorisation *F, gsolve_context *ctx, const gsolve_csr *A)
{
    gs_cxsparse_state *s = F->state;
    gsolve_status status = GSOLVE_OK;

    cs_di_nfree(s->numeric);
    s->numeric = NULL;
    if (s->loaded) drop(s);
    s->loaded = false;
    if (!s->symbolic) TRY(gs_cxsparse_analyse(F, ctx, A)); /* lost by a failure */
    status = F->request.kind == GS_LU   ? lu(F, ctx, A)
             : F->request.kind == GS_QR ? qr(F, ctx, A)
                                        : cholesky(F, ctx, A);
    if (status == GSOLVE_OK) s->cost = gs_cxsparse_cost(F);
done:
    return status;
}
