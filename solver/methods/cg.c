/* cg.c: conjugate gradients (Hestenes and Stiefel 1952), for A and M symmetric positive definite.
 *
 *   q = A p, alpha = r'z / p'q, x += alpha p, r -= alpha q, z = M^-1 r, p = z + beta p
 *
 * A step moves, beside the product, 80 n bytes in fp64 with a diagonal M: r, q, M read and r
 * written, then x, p, r, M read and x, p written. The minimum is 72: M^-1 r would have to stay in
 * the cache. */
#include "core/try.h"
#include "solver/operations/operations.h"
#include "solver/resident/resident.h"

typedef struct cg {
    gsolve_dense r, z, p, q;
    gs_scalar rho[2], pq; /* r'z of the even and of the odd iterates, p'Ap */
} cg;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    GS_RESIDENT_OPTION,
    GS_NORM_OPTION,
    GS_SPECTRUM_OPTION("extreme eigenvalues and the condition of M^-1 A"),
    {0},
};

static gsolve_status setup(gs_krylov *k)
{
    return gs_new_lanczos_record(k, true);
}

/* Starts from the end of the last run, whose recurrence ended with r_ instead of b - A x. p is set
 * to what it would be with the true residual: p = M^-1 r + beta p_ holds (van der Vorst and Ye 2000
 * replace the residual alone). */
static gsolve_status continue_run(gs_krylov *k)
{
    const gs_coefficient one = gs_number(1), minus = gs_number(-1);
    cg *s = k->state;
    gsolve_status status;

    TRY(gs_residual(k, s->q));                /* q = b - A x              */
    TRY(gs_axpby(k, one, s->q, minus, s->r)); /* r = q - r_               */
    TRY(gs_precondition(k, s->r, s->z));      /* p += M^-1 (q - r_)       */
    TRY(gs_axpby(k, one, s->z, one, s->p));
    TRY(gs_copy_vector(k, s->q, s->r)); /* r = q                    */
    TRY(gs_precondition_dot(k, s->r, s->z, s->rho[0]));
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    cg *s = k->state;
    bool simple;
    gsolve_status status;

    if (k->continues) return continue_run(k);
    gs_diagonal(k, &simple);
    TRY(gs_start_lanczos(k));
    TRY(gs_compute_norm_factor(k, s->q, s->z));
    /* a step that ends a column reads the z of the step before it, here of the start */
    if (!simple) TRY(gs_zero(k, s->z));
    TRY(gs_residual(k, s->r));                          /* r = b - A x              */
    TRY(gs_precondition_dot(k, s->r, s->p, s->rho[0])); /* p = M^-1 r, rho = r'p    */
    TRY(gs_square_norm(k, s->rho[0], 1));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    cg *s = k->state;
    const gs_scalar rho = s->rho[j % 2], next = s->rho[(j + 1) % 2];
    const gs_coefficient alpha = gs_definite(rho, s->pq), beta = gs_definite(next, rho);
    gsolve_status status;

    TRY(gs_multiply_dot(k, s->p, s->q, s->p, s->pq, NULL)); /* q = A p, pq = p'q        */
    TRY(gs_record_cg(k, rho, s->pq));
    TRY(gs_residual_step(k, alpha, s->q, s->r, s->z, next));  /* r -= alpha q, z = M^-1 r */
    TRY(gs_direction_step(k, alpha, beta, s->r, s->z, s->p)); /* x += alpha p, p = z + beta p */
done:
    return status;
}

static gsolve_status resident_steps(gs_krylov *k, int32_t c, int64_t j, int count)
{
    const cg *s = k->state;
    const gs_resident_vectors v = {.x = gs_column_of(k->x, c).value,
                                   .r = gs_column_of(s->r, c).value,
                                   .p = gs_column_of(s->p, c).value};

    return gs_resident_run_column(k, gs_resident_cuda.cg, c, s->rho[j % 2], s->rho[(j + 1) % 2],
                                  count, &v);
}

const gs_method gs_cg = {
    .plugin = {"cg", "conjugate gradients; A symmetric positive definite", options,
               sizeof(gs_run_options)},
    .state_size = sizeof(cg),
    .vectors = 4,
    .scalars = 3,
    .products = 1,
    .tests_convergence = true,
    .symmetric = true,
    .definite = true,
    .setup = setup,
    .start = start,
    .step = step,
    .resident_steps = resident_steps,
};
