/* bench_spmv.c: the product y = A x in the format csr and by CXSparse; each repeats alone, as the
 * programs of the peers do, so that each finds the caches as its last product left them.
 *
 *     bench_spmv MATRIX THREADS RUNS [DUMP]
 *
 * Prints one JSON record. DUMP: writes the rows in binary for the programs of peers: rows, columns
 * (int32), entries (int64), offsets (int32), columns (int32), values (double). Floor: 12 bytes an
 * entry, 4 a row, x and y once, at the bandwidth of the triad in the same run. */
#include <cs.h>
#include <gsolve_io.h>
#include <gsolve_plugin.h>

#include "bench.h"

static int dump(const char *path, const gsolve_csr *A)
{
    FILE *file = fopen(path, "wb");
    const int64_t entries = gsolve_csr_entries(A);

    if (!file) return 1;
    fwrite(&A->nrows, 4, 1, file);
    fwrite(&A->ncols, 4, 1, file);
    fwrite(&entries, 8, 1, file);
    fwrite(A->start, 4, (size_t)A->nrows + 1, file);
    fwrite(A->col, 4, (size_t)entries, file);
    fwrite(A->value, 8, (size_t)entries, file);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: bench_spmv MATRIX THREADS RUNS [DUMP]\n"), 1;
    const int threads = atoi(argv[2]), runs = atoi(argv[3]) > 0 ? atoi(argv[3]) : 20;
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_matrix_info info;
    gsolve_csr csr;
    char spec[32];

    snprintf(spec, sizeof spec, "cpu,threads=%d", threads);
    if (gsolve_context_create(&ctx, spec) || gsolve_read_matrix(&csr, ctx, argv[1], NULL, NULL) ||
        gsolve_matrix_create(&A, ctx, "csr", &csr)) {
        return fprintf(stderr, "%s\n", gsolve_error(ctx)), 1;
    }
    if (argc > 4 && dump(argv[4], &csr)) return fprintf(stderr, "cannot write %s\n", argv[4]), 1;
    const size_t n = (size_t)csr.ncols, m = (size_t)csr.nrows;
    double *x = gsolve_alloc(ctx, GSOLVE_HOST, n, 8), *y = gsolve_alloc(ctx, GSOLVE_HOST, m, 8),
           *z = malloc(m * 8), worst = 0;
    double *own = malloc((size_t)runs * 8), *peer = malloc((size_t)runs * 8);
    const cs_di rows = {(int)gsolve_csr_entries(&csr),
                        csr.ncols,
                        csr.nrows,
                        (int *)(uintptr_t)csr.start,
                        (int *)(uintptr_t)csr.col,
                        (double *)(uintptr_t)csr.value,
                        -1};
    cs_di *columns = cs_di_transpose(&rows, 1);
    for (size_t i = 0; i < n; i++) x[i] = gsolve_random(1, i);
    for (int run = -2; run < runs; run++) {
        const double begin = bench_now();
        gsolve_matrix_apply(A, 1, gsolve_vector(x, csr.ncols), 0, gsolve_vector(y, csr.nrows));
        if (run >= 0) own[run] = bench_now() - begin;
    }
    for (int run = -2; run < runs; run++) {
        for (size_t i = 0; i < m; i++) z[i] = 0;
        const double begin = bench_now();
        cs_di_gaxpy(columns, x, z);
        if (run >= 0) peer[run] = bench_now() - begin;
    }
    for (size_t i = 0; i < m; i++) {
        const double difference = y[i] > z[i] ? y[i] - z[i] : z[i] - y[i];
        if (difference > worst) worst = difference;
    }
    gsolve_matrix_describe(A, &info);
    const double triad = bench_triad(threads), floor_ms = 1e3 * (double)info.bytes / triad;
    const double median = 1e3 * bench_median(own, runs), other = 1e3 * bench_median(peer, runs);
    printf("{\"bench\": \"bench_spmv\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"csr\", \"type\": \"f64\", \"columns\": 1, \"device\": \"cpu\", "
           "\"threads\": %d, "
           "\"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, \"bytes\": %zu, "
           "\"triad_gbs\": %.2f, \"floor_ms\": %.4f, \"peer\": \"CXSparse\", \"peer_ms\": %.4f, "
           "\"ratio\": %.3f, \"difference\": %.2g}\n",
           argv[1], csr.nrows, (long long)info.entries, threads, runs, median, 1e3 * own[0],
           1e3 * own[runs - 1], info.bytes, 1e-9 * triad, floor_ms, other, other / median, worst);
    cs_di_spfree(columns);
    gsolve_csr_free(&csr, ctx);
    gsolve_free(ctx, GSOLVE_HOST, x);
    gsolve_free(ctx, GSOLVE_HOST, y);
    gsolve_matrix_destroy(&A);
    gsolve_context_destroy(&ctx);
    free(z), free(own), free(peer);
    return worst > 1e-9;
}
