/* golub_kahan.c: the bidiagonalisation of lsqr and lsmr, see golub_kahan.h.
 *
 * A step moves, beside a product with A, one with A' and M, 8 vectors of A's number of rows or
 * columns; with M 9. */
#include "solver/methods/golub_kahan.h"

#include "core/try.h"

/* The recurrence of |A'r| may be a little below the true one: the test of a step is stricter than
 * that of the run by this factor, so that a run rarely has to start again. */
#define SAFETY 0.8

const gsolve_option gs_normal_option_table[] = {
    GS_RUN_OPTIONS(100000, 2000),
    {"accept",
     "a least-squares solution, |A^T r| <= rtol |A| |r|, is a success; any: of any A; singular: if "
     "A is not square, structurally deficient or proven singular",
     GSOLVE_CHOICE, offsetof(gs_normal_options, accept), GS_ACCEPT_ANY, 0, 0, "any|singular"},
    {0},
};

gsolve_dense gs_golub_kahan_direction(const gs_krylov *k, const gs_golub_kahan *g)
{
    return gs_has_precond(k) ? g->V : g->P;
}

gs_scalar_arguments gs_golub_kahan_arguments(const gs_krylov *k, const gs_golub_kahan *g)
{
    gs_scalar_arguments a = gs_scalar_arguments_of(k);

    a.s[LS_BLOCK] = g->scalar[LS_BLOCK];
    a.m = gs_has_precond(k);
    return a;
}

gsolve_status gs_golub_kahan_setup(gs_krylov *k, gs_golub_kahan *g)
{
    const int32_t n = k->csr.ncols;
    void **block = (void **)(void *)&g->scalar[LS_BLOCK];
    gsolve_status status;

    TRY(gs_new_vector(k, n, &g->P));
    TRY(gs_new_vector(k, n, &g->V));
    TRY(gs_new_vector(k, n, &g->t));
    TRY(gs_new_columns(k, LB_NUMBERS, sizeof(double), block));
    TRY(GS_NEW_PER_COLUMN(k, GSOLVE_HOST, g->limit));
    TRY(gs_least_squares_reserve(k));
done:
    return status;
}

/* V = M^-1 P, ss = P'V, and pp = P'P, which is ss without M. */
static gsolve_status precondition(gs_krylov *k, gs_golub_kahan *g)
{
    const gs_scalar ss = g->scalar[LS_SS], pp = g->scalar[LS_PP];
    gsolve_status status;

    if (!gs_has_precond(k)) return gs_dot(k, g->P, g->P, ss);
    TRY(gs_precondition_normal(k, g->P, g->t, g->V));
    TRY(gs_dot2(k, g->P, g->V, ss, pp));
done:
    return status;
}

/* limit = SAFETY rtol |A|: a column ends when |A'r| <= limit |r|. */
static gsolve_status set_limits(gs_krylov *k, gs_golub_kahan *g)
{
    const size_t bytes = (size_t)k->ncols * sizeof *g->limit;
    double norm;
    gsolve_status status;

    TRY(gs_norm_of_A(k, &norm));
    for (int32_t c = 0; c < k->ncols; c++) {
        g->limit[c] = SAFETY * gs_least_squares_limit(k, c) * norm;
    }
    TRY(gsolve_copy(k->ctx, g->scalar[LS_LIMIT], GSOLVE_DEVICE, g->limit, GSOLVE_HOST, bytes));
done:
    return status;
}

gsolve_status gs_golub_kahan_start(gs_krylov *k, gs_golub_kahan *g)
{
    gsolve_status status;

    TRY(set_limits(k, g));
    TRY(gs_residual(k, g->U));                 /* U = b - A x       */
    TRY(gs_multiply_transpose(k, g->U, g->P)); /* P = A'U           */
    TRY(precondition(k, g));
done:
    return status;
}

gsolve_status gs_golub_kahan_step(gs_krylov *k, gs_golub_kahan *g)
{
    const gs_coefficient minus = {.sign = -1,
                                  .num = g->scalar[LS_BB],
                                  .num2 = g->scalar[LS_INVERSE],
                                  .flaw = GSOLVE_BREAKDOWN};
    gsolve_status status;

    TRY(gs_multiply(k, gs_golub_kahan_direction(k, g), g->q)); /* q = A V           */
    TRY(gs_axpby(k, gs_times(1, g->scalar[LS_INVERSE]), g->q, gs_times(-1, g->scalar[LS_BACK]),
                 g->U)); /* U = q / (alpha beta) - alpha / beta U */
    TRY(gs_dot(k, g->U, g->U, g->scalar[LS_BB]));
    TRY(gs_multiply_transpose(k, g->U, g->t));         /* t = A'U           */
    TRY(gs_axpby(k, gs_number(1), g->t, minus, g->P)); /* P = t - beta^2 / (alpha beta)' P */
    TRY(precondition(k, g));
done:
    return status;
}
