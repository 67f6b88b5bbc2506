/* direct_factor.c: the factorisations of the method direct: Cholesky, LU or QR by CXSparse, within
 * limits on the factors' entries and operations. The rows of A are the columns of A', which is what
 * LU factors, and QR of a wide A. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/methods/direct.h"

#define SMALL      3000 /* rows that LU factors without an estimate if the limits allow */
#define MOST_RATIO 4    /* of LU's cost to its estimate; above it pivots have left the diagonal */
#define TRIAL      5e8  /* operations of an LU whose bound is above the limits */

void gs_direct_drop_factor(gs_direct_state *s)
{
    cs_di_nfree(s->numeric);
    cs_di_sfree(s->symbolic);
    s->numeric = NULL;
    s->symbolic = NULL;
}

/* --- what to factor -------------------------------------------------------------------------- */

/* s->rows = A's rows in double precision; transposed: A's columns. */
static gsolve_status gather_rows(gs_krylov *k, gs_direct_state *s, bool transposed)
{
    gsolve_csr converted = {0};
    gsolve_status status = GSOLVE_OK;

    if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
    s->owned = false;
    if (k->csr.offset != GSOLVE_O32) {
        return gsolve_fail(
            k->ctx, GSOLVE_UNSUPPORTED,
            "direct works with at most %d entries; this matrix has more: use an iterative "
            "method",
            INT_MAX);
    }
    s->rows = k->csr;
    if (k->csr.type != GSOLVE_F64) {
        TRY(gs_csr_copy(&converted, k->ctx, GSOLVE_F64, &k->csr));
        s->rows = converted;
        s->owned = true;
    }
    if (transposed) {
        gsolve_csr columns;
        TRY(gs_csr_transpose(&columns, k->ctx, &s->rows));
        if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
        s->rows = columns;
        s->owned = true;
    }
done:
    return status;
}

/* s->rows = those of P R A C P', if the options ask for that. */
static gsolve_status transform_rows(gs_krylov *k, gs_direct_state *s)
{
    gs_transform_options o = ((const gs_direct_options *)k->options)->transform;
    gs_transform fresh = {0};
    gsolve_csr B;
    gsolve_status status;

    if (s->kind == GS_QR && (o.scale != GS_SCALE_NONE || o.order != GS_ORDER_AMD)) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_SPEC,
                           "scale and order of direct are for factor=cholesky and factor=lu, and "
                           "this system (%d x %d) is solved by factor=qr: leave them out",
                           k->csr.nrows, k->csr.ncols);
    }
    if (o.order == GS_ORDER_AMD) o.order = GS_ORDER_NONE; /* by the factorisation */
    if (!gs_transform_wanted(&o)) return GSOLVE_OK;
    TRY(s->transformed
            ? gs_transform_rescale(&fresh, k->ctx, &s->transform, &s->rows)
            : gs_transform_create(&fresh, k->ctx, &o, s->kind == GS_CHOLESKY, "direct", &s->rows));
    TRY(gs_transform_replace(&s->transform, k->ctx, &fresh));
    s->transformed = true;
    TRY(gs_transform_rows(&s->transform, k->ctx, &B, &s->rows));
    if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
    s->rows = B;
    s->owned = true;
done:
    gs_transform_destroy(&fresh, k->ctx);
    return status;
}

/* The order that CXSparse is to find: `best`, or 0, the order of its rows, if another order was
 * asked for. */
static int own_order(const gs_krylov *k, int best)
{
    const gs_direct_options *o = k->options;

    return o->transform.order == GS_ORDER_AMD ? best : 0;
}

#define ENTRY_BYTES 12 /* of an entry of the factors */

/* The entries of factors that the memory limit of a context on the CPU leaves. CXSparse allocates
 * them without counting. */
static double entries_that_fit(const gs_krylov *k)
{
    const bool host = gs_location(k->ctx) == GSOLVE_HOST;
    const size_t left = host ? gs_memory_available(k->ctx) : SIZE_MAX;

    return left == SIZE_MAX ? INFINITY : (double)left / ENTRY_BYTES;
}

static gs_direct_cost limit_of(const gs_krylov *k)
{
    const gs_direct_options *o = k->options;

    return (gs_direct_cost){fmin(o->limit * 1e6, entries_that_fit(k)), o->work * 1e9};
}

static gsolve_status check_cost(gs_krylov *k, gs_direct_cost cost)
{
    const gs_direct_cost limit = limit_of(k);

    if (gs_cost_fits(cost, limit)) return GSOLVE_OK;
    if (cost.entries > entries_that_fit(k)) {
        return gs_memory_need(k->ctx, ENTRY_BYTES * cost.entries, "the factorisation");
    }
    return gsolve_fail(
        k->ctx, GSOLVE_UNSUPPORTED,
        "the factors would hold up to %.3g million entries (%.3g GB), and computing them "
        "would take %.3g billion operations; the limits are %.3g million and %.3g "
        "billion: raise them by direct,limit=MILLIONS,work=BILLIONS",
        cost.entries / 1e6, cost.entries * 1e-9 * ENTRY_BYTES, cost.operations / 1e9,
        limit.entries / 1e6, limit.operations / 1e9);
}

static gsolve_status out_of_memory(gs_krylov *k)
{
    return gsolve_fail(k->ctx, GSOLVE_NO_MEMORY, "out of memory while factoring the matrix");
}

static gsolve_status cholesky(gs_krylov *k, gs_direct_state *s)
{
    const cs_di A = gs_columns_view(k->ctx, &s->rows);
    gsolve_status status;

    if (!s->symbolic) s->symbolic = cs_di_schol(own_order(k, 1), &A);
    if (!s->symbolic) return out_of_memory(k);
    TRY(check_cost(k, gs_cholesky_cost(s->symbolic, A.n)));
    s->numeric = cs_di_chol(&A, s->symbolic);
    if (!s->numeric) {
        return gsolve_fail(k->ctx, GSOLVE_ZERO_PIVOT,
                           "the matrix is not positive definite: Cholesky met a pivot that is not "
                           "above 0");
    }
done:
    return status;
}

/* The analysis for pivots on the diagonal, with an estimate of LU's cost. */
static gsolve_status plan_diagonal(gs_krylov *k, gs_direct_state *s, const cs_di *A)
{
    gsolve_status status = GSOLVE_OK;

    s->most = limit_of(k);
    if (A->n > SMALL || !gs_cost_fits(gs_dense_lu_cost(A->n), s->most)) {
        cs_dis *S = cs_di_schol(own_order(k, 1), A);
        if (!S) return out_of_memory(k);
        const gs_direct_cost cost = gs_diagonal_lu_cost(S, A->n);
        cs_di_sfree(S);
        TRY(check_cost(k, cost));
        s->most.operations = fmin(s->most.operations, MOST_RATIO * cost.operations);
    }
    s->symbolic = cs_di_sqr(own_order(k, 1), A, 0);
    if (!s->symbolic) return out_of_memory(k);
done:
    return status;
}

/* The analysis for any pivots, which bounds LU's cost. The bound may be far too high; so LU is
 * tried even if the bound is above the limits, for about a second. */
static gsolve_status plan_pivoted(gs_krylov *k, gs_direct_state *s, const cs_di *A)
{
    gsolve_status status = GSOLVE_OK;

    s->most = limit_of(k);
    s->bound = gs_dense_lu_cost(A->n);
    const bool any = gs_cost_fits(s->bound, s->most);
    s->symbolic = cs_di_sqr(own_order(k, 2), A, !any);
    if (!s->symbolic) return out_of_memory(k);
    if (any) return GSOLVE_OK;
    TRY(gs_pivoted_lu_cost(&s->bound, k->ctx, A, s->symbolic));
    if (!gs_cost_fits(s->bound, s->most)) s->most.operations = fmin(s->most.operations, TRIAL);
    s->symbolic->lnz = s->symbolic->unz = 4. * A->p[A->n] + A->n; /* space to begin with */
done:
    if (status != GSOLVE_OK) gs_direct_drop_factor(s);
    return status;
}

static gsolve_status lu_pivoted(gs_krylov *k, gs_direct_state *s, const cs_di *A)
{
    gsolve_status status = GSOLVE_OK;

    if (!s->symbolic) TRY(plan_pivoted(k, s, A));
    status = gs_lu(&s->numeric, k->ctx, A, s->symbolic, 1, s->most);
    if (status == GSOLVE_UNSUPPORTED && !gs_cost_fits(s->bound, limit_of(k))) {
        status = check_cost(k, s->bound);
    }
done:
    return status;
}

/* Pivots are sought on the diagonal where the pattern is symmetric and no diagonal entry is 0.
 * Small diagonal entries may still force other pivots, and the factors may fill. LU then starts
 * again, with the columns in an order that suits any pivots. */
static gsolve_status lu(gs_krylov *k, gs_direct_state *s, const gsolve_statistics *t)
{
    const cs_di A = gs_columns_view(k->ctx, &s->rows);
    gsolve_status status = GSOLVE_OK;

    if (!s->symbolic) s->diagonal = t->symmetric_pattern && t->zero_diagonals == 0;
    if (!s->diagonal) return lu_pivoted(k, s, &A);
    if (!s->symbolic) TRY(plan_diagonal(k, s, &A));
    status = gs_lu(&s->numeric, k->ctx, &A, s->symbolic, 0.01, s->most);
    if (status == GSOLVE_UNSUPPORTED) {
        gs_direct_drop_factor(s);
        s->diagonal = false;
        status = lu_pivoted(k, s, &A);
    }
done:
    return status;
}

/* A row of A with r entries gives R at least r (r + 1) / 2 entries. A row that is too long is
 * refused before the analysis, which forms A'A. */
static gsolve_status check_longest_row(gs_krylov *k, const cs_di *A)
{
    int *length = NULL;
    double longest = 0;
    gsolve_status status;

    ALLOC(k->ctx, GSOLVE_HOST, length, A->m);
    memset(length, 0, (size_t)A->m * sizeof *length);
    for (int p = 0; p < A->p[A->n]; p++) {
        const int entries = ++length[A->i[p]];
        if (entries > longest) longest = entries;
    }
    status = check_cost(k, (gs_direct_cost){longest * (longest + 1) / 2, 0});
done:
    gsolve_free(k->ctx, GSOLVE_HOST, length);
    return status;
}

static gsolve_status qr(gs_krylov *k, gs_direct_state *s)
{
    const cs_di A = gs_columns_view(k->ctx, &s->rows);
    gs_direct_cost cost;
    gsolve_status status;

    if (!s->symbolic) {
        TRY(check_longest_row(k, &A));
        s->symbolic = cs_di_sqr(3, &A, 1);
    }
    if (!s->symbolic) return out_of_memory(k);
    TRY(gs_qr_cost(&cost, k->ctx, &A, s->symbolic));
    TRY(check_cost(k, cost));
    s->numeric = cs_di_qr(&A, s->symbolic);
    if (!s->numeric) return out_of_memory(k);
done:
    return status;
}

/* The factorisation to try first. Scaled rows are not symmetric. */
static int kind_for(const gs_krylov *k, const gsolve_statistics *t)
{
    const gs_direct_options *o = k->options;

    if (t->nrows != t->ncols) return GS_QR;
    return t->symmetric && o->transform.scale != GS_SCALE_ROWS ? GS_CHOLESKY : GS_LU;
}

gsolve_status gs_direct_factor(gs_krylov *k)
{
    gs_direct_state *s = k->state;
    const bool square = k->csr.nrows == k->csr.ncols, tall = k->csr.nrows > k->csr.ncols;
    const int asked = ((const gs_direct_options *)k->options)->factor;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_status status;

    if (!square && asked != GS_FACTOR_AUTO && asked != GS_QR) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a square matrix and this one is %d x %d; use factor=qr",
                           asked == GS_LU ? "LU" : "Cholesky", k->csr.nrows, k->csr.ncols);
    }
    TRY(gs_need_rows(k));
    TRY(gsolve_matrix_statistics(k->A, &t));
    if (!s->kind) s->kind = asked != GS_FACTOR_AUTO ? asked : kind_for(k, &t);
    TRY(gather_rows(k, s, s->kind == GS_QR && (square || tall)));
    TRY(transform_rows(k, s));
    cs_di_nfree(s->numeric);
    s->numeric = NULL;
    if (s->kind == GS_CHOLESKY && asked == GS_FACTOR_AUTO &&
        (!t.symmetric || t.zero_diagonals || t.negative_diagonals ||
         cholesky(k, s) == GSOLVE_ZERO_PIVOT)) {
        gs_direct_drop_factor(s);
        s->kind = GS_LU;
    }
    if (s->kind == GS_CHOLESKY && !s->numeric) TRY(cholesky(k, s));
    if (s->kind == GS_LU) TRY(lu(k, s, &t));
    if (s->kind == GS_QR) TRY(qr(k, s));
    gsolve_matrix_describe(k->A, &info);
    s->version = info.version;
    status = GSOLVE_OK;
done:
    return status;
}
