/* test_defects_interface.c: defects that random sequences of calls have shown. */
#include "tests/common.h"

/* --- the width of offsets is no part of a pattern
 * ------------------------------------------------- */

static const int32_t narrow[] = {0, 3, 5}, twice[] = {0, 0, 1, 0, 1}, once[] = {0, 1};
static const int64_t wide[] = {0, 3, 5};
static const int32_t narrow_diagonal[] = {0, 1, 2};
static const int64_t wide_diagonal[] = {0, 1, 2};
static const double value[] = {1, 2, 3, 4, 5};

static gsolve_csr view(const void *start, gsolve_offset offset, const int32_t *col)
{
    gsolve_csr csr = gsolve_csr_view(2, start, col, value);

    csr.offset = offset;
    return csr;
}

static void matrix_takes_either_width(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_csr first = view(narrow, GSOLVE_O32, twice), other = view(wide, GSOLVE_O64, twice);
    gsolve_matrix *A = NULL;

    (void)state;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &first));
    OK(ctx, gsolve_matrix_update(A, &other));
    gsolve_matrix_destroy(&A);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &other));
    OK(ctx, gsolve_matrix_update(A, &first));
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

static void precond_takes_either_width(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_csr first = view(narrow_diagonal, GSOLVE_O32, once);
    const gsolve_csr other = view(wide_diagonal, GSOLVE_O64, once);
    gsolve_precond *M = NULL;

    (void)state;
    OK(ctx, gsolve_precond_create(&M, ctx, "jacobi", &first));
    OK(ctx, gsolve_precond_update(M, &other));
    gsolve_precond_destroy(&M);
    close_context(ctx);
}

/* Other offsets are another pattern still, in a matrix of several pieces, too. */
static void patterns_differ(void **state)
{
    enum { N = 200000 };
    gsolve_context *ctx = open_context(1);
    int32_t *start = malloc((N + 1) * sizeof *start), *col = calloc(N, sizeof *col);
    gsolve_csr csr = gsolve_csr_view(N, start, col, NULL);

    (void)state;
    for (int32_t i = 0; i <= N; i++) start[i] = i;
    const uint64_t before = gs_csr_pattern_hash(ctx, &csr);
    for (int32_t at = 1; at < N; at += 4999) {
        start[at]++;
        assert_true(gs_csr_pattern_hash(ctx, &csr) != before);
        start[at]--;
    }
    assert_true(gs_csr_pattern_hash(ctx, &csr) == before);
    free(start);
    free(col);
    close_context(ctx);
}

/* --- the explanation of a run whose b and x are gone
 * ------------------------------------------------ */

static const char *run_and_explain(gsolve_solver *S, int32_t ncols, bool forget,
                                   gsolve_result *result)
{
    double *b = calloc(3, sizeof *b), *x = calloc(3, sizeof *x);
    const char *said;

    b[0] = b[2] = 1;
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(b, 3), gsolve_vector(x, ncols), result),
                     GSOLVE_OK);
    for (int i = 0; i < 3 && forget; i++) b[i] = 7;
    if (forget) x[0] = -1e9;
    said = gsolve_solver_explain(S);
    free(b);
    free(x);
    return said;
}

static void explain_both_ways(const int32_t *start, int32_t ncols, const char *method,
                              const char *expected)
{
    static const int32_t col[] = {0, 0, 0};
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = gsolve_csr_view(3, start, col, value);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    char before[1300];

    csr.ncols = ncols;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, method, A, NULL));
    snprintf(before, sizeof before, "%s", run_and_explain(S, ncols, false, &result));
    assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
    if (!strstr(before, expected)) fail_msg("%s", before);
    assert_string_equal(run_and_explain(S, ncols, true, &result), before);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

static void explanation_needs_no_vectors(void **state)
{
    static const int32_t full[] = {0, 1, 2, 3}, last_row_empty[] = {0, 1, 2, 2};

    (void)state;
    explain_both_ways(full, 1, "direct", "least-squares");
    explain_both_ways(last_row_empty, 1, "direct", "least-squares");
    explain_both_ways(last_row_empty, 3, "gmres",
                      "row 3 of A (counted from 1) is empty, but b is 1 there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_takes_either_width),
        cmocka_unit_test(precond_takes_either_width),
        cmocka_unit_test(patterns_differ),
        cmocka_unit_test(explanation_needs_no_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
