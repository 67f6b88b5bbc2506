/* test_spgemm.c [METHOD | PART PARTS]: products of sparse matrices by every method there is, or
 * that one, beside those of CXSparse. $GSOLVE_TEST_DEVICE names the device. */
#include <cs.h>
#include <math.h>

#include "spgemm/spgemm.h"
#include "tests/parts.h"

static const char *only; /* the method to test; NULL: all */

/* The index-th method to test, or NULL. */
static const char *method_at(int index)
{
    const gsolve_plugin *plugin;

    if (only) return index == 0 ? only : NULL;
    plugin = gsolve_multiplier_at(index);
    return plugin ? plugin->name : NULL;
}

/* Whether the method multiplies plain matrices on ctx's device. */
static bool serves(const gsolve_context *ctx, const char *name)
{
    const gsolve_csr any = {0};
    const gs_blocked plain = gs_plain_blocks(&any);
    const char *why = NULL;

    for (int k = 0; gs_multipliers[k]; k++) {
        if (!gs_multipliers[k]->name || strcmp(gs_multipliers[k]->name, name) != 0) continue;
        if (gs_multiplier_serves((const gs_multiplier *)(const void *)gs_multipliers[k], ctx,
                                 &plain, &plain, &why)) {
            return true;
        }
        assert_non_null(why);
        return false;
    }
    fail_msg("there is no method %s", name);
    return false;
}

/* --- the matrices ----------------------------------------------------------------------------- */

static const struct pair {
    const char *a, *b; /* b NULL: a itself */
} pairs[] = {
    {"gen:poisson2d,n=17", NULL},
    {"gen:poisson3d,n=11", NULL},
    {"gen:poisson3d27,n=6", NULL},
    {"gen:elasticity3d,n=3", NULL},
    {"gen:band,n=450", NULL},
    {"gen:rmat,scale=9", NULL},
    {"gen:circuit,n=900,dense=2", NULL},
    {"gen:web,n=700,longest=300", NULL},
    {"gen:circuit,n=900,dense=1,share=0.01", NULL}, /* most rows short, a few not */
    {"gen:tridiagonal,n=500", NULL},
    {"gen:tridiagonal,n=1", NULL},
    {"gen:tridiagonal,n=0", NULL},
    {"gen:emptyrows,n=200", NULL},
    {"gen:random,n=60,cols=90", "gen:random,n=90,cols=35"},
    {"gen:random,n=300,cols=200,row=4", "gen:random,n=200,cols=3000,row=4"},
    {"gen:random,n=300,cols=200,row=8", "gen:random,n=200,cols=150,row=8"},
    {"gen:random,n=5,cols=3000,row=1500", "gen:random,n=3000,cols=7,row=3"},
    {"gen:random,n=400,cols=7,row=3", "gen:random,n=7,cols=2500,row=900"},
    {"gen:emptyrows,n=50,cols=120", "gen:emptyrows,n=120,cols=333"},
    {"gen:random,n=0,cols=7", "gen:random,n=7,cols=9,row=2"},
    {"gen:random,n=9,cols=7,row=2", "gen:random,n=7,cols=0,row=0"},
    {"gen:random,n=9,cols=0,row=0", "gen:random,n=0,cols=4"},
    {"gen:lp,n=30,cols=400", "gen:random,n=400,cols=50,row=4"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* An arrow: a dense row and a dense column, among a diagonal. */
static gsolve_csr arrow(gsolve_context *ctx, int32_t n, bool row, bool column)
{
    int32_t *i = malloc(3 * (size_t)n * sizeof *i), *j = malloc(3 * (size_t)n * sizeof *j);
    int64_t entries = 0;
    gsolve_csr A;

    for (int32_t k = 0; k < n; k++) {
        i[entries] = j[entries] = k;
        entries++;
        if (row) i[entries] = n / 3, j[entries++] = k;
        if (column) i[entries] = k, j[entries++] = n / 2;
    }
    OK(ctx, gs_csr_from_triplets(&A, ctx, n, n, entries, i, j, NULL));
    free(i);
    free(j);
    return A;
}

/* Random values, so that no sum vanishes. */
static void shuffle_values(gsolve_csr *A, uint64_t seed)
{
    for (int64_t k = 0; k < gsolve_csr_entries(A); k++) {
        const double v = gsolve_random(seed, (uint64_t)k);
        if (A->type == GSOLVE_F32) {
            ((float *)(uintptr_t)A->value)[k] = (float)v;
        } else {
            ((double *)(uintptr_t)A->value)[k] = v;
        }
    }
}

/* A, on the host, in wide offsets; its columns and values are A's. */
static gsolve_csr widened(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr W = *A;

    W.offset = GSOLVE_O64;
    W.start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)A->nrows + 1, sizeof(int64_t));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &W);
    for (int32_t i = 0; i <= A->nrows; i++) gs_set_start(&to, i, gs_start(A, i));
    return W;
}

/* --- the reference: CXSparse ---------------------------------------------------------------------
 */

/* A in doubles; the rows of A are the columns of A'. */
static cs_dl *columns_of_transposed(const gsolve_csr *A)
{
    const int64_t entries = gsolve_csr_entries(A);
    cs_dl *S = cs_dl_spalloc(A->ncols, A->nrows, entries ? entries : 1, 1, 0);

    for (int32_t i = 0; i <= A->nrows; i++) S->p[i] = gs_start(A, i);
    for (int64_t k = 0; k < entries; k++) {
        S->i[k] = A->col[k];
        S->x[k] = gs_value(A, k);
    }
    return S;
}

/* (A B)' = B' A', columns sorted by transposing twice. */
static cs_dl *reference(const gsolve_csr *A, const gsolve_csr *B)
{
    cs_dl *a = columns_of_transposed(A), *b = columns_of_transposed(B);
    cs_dl *c = cs_dl_multiply(b, a), *t = cs_dl_transpose(c, 1), *sorted = cs_dl_transpose(t, 1);

    cs_dl_spfree(a);
    cs_dl_spfree(b);
    cs_dl_spfree(c);
    cs_dl_spfree(t);
    return sorted;
}

static void assert_equals(const gsolve_csr *C, const cs_dl *R, const char *what)
{
    const double tolerance = C->type == GSOLVE_F32 ? 1e-4 : 1e-12;

    assert_int_equal(C->nrows, R->n);
    assert_int_equal(C->ncols, R->m);
    if (gsolve_csr_entries(C) != R->p[R->n]) {
        fail_msg("%s: %lld entries, not %lld", what, (long long)gsolve_csr_entries(C),
                 (long long)R->p[R->n]);
    }
    for (int32_t i = 0; i < C->nrows; i++) {
        double most = 1;
        if (gs_start(C, i + 1) != R->p[i + 1]) fail_msg("%s: row %d ends elsewhere", what, i);
        for (int64_t k = gs_start(C, i); k < gs_start(C, i + 1); k++)
            most = fmax(most, fabs(R->x[k]));
        for (int64_t k = gs_start(C, i); k < gs_start(C, i + 1); k++) {
            if (C->col[k] != R->i[k] || !(fabs(gs_value(C, k) - R->x[k]) <= tolerance * most)) {
                fail_msg("%s: entry %lld in row %d is (%d: %.17g), not (%d: %.17g)", what,
                         (long long)k, i, C->col[k], gs_value(C, k), (int)R->i[k], R->x[k]);
            }
        }
    }
}

static void assert_same_bits(const gsolve_csr *A, const gsolve_csr *B)
{
    const size_t entries = (size_t)gsolve_csr_entries(A);

    assert_int_equal(A->nrows, B->nrows);
    assert_int_equal(gsolve_csr_entries(B), entries);
    for (int32_t i = 0; i <= A->nrows; i++) assert_int_equal(gs_start(A, i), gs_start(B, i));
    assert_int_equal(memcmp(A->col, B->col, entries * sizeof *A->col), 0);
    assert_int_equal(memcmp(A->value, B->value, entries * gs_type_size(A->type)), 0);
}

/* The same pattern, and values but for rounding. */
static void assert_near(const gsolve_csr *C, const gsolve_csr *D)
{
    const double tolerance = C->type == GSOLVE_F32 ? 1e-4 : 1e-12;

    assert_int_equal(gsolve_csr_entries(C), gsolve_csr_entries(D));
    for (int32_t i = 0; i <= C->nrows; i++) assert_int_equal(gs_start(C, i), gs_start(D, i));
    for (int64_t k = 0; k < gsolve_csr_entries(C); k++) {
        assert_int_equal(C->col[k], D->col[k]);
        assert_true(fabs(gs_value(C, k) - gs_value(D, k)) <=
                    tolerance * (1 + fabs(gs_value(C, k))));
    }
}

/* --- conformance ------------------------------------------------------------------------------ */

/* A copy where kernels work. */
static gsolve_csr there(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_csr B;

    OK(ctx, gs_csr_move(&B, ctx, gs_location(ctx), A));
    return B;
}

static gsolve_csr back(gsolve_context *ctx, gsolve_csr *A)
{
    gsolve_csr B;

    OK(ctx, gs_csr_move(&B, ctx, GSOLVE_HOST, A));
    gsolve_csr_free(A, ctx);
    return B;
}

/* From rows on the host, and from rows on the device. */
static void check_product(gsolve_context *ctx, const char *method, const gsolve_csr *A,
                          const gsolve_csr *B, const cs_dl *R, const char *what)
{
    gsolve_csr C, D, a = there(ctx, A), b = there(ctx, B);

    OK(ctx, gsolve_csr_multiply(&C, ctx, method, A, B));
    assert_int_equal(C.location, GSOLVE_HOST);
    assert_int_equal(C.offset, GSOLVE_O32);
    assert_equals(&C, R, what);
    OK(ctx, gsolve_csr_multiply(&D, ctx, method, &a, &b));
    assert_int_equal(D.location, gs_location(ctx));
    D = back(ctx, &D);
    assert_same_bits(&C, &D);
    gsolve_csr_free(&C, ctx);
    gsolve_csr_free(&D, ctx);
    gsolve_csr_free(&a, ctx);
    gsolve_csr_free(&b, ctx);
}

/* One type is tested with offsets of the same width in A and B, the other type with different
 * widths. pair, odd or even, says which type is which. */
static void check_pair(gsolve_context *ctx, const char *method, const gsolve_csr *A,
                       const gsolve_csr *B, int pair, const char *what)
{
    for (gsolve_type type = 0; type < GSOLVE_TYPE_COUNT; type++) {
        const bool alike = ((int)type + pair) % 2 == 0;
        gsolve_csr a, b, wide_a, wide_b;
        OK(ctx, gsolve_csr_convert(&a, ctx, type, A));
        OK(ctx, gsolve_csr_convert(&b, ctx, type, B));
        shuffle_values(&a, 1);
        shuffle_values(&b, 2);
        cs_dl *R = reference(&a, &b);
        wide_a = widened(ctx, &a);
        wide_b = widened(ctx, &b);
        check_product(ctx, method, &a, alike ? &b : &wide_b, R, what);
        check_product(ctx, method, &wide_a, alike ? &wide_b : &b, R, what);
        gsolve_free(ctx, GSOLVE_HOST, (void *)(uintptr_t)wide_a.start);
        gsolve_free(ctx, GSOLVE_HOST, (void *)(uintptr_t)wide_b.start);
        gsolve_csr_free(&a, ctx);
        gsolve_csr_free(&b, ctx);
        cs_dl_spfree(R);
    }
}

/* Calls check(ctx, method) for each method that serves. */
static void each_method(void (*check)(gsolve_context *ctx, const char *method))
{
    gsolve_context *ctx = open_context(1);
    int served = 0;

    for (int k = 0; method_at(k); k++) {
        if (!serves(ctx, method_at(k))) continue;
        served++;
        if (!is_mine()) continue;
        check(ctx, method_at(k));
        assert_int_equal(blocks_of(ctx), 0);
    }
    assert_true(served > 0 || only);
    close_context(ctx);
}

static void multiply_pairs(gsolve_context *ctx, const char *method)
{
    for (int k = 0; k < PAIRS; k++) {
        gsolve_csr A = read_matrix(ctx, pairs[k].a), B;
        char what[200];
        if (pairs[k].b) B = read_matrix(ctx, pairs[k].b);
        snprintf(what, sizeof what, "%s: %s times %s", method, pairs[k].a,
                 pairs[k].b ? pairs[k].b : "itself");
        check_pair(ctx, method, &A, pairs[k].b ? &B : &A, k, what);
        gsolve_csr_free(&A, ctx);
        if (pairs[k].b) gsolve_csr_free(&B, ctx);
    }
}

static void multiply_arrows(gsolve_context *ctx, const char *method)
{
    for (int shape = 1; shape < 4; shape++) {
        gsolve_csr A = arrow(ctx, 6000, shape & 1, shape & 2 && shape < 3);
        gsolve_csr B = arrow(ctx, 6000, false, shape & 2);
        check_pair(ctx, method, &A, &B, shape, shape == 1 ? "dense row" : "dense column");
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&B, ctx);
    }
    gsolve_csr A = arrow(ctx, 300, true, true); /* whose square is dense */
    check_pair(ctx, method, &A, &A, 0, "arrow");
    gsolve_csr_free(&A, ctx);
}

/* Columns so far apart that they and the number of a product take more than 32 bits, and so many
 * rows that a GPU distributes them otherwise. The reference is esc on the CPU, since gustavson
 * stores something for each column. */
static void multiply_large(gsolve_context *ctx, const char *method)
{
    static const char *const names[][2] = {
        {"gen:random,n=300,cols=200,row=7", "gen:random,n=200,cols=900000000,row=7"},
        {"gen:circuit,n=270000,dense=1,share=0.0003", "gen:circuit,n=270000,dense=1,share=0.0003"}};
    gsolve_context *cpu;
    gsolve_csr A, B, C, R;

    if (strcmp(method, "esc") != 0 && strcmp(method, "hash") != 0) return;
    assert_int_equal(gsolve_context_create(&cpu, "cpu"), GSOLVE_OK);
    for (int k = 0; k < 2; k++) {
        A = read_matrix(ctx, names[k][0]);
        B = read_matrix(ctx, names[k][1]);
        OK(cpu, gsolve_csr_multiply(&R, cpu, "esc", &A, &B));
        OK(ctx, gsolve_csr_multiply(&C, ctx, method, &A, &B));
        assert_near(&R, &C);
        gsolve_csr_free(&R, cpu);
        gsolve_csr_free(&C, ctx);
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&B, ctx);
    }
    gsolve_context_destroy(&cpu);
}

/* Entries that cancel stay. */
static void keep_zeros(gsolve_context *ctx, const char *method)
{
    const int32_t start_a[] = {0, 2}, start_b[] = {0, 1, 2}, col_a[] = {0, 1}, col_b[] = {0, 0};
    const double a[] = {1, -1}, b[] = {2, 2};
    const gsolve_csr A = {1, 2, start_a, col_a, a, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    const gsolve_csr B = {2, 1, start_b, col_b, b, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    gsolve_csr C;

    OK(ctx, gsolve_csr_multiply(&C, ctx, method, &A, &B));
    assert_int_equal(gsolve_csr_entries(&C), 1);
    assert_true(gs_value(&C, 0) == 0);
    gsolve_csr_free(&C, ctx);
}

/* Rows out of order and with duplicates, on the host and on the device. */
static void sort_inputs(gsolve_context *ctx, const char *method)
{
    const int32_t start[] = {0, 4, 4, 6}, col[] = {2, 0, 2, 1, 1, 0};
    const double v[] = {1, 2, 3, 4, 5, 6};
    const int32_t clean_start[] = {0, 3, 3, 5}, clean_col[] = {0, 1, 2, 0, 1};
    const double clean_v[] = {2, 4, 4, 6, 5};
    const gsolve_csr A = gsolve_csr_view(3, start, col, v);
    const gsolve_csr B = gsolve_csr_view(3, clean_start, clean_col, clean_v);
    cs_dl *R = reference(&B, &B);

    check_product(ctx, method, &A, &A, R, "unsorted");
    check_product(ctx, method, &A, &B, R, "unsorted A");
    check_product(ctx, method, &B, &A, R, "unsorted B");
    cs_dl_spfree(R);
}

/* --- same bits ----------------------------------------------------------------------------------
 */

static void repeat_bits(gsolve_context *ctx, const char *method)
{
    static const char *const names[] = {"gen:rmat,scale=11", "gen:poisson3d,n=16",
                                        "gen:circuit,n=1500,dense=2"};

    for (int m = 0; m < 3; m++) {
        gsolve_csr A = read_matrix(ctx, names[m]), C, D;
        gsolve_context *two = open_context(2);
        shuffle_values(&A, 3);
        OK(ctx, gsolve_csr_multiply(&C, ctx, method, &A, &A));
        for (int run = 0; run < 10; run++) {
            OK(two, gsolve_csr_multiply(&D, two, method, &A, &A));
            assert_same_bits(&C, &D);
            gsolve_csr_free(&D, two);
        }
        gsolve_csr_free(&C, ctx);
        gsolve_csr_free(&A, ctx);
        close_context(two);
    }
}

/* --- products that are kept ------------------------------------------------------------------- */

/* Whether a product that is kept has the bits of one made once: cuSPARSE's are two, and promise
 * none; auto makes R A P at once, in another order than two products. */
static bool keeps_bits(const char *method, bool of_three)
{
    return strcmp(method, "cusparse") != 0 && !(of_three && strcmp(method, "auto") == 0);
}

/* The product's C is what a new one of A and B gives. */
static void assert_current(gsolve_context *ctx, gsolve_product *P, const char *method,
                           const gsolve_csr *A, const gsolve_csr *B)
{
    gsolve_csr view, fresh, mine;

    OK(ctx, gsolve_product_csr(P, &view));
    assert_int_equal(view.location, A->location);
    OK(ctx, gsolve_csr_multiply(&fresh, ctx, method, A, B));
    OK(ctx, gs_csr_move(&mine, ctx, GSOLVE_HOST, &view));
    fresh = back(ctx, &fresh);
    (keeps_bits(method, false) ? assert_same_bits : assert_near)(&fresh, &mine);
    gsolve_csr_free(&fresh, ctx);
    gsolve_csr_free(&mine, ctx);
}

static void update_pair(gsolve_context *ctx, const char *method, gsolve_csr *A, gsolve_csr *B)
{
    gsolve_product *P = NULL;
    gsolve_product_info info = GSOLVE_INIT(gsolve_product_info);
    gsolve_csr a, b;

    OK(ctx, gsolve_product_create(&P, ctx, method, A, B));
    assert_current(ctx, P, method, A, B);
    for (int turn = 0; turn < 2; turn++) {
        shuffle_values(A, 10 + (uint64_t)turn);
        if (B != A) shuffle_values(B, 20 + (uint64_t)turn);
        OK(ctx, gsolve_product_update(P, A, B));
        assert_current(ctx, P, method, A, B);
    }
    gsolve_product_describe(P, &info);
    assert_int_equal(info.nrows, A->nrows);
    assert_int_equal(info.ncols, B->ncols);
    assert_true(info.products >= info.entries && info.seconds > 0 && info.update_seconds > 0);
    assert_true(strcmp(info.method, "auto") != 0);
    gsolve_product_destroy(&P);
    assert_null(P);
    a = there(ctx, A);
    b = there(ctx, B);
    OK(ctx, gsolve_product_create(&P, ctx, method, &a, &b));
    OK(ctx, gsolve_product_update(P, &a, &b));
    assert_current(ctx, P, method, &a, &b);
    gsolve_product_destroy(&P);
    gsolve_csr_free(&a, ctx);
    gsolve_csr_free(&b, ctx);
}

static void update_values(gsolve_context *ctx, const char *method)
{
    for (int k = 0; k < PAIRS; k++) {
        for (gsolve_type type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            gsolve_csr A = read_matrix(ctx, pairs[k].a), B, a, b;
            OK(ctx, gsolve_csr_convert(&a, ctx, type, &A));
            if (pairs[k].b) {
                B = read_matrix(ctx, pairs[k].b);
                OK(ctx, gsolve_csr_convert(&b, ctx, type, &B));
                gsolve_csr_free(&B, ctx);
            }
            update_pair(ctx, method, &a, pairs[k].b ? &b : &a);
            gsolve_csr_free(&A, ctx);
            gsolve_csr_free(&a, ctx);
            if (pairs[k].b) gsolve_csr_free(&b, ctx);
        }
    }
}

/* What an update looks at in rows in order: a value, a column, an offset, the last offset. */
static void refuse_updates(gsolve_context *ctx, const char *method)
{
    const int32_t start[] = {0, 2, 3, 5}, col[] = {0, 2, 1, 0, 1};
    const int32_t moved[] = {0, 1, 3, 5}, fewer[] = {0, 2, 3, 4}, other[] = {0, 2, 1, 0, 2};
    const double v[] = {1, 2, 3, 4, 5}, bad[] = {1, 2, 3, 4, INFINITY};
    const gsolve_csr A = gsolve_csr_view(3, start, col, v);
    const gsolve_csr wrong[] = {
        gsolve_csr_view(3, start, col, bad),
        gsolve_csr_view(3, start, other, v),
        gsolve_csr_view(3, moved, col, v),
        gsolve_csr_view(3, fewer, col, v),
    };
    gsolve_product *P = NULL;

    OK(ctx, gsolve_product_create(&P, ctx, method, &A, &A));
    for (int k = 0; k < 4; k++) {
        gsolve_csr W;
        OK(ctx, gs_csr_move(&W, ctx, gs_location(ctx), &wrong[k]));
        assert_int_equal(gsolve_product_update(P, &W, &W), GSOLVE_BAD_MATRIX);
        assert_non_null(strstr(gsolve_error(ctx), k ? "differs in pattern" : "must be finite"));
        assert_int_equal(gsolve_product_update(P, &A, &wrong[k]), GSOLVE_BAD_MATRIX);
        gsolve_csr_free(&W, ctx);
    }
    OK(ctx, gsolve_product_update(P, &A, &A));
    assert_current(ctx, P, method, &A, &A);
    gsolve_product_destroy(&P);
}

/* A product that was made of rows out of order takes them in any order. */
static void update_unsorted(gsolve_context *ctx, const char *method)
{
    const int32_t start[] = {0, 4, 4, 6}, col[] = {2, 0, 2, 1, 1, 0}, other[] = {0, 2, 2, 1, 0, 1};
    const int32_t wrong[] = {0, 2, 2, 1, 0, 2};
    const double v[] = {1, 2, 3, 4, 5, 6};
    const gsolve_csr A = gsolve_csr_view(3, start, col, v), B = gsolve_csr_view(3, start, other, v);
    const gsolve_csr W = gsolve_csr_view(3, start, wrong, v);
    gsolve_product *P = NULL;

    OK(ctx, gsolve_product_create(&P, ctx, method, &A, &A));
    OK(ctx, gsolve_product_update(P, &B, &A));
    assert_current(ctx, P, method, &B, &A);
    assert_int_equal(gsolve_product_update(P, &W, &A), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "A: the new matrix (3 x 3, 6 entries) differs"));
    assert_int_equal(gsolve_product_update(P, &A, &W), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "B: the new matrix"));
    assert_current(ctx, P, method, &B, &A);
    gsolve_product_destroy(&P);
}

/* --- R A P --------------------------------------------------------------------------------------
 */

/* R A P as two products, of which auto makes none. */
static void assert_triple(gsolve_context *ctx, gsolve_galerkin *G, const char *method,
                          const gsolve_csr *R, const gsolve_csr *A, const gsolve_csr *P)
{
    gsolve_csr AP, RAP, view;

    OK(ctx, gsolve_csr_multiply(&AP, ctx, method, A, P));
    OK(ctx, gsolve_csr_multiply(&RAP, ctx, method, R, &AP));
    OK(ctx, gsolve_galerkin_csr(G, &view));
    (keeps_bits(method, true) ? assert_same_bits : assert_near)(&RAP, &view);
    gsolve_csr_free(&AP, ctx);
    gsolve_csr_free(&RAP, ctx);
}

static void coarsen(gsolve_context *ctx, const char *method)
{
    gsolve_csr A = read_matrix(ctx, "gen:poisson3d,n=9");
    gsolve_csr P = read_matrix(ctx, "gen:random,n=729,cols=60,row=3"), R;
    gsolve_galerkin *G = NULL, *H = NULL;
    gsolve_product_info info = GSOLVE_INIT(gsolve_product_info);

    OK(ctx, gsolve_csr_transpose(&R, ctx, &P));
    OK(ctx, gsolve_galerkin_create(&G, ctx, method, NULL, &A, &P));
    OK(ctx, gsolve_galerkin_create(&H, ctx, method, &R, &A, &P));
    assert_triple(ctx, G, method, &R, &A, &P);
    assert_triple(ctx, H, method, &R, &A, &P);
    shuffle_values(&A, 5);
    OK(ctx, gsolve_galerkin_update(G, NULL, &A, NULL));
    assert_triple(ctx, G, method, &R, &A, &P);
    shuffle_values(&P, 6);
    OK(ctx, gsolve_galerkin_update(G, NULL, &A, &P));
    OK(ctx, gsolve_galerkin_update(H, NULL, &A, &P));
    assert_triple(ctx, H, method, &R, &A, &P); /* R as it was */
    gsolve_csr_free(&R, ctx);
    OK(ctx, gsolve_csr_transpose(&R, ctx, &P));
    assert_triple(ctx, G, method, &R, &A, &P);
    OK(ctx, gsolve_galerkin_update(H, &R, &A, NULL));
    assert_triple(ctx, H, method, &R, &A, &P);
    assert_int_equal(gsolve_galerkin_update(G, &R, &A, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_galerkin_update(G, NULL, &P, NULL), GSOLVE_BAD_MATRIX);
    gsolve_galerkin_describe(G, &info);
    assert_true(info.nrows == 60 && info.ncols == 60 && info.products > info.entries);
    gsolve_galerkin_destroy(&G);
    gsolve_galerkin_destroy(&H);
    gsolve_csr_free(&A, ctx);
    gsolve_csr_free(&P, ctx);
    gsolve_csr_free(&R, ctx);
}

/* --- failures -----------------------------------------------------------------------------------
 */

static gsolve_status make_and_drop(gsolve_context *ctx, const char *method, const gsolve_csr *A)
{
    gsolve_csr C;
    const gsolve_status status = gsolve_csr_multiply(&C, ctx, method, A, A);

    if (status == GSOLVE_OK) gsolve_csr_free(&C, ctx);
    return status;
}

static gsolve_status keep_and_drop(gsolve_context *ctx, const char *method, const gsolve_csr *A)
{
    gsolve_product *P = NULL;
    gsolve_csr view;
    gsolve_status status = gsolve_product_create(&P, ctx, method, A, A);

    if (status == GSOLVE_OK) status = gsolve_product_update(P, A, A);
    if (status == GSOLVE_OK) status = gsolve_product_csr(P, &view);
    gsolve_product_destroy(&P);
    return status;
}

static gsolve_status coarsen_and_drop(gsolve_context *ctx, const char *method, const gsolve_csr *A)
{
    gsolve_galerkin *G = NULL;
    gsolve_csr view;
    gsolve_status status = gsolve_galerkin_create(&G, ctx, method, NULL, A, A);

    if (status == GSOLVE_OK) status = gsolve_galerkin_update(G, NULL, A, A);
    if (status == GSOLVE_OK) status = gsolve_galerkin_csr(G, &view);
    gsolve_galerkin_destroy(&G);
    return status;
}

static void deny_memory(gsolve_context *ctx, const char *method)
{
    static const char *const names[] = {"gen:poisson2d,n=12", "gen:rmat,scale=9"};
    const int32_t start[] = {0, 2, 3}, col[] = {1, 0, 0};
    const double v[] = {1, 2, 3};
    const gsolve_csr unsorted = gsolve_csr_view(2, start, col, v);

    for (int k = 0; k < 3; k++) {
        gsolve_csr A = {0};
        if (k < 2) A = read_matrix(ctx, names[k]);
        const gsolve_csr *given = k < 2 ? &A : &unsorted;
        ALLOCATION_SWEEP(ctx, make_and_drop(ctx, method, given));
        ALLOCATION_SWEEP(ctx, keep_and_drop(ctx, method, given));
        ALLOCATION_SWEEP(ctx, coarsen_and_drop(ctx, method, given));
        gsolve_csr_free(&A, ctx);
    }
}

/* What auto takes on a GPU: esc where rows have few products, or many that lie apart; hash where
 * they lie close together, or a few rows have most of them. On the CPU there is one method. */
static void choose_methods(void **state)
{
    static const struct choice {
        const char *matrix, *method;
    } choices[] = {
        {"gen:poisson3d,n=11", "esc"},          {"gen:circuit,n=40000,dense=8,share=0.02", "esc"},
        {"gen:circuit,n=900,dense=2", "hash"},  {"gen:band,n=2000,row=40,width=300", "hash"},
        {"gen:rmat,scale=12,degree=8", "hash"}, {"gen:tridiagonal,n=0", "esc"},
    };
    gsolve_context *ctx = open_context(1);
    gsolve_context_info about = GSOLVE_INIT(gsolve_context_info);

    (void)state;
    gsolve_context_describe(ctx, &about);
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        const bool on_gpu = strcmp(about.device, "cuda") == 0;
        gsolve_csr A = read_matrix(ctx, choices[k].matrix);
        gsolve_product_info info = GSOLVE_INIT(gsolve_product_info);
        gsolve_product *P = NULL;

        OK(ctx, gsolve_product_create(&P, ctx, "auto", &A, &A));
        gsolve_product_describe(P, &info);
        assert_string_equal(info.method, on_gpu ? choices[k].method : "gustavson");
        gsolve_product_destroy(&P);
        gsolve_csr_free(&A, ctx);
    }
    gsolve_context_destroy(&ctx);
}

/* What is left in a context goes with it. */
static void leave_handles(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=5");
    gsolve_product *P;
    gsolve_galerkin *G;

    (void)state;
    OK(ctx, gsolve_product_create(&P, ctx, "auto", &A, &A));
    OK(ctx, gsolve_galerkin_create(&G, ctx, "auto", NULL, &A, &A));
    gsolve_context_destroy(&ctx);
    assert_null(ctx);
}

static void refuse(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B, const char *spec,
                   gsolve_status status, const char *part)
{
    const int64_t before = blocks_of(ctx);
    gsolve_csr C = {.nrows = -7};
    gsolve_product *P = NULL;

    assert_int_equal(gsolve_csr_multiply(&C, ctx, spec, A, B), status);
    assert_int_equal(C.nrows, -7);
    if (!strstr(gsolve_error(ctx), part)) fail_msg("'%s' lacks '%s'", gsolve_error(ctx), part);
    assert_int_equal(gsolve_product_create(&P, ctx, spec, A, B), status);
    assert_null(P);
    assert_int_equal(blocks_of(ctx), before);
}

static void wrong_inputs(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=4"), F, W = A, C;
    gsolve_csr B = read_matrix(ctx, "gen:random,n=7,cols=9,row=2");
    int32_t *col = (int32_t *)(uintptr_t)B.col;
    double *value = (double *)(uintptr_t)A.value;
    const double kept = value[5];
    gsolve_galerkin *G = NULL;

    (void)state;
    OK(ctx, gsolve_csr_convert(&F, ctx, GSOLVE_F32, &A));
    refuse(ctx, &A, &B, "auto", GSOLVE_BAD_MATRIX, "16 x 16 and 7 x 9");
    refuse(ctx, &A, &F, "auto", GSOLVE_BAD_ARGUMENT, "double precision");
    refuse(ctx, &A, NULL, "auto", GSOLVE_BAD_ARGUMENT, "");
    refuse(ctx, &A, &A, "nosuch", GSOLVE_BAD_SPEC, "unknown product 'nosuch'");
    refuse(ctx, &A, &A, "auto,key=3", GSOLVE_BAD_SPEC, "auto has no option 'key'");
    W.type = (gsolve_type)17;
    refuse(ctx, &W, &A, "auto", GSOLVE_BAD_ARGUMENT, "A: the matrix has an unknown");
    value[5] = NAN;
    refuse(ctx, &A, &A, "auto", GSOLVE_BAD_MATRIX, "A: the entry in row 1 and column");
    value[5] = kept;
    col[3] = 9;
    W = B;
    W.nrows = W.ncols = 7;
    refuse(ctx, &W, &B, "auto", GSOLVE_BAD_MATRIX, "A: row");
    assert_int_equal(gsolve_galerkin_create(&G, ctx, "auto", NULL, &A, &B), GSOLVE_BAD_MATRIX);
    assert_int_equal(gsolve_galerkin_create(&G, ctx, "auto", &F, &A, &A), GSOLVE_BAD_ARGUMENT);
    assert_null(G);
    assert_int_equal(gsolve_csr_multiply(&C, NULL, "auto", &A, &A), GSOLVE_BAD_ARGUMENT);
    gsolve_csr_free(&A, ctx);
    gsolve_csr_free(&B, ctx);
    gsolve_csr_free(&F, ctx);
    close_context(ctx);
}

/* A method that does not run on a device says why. */
static void refuse_elsewhere(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=4");

    (void)state;
    for (int k = 0; method_at(k); k++) {
        if (serves(ctx, method_at(k))) continue;
        refuse(ctx, &A, &A, method_at(k), GSOLVE_UNSUPPORTED, method_at(k));
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

#define EACH(check)                        \
    static void each_##check(void **state) \
    {                                      \
        (void)state, each_method(check);   \
    }
EACH(multiply_pairs)
EACH(multiply_arrows)
EACH(multiply_large)
EACH(keep_zeros)
EACH(sort_inputs)
EACH(repeat_bits)
EACH(update_values)
EACH(update_unsorted)
EACH(refuse_updates)
EACH(coarsen)
EACH(deny_memory)

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(each_multiply_pairs), cmocka_unit_test(each_multiply_arrows),
        cmocka_unit_test(each_multiply_large), cmocka_unit_test(each_keep_zeros),
        cmocka_unit_test(each_sort_inputs),    cmocka_unit_test(each_repeat_bits),
        cmocka_unit_test(each_update_values),  cmocka_unit_test(each_update_unsorted),
        cmocka_unit_test(each_refuse_updates), cmocka_unit_test(each_coarsen),
        cmocka_unit_test(each_deny_memory),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(leave_handles),
        cmocka_unit_test(wrong_inputs),
        cmocka_unit_test(refuse_elsewhere),
        cmocka_unit_test(choose_methods),
    };

    only = argc == 2 ? argv[1] : NULL;
    take_part(argc, argv);
    need_device();
    return RUN_PARTS(shared, other);
}
