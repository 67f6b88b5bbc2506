/* test_core_csr.c: compressed rows checked, cleaned and hashed. */
#include "core_support.h"

/* --- what is refused ------------------------------------------------------------------------- */

static void malformed_rows_are_refused(void **state)
{
    static const int32_t good[] = {0, 2, 3}, first[] = {1, 2, 3}, down[] = {0, 3, 2};
    static const int32_t col[] = {0, 2, 1}, high[] = {0, 3, 1}, low[] = {0, 2, -1};
    static const double value[] = {1, 2, 3}, nan[] = {1, 2, NAN}, inf[] = {-INFINITY, 2, 3};
    static const struct {
        const int32_t *start, *col;
        const double *value;
        gsolve_status status;
        const char *said;
    } cases[] = {
        {good, col, value, GSOLVE_OK, ""},
        {first, col, value, GSOLVE_BAD_MATRIX, "the first row offset is 1"},
        {down, col, value, GSOLVE_BAD_MATRIX, "row 1 begins at entry 3 but ends at entry 2"},
        {good, high, value, GSOLVE_BAD_MATRIX,
         "row 0 has column index 3 (counted from 0); column indices are from 0 to 2"},
        {good, low, value, GSOLVE_BAD_MATRIX, "row 1 has column index -1"},
        {good, col, nan, GSOLVE_BAD_MATRIX, "row 1 and column 1 (counted from 0) is"},
        {good, col, inf, GSOLVE_BAD_MATRIX, "row 0 and column 0 (counted from 0) is -inf"},
        {NULL, col, value, GSOLVE_BAD_ARGUMENT, "no row offsets"},
        {good, NULL, value, GSOLVE_BAD_ARGUMENT, "no columns"},
        {good, col, NULL, GSOLVE_BAD_ARGUMENT, "no columns or values"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const gsolve_csr A = {2,          3,          cases[k].start, cases[k].col, cases[k].value,
                              GSOLVE_O32, GSOLVE_F64, GSOLVE_HOST};
        bool clean;
        assert_int_equal(gs_csr_check(ctx, &A, &clean), cases[k].status);
        assert_says(ctx, cases[k].said);
    }
}

static void odd_views_are_refused(void **state)
{
    const int32_t start[] = {0, 1}, col[] = {0};
    const float value[] = {NAN};
    gsolve_csr A = {1, 1, start, col, value, GSOLVE_O32, GSOLVE_F32, GSOLVE_HOST};
    bool clean;

    (void)state;
    assert_int_equal(gs_csr_check(ctx, NULL, &clean), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_BAD_MATRIX); /* also of floats */
    A.nrows = -1;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_BAD_ARGUMENT);
    A.nrows = 1;
    A.ncols = -1;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_BAD_ARGUMENT);
    A.ncols = 1;
    A.type = GSOLVE_TYPE_COUNT;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_BAD_ARGUMENT);
    A.type = GSOLVE_F32;
    A.offset = (gsolve_offset)2;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_BAD_ARGUMENT);
    A.offset = GSOLVE_O32;
    A.location = GSOLVE_DEVICE;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_UNSUPPORTED);
}

static void the_first_bad_row_is_named(void **state)
{
    enum { N = 30000 };
    int32_t *start = gsolve_alloc(ctx, GSOLVE_HOST, N + 1, 4);
    int32_t *col = gsolve_alloc(ctx, GSOLVE_HOST, N, 4);
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, N, 8);
    const gsolve_csr A = gsolve_csr_view(N, start, col, value);
    bool clean;

    (void)state;
    for (int32_t i = 0; i < N; i++) {
        start[i] = col[i] = i;
        value[i] = 1;
    }
    start[N] = N;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_OK);
    assert_true(clean);
    col[29000] = value[17001] = N + 5;
    col[17001] = N;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_BAD_MATRIX);
    assert_says(ctx, "row 17001 has column index 30000");
    gsolve_free(ctx, GSOLVE_HOST, start);
    gsolve_free(ctx, GSOLVE_HOST, col);
    gsolve_free(ctx, GSOLVE_HOST, value);
}

/* --- cleaning -------------------------------------------------------------------------------- */

static void rows_are_sorted_and_summed(void **state)
{
    const int64_t start[] = {0, 5, 5, 6, 8};
    const int32_t col[] = {3, 0, 3, 1, 0, 2, 1, 0};
    const double value[] = {1, 2, 4, 8, 16, 32, 64, 128};
    const gsolve_csr A = {4, 4, start, col, value, GSOLVE_O64, GSOLVE_F64, GSOLVE_HOST};
    const int32_t sorted_start[] = {0, 3, 3, 4, 6}, sorted_col[] = {0, 1, 3, 2, 0, 1};
    const double sorted_value[] = {18, 8, 5, 32, 128, 64};
    const int64_t places[] = {2, 0, 2, 1, 0, 3, 5, 4};
    const gsolve_csr expected = gsolve_csr_view(4, sorted_start, sorted_col, sorted_value);
    gsolve_csr B;
    int64_t *place;
    bool clean = true;

    (void)state;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_OK);
    assert_false(clean);
    assert_int_equal(gs_csr_clean(&B, ctx, &A, gs_rows_ascend(ctx, &A), &place), GSOLVE_OK);
    assert_same(&B, &expected);
    assert_clean(&B);
    assert_memory_equal(place, places, sizeof places);
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_csr_free(&B, ctx);
    assert_int_equal(gs_csr_clean(&B, ctx, &A, gs_rows_ascend(ctx, &A), NULL), GSOLVE_OK);
    assert_same(&B, &expected);
    gsolve_csr_free(&B, ctx);
    assert_null(B.start);
}

static void clean_rows_are_copied(void **state)
{
    const int64_t start[] = {0, 1, 3};
    const int32_t col[] = {1, 0, 1};
    const float value[] = {1.5f, 2, 4};
    const gsolve_csr A = {2, 2, start, col, value, GSOLVE_O64, GSOLVE_F32, GSOLVE_HOST};
    gsolve_csr B;
    int64_t *place = (int64_t *)&B;
    bool clean = true;

    (void)state;
    assert_int_equal(gs_csr_check(ctx, &A, &clean), GSOLVE_OK);
    assert_false(clean); /* the offsets would fit into 32 bits */
    assert_int_equal(gs_csr_clean(&B, ctx, &A, gs_rows_ascend(ctx, &A), &place), GSOLVE_OK);
    assert_null(place);
    assert_int_equal(B.type, GSOLVE_F32);
    assert_clean(&B);
    for (int k = 0; k < 3; k++) assert_true(value_of(&B, k) == (double)value[k]);
    assert_ptr_not_equal(B.col, A.col);
    gsolve_csr_free(&B, ctx);
}

/* --- hashes ---------------------------------------------------------------------------------- */

static void hashes_tell_apart(void **state)
{
    unsigned char data[300];
    uint64_t seen[301];

    (void)state;
    memset(data, 0, sizeof data);
    for (int n = 0; n <= 300; n++) { /* of every length, and of every single bit */
        seen[n] = gs_hash(ctx, data, (size_t)n, 1);
        for (int k = 0; k < n; k++) assert_true(seen[k] != seen[n]);
    }
    for (int bit = 0; bit < 2400; bit++) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_true(gs_hash(ctx, data, 300, 1) != seen[300]);
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(gs_hash(ctx, data, 300, 2) != seen[300]);
}

static void large_values_are_hashed(void **state)
{
    const size_t bytes = ((size_t)3 << 20) + 5;
    unsigned char *data = calloc(bytes, 1);
    const uint64_t zeros = gs_hash(ctx, data, bytes, 0);

    (void)state;
    for (size_t at = 0; at < bytes; at += 99991) {
        data[at] = 1;
        assert_true(gs_hash(ctx, data, bytes, 0) != zeros);
        data[at] = 0;
    }
    data[bytes - 1] = 1;
    assert_true(gs_hash(ctx, data, bytes, 0) != zeros);
    free(data);
}

/* While a GPU starts, fewer threads read, and hash the same. */
static void few_threads_read_while_a_gpu_starts(void **state)
{
    const size_t bytes = ((size_t)9 << 20) + 5;
    unsigned char *data = calloc(bytes, 1);
    gsolve_context *many = NULL, *few = NULL;
    uint64_t hash;

    (void)state;
    assert_non_null(data);
    for (size_t at = 0; at < bytes; at++) data[at] = (unsigned char)(at * at >> 7);
    assert_int_equal(gsolve_context_create(&many, "cpu,threads=7"), GSOLVE_OK);
    assert_int_equal(gsolve_context_create(&few, "cpu,threads=3"), GSOLVE_OK);
    assert_int_equal(gs_reading_threads(many), 7);
    hash = gs_hash(many, data, bytes, 5);
    gs_count_gpu_starts(1);
    gs_count_gpu_starts(1);
    assert_int_equal(gs_reading_threads(many), 4);
    assert_int_equal(gs_reading_threads(few), 3);
    assert_true(gs_hash(many, data, bytes, 5) == hash);
    gs_count_gpu_starts(-1);
    assert_int_equal(gs_reading_threads(many), 4);
    gs_count_gpu_starts(-1);
    assert_int_equal(gs_reading_threads(many), 7);
    gsolve_context_destroy(&many);
    gsolve_context_destroy(&few);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(malformed_rows_are_refused), TEST(odd_views_are_refused),
        TEST(the_first_bad_row_is_named), TEST(rows_are_sorted_and_summed),
        TEST(clean_rows_are_copied),      TEST(hashes_tell_apart),
        TEST(large_values_are_hashed),    TEST(few_threads_read_while_a_gpu_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
