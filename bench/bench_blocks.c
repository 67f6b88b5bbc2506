/* bench_blocks.c: products of matrices of dense blocks beside those of the same numbers one by one.
 *
 *     bench_blocks [--rounds N] MATRIX B...        C = A A
 *
 * A is MATRIX with each entry replaced by a full block of B x B numbers, B of 1 to 8. For each B a
 * record of gsolve_blocked_multiply (what: blocks) with, as its peer, gsolve_csr_multiply of A's
 * single numbers by the same method, esc; gflops: 2 B^3 operations for each product of blocks, the
 * same in both. $GSOLVE_DEVICE names the device (cuda), where the matrices lie. */
#include <math.h>

#include "bench/on_device.h"

enum { MOST_ROUNDS = 101 };

static int rounds = 9;

/* A view of the pattern on the device, with values for blocks of b x b. */
static gsolve_blocked blocks_on_device(const gsolve_csr *rows, int b)
{
    const int64_t numbers = gsolve_csr_entries(rows) * b * b;
    gsolve_csr full = *rows, there;
    double *value = new_numbers(numbers, true);

    full.value = value; /* of which the rows take the first */
    there = rows_on_device(&full);
    gsolve_blocked A = {there.nrows,  there.ncols, there.start,    there.col, there.value,
                        there.offset, there.type,  there.location, b,         b,
                        false};
    if (location == GSOLVE_HOST) {
        A.value = value;
        return A;
    }
    gsolve_free(ctx, location, (void *)(uintptr_t)A.value);
    A.value = gsolve_alloc(ctx, location, (size_t)numbers, sizeof *value);
    if (!A.value) check(GSOLVE_NO_MEMORY);
    check(gsolve_copy(ctx, (void *)(uintptr_t)A.value, location, value, GSOLVE_HOST,
                      (size_t)numbers * sizeof *value));
    free(value);
    return A;
}

static void wait(const void *start)
{
    int32_t first;
    check(gsolve_copy(ctx, &first, GSOLVE_HOST, start, location, sizeof first));
}

/* Seconds of C = A A, and C's single numbers compared once: the difference. */
static double both(const gsolve_blocked *A, const gsolve_csr *single, double *blocks, double *plain,
                   bool compare)
{
    gsolve_blocked C;
    gsolve_csr D, E;
    double begin = bench_now(), apart = 0;

    check(gsolve_blocked_multiply(&C, ctx, "esc", A, A));
    wait(C.start);
    *blocks = bench_now() - begin;
    begin = bench_now();
    check(gsolve_csr_multiply(&D, ctx, "esc", single, single));
    wait(D.start);
    *plain = bench_now() - begin;
    if (compare) {
        int32_t end[2];
        check(gsolve_blocked_to_csr(&E, ctx, &C));
        for (int k = 0; k < 2; k++) {
            const int32_t *start = k ? E.start : D.start;
            check(gsolve_copy(ctx, &end[k], GSOLVE_HOST, start + D.nrows, location, sizeof end[k]));
        }
        double *d = new_numbers(end[0], false), *e = new_numbers(end[1], false);
        check(gsolve_copy(ctx, d, GSOLVE_HOST, D.value, location, (size_t)end[0] * sizeof *d));
        check(gsolve_copy(ctx, e, GSOLVE_HOST, E.value, location, (size_t)end[1] * sizeof *e));
        apart = end[0] == end[1] ? difference(e, d, end[0]) : INFINITY;
        free(d);
        free(e);
        gsolve_csr_free(&E, ctx);
    }
    gsolve_blocked_free(&C, ctx);
    gsolve_csr_free(&D, ctx);
    return apart;
}

static double products_of(const gsolve_csr *rows)
{
    const int32_t *start = rows->start;
    double products = 0;

    for (int64_t k = 0; k < gsolve_csr_entries(rows); k++) {
        products += start[rows->col[k] + 1] - start[rows->col[k]];
    }
    return products;
}

static void measure(const char *name, const gsolve_csr *rows, int b)
{
    static double blocks[MOST_ROUNDS], plain[MOST_ROUNDS];
    const gsolve_blocked A = blocks_on_device(rows, b);
    const double flops = 2 * products_of(rows) * b * b * b;
    double apart = 0;
    gsolve_csr single;

    check(gsolve_blocked_to_csr(&single, ctx, &A));
    for (int round = -1; round < rounds; round++) { /* the first meets cold memory */
        const int at = round < 0 ? 0 : round;
        const double one = both(&A, &single, &blocks[at], &plain[at], round < 0);
        if (round < 0) apart = one;
    }
    const double median = bench_median(blocks, rounds), peer = bench_median(plain, rounds);
    printf("{\"bench\": \"bench_blocks\", \"matrix\": \"%s\", \"rows\": %d, \"entries\": %lld, "
           "\"what\": \"blocks %d\", \"type\": \"f64\", \"columns\": null, \"device\": \"%s\", "
           "\"runs\": %d, \"median_ms\": %.4f, \"min_ms\": %.4f, \"max_ms\": %.4f, "
           "\"bytes\": null, \"floor_ms\": null, \"peer\": \"esc, single numbers\", "
           "\"peer_ms\": %.4f, \"ratio\": %.3f, \"gflops\": %.1f, \"peer_gflops\": %.1f, "
           "\"difference\": %.2g}\n",
           name, rows->nrows, (long long)gsolve_csr_entries(rows), b, about.description, rounds,
           1e3 * median, 1e3 * blocks[0], 1e3 * blocks[rounds - 1], 1e3 * peer, peer / median,
           1e-9 * flops / median, 1e-9 * flops / peer, apart);
    gsolve_csr_free(&single, ctx);
    gsolve_free(ctx, location, (void *)(uintptr_t)A.value);
    if (location == GSOLVE_HOST) {
        free((void *)(uintptr_t)A.value);
    } else {
        gsolve_free(ctx, location, (void *)(uintptr_t)A.start);
        gsolve_free(ctx, location, (void *)(uintptr_t)A.col);
    }
}

int main(int argc, char **argv)
{
    int at = 1;
    gsolve_csr rows;

    if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
        rounds = atoi(argv[2]);
        at = 3;
    }
    if (argc < at + 2 || rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: bench_blocks [--rounds N] MATRIX B...\n");
        return 1;
    }
    open_device();
    check(gsolve_read_matrix(&rows, ctx, argv[at], NULL, NULL));
    for (int k = at + 1; k < argc; k++) {
        const int b = atoi(argv[k]);
        if (b >= 1 && b <= 8) measure(argv[at], &rows, b);
    }
    gsolve_csr_free(&rows, ctx);
    gsolve_context_destroy(&ctx);
    return 0;
}
