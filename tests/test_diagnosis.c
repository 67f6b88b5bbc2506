/* test_diagnosis.c: gsolve_solver_diagnose, gsolve_auto_diagnose and gsolve_auto_check: the cause,
 * and a remedy that has not been tried and works. tests/cli/hard_systems.c tests many more causes
 * by the command. */
#include <math.h>

#include "tests/common.h"

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    double *b, *x;
} problem;

static problem open_problem(const char *name)
{
    problem p = {.ctx = open_context(1)};

    p.csr = read_matrix(p.ctx, name);
    OK(p.ctx, gsolve_matrix_create(&p.A, p.ctx, "csr", &p.csr));
    p.b = calloc((size_t)p.csr.nrows, sizeof *p.b);
    p.x = calloc((size_t)p.csr.ncols, sizeof *p.x);
    for (int32_t i = 0; i < p.csr.nrows; i++) p.b[i] = 1;
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

static gsolve_dense b_of(const problem *p)
{
    return gsolve_vector(p->b, p->csr.nrows);
}

static gsolve_dense x_of(problem *p)
{
    memset(p->x, 0, (size_t)p->csr.ncols * sizeof *p->x);
    return gsolve_vector(p->x, p->csr.ncols);
}

/* Solves by what the diagnosis proposes, and returns the outcome. */
static gsolve_outcome follow(problem *p, const gsolve_diagnosis *d)
{
    const char *const methods[] = {d->method}, *const preconds[] = {d->precond};
    const gsolve_null_space constants = {.constants = true};
    const bool nulls = strstr(d->options, "null_space=constants");
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_auto *S = NULL;

    if (nulls) OK(p->ctx, gsolve_matrix_set_null_space(p->A, &constants, NULL));
    OK(p->ctx, gsolve_auto_create_from(&S, p->ctx, "", p->A));
    if (strcmp(d->method, "auto") != 0) {
        OK(p->ctx, gsolve_auto_set_choices(S, 1, methods, preconds));
    }
    OK(p->ctx, gsolve_auto_run(S, b_of(p), x_of(p), &result));
    gsolve_auto_destroy(&S);
    if (nulls) OK(p->ctx, gsolve_matrix_set_null_space(p->A, NULL, NULL));
    return result.outcome;
}

/* Cause, proposed method, and the outcome of a run with it. */
static void causes(void **state)
{
    /* clang-format off */
    static const struct {
        const char *matrix, *method, *name, *words, *proposed;
        gsolve_outcome outcome;
    } cases[] = {
        {"gen:convdiff3d,n=8", "cg,stall=50", "not symmetric", "|A - A^T| / |A| = ", "auto", GSOLVE_CONVERGED},
        {"gen:convdiff3d,n=8", "gmres,restart=2,maxit=20", "restart", "every 2 iterations", "auto", GSOLVE_CONVERGED},
        {"gen:poisson2d,n=30", "cg,maxit=3", "iteration limit", "limit of 3", "auto", GSOLVE_CONVERGED},
        {"gen:neumann2d,n=9", "cg", "null space", "sums to 0", "auto", GSOLVE_LEAST_SQUARES},
        {"gen:emptyrows,n=60", "gmres,stall=60", "empty row", "(counted from 1) is empty", "lsmr", GSOLVE_LEAST_SQUARES},
        {"gen:random,n=60,cols=20", "lsqr,maxit=2", "least squares not reached", "limit of 2", "direct,factor=qr", GSOLVE_LEAST_SQUARES},
    };
    /* clang-format on */
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        problem p = open_problem(cases[k].matrix);
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
        OK(p.ctx, gsolve_solver_create(&S, p.ctx, cases[k].method, p.A, NULL));
        OK(p.ctx, gsolve_solver_diagnose(S, &d));
        assert_string_equal(d.name, ""); /* no run */
        OK(p.ctx, gsolve_solver_run(S, b_of(&p), x_of(&p), &result));
        assert_false(gsolve_outcome_is_success(result.outcome));
        OK(p.ctx, gsolve_solver_diagnose(S, &d));
        assert_string_equal(d.name, cases[k].name);
        if (!strstr(d.cause, cases[k].words)) fail_msg("%s: %s", cases[k].method, d.cause);
        assert_string_equal(d.method, cases[k].proposed);
        assert_true(d.remedy[0] && d.remedy[strlen(d.remedy) - 1] == '.');
        assert_non_null(strstr(gsolve_solver_explain(S), d.cause));
        assert_non_null(strstr(gsolve_solver_explain(S), d.remedy));
        gsolve_solver_destroy(&S);
        assert_int_equal(follow(&p, &d), cases[k].outcome);
        close_problem(&p);
    }
}

/* Nothing that has failed in this run is proposed, and a set-up that fails is diagnosed. */
static void tried(void **state)
{
    static const char *const methods[] = {"cg,stall=30", "bicgstab,maxit=1", "minres,stall=30"};
    static const char *const preconds[] = {"jacobi", "ilu", "none"};
    static const char *const one_method[] = {"direct"}, *const none[] = {"none"};
    problem p = open_problem("gen:convdiff3d,n=6");
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gsolve_auto *S = NULL;
    (void)state;

    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", p.A));
    OK(p.ctx, gsolve_auto_diagnose(S, &d));
    assert_string_equal(d.name, "");
    OK(p.ctx, gsolve_auto_set_choices(S, 3, methods, preconds));
    OK(p.ctx, gsolve_auto_run(S, b_of(&p), x_of(&p), &result));
    assert_false(gsolve_outcome_is_success(result.outcome));
    OK(p.ctx, gsolve_auto_set_choices(S, 1, &methods[0], &preconds[0]));
    OK(p.ctx, gsolve_auto_run(S, b_of(&p), x_of(&p), &result));
    OK(p.ctx, gsolve_auto_diagnose(S, &d));
    assert_string_equal(d.name, "not symmetric");
    assert_non_null(strstr(gsolve_auto_explain(S), d.remedy));
    assert_int_equal(follow(&p, &d), GSOLVE_CONVERGED);
    OK(p.ctx, gsolve_auto_set_choices(S, 1, one_method, none));
    OK(p.ctx, gsolve_auto_run(S, b_of(&p), x_of(&p), &result));
    OK(p.ctx, gsolve_auto_diagnose(S, &d));
    assert_string_equal(d.name, ""); /* solved */
    gsolve_auto_destroy(&S);
    close_problem(&p);

    p = open_problem("gen:emptyrows,n=60"); /* LU finds a zero pivot */
    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", p.A));
    OK(p.ctx, gsolve_auto_set_choices(S, 1, one_method, none));
    assert_int_equal(gsolve_auto_run(S, b_of(&p), x_of(&p), &result), GSOLVE_ZERO_PIVOT);
    OK(p.ctx, gsolve_auto_diagnose(S, &d));
    assert_string_equal(d.name, "empty row");
    assert_string_equal(d.method, "lsmr");
    assert_non_null(strstr(gsolve_auto_explain(S), d.cause));
    assert_int_equal(follow(&p, &d), GSOLVE_LEAST_SQUARES);
    gsolve_auto_destroy(&S);
    close_problem(&p);
}

/* What is known before a run, and arguments that are refused. */
static void before_a_run(void **state)
{
    static const char *const methods[] = {"cg", "pipecg", "block_cg", "minres", "refine,inner=cg"};
    problem p = open_problem("gen:convdiff3d,n=4");
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis), small = {.size = 8};
    gsolve_auto *S = NULL;
    (void)state;

    for (int k = 0; k < 5; k++) {
        OK(p.ctx, gsolve_auto_check(p.ctx, p.A, methods[k], "none", &d));
        assert_string_equal(d.name, "not symmetric");
    }
    OK(p.ctx, gsolve_auto_check(p.ctx, p.A, "bicgstab", "ilu", &d));
    assert_true(!d.name[0] && !d.cause[0] && !d.method[0] && !d.remedy[0]);
    assert_int_equal(gsolve_auto_check(p.ctx, NULL, "cg", "none", &d), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_check(p.ctx, p.A, NULL, "none", &d), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_check(p.ctx, p.A, "cg", NULL, &d), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_check(p.ctx, p.A, "cg", "none", NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_check(p.ctx, p.A, "cg", "none", &small), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_check(NULL, p.A, "cg", "none", &d), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_solver_diagnose(NULL, &d), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_auto_diagnose(NULL, &d), GSOLVE_BAD_ARGUMENT);
    OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", p.A));
    assert_int_equal(gsolve_auto_diagnose(S, NULL), GSOLVE_BAD_ARGUMENT);
    gsolve_auto_destroy(&S);
    close_problem(&p);
    p = open_problem("gen:tridiagonal,n=9,low=1,diag=-3,high=1");
    OK(p.ctx, gsolve_auto_check(p.ctx, p.A, "cg", "none", &d));
    assert_string_equal(d.name, "negative diagonal");
    OK(p.ctx, gsolve_auto_check(p.ctx, p.A, "minres", "none", &d));
    assert_string_equal(d.name, "");
    close_problem(&p);
}

/* Without memory a diagnosis says less; it neither fails to return nor leaks. */
static void out_of_memory(void **state)
{
    static const char *const matrices[] = {"gen:convdiff3d,n=5", "gen:neumann2d,n=9",
                                           "gen:emptyrows,n=60", "gen:random,n=50"};
    (void)state;

    for (int m = 0; m < 4; m++) {
        problem p = open_problem(matrices[m]);
        for (int allowed = 0; allowed < 12; allowed++) {
            gsolve_result result = GSOLVE_INIT(gsolve_result);
            gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
            gsolve_solver *S = NULL;
            OK(p.ctx, gsolve_solver_create(&S, p.ctx, "bicg,maxit=1,stall=1", p.A, NULL));
            OK(p.ctx, gsolve_solver_run(S, b_of(&p), x_of(&p), &result));
            gsolve_context_limit_allocations(p.ctx, allowed);
            OK(p.ctx, gsolve_solver_diagnose(S, &d));
            assert_true(strlen(gsolve_solver_explain(S)) > 20);
            gsolve_context_limit_allocations(p.ctx, -1);
            assert_true(d.name[0] && d.cause[0]);
            gsolve_solver_destroy(&S);
        }
        close_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(causes), cmocka_unit_test(tried),
                                       cmocka_unit_test(before_a_run),
                                       cmocka_unit_test(out_of_memory)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
