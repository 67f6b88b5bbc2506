/* auto.c: the whole solve in one call, by the choices of choose.c. */
#include "solver/auto.h"

#include <stdio.h>
#include <string.h>

#include "core/csr.h"
#include "core/try.h"

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
        gsolve_choose(ctx, &traits, 0, &choice);
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

/* A failure that tells of the matrix, or of what was set up for it; another choice may do. */
static bool may_fall_back(gsolve_status status)
{
    return status == GSOLVE_ZERO_PIVOT || status == GSOLVE_UNSUPPORTED ||
           status == GSOLVE_NO_MEMORY;
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
    for (int k = 0; gsolve_choose(a->ctx, traits, k, &choice); k++) {
        TRY(copy_columns(a->ctx, guess, x));
        status = try_choice(a, &choice, b, x, &now);
        if (status != GSOLVE_OK) {
            failed = status;
            if (!may_fall_back(status)) break;
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
