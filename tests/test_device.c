/* test_device.c: the CUDA device, where there is one: memory, copies, and the refusal to solve. */
#include "tests/common.h"

static void copies(void **state)
{
    gsolve_context *ctx = open_cuda();
    double there[1000], back[1000];
    (void)state;

    if (!ctx) skip();
    for (int i = 0; i < 1000; i++) there[i] = i;
    void *block = gsolve_alloc(ctx, GSOLVE_DEVICE, 1000, sizeof(double));
    assert_non_null(block);
    OK(ctx, gsolve_copy(ctx, block, GSOLVE_DEVICE, there, GSOLVE_HOST, sizeof there));
    OK(ctx, gsolve_copy(ctx, back, GSOLVE_HOST, block, GSOLVE_DEVICE, sizeof back));
    assert_memory_equal(there, back, sizeof back);
    assert_non_null(gsolve_stream(ctx));
    gsolve_free(ctx, GSOLVE_DEVICE, block);
    close_context(ctx);
}

/* A matrix, b and x that lie on the device already; x on it, b on the host. */
static void views(void **state)
{
    gsolve_context *ctx = open_cuda();
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_csr rows, there;
    (void)state;

    if (!ctx) skip();
    OK(ctx, gsolve_read_matrix(&rows, ctx, "gen:poisson2d,n=20", NULL, NULL));
    OK(ctx, gs_csr_move(&there, ctx, GSOLVE_DEVICE, &rows));
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &there));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    double *b = random_vector(rows.nrows, 1), *x = calloc((size_t)rows.nrows, sizeof *x), relative;
    gsolve_dense X = gsolve_vector(x, rows.nrows);
    X.location = GSOLVE_DEVICE;
    X.value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)rows.nrows, sizeof *x);
    OK(ctx, gsolve_copy(ctx, X.value, GSOLVE_DEVICE, x, GSOLVE_HOST, (size_t)rows.nrows * 8));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, rows.nrows), X, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    OK(ctx, gsolve_copy(ctx, x, GSOLVE_HOST, X.value, GSOLVE_DEVICE, (size_t)rows.nrows * 8));
    OK(ctx, gsolve_matrix_residual(A, gsolve_vector(b, rows.nrows), gsolve_vector(x, rows.nrows),
                                   &relative));
    assert_true(relative <= 1e-8);
    gsolve_free(ctx, GSOLVE_DEVICE, X.value);
    free(b);
    free(x);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&rows, ctx);
    gsolve_csr_free(&there, ctx);
    close_context(ctx);
}

/* Whether it is absent from the build or from the machine, the sentence says so. */
static void absence(void **state)
{
    gsolve_context *ctx = open_cuda();
    (void)state;

    if (ctx) {
        gsolve_context_destroy(&ctx);
        skip();
    }
    assert_true(strlen(gsolve_error(NULL)) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(views),
                                       cmocka_unit_test(absence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
