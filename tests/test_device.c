/* test_device.c: the CUDA device, where there is one: memory, copies, and the refusal to solve. */
#include "tests/common.h"

static gsolve_context *open_cuda(void)
{
    gsolve_context *ctx = NULL;
    return gsolve_context_create(&ctx, "cuda") == GSOLVE_OK ? ctx : NULL;
}

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

static void refusal(void **state)
{
    const int32_t start[] = {0, 1}, col[] = {0};
    const double value[] = {1};
    const gsolve_csr csr = gsolve_csr_view(1, start, col, value);
    gsolve_context *ctx = open_cuda();
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    (void)state;

    if (!ctx) skip();
    assert_int_equal(gsolve_matrix_create(&A, ctx, "auto", &csr), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "no kernels"));
    assert_int_equal(gsolve_precond_create(&M, ctx, "none", &csr), GSOLVE_UNSUPPORTED);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(refusal),
                                       cmocka_unit_test(absence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
