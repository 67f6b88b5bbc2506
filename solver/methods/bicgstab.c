/* bicgstab.c: stabilised biconjugate gradients (van der Vorst 1992), for any square A; M from the
 * right, so that r is the residual of the system itself.
 *
 *   p^ = M^-1 p, v = A p^, s = r - alpha v, s^ = M^-1 s, t = A s^,
 *   x += alpha p^ + omega s^, r = s - omega t, p = r + beta (p - omega v)
 *
 * A step moves, beside two products, 21 vectors with a diagonal M: s and s^ 5, the two dot products
 * with v and t 2, x and r 8, p and p^ 6. The minimum is 19: two vectors are read again because a
 * sum over all rows comes between. With another M: two applications and 2 vectors more. */
#include "core/try.h"
#include "solver/operations/operations.h"
#include "solver/resident/resident.h"

typedef struct bicgstab {
    gsolve_dense r, shadow, p, ph, v, sh, t; /* r holds s between the half steps */
    gs_scalar rho[2], rv, ts, tt; /* shadow'r of the even and odd iterates, shadow'v, t's, t't */
} bicgstab;

static const gsolve_option options[] = {GS_RUN_OPTIONS(10000, 2000), GS_RESIDENT_OPTION, {0}};

static gsolve_status start(gs_krylov *k)
{
    bicgstab *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->r)); /* r = b - A x              */
    TRY(gs_copy_vector(k, s->r, s->shadow));
    TRY(gs_copy_vector(k, s->r, s->p));
    TRY(gs_precondition(k, s->p, s->ph));     /* p^ = M^-1 p              */
    TRY(gs_copy_scalar(k, k->rr, s->rho[0])); /* rho = r'r                */
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    const bicgstab *s = k->state;
    const gsolve_dense none = {0};
    const gs_scalar rho = s->rho[j % 2], next = s->rho[(j + 1) % 2];
    const gs_coefficient one = gs_number(1);
    const gs_coefficient alpha = gs_quotient(1, rho, s->rv), omega = gs_quotient(1, s->ts, s->tt);
    const gs_coefficient back = gs_quotient(-1, rho, s->rv),
                         beta_omega = gs_quotient(-1, next, s->rv);
    const gs_solution_vectors solution = {s->ph, s->sh, s->t, s->shadow, s->r};
    gs_coefficient beta = gs_quotient(1, next, s->rv); /* (next / rho) (alpha / omega)     */
    gsolve_status status;

    beta.num2 = s->tt, beta.den2 = s->ts;
    TRY(gs_multiply_dot(k, s->ph, s->v, s->shadow, s->rv, NULL)); /* v = A p^            */
    TRY(gs_axpbypcz_precondition(k, back, s->v, one, none, one, s->r,
                                 s->sh));                     /* s = r - alpha v, s^ */
    TRY(gs_multiply_dot(k, s->sh, s->t, s->r, s->ts, s->tt)); /* t = A s^            */
    TRY(gs_solution_step(k, alpha, omega, &solution, next));
    TRY(gs_axpbypcz_precondition(k, one, s->r, beta_omega, s->v, beta, s->p,
                                 s->ph)); /* p = r + beta (p - omega v), p^ */
done:
    return status;
}

static gsolve_status resident_steps(gs_krylov *k, int32_t c, int64_t j, int count)
{
#define OF(v) gs_column_of(v, c).value
    const bicgstab *s = k->state;
    const gs_resident_vectors v = {OF(k->x),  OF(s->r),  OF(s->p),
                                   OF(s->ph), OF(s->sh), OF(s->shadow)};

    return gs_resident_run_column(k, gs_resident_cuda.bicgstab, c, s->rho[j % 2],
                                  s->rho[(j + 1) % 2], count, &v);
#undef OF
}

const gs_method gs_bicgstab = {
    .plugin = {"bicgstab", "stabilised biconjugate gradients; any square A", options,
               sizeof(gs_run_options)},
    .state_size = sizeof(bicgstab),
    .vectors = 7,
    .scalars = 5,
    .products = 2,
    .tests_convergence = true,
    .start = start,
    .step = step,
    .resident_steps = resident_steps,
};
