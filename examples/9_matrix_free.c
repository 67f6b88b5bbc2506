/* 9_matrix_free.c: no matrix is stored. -u_xx - u_yy + w u_x = 1 on a square is multiplied by a
 * function of the program, from the five-point stencil. Without wind (w = 0) the operator is
 * symmetric, and cg runs with the preconditioner chebyshev, which needs products and the diagonal
 * only. With wind gmres solves. On a GPU the function would launch a kernel on gsolve_stream(ctx),
 * and the solver would record it in a CUDA graph. */
#include <gsolve.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct grid {
    int32_t n;      /* points of a side */
    double wind, h; /* w, and the distance of two points */
    int products;
} grid;

/* y = A x, scaled by h^2. All that the function needs it finds by `user`. */
static gsolve_status multiply(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    grid *g = user;
    const double *u = x.value, c = 0.5 * g->wind * g->h;
    double *v = y.value;
    const int32_t n = g->n;

    (void)ctx;
    g->products++;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            const int32_t k = i * n + j;
            double sum = 4 * u[k];
            if (i > 0) sum -= u[k - n];
            if (i + 1 < n) sum -= u[k + n];
            if (j > 0) sum -= (1 + c) * u[k - 1];
            if (j + 1 < n) sum -= (1 - c) * u[k + 1];
            v[k] = sum;
        }
    }
    return GSOLVE_OK;
}

static gsolve_context *ctx;

static void check(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    exit(1);
}

static gsolve_result solve(const gsolve_matrix *A, const gsolve_precond *M, const char *spec,
                           int32_t n)
{
    double *b = malloc((size_t)n * sizeof *b), *x = calloc((size_t)n, sizeof *x);
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int32_t k = 0; k < n; k++) b[k] = 1;
    check(gsolve_solver_create(&S, ctx, spec, A, M));
    check(gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    printf("%-5s %-10s %s in %d iterations, residual %.1e\n", gsolve_solver_name(S),
           M ? "+ chebyshev" : "", gsolve_outcome_text(result.outcome), result.iterations,
           result.relative_residual);
    gsolve_solver_destroy(&S);
    free(b);
    free(x);
    return result;
}

int main(void)
{
    enum { SIDE = 80, N = SIDE * SIDE };
    grid g = {.n = SIDE, .h = 1.0 / (SIDE + 1)};
    double *diagonal = malloc(N * sizeof *diagonal);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_result plain, polynomial, windy;

    for (int k = 0; k < N; k++) diagonal[k] = 4;
    check(gsolve_context_create(&ctx, "cpu"));
    check(gsolve_matrix_create_operator(&A, ctx, N, N, GSOLVE_F64, multiply, NULL, &g));
    check(gsolve_matrix_set_flags(A, GSOLVE_FUNCTION_DEFINITE));
    check(gsolve_precond_create_chebyshev(&M, ctx, "chebyshev,degree=5", A,
                                          gsolve_vector(diagonal, N)));
    plain = solve(A, NULL, "auto", N); /* cg, because of the flag */
    polynomial = solve(A, M, "cg", N);

    g.wind = 100;
    check(gsolve_matrix_set_flags(A, 0));
    check(gsolve_matrix_update_operator(A, &g)); /* the function computes another A from now on */
    windy = solve(A, NULL, "gmres,restart=60", N);
    printf("%d products\n", g.products);
    gsolve_context_destroy(&ctx); /* also destroys the other handles */
    free(diagonal);
    return plain.outcome == GSOLVE_CONVERGED && polynomial.outcome == GSOLVE_CONVERGED &&
                   windy.outcome == GSOLVE_CONVERGED && 3 * polynomial.iterations < plain.iterations
               ? 0
               : 1;
}
