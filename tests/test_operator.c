/* test_operator.c: matrices that are functions of the caller: their products in all shapes, every
 * method, recorded graphs, new functions, and what needs rows and is refused. */
#include <math.h>

#include "matrix/operator.h"
#include "tests/operator_support.h"

/* --- products --------------------------------------------------------------------------------- */

static void compare(gsolve_dense got, gsolve_dense expected, const char *what)
{
    const double tolerance = got.type == GSOLVE_F32 ? 1e-4 : 1e-12;

    for (int64_t k = 0; k < (int64_t)got.nrows * got.ncols; k++) {
        if (fabs(block_at(got, k) - block_at(expected, k)) <= tolerance) continue;
        fail_msg("%s: element %lld is %.17g instead of %.17g", what, (long long)k, block_at(got, k),
                 block_at(expected, k));
    }
}

static void check_product(system_ *s, bool transposed, gsolve_layout layout, int32_t columns,
                          double alpha, double beta)
{
    const int32_t m = transposed ? s->csr.ncols : s->csr.nrows;
    const int32_t n = transposed ? s->csr.nrows : s->csr.ncols;
    gsolve_dense x = random_block(n, columns, s->csr.type, 1);
    gsolve_dense y = random_block(m, columns, s->csr.type, 2);
    gsolve_dense z = random_block(m, columns, s->csr.type, 2);

    x.layout = y.layout = z.layout = layout;
    if (layout == GSOLVE_ROW_MAJOR) x.stride = y.stride = z.stride = columns;
    if (transposed) {
        OK(s->ctx, gsolve_matrix_apply_transpose(s->op, alpha, x, beta, y));
        OK(s->ctx, gsolve_matrix_apply_transpose(s->A, alpha, x, beta, z));
    } else {
        OK(s->ctx, gsolve_matrix_apply(s->op, alpha, x, beta, y));
        OK(s->ctx, gsolve_matrix_apply(s->A, alpha, x, beta, z));
    }
    compare(y, z, transposed ? "A'x" : "A x");
    free(x.value);
    free(y.value);
    free(z.value);
}

static void check_sums(system_ *s, int32_t columns)
{
    gsolve_dense x = random_block(s->csr.ncols, columns, s->csr.type, 1);
    gsolve_dense w = random_block(s->csr.nrows, columns, s->csr.type, 5);
    gsolve_dense y = random_block(s->csr.nrows, columns, s->csr.type, 2);
    double sum[2][2][4];

    for (int k = 0; k < 2; k++) {
        OK(s->ctx, gsolve_matrix_apply_dot(k ? s->op : s->A, x, y, w, sum[k][0], sum[k][1]));
    }
    for (int32_t c = 0; c < columns; c++) {
        const double tolerance = s->csr.type == GSOLVE_F32 ? 1e-3 : 1e-10;
        assert_true(fabs(sum[0][0][c] - sum[1][0][c]) < tolerance);
        assert_true(fabs(sum[0][1][c] - sum[1][1][c]) < tolerance * (1 + sum[0][1][c]));
    }
    free(x.value);
    free(w.value);
    free(y.value);
}

static void products(void **state)
{
    static const char *const names[] = {"gen:random,n=50,cols=80", "gen:random,n=80,cols=50",
                                        "gen:convdiff3d,n=5"};
    (void)state;

    for (int k = 0; k < 12; k++) {
        system_ s;
        open_system(&s, names[k % 3], k % 2 ? GSOLVE_F32 : GSOLVE_F64);
        if (k >= 6) OK(s.ctx, gsolve_matrix_set_flags(s.op, GSOLVE_FUNCTION_COLUMNS));
        for (int32_t columns = 1; columns <= 3; columns += 2) {
            for (int layout = 0; layout < 2; layout++) {
                check_product(&s, layout, GSOLVE_COLUMN_MAJOR, columns, 1, 0);
                check_product(&s, layout, GSOLVE_COLUMN_MAJOR, columns, -0.5, 0);
                check_product(&s, layout, GSOLVE_ROW_MAJOR, columns, 0.5, 1);
                check_product(&s, layout, GSOLVE_COLUMN_MAJOR, columns, 1, 2);
            }
            check_sums(&s, columns);
        }
        assert_int_equal(s.f.most_columns, k >= 6 ? 3 : 1);
        close_system(&s);
    }
}

/* Operands on the host, a chunk of columns at a time. */
static void streamed(void **state)
{
    const gsolve_stream_options options = {.columns = 2};
    system_ s;
    (void)state;

    open_system(&s, "gen:random,n=80,cols=50", GSOLVE_F64);
    gsolve_dense x = random_block(50, 5, GSOLVE_F64, 1), y = random_block(80, 5, GSOLVE_F64, 2);
    gsolve_dense z = random_block(80, 5, GSOLVE_F64, 2);
    OK(s.ctx, gsolve_matrix_stream(s.op, 0.5, x, 1, y, &options, NULL));
    OK(s.ctx, gsolve_matrix_apply(s.A, 0.5, x, 1, z));
    compare(y, z, "a product in chunks");
    free(x.value);
    free(y.value);
    free(z.value);
    close_system(&s);
}

/* --- residuals -------------------------------------------------------------------------------- */

static void check_residual(gsolve_type type, gsolve_type vectors, double size, double tolerance)
{
    system_ s;
    open_system(&s, "gen:random,n=80,cols=50", type);
    gsolve_dense b = random_block(s.csr.nrows, 2, vectors, 1);
    gsolve_dense x = random_block(s.csr.ncols, 2, vectors, 2);
    double got[2], expected[2];

    for (int64_t k = 0; vectors == GSOLVE_F64 && k < 2 * (int64_t)b.nrows; k++) {
        ((double *)b.value)[k] *= size;
        if (k < 2 * (int64_t)x.nrows) ((double *)x.value)[k] *= size;
    }
    OK(s.ctx, gsolve_matrix_residual(s.op, b, x, got));
    OK(s.ctx, gsolve_matrix_residual(s.A, b, x, expected));
    for (int c = 0; c < 2; c++) {
        if (!(fabs(got[c] - expected[c]) <= tolerance * expected[c])) {
            fail_msg("the residual is %.17g instead of %.17g", got[c], expected[c]);
        }
    }
    free(b.value);
    free(x.value);
    close_system(&s);
}

static void residuals(void **state)
{
    (void)state;
    check_residual(GSOLVE_F64, GSOLVE_F64, 1, 1e-14);
    check_residual(GSOLVE_F64, GSOLVE_F64, 1e-170, 1e-12); /* whose squares underflow */
    check_residual(GSOLVE_F64, GSOLVE_F64, 1e170, 1e-12);  /* and overflow */
    check_residual(GSOLVE_F64, GSOLVE_F32, 1, 1e-14);
    check_residual(GSOLVE_F32, GSOLVE_F32, 1, 1e-5);
    check_residual(GSOLVE_F32, GSOLVE_F64, 1, 1e-5);
}

/* A solution has the residual 0, and b = 0 the norm of A x. */
static void residuals_of_zero(void **state)
{
    system_ s;
    double b[9] = {0}, x[9] = {0}, got;
    (void)state;

    open_system(&s, "gen:poisson2d,n=3", GSOLVE_F64);
    OK(s.ctx, gsolve_matrix_residual(s.op, gsolve_vector(b, 9), gsolve_vector(x, 9), &got));
    assert_true(got == 0);
    x[4] = 1; /* A x has 4 and four times -1 */
    OK(s.ctx, gsolve_matrix_residual(s.op, gsolve_vector(b, 9), gsolve_vector(x, 9), &got));
    assert_true(fabs(got - sqrt(20)) < 1e-14);
    b[0] = NAN;
    OK(s.ctx, gsolve_matrix_residual(s.op, gsolve_vector(b, 9), gsolve_vector(x, 9), &got));
    assert_false(isfinite(got));
    close_system(&s);
}

/* --- methods ---------------------------------------------------------------------------------- */

static void methods(void **state)
{
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "direct");
    (void)state;

    for (int single = 0; single < 2; single++) {
        system_ s;
        open_system(&s, "gen:poisson2d,n=20", single ? GSOLVE_F32 : GSOLVE_F64);
        for (int m = 0; m < count; m++) {
            char spec[100];
            snprintf(spec, sizeof spec, "%s,rtol=%s", name[m], single ? "3e-5" : "1e-8");
            for (unsigned flags = 0; flags < 2; flags++) {
                OK(s.ctx, gsolve_matrix_set_flags(s.op, flags * GSOLVE_FUNCTION_COLUMNS));
                solve_and_check(&s, spec, NULL, 1, single ? 6e-5 : 1.01e-8);
                solve_and_check(&s, spec, NULL, 3, single ? 6e-5 : 1.01e-8);
            }
        }
        close_system(&s);
    }
}

/* b and x have another type than A: the run solves for corrections. */
static void other_types(void **state)
{
    system_ s;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_dense b, x;
    (void)state;

    for (int single = 0; single < 2; single++) {
        open_system(&s, "gen:poisson2d,n=20", single ? GSOLVE_F32 : GSOLVE_F64);
        b = random_block(400, 2, single ? GSOLVE_F64 : GSOLVE_F32, 1);
        x = random_block(400, 2, single ? GSOLVE_F64 : GSOLVE_F32, 2);
        OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg,rtol=1e-5", s.op, NULL));
        OK(s.ctx, gsolve_solver_run(S, b, x, &result));
        if (result.outcome != GSOLVE_CONVERGED) fail_msg("%s", gsolve_solver_explain(S));
        assert_int_equal(!strstr(gsolve_solver_note(S), "single precision"), !single);
        gsolve_solver_destroy(&S);
        free(b.value);
        free(x.value);
        close_system(&s);
    }
}

static void the_automatic_method(void **state)
{
    static const struct {
        unsigned flags;
        const char *method, *says;
    } of[] = {{0, "gmres", "nothing is known"},
              {GSOLVE_FUNCTION_SYMMETRIC, "minres", "symmetric"},
              {GSOLVE_FUNCTION_DEFINITE, "cg", "positive definite"}};
    gsolve_solver *S = NULL;
    system_ s;
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    for (int k = 0; k < 3; k++) {
        OK(s.ctx, gsolve_matrix_set_flags(s.op, of[k].flags));
        OK(s.ctx, gsolve_solver_create(&S, s.ctx, "auto,rtol=1e-6", s.op, NULL));
        assert_string_equal(gsolve_solver_name(S), of[k].method);
        assert_non_null(strstr(gsolve_solver_note(S), of[k].says));
        gsolve_solver_destroy(&S);
        solve_and_check(&s, "auto", NULL, 1, 1.01e-8);
    }
    close_system(&s);
}

/* A' is A where the flags say so. */
static void transposes(void **state)
{
    system_ s;
    gsolve_matrix *B = NULL;
    double b[400], x[400] = {0};
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    for (int i = 0; i < 400; i++) b[i] = 1;
    OK(s.ctx, gsolve_matrix_create_operator(&B, s.ctx, 400, 400, GSOLVE_F64, multiply, NULL, &s.f));
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "bicg", B, NULL));
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(b, 400), gsolve_vector(x, 400), &result),
                     GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(s.ctx), "apply_transpose"));
    OK(s.ctx, gsolve_matrix_set_flags(B, GSOLVE_FUNCTION_SYMMETRIC));
    OK(s.ctx, gsolve_solver_run(S, gsolve_vector(b, 400), gsolve_vector(x, 400), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&B);
    close_system(&s);
}

/* --- recorded graphs, and new functions ------------------------------------------------------- */

static void recorded(void **state)
{
    system_ s;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    open_system(&s, "gen:poisson2d,n=60", GSOLVE_F64);
    const bool records = s.ctx->device->record;
    result = solve_and_check(&s, "cg", NULL, 1, 1.01e-8);
    assert_true(result.iterations > 100);
    if (records)
        assert_true(s.f.calls < result.iterations); /* the graph makes the other products */
    if (!records) assert_true(s.f.calls >= result.iterations);
    s.f.calls = 0;
    OK(s.ctx, gsolve_matrix_set_flags(s.op, GSOLVE_FUNCTION_NO_CAPTURE));
    result = solve_and_check(&s, "cg", NULL, 1, 1.01e-8);
    assert_true(s.f.calls >= result.iterations);
    s.f.waits = true;
    solve_and_check(&s, "cg", NULL, 1, 1.01e-8);
    s.f.calls = 0; /* the capture fails, and the kernels are launched one by one */
    OK(s.ctx, gsolve_matrix_set_flags(s.op, 0));
    result = solve_and_check(&s, "cg", NULL, 2, 1.01e-8);
    assert_true(s.f.calls >= result.iterations);
    close_system(&s);
}

/* A solver that has run finds the solution of the new operator. */
static void another_function(void **state)
{
    enum { N = 900 };
    system_ s;
    gsolve_csr shifted;
    gsolve_matrix *other = NULL;
    gsolve_solver *S = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double b[N], x[N] = {0}, residual;
    (void)state;

    open_system(&s, "gen:poisson2d,n=30", GSOLVE_F64);
    shifted = read_matrix(s.ctx, "gen:poisson2d,n=30");
    for (int64_t k = 0; k < gsolve_csr_entries(&shifted); k++) {
        double *a = (double *)(uintptr_t)shifted.value + k;
        if (*a > 0) *a += 0.02;
    }
    OK(s.ctx, gsolve_matrix_create(&other, s.ctx, "csr", &shifted));
    callee second = {.A = other};
    for (int i = 0; i < N; i++) b[i] = 1;
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg,guess=projection", s.op, NULL));
    for (int k = 0; k < 4; k++) {
        OK(s.ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
        OK(s.ctx, gsolve_matrix_residual(k % 2 ? other : s.A, gsolve_vector(b, N),
                                         gsolve_vector(x, N), &residual));
        assert_true(residual <= 1.01e-8);
        OK(s.ctx, gsolve_matrix_update_operator(s.op, k % 2 ? &s.f : &second));
        memset(x, 0, sizeof x);
    }
    gsolve_matrix_describe(s.op, &info);
    assert_int_equal(info.version, 5);
    assert_string_equal(info.format, "operator");
    assert_int_equal(info.entries, 0);
    assert_true(second.calls > 0);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&other);
    gsolve_csr_free(&shifted, s.ctx);
    close_system(&s);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void rows_are_refused(void **state)
{
    system_ s;
    gsolve_csr csr;
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    (void)state;

    open_system(&s, "gen:poisson2d,n=5", GSOLVE_F64);
    refuse(&s, gsolve_matrix_csr(s.op, &csr), GSOLVE_UNSUPPORTED, "operator");
    refuse(&s, gsolve_matrix_statistics(s.op, &statistics), GSOLVE_UNSUPPORTED, "operator");
    refuse(&s, gsolve_matrix_update(s.op, &s.csr), GSOLVE_UNSUPPORTED, "update_operator");
    refuse(&s, gsolve_solver_create(&S, s.ctx, "direct", s.op, NULL), GSOLVE_UNSUPPORTED, "rows");
    for (int k = 0; k < 4; k++) {
        static const char *const specs[] = {"jacobi", "ic", "amg", "auto"};
        refuse(&s, gsolve_precond_create_from(&M, s.ctx, specs[k], s.op), GSOLVE_UNSUPPORTED,
               "approximate CSR");
    }
    gsolve_matrix_device_csr(s.op, &csr);
    assert_null(csr.start);
    assert_int_equal(csr.nrows, 25);
    OK(s.ctx, gsolve_precond_create_from(&M, s.ctx, "none", s.op));
    OK(s.ctx, gsolve_precond_update_from(M, s.op));
    solve_and_check(&s, "cg", M, 2, 1.01e-8);
    gsolve_precond_destroy(&M);
    OK(s.ctx, gsolve_precond_create(&M, s.ctx, "jacobi", &s.csr));
    refuse(&s, gsolve_precond_update_from(M, s.op), GSOLVE_UNSUPPORTED, "operator");
    solve_and_check(&s, "cg", M, 1, 1.01e-8);
    gsolve_precond_destroy(&M);
    refuse(&s, gsolve_matrix_update_operator(s.A, NULL), GSOLVE_UNSUPPORTED, "has rows");
    refuse(&s, gsolve_matrix_set_flags(s.A, 0), GSOLVE_UNSUPPORTED, "has rows");
    refuse(&s, gsolve_matrix_set_flags(s.op, 64), GSOLVE_BAD_ARGUMENT, "flags");
    refuse(&s, gsolve_matrix_set_flags(s.op, GSOLVE_FUNCTION_VARIABLE), GSOLVE_BAD_ARGUMENT, "0x8");
    close_system(&s);
}

static void bad_arguments(void **state)
{
    system_ s;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    (void)state;

    open_system(&s, "gen:random,n=50,cols=80", GSOLVE_F64);
    refuse(&s, gsolve_matrix_set_flags(s.op, GSOLVE_FUNCTION_SYMMETRIC), GSOLVE_BAD_ARGUMENT,
           "suit");
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "auto", s.op, NULL));
    assert_string_equal(gsolve_solver_name(S), "lsmr");
    gsolve_solver_destroy(&S);
    refuse(&s, gsolve_matrix_create_operator(NULL, s.ctx, 1, 1, GSOLVE_F64, multiply, NULL, NULL),
           GSOLVE_BAD_ARGUMENT, "NULL");
    refuse(&s, gsolve_matrix_create_operator(&A, s.ctx, 1, 1, GSOLVE_F64, NULL, NULL, NULL),
           GSOLVE_BAD_ARGUMENT, "NULL");
    refuse(&s, gsolve_matrix_create_operator(&A, s.ctx, -1, 1, GSOLVE_F64, multiply, NULL, NULL),
           GSOLVE_BAD_ARGUMENT, "-1 x 1");
    refuse(&s, gsolve_matrix_create_operator(&A, s.ctx, 1, 1, (gsolve_type)7, multiply, NULL, NULL),
           GSOLVE_BAD_ARGUMENT, "type 7");
    assert_null(A);
    assert_int_equal(
        gsolve_matrix_create_operator(&A, NULL, 1, 1, GSOLVE_F64, multiply, NULL, NULL),
        GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_update_operator(NULL, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_set_flags(NULL, 0), GSOLVE_BAD_ARGUMENT);
    close_system(&s);
}

static void empty(void **state)
{
    system_ s;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double number = 0;
    (void)state;

    open_system(&s, "gen:tridiagonal,n=0", GSOLVE_F64);
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg", s.op, NULL));
    OK(s.ctx, gsolve_solver_run(S, gsolve_vector(NULL, 0), gsolve_vector(NULL, 0), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    close_system(&s);
    open_system(&s, "gen:tridiagonal,n=1", GSOLVE_F64);
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "gmres", s.op, NULL));
    OK(s.ctx, gsolve_solver_run(S, block_of(&number, 1, 0, GSOLVE_F64),
                                block_of(&number, 1, 0, GSOLVE_F64), &result));
    gsolve_solver_destroy(&S);
    solve_and_check(&s, "gmres", NULL, 2, 1e-8);
    close_system(&s);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(streamed),
        cmocka_unit_test(residuals),
        cmocka_unit_test(residuals_of_zero),
        cmocka_unit_test(methods),
        cmocka_unit_test(other_types),
        cmocka_unit_test(the_automatic_method),
        cmocka_unit_test(transposes),
        cmocka_unit_test(recorded),
        cmocka_unit_test(another_function),
        cmocka_unit_test(rows_are_refused),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(empty),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
