/* test_spgemm_blocks.c: products of matrices of dense blocks, and what esc promises: bands that
 * change no bit, long sums, rows of every size. */
#include "tests/common.h"

#include <math.h>

#include "core/try.h"
#include "spgemm/blocked/blocked.h"
#include "spgemm/spgemm.h"

/* --- matrices ----------------------------------------------------------------------------------
 */

typedef struct triplets {
    int32_t *i, *j, nrows, ncols;
    double *v;
    int64_t count, room;
} triplets;

static triplets begin_matrix(int32_t nrows, int32_t ncols, int64_t room)
{
    triplets t = {malloc((size_t)room * 4),
                  malloc((size_t)room * 4),
                  nrows,
                  ncols,
                  malloc((size_t)room * 8),
                  0,
                  room};
    return t;
}

static void put(triplets *t, int32_t i, int32_t j)
{
    assert_true(t->count < t->room);
    t->i[t->count] = i;
    t->j[t->count] = j;
    t->v[t->count] = gsolve_random(11, (uint64_t)t->count) - 0.5;
    t->count++;
}

static gsolve_csr end_matrix(gsolve_context *ctx, triplets *t, gsolve_type type)
{
    gsolve_csr csr, typed;

    OK(ctx, gs_csr_from_triplets(&csr, ctx, t->nrows, t->ncols, t->count, t->i, t->j, t->v));
    OK(ctx, gsolve_csr_convert(&typed, ctx, type, &csr));
    gsolve_csr_free(&csr, ctx);
    free(t->i);
    free(t->j);
    free(t->v);
    return typed;
}

/* About per entries a row, one row in seven empty. */
static gsolve_csr scattered(gsolve_context *ctx, int32_t nrows, int32_t ncols, int per,
                            gsolve_type type)
{
    triplets t = begin_matrix(nrows, ncols, (int64_t)nrows * per + 1);

    for (int32_t i = 0; i < nrows; i++) {
        for (int k = 0; k < per && i % 7 != 3; k++) {
            put(&t, i, (int32_t)(fabs(gsolve_random(5, (uint64_t)(i * per + k))) * ncols) % ncols);
        }
    }
    return end_matrix(ctx, &t, type);
}

/* A dense first row and column, a diagonal, and a row of medium length here and there. */
static gsolve_csr arrow(gsolve_context *ctx, int32_t n, int32_t medium, gsolve_type type)
{
    triplets t = begin_matrix(n, n, 3 * (int64_t)n + (int64_t)medium * (n / 50 + 1));

    for (int32_t i = 0; i < n; i++) {
        put(&t, i, i);
        if (i > 0) put(&t, 0, i);
        if (i > 0) put(&t, i, 0);
        for (int32_t k = 1; k < medium && i % 50 == 49; k++) put(&t, i, (i + 3 * k) % n);
    }
    return end_matrix(ctx, &t, type);
}

static gsolve_csr placed(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr there;
    OK(ctx, gs_csr_move(&there, ctx, gs_location(ctx), A));
    return there;
}

/* --- what a product must be --------------------------------------------------------------------
 */

/* C, on the host, against A B on the host: the very pattern, and values to rounding. */
static void check_product(const gsolve_csr *C, const gsolve_csr *A, const gsolve_csr *B)
{
    const double eps = A->type == GSOLVE_F32 ? 6e-8 : 1.2e-16;
    double *sum = calloc((size_t)B->ncols + 1, 8), *size = calloc((size_t)B->ncols + 1, 8);
    int32_t *terms = calloc((size_t)B->ncols + 1, 4);

    assert_int_equal(C->nrows, A->nrows);
    assert_int_equal(C->ncols, B->ncols);
    for (int32_t i = 0; i < A->nrows; i++) {
        int64_t entries = 0;
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            for (int64_t e = gs_start(B, A->col[k]); e < gs_start(B, A->col[k] + 1); e++) {
                const double x = gs_value(A, k) * gs_value(B, e);
                sum[B->col[e]] += x;
                size[B->col[e]] += fabs(x);
                entries += terms[B->col[e]]++ == 0;
            }
        }
        assert_int_equal(gs_start(C, i + 1) - gs_start(C, i), entries);
        for (int64_t k = gs_start(C, i); k < gs_start(C, i + 1); k++) {
            const int32_t j = C->col[k];
            assert_in_range(j, 0, B->ncols - 1);
            if (k > gs_start(C, i)) assert_true(j > C->col[k - 1]);
            assert_true(terms[j] > 0);
            assert_true(fabs(gs_value(C, k) - sum[j]) <= eps * (terms[j] + 2) * size[j]);
        }
        for (int64_t k = gs_start(C, i); k < gs_start(C, i + 1); k++) {
            sum[C->col[k]] = size[C->col[k]] = 0;
            terms[C->col[k]] = 0;
        }
    }
    free(sum);
    free(size);
    free(terms);
}

static void check_same_bits(const gsolve_csr *C, const gsolve_csr *D, int64_t numbers)
{
    const int64_t entries = gs_start(C, C->nrows);

    assert_int_equal(entries, gs_start(D, D->nrows));
    assert_memory_equal(C->start, D->start, ((size_t)C->nrows + 1) * gs_offset_size(C->offset));
    assert_memory_equal(C->col, D->col, (size_t)entries * 4);
    assert_memory_equal(C->value, D->value, (size_t)(entries * numbers) * gs_type_size(C->type));
}

static gsolve_csr on_host(gsolve_context *ctx, const gsolve_csr *C)
{
    gsolve_csr host;
    OK(ctx, gs_csr_move(&host, ctx, GSOLVE_HOST, C));
    return host;
}

/* A B by esc with a spec, from matrices on the device; C on the host. */
static gsolve_csr product(gsolve_context *ctx, const char *spec, const gsolve_csr *A,
                          const gsolve_csr *B, gs_product_work *stats)
{
    const gs_blocked a = {placed(ctx, A), 1, 1}, b = {placed(ctx, B), 1, 1};
    gs_product P;
    gsolve_csr C;

    OK(ctx, gs_product_make(&P, ctx, spec, &a, &b, false));
    if (stats) *stats = P.stats;
    C = on_host(ctx, &P.C.csr);
    gs_product_drop(&P);
    for (int k = 0; k < 2; k++) {
        gsolve_csr side = k ? b.csr : a.csr;
        gsolve_csr_free(&side, ctx);
    }
    return C;
}

/* --- esc alone ---------------------------------------------------------------------------------
 */

/* Pairs of matrices whose rows take every path there is. */
enum { PAIRS = 9 };

static void make_pair(gsolve_context *ctx, int which, gsolve_type type, gsolve_csr *A,
                      gsolve_csr *B)
{
    gsolve_csr csr = {0};

    switch (which) {
    case 0: csr = read_matrix(ctx, "gen:poisson3d,n=12"); break;
    case 1: csr = read_matrix(ctx, "gen:rmat,scale=9"); break;
    case 2: csr = read_matrix(ctx, "gen:band,n=333"); break;
    case 3: csr = read_matrix(ctx, "gen:tridiagonal,n=3000"); break;
    case 4: csr = read_matrix(ctx, "gen:circuit,n=3000,dense=2"); break;
    case 5: /* a row of as many products as B has, far apart: wide keys */
        *A = arrow(ctx, 700, 60, type);
        *B = scattered(ctx, 700, 12000000, 40, type);
        return;
    case 6: /* sums of more terms than are added one by one */
        *A = arrow(ctx, 700, 200, type);
        *B = arrow(ctx, 700, 500, type);
        return;
    case 7:
        *A = scattered(ctx, 300, 5000, 900, type); /* long rows times short ones */
        *B = scattered(ctx, 5000, 90, 1, type);
        return;
    default:
        *A = scattered(ctx, 40, 60, 0, type);
        *B = scattered(ctx, 60, 20, 3, type);
        return;
    }
    OK(ctx, gsolve_csr_convert(A, ctx, type, &csr));
    OK(ctx, gsolve_csr_convert(B, ctx, type, &csr));
    gsolve_csr_free(&csr, ctx);
}

/* Any memory gives the same bits. */
static void bands(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int which = 0; which < PAIRS; which++) {
        for (gsolve_type type = GSOLVE_F32; type <= GSOLVE_F64; type++) {
            static const char *const spec[] = {"esc,memory=0.3", "esc,memory=0.03",
                                               "esc,memory=1e-6"};
            gs_product_work stats, whole;
            gsolve_csr A, B;
            make_pair(ctx, which, type, &A, &B);
            gsolve_csr C = product(ctx, "esc,memory=10000", &A, &B, &whole);
            check_product(&C, &A, &B);
            for (int k = 0; k < 3; k++) {
                gsolve_csr D = product(ctx, spec[k], &A, &B, &stats);
                check_same_bits(&C, &D, 1);
                assert_int_equal(stats.products, whole.products);
                assert_true(stats.bands >= whole.bands);
                if (k == 2 && stats.products > 5000) assert_true(stats.bands > whole.bands);
                gsolve_csr_free(&D, ctx);
            }
            gsolve_csr_free(&A, ctx);
            gsolve_csr_free(&B, ctx);
            gsolve_csr_free(&C, ctx);
        }
    }
    close_context(ctx);
}

/* A run with one thread, and ten with three. */
static void same_bits(void **state)
{
    (void)state;

    for (int which = 0; which < PAIRS; which++) {
        gsolve_context *ctx = open_context(1), *other = open_context(3);
        gsolve_csr A, B;
        make_pair(ctx, which, GSOLVE_F64, &A, &B);
        gsolve_csr C = product(ctx, "esc", &A, &B, NULL);
        for (int run = 0; run < 10; run++) {
            gsolve_csr D = product(other, "esc", &A, &B, NULL);
            check_same_bits(&C, &D, 1);
            gsolve_csr_free(&D, other);
        }
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&B, ctx);
        gsolve_csr_free(&C, ctx);
        close_context(ctx);
        close_context(other);
    }
}

static void new_values(gsolve_context *ctx, const gsolve_csr *A, int64_t count, uint64_t seed)
{
    const size_t size = gs_type_size(A->type);
    char *value = malloc((size_t)count * size + 1);

    for (int64_t k = 0; k < count; k++) {
        const double x = gsolve_random(seed, (uint64_t)k) - 0.4;
        if (A->type == GSOLVE_F32) {
            ((float *)(void *)value)[k] = (float)x;
        } else {
            ((double *)(void *)value)[k] = x;
        }
    }
    OK(ctx, gsolve_copy(ctx, (void *)(uintptr_t)A->value, A->location, value, GSOLVE_HOST,
                        (size_t)count * size));
    free(value);
}

/* New values in the old pattern: the bits of a new product, also where the plan was made band by
 * band. */
static void renewed(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int variant = 0; variant < 4 * PAIRS; variant++) {
        const gsolve_type type = variant % 2 ? GSOLVE_F64 : GSOLVE_F32;
        const char *spec = variant / 2 % 2 ? "esc" : "esc,memory=0.03";
        gsolve_csr A, B;
        gs_product P, Q;
        make_pair(ctx, variant / 4, type, &A, &B);
        gs_blocked a = {placed(ctx, &A), 1, 1}, b = {placed(ctx, &B), 1, 1};
        OK(ctx, gs_product_make(&P, ctx, spec, &a, &b, true));
        new_values(ctx, &a.csr, gs_start(&A, A.nrows), 3);
        new_values(ctx, &b.csr, gs_start(&B, B.nrows), 4);
        gsolve_context_limit_allocations(ctx, 0);
        OK(ctx, gs_product_update(&P, &a, &b));
        gsolve_context_limit_allocations(ctx, -1);
        OK(ctx, gs_product_make(&Q, ctx, "esc", &a, &b, false));
        gsolve_csr C = on_host(ctx, &P.C.csr), D = on_host(ctx, &Q.C.csr);
        check_same_bits(&C, &D, 1);
        gsolve_csr *all[] = {&A, &B, &C, &D, &a.csr, &b.csr};
        for (int k = 0; k < 6; k++) gsolve_csr_free(all[k], ctx);
        gs_product_drop(&P);
        gs_product_drop(&Q);
    }
    close_context(ctx);
}

/* Memory that cannot be had at any point. */
static void failures(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A, B;
    (void)state;

    for (int which = 0; which < 7; which += 3) {
        make_pair(ctx, which, GSOLVE_F64, &A, &B);
        gs_blocked a = {placed(ctx, &A), 1, 1}, b = {placed(ctx, &B), 1, 1};
        for (int keep = 0; keep < 2; keep++) {
            gs_product P;
            ALLOCATION_SWEEP(ctx, gs_product_make(&P, ctx, "esc,memory=0.1", &a, &b, keep));
            gs_product_drop(&P);
        }
        gsolve_csr *all[] = {&A, &B, &a.csr, &b.csr};
        for (int k = 0; k < 4; k++) gsolve_csr_free(all[k], ctx);
    }
    close_context(ctx);
}

/* --- blocks ------------------------------------------------------------------------------------
 */

/* The numbers of A as a dense matrix of the host. */
static double *dense(const gsolve_csr *A)
{
    double *D = calloc((size_t)A->nrows * (size_t)A->ncols + 1, 8);

    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            D[(int64_t)i * A->ncols + A->col[k]] += gs_value(A, k);
        }
    }
    return D;
}

/* Rows of entries out of order, with duplicates. */
static void shuffle(gsolve_csr *A)
{
    int32_t *col = (int32_t *)(uintptr_t)A->col;

    for (int32_t i = 0; i < A->nrows; i++) {
        const int64_t from = gs_start(A, i), to = gs_start(A, i + 1);
        for (int64_t k = from; k < to; k++)
            col[k] = (int32_t)((k * 2654435761u) % (uint32_t)A->ncols);
        if (to - from > 2) col[to - 1] = col[from];
    }
}

/* New values in A's pattern, into blocks that were made of other ones: those of new blocks. */
static void check_refill(gsolve_context *ctx, const gsolve_csr *A, int h, int w)
{
    gsolve_csr there = placed(ctx, A), one, two, seen[2];
    gs_blocked B, fresh;
    int64_t entries = 0;

    OK(ctx, gs_blocked_from_csr(&B, ctx, h, w, &there));
    OK(ctx, gs_csr_entries(ctx, &there, &entries));
    new_values(ctx, &there, entries, (uint64_t)(8 * h + w));
    OK(ctx, GS_KERNELS(gs_blocked, ctx, A->type)->refill(ctx, &B, &there));
    OK(ctx, gs_blocked_from_csr(&fresh, ctx, h, w, &there));
    OK(ctx, gs_blocked_to_csr(&one, ctx, &B, false));
    OK(ctx, gs_blocked_to_csr(&two, ctx, &fresh, false));
    seen[0] = on_host(ctx, &one);
    seen[1] = on_host(ctx, &two);
    check_same_bits(&seen[0], &seen[1], 1);
    gsolve_csr *all[] = {&there, &one, &two, &seen[0], &seen[1]};
    for (int k = 0; k < 5; k++) gsolve_csr_free(all[k], ctx);
    gs_blocked_free(&B, ctx);
    gs_blocked_free(&fresh, ctx);
}

static void refills(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int h = 1; h <= 8; h++) {
        for (int w = 1; w <= 8; w++) {
            gsolve_csr A = scattered(ctx, 11 * h, 5 * w, 4, GSOLVE_F64);
            gsolve_csr full = scattered(ctx, 3 * h, 60 * w, 40 * w, GSOLVE_F64);
            check_refill(ctx, &A, h, w);
            check_refill(ctx, &full, h, w);
            gsolve_csr_free(&A, ctx);
            gsolve_csr_free(&full, ctx);
        }
    }
    close_context(ctx);
}

static void conversions(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int h = 1; h <= 8; h++) {
        for (int w = 1; w <= 8; w++) {
            for (int there = 0; there < 2; there++) {
                const gsolve_type type = (h + w) % 2 ? GSOLVE_F32 : GSOLVE_F64;
                gsolve_csr A = scattered(ctx, 11 * h, 5 * w, 4, type), back, moved;
                gsolve_blocked B;
                if (h % 3 == 0) shuffle(&A);
                moved = there ? placed(ctx, &A) : A;
                OK(ctx, gsolve_blocked_from_csr(&B, ctx, h, w, &moved));
                assert_int_equal(B.nrows, 11);
                assert_int_equal(B.location, moved.location);
                OK(ctx, gsolve_blocked_to_csr(&back, ctx, &B));
                gsolve_csr host = on_host(ctx, &back);
                assert_true(gs_rows_ascend(ctx, &host));
                double *D = dense(&A), *E = dense(&host);
                for (int k = 0; k < 55 * h * w; k++) assert_true(fabs(D[k] - E[k]) <= 1e-6);
                for (int I = 0; I < 11; I++) { /* no block without an entry */
                    const int64_t numbers = gs_start(&host, (I + 1) * h) - gs_start(&host, I * h);
                    assert_true(numbers <= (int64_t)5 * w * h);
                    for (int J = 0; J < 5; J++) {
                        bool any = false, stored = false;
                        for (int r = I * h; r < (I + 1) * h; r++) {
                            for (int64_t k = gs_start(&A, r); k < gs_start(&A, r + 1); k++) {
                                any = any || A.col[k] / w == J;
                            }
                            for (int64_t k = gs_start(&host, r); k < gs_start(&host, r + 1); k++) {
                                stored = stored || host.col[k] / w == J;
                            }
                        }
                        assert_int_equal(any, stored);
                    }
                }
                free(D);
                free(E);
                gsolve_blocked_free(&B, ctx);
                if (there) gsolve_csr_free(&moved, ctx);
                gsolve_csr_free(&A, ctx);
                gsolve_csr_free(&back, ctx);
                gsolve_csr_free(&host, ctx);
            }
        }
    }
    close_context(ctx);
}

/* A (r x s blocks) B (s x t blocks), against the product of the same numbers one by one. */
static void check_blocks(gsolve_context *ctx, int r, int s, int t, gsolve_type type, bool there,
                         int32_t n, int per)
{
    gsolve_csr a = scattered(ctx, n * r, (n + 3) * s, per, type);
    gsolve_csr b = scattered(ctx, (n + 3) * s, (n - 1) * t, per, type), plain[3];
    gsolve_csr from[2] = {there ? placed(ctx, &a) : a, there ? placed(ctx, &b) : b};
    gsolve_blocked A, B, C;

    OK(ctx, gsolve_blocked_from_csr(&A, ctx, r, s, &from[0]));
    OK(ctx, gsolve_blocked_from_csr(&B, ctx, s, t, &from[1]));
    OK(ctx, gsolve_blocked_multiply(&C, ctx, "esc", &A, &B));
    assert_int_equal(C.height, r);
    assert_int_equal(C.width, t);
    assert_int_equal(C.location, from[0].location);
    for (int k = 0; k < 3; k++) {
        gsolve_csr one;
        OK(ctx, gsolve_blocked_to_csr(&one, ctx, k == 0 ? &A : k == 1 ? &B : &C));
        plain[k] = on_host(ctx, &one);
        gsolve_csr_free(&one, ctx);
    }
    check_product(&plain[2], &plain[0], &plain[1]);
    for (int k = 0; k < 3; k++) gsolve_csr_free(&plain[k], ctx);
    for (int k = 0; k < 2 && there; k++) gsolve_csr_free(&from[k], ctx);
    gsolve_csr_free(&a, ctx);
    gsolve_csr_free(&b, ctx);
    gsolve_blocked_free(&A, ctx);
    gsolve_blocked_free(&B, ctx);
    gsolve_blocked_free(&C, ctx);
}

static void block_products(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int b = 1; b <= 8; b++) {
        check_blocks(ctx, b, b, b, GSOLVE_F64, true, 40, 3);
        check_blocks(ctx, b, b, b, GSOLVE_F32, b % 2, 40, 3);
    }
    for (int k = 0; k < 60; k++) {
        check_blocks(ctx, 1 + k % 8, 1 + k * 3 % 7, 1 + k * 5 % 8, GSOLVE_F64, k % 3, 20, 2);
    }
    check_blocks(ctx, 2, 3, 1, GSOLVE_F64, true, 200, 20); /* rows of some thousand products */
    check_blocks(ctx, 1, 2, 2, GSOLVE_F64, true, 200, 60);
    close_context(ctx);
}

/* Blocks renewed, and in bands: the bits of a new product. */
static void check_block_bits(gsolve_context *ctx, int b, int32_t n, int32_t m, int per)
{
    gsolve_csr a = scattered(ctx, n * b, m * b, per, GSOLVE_F64), turned;
    gsolve_csr there = placed(ctx, &a), moved, C[3], numbers;
    gs_blocked A, B;
    gs_product P[3];
    int64_t count[2];

    OK(ctx, gsolve_csr_transpose(&turned, ctx, &a));
    moved = placed(ctx, &turned);
    OK(ctx, gs_blocked_from_csr(&A, ctx, b, b, &there));
    OK(ctx, gs_blocked_from_csr(&B, ctx, b, b, &moved));
    OK(ctx, gs_product_make(&P[0], ctx, "esc", &A, &B, true));
    OK(ctx, gs_csr_entries(ctx, &A.csr, &count[0]));
    OK(ctx, gs_csr_entries(ctx, &B.csr, &count[1]));
    new_values(ctx, &A.csr, count[0] * b * b, 8);
    new_values(ctx, &B.csr, count[1] * b * b, 9);
    OK(ctx, gs_product_update(&P[0], &A, &B));
    OK(ctx, gs_product_make(&P[1], ctx, "esc", &A, &B, false));
    OK(ctx, gs_product_make(&P[2], ctx, "esc,memory=0.01", &A, &B, false));
    for (int k = 0; k < 3; k++) { /* all numbers of the blocks as entries */
        OK(ctx, gs_blocked_to_csr(&numbers, ctx, &P[k].C, false));
        C[k] = on_host(ctx, &numbers);
        gsolve_csr_free(&numbers, ctx);
        gs_product_drop(&P[k]);
    }
    check_same_bits(&C[0], &C[1], 1);
    check_same_bits(&C[1], &C[2], 1);
    gsolve_csr *all[] = {&a, &there, &turned, &moved, &C[0], &C[1], &C[2]};
    for (int k = 0; k < 7; k++) gsolve_csr_free(all[k], ctx);
    gs_blocked_free(&A, ctx);
    gs_blocked_free(&B, ctx);
}

static void block_bits(void **state)
{
    gsolve_context *ctx = open_context(3);
    (void)state;

    for (int b = 1; b <= 8; b++) check_block_bits(ctx, b, 100, 80, 2);
    check_block_bits(ctx, 2, 40, 400, 500); /* long sums in long rows */
    close_context(ctx);
}

static void refusals(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = scattered(ctx, 12, 15, 3, GSOLVE_F64), out;
    gsolve_blocked B, C, D;
    (void)state;

    assert_int_equal(gsolve_blocked_from_csr(&B, ctx, 5, 3, &A), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "12 x 15 cannot be divided into blocks of 5 x 3"));
    assert_int_equal(gsolve_blocked_from_csr(&B, ctx, 9, 3, &A), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_blocked_from_csr(&B, ctx, 3, 0, &A), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_blocked_from_csr(NULL, ctx, 3, 3, &A), GSOLVE_BAD_ARGUMENT);
    ALLOCATION_SWEEP(ctx, gsolve_blocked_from_csr(&B, ctx, 3, 5, &A));
    assert_int_equal(gsolve_blocked_multiply(&C, ctx, "esc", &B, &B), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "block columns of width 5"));
    OK(ctx, gsolve_blocked_from_csr(&D, ctx, 4, 3, &A));
    assert_int_equal(gsolve_blocked_multiply(&C, ctx, "esc,memory=-1", &B, &D), GSOLVE_BAD_MATRIX);
    gsolve_blocked_free(&D, ctx);
    ALLOCATION_SWEEP(ctx, gsolve_blocked_to_csr(&out, ctx, &B));
    gsolve_csr_free(&out, ctx);
    ((int32_t *)(uintptr_t)B.col)[1] = B.col[0];
    if (((const int32_t *)B.start)[1] > 1) {
        assert_int_equal(gsolve_blocked_to_csr(&out, ctx, &B), GSOLVE_BAD_MATRIX);
        assert_non_null(strstr(gsolve_error(ctx), "do not ascend strictly"));
    }
    gsolve_blocked_free(&B, ctx);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands),    cmocka_unit_test(same_bits),   cmocka_unit_test(renewed),
        cmocka_unit_test(failures), cmocka_unit_test(conversions), cmocka_unit_test(block_products),
        cmocka_unit_test(refills),  cmocka_unit_test(block_bits),  cmocka_unit_test(refusals),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
