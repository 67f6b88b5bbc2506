/* 4_monitor.c: monitors the residuals of a solve and stops it at a residual of its own choice. */
#include <gsolve_io.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct monitor_data {
    double tolerance;
    int calls;
} monitor_data;

/* Called with every residual; false ends the solve. */
static bool monitor(int iteration, double relative_residual, void *user)
{
    monitor_data *m = user;

    m->calls++;
    if (iteration % 20 == 0) printf("  iteration %3d: %.2e\n", iteration, relative_residual);
    return relative_residual > m->tolerance;
}

int main(void)
{
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_csr csr = {0};
    monitor_data m = {1e-4, 0};
    gsolve_status status = gsolve_context_create(&ctx, "auto");

    if (status == GSOLVE_OK)
        status = gsolve_read_matrix(&csr, ctx, "gen:poisson2d,n=100", NULL, NULL);
    if (status == GSOLVE_OK) status = gsolve_matrix_create(&A, ctx, "auto", &csr);
    if (status == GSOLVE_OK) status = gsolve_precond_create(&M, ctx, "jacobi", &csr);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, "cg", A, M);
    if (status != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
        return 1;
    }
    double *b = malloc((size_t)csr.nrows * sizeof *b), *x = calloc((size_t)csr.nrows, sizeof *x);
    for (int i = 0; i < csr.nrows; i++) b[i] = 1;
    gsolve_solver_set_monitor(S, monitor, &m);
    status =
        gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), &result);
    printf("%s after %d iterations: %s\n", gsolve_outcome_text(result.outcome), result.iterations,
           gsolve_solver_explain(S));
    free(b);
    free(x);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return status == GSOLVE_OK && result.outcome == GSOLVE_STOPPED &&
                   m.calls <= result.iterations + 1
               ? 0
               : 1;
}
