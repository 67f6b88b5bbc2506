/* auto.c: the automatic choice, and the whole solve in one call. What is known of a matrix is in
 * its traits; every rule below names the trait it rests on. */
#include "solver/auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/csr.h"
#include "core/try.h"

/* --- the rules ----------------------------------------------------------------------------------
 */

typedef struct rule {
    const char *solver, *precond, *why;
} rule;

/* The systems that CXSparse factors in the time of a few hundred iterations. */
static bool is_small(const gsolve_traits *t)
{
    return t->nrows <= 2000 || (t->nrows <= 20000 && t->entries <= 400000);
}

/* Points along the longest way through the grid that a matrix with so few entries a row may come
 * from: as its numbering tells, or at least as many as a cube has. */
static double diameter(const gsolve_traits *t)
{
    const double cube = cbrt((double)t->nrows);
    const double numbered = t->bandwidth > 0 ? (double)t->nrows / t->bandwidth : 0;

    return fmax(cube, numbered);
}

/* Signs and sums of rows as of a discretised elliptic operator: an M-matrix, nearly or wholly, of
 * which ever so many rows sum to next to nothing. */
static bool is_elliptic(const gsolve_traits *t)
{
    return t->symmetric && t->zero_diagonals == 0 && t->negative_diagonals == 0 &&
           t->positive_off <= t->entries / 50 && t->dominant_rows >= t->nrows - t->nrows / 50 &&
           t->dominance < 1.2 && 2 * (int64_t)t->zero_sum_rows >= t->nrows;
}

/* ic takes about as many iterations as the grid is long; multigrid some 15, of three times the
 * work, after a set-up that is worth 25 (Poisson 100^3 on one core: both 2 s). */
#define LONG 95

static const rule *rules_for(const gsolve_traits *t)
{
    static const rule rectangular[] = {
        {"direct", "none", "not square: least squares by a sparse QR factorisation"},
        {0},
    };
    static const rule definite[] = {
        {"cg", "ic", "symmetric with a positive diagonal"},
        {"direct,limit=60,work=40", "none", "a factorisation does not mind the conditioning"},
        {"minres,maxit=50000", "jacobi,abs=1", "symmetric, and minres does not need it definite"},
        {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
        {0},
    };
    static const rule elliptic[] = {
        {"cg", "amg",
         "symmetric with the signs and row sums of an elliptic operator, on a grid so "
         "long that ic would take more iterations than multigrid's set-up is worth"},
        {"cg", "ic", "symmetric with a positive diagonal"},
        {"direct,limit=60,work=40", "none", "a factorisation does not mind the conditioning"},
        {"minres,maxit=50000", "jacobi,abs=1", "symmetric, and minres does not need it definite"},
        {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
        {0},
    };
    static const rule small_symmetric[] = {
        {"direct", "none", "symmetric, not positive definite, and small enough to factor"},
        {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
        {0},
    };
    static const rule indefinite[] = {
        {"minres", "jacobi,abs=1", "symmetric, not positive definite"},
        {"minres,maxit=50000", "none", "symmetric, perhaps singular"},
        {"direct,limit=60,work=40", "none", "a factorisation does not mind the conditioning"},
        {0},
    };
    static const rule general[] = {
        {"bicgstab,maxit=2000", "ilu", "not symmetric, with a full diagonal"},
        {"direct,limit=60,work=40", "none", "a factorisation does not mind the conditioning"},
        {"gmres,restart=100,maxit=2000", "ilu", "more robust than bicgstab"},
        {"gmres,restart=100,maxit=2000", "jacobi", "ilu did not help"},
        {"gmres,restart=200,maxit=4000", "none", "the last resort"},
        {0},
    };
    static const rule small_general[] = {
        {"direct", "none", "zeros on the diagonal, and small enough to factor"},
        {"gmres,restart=200,maxit=4000", "none", "perhaps singular"},
        {"direct,factor=qr", "none", "perhaps singular: least squares"},
        {0},
    };
    static const rule holes[] = {
        {"gmres,restart=100,maxit=2000", "none", "zeros on the diagonal rule out ilu and jacobi"},
        {"direct,limit=60,work=40", "none", "a factorisation does not mind zeros on the diagonal"},
        {0},
    };
    if (t->nrows != t->ncols) return rectangular;
    if (is_elliptic(t) && diameter(t) >= LONG) return elliptic;
    if (t->symmetric) {
        if (t->zero_diagonals == 0 && t->negative_diagonals == 0) return definite;
        return is_small(t) ? small_symmetric : indefinite;
    }
    if (t->zero_diagonals == 0) return general;
    return is_small(t) ? small_general : holes;
}

bool gsolve_choose(const gsolve_traits *traits, int attempt, gsolve_choice *choice)
{
    const rule *rules = rules_for(traits);

    for (int k = 0; k <= attempt; k++) {
        if (!rules[k].solver) return false;
    }
    snprintf(choice->solver, sizeof choice->solver, "%s", rules[attempt].solver);
    snprintf(choice->precond, sizeof choice->precond, "%s", rules[attempt].precond);
    snprintf(choice->why, sizeof choice->why, "%s", rules[attempt].why);
    return attempt >= 0;
}

gsolve_status gs_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                             const gsolve_precond *M, char *named, size_t size)
{
    const char *keys = spec + strcspn(spec, ",");
    gsolve_choice choice;
    gsolve_traits traits;
    gsolve_status status;
    int length;

    if (!gs_spec_is(spec, "auto")) {
        length = snprintf(named, size, "%s", spec);
    } else if (M && gsolve_precond_varies(M)) {
        length = snprintf(named, size, "fgmres%s", keys);
    } else {
        TRY(gsolve_csr_examine(ctx, csr, &traits));
        gsolve_choose(&traits, 0, &choice);
        length = snprintf(named, size, "%s%s", choice.solver, keys);
    }
    status = GSOLVE_OK;
    if (length < 0 || (size_t)length >= size) {
        status = gsolve_fail(ctx, GSOLVE_BAD_SPEC, "the spec '%.60s...' is too long", spec);
    }
done:
    return status;
}

/* --- the whole in one call ----------------------------------------------------------------------
 */

typedef struct attempt {
    gsolve_context *ctx;
    const gsolve_matrix *A;
    gsolve_csr csr;
    gsolve_log *log;
    void *user;
} attempt;

static void say(const attempt *a, const char *solver, const char *precond, const char *what)
{
    char line[1400];

    snprintf(line, sizeof line, "%s + %s: %s", solver, precond, what);
    if (a->log) a->log(line, a->user);
}

/* One choice from set-up to result. A set-up that fails counts as an attempt that failed. */
static gsolve_status try_choice(const attempt *a, const gsolve_choice *choice, gsolve_dense b,
                                gsolve_dense x, gsolve_result *result)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;

    say(a, choice->solver, choice->precond, choice->why);
    TRY(gsolve_precond_create_from(&M, a->ctx, choice->precond, a->A));
    TRY(gsolve_solver_create(&S, a->ctx, choice->solver, a->A, M));
    TRY(gsolve_solver_run(S, b, x, result));
    say(a, choice->solver, choice->precond, gsolve_outcome_text(result->outcome));
done:
    if (status != GSOLVE_OK) say(a, choice->solver, choice->precond, gsolve_error(a->ctx));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    return status;
}

static gsolve_status copy_columns(gsolve_context *ctx, gsolve_dense from, gsolve_dense to)
{
    const size_t size = gs_type_size(from.type);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < from.ncols && status == GSOLVE_OK; c++) {
        status = gsolve_copy(ctx, gs_column_of(to, c).value, to.place, gs_column_of(from, c).value,
                             from.place, (size_t)from.nrows * size);
    }
    return status;
}

/* Attempt after attempt from the same first guess, until one converges; x of the best is kept. */
static gsolve_status try_all(const attempt *a, const gsolve_traits *traits, gsolve_dense b,
                             gsolve_dense x, gsolve_dense guess, gsolve_dense best,
                             gsolve_result *result)
{
    gsolve_status status = GSOLVE_OK, failed = GSOLVE_OK;
    gsolve_choice choice;
    gsolve_result now;
    bool any = false;

    TRY(copy_columns(a->ctx, x, guess));
    for (int k = 0; gsolve_choose(traits, k, &choice); k++) {
        TRY(copy_columns(a->ctx, guess, x));
        status = try_choice(a, &choice, b, x, &now);
        if (status != GSOLVE_OK) {
            failed = status;
            if (status != GSOLVE_ZERO_PIVOT && status != GSOLVE_UNSUPPORTED) break;
            continue;
        }
        if (!any || now.outcome == GSOLVE_CONVERGED || now.residual < result->residual) {
            *result = now;
            TRY(copy_columns(a->ctx, x, best));
        }
        any = true;
        if (now.outcome == GSOLVE_CONVERGED) break;
    }
    TRY(copy_columns(a->ctx, any ? best : guess, x));
    status = any ? GSOLVE_OK : failed;
done:
    return status;
}

gsolve_status gsolve_solve_logged(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                                  gsolve_dense x, gsolve_result *result, gsolve_log *log,
                                  void *user)
{
    const double begin = gs_now();
    attempt a = {.ctx = ctx, .log = log, .user = user};
    gsolve_matrix *A = NULL;
    gsolve_dense guess = x, best = x;
    gsolve_result found;
    gsolve_traits traits;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!csr || !result) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solve: an argument is NULL");
    }
    if (x.layout != GSOLVE_BY_COLUMNS) return gs_need_columns(ctx, x, "x");
    guess.value = best.value = NULL;
    guess.stride = best.stride = x.nrows;
    guess.place = best.place = GSOLVE_HOST;
    TRY(gsolve_matrix_create(&A, ctx, "auto", csr));
    a.A = A;
    TRY(gsolve_matrix_csr(A, &a.csr));
    TRY(gsolve_csr_examine(ctx, &a.csr, &traits));
    if (x.nrows < 0 || x.ncols < 0 || (!x.value && x.nrows > 0 && x.ncols > 0)) {
        return gsolve_matrix_destroy(&A),
               gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "x has no values or a negative size");
    }
    guess.value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)x.nrows * (size_t)x.ncols, sizeof(double));
    best.value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)x.nrows * (size_t)x.ncols, sizeof(double));
    status = guess.value && best.value ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status == GSOLVE_OK) TRY(try_all(&a, &traits, b, x, guess, best, &found));
    if (status == GSOLVE_OK) {
        found.seconds = gs_now() - begin;
        *result = found;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, guess.value);
    gsolve_free(ctx, GSOLVE_HOST, best.value);
    gsolve_matrix_destroy(&A);
    return status;
}

gsolve_status gsolve_solve(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                           gsolve_dense x, gsolve_result *result)
{
    return gsolve_solve_logged(ctx, csr, b, x, result, NULL, NULL);
}
