/* bench_spmm.c: products with many columns, Y = A X, of several formats and of cuSPARSE's
 * algorithms, in turns.
 *
 *     bench_spmm [OPTIONS] MATRIX COLUMNS FORMAT...
 *
 *     --type f64|f32               of the values (f64)
 *     --layout rows|columns|both   of X and Y (both)
 *     --rounds N                   in which all take turns (11)
 *     --brief yes|no               a line of text instead of a record (no)
 *     MATRIX                       a file or a generator
 *     COLUMNS                      a list such as 4,8,16,32
 *
 * For each number of columns and layout one record for each format and each algorithm, cusparse
 * csr1, csr2, csr3 and coo4, analysed beforehand, where there is a GPU. Times are medians over the
 * rounds; a round repeats a product for 2 ms. peer: the best of the algorithms. singles_ms: as many
 * products of one column with the same format, in the same rounds. Floor: the bytes of plain
 * compressed rows, X and Y, at the bandwidth of a copy within the device in the same run. Results
 * are compared with the first of their layout, large ones in stretches of them; a difference beyond
 * rounding ends the program with 1. $GSOLVE_DEVICE names the device (cuda). */
#include "bench/large.h"
#include "bench/peer_spmm.h"

enum { MOST_ROUNDS = 101, MOST_RUNNERS = 32, MOST_COUNTS = 16 };

typedef struct runner {
    const char *what; /* a format's spec, or an algorithm */
    int algorithm;    /* its number, or -1 */
    gsolve_matrix *A; /* of a format, or */
    peer_spmm *peer;  /* of cuSPARSE; neither: it refuses */
    double times[MOST_ROUNDS], median, apart;
    double singles[MOST_ROUNDS]; /* seconds of as many products of one column; their median first */
    int count, single_count;     /* of products in a round */
} runner;

static struct {
    const char *matrix;
    gsolve_type type;
    bool layout[2], brief;
    int rounds, counts, runners;
    int32_t columns[MOST_COUNTS];
    double bandwidth;
    bool wrong;
    runner runner[MOST_RUNNERS];
} r;

/* --- dense blocks ----------------------------------------------------------------------------- */

static gsolve_dense new_block(int32_t nrows, int32_t ncols, gsolve_layout layout, bool filled)
{
    gsolve_dense v = {nrows, ncols, nrows, NULL, r.type, location, layout};

    if (layout == GSOLVE_ROW_MAJOR) v.stride = ncols;
    v.value = numbers_on_device(r.type, (int64_t)nrows * ncols, filled);
    return v;
}

/* --- timing ----------------------------------------------------------------------------------- */

static void multiply(const runner *now, gsolve_dense x, gsolve_dense y)
{
    char why[256];

    if (now->A) {
        check(gsolve_matrix_apply(now->A, 1, x, 0, y));
    } else if (!peer_spmm_multiply(now->peer, why)) {
        fprintf(stderr, "bench_spmm: %s: %s\n", now->what, why);
        exit(1);
    }
}

/* Seconds of one product, from count of them in a row. */
static double products(const runner *now, gsolve_dense x, gsolve_dense y, int count)
{
    const double begin = bench_now();
    float first;

    for (int k = 0; k < count; k++) multiply(now, x, y);
    check(gsolve_copy(ctx, &first, GSOLVE_HOST, y.value, location, sizeof first)); /* waits */
    return (bench_now() - begin) / count;
}

/* How many products a round takes. */
static int count_of(const runner *now, gsolve_dense x, gsolve_dense y)
{
    double one;

    products(now, x, y, 1); /* makes what it keeps */
    one = products(now, x, y, 1);
    if (one < 1e-3) one = products(now, x, y, 10);
    return one > 2e-3 ? 1 : one > 1e-5 ? (int)(2e-3 / one) : 200;
}

/* --- records ---------------------------------------------------------------------------------- */

static const runner *best_peer(void)
{
    const runner *best = NULL;

    for (const runner *now = r.runner; now < r.runner + r.runners; now++) {
        if (now->peer && (!best || now->median < best->median)) best = now;
    }
    return best;
}

static void print_brief(const runner *now, int32_t columns, gsolve_layout layout,
                        const runner *peer, double floor)
{
    printf("%s k=%d %s %s %.4f ms, %.2f floors", r.matrix, columns,
           layout == GSOLVE_ROW_MAJOR ? "rows" : "columns", now->what, 1e3 * now->median,
           now->median / floor);
    if (now->A) printf(", singles/it %.2f", now->singles[0] / now->median);
    if (now->A && peer) printf(", %s/it %.2f", peer->what, peer->median / now->median);
    printf("\n");
}

static void print_record(const runner *now, int32_t columns, gsolve_layout layout,
                         const runner *peer, double bytes)
{
    printf("{\"bench\": \"bench_spmm\", \"matrix\": \"%s\", \"what\": \"%s%s\", \"type\": \"%s\", "
           "\"columns\": %d, \"layout\": \"%s\", \"device\": \"%s\", \"runs\": %d, "
           "\"median_ms\": %.5f, \"min_ms\": %.5f, \"max_ms\": %.5f, \"bytes\": %.0f, "
           "\"copy_gbs\": %.1f, \"floor_ms\": %.5f, \"difference\": %.2g, ",
           r.matrix, now->A ? "" : "cusparse ", now->what, r.type == GSOLVE_F32 ? "f32" : "f64",
           columns, layout == GSOLVE_ROW_MAJOR ? "rows" : "columns", about.description, r.rounds,
           1e3 * now->median, 1e3 * now->times[0], 1e3 * now->times[r.rounds - 1], bytes,
           1e-9 * r.bandwidth, 1e3 * bytes / r.bandwidth, now->apart);
    if (now->A) {
        printf("\"singles_ms\": %.5f, \"of_singles\": %.4f, ", 1e3 * now->singles[0],
               now->median / now->singles[0]);
    } else {
        printf("\"singles_ms\": null, \"of_singles\": null, ");
    }
    if (now->A && peer) {
        printf("\"peer\": \"cusparse %s\", \"peer_ms\": %.5f, \"ratio\": %.3f}\n", peer->what,
               1e3 * peer->median, peer->median / now->median);
    } else {
        printf("\"peer\": null, \"peer_ms\": null, \"ratio\": null}\n");
    }
}

/* --- one matrix ------------------------------------------------------------------------------- */

/* All with so many columns. csr: where it lies on the device. */
static void measure(const gsolve_csr *csr, double entries, int32_t columns, gsolve_layout layout)
{
    const gsolve_dense x = new_block(csr->ncols, columns, layout, true);
    const gsolve_dense y = new_block(csr->nrows, columns, layout, false);
    const gsolve_dense one = new_block(csr->ncols, 1, GSOLVE_COLUMN_MAJOR, true);
    const gsolve_dense of_one = new_block(csr->nrows, 1, GSOLVE_COLUMN_MAJOR, false);
    const double size = (double)size_of(r.type), tolerance = r.type == GSOLVE_F32 ? 1e-3 : 1e-11;
    const double bytes = entries * (size + 4) + (csr->nrows + 1.) * 4 +
                         size * columns * ((double)csr->nrows + csr->ncols);
    double *reference = NULL;
    char why[256];

    for (runner *now = r.runner; now < r.runner + r.runners; now++) {
        if (now->algorithm >= 0) {
            now->peer = peer_spmm_open(now->algorithm, csr, x, y, gsolve_stream(ctx), why);
            if (!now->peer) fprintf(stderr, "bench_spmm: %s\n", why);
        }
        if (!now->A && !now->peer) continue;
        if (now->A) now->single_count = count_of(now, one, of_one);
        now->count = count_of(now, x, y);
        now->apart = apart_from_first(y, &reference);
        if (!(now->apart <= tolerance)) r.wrong = true;
    }
    for (int round = 0; round < r.rounds; round++) {
        for (runner *now = r.runner; now < r.runner + r.runners; now++) {
            if (now->A || now->peer) now->times[round] = products(now, x, y, now->count);
            if (now->A) {
                now->singles[round] = columns * products(now, one, of_one, now->single_count);
            }
        }
    }
    for (runner *now = r.runner; now < r.runner + r.runners; now++) {
        if (now->A || now->peer) now->median = bench_median(now->times, r.rounds);
        if (now->A) now->singles[0] = bench_median(now->singles, r.rounds);
    }
    for (runner *now = r.runner; now < r.runner + r.runners; now++) {
        if (!now->A && !now->peer) continue;
        if (r.brief && !now->A && now != best_peer()) continue;
        if (!(now->apart <= tolerance)) printf("wrong by %.3g: ", now->apart);
        if (r.brief) {
            print_brief(now, columns, layout, best_peer(), bytes / r.bandwidth);
        } else {
            print_record(now, columns, layout, best_peer(), bytes);
        }
    }
    for (runner *now = r.runner; now < r.runner + r.runners; now++) {
        peer_spmm_close(now->peer);
        now->peer = NULL;
    }
    fflush(stdout);
    free(reference);
    gsolve_free(ctx, location, x.value);
    gsolve_free(ctx, location, y.value);
    gsolve_free(ctx, location, one.value);
    gsolve_free(ctx, location, of_one.value);
}

/* The formats first, then the algorithms. */
static void measure_all(const gsolve_csr *csr)
{
    const double entries = (double)gsolve_csr_entries(csr);
    gsolve_csr there = rows_on_device(csr);

    for (runner *now = r.runner; now < r.runner + r.runners; now++) {
        if (now->algorithm >= 0) continue;
        if (gsolve_matrix_create(&now->A, ctx, now->what, &there) != GSOLVE_OK) {
            fprintf(stderr, "bench_spmm: %s: %s\n", now->what, gsolve_error(ctx));
        }
    }
    for (int c = 0; c < r.counts; c++) {
        for (int layout = 1; layout >= 0; layout--) {
            if (r.layout[layout]) measure(&there, entries, r.columns[c], (gsolve_layout)layout);
        }
    }
    for (runner *now = r.runner; now < r.runner + r.runners; now++) gsolve_matrix_destroy(&now->A);
    if (location == GSOLVE_DEVICE) gsolve_csr_free(&there, ctx);
}

/* --- what is asked for ------------------------------------------------------------------------ */

static bool parse_option(const char *key, const char *value)
{
    if (strcmp(key, "--type") == 0) {
        r.type = strcmp(value, "f32") == 0 ? GSOLVE_F32 : GSOLVE_F64;
        return strcmp(value, "f32") == 0 || strcmp(value, "f64") == 0;
    }
    if (strcmp(key, "--layout") == 0) {
        r.layout[GSOLVE_ROW_MAJOR] = strcmp(value, "columns") != 0;
        r.layout[GSOLVE_COLUMN_MAJOR] = strcmp(value, "rows") != 0;
        return true;
    }
    if (strcmp(key, "--rounds") == 0) {
        return (r.rounds = atoi(value)) > 0 && r.rounds <= MOST_ROUNDS;
    }
    if (strcmp(key, "--brief") == 0) return r.brief = strcmp(value, "yes") == 0, true;
    return false;
}

static bool parse(int argc, char **argv)
{
    int at = 1;

    r.type = GSOLVE_F64;
    r.layout[0] = r.layout[1] = true;
    r.rounds = 11;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (!parse_option(argv[at], argv[at + 1])) return false;
    }
    if (argc - at < 3 || argc - at - 2 + PEER_SPMM_ALGORITHMS > MOST_RUNNERS) return false;
    r.matrix = argv[at++];
    for (const char *list = argv[at++]; *list && r.counts < MOST_COUNTS;) {
        char *end;
        const long columns = strtol(list, &end, 10);
        if (end == list || columns < 1 || columns > 10000) return false;
        r.columns[r.counts++] = (int32_t)columns;
        list = *end == ',' ? end + 1 : end;
    }
    while (at < argc) r.runner[r.runners++] = (runner){.what = argv[at++], .algorithm = -1};
    return r.counts > 0;
}

int main(int argc, char **argv)
{
    gsolve_csr csr, narrow;

    if (!parse(argc, argv)) {
        return fprintf(stderr, "usage: bench_spmm [OPTIONS] MATRIX COLUMNS FORMAT...\n"
                               "options: --type f64|f32, --layout rows|columns|both, --rounds N, "
                               "--brief yes|no\n"),
               1;
    }
    open_device();
    for (int a = 0; location == GSOLVE_DEVICE && a < PEER_SPMM_ALGORITHMS; a++) {
        r.runner[r.runners++] = (runner){.what = peer_spmm_name(a), .algorithm = a};
    }
    r.bandwidth = copy_bandwidth();
    check(gsolve_read_matrix(&csr, ctx, r.matrix, NULL, NULL));
    if (r.type == GSOLVE_F32) {
        check(gsolve_csr_convert(&narrow, ctx, GSOLVE_F32, &csr));
        gsolve_csr_free(&csr, ctx);
        csr = narrow;
    }
    measure_all(&csr);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
    return r.wrong;
}
