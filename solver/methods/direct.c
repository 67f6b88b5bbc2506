/* direct.c: a direct solve by CXSparse as the "method" x += F^-1 (b - Ax), so that the loop
 * tests the true residual and refines x as with any method. F is a sparse Cholesky, LU or QR factor
 * of A (Davis 2006). */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "solver/methods/direct.h"

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(20, 3),
    {"factor", "the factorisation; auto: Cholesky, LU or QR, chosen from the properties of A",
     GSOLVE_CHOICE, offsetof(gs_direct_options, factor), GS_FACTOR_AUTO, 0, 0,
     "auto|cholesky|lu|qr"},
    {"limit",
     "largest number of entries in the factors, in millions; the solve is refused if they would "
     "have more",
     GSOLVE_REAL, offsetof(gs_direct_options, limit), 500, 0.001, 1e6, NULL},
    {"work",
     "largest number of operations of the factorisation, in billions (1e9); the solve is refused "
     "if it would take more",
     GSOLVE_REAL, offsetof(gs_direct_options, work), 10000, 0.001, 1e9, NULL},
    {0},
};

/* --- solving ---------------------------------------------------------------------------------- */

/* t = R^-1 t or R^-T t. A diagonal entry that is negligible against the largest gives 0. */
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
    const gs_direct_state *s = k->state;
    const cs_dis *S = s->symbolic;
    const cs_din *N = s->numeric;
    const int m = k->csr.nrows, n = k->csr.ncols;

    if (s->kind == GS_CHOLESKY) {
        cs_di_ipvec(S->pinv, b, t, n);
        cs_di_lsolve(N->L, t);
        cs_di_ltsolve(N->L, t);
        cs_di_pvec(S->pinv, t, x, n);
    } else if (s->kind == GS_LU) {
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

static void destroy(gs_krylov *k)
{
    gs_direct_state *s = k->state;

    gs_direct_drop_factor(s);
    if (s->owned) gsolve_csr_free(&s->rows, k->ctx);
    gsolve_free(k->ctx, GSOLVE_HOST, s->work);
    memset(s, 0, sizeof *s);
}

static gsolve_status setup(gs_krylov *k)
{
    gs_direct_state *s = k->state;
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    gsolve_status status;

    k->period = 0; /* on the host */
    TRY(gs_new_vector(k, m, &s->r));
    TRY(gs_new_vector(k, n, &s->dx));
    if (gs_is_counting(k)) return GSOLVE_UNSUPPORTED; /* the factors */
    TRY(gs_direct_factor(k));
    if (s->kind == GS_QR) TRY(gs_least_squares_reserve(k));
    s->work_size = s->kind == GS_QR ? s->symbolic->m2 : n;
    if (s->work_size < m + (int64_t)n) s->work_size = m + (int64_t)n;
    ALLOC(k->ctx, GSOLVE_HOST, s->work, s->work_size * 2 + m + n);
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    gs_direct_state *s = k->state;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status = GSOLVE_OK;

    gsolve_matrix_describe(k->A, &info);
    if (info.version != s->version) TRY(gs_direct_factor(k));
    TRY(gs_residual(k, s->r));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    gs_direct_state *s = k->state;
    const bool single = k->csr.type == GSOLVE_F32;
    const size_t size = gs_type_size(k->csr.type);
    const int32_t m = k->csr.nrows, n = k->csr.ncols;
    double *b = s->work + s->work_size, *x = b + m;
    float *values = (float *)(void *)s->work; /* of r or dx */
    const double begin = gs_now();
    gsolve_status status = GSOLVE_OK;

    (void)j;
    for (int32_t c = 0; c < k->ncols; c++) {
        if (!k->active[c]) continue;
        TRY(gsolve_copy(k->ctx, single ? s->work : b, GSOLVE_HOST, gs_column_of(s->r, c).value,
                        s->r.location, (size_t)m * size));
        for (int32_t i = 0; single && i < m; i++) b[i] = values[i];
        solve(k, b, x, s->work);
        for (int32_t i = 0; single && i < n; i++) values[i] = (float)x[i];
        TRY(gsolve_copy(k->ctx, gs_column_of(s->dx, c).value, s->dx.location, single ? s->work : x,
                        GSOLVE_HOST, (size_t)n * size));
    }
    gs_add_precond_seconds(k, gs_now() - begin);
    TRY(gs_axpby(k, gs_number(1), s->dx, gs_number(1), k->x)); /* x += F^-1 r         */
    TRY(gs_residual(k, s->r));                                 /* r = b - A x         */
done:
    return status;
}

const gs_method gs_direct = {
    .plugin =
        {"direct",
         "sparse factorisation by CXSparse; any A (least squares if A is not square); an iteration "
         "is a step of iterative refinement; the last bits may differ between machines",
         options, sizeof(gs_direct_options)},
    .state_size = sizeof(gs_direct_state),
    .any_shape = true,
    .ignores_precond = true,
    .setup = setup,
    .start = start,
    .step = step,
    .destroy = destroy,
};
