/* pipecg.c: pipelined conjugate gradients (Ghysels and Vanroose 2014, algorithm 4), for A and M
 * symmetric positive definite: cg with one reduction a step, so that the product need not wait for
 * sums. In return, recurrences update the products, and their rounding errors grow.
 *
 *   m = M^-1 w, n = A m, beta = gamma / gamma', alpha = gamma / (delta - beta gamma / alpha'),
 *   z = n + beta z, q = m + beta q, s = w + beta s, p = u + beta p,
 *   x += alpha p, r -= alpha s, u -= alpha q, w -= alpha z, gamma = r'u, delta = w'u
 *
 * where u = M^-1 r, w = A u, s = A p, q = M^-1 s, z = A q. After every `replace` steps these are
 * recomputed from x and p; the search directions are kept (residual replacement). Cools, Yetkin,
 * Agullo, Giraud and Vanroose 2018 choose the steps by a bound on the errors; the host would have
 * to read that bound, so here the number of the step decides.
 *
 * A step moves, beside the product and M, 18 vectors: 144 n bytes in fp64, all in one pass, which
 * is the minimum; cg moves 10. A replacement costs four products and two M more. */
#include "core/try.h"
#include "solver/operations/operations.h"

typedef struct pipecg_options {
    gs_run_options run;
    int replace;
} pipecg_options;

typedef struct pipecg {
    gs_pipe_vectors v;
    gs_scalar scalar[PC_SCALARS]; /* gamma, delta, gamma', alpha, beta */
} pipecg;

static const gsolve_option options[] = {
    GS_RUN_OPTIONS(10000, 2000),
    GS_NORM_OPTION,
    GS_SPECTRUM_OPTION("extreme eigenvalues and the condition of M^-1 A"),
    {"replace",
     "iterations between two replacements of the residual by the true residual; 0: no "
     "replacement",
     GSOLVE_INT, offsetof(pipecg_options, replace), 50, 0, 2147483647, NULL},
    {0},
};

static int replace(const gs_krylov *k)
{
    return ((const pipecg_options *)k->options)->replace;
}

static gsolve_status setup(gs_krylov *k)
{
    k->period = replace(k) > 0 ? replace(k) : 1;
    return gs_new_lanczos_record(k, true);
}

/* r, u, w and the sums from x. */
static gsolve_status recompute_residual(gs_krylov *k)
{
    pipecg *s = k->state;
    const gs_pipe_vectors *v = &s->v;
    gsolve_status status;

    TRY(gs_residual(k, v->r));                                    /* r = b - A x              */
    TRY(gs_precondition_dot(k, v->r, v->u, s->scalar[PC_GAMMA])); /* u = M^-1 r, gamma = r'u  */
    TRY(gs_multiply_dot(k, v->u, v->w, v->u, s->scalar[PC_DELTA], NULL)); /* w = A u, delta = w'u */
done:
    return status;
}

/* s, q, z from p. */
static gsolve_status recompute_directions(gs_krylov *k)
{
    const gs_pipe_vectors *v = &((pipecg *)k->state)->v;
    gsolve_status status;

    TRY(gs_multiply(k, v->p, v->s));     /* s = A p                  */
    TRY(gs_precondition(k, v->s, v->q)); /* q = M^-1 s               */
    TRY(gs_multiply(k, v->q, v->z));     /* z = A q                  */
done:
    return status;
}

static gsolve_status start(gs_krylov *k)
{
    const gs_pipe_vectors *v = &((pipecg *)k->state)->v;
    const gsolve_dense directions[] = {v->z, v->q, v->s, v->p};
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    TRY(gs_compute_norm_factor(k, v->m, v->n));
    TRY(recompute_residual(k));
    for (int i = 0; i < 4; i++) TRY(gs_zero(k, directions[i]));
    TRY(GS_RUN_SCALAR(k, pipecg_start, &a));
    TRY(gs_start_lanczos(k));
    TRY(gs_square_norm(k, ((pipecg *)k->state)->scalar[PC_GAMMA], 1));
done:
    return status;
}

static gsolve_status step(gs_krylov *k, int64_t j)
{
    pipecg *s = k->state;
    const gs_pipe_vectors *v = &s->v;
    const gs_scalar *scalar = s->scalar;
    const gs_scalar_arguments a = gs_scalar_arguments_of(k);
    gsolve_status status;

    TRY(GS_RUN_SCALAR(k, pipecg_alpha, &a)); /* alpha and beta           */
    TRY(GS_RECORD(k, pipecg_lanczos, &a));
    TRY(gs_precondition(k, v->w, v->m)); /* m = M^-1 w               */
    TRY(gs_multiply(k, v->m, v->n));     /* n = A m                  */
    TRY(gs_pipe_step(k, gs_quotient(1, scalar[PC_ALPHA], NULL),
                     gs_quotient(1, scalar[PC_BETA], NULL), v, scalar[PC_GAMMA], scalar[PC_DELTA]));
    if (replace(k) > 0 && j % replace(k) == replace(k) - 1) {
        TRY(recompute_residual(k));
        TRY(recompute_directions(k));
    }
    TRY(gs_square_norm(k, scalar[PC_GAMMA], 1));
done:
    return status;
}

const gs_method gs_pipecg = {
    .plugin = {"pipecg",
               "pipelined conjugate gradients, one reduction per iteration; A symmetric positive "
               "definite",
               options, sizeof(pipecg_options)},
    .state_size = sizeof(pipecg),
    .vectors = 9,
    .scalars = PC_SCALARS,
    .products = 1,
    .symmetric = true,
    .definite = true,
    .setup = setup,
    .start = start,
    .step = step,
};
