/* bench_factor.c: sparse factorisations by each library of the build, in turn.
 *
 *     bench_factor [RUNS [MATRIX...]]
 *
 * RUNS: 3; MATRIX: a file or gen:NAME,...; without one a list of generated matrices. For Cholesky,
 * if A is symmetric with a positive diagonal, and for LU writes a record for each library: medians
 * of the times of the analysis with the factorisation (create_ms), of a factorisation of new values
 * with the kept analysis (update_ms) and of a solve; the entries of the factors, the operations and
 * the residual |b - A x| / |b| without refinement. A factorisation that would pass 300 million
 * entries or 300 billion operations is left out. Times are those of the processor, so that other
 * programs disturb little; OMP_THREAD_LIMIT=1 keeps CHOLMOD on one thread, too. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "factor/factor.h"
#include "gsolve.h"
#include "gsolve_io.h"

enum { CREATE, UPDATE, SOLVE, PARTS, MOST = 100 };

static const char *const generated[] = {
    "gen:poisson2d,n=300", "gen:poisson3d,n=10",  "gen:poisson3d,n=32", "gen:elasticity3d,n=12",
    "gen:convdiff3d,n=10", "gen:convdiff3d,n=24", "gen:circuit,n=200",  "gen:tridiagonal,n=100000"};

static gsolve_context *ctx;

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "bench_factor: %s\n", gsolve_error(ctx));
    exit(1);
}

static double residual(const gsolve_csr *A, const double *x)
{
    double sum = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        double r = 1;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            r -= gs_value(A, k) * x[A->col[k]];
        }
        sum += r * r;
    }
    return sqrt(sum / A->nrows);
}

/* Factors and solves once. False: the factorisation is refused. */
static bool run_once(const gs_factor_library *library, const gs_factor_request *request,
                     const gsolve_csr *A, double *x, int run, double seconds[PARTS][MOST],
                     gs_direct_cost *cost)
{
    gs_factorisation *F = NULL;
    double since = cpu_seconds();

    if (gs_factorisation_create(&F, ctx, library, request, A) != GSOLVE_OK) return false;
    seconds[CREATE][run] = cpu_seconds() - since;
    since = cpu_seconds();
    check(gs_factorisation_update(F, ctx, request->limit, A));
    seconds[UPDATE][run] = cpu_seconds() - since;
    for (int32_t i = 0; i < A->nrows; i++) x[i] = 1;
    check(gs_factorisation_solve(F, false, x, x)); /* allocates, perhaps */
    for (int32_t i = 0; i < A->nrows; i++) x[i] = 1;
    since = cpu_seconds();
    check(gs_factorisation_solve(F, false, x, x));
    seconds[SOLVE][run] = cpu_seconds() - since;
    *cost = gs_factorisation_cost(F);
    gs_factorisation_destroy(F, ctx);
    return true;
}

static void measure(const char *matrix, const gs_factor_library *library, gs_factor_kind kind,
                    bool diagonal, const gsolve_csr *A, int runs)
{
    const gs_factor_request request = {.kind = kind, .diagonal = diagonal, .limit = {300e6, 300e9}};
    double *x = malloc((size_t)A->nrows * sizeof *x), seconds[PARTS][MOST];
    gs_direct_cost cost;
    bool done = true;

    for (int run = 0; done && run < runs; run++) {
        done = run_once(library, &request, A, x, run, seconds, &cost);
    }
    if (done) {
        printf("{\"bench\": \"factor\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
               "\"kind\": \"%s\", \"library\": \"%s\", \"runs\": %d, \"create_ms\": %.3f, "
               "\"update_ms\": %.3f, \"solve_ms\": %.3f, \"factor_entries\": %.0f, "
               "\"operations\": %.4g, \"residual\": %.1e}\n",
               matrix, A->nrows, (long long)gs_start(A, A->nrows), gs_factor_kind_name(kind),
               library->name, runs, 1e3 * bench_median(seconds[CREATE], runs),
               1e3 * bench_median(seconds[UPDATE], runs), 1e3 * bench_median(seconds[SOLVE], runs),
               cost.entries, cost.operations, residual(A, x));
        fflush(stdout);
    } else {
        fprintf(stderr, "%s, %s by %s: %s\n", matrix, gs_factor_kind_name(kind), library->name,
                gsolve_error(ctx));
    }
    free(x);
}

static void measure_all(const char *matrix, int runs)
{
    const gs_factor_library *library;
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_csr read, A;

    check(gsolve_read_matrix(&read, ctx, matrix, NULL, NULL));
    check(gsolve_csr_convert(&A, ctx, GSOLVE_F64, &read));
    check(gsolve_csr_statistics(ctx, &A, &t));
    const bool definite = t.symmetric && !t.zero_diagonals && !t.negative_diagonals;
    const bool diagonal = t.symmetric_pattern && !t.zero_diagonals;
    for (gs_factor_kind kind = definite ? GS_CHOLESKY : GS_LU; kind <= GS_LU; kind++) {
        for (int k = 0; (library = gs_factor_library_at(k)); k++) {
            if (library->computes[kind]) measure(matrix, library, kind, diagonal, &A, runs);
        }
    }
    gsolve_csr_free(&A, ctx);
    gsolve_csr_free(&read, ctx);
}

int main(int count, char **argument)
{
    const int runs = count > 1 ? atoi(argument[1]) : 3;

    if (runs < 1 || runs > MOST) {
        fprintf(stderr, "usage: bench_factor [RUNS [MATRIX...]], RUNS from 1 to %d\n", MOST);
        return 2;
    }
    check(gsolve_context_create(&ctx, "cpu,threads=1"));
    for (int k = 2; k < count; k++) measure_all(argument[k], runs);
    for (size_t k = 0; count <= 2 && k < sizeof generated / sizeof *generated; k++) {
        measure_all(generated[k], runs);
    }
    gsolve_context_destroy(&ctx);
    return 0;
}
