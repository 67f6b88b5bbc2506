/* test_outcomes.c [TEST | PART PARTS]: what docs/understand/residual_policy.md promises: the
 * residual that decides is that of the caller's A, b and x, over the whole range of numbers, and
 * the x that is returned is the best one. */
#include "tests/parts.h"

#include <float.h>
#include <math.h>

/* A dense matrix in the types that a test asks for, its right-hand side and initial guess. */
typedef struct problem {
    int32_t n;
    int32_t *start, *col;
    double *value, *b, *x;
    float *value32, *b32, *x32;
    gsolve_type A_type, b_type, x_type;
} problem;

/* Three diagonals: -1, diag, -1 times size. */
static problem tridiagonal(int32_t n, double diag, double size)
{
    problem p = {.n = n, .A_type = GSOLVE_F64, .b_type = GSOLVE_F64, .x_type = GSOLVE_F64};
    int32_t e = 0;

    p.start = calloc((size_t)n + 1, sizeof *p.start);
    p.col = calloc(3 * (size_t)n, sizeof *p.col);
    p.value = calloc(3 * (size_t)n, sizeof *p.value);
    p.value32 = calloc(3 * (size_t)n, sizeof *p.value32);
    p.b = calloc((size_t)n, sizeof *p.b);
    p.x = calloc((size_t)n, sizeof *p.x);
    p.b32 = calloc((size_t)n, sizeof *p.b32);
    p.x32 = calloc((size_t)n, sizeof *p.x32);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            p.col[e] = j;
            p.value[e++] = size * (i == j ? diag : -1);
        }
        p.start[i + 1] = e;
    }
    for (int32_t k = 0; k < e; k++) p.value32[k] = (float)p.value[k];
    return p;
}

static void free_problem(problem *p)
{
    free(p->start);
    free(p->col);
    free(p->value);
    free(p->value32);
    free(p->b);
    free(p->x);
    free(p->b32);
    free(p->x32);
}

static gsolve_csr rows_of(const problem *p)
{
    const bool single = p->A_type == GSOLVE_F32;
    const gsolve_csr csr = {
        p->n,       p->n,      p->start,   p->col, single ? (void *)p->value32 : (void *)p->value,
        GSOLVE_O32, p->A_type, GSOLVE_HOST};
    return csr;
}

static gsolve_dense column(int32_t n, double *value, float *value32, gsolve_type type)
{
    const gsolve_dense v = {n,
                            1,
                            n,
                            type == GSOLVE_F32 ? (void *)value32 : (void *)value,
                            type,
                            GSOLVE_HOST,
                            GSOLVE_COLUMN_MAJOR};
    return v;
}

static gsolve_dense b_of(const problem *p)
{
    return column(p->n, p->b, p->b32, p->b_type);
}

static gsolve_dense x_of(const problem *p)
{
    return column(p->n, p->x, p->x32, p->x_type);
}

static double number(const double *v, const float *v32, gsolve_type type, int32_t i)
{
    return type == GSOLVE_F32 ? (double)v32[i] : v[i];
}

/* The exponent of the largest |b|, by which squares stay in range. */
static int exponent_of_b(const problem *p)
{
    double most = 0;
    int exponent;

    for (int32_t i = 0; i < p->n; i++) most = fmax(most, fabs(number(p->b, p->b32, p->b_type, i)));
    frexp(most, &exponent);
    return exponent;
}

/* |b - Ax| / |b| from what the caller passed and got back. */
static double residual_of(const problem *p)
{
    const int e = exponent_of_b(p);
    double rr = 0, bb = 0;

    for (int32_t i = 0; i < p->n; i++) {
        const double bi = number(p->b, p->b32, p->b_type, i);
        long double r = bi;
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            r -= (long double)number(p->value, p->value32, p->A_type, k) *
                 number(p->x, p->x32, p->x_type, p->col[k]);
        }
        rr += ldexp((double)r, -e) * ldexp((double)r, -e);
        bb += ldexp(bi, -e) * ldexp(bi, -e);
    }
    return bb > 0 ? sqrt(rr / bb) : sqrt(rr);
}

static void set_b(problem *p, double size)
{
    for (int32_t i = 0; i < p->n; i++) {
        p->b[i] = size * (1 + 0.1 * i);
        p->b32[i] = (float)p->b[i];
    }
}

/* Runs solver + precond; the sentence is kept in explanation. */
static gsolve_result run(gsolve_context *ctx, const problem *p, const char *solver,
                         const char *precond, char explanation[1300])
{
    const gsolve_csr csr = rows_of(p);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_precond_create(&M, ctx, precond, &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, solver, A, M));
    OK(ctx, gsolve_solver_run(S, b_of(p), x_of(p), &result));
    if (explanation) snprintf(explanation, 1300, "%s", gsolve_solver_explain(S));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    return result;
}

/* The reported residual is the true one, to the rounding of its sums. */
static void check_honest(const problem *p, const gsolve_result *result, const char *what)
{
    const double r = residual_of(p);

    if (!(fabs(result->relative_residual - r) <= 1e-3 * r + 1e-13)) {
        fail_msg("%s: %g reported, %g is true", what, result->relative_residual, r);
    }
}

static bool on_gpu(void)
{
    const char *device = getenv("GSOLVE_TEST_DEVICE");
    return device && strcmp(device, "cuda") == 0;
}

static const char *methods[MOST_METHODS];
static int method_count;

/* --- the range of numbers --------------------------------------------------------------------- */

/* A x = b times 2^e has the solution of A x = b, to the last bit where e is even enough to be
 * exact; what matters is that it is found and that the residual is the true one. */
static void sizes_in_double(void **state)
{
    static const double sizes[][2] = {/* of A, of b */
                                      {1, 1e-200},      {1, 1e-162}, {1, 1e-300},
                                      {1, 1e200},       {1, 1e300},  {1e-200, 1e-200},
                                      {1e-157, 1e-157}, {1e-120, 1}, {1e-120, 1e-200},
                                      {1e150, 1e150},   {1e200, 1},  {1e150, 1e-100}};
    static const char *const preconds[] = {"none", "jacobi"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (!is_mine()) continue;
        for (int m = 0; m < 2 * method_count; m++) {
            const char *method = methods[m / 2], *precond = preconds[m % 2];
            const bool direct = strcmp(method, "direct") == 0;
            problem p = tridiagonal(40, 3, sizes[k][0]);
            char what[200];
            if ((direct && on_gpu()) || (direct && m % 2)) {
                free_problem(&p);
                continue;
            }
            set_b(&p, sizes[k][1]);
            const gsolve_result result = run(ctx, &p, method, precond, NULL);
            snprintf(what, sizeof what, "%s + %s, A of size %g, b of size %g", method, precond,
                     sizes[k][0], sizes[k][1]);
            check_honest(&p, &result, what);
            if (result.outcome != GSOLVE_CONVERGED || !(residual_of(&p) <= 1e-8)) {
                fail_msg("%s: %s, residual %g", what, gsolve_outcome_text(result.outcome),
                         result.relative_residual);
            }
            free_problem(&p);
        }
    }
    close_context(ctx);
}

static void sizes_in_single(void **state)
{
    static const double sizes[][2] = {{1, 1e-30}, {1, 1e30}, {1e-25, 1e-25}, {1e25, 1e25}};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int m = 0; m < method_count; m++) {
            problem p = tridiagonal(40, 3, sizes[k][0]);
            char spec[60];
            if (strcmp(methods[m], "direct") == 0) {
                free_problem(&p);
                continue;
            }
            p.A_type = p.b_type = p.x_type = GSOLVE_F32;
            set_b(&p, sizes[k][1]);
            snprintf(spec, sizeof spec, "%s,rtol=1e-5", methods[m]);
            const gsolve_result result = run(ctx, &p, spec, "jacobi", NULL);
            check_honest(&p, &result, spec);
            if (result.outcome != GSOLVE_CONVERGED) {
                fail_msg("%s, sizes %g and %g: %s, residual %g", spec, sizes[k][0], sizes[k][1],
                         gsolve_outcome_text(result.outcome), result.relative_residual);
            }
            free_problem(&p);
        }
    }
    close_context(ctx);
}

/* b = 0 is 0 and not what underflows; an initial guess far from x is reached from as well. */
static void zero_and_far_guesses(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = tridiagonal(40, 3, 1);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    for (int32_t i = 0; i < p.n; i++) p.x[i] = 1e-180;
    result = run(ctx, &p, "cg", "jacobi", NULL);
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    for (int32_t i = 0; i < p.n; i++) assert_true(p.x[i] == 0);

    for (int m = 0; m < method_count; m++) {
        if (strcmp(methods[m], "direct") == 0 && on_gpu()) continue;
        set_b(&p, 1e-60);
        for (int32_t i = 0; i < p.n; i++) p.x[i] = 1;
        result = run(ctx, &p, methods[m], "jacobi", NULL);
        check_honest(&p, &result, methods[m]);
        if (result.outcome != GSOLVE_CONVERGED) {
            fail_msg("%s: %s at %g", methods[m], gsolve_outcome_text(result.outcome),
                     result.relative_residual);
        }
    }
    free_problem(&p);
    close_context(ctx);
}

static void too_large_for_a_norm(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = tridiagonal(40, 3, 1);
    const gsolve_csr csr = rows_of(&p);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    set_b(&p, 1);
    p.b[3] = NAN;
    assert_int_equal(gsolve_solver_run(S, b_of(&p), x_of(&p), &result), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "not finite"));
    set_b(&p, DBL_MAX / 5);
    assert_int_equal(gsolve_solver_run(S, b_of(&p), x_of(&p), &result), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "overflows"));
    set_b(&p, 1);
    p.x[0] = INFINITY;
    assert_int_equal(gsolve_solver_run(S, b_of(&p), x_of(&p), &result), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "initial guess"));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_problem(&p);
    close_context(ctx);
}

/* --- types ------------------------------------------------------------------------------------ */

static void mixed_types(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int types = 0; types < 8; types++) {
        if (!is_mine()) continue;
        for (int m = 0; m < method_count; m++) {
            problem p = tridiagonal(50, 2.5, 1);
            char why[1300], what[100];
            p.A_type = types & 1 ? GSOLVE_F32 : GSOLVE_F64;
            p.b_type = types & 2 ? GSOLVE_F32 : GSOLVE_F64;
            p.x_type = types & 4 ? GSOLVE_F32 : GSOLVE_F64;
            set_b(&p, 1. / 3);
            for (int32_t i = 0; i < p.n; i++) p.x[i] = p.x32[i] = 1.f / 3;
            if (strcmp(methods[m], "direct") == 0 && on_gpu()) {
                free_problem(&p);
                continue;
            }
            const gsolve_result result = run(ctx, &p, methods[m], "jacobi", why);
            snprintf(what, sizeof what, "%s, A, b, x in f%d, f%d, f%d", methods[m],
                     p.A_type ? 64 : 32, p.b_type ? 64 : 32, p.x_type ? 64 : 32);
            check_honest(&p, &result, what);
            const bool meets = residual_of(&p) <= 1e-8 * (1 + 1e-6);
            if ((result.outcome == GSOLVE_CONVERGED) != meets) {
                fail_msg("%s: %s at %g", what, gsolve_outcome_text(result.outcome),
                         residual_of(&p));
            }
            if (p.x_type == GSOLVE_F64) {
                if (!meets) fail_msg("%s: %s", what, why);
            } else if (p.A_type == GSOLVE_F64 && !meets) {
                if (result.outcome != GSOLVE_STAGNATED ||
                    !strstr(why, "x is in single precision")) {
                    fail_msg("%s: %s", what, why);
                }
            }
            free_problem(&p);
        }
    }
    close_context(ctx);
}

/* Corrections are scaled before they are rounded to the type of x. */
static void single_x_of_scaled_systems(void **state)
{
    static const double sizes[] = {1e-50, 1e50, 1e-200};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int k = 0; k < 3; k++) {
        problem p = tridiagonal(40, 3, sizes[k]);
        p.x_type = GSOLVE_F32;
        set_b(&p, sizes[k]);
        const gsolve_result result = run(ctx, &p, "cg", "jacobi", NULL);
        check_honest(&p, &result, "cg");
        assert_true(residual_of(&p) < 1e-5);
        free_problem(&p);
    }
    close_context(ctx);
}

/* --- the x that is returned ------------------------------------------------------------------- */

static void ones_are_null(problem *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) sum += p->col[k] != i ? 1 : 0;
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            p->value[k] = p->col[k] == i ? sum : -1;
        }
    }
}

/* No x solves the system: what comes back is no worse than the initial guess, and finite. */
static void never_worse_than_the_guess(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int m = 0; m < method_count; m++) {
        for (int guess = 0; guess < 2; guess++) {
            problem p = tridiagonal(100, 2, 1);
            const bool direct = strcmp(methods[m], "direct") == 0;
            char method[60];
            snprintf(method, sizeof method, "%s,%s", methods[m],
                     direct ? "factor=qr" : "maxit=500");
            if (direct && on_gpu()) {
                free_problem(&p);
                continue;
            }
            ones_are_null(&p);
            set_b(&p, 1);
            for (int32_t i = 0; i < p.n; i++) p.x[i] = guess ? 1 + 1e-3 * i : 0;
            const double before = residual_of(&p);
            const gsolve_result result = run(ctx, &p, method, "none", NULL);
            check_honest(&p, &result, methods[m]);
            assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
            if (!(residual_of(&p) <= before * (1 + 1e-12))) {
                fail_msg("%s: %g before, %g after", methods[m], before, residual_of(&p));
            }
            free_problem(&p);
        }
    }
    close_context(ctx);
}

typedef struct least {
    double residual;
    int iterations;
} least;

static bool watch(int iteration, double residual, void *user)
{
    least *seen = user;

    if (iteration < 90 && residual < seen->residual) seen->residual = residual;
    return true;
}

/* cgs converges, and then limit and stall are so that it goes on and loses what it had. */
static void a_kept_iterate_comes_back(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:neumann2d,n=30");
    const int32_t n = csr.nrows;
    double *b = random_vector(n, 7), *x = calloc((size_t)n, sizeof *x);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "minres,maxit=2000,stall=0", A, NULL));
    least seen = {1, 0};
    gsolve_solver_set_monitor(S, watch, &seen);
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
    assert_true(seen.residual < 0.25);
    /* kept whenever it has halved, as the host sees it: a GPU's host sees every 16th iterate */
    if (!(result.relative_residual <= (on_gpu() ? 8 : 2.1) * seen.residual)) {
        fail_msg("the least residual was %g, that of x is %g", seen.residual,
                 result.relative_residual);
    }
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* A method in single precision that ends in NaN returns numbers. */
static void x_is_finite(void **state)
{
    gsolve_context *ctx = open_context(2);
    problem p = tridiagonal(200, 2, 1);
    (void)state;

    p.A_type = p.b_type = p.x_type = GSOLVE_F32;
    for (int32_t i = 0; i < p.n; i++) { /* rows of very different size */
        const double size = pow(10, (i * 7) % 13 - 6);
        for (int32_t k = p.start[i]; k < p.start[i + 1]; k++) p.value32[k] *= (float)size;
    }
    for (int m = 0; m < method_count; m++) {
        char spec[80];
        if (strcmp(methods[m], "direct") == 0 && on_gpu()) continue;
        set_b(&p, 1);
        memset(p.x32, 0, (size_t)p.n * sizeof *p.x32);
        snprintf(spec, sizeof spec, "%s,rtol=1e-6,dtol=1e300", methods[m]);
        const gsolve_result result = run(ctx, &p, spec, "none", NULL);
        for (int32_t i = 0; i < p.n; i++) assert_true(isfinite(p.x32[i]));
        assert_true(isfinite(result.relative_residual) && result.relative_residual <= 1 + 1e-6);
    }
    free_problem(&p);
    close_context(ctx);
}

/* --- arguments -------------------------------------------------------------------------------- */

static void b_and_x_apart(void **state)
{
    enum { N = 40 };
    gsolve_context *ctx = open_context(1);
    problem p = tridiagonal(N, 3, 1);
    const gsolve_csr csr = rows_of(&p);
    double both[4 * N] = {0};
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    for (int i = 0; i < 4 * N; i++) both[i] = 1;
    for (int shift = 0; shift < N; shift += N - 1) {
        assert_int_equal(
            gsolve_solver_run(S, gsolve_vector(both, N), gsolve_vector(both + shift, N), &result),
            GSOLVE_BAD_ARGUMENT);
        assert_non_null(strstr(gsolve_error(ctx), "share memory"));
        for (int i = 0; i < 4 * N; i++) assert_true(both[i] == 1);
    }
    /* columns that lie between one another share nothing */
    gsolve_dense b = gsolve_vector(both, N), x = gsolve_vector(both + N, N);
    b.ncols = x.ncols = 2;
    b.stride = x.stride = 2 * N;
    OK(ctx, gsolve_solver_run(S, b, x, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_problem(&p);
    close_context(ctx);
}

/* The x that methods find for a singular A can be so large that b - A x is rounding errors, which
 * cancel to 0. There is no x with |b - A x| < |b| / 4 here. */
static void rounding_is_no_solution(void **state)
{
    static const int32_t start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    static const double symmetric[] = {4, -2, -2, 1}, other[] = {1, -1, 2, -2}, b[] = {1, 1};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int m = 0; m < method_count; m++) {
        for (int k = 0; k < 2; k++) {
            const gsolve_csr csr = gsolve_csr_view(2, start, col, k ? other : symmetric);
            double x[] = {0, 0}, relative;
            gsolve_matrix *A = NULL;
            gsolve_solver *S = NULL;
            gsolve_result result = GSOLVE_INIT(gsolve_result);
            OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
            if (gsolve_solver_create(&S, ctx, methods[m], A, NULL) == GSOLVE_OK) {
                OK(ctx, gsolve_solver_run(S, gsolve_vector((double *)(uintptr_t)b, 2),
                                          gsolve_vector(x, 2), &result));
                assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
                assert_true(result.relative_residual > 0.25);
            }
            x[0] = 1e18 / 3, x[1] = k ? x[0] : 2 * x[0]; /* A x = 0 */
            OK(ctx, gsolve_matrix_residual(A, gsolve_vector((double *)(uintptr_t)b, 2),
                                           gsolve_vector(x, 2), &relative));
            assert_true(relative == 1);
            gsolve_solver_destroy(&S);
            gsolve_matrix_destroy(&A);
        }
    }
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(sizes_in_double),
        cmocka_unit_test(mixed_types),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(sizes_in_single),
        cmocka_unit_test(zero_and_far_guesses),
        cmocka_unit_test(too_large_for_a_norm),
        cmocka_unit_test(single_x_of_scaled_systems),
        cmocka_unit_test(never_worse_than_the_guess),
        cmocka_unit_test(x_is_finite),
        cmocka_unit_test(a_kept_iterate_comes_back),
        cmocka_unit_test(b_and_x_apart),
        cmocka_unit_test(rounding_is_no_solution),
    };

    method_count = list_methods(methods, "");
    need_device();
    if (argc == 2) cmocka_set_test_filter(argv[1]);
    take_part(argc, argv);
    return RUN_PARTS(shared, other);
}
