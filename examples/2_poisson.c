/* 2_poisson.c: implicit time steps of the heat equation u_t = k(t) u_xx + 1 on a line, where k
 * changes from step to step. The pattern stays and only the values change, so that everything that
 * depends on the pattern alone is kept. */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>

enum { N = 1000, STEPS = 20 };

static int32_t start[N + 1], col[3 * N];
static double value[3 * N], u[N], b[N];

/* I + dt k / h^2 (-1, 2, -1) */
static void assemble(double k, double dt)
{
    const double h = 1.0 / (N + 1), c = dt * k / (h * h);
    int32_t at = 0;

    for (int32_t i = 0; i < N; i++) {
        start[i] = at;
        if (i > 0) col[at] = i - 1, value[at++] = -c;
        col[at] = i, value[at++] = 1 + 2 * c;
        if (i + 1 < N) col[at] = i + 1, value[at++] = -c;
    }
    start[N] = at;
}

static int fail(gsolve_context *ctx)
{
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    gsolve_context_destroy(&ctx);
    return 1;
}

int main(void)
{
    const double dt = 0.05;
    const gsolve_csr csr = gsolve_csr_view(N, start, col, value);
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    assemble(1, dt);
    if (gsolve_context_create(&ctx, "auto")) return fail(NULL);
    if (gsolve_matrix_create(&A, ctx, "auto", &csr)) return fail(ctx);
    if (gsolve_precond_create(&M, ctx, "ic", &csr)) return fail(ctx);
    if (gsolve_solver_create(&S, ctx, "cg,rtol=1e-10", A, M)) return fail(ctx);

    for (int step = 0; step < STEPS; step++) {
        assemble(1 + 0.5 * sin(step), dt); /* new values, same pattern */
        if (gsolve_matrix_update(A, &csr)) return fail(ctx);
        if (gsolve_precond_update(M, &csr)) return fail(ctx);

        for (int i = 0; i < N; i++)
            b[i] = u[i] + dt; /* the last u is the first guess of the next */
        if (gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(u, N), &result))
            return fail(ctx);
        if (result.outcome != GSOLVE_CONVERGED) {
            fprintf(stderr, "step %d: %s\n", step, gsolve_solver_explain(S));
            return 2;
        }
    }
    printf("after %d steps u(1/2) = %.6f, the last in %d iterations\n", STEPS, u[N / 2],
           result.iterations);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_context_destroy(&ctx);
    return u[N / 2] > 0.05 && u[N / 2] < 0.5 ? 0 : 1;
}
