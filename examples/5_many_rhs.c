/* 5_many_rhs.c: one matrix and several right-hand sides in one run. A batched run iterates each
 * column with its own scalars; the columns share the passes over the matrix. A block method also
 * shares the search space of the columns, and needs fewer iterations. */
#include <gsolve_io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5 };

int main(void)
{
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL, *block = NULL;
    gsolve_result all = GSOLVE_INIT(gsolve_result), one = GSOLVE_INIT(gsolve_result),
                  together = GSOLVE_INIT(gsolve_result);
    gsolve_csr csr = {0};
    gsolve_status status = gsolve_context_create(&ctx, "auto");

    if (status == GSOLVE_OK)
        status = gsolve_read_matrix(&csr, ctx, "gen:poisson3d,n=20", NULL, NULL);
    if (status == GSOLVE_OK) status = gsolve_matrix_create(&A, ctx, "auto", &csr);
    if (status == GSOLVE_OK) status = gsolve_precond_create(&M, ctx, "ic", &csr);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, "cg", A, M);
    if (status != GSOLVE_OK) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
        return 1;
    }
    const int32_t n = csr.nrows;
    double *b = malloc((size_t)n * COLUMNS * sizeof *b),
           *x = calloc((size_t)n * COLUMNS, sizeof *x);
    for (int64_t i = 0; i < (int64_t)n * COLUMNS; i++) b[i] = gsolve_random(1, (uint64_t)i);

    /* Column-major: column c begins n elements after column c - 1. */
    const gsolve_dense B = {n, COLUMNS, n, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense X = {n, COLUMNS, n, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    status = gsolve_solver_run(S, B, X, &all);
    for (int32_t c = 0; c < COLUMNS && status == GSOLVE_OK; c++) {
        gsolve_solver_column(S, c, &one);
        printf("column %d: %s in %d iterations, residual %.1e\n", c,
               gsolve_outcome_text(one.outcome), one.iterations, one.relative_residual);
    }
    memset(x, 0, (size_t)n * COLUMNS * sizeof *x);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&block, ctx, "block_cg", A, M);
    if (status == GSOLVE_OK) status = gsolve_solver_run(block, B, X, &together);
    const int done = status == GSOLVE_OK && all.outcome == GSOLVE_CONVERGED &&
                     together.outcome == GSOLVE_CONVERGED;
    if (done) {
        printf("batched: %d iterations, as a block: %d\n", all.iterations, together.iterations);
    }
    free(b);
    free(x);
    gsolve_solver_destroy(&block);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return done && together.iterations <= all.iterations ? 0 : 1;
}
