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
    gs_scalar rho, next, rv, ts, tt;         /* shadow'r, its next, shadow'v, t's, t't */
    gs_scalar up, down;                      /* beta = up / down */
} bicgstab;

static const gsolve_option options[] = {GS_RUN_OPTIONS(bicgstab_options, 10000, 2000), {0}};

static gsolve_status setup(gs_krylov *k)
{
    bicgstab *s = k->state;
    gsolve_dense *vector[] = {&s->r, &s->shadow, &s->p, &s->ph, &s->v, &s->sh, &s->t};
    gs_scalar *scalar[] = {&s->rho, &s->next, &s->rv, &s->ts, &s->tt, &s->up, &s->down};
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
    for (int32_t c = 0; c < k->ncols; c++) s->rho[c] = k->rr[c];
done:
    return status;
}

/* beta = (next / rho) (alpha / omega), where alpha = rho / rv and omega = ts / tt. */
static void set_beta(gs_krylov *k, bicgstab *s)
{
    for (int32_t c = 0; c < k->ncols; c++) {
        s->up[c] = s->next[c] * s->tt[c];
        s->down[c] = s->rv[c] * s->ts[c];
    }
}

static gsolve_status step(gs_krylov *k)
{
    bicgstab *s = k->state;
    const gs_coefficient one = gs_number(1);
    const gs_coefficient alpha = gs_quotient(1, s->rho, s->rv);
    const gs_coefficient omega = gs_quotient(1, s->ts, s->tt);
    const gs_coefficient beta = gs_quotient(1, s->up, s->down);
    const gs_scalar spare = s->rho;
    gsolve_status status;

    TRY(gs_precondition(k, s->p, s->ph)); /* p^ = M^-1 p      */
    TRY(gs_multiply(k, s->ph, s->v));     /* v = A p^         */
    TRY(gs_dot(k, s->shadow, s->v, s->rv));
    TRY(gs_axpby(k, gs_quotient(-1, s->rho, s->rv), s->v, one, s->r)); /* s = r - alpha v  */
    TRY(gs_precondition(k, s->r, s->sh));                              /* s^ = M^-1 s      */
    TRY(gs_multiply(k, s->sh, s->t));                                  /* t = A s^         */
    TRY(gs_dot2(k, s->t, s->r, s->ts, s->tt));
    TRY(gs_axpbypcz(k, alpha, s->ph, omega, s->sh, one, k->x));             /* x += ...         */
    TRY(gs_axpy_norm(k, gs_quotient(-1, s->ts, s->tt), s->t, s->r, k->rr)); /* r = s - omega t */
    TRY(gs_dot(k, s->shadow, s->r, s->next));
    set_beta(k, s);
    TRY(gs_axpbypcz(k, one, s->r, gs_quotient(-1, s->next, s->rv), s->v, beta, s->p));
    s->rho = s->next; /* p = r + beta p - beta omega v */
    s->next = spare;
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
