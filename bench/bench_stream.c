/* bench_stream.c: products whose x and y live on the host, chunk after chunk.
 *
 *     bench_stream MATRIX FORMAT COLUMNS [memory=MB] [chunk=N] [rows] [f32] [bands] [pageable]
 *
 * rows: x and y by rows; bands: the matrix comes from the host as well, in bands of rows; pageable:
 * x and y in ordinary memory instead of locked pages. $GSOLVE_DEVICE names the device (cuda).
 *
 * One record: the medians of three runs that overlap and of three that do not, in turns, and their
 * ratio (factor). bound_ms: what the slowest of three takes alone: x to the device, the products of
 * chunks that are there, y from the device; share: bound_ms / median_ms. */
#include "bench/locked.h"
#include "bench/on_device.h"

enum { RUNS = 3 };

typedef struct setup {
    const char *matrix, *format;
    int32_t columns;
    gsolve_stream_options options;
    gsolve_type type;
    gsolve_layout layout;
    bool bands, pageable;
} setup;

static void read_setup(setup *s, int argc, char **argv)
{
    s->matrix = argv[1];
    s->format = argv[2];
    s->columns = atoi(argv[3]);
    s->type = GSOLVE_F64;
    for (int k = 4; k < argc; k++) {
        if (strncmp(argv[k], "memory=", 7) == 0) {
            s->options.memory = (size_t)(atof(argv[k] + 7) * 1e6);
        } else if (strncmp(argv[k], "chunk=", 6) == 0) {
            s->options.columns = atoi(argv[k] + 6);
        } else if (strcmp(argv[k], "rows") == 0) {
            s->layout = GSOLVE_ROW_MAJOR;
        } else if (strcmp(argv[k], "f32") == 0) {
            s->type = GSOLVE_F32;
        } else if (strcmp(argv[k], "bands") == 0) {
            s->bands = true;
        } else if (strcmp(argv[k], "pageable") == 0) {
            s->pageable = true;
        } else {
            fprintf(stderr, "bench_stream: %s: memory=, chunk=, rows, f32, bands, pageable\n",
                    argv[k]);
            exit(1);
        }
    }
}

/* n x columns random numbers on the host. */
static gsolve_dense on_host(const setup *s, int32_t n)
{
    const size_t count = (size_t)n * (size_t)s->columns;
    gsolve_dense v = {n,        s->columns, s->layout == GSOLVE_ROW_MAJOR ? s->columns : n,
                      NULL,     s->type,    GSOLVE_HOST,
                      s->layout};

    v.value =
        s->pageable ? malloc(count * size_of(s->type)) : locked_alloc(count * size_of(s->type));
    if (!v.value) check(GSOLVE_NO_MEMORY);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) {
        const double value = (double)(i % 1009) / 1009 - 0.5;
        if (s->type == GSOLVE_F32) {
            ((float *)v.value)[i] = (float)value;
        } else {
            ((double *)v.value)[i] = value;
        }
    }
    return v;
}

static double stream_once(const setup *s, const gsolve_matrix *A, const gsolve_csr *csr,
                          gsolve_dense x, gsolve_dense y, bool in_turn, gsolve_stream_info *info)
{
    gsolve_stream_options o = s->options;

    o.sequential = in_turn;
    if (s->bands) {
        o.format = s->format;
        check(gsolve_csr_stream(ctx, csr, 1, x, 0, y, &o, info));
    } else {
        check(gsolve_matrix_stream(A, 1, x, 0, y, &o, info));
    }
    return info->seconds;
}

static gsolve_dense chunk_on_device(const setup *s, int32_t n, int32_t columns)
{
    gsolve_dense v = {n,        columns, s->layout == GSOLVE_ROW_MAJOR ? columns : n,
                      NULL,     s->type, location,
                      s->layout};

    v.value = gsolve_alloc(ctx, location, (size_t)n * (size_t)columns, size_of(s->type));
    if (!v.value) check(GSOLVE_NO_MEMORY);
    return v;
}

/* Seconds that bytes take to the device, or from it. */
static double copy_alone(void *here, void *there, size_t bytes, bool out)
{
    double best = 1e30;

    for (int run = 0; run < RUNS; run++) {
        const double begin = bench_now();
        check(out ? gsolve_copy(ctx, here, GSOLVE_HOST, there, location, bytes)
                  : gsolve_copy(ctx, there, location, here, GSOLVE_HOST, bytes));
        if (bench_now() - begin < best) best = bench_now() - begin;
    }
    return best;
}

/* Seconds of all chunks' copies to and from the device, and of their products, each alone. */
static void measure_alone(const setup *s, const gsolve_matrix *A, gsolve_dense x, gsolve_dense y,
                          const gsolve_stream_info *info, double alone[3])
{
    gsolve_dense X = chunk_on_device(s, x.nrows, info->columns);
    gsolve_dense Y = chunk_on_device(s, y.nrows, info->columns);
    const double chunks = (double)s->columns / info->columns;
    const size_t size = size_of(s->type) * (size_t)info->columns;
    double last, best = 1e30;

    alone[0] = chunks * copy_alone(x.value, X.value, (size_t)x.nrows * size, false);
    alone[2] = chunks * copy_alone(y.value, Y.value, (size_t)y.nrows * size, true);
    for (int run = 0; run < RUNS + 1; run++) {
        const double begin = bench_now();
        for (int k = 0; k < 4; k++) check(gsolve_matrix_apply(A, 1, X, 0, Y));
        check(gsolve_copy(ctx, &last, GSOLVE_HOST, Y.value, location, 4));
        if (run > 0 && bench_now() - begin < best) best = bench_now() - begin;
    }
    alone[1] = chunks * best / 4;
    gsolve_free(ctx, location, X.value);
    gsolve_free(ctx, location, Y.value);
}

static void print_record(const setup *s, const gsolve_csr *csr, const gsolve_stream_info *info,
                         double seconds, double in_turn, const double alone[3])
{
    const double copies = alone[0] > alone[2] ? alone[0] : alone[2];
    const double bound = copies > alone[1] ? copies : alone[1];

    printf("{\"bench\": \"bench_stream\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"%s\", \"type\": \"%s\", \"columns\": %d, \"layout\": \"%s\", "
           "\"device\": \"%s\", \"runs\": %d, \"chunk\": %d, \"chunks\": %d, \"bands\": %d, "
           "\"device_bytes\": %zu, \"median_ms\": %.3f, \"in_turn_ms\": %.3f, \"factor\": %.3f, ",
           s->matrix, csr->nrows, (long long)gsolve_csr_entries(csr), s->format,
           s->type == GSOLVE_F32 ? "f32" : "f64", s->columns,
           s->layout == GSOLVE_ROW_MAJOR ? "rows" : "columns", about.description, RUNS,
           info->columns, info->chunks, info->bands, info->bytes, 1e3 * seconds, 1e3 * in_turn,
           in_turn / seconds);
    if (s->bands) {
        printf("\"bound_ms\": null, \"share\": null}\n");
    } else {
        printf("\"in_ms\": %.3f, \"product_ms\": %.3f, \"out_ms\": %.3f, \"bound_ms\": %.3f, "
               "\"share\": %.3f}\n",
               1e3 * alone[0], 1e3 * alone[1], 1e3 * alone[2], 1e3 * bound, bound / seconds);
    }
}

int main(int argc, char **argv)
{
    setup s = {0};
    gsolve_csr csr, converted;
    gsolve_matrix *A = NULL;
    gsolve_stream_info info = GSOLVE_INIT(gsolve_stream_info);
    double seconds[2][RUNS], alone[3] = {0};

    if (argc < 4) {
        fprintf(stderr,
                "bench_stream MATRIX FORMAT COLUMNS [memory=MB] [chunk=N] [rows] [f32] [bands] "
                "[pageable]\n");
        return 1;
    }
    read_setup(&s, argc, argv);
    open_device();
    check(gsolve_read_matrix(&csr, ctx, s.matrix, NULL, NULL));
    if (s.type == GSOLVE_F32) {
        check(gsolve_csr_convert(&converted, ctx, GSOLVE_F32, &csr));
        gsolve_csr_free(&csr, ctx);
        csr = converted;
    }
    if (!s.bands) check(gsolve_matrix_create(&A, ctx, s.format, &csr));
    const gsolve_dense x = on_host(&s, csr.ncols), y = on_host(&s, csr.nrows);
    stream_once(&s, A, &csr, x, y, false, &info);
    for (int run = 0; run < RUNS; run++) {
        seconds[0][run] = stream_once(&s, A, &csr, x, y, false, &info);
        seconds[1][run] = stream_once(&s, A, &csr, x, y, true, &info);
    }
    if (!s.bands) measure_alone(&s, A, x, y, &info, alone);
    print_record(&s, &csr, &info, bench_median(seconds[0], RUNS), bench_median(seconds[1], RUNS),
                 alone);
    (s.pageable ? free : locked_free)(x.value);
    (s.pageable ? free : locked_free)(y.value);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
}
