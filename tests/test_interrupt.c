/* test_interrupt.c: a caller stops calls, by a request, a test of its own, or a time limit. */
#include "tests/common.h"

#include <math.h>
#include <unistd.h>

#define NELEM(array) (sizeof(array) / sizeof *(array))

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    double *b, *x;
    int64_t blocks; /* without preconditioners and solvers */
} problem;

static problem open_problem(const char *name, int threads)
{
    problem p = {.ctx = open_context(threads)};

    p.csr = read_matrix(p.ctx, name);
    OK(p.ctx, gsolve_matrix_create(&p.A, p.ctx, "csr", &p.csr));
    p.b = random_vector(p.csr.nrows, 1);
    p.x = calloc((size_t)p.csr.nrows + 1, sizeof *p.x);
    p.blocks = blocks_of(p.ctx);
    return p;
}

static void close_problem(problem *p)
{
    free(p->b);
    free(p->x);
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, p->ctx);
    close_context(p->ctx);
}

static gsolve_result run(problem *p, gsolve_solver *S)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(p->x, 0, (size_t)p->csr.nrows * sizeof *p->x);
    OK(p->ctx, gsolve_solver_run(S, gsolve_vector(p->b, p->csr.nrows),
                                 gsolve_vector(p->x, p->csr.nrows), &result));
    return result;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* A gsolve_monitor that asks for a stop in iteration 7, as a signal handler would. */
static bool ask(int iteration, double residual, void *ctx)
{
    (void)residual;
    if (iteration == 7) gsolve_context_interrupt(ctx, true);
    return true;
}

static void assert_true_residual(problem *p, gsolve_result result)
{
    gsolve_dense b = gsolve_vector(p->b, p->csr.nrows), r = b;
    double square = 0, norm = 0;

    r.value = malloc((size_t)p->csr.nrows * sizeof *p->b);
    memcpy(r.value, p->b, (size_t)p->csr.nrows * sizeof *p->b);
    OK(p->ctx, gsolve_matrix_apply(p->A, -1, gsolve_vector(p->x, p->csr.nrows), 1, r));
    for (int32_t i = 0; i < p->csr.nrows; i++) {
        square += ((double *)r.value)[i] * ((double *)r.value)[i];
        norm += p->b[i] * p->b[i];
    }
    assert_true(fabs(result.relative_residual - sqrt(square / norm)) <= 1e-10);
    free(r.value);
}

/* Every method ends soon after the request, with its best x, and runs again once that is taken
 * back. */
static void test_runs(void **state)
{
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "auto direct");
    problem p = open_problem("gen:poisson2d,n=40", 2);

    (void)state;
    for (int k = 0; k < count; k++) {
        gsolve_solver *S = NULL;
        gsolve_result result;
        OK(p.ctx, gsolve_solver_create(&S, p.ctx, name[k], p.A, NULL));
        gsolve_solver_set_monitor(S, ask, p.ctx);
        result = run(&p, S);
        if (result.iterations > 7) {
            if (result.outcome != GSOLVE_STOPPED || result.iterations > 7 + 2 * 64) {
                fail_msg("%s: %s after %d iterations", name[k], gsolve_outcome_text(result.outcome),
                         result.iterations);
            }
            assert_non_null(strstr(gsolve_solver_explain(S), "stopped the run"));
        }
        assert_true_residual(&p, result);
        gsolve_context_interrupt(p.ctx, true);
        result = run(&p, S);
        if (result.outcome != GSOLVE_STOPPED)
            fail_msg("%s ran on: %s", name[k], gsolve_outcome_text(result.outcome));
        gsolve_solver_set_monitor(S, NULL, NULL);
        gsolve_context_interrupt(p.ctx, false);
        assert_int_not_equal(run(&p, S).outcome, GSOLVE_STOPPED);
        gsolve_solver_destroy(&S);
    }
    close_problem(&p);
}

static bool count_down(void *user)
{
    int *left = user;
    return --*left < 0;
}

/* The caller's test, and the time limit, end a run that would never end. */
static void test_tests(void **state)
{
    static const char endless[] = "gmres,restart=2,stall=0,rtol=1e-14,maxit=2000000000";
    problem p = open_problem("gen:poisson2d,n=100", 1);
    gsolve_solver *S = NULL;
    int left = 3;

    (void)state;
    OK(p.ctx, gsolve_solver_create(&S, p.ctx, endless, p.A, NULL));
    gsolve_context_set_interrupt_test(p.ctx, count_down, &left);
    assert_int_equal(run(&p, S).outcome, GSOLVE_STOPPED);
    assert_true(left < 0);
    gsolve_context_set_interrupt_test(p.ctx, NULL, NULL);
    gsolve_context_interrupt(p.ctx, false);
    OK(p.ctx, gsolve_context_set_time_limit(p.ctx, 0.1));
    const gsolve_result result = run(&p, S);
    assert_int_equal(result.outcome, GSOLVE_TIME_LIMIT);
    assert_true(result.iterations > 0 && result.relative_residual < 1);
    assert_true_residual(&p, result);
    assert_non_null(strstr(gsolve_solver_explain(S), "The time limit was reached"));
    gsolve_solver_destroy(&S);
    OK(p.ctx, gsolve_context_set_time_limit(p.ctx, INFINITY));
    OK(p.ctx, gsolve_solver_create(&S, p.ctx, "cg", p.A, NULL));
    assert_int_equal(run(&p, S).outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    close_problem(&p);
}

/* --- set-ups ---------------------------------------------------------------------------------- */

typedef struct walk { /* asks for a stop when stage number `at` begins */
    gsolve_context *ctx;
    int at, begun, depth;
    bool unnamed; /* a stage that is empty, or deeper than it can be */
} walk;

static void follow(const char *stage, int level, void *user)
{
    walk *w = user;

    w->depth += stage ? 1 : -1;
    w->unnamed |= w->depth < 0 || level < -1 || (stage && !*stage);
    if (stage && w->begun++ == w->at) gsolve_context_interrupt(w->ctx, true);
}

/* Creates a preconditioner, or the method direct, and asks for a stop when a stage begins. Returns
 * whether there was such a stage. Whatever happens, nothing leaks. */
static bool interrupt_at(problem *p, const char *spec, int at)
{
    walk w = {.ctx = p->ctx, .at = at};
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;

    gsolve_context_set_stage_monitor(p->ctx, follow, &w);
    status = strncmp(spec, "direct", 6) == 0 ? gsolve_solver_create(&S, p->ctx, spec, p->A, NULL)
                                             : gsolve_precond_create(&M, p->ctx, spec, &p->csr);
    gsolve_context_set_stage_monitor(p->ctx, NULL, NULL);
    gsolve_context_interrupt(p->ctx, false);
    assert_false(w.unnamed);
    assert_int_equal(w.depth, 0);
    if (status != GSOLVE_OK) {
        assert_int_equal(status, GSOLVE_INTERRUPTED);
        assert_string_equal(gsolve_error(p->ctx), "interrupted by the caller");
        assert_null(M);
        assert_null(S);
    }
    if (at == 0 && status == GSOLVE_OK) fail_msg("%s was not interrupted", spec);
    gsolve_precond_destroy(&M);
    gsolve_solver_destroy(&S);
    assert_int_equal(blocks_of(p->ctx), p->blocks);
    return w.begun > at;
}

/* At each stage of each set-up. */
static void test_set_ups(void **state)
{
    static const char *const specs[] = {
        "amg",    "amg,coarsening=classical", "amg,smoother=ilu", "ilu",   "ic", "isai,power=2",
        "jacobi", "block_jacobi,size=4",      "chebyshev",        "direct"};
    problem p = open_problem("gen:poisson3d,n=16", 2);

    (void)state;
    for (size_t k = 0; k < NELEM(specs); k++) {
        int at = 0;
        while (interrupt_at(&p, specs[k], at)) at++;
        assert_true(at > 0);
    }
    close_problem(&p);
}

/* Rows of ilu and of isai ask the caller's test, so that a long factorisation ends within it. */
static void test_rows(void **state)
{
    static const char *const specs[] = {"ilu", "ic", "isai,power=3"};
    problem p = open_problem("gen:poisson3d,n=30", 2);

    (void)state;
    for (size_t k = 0; k < NELEM(specs); k++) {
        gsolve_precond *M = NULL;
        int left = 1; /* the second call stops */
        gsolve_context_set_interrupt_test(p.ctx, count_down, &left);
        while (gsolve_precond_create(&M, p.ctx, specs[k], &p.csr) == GSOLVE_OK) {
            gsolve_precond_destroy(&M); /* it took less time than lies between two calls */
        }
        assert_true(left < 0);
        assert_string_equal(gsolve_error(p.ctx), "interrupted by the caller");
        gsolve_context_set_interrupt_test(p.ctx, NULL, NULL);
        gsolve_context_interrupt(p.ctx, false);
        assert_int_equal(blocks_of(p.ctx), p.blocks);
    }
    close_problem(&p);
}

/* --- the automatic solver --------------------------------------------------------------------- */

/* Asks for a stop before the set-up of the second choice. */
static bool ask_at_second(const gsolve_attempt *a, void *ctx)
{
    if (a->stage == GSOLVE_ATTEMPT_BEGINS && a->choice == 1) gsolve_context_interrupt(ctx, true);
    return true;
}

static void test_auto(void **state)
{
    const char *const methods[] = {"cg,maxit=3", "cg", "cg"}, *const preconds[] = {"none", "amg",
                                                                                   "ic"};
    problem p = open_problem("gen:poisson2d,n=60", 2);
    const gsolve_dense b = gsolve_vector(p.b, p.csr.nrows), x = gsolve_vector(p.x, p.csr.nrows);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    gsolve_auto *S = NULL;

    (void)state;
    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", p.A));
    OK(p.ctx, gsolve_auto_set_choices(S, 3, methods, preconds));
    gsolve_auto_set_attempt_monitor(S, ask_at_second, p.ctx);
    OK(p.ctx, gsolve_auto_run(S, b, x, &result));
    gsolve_auto_describe(S, &info);
    assert_int_equal(result.outcome, GSOLVE_STOPPED);
    assert_int_equal(result.iterations, 3);
    assert_int_equal(info.attempts, 2);
    assert_true_residual(&p, result);
    assert_int_equal(gsolve_auto_run(S, b, x, &result), GSOLVE_INTERRUPTED);
    gsolve_context_interrupt(p.ctx, false);
    gsolve_auto_set_attempt_monitor(S, NULL, NULL);
    OK(p.ctx, gsolve_context_set_time_limit(p.ctx, 0));
    assert_int_equal(gsolve_auto_run(S, b, x, &result), GSOLVE_INTERRUPTED);
    assert_string_equal(gsolve_error(p.ctx), "interrupted by the time limit of 0 s");
    OK(p.ctx, gsolve_context_set_time_limit(p.ctx, INFINITY));
    OK(p.ctx, gsolve_auto_run(S, b, x, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void ask_in_file(int64_t done, int64_t total, void *ctx)
{
    (void)done, (void)total;
    gsolve_context_interrupt(ctx, true);
}

static void test_reading(void **state)
{
    static const char *const files[] = {"interrupt.mtx", "interrupt.mtx.gz"};
    gsolve_context *ctx = open_context(2);
    const gsolve_read_options options = {.progress = ask_in_file, .user = ctx};
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=50"), read = {0};
    int64_t blocks;

    (void)state;
    for (size_t k = 0; k < NELEM(files); k++) {
        OK(ctx, gsolve_write_matrix(ctx, files[k], &csr, GSOLVE_GENERAL, NULL));
        blocks = blocks_of(ctx);
        assert_int_equal(gsolve_read_matrix(&read, ctx, files[k], &options, NULL),
                         GSOLVE_INTERRUPTED);
        assert_null(read.start);
        assert_int_equal(blocks_of(ctx), blocks);
        gsolve_context_interrupt(ctx, false);
        OK(ctx, gsolve_read_matrix(&read, ctx, files[k], NULL, NULL));
        gsolve_csr_free(&read, ctx);
        unlink(files[k]);
    }
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- arguments -------------------------------------------------------------------------------- */

static void test_arguments(void **state)
{
    gsolve_context *ctx = open_context(1);

    (void)state;
    assert_int_equal(gsolve_context_set_time_limit(NULL, 1), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_context_set_time_limit(ctx, -1), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_context_set_time_limit(ctx, NAN), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "must be at least 0"));
    OK(ctx, gsolve_context_set_time_limit(ctx, INFINITY));
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),      cmocka_unit_test(test_tests),
        cmocka_unit_test(test_set_ups),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_auto),      cmocka_unit_test(test_reading),
        cmocka_unit_test(test_arguments),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
