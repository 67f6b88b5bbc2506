/* test_defects_dense_rows.c: incomplete factorisations of matrices with a few nearly dense rows. */
#include <math.h>

#include "gsolve.h"
#include "precond/incomplete/galloping_search.h"
#include "precond/incomplete/incomplete.h"
#include "tests/common.h"

/* --- the search --------------------------------------------------------------------------------
 */

static void gallop(void **state)
{
    enum { LONGEST = 70 };
    int32_t col[LONGEST];
    (void)state;

    for (int n = 0; n <= LONGEST; n++) {
        for (int k = 0; k < n; k++) col[k] = 3 * k + 1;
        for (int from = 0; from <= n; from++) {
            for (int j = 0; j <= 3 * n + 2; j++) {
                int expected = from;
                while (expected < n && col[expected] < j) expected++;
                assert_int_equal(gs_galloping_search(col, from, n, j), expected);
            }
        }
    }
}

/* --- against the definitions, on dense copies ---------------------------------------------------
 */

enum { N = 300, HEAVY = 4 /* rows and columns that are nearly dense */ };

static double a[N][N]; /* A, then its factors in place */

/* Symmetric, dominated by its diagonal; about 3 entries a row but for the heavy ones. */
static void fill_matrix(uint64_t seed)
{
    static const int heavy[HEAVY] = {0, 7, N / 2, N - 20};

    memset(a, 0, sizeof a);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            const double chance = gsolve_random(seed, (uint64_t)(i * N + j));
            bool full = false;
            for (int h = 0; h < HEAVY; h++) full |= i == heavy[h] || j == heavy[h];
            if (chance > (full ? -0.8 : 0.98)) a[i][j] = a[j][i] = chance - 2;
        }
        a[i][i] = 2 * N;
    }
}

static gsolve_csr compress(gsolve_context *ctx)
{
    static int32_t row[N * N], col[N * N];
    static double value[N * N];
    gsolve_csr A;
    int64_t count = 0;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            if (a[i][j] == 0) continue;
            row[count] = i;
            col[count] = j;
            value[count++] = a[i][j];
        }
    }
    OK(ctx, gs_csr_from_triplets(&A, ctx, N, N, count, row, col, value));
    return A;
}

/* a = its incomplete LU factors: L below the diagonal, D on it, D^-1 times what is above over it.
 */
static void factor_dense(void)
{
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < i; k++) {
            if (a[i][k] == 0) continue;
            for (int j = k + 1; j < N; j++) {
                if (a[i][j] != 0) a[i][j] -= a[i][k] * a[k][j];
            }
            a[i][k] /= a[k][k];
        }
        for (int j = i + 1; j < N; j++) a[i][j] /= a[i][i];
    }
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fabs(y);
}

static void compare_side(const gs_strict_triangle *T)
{
    for (int i = 0; i < N; i++) {
        for (int64_t e = T->start[i]; e < T->start[i + 1]; e++) {
            assert_true(near(T->value[e], a[i][T->col[e]]));
        }
    }
}

static void factors(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (uint64_t seed = 1; seed <= 3; seed++) {
        gs_strict_triangle L, U, half;
        gs_schedule schedule;
        double d[N], e[N], shift = 0;
        fill_matrix(seed);
        gsolve_csr A = compress(ctx);
        factor_dense();
        OK(ctx, gs_strict_triangle_extract(&L, ctx, &A, false));
        OK(ctx, gs_strict_triangle_extract(&half, ctx, &A, false));
        OK(ctx, gs_strict_triangle_extract(&U, ctx, &A, true));
        OK(ctx, gs_schedule_create(&schedule, ctx, false, N, L.start, L.col));
        OK(ctx,
           gs_incomplete_lu(&L, &U, d, ctx, &A,
                            &(gs_incomplete_args){.who = "ilu", .schedule = &schedule}, &shift));
        OK(ctx, gs_incomplete_cholesky(&half, e, ctx, &A,
                                       &(gs_incomplete_args){.who = "ic", .schedule = &schedule},
                                       &shift));
        assert_true(shift == 0);
        compare_side(&L);
        compare_side(&U);
        compare_side(&half);
        for (int i = 0; i < N; i++) assert_true(near(d[i], 1 / a[i][i]) && near(e[i], 1 / a[i][i]));
        gs_schedule_destroy(&schedule, ctx);
        gs_strict_triangle_free(&U, ctx);
        gs_strict_triangle_free(&half, ctx);
        gs_strict_triangle_free(&L, ctx);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* --- a large matrix -----------------------------------------------------------------------------
 * A diagonal and a few full rows and columns. A set-up that reads a full row for each row that
 * refers to it takes 10^12 steps; the search takes 10^7. */

enum { LARGE = 1000000 };

/* Rows and columns first to first + full - 1 are full. */
static gsolve_csr arrow(gsolve_context *ctx, int32_t first, int32_t full)
{
    const int64_t entries = (int64_t)LARGE * (2 * full + 1) - (int64_t)full * (full + 1);
    int32_t *row = malloc((size_t)entries * sizeof *row), *col = malloc((size_t)entries * 4);
    double *value = malloc((size_t)entries * sizeof *value);
    gsolve_csr A;
    int64_t count = 0;

    for (int32_t i = 0; i < LARGE; i++) {
        const bool is_full = i >= first && i < first + full;
        for (int32_t j = first; j < first + full; j++) {
            if (i == j) continue;
            row[count] = i, col[count] = j, value[count++] = -1;
            if (is_full) continue;
            row[count] = j, col[count] = i, value[count++] = -1;
        }
        row[count] = col[count] = i, value[count++] = 2. * LARGE;
    }
    assert_int_equal(count, entries);
    OK(ctx, gs_csr_from_triplets(&A, ctx, LARGE, LARGE, entries, row, col, value));
    free(row);
    free(col);
    free(value);
    return A;
}

static void set_up(const char *precond, int32_t first, int32_t full)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = arrow(ctx, first, full);
    gsolve_precond *M = NULL;

    OK(ctx, gsolve_precond_create(&M, ctx, precond, &A));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

static void large_ilu(void **state)
{
    (void)state;
    set_up("ilu", 0, 2);
}

static void large_ic(void **state)
{
    (void)state;
    set_up("ic", LARGE / 2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gallop), cmocka_unit_test(factors),
                                       cmocka_unit_test(large_ilu), cmocka_unit_test(large_ic)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
