/* minres.c: minimal residuals (Paige and Saunders 1975), for A symmetric, definite or not, and M
 * symmetric positive definite. Notation of Elman, Silvester and Wathen, algorithm 6.1: Lanczos
 * vectors v (not normalised, gamma their M^-1 norms), z = M^-1 v / gamma, directions w, rotations c
 * and s. A recurrence updates the residual itself, since the method's own norm is that of M^-1:
 *
 *   r = s^2 r + c eta v_next / gamma_next
 *
 * With norm=preconditioned the test takes the method's own norm, |eta|, and r is not updated.
 *
 * A step moves, beside the product and M, 19 vectors; the minimum is 15. With norm=preconditioned
 * it moves 15. */
#include "core/try.h"
#include "solver/operations/operations.h"

typedef struct minres {
    gsolve_dense r, z, znext, q;
    gsolve_dense v[2], w[2];      /* even and odd */
    gs_scalar scalar[MR_SCALARS]; /* see scalar_kernels.h */
} minres;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    GS_NORM_OPTION,
    GS_SPECTRUM_OPTION("extreme eigenvalues and the condition of M^-1 A"),
    {0},
};

static gsolve_status setup(gs_krylov *k)
{
    return gs_new_lanczos_record(k, false);
}

static gsolve_status start(gs_krylov *k)
{
    minres *s = k->state;
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    TRY(gs_start_lanczos(k));
    TRY(gs_compute_norm_factor(k, s->q, s->z));
    TRY(gs_residual(k, s->r)); /* r = b - A x          */
    TRY(gs_copy_vector(k, s->r, s->v[0]));
    TRY(gs_precondition_dot(k, s->v[0], s->znext, s->scalar[MR_GAMMA])); /* gamma^2 = v'M^-1 v   */
    TRY(gs_zero(k, s->v[1]));
    TRY(gs_zero(k, s->w[0]));
    TRY(gs_zero(k, s->w[1]));
    TRY(GS_RUN_SCALAR(k, minres_start, &a));
    TRY(gs_square_norm(k, s->scalar[MR_ETA], 2));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    minres *s = k->state;
    const gsolve_dense v = s->v[j % 2],
                       next = s->v[(j + 1) % 2]; /* next holds the vector before v */
    const gsolve_dense w = s->w[j % 2], wnext = s->w[(j + 1) % 2];
    const gs_scalar *scalar = s->scalar;
    const gs_coefficient one = gs_number(1);
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    TRY(gs_axpby(k, gs_quotient(1, NULL, scalar[MR_GAMMA]), s->znext, gs_number(0), s->z));
    TRY(gs_multiply_dot(k, s->z, s->q, s->z, scalar[MR_DELTA], NULL)); /* q = A z, delta = z'q */
    TRY(gs_axpbypcz(k, gs_quotient(-1, scalar[MR_DELTA], scalar[MR_GAMMA]),
                    v, /* v_next = q - ...     */
                    one, s->q, gs_quotient(-1, scalar[MR_GAMMA], scalar[MR_GAMMA_OLD]), next));
    TRY(gs_precondition_dot(k, next, s->znext, scalar[MR_SQUARE])); /* M^-1 v_next          */
    TRY(GS_RECORD(k, minres_lanczos, &a));
    TRY(GS_RUN_SCALAR(k, minres_rotate, &a));
    TRY(gs_axpbypcz(
        k, gs_quotient(1, NULL, scalar[MR_A1]), s->z, gs_quotient(-1, scalar[MR_A2], scalar[MR_A1]),
        w, gs_quotient(-1, scalar[MR_A3], scalar[MR_A1]), wnext)); /* w_next = (z - ...)/a1 */
    TRY(gs_axpby(k, gs_quotient(1, scalar[MR_XW], NULL), wnext, one, k->x)); /* x += c eta w_next */
    if (gs_has_preconditioned_norm(k)) return gs_square_norm(k, scalar[MR_ETA], 2);
    TRY(gs_axpby(k, gs_quotient(1, scalar[MR_RV], NULL), next, gs_quotient(1, scalar[MR_RR], NULL),
                 s->r));
    TRY(gs_dot(k, s->r, s->r, k->rr));
done:
    return status;
}

const gs_method gs_minres = {
    .plugin = {"minres", "minimal residuals; A symmetric, M positive definite", options,
               sizeof(gs_run_options)},
    .state_size = sizeof(minres),
    .vectors = 8,
    .scalars = MR_SCALARS,
    .products = 1,
    .symmetric = true,
    .setup = setup,
    .start = start,
    .step = step,
};
