/* test_block_gmres.c: block GMRES against GMRES column by column, and where its space runs out. The
 * name of a test as an argument runs that alone. */
#include "tests/block_support.h"

static gsolve_result solve(const set_ *s, const char *spec, int32_t columns, gsolve_result *each)
{
    gsolve_solver *S = NULL;
    gsolve_result all = GSOLVE_INIT(gsolve_result);

    memset(s->x, 0, (size_t)s->n * K * 8);
    OK(s->ctx, gsolve_solver_create(&S, s->ctx, spec, s->A, s->M));
    OK(s->ctx, gsolve_solver_run(S, dense(s->b, s->n, columns), dense(s->x, s->n, columns), &all));
    for (int32_t c = 0; c < columns; c++) {
        each[c].size = sizeof *each;
        OK(s->ctx, gsolve_solver_column(S, c, &each[c]));
        if (each[c].outcome == GSOLVE_CONVERGED) { /* is never wrong */
            gsolve_dense b = dense(s->b + (int64_t)c * s->n, s->n, 1), x = b;
            double residual;
            x.value = s->x + (int64_t)c * s->n;
            OK(s->ctx, gsolve_matrix_residual(s->A, b, x, &residual));
            assert_true(fabs(residual - each[c].relative_residual) <= 1e-3 * residual + 1e-14);
        }
    }
    gsolve_solver_destroy(&S);
    return all;
}

static int slowest(const gsolve_result *each, int32_t columns)
{
    int most = 0;

    for (int32_t c = 0; c < columns; c++) {
        assert_int_equal(each[c].outcome, GSOLVE_CONVERGED);
        most = each[c].iterations > most ? each[c].iterations : most;
    }
    return most;
}

/* The system of a set in single precision. */
static void make_single(set_ *s)
{
    gsolve_csr single;

    OK(s->ctx, gsolve_csr_convert(&single, s->ctx, GSOLVE_F32, &s->csr));
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
    OK(s->ctx, gsolve_matrix_create(&s->A, s->ctx, "csr", &single));
    OK(s->ctx, gsolve_precond_create(&s->M, s->ctx, "jacobi", &single));
    gsolve_csr_free(&single, s->ctx);
}

/* Without a restart the space holds that of every column, so that none takes longer. */
static void no_longer(void **state)
{
    static const struct {
        const char *matrix, *precond;
    } of[] = {{"gen:convdiff3d,n=8", "none"},
              {"gen:convdiff3d,n=8", "jacobi"},
              {"gen:convdiff3d,n=9", "ilu"},
              {"gen:circuit,n=300,dense=2", "jacobi"},
              {"gen:poisson2d,n=25", "isai"}};
    gsolve_result one[K], each[K];
    (void)state;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        for (int single = 0; single < 2; single++) {
            set_ s = open_set(of[i].matrix, "csr", of[i].precond);
            if (single) make_single(&s);
            const char *tail = single ? ",restart=300,rtol=1e-4" : ",restart=300,rtol=1e-10";
            char alone[64], block[64];
            snprintf(alone, sizeof alone, "gmres%s", tail);
            snprintf(block, sizeof block, "block_gmres,block=16%s", tail);
            solve(&s, alone, K, one);
            solve(&s, block, K, each);
            const int most = slowest(one, K), now = slowest(each, K);
            if (now > most || (!single && 10 * now > 9 * most)) {
                fail_msg("%s, %s: %d steps of a block, %d alone", of[i].matrix, of[i].precond, now,
                         most);
            }
            close_set(&s);
        }
    }
}

/* After as many steps, of one cycle, no residual is larger than that of the column alone. */
static void smaller(void **state)
{
    gsolve_result one[K], each[K];
    set_ s = open_set("gen:convdiff3d,n=8", "csr", "jacobi");
    (void)state;

    for (int maxit = 1; maxit < 12; maxit += 3) {
        char alone[64], block[64];
        snprintf(alone, sizeof alone, "gmres,maxit=%d", maxit);
        snprintf(block, sizeof block, "block_gmres,block=16,maxit=%d", maxit);
        solve(&s, alone, K, one);
        solve(&s, block, K, each);
        for (int32_t c = 0; c < K; c++) {
            assert_int_equal(each[c].outcome, GSOLVE_ITERATION_LIMIT);
            assert_int_equal(each[c].iterations, maxit);
            assert_true(each[c].relative_residual < one[c].relative_residual * (1 + 1e-12));
        }
    }
    close_set(&s);
}

/* One column is GMRES; so are all, one in each block, and copies of one. */
static void alike(void **state)
{
    static const int restarts[] = {1, 7, 30};
    gsolve_result one[K], each[K];
    (void)state;

    for (size_t i = 0; i < sizeof restarts / sizeof *restarts; i++) {
        set_ s = open_set("gen:convdiff3d,n=7", "csr", "ilu");
        char alone[64], block[64], each_alone[64];
        snprintf(alone, sizeof alone, "gmres,restart=%d", restarts[i]);
        snprintf(block, sizeof block, "block_gmres,restart=%d", restarts[i]);
        snprintf(each_alone, sizeof each_alone, "block_gmres,block=1,restart=%d", restarts[i]);
        solve(&s, alone, K, one);
        solve(&s, block, 1, each);
        assert_true(abs(slowest(each, 1) - one[0].iterations) <= 1);
        solve(&s, each_alone, K, each);
        for (int32_t c = 0; c < K; c++) {
            assert_true(abs(each[c].iterations - one[c].iterations) <= 1);
        }
        for (int32_t c = 1; c < K; c++) memcpy(s.b + c * (int64_t)s.n, s.b, (size_t)s.n * 8);
        memset(s.b + 3 * (int64_t)s.n, 0, (size_t)s.n * 8);
        solve(&s, block, K, each);
        for (int32_t c = 0; c < K; c++) {
            assert_int_equal(each[c].outcome, GSOLVE_CONVERGED);
            if (c == 3) assert_int_equal(each[c].iterations, 0);
            if (c != 3) assert_true(abs(each[c].iterations - one[0].iterations) <= 1);
        }
        close_set(&s);
    }
}

/* More columns than rows, and a space that soon is all there is. */
static void small(void **state)
{
    static const char *const names[] = {"gen:tridiagonal,n=1", "gen:tridiagonal,n=2",
                                        "gen:tridiagonal,n=5,low=-1,diag=3,high=-1.5",
                                        "gen:convdiff3d,n=3"};
    static const char *const specs[] = {"block_gmres", "block_gmres,block=16",
                                        "block_gmres,block=3", "block_gmres,restart=2",
                                        "block_gmres,restart=2,augment=1"};
    gsolve_result each[K];
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
            set_ s = open_set(names[i], "csr", "none");
            solve(&s, specs[m], K, each);
            if (slowest(each, K) > s.n && m < 3) fail_msg("%s: %s", names[i], specs[m]);
            close_set(&s);
        }
    }
}

/* A = several cycles of four rows: A^4 = I, so that the solution is in a space of four steps, where
 * the next block is 0, and in none before for one column. */
static void ends_early(void **state)
{
    enum { N = 24 };
    static const char *const specs[] = {"block_gmres", "block_gmres,block=16",
                                        "block_gmres,block=3", "block_gmres,block=1"};
    int32_t start[N + 1], col[N];
    double value[N];
    gsolve_result each[K];
    (void)state;

    for (int32_t i = 0; i <= N; i++) start[i] = i;
    for (int32_t i = 0; i < N; i++) col[i] = i / 4 * 4 + (i + 1) % 4, value[i] = 1;
    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
        set_ s = open_set("gen:tridiagonal,n=24", "csr", "none");
        const gsolve_csr csr = gsolve_csr_view(N, start, col, value);
        gsolve_matrix_destroy(&s.A);
        OK(s.ctx, gsolve_matrix_create(&s.A, s.ctx, "csr", &csr));
        for (int32_t c = 0; c < K; c += 2) { /* of one cycle */
            memset(s.b + c * N, 0, N * 8);
            s.b[c * N + (c + 3) % N] = 1;
        }
        solve(&s, specs[m], K, each);
        assert_true(slowest(each, K) <= 4);
        solve(&s, "block_gmres,block=1,restart=3,stall=20", 1, each); /* stands still for ever */
        assert_int_equal(each[0].outcome, GSOLVE_STAGNATED);
        close_set(&s);
    }
}

/* A singular: no column that has no solution is said to have one; those that have may be. */
static void no_solution(void **state)
{
    static const char *const specs[] = {"block_gmres,maxit=300,block=16", "block_gmres,maxit=300",
                                        "block_gmres,maxit=300,restart=5",
                                        "block_gmres,maxit=300,restart=5,augment=1"};
    gsolve_result each[K];
    (void)state;

    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
        set_ s = open_set("gen:neumann2d,n=8", "csr", "none");
        for (int32_t c = 1; c < K; c += 2) { /* A y */
            gsolve_dense y = dense(s.b + (int64_t)c * s.n, s.n, 1), b = y;
            b.value = s.other;
            OK(s.ctx, gsolve_matrix_apply(s.A, 1, y, 0, b));
            memcpy(y.value, b.value, (size_t)s.n * 8);
        }
        solve(&s, specs[m], K, each);
        for (int32_t c = 0; c < K; c += 2) assert_int_not_equal(each[c].outcome, GSOLVE_CONVERGED);
        close_set(&s);
    }
}

/* What the last cycle has added is worth more than the step that it takes the place of where cycles
 * are short; in the first cycle nothing differs. */
static void augmented(void **state)
{
    static const char *const preconds[] = {"none", "jacobi", "ilu"};
    gsolve_result plain[K], each[K];
    (void)state;

    for (size_t i = 0; i < sizeof preconds / sizeof *preconds; i++) {
        for (int single = 0; single < 2; single++) {
            set_ s = open_set("gen:poisson2d,n=40", "csr", preconds[i]);
            if (single) make_single(&s);
            const char *tail = single ? "block=16,restart=8,rtol=1e-4" : "restart=8";
            char spec[80];
            snprintf(spec, sizeof spec, "block_gmres,%s", tail);
            solve(&s, spec, K, plain);
            snprintf(spec, sizeof spec, "block_gmres,augment=1,%s", tail);
            solve(&s, spec, K, each);
            const int most = slowest(plain, K), now = slowest(each, K);
            if (now > most || (i < 2 && !single && 4 * now > 3 * most)) {
                fail_msg("%s, %s: %d steps, %d plain", preconds[i], tail, now, most);
            }
            solve(&s, "block_gmres,augment=1,maxit=8,restart=8", K, each);
            solve(&s, "block_gmres,maxit=8,restart=8", K, plain);
            for (int32_t c = 0; c < K; c++)
                assert_true(each[c].relative_residual == plain[c].relative_residual);
            close_set(&s);
        }
    }
}

static bool stop_at_five(int iteration, double residual, void *user)
{
    (void)residual, (void)user;
    return iteration < 5;
}

/* x is brought up to date in a cycle that was broken off. */
static void stopped(void **state)
{
    set_ s = open_set("gen:poisson2d,n=70", "csr", "none");
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double residual[K];
    (void)state;

    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "block_gmres,restart=9", s.A, s.M));
    gsolve_solver_set_monitor(S, stop_at_five, NULL);
    OK(s.ctx, gsolve_solver_run(S, dense(s.b, s.n, K), dense(s.x, s.n, K), &result));
    assert_int_equal(result.outcome, GSOLVE_STOPPED);
    OK(s.ctx, gsolve_matrix_residual(s.A, dense(s.b, s.n, K), dense(s.x, s.n, K), residual));
    for (int32_t c = 0; c < K; c++) assert_true(residual[c] < 0.7);
    gsolve_solver_destroy(&S);
    close_set(&s);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_longer), cmocka_unit_test(smaller),    cmocka_unit_test(alike),
        cmocka_unit_test(small),     cmocka_unit_test(ends_early), cmocka_unit_test(no_solution),
        cmocka_unit_test(augmented), cmocka_unit_test(stopped),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
