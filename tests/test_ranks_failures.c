/* test_ranks_failures.c: failures of one rank: all ranks end, with the same status and sentence.
 * The ranks are threads, see thread_ranks.h, whose transport also fails if ranks call different
 * functions. */
#include "common.h"

#include <math.h>

#include "dist/comm.h"
#include "gsolve_dist.h"
#include "thread_ranks.h"

enum { RANKS = 3, SIDE = 12, ROWS = SIDE * SIDE };

/* The five-point Laplacian on a grid of SIDE x SIDE points; the rows of a rank. */
typedef struct grid {
    int64_t start[ROWS + 1], col[5 * ROWS];
    double value[5 * ROWS], b[3 * ROWS], x[3 * ROWS];
} grid;

static gsolve_dist_csr make_grid(grid *g, int rank, int ranks)
{
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, rank, ranks);
    const int step[] = {-SIDE, -1, 0, 1, SIDE};
    int64_t at = 0;

    for (int32_t r = 0; r < rows.count; r++) {
        const int64_t i = rows.first + r;
        g->start[r] = at;
        for (int s = 0; s < 5; s++) {
            const int64_t j = i + step[s];
            if (j < 0 || j >= ROWS || (s % 4 && j / SIDE != i / SIDE)) continue;
            g->col[at] = j;
            g->value[at++] = s == 2 ? 4.1 : -1;
        }
    }
    g->start[rows.count] = at;
    for (int i = 0; i < 3 * ROWS; i++) g->b[i] = 1 + i % 7, g->x[i] = 0;
    return (gsolve_dist_csr){.rows = rows,
                             .start = g->start,
                             .col = g->col,
                             .value = g->value,
                             .offset = GSOLVE_O64,
                             .type = GSOLVE_F64,
                             .location = GSOLVE_HOST};
}

static gsolve_dense columns(double *v, int32_t n, int32_t count)
{
    return (gsolve_dense){n, count, n, v, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

/* What a run is made of, and how it goes wrong on rank `bad`. */
typedef struct plan {
    const char *format, *method, *precond;
    int columns, bad;
    int64_t allocations; /* that rank `bad` may make; negative: any number */
    bool succeeded;      /* on all ranks */
    gsolve_status status[RANKS];
    char error[RANKS][1024];
} plan;

/* Creates everything and solves. Stops at the first failure, which all ranks have. */
static gsolve_status solve_all(gsolve_context *ctx, grid *g, int rank, int ranks, const plan *p)
{
    const gsolve_dist_csr csr = make_grid(g, rank, ranks);
    const gsolve_dense b = columns(g->b, csr.rows.count, p->columns),
                       x = columns(g->x, csr.rows.count, p->columns);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;

    if (!p->method) return gsolve_solve_dist(ctx, &csr, b, x, &result);
    status = gsolve_matrix_create_dist(&A, ctx, p->format, &csr);
    if (status == GSOLVE_OK && p->precond) {
        status = gsolve_precond_create_from(&M, ctx, p->precond, A);
    }
    if (status == GSOLVE_OK) status = gsolve_solver_create(&S, ctx, p->method, A, M);
    if (status == GSOLVE_OK)
        status =
            gsolve_solver_run(S, columns(g->b, b.nrows, 1), columns(g->x, x.nrows, 1), &result);
    if (status == GSOLVE_OK) status = gsolve_solver_run(S, b, x, &result);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    return status;
}

static int deny_allocations(gsolve_context *ctx, int rank, int ranks, void *user)
{
    plan *p = user;
    grid *g = malloc(sizeof *g);
    int failures = 0;

    if (rank == p->bad) gsolve_context_limit_allocations(ctx, p->allocations);
    p->status[rank] = solve_all(ctx, g, rank, ranks, p);
    snprintf(p->error[rank], sizeof p->error[rank], "%s", gsolve_error(ctx));
    gsolve_context_limit_allocations(ctx, -1);
    if (p->status[rank] != GSOLVE_OK) { /* the context can be used afterwards */
        const gsolve_status status = solve_all(ctx, g, rank, ranks, p);
        EXPECT(status == GSOLVE_OK, "%s", gsolve_error(ctx));
    }
    free(g);
    return failures;
}

static bool on_gpu(void)
{
    return test_device_is("cuda");
}

/* One rank gets 0, 1, 2, ... allocations, until all ranks succeed. method NULL: gsolve_solve_dist.
 */
static void check_allocations(const char *format, const char *method, const char *precond,
                              int columns_of_b, int bad)
{
    plan p = {.format = format,
              .method = method,
              .precond = precond,
              .columns = columns_of_b,
              .bad = bad};
    const char *name = method ? method : "gsolve_solve_dist";

    /* on a GPU not each of them, since contexts take longer there */
    for (p.allocations = 0; p.allocations < 1000; p.allocations += on_gpu() ? 9 : 1) {
        memset(p.error, 0, sizeof p.error);
        assert_int_equal(run_delayed_ranks(RANKS, 3, deny_allocations, &p), 0);
        for (int k = 1; k < RANKS; k++) {
            if (p.status[k] != p.status[0] ||
                (p.status[k] != GSOLVE_OK && strcmp(p.error[k], p.error[0]))) {
                fail_msg("%s + %s with %d allocations on rank %d: rank 0: %s; rank %d: %s", name,
                         precond ? precond : "none", (int)p.allocations, bad, p.error[0], k,
                         p.error[k]);
            }
        }
        if (p.status[0] == GSOLVE_OK) return;
        if (p.status[0] != GSOLVE_NO_MEMORY) {
            fail_msg("%s: %d allocations: %s", name, (int)p.allocations, p.error[0]);
        }
    }
    fail();
}

static void allocations(void **state)
{
    (void)state;
    check_allocations("csr", "cg", "jacobi", 3, 1);
    check_allocations("csr", "lsqr", NULL, 1, 1);
    if (on_gpu()) return;
    check_allocations("csr", "cg", "ilu", 1, 0);
    check_allocations("sell", "gmres,restart=5", "chebyshev", 3, 2);
    check_allocations("csr", "block_cg", NULL, 3, 1);
    check_allocations("bce", "idr", "block_jacobi", 2, 1);
    check_allocations("csr", "refine,inner=cg", "ic", 1, 2);
    check_allocations("auto", "cg,guess=projection", NULL, 1, 0);
    check_allocations("csr", "bicg", "jacobi", 2, 1);
    check_allocations("auto", NULL, NULL, 2, 1);
}

/* --- one rank ends the run, or fails in it ---------------------------------------------------- */

typedef enum trouble {
    MONITOR,        /* the monitor of one rank ends the run in iteration 5 */
    STOPPING_TEST,  /* its stopping test accepts in iteration 5 */
    INTERRUPT,      /* it is interrupted in iteration 5, from its preconditioner */
    INTERRUPT_TEST, /* its interrupt test says so at once */
    TIME_LIMIT,     /* its time limit is over at once */
    PRECOND_FAILS,  /* its preconditioner fails in iteration 5 */
    OTHER_SPEC,     /* it creates another solver */
    OTHER_COLUMNS,  /* it has other columns */
    NO_RESULT,      /* its result is NULL */
    BAD_VALUE,      /* its b has a NaN */
    DIES,           /* it dies in iteration 5 */
    HANGS,          /* it makes no more calls from iteration 5 on */
    TROUBLES
} trouble;

static const struct {
    gsolve_status status;
    gsolve_outcome outcome;
    int iterations; /* or -1 */
    const char *sentence;
} expected[TROUBLES] = {
    [MONITOR] = {GSOLVE_OK, GSOLVE_STOPPED, 5, NULL},
    [STOPPING_TEST] = {GSOLVE_OK, GSOLVE_ACCEPTED, 5, NULL},
    [INTERRUPT] = {GSOLVE_OK, GSOLVE_STOPPED, -1, NULL},
    [INTERRUPT_TEST] = {GSOLVE_OK, GSOLVE_STOPPED, 0, NULL},
    [TIME_LIMIT] = {GSOLVE_OK, GSOLVE_TIME_LIMIT, 0, NULL},
    [PRECOND_FAILS] = {GSOLVE_ZERO_PIVOT, 0, 0, "rank 1: the preconditioner of this test fails"},
    [OTHER_SPEC] = {GSOLVE_BAD_ARGUMENT, 0, 0, "rank 1: the spec of the solver"},
    [OTHER_COLUMNS] = {GSOLVE_BAD_ARGUMENT, 0, 0, "rank 1: the number of columns"},
    [NO_RESULT] = {GSOLVE_BAD_ARGUMENT, 0, 0, "rank 1: gsolve_solver_run: result is NULL"},
    [BAD_VALUE] = {GSOLVE_BAD_ARGUMENT, 0, 0, "not finite"},
    [DIES] = {GSOLVE_RANK_FAILED, 0, 0, "the transport threads failed"},
    [HANGS] = {GSOLVE_RANK_FAILED, 0, 0, "another rank is gone or does not answer"},
};

typedef struct scene {
    trouble trouble;
    const char *method;
    gsolve_context *ctx;
    thread_rank *self;
    bool bad; /* this rank has the trouble */
    int applications;
} scene;

static bool monitor(int iteration, double residual, void *user)
{
    const scene *s = user;

    (void)residual;
    return !(s->bad && s->trouble == MONITOR && iteration == 5);
}

static gsolve_decision accept_later(int iteration, int32_t column, double residual, double norm,
                                    void *user)
{
    (void)column, (void)residual, (void)norm, (void)user;
    return iteration < 5 ? GSOLVE_CONTINUE : GSOLVE_ACCEPT;
}

static bool stop_now(void *user)
{
    return ((const scene *)user)->bad;
}

/* z = r / 4; fails, or interrupts the run, in the fifth application. */
static gsolve_status precondition(gsolve_context *ctx, gsolve_dense r, gsolve_dense z, void *user)
{
    scene *s = user;
    double quarter[ROWS];
    const size_t bytes = (size_t)r.nrows * sizeof *quarter;

    gsolve_copy(ctx, quarter, GSOLVE_HOST, r.value, r.location, bytes);
    for (int32_t i = 0; i < r.nrows; i++) quarter[i] /= 4;
    gsolve_copy(ctx, z.value, z.location, quarter, GSOLVE_HOST, bytes);
    if (!s->bad || ++s->applications != 5) return GSOLVE_OK;
    if (s->trouble == INTERRUPT) gsolve_context_interrupt(ctx, true);
    if (s->trouble == DIES) thread_rank_dies(s->self);
    if (s->trouble == HANGS) thread_rank_hangs(s->self);
    if (s->trouble != PRECOND_FAILS) return GSOLVE_OK;
    return gsolve_fail(ctx, GSOLVE_ZERO_PIVOT, "the preconditioner of this test fails");
}

static int run_with_trouble(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const scene *plan_of_all = user;
    scene s = {.trouble = plan_of_all->trouble,
               .method = plan_of_all->method,
               .ctx = ctx,
               .self = ctx->comm->self,
               .bad = rank == 1};
    grid *g = malloc(sizeof *g);
    const gsolve_dist_csr csr = make_grid(g, rank, ranks);
    const int32_t n = csr.rows.count;
    const trouble t = s.trouble;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_status status;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &csr));
    EXPECT_OK(ctx, gsolve_precond_create_function(&M, ctx, n, GSOLVE_F64, precondition, NULL, &s));
    status = gsolve_solver_create(&S, ctx, s.bad && t == OTHER_SPEC ? "minres" : s.method, A, M);
    if (status == GSOLVE_OK) {
        if (s.bad && t == MONITOR) gsolve_solver_set_monitor(S, monitor, &s);
        if (s.bad && t == STOPPING_TEST) gsolve_solver_set_stopping_test(S, accept_later, &s);
        if (s.bad && t == INTERRUPT_TEST) gsolve_context_set_interrupt_test(ctx, stop_now, &s);
        if (s.bad && t == TIME_LIMIT) gsolve_context_set_time_limit(ctx, 0);
        if (s.bad && t == BAD_VALUE) g->b[0] = NAN;
        status = gsolve_solver_run(S, columns(g->b, n, 1 + (s.bad && t == OTHER_COLUMNS)),
                                   columns(g->x, n, 1 + (s.bad && t == OTHER_COLUMNS)),
                                   s.bad && t == NO_RESULT ? NULL : &result);
    }
    EXPECT(status == expected[t].status, "%d: %s", t, gsolve_error(ctx));
    if (status == GSOLVE_OK) {
        EXPECT(result.outcome == expected[t].outcome, "%d: %s", t,
               gsolve_outcome_text(result.outcome));
        EXPECT(result.iterations == expected[t].iterations ||
                   (expected[t].iterations < 0 && result.iterations < 8),
               "%d: %d", t, result.iterations);
    } else {
        EXPECT(strstr(gsolve_error(ctx), expected[t].sentence), "%d: %s", t, gsolve_error(ctx));
    }
    gsolve_context_interrupt(ctx, false);
    gsolve_context_set_interrupt_test(ctx, NULL, NULL);
    gsolve_context_set_time_limit(ctx, INFINITY);
    s.trouble = TROUBLES;
    if (t != DIES && t != HANGS && t != OTHER_SPEC) { /* the solver can be used afterwards */
        const gsolve_status again =
            (gsolve_solver_set_monitor(S, NULL, NULL),
             gsolve_solver_set_stopping_test(S, NULL, NULL), make_grid(g, rank, ranks),
             gsolve_solver_run(S, columns(g->b, n, 1), columns(g->x, n, 1), &result));
        EXPECT(again == GSOLVE_OK && result.outcome == GSOLVE_CONVERGED, "%d: %s", t,
               gsolve_error(ctx));
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(g);
    return failures;
}

static void troubles(void **state)
{
    static const char *const methods[] = {"cg", "gmres,restart=8", "bicgstab"};

    (void)state;
    for (int t = 0; t < TROUBLES; t++) {
        for (int m = 0; m < (on_gpu() ? 2 : 3); m++) {
            scene s = {.trouble = (trouble)t, .method = methods[m]};
            const int patience = t == HANGS ? 500 : PATIENCE;
            const int failures = run_impatient_ranks(RANKS, 9, patience, run_with_trouble, &s);
            if (failures) fail_msg("%s, trouble %d: %d failures", methods[m], t, failures);
        }
    }
}

/* --- other calls that one rank refuses -------------------------------------------------------- */

typedef enum refused {
    SHORT_B,       /* one call for all: b has too few rows */
    INTERRUPTED,   /* one call for all: the rank is interrupted before it */
    NO_STATISTICS, /* the statistics are NULL */
    OTHER_PATTERN, /* the rows for the update of a preconditioner have another pattern */
    NO_RESIDUAL,   /* the residuals are NULL */
    NO_SPEC,       /* the spec of a solver is NULL */
    NO_MATRIX,     /* the matrix for the update of a preconditioner is NULL */
    ZERO_DIAGONAL, /* the caller's diagonal for chebyshev has a zero */
    REFUSED
} refused;

static gsolve_status refuse_one(gsolve_context *ctx, grid *g, const gsolve_dist_csr *csr,
                                gsolve_matrix *A, refused what, bool bad)
{
    const int32_t n = csr->rows.count;
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_precond *M = NULL;
    gsolve_csr block;
    gsolve_status status = GSOLVE_OK;

    if (bad && what == INTERRUPTED) gsolve_context_interrupt(ctx, true);
    if (what == SHORT_B || what == INTERRUPTED) {
        status = gsolve_solve_dist(ctx, csr, columns(g->b, n - (bad && what == SHORT_B), 1),
                                   columns(g->x, n, 1), &result);
    } else if (what == NO_STATISTICS) {
        status = gsolve_matrix_statistics(A, bad ? NULL : &statistics);
    } else if (what == OTHER_PATTERN) {
        status = gsolve_precond_create_from(&M, ctx, "chebyshev", A);
        if (status == GSOLVE_OK) status = gsolve_matrix_csr(A, &block);
        block.nrows -= bad;
        if (status == GSOLVE_OK) status = gsolve_precond_update(M, &block);
    } else if (what == NO_RESIDUAL) {
        double norm;
        status =
            gsolve_matrix_residual(A, columns(g->b, n, 1), columns(g->x, n, 1), bad ? NULL : &norm);
    } else if (what == NO_SPEC) {
        gsolve_solver *S = NULL;
        status = gsolve_solver_create(&S, ctx, bad ? NULL : "cg", A, NULL);
        gsolve_solver_destroy(&S);
    } else if (what == NO_MATRIX) {
        status = gsolve_precond_create_from(&M, ctx, "jacobi", A);
        if (status == GSOLVE_OK) status = gsolve_precond_update_from(M, bad ? NULL : A);
    } else {
        if (bad) g->b[3] = 0;
        status = gsolve_precond_create_chebyshev(&M, ctx, "chebyshev", A, columns(g->b, n, 1));
    }
    gsolve_context_interrupt(ctx, false);
    gsolve_precond_destroy(&M);
    return status;
}

static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_status wanted[REFUSED] = {
        GSOLVE_BAD_ARGUMENT, GSOLVE_INTERRUPTED,  GSOLVE_BAD_ARGUMENT, GSOLVE_BAD_MATRIX,
        GSOLVE_BAD_ARGUMENT, GSOLVE_BAD_ARGUMENT, GSOLVE_BAD_ARGUMENT, GSOLVE_ZERO_PIVOT};
    grid *g = malloc(sizeof *g);
    const gsolve_dist_csr csr = make_grid(g, rank, ranks);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    int failures = 0;

    (void)user;
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &csr));
    for (int k = 0; k < REFUSED; k++) {
        const gsolve_status status = refuse_one(ctx, g, &csr, A, (refused)k, rank == 1);
        EXPECT(status == wanted[k], "%d: %d, %s", k, status, gsolve_error(ctx));
        EXPECT(strncmp(gsolve_error(ctx), "rank 1: ", 8) == 0, "%d: %s", k, gsolve_error(ctx));
    }
    EXPECT_OK(ctx, gsolve_solve_dist(ctx, &csr, columns(g->b, csr.rows.count, 1),
                                     columns(g->x, csr.rows.count, 1), &result));
    gsolve_matrix_destroy(&A);
    free(g);
    return failures;
}

static void refusals(void **state)
{
    (void)state;
    assert_int_equal(run_delayed_ranks(RANKS, 5, refuse, NULL), 0);
}

/* --- errors of the caller --------------------------------------------------------------------- */

static int agree(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_status wrong = (gsolve_status)99;
    int failures = 0;

    (void)ranks;
    (void)user;
    EXPECT_OK(ctx, gsolve_context_agree(ctx, GSOLVE_OK, "not used", "check"));
    EXPECT_OK(ctx, gsolve_context_agree(ctx, GSOLVE_OK, NULL, NULL));
    EXPECT(gsolve_context_agree(ctx, rank ? GSOLVE_BAD_FILE : GSOLVE_OK, "no file", NULL) ==
                   GSOLVE_BAD_FILE &&
               strcmp(gsolve_error(ctx), "rank 1: no file") == 0,
           "%s", gsolve_error(ctx));
    EXPECT(gsolve_context_agree(ctx, GSOLVE_ZERO_PIVOT, NULL, NULL) == GSOLVE_ZERO_PIVOT, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_context_agree(ctx, GSOLVE_OK, NULL, rank == 2 ? "check" : NULL) ==
                   GSOLVE_BAD_ARGUMENT &&
               strstr(gsolve_error(ctx), "rank 2: the arguments are not those of rank 0"),
           "%s", gsolve_error(ctx));
    EXPECT(gsolve_context_agree(ctx, rank == 1 ? wrong : GSOLVE_OK, NULL, NULL) ==
                   GSOLVE_BAD_ARGUMENT &&
               strstr(gsolve_error(ctx), "rank 1: gsolve_context_agree: 99 is not a status"),
           "%s", gsolve_error(ctx));
    EXPECT_OK(ctx, gsolve_context_agree(ctx, GSOLVE_OK, NULL, "check"));
    return failures;
}

static void agreements(void **state)
{
    gsolve_context *ctx = NULL;

    (void)state;
    assert_int_equal(run_delayed_ranks(RANKS, 5, agree, NULL), 0);
    assert_int_equal(gsolve_context_agree(NULL, GSOLVE_OK, NULL, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_context_create(&ctx, "cpu"), GSOLVE_OK); /* without ranks */
    assert_int_equal(gsolve_context_agree(ctx, GSOLVE_OK, NULL, "x"), GSOLVE_OK);
    assert_int_equal(gsolve_context_agree(ctx, GSOLVE_BAD_FILE, "no file", "x"), GSOLVE_BAD_FILE);
    assert_string_equal(gsolve_error(ctx), "no file");
    gsolve_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations), cmocka_unit_test(troubles),
                                       cmocka_unit_test(refusals), cmocka_unit_test(agreements)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
