/* bench_calibrate.c: the times from which bench/calibrate.py makes the constants of the cost model
 * (matrix/cost_model.h).
 *
 *     bench_calibrate [ROUNDS]
 *
 * Prints one JSON record for each time, in ns. ROUNDS (10): each time is the least of so many; on
 * one thread of a CPU it is processor time. So other work on the machine matters little.
 * $GSOLVE_DEVICE names the device (cuda). A run takes less than two minutes on one core and less
 * than one on a GPU. The records are
 *
 *     product     y = A x in one format; build_ns: the conversion from rows that lie on the device;
 *                 step_ns: a step of cg with jacobi (0: not measured); and the statistics of the
 *                 matrix that the model reads (gsolve_pattern_sample)
 *     iteration   a step of cg with one preconditioner; setup_ns: the set-up of the preconditioner
 *     on_chip     a step of cg with jacobi that keeps the matrix on the chip of a GPU
 *
 * All matrices are in double precision. */
#include "matrix/sample.h" /* first: its parameters may have the names of on_device.h */

#include "bench/on_device.h"

/* --- matrices ------------------------------------------------------------------------------------
 * The name says what the matrix is measured for. The size on a CPU: a multiple of the cache of a
 * core; on a GPU: a multiple of the L2 cache. */

typedef struct subject {
    const char *name, *on_cpu, *on_cuda; /* NULL: not measured there */
} subject;

static const subject products[] = {
    {"regular", "gen:poisson3d27,n=64", "gen:poisson3d27,n=100"},
    {"regular", NULL, "gen:poisson3d27,n=56"},
    {"regular_cached", "gen:poisson3d27,n=24",
     "gen:poisson3d27,n=40"},                                         /* a solve stays in a cache */
    {"regular_short", "gen:poisson2d,n=110", "gen:poisson2d,n=1400"}, /* rows */
    {"regular_short", NULL, "gen:poisson2d,n=700"},
    {"regular_short", NULL, "gen:poisson3d,n=120"},
    {"regular_short", NULL, "gen:poisson3d,n=70"},
    {"regular_short", NULL, "gen:tridiagonal,n=4000000"},
    {"blocks", "gen:elasticity3d,n=28", "gen:elasticity3d,n=50"},
    {"blocks", NULL, "gen:elasticity3d,n=30"},
    {"blocks_cached", "gen:elasticity3d,n=10", "gen:elasticity3d,n=20"},
    {"blocks_scattered", NULL, "gen:band,n=60000,row=80,width=5000"},
    {"blocks_scattered", NULL, "gen:band,n=200000,row=40,width=1500"},
    {"far", "gen:random,n=500000,row=16", "gen:random,n=1000000,row=16"},
    {"far", NULL, "gen:random,n=400000,row=12"},
    {"far", NULL, "gen:shuffled3d,n=100"},
    {"far", NULL, "gen:shuffled3d,n=160"},
    {"beyond", NULL, "gen:random,n=8000000,row=4"},      /* x does not fit into the L2 cache */
    {"uneven", "gen:web,n=400000", "gen:web,n=1000000"}, /* lengths of rows */
    {"uneven", NULL, "gen:web,n=500000"},
    {"uneven", NULL, "gen:rmat,scale=17,degree=16"},
    {"uneven", NULL, "gen:rmat,scale=19,degree=12"},
    {"uneven", NULL, "gen:lengths,n=1000000,mean=20,deviation=10"},
    {"long", NULL, "gen:circuit,n=2000000"}, /* some rows are much longer than most */
    {"long", NULL, "gen:circuit,n=500000"},
    {"irregular", NULL, "gen:lp,n=4000,cols=1100000,row=2700"},
    {"irregular", NULL, "gen:lp,n=1500,cols=500000,row=1800"},
    {"small", "gen:poisson3d,n=12", "gen:poisson3d,n=24"},
    {"small_long", NULL, "gen:circuit,n=30000"},
};

/* The sizes are those between which the choice of a preconditioner changes. */
static const subject solves[] = {
    {"plain", "gen:poisson2d,n=60", "gen:poisson3d,n=16"},
    {"plain", "gen:poisson2d,n=150", "gen:poisson2d,n=700"},
    {"plain", "gen:poisson3d,n=44", "gen:poisson3d,n=96"},
    {"plain", "gen:poisson3d,n=70", "gen:poisson3d,n=128"},
    {"plain", "gen:poisson3d27,n=40", "gen:poisson3d27,n=80"},
    {"blocks", "gen:elasticity3d,n=10", "gen:elasticity3d,n=10"},
    {"blocks", "gen:elasticity3d,n=16", "gen:elasticity3d,n=20"},
    {"blocks", "gen:elasticity3d,n=24", "gen:elasticity3d,n=32"},
};

static const char *const formats[] = {"csr", "sell", "bsr", "bce", "segmented"};
static const char *const preconds[] = {"jacobi", "ic", "amg"};

enum { FORMATS = sizeof formats / sizeof *formats, PRECONDS = sizeof preconds / sizeof *preconds };

static int rounds = 10;

static double now(void)
{
    struct timespec t;

    if (location == GSOLVE_DEVICE || gsolve_threads(ctx) > 1) return bench_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *matrix_of(const subject *s)
{
    return location == GSOLVE_HOST ? s->on_cpu : s->on_cuda;
}

/* Its rows stay on the host, where `auto` has them when it sets up a preconditioner. */
static gsolve_matrix *read_matrix(const char *matrix, const char *format)
{
    gsolve_context *home = NULL;
    gsolve_matrix *A = NULL;
    gsolve_csr csr;

    if (gsolve_context_create(&home, "cpu") || gsolve_read_matrix(&csr, home, matrix, NULL, NULL)) {
        fprintf(stderr, "bench_calibrate: %s: %s\n", matrix, gsolve_error(home));
        exit(1);
    }
    check(gsolve_matrix_create(&A, ctx, format, &csr));
    gsolve_csr_free(&csr, home);
    gsolve_context_destroy(&home);
    return A;
}

static void keep_least(double *least, double seconds)
{
    if (*least == 0 || seconds < *least) *least = seconds;
}

static void print_begin(const char *what, const char *name, const char *matrix,
                        const gsolve_matrix *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(A, &info);
    printf("{\"bench\": \"bench_calibrate\", \"what\": \"%s\", \"name\": \"%s\", "
           "\"matrix\": \"%s\", \"rows\": %d, \"columns\": %d, \"entries\": %lld, "
           "\"device\": \"%s\", \"machine\": \"%s\", ",
           what, name, matrix, info.nrows, info.ncols, (long long)info.entries, about.device,
           about.description);
}

/* --- steps of cg --------------------------------------------------------------------------------
 */

/* The steps of a short and of a long run. On a CPU amg computes with numbers below the normal ones
 * after a dozen steps, which is slow. On a GPU short runs differ by more than a step takes, and a
 * step of ic takes milliseconds. */
static void steps_of(const char *precond, int steps[2])
{
    const bool is_amg = strcmp(precond, "amg") == 0, is_ic = strcmp(precond, "ic") == 0;

    steps[0] = location == GSOLVE_HOST ? 4 : is_ic ? 10 : 20;
    steps[1] = location == GSOLVE_HOST ? (is_amg ? 12 : 36) : is_ic ? 40 : 100;
}

/* Seconds of a step of cg: a long run less a short one; 0 if the method fails in the short one. */
static double time_step(const gsolve_matrix *A, const gsolve_precond *M, const char *method,
                        const int steps[2])
{
    gsolve_dense b, x;
    gsolve_csr rows;
    double least[2] = {0};
    int made[2] = {0};

    gsolve_matrix_device_csr(A, &rows);
    b = vector_on_device(GSOLVE_F64, rows.nrows, 1, true);
    x = vector_on_device(GSOLVE_F64, rows.nrows, 1, false);
    double *zeros = new_numbers(rows.nrows, false);
    for (int k = 0; k < 2; k++) {
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        char spec[80];
        snprintf(spec, sizeof spec, "%s,rtol=0,stall=0,maxit=%d", method, steps[k]);
        check(gsolve_solver_create(&S, ctx, spec, A, M));
        for (int round = -1; round < rounds; round++) {
            put_vector(x, zeros);
            wait_for_device(x.value);
            const double begin = now();
            check(gsolve_solver_run(S, b, x, &result));
            wait_for_device(x.value);
            if (round >= 0) keep_least(&least[k], now() - begin);
            made[k] = result.iterations;
        }
        gsolve_solver_destroy(&S);
    }
    free(zeros);
    gsolve_free(ctx, location, b.value);
    gsolve_free(ctx, location, x.value);
    return made[1] > made[0] ? (least[1] - least[0]) / (made[1] - made[0]) : 0;
}

/* --- products ----------------------------------------------------------------------------------
 */

typedef struct candidate {
    gsolve_matrix *A;
    double product, build; /* the least seconds */
    double step;           /* seconds of a step of cg with jacobi; 0: not measured */
} candidate;

/* Seconds of a product: the mean of as many as take at least two milliseconds. */
static double time_product(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y)
{
    double begin = now();
    int count = 1;

    for (;; count *= 2) {
        for (int k = 0; k < count; k++) check(gsolve_matrix_apply(A, 1, x, 0, y));
        wait_for_device(y.value);
        if (now() - begin > 2e-3) return (now() - begin) / count;
        begin = now();
    }
}

static double build_seconds(const gsolve_matrix *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(A, &info);
    return info.build_seconds;
}

/* In each round all formats take turns. */
static void time_formats(candidate *candidates, const gsolve_csr *rows)
{
    const gsolve_dense x = vector_on_device(GSOLVE_F64, rows->ncols, 1, true);
    const gsolve_dense y = vector_on_device(GSOLVE_F64, rows->nrows, 1, false);

    for (int f = 0; f < FORMATS; f++) {
        candidate *c = &candidates[f];
        for (int round = 0; round < rounds; round++) {
            gsolve_matrix_destroy(&c->A);
            if (gsolve_matrix_create(&c->A, ctx, formats[f], rows) != GSOLVE_OK) break;
            keep_least(&c->build, build_seconds(c->A));
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (candidate *c = candidates; c < candidates + FORMATS; c++) {
            if (c->A) keep_least(&c->product, time_product(c->A, x, y));
        }
    }
    gsolve_free(ctx, location, x.value);
    gsolve_free(ctx, location, y.value);
}

/* On a GPU only: there the vectors of a step take the place of the matrix in the L2 cache, so that
 * formats differ by other times than in products alone. */
static void time_steps(candidate *candidates, const gsolve_csr *rows, const gsolve_matrix *A)
{
    gsolve_precond *M = NULL;
    int steps[2];

    if (location == GSOLVE_HOST || rows->nrows != rows->ncols) return;
    check(gsolve_precond_create_from(&M, ctx, "jacobi", A));
    steps_of("jacobi", steps);
    for (candidate *c = candidates; c < candidates + FORMATS; c++) {
        if (c->A) c->step = time_step(c->A, M, "cg,resident=off", steps);
    }
    gsolve_precond_destroy(&M);
}

/* The statistics that the cost model reads. */
static void print_sample(const gsolve_pattern_sample *g)
{
    printf("\"longest_row\": %d, \"empty_rows\": %d, \"filled8\": %lld, \"filled32\": %lld, "
           "\"narrow\": %.6f, \"far\": %.6f, \"irregular\": %.6f, \"block\": [0, 1",
           g->longest_row, g->empty_rows, (long long)g->filled8, (long long)g->filled32, g->narrow,
           g->far, g->irregular);
    for (int b = 2; b <= GS_SAMPLE_BLOCK; b++) printf(", %.6f", g->block[b]);
    printf("], ");
}

static void measure_products(const subject *s)
{
    gsolve_matrix *A = read_matrix(matrix_of(s), "csr");
    candidate candidates[FORMATS] = {0};
    gsolve_pattern_sample sample;
    gsolve_csr rows;

    gsolve_matrix_device_csr(A, &rows);
    check(gs_sample_pattern(ctx, &rows, &sample, NULL));
    time_formats(candidates, &rows);
    time_steps(candidates, &rows, A);
    for (int f = 0; f < FORMATS; f++) {
        candidate *c = &candidates[f];
        gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
        if (!c->A) continue;
        gsolve_matrix_describe(c->A, &info);
        print_begin("product", s->name, matrix_of(s), A);
        print_sample(&sample);
        printf("\"format\": \"%s\", \"form\": \"%s\", \"bytes\": %zu, \"ns\": %.1f, "
               "\"step_ns\": %.1f, \"build_ns\": %.0f}\n",
               formats[f], info.form, info.bytes, 1e9 * c->product, 1e9 * c->step, 1e9 * c->build);
        gsolve_matrix_destroy(&c->A);
    }
    fflush(stdout);
    gsolve_matrix_destroy(&A);
}

/* --- iterations --------------------------------------------------------------------------------
 */

static void measure_iterations(const char *what, const char *method, const subject *s, int count)
{
    /* converted as in a long solve, before the first step that is timed */
    gsolve_matrix *A = read_matrix(matrix_of(s), "auto,expect=100000");
    const gsolve_dense v = vector_on_device(GSOLVE_F64, 1, 1, false);
    for (int p = 0; p < count; p++) {
        gsolve_precond *M = NULL;
        double setup = 0;
        for (int k = 0; k < 3; k++) {
            gsolve_precond_destroy(&M);
            wait_for_device(v.value);
            const double begin = now();
            check(gsolve_precond_create_from(&M, ctx, preconds[p], A));
            wait_for_device(v.value);
            keep_least(&setup, now() - begin);
        }
        int steps[2];
        steps_of(preconds[p], steps);
        const double step = time_step(A, M, method, steps);
        if (step <= 0) {
            fprintf(stderr, "bench_calibrate: %s: %s fails\n", matrix_of(s), preconds[p]);
            exit(1);
        }
        print_begin(what, s->name, matrix_of(s), A);
        printf("\"precond\": \"%s\", \"ns\": %.1f, \"setup_ns\": %.0f}\n", preconds[p], 1e9 * step,
               1e9 * setup);
        gsolve_precond_destroy(&M);
    }
    fflush(stdout);
    gsolve_free(ctx, location, v.value);
    gsolve_matrix_destroy(&A);
}

int main(int argc, char **argv)
{
    static const subject on_chip = {"on_chip", NULL, "gen:poisson3d,n=60"};

    if (argc > 1) rounds = atoi(argv[1]);
    if (rounds < 1) return fprintf(stderr, "usage: bench_calibrate [ROUNDS]\n"), 1;
    open_device();
    for (size_t k = 0; k < sizeof products / sizeof *products; k++) {
        if (matrix_of(&products[k])) measure_products(&products[k]);
    }
    for (size_t k = 0; k < sizeof solves / sizeof *solves; k++) {
        measure_iterations("iteration", "cg,resident=off", &solves[k], PRECONDS);
    }
    if (matrix_of(&on_chip)) measure_iterations("on_chip", "cg", &on_chip, 1);
    gsolve_context_destroy(&ctx);
    return 0;
}
