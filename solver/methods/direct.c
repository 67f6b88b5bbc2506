/* direct.c: a direct solve by CXSparse as the "method" x += F^-1 (b - Ax), so that the true
 * residual is watched and refined like any other. F is a sparse Cholesky, LU or QR factor of A
 * (Davis 2006). The rows of A are the columns of A', which is what is factored for LU, and for QR
 * of a wide A. */
#include <cs.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "factor/lu.h"
#include "solver/operations/operations.h"

enum { AUTO, CHOLESKY, LU, QR };

#define SMALL      3000 /* rows that LU factors without an estimate if the limits allow */
#define MOST_RATIO 4    /* of LU's cost to its estimate; above it pivots have left the diagonal */
#define TRIAL      5e8  /* operations of an LU whose bound is above the limits */

typedef struct direct_options {
    gs_run_options run;
    int factor;
    double limit, work;
} direct_options;

typedef struct direct {
    int kind;         /* CHOLESKY, LU or QR */
    uint64_t version; /* of A's values that are factored */
    gsolve_csr rows;  /* A's rows in double, or A's columns for QR of a tall A; owned if so */
    bool owned;
    cs_dis *symbolic;
    cs_din *numeric;
    bool diagonal;              /* LU: pivots are sought on the diagonal first */
    gs_direct_cost bound, most; /* LU: what it costs at most, what it may cost */
    double *work;
    int64_t work_size;
    gsolve_dense r, dx;
} direct;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(direct_options, 20, 3),
    {"factor", "factorisation; auto: Cholesky, LU or QR, depending on A", GSOLVE_CHOICE,
     offsetof(direct_options, factor), AUTO, 0, 0, "auto|cholesky|lu|qr"},
    {"limit", "largest number of entries in the factors, in millions", GSOLVE_REAL,
     offsetof(direct_options, limit), 500, 0.001, 1e6, NULL},
    {"work", "largest number of operations of the factorisation, in units of 1e9", GSOLVE_REAL,
     offsetof(direct_options, work), 10000, 0.001, 1e9, NULL},
    {0},
};

/* CXSparse's view of the columns of csr's transpose. */
static cs_di columns_of(const gsolve_csr *csr)
{
    const cs_di view = {.nzmax = ((const int32_t *)csr->start)[csr->nrows],
                        .m = csr->ncols,
                        .n = csr->nrows,
                        .p = (int32_t *)(uintptr_t)csr->start,
                        .i = (int32_t *)(uintptr_t)csr->col,
                        .x = (double *)(uintptr_t)csr->value,
                        .nz = -1};
    return view;
}

static void drop_factor(direct *s)
{
    cs_di_nfree(s->numeric);
    cs_di_sfree(s->symbolic);
    s->numeric = NULL;
    s->symbolic = NULL;
}

static void destroy(gs_krylov *k)
{
    direct *s = k->state;

    drop_factor(s);
    if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
    gsolve_free(k->ctx, GSOLVE_HOST, s->work);
    memset(s, 0, sizeof *s);
}

/* --- what to factor -------------------------------------------------------------------------- */

static gsolve_status gather_rows(gs_krylov *k, direct *s, bool by_columns)
{
    gsolve_csr converted = {0};
    gsolve_status status = GSOLVE_OK;

    if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
    s->owned = false;
    if (k->csr.offset != GSOLVE_O32) {
        return gsolve_fail(k->ctx, GSOLVE_UNSUPPORTED,
                           "direct takes at most %d entries; this matrix has more", INT_MAX);
    }
    s->rows = k->csr;
    if (k->csr.type != GSOLVE_F64) {
        TRY(gsolve_csr_convert(&converted, k->ctx, GSOLVE_F64, &k->csr));
        s->rows = converted;
        s->owned = true;
    }
    if (by_columns) {
        gsolve_csr columns;
        TRY(gsolve_csr_transpose(&columns, k->ctx, &s->rows));
        if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
        s->rows = columns;
        s->owned = true;
    }
done:
    return status;
}

static gs_direct_cost limit_of(const gs_krylov *k)
{
    const direct_options *o = k->options;

    return (gs_direct_cost){o->limit * 1e6, o->work * 1e9};
}

static gsolve_status check_cost(gs_krylov *k, gs_direct_cost cost)
{
    const gs_direct_cost limit = limit_of(k);

    if (gs_cost_fits(cost, limit)) return GSOLVE_OK;
    return gsolve_fail(
        k->ctx, GSOLVE_UNSUPPORTED,
        "the factors may need %.3g million entries (%.3g GB) and %.3g billion operations; "
        "the limits are %.3g and %.3g; raise direct,limit= and work=, or use an iterative "
        "method",
        cost.entries / 1e6, cost.entries * 12e-9, cost.operations / 1e9, limit.entries / 1e6,
        limit.operations / 1e9);
}

static gsolve_status out_of_memory(gs_krylov *k)
{
    return gsolve_fail(k->ctx, GSOLVE_NO_MEMORY, "out of memory while factoring the matrix");
}

static gsolve_status cholesky(gs_krylov *k, direct *s)
{
    const cs_di A = columns_of(&s->rows);
    gsolve_status status;

    if (!s->symbolic) s->symbolic = cs_di_schol(1, &A);
    if (!s->symbolic) return out_of_memory(k);
    TRY(check_cost(k, gs_cholesky_cost(s->symbolic, A.n)));
    s->numeric = cs_di_chol(&A, s->symbolic);
    if (!s->numeric) {
        return gsolve_fail(
            k->ctx, GSOLVE_ZERO_PIVOT,
            "the matrix is not positive definite: Cholesky found a pivot that is not positive");
    }
done:
    return status;
}

/* The analysis for pivots on the diagonal, with an estimate of LU's cost. */
static gsolve_status plan_diagonal(gs_krylov *k, direct *s, const cs_di *A)
{
    gsolve_status status = GSOLVE_OK;

    s->most = limit_of(k);
    if (A->n > SMALL || !gs_cost_fits(gs_dense_lu_cost(A->n), s->most)) {
        cs_dis *S = cs_di_schol(1, A);
        if (!S) return out_of_memory(k);
        const gs_direct_cost cost = gs_diagonal_lu_cost(S, A->n);
        cs_di_sfree(S);
        TRY(check_cost(k, cost));
        s->most.operations = fmin(s->most.operations, MOST_RATIO * cost.operations);
    }
    s->symbolic = cs_di_sqr(1, A, 0);
    if (!s->symbolic) return out_of_memory(k);
done:
    return status;
}

/* The analysis for any pivots, which bounds what LU costs. The bound may be far too high, so that
 * LU is tried all the same, for about a second. */
static gsolve_status plan_pivoted(gs_krylov *k, direct *s, const cs_di *A)
{
    gsolve_status status = GSOLVE_OK;

    s->most = limit_of(k);
    s->bound = gs_dense_lu_cost(A->n);
    const bool any = gs_cost_fits(s->bound, s->most);
    s->symbolic = cs_di_sqr(2, A, !any);
    if (!s->symbolic) return out_of_memory(k);
    if (any) return GSOLVE_OK;
    TRY(gs_pivoted_lu_cost(&s->bound, k->ctx, A, s->symbolic));
    if (!gs_cost_fits(s->bound, s->most)) s->most.operations = fmin(s->most.operations, TRIAL);
    s->symbolic->lnz = s->symbolic->unz = 4. * A->p[A->n] + A->n; /* space to begin with */
done:
    if (status != GSOLVE_OK) drop_factor(s);
    return status;
}

static gsolve_status lu_pivoted(gs_krylov *k, direct *s, const cs_di *A)
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
 * Small diagonal entries may still lead them away, and the factors may fill. LU then begins again,
 * with the columns in an order that suits any pivots. */
static gsolve_status lu(gs_krylov *k, direct *s, const gsolve_statistics *t)
{
    const cs_di A = columns_of(&s->rows);
    gsolve_status status = GSOLVE_OK;

    if (!s->symbolic) s->diagonal = t->symmetric_pattern && t->zero_diagonals == 0;
    if (!s->diagonal) return lu_pivoted(k, s, &A);
    if (!s->symbolic) TRY(plan_diagonal(k, s, &A));
    status = gs_lu(&s->numeric, k->ctx, &A, s->symbolic, 0.01, s->most);
    if (status == GSOLVE_UNSUPPORTED) {
        drop_factor(s);
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

static gsolve_status qr(gs_krylov *k, direct *s)
{
    const cs_di A = columns_of(&s->rows);
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

/* Factors A as chosen, or as it allows. */
static gsolve_status factor(gs_krylov *k)
{
    direct *s = k->state;
    const bool square = k->csr.nrows == k->csr.ncols, tall = k->csr.nrows > k->csr.ncols;
    const int wish = ((const direct_options *)k->options)->factor;
    gsolve_matrix_info info;
    gsolve_statistics t;
    gsolve_status status;

    if (!square && wish != AUTO && wish != QR) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a square matrix and this one is %d x %d; use factor=qr",
                           wish == LU ? "LU" : "Cholesky", k->csr.nrows, k->csr.ncols);
    }
    TRY(gs_need_rows(k));
    TRY(gsolve_csr_statistics(k->ctx, &k->csr, &t));
    if (!s->kind) s->kind = wish != AUTO ? wish : !square ? QR : t.symmetric ? CHOLESKY : LU;
    TRY(gather_rows(k, s, s->kind == QR && (square || tall)));
    cs_di_nfree(s->numeric);
    s->numeric = NULL;
    if (s->kind == CHOLESKY && wish == AUTO &&
        (!t.symmetric || t.zero_diagonals || t.negative_diagonals ||
         cholesky(k, s) == GSOLVE_ZERO_PIVOT)) {
        drop_factor(s);
        s->kind = LU;
    }
    if (s->kind == CHOLESKY && !s->numeric) TRY(cholesky(k, s));
    if (s->kind == LU) TRY(lu(k, s, &t));
    if (s->kind == QR) TRY(qr(k, s));
    gsolve_matrix_describe(k->A, &info);
    s->version = info.version;
    status = GSOLVE_OK;
done:
    return status;
}

/* --- solving ------------------------------------------------------------------------------------
 */

/* t = R^-1 t or R^-T t; a diagonal entry that vanishes beside the largest gives 0. */
static void solve_with_r(const cs_di *R, double *t, bool transposed)
{
    double most = 0;

    for (int j = 0; j < R->n; j++) most = fmax(most, fabs(R->x[R->p[j + 1] - 1]));
    for (int step = 0; step < R->n; step++) {
        const int j = transposed ? step : R->n - 1 - step, last = R->p[j + 1] - 1;
        const bool vanishes = fabs(R->x[last]) <= 1e-14 * most;
        if (transposed) {
            for (int p = R->p[j]; p < last; p++) t[j] -= R->x[p] * t[R->i[p]];
            t[j] = vanishes ? 0 : t[j] / R->x[last];
        } else {
            t[j] = vanishes ? 0 : t[j] / R->x[last];
            for (int p = R->p[j]; p < last; p++) t[R->i[p]] -= R->x[p] * t[j];
        }
    }
}

/* x = F^-1 b, with t as work space; the steps of cs_cholsol, cs_lusol (for A') and cs_qrsol. */
static void solve(const gs_krylov *k, const double *b, double *x, double *t)
{
    const direct *s = k->state;
    const cs_dis *S = s->symbolic;
    const cs_din *N = s->numeric;
    const int m = k->csr.nrows, n = k->csr.ncols;

    if (s->kind == CHOLESKY) {
        cs_di_ipvec(S->pinv, b, t, n);
        cs_di_lsolve(N->L, t);
        cs_di_ltsolve(N->L, t);
        cs_di_pvec(S->pinv, t, x, n);
    } else if (s->kind == LU) {
        cs_di_pvec(S->q, b, t, n);
        cs_di_utsolve(N->U, t);
        cs_di_ltsolve(N->L, t);
        cs_di_pvec(N->pinv, t, x, n);
    } else if (m >= n) {
        memset(t, 0, (size_t)s->work_size * sizeof *t);
        cs_di_ipvec(S->pinv, b, t, m);
        for (int j = 0; j < n; j++) cs_di_happly(N->L, j, N->B[j], t);
        solve_with_r(N->U, t, false);
        cs_di_ipvec(S->q, t, x, n);
    } else {
        memset(t, 0, (size_t)s->work_size * sizeof *t);
        cs_di_pvec(S->q, b, t, m);
        solve_with_r(N->U, t, true);
        for (int j = m - 1; j >= 0; j--) cs_di_happly(N->L, j, N->B[j], t);
        cs_di_pvec(S->pinv, t, x, n);
    }
}

static gsolve_status setup(gs_krylov *k)
{
    direct *s = k->state;
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    gsolve_status status;

    TRY(gs_new_vector(k, m, &s->r));
    TRY(gs_new_vector(k, n, &s->dx));
    TRY(gs_require_values(k)); /* the factors */
    TRY(factor(k));
    s->work_size = s->kind == QR ? s->symbolic->m2 : n;
    if (s->work_size < m + (int64_t)n) s->work_size = m + (int64_t)n;
    ALLOC(k->ctx, GSOLVE_HOST, s->work, s->work_size * 2 + m + n);
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    direct *s = k->state;
    gsolve_matrix_info info;
    gsolve_status status = GSOLVE_OK;

    gsolve_matrix_describe(k->A, &info);
    if (info.version != s->version) TRY(factor(k));
    TRY(gs_residual(k, s->r));
done:
    return status;
}

static bool narrow(const gs_krylov *k)
{
    return k->csr.type == GSOLVE_F32;
}

/* b = column c of v; space: for v's values in their own type. */
static gsolve_status fetch(gs_krylov *k, gsolve_dense v, int32_t c, double *b, void *space)
{
    const gsolve_dense column = gs_column_of(v, c);
    const float *values = space;

    if (!narrow(k)) {
        return gsolve_copy(k->ctx, b, GSOLVE_HOST, column.value, v.location,
                           (size_t)v.nrows * sizeof *b);
    }
    const gsolve_status status = gsolve_copy(k->ctx, space, GSOLVE_HOST, column.value, v.location,
                                             (size_t)v.nrows * sizeof *values);
    for (int32_t i = 0; i < v.nrows; i++) b[i] = values[i];
    return status;
}

/* Column c of v = x. */
static gsolve_status put(gs_krylov *k, gsolve_dense v, int32_t c, const double *x, void *space)
{
    const gsolve_dense column = gs_column_of(v, c);
    float *values = space;

    if (!narrow(k)) {
        return gsolve_copy(k->ctx, column.value, v.location, x, GSOLVE_HOST,
                           (size_t)v.nrows * sizeof *x);
    }
    for (int32_t i = 0; i < v.nrows; i++) values[i] = (float)x[i];
    return gsolve_copy(k->ctx, column.value, v.location, space, GSOLVE_HOST,
                       (size_t)v.nrows * sizeof *values);
}

static int period(const gs_krylov *k)
{
    (void)k;
    return 0; /* on the host */
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    direct *s = k->state;
    const int32_t m = k->csr.nrows;
    double *b = s->work + s->work_size, *x = b + m;
    const double begin = gs_now();
    gsolve_status status = GSOLVE_OK;

    (void)j;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        TRY(fetch(k, s->r, c, b, s->work));
        solve(k, b, x, s->work);
        TRY(put(k, s->dx, c, x, s->work));
    }
    gs_add_precond_seconds(k, gs_now() - begin);
    TRY(gs_axpby(k, gs_number(1), s->dx, gs_number(1), k->x)); /* x += F^-1 r         */
    TRY(gs_residual(k, s->r));                                 /* r = b - A x         */
done:
    return status;
}

const gs_method gs_direct = {
    .plugin = {"direct",
               "sparse factorisation by CXSparse; any A (least squares if A is not square)",
               options, sizeof(direct_options)},
    .state_size = sizeof(direct),
    .any_shape = true,
    .ignores_precond = true,
    .setup = setup,
    .start = start,
    .step = step,
    .period = period,
    .destroy = destroy,
};
