/* test_device_lost.c: a kernel dies on a GPU, which is then lost to the process: every call says
 * so, and all can be released. Apart from other tests, for nothing runs on the GPU after it. */
#include "tests/common.h"
#include "tests/faults.h"

/* The kernel dies in the third product of a run, and the run says so when it next looks. */
static void kernels_that_die(void **state)
{
    gsolve_context *ctx = open_cuda();
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    if (!ctx) skip();
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=40");
    double *b = random_vector(csr.nrows, 3), *x = calloc((size_t)csr.nrows, sizeof *x);
    const gsolve_dense B = gsolve_vector(b, csr.nrows), X = gsolve_vector(x, csr.nrows);
    failure = launch_dying_kernel;
    OK(ctx, gsolve_register_format(ctx, &brittle_format));
    OK(ctx, gsolve_matrix_create(&A, ctx, "brittle", &csr));
    OK(ctx, gsolve_precond_create(&M, ctx, "ic", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, M));
    OK(ctx, gsolve_solver_run(S, B, X, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    successes = 2;
    for (int again = 0; again < 2; again++) {
        memset(x, 0, (size_t)csr.nrows * sizeof *x);
        assert_int_equal(gsolve_solver_run(S, B, X, &result), GSOLVE_DEVICE_FAILED);
        if (strncmp(gsolve_error(ctx), "CUDA: ", 6) != 0) fail_msg("said: %s", gsolve_error(ctx));
    }
    const gsolve_status status = gsolve_matrix_apply(A, 1, B, 0, X); /* of vectors on the host */
    assert_true(status == GSOLVE_DEVICE_FAILED || status == GSOLVE_NO_MEMORY);
    if (strncmp(gsolve_error(ctx), "CUDA: ", 6) != 0) fail_msg("said: %s", gsolve_error(ctx));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
    ctx = NULL;
    assert_int_equal(alive, 0);
    if (gsolve_context_create(&ctx, "cuda") != GSOLVE_OK)
        assert_true(strlen(gsolve_error(NULL)) > 10);
    gsolve_context_destroy(&ctx);
    free(b);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_that_die)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
