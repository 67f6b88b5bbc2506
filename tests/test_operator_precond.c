/* test_operator_precond.c: preconditioners without rows (a function of the caller, chebyshev with a
 * given diagonal), functions that fail, short memory, and the pointer `user` of plug-ins. */
#include <math.h>

#include "gsolve_plugin.h"
#include "matrix/operator.h"
#include "tests/operator_support.h"

enum { SIDE = 20, N = SIDE * SIDE };

/* --- a function ------------------------------------------------------------------------------- */

static void functions(void **state)
{
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "direct");
    (void)state;

    for (int single = 0; single < 2; single++) {
        const gsolve_type type = single ? GSOLVE_F32 : GSOLVE_F64;
        system_ s;
        gsolve_precond *M = NULL;
        gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
        callee f = {.says = true};
        open_system(&s, "gen:poisson2d,n=20", type);
        OK(s.ctx, gsolve_precond_create(&f.M, s.ctx, "jacobi", &s.csr));
        OK(s.ctx, gsolve_precond_create_function(&M, s.ctx, N, type, precondition, NULL, &f));
        OK(s.ctx, gsolve_precond_set_flags(M, GSOLVE_FUNCTION_SYMMETRIC));
        for (int m = 0; m < count; m++) {
            char spec[100];
            snprintf(spec, sizeof spec, "%s,rtol=%s", name[m], single ? "3e-5" : "1e-8");
            f.calls = 0;
            solve_and_check(&s, spec, M, 1, single ? 6e-5 : 1.01e-8);
            solve_and_check(&s, spec, M, 3, single ? 6e-5 : 1.01e-8);
            assert_true(f.calls > 0);
        }
        assert_int_equal(f.most_columns, 1);
        OK(s.ctx, gsolve_precond_set_flags(M, GSOLVE_FUNCTION_COLUMNS));
        solve_and_check(&s, single ? "cg,rtol=3e-5" : "cg", M, 3, single ? 6e-5 : 1.01e-8);
        assert_int_equal(f.most_columns, 3);
        gsolve_precond_describe(M, &info);
        assert_string_equal(info.kind, "function");
        assert_int_equal(info.n, N);
        assert_null(gsolve_precond_diagonal(M));
        gsolve_precond_destroy(&M);
        gsolve_precond_destroy(&f.M);
        close_system(&s);
    }
}

static void flags_of_functions(void **state)
{
    system_ s;
    gsolve_precond *M = NULL, *J = NULL;
    gsolve_solver *S = NULL;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    callee f = {.says = true}, second;
    gsolve_dense r, z;
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    OK(s.ctx, gsolve_precond_create(&f.M, s.ctx, "ic", &s.csr));
    OK(s.ctx, gsolve_precond_create_function(&M, s.ctx, N, GSOLVE_F64, precondition, NULL, &f));
    refuse(&s, gsolve_precond_update(M, &s.csr), GSOLVE_UNSUPPORTED, "update_function");
    refuse(&s, gsolve_precond_update_from(M, s.A), GSOLVE_UNSUPPORTED, "update_function");
    refuse(&s, gsolve_precond_set_flags(M, GSOLVE_FUNCTION_DEFINITE), GSOLVE_BAD_ARGUMENT, "0x4");
    r = random_block(N, 1, GSOLVE_F64, 1);
    z = random_block(N, 1, GSOLVE_F64, 2);
    refuse(&s, gsolve_precond_apply_transpose(M, r, z), GSOLVE_UNSUPPORTED, "apply_transpose");
    OK(s.ctx, gsolve_precond_set_flags(M, GSOLVE_FUNCTION_VARIABLE | GSOLVE_FUNCTION_NO_CAPTURE));
    assert_true(gsolve_precond_is_variable(M));
    assert_false(gs_precond_is_recordable(M));
    assert_int_equal(gsolve_solver_create(&S, s.ctx, "cg", s.op, M), GSOLVE_BAD_ARGUMENT);
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "auto", s.op, M));
    assert_string_equal(gsolve_solver_name(S), "fgmres");
    gsolve_solver_destroy(&S);
    f.waits = true;
    const gsolve_result result = solve_and_check(&s, "fgmres", M, 1, 1.01e-8);
    assert_true(f.calls >= result.iterations);
    second = f;
    second.calls = 0;
    OK(s.ctx, gsolve_precond_update_function(M, &second));
    OK(s.ctx, gsolve_precond_apply(M, r, z));
    assert_int_equal(second.calls, 1);
    gsolve_precond_describe(M, &info);
    assert_int_equal(info.version, 3);
    OK(s.ctx, gsolve_precond_create(&J, s.ctx, "jacobi", &s.csr));
    refuse(&s, gsolve_precond_update_function(J, NULL), GSOLVE_UNSUPPORTED, "jacobi");
    refuse(&s, gsolve_precond_set_flags(J, 0), GSOLVE_UNSUPPORTED, "jacobi");
    refuse(&s, gsolve_precond_create_function(&M, s.ctx, -1, GSOLVE_F64, precondition, NULL, &f),
           GSOLVE_BAD_ARGUMENT, "-1");
    refuse(&s, gsolve_precond_create_function(&M, s.ctx, 1, GSOLVE_F64, NULL, NULL, &f),
           GSOLVE_BAD_ARGUMENT, "NULL");
    free(r.value);
    free(z.value);
    gsolve_precond_destroy(&J);
    gsolve_precond_destroy(&M);
    gsolve_precond_destroy(&f.M);
    close_system(&s);
}

/* --- chebyshev -------------------------------------------------------------------------------- */

/* The same polynomial as from rows, up to the estimate of the spectrum. */
static void polynomials(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const gsolve_type type = k % 2 ? GSOLVE_F32 : GSOLVE_F64;
        const char *spec = type == GSOLVE_F32 ? "cg,rtol=3e-5" : "cg";
        system_ s;
        gsolve_precond *M = NULL, *C = NULL;
        gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
        gsolve_dense four = random_block(N, 1, k < 2 ? GSOLVE_F64 : GSOLVE_F32, 1);
        int iterations[3];
        open_system(&s, "gen:poisson2d,n=20", type);
        for (int i = 0; i < N; i++) {
            if (k < 2) ((double *)four.value)[i] = 4;
            if (k >= 2) ((float *)four.value)[i] = 4;
        }
        OK(s.ctx, gsolve_precond_create(&C, s.ctx, "chebyshev,degree=4", &s.csr));
        OK(s.ctx, gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev,degree=4", s.op, four));
        iterations[0] = solve_and_check(&s, spec, NULL, 1, 6e-5).iterations;
        iterations[1] = solve_and_check(&s, spec, C, 1, 6e-5).iterations;
        iterations[2] = solve_and_check(&s, spec, M, 1, 6e-5).iterations;
        solve_and_check(&s, spec, M, 3, 6e-5);
        assert_true(2 * iterations[2] < iterations[0]);
        assert_true(abs(iterations[2] - iterations[1]) <= 2);
        four.value = (free(four.value), NULL); /* the identity scales all rows alike */
        OK(s.ctx, gsolve_precond_update_chebyshev(M, four));
        assert_true(abs(solve_and_check(&s, spec, M, 1, 6e-5).iterations - iterations[2]) <= 2);
        gsolve_precond_describe(M, &info);
        assert_string_equal(info.kind, "chebyshev");
        assert_int_equal(info.version, 2);
        assert_true(info.bytes > (size_t)N * gs_type_size(type));
        assert_non_null(strstr(info.note, "largest eigenvalue"));
        gsolve_precond_destroy(&M);
        gsolve_precond_destroy(&C);
        close_system(&s);
    }
}

static void polynomials_refused(void **state)
{
    system_ s;
    gsolve_precond *M = NULL;
    gsolve_matrix *bad_op = NULL;
    double d[N];
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    const gsolve_dense diagonal = gsolve_vector(d, N);
    for (int i = 0; i < N; i++) d[i] = 4;
    refuse(&s, gsolve_precond_create_chebyshev(&M, s.ctx, "ic", s.op, diagonal), GSOLVE_BAD_SPEC,
           "chebyshev");
    refuse(&s, gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev,its=0", s.op, diagonal),
           GSOLVE_BAD_SPEC, "its");
    refuse(&s,
           gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev", s.op, gsolve_vector(d, N - 1)),
           GSOLVE_BAD_ARGUMENT, "399 x 1");
    refuse(&s, gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev", NULL, diagonal),
           GSOLVE_BAD_ARGUMENT, "NULL");
    for (int k = 0; k < 3; k++) {
        const double bad[] = {0, -1, NAN};
        d[7] = bad[k];
        refuse(&s, gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev", s.op, diagonal),
               GSOLVE_ZERO_PIVOT, "element 8");
    }
    d[7] = 4;
    OK(s.ctx,
       gsolve_matrix_create_operator(&bad_op, s.ctx, N, N, GSOLVE_F64, multiply_badly, NULL, s.A));
    refuse(&s, gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev", bad_op, diagonal),
           GSOLVE_BAD_MATRIX, "not finite");
    gsolve_matrix_destroy(&bad_op);
    OK(s.ctx, gsolve_precond_create_chebyshev(&M, s.ctx, "chebyshev", s.op, diagonal));
    d[7] = 0;
    refuse(&s, gsolve_precond_update_chebyshev(M, diagonal), GSOLVE_ZERO_PIVOT, "element 8");
    refuse(&s, gsolve_precond_update(M, &s.csr), GSOLVE_UNSUPPORTED, "update_chebyshev");
    solve_and_check(&s, "cg", M, 1, 1.01e-8); /* M is as before */
    OK(s.ctx, gsolve_matrix_set_flags(s.op, GSOLVE_FUNCTION_NO_CAPTURE));
    assert_false(gs_precond_is_recordable(M));
    gsolve_precond_destroy(&M);
    OK(s.ctx, gsolve_precond_create(&M, s.ctx, "chebyshev", &s.csr));
    refuse(&s, gsolve_precond_update_chebyshev(M, diagonal), GSOLVE_UNSUPPORTED,
           "create_chebyshev");
    assert_true(gs_precond_is_recordable(M));
    gsolve_precond_destroy(&M);
    close_system(&s);
}

/* --- failures --------------------------------------------------------------------------------- */

/* Every call of the function fails once: the run fails with its status and sentence, and a later
 * run finds the solution. */
static void fail_each(system_ *s, const gsolve_precond *M, callee *f, const char *spec)
{
    double b[N], x[N];
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result), before;

    for (int i = 0; i < N; i++) b[i] = 1;
    memset(&before, 0x5a, sizeof before);
    before.size = sizeof before;
    OK(s->ctx, gsolve_solver_create(&S, s->ctx, spec, s->op, M));
    for (int at = 1; at < 1000; at += 3) {
        const bool says = at % 2;
        gsolve_status status;
        f->fails_at = f->calls + at;
        f->status = says ? GSOLVE_ZERO_PIVOT : at % 4 ? GSOLVE_UNSUPPORTED : (gsolve_status)99;
        f->says = says;
        memset(x, 0, sizeof x);
        result = before;
        status = gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result);
        if (f->calls < f->fails_at || status == GSOLVE_OK)
            break; /* a failed capture is no failure */
        assert_int_equal(status, says                              ? GSOLVE_ZERO_PIVOT
                                 : f->status == GSOLVE_UNSUPPORTED ? GSOLVE_UNSUPPORTED
                                                                   : GSOLVE_BAD_ARGUMENT);
        if (!strstr(gsolve_error(s->ctx), says ? "the caller's own sentence" : "the caller's ")) {
            fail_msg("%s", gsolve_error(s->ctx));
        }
        assert_memory_equal(&result, &before, sizeof result);
        assert_true(at < 900);
    }
    f->fails_at = 0;
    memset(x, 0, sizeof x);
    OK(s->ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
}

static void functions_that_fail(void **state)
{
    static const char *const specs[] = {"cg", "gmres,restart=20", "minres", "bicgstab"};
    system_ s;
    gsolve_precond *M = NULL;
    callee f = {0};
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    OK(s.ctx, gsolve_precond_create(&f.M, s.ctx, "ic", &s.csr));
    OK(s.ctx, gsolve_precond_create_function(&M, s.ctx, N, GSOLVE_F64, precondition, NULL, &f));
    for (int m = 0; m < 4; m++) {
        fail_each(&s, NULL, &s.f, specs[m]);
        fail_each(&s, M, &f, specs[m]);
    }
    gsolve_precond_destroy(&M);
    gsolve_precond_destroy(&f.M);
    close_system(&s);
}

static gsolve_status create_all(system_ *s, callee *f)
{
    double b[N], x[N] = {0}, d[N];
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL, *C = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;

    for (int i = 0; i < N; i++) b[i] = 1, d[i] = 4;
    status = gsolve_matrix_create_operator(&A, s->ctx, N, N, GSOLVE_F64, multiply, NULL, &s->f);
    if (status == GSOLVE_OK) {
        status = gsolve_precond_create_function(&M, s->ctx, N, GSOLVE_F64, precondition, NULL, f);
    }
    if (status == GSOLVE_OK) {
        status = gsolve_precond_create_chebyshev(&C, s->ctx, "chebyshev", A, gsolve_vector(d, N));
    }
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, s->ctx, "cg", A, C);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result);
    }
    gsolve_solver_destroy(&S);
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, s->ctx, "gmres", A, M);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result);
    }
    if (status == GSOLVE_OK)
        status = gsolve_matrix_apply(A, 1, gsolve_vector(b, N), 2, gsolve_vector(x, N));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&C);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    return status;
}

static void short_memory(void **state)
{
    system_ s;
    callee f = {0};
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    OK(s.ctx, gsolve_precond_create(&f.M, s.ctx, "jacobi", &s.csr));
    OK(s.ctx, create_all(&s, &f)); /* what the functions allocate at first use */
    ALLOCATION_SWEEP_FROM(s.ctx, 0, 1, create_all(&s, &f));
    gsolve_precond_destroy(&f.M);
    close_system(&s);
}

/* The objects that are left are destroyed with the context, in any order. */
static void contexts_destroyed_early(void **state)
{
    system_ s;
    gsolve_precond *M = NULL, *C = NULL;
    gsolve_solver *S = NULL;
    gsolve_dense ones = {.nrows = N, .ncols = 1, .stride = N, .type = GSOLVE_F64};
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    OK(s.ctx, gsolve_precond_create_chebyshev(&C, s.ctx, "chebyshev", s.op, ones));
    OK(s.ctx, gsolve_precond_create_function(&M, s.ctx, N, GSOLVE_F64, precondition, NULL, &s.f));
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg", s.op, C));
    gsolve_context_destroy(&s.ctx);
    assert_null(s.ctx);
}

/* --- what a run says -------------------------------------------------------------------------- */

static void explanations(void **state)
{
    system_ s;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    float b[N], x[N] = {0};
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F32);
    for (int i = 0; i < N; i++) b[i] = 1;
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg,maxit=3", s.op, NULL));
    OK(s.ctx,
       gsolve_solver_run(S, block_of(b, N, 1, GSOLVE_F32), block_of(x, N, 1, GSOLVE_F32), &result));
    assert_int_equal(result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_non_null(strstr(gsolve_solver_explain(S), "limit of 3 iterations"));
    assert_non_null(strstr(gsolve_solver_explain(S), "in single precision"));
    gsolve_solver_destroy(&S);
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "cg,rtol=1e-12,stall=50", s.op, NULL));
    OK(s.ctx,
       gsolve_solver_run(S, block_of(b, N, 1, GSOLVE_F32), block_of(x, N, 1, GSOLVE_F32), &result));
    assert_int_equal(result.outcome, GSOLVE_STAGNATED);
    assert_true(result.relative_residual < 1e-4);
    assert_non_null(strstr(gsolve_solver_explain(S), "stagnated"));
    gsolve_solver_destroy(&S);
    close_system(&s);
}

/* --- the pointer of a plug-in ----------------------------------------------------------------- */

typedef struct shop { /* what a plug-in's functions share */
    int built, asked;
} shop;

static gsolve_status build_format(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                  int64_t entries, const void *options, void *user)
{
    gsolve_matrix *A = NULL;
    const gsolve_status status = gsolve_matrix_create(&A, ctx, "csr", csr);

    (void)entries, (void)options;
    if (status != GSOLVE_OK) return status;
    ((shop *)user)->built++;
    *self = A;
    return GSOLVE_OK;
}

static void destroy_format(void *self, gsolve_context *ctx)
{
    gsolve_matrix *A = self;
    (void)ctx;
    gsolve_matrix_destroy(&A);
}

static gsolve_status apply_format(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                  double beta, gsolve_dense y)
{
    (void)ctx;
    return gsolve_matrix_apply(self, alpha, x, beta, y);
}

static size_t memory_of_format(const gsolve_csr *csr, const void *options, void *user)
{
    (void)csr, (void)options;
    ((shop *)user)->asked++;
    return 1000;
}

static void plugins_of_any_size(void **state)
{
    system_ s;
    shop counts = {0};
    struct {
        gsolve_format format;
        void *later; /* a member of a later version */
    } longer = {.format = {.size = sizeof longer,
                           .plugin = {"longer", "", NULL, 0},
                           .user = &counts,
                           .build = build_format,
                           .destroy = destroy_format,
                           .apply = apply_format,
                           .memory = memory_of_format}};
    gsolve_format shorter = longer.format;
    gsolve_matrix *A = NULL;
    size_t bytes;
    (void)state;

    open_system(&s, "gen:poisson2d,n=20", GSOLVE_F64);
    longer.later = &counts;
    refuse(&s, gsolve_register_format(s.ctx, &longer.format), GSOLVE_UNSUPPORTED, "newer");
    longer.later = NULL;
    OK(s.ctx, gsolve_register_format(s.ctx, &longer.format));
    shorter.size = 0;
    refuse(&s, gsolve_register_format(s.ctx, &shorter), GSOLVE_BAD_ARGUMENT, "sizeof");
    shorter.plugin.name = "shorter";
    shorter.size = offsetof(gsolve_format, apply);
    refuse(&s, gsolve_register_format(s.ctx, &shorter), GSOLVE_BAD_ARGUMENT, "apply");
    shorter.size = offsetof(gsolve_format, apply_block);
    OK(s.ctx, gsolve_register_format(s.ctx, &shorter));
    memset(&longer, 0x5a, sizeof longer); /* the context has copies */
    memset(&shorter, 0x5a, sizeof shorter);
    OK(s.ctx, gsolve_matrix_memory(s.ctx, "longer", &s.csr, &bytes));
    assert_int_equal(counts.asked, 1);
    refuse(&s, gsolve_matrix_memory(s.ctx, "shorter", &s.csr, &bytes), GSOLVE_UNSUPPORTED,
           "memory");
    OK(s.ctx, gsolve_matrix_create(&A, s.ctx, "longer", &s.csr));
    gsolve_matrix_destroy(&A);
    OK(s.ctx, gsolve_matrix_create(&A, s.ctx, "shorter", &s.csr));
    gsolve_matrix_destroy(&A);
    assert_int_equal(counts.built, 2);
    close_system(&s);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),
        cmocka_unit_test(flags_of_functions),
        cmocka_unit_test(polynomials),
        cmocka_unit_test(polynomials_refused),
        cmocka_unit_test(functions_that_fail),
        cmocka_unit_test(short_memory),
        cmocka_unit_test(contexts_destroyed_early),
        cmocka_unit_test(explanations),
        cmocka_unit_test(plugins_of_any_size),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
