/* 11_inexact_newton.c: Newton's method for A u + s (u^3 - f) = 0, whose linear systems are solved
 * as accurately as a step needs (Eisenstat and Walker 1996, choice 2). Every step sets new values
 * of the matrix and a new tolerance of the same solver; nothing is allocated after the first steps.
 */
#include <gsolve_io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 100, N = POINTS * POINTS };

/* F = A u + s (u^3 - 20) with s = h^2, and the values of J = A + 3 s diag(u^2). Returns |F|. */
static double evaluate(const gsolve_csr *A, const double *u, double *J, double *F)
{
    const double s = 1.0 / ((POINTS + 1) * (POINTS + 1)), *value = A->value;
    const int32_t *start = A->start;
    double sum = 0;

    for (int i = 0; i < N; i++) {
        F[i] = s * (u[i] * u[i] * u[i] - 20);
        for (int k = start[i]; k < start[i + 1]; k++) {
            F[i] += value[k] * u[A->col[k]];
            J[k] = value[k] + (A->col[k] == i ? 3 * s * u[i] * u[i] : 0);
        }
        sum += F[i] * F[i];
    }
    return sqrt(sum);
}

static int64_t allocations_of(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(ctx, &info);
    return info.allocations;
}

int main(void)
{
    static double u[N], d[N], F[N];
    gsolve_context *ctx = NULL;
    gsolve_matrix *matrix = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_csr A = {0}, J;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double *value = NULL, size, last = 0;
    int64_t allocations = 0;
    int steps = 0;

    if (gsolve_context_create(&ctx, "auto") ||
        gsolve_read_matrix(&A, ctx, "gen:poisson2d,n=100", NULL, NULL) ||
        gsolve_matrix_create(&matrix, ctx, "csr", &A) ||
        gsolve_precond_create_from(&M, ctx, "jacobi", matrix) ||
        gsolve_solver_create(&S, ctx, "cg", matrix, M))
        goto failed;
    J = A;
    J.value = value = malloc((size_t)gsolve_csr_entries(&A) * sizeof *value);
    size = evaluate(&A, u, value, F);
    for (; size > 1e-10 && steps < 20; steps++) {
        const double rate = last > 0 ? size / last : 1;
        char options[64];

        if (steps == 2) allocations = allocations_of(ctx);
        snprintf(options, sizeof options, "rtol=%.3g", fmax(fmin(0.5, 0.9 * rate * rate), 1e-9));
        for (int i = 0; i < N; i++) d[i] = 0;
        if (gsolve_matrix_update(matrix, &J) || gsolve_precond_update_from(M, matrix) ||
            gsolve_solver_set(S, options) ||
            gsolve_solver_run(S, gsolve_vector(F, N), gsolve_vector(d, N), &result))
            goto failed;
        printf("step %d: |F| = %.1e, %-13s: %3d iterations\n", steps, size, options,
               result.iterations);
        for (int i = 0; i < N; i++) u[i] -= d[i];
        last = size;
        size = evaluate(&A, u, value, F);
    }
    allocations = allocations_of(ctx) - allocations;
    printf("|F| = %.1e; %d allocations after the first two steps\n", size, (int)allocations);
    free(value);
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx); /* destroys S, M and matrix too */
    return size <= 1e-10 && allocations == 0 ? 0 : 1;
failed:
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    return 1;
}
