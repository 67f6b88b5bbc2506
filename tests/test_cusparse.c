/* test_cusparse.c: the vendor's forms on a GPU: what they store, what they refuse, offsets of 64
 * bits, several columns, solves. test_formats.c multiplies with all of them. */
#include "tests/common.h"

#include <math.h>

static const gsolve_format *find_format(const gsolve_context *ctx, const char *name)
{
    const gsolve_plugin *format;

    for (int f = 0; (format = gsolve_format_at(ctx, f)); f++) {
        if (strcmp(format->name, name) == 0) return gs_format_of(format);
    }
    fail_msg("there is no format %s", name);
    return NULL;
}

static gsolve_matrix_info built(gsolve_context *ctx, const char *name, const char *spec)
{
    gsolve_csr A = read_matrix(ctx, name);
    gsolve_matrix *M = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    OK(ctx, gsolve_matrix_create(&M, ctx, spec, &A));
    gsolve_matrix_describe(M, &info);
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&A, ctx);
    return info;
}

static size_t forecast(gsolve_context *ctx, const char *name, const char *spec)
{
    const gsolve_format *format = find_format(ctx, "cusparse");
    void *options = calloc(1, format->plugin.option_size);
    gsolve_csr A = read_matrix(ctx, name);

    OK(ctx, gs_spec_options(ctx, &format->plugin, spec, options));
    const size_t bytes = format->memory(&A, options, NULL);
    gsolve_csr_free(&A, ctx);
    free(options);
    return bytes;
}

/* Five rows of 2, 3, 3, 3, 2 entries. */
static void padding(void **state)
{
    gsolve_context *ctx = open_cuda();
    const char *name = "gen:tridiagonal,n=5";
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    (void)state;

    if (!ctx) skip();
    info = built(ctx, name, "cusparse,alg=sell,slice=2"); /* slices of 3, 3, 2 columns */
    assert_int_equal(info.entries, 13);
    assert_int_equal(info.stored, 16);
    assert_int_equal(info.bytes, 16 * 12 + 4 * 4 + 10 * 8);
    info = built(ctx, name, "cusparse,alg=bsr,block=2"); /* 2 + 3 + 2 blocks; x and y copied */
    assert_int_equal(info.stored, 28);
    assert_int_equal(info.bytes, 28 * 8 + 7 * 4 + 4 * 4 + 10 * 8 + 20 * 8);
    info = built(ctx, name, "cusparse,alg=coo");
    assert_int_equal(info.stored, 13);
    assert_int_equal(info.bytes, 13 * 16 + 10 * 8);
    assert_in_range(forecast(ctx, name, "cusparse,alg=sell,slice=2"), 16 * 12 + 4 * 4,
                    16 * 12 + 32);
    assert_int_equal(forecast(ctx, name, "cusparse,alg=coo"), 13 * 4);
    info = built(ctx, "gen:elasticity3d,n=4", "cusparse,alg=bsr"); /* three unknowns a node */
    assert_int_equal(info.stored, info.entries);
    close_context(ctx);
}

static void refusals(void **state)
{
    gsolve_context *ctx = open_cuda();
    gsolve_csr A;
    gsolve_matrix *M = NULL;
    (void)state;

    if (!ctx) skip();
    A = read_matrix(ctx, "gen:tridiagonal,n=5");
    assert_int_equal(gsolve_matrix_create(&M, ctx, "cusparse,alg=bsr,block=1", &A),
                     GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "block"));
    assert_int_equal(gsolve_matrix_create(&M, ctx, "cusparse,alg=sell,slice=1", &A),
                     GSOLVE_BAD_SPEC);
    ALLOCATION_SWEEP(ctx, gsolve_matrix_create(&M, ctx, "cusparse,alg=sell", &A));
    gsolve_matrix_destroy(&M);
    ALLOCATION_SWEEP(ctx, gsolve_matrix_create(&M, ctx, "cusparse,alg=bsr", &A));
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* A' too is made with every allocation denied once. */
static void transposes(void **state)
{
    static const char *const specs[] = {"csr", "cusparse", "cusparse,alg=sell", "cusparse,alg=bsr"};
    gsolve_context *ctx = open_cuda();
    double x[60], y[90];
    (void)state;

    if (!ctx) skip();
    for (int i = 0; i < 60; i++) x[i] = i;
    for (size_t f = 0; f < sizeof specs / sizeof *specs; f++) {
        gsolve_csr A = read_matrix(ctx, "gen:emptyrows,n=60,cols=90");
        gsolve_matrix *M = NULL;
        OK(ctx, gsolve_matrix_create(&M, ctx, specs[f], &A));
        for (int64_t granted = 0;; granted++) {
            gsolve_context_limit_allocations(ctx, granted);
            const gsolve_status status =
                gsolve_matrix_apply_transpose(M, 1, gsolve_vector(x, 60), 0, gsolve_vector(y, 90));
            gsolve_context_limit_allocations(ctx, -1);
            if (status == GSOLVE_OK) break;
            assert_int_equal(status, GSOLVE_NO_MEMORY);
            assert_true(granted < 100);
        }
        gsolve_matrix_destroy(&M);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* Every 32nd row has 600 entries, the others one: slices of 32 rows store 18 times as much. */
static gsolve_csr uneven(int32_t n)
{
    gsolve_csr A = {n, n, NULL, NULL, NULL, GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
    int32_t *start = malloc(((size_t)n + 1) * sizeof *start);
    int32_t *col = malloc(((size_t)n / 32 + 1) * 632 * sizeof *col);
    double *value = malloc(((size_t)n / 32 + 1) * 632 * sizeof *value);

    start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t length = i % 32 == 0 ? 600 : 1;
        for (int32_t k = 0; k < length; k++) {
            col[start[i] + k] = k;
            value[start[i] + k] = 1;
        }
        start[i + 1] = start[i] + length;
    }
    A.start = start;
    A.col = col;
    A.value = value;
    return A;
}

/* Padding that the device has no room for is refused before it is allocated. */
static void full(void **state)
{
    gsolve_context *ctx = open_cuda();
    gsolve_matrix *M = NULL;
    gsolve_csr A;
    (void)state;

    if (!ctx) skip();
    A = uneven(320000); /* 192 million stored, 2.3 GB */
    need_memory(ctx, 4e9);
    gs_memory_limit(ctx, (size_t)600 << 20);
    assert_int_equal(gsolve_matrix_create(&M, ctx, "cusparse,alg=sell", &A), GSOLVE_NO_MEMORY);
    assert_non_null(strstr(gsolve_error(ctx), "cusparse"));
    gs_memory_limit(ctx, SIZE_MAX);
    OK(ctx, gsolve_matrix_create(&M, ctx, "cusparse,alg=sell", &A));
    gsolve_matrix_destroy(&M);
    free((void *)(uintptr_t)A.start);
    free((void *)(uintptr_t)A.col);
    free((void *)(uintptr_t)A.value);
    close_context(ctx);
}

static void multiply(gsolve_context *ctx, const char *spec, const gsolve_csr *there, double *x,
                     double *y)
{
    gsolve_dense X = {there->ncols,       1, there->ncols, NULL, GSOLVE_F64, GSOLVE_DEVICE,
                      GSOLVE_COLUMN_MAJOR};
    gsolve_dense Y = {there->nrows,       1, there->nrows, NULL, GSOLVE_F64, GSOLVE_DEVICE,
                      GSOLVE_COLUMN_MAJOR};
    const gsolve_format *format = find_format(ctx, gs_spec_is(spec, "csr") ? "csr" : "cusparse");
    char *options = calloc(1, format->plugin.option_size + 1);
    void *self = NULL;
    int64_t entries = 0;

    if (format->plugin.option) {
        OK(ctx, gs_spec_options(ctx, &format->plugin, spec, options));
    }
    OK(ctx, gs_csr_entries(ctx, there, &entries));
    X.value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)X.nrows, 8);
    Y.value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)Y.nrows, 8);
    OK(ctx, gsolve_copy(ctx, X.value, GSOLVE_DEVICE, x, GSOLVE_HOST, (size_t)X.nrows * 8));
    if (format->build(&self, ctx, there, entries, options, NULL) == GSOLVE_OK) {
        OK(ctx, format->apply(self, ctx, 1, X, 0, Y));
        OK(ctx, gsolve_copy(ctx, y, GSOLVE_HOST, Y.value, GSOLVE_DEVICE, (size_t)Y.nrows * 8));
        format->destroy(self, ctx);
    } else { /* only what the vendor does not have may be refused */
        assert_int_equal(format->build(&self, ctx, there, entries, options, NULL),
                         GSOLVE_UNSUPPORTED);
        assert_true(strlen(gsolve_error(ctx)) > 10);
        print_message("%s refuses offsets of 64 bits: %s\n", spec, gsolve_error(ctx));
        memset(y, 0, (size_t)Y.nrows * 8);
    }
    gsolve_free(ctx, GSOLVE_DEVICE, X.value);
    gsolve_free(ctx, GSOLVE_DEVICE, Y.value);
    free(options);
}

/* The same product from offsets of 64 bits, which a matrix handle keeps for 2^31 entries only. */
static void wide_offsets(void **state)
{
    static const char *const specs[] = {"csr",
                                        "cusparse,alg=csr1",
                                        "cusparse,alg=csr2",
                                        "cusparse,alg=coo",
                                        "cusparse,alg=sell",
                                        "cusparse,alg=bsr"};
    gsolve_context *ctx = open_cuda();
    (void)state;

    if (!ctx) skip();
    for (size_t f = 0; f < sizeof specs / sizeof *specs; f++) {
        gsolve_csr A = read_matrix(ctx, "gen:circuit,n=3000,dense=2"), wide = A, narrow_there,
                   there;
        int64_t *start = malloc(((size_t)A.nrows + 1) * sizeof *start);
        double *x = random_vector(A.ncols, 1), *y = random_vector(A.nrows, 2);
        double *other = random_vector(A.nrows, 3), most = 0;
        for (int32_t i = 0; i <= A.nrows; i++) start[i] = gs_start(&A, i);
        wide.start = start;
        wide.offset = GSOLVE_O64;
        OK(ctx, gs_csr_move(&narrow_there, ctx, GSOLVE_DEVICE, &A));
        OK(ctx, gs_csr_move(&there, ctx, GSOLVE_DEVICE, &wide));
        multiply(ctx, specs[f], &narrow_there, x, y);
        multiply(ctx, specs[f], &there, x, other);
        for (int32_t i = 0; i < A.nrows; i++) most = fmax(most, fabs(other[i]));
        for (int32_t i = 0; most > 0 && i < A.nrows; i++) {
            assert_true(fabs(y[i] - other[i]) <= 1e-12 * most);
        }
        gsolve_csr_free(&narrow_there, ctx);
        gsolve_csr_free(&there, ctx);
        gsolve_csr_free(&A, ctx);
        free(start);
        free(x);
        free(y);
        free(other);
    }
    close_context(ctx);
}

/* More kinds of blocks of columns than the vendor's analysis is kept for; the same bits each time.
 */
static void many_columns(void **state)
{
    static const char *const specs[] = {"csr", "cusparse", "cusparse,alg=coo", "cusparse,alg=bsr"};
    gsolve_context *ctx = open_cuda();
    (void)state;

    if (!ctx) skip();
    for (size_t f = 0; f < sizeof specs / sizeof *specs; f++) {
        gsolve_csr A = read_matrix(ctx, "gen:elasticity3d,n=5");
        const int32_t n = A.nrows;
        double *x = random_vector((int64_t)n * 20, 1), *one = random_vector(n, 2);
        double *y = random_vector((int64_t)n * 20, 3), *again = random_vector((int64_t)n * 20, 3);
        gsolve_matrix *M = NULL;
        OK(ctx, gsolve_matrix_create(&M, ctx, specs[f], &A));
        for (int32_t columns = 2; columns <= 20; columns++) {
            const gsolve_dense X = {n, columns, n, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
            const gsolve_dense Y = {n, columns, n, y, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
            const gsolve_dense Z = {
                n, columns, n, again, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
            OK(ctx, gsolve_matrix_apply(M, 1, X, 0, Y));
            OK(ctx, gsolve_matrix_apply(M, 1, X, 0, Z));
            assert_memory_equal(y, again, (size_t)n * (size_t)columns * 8);
            OK(ctx,
               gsolve_matrix_apply(M, 1, gs_column_of(X, columns - 1), 0, gsolve_vector(one, n)));
            for (int32_t i = 0; i < n; i++) {
                const double got = y[(int64_t)(columns - 1) * n + i];
                assert_true(fabs(got - one[i]) <= 1e-12 * (1 + fabs(one[i])) * 100);
            }
        }
        gsolve_matrix_destroy(&M);
        gsolve_csr_free(&A, ctx);
        free(x);
        free(y);
        free(again);
        free(one);
    }
    close_context(ctx);
}

static gsolve_result solved(gsolve_context *ctx, const char *format, const char *method,
                            const char *kind)
{
    gsolve_csr rows = read_matrix(ctx, "gen:poisson2d,n=60");
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    const int32_t n = rows.nrows;
    double *b = random_vector(n, 8), *x = calloc((size_t)n, 8);

    OK(ctx, gsolve_matrix_create(&A, ctx, format, &rows));
    if (kind) OK(ctx, gsolve_precond_create(&M, ctx, kind, &rows));
    OK(ctx, gsolve_solver_create(&S, ctx, method, A, M));
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&rows, ctx);
    free(b);
    free(x);
    return result;
}

/* The vendor's kernels do not look at the guard: what they do in the steps after a column's end,
 * which the host has not seen yet, must not spoil x, nor make a method start again. */
static void after_the_end(void **state)
{
    static const char *const kinds[] = {NULL, "ic"};
    gsolve_context *ctx = open_cuda();
    const gsolve_plugin *method;
    (void)state;

    if (!ctx) skip();
    for (int m = 0; (method = gsolve_method_at(m)); m++) {
        for (int k = 0; k < 2; k++) {
            const gsolve_result own = solved(ctx, "csr", method->name, kinds[k]);
            const gsolve_result theirs = solved(ctx, "cusparse", method->name, kinds[k]);
            if (own.outcome != GSOLVE_CONVERGED || theirs.outcome != GSOLVE_CONVERGED ||
                theirs.iterations > own.iterations * 5 / 4 + 2) {
                fail_msg("%s, %s: %s after %d iterations, residual %.3g; csr: %s after %d",
                         method->name, kinds[k] ? kinds[k] : "no preconditioner",
                         gsolve_outcome_text(theirs.outcome), theirs.iterations,
                         theirs.relative_residual, gsolve_outcome_text(own.outcome),
                         own.iterations);
            }
        }
    }
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding),       cmocka_unit_test(refusals),
        cmocka_unit_test(transposes),    cmocka_unit_test(wide_offsets),
        cmocka_unit_test(many_columns),  cmocka_unit_test(full),
        cmocka_unit_test(after_the_end),
    };

    need_cuda();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
