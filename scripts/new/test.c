/* test_template_name.c: a solve with the @KIND@ template_name converges. */
#include "tests/common.h"

static void solves_with_it(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = {0};
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double b[100], x[100] = {0};

    (void)state;
    for (int i = 0; i < 100; i++) b[i] = 1;
    assert_int_equal(gsolve_read_matrix(&csr, ctx, "gen:@MATRIX@", NULL, NULL), GSOLVE_OK);
    assert_int_equal(csr.nrows, 100);
    assert_int_equal(gsolve_matrix_create(&A, ctx, "@FORMAT@", &csr), GSOLVE_OK);
    assert_int_equal(gsolve_precond_create(&M, ctx, "@PRECOND@", &csr), GSOLVE_OK);
    assert_int_equal(gsolve_solver_create(&S, ctx, "@SOLVER@,maxit=50000", A, M), GSOLVE_OK);
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(b, 100), gsolve_vector(x, 100), &result),
                     GSOLVE_OK);
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves_with_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
