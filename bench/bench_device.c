/* bench_device.c: products and iterations on a device, of which several kinds take turns.
 *
 *     bench_device product MATRIX FORMAT...                y = A x
 *     bench_device transposed MATRIX FORMAT...             y = A'x
 *     bench_device block MATRIX COLUMNS FORMAT...          so many columns at once
 *     bench_device solve MATRIX METHOD PRECOND FORMAT...   iterations
 *
 * One record for each format; one that refuses the matrix says why and has none. $GSOLVE_DEVICE
 * names the device (cuda). The first format is measured against the best of the others. Times are
 * medians over rounds in which all formats take turns; a round repeats a product for 2 ms or ten
 * times. Iterations are timed as the difference of a run of 300 and one of 100. Floor: the bytes
 * that must move, at the bandwidth of a copy within the device in the same run. */
#include "bench/on_device.h"

#define ROUNDS 21
#define MOST   8

static bool transposed;

/* Waits until the device has done all it was given. */
static void wait(void *number)
{
    double here;
    check(gsolve_copy(ctx, &here, GSOLVE_HOST, number, place, sizeof here));
}

/* One product, from count of them in a row. */
static double products(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y, int count)
{
    const double begin = bench_now();

    for (int k = 0; k < count; k++) {
        check((transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(A, 1, x, 0, y));
    }
    wait(y.value);
    return (bench_now() - begin) / count;
}

/* *first: seconds of the very first, in which A' is made, or the analysis for several columns. */
static double product_once(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y, int *count,
                           double *first)
{
    if (*count == 0) {
        *first = products(A, x, y, 1);
        products(A, x, y, 10);
        const double one = products(A, x, y, 10);
        *count = one > 2e-4 ? 10 : one > 1e-5 ? (int)(2e-3 / one) : 200;
    }
    return products(A, x, y, *count);
}

static double iteration_once(const gsolve_matrix *A, const gsolve_precond *M, const char *method,
                             gsolve_dense b, gsolve_dense x)
{
    double seconds[2];

    for (int k = 0; k < 2; k++) {
        gsolve_solver *S = NULL;
        gsolve_result result;
        char spec[128];
        snprintf(spec, sizeof spec, "%s,rtol=0,stall=0,maxit=%d", method, k ? 300 : 100);
        check(gsolve_solver_create(&S, ctx, spec, A, M));
        seconds[k] = 1e30;
        for (int run = 0; run < 3; run++) {
            double *zeros = new_numbers(x.nrows, false);
            put_vector(x, zeros);
            free(zeros);
            check(gsolve_solver_run(S, b, x, &result));
            if (result.iterations != (k ? 300 : 100)) {
                fprintf(stderr, "bench_device: %s ended after %d iterations: %s\n", method,
                        result.iterations, gsolve_outcome_text(result.outcome));
                exit(1);
            }
            if (result.seconds < seconds[k]) seconds[k] = result.seconds;
        }
        gsolve_solver_destroy(&S);
    }
    return (seconds[1] - seconds[0]) / 200;
}

/* y and the first product compared; the first is kept. */
static double compare(gsolve_dense y, double *first, bool is_first)
{
    const int64_t count = (int64_t)y.nrows * y.ncols;
    double *now = new_numbers(count, false);

    get_vector(y, is_first ? first : now);
    const double apart = is_first ? 0 : difference(now, first, count);
    free(now);
    return apart;
}

typedef struct run { /* what was asked for */
    const char *operation, *matrix, *method, *precond;
    char **format;
    int formats;
    int32_t columns;
    bool solve;
    gsolve_matrix *A[MOST]; /* NULL: the format refuses the matrix */
    double times[MOST][ROUNDS], first[MOST], apart[MOST];
    int rounds;
} run;

static bool parse(run *r, int argc, char **argv)
{
    const bool named = argc > 1;
    int first = 3;

    r->operation = named ? argv[1] : "";
    r->matrix = argc > 2 ? argv[2] : "";
    r->columns = 1;
    transposed = strcmp(r->operation, "transposed") == 0;
    if (strcmp(r->operation, "block") == 0) {
        r->columns = argc > 3 ? atoi(argv[3]) : 0;
        first = 4;
    } else if (strcmp(r->operation, "solve") == 0) {
        r->solve = true;
        r->method = argc > 3 ? argv[3] : "";
        r->precond = argc > 4 ? argv[4] : "";
        first = 5;
    } else if (!transposed && strcmp(r->operation, "product") != 0) {
        return false;
    }
    r->format = argv + first;
    r->formats = argc - first;
    return r->formats >= 1 && r->formats <= MOST && r->columns > 0;
}

static void build(run *r, const gsolve_csr *csr)
{
    for (int f = 0; f < r->formats; f++) {
        const gsolve_status status = gsolve_matrix_create(&r->A[f], ctx, r->format[f], csr);
        if (f == 0) check(status);
        if (!r->A[f]) fprintf(stderr, "bench_device: %s: %s\n", r->format[f], gsolve_error(ctx));
    }
}

static void measure(run *r, const gsolve_csr *csr)
{
    const int32_t in = transposed ? csr->nrows : csr->ncols;
    const int32_t out = transposed ? csr->ncols : csr->nrows;
    const gsolve_dense x = vector_on_device(in, r->columns, true);
    const gsolve_dense y = vector_on_device(out, r->columns, false);
    double *reference = new_numbers((int64_t)out * r->columns, false);
    gsolve_precond *M = NULL;
    int count[MOST] = {0};

    if (r->solve) check(gsolve_precond_create(&M, ctx, r->precond, csr));
    r->rounds = r->solve ? 5 : ROUNDS;
    for (int round = -1; round < r->rounds; round++) {
        for (int f = 0; f < r->formats; f++) {
            if (!r->A[f]) continue;
            const double t = r->solve ? iteration_once(r->A[f], M, r->method, x, y)
                                      : product_once(r->A[f], x, y, &count[f], &r->first[f]);
            if (round >= 0) r->times[f][round] = t;
            if (round < 0) r->apart[f] = compare(y, reference, f == 0);
        }
    }
    free(reference);
    gsolve_precond_destroy(&M);
    gsolve_free(ctx, place, x.value);
    gsolve_free(ctx, place, y.value);
}

/* peer_ms: the best of the other formats, or 0. */
static void print_record(run *r, int f, double bandwidth, double peer_ms)
{
    const double ms = 1e3 * bench_median(r->times[f], r->rounds);
    gsolve_matrix_info info, first;

    gsolve_matrix_describe(r->A[f], &info);
    gsolve_matrix_describe(r->A[0], &first);
    const double bytes =
        (double)first.bytes + (r->columns - 1) * 8. * (info.nrows + (double)info.ncols);
    printf("{\"bench\": \"bench_device\", \"operation\": \"%s\", \"matrix\": \"%s\", "
           "\"rows\": %d, \"entries\": %lld, \"what\": \"%s%s%s%s%s\", \"type\": \"f64\", "
           "\"columns\": %d, \"device\": \"%s\", \"runs\": %d, \"median_ms\": %.5f, "
           "\"min_ms\": %.5f, \"max_ms\": %.5f, \"first_ms\": %.3f, \"bytes\": %.0f, "
           "\"copy_gbs\": %.1f, \"floor_ms\": %.5f, \"peer_ms\": %.5f, \"ratio\": %.3f, "
           "\"setup_ms\": %.3f, \"stored\": %lld, \"difference\": %.2g}\n",
           r->operation, r->matrix, info.nrows, (long long)info.entries, r->format[f],
           r->solve ? " " : "", r->solve ? r->method : "", r->solve ? "+" : "",
           r->solve ? r->precond : "", r->columns, about.description, r->rounds, ms,
           1e3 * r->times[f][0], 1e3 * r->times[f][r->rounds - 1], 1e3 * r->first[f], bytes,
           1e-9 * bandwidth, 1e3 * bytes / bandwidth, peer_ms,
           f == 0 && peer_ms > 0 ? peer_ms / ms : 1.0, 1e3 * info.build_seconds,
           (long long)info.stored, r->apart[f]);
}

int main(int argc, char **argv)
{
    static run r;
    gsolve_csr csr;
    double best = 0;

    if (!parse(&r, argc, argv)) {
        return fprintf(stderr, "usage: bench_device product MATRIX FORMAT...\n"
                               "       bench_device transposed MATRIX FORMAT...\n"
                               "       bench_device block MATRIX COLUMNS FORMAT...\n"
                               "       bench_device solve MATRIX METHOD PRECOND FORMAT...\n"),
               1;
    }
    open_device();
    const double bandwidth = copy_bandwidth();
    check(gsolve_read_matrix(&csr, ctx, r.matrix, NULL, NULL));
    build(&r, &csr);
    measure(&r, &csr);
    for (int f = 1; f < r.formats; f++) {
        const double median = r.A[f] ? 1e3 * bench_median(r.times[f], r.rounds) : 0;
        if (r.A[f] && (best == 0 || median < best)) best = median;
    }
    for (int f = 0; f < r.formats; f++) {
        if (r.A[f]) print_record(&r, f, bandwidth, best);
    }
    for (int f = 0; f < r.formats; f++) gsolve_matrix_destroy(&r.A[f]);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
}
