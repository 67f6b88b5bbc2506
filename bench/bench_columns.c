/* bench_columns.c: k right-hand sides one after another, side by side, and as a block.
 *
 *     bench_columns DEVICE MATRIX FORMAT K RUNS [SOLVER [PRECOND [BLOCK]]]
 *
 * b = random numbers in [-1, 1), another column for each; x0 = 0; all on the device. In every run
 * each column alone, then all side by side, then by the method BLOCK if there is one, so that what
 * else the machine does hits all of them. Prints one JSON record with the medians: alone_ms of the
 * mean column, per_column_ms of all side by side, the ratio of these two, and iterations. */
#include <gsolve_io.h>
#include <gsolve_plugin.h>
#include <string.h>

#include "bench.h"

typedef struct operands {
    gsolve_context *ctx;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_dense b, x;
    void *zeros;
} operands;

static void fail(const operands *o)
{
    fprintf(stderr, "%s\n", gsolve_error(o->ctx));
    exit(1);
}

static void make_vectors(operands *o, int32_t n, int32_t k)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    const size_t count = (size_t)n * (size_t)k;
    double *b = malloc(count * 8);
    uint64_t state = 12345;

    gsolve_context_describe(o->ctx, &info);
    const gsolve_location location = strcmp(info.device, "cuda") == 0 ? GSOLVE_DEVICE : GSOLVE_HOST;
    const gsolve_dense shape = {n, k, n, NULL, GSOLVE_F64, location, GSOLVE_COLUMN_MAJOR};
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        b[i] = (double)(state >> 11) / 4503599627370496.0 - 1;
    }
    o->b = o->x = shape;
    o->b.value = gsolve_alloc(o->ctx, location, count, 8);
    o->x.value = gsolve_alloc(o->ctx, location, count, 8);
    o->zeros = calloc(count, 8);
    if (!o->b.value || !o->x.value) fail(o);
    if (gsolve_copy(o->ctx, o->b.value, location, b, GSOLVE_HOST, count * 8)) fail(o);
    free(b);
}

static gsolve_dense column(gsolve_dense v, int32_t c)
{
    v.value = (double *)v.value + c * v.stride;
    v.ncols = 1;
    return v;
}

/* Solves for all columns of b; the seconds. */
static double solve(const operands *o, gsolve_solver *S, gsolve_dense b, gsolve_dense x,
                    gsolve_result *result)
{
    const size_t bytes = (size_t)b.nrows * (size_t)b.ncols * 8;

    if (gsolve_copy(o->ctx, x.value, x.location, o->zeros, GSOLVE_HOST, bytes)) fail(o);
    if (gsolve_solver_run(S, b, x, result)) fail(o);
    return result->seconds;
}

static gsolve_solver *make_solver(const operands *o, const char *spec)
{
    gsolve_solver *S = NULL;

    if (spec && gsolve_solver_create(&S, o->ctx, spec, o->A, o->M)) fail(o);
    return S;
}

/* "12 13 12": the iterations of each column. */
static void say_iterations(const gsolve_solver *S, int32_t k)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int32_t c = 0; c < k; c++) {
        gsolve_solver_column(S, c, &result);
        printf("%s%d", c ? " " : "", result.iterations);
    }
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: bench_columns DEVICE MATRIX FORMAT K RUNS [SOLVER [PRECOND "
                        "[BLOCK]]]\n");
        return 1;
    }
    const int k = atoi(argv[4]) > 0 ? atoi(argv[4]) : 8;
    const int runs = atoi(argv[5]) > 0 ? atoi(argv[5]) : 5;
    const char *solver = argc > 6 ? argv[6] : "cg", *precond = argc > 7 ? argv[7] : "jacobi";
    const char *block = argc > 8 ? argv[8] : NULL;
    operands o = {0};
    gsolve_result one = GSOLVE_INIT(gsolve_result), all = GSOLVE_INIT(gsolve_result);
    gsolve_result blocked = GSOLVE_INIT(gsolve_result);
    gsolve_csr csr;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    if (gsolve_context_create(&o.ctx, argv[1]) ||
        gsolve_read_matrix(&csr, o.ctx, argv[2], NULL, NULL) ||
        gsolve_matrix_create(&o.A, o.ctx, argv[3], &csr) ||
        gsolve_precond_create(&o.M, o.ctx, precond, &csr)) {
        fail(&o);
    }
    make_vectors(&o, csr.nrows, k);
    gsolve_solver *S = make_solver(&o, solver), *many = make_solver(&o, solver);
    gsolve_solver *B = make_solver(&o, block);
    double *alone = calloc((size_t)runs, 8), *side = calloc((size_t)runs, 8);
    double *with = calloc((size_t)runs, 8);
    int least = 1 << 30, most = 0, different = 0;
    for (int run = -1; run < runs; run++) {
        double sum = 0;
        const double now = solve(&o, many, o.b, o.x, &all);
        least = 1 << 30, most = different = 0;
        for (int32_t c = 0; c < k; c++) {
            gsolve_result column_of = GSOLVE_INIT(gsolve_result);
            sum += solve(&o, S, column(o.b, c), column(o.x, c), &one);
            gsolve_solver_column(many, c, &column_of);
            different += column_of.iterations != one.iterations;
            least = one.iterations < least ? one.iterations : least;
            most = one.iterations > most ? one.iterations : most;
        }
        const double then = B ? solve(&o, B, o.b, o.x, &blocked) : 0;
        if (run >= 0) alone[run] = sum / k, side[run] = now / k, with[run] = then / k;
    }
    gsolve_matrix_describe(o.A, &info);
    const double ms = 1e3 * bench_median(alone, runs), each = 1e3 * bench_median(side, runs);
    printf("{\"bench\": \"bench_columns\", \"matrix\": \"%s\", \"rows\": %d, \"what\": \"%s+%s\", "
           "\"format\": \"%s\", \"columns\": %d, \"runs\": %d, \"alone_ms\": %.4f, "
           "\"per_column_ms\": %.4f, \"ratio\": %.3f, \"iterations_alone\": [%d, %d], "
           "\"different\": %d, \"outcome\": \"%s\", \"iterations\": \"",
           argv[2], csr.nrows, solver, precond, info.form, k, runs, ms, each, each / ms, least,
           most, different, gsolve_outcome_text(all.outcome));
    say_iterations(many, k);
    printf("\"");
    if (B) {
        const double block_ms = 1e3 * bench_median(with, runs);
        printf(", \"block\": \"%s\", \"block_ms\": %.4f, \"block_ratio\": %.3f, "
               "\"block_outcome\": \"%s\", \"block_residual\": %.2g, \"block_iterations\": \"",
               block, block_ms, block_ms / each, gsolve_outcome_text(blocked.outcome),
               blocked.relative_residual);
        say_iterations(B, k);
        printf("\"");
    }
    printf("}\n");
    gsolve_context_destroy(&o.ctx);
    free(o.zeros), free(alone), free(side), free(with);
    return 0;
}
