/* test_operator_values.c: functions of the caller that compute values that are not finite. */
#include <math.h>

#include "tests/operator_support.h"

/* y = A x in the first calls, and then y = NaN A x */
typedef struct turning {
    gsolve_matrix *A;
    int good; /* number of calls that are left before */
} turning;

static gsolve_status multiply_until(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    turning *f = user;
    (void)ctx;
    return gsolve_matrix_apply(f->A, f->good-- > 0 ? 1 : NAN, x, 0, y);
}

/* Products that are not finite: x stays the initial guess, and the explanation names the function
 * of the operator or that of the preconditioner. */
static void not_finite(void **state)
{
    enum { N = 400 };
    static const char *const methods[] = {"cg", "gmres", "bicgstab", "block_cg", "auto"};
    system_ s;
    double b[N];
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    for (int i = 0; i < N; i++) b[i] = 1;
    for (int k = 0; k < 10; k++) {
        const bool of_precond = k >= 5;
        if (k == 8) continue; /* block_cg breaks down by its own sums */
        double x[N] = {0};
        gsolve_matrix *op = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        x[3] = 2;
        OK(s.ctx,
           gsolve_matrix_create_operator(&op, s.ctx, N, N, GSOLVE_F64, multiply_badly, NULL, s.A));
        if (of_precond) {
            OK(s.ctx,
               gsolve_precond_create_function(&M, s.ctx, N, GSOLVE_F64, multiply_badly, NULL, s.A));
        }
        OK(s.ctx, gsolve_solver_create(&S, s.ctx, methods[k % 5], of_precond ? s.A : op, M));
        OK(s.ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
        assert_false(gsolve_outcome_is_success(result.outcome));
        for (int i = 0; i < N; i++) assert_true(x[i] == (i == 3 ? 2 : 0));
        if (!strstr(gsolve_solver_explain(S),
                    of_precond ? "function of the preconditioner" : "function of the operator")) {
            fail_msg("%s, %s: %s: %s", methods[k % 5], of_precond ? "M" : "A",
                     gsolve_outcome_text(result.outcome), gsolve_solver_explain(S));
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        gsolve_matrix_destroy(&op);
    }
    close_system(&s);
}

/* The function fails only later: x is the best iterate before. */
static void not_finite_later(void **state)
{
    enum { N = 400 };
    system_ s;
    double b[N], x[N] = {0};
    gsolve_matrix *op = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    for (int i = 0; i < N; i++) b[i] = 1;
    turning f = {.A = s.A, .good = 9};
    OK(s.ctx,
       gsolve_matrix_create_operator(&op, s.ctx, N, N, GSOLVE_F64, multiply_until, NULL, &f));
    OK(s.ctx, gsolve_matrix_set_flags(op, GSOLVE_FUNCTION_NO_CAPTURE));
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg", op, NULL));
    OK(s.ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
    assert_int_equal(result.outcome, GSOLVE_DIVERGED);
    for (int i = 0; i < N; i++) assert_true(isfinite(x[i]));
    assert_non_null(strstr(gsolve_solver_explain(S), "function of the operator"));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&op);
    close_system(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_finite),
        cmocka_unit_test(not_finite_later),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
