/* explain_auto.c: diagnoses of the automatic solver, which knows what it has tried, and before a
 * run. */
#include <stdio.h>

#include "core/info.h"
#include "core/try.h"
#include "dist/comm.h"
#include "matrix/operator.h"
#include "solver/choose/auto_solver.h"

gsolve_status gsolve_auto_check(gsolve_context *ctx, const gsolve_matrix *A, const char *method,
                                const char *precond, gsolve_diagnosis *diagnosis)
{
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gs_facts f = {0};
    gs_case c = {.f = &f, .ctx = ctx, .normal = -1};
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = A && method && precond
                 ? gs_check_diagnosis(ctx, diagnosis)
                 : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_auto_check: an argument is NULL");
    TRY(A ? gs_comm_check(gs_matrix_comm(A), status) : status);
    snprintf(f.method, sizeof f.method, "%s", method);
    snprintf(f.precond, sizeof f.precond, "%s", precond);
    gs_read_matrix(&c, A, false);
    if (gs_find_cause_before(&c)) { /* the rows say more, and whether A is nearly symmetric */
        f.text[0] = 0;
        f.cause = NULL;
        gs_read_matrix(&c, A, true);
        gs_find_cause_before(&c);
    }
    if (f.cause) {
        gs_describe_facts(&f, &d);
        gs_find_remedy(ctx, &f, 0, NULL, &d);
    }
    GS_FILL_INFO(gsolve_diagnosis, diagnosis, &d);
done:
    return status;
}

/* The choice that a diagnosis is about: the one that is being tried, or that with the best result,
 * or the first whose set-up failed. */
static gs_auto_choice *choice_of(gsolve_auto *S)
{
    if (S->running >= 0) return &S->list[S->running];
    if (S->leading >= 0) return &S->list[S->leading];
    for (int k = 0; k < S->count; k++) {
        if (S->list[k].tried && S->list[k].facts.failed) return &S->list[k];
    }
    return NULL;
}

/* Finds the cause for choice c, unless it is known. That of a run can be found while its solver
 * exists. */
static void diagnose_choice(gsolve_auto *S, gs_auto_choice *c)
{
    gs_facts *f = &c->facts;

    if (f->cause) return;
    if (!f->failed && S->S && c == &S->list[S->set]) {
        gs_diagnose_run(S->S, f);
    } else if (f->failed) {
        snprintf(f->method, sizeof f->method, "%.255s", c->method);
        snprintf(f->precond, sizeof f->precond, "%s", c->precond);
        gs_diagnose_setup(S->ctx, S->original, f);
    }
}

gsolve_status gsolve_auto_diagnose(gsolve_auto *S, gsolve_diagnosis *diagnosis)
{
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gs_auto_choice *c;
    gs_tried *tried = NULL;
    int count = 0;
    gsolve_status status;

    if (!S) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(S->ctx);
    TRY(gs_comm_check(gs_matrix_comm(S->A), gs_check_diagnosis(S->ctx, diagnosis)));
    c = S->attempts > 0 ? choice_of(S) : NULL;
    if (c && c->failed) {
        tried = gsolve_alloc(S->ctx, GSOLVE_HOST, (size_t)S->count, sizeof *tried);
        TRY(gs_comm_check(gs_matrix_comm(S->A), tried ? GSOLVE_OK : GSOLVE_NO_MEMORY));
        for (int k = 0; k < S->count; k++) {
            if (S->list[k].tried) {
                tried[count++] = (gs_tried){S->list[k].method, S->list[k].precond};
            }
        }
        diagnose_choice(S, c);
        gs_describe_facts(&c->facts, &d);
        if (c->facts.cause) gs_find_remedy(S->ctx, &c->facts, count, tried, &d);
    }
    GS_FILL_INFO(gsolve_diagnosis, diagnosis, &d);
done:
    gsolve_free(S->ctx, GSOLVE_HOST, tried);
    return status;
}
