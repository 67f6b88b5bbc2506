/* test_single.c: what single precision cannot hold is refused, not turned into 0 or infinity. */
#include <math.h>

#include "common.h"

#include "matrix/csr.h"

static const double fits[] = {0, -0.0, 1, -1e-45, 1.4e-45, 1e-40, 3.4028234e38, -3.4028235e38};
static const double lost[] = {1e-50, -1e-46, 7e-46, 5e-324, 2.3e-308, 3.5e38, -1e39, 1.7e308};
enum { FITS = sizeof fits / sizeof *fits, LOST = sizeof lost / sizeof *lost };

/* n x n, with value on the diagonal but for the last, which is last. */
static gsolve_csr diagonal(int32_t n, double value, double last)
{
    static int32_t start[40001], col[40000];
    static double values[40000];

    for (int32_t i = 0; i < n; i++) {
        start[i + 1] = i + 1;
        col[i] = i;
        values[i] = i < n - 1 ? value : last;
    }
    return gsolve_csr_view(n, start, col, values);
}

static void check_lost(gsolve_context *ctx, int32_t n, double value)
{
    gsolve_csr A = diagonal(n, 2, value), B = {.nrows = 77};
    char says[200];

    assert_int_equal(gsolve_csr_convert(&B, ctx, GSOLVE_F32, &A), GSOLVE_BAD_MATRIX);
    snprintf(says, sizeof says,
             "the entry in row %d and column %d (counted from 1) is %g, which would be %s", n, n,
             value, fabs(value) < 1 ? "0" : "infinite");
    if (!strstr(gsolve_error(ctx), says)) fail_msg("%s, not %s", gsolve_error(ctx), says);
    assert_non_null(strstr(gsolve_error(ctx), "scale the matrix, or compute in double precision"));
    assert_int_equal(B.nrows, 77);
    OK(ctx, gsolve_csr_convert(&B, ctx, GSOLVE_F64, &A));
    gsolve_csr_free(&B, ctx);
}

static void matrices(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int k = 0; k < LOST; k++) {
        check_lost(ctx, 1, lost[k]);
        check_lost(ctx, 40000, lost[k]); /* by several threads */
    }
    for (int k = 0; k < FITS; k++) {
        gsolve_csr A = diagonal(3, 2, fits[k]), B;
        OK(ctx, gsolve_csr_convert(&B, ctx, GSOLVE_F32, &A));
        assert_true(((const float *)B.value)[2] == (float)fits[k]);
        gsolve_csr_free(&B, ctx);
    }
    close_context(ctx);
}

/* The first of several is named. */
static void first(void **state)
{
    gsolve_context *ctx = open_context(3);
    gsolve_csr A = diagonal(30000, 1e-60, 1e60), B;
    (void)state;

    assert_int_equal(gsolve_csr_convert(&B, ctx, GSOLVE_F32, &A), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "row 1 and column 1 (counted from 1) is 1e-60"));
    close_context(ctx);
}

/* What only approximates A is rounded. */
static void rounded(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = diagonal(2, 1, 1e-60), B;
    (void)state;

    OK(ctx, gs_csr_copy(&B, ctx, GSOLVE_F32, &A));
    assert_true(((const float *)B.value)[1] == 0);
    gsolve_csr_free(&B, ctx);
    close_context(ctx);
}

/* refine computes in double precision: an entry that only its inner copy loses does no harm. */
static void refined(void **state)
{
    gsolve_context *ctx = open_context(1);
    const int32_t start[] = {0, 2, 4, 5}, col[] = {0, 1, 0, 1, 2};
    const double value[] = {4, 1e-60, 1e-60, 4, 2};
    const gsolve_csr csr = {3, 3, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    double b[] = {4, 8, 6}, x[] = {0, 0, 0};
    gsolve_matrix *A;
    gsolve_solver *S;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "refine", A, NULL));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, 3), gsolve_vector(x, 3), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    for (int k = 0; k < 3; k++) assert_true(fabs(x[k] - (k + 1)) < 1e-6);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* A right-hand side in double is scaled before it is rounded: nothing of its size is lost. */
static void vectors(void **state)
{
    static const double sizes[] = {1e-50, 1, 1e50};
    const int32_t start[] = {0, 1, 2, 3}, col[] = {0, 1, 2};
    const float value[] = {2, 3, 4};
    const gsolve_csr csr = {3, 3, start, col, value, GSOLVE_O32, GSOLVE_F32, GSOLVE_HOST};
    gsolve_context *ctx = open_context(2);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    for (int k = 0; k < 3; k++) {
        double b[3], x[3] = {0};
        for (int i = 0; i < 3; i++) b[i] = value[i] * sizes[k];
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, 3), gsolve_vector(x, 3), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        for (int i = 0; i < 3; i++) assert_true(fabs(x[i] / sizes[k] - 1) < 1e-6);
    }
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrices), cmocka_unit_test(first),
                                       cmocka_unit_test(rounded), cmocka_unit_test(refined),
                                       cmocka_unit_test(vectors)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
