/* bench_auto.c: whole solves of 10, 100, 1000 and 10000 iterations with csr, with each other
 * format, and with auto, conversions included.
 *
 *     bench_auto MATRIX [METHOD [PRECOND [FORMAT...]]]
 *
 * METHOD: cg,resident=off; PRECOND: jacobi; FORMAT: all that the device knows but cusparse. A time
 * is that of building the format from rows which lie on the device, of the method's set-up, and of
 * the iterations, to a tolerance that is never reached: with rtol=0 (auto is then told the count by
 * maxit, row "auto"), and with rtol=1e-300 (auto has to find out on the way, row "auto found out").
 * All take turns in each round, each round begins with another; times are medians. The oracle is
 * the best of the formats, csr among them. ratio: auto's time over that of csr. share: auto's gain
 * over csr, of the oracle's; 1 where the oracle gains less than 1 %. made: the iterations of the
 * last solve; where they are fewer, r has become 0 or has lost its meaning, after a number that
 * depends on the bits of the format, and times cannot be compared. $GSOLVE_DEVICE names the
 * device (cuda); $COUNT is the one of the four counts to run. */
#include "bench/on_device.h"

#define MOST   24
#define ROUNDS 7

static const int counts[] = {10, 100, 1000, 10000};
enum { COUNTS = sizeof counts / sizeof *counts };

typedef struct row {
    const char *format, *rtol; /* NULL: not in the race */
    char form[64];             /* that it ended with */
    int made;                  /* iterations */
    double times[ROUNDS], median;
} row;

static gsolve_csr csr, rows_there; /* on the host; where kernels read them */
static const char *method = "cg,resident=off", *precond = "jacobi";
static gsolve_precond *M;
static gsolve_dense b, x;
static double *zeros;

/* Seconds from the rows to the solution; negative: the format refuses the matrix. */
static double solve(row *r, int iterations)
{
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    char spec[160];

    put_vector(x, zeros);
    if (gsolve_matrix_create(&A, ctx, r->format, &rows_there) != GSOLVE_OK) return -1;
    gsolve_matrix_describe(A, &info);
    wait_for_device(x.value);
    const double begin = bench_now() - info.build_seconds;
    snprintf(spec, sizeof spec, "%s,rtol=%s,stall=0,maxit=%d", method, r->rtol, iterations);
    check(gsolve_solver_create(&S, ctx, spec, A, M));
    check(gsolve_solver_run(S, b, x, &result));
    wait_for_device(x.value);
    const double seconds = bench_now() - begin;
    gsolve_matrix_describe(A, &info);
    snprintf(r->form, sizeof r->form, "%s", info.form);
    r->made = result.iterations;
    if (result.iterations != iterations) {
        fprintf(stderr, "bench_auto: %s: %s after %d of %d iterations\n", r->format,
                gsolve_outcome_text(result.outcome), result.iterations, iterations);
    }
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    return seconds;
}

/* csr, auto, auto that finds out, and the others, by name or all. */
static int make_rows(row *rows, int given, char **name)
{
    static const row first[] = {{.format = "csr", .rtol = "0"},
                                {.format = "auto", .rtol = "0"},
                                {.format = "auto", .rtol = "1e-300"}};
    const gsolve_plugin *format;
    int count = 3;

    memcpy(rows, first, sizeof first);
    for (int k = 0; k < given && count < MOST; k++) {
        rows[count++] = (row){.format = name[k], .rtol = "0"};
    }
    for (int k = 0; !given && count < MOST && (format = gsolve_format_at(ctx, k)); k++) {
        if (strcmp(format->name, "csr") == 0 || strcmp(format->name, "auto") == 0 ||
            strcmp(format->name, "cusparse") == 0) {
            continue;
        }
        rows[count++] = (row){.format = format->name, .rtol = "0"};
    }
    return count;
}

/* The rounds for one count of iterations; a format that refuses, or takes five times as long as csr
 * in the first round, drops out. */
static void race(row *rows, int count, int iterations, int rounds)
{
    for (int round = -1; round < rounds; round++) {
        for (int turn = 0; turn < count; turn++) {
            const int k = (turn + round + 1) % count; /* what went before is felt */
            if (!rows[k].format) continue;
            const double seconds = solve(&rows[k], iterations);
            rows[k].times[round < 0 ? 0 : round] = seconds;
            if (k >= 3 && round < 0 && (seconds < 0 || seconds > 5 * rows[0].times[0])) {
                fprintf(stderr, "bench_auto: %s: %s\n", rows[k].format,
                        seconds < 0 ? gsolve_error(ctx) : "more than five times as slow as csr");
                rows[k].format = NULL;
            }
        }
    }
    for (int k = 0; k < count; k++) rows[k].median = bench_median(rows[k].times, rounds);
}

static const row *oracle_of(const row *rows, int count)
{
    const row *best = &rows[0];

    for (int k = 3; k < count; k++) {
        if (rows[k].format && rows[k].median < best->median) best = &rows[k];
    }
    return best;
}

static void print_records(const char *matrix, row *rows, int count, int iterations, int rounds)
{
    const row *oracle = oracle_of(rows, count);
    const double plain = rows[0].median, gain = plain - oracle->median;

    for (int k = 0; k < count; k++) {
        const row *r = &rows[k];
        if (!r->format) continue;
        printf("{\"bench\": \"bench_auto\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
               "\"what\": \"%s%s\", \"method\": \"%s+%s\", \"type\": \"f64\", \"columns\": 1, "
               "\"device\": \"%s\", \"iterations\": %d, \"made\": %d, \"runs\": %d, "
               "\"median_ms\": %.4f, "
               "\"min_ms\": %.4f, \"max_ms\": %.4f, \"form\": \"%s\", \"csr_ms\": %.4f, "
               "\"oracle\": \"%s\", \"oracle_ms\": %.4f, \"ratio\": %.4f, \"share\": %.3f}\n",
               matrix, csr.nrows, (long long)gsolve_csr_entries(&csr), r->format,
               k == 2 ? " found out" : "", method, precond, about.description, iterations, r->made,
               rounds, 1e3 * r->median, 1e3 * r->times[0], 1e3 * r->times[rounds - 1], r->form,
               1e3 * plain, oracle->format, 1e3 * oracle->median, r->median / plain,
               gain > 0.01 * plain ? (plain - r->median) / gain : 1.0);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *only = getenv("COUNT");
    gsolve_matrix *given = NULL;

    if (argc < 2) {
        return fprintf(stderr, "usage: bench_auto MATRIX [METHOD [PRECOND [FORMAT...]]]\n"), 1;
    }
    open_device();
    if (argc > 2) method = argv[2];
    if (argc > 3) precond = argv[3];
    check(gsolve_read_matrix(&csr, ctx, argv[1], NULL, NULL));
    check(gsolve_matrix_create(&given, ctx, "csr", &csr));
    gsolve_matrix_device_csr(given, &rows_there);
    check(gsolve_precond_create(&M, ctx, precond, &csr));
    b = vector_on_device(GSOLVE_F64, csr.nrows, 1, true);
    x = vector_on_device(GSOLVE_F64, csr.nrows, 1, false);
    zeros = new_numbers(csr.nrows, false);
    for (int c = 0; c < COUNTS; c++) {
        if (only && atoi(only) != counts[c]) continue;
        const int rounds = counts[c] > 1000 ? 3 : ROUNDS;
        row rows[MOST];
        const int count = make_rows(rows, argc > 4 ? argc - 4 : 0, argv + 4);
        race(rows, count, counts[c], rounds);
        print_records(argv[1], rows, count, counts[c], rounds);
    }
    gsolve_free(ctx, location, b.value);
    gsolve_free(ctx, location, x.value);
    free(zeros);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&given);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
}
