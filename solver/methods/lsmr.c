/* lsmr.c: LSMR (Fong and Saunders 2011): minimises |A'(b - A x)| over the space of lsqr.c, as
 * MINRES on the normal equations would in exact arithmetic, for any A. M approximates A'A, or M'M;
 * with M it is |M^-1/2 A'r| that is smallest. |A'r| falls from step to step, so a least-squares
 * solution is reached in fewer steps than by lsqr. Names of the scalars as in the paper, with
 * lambda = 0.
 *
 *     h_bar = h - (theta_bar rho / (rho' rho_bar')) h_bar
 *     x += (zeta / (rho rho_bar)) h_bar,  h = v - (theta / rho) h
 *
 * With M a recurrence updates the gradient itself, since the method's own norm is that of M^-1:
 *
 *     A'r = s_bar^2 A'r + c_bar zeta_bar p
 *
 * A step moves, beside golub_kahan.c, 9 vectors of A's number of columns; with M 13. */
#include "core/try.h"
#include "solver/methods/golub_kahan.h"

typedef struct lsmr {
    gs_golub_kahan g;             /* first, see gs_method.vectors */
    gsolve_dense h, hbar, normal; /* normal = A'r, only with M */
} lsmr;

static gsolve_status setup(gs_krylov *k)
{
    lsmr *s = k->state;
    const int32_t n = k->csr.ncols;
    gsolve_status status;

    TRY(gs_golub_kahan_setup(k, &s->g));
    TRY(gs_new_vector(k, n, &s->h));
    TRY(gs_new_vector(k, n, &s->hbar));
    TRY(gs_new_vector(k, n, &s->normal));
done:
    return status;
}

/* h = v - theta / rho h; at the start theta is 0. */
static gsolve_status add_direction(gs_krylov *k, lsmr *s, gs_coefficient theta)
{
    return gs_axpby(k, gs_times(1, s->g.scalar[LS_INVERSE]), gs_golub_kahan_direction(k, &s->g),
                    theta, s->h);
}

static gsolve_status start(gs_krylov *k)
{
    lsmr *s = k->state;
    const gs_scalar_arguments a = gs_golub_kahan_arguments(k, &s->g);
    gsolve_status status;

    TRY(gs_golub_kahan_start(k, &s->g));
    TRY(GS_RUN_SCALAR(k, lsmr_start, &a));
    TRY(gs_zero(k, s->hbar));
    TRY(add_direction(k, s, gs_number(0)));
    if (gs_has_precond(k)) TRY(gs_copy_vector(k, s->g.P, s->normal)); /* A'r, since U = r */
done:
    return status;
}

/* normal = A'r, and the test of its norm. Without M the rotation has made it. */
static gsolve_status update_normal(gs_krylov *k, lsmr *s, const gs_scalar_arguments *a)
{
    const gs_scalar *scalar = s->g.scalar;
    gsolve_status status;

    if (!gs_has_precond(k)) return GSOLVE_OK;
    TRY(gs_axpby(k, gs_times(1, scalar[LS_NEW]), s->g.P, gs_times(1, scalar[LS_OLD]), s->normal));
    TRY(gs_dot(k, s->normal, s->normal, scalar[LS_PP]));
    TRY(GS_RUN_SCALAR(k, lsmr_test, a));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    lsmr *s = k->state;
    const gs_scalar *scalar = s->g.scalar;
    const gs_scalar_arguments a = gs_golub_kahan_arguments(k, &s->g);
    gsolve_status status;

    (void)j;
    TRY(gs_golub_kahan_step(k, &s->g));
    TRY(GS_RUN_SCALAR(k, lsmr_rotate, &a));
    TRY(gs_axpby(k, gs_number(1), s->h, gs_times(-1, scalar[LS_HBAR]), s->hbar));
    TRY(gs_axpby(k, gs_times(1, scalar[LS_X]), s->hbar, gs_number(1), k->x));
    TRY(add_direction(k, s, gs_times(-1, scalar[LS_H])));
    TRY(update_normal(k, s, &a));
done:
    return status;
}

const gs_method gs_lsmr = {
    .plugin =
        {"lsmr",
         "least squares, or any A x = b: minimises |A^T (b - Ax)|; any shape of A; multiplies "
         "with A^T; preconditioner jacobi,normal=1",
         gs_normal_option_table, sizeof(gs_normal_options)},
    .state_size = sizeof(lsmr),
    .vectors = GS_GOLUB_KAHAN_VECTORS,
    .scalars = GS_GOLUB_KAHAN_SCALARS,
    .products = 1,
    .any_shape = true,
    .transposes = true,
    .normal = true,
    .setup = setup,
    .start = start,
    .step = step,
};
