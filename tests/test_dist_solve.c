/* test_dist_solve.c [few [1]]: solvers with distributed matrices on 1, 2, 3, 5 and 7 ranks, which
 * are threads: the solution, the iterations of one rank, and the same bits in every run. */
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

/* --- least squares ---------------------------------------------------------------------------- */

/* Rows and columns have divisions of their own. */
typedef struct shape {
    const gsolve_csr *A;
    const char *method; /* NULL: gsolve_solve_dist */
    division rows, cols;
    bool consistent; /* b is in the range of A */
    /* results of all ranks */
    gsolve_result result;
    double x[MOST];
} shape;

/* b = A x for x_j = number_of(j, 3), or random numbers. */
static void make_b(const shape *s, double *b)
{
    for (int32_t i = 0; i < s->A->nrows; i++) {
        b[i] = s->consistent ? 0 : number_of(i, 4);
        for (int64_t k = gs_start(s->A, i); s->consistent && k < gs_start(s->A, i + 1); k++) {
            b[i] += gs_value(s->A, k) * number_of(s->A->col[k], 3);
        }
    }
}

static int solve_shape(gsolve_context *ctx, int rank, int ranks, void *user)
{
    shape *s = user;
    const gsolve_row_range rows = divide(s->rows, s->A->nrows, rank, ranks),
                           cols = divide(s->cols, s->A->ncols, rank, ranks);
    piece p = take_piece(s->A, rows, cols);
    double *b = malloc(MOST * sizeof *b), *x = calloc(MOST, sizeof *x);
    const gsolve_dense B = gsolve_vector(b + rows.first, rows.count),
                       X = gsolve_vector(x + cols.first, cols.count);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    make_b(s, b);
    if (!s->method) {
        EXPECT(gsolve_solve_dist(ctx, &p.csr, B, X, &result) == GSOLVE_OK, "%s", gsolve_error(ctx));
    } else {
        EXPECT(gsolve_matrix_create_dist(&A, ctx, "sell", &p.csr) == GSOLVE_OK, "%s",
               gsolve_error(ctx));
        EXPECT(gsolve_precond_create_from(&M, ctx, "none", A) == GSOLVE_OK, "%s",
               gsolve_error(ctx));
        EXPECT(gsolve_solver_create(&S, ctx, s->method, A, M) == GSOLVE_OK, "%s",
               gsolve_error(ctx));
        EXPECT(!S || gsolve_solver_run(S, B, X, &result) == GSOLVE_OK, "%s", gsolve_error(ctx));
    }
    EXPECT(gs_comm_sum_on_host(ctx->comm, x, MOST) == GSOLVE_OK, "%s", gsolve_error(ctx));
    if (rank == 0 || RANKS_ARE_PROCESSES) {
        memcpy(s->x, x, sizeof s->x);
        s->result = result;
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    free(b);
    free(x);
    return failures;
}

/* |b - A x| / |b|, or |A'r| / (|A| |r|). */
static double measure(const shape *s, bool normal)
{
    double *r = malloc(MOST * sizeof *r), g[MOST] = {0}, bb = 0, rr = 0, gg = 0, AA = 0;

    make_b(s, r);
    for (int32_t i = 0; i < s->A->nrows; i++) {
        bb += r[i] * r[i];
        for (int64_t k = gs_start(s->A, i); k < gs_start(s->A, i + 1); k++) {
            r[i] -= gs_value(s->A, k) * s->x[s->A->col[k]];
            AA += gs_value(s->A, k) * gs_value(s->A, k);
        }
        rr += r[i] * r[i];
        for (int64_t k = gs_start(s->A, i); k < gs_start(s->A, i + 1); k++) {
            g[s->A->col[k]] += gs_value(s->A, k) * r[i];
        }
    }
    for (int32_t j = 0; j < s->A->ncols; j++) gg += g[j] * g[j];
    free(r);
    return normal ? sqrt(gg / AA / rr) : sqrt(rr / bb);
}

static void check_shape(const gsolve_csr *A, const char *method, division rows, division cols,
                        bool consistent)
{
    shape *now = calloc(1, sizeof *now), *again = calloc(1, sizeof *again);
    int one = 0;

    for (int k = 0; rank_count(k); k++) {
        *now = *again = (shape){.A = A,
                                .method = method,
                                .rows = rows,
                                .cols = cols,
                                .consistent = consistent,
                                .result = GSOLVE_INIT(gsolve_result)};
        assert_int_equal(run_ranks(rank_count(k), solve_shape, now), 0);
        if (k == 0) one = now->result.iterations;
        const gsolve_outcome outcome = now->result.outcome;
        if (outcome != (consistent ? GSOLVE_CONVERGED : GSOLVE_LEAST_SQUARES) ||
            !(measure(now, !consistent) <= 1.01e-8) ||
            (method && abs(now->result.iterations - one) > 1 + one / 10)) {
            fail_msg("%s, %d x %d, divisions %d and %d, %d ranks: %s, %d iterations, %d on one "
                     "rank, measure %g",
                     method ? method : "gsolve_solve_dist", A->nrows, A->ncols, rows, cols,
                     rank_count(k), gsolve_outcome_text(outcome), now->result.iterations, one,
                     measure(now, !consistent));
        }
        assert_int_equal(run_ranks(rank_count(k), solve_shape, again), 0);
        assert_memory_equal(now->x, again->x, sizeof now->x);
    }
    free(now);
    free(again);
}

/* Methods for square systems say why they refuse these. */
static int refuse_shapes(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_csr *A = user;
    const gsolve_row_range rows = divide(FIRST_EMPTY, A->nrows, rank, ranks),
                           cols = divide(EVEN, A->ncols, rank, ranks);
    const bool square = A->nrows == A->ncols;
    piece p = take_piece(A, rows, cols);
    gsolve_matrix *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    EXPECT(gsolve_matrix_create_dist(&M, ctx, "csr", &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_solver_create(&S, ctx, "gmres", M, NULL) == GSOLVE_BAD_ARGUMENT, "accepted");
    EXPECT(strstr(gsolve_error(ctx), square ? "distributed alike" : "gmres needs a square matrix"),
           "%s", gsolve_error(ctx));
    EXPECT(gsolve_solver_create(&S, ctx, "lsqr,guess=projection", M, NULL) == GSOLVE_BAD_ARGUMENT,
           "accepted");
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&M);
    drop_piece(&p);
    return failures;
}

static void least_squares(void **state)
{
    static const char *const methods[] = {"lsqr", "lsmr"};
    gsolve_context *ctx = open_context(1);
    gsolve_csr tall, wide, even;
    (void)state;

    OK(ctx, gsolve_read_matrix(&tall, ctx, "gen:random,n=150,cols=60", NULL, NULL));
    OK(ctx, gsolve_read_matrix(&wide, ctx, "gen:random,n=50,cols=130", NULL, NULL));
    OK(ctx, gsolve_read_matrix(&even, ctx, "gen:convdiff3d,n=6,peclet=1", NULL, NULL));
    for (int m = 0; m < 2; m++) {
        for (int d = 0; d < DIVISIONS; d++) {
            const division other = (division)((d + 1) % DIVISIONS);
            check_shape(&tall, methods[m], (division)d, other, false);
            check_shape(&tall, methods[m], (division)d, (division)d, true);
            check_shape(&wide, methods[m], (division)d, other, true);
            check_shape(&even, methods[m], (division)d, other, true);
        }
    }
    check_shape(&tall, NULL, EVEN, EVEN, false);
    check_shape(&wide, NULL, FIRST_EMPTY, EVEN, true);
    for (int k = 1; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), refuse_shapes, &tall), 0);
        assert_int_equal(run_ranks(rank_count(k), refuse_shapes, &even), 0);
    }
    gsolve_context_destroy(&ctx);
}

/* Of the first solve of `few`. With 1 no columns are swapped: a swap copies the padding between
 * columns, which nothing writes or uses, and initcheck reports that. */
static int few_columns = 2;

/* For MPI processes on a GPU and for compute-sanitizer: all of them would take minutes. */
static void few(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:convdiff3d,n=7,peclet=1", NULL, NULL));
    check((solve){&A, "csr", "bicgstab", "jacobi", FIRST_EMPTY, few_columns, 0, 0, {0}}, 10);
    check((solve){&A, "sell", "gmres,restart=30", "ilu", EVEN, 1, 0, 0, {0}}, 150);
    check((solve){&A, "csr", "lsqr", "none", ONE_EACH, 1, 0, 0, {0}}, 10);
    gsolve_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(symmetric), cmocka_unit_test(nonsymmetric),
                                       cmocka_unit_test(least_squares)};
    const struct CMUnitTest short_test[] = {cmocka_unit_test(few)};

    begin_ranks(&argc, &argv);
    need_device();
    if (argc > 1 && strcmp(argv[1], "few") == 0) {
        if (argc > 2 && strcmp(argv[2], "1") == 0) few_columns = 1;
        return end_ranks(cmocka_run_group_tests(short_test, NULL, NULL));
    }
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
