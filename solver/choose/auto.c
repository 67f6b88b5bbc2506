/* auto.c: the method auto, and the whole solve in one call, by the choices of choose.c. */
#include "solver/choose/auto.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/csr.h"

/* named = method with the keys of spec, which names auto. */
static gsolve_status add_keys(gsolve_context *ctx, const char *spec, const char *method,
                              char *named, size_t size)
{
    const int length = snprintf(named, size, "%s%s", method, spec + strcspn(spec, ","));

    if (length >= 0 && (size_t)length < size) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_BAD_SPEC, "the spec '%.60s...' is too long", spec);
}

gsolve_status gs_method_name(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                             char *named, size_t size)
{
    gsolve_choice choice;
    gsolve_statistics traits;
    gsolve_status status;

    snprintf(choice.solver, sizeof choice.solver, "%.*s", (int)strcspn(spec, ","), spec);
    if (gs_spec_is(spec, "auto")) {
        TRY(gsolve_csr_statistics(ctx, csr, &traits));
        gsolve_auto_choose(ctx, &traits, 0, &choice);
    }
    TRY(add_keys(ctx, spec, choice.solver, named, size));
done:
    return status;
}

/* A failure that tells of the matrix, or of what was set up for it; another choice may do. */
static bool may_fall_back(gsolve_status status)
{
    return status == GSOLVE_ZERO_PIVOT || status == GSOLVE_UNSUPPORTED ||
           status == GSOLVE_NO_MEMORY;
}

/* --- a solver whose method is auto --------------------------------------------------------------
 */

static gsolve_status set_up_named(gs_krylov *k, const char *spec, const char *method)
{
    char named[256];
    gsolve_status status;

    TRY(add_keys(k->ctx, spec, method, named, sizeof named));
    TRY(gs_solver_set_up(k, named));
done:
    return status;
}

static gsolve_status set_up_both(gs_krylov *k, const char *spec, const gsolve_choice *choice)
{
    gsolve_matrix_info A;
    gsolve_status status;

    if (!gs_spec_is(choice->precond, "none")) {
        TRY(gsolve_precond_create_from(&k->own_M, k->ctx, choice->precond, k->A));
        gsolve_matrix_describe(k->A, &A);
        k->M = k->own_M;
        k->own_M_version = A.version;
    }
    TRY(set_up_named(k, spec, choice->solver));
done:
    return status;
}

/* Choice after choice, until one can be set up. */
static gsolve_status choose_both(gs_krylov *k, const char *spec, const gsolve_statistics *traits)
{
    gsolve_status status = GSOLVE_UNSUPPORTED;
    gsolve_choice choice;
    char failed[300] = "";

    for (int attempt = 0; gsolve_auto_choose(k->ctx, traits, attempt, &choice); attempt++) {
        status = set_up_both(k, spec, &choice);
        if (status == GSOLVE_OK || !may_fall_back(status)) break;
        gs_solver_drop(k);
        snprintf(failed, sizeof failed, " %s + %s cannot be set up: %.100s.", choice.solver,
                 choice.precond, gsolve_error(k->ctx));
    }
    if (status != GSOLVE_OK) return status;
    if (failed[0]) k->ctx->error[0] = 0;
    snprintf(k->chosen, sizeof k->chosen, "auto chose %s + %s: %s.%s", choice.solver,
             choice.precond, choice.why, failed);
    return GSOLVE_OK;
}

/* The first choice, but for a square matrix a method that uses the caller's preconditioner: gmres
 * takes any, where cg and minres need a positive definite one. */
static gsolve_status choose_method(gs_krylov *k, const char *spec, const gsolve_statistics *traits,
                                   const gsolve_precond_info *M)
{
    const bool none = strcmp(M->kind, "none") == 0;
    gsolve_choice choice;

    gsolve_auto_choose(k->ctx, traits, 0, &choice);
    if (none || !gs_spec_is(choice.solver, "direct")) {
        snprintf(k->chosen, sizeof k->chosen, "auto chose %s for the preconditioner %.60s: %s.",
                 choice.solver, M->spec, choice.why);
    } else if (traits->nrows == traits->ncols) {
        snprintf(choice.solver, sizeof choice.solver, "gmres,restart=200,maxit=4000");
        snprintf(k->chosen, sizeof k->chosen,
                 "auto chose %s for the preconditioner %.60s: without one it would choose direct.",
                 choice.solver, M->spec);
    } else {
        snprintf(k->chosen, sizeof k->chosen,
                 "auto chose %s: %s. The preconditioner %.60s is not used: direct takes none.",
                 choice.solver, choice.why, M->spec);
    }
    return set_up_named(k, spec, choice.solver);
}

gsolve_status gs_auto_set_up(gs_krylov *k, const char *spec)
{
    gsolve_precond_info M;
    gsolve_statistics traits;
    gsolve_status status;

    if (k->M) gsolve_precond_describe(k->M, &M);
    if (k->M && gsolve_precond_is_variable(k->M)) {
        TRY(set_up_named(k, spec, "fgmres"));
        snprintf(k->chosen, sizeof k->chosen,
                 "auto chose fgmres: the preconditioner %.60s varies from one application to the "
                 "next.",
                 M.spec);
    } else {
        TRY(gs_need_rows(k));
        TRY(gsolve_csr_statistics(k->ctx, &k->csr, &traits));
        status = k->M ? choose_method(k, spec, &traits, &M) : choose_both(k, spec, &traits);
    }
    gs_auto_note(k);
done:
    return status;
}

gsolve_status gs_auto_update(gs_krylov *k)
{
    gsolve_matrix_info A;
    gsolve_status status = GSOLVE_OK;

    if (!k->own_M) return GSOLVE_OK;
    gsolve_matrix_describe(k->A, &A);
    if (A.version == k->own_M_version) return GSOLVE_OK;
    TRY(gsolve_precond_update_from(k->own_M, k->A));
    k->own_M_version = A.version;
done:
    return status;
}

void gs_auto_note(gs_krylov *k)
{
    const size_t length = strlen(k->note);

    if (!k->chosen[0]) return;
    snprintf(k->note + length, sizeof k->note - length, "%s%s", length ? " " : "", k->chosen);
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

/* One choice from set-up to result. A set-up that fails counts as an attempt that failed. *rounded:
 * the type of x cannot hold what was found, so that no other choice does better. */
static gsolve_status try_choice(const attempt *a, const gsolve_choice *choice, gsolve_dense b,
                                gsolve_dense x, gsolve_result *result, bool *rounded)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;

    say(a, choice->solver, choice->precond, choice->why);
    TRY(gsolve_precond_create_from(&M, a->ctx, choice->precond, a->A));
    TRY(gsolve_solver_create(&S, a->ctx, choice->solver, a->A, M));
    TRY(gsolve_solver_run(S, b, x, result));
    say(a, choice->solver, choice->precond, gsolve_outcome_text(result->outcome));
    *rounded = gs_outer_rounded(S);
done:
    if (status != GSOLVE_OK) say(a, choice->solver, choice->precond, gsolve_error(a->ctx));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    return status;
}

/* Attempt after attempt from the same first guess, until one converges; x of the best is kept. */
static gsolve_status try_all(const attempt *a, const gsolve_statistics *traits, gsolve_dense b,
                             gsolve_dense x, gsolve_dense guess, gsolve_dense best,
                             gsolve_result *result)
{
    gsolve_status status = GSOLVE_OK, failed = GSOLVE_OK;
    gsolve_choice choice;
    gsolve_result now;
    bool any = false, rounded = false;

    TRY(gs_copy_columns(a->ctx, x, guess));
    for (int k = 0; gsolve_auto_choose(a->ctx, traits, k, &choice); k++) {
        TRY(gs_copy_columns(a->ctx, guess, x));
        status = try_choice(a, &choice, b, x, &now, &rounded);
        if (status != GSOLVE_OK) {
            failed = status;
            if (!may_fall_back(status)) break;
            continue;
        }
        if (!any || now.outcome == GSOLVE_CONVERGED || now.residual < result->residual) {
            *result = now;
            TRY(gs_copy_columns(a->ctx, x, best));
        }
        any = true;
        if (now.outcome == GSOLVE_CONVERGED || rounded) break;
    }
    TRY(gs_copy_columns(a->ctx, any ? best : guess, x));
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
    gsolve_statistics traits;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    if (!csr || !result) {
        return gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solve: an argument is NULL");
    }
    if (x.layout != GSOLVE_COLUMN_MAJOR) return gs_need_columns(ctx, x, "x");
    guess.value = best.value = NULL;
    guess.stride = best.stride = x.nrows;
    guess.location = best.location = GSOLVE_HOST;
    TRY(gsolve_matrix_create(&A, ctx, "auto", csr));
    a.A = A;
    TRY(gsolve_matrix_csr(A, &a.csr));
    TRY(gsolve_csr_statistics(ctx, &a.csr, &traits));
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
