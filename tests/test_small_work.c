/* test_small_work.c: small work runs on the calling thread. A thread that OpenMP starts stays, so
 * that those of the process tell whether a parallel region of several was entered. */
#include "tests/common.h"

#include <dirent.h>

#include "precond/diagonal.h"
#include "vector/blocks.h"

enum { N = 400, MANY = 100000, THREADS = 4 };

static int threads_of_process(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;

    if (!folder) return -1;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

/* 2 on the diagonal and -1 beside it. */
static gsolve_csr tridiagonal(int32_t n)
{
    int32_t *start = calloc((size_t)n + 1, sizeof *start), *col = malloc(3 * (size_t)n * 4);
    double *value = malloc(3 * (size_t)n * sizeof *value);

    for (int32_t i = 0, k = 0; i < n; i++) {
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++, k++) {
            col[k] = j;
            value[k] = i == j ? 2 : -1;
        }
        start[i + 1] = k;
    }
    return (gsolve_csr){.nrows = n,
                        .ncols = n,
                        .start = start,
                        .col = col,
                        .value = value,
                        .type = GSOLVE_F64,
                        .offset = GSOLVE_O32};
}

static void drop(gsolve_csr *csr)
{
    free((void *)(uintptr_t)csr->start);
    free((void *)(uintptr_t)csr->col);
    free((void *)(uintptr_t)csr->value);
}

static void threads_by_work(void **state)
{
    const int64_t least = GS_SERIAL_BLOCKS * GS_LEAST_BLOCK;
    (void)state;

    assert_int_equal(gs_threads_for(0, 16), 1);
    assert_int_equal(gs_threads_for(N, 16), 1);
    assert_int_equal(gs_threads_for(least, 16), 1);
    assert_int_equal(gs_threads_for(least + 1, 16), 16);
    assert_int_equal(gs_threads_for(INT64_MAX, 16), 16);
    assert_int_equal(gs_threads_for(INT64_MAX, 1), 1);
}

/* Nothing before this test starts a thread. */
static void starts_no_thread(void **state)
{
    gsolve_context *ctx = open_context(THREADS);
    gsolve_csr csr = tridiagonal(N);
    double d[N];
    gs_reciprocals r = {.d = d};
    const int before = threads_of_process();
    (void)state;

    OK(ctx, gs_diagonal_reciprocals(ctx, "jacobi", &csr, false, &r));
    for (int i = 0; i < N; i++) assert_true(d[i] == 0.5);
    assert_int_equal(threads_of_process(), before);
    drop(&csr);
    close_context(ctx);
}

/* All that a time step needs: new values for the matrix and its preconditioner, and a solve. */
static void a_small_system(void **state)
{
    static const char *const formats[] = {"csr", "auto", "sell", "bsr"};
    gsolve_context *ctx = open_context(THREADS);
    gsolve_csr csr = tridiagonal(N);
    double b[N], x[N];
    const int before = threads_of_process();
    (void)state;

    for (int i = 0; i < N; i++) b[i] = 1;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        gsolve_matrix *A = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        memset(x, 0, sizeof x);
        OK(ctx, gsolve_matrix_create(&A, ctx, formats[f], &csr));
        OK(ctx, gsolve_precond_create(&M, ctx, "jacobi", &csr));
        OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, M));
        OK(ctx, gsolve_matrix_update(A, &csr));
        OK(ctx, gsolve_precond_update(M, &csr));
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        if (threads_of_process() != before) fail_msg("%s started a thread", formats[f]);
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        gsolve_matrix_destroy(&A);
    }
    drop(&csr);
    close_context(ctx);
}

/* Large work has the same bits for any number of threads. */
static void same_bits(void **state)
{
    gsolve_csr csr = tridiagonal(MANY);
    double *d[2];
    (void)state;

    for (int many = 0; many < 2; many++) {
        gsolve_context *ctx = open_context(many ? THREADS : 1);
        gs_reciprocals r = {.d = d[many] = malloc(MANY * sizeof **d)};
        OK(ctx, gs_diagonal_reciprocals(ctx, "jacobi", &csr, false, &r));
        close_context(ctx);
    }
    assert_memory_equal(d[0], d[1], MANY * sizeof **d);
    free(d[0]);
    free(d[1]);
    drop(&csr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_by_work),
        cmocka_unit_test(starts_no_thread),
        cmocka_unit_test(a_small_system),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
