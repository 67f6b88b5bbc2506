/* bench_device.c: products and iterations on a device, of which several kinds take turns.
 *
 *     bench_device product MATRIX FORMAT...         one record for each format
 *     bench_device solve MATRIX METHOD PRECOND FORMAT...   one record for each format
 *
 * $GSOLVE_DEVICE names the device (cuda). The first format is measured against the best of the
 * others. Times are medians over rounds in which all formats take turns; a round repeats a product
 * for 2 ms or ten times. Iterations are timed as the difference of a run of 300 and one of 100.
 * Floor: the bytes that must move, at the bandwidth of a copy within the device in the same run. */
#include "bench/on_device.h"

#define ROUNDS 21
#define MOST   8

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

    for (int k = 0; k < count; k++) check(gsolve_matrix_apply(A, 1, x, 0, y));
    wait(y.value);
    return (bench_now() - begin) / count;
}

static double product_once(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y, int *count)
{
    if (*count == 0) {
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
    double *now = new_numbers(y.nrows, false);

    get_vector(y, is_first ? first : now);
    const double apart = is_first ? 0 : difference(now, first, y.nrows);
    free(now);
    return apart;
}

int main(int argc, char **argv)
{
    const bool solve = argc > 1 && strcmp(argv[1], "solve") == 0;
    const int first = solve ? 5 : 3, formats = argc - first;
    gsolve_matrix *A[MOST] = {NULL};
    gsolve_precond *M = NULL;
    gsolve_matrix_info info = {0};
    gsolve_csr csr;
    static double times[MOST][ROUNDS];
    double apart[MOST] = {0}, medians[MOST];
    int count[MOST] = {0};

    if (formats < 1 || formats > MOST) {
        return fprintf(stderr, "usage: bench_device product MATRIX FORMAT...\n"
                               "       bench_device solve MATRIX METHOD PRECOND FORMAT...\n"),
               1;
    }
    open_device();
    const double bandwidth = copy_bandwidth();
    check(gsolve_read_matrix(&csr, ctx, argv[2], NULL, NULL));
    for (int f = 0; f < formats; f++)
        check(gsolve_matrix_create(&A[f], ctx, argv[first + f], &csr));
    if (solve) check(gsolve_precond_create(&M, ctx, argv[4], &csr));
    const gsolve_dense x = vector_on_device(csr.ncols, true),
                       y = vector_on_device(csr.nrows, false);
    double *reference = malloc(((size_t)csr.nrows + 1) * sizeof *reference);
    const int rounds = solve ? 5 : ROUNDS;
    for (int round = -1; round < rounds; round++) {
        for (int f = 0; f < formats; f++) {
            const double t = solve ? iteration_once(A[f], M, argv[3], x, y)
                                   : product_once(A[f], x, y, &count[f]);
            if (round >= 0) times[f][round] = t;
            if (round < 0) apart[f] = compare(y, reference, f == 0);
        }
    }
    gsolve_matrix_describe(A[0], &info);
    double best = 0;
    for (int f = 0; f < formats; f++) {
        medians[f] = 1e3 * bench_median(times[f], rounds);
        if (f > 0 && (best == 0 || medians[f] < best)) best = medians[f];
    }
    for (int f = 0; f < formats; f++) {
        const double ms = medians[f], bytes = (double)info.bytes;
        gsolve_matrix_describe(A[f], &info);
        printf("{\"bench\": \"bench_device\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
               "\"what\": \"%s%s%s%s%s\", \"type\": \"f64\", \"columns\": 1, \"device\": \"%s\", "
               "\"runs\": %d, \"median_ms\": %.5f, \"min_ms\": %.5f, \"max_ms\": %.5f, "
               "\"bytes\": %.0f, \"copy_gbs\": %.1f, \"floor_ms\": %.5f, \"peer_ms\": %.5f, "
               "\"ratio\": %.3f, \"setup_ms\": %.3f, \"difference\": %.2g}\n",
               argv[2], csr.nrows, (long long)info.entries, argv[first + f], solve ? " " : "",
               solve ? argv[3] : "", solve ? "+" : "", solve ? argv[4] : "", about.description,
               rounds, ms, 1e3 * times[f][0], 1e3 * times[f][rounds - 1], bytes, 1e-9 * bandwidth,
               1e3 * bytes / bandwidth, best, f == 0 && best > 0 ? best / ms : 1.0,
               1e3 * info.build_seconds, apart[f]);
    }
    free(reference);
    gsolve_free(ctx, place, x.value);
    gsolve_free(ctx, place, y.value);
    for (int f = 0; f < formats; f++) gsolve_matrix_destroy(&A[f]);
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
}
