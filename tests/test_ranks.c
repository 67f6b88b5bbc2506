/* test_ranks.c: solvers over several ranks, which are threads here, see thread_ranks.h. */
#include "common.h"

#include <math.h>

#include "dist/comm.h"
#include "spmv/handle.h"
#include "thread_ranks.h"

static const int counts[] = {1, 2, 3, 5, 7};

/* --- the communicator ------------------------------------------------------------------------- */

static int sum_in_rank_order(gsolve_context *ctx, int rank, int ranks, void *user)
{
    enum { MANY = 1300 }; /* more than one message holds */
    gs_comm *comm = ctx->comm;
    double few[3] = {0.1 * (rank + 1), 1e16 * (rank == 0), -1e16 * (rank == 1)};
    double many[MANY], most[2] = {rank, -rank}, expected = 0;
    int64_t first, total;
    int failures = 0;

    (void)user;
    for (int i = 0; i < MANY; i++) many[i] = sin(i + 1.0 + rank);
    EXPECT_OK(ctx, gs_comm_sum(comm, (gs_numbers[]){{few, 1}, {few + 1, 2}}, 2));
    EXPECT_OK(ctx, gs_comm_sum_of(comm, many, MANY));
    EXPECT_OK(ctx, gs_comm_largest(comm, most, 2));
    EXPECT_OK(ctx, gs_comm_place(comm, rank + 5, &first, &total));
    for (int k = 0; k < comm->ranks; k++) expected += 0.1 * (k + 1);
    EXPECT(few[0] == expected, "%s", gsolve_error(ctx));
    for (int i = 0; i < MANY; i++) {
        expected = sin(i + 1.0);
        for (int k = 1; k < comm->ranks; k++) expected += sin(i + 1.0 + k);
        EXPECT(many[i] == expected, "%s", gsolve_error(ctx));
    }
    EXPECT(most[0] == comm->ranks - 1 && most[1] == 0, "%s", gsolve_error(ctx));
    EXPECT(first == rank * 5 + rank * (rank - 1) / 2, "%s", gsolve_error(ctx));
    EXPECT(total == comm->ranks * 5 + comm->ranks * (comm->ranks - 1) / 2, "%s", gsolve_error(ctx));
    return failures;
}

static void test_sums(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run_delayed_ranks(counts[i], 0, sum_in_rank_order, NULL), 0);
        assert_int_equal(run_delayed_ranks(counts[i], 11, sum_in_rank_order, NULL), 0);
    }
}

static int agree_on_errors(gsolve_context *ctx, int rank, int ranks, void *user)
{
    gs_comm *comm = ctx->comm;
    gsolve_status status = GSOLVE_OK;
    double number = 1;
    int failures = 0;

    (void)user;
    if (rank >= 1) status = gsolve_fail(ctx, GSOLVE_NO_MEMORY, "no memory for row %d", rank);
    EXPECT(gs_comm_check(comm, status) == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx));
    EXPECT(strcmp(gsolve_error(ctx), "rank 1: no memory for row 1") == 0, "%s", gsolve_error(ctx));
    EXPECT(gs_comm_check(comm, GSOLVE_NO_MEMORY) == GSOLVE_NO_MEMORY, "%s",
           gsolve_error(ctx)); /* known: no message */

    status = gsolve_fail(ctx, GSOLVE_BAD_SPEC, "the same sentence");
    EXPECT(gs_comm_check(comm, status) == GSOLVE_BAD_SPEC, "%s", gsolve_error(ctx));
    EXPECT(strcmp(gsolve_error(ctx), "the same sentence") == 0, "%s", gsolve_error(ctx));

    status = rank == 2 ? gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "row 7") : GSOLVE_OK;
    EXPECT(gs_comm_defer(comm, status) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gs_comm_sum_of(comm, &number, 1) == GSOLVE_ZERO_PIVOT, "%s", gsolve_error(ctx));
    EXPECT(strcmp(gsolve_error(ctx), "rank 2: row 7") == 0, "%s", gsolve_error(ctx));
    EXPECT_OK(ctx, gs_comm_sum_of(comm, &number, 1)); /* the failure is over */
    EXPECT(gs_comm_same(comm, (uint64_t)(rank == 1), "the rows") == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "rank 1: the rows are not those of rank 0"), "%s",
           gsolve_error(ctx));
    return failures;
}

static void test_errors(void **state)
{
    (void)state;
    assert_int_equal(run_delayed_ranks(3, 5, agree_on_errors, NULL), 0);
}

/* --- solves ------------------------------------------------------------------------------------
 * The matrix has BLOCKS blocks of SIZE rows on its diagonal, and nothing else. Each rank has whole
 * blocks, so that no rank needs elements of another one. */

enum { BLOCKS = 42, SIZE = 12, ROWS = BLOCKS * SIZE, MOST_COLUMNS = 5 };

typedef struct blocks {
    int32_t first, count; /* rows of this rank */
    int64_t start[ROWS + 1];
    int32_t col[3 * ROWS];
    double value[3 * ROWS];
} blocks;

/* Row i of a block couples to i - 1 by `left` and to i + 1 by `right`. The diagonal grows with the
 * row of the whole matrix. */
static gsolve_csr make_blocks(blocks *m, int rank, int ranks, double left, double right)
{
    const int32_t begin = BLOCKS * rank / ranks * SIZE, end = BLOCKS * (rank + 1) / ranks * SIZE;
    int64_t at = 0;

    m->first = begin;
    m->count = end - begin;
    for (int32_t i = begin; i < end; i++) {
        m->start[i - begin] = at;
        for (int32_t j = i - 1; j <= i + 1; j++) {
            if (j < 0 || j / SIZE != i / SIZE || j >= ROWS) continue;
            m->col[at] = j - begin;
            m->value[at++] = j < i ? left : j > i ? right : 2.1 + 3.0 * i / ROWS;
        }
    }
    m->start[end - begin] = at;
    return (gsolve_csr){.nrows = m->count,
                        .ncols = m->count,
                        .start = m->start,
                        .col = m->col,
                        .value = m->value,
                        .offset = GSOLVE_O64,
                        .type = GSOLVE_F64,
                        .location = GSOLVE_HOST};
}

typedef struct solve {
    const char *method, *precond; /* precond NULL: none */
    bool symmetric;
    int columns, runs;
    /* results of all ranks */
    int iterations;
    gsolve_outcome outcome;
    double x[ROWS * MOST_COLUMNS];
} solve;

static double rhs(int64_t row, int column, int run)
{
    return sin(0.7 * (double)row + column) + 0.01 * run * cos((double)row);
}

static int solve_on_rank(gsolve_context *ctx, int rank, int ranks, void *user)
{
    solve *s = user;
    blocks *m = malloc(sizeof *m);
    const gsolve_csr csr = make_blocks(m, rank, ranks, s->symmetric ? -1 : -1.3, -1);
    const size_t n = (size_t)m->count;
    double *b = malloc(n * MOST_COLUMNS * sizeof *b), *x = calloc(n * MOST_COLUMNS, sizeof *x);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    A->comm = ctx->comm;
    if (s->precond) EXPECT_OK(ctx, gsolve_precond_create(&M, ctx, s->precond, &csr));
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, s->method, A, M));
    for (int run = 0; run < s->runs; run++) {
        const gsolve_dense B = {m->count,   s->columns,  m->count,           b,
                                GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        gsolve_dense X = B;
        X.value = x;
        memset(x, 0, n * MOST_COLUMNS * sizeof *x);
        for (size_t i = 0; i < n * (size_t)s->columns; i++) {
            b[i] = rhs(m->first + (int64_t)(i % n), (int)(i / n), run);
        }
        EXPECT_OK(ctx, gsolve_solver_run(S, B, X, &result));
    }
    for (int c = 0; c < s->columns; c++) {
        memcpy(s->x + c * ROWS + m->first, x + (size_t)c * n, n * sizeof *x);
    }
    if (rank == 0) {
        s->iterations = result.iterations;
        s->outcome = result.outcome;
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(m);
    free(b);
    free(x);
    return failures;
}

/* |b - A x| / |b| of the last run, for the worst column. */
static double residual_of(const solve *s)
{
    blocks *m = malloc(sizeof *m);
    double worst = 0;

    make_blocks(m, 0, 1, s->symmetric ? -1 : -1.3, -1);
    for (int c = 0; c < s->columns; c++) {
        double rr = 0, bb = 0;
        for (int i = 0; i < ROWS; i++) {
            const double b = rhs(i, c, s->runs - 1);
            double ri = b;
            for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
                ri -= m->value[k] * s->x[c * ROWS + m->col[k]];
            }
            rr += ri * ri;
            bb += b * b;
        }
        worst = fmax(worst, sqrt(rr / bb));
    }
    free(m);
    return worst;
}

/* Over each number of ranks: solved, with the iterations of one rank within rounding, and the same
 * bits with other delays. */
static void check_solve(solve s)
{
    solve *one = malloc(sizeof s), *now = malloc(sizeof s), *again = malloc(sizeof s);

    for (int i = 0; i < 5; i++) {
        *now = *again = s;
        assert_int_equal(run_delayed_ranks(counts[i], 0, solve_on_rank, now), 0);
        if (i == 0) *one = *now;
        if (now->outcome != GSOLVE_CONVERGED || abs(now->iterations - one->iterations) > 1 ||
            !(residual_of(now) <= 1.01e-8)) {
            printf("%s + %s, %d ranks: %d iterations, %d on one rank; residual %.2e; %s\n",
                   s.method, s.precond ? s.precond : "none", counts[i], now->iterations,
                   one->iterations, residual_of(now), gsolve_outcome_text(now->outcome));
            fail();
        }
        assert_int_equal(run_delayed_ranks(counts[i], 77, solve_on_rank, again), 0);
        assert_memory_equal(now->x, again->x, sizeof now->x);
    }
    free(one);
    free(now);
    free(again);
}

static void test_methods(void **state)
{
    static const struct {
        const char *spec;
        bool symmetric;
    } methods[] = {{"cg", true},
                   {"cg,norm=preconditioned", true},
                   {"pipecg", true},
                   {"minres", true},
                   {"minres,norm=preconditioned", true},
                   {"block_cg", true},
                   {"cg,guess=projection", true},
                   {"cg,spectrum=on", true},
                   {"refine,type=f64", true},
                   {"bicg", false},
                   {"bicgstab", false},
                   {"bicgstab,guess=projection", false},
                   {"cgs", false},
                   {"tfqmr", false},
                   {"idr", false},
                   {"gmres", false},
                   {"gmres,restart=5", false},
                   {"gmres,basis=f32", false},
                   {"fgmres", false},
                   {"block_gmres", false},
                   {"block_gmres,restart=4,augment=1", false},
                   {"lsqr", false},
                   {"lsmr", false}};

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        for (int columns = 1; columns <= MOST_COLUMNS; columns += MOST_COLUMNS - 1) {
            solve s = {methods[i].spec, NULL, methods[i].symmetric, columns, 2, 0, 0, {0}};
            check_solve(s);
            s.precond =
                methods[i].symmetric || strncmp(s.method, "ls", 2) ? "jacobi" : "jacobi,normal=1";
            check_solve(s);
        }
    }
}

/* The blocks are not cut, so that these are the preconditioners of the whole matrix. */
static void test_preconds(void **state)
{
    static const char *const preconds[] = {"none", "ilu", "block_jacobi", "isai"};

    (void)state;
    for (size_t i = 0; i < sizeof preconds / sizeof *preconds; i++) {
        check_solve((solve){"cg", preconds[i], true, 1, 1, 0, 0, {0}});
        check_solve((solve){"cg,norm=preconditioned", preconds[i], true, 3, 1, 0, 0, {0}});
        check_solve((solve){"gmres", preconds[i], false, 2, 1, 0, 0, {0}});
        check_solve((solve){"minres", preconds[i], true, 2, 1, 0, 0, {0}});
    }
    check_solve((solve){"cg", "ic", true, 1, 1, 0, 0, {0}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_preconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
