/* test_auto.c: the format auto: when it takes up another form, what becomes of the bits, of new
 * values and of failures. The other form is one of the test's own, which counts what is asked of
 * it: on the CPU rows summed from their ends, so that its bits differ from those of csr; on a GPU
 * another format of the library, or the vendor's, which does not look at the guard and makes no
 * sums. The system has a long row, so that no built-in format has an estimate for it. */
#include "tests/common.h"

#include <math.h>

#include "core/try.h"
#include "matrix/cost_model.h"
#include "matrix/sample.h"
#include "spmv/handle.h"

enum { UNKNOWNS_CPU = 20000, UNKNOWNS_CUDA = 110000 }; /* enough for auto to look */

static struct counts {
    int builds, destroyed, products, updates;
} counts;
static gsolve_format_estimate given_estimate;        /* what the format estimates */
static gsolve_status refusal;                        /* what its build returns */
static int toil;                                     /* times that a product is made */
static const gsolve_format *inner = &gs_sell_format; /* that counts on a GPU */

/* --- the other form ------------------------------------------------------------------------------
 */

typedef struct reversed {
    gsolve_csr csr;
    void *more; /* a second block, which may be denied */
} reversed;

static void reversed_destroy(void *self, gsolve_context *ctx)
{
    reversed *r = self;

    counts.destroyed++;
    gsolve_free(ctx, GSOLVE_HOST, r->more);
    gsolve_free(ctx, GSOLVE_HOST, r);
}

static gsolve_status reversed_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                    int64_t entries, const void *options, void *user)
{
    reversed *r = NULL;
    void *more = NULL;
    gsolve_status status;
    (void)user, (void)options, (void)entries;

    counts.builds++;
    if (refusal != GSOLVE_OK) return gsolve_fail(ctx, refusal, "memory: there is none left");
    more = gsolve_alloc(ctx, GSOLVE_HOST, 10, 10);
    if (!more) return GSOLVE_NO_MEMORY;
    ALLOC(ctx, GSOLVE_HOST, r, 1);
    r->csr = *csr;
    r->more = more;
    *self = r;
    more = NULL;
done:
    gsolve_free(ctx, GSOLVE_HOST, more);
    return status;
}

static gsolve_status reversed_apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                                    double beta, gsolve_dense y)
{
    const gsolve_csr *A = &((const reversed *)self)->csr;
    const double *value = A->value, *px = x.value;
    double *py = y.value;
    (void)ctx;

    counts.products++;
    for (int time = 0; time < toil; time++) {
        for (int32_t i = 0; i < A->nrows; i++) {
            volatile double sum = 0;
            for (int64_t k = gs_start(A, i + 1) - 1; k >= gs_start(A, i); k--) {
                sum = sum + value[k] * px[A->col[k]];
            }
            if (time == toil - 1) py[i] = alpha * sum + (beta == 0 ? 0 : beta * py[i]);
        }
    }
    return GSOLVE_OK;
}

static gsolve_status reversed_update(void *self, gsolve_context *ctx, const gsolve_csr *csr)
{
    (void)self, (void)ctx, (void)csr;
    counts.updates++;
    return GSOLVE_OK;
}

/* On a GPU: another format behind counters. */
static gsolve_status inner_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                 int64_t entries, const void *options, void *user)
{
    counts.builds++;
    if (refusal != GSOLVE_OK) return gsolve_fail(ctx, refusal, "memory: there is none left");
    return inner->build(self, ctx, csr, entries, options, user);
}

static bool give_estimate(const gsolve_pattern_sample *sample, gsolve_format_estimate *estimate,
                          void *user)
{
    (void)sample, (void)user;
    *estimate = given_estimate;
    return given_estimate.product < 1;
}

static bool on_gpu(const gsolve_context *ctx)
{
    return gs_on_gpu(ctx);
}

/* A context that knows the format "counted", whose products take so much of those of csr, and whose
 * build so many of them; variant: changes the format. */
static gsolve_context *open_counting(int threads, double product, double build,
                                     void (*variant)(gsolve_format *f))
{
    static gsolve_format format; /* outlives the contexts */
    gsolve_context *ctx = open_context(threads);
    const gsolve_format own = {
        .size = sizeof(gsolve_format),
        .plugin = {"counted", "a form that counts", NULL, 0},
        .build = reversed_build,
        .destroy = reversed_destroy,
        .apply = reversed_apply,
        .update = reversed_update,
        .estimate = give_estimate,
    };

    format = own;
    if (on_gpu(ctx)) {
        format = *inner;
        format.size = sizeof format;
        format.plugin.name = "counted";
        format.build = inner_build;
        format.estimate = give_estimate;
    }
    if (variant) variant(&format);
    memset(&counts, 0, sizeof counts);
    refusal = GSOLVE_OK;
    toil = 1;
    given_estimate = (gsolve_format_estimate){"counted", product, build, 1e3};
    OK(ctx, gsolve_register_format(ctx, &format));
    return ctx;
}

static int64_t put_entry(int32_t *col, double *value, int64_t k, int32_t j, double a)
{
    col[k] = j;
    value[k] = a;
    return k + 1;
}

/* Symmetric, of condition 83 or so: -1, 2.05, -1 about the diagonal, and small values of both signs
 * in the first row and column. In arrays of ctx. */
static gsolve_csr read_system(gsolve_context *ctx)
{
    const int32_t n = on_gpu(ctx) ? UNKNOWNS_CUDA : UNKNOWNS_CPU;
    const double small = 0.1 / sqrt(n);
    int32_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n + 1, 4);
    int32_t *col = gsolve_alloc(ctx, GSOLVE_HOST, 5 * (size_t)n, 4);
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, 5 * (size_t)n, 8);
    int64_t k = 0;

    assert_true(start && col && value);
    for (int32_t i = 0; i < n; i++) {
        start[i] = (int32_t)k;
        if (i > 0) k = put_entry(col, value, k, 0, i % 2 ? small : -small);
        if (i > 1) k = put_entry(col, value, k, i - 1, -1);
        k = put_entry(col, value, k, i, 2.05);
        if (i > 0 && i + 1 < n) k = put_entry(col, value, k, i + 1, -1);
        for (int32_t j = 1; i == 0 && j < n; j++) {
            k = put_entry(col, value, k, j, j % 2 ? small : -small);
        }
    }
    start[n] = (int32_t)k;
    return gsolve_csr_view(n, start, col, value);
}

static gsolve_matrix_info info_of(const gsolve_matrix *A)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_matrix_describe(A, &info);
    return info;
}

static gsolve_matrix *new_matrix(gsolve_context *ctx, const char *spec)
{
    gsolve_csr csr = read_system(ctx);
    gsolve_matrix *A = NULL;

    OK(ctx, gsolve_matrix_create(&A, ctx, spec, &csr));
    gsolve_csr_free(&csr, ctx);
    return A;
}

static gsolve_solver *new_solver(gsolve_context *ctx, const gsolve_matrix *A, const char *spec)
{
    gsolve_solver *S = NULL;
    OK(ctx, gsolve_solver_create(&S, ctx, spec, A, NULL));
    return S;
}

/* A x = b from 0; x is for the caller to free. */
static double *run(gsolve_context *ctx, gsolve_solver *S, const gsolve_matrix *A,
                   gsolve_result *result)
{
    const int32_t n = info_of(A).nrows;
    double *b = random_vector(n, 8), *x = calloc((size_t)n, 8);

    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), result));
    free(b);
    return x;
}

static gsolve_result solve(gsolve_context *ctx, const gsolve_matrix *A, const char *spec)
{
    gsolve_solver *S = new_solver(ctx, A, spec);
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    free(run(ctx, S, A, &result));
    gsolve_solver_destroy(&S);
    return result;
}

/* Which run it was, and how it ended. */
static void assert_converged(const char *what, const gsolve_result *r)
{
    if (r->outcome == GSOLVE_CONVERGED) return;
    fail_msg("%s, counted as %s: %s after %d iterations and %d products, residual %.3g", what,
             inner->plugin.name, gsolve_outcome_text(r->outcome), r->iterations, r->products,
             r->relative_residual);
}

/* What A does when it is told so. */
static gsolve_adaptation told(gsolve_context *ctx, gsolve_matrix *A, int64_t made, double remaining,
                              int32_t columns)
{
    const gsolve_run_estimate outlook = {made, remaining, 1e9, columns, false};
    gsolve_adaptation turn;

    OK(ctx, gsolve_matrix_adapt(A, &outlook, &turn));
    return turn;
}

/* --- when ---------------------------------------------------------------------------------------
 */

/* As many iterations as are asked for are known from the start. */
static void so_many_iterations(void **state)
{
    static const struct {
        int iterations;
        double product, build;
        bool pays;
    } cases[] = {{10, 0.1, 1, false},  {100, 0.5, 10, true}, {100, 0.9, 10, false},
                 {400, 0.9, 10, true}, {400, 1.5, 0, false}, {100, 0.5, 50, false}};
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gsolve_context *ctx = open_counting(2, cases[k].product, cases[k].build, NULL);
        gsolve_matrix *A = new_matrix(ctx, "auto");
        char spec[64];
        snprintf(spec, sizeof spec, "cg,resident=off,rtol=0,stall=0,maxit=%d", cases[k].iterations);
        assert_string_equal(info_of(A).form, "csr");
        assert_int_equal(solve(ctx, A, spec).iterations, cases[k].iterations);
        assert_int_equal(counts.builds, cases[k].pays);
        assert_string_equal(info_of(A).format, "auto");
        assert_string_equal(info_of(A).form, cases[k].pays ? "counted" : "csr");
        assert_int_equal(info_of(A).changes, cases[k].pays);
        if (cases[k].pays) {
            assert_non_null(strstr(info_of(A).note, "csr for the first 0 products, then counted"));
            if (!on_gpu(ctx)) assert_int_equal(counts.products, cases[k].iterations + 1);
        }
        gsolve_matrix_destroy(&A);
        if (!on_gpu(ctx)) assert_int_equal(counts.destroyed, counts.builds);
        close_context(ctx);
    }
}

static void takes_up(const char *method)
{
    gsolve_context *ctx = open_counting(2, 0.5, 4, NULL);
    gsolve_matrix *A = new_matrix(ctx, "auto"), *B = new_matrix(ctx, "csr");
    int since = -1;
    const gsolve_result result = solve(ctx, A, method), plain = solve(ctx, B, method);
    const gsolve_matrix_info info = info_of(A);

    assert_converged(method, &result);
    assert_converged(method, &plain);
    if (strcmp(method, "cg,resident=off") == 0) { /* the others' numbers depend on rounding */
        assert_in_range(result.iterations, plain.iterations * 4 / 5, plain.iterations * 5 / 4);
    }
    assert_string_equal(info.form, "counted");
    assert_int_equal(sscanf(info.note, "csr for the first %d products", &since), 1);
    if (since < 4 || since > result.products * 3 / 4) {
        fail_msg("%s: %s, of %d", method, info.note, result.products);
    }
    assert_true(info.convert_seconds > 0);
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
    close_context(ctx);
}

static const gsolve_format *const inners[] = {&gs_sell_format, &gs_cusparse_format};

/* To a tolerance: the residual's fall tells, on the way. The change is no new start: cg takes about
 * as many iterations as with csr. Nothing goes on after the end. */
static void on_the_way(void **state)
{
    static const char *const methods[] = {"cg,resident=off",
                                          "bicgstab,resident=off",
                                          "gmres",
                                          "fgmres",
                                          "bicg",
                                          "minres",
                                          "pipecg",
                                          "cgs",
                                          "tfqmr",
                                          "idr"};
    gsolve_context *ctx = open_context(1);
    const size_t count = on_gpu(ctx) ? sizeof inners / sizeof *inners : 1;
    (void)state;

    close_context(ctx);
    for (size_t f = 0; f < count; f++) {
        inner = inners[f];
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) takes_up(methods[m]);
    }
    inner = &gs_sell_format;
}

/* A residual that has not fallen at all is taken for one that will need many steps, also by a run
 * that ends early. b is such that the residual of this system rises first. */
static void slow_begin(void **state)
{
    gsolve_context *ctx = open_counting(2, 0.5, 10, NULL);
    gsolve_csr csr =
        read_matrix(ctx, on_gpu(ctx) ? "gen:tridiagonal,n=200000" : "gen:tridiagonal,n=20000");
    const int32_t n = csr.nrows;
    double *b = calloc((size_t)n, 8), *x = calloc((size_t)n, 8);
    gsolve_matrix *A = NULL;
    gsolve_solver *S;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    int since = -1;
    (void)state;

    for (int32_t i = 0; i < n; i++) b[i] = 1;
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    S = new_solver(ctx, A, "cg,resident=off,rtol=1e-8,maxit=100");
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_equal(result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_int_equal(sscanf(info_of(A).note, "csr for the first %d products", &since), 1);
    assert_in_range(since, 4, 8);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* Where nothing is known, a conversion may cost what csr has lost so far, with a margin of 1.2. */
static void nothing_known(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.9, 10, NULL);
    gsolve_matrix *A = new_matrix(ctx, "auto");
    int made = 0;
    (void)state;

    while (made < 1000 && !told(ctx, A, made, -1, 1).changed) made++;
    assert_int_equal(made, 121);
    assert_true(told(ctx, A, made, 1e6, 1).final);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* Earlier runs tell of the next, and of those after it. */
static void earlier_runs(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.9, 100, NULL); /* pays from 1200 products */
    gsolve_matrix *A = new_matrix(ctx, "auto");
    int runs = 0;
    (void)state;

    for (; runs < 100 && info_of(A).changes == 0; runs++) {
        solve(ctx, A, "cg,resident=off,rtol=0,stall=0,maxit=100");
    }
    assert_in_range(runs, 11, 13);
    assert_non_null(strstr(info_of(A).note, "is repaid about 1000 products later"));
    for (int k = 0; k < 10; k++) solve(ctx, A, "cg,resident=off,rtol=0,stall=0,maxit=100");
    assert_non_null(strstr(info_of(A).note, "was repaid about 1000 products later"));
    assert_int_equal(counts.builds, 1);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* expect=N stands above all else. */
static void as_told(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.5, 10, NULL);
    gsolve_matrix *A = new_matrix(ctx, "auto,expect=1000"), *B = new_matrix(ctx, "auto,expect=40");
    (void)state;

    assert_true(told(ctx, A, 0, 1, 1).changed);
    assert_true(told(ctx, B, 0, 1e6, 1).changed);
    gsolve_matrix_destroy(&B);
    B = new_matrix(ctx, "auto,expect=40");
    assert_false(told(ctx, B, 20, 1e6, 1).changed);
    assert_int_equal(gsolve_matrix_adapt(B, NULL, NULL), GSOLVE_BAD_ARGUMENT);
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
    A = new_matrix(ctx, "csr"); /* has but one form */
    assert_true(told(ctx, A, 0, 1e6, 1).final);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* A matrix that has been looked at and stays csr is planned from that look, and has csr's bits. */
static void planned_by_the_look(void **state)
{
    static const char *const names[] = {"gen:tridiagonal,n=200000", "gen:random,n=60000,row=16",
                                        "gen:circuit,n=100000", "gen:emptyrows,n=150000"};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        gsolve_csr csr = read_matrix(ctx, names[k]);
        const int32_t n = csr.nrows;
        double *x = random_vector(n, 4), *y = random_vector(n, 5), *z = random_vector(n, 6);
        gsolve_matrix *A = NULL, *B = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
        OK(ctx, gsolve_matrix_create(&B, ctx, "csr", &csr));
        assert_false(told(ctx, A, 0, 16, 1).changed);
        assert_non_null(strstr(info_of(A).note, "csr: ")); /* it was looked at */
        OK(ctx, gsolve_matrix_apply(A, 1, gsolve_vector(x, n), 0, gsolve_vector(y, n)));
        OK(ctx, gsolve_matrix_apply(B, 1, gsolve_vector(x, n), 0, gsolve_vector(z, n)));
        assert_memory_equal(y, z, (size_t)n * 8);
        free(x);
        free(y);
        free(z);
        gsolve_matrix_destroy(&A);
        gsolve_matrix_destroy(&B);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

static void without_blocks(gsolve_format *f)
{
    f->apply_block = NULL;
}

/* Several columns: only a form that multiplies them at once; and in the other case csr does it. */
static void columns(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.5, 10, without_blocks);
    gsolve_matrix *A = new_matrix(ctx, "auto"), *B = new_matrix(ctx, "csr");
    const int32_t n = info_of(A).nrows;
    double *x = random_vector(2 * n, 4), *y = random_vector(2 * n, 5), *z = random_vector(2 * n, 6);
    const gsolve_dense X = {n, 2, n, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense Y = {n, 2, n, y, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense Z = {n, 2, n, z, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    (void)state;

    assert_false(told(ctx, A, 0, 1e6, 2).changed);
    assert_true(told(ctx, A, 0, 1e6, 1).changed);
    OK(ctx, gsolve_matrix_apply(A, 1, X, 0, Y));
    OK(ctx, gsolve_matrix_apply(B, 1, X, 0, Z));
    assert_memory_equal(y, z, (size_t)n * 16);
    OK(ctx, gsolve_matrix_apply_transpose(A, 1, X, 0, Y));
    OK(ctx, gsolve_matrix_apply_transpose(B, 1, X, 0, Z));
    assert_memory_equal(y, z, (size_t)n * 16);
    free(x);
    free(y);
    free(z);
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
    close_context(ctx);
}

/* --- bits ---------------------------------------------------------------------------------------
 */

/* A x = b into x twice with one handle, which changes its form in the first run. */
static void twice(const char *format, const char *method, int threads, bool profile, double *x[2])
{
    gsolve_context *ctx = open_counting(threads, 0.5, 4, NULL);
    gsolve_matrix *A = new_matrix(ctx, format);
    gsolve_solver *S = new_solver(ctx, A, method);
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    OK(ctx, gsolve_solver_profile(S, profile));
    for (int time = 0; time < 2; time++) {
        x[time] = run(ctx, S, A, &result);
        assert_converged(method, &result);
    }
    assert_int_equal(info_of(A).changes, strcmp(format, "auto") == 0);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* The same calls give the same bits, whatever the threads, and with a profile, for which no graphs
 * are recorded: what is recorded after a change is of the new form. csr gives others. */
static void bits(void **state)
{
    static const char *const methods[] = {"cg,resident=off,rtol=1e-10", "gmres,rtol=1e-10",
                                          "bicgstab,resident=off,rtol=1e-10", "bicg,rtol=1e-10"};
    static const struct {
        const char *name, *format;
        int threads;
        bool profile;
    } cases[] = {{"first", "auto", 1, false},
                 {"threads", "auto", 2, false},
                 {"profile", "auto", 1, true},
                 {"csr", "csr", 1, false}};
    gsolve_context *ctx = open_context(1);
    const size_t bytes = (size_t)(on_gpu(ctx) ? UNKNOWNS_CUDA : UNKNOWNS_CPU) * 8;
    const bool gpu = on_gpu(ctx);
    (void)state;

    close_context(ctx);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double *first[2], *x[2];
        twice(cases[0].format, methods[m], cases[0].threads, cases[0].profile, first);
        for (size_t k = 1; k < sizeof cases / sizeof *cases; k++) {
            const bool is_csr = strcmp(cases[k].format, "csr") == 0;
            twice(cases[k].format, methods[m], cases[k].threads, cases[k].profile, x);
            for (int time = 0; time < 2; time++) {
                const bool same = memcmp(first[time], x[time], bytes) == 0;
                /* two formats on a GPU may well give the same bits */
                if (is_csr ? same && !gpu : !same) {
                    fail_msg("%s, run %d: the bits of %s", methods[m], time, cases[k].name);
                }
                free(x[time]);
            }
        }
        free(first[0]);
        free(first[1]);
    }
}

/* --- new values
 * -----------------------------------------------------------------------------------
 */

static void without_update(gsolve_format *f)
{
    f->update = NULL;
}

static void doubled(gsolve_context *ctx, gsolve_matrix *A, double *y)
{
    gsolve_csr csr = read_system(ctx);
    double *value = (double *)(uintptr_t)csr.value, *x;

    x = random_vector(csr.nrows, 3);
    for (int64_t k = 0; k < gsolve_csr_entries(&csr); k++) value[k] *= 2;
    OK(ctx, gsolve_matrix_update(A, &csr));
    OK(ctx, gsolve_matrix_apply(A, 1, gsolve_vector(x, csr.nrows), 0, gsolve_vector(y, csr.nrows)));
    free(x);
    gsolve_csr_free(&csr, ctx);
}

static void new_values(void **state)
{
    (void)state;

    for (int variant = 0; variant < 3;
         variant++) { /* update; built anew; refused when built anew */
        gsolve_context *ctx = open_counting(1, 0.5, 4, variant > 0 ? without_update : NULL);
        gsolve_matrix *A = new_matrix(ctx, "auto"), *B = new_matrix(ctx, "csr");
        const int32_t n = info_of(A).nrows;
        double *y = random_vector(n, 1), *z = random_vector(n, 1);
        assert_true(told(ctx, A, 0, 1e6, 1).changed);
        if (variant == 2) refusal = GSOLVE_NO_MEMORY;
        doubled(ctx, A, y);
        doubled(ctx, B, z);
        for (int32_t i = 0; i < n; i++) assert_true(fabs(y[i] - z[i]) <= 1e-13 * 16);
        assert_string_equal(info_of(A).form, variant == 2 ? "csr" : "counted");
        assert_int_equal(counts.builds, variant == 0 ? 1 : 2);
        assert_true(told(ctx, A, 0, 1e6, 1).final); /* what was refused is not asked for again */
        free(y);
        free(z);
        gsolve_matrix_destroy(&A);
        gsolve_matrix_destroy(&B);
        close_context(ctx);
    }
}

/* --- failures -----------------------------------------------------------------------------------
 */

/* A form that cannot be had: csr goes on, once and for all, and says why. A device that fails is
 * another thing. */
static void refused(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.5, 4, NULL);
    gsolve_matrix *A = new_matrix(ctx, "auto");
    (void)state;

    refusal = GSOLVE_NO_MEMORY;
    for (int time = 0; time < 2; time++) {
        const gsolve_result result = solve(ctx, A, "cg,resident=off");
        assert_converged("cg", &result);
        assert_int_equal(counts.builds, 1);
        assert_string_equal(gsolve_error(ctx), "");
        assert_string_equal(info_of(A).form, "csr");
        assert_non_null(strstr(info_of(A).note, "there is none left"));
    }
    gsolve_matrix_destroy(&A);
    A = new_matrix(ctx, "auto");
    refusal = GSOLVE_DEVICE_FAILED;
    const gsolve_run_estimate outlook = {0, 1e6, 1e6, 1, false};
    assert_int_equal(gsolve_matrix_adapt(A, &outlook, NULL), GSOLVE_DEVICE_FAILED);
    gsolve_matrix_destroy(&A);
    A = new_matrix(ctx, "auto");
    given_estimate.bytes = 1e18; /* more than any device has; the host does not know what it has */
    refusal = GSOLVE_OK;
    assert_int_equal(told(ctx, A, 0, 1e6, 1).changed,
                     !ctx->device->memory || test_device_is_apart());
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* Whatever is denied while it turns, nothing is left over and products go on. */
static void denied(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.5, 4, NULL);
    bool changed = false;
    (void)state;

    for (int granted = 0; !changed && granted < 100; granted++) {
        gsolve_matrix *A = new_matrix(ctx, "auto,trial=yes");
        gsolve_csr csr;
        given_estimate.product = 0.5;
        gsolve_context_limit_allocations(ctx, granted);
        changed = told(ctx, A, 0, 1e6, 1).changed;
        gsolve_context_limit_allocations(ctx, -1);
        changed = changed || strstr(info_of(A).note, "was not faster");
        assert_int_equal(granted == 0 && changed, 0);
        gsolve_matrix_device_csr(A, &csr);
        const gsolve_result result = solve(ctx, A, "cg,resident=off");
        assert_converged("cg", &result);
        gsolve_matrix_destroy(&A);
        assert_int_equal(blocks_of(ctx), 0);
    }
    assert_true(changed);
    close_context(ctx);
}

/* A form that is slower than its estimate does not pass a trial. */
static void trial(void **state)
{
    gsolve_context *ctx = open_counting(1, 0.5, 4, NULL);
    gsolve_matrix *A = new_matrix(ctx, "auto,trial=yes");
    (void)state;

    toil = 50;
    if (!on_gpu(ctx)) {
        assert_true(told(ctx, A, 0, 1e6, 1).final);
        assert_int_equal(counts.destroyed, 1);
        assert_string_equal(info_of(A).form, "csr");
        assert_string_equal(info_of(A).note, "csr: counted was not faster");
    }
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* --- estimates ----------------------------------------------------------------------
 */

static gsolve_pattern_sample sample_of(gsolve_context *ctx, const char *name)
{
    gsolve_csr csr = read_matrix(ctx, name), there;
    gsolve_matrix *A = NULL;
    gsolve_pattern_sample sample;
    gs_sample_sums sums, host;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    gsolve_matrix_device_csr(A, &there);
    OK(ctx, gs_sample_pattern(ctx, &there, &sample, NULL));
    OK(ctx, GS_SCALAR_KERNELS(gs_sample, ctx, csr.type)->sum(ctx, &there, true, &sums));
    OK(ctx, gs_sample_host[csr.type].sum(ctx, &csr, true, &host));
    assert_memory_equal(&sums, &host, offsetof(gs_sample_sums, rows.near));
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    return sample;
}

/* Against what these matrices are known to be; and a GPU sees what the CPU does. */
static void samples(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_pattern_sample g;
    (void)state;

    for (int m = 0; m < NASTY; m++) sample_of(ctx, nasty[m]);
    g = sample_of(ctx, "gen:tridiagonal,n=50");
    assert_int_equal(g.longest_row, 3);
    assert_int_equal(g.filled8, 150);
    assert_int_equal(g.filled32, 150);
    assert_true(g.narrow == 1 && g.far == 0 && g.block[2] == 0);
    g = sample_of(ctx, "gen:emptyrows,n=3000");
    assert_true(g.empty_rows > 1000 && g.filled8 > g.entries);
    g = sample_of(ctx, "gen:circuit,n=3000,dense=2");
    assert_true(g.filled32 > 2 * g.filled8 && g.filled8 > g.entries);
    g = sample_of(ctx, "gen:random,n=800000,row=3");
    assert_true(g.far > 0.5 && g.narrow == 0);
    g = sample_of(ctx, "gen:poisson3d,n=60");
    assert_true(g.far < 0.1 && g.narrow == 1);
    g = sample_of(ctx, "gen:elasticity3d,n=7");
    assert_true(g.block[3] > 0.95 && g.block[2] < 0.5);
    assert_true(g.irregular == 0);
    g = sample_of(ctx, "gen:lp,n=300,cols=100000,row=200");
    assert_true(g.irregular > 0.9);
    g = sample_of(ctx, "gen:lp,n=300,cols=100000,row=120"); /* too short */
    assert_true(g.irregular == 0);
    g = sample_of(ctx, "gen:lp,n=300,cols=10000,row=200"); /* x stays at hand */
    assert_true(g.irregular == 0);
    g = sample_of(ctx, "gen:circuit,n=60000,dense=2"); /* neighbours in dense rows */
    assert_true(g.longest_row > 20000 && g.irregular == 0);
    g = sample_of(ctx, "gen:rmat,scale=16,degree=16");
    assert_true(g.irregular > 0.3 && g.irregular < 0.6);
    close_context(ctx);
}

static double estimated_product(const char *name, const gsolve_pattern_sample *g,
                                const char *device)
{
    const gsolve_format format = {.plugin = {name, "", NULL, 0}};
    gsolve_pattern_sample there = *g;
    gsolve_format_estimate p;

    there.device = device;
    return gs_estimate_format(&format, &there, &p) ? p.product : 1;
}

/* Segments on a GPU, where the matrix is too large for the caches: some rows much longer than the
 * others, or all read x far and wide; not where the short ones read x from afar. */
static void estimates_of_segments(void **state)
{
    static const struct {
        const char *matrix;
        bool pays;
    } expected[] = {
        {"gen:circuit,n=300000", true},        {"gen:lp,n=1500,cols=500000,row=1800", true},
        {"gen:rmat,scale=18,degree=16", true}, {"gen:rmat,scale=17,degree=16", false},
        {"gen:web,n=500000", false},           {"gen:emptyrows,n=200000", false},
        {"gen:shuffled3d,n=52", false},        {"gen:shuffled3d,n=100", true},
        {"gen:poisson3d27,n=40", false},       {"gen:elasticity3d,n=30", false},
    };
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const gsolve_pattern_sample g = sample_of(ctx, expected[k].matrix);
        assert_true((estimated_product("segmented", &g, "cuda") < 1) == expected[k].pays);
        assert_true(estimated_product("segmented", &g, "cpu") == 1);
    }
    close_context(ctx);
}

static void estimates(void **state)
{
    static const char *const devices[] = {"cpu", "cuda"};
    gsolve_context *ctx = open_context(2);
    const gsolve_pattern_sample cubes = sample_of(ctx, "gen:poisson3d27,n=56");
    const gsolve_pattern_sample solid = sample_of(ctx, "gen:elasticity3d,n=30");
    const gsolve_pattern_sample web = sample_of(ctx, "gen:web,n=100000,longest=20000");
    (void)state;

    for (int d = 0; d < 2; d++) {
        const double sell = estimated_product("sell", &cubes, devices[d]);
        assert_true(sell > 0.7 && sell < 1);
        assert_true(estimated_product("bsr", &cubes, devices[d]) == 1);
        assert_true(estimated_product("bsr", &solid, devices[d]) <
                    estimated_product("sell", &solid, devices[d]));
        assert_true(estimated_product("sell", &web, devices[d]) == 1);
        assert_true(estimated_product("nobody", &solid, devices[d]) == 1);
    }
    close_context(ctx);
}

int main(void)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_iterations),
        cmocka_unit_test(on_the_way),
        cmocka_unit_test(slow_begin),
        cmocka_unit_test(nothing_known),
        cmocka_unit_test(earlier_runs),
        cmocka_unit_test(as_told),
        cmocka_unit_test(planned_by_the_look),
        cmocka_unit_test(columns),
        cmocka_unit_test(bits),
        cmocka_unit_test(new_values),
        cmocka_unit_test(refused),
        cmocka_unit_test(denied),
        cmocka_unit_test(trial),
        cmocka_unit_test(samples),
        cmocka_unit_test(estimates),
        cmocka_unit_test(estimates_of_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
