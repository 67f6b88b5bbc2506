/* test_least_squares.c: lsqr, lsmr and direct where |b - A x| cannot be small: the outcome against
 * |A'r| / (|A| |r|), which the test computes from the rows; jacobi,normal=1; the structural rank.
 */
#include "matrix/structural_rank.h"
#include "tests/operator_support.h"
#include "tests/settings_support.h"

/* --- a system and its check ------------------------------------------------------------------- */

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_type type;
    int32_t columns;
    void *b, *x;
} problem;

static gsolve_dense dense(const problem *p, void *v, int32_t n)
{
    return (gsolve_dense){n, p->columns, n, v, p->type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static void put(const problem *p, void *v, int64_t i, double value)
{
    if (p->type == GSOLVE_F32) ((float *)v)[i] = (float)value;
    if (p->type == GSOLVE_F64) ((double *)v)[i] = value;
}

static double get(const problem *p, const void *v, int64_t i)
{
    return p->type == GSOLVE_F32 ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

/* factor: of all values. */
static problem open_problem(gsolve_context *ctx, const char *matrix, gsolve_type type,
                            int32_t columns, double factor)
{
    problem p = {.ctx = ctx, .type = type, .columns = columns};
    gsolve_csr wide = read_matrix(ctx, matrix);
    const int64_t m = wide.nrows, n = wide.ncols, end = gs_start(&wide, wide.nrows);

    for (int64_t e = 0; e < end; e++) ((double *)wide.value)[e] *= factor;
    OK(ctx, gs_csr_copy(&p.csr, ctx, type, &wide));
    gsolve_csr_free(&wide, ctx);
    OK(ctx, gsolve_matrix_create(&p.A, ctx, "csr", &p.csr));
    p.b = malloc((size_t)(m * columns + 1) * sizeof(double));
    p.x = malloc((size_t)(n * columns + 1) * sizeof(double));
    for (int64_t i = 0; i < m * columns; i++) put(&p, p.b, i, 1 + gsolve_random(3, (uint64_t)i));
    return p;
}

static void close_problem(problem *p)
{
    gsolve_precond_destroy(&p->M);
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, p->ctx);
    free(p->b);
    free(p->x);
}

static gsolve_result run_from_zero(const problem *p, gsolve_solver *S)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int64_t i = 0; i < (int64_t)p->csr.ncols * p->columns; i++) put(p, p->x, i, 0);
    OK(p->ctx,
       gsolve_solver_run(S, dense(p, p->b, p->csr.nrows), dense(p, p->x, p->csr.ncols), &result));
    return result;
}

typedef struct measures {
    double relative, normal; /* |r| / |b|, |A'r| / (|A| |r|) */
} measures;

/* Those of column c, in long double. */
static measures measure(const problem *p, int32_t c)
{
    const gsolve_csr *A = &p->csr;
    long double rr = 0, bb = 0, gg = 0, aa = 0;
    long double *g = calloc((size_t)A->ncols + 1, sizeof *g);

    for (int32_t i = 0; i < A->nrows; i++) {
        const double bi = get(p, p->b, (int64_t)c * A->nrows + i);
        long double r = bi;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            r -= (long double)gs_value(A, e) * get(p, p->x, (int64_t)c * A->ncols + A->col[e]);
        }
        rr += r * r, bb += (long double)bi * bi;
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            g[A->col[e]] += gs_value(A, e) * r;
            aa += (long double)gs_value(A, e) * gs_value(A, e);
        }
    }
    for (int32_t j = 0; j < A->ncols; j++) gg += g[j] * g[j];
    free(g);
    return (measures){(double)sqrtl(rr / bb), gg > 0 ? (double)sqrtl(gg / aa / rr) : 0};
}

/* Each column has converged or is a least-squares solution, as its outcome says. */
static void assert_solved(const problem *p, gsolve_solver *S, const char *what, double rtol)
{
    const double noise = p->type == GSOLVE_F32 ? 1e-6 : 1e-12;

    for (int32_t c = 0; c < p->columns; c++) {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        const measures own = measure(p, c);
        OK(p->ctx, gsolve_solver_column(S, c, &result));
        if (result.outcome == GSOLVE_CONVERGED && own.relative <= rtol * 1.0001) continue;
        if (result.outcome != GSOLVE_LEAST_SQUARES || own.normal > rtol + noise ||
            own.relative <= rtol * 0.9999 ||
            fabs(result.relative_normal_residual - own.normal) > 1e-3 * own.normal + noise) {
            fail_msg("%s, column %d: %s, |r| %g, |A'r| %g, own %g: %s", what, c,
                     gsolve_outcome_text(result.outcome), own.relative,
                     result.relative_normal_residual, own.normal, gsolve_solver_explain(S));
        }
    }
}

/* --- solves ----------------------------------------------------------------------------------- */

static const char *const matrices[] = {
    "gen:random,n=300,cols=80",    "gen:random,n=80,cols=300",    "gen:emptyrows,n=200",
    "gen:emptyrows,n=300,cols=90", "gen:lp,n=40,cols=200",        "gen:neumann2d,n=9",
    "gen:convdiff3d,n=5",          "gen:tridiagonal,n=1",         "gen:rmat,scale=7,diagonal=0",
    "gen:web,n=300,longest=100",   "gen:random,n=7,cols=0,row=0", "gen:random,n=9,cols=4,row=0"};
static const char *const methods[] = {"lsqr", "lsmr"};
static const char *const preconds[] = {"none", "jacobi,normal=1"};

static void each_method(const char *name, gsolve_type type, int32_t columns, double factor)
{
    const double rtol = type == GSOLVE_F32 ? 1e-4 : 1e-9;
    gsolve_context *ctx = open_context(2);
    problem p = open_problem(ctx, name, type, columns, factor);

    for (size_t k = 0; k < NELEM(methods) * NELEM(preconds); k++) {
        char spec[64], what[200];
        gsolve_solver *S = NULL;
        snprintf(spec, sizeof spec, "%s,rtol=%g", methods[k % 2], rtol);
        snprintf(what, sizeof what, "%s %s %s %g %s", name, spec, preconds[k / 2], factor,
                 type == GSOLVE_F32 ? "f32" : "f64");
        OK(ctx, gsolve_precond_create_from(&p.M, ctx, preconds[k / 2], p.A));
        OK(ctx, gsolve_solver_create(&S, ctx, spec, p.A, p.M));
        for (int again = 0; again < 2; again++) { /* on a GPU the second run replays a graph */
            run_from_zero(&p, S);
            assert_solved(&p, S, what, rtol);
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&p.M);
    }
    close_problem(&p);
    close_context(ctx);
}

static void solves(void **state)
{
    (void)state;
    for (size_t k = 0; k < NELEM(matrices); k++) {
        each_method(matrices[k], GSOLVE_F64, 1, 1);
        each_method(matrices[k], GSOLVE_F64, 3, 1);
        each_method(matrices[k], GSOLVE_F32, 2, 1);
    }
}

/* Numbers whose squares leave the range of the type. */
static void far_numbers(void **state)
{
    static const double factors[] = {1e-140, 1e-90, 1e90, 1e140};
    (void)state;

    for (size_t f = 0; f < NELEM(factors); f++) {
        each_method("gen:random,n=200,cols=60", GSOLVE_F64, 2, factors[f]);
    }
    each_method("gen:random,n=200,cols=60", GSOLVE_F32, 2, 1e12);
    each_method("gen:random,n=200,cols=60", GSOLVE_F32, 2, 1e-12);
}

/* direct solves rectangular systems, and says so. */
static void direct(void **state)
{
    static const char *const names[] = {"gen:random,n=300,cols=80", "gen:random,n=80,cols=300"};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < NELEM(names); k++) {
        problem p = open_problem(ctx, names[k], GSOLVE_F64, 2, 1);
        gsolve_solver *S = NULL;
        gsolve_result result;
        OK(ctx, gsolve_solver_create(&S, ctx, "auto", p.A, NULL));
        assert_string_equal(gsolve_solver_name(S), "direct");
        result = run_from_zero(&p, S);
        assert_int_equal(result.outcome, k ? GSOLVE_CONVERGED : GSOLVE_LEAST_SQUARES);
        assert_true(k ? result.relative_normal_residual == -1
                      : result.relative_normal_residual < 1e-12);
        assert_solved(&p, S, names[k], 1e-8);
        gsolve_solver_destroy(&S);
        close_problem(&p);
    }
    close_context(ctx);
}

/* --- what counts as success ------------------------------------------------------------------- */

/* A loose tolerance holds for |A'r| long before it holds for |r|. */
static gsolve_outcome outcome_with(gsolve_context *ctx, const char *name, const char *spec)
{
    problem p = open_problem(ctx, name, GSOLVE_F64, 1, 1);
    gsolve_solver *S = NULL;
    gsolve_result result;

    OK(ctx, gsolve_solver_create(&S, ctx, spec, p.A, NULL));
    result = run_from_zero(&p, S);
    if (result.outcome == GSOLVE_NOT_SOLVED) {
        assert_false(gsolve_outcome_is_success(result.outcome));
        assert_non_null(strstr(gsolve_solver_explain(S), "Nothing shows that A is singular"));
        assert_true(result.relative_normal_residual >= 0 &&
                    result.relative_normal_residual <= 1e-3);
    } else {
        assert_non_null(strstr(gsolve_solver_explain(S), "least-squares solution"));
    }
    gsolve_solver_destroy(&S);
    close_problem(&p);
    return result.outcome;
}

static void success(void **state)
{
    static const char *const strict = "lsmr,rtol=1e-3,accept=singular";
    gsolve_context *ctx = open_context(1);
    (void)state;

    assert_int_equal(outcome_with(ctx, "gen:poisson2d,n=30", "lsmr,rtol=1e-3"),
                     GSOLVE_LEAST_SQUARES);
    assert_int_equal(outcome_with(ctx, "gen:poisson2d,n=30", strict), GSOLVE_NOT_SOLVED);
    assert_int_equal(outcome_with(ctx, "gen:neumann2d,n=30", strict), GSOLVE_LEAST_SQUARES);
    assert_int_equal(outcome_with(ctx, "gen:emptyrows,n=400", strict), GSOLVE_LEAST_SQUARES);
    assert_int_equal(outcome_with(ctx, "gen:random,n=90,cols=40", strict), GSOLVE_LEAST_SQUARES);
    assert_string_equal(gsolve_outcome_text(GSOLVE_NOT_SOLVED),
                        "least-squares residual reached, system not solved");
    close_context(ctx);
}

/* A limit of iterations, and what the sentence advises. */
static void too_few_iterations(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = open_problem(ctx, "gen:random,n=300,cols=80", GSOLVE_F64, 1, 1);
    gsolve_solver *S = NULL;
    gsolve_result result;
    (void)state;

    OK(ctx, gsolve_solver_create(&S, ctx, "lsqr,maxit=3", p.A, NULL));
    result = run_from_zero(&p, S);
    assert_int_equal(result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_true(result.relative_normal_residual > 1e-8);
    assert_non_null(strstr(gsolve_solver_explain(S), "--solver direct,factor=qr"));
    OK(ctx, gsolve_solver_set(S, "maxit=300,rtol=1e-3")); /* the graph keeps no tolerance */
    run_from_zero(&p, S);
    assert_solved(&p, S, "set", 1e-3);
    OK(ctx, gsolve_solver_set(S, "rtol=1e-11"));
    run_from_zero(&p, S);
    assert_solved(&p, S, "set", 1e-11);
    gsolve_solver_destroy(&S);
    close_problem(&p);
    close_context(ctx);
}

/* The automatic solver ends with a least-squares solution: by QR, or by lsmr if nothing else finds
 * one. */
static void automatic(void **state)
{
    static const char *const names[] = {"gen:emptyrows,n=400", "gen:neumann2d,n=12"};
    static const char *const expected[] = {"none", "jacobi,normal=1"};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < NELEM(names); k++) {
        problem p = open_problem(ctx, names[k], GSOLVE_F64, 1, 1);
        gsolve_auto *S = NULL;
        gsolve_auto_info info = GSOLVE_INIT(gsolve_auto_info);
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        for (int32_t j = 0; j < p.csr.ncols; j++) put(&p, p.x, j, 0);
        OK(ctx, gsolve_auto_create_from(&S, ctx, "", p.A));
        OK(ctx,
           gsolve_auto_run(S, dense(&p, p.b, p.csr.nrows), dense(&p, p.x, p.csr.ncols), &result));
        gsolve_auto_describe(S, &info);
        assert_int_equal(result.outcome, GSOLVE_LEAST_SQUARES);
        assert_string_equal(info.precond, expected[k]);
        assert_true(measure(&p, 0).normal <= 1.001e-8);
        gsolve_auto_destroy(&S);
        close_problem(&p);
    }
    close_context(ctx);
}

/* --- operators -------------------------------------------------------------------------------- */

static void operators(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = open_problem(ctx, "gen:random,n=200,cols=60", GSOLVE_F64, 3, 1);
    callee f = {.A = p.A};
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    (void)state;

    OK(ctx, gsolve_matrix_create_operator(&A, ctx, 200, 60, GSOLVE_F64, multiply,
                                          multiply_transpose, &f));
    OK(ctx, gsolve_solver_create(&S, ctx, "auto", A, NULL));
    assert_string_equal(gsolve_solver_name(S), "lsmr");
    run_from_zero(&p, S);
    for (int32_t c = 0; c < p.columns; c++) {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        OK(ctx, gsolve_solver_column(S, c, &result));
        assert_int_equal(result.outcome, GSOLVE_LEAST_SQUARES);
        assert_true(result.relative_normal_residual <= 1e-8); /* of a lower bound of |A|, */
        assert_true(measure(&p, c).normal <=
                    result.relative_normal_residual * 1.001); /* so it is larger */
    }
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    OK(ctx, gsolve_matrix_create_operator(&A, ctx, 200, 60, GSOLVE_F64, multiply, NULL, &f));
    OK(ctx, gsolve_solver_create(&S, ctx, "lsqr", A, NULL));
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    assert_int_equal(gsolve_solver_run(S, dense(&p, p.b, 200), dense(&p, p.x, 60), &result),
                     GSOLVE_UNSUPPORTED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_problem(&p);
    close_context(ctx);
}

/* A diagonal operator with numbers from 1e-9 to 1 in 8 columns, and empty rows below: A'b = 0 for
 * the first b, and the second is close to the eigenvector of the smallest number. |A| belongs to A
 * and not to the first b. */
static void norm_of_operators(void **state)
{
    static const double factors[] = {1, 1e-180, 1e180};
    enum { M = 12, N = 8 };
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t f = 0; f < NELEM(factors) * 3; f++) {
        problem p = open_problem(ctx, "gen:random,n=12,cols=8,row=1", GSOLVE_F64, 1, 1);
        callee of = {0};
        gsolve_matrix *A = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result;
        int32_t start[M + 1], col[N];
        double value[N];
        for (int32_t i = 0; i <= M; i++) start[i] = i < N ? i : N;
        for (int32_t j = 0; j < N; j++) {
            col[j] = j;
            value[j] = factors[f / 3] * (j == 0 ? 1e-9 : 1.0 / (N - j));
        }
        const gsolve_csr diagonal = {M, N, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
        gsolve_matrix_destroy(&p.A);
        gsolve_csr_free(&p.csr, ctx);
        OK(ctx, gsolve_matrix_create(&p.A, ctx, "csr", &diagonal));
        OK(ctx, gs_csr_copy(&p.csr, ctx, GSOLVE_F64, &diagonal));
        of.A = p.A;
        OK(ctx, gsolve_matrix_create_operator(&A, ctx, M, N, GSOLVE_F64, multiply,
                                              multiply_transpose, &of));
        OK(ctx, gsolve_solver_create(&S, ctx, methods[f % 2], A, NULL));
        for (int32_t i = 0; i < M; i++) put(&p, p.b, i, i + 1 == M || (f % 3 == 1 && i == 0));
        if (f % 3 != 2) run_from_zero(&p, S);
        for (int32_t i = 0; i < M; i++) put(&p, p.b, i, i > 0 ? 1 + 0.1 * i : 0);
        result = run_from_zero(&p, S);
        assert_int_equal(result.outcome, GSOLVE_LEAST_SQUARES);
        /* the measure of the operator has a norm between a half and the whole of the largest */
        const double own = measure(&p, 0).normal;
        assert_true(own <= 1e-8 && result.relative_normal_residual <= 4 * own + 1e-12);
        gsolve_solver_destroy(&S);
        gsolve_matrix_destroy(&A);
        close_problem(&p);
    }
    close_context(ctx);
}

/* --- the preconditioner ----------------------------------------------------------------------- */

static void assert_refused(const problem *p, const char *precond, const char *method)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;

    OK(p->ctx, gsolve_precond_create_from(&M, p->ctx, precond, p->A));
    assert_int_equal(gsolve_solver_create(&S, p->ctx, method, p->A, M), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(p->ctx), "A^T A"));
    assert_null(S);
    gsolve_precond_destroy(&M);
}

/* d_j = 1 / |a_j|^2, for one value of each column, also after an update; 1 for an empty column. */
static void assert_diagonal(gsolve_context *ctx, const gsolve_precond *M, const gsolve_csr *A)
{
    double *d = malloc(((size_t)A->ncols + 1) * sizeof *d);
    double *sum = calloc((size_t)A->ncols + 1, sizeof *sum);

    OK(ctx, gsolve_copy(ctx, d, GSOLVE_HOST, gsolve_precond_diagonal(M), gs_location(ctx),
                        (size_t)A->ncols * sizeof *d));
    for (int64_t e = 0; e < gs_start(A, A->nrows); e++) {
        sum[A->col[e]] += gs_value(A, e) * gs_value(A, e);
    }
    for (int32_t j = 0; j < A->ncols; j++) {
        assert_true(fabs(d[j] * (sum[j] > 0 ? sum[j] : 1) - 1) < 1e-14);
    }
    free(sum);
    free(d);
}

static void preconditioner(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = open_problem(ctx, "gen:random,n=60,cols=90,row=2", GSOLVE_F64, 1, 1);
    problem square = open_problem(ctx, "gen:poisson2d,n=8", GSOLVE_F64, 1, 1);
    gsolve_solver *S = NULL;
    (void)state;

    OK(ctx, gsolve_precond_create(&p.M, ctx, "jacobi,normal=1", &p.csr));
    assert_diagonal(ctx, p.M, &p.csr);
    OK(ctx, gsolve_solver_create(&S, ctx, "lsqr,rtol=1e-10", p.A, p.M));
    for (int64_t e = 0; e < gs_start(&p.csr, 60); e++) ((double *)p.csr.value)[e] *= 1 + e % 7;
    OK(ctx, gsolve_matrix_update(p.A, &p.csr));
    OK(ctx, gsolve_precond_update_from(p.M, p.A));
    assert_diagonal(ctx, p.M, &p.csr);
    run_from_zero(&p, S);
    assert_solved(&p, S, "update", 1e-10);
    gsolve_solver_destroy(&S);
    assert_refused(&square, "jacobi,normal=1", "cg");
    ((double *)p.csr.value)[5] = 1e-200;
    for (int64_t e = 0; e < gs_start(&p.csr, 60); e++) {
        if (p.csr.col[e] == p.csr.col[5]) ((double *)p.csr.value)[e] = 1e-200;
    }
    assert_int_equal(gsolve_precond_update(p.M, &p.csr), GSOLVE_ZERO_PIVOT);
    assert_non_null(strstr(gsolve_error(ctx), "column"));
    close_problem(&square);
    close_problem(&p);
    close_context(ctx);
}

/* A preconditioner M of a square A stands for M'M: with a complete factorisation few steps are
 * left. */
static void of_the_matrix(void **state)
{
    static const char *const kinds[] = {"jacobi", "ilu", "isai", "block_jacobi"};
    gsolve_context *ctx = open_context(1);
    problem p = open_problem(ctx, "gen:convdiff3d,n=6", GSOLVE_F64, 2, 1);
    (void)state;

    for (size_t k = 0; k < 2 * NELEM(kinds); k++) {
        gsolve_solver *S = NULL;
        gsolve_result result;
        OK(ctx, gsolve_precond_create_from(&p.M, ctx, kinds[k / 2], p.A));
        OK(ctx, gsolve_solver_create(&S, ctx, methods[k % 2], p.A, p.M));
        result = run_from_zero(&p, S);
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_solved(&p, S, kinds[k / 2], 1e-8);
        if (k / 2 == 1) assert_in_range(result.iterations, 1, 25);
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&p.M);
    }
    close_problem(&p);
    close_context(ctx);
}

/* --- the structural rank ---------------------------------------------------------------------- */

static bool is_deficient(const gsolve_csr *csr)
{
    void *block = malloc(gs_structural_rank_bytes(csr->nrows) + 1);
    const bool found = gs_is_structurally_deficient(csr, block);

    free(block);
    return found;
}

/* Row i has its entries in columns of perm with i's number and some before it; the matching must
 * undo what the first rows took. Three rows in two columns lose one; a stored 0 is no entry. */
static void structural_rank(void **state)
{
    enum { N = 50 };
    int32_t start[N + 1], col[2 * N];
    double value[2 * N];
    gsolve_context *ctx = open_context(1);
    const gsolve_csr csr = {N, N, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    gsolve_csr none = read_matrix(ctx, "gen:tridiagonal,n=0");
    (void)state;

    for (int32_t i = 0; i < N; i++) { /* rows 0 to N - 2: columns i and i + 1; the last: column 0 */
        start[i] = 2 * i, value[2 * i] = value[2 * i + 1] = 1;
        col[2 * i] = i, col[2 * i + 1] = i + 1;
    }
    start[N] = 2 * N - 1;
    col[2 * N - 2] = 0;
    assert_false(is_deficient(&csr));
    value[2 * N - 2] = 0; /* an empty row */
    assert_true(is_deficient(&csr));
    value[2 * N - 2] = 1;
    value[1] = value[2] = 0; /* no other row has column 1 */
    assert_true(is_deficient(&csr));
    value[1] = value[2] = 1;
    for (int32_t i = 10; i < 13; i++) col[2 * i] = 20, col[2 * i + 1] = 21;
    for (int32_t i = 13; i < 17; i++) col[2 * i] = i - 3; /* columns 10 to 13 have a row */
    assert_true(is_deficient(&csr));
    assert_false(is_deficient(&none));
    gsolve_csr_free(&none, ctx);
    close_context(ctx);
}

enum { CHAIN = 2000 };

static void add_entries(gsolve_csr *A, int32_t count, const int32_t *cols)
{
    int32_t *start = (int32_t *)A->start, *col = (int32_t *)A->col;

    start[A->nrows + 1] = start[A->nrows];
    for (int32_t k = 0; k < count; k++) col[start[A->nrows + 1]++] = cols[k];
    A->ncols = ++A->nrows;
}

/* CHAIN rows share CHAIN columns, and each row can have only its own. Each of `pairs` rows
 * searches all of them in vain before it gets another column, which a row before it gives up. The
 * last row has only the first column of the chain, so that the pattern is deficient. */
static bool chain_is_deficient(int32_t pairs)
{
    static int32_t start[3 * CHAIN + 2], col[8 * CHAIN];
    static double value[8 * CHAIN];
    gsolve_csr A = {0, 0, start, col, value, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};

    start[0] = 0;
    for (int32_t k = 0; k < 8 * CHAIN; k++) value[k] = 1;
    for (int32_t i = 0; i < CHAIN; i++)
        add_entries(&A, i + 1 < CHAIN ? 2 : 1, (int32_t[]){i, i + 1});
    for (int32_t k = 0; k < pairs; k++) {
        const int32_t c = CHAIN + 2 * k, unused = CHAIN + 2 * pairs;
        add_entries(&A, k == 0 ? 3 : 2, (int32_t[]){c, c + 1, unused});
        add_entries(&A, 2, (int32_t[]){0, c});
    }
    add_entries(&A, 1, (int32_t[]){0});
    return is_deficient(&A);
}

/* The search ends without an answer where it would take many times as long as a product. */
static void bounded_search(void **state)
{
    (void)state;
    assert_true(chain_is_deficient(2));
    assert_true(chain_is_deficient(20));
    assert_false(chain_is_deficient(CHAIN));
}

/* --- allocations ------------------------------------------------------------------------------ */

static gsolve_status one_run(problem *p)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_solver *S = NULL;
    gsolve_status status = gsolve_precond_create_from(&p->M, p->ctx, "jacobi,normal=1", p->A);

    if (status == GSOLVE_OK) {
        status = gsolve_solver_create(&S, p->ctx, "lsmr,accept=singular", p->A, p->M);
    }
    for (int64_t j = 0; j < p->csr.ncols; j++) put(p, p->x, j, 0);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(S, dense(p, p->b, p->csr.nrows), dense(p, p->x, p->csr.ncols),
                                   &result);
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&p->M);
    return status;
}

static void memory(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = open_problem(ctx, "gen:rmat,scale=6,diagonal=0", GSOLVE_F64, 1, 1);
    (void)state;

    OK(ctx, one_run(&p)); /* what A keeps: its transpose and its statistics */
    ALLOCATION_SWEEP_FROM(ctx, 0, 1, one_run(&p));
    close_problem(&p);
    close_context(ctx);
}

/* A run of direct that fails to get work space for more columns leaves a solver that solves as soon
 * as there is memory. */
static gsolve_status more_columns(problem *p)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_dense b = dense(p, p->b, p->csr.nrows), x = dense(p, p->x, p->csr.ncols);
    gsolve_solver *S = NULL;
    gsolve_status status, again = GSOLVE_OK;

    for (int64_t j = 0; j < (int64_t)p->csr.ncols * p->columns; j++) put(p, p->x, j, 0);
    status = gsolve_solver_create(&S, p->ctx, "direct,scale=symmetric,order=rcm", p->A, NULL);
    if (status == GSOLVE_OK) status = gsolve_solver_run(S, b, x, &result);
    if (status != GSOLVE_OK && S) {
        gsolve_context_limit_allocations(p->ctx, -1);
        again = gsolve_solver_run(S, b, x, &result);
        gsolve_context_limit_allocations(p->ctx, 0);
    }
    if (S) assert_int_equal(again, GSOLVE_OK);
    if (S) assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    if (status == GSOLVE_NO_MEMORY) gsolve_fail(p->ctx, status, "too little memory");
    return status;
}

static void memory_of_direct(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = open_problem(ctx, "gen:convdiff3d,n=4", GSOLVE_F64, 3, 1);
    (void)state;

    OK(ctx, more_columns(&p));
    ALLOCATION_SWEEP_FROM(ctx, 0, 1, more_columns(&p));
    close_problem(&p);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),
        cmocka_unit_test(far_numbers),
        cmocka_unit_test(direct),
        cmocka_unit_test(success),
        cmocka_unit_test(too_few_iterations),
        cmocka_unit_test(automatic),
        cmocka_unit_test(operators),
        cmocka_unit_test(norm_of_operators),
        cmocka_unit_test(preconditioner),
        cmocka_unit_test(of_the_matrix),
        cmocka_unit_test(structural_rank),
        cmocka_unit_test(bounded_search),
        cmocka_unit_test(memory),
        cmocka_unit_test(memory_of_direct),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
