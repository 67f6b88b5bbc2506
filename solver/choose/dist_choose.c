/* dist_choose.c: the choices of the automatic solver that work over several ranks. */
#include "solver/choose/dist_choose.h"

#include <string.h>

#include "core/context.h"
#include "core/dense.h"
#include "core/info.h"
#include "matrix/operator.h"

/* Whether `spec` names one of these words, which end with NULL. */
static bool is_one_of(const char *spec, const char *const *names)
{
    for (; *names; names++) {
        if (gs_spec_is(spec, *names)) return true;
    }
    return false;
}

/* What solves a system of several ranks on ctx's device. */
static bool is_possible(const gsolve_context *ctx, const gsolve_choice *choice)
{
    static const char *const methods[] = {"direct", "refine", NULL};
    static const char *const preconds[] = {"none", "jacobi", "block_jacobi", "ilu",
                                           "ic",   "isai",   "chebyshev",    NULL};

    if (gs_spec_is(choice->precond, "amg")) return gs_location(ctx) == GSOLVE_HOST;
    return !is_one_of(choice->method, methods) && is_one_of(choice->precond, preconds) &&
           !strstr(choice->precond, "normal=1");
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

static const gsolve_choice last_rectangular[] = {
    {0, "lsmr", "none", "not square"},
    {0, "lsqr", "none", "not square"},
};

/* Choice k of those that end the list; NULL: there is none. */
static const gsolve_choice *last_choice(const gsolve_statistics *t, int k)
{
    enum { MOST = 3 };
    const bool positive = t->negative_diagonals == 0 && t->zero_diagonals == 0;

    if (t->nrows != t->ncols) return k < 2 ? &last_rectangular[k] : NULL;
    if (t->symmetric && !positive) k += MOST - 1; /* minres alone */
    if (k >= (t->symmetric ? 2 * MOST : MOST)) return NULL;
    return t->symmetric && k < MOST ? &last_symmetric[k] : &last[k % MOST];
}

bool gsolve_dist_choose(const gsolve_context *ctx, const gsolve_statistics *statistics, int attempt,
                        gsolve_choice *choice)
{
    const gsolve_choice *end;
    gsolve_choice found = GSOLVE_INIT(gsolve_choice);
    int possible = 0;

    if (!ctx || !statistics || attempt < 0) return false;
    for (int k = 0; gsolve_auto_choose(ctx, statistics, k, &found); k++) {
        if (!is_possible(ctx, &found)) continue;
        if (possible++ < attempt) continue;
        GS_FILL_INFO(gsolve_choice, choice, &found);
        return true;
    }
    end = last_choice(statistics, attempt - possible);
    if (!end) return false;
    found = *end;
    found.size = sizeof found;
    GS_FILL_INFO(gsolve_choice, choice, &found);
    return true;
}

bool gs_choose_for(const gsolve_context *ctx, const gsolve_matrix *A,
                   const gsolve_statistics *statistics, int attempt, gsolve_choice *choice)
{
    return gs_matrix_comm(A) ? gsolve_dist_choose(ctx, statistics, attempt, choice)
                             : gsolve_auto_choose(ctx, statistics, attempt, choice);
}
