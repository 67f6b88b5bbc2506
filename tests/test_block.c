/* test_block.c: several right-hand sides: columns that end at different times, and where they lie
 * then. The name of a test as an argument runs that alone. */
#include "tests/block_support.h"

/* Columns that end at different times, in every method: right, and with the same bits again. */
static void ends(void **state)
{
    const gsolve_plugin *method = NULL;
    (void)state;

    for (int m = -1; m < 0 || (method = gsolve_method_at(m)); m++) {
        set_ s = open_set("gen:poisson2d,n=21", "csr", "jacobi");
        double *begin = malloc((size_t)s.n * K * 8), *first = malloc((size_t)s.n * K * 8);
        int iterations[K] = {0}, products = 0;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        char spec[64];
        snprintf(spec, sizeof spec, "%s,rtol=1e-9",
                 m < 0 ? "block_cg,block=16,leave=on" : method->name);
        spread(&s, spec);
        memcpy(begin, s.x, (size_t)s.n * K * 8);
        OK(s.ctx, gsolve_solver_create(&S, s.ctx, spec, s.A, s.M));
        for (int run = 0; run < 3; run++) {
            memcpy(s.x, begin, (size_t)s.n * K * 8);
            OK(s.ctx, gsolve_solver_run(S, dense(s.b, s.n, K), dense(s.x, s.n, K), &result));
            check_columns(&s, S, 1e-9);
            for (int32_t c = 0; c < K; c++) {
                gsolve_result column = GSOLVE_INIT(gsolve_result);
                OK(s.ctx, gsolve_solver_column(S, c, &column));
                if (run == 0) iterations[c] = column.iterations;
                assert_int_equal(column.iterations, iterations[c]);
            }
            if (run == 0) memcpy(first, s.x, (size_t)s.n * K * 8);
            if (run == 0) products = result.products;
            assert_memory_equal(s.x, first, (size_t)s.n * K * 8);
            assert_int_equal(result.products, products);
        }
        assert_int_equal(iterations[4], 0);
        gsolve_solver_destroy(&S);
        free(begin);
        free(first);
        close_set(&s);
    }
}

/* Columns that depend on one another, are equal, or 0, at the start or as soon as one has ended;
 * and more of them than a block takes. */
static void dependent(void **state)
{
    static const char *const specs[] = {"block_cg,rtol=1e-10",
                                        "block_cg,rtol=1e-10,block=16",
                                        "block_cg,rtol=1e-10,block=4",
                                        "block_cg,rtol=1e-10,block=1",
                                        "block_gmres,rtol=1e-10",
                                        "block_gmres,rtol=1e-10,block=16,restart=9",
                                        "block_gmres,rtol=1e-10,restart=5,augment=1",
                                        "block_gmres,rtol=1e-10,block=4",
                                        "block_gmres,rtol=1e-10,block=1"};
    (void)state;

    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
        const bool cg = strncmp(specs[m], "block_cg", 8) == 0;
        set_ s = open_set(cg ? "gen:jump3d,n=7" : "gen:convdiff3d,n=7", "csr", "jacobi");
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        for (int64_t i = 0; i < s.n; i++) {
            double *b = s.b + i;
            b[3 * s.n] = b[0];
            b[5 * s.n] = 2 * b[0] - 3 * b[s.n];
            b[7 * s.n] = 0;
            b[8 * s.n] = 1e-9 * b[2 * s.n];
            b[9 * s.n] = b[s.n] + 1e-8 * b[2 * s.n];
        }
        OK(s.ctx, gsolve_solver_create(&S, s.ctx, specs[m], s.A, s.M));
        OK(s.ctx, gsolve_solver_run(S, dense(s.b, s.n, K), dense(s.x, s.n, K), &result));
        check_columns(&s, S, 1e-10);
        gsolve_solver_destroy(&S);
        close_set(&s);
    }
}

/* Ill-conditioned systems: a block takes a third fewer iterations, at least, than its slowest
 * column alone. */
static void fewer(void **state)
{
    static const char *const names[] = {"gen:jump3d,n=12", "gen:poisson2d,n=40",
                                        "gen:elasticity3d,n=6"};
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        set_ s = open_set(names[m], "auto", "jacobi");
        gsolve_solver *alone = NULL, *block = NULL;
        gsolve_result slowest = GSOLVE_INIT(gsolve_result), all = GSOLVE_INIT(gsolve_result);
        OK(s.ctx, gsolve_solver_create(&alone, s.ctx, "cg", s.A, s.M));
        OK(s.ctx, gsolve_solver_create(&block, s.ctx, "block_cg", s.A, s.M));
        OK(s.ctx, gsolve_solver_run(alone, dense(s.b, s.n, 8), dense(s.x, s.n, 8), &slowest));
        memset(s.x, 0, (size_t)s.n * K * 8);
        OK(s.ctx, gsolve_solver_run(block, dense(s.b, s.n, 8), dense(s.x, s.n, 8), &all));
        assert_int_equal(all.outcome, GSOLVE_CONVERGED);
        if (3 * all.iterations > 2 * slowest.iterations) {
            fail_msg("%s: %d iterations of a block, %d alone", names[m], all.iterations,
                     slowest.iterations);
        }
        gsolve_solver_destroy(&alone);
        gsolve_solver_destroy(&block);
        close_set(&s);
    }
}

/* A or M that are not positive definite are told of. */
static void not_definite(void **state)
{
    set_ s = open_set("gen:convdiff3d,n=6", "csr", "none");
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double *value = (double *)(uintptr_t)s.csr.value;
    (void)state;

    for (int64_t e = 0; e < gsolve_csr_entries(&s.csr); e++) value[e] = -value[e];
    OK(s.ctx, gsolve_matrix_update(s.A, &s.csr));
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "block_cg", s.A, NULL));
    OK(s.ctx, gsolve_solver_run(S, dense(s.b, s.n, K), dense(s.x, s.n, K), &result));
    assert_int_equal(result.outcome, GSOLVE_INDEFINITE);
    gsolve_solver_destroy(&S);
    close_set(&s);
}

/* Right-hand sides one after another that lie near the span of those before: each begins lower than
 * from 0, and with little left to do. New values of A begin anew. */
static void sequence(void **state)
{
    static const char *const specs[] = {
        "cg,guess=projection,keep=4", "block_cg,guess=projection,keep=4,rtol=1e-7",
        "bicgstab,guess=projection,keep=4", "gmres,guess=projection,keep=4",
        "block_gmres,guess=projection,keep=4"};
    (void)state;

    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
        set_ s = open_set("gen:poisson2d,n=30", "csr", "jacobi");
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        int first = 0;
        OK(s.ctx, gsolve_solver_create(&S, s.ctx, specs[m], s.A, s.M));
        for (int run = 0; run < 8; run++) {
            double *b = s.b + 5 * s.n;
            for (int64_t i = 0; i < s.n; i++) { /* of a span of three, and something new */
                b[i] = cos(run) * s.b[i] + sin(2 * run) * s.b[s.n + i] + run * s.b[2 * s.n + i] +
                       (run < 6 ? 1e-6 * s.b[3 * s.n + i] : 0);
            }
            memset(s.x, 0, (size_t)s.n * 8);
            OK(s.ctx,
               gsolve_solver_run(S, gsolve_vector(b, s.n), gsolve_vector(s.x, s.n), &result));
            assert_int_equal(result.outcome, GSOLVE_CONVERGED);
            if (run == 0) first = result.iterations;
            if (run >= 4) assert_true(4 * result.iterations < 3 * first);
        }
        memset(s.x, 0, (size_t)s.n * 8);
        OK(s.ctx, gsolve_solver_run(S, gsolve_vector(s.b + 5 * s.n, s.n), gsolve_vector(s.x, s.n),
                                    &result));
        assert_true(4 * result.iterations < 3 * first);
        OK(s.ctx, gsolve_matrix_update(s.A, &s.csr));
        memset(s.x, 0, (size_t)s.n * 8);
        OK(s.ctx, gsolve_solver_run(S, gsolve_vector(s.b + 5 * s.n, s.n), gsolve_vector(s.x, s.n),
                                    &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_true(2 * result.iterations > first);
        memset(s.x, 0, (size_t)s.n * K * 8); /* several columns, more than are kept */
        for (int run = 0; run < 2; run++) {
            OK(s.ctx, gsolve_solver_run(S, dense(s.b, s.n, K), dense(s.x, s.n, K), &result));
            check_columns(&s, S, 1e-7);
        }
        gsolve_solver_destroy(&S);
        close_set(&s);
    }
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),         cmocka_unit_test(dependent), cmocka_unit_test(fewer),
        cmocka_unit_test(not_definite), cmocka_unit_test(sequence),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
