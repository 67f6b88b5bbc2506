/* bench_context.c: the times to create, use and destroy a context.
 *
 *     bench_context [DEVICE [COUNT]]
 *
 * DEVICE: cuda, if none is given; COUNT: 20. Each of COUNT contexts solves a small system. The
 * first times of a process include the start of the GPU and the loading of kernels. Writes a record
 * for each part: the first time, the median and the maximum of the others, in milliseconds. */
#include <string.h>

#include "bench/bench.h"
#include "gsolve.h"
#include "gsolve_io.h"

enum {
    CREATE,
    ALLOCATE,
    MATRIX,
    FIRST_PRODUCT,
    PRODUCT,
    JACOBI,
    SOLVE,
    IC,
    AMG,
    DESTROY_ALL,
    DESTROY,
    CREATE_EMPTY,
    DESTROY_EMPTY,
    PARTS,
    MOST = 1000
};

static const char *const name[PARTS] = {"create",
                                        "allocate and free 64 MB",
                                        "matrix",
                                        "first product",
                                        "second product",
                                        "set-up of jacobi",
                                        "solve by cg",
                                        "set-up of ic and a solve",
                                        "set-up of amg and a solve",
                                        "destroy the handles",
                                        "destroy",
                                        "create, no use",
                                        "destroy, no use"};

static gsolve_context *ctx;
static double seconds[PARTS][MOST], since;

static void check(gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "bench_context: %s\n", gsolve_error(ctx));
    exit(1);
}

/* The part has ended. */
static void stop(int part, int run)
{
    const double now = bench_now();

    seconds[part][run] = now - since;
    since = bench_now();
}

static void solve_by(gsolve_matrix *A, const char *precond, gsolve_dense b, gsolve_dense x)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(x.value, 0, (size_t)x.nrows * sizeof(double));
    check(gsolve_precond_create_from(&M, ctx, precond, A));
    check(gsolve_solver_create(&S, ctx, "cg", A, M));
    check(gsolve_solver_run(S, b, x, &result));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
}

static void use(const gsolve_csr *csr, gsolve_dense b, gsolve_dense x, int run)
{
    gsolve_precond *M = NULL;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    gsolve_free(ctx, GSOLVE_DEVICE, gsolve_alloc(ctx, GSOLVE_DEVICE, 64 << 20, 1));
    stop(ALLOCATE, run);
    check(gsolve_matrix_create(&A, ctx, "csr", csr));
    stop(MATRIX, run);
    check(gsolve_matrix_apply(A, 1, b, 0, x)); /* x is on the host, so the call waits */
    stop(FIRST_PRODUCT, run);
    check(gsolve_matrix_apply(A, 1, b, 0, x));
    stop(PRODUCT, run);
    memset(x.value, 0, (size_t)x.nrows * sizeof(double));
    check(gsolve_precond_create_from(&M, ctx, "jacobi", A));
    stop(JACOBI, run);
    check(gsolve_solver_create(&S, ctx, "cg", A, M));
    check(gsolve_solver_run(S, b, x, &result));
    stop(SOLVE, run);
    solve_by(A, "ic", b, x);
    stop(IC, run);
    solve_by(A, "amg", b, x);
    stop(AMG, run);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    stop(DESTROY_ALL, run);
}

static void run_once(const char *device, const gsolve_csr *csr, gsolve_dense b, gsolve_dense x,
                     int run)
{
    since = bench_now();
    check(gsolve_context_create(&ctx, device));
    stop(CREATE, run);
    use(csr, b, x, run);
    gsolve_context_destroy(&ctx);
    stop(DESTROY, run);
    check(gsolve_context_create(&ctx, device));
    stop(CREATE_EMPTY, run);
    gsolve_context_destroy(&ctx);
    stop(DESTROY_EMPTY, run);
}

int main(int count, char **argument)
{
    const char *device = count > 1 ? argument[1] : "cuda";
    const int runs = count > 2 ? atoi(argument[2]) : 20;
    gsolve_context *home = NULL;
    gsolve_csr csr;

    if (runs < 2 || runs > MOST) {
        fprintf(stderr, "usage: bench_context [DEVICE [COUNT]], COUNT from 2 to %d\n", MOST);
        return 2;
    }
    check(gsolve_context_create(&home, "cpu"));
    check(gsolve_read_matrix(&csr, home, "gen:poisson3d,n=30", NULL, NULL));
    double *b = malloc((size_t)csr.nrows * sizeof *b), *x = malloc((size_t)csr.nrows * sizeof *x);
    for (int i = 0; i < csr.nrows; i++) b[i] = 1, x[i] = 0;
    for (int run = 0; run < runs; run++) {
        run_once(device, &csr, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), run);
    }
    for (int k = 0; k < PARTS; k++) {
        const double first = seconds[k][0], median = bench_median(seconds[k] + 1, runs - 1);
        printf("{\"bench\": \"context\", \"device\": \"%s\", \"what\": \"%s\", \"runs\": %d, "
               "\"first_ms\": %.3f, \"median_ms\": %.3f, \"max_ms\": %.3f}\n",
               device, name[k], runs, 1e3 * first, 1e3 * median, 1e3 * seconds[k][runs - 1]);
    }
    gsolve_csr_free(&csr, home);
    gsolve_context_destroy(&home);
    free(b);
    free(x);
    return 0;
}
