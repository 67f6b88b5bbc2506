/* test_ranks.c: solvers over several ranks, which are threads here, see thread_ranks.h. */
#include "common.h"

#include <math.h>

#include "core/dense.h"
#include "dist/comm.h"
#include "gsolve_dist.h"
#include "thread_ranks.h"

static const int counts[] = {1, 2, 3, 5, 7};

/* gs_comm_sum of numbers that the host copies to the device and back. */
static gsolve_status sum_there(gsolve_context *ctx, double *number, int first, int count)
{
    const size_t bytes = (size_t)count * sizeof *number;
    double *there = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)count, sizeof *there);
    const gs_numbers part[] = {{there, first, NULL}, {there + first, count - first, NULL}};
    gsolve_status status;

    gsolve_copy(ctx, there, gs_location(ctx), number, GSOLVE_HOST, bytes);
    status = gs_comm_sum(ctx->comm, part, 2);
    gsolve_copy(ctx, number, GSOLVE_HOST, there, gs_location(ctx), bytes);
    gsolve_free(ctx, GSOLVE_DEVICE, there);
    return status;
}

/* --- the communicator ------------------------------------------------------------------------- */

/* The sum in two parts, whose first one ends within a message; and the same on the host. */
static gsolve_status rank_sums(gsolve_context *ctx, double *number, int count)
{
    double *copy = malloc((size_t)count * sizeof *copy);
    gsolve_status status;

    memcpy(copy, number, (size_t)count * sizeof *copy);
    status = sum_there(ctx, number, count - 100, count);
    if (status == GSOLVE_OK) status = gs_comm_sum_on_host(ctx->comm, copy, count);
    if (memcmp(copy, number, (size_t)count * sizeof *copy)) status = GSOLVE_DEVICE_FAILED;
    free(copy);
    return status;
}

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
    EXPECT_OK(ctx, sum_there(ctx, few, 1, 3));
    EXPECT_OK(ctx, rank_sums(ctx, many, MANY));
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
    EXPECT(gs_comm_sum_on_host(comm, &number, 1) == GSOLVE_ZERO_PIVOT, "%s", gsolve_error(ctx));
    EXPECT(strcmp(gsolve_error(ctx), "rank 2: row 7") == 0, "%s", gsolve_error(ctx));
    EXPECT_OK(ctx, gs_comm_sum_on_host(comm, &number, 1)); /* the failure is over */
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
 * A convection-diffusion operator on a grid of SIDE x SIDE points, with a diagonal that grows with
 * the row. Without convection it is symmetric positive definite. */

enum { SIDE = 22, ROWS = SIDE * SIDE, MOST_COLUMNS = 5 };

typedef struct grid {
    int64_t start[ROWS + 1], col[5 * ROWS];
    double value[5 * ROWS];
} grid;

/* Rows first to first + count - 1. */
static gsolve_dist_csr make_grid(grid *g, gsolve_row_range rows, bool symmetric)
{
    const double value[] = {-1, symmetric ? -1 : -1.6, 0, symmetric ? -1 : -0.6, -1};
    const int step[] = {-SIDE, -1, 0, 1, SIDE};
    int64_t at = 0;

    for (int32_t r = 0; r < rows.count; r++) {
        const int64_t i = rows.first + r;
        g->start[r] = at;
        for (int s = 0; s < 5; s++) {
            const int64_t j = i + step[s];
            if (j < 0 || j >= ROWS || (s % 4 && j / SIDE != i / SIDE)) continue;
            g->col[at] = j;
            g->value[at++] = j == i ? 4.02 + 2.0 * (double)i / ROWS : value[s];
        }
    }
    g->start[rows.count] = at;
    return (gsolve_dist_csr){.rows = rows,
                             .start = g->start,
                             .col = g->col,
                             .value = g->value,
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
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, rank, ranks);
    grid *g = malloc(sizeof *g);
    const gsolve_dist_csr csr = make_grid(g, rows, s->symmetric);
    const size_t n = (size_t)rows.count;
    double *b = malloc(n * MOST_COLUMNS * sizeof *b), *x = calloc(n * MOST_COLUMNS, sizeof *x);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &csr));
    if (s->precond) EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, s->precond, A));
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, s->method, A, M));
    for (int run = 0; run < s->runs && failures == 0; run++) {
        const gsolve_dense B = {rows.count, s->columns,  rows.count,         b,
                                GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        gsolve_dense X = B;
        X.value = x;
        memset(x, 0, n * MOST_COLUMNS * sizeof *x);
        for (size_t i = 0; i < n * (size_t)s->columns; i++) {
            b[i] = rhs(rows.first + (int64_t)(i % n), (int)(i / n), run);
        }
        EXPECT_OK(ctx, gsolve_solver_run(S, B, X, &result));
    }
    for (int c = 0; c < s->columns; c++) {
        memcpy(s->x + c * ROWS + rows.first, x + (size_t)c * n, n * sizeof *x);
    }
    if (rank == 0) {
        s->iterations = result.iterations;
        s->outcome = result.outcome;
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(g);
    free(b);
    free(x);
    return failures;
}

/* |b - A x| / |b| of the last run, for the worst column. */
static double residual_of(const solve *s)
{
    grid *g = malloc(sizeof *g);
    double worst = 0;

    make_grid(g, (gsolve_row_range){0, ROWS, ROWS}, s->symmetric);
    for (int c = 0; c < s->columns; c++) {
        double rr = 0, bb = 0;
        for (int i = 0; i < ROWS; i++) {
            const double b = rhs(i, c, s->runs - 1);
            double ri = b;
            for (int64_t k = g->start[i]; k < g->start[i + 1]; k++) {
                ri -= g->value[k] * s->x[c * ROWS + g->col[k]];
            }
            rr += ri * ri;
            bb += b * b;
        }
        worst = fmax(worst, sqrt(rr / bb));
    }
    free(g);
    return worst;
}

/* A GPU, where contexts and messages take longer: on it there are fewer runs. */
static bool on_gpu(void)
{
    return test_device_is("cuda");
}

/* Over each number of ranks: solved, with the iterations of one rank, on the CPU, within rounding,
 * and the same bits with other delays. few: on a GPU only over 3 ranks. */
static void check_solve(solve s, bool few)
{
    solve *one = malloc(sizeof s), *now = malloc(sizeof s), *again = malloc(sizeof s);

    for (int i = 0; i < 5; i++) {
        if (i > 0 && on_gpu() && (few ? i != 2 : i > 3)) continue;
        thread_device = i == 0 ? "cpu,threads=1" : NULL;
        *now = *again = s;
        assert_int_equal(run_delayed_ranks(counts[i], 0, solve_on_rank, now), 0);
        if (i == 0) *one = *now;
        if (now->outcome != GSOLVE_CONVERGED ||
            abs(now->iterations - one->iterations) > 1 + one->iterations / 15 ||
            !(residual_of(now) <= 1.01e-8)) {
            printf("%s + %s, %d ranks: %d iterations, %d on one rank; residual %.2e; %s\n",
                   s.method, s.precond ? s.precond : "none", counts[i], now->iterations,
                   one->iterations, residual_of(now), gsolve_outcome_text(now->outcome));
            fail();
        }
        if (i % 2 == 1 || (i == 0 && on_gpu())) continue;
        assert_int_equal(run_delayed_ranks(counts[i], 77, solve_on_rank, again), 0);
        assert_memory_equal(now->x, again->x, sizeof now->x);
    }
    thread_device = NULL;
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
                   {"refine,inner=cg", true},
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
                   {"block_gmres,restart=25,augment=1", false},
                   {"lsqr", false},
                   {"lsmr", false}};

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        solve s = {methods[i].spec, NULL, methods[i].symmetric, 1, 2, 0, 0, {0}};
        if (i % 2 == 0 || !on_gpu()) check_solve(s, i > 0);
        s.columns = MOST_COLUMNS;
        if (strncmp(s.method, "ls", 2)) s.precond = "jacobi"; /* lsqr and lsmr need one of A'A */
        if (i < 4 || i % 2 == 1 || !on_gpu()) check_solve(s, i > 0);
        if (i >= 4) continue;
        s.precond = "chebyshev,degree=2";
        check_solve(s, true);
    }
}

/* --- messages ----------------------------------------------------------------------------------
 */

typedef struct traffic {
    const char *method;
    long sums, exchanges; /* of 20 iterations */
} traffic;

/* Counts what 20 more iterations send. */
static int count_messages(gsolve_context *ctx, int rank, int ranks, void *user)
{
    traffic *t = user;
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, rank, ranks);
    const thread_rank *r = ctx->comm->self;
    grid *g = malloc(sizeof *g);
    const gsolve_dist_csr csr = make_grid(g, rows, true);
    double *b = malloc((size_t)rows.count * sizeof *b), *x = malloc((size_t)rows.count * sizeof *x);
    long sums[2], exchanges[2];
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    for (int32_t i = 0; i < rows.count; i++) b[i] = rhs(rows.first + i, 0, 0);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, "jacobi", A));
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, t->method, A, M));
    for (int time = 0; time < 3; time++) { /* first the run whose first product agrees on memory */
        const int run = time == 2;
        const long sums_before = r->sums, exchanges_before = r->exchanges;
        EXPECT_OK(ctx, gsolve_solver_set(S, run == 0 ? "rtol=0,maxit=4" : "rtol=0,maxit=24"));
        memset(x, 0, (size_t)rows.count * sizeof *x);
        EXPECT_OK(ctx, gsolve_solver_run(S, gsolve_vector(b, rows.count),
                                         gsolve_vector(x, rows.count), &result));
        sums[run] = r->sums - sums_before;
        exchanges[run] = r->exchanges - exchanges_before;
    }
    if (rank == 0) {
        t->sums = sums[1] - sums[0];
        t->exchanges = exchanges[1] - exchanges[0];
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(g);
    free(b);
    free(x);
    return failures;
}

/* A sum or an exchange costs some microseconds, so their number decides how small a system may be
 * that several ranks solve faster than one. */
static void test_messages(void **state)
{
    static const traffic expected[] = {
        {"cg", 40, 20},  {"pipecg", 20, 20},           {"bicgstab", 60, 40}, {"minres", 60, 20},
        {"cgs", 60, 40}, {"gmres,restart=40", 40, 20}, {"block_cg", 40, 20}};

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        traffic now = expected[i];
        assert_int_equal(run_ranks(3, count_messages, &now), 0);
        if (now.sums != expected[i].sums || now.exchanges != expected[i].exchanges) {
            fail_msg("%s: %ld sums and %ld exchanges in 20 iterations, not %ld and %ld", now.method,
                     now.sums, now.exchanges, expected[i].sums, expected[i].exchanges);
        }
    }
}

/* --- one rank ----------------------------------------------------------------------------------
 */

/* Solves with the whole matrix on one rank, without a distributed handle. */
static void solve_plain(solve *s)
{
    gsolve_context *ctx = open_context(1);
    grid *g = malloc(sizeof *g);
    int32_t *col = malloc(5 * ROWS * sizeof *col);
    double *b = malloc(ROWS * MOST_COLUMNS * sizeof *b);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;

    make_grid(g, (gsolve_row_range){0, ROWS, ROWS}, s->symmetric);
    for (int64_t k = 0; k < g->start[ROWS]; k++) col[k] = (int32_t)g->col[k];
    const gsolve_csr csr = {ROWS,     ROWS,       g->start,   col,
                            g->value, GSOLVE_O64, GSOLVE_F64, GSOLVE_HOST};
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    if (s->precond) OK(ctx, gsolve_precond_create_from(&M, ctx, s->precond, A));
    OK(ctx, gsolve_solver_create(&S, ctx, s->method, A, M));
    for (int run = 0; run < s->runs; run++) {
        const gsolve_dense B = {ROWS,        s->columns,         ROWS, b, GSOLVE_F64,
                                GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        gsolve_dense X = B;
        X.value = s->x;
        memset(s->x, 0, sizeof s->x);
        for (int i = 0; i < ROWS * s->columns; i++) b[i] = rhs(i % ROWS, i / ROWS, run);
        OK(ctx, gsolve_solver_run(S, B, X, &result));
    }
    s->iterations = result.iterations;
    gsolve_context_destroy(&ctx);
    free(g);
    free(col);
    free(b);
}

/* A distributed matrix on one rank gives the bits of an ordinary one. */
static void test_one_rank(void **state)
{
    static const solve kinds[] = {{"cg", "jacobi", true, 1, 2, 0, 0, {0}},
                                  {"pipecg", "chebyshev", true, 2, 1, 0, 0, {0}},
                                  {"minres", "ic", true, 3, 1, 0, 0, {0}},
                                  {"gmres", "ilu", false, 1, 1, 0, 0, {0}},
                                  {"bicgstab", "block_jacobi", false, 2, 1, 0, 0, {0}},
                                  {"idr", "isai", false, 1, 1, 0, 0, {0}},
                                  {"lsmr", NULL, false, 1, 1, 0, 0, {0}},
                                  {"refine", "jacobi", true, 1, 1, 0, 0, {0}}};
    solve *plain = malloc(sizeof *plain), *one = malloc(sizeof *one);

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *plain = *one = kinds[i];
        solve_plain(plain);
        assert_int_equal(run_ranks(1, solve_on_rank, one), 0);
        if (memcmp(plain->x, one->x, sizeof one->x)) fail_msg("%s: other bits", kinds[i].method);
        assert_int_equal(plain->iterations, one->iterations);
    }
    free(plain);
    free(one);
}

/* --- what is refused ---------------------------------------------------------------------------
 */

static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, rank, ranks);
    grid *g = malloc(sizeof *g);
    const gsolve_dist_csr csr = make_grid(g, rows, true);
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_precond_info described = GSOLVE_INIT(gsolve_precond_info);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    (void)user;
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &csr));
    EXPECT(gsolve_solver_create(&S, ctx, "direct", A, NULL) == GSOLVE_UNSUPPORTED, "direct");
    EXPECT(strstr(gsolve_error(ctx), "use cg, minres or gmres"), "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_create_from(&M, ctx, "jacobi,normal=1", A) == GSOLVE_UNSUPPORTED,
           "normal");
    EXPECT(strstr(gsolve_error(ctx), "use jacobi, chebyshev"), "%s", gsolve_error(ctx));
    EXPECT(!M && !S, "a failed call set its result");

    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, "auto", A));
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, "auto", A, NULL));
    EXPECT(strcmp(gsolve_solver_name(S), "cg") == 0, "auto: %s", gsolve_solver_name(S));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, "ilu", A));
    gsolve_precond_describe(M, &described);
    EXPECT(strstr(described.note, "each of the 3 ranks uses the block of its own rows"), "%s",
           described.note);
    gsolve_csr block;
    gsolve_matrix *own = NULL;
    EXPECT_OK(ctx, gsolve_matrix_csr(A, &block));
    EXPECT_OK(ctx, gsolve_matrix_create(&own, ctx, "csr", &block));
    EXPECT(gsolve_solver_create(&S, ctx, "cg", own, M) == GSOLVE_BAD_ARGUMENT, "ranks of M");
    EXPECT(strstr(gsolve_error(ctx), "and this matrix is not"), "%s", gsolve_error(ctx));
    gsolve_matrix_destroy(&own);
    gsolve_context_describe(ctx, &info);
    EXPECT(info.rank == rank && info.ranks == 3 && strcmp(info.transport, "threads") == 0,
           "%d %d %s", info.rank, info.ranks, info.transport);
    EXPECT(gsolve_context_use_device(ctx, "cpu") == GSOLVE_BAD_ARGUMENT, "use_device");
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(g);
    return failures;
}

static void test_refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_transport t = thread_transport;

    (void)state;
    assert_int_equal(run_ranks(3, refuse, NULL), 0);
    assert_int_equal(gsolve_context_set_transport(ctx, &t, NULL, 2, 2), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_context_set_transport(ctx, NULL, NULL, 0, 1), GSOLVE_BAD_ARGUMENT);
    t.allgather = NULL;
    assert_int_equal(gsolve_context_set_transport(ctx, &t, NULL, 0, 1), GSOLVE_BAD_ARGUMENT);
    gsolve_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_errors),
        cmocka_unit_test(test_methods),  cmocka_unit_test(test_messages),
        cmocka_unit_test(test_one_rank), cmocka_unit_test(test_refused),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
