/* 15_heat.c: the heat equation u_t = k(t) (u_xx + u_yy) + 1 on the unit square, with u = 0 on its
 * boundary and at the start, by 1000 implicit Euler steps. The time step and k change in each step,
 * but the pattern of the matrix stays. So each step updates the matrix and the preconditioner, and
 * on the CPU the library allocates nothing. 16_heat.cpp and 17_heat.f90 do the same in C++ and in
 * Fortran. */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 32, N = SIDE * SIDE, STEPS = 1000 };

static int32_t start[N + 1], col[5 * N];
static double value[5 * N], u[N], b[N];
static gsolve_context *ctx;

static void check(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    exit(1);
}

/* A = I + c tridiag(-1, 2, -1) in both directions. The pattern does not depend on c. */
static void assemble(double c)
{
    int32_t at = 0;

    for (int32_t i = 0; i < N; i++) {
        const int32_t x = i % SIDE, y = i / SIDE;
        if (y > 0) col[at] = i - SIDE, value[at++] = -c;
        if (x > 0) col[at] = i - 1, value[at++] = -c;
        col[at] = i, value[at++] = 1 + 4 * c;
        if (x + 1 < SIDE) col[at] = i + 1, value[at++] = -c;
        if (y + 1 < SIDE) col[at] = i + SIDE, value[at++] = -c;
        start[i + 1] = at;
    }
}

int main(void)
{
    const double h = 1.0 / (SIDE + 1);
    const gsolve_csr csr = gsolve_csr_view(N, start, col, value); /* sees new values */
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info), after = before;
    int iterations = 0;

    assemble(1);
    check(gsolve_context_create(&ctx, "auto"));
    check(gsolve_matrix_create(&A, ctx, "csr", &csr));
    check(gsolve_precond_create(&M, ctx, "jacobi", &csr));
    check(gsolve_solver_create(&S, ctx, "cg", A, M));
    for (int step = 0; step < STEPS; step++) {
        const double dt = 1e-3 * (1 + 0.5 * sin(step)), k = 1 + 0.5 * cos(0.1 * step);
        if (step == 1) gsolve_context_describe(ctx, &before);
        assemble(k * dt / (h * h));
        for (int i = 0; i < N; i++) b[i] = u[i] + dt;
        check(gsolve_matrix_update(A, &csr));
        check(gsolve_precond_update(M, &csr));
        check(gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(u, N), &result));
        if (result.outcome != GSOLVE_CONVERGED) {
            fprintf(stderr, "step %d: %s\n", step, gsolve_solver_explain(S));
            return 2;
        }
        iterations += result.iterations;
    }
    gsolve_context_describe(ctx, &after);
    printf(
        "%d steps, %d iterations, u in the middle %.6f, allocations after the first step: %lld\n",
        STEPS, iterations, u[N / 2 + SIDE / 2],
        (long long)(after.allocations - before.allocations));
    gsolve_context_destroy(&ctx); /* destroys S, M and A, too */
    return 0;
}
