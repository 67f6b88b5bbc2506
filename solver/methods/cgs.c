/* cgs.c: conjugate gradients squared (Sonneveld 1989), for any square A; M from the right, so that
 * r is the residual of the system itself. It needs no A'. It applies the residual polynomial of
 * bicg twice; where it converges, it needs about half the iterations of bicg. Its residuals are as
 * irregular as those of bicg.
 *
 *   v = A M^-1 p, alpha = rho / shadow'v, q = u - alpha v, x += alpha M^-1 (u + q),
 *   r -= alpha A M^-1 (u + q), beta = rho' / rho, u = r + beta q, p = u + beta (q + beta p)
 *
 * A step moves, beside two products and two applications of M, 23 vectors: 184 n bytes in fp64;
 * the minimum is 17, with u + q computed in the pass of q, p in that of u, and the dot products in
 * the passes that compute their operands. */
#include "core/try.h"
#include "solver/operations/operations.h"

typedef struct cgs {
    gsolve_dense r, shadow, u, p, q, v, h; /* u becomes u + q; h: the result of M */
    gs_scalar rho[2], rv, square;          /* shadow'r of the even and odd iterates, beta^2 */
} cgs;

static gsolve_status start(gs_krylov *k)
{
    cgs *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->r)); /* r = b - A x              */
    TRY(gs_copy_vector(k, s->r, s->shadow));
    TRY(gs_copy_vector(k, s->r, s->u));
    TRY(gs_copy_vector(k, s->r, s->p));
    TRY(gs_copy_scalar(k, k->rr, s->rho[0])); /* rho = r'r                */
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    cgs *s = k->state;
    const gs_scalar rho = s->rho[j % 2], next = s->rho[(j + 1) % 2];
    const gs_coefficient one = gs_number(1), zero = gs_number(0);
    const gs_coefficient alpha = gs_quotient(1, rho, s->rv), minus = gs_quotient(-1, rho, s->rv);
    const gs_coefficient beta = gs_quotient(1, next, rho);
    gs_scalar_arguments small = gs_scalar_arguments_of(k);
    gsolve_status status;

    small.s[CG_RHO] = rho, small.s[CG_NEXT] = next, small.s[CG_SQUARE] = s->square;
    TRY(gs_precondition(k, s->p, s->h));
    TRY(gs_multiply(k, s->h, s->v));                         /* v = A M^-1 p     */
    TRY(gs_dot(k, s->shadow, s->v, s->rv));                  /* rv = shadow'v    */
    TRY(gs_axpbypcz(k, one, s->u, minus, s->v, zero, s->q)); /* q = u - alpha v  */
    TRY(gs_axpby(k, one, s->q, one, s->u));                  /* u += q           */
    TRY(gs_precondition(k, s->u, s->h));                     /* h = M^-1 (u + q) */
    TRY(gs_axpby(k, alpha, s->h, one, k->x));                /* x += alpha h     */
    TRY(gs_multiply(k, s->h, s->v));                         /* v = A h          */
    TRY(gs_axpy_norm(k, minus, s->v, s->r, k->rr));          /* r -= alpha v     */
    TRY(gs_dot(k, s->shadow, s->r, next));                   /* rho' = shadow'r  */
    TRY(GS_RUN_SCALAR(k, cgs_square, &small));
    TRY(gs_axpbypcz(k, one, s->r, beta, s->q, zero, s->u)); /* u = r + beta q   */
    TRY(gs_axpbypcz(k, one, s->u, beta, s->q, gs_quotient(1, s->square, NULL), s->p));
    /* p = u + beta q + beta^2 p */
done:
    return status;
}

const gs_method gs_cgs = {
    .plugin = {"cgs", "conjugate gradients squared; any square A", gs_run_option_table,
               sizeof(gs_run_options)},
    .state_size = sizeof(cgs),
    .vectors = 7,
    .scalars = 4,
    .products = 2,
    .start = start,
    .step = step,
};
