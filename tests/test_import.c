/* test_import.c: gsolve_csr_import, for each layout, base, index type, offset type, value type and
 * triangle; sentences about bad input; failures of allocation. Runs on the host in any context. */
#include <math.h>

#include "tests/common.h"

enum { ROWS = 23, COLS = 17, MOST = 600 };

/* A matrix in a foreign layout, with its arrays in both types. */
typedef struct foreign {
    gsolve_foreign view;
    int64_t start[ROWS + 1], index[MOST], count;
    int32_t start32[ROWS + 1], index32[MOST];
    double value[MOST];
    float single[MOST];
    double dense[ROWS][ROWS]; /* the matrix that it means */
} foreign;

static double number(int64_t at)
{
    return (double)(float)(2 * gsolve_random(9, (uint64_t)at) - 1);
}

static void append(foreign *F, int64_t line, int64_t other)
{
    const bool columns = F->view.csc;
    const int64_t row = columns ? other : line, col = columns ? line : other;
    const double v = number(row * 100 + col);

    F->index[F->count] = other + F->view.base;
    F->value[F->count] = v;
    F->single[F->count++] = (float)v;
    F->dense[row][col] += v;
    if (F->view.part != GSOLVE_FULL && row != col) F->dense[col][row] += v;
}

/* Lines are in descending order if `unsorted`, and some entries are there twice. */
static foreign *new_foreign(gsolve_foreign view, bool unsorted)
{
    foreign *F = calloc(1, sizeof *F);

    assert_non_null(F);
    view.nrows = ROWS;
    view.ncols = view.part == GSOLVE_FULL ? COLS : ROWS;
    F->view = view;
    const int64_t lines = view.csc ? view.ncols : view.nrows;
    const int64_t others = view.csc ? view.nrows : view.ncols;
    F->start[0] = view.base;
    for (int64_t i = 0; i < lines; i++) {
        for (int64_t k = 0; k < others && i != 4; k++) {
            const int64_t j = unsorted ? others - 1 - k : k;
            const bool below = view.csc ? j > i : j < i;
            if (view.part == GSOLVE_LOWER && !below && i != j) continue;
            if (view.part == GSOLVE_UPPER && below) continue;
            if (gsolve_random(8, (uint64_t)(i * 64 + j)) > 0.4) continue;
            append(F, i, j);
            if (unsorted && k % 3 == 0) append(F, i, j);
        }
        F->start[i + 1] = F->count + view.base;
    }
    for (int i = 0; i <= ROWS; i++) F->start32[i] = (int32_t)F->start[i];
    for (int k = 0; k < MOST; k++) F->index32[k] = (int32_t)F->index[k];
    F->view.start = view.offset == GSOLVE_O64 ? (void *)F->start : F->start32;
    F->view.index = view.index_type == GSOLVE_I64 ? (void *)F->index : F->index32;
    F->view.value = view.type == GSOLVE_F64 ? (void *)F->value : F->single;
    return F;
}

static void check_matrix(const foreign *F, const gsolve_csr *csr)
{
    int64_t nonzeros = 0;

    assert_int_equal(csr->nrows, F->view.nrows);
    assert_int_equal(csr->ncols, F->view.ncols);
    assert_int_equal(csr->type, F->view.type);
    assert_int_equal(csr->offset, GSOLVE_O32);
    assert_int_equal(csr->location, GSOLVE_HOST);
    for (int i = 0; i < csr->nrows; i++) {
        for (int j = 0; j < csr->ncols; j++) nonzeros += F->dense[i][j] != 0;
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            if (k > gs_start(csr, i)) assert_true(csr->col[k] > csr->col[k - 1]);
            assert_true(fabs(gs_value(csr, k) - F->dense[i][csr->col[k]]) < 1e-6);
        }
    }
    assert_int_equal(gsolve_csr_entries(csr), nonzeros);
}

static void test_layouts(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int k = 0; k < 2 * 2 * 2 * 2 * 2 * 3 * 2; k++) {
        const gsolve_foreign view = {.csc = k & 1,
                                     .base = k >> 1 & 1,
                                     .offset = (gsolve_offset)(k >> 2 & 1),
                                     .index_type = (gsolve_index)(k >> 3 & 1),
                                     .type = (gsolve_type)(k >> 4 & 1),
                                     .part = (gsolve_part)((k >> 6) % 3)};
        foreign *F = new_foreign(view, k >> 5 & 1);
        gsolve_csr csr = {0};
        OK(ctx, gsolve_csr_import(&csr, ctx, &F->view));
        check_matrix(F, &csr);
        gsolve_csr_free(&csr, ctx);
        free(F);
    }
    gsolve_context_destroy(&ctx);
}

static void test_many_lines(void **state) /* more than one piece and thread */
{
    enum { N = 40000 };
    gsolve_context *ctx = open_context(3);
    int64_t *start = malloc((N + 1) * sizeof *start), *index = malloc(2 * N * sizeof *index);
    double *value = malloc(2 * N * sizeof *value);
    gsolve_csr csr = {0};
    (void)state;

    for (int64_t i = 0; i <= N; i++) start[i] = 2 * i + 1;
    for (int64_t i = 0; i < N; i++) {
        index[2 * i] = i + 1;
        index[2 * i + 1] = (i + 1) % N + 1;
        value[2 * i] = value[2 * i + 1] = (double)i;
    }
    gsolve_foreign F = {N,          N,          start, index, value,      GSOLVE_O64,
                        GSOLVE_I64, GSOLVE_F64, 1,     true,  GSOLVE_FULL};
    OK(ctx, gsolve_csr_import(&csr, ctx, &F));
    for (int32_t i = 1; i < N; i++) { /* rows i - 1 and i of column i - 1 and i */
        assert_int_equal(csr.col[gs_start(&csr, i)], i - 1);
        assert_true(gs_value(&csr, gs_start(&csr, i)) == i - 1);
    }
    gsolve_csr_free(&csr, ctx);
    index[2 * 30000 + 1] = (int64_t)1 << 32; /* 0 in its lower 32 bits */
    index[2 * 35000] = -7;
    assert_int_equal(gsolve_csr_import(&csr, ctx, &F), GSOLVE_BAD_MATRIX);
    assert_string_equal(gsolve_error(ctx), "entry 60002, in column 30001, has the row index "
                                           "4294967296; row indices are from 1 to 40000");
    free(start);
    free(index);
    free(value);
    gsolve_context_destroy(&ctx);
}

/* --- bad input -------------------------------------------------------------------------------- */

typedef struct mistake {
    gsolve_status status;
    const char *sentence; /* a part of it */
} mistake;

/* Makes mistake number k in F. */
static mistake make_mistake(foreign *F, int k)
{
    gsolve_foreign *A = &F->view;

    switch (k) {
    case 0: A->nrows = -1; return (mistake){GSOLVE_BAD_ARGUMENT, "size -1 x 17 is negative"};
    case 1: A->start = NULL; return (mistake){GSOLVE_BAD_ARGUMENT, "start is NULL"};
    case 2: A->base = 2; return (mistake){GSOLVE_BAD_ARGUMENT, "base is 2"};
    case 3: A->index_type = (gsolve_index)7; return (mistake){GSOLVE_BAD_ARGUMENT, "index_type 7"};
    case 4: A->part = (gsolve_part)3; return (mistake){GSOLVE_BAD_ARGUMENT, "part 3"};
    case 5: A->type = (gsolve_type)-1; return (mistake){GSOLVE_BAD_ARGUMENT, "type -1"};
    case 6: A->offset = (gsolve_offset)2; return (mistake){GSOLVE_BAD_ARGUMENT, "offset is 2"};
    case 7: A->ncols = (int64_t)1 << 31; return (mistake){GSOLVE_UNSUPPORTED, "23 x 2147483648"};
    case 8: A->part = GSOLVE_LOWER; return (mistake){GSOLVE_BAD_MATRIX, "only a square matrix"};
    case 9: A->base = 1; return (mistake){GSOLVE_BAD_MATRIX, "the first offset is 0; with base=1"};
    case 10:
        F->start[3] = F->start[2] - 1;
        return (mistake){GSOLVE_BAD_MATRIX, "row 2 begins at entry"};
    case 11: A->index = NULL; return (mistake){GSOLVE_BAD_ARGUMENT, "index or value is NULL"};
    case 12: A->value = NULL; return (mistake){GSOLVE_BAD_ARGUMENT, "index or value is NULL"};
    case 13:
        F->index[F->start[6] + 1] = 17;
        return (mistake){GSOLVE_BAD_MATRIX,
                         "in row 6, has the column index 17; column indices are from 0 to 16"};
    case 14: F->index[0] = -1; return (mistake){GSOLVE_BAD_MATRIX, "entry 0, in row 0, has the"};
    default:
        F->value[F->start[7]] = NAN;
        return (mistake){GSOLVE_BAD_MATRIX, "nan; values must be finite"};
    }
}

static void test_mistakes(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_foreign view = {
        .offset = GSOLVE_O64, .index_type = GSOLVE_I64, .type = GSOLVE_F64};
    gsolve_csr csr = {.nrows = 77};
    (void)state;

    for (int k = 0; k < 16; k++) {
        foreign *F = new_foreign(view, false);
        const mistake m = make_mistake(F, k);
        assert_int_equal(gsolve_csr_import(&csr, ctx, &F->view), m.status);
        if (!strstr(gsolve_error(ctx), m.sentence)) fail_msg("%d: %s", k, gsolve_error(ctx));
        assert_int_equal(csr.nrows, 77);
        free(F);
    }
    assert_int_equal(gsolve_csr_import(NULL, ctx, &view), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_csr_import(&csr, ctx, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_csr_import(&csr, NULL, &view), GSOLVE_BAD_ARGUMENT);
    gsolve_context_destroy(&ctx);
}

static void test_wrong_triangle(void **state)
{
    static const int64_t start[] = {1, 2, 4}, index[] = {1, 1, 2};
    static const double value[] = {4, -1, 3};
    gsolve_context *ctx = open_context(1);
    gsolve_foreign A = {2,          2,          start, index, value,       GSOLVE_O64,
                        GSOLVE_I64, GSOLVE_F64, 1,     false, GSOLVE_UPPER};
    gsolve_csr csr = {0};
    (void)state;

    assert_int_equal(gsolve_csr_import(&csr, ctx, &A), GSOLVE_BAD_MATRIX);
    assert_string_equal(gsolve_error(ctx),
                        "entry 2, in row 2 and column 1, is in the lower "
                        "triangle, but only the upper triangle is given; numbers "
                        "count from 1");
    A.csc = true; /* the entry is then in row 1 and column 2 */
    OK(ctx, gsolve_csr_import(&csr, ctx, &A));
    assert_int_equal(gsolve_csr_entries(&csr), 4);
    assert_true(gs_value(&csr, 1) == -1 && gs_value(&csr, 2) == -1);
    gsolve_csr_free(&csr, ctx);
    gsolve_context_destroy(&ctx);
}

static void test_empty(void **state)
{
    static const int32_t start[] = {1, 1, 1, 1};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int k = 0; k < 4; k++) {
        const gsolve_foreign A = {.nrows = k & 1 ? 3 : 0,
                                  .ncols = k & 1 ? 3 : 0,
                                  .start = start,
                                  .type = GSOLVE_F64,
                                  .base = 1,
                                  .csc = k & 2,
                                  .part = k & 2 ? GSOLVE_LOWER : GSOLVE_FULL};
        gsolve_csr csr = {0};
        OK(ctx, gsolve_csr_import(&csr, ctx, &A));
        assert_int_equal(csr.nrows, A.nrows);
        assert_int_equal(gsolve_csr_entries(&csr), 0);
        gsolve_csr_free(&csr, ctx);
    }
    gsolve_context_destroy(&ctx);
}

static void test_allocation_failures(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info),
                        after = GSOLVE_INIT(gsolve_context_info);
    (void)state;

    for (int k = 0; k < 6; k++) {
        const gsolve_foreign view = {
            .csc = k & 1, .type = GSOLVE_F64, .part = (gsolve_part)(k >> 1)};
        foreign *F = new_foreign(view, true);
        gsolve_status status = GSOLVE_NO_MEMORY;
        gsolve_csr csr = {0};
        gsolve_context_describe(ctx, &before);
        for (int64_t count = 0; status == GSOLVE_NO_MEMORY; count++) {
            gsolve_context_limit_allocations(ctx, count);
            status = gsolve_csr_import(&csr, ctx, &F->view);
            gsolve_context_describe(ctx, &after);
            if (status != GSOLVE_OK) assert_int_equal(after.blocks, before.blocks);
        }
        gsolve_context_limit_allocations(ctx, -1);
        OK(ctx, status);
        check_matrix(F, &csr);
        gsolve_csr_free(&csr, ctx);
        free(F);
    }
    gsolve_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),  cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_wrong_triangle),
        cmocka_unit_test(test_empty),    cmocka_unit_test(test_allocation_failures),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
