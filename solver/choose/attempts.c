/* attempts.c: the fall-back loop of "auto", and gsolve_solve, a solve in one call. */
#include <stdio.h>

#include "core/info.h"
#include "core/staging.h"
#include "core/try.h"
#include "solver/run/run.h"

/* --- the loop --------------------------------------------------------------------------------- */

/* Whether no further attempt is needed. */
static bool is_solved(const gsolve_result *result)
{
    return gsolve_outcome_is_success(result->outcome) || result->outcome == GSOLVE_ACCEPTED;
}

static bool is_better(const gsolve_result *now, const gsolve_result *best)
{
    return is_solved(now) || now->residual < best->residual;
}

gsolve_status gsolve_auto_attempts(gsolve_context *ctx, gsolve_dense x,
                                   gsolve_attempt_function *function, void *user,
                                   gsolve_result *result, int *best)
{
    gsolve_dense guess = {0}, best_x = {0};
    gsolve_result found = GSOLVE_INIT(gsolve_result);
    gsolve_status status, failed = GSOLVE_OK;

    *best = -1;
    TRY(GS_CHECK_INFO(ctx, gsolve_result, result));
    TRY(gs_dense_new(&guess, ctx, GSOLVE_HOST, x.type, x.nrows, x.ncols));
    TRY(gs_dense_new(&best_x, ctx, GSOLVE_HOST, x.type, x.nrows, x.ncols));
    TRY(gs_copy_columns(ctx, x, guess));
    for (int k = 0;; k++) {
        gsolve_attempt attempt = {.status = GSOLVE_OK, .result = GSOLVE_INIT(gsolve_result)};
        if (k > 0) TRY(gs_copy_columns(ctx, guess, x));
        if (!function(k, x, &attempt, user)) break;
        if (attempt.status != GSOLVE_OK) {
            failed = attempt.status;
            if (attempt.last || !gsolve_auto_may_fall_back(failed)) break;
            continue;
        }
        if (*best < 0 || is_better(&attempt.result, &found)) {
            found = attempt.result;
            *best = k;
            TRY(gs_copy_columns(ctx, x, best_x));
        }
        if (attempt.last || is_solved(&attempt.result)) break;
    }
    TRY(gs_copy_columns(ctx, *best >= 0 ? best_x : guess, x));
    if (*best >= 0) GS_FILL_INFO(gsolve_result, result, &found);
    status = *best >= 0 ? GSOLVE_OK : failed;
done:
    gsolve_free(ctx, GSOLVE_HOST, guess.value);
    gsolve_free(ctx, GSOLVE_HOST, best_x.value);
    return status;
}

/* --- a solve in one call ---------------------------------------------------------------------- */

typedef struct linear_system {
    gsolve_context *ctx;
    const gsolve_matrix *A;
    gsolve_statistics statistics;
    gsolve_dense b;
    gsolve_log *log;
    void *user;
} linear_system;

static void log_attempt(const linear_system *s, const gsolve_choice *choice, const char *what)
{
    char line[1400];

    snprintf(line, sizeof line, "%s + %s: %s", choice->solver, choice->precond, what);
    if (s->log) s->log(line, s->user);
    gs_log(s->ctx, "%s", line);
}

/* Sets up and runs one choice. *rounded: the type of x cannot hold the solution accurately enough;
 * then another choice would not converge either. */
static gsolve_status solve_by(const linear_system *s, const gsolve_choice *choice, gsolve_dense x,
                              gsolve_result *result, bool *rounded)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;

    log_attempt(s, choice, choice->why);
    TRY(gsolve_precond_create_from(&M, s->ctx, choice->precond, s->A));
    TRY(gsolve_solver_create(&S, s->ctx, choice->solver, s->A, M));
    TRY(gsolve_solver_run(S, s->b, x, result));
    log_attempt(s, choice, gsolve_outcome_text(result->outcome));
    *rounded = gs_outer_rounded(S);
done:
    if (status != GSOLVE_OK) log_attempt(s, choice, gsolve_error(s->ctx));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    return status;
}

static bool solve_attempt(int index, gsolve_dense x, gsolve_attempt *attempt, void *user)
{
    const linear_system *s = user;
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    if (!gsolve_auto_choose(s->ctx, &s->statistics, index, &choice)) return false;
    attempt->status = solve_by(s, &choice, x, &attempt->result, &attempt->last);
    return true;
}

gsolve_status gsolve_solve_logged(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                                  gsolve_dense x, gsolve_result *result, gsolve_log *log,
                                  void *user)
{
    const double begin = gs_now();
    linear_system s = {
        .ctx = ctx, .statistics = GSOLVE_INIT(gsolve_statistics), .b = b, .log = log, .user = user};
    gsolve_matrix *A = NULL;
    gsolve_result found = GSOLVE_INIT(gsolve_result);
    int best;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    if (!csr || !result) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solve: an argument is NULL");
    }
    if (x.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(ctx, x, "x");
    TRY(GS_CHECK_INFO(ctx, gsolve_result, result));
    TRY(gsolve_matrix_create(&A, ctx, "auto", csr));
    s.A = A;
    TRY(gsolve_matrix_statistics(A, &s.statistics));
    if (x.nrows < 0 || x.ncols < 0 || (!x.value && x.nrows > 0 && x.ncols > 0)) {
        status = gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "x has no values or a negative size");
        goto done;
    }
    TRY(gsolve_auto_attempts(ctx, x, solve_attempt, &s, &found, &best));
    found.seconds = gs_now() - begin;
    GS_FILL_INFO(gsolve_result, result, &found);
done:
    gsolve_matrix_destroy(&A);
    return status;
}

gsolve_status gsolve_solve(gsolve_context *ctx, const gsolve_csr *csr, gsolve_dense b,
                           gsolve_dense x, gsolve_result *result)
{
    return gsolve_solve_logged(ctx, csr, b, x, result, NULL, NULL);
}
