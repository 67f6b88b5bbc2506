/* incomplete_cholesky.c: incomplete Cholesky of level 0 (Meijerink and van der Vorst 1977) on the
 * pattern of the lower triangle of A. Entries above the diagonal are not read. If a pivot is not
 * positive, the factorisation starts again with A + shift S, S = diag(A) (Manteuffel 1980), for the
 * shifts 0.001, 0.002, 0.004, ... */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/incomplete/galloping_search.h"
#include "precond/incomplete/incomplete.h"

typedef struct factorisation {
    gs_strict_triangle L;   /* on entry of A, then of the factorisation */
    double *diagonal, *d;   /* a_ii, 1 / D_ii */
    double *scratch, shift; /* n zeros per worker */
    double most;            /* the largest magnitude of the type */
} factorisation;

static bool is_minus_zero(double x)
{
    return x == 0 && signbit(x);
}

/* sum - sum_j g_ij l_kj over the columns j of row i before its entry e, found in row k by galloping
 * search. The omitted terms are 0. They would not change the bits of a sum other than -0. */
static double search_row(const gs_strict_triangle *L, int32_t i, int64_t e, double sum,
                         const double *g)
{
    const int32_t k = L->col[e];
    const int64_t end = L->start[k + 1];
    int64_t at = L->start[k];

    for (int64_t m = L->start[i]; m < e && at < end; m++) {
        const int32_t j = L->col[m];
        at = gs_galloping_search(L->col, at, end, j);
        if (at < end && L->col[at] == j) sum -= g[j] * L->value[at];
    }
    return sum;
}

/* Row i of L and D: g_ik = a_ik - sum_j g_ij l_kj, l_ik = g_ik / D_kk, D_ii = a_ii - sum_k g_ik
 * l_ik. False: D_ii is not positive. */
static bool factor_row(void *data, int worker, int32_t i)
{
    const factorisation *w = data;
    const gs_strict_triangle *L = &w->L;
    double *g = w->scratch + (int64_t)worker * L->n;
    double pivot = w->diagonal[i] * (1 + w->shift);

    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        double sum = L->value[e];
        if (gs_search_is_cheaper(L->start[k + 1] - L->start[k], e - L->start[i]) &&
            !is_minus_zero(sum)) {
            sum = search_row(L, i, e, sum, g);
        } else {
            for (int64_t m = L->start[k]; m < L->start[k + 1]; m++) {
                sum -= g[L->col[m]] * L->value[m];
            }
        }
        g[k] = sum;
    }
    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        L->value[e] = g[k] * w->d[k];
        pivot -= g[k] * L->value[e];
        g[k] = 0;
    }
    w->d[i] = 1 / pivot;
    return pivot > GS_MIN_PIVOT * w->diagonal[i] && pivot <= w->most && w->d[i] <= w->most;
}

static gsolve_status read_diagonal(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                   double *diagonal)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        diagonal[i] = at < 0 ? 0 : gs_value(csr, at);
        if (diagonal[i] > 0) continue;
        return gsolve_fail(
            ctx, GSOLVE_ZERO_PIVOT,
            "%s needs a positive diagonal, but the diagonal entry of row %d (counted from 1) is "
            "%g%s",
            who, i + 1, diagonal[i], at < 0 ? " (missing)" : "");
    }
    return GSOLVE_OK;
}

/* Factors, with larger shifts until it succeeds. */
static gsolve_status factor(factorisation *w, gsolve_context *ctx, const char *who,
                            const gsolve_csr *csr, const gs_schedule *schedule, double *shift)
{
    const size_t scratch = (size_t)gs_schedule_workers(schedule) * (size_t)w->L.n;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w->scratch, scratch);
    for (w->shift = *shift; w->shift <= GS_MAX_SHIFT;) {
        memset(w->scratch, 0, scratch * sizeof *w->scratch);
        if (gs_schedule_run(schedule, w->L.n, factor_row, w)) {
            *shift = w->shift;
            goto done;
        }
        w->shift = gs_next_shift(w->shift);
        gs_strict_triangle_reload(&w->L, ctx, csr);
    }
    status = gsolve_fail(
        ctx, GSOLVE_ZERO_PIVOT,
        "%s broke down even for A + %g diag(A): the matrix is far from positive definite; "
        "choose ilu or another preconditioner",
        who, GS_MAX_SHIFT);
done:
    gsolve_free(ctx, GSOLVE_HOST, w->scratch);
    return status;
}

gsolve_status gs_incomplete_cholesky(gs_strict_triangle *L, double *d, gsolve_context *ctx,
                                     const gsolve_csr *csr, const gs_incomplete_args *args,
                                     double *shift)
{
    factorisation w = {.L = *L, .d = d, .most = csr->type == GSOLVE_F32 ? FLT_MAX : DBL_MAX};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.diagonal, csr->nrows);
    TRY(read_diagonal(ctx, args->who, csr, w.diagonal));
    TRY(factor(&w, ctx, args->who, csr, args->schedule, shift));
done:
    gsolve_free(ctx, GSOLVE_HOST, w.diagonal);
    return status;
}
