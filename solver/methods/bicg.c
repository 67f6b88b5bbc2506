/* bicg.c: biconjugate gradients (Fletcher 1976), for any square A; applies A' and M^-T.
 *
 *   alpha = rho / p~'A p, x += alpha p, r -= alpha A p, r~ -= alpha A'p~, rho = r~'M^-1 r,
 *   p = z + beta p, p~ = z~ + beta p~
 *
 * A step moves, beside two products and two applications of M, 19 vectors: r, r~, x read and
 * written, q, q~, p twice, and the directions; the minimum is 15. */
#include "core/try.h"
#include "solver/operations/operations.h"

typedef struct bicg {
    gsolve_dense r, rt, z, zt, p, pt, q; /* rt, zt, pt: of the dual system */
    gs_scalar rho[2], pq;                /* r~'M^-1 r of the even and of the odd iterates, p~'A p */
} bicg;

static gsolve_status start(gs_krylov *k)
{
    bicg *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->r));                       /* r = b - A x              */
    TRY(gs_copy_vector(k, s->r, s->rt));             /* r~ = r                   */
    TRY(gs_precondition(k, s->r, s->p));             /* p = M^-1 r               */
    TRY(gs_precondition_transpose(k, s->rt, s->pt)); /* p~ = M^-T r~             */
    TRY(gs_dot(k, s->rt, s->p, s->rho[0]));          /* rho = r~'p               */
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    bicg *s = k->state;
    const gs_scalar rho = s->rho[j % 2], next = s->rho[(j + 1) % 2];
    const gs_coefficient alpha = gs_quotient(1, rho, s->pq);
    const gs_coefficient minus = gs_quotient(-1, rho, s->pq);
    const gs_coefficient beta = gs_quotient(1, next, rho);
    gsolve_status status;

    TRY(gs_multiply(k, s->p, s->q));                    /* q = A p                  */
    TRY(gs_dot(k, s->pt, s->q, s->pq));                 /* pq = p~'q                */
    TRY(gs_axpby(k, alpha, s->p, gs_number(1), k->x));  /* x += alpha p             */
    TRY(gs_axpy_norm(k, minus, s->q, s->r, k->rr));     /* r -= alpha q             */
    TRY(gs_multiply_transpose(k, s->pt, s->q));         /* q = A'p~                 */
    TRY(gs_axpby(k, minus, s->q, gs_number(1), s->rt)); /* r~ -= alpha q            */
    TRY(gs_precondition(k, s->r, s->z));                /* z = M^-1 r               */
    TRY(gs_precondition_transpose(k, s->rt, s->zt));    /* z~ = M^-T r~             */
    TRY(gs_dot(k, s->rt, s->z, next));                  /* next = r~'z              */
    TRY(gs_axpby(k, gs_number(1), s->z, beta, s->p));   /* p = z + beta p           */
    TRY(gs_axpby(k, gs_number(1), s->zt, beta, s->pt)); /* p~ = z~ + beta p~        */
done:
    return status;
}

const gs_method gs_bicg = {
    .plugin = {"bicg", "biconjugate gradients; any square A; also multiplies with A^T and M^-T",
               gs_run_option_table, sizeof(gs_run_options)},
    .state_size = sizeof(bicg),
    .vectors = 7,
    .scalars = 3,
    .products = 1,
    .transposes = true,
    .start = start,
    .step = step,
};
