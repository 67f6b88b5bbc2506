/* test_dist_solve.c [few]: solvers with distributed matrices on 1, 2, 3, 5 and 7 ranks, which are
 * threads: the solution, the iterations of one rank, and the same bits in every run. */
#include "dist/comm.h"
#include "tests/dist_support.h"

enum { MOST = 1500 }; /* rows */

typedef struct solve {
    const gsolve_csr *A;
    const char *format, *method, *precond;
    division division;
    int columns;
    /* results of all ranks */
    int iterations;
    double residual, x[2 * MOST];
} solve;

static int solve_once(gsolve_context *ctx, int rank, int ranks, void *user)
{
    solve *s = user;
    const gsolve_row_range rows = divide(s->division, s->A->nrows, rank, ranks);
    piece p = take_piece(s->A, rows, rows);
    double *b = malloc((size_t)(rows.count + 1) * 2 * sizeof *b);
    double *x = calloc((size_t)(rows.count + 1) * 2, sizeof *x);
    const gsolve_dense B = {rows.count, s->columns,  rows.count,         b,
                            GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_dense X = B;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    X.value = x;
    for (int c = 0; c < s->columns; c++) {
        for (int32_t i = 0; i < rows.count; i++) {
            b[i + (int64_t)c * rows.count] = number_of(rows.first + i, c);
        }
    }
    EXPECT(gsolve_matrix_create_dist(&A, ctx, s->format, &p.csr) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(!A || gsolve_precond_create_from(&M, ctx, s->precond, A) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(!M || gsolve_solver_create(&S, ctx, s->method, A, M) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(!S || gsolve_solver_run(S, B, X, &result) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(result.outcome == GSOLVE_CONVERGED, "%s: %s after %d iterations", s->method,
           gsolve_outcome_text(result.outcome), result.iterations);
    double *all = calloc(2 * MOST, sizeof *all);
    for (int c = 0; c < s->columns; c++) {
        memcpy(all + (int64_t)c * MOST + rows.first, x + (int64_t)c * rows.count,
               (size_t)rows.count * sizeof *x);
    }
    EXPECT(gs_comm_sum_on_host(ctx->comm, all, 2 * MOST) == GSOLVE_OK, "%s", gsolve_error(ctx));
    if (rank == 0 || RANKS_ARE_PROCESSES) {
        memcpy(s->x, all, sizeof s->x);
        s->iterations = result.iterations;
        s->residual = result.relative_residual;
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    free(all);
    free(b);
    free(x);
    return failures;
}

/* The largest |b - A x| / |b| of the columns, computed here. */
static double residual_of(const solve *s)
{
    double worst = 0;

    for (int c = 0; c < s->columns; c++) {
        double rr = 0, bb = 0;
        for (int32_t i = 0; i < s->A->nrows; i++) {
            const double b = number_of(i, c);
            double r = b;
            for (int64_t k = gs_start(s->A, i); k < gs_start(s->A, i + 1); k++) {
                r -= gs_value(s->A, k) * s->x[(int64_t)c * MOST + s->A->col[k]];
            }
            rr += r * r;
            bb += b * b;
        }
        worst = fmax(worst, sqrt(rr / bb));
    }
    return worst;
}

/* On each number of ranks: solved, by the iterations of one rank unless `more` are allowed, which
 * count in percent. */
static void check(solve s, int more)
{
    solve *now = malloc(sizeof s), *again = malloc(sizeof s);
    int one = 0;

    for (int k = 0; rank_count(k); k++) {
        if (k > 0 && !is_selected(FIRST_EMPTY, rank_count(k))) continue;
        *now = *again = s;
        assert_int_equal(run_ranks(rank_count(k), solve_once, now), 0);
        if (k == 0) one = now->iterations;
        if (abs(now->iterations - one) > 1 + one * more / 100 || !(residual_of(now) <= 1.01e-8)) {
            fail_msg("%s + %s in %s on %d ranks: %d iterations, %d on one; residual %g", s.method,
                     s.precond, s.format, rank_count(k), now->iterations, one, residual_of(now));
        }
        assert_int_equal(run_ranks(rank_count(k), solve_once, again), 0);
        assert_memory_equal(now->x, again->x, sizeof now->x);
        assert_true(now->residual == again->residual);
    }
    free(now);
    free(again);
}

static void symmetric(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson3d,nx=9,ny=10,nz=12", NULL, NULL));
    for (int d = 0; d < DIVISIONS; d++) {
        check((solve){&A, "csr", "cg", "jacobi", (division)d, 1, 0, 0, {0}}, 0);
        check((solve){&A, "sell", "cg", "none", (division)d, 2, 0, 0, {0}}, 0);
    }
    check((solve){&A, "auto", "pipecg", "jacobi", EVEN, 1, 0, 0, {0}}, 0);
    check((solve){&A, "csr", "minres", "jacobi", EVEN, 2, 0, 0, {0}}, 0);
    check((solve){&A, "csr", "block_cg", "jacobi", EVEN, 2, 0, 0, {0}}, 5);
    check((solve){&A, "csr", "cg", "chebyshev", EVEN, 1, 0, 0, {0}}, 100);
    check((solve){&A, "csr", "cg", "ic", EVEN, 1, 0, 0, {0}}, 100);
    check((solve){&A, "csr", "cg", "isai", EVEN, 1, 0, 0, {0}}, 100);
    check((solve){&A, "csr", "cg", "block_jacobi", EVEN, 1, 0, 0, {0}}, 100);
    gsolve_context_destroy(&ctx);
}

static void nonsymmetric(void **state)
{
    static const char *const methods[] = {
        "gmres,restart=30", "bicgstab", "idr", "tfqmr", "fgmres", "cgs", "bicg",
        "block_gmres",      "lsqr",     "lsmr"};
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:convdiff3d,n=10,peclet=1", NULL, NULL));
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        const bool normal = strncmp(methods[k], "ls", 2) == 0;
        check((solve){&A, "csr", methods[k], normal ? "none" : "jacobi", EVEN, 1, 0, 0, {0}}, 10);
        check((solve){&A, "csr", methods[k], normal ? "none" : "jacobi", ONE_EACH, 2, 0, 0, {0}},
              10);
    }
    check((solve){&A, "csr", "gmres,restart=30", "ilu", EVEN, 1, 0, 0, {0}}, 150);
    gsolve_context_destroy(&ctx);
}

/* For MPI processes on a GPU and for compute-sanitizer: all of them would take minutes. */
static void few(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:convdiff3d,n=7,peclet=1", NULL, NULL));
    check((solve){&A, "csr", "bicgstab", "jacobi", FIRST_EMPTY, 2, 0, 0, {0}}, 10);
    check((solve){&A, "sell", "gmres,restart=30", "ilu", EVEN, 1, 0, 0, {0}}, 150);
    check((solve){&A, "csr", "lsqr", "none", ONE_EACH, 1, 0, 0, {0}}, 10);
    gsolve_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symmetric), cmocka_unit_test(nonsymmetric)};
    const struct CMUnitTest short_test[] = {cmocka_unit_test(few)};

    begin_ranks(&argc, &argv);
    need_device();
    if (argc > 1 && strcmp(argv[1], "few") == 0) {
        return end_ranks(cmocka_run_group_tests(short_test, NULL, NULL));
    }
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
