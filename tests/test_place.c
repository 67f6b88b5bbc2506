/* test_place.c: matrices given on the device, large copies, the device's memory. On a GPU if
 * $GSOLVE_TEST_DEVICE says so, else on the CPU dressed as one. */
#include "tests/common.h"

#include <math.h>

#include "core/try.h"
#include "spmv/handle.h"

static gsolve_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = open_context(2);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    apart_room = SIZE_MAX;
    apart_has_pages = false;
    apart_sendings_granted = -1;
    close_context(ctx);
    return 0;
}

/* The matrix of that name in a type and with offsets of a width. */
static gsolve_csr read_as(const char *name, gsolve_type type, gsolve_offset offset)
{
    gsolve_csr wide = read_matrix(ctx, name), csr;

    OK(ctx, gsolve_csr_convert(&csr, ctx, type, &wide));
    gsolve_csr_free(&wide, ctx);
    if (offset == GSOLVE_O64 && csr.offset == GSOLVE_O32) {
        int64_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)csr.nrows + 1, sizeof *start);
        for (int32_t i = 0; i <= csr.nrows; i++) start[i] = gs_start(&csr, i);
        gsolve_free(ctx, GSOLVE_HOST, (void *)(uintptr_t)csr.start);
        csr.start = start;
        csr.offset = GSOLVE_O64;
    }
    return csr;
}

static gsolve_csr on_device(const gsolve_csr *csr)
{
    gsolve_csr there;
    OK(ctx, gs_csr_move(&there, ctx, GSOLVE_DEVICE, csr));
    return there;
}

static void assert_same_rows(const gsolve_csr *A, const gsolve_csr *B)
{
    const size_t entries = (size_t)gsolve_csr_entries(A);

    assert_int_equal(A->nrows, B->nrows);
    assert_int_equal(A->offset, B->offset);
    assert_int_equal(A->location, GSOLVE_HOST);
    assert_memory_equal(A->start, B->start, (size_t)(A->nrows + 1) * gs_offset_size(A->offset));
    assert_memory_equal(A->col, B->col, entries * sizeof *A->col);
    assert_memory_equal(A->value, B->value, entries * gs_type_size(A->type));
}

/* --- rows given on the device ------------------------------------------------------------------
 */

/* The products of both have the same bits, and those of A needed no rows on the host. */
static void compare_products(const gsolve_matrix *A, const gsolve_matrix *B)
{
    const gsolve_type type = A->csr.type;
    const size_t size = gs_type_size(type), n = (size_t)A->csr.nrows;
    void *x = calloc((size_t)A->csr.ncols + 1, size), *y = calloc(n + 1, size);
    void *z = calloc(n + 1, size);
    const gsolve_dense X = {A->csr.ncols, 1,           A->csr.ncols,       x,
                            type,         GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense Y = {A->csr.nrows, 1,           A->csr.nrows,       y,
                            type,         GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_dense Z = Y;

    for (int32_t j = 0; j < A->csr.ncols; j++) {
        if (type == GSOLVE_F32) {
            ((float *)x)[j] = (float)gsolve_random(1, (uint64_t)j);
        } else {
            ((double *)x)[j] = gsolve_random(1, (uint64_t)j);
        }
    }
    Z.value = z;
    OK(ctx, gsolve_matrix_apply(A, 1, X, 0, Y));
    OK(ctx, gsolve_matrix_apply(B, 1, X, 0, Z));
    assert_memory_equal(y, z, n * size);
    free(x);
    free(y);
    free(z);
}

static void rows_stay_on_the_device(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * NASTY; k++) {
        const gsolve_type type = k & 1 ? GSOLVE_F32 : GSOLVE_F64;
        gsolve_csr here = read_as(nasty[k / 4], type, k & 2 ? GSOLVE_O64 : GSOLVE_O32), rows, own;
        gsolve_csr there = on_device(&here);
        gsolve_matrix *A = NULL, *B = NULL;
        gsolve_matrix_info a = GSOLVE_INIT(gsolve_matrix_info), b = GSOLVE_INIT(gsolve_matrix_info);

        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &there));
        OK(ctx, gsolve_matrix_create(&B, ctx, "csr", &here));
        gsolve_matrix_describe(A, &a);
        gsolve_matrix_describe(B, &b);
        assert_int_equal(a.entries, b.entries);
        assert_int_equal(a.bytes, b.bytes);
        compare_products(A, B);
        assert_null(A->rows.start);
        assert_int_equal(A->csr.location, GSOLVE_DEVICE);
        OK(ctx, gsolve_matrix_csr(A, &rows));
        OK(ctx, gsolve_matrix_csr(B, &own));
        assert_same_rows(&rows, &own);
        gsolve_matrix_destroy(&A);
        gsolve_matrix_destroy(&B);
        gsolve_csr_free(&here, ctx);
        gsolve_csr_free(&there, ctx);
    }
}

/* Rows that are not sorted, with a column twice, go over the host and come out the same. */
static void unsorted_rows_are_cleaned(void **state)
{
    const int32_t start[] = {0, 3, 3, 5}, col[] = {2, 0, 2, 1, 0};
    const double value[] = {1, 2, 4, 8, 16}, other[] = {3, 1, 4, 1, 5};
    gsolve_csr here = gsolve_csr_view(3, start, col, value), there = on_device(&here), fresh, rows;
    gsolve_matrix *A = NULL;

    (void)state;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &there));
    OK(ctx, gsolve_matrix_csr(A, &rows));
    assert_int_equal(gsolve_csr_entries(&rows), 4);
    assert_true(((const double *)rows.value)[1] == 5);
    here.value = other;
    fresh = on_device(&here);
    OK(ctx, gsolve_matrix_update(A, &fresh));
    OK(ctx, gsolve_matrix_csr(A, &rows));
    assert_true(((const double *)rows.value)[1] == 7);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&there, ctx);
    gsolve_csr_free(&fresh, ctx);
}

/* The same sentence wherever the rows lie. */
static void faults_are_told_alike(void **state)
{
    static const int32_t starts[][5] = {
        {0, 2, 4, 5, 6}, {0, 2, 4, 5, 6}, {0, 2, 4, 5, 6}, {0, 2, 4, 5, 6},
        {0, 2, 4, 5, 6}, {1, 2, 4, 5, 6}, {0, 4, 2, 1, 6}, {0, 0, 0, 6, 6},
    };
    static const int32_t cols[][6] = {
        {0, 1, 0, -1, 2, 3}, {0, 1, 0, 4, 2, 3}, {0, 1, 0, 1, 2, 3}, {0, 1, 0, 1, 2, 3},
        {0, 9, 0, 1, 2, -7}, {0, 1, 0, 1, 2, 3}, {0, 1, 0, 1, 2, 3}, {0, 1, 2, 3, 3, 2147483647},
    };
    static const double values[][6] = {
        {1, 1, 1, 1, 1, 1},         {1, 1, 1, 1, 1, 1},   {1, 1, 1, NAN, 1, INFINITY},
        {1, 1, 1, 1, 1, -INFINITY}, {1, 1, NAN, 1, 1, 1}, {1, 1, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, 1},         {1, 1, 1, 1, 1, 1},
    };
    char told[1024];

    (void)state;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        gsolve_csr here = gsolve_csr_view(4, starts[k], cols[k], values[k]), there;
        gsolve_matrix *A = NULL;

        assert_int_equal(gsolve_matrix_create(&A, ctx, "csr", &here), GSOLVE_BAD_MATRIX);
        snprintf(told, sizeof told, "%s", gsolve_error(ctx));
        there = on_device(&here);
        assert_int_equal(gsolve_matrix_create(&A, ctx, "csr", &there), GSOLVE_BAD_MATRIX);
        assert_string_equal(gsolve_error(ctx), told);
        assert_int_equal(gsolve_matrix_create_owned(&A, ctx, "csr", &there), GSOLVE_BAD_MATRIX);
        assert_string_equal(gsolve_error(ctx), told);
        assert_non_null(there.start);
        gsolve_csr_free(&there, ctx);
    }
}

/* The first of many faults, in a matrix that keeps many threads busy. */
static void first_fault_is_told(void **state)
{
    gsolve_csr here = read_matrix(ctx, "gen:poisson2d,n=200"), there;
    const int64_t entries = gsolve_csr_entries(&here);
    gsolve_matrix *A = NULL;
    char told[1024];

    (void)state;
    for (int64_t k = entries / 3; k < entries; k += 7) {
        ((double *)(uintptr_t)here.value)[k] = k % 2 ? NAN : INFINITY;
    }
    assert_int_equal(gsolve_matrix_create(&A, ctx, "csr", &here), GSOLVE_BAD_MATRIX);
    snprintf(told, sizeof told, "%s", gsolve_error(ctx));
    there = on_device(&here);
    assert_int_equal(gsolve_matrix_create(&A, ctx, "csr", &there), GSOLVE_BAD_MATRIX);
    assert_string_equal(gsolve_error(ctx), told);
    gsolve_csr_free(&here, ctx);
    gsolve_csr_free(&there, ctx);
}

static void values_are_updated_there(void **state)
{
    gsolve_csr here = read_matrix(ctx, "gen:circuit,n=300,dense=2"), other, there, rows;
    const int64_t entries = gsolve_csr_entries(&here);
    gsolve_matrix *A = NULL, *B = NULL;

    (void)state;
    there = on_device(&here);
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &there));
    OK(ctx, gsolve_matrix_create(&B, ctx, "csr", &here));
    gsolve_csr_free(&there, ctx);
    for (int round = 0; round < 2; round++) { /* in the second the rows are on the host as well */
        for (int64_t k = 0; k < entries; k++) ((double *)(uintptr_t)here.value)[k] *= 3;
        there = on_device(&here);
        OK(ctx, gsolve_matrix_update(A, &there));
        OK(ctx, gsolve_matrix_update(B, &here));
        gsolve_csr_free(&there, ctx);
        compare_products(A, B);
        if (round == 0) assert_null(A->rows.start);
        OK(ctx, gsolve_matrix_csr(A, &rows));
        assert_same_rows(&rows, &B->rows);
    }
    other = read_matrix(ctx, "gen:circuit,n=300,dense=1");
    there = on_device(&other);
    assert_int_equal(gsolve_matrix_update(A, &there), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "pattern or type"));
    gsolve_csr_free(&there, ctx);
    ((int32_t *)(uintptr_t)here.col)[0] ^= 1; /* as many entries, one elsewhere */
    there = on_device(&here);
    assert_int_equal(gsolve_matrix_update(A, &there), GSOLVE_BAD_MATRIX);
    gsolve_csr_free(&there, ctx);
    gsolve_csr_free(&other, ctx);
    gsolve_csr_free(&here, ctx);
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
}

/* The library's own rows on the device become the matrix's without a copy. */
static void rows_are_taken_there(void **state)
{
    gsolve_csr here = read_matrix(ctx, "gen:poisson2d,n=30"), there = on_device(&here);
    const void *value = there.value;
    gsolve_matrix *A = NULL, *B = NULL;

    (void)state;
    gsolve_context_limit_allocations(ctx, 3);
    assert_int_equal(gsolve_matrix_create_owned(&A, ctx, "csr", &there), GSOLVE_NO_MEMORY);
    gsolve_context_limit_allocations(ctx, -1);
    assert_ptr_equal(there.value, value);
    OK(ctx, gsolve_matrix_create_owned(&A, ctx, "csr", &there));
    assert_null(there.start);
    assert_ptr_equal(A->csr.value, value);
    OK(ctx, gsolve_matrix_create(&B, ctx, "csr", &here));
    compare_products(A, B);
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
    gsolve_csr_free(&here, ctx);
}

/* A whole solve, with b and x on the host, and what is asked afterwards. */
static void solve_from_the_device(void **state)
{
    gsolve_csr here = read_matrix(ctx, "gen:poisson2d,n=30"), there = on_device(&here);
    double *b = random_vector(here.nrows, 3), *x = calloc((size_t)here.nrows, sizeof *x);
    double relative = 1;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    (void)state;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &there));
    OK(ctx, gsolve_precond_create(&M, ctx, "jacobi", &there));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, M));
    OK(ctx,
       gsolve_solver_run(S, gsolve_vector(b, here.nrows), gsolve_vector(x, here.nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    OK(ctx, gsolve_matrix_residual(A, gsolve_vector(b, here.nrows), gsolve_vector(x, here.nrows),
                                   &relative));
    assert_true(relative <= 1e-8);
    gsolve_solver_destroy(&S);
    OK(ctx, gsolve_solver_create(&S, ctx, "cg,maxit=2", A, NULL));
    memset(x, 0, (size_t)here.nrows * sizeof *x);
    OK(ctx,
       gsolve_solver_run(S, gsolve_vector(b, here.nrows), gsolve_vector(x, here.nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_ITERATION_LIMIT);
    assert_true(strlen(gsolve_solver_explain(S)) > 20); /* looks at the rows */
    gsolve_solver_destroy(&S);
    OK(ctx, gsolve_solver_create(&S, ctx, "auto", A, M));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&here, ctx);
    gsolve_csr_free(&there, ctx);
    free(b);
    free(x);
}

static gsolve_status make_and_fetch(const gsolve_csr *there)
{
    gsolve_matrix *A = NULL;
    gsolve_csr rows;
    gsolve_status status;

    TRY(gsolve_matrix_create(&A, ctx, "csr", there));
    TRY(gsolve_matrix_update(A, there));
    TRY(gsolve_matrix_csr(A, &rows));
done:
    gsolve_matrix_destroy(&A);
    return status;
}

static void allocations_fail_cleanly(void **state)
{
    gsolve_csr here = read_as("gen:poisson2d,n=9", GSOLVE_F64, GSOLVE_O64);
    gsolve_csr there = on_device(&here);

    (void)state;
    ALLOCATION_SWEEP(ctx, make_and_fetch(&there));
    gsolve_csr_free(&here, ctx);
    gsolve_csr_free(&there, ctx);
}

/* What only the host can do says so. */
static void host_is_asked_for(void **state)
{
    gsolve_csr here = read_matrix(ctx, "gen:poisson2d,n=9"), there = on_device(&here), out;

    (void)state;
    assert_int_equal(gsolve_csr_transpose(&out, ctx, &there), GSOLVE_UNSUPPORTED);
    assert_int_equal(gsolve_csr_convert(&out, ctx, GSOLVE_F32, &there), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "on the host"));
    gsolve_csr_free(&here, ctx);
    gsolve_csr_free(&there, ctx);
}

/* --- memory ------------------------------------------------------------------------------------
 */

/* The bytes that the last refusal named. */
static double needed(void)
{
    const char *at = strstr(gsolve_error(ctx), " needs ");
    return at ? strtod(at + 7, NULL) : -1;
}

/* Refused without an allocation, with both numbers in the sentence. */
static void assert_refused(gsolve_status status, int allocations)
{
    char room[64];

    assert_int_equal(status, GSOLVE_NO_MEMORY);
    assert_int_equal(apart_allocations, allocations);
    snprintf(room, sizeof room, "where %zu (", apart_room - apart_used);
    if (!strstr(gsolve_error(ctx), room)) fail_msg("'%s' lacks '%s'", gsolve_error(ctx), room);
    assert_true(needed() > (double)(apart_room - apart_used));
}

static void large_matrices_are_refused(void **state)
{
    (void)state;
    if (!test_device_is_apart()) skip();

    gsolve_csr here = read_matrix(ctx, "gen:poisson2d,n=100"), there;
    gsolve_csr wide = read_as("gen:poisson2d,n=100", GSOLVE_F64, GSOLVE_O64);
    const gsolve_csr *given[] = {&here, &wide, &there};
    gsolve_matrix *A = NULL;
    size_t took, before;

    there = on_device(&here);
    before = apart_used;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &here));
    took = apart_used - before;
    gsolve_matrix_destroy(&A);
    for (int k = 0; k < 3; k++) {
        const gsolve_csr *csr = given[k];
        apart_room = apart_used + took / 2;
        assert_refused(gsolve_matrix_create(&A, ctx, "csr", csr), apart_allocations);
        assert_non_null(strstr(gsolve_error(ctx), "the matrix in the format csr"));
        assert_true(needed() > 0.9 * (double)took && needed() < 1.2 * (double)took);
        apart_room = apart_used + 2 * took;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", csr));
        gsolve_matrix_destroy(&A);
    }
    apart_room = apart_used + 100; /* too little for what is allocated later */
    assert_null(gsolve_alloc(ctx, GSOLVE_DEVICE, 1000, 8));
    assert_non_null(strstr(gsolve_error(ctx), "1000 elements of 8 bytes"));
    assert_non_null(strstr(gsolve_error(ctx), "100 bytes are free"));
    apart_room = SIZE_MAX;
    gsolve_csr_free(&here, ctx);
    gsolve_csr_free(&wide, ctx);
    gsolve_csr_free(&there, ctx);
}

/* Each method's forecast is what it takes, and is asked before anything is allocated. */
static void work_space_is_forecast(void **state)
{
    (void)state;
    if (!test_device_is_apart()) skip();

    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=150");
    static const char *const more[] = {"gmres,basis=f32", "refine,type=f64"};
    const gsolve_plugin *method;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    for (int k = -2; k < 0 || (method = gsolve_method_at(k)); k++) {
        const char *spec = k < 0 ? more[k + 2] : method->name;
        const bool copies = strcmp(spec, "refine") == 0; /* with a matrix and a solver of its own */
        const size_t before = apart_used;
        OK(ctx, gsolve_solver_create(&S, ctx, spec, A, NULL));
        const double took = (double)(apart_used - before);
        gsolve_solver_destroy(&S);
        assert_int_equal(apart_used, before);
        apart_room = before + 1000;
        assert_refused(gsolve_solver_create(&S, ctx, spec, A, NULL), apart_allocations);
        assert_null(S);
        assert_non_null(strstr(gsolve_error(ctx), "the work space of "));
        if (needed() > took || (!copies && strncmp(spec, "refine", 6) && needed() < 0.95 * took)) {
            fail_msg("%s: forecast %.0f, took %.0f", spec, needed(), took);
        }
        apart_room = SIZE_MAX;
    }
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
}

/* A run of more columns than fit in memory; the solver stays usable. */
static void columns_are_refused(void **state)
{
    (void)state;
    if (!test_device_is_apart()) skip();

    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=50");
    const int32_t n = csr.nrows;
    double *b = random_vector(8 * n, 1), *x = calloc((size_t)n * 8, sizeof *x);
    gsolve_dense B = {n, 8, n, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR}, X = B;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    X.value = x;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", A, NULL));
    apart_room = apart_used + 20000;
    assert_int_equal(gsolve_solver_run(S, B, X, &result), GSOLVE_NO_MEMORY);
    assert_non_null(strstr(gsolve_error(ctx), "the work space of cg for 8 columns"));
    B.ncols = X.ncols = 1;
    OK(ctx, gsolve_solver_run(S, B, X, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
}

/* --- large copies ------------------------------------------------------------------------------
 */

static unsigned char byte_at(size_t k)
{
    return (unsigned char)(k * 31 + (k >> 12) * 7 + (k >> 24));
}

static void fill(unsigned char *block, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) block[k] = byte_at(k);
}

/* There and back in a block that begins at an odd address. */
static void round_trip(size_t bytes)
{
    unsigned char *from = malloc(bytes + 1), *back = calloc(bytes + 2, 1);
    unsigned char *there = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes + 3, 1);

    assert_true(from && back && there);
    fill(from, bytes);
    OK(ctx, gsolve_copy(ctx, there + 3, GSOLVE_DEVICE, from, GSOLVE_HOST, bytes));
    OK(ctx, gsolve_copy(ctx, back + 1, GSOLVE_HOST, there + 3, GSOLVE_DEVICE, bytes));
    assert_memory_equal(from, back + 1, bytes);
    assert_int_equal(back[0], 0);
    assert_int_equal(back[bytes + 1], 0);
    gsolve_free(ctx, GSOLVE_DEVICE, there);
    free(from);
    free(back);
}

static void large_copies_are_whole(void **state)
{
    const size_t MB = (size_t)1 << 20;
    const size_t sizes[] = {4 * MB - 1, 5 * MB, 64 * MB, 67 * MB + 12345, 16 * MB, 32 * MB, 4 * MB};

    (void)state;
    apart_has_pages = true;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int before = apart_sendings;
        const bool travels = k > 1; /* from the first large one on */
        const int pages = (int)((sizes[k] + GS_PAGE - 1) / GS_PAGE);
        round_trip(sizes[k]);
        if (test_device_is_apart()) {
            assert_int_equal(apart_sendings - before, travels ? 2 * pages : 0);
        }
    }
    apart_drop_pages();
}

/* Where pages cannot be had, or a copy fails underway. */
static void copies_without_pages(void **state)
{
    (void)state;
    if (!test_device_is_apart()) skip();

    const size_t bytes = (size_t)70 << 20;

    round_trip(bytes);
    assert_null(apart_pages[0]);
    char *from = calloc(bytes, 1), *there = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    apart_has_pages = true;
    for (int granted = 0; granted < 5; granted++) {
        apart_sendings = 0;
        apart_sendings_granted = granted;
        assert_int_equal(gsolve_copy(ctx, there, GSOLVE_DEVICE, from, GSOLVE_HOST, bytes),
                         GSOLVE_DEVICE_FAILED);
        for (int slot = 0; slot < GS_PAGES; slot++)
            assert_int_equal(apart_under_way[slot].bytes, 0);
        apart_sendings = 0;
        assert_int_equal(gsolve_copy(ctx, from, GSOLVE_HOST, there, GSOLVE_DEVICE, bytes),
                         GSOLVE_DEVICE_FAILED);
        for (int slot = 0; slot < GS_PAGES; slot++)
            assert_int_equal(apart_under_way[slot].bytes, 0);
    }
    gsolve_free(ctx, GSOLVE_DEVICE, there);
    free(from);
    apart_drop_pages();
}

/* --- another device ----------------------------------------------------------------------------
 */

static void devices_are_changed(void **state)
{
    gsolve_context *c = NULL;
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_matrix *A = NULL;
    double *kept;

    (void)state;
    assert_int_equal(gsolve_context_create(&c, "cpu,threads=1"), GSOLVE_OK);
    gsolve_csr csr = read_matrix(c, "gen:poisson2d,n=5");
    kept = gsolve_alloc(c, GSOLVE_HOST, 10, sizeof *kept);
    kept[9] = 7;
    OK(c, gsolve_matrix_create(&A, c, "csr", &csr));
    assert_int_equal(gsolve_context_use_device(c, "cpu,threads=3"), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(c), "while matrices"));
    gsolve_matrix_destroy(&A);
    assert_int_equal(gsolve_context_use_device(c, "abacus"), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_context_use_device(c, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_threads(c), 1);
    OK(c, gsolve_context_use_device(c, "cpu,threads=3"));
    assert_int_equal(gsolve_threads(c), 3);
    OK(c, gsolve_context_use_device(c, "auto,threads=2"));
    gsolve_context_describe(c, &info);
    assert_int_equal(info.threads, 2);
    if (strcmp(info.device, "cpu") == 0) { /* says why it is no GPU */
        assert_true(strstr(info.description, "CUDA") != NULL);
        assert_int_equal(gsolve_context_use_stream(c, NULL), GSOLVE_UNSUPPORTED);
        assert_non_null(strstr(gsolve_error(c), "cpu has no streams"));
    }
    assert_true(kept[9] == 7);
    OK(c, gsolve_matrix_create_owned(&A, c, "csr", &csr));
    gsolve_matrix_destroy(&A);
    gsolve_free(c, GSOLVE_HOST, kept);
    close_context(c);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_stay_on_the_device),  TEST(unsorted_rows_are_cleaned),
        TEST(faults_are_told_alike),    TEST(first_fault_is_told),
        TEST(values_are_updated_there), TEST(rows_are_taken_there),
        TEST(solve_from_the_device),    TEST(allocations_fail_cleanly),
        TEST(host_is_asked_for),        TEST(large_matrices_are_refused),
        TEST(work_space_is_forecast),   TEST(columns_are_refused),
        TEST(large_copies_are_whole),   TEST(copies_without_pages),
        TEST(devices_are_changed),
    };

    setenv("GSOLVE_TEST_DEVICE", "apart", 0);
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
