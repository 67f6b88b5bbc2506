/* bicgstab.c: stabilised biconjugate gradients (van der Vorst 1992), for any square A; M from the
 * right, so that r is the residual of the system itself.
 *
 *   p^ = M^-1 p, v = A p^, s = r - alpha v, s^ = M^-1 s, t = A s^,
 *   x += alpha p^ + omega s^, r = s - omega t, p = r + beta (p - omega v)
 *
 * A step moves, beside two products and two applications of M, 22 vectors; the least is 18 with the
 * three dot products merged into the passes that make their operands. */
#include "core/try.h"
#include "solver/krylov.h"

typedef struct bicgstab_options {
    gs_run_options run;
} bicgstab_options;

typedef struct bicgstab {
    gsolve_dense r, shadow, p, ph, v, sh, t; /* r holds s between the half steps */
    gs_scalar rho[2], rv, ts, tt; /* shadow'r of the even and odd iterates, shadow'v, t's, t't */
    gs_scalar up, down;           /* beta = up / down */
} bicgstab;

static const gsolve_option options[] = {GS_RUN_OPTIONS(bicgstab_options, 10000, 2000), {0}};

static gsolve_status setup(gs_krylov *k)
{
    bicgstab *s = k->state;
    gsolve_dense *vector[] = {&s->r, &s->shadow, &s->p, &s->ph, &s->v, &s->sh, &s->t};
    gs_scalar *scalar[] = {&s->rho[0], &s->rho[1], &s->rv, &s->ts, &s->tt, &s->up, &s->down};
    gsolve_status status = GSOLVE_OK;

    for (int i = 0; i < 7; i++) TRY(gs_new_vector(k, k->csr.nrows, vector[i]));
    for (int i = 0; i < 7; i++) TRY(gs_new_scalar(k, scalar[i]));
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    bicgstab *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->r)); /* r = b - A x              */
    TRY(gs_copy_vector(k, s->r, s->shadow));
    TRY(gs_copy_vector(k, s->r, s->p));
    TRY(gs_copy_scalar(k, k->rr, s->rho[0])); /* rho = r'r                */
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    bicgstab *s = k->state;
    const gs_scalar rho = s->rho[j % 2], next = s->rho[(j + 1) % 2];
    const gs_coefficient one = gs_number(1);
    const gs_coefficient alpha = gs_quotient(1, rho, s->rv);
    const gs_coefficient omega = gs_quotient(1, s->ts, s->tt);
    const gs_coefficient beta = gs_quotient(1, s->up, s->down);
    gs_small small = gs_small_of(k);
    gsolve_status status;

    small.s[BS_RHO] = rho, small.s[BS_NEXT] = next, small.s[BS_RV] = s->rv;
    small.s[BS_TS] = s->ts, small.s[BS_TT] = s->tt, small.s[BS_UP] = s->up,
    small.s[BS_DOWN] = s->down;

    TRY(gs_precondition(k, s->p, s->ph)); /* p^ = M^-1 p      */
    TRY(gs_multiply(k, s->ph, s->v));     /* v = A p^         */
    TRY(gs_dot(k, s->shadow, s->v, s->rv));
    TRY(gs_axpby(k, gs_quotient(-1, rho, s->rv), s->v, one, s->r)); /* s = r - alpha v  */
    TRY(gs_precondition(k, s->r, s->sh));                           /* s^ = M^-1 s      */
    TRY(gs_multiply(k, s->sh, s->t));                               /* t = A s^         */
    TRY(gs_dot2(k, s->t, s->r, s->ts, s->tt));
    TRY(gs_axpbypcz(k, alpha, s->ph, omega, s->sh, one, k->x));             /* x += ...         */
    TRY(gs_axpy_norm(k, gs_quotient(-1, s->ts, s->tt), s->t, s->r, k->rr)); /* r = s - omega t */
    TRY(gs_dot(k, s->shadow, s->r, next));
    TRY(GS_SMALL(k, bicgstab_beta, &small));
    TRY(gs_axpbypcz(k, one, s->r, gs_quotient(-1, next, s->rv), s->v, beta, s->p));
    /* p = r + beta p - beta omega v */
done:
    return status;
}

const gs_method gs_bicgstab = {
    .plugin = {"bicgstab", "stabilised biconjugate gradients; any A", options,
               sizeof(bicgstab_options)},
    .state_size = sizeof(bicgstab),
    .setup = setup,
    .start = start,
    .step = step,
};
