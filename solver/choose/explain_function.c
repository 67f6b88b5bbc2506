/* explain_function.c: what gsolve_solver_explain says about runs with functions of the caller: an
 * operator about which only the run is known, and a preconditioner. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matrix/operator.h"
#include "solver/run/run.h"

/* Whether M is a function of the caller. */
static bool is_function(const gsolve_precond *M)
{
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    if (M) gsolve_precond_describe(M, &info);
    return M && strcmp(info.kind, "function") == 0;
}

/* The residual of the last x is not finite. That of the x that the run returned is either not
 * finite, although x is, or an earlier x was good. */
static bool explain_not_finite(const gs_krylov *k, const gs_column *worst, char *text, size_t size)
{
    const bool has_operator = gs_matrix_is_operator(k->A), precond = is_function(k->M);

    if (isfinite(worst->last) || (!has_operator && !precond)) return false;
    if (has_operator && !isfinite(worst->residual)) {
        snprintf(text, size,
                 "The function of the operator computed a product A x with a value that is not "
                 "finite, for an x that is. Check that it writes every element of y, and reads "
                 "none of them. ");
        return true;
    }
    snprintf(text, size,
             "The method computed values that are not finite. x is the best iterate so far, with "
             "|b - Ax| / |b| = %.1e. Check the function of the %s: it must write every element of "
             "y, and return finite values for finite x. If it does, the iterates overflowed: try "
             "another method (gmres). ",
             worst->residual,
             has_operator && precond ? "operator and that of the preconditioner"
             : has_operator          ? "operator"
                                     : "preconditioner");
    return true;
}

static bool explain_operator(const gs_krylov *k, const gs_column *worst, char *text, size_t size)
{
    switch (worst->outcome) {
    case GSOLVE_INDEFINITE:
        snprintf(text, size,
                 strcmp(k->method->plugin.name, "minres") == 0
                     ? "minres met r^T M^-1 r < 0: the preconditioner is not positive definite. "
                       "Use another one, or none. "
                     : "A or the preconditioner is not positive definite: CG met p^T A p <= 0 or "
                       "r^T M^-1 r < 0. Use minres if A is symmetric, else gmres. ");
        return true;
    case GSOLVE_STAGNATED:
        snprintf(text, size,
                 "The residual stagnated at %.1e. The operator computes it in %s precision. Use a "
                 "larger rtol or a stronger preconditioner, and check that the function computes "
                 "the same A in every call. ",
                 worst->residual, k->csr.type == GSOLVE_F32 ? "single" : "double");
        return true;
    case GSOLVE_ITERATION_LIMIT:
        snprintf(text, size,
                 "The limit of %d iterations was reached at |b - Ax| / |b| = %.1e. Use a larger "
                 "maxit or a stronger preconditioner. ",
                 k->run->last.maxit, worst->residual);
        return true;
    default: return false;
    }
}

bool gs_explain_function(const gs_krylov *k, const gs_column *worst, char *text, size_t size)
{
    return explain_not_finite(k, worst, text, size) ||
           (gs_matrix_is_operator(k->A) && explain_operator(k, worst, text, size));
}
