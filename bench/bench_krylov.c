/* bench_krylov.c: time per iteration of a method and preconditioner, and the share of the bandwidth
 * that it uses.
 *
 *     bench_krylov MATRIX THREADS RUNS [SOLVER [PRECOND]]     (cg and jacobi)
 *
 * b = ones, x0 = 0, rtol 1e-8. Prints one JSON record. Bytes of an iteration of cg with jacobi in
 * fp64: the product moves 12 an entry and 4 a row, and reads p and writes q (16 a row); then 32 a
 * row for r -= a q with its two sums, and 48 a row for x += a p, p = d r + b p. */
#include <gsolve_io.h>
#include <string.h>

#include "bench.h"

int main(int argc, char **argv)
{
    if (argc < 4) {
        return fprintf(stderr, "usage: bench_krylov MATRIX THREADS RUNS [SOLVER [PRECOND]]\n"), 1;
    }
    const int threads = atoi(argv[2]), runs = atoi(argv[3]) > 0 ? atoi(argv[3]) : 5;
    const char *solver = argc > 4 ? argv[4] : "cg", *precond = argc > 5 ? argv[5] : "jacobi";
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_precond_info setup = GSOLVE_INIT(gsolve_precond_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_csr csr;
    char spec[32];

    snprintf(spec, sizeof spec, "cpu,threads=%d", threads);
    if (gsolve_context_create(&ctx, spec) || gsolve_read_matrix(&csr, ctx, argv[1], NULL, NULL) ||
        gsolve_matrix_create(&A, ctx, "csr", &csr) ||
        gsolve_precond_create(&M, ctx, precond, &csr) ||
        gsolve_solver_create(&S, ctx, solver, A, M)) {
        return fprintf(stderr, "%s\n", gsolve_error(ctx)), 1;
    }
    const size_t n = (size_t)csr.nrows;
    double *b = malloc(n * 8), *x = malloc(n * 8), *seconds = malloc((size_t)runs * 8);
    for (size_t i = 0; i < n; i++) b[i] = 1;
    for (int run = -1; run < runs; run++) {
        memset(x, 0, n * 8);
        if (gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows),
                              &result)) {
            return fprintf(stderr, "%s\n", gsolve_error(ctx)), 1;
        }
        if (run >= 0) seconds[run] = result.seconds / (result.iterations ? result.iterations : 1);
    }
    gsolve_matrix_describe(A, &info);
    gsolve_precond_describe(M, &setup);
    const double median = 1e3 * bench_median(seconds, runs), triad = bench_triad(threads);
    const double bytes = (double)info.bytes + 80.0 * (double)n;
    printf(
        "{\"bench\": \"bench_krylov\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
        "\"what\": \"%s+%s\", \"type\": \"f64\", \"columns\": 1, \"device\": \"cpu\", "
        "\"threads\": %d, \"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, "
        "\"iterations\": %d, \"residual\": %.3g, \"outcome\": \"%s\", \"setup_ms\": %.3f, "
        "\"triad_gbs\": %.2f, \"bytes\": %.0f, \"floor_ms\": %.4f, \"triad_share\": %.3f}\n",
        argv[1], csr.nrows, (long long)info.entries, solver, precond, threads, runs, median,
        1e3 * seconds[0], 1e3 * seconds[runs - 1], result.iterations, result.relative_residual,
        gsolve_outcome_text(result.outcome), 1e3 * setup.setup_seconds, 1e-9 * triad, bytes,
        1e3 * bytes / triad, 1e3 * bytes / triad / median);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    free(b), free(x), free(seconds);
    return result.outcome != GSOLVE_CONVERGED;
}
