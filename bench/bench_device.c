/* bench_device.c: products and iterations on a device, of which several kinds take turns.
 *
 *     bench_device [OPTIONS] product MATRIX FORMAT...                y = A x
 *     bench_device [OPTIONS] transposed MATRIX FORMAT...             y = A'x
 *     bench_device [OPTIONS] block MATRIX COLUMNS FORMAT...          so many columns at once
 *     bench_device [OPTIONS] solve MATRIX METHOD PRECOND FORMAT...   iterations
 *
 *     --type f64|f32|both     of the values (f64)
 *     --rounds N              in which all formats take turns (21, for iterations 5)
 *     --least ENTRIES         leaves out matrices of fewer
 *     MATRIX                  a name, or @FILE: the names in its lines
 *
 * One record for each format; one that refuses the matrix says why and has none. $GSOLVE_DEVICE
 * names the device (cuda). Peer: the best of the formats given whose name begins with cusparse, in
 * the same run. Times are medians over the rounds; a round repeats a product for 2 ms, and a format
 * that has taken half a second and three rounds is done. Iterations are timed as the difference of
 * a run of 300 and one of 100. Floor: the bytes that must move with plain compressed rows, at the
 * bandwidth of a copy within the device in the same run; own_bytes are those that the format says
 * its product moves. convert_ms: the conversion on the device from rows that lie there, the median
 * of several; setup_ms: the first of them. */
#include "bench/device_record.h"
#include "bench/large.h"

/* --- timing ---------------------------------------------------------------------------------- */

/* Waits until the device has done all it was given. */
static void wait(void *number)
{
    double here;
    check(gsolve_copy(ctx, &here, GSOLVE_HOST, number, location, sizeof(float)));
}

/* One product, from count of them in a row. */
static double products(const gsolve_matrix *A, gsolve_dense x, gsolve_dense y, int count)
{
    const double begin = bench_now();

    for (int k = 0; k < count; k++) {
        check((r.transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(A, 1, x, 0, y));
    }
    wait(y.value);
    return (bench_now() - begin) / count;
}

/* How many products a round takes, found on the way. The very first makes A', or the analysis for
 * several columns. */
static void warm_up(candidate *c, gsolve_dense x, gsolve_dense y)
{
    double one;

    c->first = products(c->A, x, y, 1);
    one = products(c->A, x, y, 1);
    if (one < 1e-3) one = products(c->A, x, y, 10);
    c->count = one > 2e-3 ? 1 : one > 1e-5 ? (int)(2e-3 / one) : 200;
}

static double iterations(const gsolve_matrix *A, const gsolve_precond *M, gsolve_dense b,
                         gsolve_dense x)
{
    double seconds[2];

    for (int k = 0; k < 2; k++) {
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        char spec[128];
        snprintf(spec, sizeof spec, "%s,rtol=0,stall=0,maxit=%d", r.method, k ? 300 : 100);
        check(gsolve_solver_create(&S, ctx, spec, A, M));
        seconds[k] = 1e30;
        for (int run = 0; run < 3; run++) {
            double *zeros = new_numbers(x.nrows, false);
            put_vector(x, zeros);
            free(zeros);
            check(gsolve_solver_run(S, b, x, &result));
            if (result.iterations != (k ? 300 : 100)) {
                fprintf(stderr, "bench_device: %s ended after %d iterations: %s\n", r.method,
                        result.iterations, gsolve_outcome_text(result.outcome));
                exit(1);
            }
            if (result.seconds < seconds[k]) seconds[k] = result.seconds;
        }
        gsolve_solver_destroy(&S);
    }
    return (seconds[1] - seconds[0]) / 200;
}

/* --- one matrix ------------------------------------------------------------------------------ */

/* The form from rows on the device, several times, of which the last stays. */
static void convert(candidate *c, const gsolve_csr *csr)
{
    double seconds[BUILDS], sum = 0;
    int builds = 0;

    while (builds < BUILDS && (builds < 3 || sum < 0.3)) {
        gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
        gsolve_matrix_destroy(&c->A);
        if (gsolve_matrix_create(&c->A, ctx, c->spec, csr) != GSOLVE_OK) {
            fprintf(stderr, "bench_device: %s: %s: %s\n", r.matrix, c->spec, gsolve_error(ctx));
            return;
        }
        gsolve_matrix_describe(c->A, &info);
        seconds[builds++] = info.build_seconds;
        sum += info.build_seconds;
    }
    c->setup = seconds[0];
    c->convert = bench_median(seconds, builds);
}

static bool wants_more(const candidate *c)
{
    return c->A && (c->rounds < 3 || c->spent < 0.5 || r.solve);
}

/* csr: where the formats are made from; host: where a preconditioner is. */
static void measure(const gsolve_csr *csr, const gsolve_csr *host)
{
    const int32_t in = r.transposed ? csr->nrows : csr->ncols;
    const int32_t out = r.transposed ? csr->ncols : csr->nrows;
    const gsolve_dense x = vector_on_device(csr->type, in, r.columns, true);
    const gsolve_dense y = vector_on_device(csr->type, out, r.columns, false);
    double *reference = NULL;
    gsolve_precond *M = NULL;

    if (r.solve) check(gsolve_precond_create(&M, ctx, r.precond, host));
    for (candidate *c = r.format; c < r.format + r.formats; c++) {
        if (!c->A) continue;
        if (r.solve) {
            iterations(c->A, M, x, y);
        } else {
            warm_up(c, x, y);
        }
        c->apart = apart_from_first(y, &reference);
    }
    for (int round = 0; round < r.rounds; round++) {
        for (candidate *c = r.format; c < r.format + r.formats; c++) {
            if (!wants_more(c)) continue;
            const double t = r.solve ? iterations(c->A, M, x, y) : products(c->A, x, y, c->count);
            c->times[c->rounds++] = t;
            c->spent += t * (r.solve ? 1 : c->count);
        }
    }
    free(reference);
    gsolve_precond_destroy(&M);
    gsolve_free(ctx, location, x.value);
    gsolve_free(ctx, location, y.value);
}

/* All formats of r with csr, on the host. */
static void measure_rows(const gsolve_csr *csr)
{
    gsolve_csr there = rows_on_device(csr);

    for (candidate *c = r.format; c < r.format + r.formats; c++) {
        const char *spec = c->spec;
        *c = (candidate){.spec = spec};
        convert(c, &there);
    }
    measure(&there, csr);
    for (candidate *c = r.format; c < r.format + r.formats; c++) {
        if (c->A) c->median = bench_median(c->times, c->rounds);
    }
    for (candidate *c = r.format; c < r.format + r.formats; c++) {
        if (c->A) print_record(c, best_peer(), csr);
        gsolve_matrix_destroy(&c->A);
    }
    fflush(stdout);
    if (location == GSOLVE_DEVICE) gsolve_csr_free(&there, ctx);
}

static bool measure_matrix(const char *name)
{
    gsolve_csr csr, narrow;
    bool taken = true;

    r.matrix = name;
    if (gsolve_read_matrix(&csr, ctx, name, NULL, NULL) != GSOLVE_OK) {
        fprintf(stderr, "bench_device: %s\n", gsolve_error(ctx));
        return false;
    }
    if (gsolve_csr_entries(&csr) >= r.least) {
        if (r.type[GSOLVE_F64]) measure_rows(&csr);
        if (r.type[GSOLVE_F32]) {
            taken = gsolve_csr_convert(&narrow, ctx, GSOLVE_F32, &csr) == GSOLVE_OK;
            if (taken) measure_rows(&narrow);
            if (taken) gsolve_csr_free(&narrow, ctx);
            if (!taken) fprintf(stderr, "bench_device: %s: %s\n", name, gsolve_error(ctx));
        }
    }
    gsolve_csr_free(&csr, ctx);
    return taken;
}

/* --- what is asked for ----------------------------------------------------------------------- */

static bool measure_list(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    bool all = file != NULL;

    if (!file) fprintf(stderr, "bench_device: cannot read %s\n", path);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line) all = measure_matrix(line) && all;
    }
    if (file) fclose(file);
    return all;
}

/* --KEY VALUE */
static bool parse_option(const char *key, const char *value)
{
    const bool both = strcmp(value, "both") == 0;

    if (strcmp(key, "--type") == 0) {
        r.type[GSOLVE_F64] = both || strcmp(value, "f64") == 0;
        r.type[GSOLVE_F32] = both || strcmp(value, "f32") == 0;
        return r.type[GSOLVE_F64] || r.type[GSOLVE_F32];
    }
    if (strcmp(key, "--rounds") == 0) return (r.rounds = atoi(value)) > 0 && r.rounds <= ROUNDS;
    if (strcmp(key, "--least") == 0) return (r.least = atoll(value)) >= 0;
    return false;
}

static bool parse(int argc, char **argv)
{
    static candidate format[MOST];
    int at = 1;

    r.type[GSOLVE_F64] = true;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (!parse_option(argv[at], argv[at + 1])) return false;
    }
    if (argc - at < 3) return false;
    r.operation = argv[at++];
    r.matrix = argv[at++];
    r.columns = strcmp(r.operation, "block") == 0 ? atoi(argv[at++]) : 1;
    r.transposed = strcmp(r.operation, "transposed") == 0;
    r.solve = strcmp(r.operation, "solve") == 0;
    if (r.solve && argc - at >= 2) {
        r.method = argv[at++];
        r.precond = argv[at++];
    }
    if (r.rounds == 0) r.rounds = r.solve ? 5 : 21;
    r.format = format;
    r.formats = argc - at;
    if (r.formats < 1 || r.formats > MOST || r.columns < 1) return false;
    for (int f = 0; f < r.formats; f++) format[f].spec = argv[at + f];
    return r.transposed || (r.solve && r.precond) || strcmp(r.operation, "block") == 0 ||
           strcmp(r.operation, "product") == 0;
}

int main(int argc, char **argv)
{
    bool all;

    if (!parse(argc, argv)) {
        return fprintf(stderr,
                       "usage: bench_device [OPTIONS] product MATRIX FORMAT...\n"
                       "       bench_device [OPTIONS] transposed MATRIX FORMAT...\n"
                       "       bench_device [OPTIONS] block MATRIX COLUMNS FORMAT...\n"
                       "       bench_device [OPTIONS] solve MATRIX METHOD PRECOND FORMAT...\n"
                       "options: --type f64|f32|both, --rounds N, --least ENTRIES\n"),
               1;
    }
    open_device();
    r.bandwidth = copy_bandwidth();
    all = r.matrix[0] == '@' ? measure_list(r.matrix + 1) : measure_matrix(r.matrix);
    gsolve_context_destroy(&ctx);
    return !all;
}
