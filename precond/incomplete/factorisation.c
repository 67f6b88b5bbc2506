/* factorisation.c: incomplete LU and incomplete Cholesky of level 0 (Meijerink and van der Vorst
 * 1977). If a pivot vanishes or values overflow, the factorisation starts again with A + shift S, S
 * diagonal (Manteuffel 1980), for the shifts 0.001, 0.002, 0.004, ... */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/incomplete/galloping_search.h"
#include "precond/incomplete/incomplete.h"

#define ASK_EVERY 64 /* rows between two questions whether to stop; a power of two */

typedef struct factorisation factorisation;
typedef bool row_step(const factorisation *w, int worker, int32_t i); /* false: breakdown */

struct factorisation {
    gsolve_context *ctx;
    const gs_schedule *schedule;
    row_step *row;
    gs_strict_triangle L, U; /* on entry of A, then of the factorisation; Cholesky: L only */
    double *diagonal, *d;    /* a_ii, 1 / D_ii */
    double *row_max;         /* LU: the largest magnitude in each row */
    void *scratch;           /* n zeros per worker: LU int32_t, Cholesky double */
    double shift;
    double most; /* the largest magnitude of the type */
    bool failed;
    bool allow_zero_diagonal; /* see gs_incomplete_args */
    const int32_t *row_number;
};

/* The number of row i in messages, counted from 1. */
static long long number_of(const gsolve_context *ctx, const int32_t *row_number, int32_t i)
{
    return (long long)gs_row_number(ctx, row_number ? row_number[i] : i);
}

/* Factors the rows at the positions [from, to) of the schedule. */
static void factor_rows(void *data, int worker, int32_t from, int32_t to)
{
    factorisation *w = data;
    const gs_schedule *s = w->schedule;

    for (int32_t p = from; p < to; p++) {
        if (((p - from) & (ASK_EVERY - 1)) == 0 && gs_worker_must_stop(w->ctx, worker)) return;
        if (w->row(w, worker, s->row ? s->row[p] : p)) continue;
#pragma omp atomic write
        w->failed = true;
        if (s->threads <= 1) return;
    }
}

/* Factors, with larger shifts until it succeeds. size: bytes of an element of scratch. *done:
 * whether a shift of at most GS_MAX_SHIFT succeeded. */
static gsolve_status factor(factorisation *w, gsolve_context *ctx, const gsolve_csr *csr,
                            size_t size, double *shift, bool *done)
{
    const int workers = gs_schedule_workers(w->schedule);
    const size_t count = (size_t)workers * (size_t)csr->nrows;

    gsolve_status status = GSOLVE_OK;

    *done = false;
    w->ctx = ctx;
    w->scratch = gsolve_alloc(ctx, GSOLVE_HOST, count, size);
    if (!w->scratch) return GSOLVE_NO_MEMORY;
    memset(w->scratch, 0, count * size);
    for (w->shift = *shift; w->shift <= GS_MAX_SHIFT && !*done;) {
        w->failed = false;
        gs_schedule_run(w->schedule, workers, csr->nrows, factor_rows, w);
        status = gs_check_interrupt(ctx);
        if (status != GSOLVE_OK) break;
        *done = !w->failed;
        if (*done) {
            *shift = w->shift;
        } else {
            w->shift = gs_next_shift(w->shift);
            gs_strict_triangle_reload(&w->L, ctx, csr);
            if (w->U.start) gs_strict_triangle_reload(&w->U, ctx, csr);
        }
    }
    gsolve_free(ctx, GSOLVE_HOST, w->scratch);
    return status;
}

/* --- LU: S holds the largest magnitude of each row, with the sign of a_ii -----------------------
 */

/* on: position[j] = 1 + the index of column j in row i of T; else position[j] = 0. */
static void set_positions(const gs_strict_triangle *T, int32_t i, int32_t *position, bool on)
{
    int32_t number = 0;

    for (int64_t e = T->start[i]; e < T->start[i + 1]; e++) position[T->col[e]] = on ? ++number : 0;
}

/* Row i with 1 / D_ii = 0: no multiple of it is subtracted from another row. */
static bool skip_row(const factorisation *w, int32_t i)
{
    w->d[i] = 0;
    for (int64_t e = w->L.start[i]; e < w->L.start[i + 1]; e++) w->L.value[e] = 0;
    for (int64_t e = w->U.start[i]; e < w->U.start[i + 1]; e++) w->U.value[e] = 0;
    return true;
}

/* Subtracts a times row k of U from row i, on the pattern of row i. Reads all entries of row k.
 * position: the columns of row i, see set_positions. */
static void subtract_row(const factorisation *w, int32_t i, int32_t k, double a,
                         const int32_t *position, double *pivot)
{
    const gs_strict_triangle *U = &w->U;
    double *lower = w->L.value + w->L.start[i], *upper = U->value + U->start[i];

    for (int64_t m = U->start[k]; m < U->start[k + 1]; m++) {
        const int32_t j = U->col[m];
        if (j == i) {
            *pivot -= a * U->value[m];
        } else if (position[j]) {
            (j < i ? lower : upper)[position[j] - 1] -= a * U->value[m];
        }
    }
}

/* Subtracts a times row k of U from the entries [from, to) of a row of T. Looks up each of their
 * columns in row k, from *at on. */
static void subtract_found(const gs_strict_triangle *U, int32_t k, double a,
                           const gs_strict_triangle *T, int64_t from, int64_t to, int64_t *at)
{
    const int64_t end = U->start[k + 1];

    for (int64_t e = from; e < to && *at < end; e++) {
        *at = gs_galloping_search(U->col, *at, end, T->col[e]);
        if (*at < end && U->col[*at] == T->col[e]) T->value[e] -= a * U->value[*at];
    }
}

/* subtract_row by galloping search, for a row k that is much longer than row i. Each entry of row i
 * changes at most once, so that the bits are the same. e: the position of k in row i of L. */
static void subtract_searched(const factorisation *w, int32_t i, int64_t e, double a, double *pivot)
{
    const gs_strict_triangle *L = &w->L, *U = &w->U;
    const int32_t k = L->col[e];
    int64_t at = U->start[k];

    subtract_found(U, k, a, L, e + 1, L->start[i + 1], &at);
    at = gs_galloping_search(U->col, at, U->start[k + 1], i);
    if (at < U->start[k + 1] && U->col[at] == i) *pivot -= a * U->value[at];
    subtract_found(U, k, a, U, U->start[i], U->start[i + 1], &at);
}

/* Row i of L, D and U: for each k in row i of L, a_ij -= a_ik u_kj on the pattern and l_ik = a_ik /
 * D_kk; then D_ii = a_ii and u_ij = a_ij / D_ii. False: D_ii vanishes or a value overflows. */
static bool lu_row(const factorisation *w, int worker, int32_t i)
{
    const gs_strict_triangle *L = &w->L, *U = &w->U;
    double *upper = U->value + U->start[i], most = 0;
    double pivot = w->diagonal[i] + copysign(w->shift * w->row_max[i], w->diagonal[i]);
    const int64_t length = L->start[i + 1] - L->start[i] + U->start[i + 1] - U->start[i];
    int32_t *position = (int32_t *)w->scratch + (int64_t)worker * L->n;

    if (w->allow_zero_diagonal && w->diagonal[i] == 0) return skip_row(w, i);
    set_positions(L, i, position, true);
    set_positions(U, i, position, true);
    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        const double a = L->value[e];
        if (gs_search_is_cheaper(U->start[k + 1] - U->start[k], length)) {
            subtract_searched(w, i, e, a, &pivot);
        } else {
            subtract_row(w, i, k, a, position, &pivot);
        }
        L->value[e] = a * w->d[k];
        most = fmax(most, fabs(L->value[e]));
    }
    set_positions(L, i, position, false);
    set_positions(U, i, position, false);
    w->d[i] = 1 / pivot;
    for (int64_t e = 0; e < U->start[i + 1] - U->start[i]; e++) {
        upper[e] *= w->d[i];
        most = fmax(most, fabs(upper[e]));
    }
    return fabs(pivot) > GS_MIN_PIVOT * w->row_max[i] &&
           fabs(pivot) < w->row_max[i] / GS_MIN_PIVOT && fabs(w->d[i]) <= w->most &&
           most <= w->most;
}

static gsolve_status read_rows(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                               factorisation *w)
{
    double *diagonal = w->diagonal, *row_max = w->row_max;

    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        diagonal[i] = at < 0 ? 0 : gs_value(csr, at);
        if (w->allow_zero_diagonal && diagonal[i] == 0) continue;
        if (at < 0) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "%s needs a full diagonal, but row %lld (counted from 1) has no "
                               "diagonal entry; try "
                               "the solver direct, or the preconditioner none",
                               who, number_of(ctx, w->row_number, i));
        }
        row_max[i] = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            row_max[i] = fmax(row_max[i], fabs(gs_value(csr, k)));
        }
        if (row_max[i] == 0) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "%s cannot factor row %lld (counted from 1), which holds only zeros",
                               who, number_of(ctx, w->row_number, i));
        }
    }
    return GSOLVE_OK;
}

gsolve_status gs_incomplete_lu(gs_strict_triangle *L, gs_strict_triangle *U, double *d,
                               gsolve_context *ctx, const gsolve_csr *csr,
                               const gs_incomplete_args *args, double *shift)
{
    factorisation w = {.schedule = args->schedule,
                       .row = lu_row,
                       .L = *L,
                       .U = *U,
                       .d = d,
                       .most = gs_largest_value(csr->type),
                       .allow_zero_diagonal = args->allow_zero_diagonal,
                       .row_number = args->row_number};
    bool succeeded;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.diagonal, csr->nrows);
    ALLOC(ctx, GSOLVE_HOST, w.row_max, csr->nrows);
    TRY(read_rows(ctx, args->who, csr, &w));
    TRY(factor(&w, ctx, csr, sizeof(int32_t), shift, &succeeded));
    if (!succeeded) {
        status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                             "%s broke down even with a shift of %g; choose another preconditioner",
                             args->who, GS_MAX_SHIFT);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, w.row_max);
    gsolve_free(ctx, GSOLVE_HOST, w.diagonal);
    return status;
}

/* --- Cholesky: S = diag(A). Entries above the diagonal are not read -----------------------------
 */

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
static bool cholesky_row(const factorisation *w, int worker, int32_t i)
{
    const gs_strict_triangle *L = &w->L;
    double *g = (double *)w->scratch + (int64_t)worker * L->n;
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

static gsolve_status read_diagonal(gsolve_context *ctx, const gs_incomplete_args *args,
                                   const gsolve_csr *csr, double *diagonal)
{
    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        diagonal[i] = at < 0 ? 0 : gs_value(csr, at);
        if (diagonal[i] > 0) continue;
        return gsolve_fail(
            ctx, GSOLVE_ZERO_PIVOT,
            "%s needs a positive diagonal, but the diagonal entry of row %lld (counted from 1) is "
            "%g%s",
            args->who, number_of(ctx, args->row_number, i), diagonal[i],
            at < 0 ? " (missing)" : "");
    }
    return GSOLVE_OK;
}

gsolve_status gs_incomplete_cholesky(gs_strict_triangle *L, double *d, gsolve_context *ctx,
                                     const gsolve_csr *csr, const gs_incomplete_args *args,
                                     double *shift)
{
    factorisation w = {.schedule = args->schedule,
                       .row = cholesky_row,
                       .L = *L,
                       .d = d,
                       .most = gs_largest_value(csr->type)};
    bool succeeded;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.diagonal, csr->nrows);
    TRY(read_diagonal(ctx, args, csr, w.diagonal));
    TRY(factor(&w, ctx, csr, sizeof(double), shift, &succeeded));
    if (!succeeded) {
        status = gsolve_fail(
            ctx, GSOLVE_ZERO_PIVOT,
            "%s broke down even for A + %g diag(A): the matrix is far from positive definite; "
            "choose ilu or another preconditioner",
            args->who, GS_MAX_SHIFT);
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, w.diagonal);
    return status;
}
