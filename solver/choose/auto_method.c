/* auto_method.c: the method "auto": chooses by the rules of choose.c, and sets up the choice. */
#include "solver/choose/auto_method.h"

#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "matrix/operator.h"
#include "solver/choose/dist_choose.h"
#include "solver/run/run.h"

static gsolve_status set_up_named(gs_krylov *k, const char *spec, const char *method)
{
    char named[256];
    gsolve_status status;

    TRY(gs_method_with_options(k->ctx, spec, method, named, sizeof named));
    TRY(gs_solver_set_up(k, named));
done:
    return status;
}

static gsolve_status set_up_both(gs_krylov *k, const char *spec, const gsolve_choice *choice)
{
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status;

    if (!gs_spec_is(choice->precond, "none")) {
        TRY(gsolve_precond_create_from(&k->run->chosen.M, k->ctx, choice->precond, k->A));
        gsolve_matrix_describe(k->A, &A);
        k->M = k->run->chosen.M;
        k->run->chosen.version = A.version;
    }
    TRY(set_up_named(k, spec, choice->method));
done:
    return status;
}

/* Tries one choice after another until one can be set up. */
static gsolve_status choose_both(gs_krylov *k, const char *spec,
                                 const gsolve_statistics *statistics)
{
    gsolve_status status = GSOLVE_UNSUPPORTED;
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    char failed[300] = "";

    for (int attempt = 0; gs_choose_for(k->ctx, k->A, statistics, attempt, &choice); attempt++) {
        status = set_up_both(k, spec, &choice);
        if (status == GSOLVE_OK || !gs_may_fall_back(status)) break;
        gs_solver_drop(k);
        gs_auto_method_drop(k);
        snprintf(failed, sizeof failed, " %s + %s cannot be set up: %.100s.", choice.method,
                 choice.precond, gsolve_error(k->ctx));
    }
    if (status != GSOLVE_OK) return status;
    if (failed[0]) k->ctx->error[0] = 0;
    snprintf(k->run->chosen.text, sizeof k->run->chosen.text, "auto chose %s + %s: %s.%s",
             choice.method, choice.precond, choice.why, failed);
    return GSOLVE_OK;
}

/* Sets up the first choice of a method. If that is direct and A is square, sets up gmres instead,
 * so that the caller's preconditioner is used: gmres allows any, while cg and minres need a
 * positive definite one. */
static gsolve_status choose_method(gs_krylov *k, const char *spec,
                                   const gsolve_statistics *statistics,
                                   const gsolve_precond_info *M)
{
    const bool singular = gs_null_dimension(&gs_matrix_null_spaces(k->A)->right) > 0;
    const bool none = strcmp(M->kind, "none") == 0 && !singular; /* direct refuses a null space */
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    if (gs_precond_is_of_normal(k->M)) {
        snprintf(k->run->chosen.text, sizeof k->run->chosen.text,
                 "auto chose lsmr, because the preconditioner %.60s approximates A^T A.", M->spec);
        return set_up_named(k, spec, "lsmr,accept=singular");
    }
    gs_choose_for(k->ctx, k->A, statistics, 0, &choice);
    if (none || !gs_spec_is(choice.method, "direct")) {
        snprintf(k->run->chosen.text, sizeof k->run->chosen.text,
                 "auto chose %s for the preconditioner %.60s: %s.", choice.method, M->spec,
                 gs_spec_is(choice.method, "cg") ? "symmetric with a positive diagonal"
                                                 : choice.why);
    } else if (statistics->nrows == statistics->ncols) {
        snprintf(choice.method, sizeof choice.method, "gmres,restart=200,maxit=4000");
        snprintf(k->run->chosen.text, sizeof k->run->chosen.text,
                 "auto chose %s, because the preconditioner %.60s is given; without it auto would "
                 "choose direct.",
                 choice.method, M->spec);
    } else {
        snprintf(
            k->run->chosen.text, sizeof k->run->chosen.text,
            "auto chose %s: %s. The preconditioner %.60s is not used, because direct needs none.",
            choice.method, choice.why, M->spec);
    }
    return set_up_named(k, spec, choice.method);
}

/* An operator has no statistics: the caller's flags decide. */
static gsolve_status choose_for_operator(gs_krylov *k, const char *spec)
{
    const unsigned flags = gs_matrix_flags(k->A);
    const bool definite = flags & GSOLVE_FUNCTION_DEFINITE;
    const bool symmetric = flags & GSOLVE_FUNCTION_SYMMETRIC;
    const char *method = definite ? "cg" : symmetric ? "minres" : "gmres";

    if (k->csr.nrows != k->csr.ncols) {
        snprintf(k->run->chosen.text, sizeof k->run->chosen.text,
                 "auto chose lsmr: the operator A is not square.");
        return set_up_named(k, spec, "lsmr");
    }
    snprintf(k->run->chosen.text, sizeof k->run->chosen.text, "auto chose %s: %s.", method,
             definite    ? "the flags of the operator A say symmetric positive definite"
             : symmetric ? "the flags of the operator A say symmetric"
                         : "of the operator A nothing is known; its flags "
                           "(gsolve_matrix_set_flags) can say symmetric");
    return set_up_named(k, spec, method);
}

gsolve_status gs_auto_method_set_up(gs_krylov *k, const char *spec)
{
    gsolve_precond_info M = GSOLVE_INIT(gsolve_precond_info);
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_status status;

    if (k->M) gsolve_precond_describe(k->M, &M);
    if (k->M && gsolve_precond_is_variable(k->M)) {
        TRY(set_up_named(k, spec, "fgmres"));
        snprintf(
            k->run->chosen.text, sizeof k->run->chosen.text,
            "auto chose fgmres, because the preconditioner %.60s changes from one application to "
            "the next.",
            M.spec);
    } else if (gs_matrix_is_operator(k->A)) {
        TRY(choose_for_operator(k, spec));
    } else {
        TRY(gsolve_matrix_statistics(k->A, &statistics));
        status = k->M ? choose_method(k, spec, &statistics, &M) : choose_both(k, spec, &statistics);
    }
    if (status == GSOLVE_OK) gs_log(k->ctx, "%s", k->run->chosen.text);
    gs_auto_method_note(k);
done:
    return status;
}

gsolve_status gs_auto_method_update(gs_krylov *k)
{
    gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_status status = GSOLVE_OK;

    if (!k->run->chosen.M) return GSOLVE_OK;
    gsolve_matrix_describe(k->A, &A);
    if (A.version == k->run->chosen.version) return GSOLVE_OK;
    TRY(gsolve_precond_update_from(k->run->chosen.M, k->A));
    k->run->chosen.version = A.version;
done:
    return status;
}

void gs_auto_method_note(gs_krylov *k)
{
    const size_t length = strlen(k->note);

    if (!k->run->chosen.text[0]) return;
    snprintf(k->note + length, sizeof k->note - length, "%s%s", length ? " " : "",
             k->run->chosen.text);
}

void gs_auto_method_drop(gs_krylov *k)
{
    if (k->run->chosen.M) k->M = NULL;
    gsolve_precond_destroy(&k->run->chosen.M);
}
