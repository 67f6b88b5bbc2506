/* test_matrix_blocks_refused.c: matrices from dense blocks: bad input, updates that fail, failures
 * of allocation, and the memory that a matrix takes. */
#include "tests/matrix_blocks_support.h"

/* --- bad input -------------------------------------------------------------------------------- */

typedef struct mistake {
    gsolve_status status;
    const char *sentence; /* a part of it */
} mistake;

/* Makes mistake number k in the blocks and their view. */
static mistake make_mistake(blocks *B, gsolve_blocked *view, int k)
{
    switch (k) {
    case 0: view->height = 0; return (mistake){GSOLVE_BAD_ARGUMENT, "the blocks are 0 x 3"};
    case 1: view->width = 9; return (mistake){GSOLVE_BAD_ARGUMENT, "the blocks are 3 x 9"};
    case 2: view->nrows = -1; return (mistake){GSOLVE_BAD_ARGUMENT, "negative size"};
    case 3: view->start = NULL; return (mistake){GSOLVE_BAD_ARGUMENT, "no row offsets"};
    case 4: view->type = (gsolve_type)9; return (mistake){GSOLVE_BAD_ARGUMENT, "unknown value"};
    case 5: view->ncols = 1 << 30; return (mistake){GSOLVE_UNSUPPORTED, "2^31 or more"};
    case 6: view->value = NULL; return (mistake){GSOLVE_BAD_ARGUMENT, "no values"};
    case 7: view->col = NULL; return (mistake){GSOLVE_BAD_ARGUMENT, "no block columns"};
    case 8:
        B->start32[0] = 1;
        return (mistake){GSOLVE_BAD_MATRIX, "entries are blocks: the first row offset is 1"};
    case 9:
        B->start32[3] = B->start32[4] + 1;
        return (mistake){GSOLVE_BAD_MATRIX, "entries are blocks: row 3 begins at entry"};
    case 10: B->col[2] = COLS; return (mistake){GSOLVE_BAD_MATRIX, "has column index 41"};
    case 11: B->col[2] = -3; return (mistake){GSOLVE_BAD_MATRIX, "has column index -3"};
    case 12:
        B->col[B->start[7] + 1] = B->col[B->start[7]];
        return (mistake){GSOLVE_BAD_MATRIX, "do not ascend strictly"};
    default:
        B->value[B->start[8] * 9 + 7] = INFINITY;
        return (mistake){GSOLVE_BAD_MATRIX, "in block row 8, has a number that is not finite in "
                                            "its row 2 and column 1"};
    }
}

enum { MISTAKES = 14 };

static void test_mistakes(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_matrix *A = NULL;
    (void)state;

    for (int k = 0; k < MISTAKES; k++) {
        blocks *B = new_blocks(ROWS, COLS, 3, 3, GSOLVE_F64);
        gsolve_blocked view = view_of(B);
        const mistake m = make_mistake(B, &view, k);
        assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, "auto", &view), m.status);
        if (!strstr(gsolve_error(ctx), m.sentence)) fail_msg("%d: %s", k, gsolve_error(ctx));
        assert_null(A);
        free(B);
    }
    blocks *B = new_blocks(ROWS, COLS, 3, 3, GSOLVE_F64);
    const gsolve_blocked view = view_of(B);
    assert_int_equal(gsolve_matrix_create_blocks(NULL, ctx, "bsr", &view), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, NULL, &view), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, "bsr", NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_create_blocks(&A, NULL, "bsr", &view), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, "brs", &view), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, "auto,trail=1", &view), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, "bsr,block=9", &view), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_matrix_create_blocks(&A, ctx, "bsr,block=2", &view),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(ctx), "the blocks are 3 x 3, but \"bsr,block=2\" asks"));
    OK(ctx, gsolve_matrix_create_blocks(&A, ctx, "bsr,block=3", &view));
    gsolve_matrix_destroy(&A);
    assert_int_equal(gsolve_matrix_update_blocks(NULL, &view), GSOLVE_BAD_ARGUMENT);
    free(B);
    gsolve_context_destroy(&ctx);
}

/* An update that fails leaves the matrix unchanged, with rows of numbers and without. */
static void test_bad_updates(void **state)
{
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (int k = 0; k < 2 * (MISTAKES + 3); k++) {
        blocks *B = new_blocks(ROWS, COLS, 3, 3, GSOLVE_F64);
        blocks *other = new_blocks(ROWS, COLS, 3, 3, GSOLVE_F64);
        gsolve_blocked view = view_of(B);
        gsolve_matrix *A = NULL;
        gsolve_csr csr, rows;
        rows_of(&csr, ctx, B);
        OK(ctx, gsolve_matrix_create_blocks(&A, ctx, "bsr", &view));
        if (k % 2) OK(ctx, gsolve_matrix_csr(A, &rows));
        view = view_of(other);
        fill_values(other, 5);
        switch (k / 2) {
        case MISTAKES: other->col[other->start[8] - 1]--; break; /* another pattern */
        case MISTAKES + 1:
            view.type = GSOLVE_F32;
            view.value = other->single;
            break;
        case MISTAKES + 2: view.nrows--; break;
        default: make_mistake(other, &view, k / 2);
        }
        assert_int_not_equal(gsolve_matrix_update_blocks(A, &view), GSOLVE_OK);
        check_product(ctx, A, &csr, false, 1, GSOLVE_COLUMN_MAJOR);
        check_rows(ctx, A, &csr);
        gsolve_csr_free(&csr, ctx);
        gsolve_matrix_destroy(&A);
        free(B);
        free(other);
    }
    gsolve_context_destroy(&ctx);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* All calls that allocate, with 0, 1, 2, ... allocations granted: each fails cleanly or succeeds.
 */
static void test_allocation_failures(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info),
                        after = GSOLVE_INIT(gsolve_context_info);
    (void)state;

    for (int b = 2; b <= 3; b++) { /* 3 x 2: the blocks are converted to rows */
        blocks *B = new_blocks(ROWS, COLS, b, 2, GSOLVE_F64);
        const gsolve_blocked view = view_of(B);
        gsolve_status status = GSOLVE_NO_MEMORY;
        gsolve_csr csr, rows;
        rows_of(&csr, ctx, B);
        gsolve_context_describe(ctx, &before);
        for (int64_t count = 0; status == GSOLVE_NO_MEMORY; count++) {
            gsolve_matrix *A = NULL;
            gsolve_context_limit_allocations(ctx, count);
            status = gsolve_matrix_create_blocks(&A, ctx, "bsr", &view);
            if (status == GSOLVE_OK) status = gsolve_matrix_update_blocks(A, &view);
            if (status == GSOLVE_OK) status = gsolve_matrix_csr(A, &rows);
            gsolve_context_limit_allocations(ctx, -1);
            if (A) check_rows(ctx, A, &csr);
            gsolve_matrix_destroy(&A);
            gsolve_context_describe(ctx, &after);
            assert_int_equal(after.blocks, before.blocks);
        }
        OK(ctx, status);
        gsolve_csr_free(&csr, ctx);
        free(B);
    }
    gsolve_context_destroy(&ctx);
}

/* On the CPU an update allocates nothing, with rows of numbers and without. A matrix without them
 * is smaller than one that gsolve_matrix_create makes in the same format. */
static void test_no_allocation(void **state)
{
    gsolve_context *ctx = open_context(1);
    blocks *B = new_blocks(ROWS, COLS, 4, 4, GSOLVE_F64);
    const gsolve_blocked view = view_of(B);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info),
                        with_blocks = GSOLVE_INIT(gsolve_context_info),
                        after = GSOLVE_INIT(gsolve_context_info);
    gsolve_matrix *A = NULL, *other = NULL;
    gsolve_csr csr, rows;
    (void)state;

    rows_of(&csr, ctx, B);
    gsolve_context_describe(ctx, &before);
    OK(ctx, gsolve_matrix_create_blocks(&A, ctx, "bsr", &view));
    gsolve_context_describe(ctx, &with_blocks);
    OK(ctx, gsolve_matrix_create(&other, ctx, "bsr,block=4", &csr));
    gsolve_context_describe(ctx, &after);
    assert_true((double)(with_blocks.bytes - before.bytes) +
                    0.9 * gs_csr_bytes(&csr, gsolve_csr_entries(&csr)) <
                (double)(after.bytes - with_blocks.bytes));
    for (int k = 0; k < 2 && gs_location(ctx) == GSOLVE_HOST; k++) {
        gsolve_context_describe(ctx, &before);
        OK(ctx, gsolve_matrix_update_blocks(A, &view));
        gsolve_context_describe(ctx, &after);
        assert_int_equal(after.allocations, before.allocations);
        OK(ctx, gsolve_matrix_csr(A, &rows));
    }
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&other);
    gsolve_csr_free(&csr, ctx);
    free(B);
    gsolve_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_bad_updates),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_no_allocation),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
