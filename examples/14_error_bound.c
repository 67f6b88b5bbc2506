/* 14_error_bound.c: a stopping test of the caller: a run ends when the error of x is small enough.
 * |x - A^-1 b| <= |b - A x| / s, where s is the smallest eigenvalue of A. A first run with
 * spectrum=on estimates s; later runs use it. */
#include <gsolve_io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rule {
    double smallest; /* eigenvalue of A */
    double error;    /* that is allowed */
} rule;

static gsolve_decision decide(int iteration, int32_t column, double residual_norm, double rhs_norm,
                              void *user)
{
    const rule *f = user;

    (void)iteration, (void)column, (void)rhs_norm;
    return residual_norm <= f->smallest * f->error ? GSOLVE_ACCEPT : GSOLVE_CONTINUE;
}

/* |x - 1|, the error of a system with b = A * ones. */
static double error_of(const double *x, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++) sum += (x[i] - 1) * (x[i] - 1);
    return sqrt(sum);
}

int main(void)
{
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_csr csr = {0};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_spectrum spectrum = GSOLVE_INIT(gsolve_spectrum);
    double *b = NULL, *x = NULL, error = 0;
    int32_t n;

    if (gsolve_context_create(&ctx, "auto") ||
        gsolve_read_matrix(&csr, ctx, "gen:poisson2d,n=60", NULL, NULL) ||
        gsolve_matrix_create(&A, ctx, "csr", &csr) ||
        gsolve_solver_create(&S, ctx, "cg,spectrum=on,rtol=1e-6", A, NULL))
        goto failed;
    n = csr.nrows;
    b = malloc((size_t)n * sizeof *b), x = malloc((size_t)n * sizeof *x);
    for (int32_t i = 0; i < n; i++) x[i] = 1;
    if (gsolve_matrix_apply(A, 1, gsolve_vector(x, n), 0, gsolve_vector(b, n))) goto failed;
    for (int32_t i = 0; i < n; i++) x[i] = 0;
    if (gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result) ||
        gsolve_solver_spectrum(S, &spectrum))
        goto failed;
    printf("eigenvalues from %.3g to %.3g, condition %.3g, by %d steps\n", spectrum.smallest,
           spectrum.largest, spectrum.condition, spectrum.steps);
    for (double allowed = 1; allowed > 1e-4; allowed /= 10) {
        rule f = {spectrum.smallest, allowed};
        gsolve_solver_set_stopping_test(S, decide, &f);
        for (int32_t i = 0; i < n; i++) x[i] = 0;
        if (gsolve_solver_set(S, "rtol=0") || /* the rule alone decides */
            gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result))
            goto failed;
        error = error_of(x, n);
        printf("%s after %d iterations: error %.1e, %.0e is allowed\n",
               gsolve_outcome_text(result.outcome), result.iterations, error, allowed);
        if (result.outcome != GSOLVE_ACCEPTED || error > 1.01 * allowed) return 1;
    }
    free(b);
    free(x);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
failed:
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    return 1;
}
