/* cxsparse.c: the library cxsparse: solves with Cholesky, LU and QR factors by CXSparse (Davis,
 * Direct Methods for Sparse Linear Systems, 2006). It is the reference for other libraries. */
#include "factor/cxsparse.h"

#include <string.h>

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

static void solve_cholesky(const gs_cxsparse_state *s, int n, const double *b, double *x, double *t)
{
    cs_di_ipvec(s->symbolic->pinv, b, t, n);
    cs_di_lsolve(s->numeric->L, t);
    cs_di_ltsolve(s->numeric->L, t);
    cs_di_pvec(s->symbolic->pinv, t, x, n);
}

/* The factors are those of A'. */
static void solve_lu(const gs_cxsparse_state *s, int n, bool transposed, const double *b, double *x,
                     double *t)
{
    const cs_din *N = s->numeric;

    if (transposed) {
        cs_di_ipvec(N->pinv, b, t, n);
        cs_di_lsolve(N->L, t);
        cs_di_usolve(N->U, t);
        cs_di_ipvec(s->symbolic->q, t, x, n);
    } else {
        cs_di_pvec(s->symbolic->q, b, t, n);
        cs_di_utsolve(N->U, t);
        cs_di_ltsolve(N->L, t);
        cs_di_pvec(N->pinv, t, x, n);
    }
}

/* The factored matrix has `rows` rows and at most as many columns. forward: solves with it, else
 * with its transpose. */
static void solve_qr(const gs_factorisation *F, bool forward, const double *b, double *x, double *t)
{
    const gs_cxsparse_state *s = F->state;
    const cs_dis *S = s->symbolic;
    const cs_din *N = s->numeric;
    const int rows = F->nrows > F->ncols ? F->nrows : F->ncols, columns = N->L->n;

    memset(t, 0, (size_t)S->m2 * sizeof *t);
    if (forward) {
        cs_di_ipvec(S->pinv, b, t, rows);
        for (int j = 0; j < columns; j++) cs_di_happly(N->L, j, N->B[j], t);
        solve_with_r(N->U, t, false);
        cs_di_ipvec(S->q, t, x, columns);
    } else {
        cs_di_pvec(S->q, b, t, columns);
        solve_with_r(N->U, t, true);
        for (int j = columns - 1; j >= 0; j--) cs_di_happly(N->L, j, N->B[j], t);
        cs_di_pvec(S->pinv, t, x, rows);
    }
}

static gsolve_status solve(const gs_factorisation *F, bool transposed, const double *b, double *x)
{
    const bool tall = F->nrows >= F->ncols;

    switch (F->request.kind) {
    case GS_CHOLESKY: solve_cholesky(F->state, F->nrows, b, x, F->work); break;
    case GS_LU: solve_lu(F->state, F->nrows, transposed, b, x, F->work); break;
    default: solve_qr(F, tall != transposed, b, x, F->work);
    }
    return GSOLVE_OK;
}

static int64_t work_size(const gs_factorisation *F)
{
    return F->request.kind == GS_QR ? ((gs_cxsparse_state *)F->state)->symbolic->m2 : F->nrows;
}

static gs_direct_cost cost(const gs_factorisation *F)
{
    return ((const gs_cxsparse_state *)F->state)->cost;
}

static void destroy(gs_factorisation *F, gsolve_context *ctx)
{
    gs_cxsparse_state *s = F->state;

    (void)ctx;
    cs_di_nfree(s->numeric);
    cs_di_sfree(s->symbolic);
}

const gs_factor_library gs_cxsparse = {
    .name = "cxsparse",
    .computes = {[GS_CHOLESKY] = true, [GS_LU] = true, [GS_QR] = true},
    .state_size = sizeof(gs_cxsparse_state),
    .analyse = gs_cxsparse_analyse,
    .factor = gs_cxsparse_factor,
    .solve = solve,
    .work_size = work_size,
    .cost = cost,
    .destroy = destroy,
    .save = gs_cxsparse_save,
    .load = gs_cxsparse_load,
};
