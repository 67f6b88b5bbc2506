/* lsqr.c: LSQR (Paige and Saunders 1982): minimises |b - A x| over the Krylov space of A'A and A'r,
 * as CG on the normal equations would in exact arithmetic, for any A. M approximates A'A, or M'M
 * does.
 *
 *     rho = hypot(rho_bar, beta), c = rho_bar / rho, s = beta / rho
 *     x += (phi / rho) w, w = v - (s alpha / rho) w, |r| = s |r|
 *
 * A step moves, beside golub_kahan.c, 6 vectors of A's number of columns; the minimum is 5. */
#include "core/try.h"
#include "solver/methods/golub_kahan.h"

typedef struct lsqr {
    gs_golub_kahan g; /* first, see gs_method.vectors */
    gsolve_dense w;
} lsqr;

static gsolve_status setup(gs_krylov *k)
{
    lsqr *s = k->state;
    gsolve_status status;

    TRY(gs_golub_kahan_setup(k, &s->g));
    TRY(gs_new_vector(k, k->csr.ncols, &s->w));
done:
    return status;
}

/* w = v - h w; at the start h is 0. */
static gsolve_status add_direction(gs_krylov *k, lsqr *s, gs_coefficient h)
{
    return gs_axpby(k, gs_times(1, s->g.scalar[LS_INVERSE]), gs_golub_kahan_direction(k, &s->g), h,
                    s->w);
}

static gsolve_status start(gs_krylov *k)
{
    lsqr *s = k->state;
    const gs_scalar_arguments a = gs_golub_kahan_arguments(k, &s->g);
    gsolve_status status;

    TRY(gs_golub_kahan_start(k, &s->g));
    TRY(GS_RUN_SCALAR(k, lsqr_start, &a));
    TRY(add_direction(k, s, gs_number(0)));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    lsqr *s = k->state;
    const gs_scalar_arguments a = gs_golub_kahan_arguments(k, &s->g);
    gsolve_status status;

    (void)j;
    TRY(gs_golub_kahan_step(k, &s->g));
    TRY(GS_RUN_SCALAR(k, lsqr_rotate, &a));
    TRY(gs_axpby(k, gs_times(1, s->g.scalar[LS_X]), s->w, gs_number(1), k->x)); /* x += ... w */
    TRY(add_direction(k, s, gs_times(-1, s->g.scalar[LS_H])));
done:
    return status;
}

const gs_method gs_lsqr = {
    .plugin = {"lsqr",
               "least squares, or any A x = b: minimises |b - Ax|; any shape of A; multiplies with "
               "A^T; preconditioner jacobi,normal=1",
               gs_normal_option_table, sizeof(gs_normal_options)},
    .state_size = sizeof(lsqr),
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
