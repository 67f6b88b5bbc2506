/* bench_spgemm.c: products of sparse matrices by several methods that take turns.
 *
 *     bench_spgemm [OPTIONS] square MATRIX [METHOD...]        C = A A
 *     bench_spgemm [OPTIONS] galerkin MATRIX [METHOD...]      C = P'A P
 *
 *     --type f64|f32     of the values (f64)
 *     --rounds N         in which all methods take turns (9)
 *
 * $GSOLVE_DEVICE names the device (cuda), where the matrices lie; METHOD: all that serve there. P
 * is (I - 0.66 D^-1 A) P0 with P0 of boxes of 3 x 3 x 3 points of a cube: smoothed aggregation on
 * gen:poisson3d. For each method a record of the whole product, from A to the sorted C, checks
 * included, and one of new values alone, by gsolve_product_update. Peers: on the CPU CXSparse's
 * cs_multiply and two cs_transpose that sort it (unsorted_ms: without them); on a GPU the method
 * cusparse. Floor: A (and P, P') read and C written once, at the speed of a copy in the same run.
 * peak_bytes: held beside A, P and C; peak_ratio: with them, in units of them. */
#include <cs.h>
#include <math.h>

#include "bench/on_device.h"

enum { MOST = 16, MOST_ROUNDS = 101 };

typedef struct candidate {
    const char *spec;
    bool serves;
    double whole[MOST_ROUNDS], update[MOST_ROUNDS], apart;
    gsolve_product_info info;
} candidate;

static struct {
    bool galerkin;
    const char *matrix;
    gsolve_type type;
    int rounds, count;
    candidate list[MOST];
    gsolve_csr A, P, here_A, here_P; /* on the device, and on the host */
    double *first;                   /* values of the first method's C */
    int64_t first_entries;
    cs_di *columns, *transposed; /* the peer's */
    double sorted[MOST_ROUNDS], unsorted[MOST_ROUNDS];
    double bandwidth;
} r = {.rounds = 9, .type = GSOLVE_F64};

/* --- systems ---------------------------------------------------------------------------------- */

/* The box of 3 x 3 x 3 points that point i of n x n x n is in. */
static int32_t box_of(int32_t i, int32_t n)
{
    const int32_t boxes = (n + 2) / 3;
    return i % n / 3 + boxes * (i / n % n / 3 + boxes * (i / n / n / 3));
}

/* P = (I - 0.66 D^-1 A) P0, on the host. */
static gsolve_csr prolongator(const gsolve_csr *A)
{
    const int32_t n = (int32_t)lrint(cbrt(A->nrows)), boxes = (n + 2) / 3;
    int32_t *start = malloc(((size_t)A->nrows + 1) * sizeof *start);
    int32_t *col = malloc(((size_t)A->nrows + 1) * sizeof *col);
    double *one = malloc(((size_t)A->nrows + 1) * sizeof *one);
    gsolve_csr P, P0 = {A->nrows,   boxes * boxes * boxes, start, col, one, GSOLVE_O32, GSOLVE_F64,
                        GSOLVE_HOST};

    if (n * n * n != A->nrows) {
        fprintf(stderr, "bench_spgemm: %d unknowns are no cube\n", A->nrows);
        exit(1);
    }
    for (int32_t i = 0; i <= A->nrows; i++) start[i] = i, col[i] = box_of(i, n), one[i] = 1;
    check(gsolve_csr_multiply(&P, ctx, "auto", A, &P0));
    for (int32_t i = 0; i < A->nrows; i++) {
        double *value = (double *)(uintptr_t)P.value, d = 1;
        const int32_t *a = A->start, *p = P.start;
        for (int32_t k = a[i]; k < a[i + 1]; k++) {
            if (A->col[k] == i) d = ((const double *)A->value)[k];
        }
        for (int32_t k = p[i]; k < p[i + 1]; k++) {
            value[k] = (P.col[k] == col[i]) - 0.66 * value[k] / d;
        }
    }
    free(start);
    free(col);
    free(one);
    return P;
}

static gsolve_csr in_type(gsolve_csr *A)
{
    gsolve_csr B;

    check(gsolve_csr_convert(&B, ctx, r.type, A));
    gsolve_csr_free(A, ctx);
    return B;
}

static void read_system(void)
{
    check(gsolve_read_matrix(&r.here_A, ctx, r.matrix, NULL, NULL));
    if (r.galerkin) r.here_P = prolongator(&r.here_A);
    r.here_A = in_type(&r.here_A);
    r.A = rows_on_device(&r.here_A);
    if (!r.galerkin) return;
    r.here_P = in_type(&r.here_P);
    r.P = rows_on_device(&r.here_P);
}

/* --- ours ------------------------------------------------------------------------------------- */

/* Waits until the device has done all it was given. */
static void wait(const gsolve_csr *C)
{
    int32_t first;
    check(gsolve_copy(ctx, &first, GSOLVE_HOST, C->start, C->location, sizeof first));
}

/* The difference of C's values from those of the first method. */
static double compare(const gsolve_csr *C, int64_t entries)
{
    double *value = new_numbers(entries, false), apart = 0;
    const gsolve_dense v = {
        (int32_t)entries,   1, entries, (void *)(uintptr_t)C->value, C->type, C->location,
        GSOLVE_COLUMN_MAJOR};

    if (entries > INT32_MAX) return free(value), 0;
    get_vector(v, value);
    if (!r.first) {
        r.first = value;
        r.first_entries = entries;
        return 0;
    }
    apart = entries == r.first_entries ? difference(value, r.first, entries) : INFINITY;
    free(value);
    return apart;
}

static gsolve_status square_once(candidate *c, int round)
{
    gsolve_product *P = NULL;
    gsolve_csr C, view;
    double begin = bench_now();
    gsolve_status status = gsolve_csr_multiply(&C, ctx, c->spec, &r.A, &r.A);

    if (status != GSOLVE_OK) return status;
    wait(&C);
    c->whole[round] = bench_now() - begin;
    gsolve_csr_free(&C, ctx);
    check(gsolve_product_create(&P, ctx, c->spec, &r.A, &r.A));
    for (int k = 0; k < 2; k++) { /* of which the second counts */
        begin = bench_now();
        check(gsolve_product_update(P, &r.A, &r.A));
        c->update[round] = bench_now() - begin;
    }
    c->info.size = sizeof c->info;
    gsolve_product_describe(P, &c->info);
    check(gsolve_product_csr(P, &view));
    if (round == 0) c->apart = compare(&view, c->info.entries);
    gsolve_product_destroy(&P);
    return GSOLVE_OK;
}

static gsolve_status galerkin_once(candidate *c, int round)
{
    gsolve_galerkin *G = NULL;
    gsolve_csr view;
    double begin = bench_now();
    gsolve_status status = gsolve_galerkin_create(&G, ctx, c->spec, NULL, &r.A, &r.P);

    if (status != GSOLVE_OK) return status;
    c->whole[round] = bench_now() - begin;
    for (int k = 0; k < 2; k++) {
        begin = bench_now();
        check(gsolve_galerkin_update(G, NULL, &r.A, NULL));
        c->update[round] = bench_now() - begin;
    }
    c->info.size = sizeof c->info;
    gsolve_galerkin_describe(G, &c->info);
    check(gsolve_galerkin_csr(G, &view));
    if (round == 0) c->apart = compare(&view, c->info.entries);
    gsolve_galerkin_destroy(&G);
    return GSOLVE_OK;
}

/* --- CXSparse ----------------------------------------------------------------------------------
 */

/* csr as a matrix of columns: its transpose. */
static cs_di *columns_of(const gsolve_csr *csr)
{
    const int64_t entries = gsolve_csr_entries(csr);
    cs_di *S = cs_di_spalloc(csr->ncols, csr->nrows, (int)entries + 1, 1, 0);

    for (int32_t i = 0; i <= csr->nrows; i++) S->p[i] = ((const int32_t *)csr->start)[i];
    for (int64_t k = 0; k < entries; k++) {
        S->i[k] = csr->col[k];
        S->x[k] = csr->type == GSOLVE_F32 ? ((const float *)csr->value)[k]
                                          : ((const double *)csr->value)[k];
    }
    return S;
}

static cs_di *peer_product(void)
{
    cs_di *AP, *P, *C;

    if (!r.galerkin) return cs_di_multiply(r.columns, r.columns);
    AP = cs_di_multiply(r.transposed, r.columns); /* (A P)' = P'A' */
    P = cs_di_transpose(r.transposed, 1);
    C = cs_di_multiply(AP, P);
    cs_di_spfree(AP);
    cs_di_spfree(P);
    return C;
}

static void peer_once(int round)
{
    const double begin = bench_now();
    cs_di *C = peer_product(), *T, *S;

    r.unsorted[round] = bench_now() - begin;
    T = cs_di_transpose(C, 1);
    S = cs_di_transpose(T, 1);
    r.sorted[round] = bench_now() - begin;
    if (round == 0 && r.first && S->p[S->n] == r.first_entries) {
        printf("# %.2g apart from CXSparse\n", difference(r.first, S->x, r.first_entries));
    }
    cs_di_spfree(C);
    cs_di_spfree(T);
    cs_di_spfree(S);
}

/* --- records -----------------------------------------------------------------------------------
 */

static bool is_peer(const candidate *c)
{
    return strncmp(c->spec, "cusparse", 8) == 0;
}

/* The median of the peer's whole product, or of its update, and its name. */
static double peer_of(bool update, const char **name)
{
    static double seconds[MOST_ROUNDS];

    *name = NULL;
    if (location == GSOLVE_HOST) {
        *name = update ? NULL : "cs_multiply, sorted";
        memcpy(seconds, r.sorted, sizeof seconds);
        return update ? 0 : bench_median(seconds, r.rounds);
    }
    for (candidate *c = r.list; c < r.list + r.count; c++) {
        if (!c->serves || !is_peer(c)) continue;
        *name = c->spec;
        memcpy(seconds, update ? c->update : c->whole, sizeof seconds);
        return bench_median(seconds, r.rounds);
    }
    return 0;
}

static double bytes_of(const gsolve_csr *A)
{
    return A->start ? 4. * (A->nrows + 1.) +
                          (double)gsolve_csr_entries(A) * (4. + (double)size_of(A->type))
                    : 0;
}

static void print_record(candidate *c, bool update)
{
    const double inputs = bytes_of(&r.here_A) + bytes_of(&r.here_P) * 2;
    const double result =
        4. * (c->info.nrows + 1.) + (double)c->info.entries * (4. + (double)size_of(r.type));
    const double bytes = inputs + result;
    double *times = update ? c->update : c->whole;
    const char *name;
    const double median = bench_median(times, r.rounds), peer = peer_of(update, &name);

    printf("{\"bench\": \"bench_spgemm\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"%s %s%s\", \"type\": \"%s\", \"columns\": null, \"device\": \"%s\", "
           "\"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, "
           "\"bytes\": %.0f, \"floor_ms\": %.4f, ",
           r.matrix, r.here_A.nrows, (long long)gsolve_csr_entries(&r.here_A),
           r.galerkin ? "galerkin" : "square", c->spec, update ? " update" : "",
           r.type == GSOLVE_F32 ? "f32" : "f64", about.description, r.rounds, 1e3 * median,
           1e3 * times[0], 1e3 * times[r.rounds - 1], bytes, 1e3 * bytes / r.bandwidth);
    if (name && !is_peer(c)) {
        printf("\"peer\": \"%s\", \"peer_ms\": %.4f, \"ratio\": %.3f, ", name, 1e3 * peer,
               peer / median);
    } else {
        printf("\"peer\": null, \"peer_ms\": null, \"ratio\": null, ");
    }
    if (location == GSOLVE_HOST && !update) {
        printf("\"unsorted_ms\": %.4f, ", 1e3 * bench_median(r.unsorted, r.rounds));
    }
    printf("\"method\": \"%s\", \"products\": %lld, \"result_entries\": %lld, "
           "\"compression\": %.3f, \"bands\": %d, \"peak_bytes\": %zu, \"peak_ratio\": %.3f, "
           "\"difference\": %.2g}\n",
           c->info.method, (long long)c->info.products, (long long)c->info.entries,
           c->info.compression, c->info.bands, c->info.peak, (bytes + (double)c->info.peak) / bytes,
           c->apart);
}

/* --- the program --------------------------------------------------------------------------------
 */

static int usage(void)
{
    fprintf(stderr, "usage: bench_spgemm [--type f64|f32] [--rounds N] square|galerkin MATRIX "
                    "[METHOD...]\n");
    return 1;
}

static void take_turns(void)
{
    for (int round = -1; round < r.rounds; round++) { /* the first meets cold memory */
        for (candidate *c = r.list; c < r.list + r.count; c++) {
            const int at = round < 0 ? 0 : round;
            if (round >= 0 && !c->serves) continue;
            c->serves = (r.galerkin ? galerkin_once : square_once)(c, at) == GSOLVE_OK;
            if (!c->serves) fprintf(stderr, "%s: %s\n", c->spec, gsolve_error(ctx));
        }
        if (location == GSOLVE_HOST) peer_once(round < 0 ? 0 : round);
    }
}

int main(int argc, char **argv)
{
    int at = 1;

    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--type") == 0) {
            r.type = strcmp(argv[at + 1], "f32") == 0 ? GSOLVE_F32 : GSOLVE_F64;
        } else if (strcmp(argv[at], "--rounds") == 0) {
            r.rounds = atoi(argv[at + 1]);
        } else {
            return usage();
        }
    }
    if (argc < at + 2 || r.rounds < 1 || r.rounds > MOST_ROUNDS) return usage();
    r.galerkin = strcmp(argv[at], "galerkin") == 0;
    r.matrix = argv[at + 1];
    const bool named = argc > at + 2;
    for (at += 2; at < argc && r.count < MOST; at++) r.list[r.count++].spec = argv[at];
    for (int k = 0; !named && k < MOST && gsolve_multiplier_at(k); k++) {
        r.list[r.count++].spec = gsolve_multiplier_at(k)->name;
    }
    open_device();
    read_system();
    if (location == GSOLVE_HOST) r.columns = columns_of(&r.here_A);
    if (location == GSOLVE_HOST && r.galerkin) r.transposed = columns_of(&r.here_P);
    check(gsolve_context_copy_speed(ctx, &r.bandwidth));
    take_turns();
    for (candidate *c = r.list; c < r.list + r.count; c++) {
        if (c->serves) print_record(c, false);
        if (c->serves) print_record(c, true);
    }
    free(r.first);
    gsolve_context_destroy(&ctx);
    return 0;
}
