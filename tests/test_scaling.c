/* test_scaling.c: scales of rows and columns, transformed matrices, and the automatic solver with
 * scale and order. */
#include "factor/transform.h"

#include "tests/transform_support.h"

/* --- scales ----------------------------------------------------------------------------------- */

static bool is_power_of_two(double x)
{
    int exponent;

    return frexp(x, &exponent) == 0.5;
}

static double largest_in_row(const gsolve_csr *A, int32_t i)
{
    double largest = 0;

    for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
        largest = fmax(largest, fabs(gs_value(A, k)));
    }
    return largest;
}

static void rows_get_maxima_below_one(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int m = 0; m < NASTY; m++) {
        gsolve_csr A = read_matrix(ctx, nasty[m]);
        double *bad = random_scales(A.nrows, 100, 4), *scale = random_vector(A.nrows, 1);
        gsolve_csr B = changed(ctx, &A, NULL, bad, NULL);
        OK(ctx, gs_scaling_compute(scale, ctx, &B, GS_SCALE_ROWS));
        for (int32_t i = 0; i < B.nrows; i++) {
            const double largest = largest_in_row(&B, i);
            assert_true(is_power_of_two(scale[i]));
            if (largest == 0) assert_true(scale[i] == 1);
            if (largest > 0) assert_true(largest * scale[i] >= 0.5 && largest * scale[i] < 1);
        }
        free(bad);
        free(scale);
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&B, ctx);
    }
    close_context(ctx);
}

static void symmetric_scales_level_rows_and_columns(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int m = 0; m < NASTY; m++) {
        gsolve_csr A = read_matrix(ctx, nasty[m]), T;
        double *bad = random_scales(A.nrows, 8, 4), *scale = random_vector(A.nrows, 1);
        gsolve_csr B = A.nrows == A.ncols ? changed(ctx, &A, NULL, bad, bad) : A;
        if (A.nrows == A.ncols) {
            OK(ctx, gs_scaling_compute(scale, ctx, &B, GS_SCALE_SYMMETRIC));
            gsolve_csr C = changed(ctx, &B, NULL, scale, scale);
            OK(ctx, gsolve_csr_transpose(&T, ctx, &C));
            for (int32_t i = 0; i < B.nrows; i++) {
                const double most = fmax(largest_in_row(&C, i), largest_in_row(&T, i));
                assert_true(is_power_of_two(scale[i]));
                if (most != 0 && !(most > 0.2 && most < 5)) fail_msg("%s: %g", nasty[m], most);
            }
            gsolve_csr_free(&C, ctx);
            gsolve_csr_free(&T, ctx);
            gsolve_csr_free(&B, ctx);
        }
        free(bad);
        free(scale);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

static gs_scaling choice_for(gsolve_context *ctx, const char *matrix, double range, bool symmetric)
{
    gsolve_csr A = badly_scaled(ctx, matrix, range, symmetric, 3);
    gs_scaling scale;

    OK(ctx, gs_scaling_choose(&scale, ctx, &A));
    gsolve_csr_free(&A, ctx);
    return scale;
}

static void auto_chooses_by_the_rows(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    assert_int_equal(choice_for(ctx, "gen:poisson2d,n=20", 0, true), GS_SCALE_NONE);
    assert_int_equal(choice_for(ctx, "gen:poisson2d,n=20", 4, true), GS_SCALE_SYMMETRIC);
    assert_int_equal(choice_for(ctx, "gen:poisson2d,n=20", 4, false), GS_SCALE_ROWS);
    assert_int_equal(choice_for(ctx, "gen:tridiagonal,n=0", 4, false), GS_SCALE_NONE);
    close_context(ctx);
}

/* --- transformed matrices --------------------------------------------------------------------- */

/* B y = P R b and x = C P' y for a y that is chosen. */
static void check_transform(gsolve_context *ctx, gs_transform_options o, const char *matrix)
{
    gsolve_csr A = badly_scaled(ctx, matrix, 3, false, 6), B;
    gs_transform t;
    const int32_t n = A.nrows;
    double *y = random_vector(n, 2), *x = random_vector(n, 2), *b = random_vector(n, 2),
           *Pb = random_vector(n, 2), *By = random_vector(n, 2);

    OK(ctx, gs_transform_create(&t, ctx, &o, false, "test", &A));
    OK(ctx, gs_transform_rows(&t, ctx, &B, &A));
    assert_true(gs_rows_ascend(ctx, &B));
    assert_int_equal(gs_start(&B, n), gs_start(&A, n));
    gs_transform_out_host(&t, y, x);
    multiply_host(&A, x, b);
    gs_transform_in_host(&t, b, Pb);
    multiply_host(&B, y, By);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = gs_start(&B, i); k < gs_start(&B, i + 1); k++) {
            sum += fabs(gs_value(&B, k) * y[B.col[k]]);
        }
        assert_true(fabs(By[i] - Pb[i]) <= 1e-14 * sum);
    }
    gs_transform_destroy(&t, ctx);
    gsolve_csr_free(&A, ctx);
    gsolve_csr_free(&B, ctx);
    free(y);
    free(x);
    free(b);
    free(Pb);
    free(By);
}

static void transformed_systems_agree(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int scale = GS_SCALE_NONE; scale <= GS_SCALE_AUTO; scale++) {
        for (int order = GS_ORDER_NONE; order <= GS_ORDER_AMD; order++) {
            check_transform(ctx, (gs_transform_options){scale, order}, "gen:convdiff3d,n=6");
            check_transform(ctx, (gs_transform_options){scale, order}, "gen:circuit,n=200,dense=2");
        }
    }
    close_context(ctx);
}

/* --- the automatic solver --------------------------------------------------------------------- */

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    int32_t ncols;
    double *b, *x;
    gsolve_result result;
} problem;

static problem open_problem(gsolve_context *ctx, gsolve_csr csr, int32_t ncols)
{
    problem p = {ctx, csr, ncols, NULL, NULL, GSOLVE_INIT(gsolve_result)};
    double *x = random_vector((int64_t)csr.ncols * ncols, 11);

    p.b = random_vector((int64_t)csr.nrows * ncols, 1);
    for (int32_t c = 0; c < ncols; c++) {
        multiply_host(&csr, x + (int64_t)c * csr.ncols, p.b + (int64_t)c * csr.nrows);
    }
    free(x);
    p.x = calloc((size_t)csr.ncols * (size_t)ncols + 1, sizeof *p.x);
    return p;
}

static void close_problem(problem *p)
{
    gsolve_csr_free(&p->csr, p->ctx);
    free(p->b);
    free(p->x);
}

static gsolve_dense columns(const problem *p, double *value)
{
    gsolve_dense v = gsolve_vector(value, p->csr.nrows);

    v.ncols = p->ncols;
    return v;
}

static void check_solution(const problem *p, double rtol)
{
    double worst = 0;

    assert_int_equal(p->result.outcome, GSOLVE_CONVERGED);
    for (int32_t c = 0; c < p->ncols; c++) {
        const int64_t at = (int64_t)c * p->csr.nrows;
        worst = fmax(worst, true_residual(&p->csr, p->b + at, p->x + at));
    }
    if (!(worst <= rtol * (1 + 1e-6))) fail_msg("true residual %g", worst);
    assert_true(fabs(worst - p->result.relative_residual) <= 1e-6 * worst + 1e-16);
}

static void solve(problem *p, gsolve_auto *S, double rtol)
{
    memset(p->x, 0, (size_t)p->csr.nrows * (size_t)p->ncols * sizeof *p->x);
    p->result = (gsolve_result)GSOLVE_INIT(gsolve_result);
    OK(p->ctx, gsolve_auto_run(S, columns(p, p->b), columns(p, p->x), &p->result));
    check_solution(p, rtol);
}

static const char *const transforms[] = {
    "scale=rows", "scale=symmetric",      "scale=auto",           "order=rcm",
    "order=amd",  "scale=rows,order=rcm", "scale=auto,order=amd", "scale=symmetric,order=rcm",
};
enum { TRANSFORMS = sizeof transforms / sizeof *transforms };

/* Rows and columns that differ by up to 10^8: the caller's residual is met for each transform, and
 * reported. */
static void residuals_are_those_of_the_caller(void **state)
{
    static const char *const matrix[] = {"gen:poisson2d,n=15", "gen:convdiff3d,n=6"};
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int m = 0; m < 4; m++) {
        problem p =
            open_problem(ctx, badly_scaled(ctx, matrix[m / 2], 4, m % 2 == 0, 5), 1 + 2 * m);
        for (int k = 0; k < TRANSFORMS; k++) {
            gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
            gsolve_auto *S = NULL;
            gsolve_matrix_info A = GSOLVE_INIT(gsolve_matrix_info);
            OK(ctx, gsolve_auto_create(&S, ctx, transforms[k], &p.csr));
            solve(&p, S, 1e-8);
            gsolve_auto_describe(S, &info);
            assert_true(info.transform[0] != 0);
            assert_non_null(strstr(gsolve_auto_explain(S), info.transform));
            gsolve_matrix_describe(gsolve_auto_matrix(S), &A);
            assert_int_equal(A.nrows, p.csr.nrows);
            for (int32_t c = 0; c < p.ncols; c++) {
                gsolve_result column = GSOLVE_INIT(gsolve_result);
                OK(ctx, gsolve_solver_column(gsolve_auto_solver(S), c, &column));
                assert_int_equal(column.outcome, GSOLVE_CONVERGED);
                assert_true(column.relative_residual <= p.result.relative_residual);
            }
            gsolve_auto_destroy(&S);
        }
        close_problem(&p);
    }
    close_context(ctx);
}

/* A tolerance below what one pass in the norm of B reaches needs more of them. */
static void passes_go_on(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:convdiff3d,n=6", 6, false, 5), 2);
    static const char *const method[] = {"gmres,restart=20"}, *const precond[] = {"none"};
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=rows,rtol=1e-12", &p.csr));
    OK(ctx, gsolve_auto_set_choices(S, 1, method, precond));
    solve(&p, S, 1e-12);
    OK(ctx, gsolve_auto_set(S, "rtol=1e-3"));
    solve(&p, S, 1e-3);
    OK(ctx, gsolve_auto_set(S, "rtol=1e-9,maxit=2"));
    p.result = (gsolve_result)GSOLVE_INIT(gsolve_result);
    memset(p.x, 0, (size_t)p.csr.nrows * 2 * sizeof *p.x);
    OK(ctx, gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result));
    assert_int_equal(p.result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_int_equal(p.result.iterations, 2);
    assert_true(p.result.relative_residual < 1);
    gsolve_auto_destroy(&S);
    close_problem(&p);
    close_context(ctx);
}

/* New values get new scales; the result has the bits of a new handle. */
static void new_values_are_scaled_again(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:convdiff3d,n=6", 4, false, 5), 1);
    problem q = open_problem(ctx, badly_scaled(ctx, "gen:convdiff3d,n=6", 4, false, 99), 1);
    static const char *const method[] = {"gmres"}, *const precond[] = {"ilu"};
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    gsolve_auto *S = NULL, *T = NULL;
    double *kept = malloc((size_t)q.csr.nrows * sizeof *kept);

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=rows,order=rcm", &p.csr));
    OK(ctx, gsolve_auto_set_choices(S, 1, method, precond));
    solve(&p, S, 1e-8);
    OK(ctx, gsolve_auto_update(S, &q.csr));
    solve(&q, S, 1e-8);
    gsolve_auto_describe(S, &info);
    assert_int_equal(info.updates, 1);
    memcpy(kept, q.x, (size_t)q.csr.nrows * sizeof *kept);
    OK(ctx, gsolve_auto_create(&T, ctx, "scale=rows,order=rcm", &q.csr));
    OK(ctx, gsolve_auto_set_choices(T, 1, method, precond));
    solve(&q, T, 1e-8);
    assert_memory_equal(kept, q.x, (size_t)q.csr.nrows * sizeof *kept);
    free(kept);
    gsolve_auto_destroy(&S);
    gsolve_auto_destroy(&T);
    close_problem(&p);
    close_problem(&q);
    close_context(ctx);
}

/* A well scaled matrix with scale=auto is solved as without it, with the same bits. */
static void nothing_to_scale(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, read_matrix(ctx, "gen:poisson2d,n=20"), 1);
    double *first = malloc((size_t)p.csr.nrows * sizeof *first);
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    gsolve_auto *S = NULL, *T = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "", &p.csr));
    solve(&p, S, 1e-8);
    memcpy(first, p.x, (size_t)p.csr.nrows * sizeof *first);
    OK(ctx, gsolve_auto_create(&T, ctx, "scale=auto", &p.csr));
    solve(&p, T, 1e-8);
    assert_memory_equal(first, p.x, (size_t)p.csr.nrows * sizeof *first);
    gsolve_auto_describe(T, &info);
    assert_string_equal(info.transform, "");
    free(first);
    gsolve_auto_destroy(&S);
    gsolve_auto_destroy(&T);
    close_problem(&p);
    close_context(ctx);
}

/* b = 0 in a column, a guess that is the solution, a row-major b, and vectors of another type. */
static void special_vectors(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:poisson2d,n=12", 4, true, 5), 3);
    const int32_t n = p.csr.nrows;
    double *rows = malloc((size_t)n * 3 * sizeof *rows);
    float *single = calloc((size_t)n, sizeof *single);
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=auto,order=rcm", &p.csr));
    memset(p.b + n, 0, (size_t)n * sizeof *p.b);
    for (int32_t i = 0; i < n; i++) p.x[n + i] = 1; /* not the solution */
    OK(ctx, gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result));
    for (int32_t i = 0; i < n; i++) assert_true(p.x[n + i] == 0);
    check_solution(&p, 1e-8);
    p.result = (gsolve_result)GSOLVE_INIT(gsolve_result);
    OK(ctx, gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result));
    check_solution(&p, 1e-8);
    assert_int_equal(p.result.iterations, 0);
    for (int32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) rows[3 * i + c] = p.b[c * n + i];
    }
    memset(p.x, 0, (size_t)n * 3 * sizeof *p.x);
    gsolve_dense b = {n, 3, 3, rows, GSOLVE_F64, GSOLVE_HOST, GSOLVE_ROW_MAJOR};
    OK(ctx, gsolve_auto_run(S, b, columns(&p, p.x), &p.result));
    check_solution(&p, 1e-8);
    OK(ctx, gsolve_auto_set(S, "rtol=1e-4"));
    gsolve_dense x = {n, 1, n, single, GSOLVE_F32, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    OK(ctx, gsolve_auto_run(S, gsolve_vector(p.b, n), x, &p.result));
    assert_int_equal(p.result.outcome, GSOLVE_CONVERGED);
    gsolve_auto_destroy(&S);
    free(rows);
    free(single);
    close_problem(&p);
    close_context(ctx);
}

/* A matrix in single precision, with b and x in double precision. */
static void single_precision(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr wide = badly_scaled(ctx, "gen:convdiff3d,n=6", 6, false, 5), csr;
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_csr_convert(&csr, ctx, GSOLVE_F32, &wide));
    problem p = open_problem(ctx, csr, 2);
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=rows,order=amd", &p.csr));
    solve(&p, S, 1e-8);
    gsolve_auto_destroy(&S);
    gsolve_csr_free(&wide, ctx);
    close_problem(&p);
    close_context(ctx);
}

/* Scaled rows are not symmetric: cg, minres and ic are refused, and the list of the automatic
 * solver has none of them. */
static void symmetric_methods_refuse_scaled_rows(void **state)
{
    static const char *const method[] = {
        "cg", "minres", "gmres", "block_cg", "direct,factor=cholesky", "gmres",
    };
    static const char *const precond[] = {
        "jacobi", "none", "ic", "none", "none", "isai,power=1,factors=ic",
    };
    static const char *const mixed[] = {"cg", "gmres"}, *const none[] = {"jacobi", "ilu"};
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:poisson2d,n=12", 4, true, 5), 1);
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=rows", &p.csr));
    solve(&p, S, 1e-8);
    assert_null(strstr(gsolve_auto_explain(S), "symmetric matrix"));
    for (int k = 0; k < 6; k++) {
        assert_int_equal(gsolve_auto_set_choices(S, 1, &method[k], &precond[k]),
                         GSOLVE_UNSUPPORTED);
        assert_non_null(strstr(gsolve_error(ctx), "scale=symmetric"));
    }
    OK(ctx, gsolve_auto_set_choices(S, 2, mixed, none)); /* cg fails, gmres follows */
    solve(&p, S, 1e-8);
    assert_non_null(strstr(gsolve_auto_explain(S), "gmres"));
    gsolve_auto_destroy(&S);
    close_problem(&p);
    close_context(ctx);
}

/* --- least squares ---------------------------------------------------------------------------- */

static double *copy_of(const double *x, int64_t count)
{
    double *to = malloc((size_t)count * sizeof *to);

    memcpy(to, x, (size_t)count * sizeof *to);
    return to;
}

/* Solves p from the guess in x0 by one choice. Returns the handle. */
static gsolve_auto *solve_by(problem *p, const char *options, const char *method,
                             const char *precond, const double *x0)
{
    gsolve_auto *S = NULL;

    OK(p->ctx, gsolve_auto_create(&S, p->ctx, options, &p->csr));
    OK(p->ctx, gsolve_auto_set_choices(S, 1, &method, &precond));
    p->result = (gsolve_result)GSOLVE_INIT(gsolve_result);
    memcpy(p->x, x0, (size_t)p->csr.nrows * (size_t)p->ncols * sizeof *x0);
    OK(p->ctx, gsolve_auto_run(S, columns(p, p->b), columns(p, p->x), &p->result));
    return S;
}

/* A good guess makes the share of the residual that a pass needs large, which must not decide about
 * |A'r|: methods that minimise |b - A x| run without the transform, with the bits of such a run. */
static void least_squares_methods_use_no_transform(void **state)
{
    static const char *const method[] = {"lsmr", "lsqr", "lsmr,accept=singular",
                                         "direct,factor=lu,factor=qr", "auto"};
    static const char *const precond[] = {"none", "jacobi,normal=1", "none", "none",
                                          "jacobi,normal=1"};
    static const char *const transform[] = {"order=rcm", "scale=rows", "scale=symmetric,order=amd"};
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, read_matrix(ctx, "gen:poisson2d,n=30"), 1);
    const size_t bytes = (size_t)p.csr.nrows * sizeof *p.x;
    gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
    char options[80];
    gsolve_auto *S = solve_by(&p, "rtol=1e-6", "lsmr", "none", p.x);
    double *guess = copy_of(p.x, p.csr.nrows), *plain;

    (void)state;
    gsolve_auto_destroy(&S);
    for (int k = 0; k < 5; k++) {
        S = solve_by(&p, "rtol=1e-8", method[k], precond[k], guess);
        gsolve_auto_destroy(&S);
        plain = copy_of(p.x, p.csr.nrows);
        for (int t = 0; t < 3; t++) {
            snprintf(options, sizeof options, "rtol=1e-8,%s", transform[t]);
            S = solve_by(&p, options, method[k], precond[k], guess);
            check_solution(&p, 1e-8);
            assert_memory_equal(plain, p.x, bytes);
            assert_non_null(strstr(gsolve_auto_explain(S), "without scale and order"));
            gsolve_auto_describe(S, &info);
            assert_string_equal(info.transform, "");
            OK(ctx, gsolve_auto_update(S, &p.csr)); /* of A, and of its transform */
            solve(&p, S, 1e-8);
            gsolve_auto_destroy(&S);
        }
        free(plain);
    }
    free(guess);
    close_problem(&p);
    close_context(ctx);
}

/* The rows of a Laplacian sum to 0, those of the scaled one do not: x is a least-squares solution
 * of the caller's system, and the handle knows that A is singular. */
static void singular_systems_are_not_scaled(void **state)
{
    static const char *const transform[] = {"scale=symmetric", "scale=rows", "order=rcm"};
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, read_matrix(ctx, "gen:neumann2d,n=20"), 1);

    (void)state;
    for (int32_t i = 0; i < p.csr.nrows; i++) p.b[i] = gsolve_random(3, (uint64_t)i);
    for (int t = 0; t < 3; t++) {
        gsolve_auto *S = NULL;
        OK(ctx, gsolve_auto_create(&S, ctx, transform[t], &p.csr));
        memset(p.x, 0, (size_t)p.csr.nrows * sizeof *p.x);
        p.result = (gsolve_result)GSOLVE_INIT(gsolve_result);
        OK(ctx, gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result));
        assert_int_equal(p.result.outcome, GSOLVE_LEAST_SQUARES);
        assert_true(p.result.relative_normal_residual <= 1e-8);
        assert_true(p.result.relative_residual < 0.5);
        gsolve_auto_destroy(&S);
    }
    close_problem(&p);
    close_context(ctx);
}

/* scale=auto scales no rectangular matrix, and says so. */
static void rectangular_systems_are_not_scaled(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = badly_scaled(ctx, "gen:random,n=90,cols=40", 4, false, 5);
    double *b = random_vector(csr.nrows, 1), *x = random_vector(csr.ncols, 2);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=auto", &csr));
    OK(ctx, gsolve_auto_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.ncols), &result));
    assert_true(gsolve_outcome_is_success(result.outcome));
    assert_non_null(strstr(gsolve_auto_explain(S), "A is not square"));
    gsolve_auto_destroy(&S);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* --- what passes report ----------------------------------------------------------------------- */

/* Numbers in results and explanations are those of the caller's system. */
static void numbers_are_those_of_the_caller(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:convdiff3d,n=6", 6, false, 5), 2);
    double *zero = calloc((size_t)p.csr.nrows * 2, sizeof *zero);
    gsolve_result column = GSOLVE_INIT(gsolve_result);
    char words[40];

    (void)state;
    gsolve_auto *S = solve_by(&p, "scale=rows", "gmres", "none", zero);
    assert_true(p.result.relative_normal_residual == -1);
    gsolve_auto_destroy(&S);
    S = solve_by(&p, "scale=rows,rtol=1e-17", "gmres", "none", zero);
    assert_int_equal(p.result.outcome, GSOLVE_STAGNATED);
    assert_true(p.result.relative_normal_residual == -1);
    OK(ctx, gsolve_solver_column(gsolve_auto_solver(S), 1, &column));
    assert_true(column.relative_normal_residual == -1);
    snprintf(words, sizeof words, "your system stays at %.1e", p.result.relative_residual);
    assert_non_null(strstr(gsolve_auto_explain(S), words));
    assert_non_null(strstr(gsolve_auto_explain(S), "larger --rtol"));
    gsolve_auto_destroy(&S);
    close_problem(&p);
    p = open_problem(ctx, read_matrix(ctx, "gen:neumann2d,n=6"), 1);
    p.b[0] += 1;
    S = solve_by(&p, "scale=symmetric", "direct", "none", zero);
    assert_false(gsolve_outcome_is_success(p.result.outcome));
    assert_null(strstr(gsolve_auto_explain(S), "--rtol"));
    gsolve_auto_destroy(&S);
    close_problem(&p);
    free(zero);
    close_context(ctx);
}

/* tridiag(-1, 2, -1) of n - 1 rows, and a row of its own with -1. */
static gsolve_csr indefinite(gsolve_context *ctx, int32_t n)
{
    int32_t *i = malloc((size_t)n * 3 * sizeof *i), *j = malloc((size_t)n * 3 * sizeof *j);
    double *v = malloc((size_t)n * 3 * sizeof *v);
    int64_t count = 0;
    gsolve_csr A;

    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = r - 1; c <= r + 1; c++) {
            if (c < 0 || c >= n || (c != r && (r == n - 1 || c == n - 1))) continue;
            i[count] = r;
            j[count] = c;
            v[count++] = r == n - 1 || r != c ? -1 : 2;
        }
    }
    OK(ctx, gs_csr_from_triplets(&A, ctx, n, n, count, i, j, v));
    free(i);
    free(j);
    free(v);
    return A;
}

/* Each column ends with its own outcome, and takes part in no pass after that one. */
static void columns_end_for_themselves(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, indefinite(ctx, 60), 3);
    const int32_t n = p.csr.nrows;
    double *zero = calloc((size_t)n * 3, sizeof *zero);
    gsolve_result result[3];
    gsolve_auto *S;

    (void)state;
    p.b[n - 1] = 0;                                 /* 0: solved to rounding level */
    for (int32_t i = 0; i < n; i++) p.b[n + i] = 0; /* 1: cg meets p'Ap < 0 at once */
    p.b[2 * n - 1] = 1;
    for (int32_t i = 0; i < n; i++) p.b[2 * n + i] = 0; /* 2: solved by its guess */
    S = solve_by(&p, "scale=symmetric,rtol=1e-17", "cg", "none", zero);
    for (int c = 0; c < 3; c++) {
        result[c] = (gsolve_result)GSOLVE_INIT(gsolve_result);
        OK(ctx, gsolve_solver_column(gsolve_auto_solver(S), c, &result[c]));
    }
    assert_int_equal(result[0].outcome, GSOLVE_STAGNATED);
    assert_true(result[0].relative_residual < 1e-13);
    assert_non_null(strstr(gsolve_auto_explain(S), "passes"));
    assert_int_equal(result[1].outcome, GSOLVE_INDEFINITE);
    assert_true(result[1].iterations <= 1);
    assert_true(result[1].relative_residual == 1);
    assert_int_equal(result[2].outcome, GSOLVE_CONVERGED);
    assert_int_equal(result[2].iterations, 0);
    assert_int_equal(p.result.outcome, GSOLVE_INDEFINITE);
    gsolve_auto_destroy(&S);
    free(zero);
    close_problem(&p);
    close_context(ctx);
}

/* --- callbacks -------------------------------------------------------------------------------- */

typedef struct seen {
    int calls, last;
    double first, least;
} seen;

static bool watch(int iteration, double residual, void *user)
{
    seen *s = user;

    if (s->calls++ == 0) s->first = residual;
    assert_true(iteration >= s->last);
    s->last = iteration;
    s->least = fmin(s->least, residual);
    return iteration < 1000000;
}

static bool stop_at_3(int iteration, double residual, void *user)
{
    (void)residual;
    (void)user;
    return iteration < 3;
}

static gsolve_decision accept_at_half(int iteration, int32_t column, double residual, double norm,
                                      void *user)
{
    (void)iteration;
    (void)column;
    (void)user;
    return residual <= 0.5 * norm ? GSOLVE_ACCEPT : GSOLVE_CONTINUE;
}

static void callbacks(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:convdiff3d,n=6", 6, false, 5), 1);
    static const char *const method[] = {"gmres,restart=20"}, *const precond[] = {"none"};
    seen s = {.least = INFINITY};
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=rows,rtol=1e-10", &p.csr));
    OK(ctx, gsolve_auto_set_choices(S, 1, method, precond));
    gsolve_auto_set_monitor(S, watch, &s);
    solve(&p, S, 1e-10);
    assert_true(s.first == 1);
    assert_true(s.last <= p.result.iterations && s.calls > p.result.iterations / 2);
    assert_true(s.least < 1e-6);
    gsolve_auto_set_monitor(S, stop_at_3, NULL);
    memset(p.x, 0, (size_t)p.csr.nrows * sizeof *p.x);
    OK(ctx, gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result));
    assert_int_equal(p.result.outcome, GSOLVE_STOPPED);
    gsolve_auto_set_monitor(S, NULL, NULL);
    gsolve_auto_set_stopping_test(S, accept_at_half, NULL);
    memset(p.x, 0, (size_t)p.csr.nrows * sizeof *p.x);
    OK(ctx, gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result));
    assert_int_equal(p.result.outcome, GSOLVE_ACCEPTED);
    gsolve_auto_destroy(&S);
    close_problem(&p);
    close_context(ctx);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refuse(gsolve_context *ctx, const char *matrix, const char *options,
                   gsolve_status expected, const char *words)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    gsolve_auto *S = NULL;

    assert_int_equal(gsolve_auto_create(&S, ctx, options, &csr), expected);
    if (!strstr(gsolve_error(ctx), words)) fail_msg("%s: %s", options, gsolve_error(ctx));
    assert_null(S);
    gsolve_csr_free(&csr, ctx);
}

static gsolve_status identity(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    (void)ctx, (void)x, (void)y, (void)user;
    return GSOLVE_OK;
}

static void refusals(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:neumann2d,n=6");
    const gsolve_null_space constants = {.constants = true};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double *b = random_vector(csr.nrows, 1), *x = random_vector(csr.nrows, 2);
    gsolve_matrix *A = NULL, *O = NULL;
    gsolve_auto *S = NULL;

    (void)state;
    refuse(ctx, "gen:poisson2d,n=5", "scale=columns", GSOLVE_BAD_SPEC, "scale");
    refuse(ctx, "gen:poisson2d,n=5", "order=cm", GSOLVE_BAD_SPEC, "order");
    refuse(ctx, "gen:random,n=9,cols=7", "scale=rows", GSOLVE_BAD_MATRIX, "9 x 7; leave them out");
    refuse(ctx, "gen:poisson2d,n=5", "cg", GSOLVE_BAD_SPEC, "gsolve_auto_set_choices");
    refuse(ctx, "gen:poisson2d,n=5", "cg,scale=rows", GSOLVE_BAD_SPEC, "gsolve_auto_set_choices");
    refuse(ctx, "gen:random,n=9,cols=7", "scale=auto,order=rcm", GSOLVE_BAD_MATRIX, "9 x 7");
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_auto_create_from(&S, ctx, "order=rcm", A));
    assert_int_equal(gsolve_auto_set(S, "order=amd"), GSOLVE_BAD_SPEC);
    OK(ctx, gsolve_matrix_set_null_space(A, &constants, NULL));
    assert_int_equal(
        gsolve_auto_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), &result),
        GSOLVE_UNSUPPORTED);
    assert_non_null(
        strstr(gsolve_error(ctx), "scale and order cannot be combined with a null space"));
    gsolve_auto_destroy(&S);
    /* scale=auto would find nothing to scale */
    assert_int_equal(gsolve_auto_create_from(&S, ctx, "scale=auto", A), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "null space"));
    OK(ctx, gsolve_matrix_create_operator(&O, ctx, 9, 9, GSOLVE_F64, identity, NULL, NULL));
    assert_int_equal(gsolve_auto_create_from(&S, ctx, "scale=rows", O), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "operator"));
    gsolve_matrix_destroy(&O);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

static void bad_vectors(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:poisson2d,n=12", 4, true, 5), 1);
    gsolve_dense b = columns(&p, p.b), x = columns(&p, p.x);
    gsolve_auto *S = NULL;

    (void)state;
    OK(ctx, gsolve_auto_create(&S, ctx, "scale=auto", &p.csr));
    b.nrows--;
    assert_int_equal(gsolve_auto_run(S, b, x, &p.result), GSOLVE_BAD_ARGUMENT);
    b = columns(&p, p.b);
    assert_int_equal(gsolve_auto_run(S, x, x, &p.result), GSOLVE_BAD_ARGUMENT);
    p.b[3] = NAN;
    assert_int_equal(gsolve_auto_run(S, b, x, &p.result), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "not finite"));
    x.ncols = b.ncols = 0;
    OK(ctx, gsolve_auto_run(S, b, x, &p.result));
    gsolve_auto_destroy(&S);
    close_problem(&p);
    close_context(ctx);
}

/* A run without enough memory fails, or takes another choice, and the next one succeeds. */
static void short_memory(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, badly_scaled(ctx, "gen:poisson2d,n=9", 4, true, 5), 2);
    gsolve_auto *S = NULL;

    (void)state;
    ALLOCATION_SWEEP(ctx, gsolve_auto_create(&S, ctx, "scale=auto,order=rcm", &p.csr));
    gsolve_auto_destroy(&S);
    for (int64_t granted = 0; granted < 60; granted += 3) {
        OK(ctx, gsolve_auto_create(&S, ctx, "scale=symmetric,order=rcm", &p.csr));
        gsolve_context_limit_allocations(ctx, granted);
        const gsolve_status status =
            gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result);
        assert_true(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY);
        gsolve_context_limit_allocations(ctx, -1);
        solve(&p, S, 1e-8);
        gsolve_context_limit_allocations(ctx, granted % 7);
        gsolve_auto_update(S, &p.csr);
        gsolve_auto_run(S, columns(&p, p.b), columns(&p, p.x), &p.result);
        gsolve_context_limit_allocations(ctx, -1);
        solve(&p, S, 1e-8);
        gsolve_auto_destroy(&S);
    }
    close_problem(&p);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_get_maxima_below_one),
        cmocka_unit_test(symmetric_scales_level_rows_and_columns),
        cmocka_unit_test(auto_chooses_by_the_rows),
        cmocka_unit_test(transformed_systems_agree),
        cmocka_unit_test(residuals_are_those_of_the_caller),
        cmocka_unit_test(passes_go_on),
        cmocka_unit_test(new_values_are_scaled_again),
        cmocka_unit_test(nothing_to_scale),
        cmocka_unit_test(special_vectors),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(symmetric_methods_refuse_scaled_rows),
        cmocka_unit_test(least_squares_methods_use_no_transform),
        cmocka_unit_test(singular_systems_are_not_scaled),
        cmocka_unit_test(rectangular_systems_are_not_scaled),
        cmocka_unit_test(numbers_are_those_of_the_caller),
        cmocka_unit_test(columns_end_for_themselves),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bad_vectors),
        cmocka_unit_test(short_memory),
    };

    need_device();
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
