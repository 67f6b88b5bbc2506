/* test_defects_memory.c: a limit on the memory that a context takes of its device stands for a full
 * device, so that no test needs to fill one that others use. */
#include "tests/common.h"

static gsolve_context *open_apart(void)
{
    setenv("GSOLVE_TEST_DEVICE", "apart", 0);
    return open_context(1);
}

static void limit_is_counted(void **state)
{
    gsolve_context *ctx = open_apart();
    void *host, *first, *second;
    size_t unused, total;
    (void)state;

    first = gsolve_alloc(ctx, GSOLVE_DEVICE, 600, 1);
    assert_non_null(first);
    gs_memory_limit(ctx, 1000);
    assert_int_equal(gs_memory_available(ctx), 1000);
    OK(ctx, gsolve_context_memory(ctx, &unused, &total));
    assert_int_equal(unused, 1000);
    second = gsolve_alloc(ctx, GSOLVE_DEVICE, 800, 1);
    assert_non_null(second);
    assert_int_equal(gs_memory_available(ctx), 200);
    assert_null(gsolve_alloc(ctx, GSOLVE_DEVICE, 201, 1));
    assert_non_null(strstr(gsolve_error(ctx), "cannot allocate 201 elements"));
    assert_non_null(strstr(gsolve_error(ctx), "200 bytes are free"));
    host = gsolve_alloc(ctx, GSOLVE_HOST, 100000, 1); /* is not the device's */
    assert_non_null(host);
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    assert_int_equal(gs_memory_available(ctx), 800);
    gs_memory_limit(ctx, SIZE_MAX);
    gsolve_free(ctx, GSOLVE_DEVICE, second);
    gsolve_free(ctx, GSOLVE_HOST, host);
    assert_true(gs_memory_available(ctx) > 1000);
    close_context(ctx);
}

/* A matrix that does not fit is refused before it is moved, and taken when there is room. */
static void matrix_meets_limit(void **state)
{
    gsolve_context *ctx = open_apart();
    gsolve_csr rows = read_matrix(ctx, "gen:poisson2d,n=30");
    const int64_t before = blocks_of(ctx);
    gsolve_matrix *A = NULL;
    (void)state;

    gs_memory_limit(ctx, 20000);
    assert_int_equal(gsolve_matrix_create(&A, ctx, "sell", &rows), GSOLVE_NO_MEMORY);
    assert_non_null(strstr(gsolve_error(ctx), "where 20000 ("));
    assert_int_equal(blocks_of(ctx), before);
    gs_memory_limit(ctx, SIZE_MAX);
    OK(ctx, gsolve_matrix_create(&A, ctx, "sell", &rows));
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&rows, ctx);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limit_is_counted),
                                       cmocka_unit_test(matrix_meets_limit)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
