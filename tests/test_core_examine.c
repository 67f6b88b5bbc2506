/* test_core_examine.c: the traits of matrices of which they are known. */
#include "core_support.h"

#include "gsolve_io.h"

static gsolve_statistics look(const gsolve_csr *A)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);

    if (gsolve_csr_statistics(ctx, A, &t) != GSOLVE_OK) fail_msg("%s", gsolve_error(ctx));
    return t;
}

static gsolve_statistics look_at(const char *name)
{
    gsolve_csr A;

    if (gsolve_read_matrix(&A, ctx, name, NULL, NULL) != GSOLVE_OK)
        fail_msg("%s", gsolve_error(ctx));
    const gsolve_statistics t = look(&A);
    gsolve_csr_free(&A, ctx);
    return t;
}

static void a_small_laplacian(void **state)
{
    const gsolve_statistics t = look_at("gen:poisson2d,n=3");

    (void)state;
    assert_int_equal(t.nrows, 9);
    assert_int_equal(t.ncols, 9);
    assert_int_equal(t.entries, 33);
    assert_true(t.symmetric_pattern && t.symmetric && !t.skew);
    assert_int_equal(t.empty_rows + t.empty_cols + t.zero_diagonals + t.negative_diagonals, 0);
    assert_int_equal(t.first_empty_row, -1);
    assert_int_equal(t.first_zero_diagonal, -1);
    assert_int_equal(t.shortest_row, 3);
    assert_int_equal(t.longest_row, 5);
    assert_int_equal(t.bandwidth, 3);
    assert_int_equal(t.block, 1);
    assert_int_equal(t.dominant_rows, 9);
    assert_int_equal(t.zero_sum_rows, 1);
    assert_int_equal(t.positive_off, 0);
    assert_true(fabs(t.mean_row - 33.0 / 9) < 1e-14);
    assert_true(fabs(t.deviation_row - sqrt(125.0 / 9 - 33.0 * 33 / 81)) < 1e-7);
    assert_true(t.dominance == 1 && t.spread == 1 && t.scaling == 1 && t.mean_dominance == 1);
    assert_true(t.least == 1 && t.largest == 4);
    assert_int_equal(t.length[2], 4); /* 2 or 3 entries */
    assert_int_equal(t.length[3], 5); /* 4 to 7 */
    assert_int_equal(t.length[0] + t.length[1] + t.length[4], 0);
}

static void an_ugly_matrix(void **state)
{
    const int32_t start[] = {0, 2, 2, 4, 7}, col[] = {1, 0, 0, 2, 3, 1, 1};
    const double value[] = {-1, 2, 1e-3, 0, -5, 4, 6}; /* unsorted, and 4 + 6 in one place */
    const gsolve_csr A = gsolve_csr_view(4, start, col, value);
    const gsolve_statistics t = look(&A);

    (void)state;
    assert_int_equal(t.entries, 6);
    assert_false(t.symmetric_pattern || t.symmetric || t.skew);
    assert_int_equal(t.empty_rows, 1);
    assert_int_equal(t.first_empty_row, 1);
    assert_int_equal(t.empty_cols, 0);
    assert_int_equal(t.zero_diagonals, 2); /* one absent, one stored */
    assert_int_equal(t.first_zero_diagonal, 1);
    assert_int_equal(t.negative_diagonals, 1);
    assert_int_equal(t.shortest_row, 0);
    assert_int_equal(t.longest_row, 2);
    assert_int_equal(t.bandwidth, 2);
    assert_int_equal(t.dominant_rows, 1);
    assert_int_equal(t.positive_off, 2);
    assert_true(t.dominance == 0);
    assert_true(t.mean_dominance == 0.375); /* of 1, 0, 0 and 0.5 */
    assert_true(t.spread == 2.5);
    assert_true(fabs(t.scaling - 1e4) < 1e-8);
    assert_true(t.least == 1e-3 && t.largest == 10);
    assert_int_equal(t.length[0], 1);
    assert_int_equal(t.length[2], 3);
}

static void nothing_to_look_at(void **state)
{
    const int32_t start[6] = {0}, one[] = {0, 1}, col[] = {0};
    const double zero[] = {0};
    static const int32_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {5, 5}};

    (void)state;
    for (int k = 0; k < 4; k++) {
        const int32_t nrows = sizes[k][0], ncols = sizes[k][1];
        const gsolve_csr A = {nrows, ncols, start, NULL, NULL, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
        const gsolve_statistics t = look(&A);
        assert_int_equal(t.entries, 0);
        assert_int_equal(t.empty_rows, nrows);
        assert_int_equal(t.empty_cols, ncols);
        assert_int_equal(t.zero_diagonals, nrows < ncols ? nrows : ncols);
        assert_int_equal(t.shortest_row, 0);
        assert_int_equal(t.block, 1);
        assert_true(t.least == 0 && t.largest == 0 && t.mean_row == 0 && t.deviation_row == 0);
        assert_true(t.spread == 0 && t.scaling == 0);
        assert_false(t.skew);
    }
    const gsolve_csr A = gsolve_csr_view(1, one, col, zero);
    const gsolve_statistics t = look(&A);
    assert_true(t.symmetric);
    assert_int_equal(t.zero_diagonals, 1);
    assert_int_equal(t.dominant_rows, 0);
}

/* --- symmetry, against a dense search -------------------------------------------------------- */

enum { N = 6 };

static gsolve_csr compress(double a[N][N], bool there[N][N], int32_t start[N + 1],
                           int32_t col[N * N], double value[N * N])
{
    int32_t at = 0;

    for (int i = 0; i < N; i++) {
        start[i] = at;
        for (int j = 0; j < N; j++) {
            if (!there[i][j]) continue;
            col[at] = j;
            value[at++] = a[i][j];
        }
    }
    start[N] = at;
    return gsolve_csr_view(N, start, col, value);
}

static void symmetry_is_found(void **state)
{
    int found[3] = {0};

    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        double a[N][N] = {{0}}, value[N * N];
        bool there[N][N] = {{false}}, pattern = true, same = true, opposite = true;
        int32_t start[N + 1], col[N * N], entries = 0;
        const int kind =
            trial % 3; /* symmetric, skew, of pattern only; then one entry is changed */
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= i; j++) {
                const int64_t seed = (int64_t)trial * N * N + i * N + j;
                there[i][j] = there[j][i] = number(3, 2 * seed) == 0;
                a[i][j] = a[j][i] = number(9, 2 * seed + 1) - 4;
                if (kind == 1) a[j][i] = -a[i][j];
                if (kind == 1 && i == j) a[i][i] = 0;
                if (kind == 2 && i != j) a[j][i] += 1;
            }
        }
        const int i = number(N, trial), j = number(N, trial + 7);
        if (number(3, trial + 9) == 0) there[i][j] = !there[i][j];
        for (int k = 0; k < N * N; k++) {
            const int r = k / N, c = k % N;
            pattern = pattern && there[r][c] == there[c][r];
            same = same && (!there[r][c] || a[r][c] == a[c][r]);
            opposite = opposite && (!there[r][c] || a[r][c] == -a[c][r]);
            entries += there[r][c];
        }
        const gsolve_csr A = compress(a, there, start, col, value);
        const gsolve_statistics t = look(&A);
        assert_int_equal(t.symmetric_pattern, pattern);
        assert_int_equal(t.symmetric, pattern && same);
        assert_int_equal(t.skew, pattern && opposite && entries > 0);
        found[0] += t.symmetric;
        found[1] += t.skew;
        found[2] += t.symmetric_pattern && !t.symmetric && !t.skew;
    }
    for (int k = 0; k < 3; k++) assert_true(found[k] > 300);
}

static void rounding_is_forgiven(void **state)
{
    const int32_t start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    double value[] = {2, 1, 1 + 4e-16, 2};
    float single[] = {2, 1, 1 + FLT_EPSILON, 2};
    gsolve_csr A = gsolve_csr_view(2, start, col, value);

    (void)state;
    assert_true(look(&A).symmetric);
    value[2] = 1 + 1e-9;
    assert_false(look(&A).symmetric);
    A.type = GSOLVE_F32;
    A.value = single;
    assert_true(look(&A).symmetric);
    single[2] = 1.001f;
    assert_false(look(&A).symmetric);
}

/* Row 1 is fixed. An entry in its column does not matter, one elsewhere does. */
static void fixed_rows_are_left_out(void **state)
{
    const int32_t start[] = {0, 3, 5, 8}, col[] = {0, 1, 2, 0, 1, 0, 1, 2};
    double value[] = {4, -1, -2, 0, 1, -2, -3, 5};
    const gsolve_csr A = gsolve_csr_view(3, start, col, value);

    (void)state;
    assert_true(look(&A).symmetric_rest && !look(&A).symmetric);
    value[5] = -2.1;
    assert_false(look(&A).symmetric_rest);
    value[5] = 0;
    assert_false(look(&A).symmetric_rest);
    value[2] = 0;
    assert_true(look(&A).symmetric_rest);
    value[5] = -2;
    assert_false(look(&A).symmetric_rest);
    value[2] = -2;
    value[3] = 1; /* row 1 is not fixed */
    assert_false(look(&A).symmetric_rest);
    value[3] = 0;
    value[4] = 0; /* an empty row is not fixed */
    assert_false(look(&A).symmetric_rest);
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void unknowns_a_node_are_found(void **state)
{
    (void)state;
    assert_int_equal(look_at("gen:elasticity3d,n=3").block, 3);
    assert_int_equal(look_at("gen:band,n=1000").block, 5);
    assert_int_equal(look_at("gen:band,n=1001").block, 1); /* the last node lacks four unknowns */
    assert_int_equal(look_at("gen:tridiagonal,n=64").block, 1);
    assert_int_equal(look_at("gen:tridiagonal,n=64,low=0,high=0").block, 1);
}

/* Nodes of size unknowns, each coupled with itself and the next; without entry skip. */
static gsolve_csr chain(int nodes, int size, int64_t skip, int32_t *start, int32_t *col,
                        double *value)
{
    int64_t at = 0, entry = 0;

    for (int i = 0; i < nodes * size; i++) {
        const int node = i / size, last = node + 1 < nodes ? node + 1 : node;
        start[i] = (int32_t)at;
        for (int j = node * size; j < (last + 1) * size; j++) {
            if (entry++ == skip) continue;
            col[at] = j;
            value[at++] = 1;
        }
    }
    start[nodes * size] = (int32_t)at;
    return gsolve_csr_view(nodes * size, start, col, value);
}

static void broken_blocks_are_none(void **state)
{
    enum { NODES = 7, MOST = 8 };
    int32_t start[NODES * MOST + 1], col[2 * NODES * MOST * MOST];
    double value[2 * NODES * MOST * MOST];

    (void)state;
    for (int size = 1; size <= MOST; size++) {
        gsolve_csr A = chain(NODES, size, -1, start, col, value);
        const int64_t entries = gsolve_csr_entries(&A);
        assert_int_equal(look(&A).block, size);
        for (int64_t skip = 0; skip < entries && size > 1; skip++) {
            A = chain(NODES, size, skip, start, col, value);
            assert_int_equal(look(&A).block, 1);
        }
    }
}

/* --- errors, memory, threads ----------------------------------------------------------------- */

static gsolve_status examine(void *arg)
{
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    return gsolve_csr_statistics(ctx, arg, &t);
}

static void memory_may_run_out(void **state)
{
    const int32_t start[] = {0, 3, 5}, col[] = {2, 0, 1, 0, 1};
    const double value[] = {1, 2, 3, 4, NAN};
    gsolve_csr A = {2, 3, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    gsolve_statistics t = {.size = sizeof t, .nrows = -7};

    (void)state;
    assert_int_equal(gsolve_csr_statistics(ctx, &A, &t), GSOLVE_BAD_MATRIX);
    assert_int_equal(t.nrows, -7);
    A.ncols = 2;
    assert_int_equal(gsolve_csr_statistics(ctx, &A, &t), GSOLVE_BAD_MATRIX);
    assert_int_equal(t.nrows, -7);
    gsolve_csr B;
    assert_int_equal(gsolve_read_matrix(&B, ctx, "gen:poisson2d,n=4", NULL, NULL), GSOLVE_OK);
    assert_int_equal(sweep(examine, &B), 0); /* no memory is needed */
    gsolve_csr_free(&B, ctx);
    const double finite[] = {1, 2, 3, 4, 5};
    A.ncols = 3;
    A.value = finite;
    assert_true(sweep(examine, &A) >= 5); /* a clean copy first */
}

static void threads_do_not_matter(void **state)
{
    static const char *const names[] = {"gen:jump3d,n=25", "gen:web,n=20000", "gen:band,n=8000"};

    (void)state;
    for (int k = 0; k < 3; k++) {
        gsolve_statistics first = look_at(names[k]);
        for (int threads = 1; threads <= 8; threads += threads == 1 ? 2 : 5) {
            char spec[32];
            gsolve_context *mine = ctx;
            snprintf(spec, sizeof spec, "cpu,threads=%d", threads);
            ctx = open_context(spec);
            const gsolve_statistics t = look_at(names[k]);
            assert_int_equal(t.entries, first.entries);
            assert_int_equal(t.symmetric, first.symmetric);
            assert_int_equal(t.symmetric_rest, first.symmetric_rest);
            assert_int_equal(t.block, first.block);
            assert_int_equal(t.dominant_rows, first.dominant_rows);
            assert_int_equal(t.zero_sum_rows, first.zero_sum_rows);
            assert_true(t.deviation_row == first.deviation_row && t.mean_row == first.mean_row);
            assert_true(t.dominance == first.dominance && t.spread == first.spread);
            assert_true(t.scaling == first.scaling && t.mean_dominance == first.mean_dominance);
            assert_true(t.least == first.least && t.largest == first.largest);
            assert_memory_equal(t.length, first.length, sizeof t.length);
            gsolve_context_destroy(&ctx);
            ctx = mine;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_small_laplacian),         TEST(an_ugly_matrix),
        TEST(nothing_to_look_at),        TEST(symmetry_is_found),
        TEST(rounding_is_forgiven),      TEST(fixed_rows_are_left_out),
        TEST(unknowns_a_node_are_found), TEST(broken_blocks_are_none),
        TEST(memory_may_run_out),        TEST(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
