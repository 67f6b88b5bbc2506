/* tfqmr.c: transpose-free quasi-minimal residuals (Freund 1993), for any square A; M from the
 * right. Its iterates are weighted means of those of cgs, which removes the peaks of the residual.
 *
 *   y2 = y1 - alpha v, v as in cgs; then for y = y1 and y = y2, with u = A M^-1 y:
 *   w -= alpha u, theta = |w| / tau, c^2 = 1 / (1 + theta^2), tau = theta c tau, eta = c^2 alpha,
 *   d = M^-1 y + (theta'^2 eta' / alpha) d, x += eta d               (': of the half step before)
 *
 * Freund bounds the residual by sqrt(m + 1) tau. Here a recurrence updates it instead: w is the
 * residual of x', the iterate of cgs, and x + eta d is the mean s^2 x + c^2 x' with s^2 = 1 - c^2
 * (Zhou and Walker 1994), so that
 *
 *   r = s^2 r + c^2 w
 *
 * is b - Ax itself, at the cost of three vectors a half step. A step is both halves and moves,
 * beside two products and two applications of M, 39 vectors: 312 n bytes in fp64; the minimum is
 * 34, with d and x computed in one pass and the dot products in the passes of their operands. */
#include "core/try.h"
#include "solver/operations/operations.h"

typedef struct tfqmr {
    gsolve_dense r, shadow, w, d, v, z; /* z = M^-1 y */
    gsolve_dense y[2], u[2];
    gs_scalar scalar[TF_SCALARS]; /* see scalar_kernels.h */
} tfqmr;

/* z = M^-1 y_i, u_i = A z. */
static gsolve_status multiply(gs_krylov *k, int i)
{
    tfqmr *s = k->state;
    gsolve_status status;

    TRY(gs_precondition(k, s->y[i], s->z));
    TRY(gs_multiply(k, s->z, s->u[i]));
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    tfqmr *s = k->state;
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    TRY(gs_residual(k, s->r)); /* r = b - A x              */
    TRY(gs_copy_vector(k, s->r, s->shadow));
    TRY(gs_copy_vector(k, s->r, s->w));
    TRY(gs_copy_vector(k, s->r, s->y[0]));
    TRY(gs_zero(k, s->d));
    TRY(multiply(k, 0));
    TRY(gs_copy_vector(k, s->u[0], s->v));  /* v = A M^-1 y1            */
    TRY(GS_RUN_SCALAR(k, tfqmr_start, &a)); /* rho = tau^2 = r'r        */
done:
    return status;
}

static gsolve_status half_step(gs_krylov *k, int i)
{
    tfqmr *s = k->state;
    const gs_scalar *scalar = s->scalar;
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    TRY(gs_axpy_norm(k, gs_quotient(-1, scalar[TF_ALPHA], NULL), s->u[i], s->w, scalar[TF_WW]));
    TRY(gs_axpby(k, gs_number(1), s->z, gs_quotient(1, scalar[TF_D], NULL),
                 s->d)); /* d = z + .. d */
    TRY(GS_RUN_SCALAR(k, tfqmr_rotate, &a));
    TRY(gs_axpby(k, gs_quotient(1, scalar[TF_ETA], NULL), s->d, gs_number(1),
                 k->x)); /* x += eta d */
    TRY(gs_axpby(k, gs_quotient(1, scalar[TF_C2], NULL), s->w, gs_quotient(1, scalar[TF_S2], NULL),
                 s->r));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    tfqmr *s = k->state;
    const gs_scalar *scalar = s->scalar;
    const gs_coefficient one = gs_number(1), zero = gs_number(0);
    const gs_coefficient beta = gs_quotient(1, scalar[TF_BETA], NULL);
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    (void)j;
    TRY(gs_dot(k, s->shadow, s->v, scalar[TF_RV]));
    TRY(GS_RUN_SCALAR(k, tfqmr_alpha, &a)); /* alpha = rho / shadow'v   */
    TRY(gs_axpbypcz(k, one, s->y[0], gs_quotient(-1, scalar[TF_ALPHA], NULL), s->v, zero, s->y[1]));
    TRY(half_step(k, 0)); /* y2 = y1 - alpha v        */
    TRY(multiply(k, 1));
    TRY(half_step(k, 1));
    TRY(gs_dot(k, s->r, s->r, k->rr));
    TRY(gs_dot(k, s->shadow, s->w, scalar[TF_NEXT]));
    TRY(GS_RUN_SCALAR(k, tfqmr_beta, &a));                        /* beta = rho' / rho        */
    TRY(gs_axpbypcz(k, one, s->w, beta, s->y[1], zero, s->y[0])); /* y1 = w + beta y2         */
    TRY(multiply(k, 0));
    TRY(gs_axpbypcz(k, one, s->u[0], beta, s->u[1], gs_quotient(1, scalar[TF_SQUARE], NULL), s->v));
    /* v = u1 + beta (u2 + beta v) */
done:
    return status;
}

const gs_method gs_tfqmr = {
    .plugin = {"tfqmr", "transpose-free quasi-minimal residuals; any square A", gs_run_option_table,
               sizeof(gs_run_options)},
    .state_size = sizeof(tfqmr),
    .vectors = 10,
    .scalars = TF_SCALARS,
    .products = 2,
    .start = start,
    .step = step,
};
