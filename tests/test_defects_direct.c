/* test_defects_direct.c: the estimates of direct are upper bounds of what its factorisations cost,
 * and its limits hold. */
#include <math.h>

#include "factor/lu.h"
#include "gsolve.h"
#include "tests/common.h"

/* --- matrices -----------------------------------------------------------------------------------
 */

typedef struct triplets {
    int m, n, count, room;
    int32_t *row, *col;
    double *value;
} triplets;

static triplets new_triplets(int m, int n, int room)
{
    triplets t = {.m = m, .n = n, .room = room};

    t.row = malloc((size_t)room * sizeof *t.row);
    t.col = malloc((size_t)room * sizeof *t.col);
    t.value = malloc((size_t)room * sizeof *t.value);
    return t;
}

static void put(triplets *t, int i, int j, double value)
{
    assert_true(t->count < t->room);
    t->row[t->count] = i;
    t->col[t->count] = j;
    t->value[t->count++] = value;
}

/* Compressed rows; duplicates are summed. */
static gsolve_csr compress(gsolve_context *ctx, triplets *t)
{
    gsolve_csr A;

    OK(ctx, gs_csr_from_triplets(&A, ctx, t->m, t->n, t->count, t->row, t->col, t->value));
    free(t->row);
    free(t->col);
    free(t->value);
    return A;
}

/* From 0 to n - 1. */
static int draw(uint64_t seed, int index, int n)
{
    return (int)((gsolve_random(seed, (uint64_t)index) + 1) / 2 * n);
}

/* A node: half of the draws give a sixteenth of the nodes. */
static int hub(uint64_t seed, int index, int n)
{
    const double u = (gsolve_random(seed, (uint64_t)index) + 1) / 2;

    return (int)((int64_t)(n * u * u * u * u) * 7919 % n);
}

/* The weighted adjacency matrix of a cycle through all n nodes and of more edges between hubs. The
 * diagonal holds diagonal, or nothing if that is 0. */
static gsolve_csr graph(gsolve_context *ctx, int n, int edges, double diagonal)
{
    triplets t = new_triplets(n, n, 2 * (n + edges) + n);

    for (int e = 0; e < n + edges; e++) {
        const int i = e < n ? e : hub(1, e, n), j = e < n ? (e + 1) % n : hub(2, e, n);
        const double weight = 1.5 + gsolve_random(3, (uint64_t)e);
        if (i == j) continue;
        put(&t, i, j, weight);
        put(&t, j, i, weight);
    }
    for (int i = 0; i < n && diagonal != 0; i++) put(&t, i, i, diagonal);
    return compress(ctx, &t);
}

/* m x n, m >= n, with a_column + 1 entries a column. One of them lies on a permutation, so that the
 * matrix has full structural rank. */
static gsolve_csr random_matrix(gsolve_context *ctx, uint64_t seed, int m, int n, int a_column)
{
    triplets t = new_triplets(m, n, n * (a_column + 1));

    for (int j = 0; j < n; j++) {
        put(&t, (int)((j * 31LL + 5) % m), j, 2 + gsolve_random(seed, (uint64_t)j));
        for (int k = 0; k < a_column; k++) {
            const int at = n + j * a_column + k;
            put(&t, draw(seed, at, m), j, gsolve_random(seed + 1, (uint64_t)at));
        }
    }
    return compress(ctx, &t);
}

/* A's transpose as CXSparse sees it: A's rows are its columns. */
static cs_di columns_of(const gsolve_csr *A)
{
    const cs_di view = {.nzmax = (int)gsolve_csr_entries(A),
                        .m = A->ncols,
                        .n = A->nrows,
                        .p = (int32_t *)(uintptr_t)A->start,
                        .i = (int32_t *)(uintptr_t)A->col,
                        .x = (double *)(uintptr_t)A->value,
                        .nz = -1};
    return view;
}

/* --- what factorisations have cost --------------------------------------------------------------
 */

/* Operations of a factorisation that made L, or the Householder vectors, and U or R: each for every
 * pair of an entry in column k of L and an entry in row k of U, less the entries of the pivots. */
static double spent(const cs_di *L, const cs_di *U, double each, int pivots)
{
    int *row = calloc((size_t)L->n + 1, sizeof *row);
    double sum = 0;

    for (int p = 0; p < U->p[U->n]; p++) {
        if (U->i[p] < L->n) row[U->i[p]]++;
    }
    for (int k = 0; k < L->n; k++) {
        sum += each * (L->p[k + 1] - L->p[k] - pivots) * (row[k] - 1);
    }
    free(row);
    return sum;
}

static double entries_of(const cs_din *N)
{
    return (double)N->L->p[N->L->n] + N->U->p[N->U->n];
}

static void check_qr(gsolve_context *ctx, const cs_di *A)
{
    gs_direct_cost cost;
    cs_dis *S = cs_di_sqr(3, A, 1);
    cs_din *N = cs_di_qr(A, S);

    OK(ctx, gs_qr_cost(&cost, ctx, A, S));
    assert_true(cost.entries >= entries_of(N));
    assert_true(cost.operations >= spent(N->L, N->U, 4, 0));
    cs_di_nfree(N);
    cs_di_sfree(S);
}

/* The bound holds for the largest pivot of a column and for pivots on the diagonal. */
static void check_lu(gsolve_context *ctx, const cs_di *A, int order)
{
    static const double tolerance[] = {1, 0.01};
    const gs_direct_cost dense = gs_dense_lu_cost(A->n);
    gs_direct_cost cost;
    cs_dis *S = cs_di_sqr(order, A, 1);

    OK(ctx, gs_pivoted_lu_cost(&cost, ctx, A, S));
    assert_true(gs_cost_fits(cost, dense));
    for (int k = 0; k < 2; k++) {
        cs_din *N = cs_di_lu(A, S, tolerance[k]);
        if (!N) continue; /* singular */
        assert_true(cost.entries >= entries_of(N));
        assert_true(cost.operations >= spent(N->L, N->U, 2, 1));
        cs_di_nfree(N);
    }
    cs_di_sfree(S);
}

static void bounds(void **state)
{
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (uint64_t seed = 1; seed <= 12; seed++) {
        const int n = 20 + 25 * (int)seed, a_column = 1 + (int)seed % 4;
        gsolve_csr square = random_matrix(ctx, seed, n, n, a_column);
        gsolve_csr wide = random_matrix(ctx, seed, n + n / 2, n, a_column); /* tall as columns */
        gsolve_csr rows, net = graph(ctx, n, a_column * n, 0);
        OK(ctx, gsolve_csr_transpose(&rows, ctx, &wide));
        const cs_di A[] = {columns_of(&square), columns_of(&net), columns_of(&rows)};
        for (int order = 1; order <= 2; order++) {
            check_lu(ctx, &A[0], order);
            check_lu(ctx, &A[1], order);
        }
        for (int k = 0; k < 3; k++) check_qr(ctx, &A[k]);
        gsolve_csr_free(&rows, ctx);
        gsolve_csr_free(&net, ctx);
        gsolve_csr_free(&wide, ctx);
        gsolve_csr_free(&square, ctx);
    }
    close_context(ctx);
}

/* --- the factorisation --------------------------------------------------------------------------
 */

static void compare(const cs_di *a, const cs_di *b)
{
    const size_t entries = (size_t)b->p[b->n];

    assert_memory_equal(a->p, b->p, ((size_t)b->n + 1) * sizeof *b->p);
    assert_memory_equal(a->i, b->i, entries * sizeof *b->i);
    assert_memory_equal(a->x, b->x, entries * sizeof *b->x);
}

static void same_factors(void **state)
{
    static const gs_direct_cost any = {INFINITY, INFINITY};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int k = 0; k < 6; k++) {
        gsolve_csr csr =
            k % 2 ? graph(ctx, 400, 500 * k, k % 3) : random_matrix(ctx, 7, 500, 500, k + 2);
        const cs_di A = columns_of(&csr);
        const double tolerance = k < 3 ? 1 : 0.01;
        cs_dis *S = cs_di_sqr(1 + k % 2, &A, 0);
        cs_din *expected = cs_di_lu(&A, S, tolerance), *N = NULL;
        OK(ctx, gs_lu(&N, ctx, &A, S, tolerance, any));
        assert_non_null(expected);
        compare(N->L, expected->L);
        compare(N->U, expected->U);
        assert_memory_equal(N->pinv, expected->pinv, (size_t)A.n * sizeof *N->pinv);
        cs_di_nfree(N);
        cs_di_nfree(expected);
        cs_di_sfree(S);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* A factorisation that passes a limit ends. */
static void limits(void **state)
{
    enum { N = 300 };
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = graph(ctx, N, 5 * N, 0);
    const cs_di A = columns_of(&csr);
    cs_dis *S = cs_di_sqr(2, &A, 0);
    cs_din *factors = cs_di_lu(&A, S, 1), *N1 = NULL;
    (void)state;

    assert_non_null(factors);
    const double entries = entries_of(factors), work = spent(factors->L, factors->U, 2, 1);
    const gs_direct_cost enough = {entries, work + entries}, few = {entries / 2, INFINITY},
                         little = {INFINITY, work / 2};
    OK(ctx, gs_lu(&N1, ctx, &A, S, 1, enough));
    cs_di_nfree(N1);
    N1 = NULL;
    assert_int_equal(gs_lu(&N1, ctx, &A, S, 1, few), GSOLVE_UNSUPPORTED);
    assert_int_equal(gs_lu(&N1, ctx, &A, S, 1, little), GSOLVE_UNSUPPORTED);
    assert_null(N1);
    assert_non_null(strstr(gsolve_error(ctx), "work="));
    cs_di_nfree(factors);
    cs_di_sfree(S);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- direct and auto ----------------------------------------------------------------------------
 */

static gsolve_status create(gsolve_context *ctx, const char *spec, const gsolve_csr *csr)
{
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", csr));
    const gsolve_status status = gsolve_solver_create(&S, ctx, spec, A, NULL);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    return status;
}

/* With pivots on the diagonal LU would be cheap, but the diagonal is 0. auto's first attempt is
 * refused by CXSparse, because the bound for any pivots is above its limit. */
static void no_diagonal(void **state)
{
    enum { N = 9167, EDGES = 46833 };
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = graph(ctx, N, EDGES, 0);
    const cs_di A = columns_of(&csr);
    const gs_direct_cost limit = {60e6, 40e9};
    cs_dis *any = cs_di_sqr(2, &A, 1), *diagonal = cs_di_schol(1, &A);
    gs_direct_cost cost;
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    char spec[200];
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    (void)state;

    assert_true(gs_cost_fits(gs_diagonal_lu_cost(diagonal, N), limit));
    OK(ctx, gs_pivoted_lu_cost(&cost, ctx, &A, any));
    assert_false(gs_cost_fits(cost, limit));
    OK(ctx, gsolve_csr_statistics(ctx, &csr, &statistics));
    assert_int_equal(statistics.zero_diagonals, N);
    assert_true(gsolve_auto_choose(ctx, &statistics, 0, &choice));
    assert_non_null(strstr(choice.method, "direct,"));
    snprintf(spec, sizeof spec, "%s,library=cxsparse", choice.method);
    assert_int_equal(create(ctx, spec, &csr), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "the factors would hold up to"));
    cs_di_sfree(any);
    cs_di_sfree(diagonal);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* Every attempt of auto with direct on a square matrix has limits. */
static void capped(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    int direct = 0;
    (void)state;

    for (int k = 0; k < 16; k++) {
        gsolve_statistics t = {
            .size = sizeof t, .nrows = k & 1 ? 1000 : 100000, .mean_row = 5, .longest_row = 9};
        t.ncols = t.nrows;
        t.entries = 5 * (int64_t)t.nrows;
        t.block = 1;
        t.symmetric = t.symmetric_pattern = k & 2;
        t.zero_diagonals = k & 4 ? 10 : 0;
        t.negative_diagonals = k & 8 ? 10 : 0;
        for (int a = 0; gsolve_auto_choose(ctx, &t, a, &choice); a++) {
            if (strncmp(choice.method, "direct", 6) != 0) continue;
            direct++;
            assert_non_null(strstr(choice.method, ",limit="));
            assert_non_null(strstr(choice.method, ",work="));
        }
    }
    assert_true(direct > 0);
    close_context(ctx);
}

static gsolve_result solve(gsolve_context *ctx, const char *spec, const gsolve_csr *csr)
{
    const int32_t n = csr->nrows;
    double *values = calloc(2 * (size_t)n, sizeof *values);
    const gsolve_dense b = {n, 1, n, values, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense x = {n, 1, n, values + n, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int i = 0; i < n; i++) values[i] = 1;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", csr));
    OK(ctx, gsolve_solver_create(&S, ctx, spec, A, NULL));
    OK(ctx, gsolve_solver_run(S, b, x, &result));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free(values);
    return result;
}

/* Pivots leave a diagonal that is tiny and not 0. LU then costs many times its estimate, and direct
 * begins again with another column order. The matrix is that of a grid, so that the test is quick.
 */
static void tiny_diagonal(void **state)
{
    enum { EDGE = 60, N = EDGE * EDGE };
    gsolve_context *ctx = open_context(1);
    triplets t = new_triplets(N, N, 5 * N);
    (void)state;

    for (int i = 0; i < N; i++) {
        const int right = i % EDGE < EDGE - 1 ? i + 1 : -1, below = i + EDGE < N ? i + EDGE : -1;
        put(&t, i, i, 1e-9);
        if (right > 0) put(&t, i, right, 1.5 + gsolve_random(1, (uint64_t)i));
        if (right > 0) put(&t, right, i, 1.5 + gsolve_random(2, (uint64_t)i));
        if (below > 0) put(&t, i, below, 1.5 + gsolve_random(3, (uint64_t)i));
        if (below > 0) put(&t, below, i, 1.5 + gsolve_random(4, (uint64_t)i));
    }
    gsolve_csr csr = compress(ctx, &t);
    const cs_di A = columns_of(&csr);
    cs_dis *diagonal = cs_di_schol(1, &A), *S = cs_di_sqr(1, &A, 0);
    const gs_direct_cost estimate = gs_diagonal_lu_cost(diagonal, N);
    const gs_direct_cost most = {INFINITY, 4 * estimate.operations};
    cs_din *factors = NULL;
    assert_int_equal(gs_lu(&factors, ctx, &A, S, 0.01, most), GSOLVE_UNSUPPORTED);
    assert_int_equal(solve(ctx, "direct,factor=lu,library=cxsparse", &csr).outcome,
                     GSOLVE_CONVERGED);
    cs_di_sfree(S);
    cs_di_sfree(diagonal);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* Limits hold for small matrices, too. A full row is refused before QR forms A'A. */
static void small_limits(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = graph(ctx, 500, 3000, 0), tall;
    triplets t = new_triplets(3000, 2000, 5000);
    (void)state;

    assert_int_equal(create(ctx, "direct,limit=0.001", &csr), GSOLVE_UNSUPPORTED);
    assert_int_equal(create(ctx, "direct,work=0.001", &csr), GSOLVE_UNSUPPORTED);
    assert_int_equal(solve(ctx, "direct", &csr).outcome, GSOLVE_CONVERGED);
    for (int i = 0; i < 3000; i++) put(&t, i, i % 2000, 1 + i);
    for (int j = 0; j < 2000; j++) put(&t, 0, j, 1);
    tall = compress(ctx, &t);
    assert_int_equal(create(ctx, "direct,limit=1", &tall), GSOLVE_UNSUPPORTED);
    OK(ctx, create(ctx, "direct", &tall));
    gsolve_csr_free(&tall, ctx);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- what is refused, and what to use instead ------------------------------------------------- */

static gsolve_csr small(gsolve_context *ctx, const double dense[3][3])
{
    triplets t = new_triplets(3, 3, 9);

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (dense[i][j] != 0) put(&t, i, j, dense[i][j]);
        }
    }
    return compress(ctx, &t);
}

static void failures_say_what_to_use(void **state)
{
    static const struct {
        double dense[3][3];
        const char *spec, *what, *remedy;
        gsolve_status status;
    } bad[] = {
        {{{4, -2, 0}, {-1, 4, -1}, {0, -1, 4}},
         "direct,factor=cholesky",
         "a(1,2) = -2 and a(2,1) = -1 (counted from 1)",
         "use factor=lu",
         GSOLVE_UNSUPPORTED},
        {{{4, 0, 0}, {-1, 4, 0}, {0, 0, 4}},
         "direct,factor=cholesky",
         "a(1,2) = 0 and a(2,1) = -1",
         "use factor=lu",
         GSOLVE_UNSUPPORTED},
        {{{1, 2, 0}, {2, 8, 0}, {0, 0, -3}},
         "direct,factor=cholesky",
         "diagonal entry of row 3 (counted from 1) is -3",
         "use factor=lu",
         GSOLVE_ZERO_PIVOT},
        {{{1, 2, 0}, {2, 1, 0}, {0, 0, 3}},
         "direct,factor=cholesky",
         "not positive definite",
         "use factor=lu",
         GSOLVE_ZERO_PIVOT},
        {{{1, 2, 0}, {1, 2, 0}, {0, 0, 3}},
         "direct",
         "no pivot in row ",
         "use the method lsmr",
         GSOLVE_ZERO_PIVOT},
        {{{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}},
         "direct,factor=lu",
         "no pivot in row ",
         "gsolve_matrix_set_null_space",
         GSOLVE_ZERO_PIVOT},
        {{{1, 2, 0}, {1, 2, 0}, {0, 0, 3}},
         "direct,order=rcm",
         "no pivot in a row",
         "lsmr",
         GSOLVE_ZERO_PIVOT},
        {{{4, -2, 0}, {-1, 4, -1}, {0, -1, 4}},
         "direct,library=cholmod",
         "this one is not symmetric",
         "leave library out (LU",
         GSOLVE_UNSUPPORTED},
    };
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        gsolve_csr csr = small(ctx, bad[k].dense);
        assert_int_equal(create(ctx, bad[k].spec, &csr), bad[k].status);
        if (!strstr(gsolve_error(ctx), bad[k].what) || !strstr(gsolve_error(ctx), bad[k].remedy)) {
            fail_msg("%s: %s", bad[k].spec, gsolve_error(ctx));
        }
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* Values that become unsymmetric are refused, too; zeros stored on one side are none. */
static void symmetry_is_that_of_the_values(void **state)
{
    static const double symmetric[3][3] = {{4, -1, 0}, {-1, 4, -1}, {0, -1, 4}};
    static const int32_t start[] = {0, 2, 3}, col[] = {0, 1, 1};
    static const double value[] = {2, 0, 3};
    const gsolve_csr one_sided = gsolve_csr_view(2, start, col, value);
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = small(ctx, symmetric);
    double b[] = {1, 2, 3}, x[] = {0, 0, 0};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    (void)state;

    OK(ctx, create(ctx, "direct,factor=cholesky", &one_sided));
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "direct,factor=cholesky", A, NULL));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, 3), gsolve_vector(x, 3), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_string_equal(gsolve_solver_note(S), "Cholesky by cxsparse: 5 entries, 9 operations.");
    ((double *)csr.value)[1] = -3;
    OK(ctx, gsolve_matrix_update(A, &csr));
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(b, 3), gsolve_vector(x, 3), &result),
                     GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "a(1,2) = -3 and a(2,1) = -1"));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(failures_say_what_to_use),
                                       cmocka_unit_test(symmetry_is_that_of_the_values),
                                       cmocka_unit_test(bounds),
                                       cmocka_unit_test(same_factors),
                                       cmocka_unit_test(limits),
                                       cmocka_unit_test(no_diagonal),
                                       cmocka_unit_test(capped),
                                       cmocka_unit_test(tiny_diagonal),
                                       cmocka_unit_test(small_limits)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
