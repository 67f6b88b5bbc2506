/* template_name.c: FILL-IN: the name of the method and its source. (The template is conjugate
 * gradients, one operation after another, for A and M symmetric positive definite.)
 *
 *   q = A p, alpha = r'z / p'q, x += alpha p, r -= alpha q, z = M^-1 r, p = z + beta p
 *
 * A step moves, beside the product and M, 13 vectors. */
#include "solver/method.h"
#include "solver/operations/operations.h"
#include "core/try.h"

typedef struct template_name { /* vectors first, then scalars; see gs_method */
    gsolve_dense r, z, p, q;
    gs_scalar rho[2], pq; /* r'z of the even and of the odd iterates, p'q */
} template_name;

static gsolve_status start(gs_krylov *k)
{
    template_name *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->r));             /* r = b - A x, k->rr = |r|^2 */
    TRY(gs_precondition(k, s->r, s->z));   /* z = M^-1 r                 */
    TRY(gs_copy_vector(k, s->z, s->p));    /* p = z                      */
    TRY(gs_dot(k, s->r, s->z, s->rho[0])); /* rho = r'z                  */
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    template_name *s = k->state;
    const gs_scalar rho = s->rho[j % 2], next = s->rho[(j + 1) % 2];
    const gs_coefficient one = gs_number(1), beta = gs_definite(next, rho);
    gs_coefficient alpha = gs_definite(rho, s->pq), minus_alpha = alpha;
    gsolve_status status;

    minus_alpha.sign = -1;
    TRY(gs_multiply(k, s->p, s->q));                      /* q = A p                 */
    TRY(gs_dot(k, s->p, s->q, s->pq));                    /* pq = p'q                */
    TRY(gs_axpby(k, alpha, s->p, one, k->x));             /* x += alpha p            */
    TRY(gs_axpy_norm(k, minus_alpha, s->q, s->r, k->rr)); /* r -= alpha q, rr = |r|^2 */
    TRY(gs_precondition(k, s->r, s->z));                  /* z = M^-1 r              */
    TRY(gs_dot(k, s->r, s->z, next));                     /* next = r'z              */
    TRY(gs_axpby(k, one, s->z, beta, s->p));              /* p = z + beta p          */
done:
    return status;
}

const gs_method gs_template_name = {
    .plugin = {"template_name",
               "FILL-IN: conjugate gradients; A symmetric positive definite",
               gs_run_option_table, sizeof(gs_run_options)},
    .state_size = sizeof(template_name),
    .vectors = 4,
    .scalars = 3,
    .products = 1,
    .symmetric = true,
    .definite = true,
    .start = start,
    .step = step,
};
