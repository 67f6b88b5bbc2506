/* device_record.h: what bench_device is asked for and finds, and the records that it prints. */
#ifndef DEVICE_RECORD_H
#define DEVICE_RECORD_H

#include "bench/on_device.h"

enum { ROUNDS = 101, MOST = 48, BUILDS = 5 };

typedef struct candidate {
    const char *spec;
    gsolve_matrix *A; /* NULL: the format refuses the matrix */
    double times[ROUNDS], spent;
    int rounds, count;    /* measured so far; products in each */
    double first, apart;  /* of its products: seconds of the first, difference from the reference */
    double setup, median; /* seconds: its first conversion; its product */
    double convert;
} candidate;

static struct {
    const char *operation, *matrix, *method, *precond;
    int32_t columns;
    bool solve, transposed, type[GSOLVE_TYPE_COUNT];
    int rounds, formats;
    int64_t least;
    candidate *format;
    double bandwidth;
} r;

static bool is_peer(const candidate *c)
{
    return strncmp(c->spec, "cusparse", 8) == 0;
}

static const candidate *best_peer(void)
{
    const candidate *best = NULL;

    for (const candidate *c = r.format; c < r.format + r.formats; c++) {
        if (c->A && is_peer(c) && (!best || c->median < best->median)) best = c;
    }
    return best;
}

/* Bytes of one product with compressed rows as they are. */
static double plain_bytes(const gsolve_csr *csr, double entries)
{
    const double value = (double)size_of(csr->type), offset = csr->offset == GSOLVE_O64 ? 8 : 4;
    return entries * (value + 4) + (csr->nrows + 1.) * offset +
           ((double)csr->nrows + csr->ncols) * value * r.columns;
}

static void print_record(const candidate *c, const candidate *peer, const gsolve_csr *csr)
{
    const double ms = 1e3 * c->median;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(c->A, &info);
    const double bytes = plain_bytes(csr, (double)info.entries);
    const double own = (double)info.bytes + (r.columns - 1.) * (double)size_of(csr->type) *
                                                ((double)info.nrows + info.ncols);
    printf("{\"bench\": \"bench_device\", \"operation\": \"%s\", \"matrix\": \"%s\", "
           "\"rows\": %d, \"entries\": %lld, \"what\": \"%s%s%s%s%s\", \"type\": \"%s\", "
           "\"columns\": %d, \"device\": \"%s\", \"runs\": %d, \"median_ms\": %.5f, "
           "\"min_ms\": %.5f, \"max_ms\": %.5f, \"first_ms\": %.3f, \"bytes\": %.0f, "
           "\"copy_gbs\": %.1f, \"floor_ms\": %.5f, \"own_bytes\": %.0f, ",
           r.operation, r.matrix, info.nrows, (long long)info.entries, c->spec, r.solve ? " " : "",
           r.solve ? r.method : "", r.solve ? "+" : "", r.solve ? r.precond : "",
           csr->type == GSOLVE_F32 ? "f32" : "f64", r.columns, about.description, c->rounds, ms,
           1e3 * c->times[0], 1e3 * c->times[c->rounds - 1], 1e3 * c->first, bytes,
           1e-9 * r.bandwidth, 1e3 * bytes / r.bandwidth, own);
    if (peer && !is_peer(c)) {
        printf("\"peer\": \"%s\", \"peer_ms\": %.5f, \"ratio\": %.3f, ", peer->spec,
               1e3 * peer->median, peer->median / c->median);
    } else {
        printf("\"peer\": null, \"peer_ms\": null, \"ratio\": null, ");
    }
    printf("\"setup_ms\": %.3f, \"convert_ms\": %.4f, \"convert_products\": %.2f, "
           "\"stored\": %lld, \"difference\": %.2g}\n",
           1e3 * c->setup, 1e3 * c->convert, 1e3 * c->convert / ms, (long long)info.stored,
           c->apart);
}

#endif
