/* incomplete_lu.c: incomplete LU of level 0 (Meijerink and van der Vorst 1977) on the pattern of A.
 * If a pivot vanishes or values overflow, the factorisation starts again with A + shift S, for the
 * shifts 0.001, 0.002, 0.004, ... S is diagonal: the largest magnitude of each row with the sign of
 * a_ii. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "precond/diagonal.h"
#include "precond/incomplete/galloping_search.h"
#include "precond/incomplete/incomplete.h"

typedef struct factorisation {
    gs_strict_triangle L, U; /* on entry of A, then of the factorisation */
    double *diagonal, *d;    /* a_ii, 1 / D_ii */
    double *row_max;         /* the largest magnitude in each row */
    int32_t *scratch;        /* n zeros per worker */
    double shift;
    double most;              /* the largest magnitude of the type */
    bool allow_zero_diagonal; /* see gs_incomplete_args */
} factorisation;

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
static void search_row(const factorisation *w, int32_t i, int64_t e, double a, double *pivot)
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
static bool factor_row(void *data, int worker, int32_t i)
{
    const factorisation *w = data;
    const gs_strict_triangle *L = &w->L, *U = &w->U;
    double *upper = U->value + U->start[i], most = 0;
    double pivot = w->diagonal[i] + copysign(w->shift * w->row_max[i], w->diagonal[i]);
    const int64_t length = L->start[i + 1] - L->start[i] + U->start[i + 1] - U->start[i];
    int32_t *position = w->scratch + (int64_t)worker * L->n;

    if (w->allow_zero_diagonal && w->diagonal[i] == 0) return skip_row(w, i);
    set_positions(L, i, position, true);
    set_positions(U, i, position, true);
    for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
        const int32_t k = L->col[e];
        const double a = L->value[e];
        if (gs_search_is_cheaper(U->start[k + 1] - U->start[k], length)) {
            search_row(w, i, e, a, &pivot);
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

static gsolve_status read_diagonal(gsolve_context *ctx, const char *who, const gsolve_csr *csr,
                                   factorisation *w)
{
    double *diagonal = w->diagonal, *row_max = w->row_max;

    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t at = gs_diagonal_at(csr, i);
        diagonal[i] = at < 0 ? 0 : gs_value(csr, at);
        if (w->allow_zero_diagonal && diagonal[i] == 0) continue;
        if (at < 0) {
            return gsolve_fail(
                ctx, GSOLVE_ZERO_PIVOT,
                "%s needs a full diagonal, but row %d (counted from 1) has no diagonal entry; try "
                "the solver direct, or the preconditioner none",
                who, i + 1);
        }
        row_max[i] = 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            row_max[i] = fmax(row_max[i], fabs(gs_value(csr, k)));
        }
        if (row_max[i] == 0) {
            return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                               "%s cannot factor row %d (counted from 1), which holds only zeros",
                               who, i + 1);
        }
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
    memset(w->scratch, 0, scratch * sizeof *w->scratch);
    for (w->shift = *shift; w->shift <= GS_MAX_SHIFT;) {
        if (gs_schedule_run(schedule, w->L.n, factor_row, w)) {
            *shift = w->shift;
            goto done;
        }
        w->shift = gs_next_shift(w->shift);
        gs_strict_triangle_reload(&w->L, ctx, csr);
        gs_strict_triangle_reload(&w->U, ctx, csr);
    }
    status = gsolve_fail(ctx, GSOLVE_ZERO_PIVOT,
                         "%s broke down even with a shift of %g; choose another preconditioner",
                         who, GS_MAX_SHIFT);
done:
    gsolve_free(ctx, GSOLVE_HOST, w->scratch);
    return status;
}

gsolve_status gs_incomplete_lu(gs_strict_triangle *L, gs_strict_triangle *U, double *d,
                               gsolve_context *ctx, const gsolve_csr *csr,
                               const gs_incomplete_args *args, double *shift)
{
    factorisation w = {.L = *L,
                       .U = *U,
                       .d = d,
                       .most = csr->type == GSOLVE_F32 ? FLT_MAX : DBL_MAX,
                       .allow_zero_diagonal = args->allow_zero_diagonal};
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, w.diagonal, csr->nrows);
    ALLOC(ctx, GSOLVE_HOST, w.row_max, csr->nrows);
    TRY(read_diagonal(ctx, args->who, csr, &w));
    TRY(factor(&w, ctx, args->who, csr, args->schedule, shift));
done:
    gsolve_free(ctx, GSOLVE_HOST, w.row_max);
    gsolve_free(ctx, GSOLVE_HOST, w.diagonal);
    return status;
}
