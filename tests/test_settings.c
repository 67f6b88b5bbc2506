/* test_settings.c: what a caller sets between runs: tolerances and limits (gsolve_solver_set), and
 * a stopping test of its own, for every method, in both types, with one column and with several. */
#include "tests/settings_support.h"

#include "solver/run/run.h"

/* --- gsolve_solver_set ------------------------------------------------------------------------ */

/* From strict to loose and back. The last one has the values of a spec without options. */
static const char *const settings[] = {"rtol=1e-2",        "maxit=5",   "rtol=1e-5,maxit=3000",
                                       "rtol=0,atol=2e-2", "maxit=0",   "stall=1,maxit=40",
                                       "dtol=1,stall=300", "atol=1e-3", "rtol=1e-3,atol=0"};

/* All options that can be set, with the values of S. */
static void spec_of(const gsolve_solver *S, const char *method, char spec[256])
{
    const gs_run_options *o = gs_run_options_of(S);

    snprintf(spec, 256, "%s,rtol=%.17g,atol=%.17g,dtol=%.17g,maxit=%d,stall=%d", method, o->rtol,
             o->atol, o->dtol, o->maxit, o->stall);
}

static void assert_same_result(const char *what, gsolve_result a, gsolve_result b)
{
    if (a.outcome != b.outcome || a.iterations != b.iterations || a.products != b.products ||
        a.relative_residual != b.relative_residual) {
        fail_msg("%s: %s, %d iterations, %d products, %g instead of %s, %d, %d, %g", what,
                 gsolve_outcome_text(b.outcome), b.iterations, b.products, b.relative_residual,
                 gsolve_outcome_text(a.outcome), a.iterations, a.products, a.relative_residual);
    }
}

/* After each setting, S gives the bits of a new solver with that spec, with the same recorded steps
 * and without an allocation. The second run replays what the first one recorded. */
static void check_method(gsolve_context *ctx, const trial *t, const char *method)
{
    gsolve_solver *S = solver_of(t, method);
    void *x = malloc(t->bytes);

    run_trial(t, S);
    for (size_t i = 0; i < NELEM(settings); i++) {
        const struct gs_graph *graph = S->run->recording.graph;
        const int64_t begin = allocations_of(ctx);
        int64_t middle;
        gsolve_result result, expected;
        gsolve_solver *fresh;
        char spec[256];
        OK(ctx, gsolve_solver_set(S, settings[i]));
        result = run_trial(t, S);
        middle = allocations_of(ctx);
        assert_same_result(settings[i], result, run_trial(t, S));
        /* Else the scaling may be examined, or the first product of fewer columns may allocate. */
        if ((t->columns == 1 || gs_location(ctx) == GSOLVE_HOST) &&
            (result.outcome == GSOLVE_CONVERGED || result.outcome == GSOLVE_ITERATION_LIMIT)) {
            assert_no_allocations(ctx, middle - begin, allocations_of(ctx) - middle);
        }
        if (graph && t->columns == 1) assert_ptr_equal(S->run->recording.graph, graph);
        memcpy(x, t->x, t->bytes);
        spec_of(S, method, spec);
        fresh = solver_of(t, spec);
        expected = run_trial(t, fresh);
        assert_same_result(spec, expected, result);
        assert_memory_equal(x, t->x, t->bytes);
        assert_string_equal(gsolve_solver_explain(S), gsolve_solver_explain(fresh));
        gsolve_solver_destroy(&fresh);
    }
    gsolve_solver_destroy(&S);
    free(x);
}

/* Every method; those that can be resident on a GPU also in their ordinary kernels. */
static void every_method(void **state)
{
    static const int32_t columns[] = {1, 3, 1};
    static const char *const preconds[] = {NULL, "jacobi", "ic"};
    gsolve_context *ctx = open_context(2);
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "");
    (void)state;

    for (int k = 0; k < 3; k++) {
        trial t = open_trial(ctx, "gen:poisson2d,n=14", preconds[k], GSOLVE_F64, columns[k]);
        for (int i = 0; i < count; i++) check_method(ctx, &t, name[i]);
        check_method(ctx, &t, "cg,resident=off");
        check_method(ctx, &t, "bicgstab,resident=off");
        check_method(ctx, &t, "gmres,restart=7");
        close_trial(&t);
    }
    close_context(ctx);
}

static void single_precision(void **state)
{
    gsolve_context *ctx = open_context(2);
    trial t = open_trial(ctx, "gen:convdiff3d,n=5", "ilu", GSOLVE_F32, 2);
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "direct refine");
    (void)state;

    for (int i = 0; i < count; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s,rtol=1e-5,stall=60", name[i]);
        gsolve_solver *S = solver_of(&t, spec);
        void *x = malloc(t.bytes);
        gsolve_result loose, again, strict = run_trial(&t, S);
        memcpy(x, t.x, t.bytes);
        OK(ctx, gsolve_solver_set(S, "rtol=0.1"));
        loose = run_trial(&t, S);
        assert_true(loose.iterations <= strict.iterations);
        OK(ctx, gsolve_solver_set(S, "rtol=1e-5"));
        again = run_trial(&t, S);
        assert_same_result(spec, strict, again);
        assert_memory_equal(x, t.x, t.bytes);
        gsolve_solver_destroy(&S);
        free(x);
    }
    close_trial(&t);
    close_context(ctx);
}

/* "auto" sets the options of the method that it chose. */
static void automatic_method(void **state)
{
    static const char *const matrix[] = {"gen:poisson2d,n=30", "gen:convdiff3d,n=9"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int k = 0; k < 2; k++) {
        trial t = open_trial(ctx, matrix[k], NULL, GSOLVE_F64, 2);
        gsolve_solver *S = solver_of(&t, "auto"), *fresh = solver_of(&t, "auto,rtol=1e-3,maxit=77");
        void *x = malloc(t.bytes);
        run_trial(&t, S);
        OK(ctx, gsolve_solver_set(S, "rtol=1e-3,maxit=77"));
        const gsolve_result result = run_trial(&t, S);
        memcpy(x, t.x, t.bytes);
        assert_same_result(matrix[k], run_trial(&t, fresh), result);
        assert_memory_equal(x, t.x, t.bytes);
        assert_string_equal(gsolve_solver_name(S), gsolve_solver_name(fresh));
        gsolve_solver_destroy(&S);
        gsolve_solver_destroy(&fresh);
        close_trial(&t);
        free(x);
    }
    close_context(ctx);
}

static void assert_refused(gsolve_solver *S, const char *text, const char *says)
{
    const gs_run_options before = *gs_run_options_of(S);

    assert_int_equal(gsolve_solver_set(S, text), GSOLVE_BAD_SPEC);
    if (!strstr(gsolve_error(S->ctx), says)) fail_msg("'%s': %s", text, gsolve_error(S->ctx));
    assert_memory_equal(&before, gs_run_options_of(S), sizeof before);
}

static void refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    trial t = open_trial(ctx, "gen:poisson2d,n=6", NULL, GSOLVE_F64, 1);
    gsolve_solver *S = solver_of(&t, "gmres,maxit=9");
    char text[400] = "rtol=";
    (void)state;

    assert_refused(S, "restart=5", "write rtol, atol, dtol, maxit or stall");
    assert_refused(S, "rtol=1e-3,basis=f32", "'basis' of gmres cannot be set");
    assert_refused(S, "guess=projection", "'guess' of gmres cannot be set");
    assert_refused(S, "gmres,rtol=1e-3", "'gmres' of gmres cannot be set");
    assert_refused(S, "rtoll=1e-3", "'rtoll' of gmres cannot be set");
    assert_refused(S, "=1", "'' of gmres cannot be set");
    assert_refused(S, "rtol=1e-3,", "no option after the last comma");
    assert_refused(S, "rtol=1e-3,,maxit=3", "no option before a comma");
    assert_refused(S, "rtol", "needs a value");
    assert_refused(S, "maxit=3,rtol=2", "rtol=2 is not allowed");
    assert_refused(S, "maxit=-1", "maxit=-1 is not allowed");
    assert_refused(S, "maxit=1.5", "maxit=1.5 is not allowed");
    assert_refused(S, "rtol=nan", "rtol=nan is not allowed");
    memset(text + 5, '1', 300);
    assert_refused(S, text, "too long");
    memset(text, 'a', 300);
    assert_refused(S, text, "'aaa");
    assert_int_equal(gsolve_solver_set(NULL, "rtol=1"), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_solver_set(S, NULL), GSOLVE_BAD_ARGUMENT);
    OK(ctx, gsolve_solver_set(S, ""));
    assert_int_equal(run_trial(&t, S).iterations, 9);
    /* the explanation is that of the last run, not of later settings */
    OK(ctx, gsolve_solver_set(S, "rtol=1e-1,maxit=1234"));
    assert_non_null(strstr(gsolve_solver_explain(S), "limit of 9 iterations"));
    OK(ctx, gsolve_solver_set(S, "rtol=1e-1,rtol=1e-9"));
    assert_true(run_trial(&t, S).relative_residual <= 1e-9);
    gsolve_solver_destroy(&S);
    close_trial(&t);
    close_context(ctx);
}

/* --- inexact Newton --------------------------------------------------------------------------- */

/* F(u) = A u + s (u^3 - 20) and J(u) = A + 3 s diag(u^2), with s = h^2; returns |F|. */
static double evaluate(const gsolve_csr *A, const double *u, gsolve_csr *J, double *F)
{
    const double s = 1 / 1681.0;
    double sum = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        F[i] = s * (u[i] * u[i] * u[i] - 20);
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            const double a = ((const double *)A->value)[e];
            F[i] += a * u[A->col[e]];
            ((double *)J->value)[e] = a + (A->col[e] == i ? 3 * s * u[i] * u[i] : 0);
        }
        sum += F[i] * F[i];
    }
    return sqrt(sum);
}

/* Each step solves J d = F to a tolerance that follows |F| (Eisenstat and Walker 1996, choice 2).
 * From the second step on nothing is allocated, and the early steps need fewer iterations. */
static void inexact_newton(void **state)
{
    gsolve_context *ctx = open_context(2);
    trial t = open_trial(ctx, "gen:poisson2d,n=40", "jacobi", GSOLVE_F64, 1);
    gsolve_csr J = {0};
    gsolve_solver *S = solver_of(&t, "cg");
    double *u = calloc((size_t)t.n, sizeof *u), last = 0, size;
    int64_t begin, before = 0;
    int first = 0, iterations = 0, steps = 0;
    (void)state;

    OK(ctx, gs_csr_copy(&J, ctx, GSOLVE_F64, &t.csr));
    for (size = evaluate(&t.csr, u, &J, t.b); size > 1e-9 && steps < 20; steps++) {
        const double forcing = steps == 0 ? 0.5 : fmin(0.5, 0.9 * (size / last) * (size / last));
        char text[64];
        begin = allocations_of(ctx);
        snprintf(text, sizeof text, "rtol=%.3g", fmax(forcing, 1e-9));
        OK(ctx, gsolve_matrix_update(t.A, &J));
        OK(ctx, gsolve_precond_update(t.M, &J));
        OK(ctx, gsolve_solver_set(S, text));
        const gsolve_result result = run_trial(&t, S);
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_true(result.relative_residual <= fmax(forcing, 1e-9));
        if (steps > 1) assert_no_allocations(ctx, allocations_of(ctx) - begin, before);
        before = allocations_of(ctx) - begin;
        if (steps == 0) first = result.iterations;
        iterations = result.iterations;
        for (int32_t i = 0; i < t.n; i++) u[i] -= ((double *)t.x)[i];
        last = size;
        size = evaluate(&t.csr, u, &J, t.b);
    }
    assert_true(size <= 1e-9);
    assert_true(2 * first < iterations);
    free(u);
    gsolve_csr_free(&J, ctx);
    gsolve_solver_destroy(&S);
    close_trial(&t);
    close_context(ctx);
}

/* --- the caller's stopping test --------------------------------------------------------------- */

typedef struct rule {
    const trial *t;
    double accept; /* |r| <= accept |b| */
    int stop_at;   /* or the run stops at this iteration; -1: never */
    int calls, last,
        at;     /* calls; the last iteration; the largest |r| / |b| of the last iteration */
    bool wrong; /* the arguments are not those of the contract */
} rule;

static gsolve_decision decide(int iteration, int32_t column, double residual, double norm,
                              void *user)
{
    rule *f = user;

    f->calls++;
    f->wrong = f->wrong || iteration < f->last || iteration > f->last + 1 || column < 0 ||
               column >= f->t->columns || !(residual >= 0) ||
               fabs(norm - column_norm(f->t, column, false)) > 1e-6 * norm ||
               (iteration == 0 && fabs(residual - norm) > 1e-6 * norm);
    f->last = iteration;
    if (iteration == f->stop_at) return GSOLVE_STOP;
    return residual <= f->accept * norm ? GSOLVE_ACCEPT : GSOLVE_CONTINUE;
}

static gsolve_result run_with(const trial *t, gsolve_solver *S, rule *f)
{
    gsolve_solver_set_stopping_test(S, decide, f);
    return run_trial(t, S);
}

/* Accepted means accepted, and not converged; x is what the caller accepted, or better. On a GPU
 * the iterate can be a later one. */
static void check_accepted(const trial *t, const char *method)
{
    const bool ahead = gsolve_stream(t->ctx) != NULL;
    gsolve_solver *S = solver_of(t, method);
    rule f = {.t = t, .accept = 0.05, .stop_at = -1};
    gsolve_result result = run_with(t, S, &f), column = GSOLVE_INIT(gsolve_result);

    assert_false(f.wrong);
    assert_true(f.calls >= t->columns);
    if (result.outcome != GSOLVE_ACCEPTED && result.outcome != GSOLVE_CONVERGED) {
        fail_msg("%s: %s at %g", method, gsolve_outcome_text(result.outcome),
                 result.relative_residual);
    }
    for (int32_t c = 0; c < t->columns; c++) {
        const double norm = column_norm(t, c, false), r = column_norm(t, c, true);
        OK(t->ctx, gsolve_solver_column(S, c, &column));
        assert_true(column.outcome == GSOLVE_ACCEPTED ? column.relative_residual > 1e-8
                                                      : column.outcome == GSOLVE_CONVERGED);
        assert_true(fabs(r - column.relative_residual * norm) <= 1e-6 * norm);
        assert_true(r <= (ahead ? norm : 0.06 * norm));
    }
    if (result.outcome == GSOLVE_ACCEPTED) {
        assert_non_null(strstr(gsolve_solver_explain(S), "stopping test accepted x"));
    }
    gsolve_solver_set_stopping_test(S, NULL, NULL);
    f.calls = 0;
    result = run_trial(t, S);
    assert_int_equal(f.calls, 0);
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
}

static void accepted(void **state)
{
    static const int32_t columns[] = {1, 3};
    gsolve_context *ctx = open_context(2);
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "");
    (void)state;

    for (int k = 0; k < 4; k++) {
        trial t = open_trial(ctx, k < 2 ? "gen:poisson2d,n=30" : "gen:poisson2d,n=14",
                             k < 2 ? NULL : "jacobi", GSOLVE_F64, columns[k % 2]);
        for (int i = 0; i < count; i++) check_accepted(&t, name[i]);
        check_accepted(&t, "cg,resident=off");
        check_accepted(&t, "gmres,restart=5");
        close_trial(&t);
    }
    close_context(ctx);
}

/* The test stops a run, and accepting an x that meets the tolerance is convergence. Nothing is
 * accepted while one column is not. */
static void decisions(void **state)
{
    gsolve_context *ctx = open_context(1);
    trial t = open_trial(ctx, "gen:poisson2d,n=30", NULL, GSOLVE_F64, 2);
    gsolve_solver *S = solver_of(&t, "gmres,restart=8");
    rule stop = {.t = &t, .accept = 0, .stop_at = 11},
         late = {.t = &t, .accept = 0.1, .stop_at = -1},
         never = {.t = &t, .accept = 0, .stop_at = -1}, now = {.t = &t, .accept = 2, .stop_at = -1};
    gsolve_result result = run_with(&t, S, &stop);
    (void)state;

    assert_int_equal(result.outcome, GSOLVE_STOPPED);
    assert_int_equal(stop.last, 11);
    assert_true(result.iterations >= 11);
    assert_true(result.relative_residual < 1);
    assert_non_null(strstr(gsolve_solver_explain(S), "stopping test stopped the run"));
    OK(ctx, gsolve_solver_set(S, "rtol=0.5"));
    assert_int_equal(run_with(&t, S, &late).outcome, GSOLVE_CONVERGED);
    OK(ctx, gsolve_solver_set(S, "rtol=1e-6"));
    result = run_with(&t, S, &never);
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_false(never.wrong);
    result = run_with(&t, S, &now); /* at once */
    assert_int_equal(result.outcome, GSOLVE_ACCEPTED);
    assert_int_equal(now.last, 0);
    /* without a tolerance of its own, the run ends by the caller's rule alone */
    OK(ctx, gsolve_solver_set(S, "rtol=0"));
    late.last = 0;
    result = run_with(&t, S, &late);
    assert_int_equal(result.outcome, GSOLVE_ACCEPTED);
    assert_true(result.relative_residual <= 0.1 * 1.01);
    gsolve_solver_destroy(&S);
    close_trial(&t);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),     cmocka_unit_test(single_precision),
        cmocka_unit_test(automatic_method), cmocka_unit_test(refused),
        cmocka_unit_test(inexact_newton),   cmocka_unit_test(accepted),
        cmocka_unit_test(decisions),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
