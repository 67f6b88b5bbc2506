/* bench_spmv.c: the product y = A x in formats of the library and by CXSparse.
 *
 *     bench_spmv MATRIX THREADS RUNS [--dump FILE] [FORMAT...]
 *
 * Prints one JSON record for each format (csr, if none is named); one that refuses the matrix says
 * why and has none. All of them and CXSparse's cs_gaxpy, which is serial, take turns; a turn is two
 * products of which the second counts, so that each finds the caches as its last product left them.
 * --dump writes the rows in binary for the programs of peers: rows, columns (int32), entries
 * (int64), offsets (int32), columns (int32), values (double). Floor: 12 bytes an entry, 4 a row, x
 * and y once, at the bandwidth of the triad in the same run; own_bytes are those that the format
 * says its product moves. */
#include <cs.h>
#include <gsolve_io.h>
#include <gsolve_plugin.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "dump.h"

enum { MOST = 32 };

static gsolve_context *ctx;

typedef struct candidate {
    const char *spec;
    gsolve_matrix *A;
    double *times, apart;
} candidate;

/* A for CXSparse, which keeps columns. */
static cs_di *columns_of(const gsolve_csr *csr)
{
    const cs_di rows = {(int)gsolve_csr_entries(csr),
                        csr->ncols,
                        csr->nrows,
                        (int *)(uintptr_t)csr->start,
                        (int *)(uintptr_t)csr->col,
                        (double *)(uintptr_t)csr->value,
                        -1};
    return cs_di_transpose(&rows, 1);
}

static double own_product(const candidate *c, gsolve_dense x, gsolve_dense y)
{
    double begin = 0;

    for (int k = 0; k < 2; k++) {
        begin = bench_now();
        gsolve_matrix_apply(c->A, 1, x, 0, y);
    }
    return bench_now() - begin;
}

static double peer_product(const cs_di *columns, const double *x, double *z)
{
    double begin = 0;

    for (int k = 0; k < 2; k++) {
        memset(z, 0, (size_t)columns->m * sizeof *z);
        begin = bench_now();
        cs_di_gaxpy(columns, x, z);
    }
    return bench_now() - begin;
}

/* The greatest |y - z| of a row in parts of its sum of |a||x|, which is what rounding goes by: a
 * sum in another order differs by so many units of it as the row has entries at most. */
static double furthest(const gsolve_csr *csr, const double *x, const double *y, const double *z)
{
    const int32_t *start = csr->start;
    const double *value = csr->value;
    double worst = 0;

    for (int32_t i = 0; i < csr->nrows; i++) {
        double size = 0;
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            size += fabs(value[k] * x[csr->col[k]]);
        }
        const double difference = y[i] == z[i] ? 0 : fabs(y[i] - z[i]) / size;
        if (!(difference <= worst)) worst = difference;
    }
    return worst;
}

/* Fills the times of every format, and those of the peer. */
static void take_turns(candidate *format, int formats, const gsolve_csr *csr, int runs,
                       double *peer)
{
    const size_t n = (size_t)csr->ncols, m = (size_t)csr->nrows;
    double *x = gsolve_alloc(ctx, GSOLVE_HOST, n, 8), *y = gsolve_alloc(ctx, GSOLVE_HOST, m, 8);
    double *z = gsolve_alloc(ctx, GSOLVE_HOST, m, 8);
    cs_di *columns = columns_of(csr);

    for (size_t i = 0; i < n; i++) x[i] = gsolve_random(1, i);
    peer_product(columns, x, z);
    for (int run = -1; run < runs; run++) {
        for (candidate *c = format; c < format + formats; c++) {
            if (!c->A) continue;
            const double t =
                own_product(c, gsolve_vector(x, csr->ncols), gsolve_vector(y, csr->nrows));
            if (run >= 0) c->times[run] = t;
            if (run < 0) c->apart = furthest(csr, x, y, z);
        }
        const double t = peer_product(columns, x, z);
        if (run >= 0) peer[run] = t;
    }
    cs_di_spfree(columns);
    gsolve_free(ctx, GSOLVE_HOST, x);
    gsolve_free(ctx, GSOLVE_HOST, y);
    gsolve_free(ctx, GSOLVE_HOST, z);
}

static void print_record(const candidate *c, const char *matrix, const gsolve_csr *csr, int threads,
                         int runs, double triad, const double *peer)
{
    const double median = 1e3 * bench_median(c->times, runs), peer_ms = 1e3 * peer[runs / 2];
    const double bytes = 12. * (double)gsolve_csr_entries(csr) + 4. * (csr->nrows + 1.) +
                         8. * ((double)csr->nrows + csr->ncols);
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(c->A, &info);
    printf("{\"bench\": \"bench_spmv\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"%s\", \"type\": \"f64\", \"columns\": 1, \"device\": \"cpu\", "
           "\"threads\": %d, "
           "\"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, "
           "\"bytes\": %.0f, \"own_bytes\": %zu, \"stored\": %lld, \"triad_gbs\": %.2f, "
           "\"floor_ms\": %.4f, \"convert_ms\": %.4f, \"convert_products\": %.2f, "
           "\"peer\": \"CXSparse\", \"peer_ms\": %.4f, \"peer_min_ms\": %.4f, \"ratio\": %.3f, "
           "\"difference\": %.2g}\n",
           matrix, csr->nrows, (long long)info.entries, c->spec, threads, runs, median,
           1e3 * c->times[0], 1e3 * c->times[runs - 1], bytes, info.bytes, (long long)info.stored,
           1e-9 * triad, 1e3 * bytes / triad, 1e3 * info.build_seconds,
           1e3 * info.build_seconds / median, peer_ms, 1e3 * peer[0], peer_ms / median, c->apart);
}

/* The formats named, of those that take the matrix. False: none does. */
static bool build(candidate *format, char **spec, int formats, const gsolve_csr *csr, int runs)
{
    bool any = false;

    for (int f = 0; f < formats; f++) {
        format[f].spec = spec[f];
        format[f].times = malloc((size_t)runs * sizeof(double));
        if (gsolve_matrix_create(&format[f].A, ctx, spec[f], csr) != GSOLVE_OK) {
            fprintf(stderr, "bench_spmv: %s: %s\n", spec[f], gsolve_error(ctx));
        }
        any = any || format[f].A;
    }
    return any;
}

int main(int argc, char **argv)
{
    static candidate format[MOST];
    char csr_name[] = "csr", *plain[] = {csr_name}, device[32];
    const bool dumps = argc > 5 && strcmp(argv[4], "--dump") == 0;
    char **spec = argv + (dumps ? 6 : 4);
    int formats = (int)(argv + argc - spec);
    double worst = 0;
    gsolve_csr csr;

    if (argc < 4 || formats > MOST) {
        return fprintf(stderr, "usage: bench_spmv MATRIX THREADS RUNS [--dump FILE] [FORMAT...]\n"),
               1;
    }
    if (formats == 0) spec = plain, formats = 1;
    const int threads = atoi(argv[2]), runs = atoi(argv[3]) > 0 ? atoi(argv[3]) : 20;
    double *peer = malloc((size_t)runs * sizeof *peer);
    snprintf(device, sizeof device, "cpu,threads=%d", threads);
    if (gsolve_context_create(&ctx, device) != GSOLVE_OK ||
        gsolve_read_matrix(&csr, ctx, argv[1], NULL, NULL) != GSOLVE_OK) {
        return fprintf(stderr, "bench_spmv: %s\n", gsolve_error(ctx)), 1;
    }
    if (dumps && !bench_dump(argv[5], &csr))
        return fprintf(stderr, "cannot write %s\n", argv[5]), 1;
    if (!build(format, spec, formats, &csr, runs)) return 1;
    take_turns(format, formats, &csr, runs, peer);
    const double triad = bench_triad(threads);
    bench_median(peer, runs); /* sorts them */
    for (candidate *c = format; c < format + formats; c++) {
        if (c->A) print_record(c, argv[1], &csr, threads, runs, triad, peer);
        if (c->A && !(c->apart <= worst)) worst = c->apart;
        gsolve_matrix_destroy(&c->A);
        free(c->times);
    }
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    free(peer);
    return worst > 1e-12;
}
