/* direct.c: a direct solve by CXSparse as the "method" x += F^-1 (b - Ax), so that the true
 * residual is watched and refined like any other. F is a sparse Cholesky, LU or QR factor of A
 * (Davis 2006). The rows of A are the columns of A', which is what is factored for LU, and for QR
 * of a wide A. */
#include <cs.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/krylov.h"

enum { AUTO, CHOLESKY, LU, QR };

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
    double *work;
    int64_t work_size;
    gsolve_dense r, dx;
} direct;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(direct_options, 20, 3),
    {"factor", "which; auto: Cholesky, LU or QR as A allows", GSOLVE_CHOICE,
     offsetof(direct_options, factor), AUTO, 0, 0, "auto|cholesky|lu|qr"},
    {"limit", "most entries in the factors, in millions", GSOLVE_REAL,
     offsetof(direct_options, limit), 500, 0.001, 1e6, NULL},
    {"work", "most operations of the factorisation, in thousand millions", GSOLVE_REAL,
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

/* entries in the factors, and the operations that make them. */
static gsolve_status check_size(gs_krylov *k, double entries, double work)
{
    const direct_options *o = k->options;

    if (entries <= o->limit * 1e6 && work <= o->work * 1e9) return GSOLVE_OK;
    return gsolve_fail(k->ctx, GSOLVE_UNSUPPORTED,
                       "the factors would hold up to %.3g million entries (%.3g GB) and take %.3g "
                       "thousand million operations; the limits are %.3g and %.3g, see "
                       "direct,limit= and work=",
                       entries / 1e6, entries * 12e-9, work / 1e9, o->limit, o->work);
}

/* Operations of a Cholesky factor whose columns begin at cp: the sum of their squared lengths. */
static double cholesky_work(const cs_dis *S, int n)
{
    double work = 0;

    for (int j = 0; j < n; j++) {
        const double length = S->cp[j + 1] - S->cp[j];
        work += length * length;
    }
    return work;
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
    TRY(check_size(k, s->symbolic->lnz, cholesky_work(s->symbolic, A.n)));
    s->numeric = cs_di_chol(&A, s->symbolic);
    if (!s->numeric) {
        return gsolve_fail(k->ctx, GSOLVE_ZERO_PIVOT,
                           "the matrix is not positive definite: Cholesky met a pivot that is not "
                           "above 0");
    }
done:
    return status;
}

/* Bounds on the factors: with a symmetric pattern and pivots on the diagonal those of Cholesky
 * twice, else those of QR. */
static gsolve_status check_lu(gs_krylov *k, const cs_di *A, bool symmetric_pattern)
{
    cs_dis *S = symmetric_pattern ? cs_di_schol(1, A) : cs_di_sqr(2, A, 1);
    gsolve_status status;

    if (!S) return out_of_memory(k);
    const double entries = symmetric_pattern ? 2 * S->lnz : S->lnz + S->unz;
    const double work =
        symmetric_pattern ? 2 * cholesky_work(S, A->n) : entries * entries / (A->n > 0 ? A->n : 1);
    status = check_size(k, entries, work);
    cs_di_sfree(S);
    return status;
}

static gsolve_status lu(gs_krylov *k, direct *s, bool symmetric_pattern)
{
    const cs_di A = columns_of(&s->rows);
    gsolve_status status;

    if (!s->symbolic) {
        if (A.n > 3000) TRY(check_lu(k, &A, symmetric_pattern));
        s->symbolic = cs_di_sqr(symmetric_pattern ? 1 : 2, &A, 0);
    }
    if (!s->symbolic) return out_of_memory(k);
    s->numeric = cs_di_lu(&A, s->symbolic, symmetric_pattern ? 0.01 : 1);
    if (!s->numeric) {
        return gsolve_fail(k->ctx, GSOLVE_ZERO_PIVOT,
                           "the matrix is singular: LU found no pivot in a column");
    }
    status = GSOLVE_OK;
done:
    return status;
}

static gsolve_status qr(gs_krylov *k, direct *s)
{
    const cs_di A = columns_of(&s->rows);
    gsolve_status status;

    if (!s->symbolic) s->symbolic = cs_di_sqr(3, &A, 1);
    if (!s->symbolic) return out_of_memory(k);
    const double entries = s->symbolic->lnz + s->symbolic->unz;
    TRY(check_size(k, entries, entries * entries / (A.n > 0 ? A.n : 1)));
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
    gsolve_traits t;
    gsolve_status status;

    if (!square && wish != AUTO && wish != QR) {
        return gsolve_fail(k->ctx, GSOLVE_BAD_ARGUMENT,
                           "%s needs a square matrix and this one is %d x %d; use factor=qr",
                           wish == LU ? "LU" : "Cholesky", k->csr.nrows, k->csr.ncols);
    }
    TRY(gs_need_rows(k));
    TRY(gsolve_csr_examine(k->ctx, &k->csr, &t));
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
    if (s->kind == LU) TRY(lu(k, s, t.symmetric_pattern));
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
    TRY(gs_not_foretold(k)); /* the factors */
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
        return gsolve_copy(k->ctx, b, GSOLVE_HOST, column.value, v.place,
                           (size_t)v.nrows * sizeof *b);
    }
    const gsolve_status status = gsolve_copy(k->ctx, space, GSOLVE_HOST, column.value, v.place,
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
        return gsolve_copy(k->ctx, column.value, v.place, x, GSOLVE_HOST,
                           (size_t)v.nrows * sizeof *x);
    }
    for (int32_t i = 0; i < v.nrows; i++) values[i] = (float)x[i];
    return gsolve_copy(k->ctx, column.value, v.place, space, GSOLVE_HOST,
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
    k->precond_seconds += gs_now() - begin;
    TRY(gs_axpby(k, gs_number(1), s->dx, gs_number(1), k->x)); /* x += F^-1 r         */
    TRY(gs_residual(k, s->r));                                 /* r = b - A x         */
done:
    return status;
}

const gs_method gs_direct = {
    .plugin = {"direct", "sparse factorisation by CXSparse; any A, least squares if not square",
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
