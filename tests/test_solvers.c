/* test_solvers.c [TEST | PART PARTS]: every method in the list with every preconditioner, against
 * CXSparse; bits, columns, outcomes and what is said of them. */
#include "tests/parts.h"

#include <cs.h>
#include <math.h>

typedef struct system_ {
    gsolve_csr csr;
    gsolve_matrix *A;
    int32_t n;
    double *b, *x, *exact;
} system_;

/* exact by cs_di_lusol. */
static system_ open_system(gsolve_context *ctx, const char *name)
{
    system_ s = {.csr = read_matrix(ctx, name)};
    s.n = s.csr.nrows;
    s.b = random_vector(s.n, 5);
    s.x = calloc((size_t)s.n + 1, sizeof *s.x);
    s.exact = malloc(((size_t)s.n + 1) * sizeof *s.exact);
    memcpy(s.exact, s.b, (size_t)s.n * sizeof *s.b);
    const cs_di rows = {(int)gsolve_csr_entries(&s.csr),
                        s.n,
                        s.n,
                        (int *)(uintptr_t)s.csr.start,
                        (int *)(uintptr_t)s.csr.col,
                        (double *)(uintptr_t)s.csr.value,
                        -1};
    cs_di *columns = cs_di_transpose(&rows, 1);
    assert_true(s.n == 0 || cs_di_lusol(2, columns, s.exact, 1));
    cs_di_spfree(columns);
    OK(ctx, gsolve_matrix_create(&s.A, ctx, "auto", &s.csr));
    return s;
}

static void close_system(gsolve_context *ctx, system_ *s)
{
    gsolve_matrix_destroy(&s->A);
    gsolve_csr_free(&s->csr, ctx);
    free(s->b);
    free(s->x);
    free(s->exact);
}

/* Runs the spec on the system; the status of whatever failed. */
static gsolve_status solve_with(gsolve_context *ctx, system_ *s, const char *solver,
                                const gsolve_precond *M, gsolve_result *result,
                                char explanation[1300])
{
    gsolve_solver *S = NULL;
    gsolve_status status = gsolve_solver_create(&S, ctx, solver, s->A, M);

    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    if (status == GSOLVE_OK) {
        status = gsolve_solver_run(S, gsolve_vector(s->b, s->n), gsolve_vector(s->x, s->n), result);
    }
    if (status == GSOLVE_OK && explanation) {
        snprintf(explanation, 1300, "%s", gsolve_solver_explain(S));
    }
    gsolve_solver_destroy(&S);
    return status;
}

static gsolve_status solve(gsolve_context *ctx, system_ *s, const char *solver, const char *precond,
                           gsolve_result *result, char explanation[1300])
{
    gsolve_precond *M = NULL;
    gsolve_status status = gsolve_precond_create(&M, ctx, precond, &s->csr);

    if (status == GSOLVE_OK) status = solve_with(ctx, s, solver, M, result, explanation);
    gsolve_precond_destroy(&M);
    return status;
}

static double error_of(const system_ *s)
{
    double error = 0, size = 0;
    for (int32_t i = 0; i < s->n; i++) {
        error = fmax(error, fabs(s->x[i] - s->exact[i]));
        size = fmax(size, fabs(s->exact[i]));
    }
    return size > 0 ? error / size : 0;
}

/* The methods, and then some with options that make them another method; NULL past the last. */
static const char *spec_at(int index)
{
    static const char *const more[] = {"gmres,basis=f32", "fgmres,basis=f32", "idr,s=1",
                                       "idr,s=16",        "pipecg,replace=5", "refine,inner=gmres"};
    const int count = (int)(sizeof more / sizeof *more);
    int methods = 0;

    while (gsolve_method_at(methods)) methods++;
    return index < methods           ? gsolve_method_at(index)->name
           : index < methods + count ? more[index - methods]
                                     : NULL;
}

/* Symmetric positive definite systems: every method with every preconditioner. */
static void definite(void **state)
{
    static const char *const names[] = {
        "gen:poisson2d,n=12",  "gen:elasticity3d,n=3", "gen:circuit,n=200,dense=2",
        "gen:tridiagonal,n=1", "gen:tridiagonal,n=0",  "gen:band,n=500,row=20,width=60"};
    gsolve_context *ctx = open_context(2);
    const gsolve_plugin *precond;
    const char *name;
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        if (!is_mine()) continue;
        system_ s = open_system(ctx, names[m]);
        for (int j = 0; (precond = gsolve_precond_at(ctx, j)); j++) {
            gsolve_precond *M = NULL;
            OK(ctx, gsolve_precond_create(&M, ctx, precond->name, &s.csr));
            for (int i = 0; (name = spec_at(i)); i++) {
                gsolve_result result = GSOLVE_INIT(gsolve_result);
                char spec[64];
                snprintf(spec, sizeof spec, "%s,rtol=1e-10", name);
                OK(ctx, solve_with(ctx, &s, spec, M, &result, NULL));
                if (result.outcome != GSOLVE_CONVERGED || !(result.relative_residual <= 1e-10) ||
                    !(error_of(&s) < 1e-6)) {
                    fail_msg("%s + %s on %s: %s, residual %g, error %g", spec, precond->name,
                             names[m], gsolve_outcome_text(result.outcome),
                             result.relative_residual, error_of(&s));
                }
            }
            gsolve_precond_destroy(&M);
        }
        close_system(ctx, &s);
    }
    close_context(ctx);
}

static void nonsymmetric(void **state)
{
    static const char *const names[] = {"gen:convdiff3d,n=7", "gen:web,n=300,longest=50",
                                        "gen:rmat,scale=8,degree=6"};
    static const char *const methods[] = {"bicg",
                                          "bicgstab",
                                          "cgs",
                                          "tfqmr",
                                          "idr",
                                          "idr,s=1",
                                          "idr,s=16",
                                          "refine",
                                          "refine,inner=gmres",
                                          "refine,type=f64,inner=bicgstab",
                                          "gmres",
                                          "gmres,restart=5",
                                          "gmres,basis=f32",
                                          "fgmres,basis=f32",
                                          "fgmres",
                                          "direct",
                                          "auto"};
    gsolve_context *ctx = open_context(2);
    const gsolve_plugin *precond;
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        if (!is_mine()) continue;
        system_ s = open_system(ctx, names[m]);
        for (int j = 0; (precond = gsolve_precond_at(ctx, j)); j++) {
            gsolve_precond *M = NULL;
            if (strcmp(precond->name, "ic") == 0) continue;        /* for symmetric matrices, and */
            if (strcmp(precond->name, "chebyshev") == 0) continue; /* for real spectra */
            OK(ctx, gsolve_precond_create(&M, ctx, precond->name, &s.csr));
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                gsolve_result result = GSOLVE_INIT(gsolve_result);
                OK(ctx, solve_with(ctx, &s, methods[i], M, &result, NULL));
                if (result.outcome != GSOLVE_CONVERGED || !(error_of(&s) < 1e-5)) {
                    fail_msg("%s + %s on %s: %s, residual %g", methods[i], precond->name, names[m],
                             gsolve_outcome_text(result.outcome), result.relative_residual);
                }
            }
            gsolve_precond_destroy(&M);
        }
        close_system(ctx, &s);
    }
    close_context(ctx);
}

/* Symmetric and indefinite: minres, and cg says what is wrong. */
static void indefinite(void **state)
{
    static const char *const methods[] = {"minres,rtol=1e-9"}; /* those that solve such systems */
    gsolve_context *ctx = open_context(2);
    system_ s = open_system(ctx, "gen:tridiagonal,n=300,low=1,diag=0.3,high=1");
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    char said[1300];
    (void)state;

    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        OK(ctx, solve(ctx, &s, methods[k], "jacobi,abs=1", &result, NULL));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_true(error_of(&s) < 1e-5);
    }
    OK(ctx, solve(ctx, &s, "cg", "none", &result, said));
    assert_int_equal(result.outcome, GSOLVE_INDEFINITE);
    assert_non_null(strstr(said, "not positive definite"));
    close_system(ctx, &s);
    close_context(ctx);
}

/* --- the same bits for any number of threads ---------------------------------------------------
 */

enum { RUNS = 4 };

static const int threads[RUNS] = {1, 8, 2, 3};

/* The same system in a context for each number of threads. */
typedef struct thread_run {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_precond *M;
    double *x;
    gsolve_result result;
} thread_run;

static void solve_in(thread_run *t, const char *spec, const double *b)
{
    const int32_t n = t->csr.nrows;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;

    memset(t->x, 0, (size_t)n * sizeof *t->x);
    OK(t->ctx, gsolve_matrix_create(&A, t->ctx, "auto", &t->csr));
    OK(t->ctx, gsolve_solver_create(&S, t->ctx, spec, A, t->M));
    t->result.size = sizeof t->result;
    OK(t->ctx, gsolve_solver_run(S, gsolve_vector((double *)(uintptr_t)b, n),
                                 gsolve_vector(t->x, n), &t->result));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
}

/* Iterates included: a few steps. */
static void compare_threads(thread_run *runs, int count, const char *name, const char *precond,
                            const double *b)
{
    char spec[64];

    snprintf(spec, sizeof spec, "%s,maxit=%s", name,
             strcmp(name, "direct") == 0       ? "1"
             : strncmp(name, "refine", 6) == 0 ? "2,inner_maxit=5"
                                               : "12");
    for (int t = 0; t < count; t++) {
        solve_in(&runs[t], spec, b);
        if (memcmp(runs[0].x, runs[t].x, (size_t)runs[0].csr.nrows * 8) != 0) {
            fail_msg("%s + %s: other bits with %d threads", spec, precond, threads[t]);
        }
        assert_int_equal(runs[t].result.iterations, runs[0].result.iterations);
        assert_memory_equal(&runs[t].result.relative_residual, &runs[0].result.relative_residual,
                            sizeof(double));
    }
}

static void bits_of(const char *matrix, bool direct)
{
    thread_run runs[RUNS] = {{0}};
    const gsolve_plugin *precond;
    const char *name;
    double *b;
    int count;

    for (int t = 0; t < RUNS; t++) {
        runs[t].ctx = open_context(threads[t]);
        runs[t].csr = read_matrix(runs[t].ctx, matrix);
        runs[t].x = calloc((size_t)runs[t].csr.nrows, sizeof(double));
    }
    /* on a GPU the threads matter to what is set up on the host only */
    count = gsolve_stream(runs[0].ctx) ? 2 : RUNS;
    b = random_vector(runs[0].csr.nrows, 7);
    for (int j = 0; (precond = gsolve_precond_at(runs[0].ctx, j)); j++) {
        if (direct ? strcmp(precond->name, "none") != 0 : !is_mine()) continue;
        for (int t = 0; t < count; t++) {
            OK(runs[t].ctx,
               gsolve_precond_create(&runs[t].M, runs[t].ctx, precond->name, &runs[t].csr));
        }
        for (int i = 0; (name = spec_at(i)); i++) {
            if (direct != (strcmp(name, "direct") == 0)) continue;
            compare_threads(runs, count, name, precond->name, b);
        }
        for (int t = 0; t < count; t++) gsolve_precond_destroy(&runs[t].M);
    }
    for (int t = 0; t < RUNS; t++) {
        gsolve_csr_free(&runs[t].csr, runs[t].ctx);
        close_context(runs[t].ctx);
        free(runs[t].x);
    }
    free(b);
}

/* With 1, 2, 3 and 8 threads, in every method and preconditioner. */
static void bits(void **state)
{
    (void)state;
    bits_of("gen:jump3d,n=26", false);
}

/* Where factors have few entries. */
static void direct_bits(void **state)
{
    (void)state;
    bits_of("gen:poisson2d,n=132", true);
}

/* Methods of whose columns each has the bits that it has alone. The others make sums with products,
 * whose order is another one for several columns, or search in what all columns found: of their
 * columns only the residual is promised. */
static bool bits_as_if_alone(const char *name)
{
    static const char *const others[] = {"cg",       "pipecg", "pipecg,replace=5",
                                         "bicgstab", "minres", "refine"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(others[i], name) == 0) return false;
    }
    return strncmp(name, "block_", 6) != 0;
}

/* |b - A x| / |b|, 0 where b is 0 and x solves it. */
static double residual_of(const gsolve_csr *A, const double *b, const double *x)
{
    double rr = 0, bb = 0;

    for (int32_t i = 0; i < A->nrows; i++) {
        double r = b[i];
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            r -= gs_value(A, k) * x[A->col[k]];
        }
        rr += r * r;
        bb += b[i] * b[i];
    }
    return rr > 0 ? sqrt(rr / bb) : 0;
}

/* Each of several columns as if it were alone, whatever the others do. */
static void columns(void **state)
{
    enum { K = 6 };
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=25");
    const int32_t n = csr.nrows;
    double *b = random_vector((int64_t)n * K, 9);
    const char *name;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    (void)state;

    memset(b + n, 0, (size_t)n * 8);                    /* b = 0 */
    for (int32_t i = 0; i < n; i++) b[3 * n + i] = 1e3; /* smooth: converges at another time */
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    OK(ctx, gsolve_precond_create(&M, ctx, "jacobi", &csr));
    for (int i = 0; (name = spec_at(i)); i++) {
        double *x = calloc((size_t)n * K, 8), *alone = calloc((size_t)n * K, 8);
        gsolve_solver *S = NULL;
        gsolve_result all = GSOLVE_INIT(gsolve_result), one[K];
        gsolve_result column = GSOLVE_INIT(gsolve_result);
        OK(ctx, gsolve_solver_create(&S, ctx, name, A, M));
        for (int c = 0; c < K; c++) {
            one[c].size = sizeof *one;
            OK(ctx, gsolve_solver_run(S, gsolve_vector(b + c * n, n),
                                      gsolve_vector(alone + c * n, n), &one[c]));
        }
        const gsolve_dense B = {n, K, n, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        const gsolve_dense X = {n, K, n, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        OK(ctx, gsolve_solver_run(S, B, X, &all));
        assert_int_equal(all.outcome, GSOLVE_CONVERGED);
        for (int c = 0; c < K; c++) {
            OK(ctx, gsolve_solver_column(S, c, &column));
            assert_int_equal(column.outcome, GSOLVE_CONVERGED);
            assert_true(residual_of(&csr, b + c * n, x + c * n) <= 1.0001e-8);
            if (!bits_as_if_alone(name)) continue;
            assert_int_equal(column.iterations, one[c].iterations);
            if (memcmp(x + c * n, alone + c * n, (size_t)n * 8) != 0) {
                fail_msg(
                    "%s: column %d has other bits than alone. Products that make sums do so in "
                    "another order for several columns: use gs_multiply and gs_dot, or add "
                    "the method to bits_as_if_alone here and to right_hand_sides.md and "
                    "reproducibility.md in docs/understand/",
                    name, c);
            }
        }
        assert_true(x[n] == 0 && x[2 * n - 1] == 0);
        assert_int_equal(gsolve_solver_column(S, K, &column), GSOLVE_BAD_ARGUMENT);
        gsolve_solver_destroy(&S);
        free(x);
        free(alone);
    }
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    close_context(ctx);
}

static bool stop_at_five(int iteration, double residual, void *user)
{
    ++*(int *)user;
    return iteration < 5 && residual > 0;
}

static void outcomes(void **state)
{
    gsolve_context *ctx = open_context(1);
    system_ s = open_system(ctx, "gen:convdiff3d,n=6"), p = open_system(ctx, "gen:poisson2d,n=30");
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_solver *S = NULL;
    char said[1300];
    int seen = 0;
    (void)state;

    OK(ctx, solve(ctx, &p, "cg,maxit=3", "none", &result, said));
    assert_int_equal(result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_int_equal(result.iterations, 3);
    assert_non_null(strstr(said, "limit of 3 iterations"));
    for (int i = 0; i < p.n; i++) p.b[i] = sin(i);
    OK(ctx, solve(ctx, &p, "cg,rtol=0", "none", &result, said)); /* nothing reaches 0 */
    assert_int_equal(result.outcome, GSOLVE_STAGNATED);
    assert_non_null(strstr(said, "stagnated"));
    OK(ctx, solve(ctx, &s, "cg", "none", &result, said));
    assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
    assert_non_null(strstr(said, "not symmetric"));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", p.A, NULL));
    assert_non_null(strstr(gsolve_solver_explain(S), "no run"));
    gsolve_solver_set_monitor(S, stop_at_five, &seen);
    memset(p.x, 0, (size_t)p.n * 8);
    OK(ctx, gsolve_solver_run(S, gsolve_vector(p.b, p.n), gsolve_vector(p.x, p.n), &result));
    assert_int_equal(result.outcome, GSOLVE_STOPPED);
    assert_int_equal(seen, 6);
    gsolve_solver_destroy(&S);
    OK(ctx, solve(ctx, &p, "cg,atol=1e300", "none", &result, NULL)); /* satisfied at once */
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_int_equal(result.iterations, 0);
    close_system(ctx, &s);
    close_system(ctx, &p);
    close_context(ctx);
}

/* Systems that are singular: consistent ones are solved, inconsistent ones explained. */
static void singular(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = read_matrix(ctx, "gen:neumann2d,n=20");
    const int32_t n = csr.nrows;
    double *b = random_vector(n, 3), *x = calloc((size_t)n, 8), mean = 0;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    for (int32_t i = 0; i < n; i++) mean += b[i] / n;
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    for (int32_t i = 0; i < n; i++) b[i] -= mean;
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    for (int32_t i = 0; i < n; i++) b[i] += 1;
    memset(x, 0, (size_t)n * 8);
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
    assert_non_null(strstr(gsolve_solver_explain(S), "singular"));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    csr = read_matrix(ctx, "gen:emptyrows,n=30");
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "gmres", A, NULL));
    memset(x, 0, 30 * 8);
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, 30), gsolve_vector(x, 30), &result));
    assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
    assert_non_null(strstr(gsolve_solver_explain(S), "(counted from 1) is empty"));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* Least squares by QR: consistent tall and wide systems, and an inconsistent one that is not called
 * converged. */
static void rectangular(void **state)
{
    static const char *const names[] = {"gen:random,n=60,cols=40,row=5", "gen:lp,n=30,cols=80"};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int m = 0; m < 2; m++) {
        gsolve_csr csr = read_matrix(ctx, names[m]);
        double *x = random_vector(csr.ncols, 3), *b = calloc((size_t)csr.nrows, 8);
        gsolve_matrix *A = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
        OK(ctx,
           gsolve_matrix_apply(A, 1, gsolve_vector(x, csr.ncols), 0, gsolve_vector(b, csr.nrows)));
        memset(x, 0, (size_t)csr.ncols * 8);
        assert_int_equal(gsolve_solver_create(&S, ctx, "cg", A, NULL), GSOLVE_BAD_ARGUMENT);
        assert_non_null(strstr(gsolve_error(ctx), "square"));
        OK(ctx, gsolve_solver_create(&S, ctx, "auto", A, NULL));
        OK(ctx,
           gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.ncols), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        b[0] += 10;
        OK(ctx,
           gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.ncols), &result));
        if (m == 0) {
            assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
            assert_non_null(strstr(gsolve_solver_explain(S), "least-squares"));
        } else {
            assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        }
        gsolve_solver_destroy(&S);
        gsolve_matrix_destroy(&A);
        gsolve_csr_free(&csr, ctx);
        free(b);
        free(x);
    }
    close_context(ctx);
}

/* Single precision: converges to what it can hold, and says so where it cannot. */
static gsolve_dense narrow(float *value, int32_t n)
{
    const gsolve_dense v = {n, 1, n, value, GSOLVE_F32, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    return v;
}

/* b and x in double keep their digits; those in single precision have none for 1e-12. */
static void single(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr wide = read_matrix(ctx, "gen:poisson2d,n=30"), csr;
    const int32_t n = wide.nrows;
    double *b = random_vector(n, 3), *x = calloc((size_t)n, 8);
    float *b32 = calloc((size_t)n, sizeof *b32), *x32 = calloc((size_t)n, sizeof *x32);
    const char *name;
    (void)state;

    for (int32_t i = 0; i < n; i++) b32[i] = (float)b[i];
    OK(ctx, gsolve_csr_convert(&csr, ctx, GSOLVE_F32, &wide));
    for (int i = 0; (name = spec_at(i)); i++) {
        gsolve_matrix *A = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        char spec[64];
        OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
        OK(ctx, gsolve_precond_create(&M, ctx, "ic", &csr));
        snprintf(spec, sizeof spec, "%s,rtol=1e-5", name);
        OK(ctx, gsolve_solver_create(&S, ctx, spec, A, M));
        memset(x, 0, (size_t)n * 8);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        gsolve_solver_destroy(&S);
        snprintf(spec, sizeof spec, "%s,rtol=1e-12", name);
        OK(ctx, gsolve_solver_create(&S, ctx, spec, A, M));
        OK(ctx, gsolve_solver_run(S, narrow(b32, n), narrow(x32, n), &result));
        assert_int_not_equal(result.outcome, GSOLVE_CONVERGED);
        assert_true(result.relative_residual > 1e-12);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        /* the recurrences of idr lose what they have in single precision, or not, by rounding */
        if (result.outcome != GSOLVE_CONVERGED && strncmp(name, "idr", 3) != 0) {
            fail_msg("%s: %s at %g", spec, gsolve_outcome_text(result.outcome),
                     result.relative_residual);
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        gsolve_matrix_destroy(&A);
    }
    gsolve_csr_free(&wide, ctx);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    free(b32);
    free(x32);
    close_context(ctx);
}

/* The handles after new values give what fresh ones give, direct included. */
static void updates(void **state)
{
    gsolve_context *ctx = open_context(2);
    system_ s = open_system(ctx, "gen:poisson2d,n=15"), t = open_system(ctx, "gen:poisson2d,n=15");
    const char *name;
    double *value = (double *)(uintptr_t)t.csr.value;
    (void)state;

    for (int64_t k = 0; k < gsolve_csr_entries(&t.csr); k++) {
        value[k] *= value[k] > 0 ? 1.5 : 1; /* a heavier diagonal */
    }
    for (int i = 0; (name = spec_at(i)); i++) {
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL, *T = NULL;
        gsolve_result one = GSOLVE_INIT(gsolve_result), two = GSOLVE_INIT(gsolve_result);
        OK(ctx, gsolve_matrix_update(s.A, &s.csr));
        OK(ctx, gsolve_precond_create(&M, ctx, "ilu", &s.csr));
        OK(ctx, gsolve_solver_create(&S, ctx, name, s.A, M));
        memset(s.x, 0, (size_t)s.n * 8);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(s.b, s.n), gsolve_vector(s.x, s.n), &one));
        OK(ctx, gsolve_matrix_update(s.A, &t.csr));
        OK(ctx, gsolve_precond_update(M, &t.csr));
        memset(s.x, 0, (size_t)s.n * 8);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(s.b, s.n), gsolve_vector(s.x, s.n), &one));
        OK(ctx, gsolve_matrix_update(t.A, &t.csr));
        OK(ctx, gsolve_solver_create(&T, ctx, name, t.A, M));
        memset(t.x, 0, (size_t)t.n * 8);
        OK(ctx, gsolve_solver_run(T, gsolve_vector(t.b, t.n), gsolve_vector(t.x, t.n), &two));
        assert_int_equal(one.outcome, GSOLVE_CONVERGED);
        assert_memory_equal(s.x, t.x, (size_t)s.n * 8);
        gsolve_solver_destroy(&S);
        gsolve_solver_destroy(&T);
        gsolve_precond_destroy(&M);
    }
    close_system(ctx, &s);
    close_system(ctx, &t);
    close_context(ctx);
}

static bool keep_residual(int iteration, double residual, void *user)
{
    (void)iteration;
    *(double *)user = residual;
    return true;
}

/* The residual that pipecg carries along is the true one to the end, where A is badly conditioned:
 * it converges at the first attempt (each replacement takes 4 products, a restart 2). */
static void pipelined(void **state)
{
    static const int steps[] = {50, 7};
    gsolve_context *ctx = open_context(2);
    system_ s = open_system(ctx, "gen:jump3d,n=12,contrast=1e6");
    (void)state;

    for (int i = 0; i < 2; i++) {
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        double carried = 0;
        char spec[64];
        snprintf(spec, sizeof spec, "pipecg,rtol=1e-13,replace=%d", steps[i]);
        OK(ctx, gsolve_solver_create(&S, ctx, spec, s.A, NULL));
        gsolve_solver_set_monitor(S, keep_residual, &carried);
        memset(s.x, 0, (size_t)s.n * 8);
        OK(ctx, gsolve_solver_run(S, gsolve_vector(s.b, s.n), gsolve_vector(s.x, s.n), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        assert_true(result.iterations > 500);
        assert_int_equal(result.products,
                         2 + result.iterations + 4 * (result.iterations / steps[i]));
        assert_true(fabs(result.relative_residual - carried) < 0.05 * result.relative_residual);
        gsolve_solver_destroy(&S);
    }
    close_system(ctx, &s);
    close_context(ctx);
}

static gsolve_status run_from_zero(gsolve_solver *S, system_ *s, gsolve_result *result)
{
    memset(s->x, 0, (size_t)s->n * 8);
    return gsolve_solver_run(S, gsolve_vector(s->b, s->n), gsolve_vector(s->x, s->n), result);
}

/* Runs with a limit of 0, 1, 2, ... allocations. A run that fails late keeps the solver in A's own
 * type, which the next run then needs not make. */
static void run_with_few_allocations(gsolve_solver *S, system_ *s, gsolve_context *ctx,
                                     gsolve_result *result)
{
    gsolve_status status = GSOLVE_NO_MEMORY;

    for (int64_t granted = 0; status != GSOLVE_OK; granted++) {
        gsolve_context_limit_allocations(ctx, granted);
        status = run_from_zero(S, s, result);
        gsolve_context_limit_allocations(ctx, -1);
        if (status != GSOLVE_OK) assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_true(granted < 1000);
    }
}

/* Double precision from single: reached where A allows it, and by way of A's own type, which is
 * said, where it does not. A second run allocates nothing. */
static void refined(void **state)
{
    static const struct {
        const char *matrix, *solver, *precond, *said;
    } cases[] = {
        {"gen:poisson2d,n=30", "refine,rtol=1e-10", "jacobi", "of cg in single precision"},
        {"gen:convdiff3d,n=7", "refine,rtol=1e-12,inner=gmres", "ilu",
         "of gmres in single precision"},
        {"gen:convdiff3d,n=14", "refine,rtol=1e-10,inner=gmres,inner_rtol=1e-6", "jacobi",
         "of gmres in single precision"}, /* in more than one cycle */
        {"gen:elasticity3d,n=4", "refine,rtol=1e-10,type=f64", "ic", "of cg in double precision"},
        {"gen:tridiagonal,n=3000", "refine,rtol=1e-10,inner=cg", "none",
         "1 of 1 columns continued in double precision"},
        {"gen:tridiagonal,n=40,low=-1e39,diag=2e39,high=-1e39", "refine,rtol=1e-10", "jacobi",
         "has values beyond single precision"},
    };
    gsolve_context *ctx;
    (void)state;

    ctx = open_context(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        system_ s = open_system(ctx, cases[i].matrix);
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve_context_info before = GSOLVE_INIT(gsolve_context_info),
                            after = GSOLVE_INIT(gsolve_context_info);
        OK(ctx, gsolve_precond_create(&M, ctx, cases[i].precond, &s.csr));
        OK(ctx, gsolve_solver_create(&S, ctx, cases[i].solver, s.A, M));
        assert_string_equal(gsolve_solver_note(S), "");
        run_with_few_allocations(S, &s, ctx, &result);
        gsolve_context_describe(ctx, &before);
        OK(ctx, run_from_zero(S, &s, &result));
        gsolve_context_describe(ctx, &after);
        assert_int_equal(after.allocations, before.allocations);
        if (result.outcome != GSOLVE_CONVERGED || !(result.relative_residual <= 1e-10) ||
            !(error_of(&s) < 1e-6) || !strstr(gsolve_solver_explain(S), cases[i].said)) {
            fail_msg("%s on %s: error %g, %s", cases[i].solver, cases[i].matrix, error_of(&s),
                     gsolve_solver_explain(S));
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        close_system(ctx, &s);
    }
    close_context(ctx);
}

/* A column that had nothing to do in one run has in the next: what was recorded of the first run's
 * steps does not leave it out. */
static void columns_that_wake(void **state)
{
    static const char *const specs[] = {"cg,resident=off", "bicgstab,resident=off", "gmres", "cg"};
    enum { N = 1600 };
    gsolve_context *ctx = open_context(2);
    system_ s = open_system(ctx, "gen:poisson2d,n=40");
    double *b = calloc(2 * N, 8), *x = calloc(2 * N, 8);
    const gsolve_dense B = {N, 2, N, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense X = {N, 2, N, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        gsolve_solver *S = NULL;
        OK(ctx, gsolve_solver_create(&S, ctx, specs[k], s.A, NULL));
        memcpy(b, s.b, N * 8);
        for (int awake = 0; awake < 2; awake++) {
            for (int i = 0; i < N; i++) b[N + i] = awake * s.b[i];
            memset(x, 0, 2 * N * 8);
            OK(ctx, gsolve_solver_run(S, B, X, &result));
            assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        }
        assert_memory_equal(x, x + N, N * 8);
        gsolve_solver_destroy(&S);
    }
    free(b);
    free(x);
    close_system(ctx, &s);
    close_context(ctx);
}

/* Of two columns one falls back on double precision, and each is as if alone. */
static void refined_columns(void **state)
{
    enum { N = 3000 };
    gsolve_context *ctx = open_context(2);
    system_ s = open_system(ctx, "gen:tridiagonal,n=3000");
    double *b = calloc(2 * N, 8), *x = calloc(2 * N, 8), *alone = calloc(2 * N, 8);
    const gsolve_dense B = {N, 2, N, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense X = {N, 2, N, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    memcpy(b, s.b, N * 8);
    for (int i = 0; i < 40; i++) b[N + 1000 + i] = sin(i); /* A x with a short x */
    OK(ctx, gsolve_matrix_apply(s.A, 1, gsolve_vector(b + N, N), 0, gsolve_vector(x, N)));
    memcpy(b + N, x, N * 8);
    memset(x, 0, N * 8);
    OK(ctx, gsolve_solver_create(&S, ctx, "refine,inner=cg", s.A, NULL));
    for (int c = 0; c < 2; c++) {
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b + c * N, N), gsolve_vector(alone + c * N, N),
                                  &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    }
    OK(ctx, gsolve_solver_run(S, B, X, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_non_null(strstr(gsolve_solver_note(S), "1 of 2 columns continued"));
    assert_memory_equal(x, alone, 2 * N * 8);
    gsolve_solver_destroy(&S);
    close_system(ctx, &s);
    free(b);
    free(x);
    free(alone);
    close_context(ctx);
}

static void misuse(void **state)
{
    gsolve_context *ctx = open_context(1);
    system_ s = open_system(ctx, "gen:poisson2d,n=5");
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_csr single;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    const gsolve_plugin *method;
    (void)state;

    assert_int_equal(gsolve_solver_create(&S, ctx, "sor", s.A, NULL), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "bicgstab"));
    assert_int_equal(gsolve_solver_create(&S, ctx, "cg,restart=3", s.A, NULL), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "rtol"));
    assert_int_equal(gsolve_solver_create(&S, ctx, "cg", NULL, NULL), GSOLVE_BAD_ARGUMENT);
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", s.A, NULL));
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(s.b, 24), gsolve_vector(s.x, 25), &result),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "25"));
    s.b[3] = NAN;
    assert_int_equal(gsolve_solver_run(S, gsolve_vector(s.b, 25), gsolve_vector(s.x, 25), &result),
                     GSOLVE_BAD_ARGUMENT);
    s.b[3] = 0;
    gsolve_solver_destroy(&S);
    OK(ctx, gsolve_csr_convert(&single, ctx, GSOLVE_F32, &s.csr));
    OK(ctx, gsolve_precond_create(&M, ctx, "jacobi", &single));
    assert_int_equal(gsolve_solver_create(&S, ctx, "cg", s.A, M), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "jacobi is in f32 and the matrix in f64"));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&single, ctx);
    assert_int_equal(gsolve_solver_create(&S, ctx, "idr,s=0", s.A, NULL), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_solver_create(&S, ctx, "idr,s=17", s.A, NULL), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "16"));
    assert_int_equal(gsolve_solver_create(&S, ctx, "refine,inner=direct", s.A, NULL),
                     GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_solver_create(&S, ctx, "refine,inner_rtol=1", s.A, NULL),
                     GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_solver_create(&S, ctx, "pipecg,replace=-1", s.A, NULL),
                     GSOLVE_BAD_SPEC);
    for (int i = 0; (method = gsolve_method_at(i)); i++) {
        ALLOCATION_SWEEP(ctx, gsolve_solver_create(&S, ctx, method->name, s.A, NULL));
        gsolve_solver_destroy(&S);
    }
    ALLOCATION_SWEEP(ctx, gsolve_solver_create(&S, ctx, "auto,rtol=1e-9", s.A, NULL));
    ALLOCATION_SWEEP(ctx,
                     gsolve_solver_run(S, gsolve_vector(s.b, 25), gsolve_vector(s.x, 25), &result));
    gsolve_solver_destroy(&S);
    ALLOCATION_SWEEP(
        ctx, gsolve_solve(ctx, &s.csr, gsolve_vector(s.b, 25), gsolve_vector(s.x, 25), &result));
    close_system(ctx, &s);
    close_context(ctx);
}

/* The whole in one call, also where the first choice fails. */
static void whole(void **state)
{
    static const char *const names[] = {
        "gen:poisson3d,n=8",  "gen:convdiff3d,n=6",  "gen:tridiagonal,n=50,low=1,diag=0,high=-1",
        "gen:neumann2d,n=10", "gen:lp,n=20,cols=60", "gen:tridiagonal,n=40,low=1,diag=0.5,high=1"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        gsolve_csr csr = read_matrix(ctx, names[m]);
        double *x = calloc((size_t)csr.ncols, 8), *b = calloc((size_t)csr.nrows, 8);
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        for (int32_t i = 0; i < csr.nrows; i++) { /* b = A ones */
            for (int64_t k = gs_start(&csr, i); k < gs_start(&csr, i + 1); k++) {
                b[i] += gs_value(&csr, k);
            }
        }
        OK(ctx, gsolve_solve(ctx, &csr, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.ncols),
                             &result));
        if (result.outcome != GSOLVE_CONVERGED) {
            fail_msg("%s: %s at %g", names[m], gsolve_outcome_text(result.outcome),
                     result.relative_residual);
        }
        gsolve_csr_free(&csr, ctx);
        free(b);
        free(x);
    }
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(bits),
        cmocka_unit_test(definite),
        cmocka_unit_test(nonsymmetric),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(indefinite),
        cmocka_unit_test(direct_bits),
        cmocka_unit_test(columns),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(singular),
        cmocka_unit_test(rectangular),
        cmocka_unit_test(single),
        cmocka_unit_test(pipelined),
        cmocka_unit_test(refined),
        cmocka_unit_test(refined_columns),
        cmocka_unit_test(columns_that_wake),
        cmocka_unit_test(updates),
        cmocka_unit_test(misuse),
        cmocka_unit_test(whole),
    };

    need_device();
    if (argc == 2) cmocka_set_test_filter(argv[1]);
    take_part(argc, argv);
    return RUN_PARTS(shared, other);
}
