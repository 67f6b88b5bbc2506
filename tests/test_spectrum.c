/* test_spectrum.c: spectrum=on, estimates of extreme eigenvalues, or singular values, and of the
 * condition. */
#include "tests/settings_support.h"

#include "solver/run/ritz.h"

/* --- small matrices --------------------------------------------------------------------------- */

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

/* Toeplitz matrices with known eigenvalues; decoupled rows; singular values of T with the row below
 * it, which for a T of one row is a column of two numbers. */
static void small_matrices(void **state)
{
    enum { N = 60 };
    double t[2 * N], space[5 * N + 2];
    gs_range range;
    (void)state;

    for (int i = 0; i < N; i++) t[2 * i] = 2, t[2 * i + 1] = i + 1 < N ? -1 : 0;
    range = gs_tridiagonal_range(N, t);
    assert_near(range.least, 4 * pow(sin(0.5 * M_PI / (N + 1)), 2), 1e-11);
    assert_near(range.most, 4 * pow(cos(0.5 * M_PI / (N + 1)), 2), 1e-13);
    range = gs_triangle_range(gs_tridiagonal_triangle(N, t, space), space + 3 * N + 2);
    assert_near(range.least, 4 * pow(sin(0.5 * M_PI / (N + 1)), 2), 1e-3);
    assert_near(range.most, 4 * pow(cos(0.5 * M_PI / (N + 1)), 2), 1e-2);
    for (int i = 0; i < N; i++) t[2 * i] = i - 10, t[2 * i + 1] = 0;
    range = gs_tridiagonal_range(N, t);
    assert_near(range.least, -10, 1e-13);
    assert_near(range.most, N - 11, 1e-13);
    assert_true(gs_triangle_range(gs_tridiagonal_triangle(N, t, space), space + 3 * N + 2).least ==
                0); /* the row of 0 */
    t[0] = 3, t[1] = 4;
    range = gs_triangle_range(gs_tridiagonal_triangle(1, t, space), space + 5);
    assert_near(range.least, 5, 1e-13);
    assert_near(range.most, 5, 1e-13);
    t[0] = 0, t[1] = 0;
    assert_true(gs_tridiagonal_range(1, t).most == 0);
}

/* --- spectrum=on ------------------------------------------------------------------------------ */

/* The trial's matrix becomes the diagonal d, with row i in column (i + shift) mod n. */
static trial open_diagonal(gsolve_context *ctx, int32_t n, const double *d, int32_t shift,
                           int32_t columns)
{
    char name[64];
    trial t;

    snprintf(name, sizeof name, "gen:tridiagonal,n=%d", n);
    t = open_trial(ctx, name, NULL, GSOLVE_F64, columns);
    int32_t *start = malloc(((size_t)n + 1) * sizeof *start),
            *col = malloc((size_t)n * sizeof *col);
    double *value = malloc((size_t)n * sizeof *value);
    for (int32_t i = 0; i <= n; i++) start[i] = i;
    for (int32_t i = 0; i < n; i++) col[i] = (i + shift) % n, value[i] = d[i];
    const gsolve_csr csr = {n, n, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    gsolve_matrix_destroy(&t.A);
    OK(ctx, gsolve_matrix_create(&t.A, ctx, "csr", &csr));
    free(start);
    free(col);
    free(value);
    return t;
}

static gsolve_spectrum spectrum_of(const trial *t, const char *spec)
{
    gsolve_solver *S = solver_of(t, spec);
    gsolve_spectrum e = GSOLVE_INIT(gsolve_spectrum);

    run_trial(t, S);
    OK(t->ctx, gsolve_solver_spectrum(S, &e));
    if (isfinite(e.condition)) {
        assert_non_null(strstr(gsolve_solver_explain(S), "The condition of "));
    }
    gsolve_solver_destroy(&S);
    return e;
}

static void extremes(void **state)
{
    enum { N = 24 };
    gsolve_context *ctx = open_context(2);
    double d[N];
    (void)state;

    for (int32_t columns = 1; columns <= 3; columns += 2) {
        gsolve_spectrum e;
        for (int i = 0; i < N; i++) d[i] = 0.5 + i;
        trial t = open_diagonal(ctx, N, d, 0, columns);
        e = spectrum_of(&t, "cg,spectrum=on,rtol=1e-12");
        assert_near(e.smallest, 0.5, 1e-6);
        assert_near(e.largest, N - 0.5, 1e-6);
        assert_near(e.condition, 2 * N - 1, 1e-5);
        assert_in_range(e.steps, N / 2, N + 2);
        e = spectrum_of(&t, "pipecg,spectrum=on,rtol=1e-12");
        assert_near(e.smallest, 0.5, 1e-6);
        assert_near(e.largest, N - 0.5, 1e-6);
        assert_near(e.condition, 2 * N - 1, 1e-5);
        assert_in_range(e.steps, N / 2, N + 2);
        close_trial(&t);
        for (int i = 0; i < N; i++) d[i] = i < 4 ? -2 - i : i - 1.5;
        t = open_diagonal(ctx, N, d, 0, columns);
        e = spectrum_of(&t, "minres,spectrum=on,rtol=1e-12");
        assert_near(e.smallest, -5, 1e-6);
        assert_near(e.largest, N - 2.5, 1e-6);
        assert_near(e.condition, (N - 2.5) / 2, 1e-2);
        close_trial(&t);
        for (int i = 0; i < N; i++) d[i] = (i % 2 ? -1 : 1) * (1 + i);
        t = open_diagonal(ctx, N, d, 1, columns); /* singular values |d| */
        e = spectrum_of(&t, "gmres,spectrum=on,restart=30");
        assert_near(e.smallest, 1, 1e-3);
        assert_near(e.largest, N, 1e-2);
        assert_near(e.condition, N, 1e-2);
        e = spectrum_of(&t, "gmres,spectrum=on,restart=5,maxit=40"); /* the first cycle */
        assert_int_equal(e.steps, 5);
        assert_true(e.smallest >= 1 - 1e-9 && e.largest <= N + 1e-9);
        e = spectrum_of(&t, "fgmres,spectrum=on,restart=30");
        assert_near(e.condition, N, 1e-2);
        close_trial(&t);
    }
    close_context(ctx);
}

/* With M the operator is M^-1 A: all eigenvalues of D^-1 A are below 2. A run that goes on in other
 * rounds adds to the record; one without steps has none; a later run replaces it. */
static void with_precond(void **state)
{
    const double bound = pow(sin(0.5 * M_PI / 31), 2);
    gsolve_context *ctx = open_context(2);
    trial t = open_trial(ctx, "gen:poisson2d,n=30", "jacobi", GSOLVE_F64, 2);
    gsolve_spectrum e = GSOLVE_INIT(gsolve_spectrum);
    gsolve_solver *S = solver_of(&t, "cg,spectrum=on,norm=preconditioned");
    (void)state;

    run_trial(&t, S);
    const int64_t begin = allocations_of(ctx);
    run_trial(&t, S);
    const int64_t middle = allocations_of(ctx);
    run_trial(&t, S);
    assert_no_allocations(ctx, middle - begin, allocations_of(ctx) - middle);
    OK(ctx, gsolve_solver_spectrum(S, &e));
    assert_near(e.smallest, 2 * bound, 0.02);
    assert_near(e.largest, 2 - 2 * bound, 0.02);
    OK(ctx, gsolve_solver_set(S, "maxit=3"));
    run_trial(&t, S);
    OK(ctx, gsolve_solver_spectrum(S, &e));
    assert_int_equal(e.steps, 3);
    memset(t.b, 0, t.bytes);
    run_trial(&t, S);
    OK(ctx, gsolve_solver_spectrum(S, &e));
    assert_int_equal(e.steps, 0);
    assert_true(e.condition == 0 && e.smallest == 0 && e.largest == 0);
    gsolve_solver_destroy(&S);
    close_trial(&t);
    close_context(ctx);
}

/* More steps than the record holds; the bits are those without the option. */
static void bounded(void **state)
{
    gsolve_context *ctx = open_context(2);
    trial t = open_trial(ctx, "gen:tridiagonal,n=1500", NULL, GSOLVE_F64, 1);
    static const char *const method[] = {"cg,resident=off", "minres", "pipecg", "gmres"};
    void *x = malloc(t.bytes);
    (void)state;

    for (int i = 0; i < 4; i++) {
        gsolve_spectrum e = GSOLVE_INIT(gsolve_spectrum);
        char spec[64];
        snprintf(spec, sizeof spec, "%s,maxit=1400", method[i]);
        gsolve_solver *plain = solver_of(&t, spec);
        run_trial(&t, plain);
        memcpy(x, t.x, t.bytes);
        snprintf(spec, sizeof spec, "%s,maxit=1400,spectrum=on", method[i]);
        gsolve_solver *S = solver_of(&t, spec);
        const gsolve_result result = run_trial(&t, S);
        assert_memory_equal(x, t.x, t.bytes);
        assert_true(result.iterations > 1000);
        OK(ctx, gsolve_solver_spectrum(S, &e));
        assert_int_equal(e.steps, i < 3 ? 1000 : 30);
        assert_true(e.smallest > 0 && e.largest < 4 && e.largest > 3.8);
        gsolve_solver_destroy(&S);
        gsolve_solver_destroy(&plain);
    }
    free(x);
    close_trial(&t);
    close_context(ctx);
}

static void spectrum_refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    trial t = open_trial(ctx, "gen:poisson2d,n=6", NULL, GSOLVE_F64, 1);
    gsolve_spectrum e = GSOLVE_INIT(gsolve_spectrum), unset = {0};
    gsolve_solver *S = solver_of(&t, "cg");
    (void)state;

    run_trial(&t, S);
    assert_int_equal(gsolve_solver_spectrum(S, &e), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "spectrum=on"));
    assert_int_equal(gsolve_solver_spectrum(NULL, &e), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_solver_spectrum(S, NULL), GSOLVE_BAD_ARGUMENT);
    gsolve_solver_destroy(&S);
    S = solver_of(&t, "cg,spectrum=on");
    assert_int_equal(gsolve_solver_spectrum(S, &e), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "no run"));
    run_trial(&t, S);
    assert_int_equal(gsolve_solver_spectrum(S, &unset), GSOLVE_BAD_ARGUMENT);
    gsolve_context_limit_allocations(ctx, 0);
    assert_int_equal(gsolve_solver_spectrum(S, &e), GSOLVE_NO_MEMORY);
    gsolve_context_limit_allocations(ctx, -1);
    OK(ctx, gsolve_solver_spectrum(S, &e));
    gsolve_solver_destroy(&S);
    assert_int_equal(gsolve_solver_create(&S, ctx, "bicgstab,spectrum=on", t.A, NULL),
                     GSOLVE_BAD_SPEC);
    close_trial(&t);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices),   cmocka_unit_test(extremes),
        cmocka_unit_test(with_precond),     cmocka_unit_test(bounded),
        cmocka_unit_test(spectrum_refused),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
