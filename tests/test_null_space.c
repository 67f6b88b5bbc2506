/* test_null_space.c: gsolve_matrix_set_null_space with all methods: consistent and inconsistent
 * systems, given vectors, a left null space of its own, several columns, mixed types, updates, and
 * what is refused. The reference is the definition: x has no component in the right null space, and
 * b - A x none outside the left one. */
#include <math.h>

#include "tests/common.h"

/* --- systems ---------------------------------------------------------------------------------- */

enum { MOST_NULL = 2, NEUMANN = 12 };

/* A singular matrix with bases of its null spaces, n x dimension. */
typedef struct singular {
    const char *name;
    gsolve_csr csr;
    int dimension;
    bool constants, symmetric; /* constants: the first vector of `right` is 1 */
    double *right, *left;      /* left may be right */
} singular;

/* blocks copies of a Neumann problem on a grid of NEUMANN^2 points side by side, with row i scaled
 * by rows(i) and column j by columns(j). */
static gsolve_csr make_rows(gsolve_context *ctx, int blocks, gsolve_type type,
                            double (*rows)(int32_t), double (*columns)(int32_t))
{
    gsolve_csr one = read_matrix(ctx, "gen:neumann2d,n=12"), all = {0}, converted;
    const int32_t n = one.nrows, entries = (int32_t)gsolve_csr_entries(&one);
    int32_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)(blocks * n) + 1, sizeof *start);
    int32_t *col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)(blocks * entries), sizeof *col);
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)(blocks * entries), sizeof *value);

    start[0] = 0;
    for (int32_t i = 0; i < blocks * n; i++) {
        const int32_t first = i / n * n, at = i / n * entries;
        for (int64_t e = gs_start(&one, i % n); e < gs_start(&one, i % n + 1); e++) {
            col[at + e] = first + one.col[e];
            value[at + e] = gs_value(&one, e) * rows(i) * columns(first + one.col[e]);
        }
        start[i + 1] = at + (int32_t)gs_start(&one, i % n + 1);
    }
    gsolve_csr_free(&one, ctx);
    all = gsolve_csr_view(blocks * n, start, col, value);
    if (type == GSOLVE_F64) return all;
    OK(ctx, gsolve_csr_convert(&converted, ctx, type, &all));
    gsolve_csr_free(&all, ctx);
    return converted;
}

static double unit(int32_t i)
{
    (void)i;
    return 1;
}

static double wave(int32_t i)
{
    return 1 + 0.5 * sin(0.3 * i);
}

static double *inverse_of(double (*of)(int32_t), int32_t n)
{
    double *v = malloc((size_t)n * sizeof *v);

    for (int32_t i = 0; i < n; i++) v[i] = 1 / of(i);
    return v;
}

/* Constants. */
static singular neumann(gsolve_context *ctx, gsolve_type type)
{
    singular s = {"neumann", make_rows(ctx, 1, type, unit, unit), 1, true, true, NULL, NULL};

    s.right = s.left = inverse_of(unit, s.csr.nrows);
    return s;
}

/* Two domains: constants, and a vector that is neither orthogonal to them nor of norm 1. */
static singular two_domains(gsolve_context *ctx, gsolve_type type)
{
    singular s = {"two domains", make_rows(ctx, 2, type, unit, unit), 2, true, true, NULL, NULL};
    const int32_t n = s.csr.nrows;

    s.right = s.left = malloc(2 * (size_t)n * sizeof *s.right);
    for (int32_t i = 0; i < n; i++) {
        s.right[i] = 1;
        s.right[n + i] = i < n / 2 ? 3 : 1;
    }
    return s;
}

/* D A D: the null space is that of D^-1 1. */
static singular scaled(gsolve_context *ctx, gsolve_type type)
{
    singular s = {"scaled", make_rows(ctx, 1, type, wave, wave), 1, false, true, NULL, NULL};

    s.right = s.left = inverse_of(wave, s.csr.nrows);
    return s;
}

/* D A: not symmetric; constants on the right, D^-1 1 on the left. */
static singular nonsymmetric(gsolve_context *ctx, gsolve_type type)
{
    singular s = {"not symmetric", make_rows(ctx, 1, type, wave, unit), 1, true, false, NULL, NULL};

    s.right = inverse_of(unit, s.csr.nrows);
    s.left = inverse_of(wave, s.csr.nrows);
    return s;
}

typedef singular make_singular(gsolve_context *ctx, gsolve_type type);
static make_singular *const systems[] = {neumann, two_domains, scaled, nonsymmetric};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static void free_singular(singular *s, gsolve_context *ctx)
{
    gsolve_csr_free(&s->csr, ctx);
    if (s->left != s->right) free(s->left);
    free(s->right);
}

static gsolve_null_space space_of(const singular *s, double *basis, bool constants)
{
    const int32_t n = s->csr.nrows;
    gsolve_null_space space = {constants, gsolve_vector(basis + (constants ? n : 0), n)};

    space.vectors.ncols = s->dimension - constants;
    return space;
}

static gsolve_status set_null_space(const singular *s, gsolve_matrix *A)
{
    const gsolve_null_space right = space_of(s, s->right, s->constants);
    const gsolve_null_space left = space_of(s, s->left, false);

    return gsolve_matrix_set_null_space(A, &right, s->left == s->right ? NULL : &left);
}

/* --- the reference ---------------------------------------------------------------------------- */

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double norm(int32_t n, const double *x)
{
    return sqrt(dot(n, x, x));
}

/* Removes the space of `basis` (at most two vectors) from x. Returns the norm of what it removed.
 */
static double remove_space(int32_t n, int dimension, const double *basis, double *x)
{
    double *v = malloc(2 * (size_t)n * sizeof *v), square = 0;

    memcpy(v, basis, (size_t)dimension * (size_t)n * sizeof *v);
    for (int k = 0; k < dimension; k++) {
        double *w = v + (int64_t)k * n;
        const double along = k > 0 ? dot(n, v, w) : 0;
        for (int32_t i = 0; i < n; i++) w[i] -= k > 0 ? along * v[i] : 0;
        const double length = norm(n, w);
        for (int32_t i = 0; i < n; i++) w[i] /= length;
        const double part = dot(n, w, x);
        for (int32_t i = 0; i < n; i++) x[i] -= part * w[i];
        square += part * part;
    }
    free(v);
    return sqrt(square);
}

/* r = b - A x */
static void residual(const gsolve_csr *A, const double *b, const double *x, double *r)
{
    for (int32_t i = 0; i < A->nrows; i++) {
        r[i] = b[i];
        for (int64_t e = gs_start(A, i); e < gs_start(A, i + 1); e++) {
            r[i] -= gs_value(A, e) * x[A->col[e]];
        }
    }
}

/* Checks column c of a solve by the definition of its result. */
static void check_column(const singular *s, const double *b, const double *x, double rtol,
                         const gsolve_result *result, const char *what)
{
    const int32_t n = s->csr.nrows;
    double *r = malloc((size_t)n * sizeof *r), *y = malloc((size_t)n * sizeof *y);
    const double size = norm(n, b), base = size > 0 ? size : 1;

    residual(&s->csr, b, x, r);
    const double whole = norm(n, r);
    remove_space(n, s->dimension, s->left, r);
    memcpy(y, b, (size_t)n * sizeof *y);
    const double outside = remove_space(n, s->dimension, s->left, y), projected = norm(n, r);
    memcpy(y, x, (size_t)n * sizeof *y);
    const double component = remove_space(n, s->dimension, s->right, y);
    const gsolve_outcome expected = whole <= rtol * size ? GSOLVE_CONVERGED : GSOLVE_LEAST_SQUARES;
    const double rounding = s->csr.type == GSOLVE_F32 ? 1e-5 : 1e-11;
    if (result->outcome != expected || !(projected <= 1.01 * rtol * base) ||
        !(fabs(result->projected_relative_residual * base - projected) <= 1e-2 * rtol * base) ||
        !(fabs(result->relative_residual * base - whole) <= 1e-6 * whole + 1e-2 * rtol * base) ||
        !(fabs(result->removed * base - outside) <= rounding * base) ||
        !(component <= rounding * norm(n, x))) {
        fail_msg("%s, %s: %s, |r| = %.2e (%.2e), |P r| = %.2e (%.2e), removed %.2e (%.2e), x in "
                 "the null space %.2e of %.2e",
                 s->name, what, gsolve_outcome_text(result->outcome), whole / base,
                 result->relative_residual, projected / base, result->projected_relative_residual,
                 outside / base, result->removed, component, norm(n, x));
    }
    free(r);
    free(y);
}

/* --- all methods ------------------------------------------------------------------------------ */

enum { COLUMNS = 4 };

/* Columns: in the range of A; random; 0; nearly constant, so that most of it is removed. x0: random
 * with a component in the null space. */
static void make_columns(const singular *s, double *b, double *x)
{
    const int32_t n = s->csr.nrows;
    double *zero = calloc((size_t)n, sizeof *zero);

    for (int32_t i = 0; i < COLUMNS * n; i++) {
        b[i] = gsolve_random(5, (uint64_t)i);
        x[i] = 5 + gsolve_random(6, (uint64_t)i);
    }
    residual(&s->csr, zero, b + n, b); /* -A b_1 */
    for (int32_t i = 0; i < n; i++) {
        b[2 * n + i] = 0;
        b[3 * n + i] = 1 + 0.01 * b[3 * n + i];
    }
    free(zero);
}

static void solve_and_check(gsolve_context *ctx, const singular *s, const char *method,
                            const char *precond, int32_t columns)
{
    const int32_t n = s->csr.nrows;
    const double rtol = s->csr.type == GSOLVE_F32 ? 1e-5 : 1e-9;
    double *b = malloc(COLUMNS * (size_t)n * 8), *x = malloc(COLUMNS * (size_t)n * 8);
    gsolve_dense at_b = gsolve_vector(b, n), at_x = gsolve_vector(x, n);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    char spec[100], what[200];

    snprintf(spec, sizeof spec, "%s,rtol=%g", method, rtol);
    snprintf(what, sizeof what, "%s + %s, %s, %d columns", method, precond,
             s->csr.type == GSOLVE_F32 ? "f32" : "f64", columns);
    make_columns(s, b, x);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s->csr));
    OK(ctx, set_null_space(s, A));
    if (strcmp(precond, "none") != 0) OK(ctx, gsolve_precond_create_from(&M, ctx, precond, A));
    if (gsolve_solver_create(&S, ctx, spec, A, M) != GSOLVE_OK)
        fail_msg("%s: %s", what, gsolve_error(ctx));
    at_b.ncols = at_x.ncols = columns;
    if (columns == 1) at_b.value = b + n;
    if (gsolve_solver_run(S, at_b, at_x, &result) != GSOLVE_OK)
        fail_msg("%s: %s", what, gsolve_error(ctx));
    for (int32_t c = 0; c < columns; c++) {
        OK(ctx, gsolve_solver_column(S, c, &result));
        check_column(s, (double *)at_b.value + (int64_t)c * n, x + (int64_t)c * n, rtol, &result,
                     what);
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(b);
    free(x);
}

static void all_methods(void **state)
{
    static const char *const preconds[] = {"none", "jacobi", "amg,coarsest=20"};
    const char *name[MOST_METHODS];
    const int count = list_methods(name, "direct");
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int i = 0; i < 2 * SYSTEMS; i++) {
        singular s = systems[i / 2](ctx, i % 2 ? GSOLVE_F32 : GSOLVE_F64);
        for (int k = 0; k < count; k++) {
            /* cg and its relatives, also inside refine, need a symmetric A */
            const bool needs = strstr(name[k], "cg") == name[k] || strstr(name[k], "pipecg") ||
                               strstr(name[k], "block_cg") || strstr(name[k], "minres") ||
                               strstr(name[k], "refine");
            if (needs && !s.symmetric && strcmp(name[k], "cgs") != 0) continue;
            for (int p = 0; p < 3; p++) {
                solve_and_check(ctx, &s, name[k], preconds[p], p == 1 ? 1 : COLUMNS);
            }
        }
        free_singular(&s, ctx);
    }
    close_context(ctx);
}

/* The method "auto", with and without a preconditioner of the caller. */
static void automatic(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int i = 0; i < SYSTEMS; i++) {
        singular s = systems[i](ctx, GSOLVE_F64);
        solve_and_check(ctx, &s, "auto", "none", COLUMNS);
        solve_and_check(ctx, &s, "auto", "jacobi", 1);
        free_singular(&s, ctx);
    }
    close_context(ctx);
}

/* An operator: the caller's function is all that the library knows of A. */

static gsolve_status apply(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    (void)ctx;
    return gsolve_matrix_apply((const gsolve_matrix *)user, 1, x, 0, y);
}

static void operators(void **state)
{
    static const char *const methods[] = {"cg,rtol=1e-9", "minres,rtol=1e-9", "gmres,rtol=1e-9"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int i = 0; i < SYSTEMS; i++) {
        singular s = systems[i](ctx, GSOLVE_F64);
        const int32_t n = s.csr.nrows;
        double *b = random_vector(n, 4), *x = random_vector(n, 5);
        gsolve_matrix *A = NULL, *op = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
        OK(ctx, gsolve_matrix_create_operator(&op, ctx, n, n, GSOLVE_F64, apply, NULL, A));
        OK(ctx, set_null_space(&s, op));
        for (int k = s.symmetric ? 0 : 2; k < 3; k++) {
            gsolve_solver *S = NULL;
            gsolve_result result = GSOLVE_INIT(gsolve_result);
            OK(ctx, gsolve_solver_create(&S, ctx, methods[k], op, NULL));
            OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
            check_column(&s, b, x, 1e-9, &result, methods[k]);
            for (int32_t j = 0; j < n; j++) x[j] += 3;
            gsolve_solver_destroy(&S);
        }
        gsolve_matrix_destroy(&op);
        gsolve_matrix_destroy(&A);
        free_singular(&s, ctx);
        free(b);
        free(x);
    }
    close_context(ctx);
}

/* --- vectors of other types and on the device ------------------------------------------------- */

static gsolve_dense place(gsolve_context *ctx, const double *from, int32_t n, gsolve_type type,
                          gsolve_location location)
{
    const size_t size = type == GSOLVE_F32 ? 4 : 8;
    gsolve_dense v = gsolve_vector(NULL, n);
    void *copy = malloc((size_t)n * size);

    for (int32_t i = 0; i < n; i++) {
        if (type == GSOLVE_F32) ((float *)copy)[i] = (float)from[i];
        if (type == GSOLVE_F64) ((double *)copy)[i] = from[i];
    }
    v.type = type;
    v.location = location;
    v.value = gsolve_alloc(ctx, location, (size_t)n, size);
    OK(ctx, gsolve_copy(ctx, v.value, location, copy, GSOLVE_HOST, (size_t)n * size));
    free(copy);
    return v;
}

static double *fetch(gsolve_context *ctx, gsolve_dense v)
{
    const size_t size = v.type == GSOLVE_F32 ? 4 : 8;
    void *copy = malloc((size_t)v.nrows * size);
    double *to = malloc((size_t)v.nrows * sizeof *to);

    OK(ctx, gsolve_copy(ctx, copy, GSOLVE_HOST, v.value, v.location, (size_t)v.nrows * size));
    for (int32_t i = 0; i < v.nrows; i++) {
        to[i] = v.type == GSOLVE_F32 ? (double)((float *)copy)[i] : ((double *)copy)[i];
    }
    free(copy);
    return to;
}

/* b in `type_b`, x in `type_x`, and the given null space in `type_b`, at location. */
static void solve_mixed(gsolve_context *ctx, const singular *s, gsolve_type type_b,
                        gsolve_type type_x, gsolve_location location)
{
    const bool single = s->csr.type == GSOLVE_F32 || type_b == GSOLVE_F32 || type_x == GSOLVE_F32;
    const int32_t n = s->csr.nrows;
    const double rtol = single ? 1e-5 : 1e-9;
    double *random = random_vector(n, 8), *zero = calloc((size_t)n, sizeof *zero);
    gsolve_dense b = place(ctx, random, n, type_b, location);
    gsolve_dense x = place(ctx, zero, n, type_x, location);
    gsolve_dense v = place(ctx, s->right, n, type_b, location);
    const gsolve_null_space space = {false, v};
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &s->csr));
    if (type_b == GSOLVE_F32 && !s->constants && s->csr.type == GSOLVE_F64) {
        /* v is rounded, and A v is not small enough */
        assert_int_equal(gsolve_matrix_set_null_space(A, &space, NULL), GSOLVE_BAD_ARGUMENT);
        OK(ctx, set_null_space(s, A));
    } else {
        OK(ctx, gsolve_matrix_set_null_space(A, &space, NULL));
    }
    OK(ctx, gsolve_solver_create(&S, ctx, single ? "cg,rtol=1e-5" : "cg,rtol=1e-9", A, NULL));
    OK(ctx, gsolve_solver_run(S, b, x, &result));
    double *of_b = fetch(ctx, b), *of_x = fetch(ctx, x);
    const double outside = remove_space(n, 1, s->left, random);
    assert_true(outside > 1e-3);
    assert_int_equal(result.outcome, GSOLVE_LEAST_SQUARES);
    assert_true(result.projected_relative_residual <= rtol);
    double *r = malloc((size_t)n * sizeof *r);
    residual(&s->csr, of_b, of_x, r);
    assert_true(fabs(norm(n, r) / norm(n, of_b) - result.relative_residual) <=
                1e-4 * result.relative_residual);
    remove_space(n, 1, s->left, r);
    assert_true(norm(n, r) <= 1.1 * rtol * norm(n, of_b));
    assert_true(remove_space(n, 1, s->right, of_x) <= 1e-5 * norm(n, of_x));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_free(ctx, location, b.value);
    gsolve_free(ctx, location, x.value);
    gsolve_free(ctx, location, v.value);
    free(random), free(zero), free(of_b), free(of_x), free(r);
}

static void mixed(void **state)
{
    gsolve_context *ctx = open_context(2);
    const bool apart = gs_location(ctx) == GSOLVE_DEVICE;
    (void)state;

    for (int i = 0; i < 4; i++) {
        singular s = (i / 2 ? scaled : neumann)(ctx, i % 2 ? GSOLVE_F32 : GSOLVE_F64);
        for (int k = 0; k < 4 * (1 + apart); k++) {
            solve_mixed(ctx, &s, k & 1 ? GSOLVE_F32 : GSOLVE_F64, k & 2 ? GSOLVE_F32 : GSOLVE_F64,
                        k & 4 ? GSOLVE_DEVICE : GSOLVE_HOST);
        }
        free_singular(&s, ctx);
    }
    close_context(ctx);
}

/* Numbers whose squares leave the range of double. */
static void extreme(void **state)
{
    static const double factors[] = {1e200, 1e-200};
    gsolve_context *ctx = open_context(2);
    singular s = neumann(ctx, GSOLVE_F64);
    const int32_t n = s.csr.nrows;
    double *b = random_vector(n, 8), *x = calloc((size_t)n, sizeof *x);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result), first = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
    OK(ctx, set_null_space(&s, A));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &first));
    for (int k = 0; k < 2; k++) {
        for (int32_t i = 0; i < n; i++) b[i] *= factors[k], x[i] = 0;
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        for (int32_t i = 0; i < n; i++) b[i] /= factors[k];
        assert_int_equal(result.outcome, GSOLVE_LEAST_SQUARES);
        assert_true(result.projected_relative_residual <= 1e-8);
        assert_true(fabs(result.removed - first.removed) <= 1e-9);
    }
    b[3] = NAN;
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "not finite"));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_singular(&s, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* --- the handle ------------------------------------------------------------------------------- */

/* A solver before, with and after the null space: the runs without it have the same bits. */
static void set_and_remove(void **state)
{
    gsolve_context *ctx = open_context(2);
    singular s = neumann(ctx, GSOLVE_F64);
    const int32_t n = s.csr.nrows;
    const gsolve_null_space constants = {true, {0}};
    double *b = random_vector(n, 3), *x[3];
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg,maxit=40", A, NULL));
    for (int k = 0; k < 3; k++) {
        x[k] = calloc((size_t)n, sizeof *x[k]);
        OK(ctx, gsolve_matrix_set_null_space(A, k == 1 ? &constants : NULL, NULL));
        gsolve_matrix_describe(A, &info);
        assert_int_equal(info.null_space, k == 1);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x[k], n), &result));
        if (k != 1) {
            assert_int_not_equal(result.outcome, GSOLVE_LEAST_SQUARES);
            assert_true(result.removed == 0 &&
                        result.projected_relative_residual == result.relative_residual);
            assert_non_null(strstr(gsolve_solver_explain(S), "--null-space constants"));
        } else {
            assert_true(result.removed > 1e-3);
            assert_null(strstr(gsolve_solver_explain(S), "--null-space"));
        }
    }
    assert_memory_equal(x[0], x[2], (size_t)n * sizeof *b);
    for (int k = 0; k < 3; k++) free(x[k]);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_singular(&s, ctx);
    free(b);
    close_context(ctx);
}

/* Updates keep the null space; new values that do not have it are an error of the next run. */
static void updates(void **state)
{
    gsolve_context *ctx = open_context(2);
    singular s = neumann(ctx, GSOLVE_F64), other = scaled(ctx, GSOLVE_F64);
    const int32_t n = s.csr.nrows;
    double *b = random_vector(n, 3), *x = calloc((size_t)n, sizeof *x);
    double *value = (double *)gs_owned_block(ctx, s.csr.value);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
    OK(ctx, set_null_space(&s, A));
    OK(ctx, gsolve_solver_create(&S, ctx, "minres,rtol=1e-9", A, NULL));
    for (int k = 0; k < 3; k++) {
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        check_column(&s, b, x, 1e-9, &result, "updated");
        for (int64_t e = 0; e < gsolve_csr_entries(&s.csr); e++) value[e] *= 2;
        OK(ctx, gsolve_matrix_update(A, &s.csr));
    }
    OK(ctx, gsolve_matrix_update(A, &other.csr));
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "the constant vector is not in the null space of A"));
    OK(ctx, set_null_space(&other, A));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    check_column(&other, b, x, 1e-9, &result, "another null space");
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_singular(&s, ctx);
    free_singular(&other, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* A run with another right-hand side allocates nothing. */
static void allocations(void **state)
{
    gsolve_context *ctx = open_context(2);
    singular s = two_domains(ctx, GSOLVE_F64);
    const int32_t n = s.csr.nrows;
    double *b = random_vector(n, 3), *x = calloc((size_t)n, sizeof *x);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info), after = before;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
    ALLOCATION_SWEEP(ctx, set_null_space(&s, A));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    for (int k = 0; k < 2; k++) {
        gsolve_context_describe(ctx, &before);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        gsolve_context_describe(ctx, &after);
        for (int32_t i = 0; i < n; i++) b[i] = -b[i];
    }
    assert_int_equal(after.allocations, before.allocations);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_singular(&s, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* The first run of a solver whose matrix gets a null space, with failing allocations. */
static void failing_allocations(void **state)
{
    gsolve_context *ctx = open_context(2);
    singular s = two_domains(ctx, GSOLVE_F64);
    const int32_t n = s.csr.nrows;
    double *b = random_vector(n, 3), *x = calloc((size_t)n, sizeof *x);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;
    int64_t granted = 0;
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    OK(ctx, set_null_space(&s, A));
    do {
        memset(x, 0, (size_t)n * sizeof *x);
        gsolve_context_limit_allocations(ctx, granted++);
        status = gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result);
        gsolve_context_limit_allocations(ctx, -1);
        assert_true(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY);
        assert_true(granted < 100);
    } while (status != GSOLVE_OK);
    assert_true(granted > 5);
    check_column(&s, b, x, 1e-8, &result, "after failures");
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free_singular(&s, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* --- what is refused -------------------------------------------------------------------------- */

#define REFUSED(ctx, call, status, words)                                                    \
    do {                                                                                     \
        assert_int_equal(call, status);                                                      \
        if (!strstr(gsolve_error(ctx), words)) fail_msg("%s: %s", words, gsolve_error(ctx)); \
    } while (0)

static void bad_arguments(void **state)
{
    gsolve_context *ctx = open_context(2);
    singular s = two_domains(ctx, GSOLVE_F64), skew = nonsymmetric(ctx, GSOLVE_F64);
    const int32_t n = s.csr.nrows;
    const gsolve_null_space constants = {true, {0}}, nothing = {false, {0}};
    gsolve_null_space given = space_of(&s, s.right, true), bad = given;
    gsolve_csr lp = read_matrix(ctx, "gen:lp,n=20,cols=60");
    double *twice = calloc(2 * (size_t)n, sizeof *twice);
    gsolve_matrix *A = NULL, *B = NULL, *C = NULL;
    gsolve_solver *S = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &s.csr));
    OK(ctx, gsolve_matrix_create(&B, ctx, "csr", &lp));
    OK(ctx, gsolve_matrix_create(&C, ctx, "csr", &skew.csr));
    assert_int_equal(gsolve_matrix_set_null_space(NULL, &constants, NULL), GSOLVE_BAD_ARGUMENT);
    REFUSED(ctx, gsolve_matrix_set_null_space(A, NULL, &constants), GSOLVE_BAD_ARGUMENT,
            "pass both");
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &nothing, NULL), GSOLVE_BAD_ARGUMENT,
            "at least one");
    REFUSED(ctx, gsolve_matrix_set_null_space(B, &constants, NULL), GSOLVE_BAD_ARGUMENT, "square");
    REFUSED(ctx, gsolve_matrix_set_null_space(C, &constants, NULL), GSOLVE_BAD_ARGUMENT,
            "give the null space of A' as the left one");
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &given, &constants), GSOLVE_BAD_ARGUMENT,
            "dimension 2 and the left one 1");
    bad.vectors.nrows = n - 1;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT, "rows");
    bad = given;
    bad.vectors.value = NULL;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT, "NULL");
    bad = given;
    bad.vectors.layout = GSOLVE_ROW_MAJOR;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT, "column-major");
    bad.vectors = gsolve_vector(twice, n); /* 0 */
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT,
            "vector 1 of the right null space (counted from 1) is 0; remove it");
    for (int32_t i = 0; i < n; i++) twice[i] = 7;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT,
            "depends linearly on the constants; remove it");
    twice[1] = INFINITY;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT, "not finite");
    for (int32_t i = 0; i < n; i++) twice[i] = twice[n + i] = i < n / 2;
    bad.constants = false;
    bad.vectors.ncols = 2;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT,
            "vector 2 of the right null space (counted from 1) depends linearly on the vectors");
    bad.vectors.ncols = 1;
    twice[0] = 0;
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT,
            "is not in the null space of A");
    gsolve_matrix_describe(A, &info);
    assert_int_equal(info.null_space, 0);
    OK(ctx, gsolve_matrix_set_null_space(A, &given, NULL));
    REFUSED(ctx, gsolve_matrix_set_null_space(A, &bad, NULL), GSOLVE_BAD_ARGUMENT, "null space");
    gsolve_matrix_describe(A, &info);
    assert_int_equal(info.null_space, 2); /* the earlier one */
    REFUSED(ctx, gsolve_solver_create(&S, ctx, "direct", A, NULL), GSOLVE_UNSUPPORTED,
            "null space");
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
    gsolve_matrix_destroy(&C);
    gsolve_csr_free(&lp, ctx);
    free_singular(&s, ctx);
    free_singular(&skew, ctx);
    free(twice);
    close_context(ctx);
}

/* A matrix of zeros, and one of size 1. */
static void zeros(void **state)
{
    static const int32_t start[] = {0, 1, 2}, col[] = {0, 1};
    static const double value[] = {0, 0};
    const gsolve_null_space constants = {true, {0}};
    gsolve_context *ctx = open_context(1);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double b[2] = {1, 1}, x[2] = {3, 4};
    (void)state;

    for (int32_t n = 1; n <= 2; n++) {
        gsolve_csr csr = gsolve_csr_view(n, start, col, value);
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
        OK(ctx, gsolve_matrix_set_null_space(A, &constants, NULL));
        OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        assert_int_equal(result.outcome, GSOLVE_LEAST_SQUARES);
        assert_true(fabs(result.relative_residual - 1) < 1e-14 && fabs(result.removed - 1) < 1e-14);
        assert_true(n == 2 ? fabs(x[0] + x[1]) < 1e-15 : x[0] == 0);
        gsolve_solver_destroy(&S);
        gsolve_matrix_destroy(&A);
    }
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods),
        cmocka_unit_test(automatic),
        cmocka_unit_test(operators),
        cmocka_unit_test(mixed),
        cmocka_unit_test(extreme),
        cmocka_unit_test(set_and_remove),
        cmocka_unit_test(updates),
        cmocka_unit_test(allocations),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(zeros),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
