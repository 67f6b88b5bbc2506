/* refine_inner.c: the inner solvers of refine.c: one on copies of A and M in f32, one on A and M
 * themselves. */
#include <stdio.h>
#include <string.h>

#include "core/try.h"
#include "solver/methods/refine.h"
#include "solver/run/inner.h"

bool gs_refine_copies(const gs_krylov *k)
{
    return k->csr.type == GSOLVE_F64 && ((const gs_refine_options *)k->options)->type == GSOLVE_F32;
}

static gsolve_status new_inner(gs_krylov *k, const gsolve_matrix *A, const gsolve_precond *M,
                               const char *more, gsolve_solver **inner)
{
    const gs_refine_options *o = k->options;
    const char *name = GS_REFINE_INNER;
    char spec[128];

    for (int i = 0; i < o->inner; i++) name = strchr(name, '|') + 1;
    snprintf(spec, sizeof spec, "%.*s,rtol=%.17g,maxit=%d%s", (int)strcspn(name, "|"), name,
             o->rtol, o->maxit, more);
    return gsolve_solver_create(inner, k->ctx, spec, A, M);
}

/* An inner solve that stagnates in f32 ends soon, since the inner method in A's type follows. */
static const char short_stall[] = ",stall=500";

static void drop_copies(gs_refine_state *s)
{
    gsolve_solver_destroy(&s->inner);
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
}

/* Makes or updates the copies of A and M in f32, and the solver on them. */
static gsolve_status copy_system(gs_krylov *k)
{
    gs_refine_state *s = k->state;
    gsolve_matrix_info info;
    gsolve_precond_info kind;
    gsolve_csr csr = {0};
    gsolve_status status;

    gsolve_matrix_describe(k->A, &info);
    TRY(gs_need_rows(k));
    TRY(gs_csr_copy(&csr, k->ctx, GSOLVE_F32, &k->csr));
    if (s->A) {
        TRY(gsolve_matrix_update(s->A, &csr));
    } else {
        TRY(gsolve_matrix_create_owned(&s->A, k->ctx, info.format, &csr));
    }
    if (k->M) gsolve_precond_describe(k->M, &kind);
    if (s->M) {
        TRY(gsolve_precond_update_from(s->M, s->A));
    } else if (k->M) {
        TRY(gsolve_precond_create_from(&s->M, k->ctx, kind.spec, s->A));
    }
    if (!s->inner) TRY(new_inner(k, s->A, s->M, short_stall, &s->inner));
    gs_inner_mark(s->inner);
done:
    gsolve_csr_free(&csr, k->ctx);
    return status;
}

gsolve_status gs_refine_plain(gs_krylov *k)
{
    gs_refine_state *s = k->state;

    return s->plain ? GSOLVE_OK : new_inner(k, k->A, k->M, "", &s->plain);
}

gsolve_status gs_refine_prepare(gs_krylov *k)
{
    gs_refine_state *s = k->state;
    gsolve_matrix_info info;
    gsolve_status status = GSOLVE_OK;

    gsolve_matrix_describe(k->A, &info);
    if (info.version == s->version) return GSOLVE_OK;
    if (gs_refine_copies(k)) {
        status = copy_system(k);
        if (status != GSOLVE_OK) drop_copies(s);
        if (status == GSOLVE_NO_MEMORY) return status;
    } else if (!s->inner) {
        TRY(new_inner(k, k->A, k->M, short_stall, &s->inner));
        gs_inner_mark(s->inner);
    }
    if (!s->inner) TRY(gs_refine_plain(k));
    s->version = info.version;
    status = GSOLVE_OK;
done:
    return status;
}

gsolve_status gs_refine_run(gs_krylov *k, gsolve_solver *inner, gsolve_dense b, gsolve_dense x,
                            gsolve_outcome *outcome)
{
    gs_refine_state *s = k->state;
    gsolve_result result;
    gsolve_status status;

    TRY(gs_inner_run(k, inner, b, x, &result));
    *outcome = result.outcome;
    s->iterations += result.iterations;
done:
    return status;
}

void gs_refine_drop(gs_krylov *k)
{
    gs_refine_state *s = k->state;

    drop_copies(s);
    gsolve_solver_destroy(&s->plain);
}
