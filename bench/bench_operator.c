/* bench_operator.c: an iteration of cg with a matrix-free operator, beside the same product as a
 * registered format and beside csr, in fp64 without a preconditioner.
 *
 *     bench_operator [N]        7-point Poisson on N x N x N points, N = 128 by default
 *
 * $GSOLVE_DEVICE names the device (cuda). Measured are
 *
 *     operator          a matrix of gsolve_matrix_create_operator, whose function launches a kernel
 *     operator, no capture    the same with GSOLVE_FUNCTION_NO_CAPTURE
 *     format            a format of gsolve_register_format, which launches the same kernel
 *     operator of csr   an operator whose function calls gsolve_matrix_apply of a matrix in csr
 *     csr               that matrix, with the inner product in the pass of the product
 *
 * An iteration is the difference of a run of 300 and one of 60, divided by 240. In each of 21
 * rounds all take turns. The ratio is the time of the iteration with `format` to that of the row.
 * The products that reach the function tell whether graphs were recorded. All solve to the same x,
 * which is checked first. */
#include "bench/on_device.h"
#include "bench/operator_kernel.h"

enum { ROUNDS = 21, FEW = 60, MANY = 300, COUNT = 5 };

typedef struct product { /* what the functions share */
    int n, calls;
    const gsolve_matrix *A; /* NULL: the stencil */
} product;

typedef struct candidate {
    const char *name;
    gsolve_matrix *A;
    gsolve_solver *few, *many;
    product *calls_of;
    int calls; /* of the function, in a run of MANY */
    double times[ROUNDS];
} candidate;

static product stencil, uncaptured, of_csr, of_format;
static gsolve_csr csr;
static gsolve_dense B, X;
static double *zeros;

/* --- products --------------------------------------------------------------------------------- */

/* On the host, where there is no kernel. */
static void multiply_on_host(int n, const double *x, double *y)
{
    const int64_t line = n, plane = line * n;

#pragma omp parallel for schedule(static)
    for (int k = 0; k < n; k++) {
        for (int64_t at = k * plane; at < (k + 1) * plane; at++) {
            const int64_t i = at % line, j = at / line % n;
            double sum = 6 * x[at];
            if (i > 0) sum -= x[at - 1];
            if (i + 1 < n) sum -= x[at + 1];
            if (j > 0) sum -= x[at - line];
            if (j + 1 < n) sum -= x[at + line];
            if (k > 0) sum -= x[at - plane];
            if (k + 1 < n) sum -= x[at + plane];
            y[at] = sum;
        }
    }
}

static gsolve_status multiply(gsolve_context *context, gsolve_dense x, gsolve_dense y, void *user)
{
    product *p = user;

    p->calls++;
    if (p->A) return gsolve_matrix_apply(p->A, 1, x, 0, y);
    if (location == GSOLVE_HOST) {
        multiply_on_host(p->n, x.value, y.value);
        return GSOLVE_OK;
    }
    if (launch_stencil(gsolve_stream(context), p->n, x.value, y.value)) return GSOLVE_OK;
    return gsolve_fail(context, GSOLVE_DEVICE_FAILED, "the stencil cannot be launched");
}

static gsolve_status build(void **self, gsolve_context *context, const gsolve_csr *rows,
                           int64_t entries, const void *options, void *user)
{
    (void)context, (void)rows, (void)entries, (void)options;
    *self = user;
    return GSOLVE_OK;
}

static void destroy(void *self, gsolve_context *context)
{
    (void)self, (void)context;
}

static gsolve_status apply(void *self, gsolve_context *context, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    if (alpha == 1 && beta == 0) return multiply(context, x, y, self);
    return gsolve_fail(context, GSOLVE_UNSUPPORTED, "the stencil computes y = A x only");
}

/* --- measurement ------------------------------------------------------------------------------ */

static gsolve_solver *new_solver(const gsolve_matrix *A, int maxit)
{
    gsolve_solver *S = NULL;
    char spec[80];

    snprintf(spec, sizeof spec, "cg,rtol=0,stall=0,resident=off,maxit=%d", maxit);
    check(gsolve_solver_create(&S, ctx, spec, A, NULL));
    return S;
}

static double run(gsolve_solver *S, int iterations)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    put_vector(X, zeros);
    check(gsolve_solver_run(S, B, X, &result));
    if (result.iterations == iterations) return result.seconds;
    fprintf(stderr, "bench_operator: %d iterations instead of %d\n", result.iterations, iterations);
    exit(1);
}

static void measure(candidate *c, int round)
{
    const double few = run(c->few, FEW);
    const int before = c->calls_of ? c->calls_of->calls : 0;

    c->times[round] = (run(c->many, MANY) - few) / (MANY - FEW);
    if (c->calls_of) c->calls = c->calls_of->calls - before;
}

/* Ends the program unless the first MANY iterations with c end at the x of the first candidate. */
static void compare(const candidate *c, double *expected, bool first)
{
    double *x = new_numbers(csr.nrows, false);

    run(c->many, MANY);
    get_vector(X, first ? expected : x);
    if (!first && !(difference(x, expected, csr.nrows) <= 1e-6)) {
        fprintf(stderr, "bench_operator: x of %s differs by %g\n", c->name,
                difference(x, expected, csr.nrows));
        exit(1);
    }
    free(x);
}

static void print_record(candidate *c, double format)
{
    const double median = bench_median(c->times, ROUNDS); /* sorts them */

    printf("{\"bench\": \"bench_operator\", \"matrix\": \"gen:poisson3d,n=%d\", \"rows\": %d, "
           "\"what\": \"cg\", \"type\": \"f64\", \"columns\": 1, \"product\": \"%s\", "
           "\"device\": \"%s\", \"runs\": %d, \"median_ms\": %.5f, \"min_ms\": %.5f, "
           "\"max_ms\": %.5f, \"calls_in_300_iterations\": %d, \"format_ms\": %.5f, "
           "\"ratio\": %.4f}\n",
           stencil.n, csr.nrows, c->name, about.description, ROUNDS, 1e3 * median,
           1e3 * c->times[0], 1e3 * c->times[ROUNDS - 1], c->calls, 1e3 * format, format / median);
}

int main(int argc, char **argv)
{
    static const gsolve_format format = {.size = sizeof format,
                                         .plugin = {"stencil", "the stencil", NULL, 0},
                                         .user = &of_format,
                                         .build = build,
                                         .destroy = destroy,
                                         .apply = apply};
    candidate all[COUNT] = {{.name = "operator", .calls_of = &stencil},
                            {.name = "operator, no capture", .calls_of = &uncaptured},
                            {.name = "format", .calls_of = &of_format},
                            {.name = "operator of csr", .calls_of = &of_csr},
                            {.name = "csr"}};
    const int n = argc > 1 ? atoi(argv[1]) : 128;
    const int32_t rows = n * n * n;
    char name[64];
    double *expected;

    if (n < 2 || n > 1000) return fprintf(stderr, "usage: bench_operator [N]\n"), 1;
    open_device();
    snprintf(name, sizeof name, "gen:poisson3d,n=%d", n);
    check(gsolve_read_matrix(&csr, ctx, name, NULL, NULL));
    stencil.n = uncaptured.n = of_format.n = n;
    check(gsolve_register_format(ctx, &format));
    check(gsolve_matrix_create(&all[4].A, ctx, "csr", &csr));
    check(gsolve_matrix_create(&all[2].A, ctx, "stencil", &csr));
    of_csr.A = all[4].A;
    check(gsolve_matrix_create_operator(&all[0].A, ctx, rows, rows, GSOLVE_F64, multiply, NULL,
                                        &stencil));
    check(gsolve_matrix_create_operator(&all[1].A, ctx, rows, rows, GSOLVE_F64, multiply, NULL,
                                        &uncaptured));
    check(gsolve_matrix_set_flags(all[1].A, GSOLVE_FUNCTION_NO_CAPTURE));
    check(gsolve_matrix_create_operator(&all[3].A, ctx, rows, rows, GSOLVE_F64, multiply, NULL,
                                        &of_csr));
    B = vector_on_device(GSOLVE_F64, rows, 1, true);
    X = vector_on_device(GSOLVE_F64, rows, 1, false);
    zeros = new_numbers(rows, false);
    expected = new_numbers(rows, false);
    for (int c = 0; c < COUNT; c++) {
        all[c].few = new_solver(all[c].A, FEW);
        all[c].many = new_solver(all[c].A, MANY);
        compare(&all[c], expected, c == 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int c = 0; c < COUNT; c++) measure(&all[c], round);
    }
    const double beside = bench_median(all[2].times, ROUNDS);
    for (int c = 0; c < COUNT; c++) print_record(&all[c], beside);
    free(zeros);
    free(expected);
    gsolve_context_destroy(&ctx); /* also frees the vectors and the other handles */
    return 0;
}
