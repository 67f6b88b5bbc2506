/* 1_solve.c: reads a matrix, solves A x = A (1, 1, ..., 1)', and prints what happened.
 *
 *     1_solve matrix.mtx        or, without a file, a generated matrix */
#include <gsolve_io.h>
#include <stdio.h>
#include <stdlib.h>

static void print_line(const char *line, void *user)
{
    (void)user;
    printf("  %s\n", line);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "gen:poisson2d,n=100";
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_csr csr = {0};

    if (gsolve_context_create(&ctx, "auto") != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(NULL));
        return 1;
    }
    if (gsolve_read_matrix(&csr, ctx, name, NULL, NULL) != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
        gsolve_context_destroy(&ctx);
        return 1;
    }
    printf("%s: %d x %d, %lld entries\n", name, csr.nrows, csr.ncols,
           (long long)gsolve_csr_entries(&csr));

    /* b = A times ones: a matrix handle computes products. */
    double *b = calloc((size_t)csr.nrows + 1, sizeof *b);
    double *x = calloc((size_t)csr.ncols + 1, sizeof *x);
    for (int i = 0; i < csr.ncols; i++) x[i] = 1;
    gsolve_status status = gsolve_matrix_create(&A, ctx, "auto", &csr);
    if (status == GSOLVE_OK) {
        status =
            gsolve_matrix_apply(A, 1, gsolve_vector(x, csr.ncols), 0, gsolve_vector(b, csr.nrows));
    }

    /* One call solves the system: the library inspects the matrix and chooses the method. The log
     * gets a line for each decision. */
    gsolve_context_set_log(ctx, print_line, NULL);
    for (int i = 0; i < csr.ncols; i++) x[i] = 0;
    if (status == GSOLVE_OK) {
        status = gsolve_solve(ctx, &csr, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.ncols),
                              &result);
    }
    if (status != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
    } else {
        printf("%s after %d iterations, |b - Ax| / |b| = %.1e\n",
               gsolve_outcome_text(result.outcome), result.iterations, result.relative_residual);
    }
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    free(b);
    free(x);
    return status != GSOLVE_OK ? 1 : result.outcome == GSOLVE_CONVERGED ? 0 : 2;
}
