/* bench_read.c: a Matrix Market file of 500 MB into compressed rows: by rows and by columns, parsed
 * and from the cache, with one thread and with two, and SciPy's mmread beside them.
 *
 *     bench_read [-s MEGABYTES] [-r RUNS] [-o FILE.json] [FOLDER]
 *
 * The files are made once, in FOLDER ($TMPDIR or /tmp). The floor is the time to read the file's
 * bytes from memory, at the bandwidth that a plain sum over an array reaches in the same run. */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gsolve_io.h"

#define NEIGHBOURS 31 /* entries of a row, as of quadratic tetrahedra */
#define MOST_RUNS  50
#define MOST_CASES 16

typedef struct bench_case {
    char what[64], path[500];
    int threads;
    bool cache;
    int runs;
    double ms[MOST_RUNS], floor_ms;
    int64_t bytes;
} bench_case;

static int32_t rows;
static int64_t entries;
static gsolve_csr reference; /* what every reading must give */
static gsolve_context *keeper;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(gsolve_status status, const gsolve_context *ctx)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "bench_read: %s\n", gsolve_error(ctx));
    exit(1);
}

/* --- the files ----------------------------------------------------------------------------- */

/* Three groups of neighbours: in one's own row of nodes, in the one before and in the one behind.
 */
static int64_t neighbour(int64_t i, int k)
{
    const int64_t across = 2000;
    return i + k - NEIGHBOURS / 2 + (k < 10 ? -across : k > 20 ? across : 0);
}

static void write_file(const char *path, int32_t n, bool by_columns)
{
    FILE *file = fopen(path, "w");
    int64_t count = 0;

    if (!file) {
        perror(path);
        exit(1);
    }
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < NEIGHBOURS; k++) count += neighbour(i, k) >= 0 && neighbour(i, k) < n;
    }
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %lld\n", n, n,
            (long long)count);
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < NEIGHBOURS; k++) {
            const int64_t j = neighbour(i, k), row = by_columns ? j : i, col = by_columns ? i : j;
            if (j < 0 || j >= n) continue;
            fprintf(file, "%lld %lld %.17g\n", (long long)row + 1, (long long)col + 1,
                    gsolve_random((uint64_t)row, (uint64_t)col));
        }
    }
    fflush(file);
    fsync(fileno(file)); /* and out of memory: it shall be there as reading brings it in */
    posix_fadvise(fileno(file), 0, 0, POSIX_FADV_DONTNEED);
    if (fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void make_file(char path[500], const char *folder, int megabytes, bool by_columns)
{
    struct stat s;

    snprintf(path, 500, "%s/bench_read_%d_%s.mtx", folder, megabytes,
             by_columns ? "columns" : "rows");
    if (stat(path, &s) == 0) return;
    fprintf(stderr, "making %s\n", path);
    write_file(path, (int32_t)(megabytes * 1e6 / (NEIGHBOURS * 32.5)), by_columns);
}

/* --- measuring ------------------------------------------------------------------------------ */

/* Bytes per second at which threads read memory. */
static double bandwidth(int threads)
{
    const size_t n = (size_t)1 << 26;
    double *x = malloc(n * sizeof *x), best = 1e30, sum = 0;

    if (!x) exit(1);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t k = 0; k < n; k++) x[k] = 1;
    for (int run = 0; run < 5; run++) {
        const double begin = now();
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : sum)
        for (size_t k = 0; k < n; k++) sum += x[k];
        best = fmin(best, now() - begin);
    }
    if (sum != 5 * (double)n) exit(1);
    free(x);
    return (double)(n * sizeof *x) / best;
}

static void check_same(const gsolve_csr *csr)
{
    if (!reference.start) {
        check(gsolve_csr_convert(&reference, keeper, GSOLVE_F64, csr), keeper);
        rows = csr->nrows;
        entries = gsolve_csr_entries(csr);
    }
    if (csr->nrows != rows || gsolve_csr_entries(csr) != entries || csr->offset != GSOLVE_O32 ||
        memcmp(csr->start, reference.start, ((size_t)rows + 1) * sizeof(int32_t)) != 0 ||
        memcmp(csr->col, reference.col, (size_t)entries * sizeof(int32_t)) != 0 ||
        memcmp(csr->value, reference.value, (size_t)entries * sizeof(double)) != 0) {
        fprintf(stderr, "bench_read: two readings differ\n");
        exit(1);
    }
}

static void run_case(bench_case *c)
{
    const gsolve_read_options options = {.cache = c->cache};
    gsolve_context *ctx = NULL;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_csr csr;
    char spec[32];

    snprintf(spec, sizeof spec, "cpu,threads=%d", c->threads);
    check(gsolve_context_create(&ctx, spec), NULL);
    const double begin = now();
    check(gsolve_read_matrix(&csr, ctx, c->path, &options, &source), ctx);
    const double end = now();
    if (c->cache && !source.cached) { /* this made the cache; the next run counts */
        run_case(c);
    } else {
        c->ms[c->runs++] = 1e3 * (end - begin);
        c->bytes = source.bytes;
        check_same(&csr);
    }
    gsolve_context_destroy(&ctx);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(bench_case *c)
{
    qsort(c->ms, (size_t)c->runs, sizeof *c->ms, compare);
    return (c->ms[(c->runs - 1) / 2] + c->ms[c->runs / 2]) / 2;
}

/* --- the peer --------------------------------------------------------------------------------- */

/* Milliseconds for SciPy to read the file into compressed rows, or 0: there is no SciPy. */
static double time_scipy(const char *path)
{
    static const char *const python[] = {"python3", "/usr/bin/python3"};
    char command[1200];
    double seconds = 0;
    long long found = 0;

    for (int k = 0; k < 2 && seconds == 0; k++) {
        snprintf(command, sizeof command,
                 "%s -c \"import time, scipy.io; t = time.perf_counter(); "
                 "A = scipy.io.mmread('%s').tocsr(); print(time.perf_counter() - t, A.nnz)\" 2>&-",
                 python[k], path);
        FILE *pipe = popen(command, "r");
        if (!pipe) return 0;
        if (fscanf(pipe, "%lf %lld", &seconds, &found) != 2) seconds = 0;
        pclose(pipe);
    }
    if (seconds > 0 && found != entries)
        fprintf(stderr, "bench_read: SciPy finds %lld entries\n", found);
    return 1e3 * seconds;
}

/* --- results ---------------------------------------------------------------------------------- */

static void put_commit(cJSON *record)
{
    char commit[64] = "";
    FILE *pipe = popen("git -C '" GSOLVE_SOURCE_DIR "' rev-parse --short HEAD 2>&-", "r");

    if (pipe && fgets(commit, sizeof commit, pipe)) commit[strcspn(commit, "\n")] = 0;
    if (pipe) pclose(pipe);
    if (commit[0]) {
        cJSON_AddStringToObject(record, "commit", commit);
    } else {
        cJSON_AddNullToObject(record, "commit");
    }
}

static void put_peer(cJSON *record, double peer_ms, double ms)
{
    if (peer_ms > 0) {
        cJSON_AddStringToObject(record, "peer", "scipy.io.mmread().tocsr()");
        cJSON_AddNumberToObject(record, "peer_ms", peer_ms);
        cJSON_AddNumberToObject(record, "ratio", peer_ms / ms);
    } else {
        cJSON_AddNullToObject(record, "peer");
        cJSON_AddNullToObject(record, "peer_ms");
        cJSON_AddNullToObject(record, "ratio");
    }
}

static cJSON *make_record(bench_case *c, double peer_ms)
{
    cJSON *record = cJSON_CreateObject();
    const time_t today = time(NULL);
    const char *slash = strrchr(c->path, '/');
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    char date[32];

    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&today));
    gsolve_context_describe(keeper, &info);
    cJSON_AddStringToObject(record, "bench", "bench_read");
    cJSON_AddStringToObject(record, "matrix", slash ? slash + 1 : c->path);
    cJSON_AddNumberToObject(record, "rows", rows);
    cJSON_AddNumberToObject(record, "entries", (double)entries);
    cJSON_AddStringToObject(record, "what", c->what);
    cJSON_AddStringToObject(record, "type", "f64");
    cJSON_AddNullToObject(record, "columns");
    cJSON_AddStringToObject(record, "device", info.description);
    put_commit(record);
    cJSON_AddStringToObject(record, "date", date);
    cJSON_AddNumberToObject(record, "runs", c->runs);
    cJSON_AddNumberToObject(record, "median_ms", median(c));
    cJSON_AddNumberToObject(record, "min_ms", c->ms[0]);
    cJSON_AddNumberToObject(record, "max_ms", c->ms[c->runs - 1]);
    cJSON_AddNumberToObject(record, "bytes", (double)c->bytes);
    cJSON_AddNumberToObject(record, "floor_ms", c->floor_ms);
    put_peer(record, peer_ms, median(c));
    cJSON_AddNumberToObject(record, "threads", c->threads);
    return record;
}

static void report(bench_case *cases, int count, double peer_ms, const char *output)
{
    cJSON *all = cJSON_CreateArray();

    printf("%-28s %7s %9s %9s %9s %8s %9s\n", "what", "threads", "median ms", "min ms", "MB/s",
           "x floor", "x SciPy");
    for (int k = 0; k < count; k++) {
        bench_case *c = &cases[k];
        const double ms = median(c);
        printf("%-28s %7d %9.1f %9.1f %9.0f %8.1f %9.1f\n", c->what, c->threads, ms, c->ms[0],
               1e-3 * (double)c->bytes / ms, ms / c->floor_ms, peer_ms / ms);
        cJSON_AddItemToArray(all, make_record(c, peer_ms));
    }
    if (peer_ms > 0) printf("%-28s %7d %9.1f\n", "SciPy, by rows", 1, peer_ms);
    char *text = cJSON_Print(all);
    FILE *file = output ? fopen(output, "w") : NULL;
    if (file && text) fprintf(file, "%s\n", text);
    if (output && (!file || fclose(file) != 0)) perror(output);
    cJSON_free(text);
    cJSON_Delete(all);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", *output = NULL;
    int megabytes = 500, runs = 7, count = 0;
    static bench_case cases[MOST_CASES];

    for (int option; (option = getopt(argc, argv, "s:r:o:")) != -1;) {
        if (option == 's') megabytes = atoi(optarg);
        if (option == 'r') runs = atoi(optarg);
        if (option == 'o') output = optarg;
        if (option == '?') return 1;
    }
    if (optind < argc) folder = argv[optind];
    if (runs < 1 || runs > MOST_RUNS || megabytes < 1) return 1;
    check(gsolve_context_create(&keeper, "cpu"), NULL);
    for (int threads = 1; threads <= 2; threads++) {
        const double speed = bandwidth(threads);
        for (int k = 0; k < 3; k++) { /* by rows, by columns, from the cache */
            bench_case *c = &cases[count++];
            make_file(c->path, folder, megabytes, k == 1);
            snprintf(c->what, sizeof c->what, "read %s%s", k == 1 ? "by columns" : "by rows",
                     k == 2 ? ", cached" : "");
            c->threads = threads;
            c->cache = k == 2;
            struct stat s;
            if (stat(c->path, &s) == 0) c->floor_ms = 1e3 * (double)s.st_size / speed;
        }
    }
    for (int run = -1; run < runs; run++) { /* interleaved; the first is not counted */
        for (int k = 0; k < count; k++) {
            run_case(&cases[k]);
            if (run < 0) cases[k].runs = 0;
        }
    }
    report(cases, count, time_scipy(cases[0].path), output);
    gsolve_context_destroy(&keeper);
    return 0;
}
