/* test_row_major.c: row-major b and x of gsolve_solver_run and gsolve_matrix_residual: the bits of
 * column-major vectors, with any strides, types and locations. */
#include <math.h>

#include "tests/common.h"

enum { COLUMNS = 5 };

/* A block of vectors with a gap behind each line. `from` gives element i of column c. */
typedef struct vectors {
    gsolve_dense v;
    size_t bytes;
} vectors;

static double number_of(uint64_t seed, int32_t i, int32_t c)
{
    return (double)(float)(2 * gsolve_random(seed, (uint64_t)(i * 16 + c)) - 1);
}

static double *element(const vectors *b, int32_t i, int32_t c)
{
    const gsolve_dense *v = &b->v;
    return (double *)v->value +
           (v->layout == GSOLVE_ROW_MAJOR ? i * v->stride + c : i + c * v->stride);
}

static float *element32(const vectors *b, int32_t i, int32_t c)
{
    const gsolve_dense *v = &b->v;
    return (float *)v->value +
           (v->layout == GSOLVE_ROW_MAJOR ? i * v->stride + c : i + c * v->stride);
}

static double get(const vectors *b, int32_t i, int32_t c)
{
    return b->v.type == GSOLVE_F32 ? (double)*element32(b, i, c) : *element(b, i, c);
}

static vectors new_vectors(int32_t n, int32_t columns, gsolve_layout layout, int gap,
                           gsolve_type type, uint64_t seed)
{
    const bool rows = layout == GSOLVE_ROW_MAJOR;
    const int64_t stride = (rows ? columns : n) + gap, lines = rows ? n : columns;
    vectors b = {{n, columns, stride, NULL, type, GSOLVE_HOST, layout}, 0};

    b.bytes = (size_t)(stride * lines) * gs_type_size(type);
    b.v.value = calloc(1, b.bytes + 1);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t c = 0; c < columns; c++) {
            const double value = seed ? number_of(seed, i, c) : 0;
            if (type == GSOLVE_F32) *element32(&b, i, c) = (float)value;
            if (type == GSOLVE_F64) *element(&b, i, c) = value;
        }
    }
    return b;
}

/* A copy of b at a location of ctx; free_copy frees it. */
static vectors copy_to(gsolve_context *ctx, gsolve_location location, const vectors *b)
{
    vectors copy = *b;

    copy.v.location = location;
    copy.v.value = gsolve_alloc(ctx, location, b->bytes, 1);
    assert_non_null(copy.v.value);
    OK(ctx, gsolve_copy(ctx, copy.v.value, location, b->v.value, GSOLVE_HOST, b->bytes));
    return copy;
}

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
} problem;

static problem open_problem(int threads)
{
    problem p = {.ctx = open_context(threads)};

    OK(p.ctx, gsolve_read_matrix(&p.csr, p.ctx, "gen:poisson2d,n=20", NULL, NULL));
    OK(p.ctx, gsolve_matrix_create(&p.A, p.ctx, "csr", &p.csr));
    return p;
}

static void close_problem(problem *p)
{
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, p->ctx);
    gsolve_context_destroy(&p->ctx);
}

/* Solves with b and x in these layouts; returns x on the host. */
static vectors solve(problem *p, const char *spec, int32_t columns, const gsolve_layout layout[2],
                     int gap, const gsolve_type type[2], gsolve_location location)
{
    const int32_t n = p->csr.nrows;
    vectors b = new_vectors(n, columns, layout[0], gap, type[0], 1);
    vectors x = new_vectors(n, columns, layout[1], gap, type[1], 2);
    vectors there_b = copy_to(p->ctx, location, &b), there_x = copy_to(p->ctx, location, &x);
    const vectors before = copy_to(p->ctx, GSOLVE_HOST, &x);
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double relative[COLUMNS];

    OK(p->ctx, gsolve_solver_create(&S, p->ctx, spec, p->A, NULL));
    OK(p->ctx, gsolve_solver_run(S, there_b.v, there_x.v, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    OK(p->ctx, gsolve_matrix_residual(p->A, there_b.v, there_x.v, relative));
    for (int32_t c = 0; c < columns; c++) {
        OK(p->ctx, gsolve_solver_column(S, c, &result));
        assert_true(fabs(relative[c] - result.relative_residual) <= 1e-12);
    }
    OK(p->ctx, gsolve_copy(p->ctx, x.v.value, GSOLVE_HOST, there_x.v.value, location, x.bytes));
    for (size_t k = 0; k < x.bytes / gs_type_size(x.v.type); k++) { /* the gaps keep their bytes */
        const int64_t at = (int64_t)k % x.v.stride, line = layout[1] ? columns : n;
        if (at >= line) {
            const size_t size = gs_type_size(x.v.type);
            assert_memory_equal((char *)x.v.value + k * size, (char *)before.v.value + k * size,
                                size);
        }
    }
    gsolve_solver_destroy(&S);
    gsolve_free(p->ctx, location, there_b.v.value);
    gsolve_free(p->ctx, location, there_x.v.value);
    gsolve_free(p->ctx, GSOLVE_HOST, before.v.value);
    free(b.v.value);
    return x;
}

static void assert_same(const vectors *x, const vectors *y)
{
    for (int32_t i = 0; i < x->v.nrows; i++) {
        for (int32_t c = 0; c < x->v.ncols; c++) {
            if (get(x, i, c) != get(y, i, c)) {
                fail_msg("row %d, column %d: %.17g and %.17g", i, c, get(x, i, c), get(y, i, c));
            }
        }
    }
}

static void check_layouts(problem *p, const char *spec, int32_t columns, const gsolve_type type[2])
{
    static const gsolve_layout plain[] = {GSOLVE_COLUMN_MAJOR, GSOLVE_COLUMN_MAJOR};

    for (int k = 1; k < 4; k++) {
        const gsolve_layout layout[] = {(gsolve_layout)(k & 1), (gsolve_layout)(k >> 1)};
        for (int side = 0; side < 2; side++) {
            const gsolve_location location = side ? gs_location(p->ctx) : GSOLVE_HOST;
            vectors x = solve(p, spec, columns, plain, 0, type, location);
            vectors y = solve(p, spec, columns, layout, k, type, location);
            assert_same(&x, &y);
            free(x.v.value);
            free(y.v.value);
        }
    }
}

static void test_methods(void **state)
{
    static const char *const specs[] = {"cg", "gmres", "block_cg", "refine", "direct", "auto"};
    static const gsolve_type both[] = {GSOLVE_F64, GSOLVE_F64};
    problem p = open_problem(2);
    (void)state;

    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        check_layouts(&p, specs[s], COLUMNS, both);
        check_layouts(&p, specs[s], 1, both);
    }
    close_problem(&p);
}

static void test_types(void **state)
{
    problem p = open_problem(1);
    (void)state;

    for (int k = 1; k < 4; k++) {
        const gsolve_type type[] = {(gsolve_type)(k & 1), (gsolve_type)(k >> 1)};
        check_layouts(&p, "cg,rtol=1e-5", COLUMNS, type);
    }
    close_problem(&p);
}

/* b and x are columns of one row-major array; the columns between them stay. */
static void test_interleaved(void **state)
{
    problem p = open_problem(1);
    const int32_t n = p.csr.nrows;
    vectors all = new_vectors(n, 8, GSOLVE_ROW_MAJOR, 0, GSOLVE_F64, 3);
    vectors b = all, x = all;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    b.v.ncols = x.v.ncols = 3;
    x.v.value = (double *)all.v.value + 5;
    OK(p.ctx, gsolve_solver_create(&S, p.ctx, "cg", p.A, NULL));
    OK(p.ctx, gsolve_solver_run(S, b.v, x.v, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t c = 0; c < 5; c++) assert_true(*element(&all, i, c) == number_of(3, i, c));
    }
    x.v.value = (double *)all.v.value + 2; /* shares column 2 with b */
    assert_int_equal(gsolve_solver_run(S, b.v, x.v, &result), GSOLVE_BAD_ARGUMENT);
    x.v.value = (double *)all.v.value + 7; /* its columns 1 and 2 are in the next row of b */
    x.v.nrows = n;
    assert_int_equal(gsolve_solver_run(S, b.v, x.v, &result), GSOLVE_BAD_ARGUMENT);
    x.v.value = (double *)all.v.value + 5;
    x.v.stride = 9; /* the rows do not keep their distance */
    assert_int_equal(gsolve_solver_run(S, b.v, x.v, &result), GSOLVE_BAD_ARGUMENT);
    gsolve_solver_destroy(&S);
    free(all.v.value);
    close_problem(&p);
}

static void test_bad_layouts(void **state)
{
    problem p = open_problem(1);
    const int32_t n = p.csr.nrows;
    vectors b = new_vectors(n, 3, GSOLVE_ROW_MAJOR, 0, GSOLVE_F64, 1);
    vectors x = new_vectors(n, 3, GSOLVE_ROW_MAJOR, 0, GSOLVE_F64, 0);
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(p.ctx, gsolve_solver_create(&S, p.ctx, "cg", p.A, NULL));
    b.v.stride = 2;
    assert_int_equal(gsolve_solver_run(S, b.v, x.v, &result), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(p.ctx), "or of columns if the layout is row-major"));
    b.v.stride = 3;
    b.v.layout = (gsolve_layout)2;
    assert_int_equal(gsolve_solver_run(S, b.v, x.v, &result), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(p.ctx), "b has layout 2"));
    b.v.layout = GSOLVE_ROW_MAJOR;
    b.v.ncols = x.v.ncols = 0;
    OK(p.ctx, gsolve_solver_run(S, b.v, x.v, &result));
    b.v.ncols = x.v.ncols = 3;
    *element(&b, 7, 1) = NAN;
    assert_int_equal(gsolve_solver_run(S, b.v, x.v, &result), GSOLVE_BAD_ARGUMENT);
    gsolve_solver_destroy(&S);
    free(b.v.value);
    free(x.v.value);
    close_problem(&p);
}

/* The allocations of the second run of a solver; x is copied from `guess`. */
static int64_t second_run(problem *p, const vectors *b, const vectors *guess)
{
    const gsolve_location location = gs_location(p->ctx);
    vectors there_b = copy_to(p->ctx, location, b), there_x = copy_to(p->ctx, location, guess);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info),
                        after = GSOLVE_INIT(gsolve_context_info);
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    OK(p->ctx, gsolve_solver_create(&S, p->ctx, "cg", p->A, NULL));
    OK(p->ctx, gsolve_solver_run(S, there_b.v, there_x.v, &result));
    gsolve_context_describe(p->ctx, &before);
    OK(p->ctx, gsolve_solver_run(S, there_b.v, there_x.v, &result));
    gsolve_context_describe(p->ctx, &after);
    gsolve_solver_destroy(&S);
    gsolve_free(p->ctx, location, there_b.v.value);
    gsolve_free(p->ctx, location, there_x.v.value);
    return after.allocations - before.allocations;
}

/* Runs with row-major vectors that fail for lack of memory leave x as it was. */
static void lack_memory(problem *p, const vectors *b, const vectors *guess)
{
    gsolve_status status = GSOLVE_NO_MEMORY;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int64_t count = 0; status == GSOLVE_NO_MEMORY; count++) {
        const vectors x = copy_to(p->ctx, GSOLVE_HOST, guess);
        gsolve_solver *S = NULL;
        OK(p->ctx, gsolve_solver_create(&S, p->ctx, "cg", p->A, NULL));
        gsolve_context_limit_allocations(p->ctx, count);
        status = gsolve_solver_run(S, b->v, x.v, &result);
        gsolve_context_limit_allocations(p->ctx, -1);
        if (status == GSOLVE_NO_MEMORY) {
            assert_memory_equal(x.v.value, guess->v.value, guess->bytes);
        }
        gsolve_solver_destroy(&S);
        gsolve_free(p->ctx, GSOLVE_HOST, x.v.value);
    }
    OK(p->ctx, status);
}

static void test_allocations(void **state)
{
    problem p = open_problem(1);
    vectors b[2], x[2];
    (void)state;

    for (int k = 0; k < 2; k++) {
        b[k] = new_vectors(p.csr.nrows, 3, (gsolve_layout)k, 0, GSOLVE_F64, 1);
        x[k] = new_vectors(p.csr.nrows, 3, (gsolve_layout)k, 0, GSOLVE_F64, 2);
    }
    assert_int_equal(second_run(&p, &b[0], &x[0]), second_run(&p, &b[1], &x[1]));
    lack_memory(&p, &b[1], &x[1]);
    for (int k = 0; k < 2; k++) {
        free(b[k].v.value);
        free(x[k].v.value);
    }
    close_problem(&p);
}

/* The x of an automatic solver has the bits of column-major vectors, also if the first choice fails
 * and x is copied. */
static void test_auto_solver(void **state)
{
    static const char *const methods[] = {"cg,maxit=3", "cg"}, *const preconds[] = {"none",
                                                                                    "jacobi"};
    problem p = open_problem(2);
    const int32_t n = p.csr.nrows;
    vectors x[3];
    (void)state;

    for (int k = 0; k < 3; k++) { /* columns, rows, rows in the memory of kernels */
        const gsolve_location location = k == 2 ? gs_location(p.ctx) : GSOLVE_HOST;
        const vectors b = new_vectors(n, 3, (gsolve_layout)(k > 0), k, GSOLVE_F64, 1);
        x[k] = new_vectors(n, 3, (gsolve_layout)(k > 0), k, GSOLVE_F64, 2);
        const vectors there_b = copy_to(p.ctx, location, &b);
        vectors there_x = copy_to(p.ctx, location, &x[k]);
        gsolve_auto *S = NULL;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        OK(p.ctx, gsolve_auto_create_from(&S, p.ctx, "", p.A));
        OK(p.ctx, gsolve_auto_set_choices(S, 2, methods, preconds));
        OK(p.ctx, gsolve_auto_run(S, there_b.v, there_x.v, &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        OK(p.ctx,
           gsolve_copy(p.ctx, x[k].v.value, GSOLVE_HOST, there_x.v.value, location, x[k].bytes));
        if (k > 0) assert_same(&x[0], &x[k]);
        void *const mine = there_x.v.value;
        there_x.v.value = there_b.v.value;
        assert_int_equal(gsolve_auto_run(S, there_b.v, there_x.v, &result), GSOLVE_BAD_ARGUMENT);
        assert_non_null(strstr(gsolve_error(p.ctx), "share memory"));
        there_x.v.stride = 2;
        assert_int_equal(gsolve_auto_run(S, there_b.v, there_x.v, &result), GSOLVE_BAD_ARGUMENT);
        assert_non_null(strstr(gsolve_error(p.ctx), "stride"));
        there_x.v.layout = (gsolve_layout)7;
        assert_int_equal(gsolve_auto_run(S, there_b.v, there_x.v, &result), GSOLVE_BAD_ARGUMENT);
        gsolve_auto_destroy(&S);
        gsolve_free(p.ctx, location, there_b.v.value);
        gsolve_free(p.ctx, location, mine);
        free(b.v.value);
    }
    for (int k = 0; k < 3; k++) free(x[k].v.value);
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),     cmocka_unit_test(test_types),
        cmocka_unit_test(test_interleaved), cmocka_unit_test(test_bad_layouts),
        cmocka_unit_test(test_allocations), cmocka_unit_test(test_auto_solver),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
