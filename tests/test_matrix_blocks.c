/* test_matrix_blocks.c: matrices from dense blocks: gsolve_matrix_create_blocks and
 * gsolve_matrix_update_blocks, for all sizes of blocks, types, layouts and locations. Each test
 * compares with the matrix that gsolve_matrix_create makes from rows of the same numbers. */
#include "tests/matrix_blocks_support.h"

/* --- create, multiply, rows, update ----------------------------------------------------------- */

static void check_all(gsolve_context *ctx, const char *spec, blocks *B, gsolve_location location)
{
    const bool kept = B->height == B->width && B->height > 1 && strcmp(spec, "sell") != 0;
    gsolve_blocked given = copy_to(ctx, location, B);
    gsolve_matrix *A = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_csr csr;

    rows_of(&csr, ctx, B);
    OK(ctx, gsolve_matrix_create_blocks(&A, ctx, spec, &given));
    gsolve_blocked_free(&given, ctx); /* the matrix has copied it */
    gsolve_matrix_describe(A, &info);
    assert_int_equal(info.nrows, csr.nrows);
    assert_int_equal(info.ncols, csr.ncols);
    assert_int_equal(info.entries, gsolve_csr_entries(&csr));
    if (kept) assert_string_equal(info.form, "bsr");
    assert_memory_equal(info.format, spec, strlen(info.format)); /* what the caller asked for */
    assert_int_equal(A->csr.start == NULL, kept);
    check_product(ctx, A, &csr, false, 1, GSOLVE_COLUMN_MAJOR);
    check_product(ctx, A, &csr, false, 5, GSOLVE_ROW_MAJOR);
    assert_int_equal(A->csr.start == NULL, kept); /* products make no rows */
    fill_values(B, 4);
    gsolve_csr_free(&csr, ctx);
    rows_of(&csr, ctx, B);
    given = copy_to(ctx, location, B);
    OK(ctx, gsolve_matrix_update_blocks(A, &given)); /* before there are rows */
    gsolve_blocked_free(&given, ctx);
    check_rows(ctx, A, &csr);
    check_products(ctx, A, &csr);
    fill_values(B, 5);
    gsolve_csr_free(&csr, ctx);
    rows_of(&csr, ctx, B);
    given = copy_to(ctx, location, B);
    OK(ctx, gsolve_matrix_update_blocks(A, &given)); /* and after */
    gsolve_blocked_free(&given, ctx);
    check_rows(ctx, A, &csr);
    check_products(ctx, A, &csr);
    fill_values(B, 6);
    gsolve_csr_free(&csr, ctx);
    rows_of(&csr, ctx, B);
    OK(ctx, gsolve_matrix_update(A, &csr)); /* from rows */
    check_rows(ctx, A, &csr);
    check_products(ctx, A, &csr);
    gsolve_csr_free(&csr, ctx);
    gsolve_matrix_destroy(&A);
}

static void test_sizes(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int b = 1; b <= MOST; b++) {
        for (int variant = 0; variant < 4; variant++) {
            blocks *B = new_blocks(ROWS, COLS, b, b, variant % 2 ? GSOLVE_F32 : GSOLVE_F64);
            B->column_major = variant >= 2;
            B->offset = (variant + b) % 2 ? GSOLVE_O64 : GSOLVE_O32;
            fill_values(B, 1);
            check_all(ctx, variant % 2 ? "auto" : "bsr,index=32", B,
                      variant == 1 || variant == 2 ? gs_location(ctx) : GSOLVE_HOST);
            free(B);
        }
    }
    gsolve_context_destroy(&ctx);
}

static void test_other_blocks_and_formats(void **state)
{
    static const int sizes[][2] = {{1, 3}, {4, 2}, {8, 7}, {3, 3}};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        blocks *B = new_blocks(ROWS, COLS, sizes[k][0], sizes[k][1], GSOLVE_F64);
        B->column_major = k % 2;
        fill_values(B, 1);
        check_all(ctx, "sell", B, k % 2 ? gs_location(ctx) : GSOLVE_HOST);
        free(B);
    }
    gsolve_context_destroy(&ctx);
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* Block rows of more blocks than a GPU keeps together (128), beside short ones. */
static void test_long_rows(void **state)
{
    enum { LONG = 300 };
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int b = 2; b <= 8; b += 3) {
        const int32_t start[] = {0, 1, 1 + LONG, 1 + LONG, 1 + 2 * LONG};
        const int64_t numbers = start[4] * b * b;
        int32_t *col = malloc((size_t)start[4] * sizeof *col);
        double *value = malloc((size_t)numbers * sizeof *value);
        gsolve_matrix *A = NULL;
        gsolve_csr csr = {0};
        for (int k = 0; k < start[4]; k++) col[k] = k == 0 ? 7 : (k - 1) % LONG;
        for (int64_t k = 0; k < numbers; k++) value[k] = number(7, k);
        gsolve_blocked B = gsolve_blocked_view(4, b, start, col, value);
        B.ncols = LONG;
        OK(ctx, gsolve_matrix_create_blocks(&A, ctx, "auto", &B));
        for (int64_t k = 0; k < numbers; k++) value[k] = number(8, k);
        OK(ctx, gsolve_matrix_update_blocks(A, &B));
        OK(ctx, gsolve_blocked_to_csr(&csr, ctx, &B));
        check_rows(ctx, A, &csr);
        check_products(ctx, A, &csr);
        gsolve_csr_free(&csr, ctx);
        gsolve_matrix_destroy(&A);
        free(col);
        free(value);
    }
    gsolve_context_destroy(&ctx);
}

/* No block rows, no block columns, no blocks. */
static void test_empty(void **state)
{
    static const int32_t start[4] = {0};
    static const int32_t shape[][2] = {{0, 0}, {3, 0}, {0, 3}, {3, 3}};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int k = 0; k < 4; k++) {
        gsolve_blocked B = gsolve_blocked_view(shape[k][0], 3, start, NULL, NULL);
        gsolve_matrix *A = NULL;
        gsolve_csr csr;
        double x[9] = {1}, y[9];
        B.ncols = shape[k][1];
        OK(ctx, gsolve_matrix_create_blocks(&A, ctx, "bsr", &B));
        OK(ctx, gsolve_matrix_update_blocks(A, &B));
        for (int i = 0; i < 9; i++) y[i] = 5;
        OK(ctx, gsolve_matrix_apply(A, 1, gsolve_vector(x, 3 * B.ncols), 0,
                                    gsolve_vector(y, 3 * B.nrows)));
        for (int i = 0; i < 3 * B.nrows; i++) assert_true(y[i] == 0);
        OK(ctx, gsolve_matrix_csr(A, &csr));
        assert_int_equal(csr.nrows, 3 * B.nrows);
        assert_int_equal(gsolve_csr_entries(&csr), 0);
        gsolve_matrix_destroy(&A);
    }
    gsolve_context_destroy(&ctx);
}

/* --- solvers ---------------------------------------------------------------------------------- */

enum { NODES = 64 };

/* A chain of nodes with b unknowns each: the diagonal blocks are dominant, the others couple all
 * unknowns of neighbours. */
static gsolve_blocked chain(int b, int32_t *start, int32_t *col, double *value)
{
    int32_t count = 0;

    for (int32_t I = 0; I < NODES; I++) {
        start[I] = count;
        for (int32_t J = I - 1; J <= I + 1; J++) {
            if (J < 0 || J == NODES) continue;
            for (int k = 0; k < b * b; k++) {
                value[count * b * b + k] =
                    I == J ? (k / b == k % b ? 2.5 * b + 1 : 0.5) : -1 - 0.01 * (k / b == k % b);
            }
            col[count++] = J;
        }
    }
    start[NODES] = count;
    return gsolve_blocked_view(NODES, b, start, col, value);
}

/* amg takes the size of the blocks, also 7 and 8, which it does not find in a pattern. Solves reach
 * the residual; after an update, too. */
static void test_solvers(void **state)
{
    static int32_t start[NODES + 1], col[3 * NODES];
    static double value[3 * NODES * MOST * MOST], b[NODES * MOST], x[NODES * MOST];
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int size = 2; size <= MOST; size++) {
        gsolve_blocked B = chain(size, start, col, value);
        const int32_t n = NODES * size;
        gsolve_matrix *A = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve_level_info level = GSOLVE_INIT(gsolve_level_info);
        double relative;
        OK(ctx, gsolve_matrix_create_blocks(&A, ctx, "auto", &B));
        assert_int_equal(gs_matrix_block_size(A), size);
        OK(ctx, gsolve_precond_create_from(&M, ctx, "amg,coarsest=20", A));
        assert_true(gsolve_precond_level(M, 1, &level));
        assert_int_equal(level.rows % size, 0); /* a near-null vector for each unknown of a node */
        OK(ctx, gsolve_solver_create(&S, ctx, "gmres", A, M));
        for (int round = 0; round < 2; round++) {
            for (int32_t i = 0; i < n; i++) b[i] = number(5, i), x[i] = 0;
            OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
            assert_int_equal(result.outcome, GSOLVE_CONVERGED);
            OK(ctx, gsolve_matrix_residual(A, gsolve_vector(b, n), gsolve_vector(x, n), &relative));
            assert_true(relative <= 1e-8);
            for (int k = 0; k < start[NODES] * size * size; k++) value[k] *= 1.5;
            OK(ctx, gsolve_matrix_update_blocks(A, &B));
            OK(ctx, gsolve_precond_update_from(M, A));
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        gsolve_matrix_destroy(&A);
    }
    gsolve_context_destroy(&ctx);
}

/* The same bits with 1 and 3 threads, and as a matrix from rows in the same format. */
static void test_bits(void **state)
{
    enum { N = 2000 };
    static int32_t start[N + 1], col[3 * N];
    static double value[27 * N], x[3 * N], y[3][3 * N];
    (void)state;

    for (int32_t I = 0; I < N; I++) {
        start[I + 1] = start[I];
        for (int32_t J = I - 1; J <= I + 1; J++) {
            if (J >= 0 && J < N) col[start[I + 1]++] = J;
        }
    }
    for (int k = 0; k < 9 * start[N]; k++) value[k] = number(1, k);
    for (int i = 0; i < 3 * N; i++) x[i] = number(2, i);
    const gsolve_blocked B = gsolve_blocked_view(N, 3, start, col, value);
    for (int k = 0; k < 3; k++) {
        gsolve_context *ctx = open_context(k == 1 ? 3 : 1);
        gsolve_matrix *A = NULL;
        gsolve_csr csr = {0};
        OK(ctx, gsolve_blocked_to_csr(&csr, ctx, &B));
        OK(ctx, k < 2 ? gsolve_matrix_create_blocks(&A, ctx, "bsr", &B)
                      : gsolve_matrix_create(&A, ctx, "bsr,block=3", &csr));
        OK(ctx, gsolve_matrix_apply(A, 1, gsolve_vector(x, 3 * N), 0, gsolve_vector(y[k], 3 * N)));
        gsolve_matrix_destroy(&A);
        gsolve_csr_free(&csr, ctx);
        gsolve_context_destroy(&ctx);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[0], y[2], sizeof y[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_other_blocks_and_formats),
        cmocka_unit_test(test_long_rows), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_solvers),   cmocka_unit_test(test_bits),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
