/* 20_ranks.c: a system whose rows are distributed over MPI processes. Each process makes its own
 * slice of a 3D Poisson problem; no process has the whole matrix.
 *
 *     mpicc -std=c11 20_ranks.c $(pkg-config --cflags --libs gsolve_mpi)
 *     mpirun -n 4 ./a.out [N]
 */
#include <stdio.h>
#include <stdlib.h>

#include "gsolve_mpi.h"

/* Rows first to first + count - 1 of the 7-point Laplacian on n x n x n points. */
static void make_rows(gsolve_dist_csr *csr, int64_t n, int32_t *start, int64_t *col, double *value)
{
    const int64_t step[] = {-n * n, -n, -1, 0, 1, n, n * n};
    int32_t entries = 0;

    for (int32_t i = 0; i < csr->rows.count; i++) {
        const int64_t row = csr->rows.first + i, x = row % n, y = row / n % n, z = row / n / n;
        const int inside[] = {z > 0, y > 0, x > 0, 1, x < n - 1, y < n - 1, z < n - 1};
        start[i] = entries;
        for (int k = 0; k < 7; k++) {
            if (!inside[k]) continue;
            col[entries] = row + step[k];
            value[entries++] = k == 3 ? 6 : -1;
        }
    }
    start[csr->rows.count] = entries;
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atol(argv[1]) : 40;
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;
    int rank, ranks, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    status = gsolve_context_create_mpi(&ctx, "cpu", MPI_COMM_WORLD);
    if (status != GSOLVE_OK) {
        if (rank == 0) fprintf(stderr, "%s\n", gsolve_mpi_error());
        MPI_Finalize();
        return 1;
    }

    gsolve_dist_csr csr = {.rows = gsolve_row_range_even(n * n * n, rank, ranks),
                           .offset = GSOLVE_O32,
                           .type = GSOLVE_F64};
    const size_t rows = (size_t)csr.rows.count;
    int32_t *start = malloc((rows + 1) * sizeof *start);
    int64_t *col = malloc(7 * rows * sizeof *col);
    double *value = malloc(7 * rows * sizeof *value);
    double *b = malloc(rows * sizeof *b), *x = calloc(rows, sizeof *x);

    csr.start = start;
    csr.col = col;
    csr.value = value;
    make_rows(&csr, n, start, col, value);
    for (size_t i = 0; i < rows; i++) b[i] = 1;

    /* every rank gets the same status from these calls */
    status = gsolve_matrix_create_dist(&A, ctx, "auto", &csr);
    if (status == GSOLVE_OK) status = gsolve_precond_create_from(&M, ctx, "jacobi", A);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, "cg", A, M);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(S, gsolve_vector(b, csr.rows.count),
                                   gsolve_vector(x, csr.rows.count), &result);
    }
    if (rank == 0 && status != GSOLVE_OK) fprintf(stderr, "%s\n", gsolve_error(ctx));
    if (rank == 0 && status == GSOLVE_OK) {
        printf("%d ranks, %lld rows: %s after %d iterations, |b - A x| / |b| = %.1e\n", ranks,
               (long long)csr.rows.total, gsolve_outcome_text(result.outcome), result.iterations,
               result.relative_residual);
    }
    gsolve_context_destroy(&ctx); /* also destroys A, M and S */
    free(start);
    free(col);
    free(value);
    free(b);
    free(x);
    MPI_Finalize();
    return status == GSOLVE_OK && result.outcome == GSOLVE_CONVERGED ? 0 : 1;
}
