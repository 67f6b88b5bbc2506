/* dist_solve.c: one call that solves a distributed system: it tries one choice after another. */
#include "core/info.h"
#include "core/try.h"
#include "dist/comm.h"

/* --- choices ---------------------------------------------------------------------------------- */

/* Whether `spec` names one of these words, which end with NULL. */
static bool is_one_of(const char *spec, const char *const *names)
{
    for (; *names; names++) {
        if (gs_spec_is(spec, *names)) return true;
    }
    return false;
}

/* What solves a system of several ranks. */
static bool is_possible(const gsolve_choice *choice)
{
    static const char *const methods[] = {"direct", "refine", NULL};
    static const char *const preconds[] = {"none", "jacobi", "block_jacobi", "ilu",
                                           "ic",   "isai",   "chebyshev",    NULL};

    return !is_one_of(choice->method, methods) && is_one_of(choice->precond, preconds);
}

/* The choices that end the list. */
static const gsolve_choice last[] = {
    {0, "bicgstab", "ilu", "a general matrix"},
    {0, "gmres", "ilu", "a general matrix"},
    {0, "gmres,restart=100", "jacobi", "a general matrix"},
};
static const gsolve_choice last_symmetric[] = {
    {0, "cg", "ic", "symmetric with a positive diagonal"},
    {0, "cg", "jacobi", "symmetric with a positive diagonal"},
    {0, "minres", "none", "symmetric"},
};

bool gsolve_dist_choose(const gsolve_context *ctx, const gsolve_statistics *statistics, int attempt,
                        gsolve_choice *choice)
{
    enum { MOST = 3 };
    const bool positive =
        statistics && statistics->negative_diagonals == 0 && statistics->zero_diagonals == 0;
    gsolve_choice found = GSOLVE_INIT(gsolve_choice);
    int possible = 0;

    if (!ctx || !statistics || attempt < 0) return false;
    for (int k = 0; gsolve_auto_choose(ctx, statistics, k, &found); k++) {
        if (!is_possible(&found)) continue;
        if (possible++ < attempt) continue;
        GS_FILL_INFO(gsolve_choice, choice, &found);
        return true;
    }
    attempt -= possible;
    if (statistics->symmetric) attempt += positive ? 0 : MOST - 1; /* minres alone */
    if (attempt >= (statistics->symmetric ? 2 * MOST : MOST)) return false;
    found =
        statistics->symmetric && attempt < MOST ? last_symmetric[attempt] : last[attempt % MOST];
    found.size = sizeof found;
    GS_FILL_INFO(gsolve_choice, choice, &found);
    return true;
}

/* --- the solve -------------------------------------------------------------------------------- */

enum { MOST_CHOICES = 16 };

/* Restricts S to the choices that work over ranks. */
static gsolve_status set_choices(gsolve_auto *S, gsolve_context *ctx,
                                 const gsolve_statistics *statistics)
{
    gsolve_choice choice[MOST_CHOICES];
    const char *method[MOST_CHOICES], *precond[MOST_CHOICES];
    int count = 0;

    for (; count < MOST_CHOICES; count++) {
        choice[count].size = sizeof *choice;
        if (!gsolve_dist_choose(ctx, statistics, count, &choice[count])) break;
        method[count] = choice[count].method;
        precond[count] = choice[count].precond;
    }
    return gsolve_auto_set_choices(S, count, method, precond);
}

gsolve_status gsolve_solve_dist(gsolve_context *ctx, const gsolve_dist_csr *csr, gsolve_dense b,
                                gsolve_dense x, gsolve_result *result)
{
    const double begin = gs_now();
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_result own = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_auto *S = NULL;
    gsolve_status status;

    if (!ctx) return GSOLVE_BAD_ARGUMENT;
    GS_ENTER(ctx);
    status = result ? GS_CHECK_INFO(ctx, gsolve_result, result)
                    : gsolve_fail(ctx, GSOLVE_BAD_ARGUMENT, "gsolve_solve_dist: result is NULL");
    TRY(gs_comm_check(ctx->comm, status));
    TRY(gsolve_matrix_create_dist(&A, ctx, "auto", csr));
    TRY(gsolve_matrix_statistics(A, &statistics));
    TRY(gs_comm_check(ctx->comm, gsolve_auto_create_from(&S, ctx, "scale=none,order=none", A)));
    TRY(gs_comm_check(ctx->comm, set_choices(S, ctx, &statistics)));
    TRY(gsolve_auto_run(S, b, x, &own));
    own.seconds = gs_now() - begin;
    GS_FILL_INFO(gsolve_result, result, &own);
done:
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    return status;
}
