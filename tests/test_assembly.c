/* test_assembly.c: gsolve_assembly: sums of triplets against sums in their order, to the last bit,
 * for all types, locations, triangles and awkward shapes; refused triplets; memory. */
#include "tests/assembly_support.h"

/* --- sums ------------------------------------------------------------------------------------- */

/* Values at both locations, set and added, several times. */
static void check_values(gsolve_context *ctx, gsolve_assembly *plan, gsolve_type type,
                         const triplets *t)
{
    for (int there = 0; there < 2; there++) {
        const gsolve_location location = there ? gs_location(ctx) : GSOLVE_HOST;
        for (int step = 1; step <= 2; step++) {
            const void *value = put_values(ctx, location, type, t, step);
            OK(ctx, gsolve_assembly_set_values(plan, value, location));
            assert_plan(ctx, plan, t, step, 1);
            OK(ctx, gsolve_assembly_add_values(plan, value, location));
            assert_plan(ctx, plan, t, step, 2);
            gsolve_free(ctx, location, value);
        }
    }
}

static void check_case(gsolve_context *ctx, gsolve_type type, const triplets *t, layout as)
{
    gsolve_assembly_info info = GSOLVE_INIT(gsolve_assembly_info);
    gsolve_assembly *plan = NULL;
    gsolve_csr csr;
    int64_t skipped = 0;

    for (int64_t k = 0; k < t->count; k++) skipped += t->row[k] < 0 || t->col[k] < 0;
    OK(ctx, create_plan(&plan, ctx, type, t, as));
    gsolve_assembly_describe(plan, &info);
    csr = fetch(ctx, plan);
    for (int64_t e = 0; e < info.entries; e++) assert_true(gs_value(&csr, e) == 0);
    assert_int_equal(info.nrows, t->nrows);
    assert_int_equal(info.ncols, t->ncols);
    assert_int_equal(info.type, type);
    assert_int_equal(info.triplets, t->count);
    assert_int_equal(info.skipped, skipped);
    assert_int_equal(info.entries, gsolve_csr_entries(&csr));
    assert_true(info.bytes > 0 && info.seconds > 0);
    gsolve_csr_free(&csr, ctx);
    check_values(ctx, plan, type, t);
    gsolve_assembly_destroy(&plan);
    assert_null(plan);
}

static void test_sums(void **state)
{
    static const int32_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 40}, {40, 1}, {30, 100}};
    gsolve_context *ctx = open_context(2);
    int64_t cases = 0;
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            for (int64_t count = 0; count <= 700; count = count ? count * 10 : 7) {
                triplets t = new_triplets(sizes[s][0], sizes[s][1], count, pattern, GSOLVE_FULL);
                const layout as = {cases % 2 ? GSOLVE_I64 : GSOLVE_I32, cases / 2 % 2,
                                   cases % 3 ? GSOLVE_HOST : gs_location(ctx)};
                check_case(ctx, cases / 4 % 2 ? GSOLVE_F32 : GSOLVE_F64, &t, as);
                free_triplets(&t);
                cases++;
            }
        }
    }
    close_context(ctx);
}

static void test_triangles(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        for (int variant = 0; variant < 4; variant++) {
            triplets t =
                new_triplets(60, 60, 900, pattern, variant % 2 ? GSOLVE_LOWER : GSOLVE_UPPER);
            const layout as = {variant % 2 ? GSOLVE_I64 : GSOLVE_I32, variant / 2,
                               variant < 2 ? GSOLVE_HOST : gs_location(ctx)};
            check_case(ctx, variant == 3 ? GSOLVE_F32 : GSOLVE_F64, &t, as);
            free_triplets(&t);
        }
    }
    close_context(ctx);
}

/* More than one tile, chunk and piece; a row and an entry with very many triplets; and any number
 * of threads. */
static void test_large(void **state)
{
    static const int threads[] = {1, 3, 8};
    (void)state;

    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        triplets t =
            new_triplets(5000, 5000, 120000, pattern, pattern % 2 ? GSOLVE_FULL : GSOLVE_LOWER);
        for (int k = 0; k < 3; k++) {
            gsolve_context *ctx = open_context(threads[k]);
            check_case(ctx, k == 1 ? GSOLVE_F32 : GSOLVE_F64, &t,
                       (layout){GSOLVE_I32, 0, gs_location(ctx)});
            close_context(ctx);
        }
        free_triplets(&t);
    }
}

/* Column numbers near 2^31 on a GPU, so that a key needs many bits. */
static void test_many_columns(void **state)
{
    const int32_t row[] = {1, 0, 1, 2, -3, 1}, last = INT32_MAX - 1,
                  col[] = {INT32_MAX - 1, 7, INT32_MAX - 1, 0, 5, 0};
    const double value[] = {1, 2, 4, 8, 16, -0.0};
    gsolve_triplets t = {3, INT32_MAX, 6, row, col, GSOLVE_I32, 0, GSOLVE_FULL, GSOLVE_HOST};
    gsolve_context *ctx = open_context(1);
    gsolve_assembly *plan = NULL;
    gsolve_csr csr;
    (void)state;

    if (!gs_on_gpu(ctx)) t.ncols = 4000000; /* the CPU counts the entries of each column */
    const int32_t here[] = {(int32_t)t.ncols - 1, 7, (int32_t)t.ncols - 1, 0, 5, 0};
    if (!gs_on_gpu(ctx)) t.col = here;
    OK(ctx, gsolve_assembly_create(&plan, ctx, GSOLVE_F64, &t));
    OK(ctx, gsolve_assembly_set_values(plan, value, GSOLVE_HOST));
    csr = fetch(ctx, plan);
    assert_int_equal(gsolve_csr_entries(&csr), 4);
    assert_int_equal(csr.col[0], 7);
    assert_int_equal(csr.col[1], 0);
    assert_int_equal(csr.col[2], gs_on_gpu(ctx) ? last : here[0]);
    assert_int_equal(csr.col[3], 0);
    assert_true(signbit(gs_value(&csr, 1)) &&
                gs_value(&csr, 1) == 0); /* one value is not changed */
    assert_true(gs_value(&csr, 0) == 2 && gs_value(&csr, 2) == 5 && gs_value(&csr, 3) == 8);
    gsolve_csr_free(&csr, ctx);
    gsolve_assembly_destroy(&plan);
    close_context(ctx);
}

/* --- refused arguments ------------------------------------------------------------------------ */

static void refuse(gsolve_context *ctx, const gsolve_triplets *t, gsolve_status status,
                   const char *part)
{
    gsolve_assembly *plan = NULL;
    const gsolve_status got = gsolve_assembly_create(&plan, ctx, GSOLVE_F64, t);

    assert_int_equal(got, status);
    assert_null(plan);
    if (!strstr(gsolve_error(ctx), part)) fail_msg("'%s' lacks '%s'", gsolve_error(ctx), part);
}

static void test_bad_indices(void **state)
{
    gsolve_context *ctx = open_context(2);
    const gsolve_location there = gs_location(ctx);
    int64_t *row = calloc(30000, sizeof *row), *col = calloc(30000, sizeof *col);
    gsolve_triplets t = {9, 9, 30000, NULL, NULL, GSOLVE_I64, 0, GSOLVE_FULL, there};
    (void)state;

    row[20001] = 9;
    col[20001] = 3;
    col[25000] = 10;
    t.row = put_array(ctx, there, row, t.count, sizeof *row);
    t.col = put_array(ctx, there, col, t.count, sizeof *col);
    refuse(ctx, &t, GSOLVE_BAD_MATRIX,
           "triplet 20001 has row 9 and column 3, but rows are numbered from 0 to 8; "
           "correct it, or skip it by a negative number");
    t.nrows = 10;
    refuse(ctx, &t, GSOLVE_BAD_MATRIX, "triplet 25000 has row 0 and column 10, but columns");
    t.ncols = 11;
    t.base = 1;
    refuse(ctx, &t, GSOLVE_BAD_MATRIX, "triplet 1 has row 0 and column 0, but rows");
    t.base = 0;
    t.nrows = 11;
    t.part = GSOLVE_LOWER;
    refuse(ctx, &t, GSOLVE_BAD_MATRIX, "triplet 25000, in row 0 and column 10, is in the upper");
    t.part = GSOLVE_UPPER;
    refuse(ctx, &t, GSOLVE_BAD_MATRIX, "triplet 20001, in row 9 and column 3, is in the lower");
    gsolve_free(ctx, there, t.row);
    gsolve_free(ctx, there, t.col);
    row[20001] = INT64_MAX;
    col[20001] = -7; /* is skipped in spite of its row */
    t = (gsolve_triplets){9, 9, 20002, row, col, GSOLVE_I64, 0, GSOLVE_FULL, GSOLVE_HOST};
    gsolve_assembly *plan = NULL;
    OK(ctx, gsolve_assembly_create(&plan, ctx, GSOLVE_F64, &t));
    gsolve_assembly_destroy(&plan);
    free(row);
    free(col);
    close_context(ctx);
}

static void test_bad_arguments(void **state)
{
    const int32_t one[] = {0};
    const gsolve_triplets good = {3, 3, 1, one, one, GSOLVE_I32, 0, GSOLVE_FULL, GSOLVE_HOST};
    gsolve_context *ctx = open_context(1);
    gsolve_assembly *plan = NULL;
    gsolve_triplets t = good;
    gsolve_csr csr;
    (void)state;

#define REFUSE(member, value, status, part) \
    t = good;                               \
    t.member = value;                       \
    refuse(ctx, &t, status, part)
    REFUSE(nrows, -1, GSOLVE_BAD_ARGUMENT, "negative");
    REFUSE(count, -1, GSOLVE_BAD_ARGUMENT, "negative");
    REFUSE(row, NULL, GSOLVE_BAD_ARGUMENT, "row or col is NULL");
    REFUSE(base, 2, GSOLVE_BAD_ARGUMENT, "base is 2");
    REFUSE(index_type, (gsolve_index)7, GSOLVE_BAD_ARGUMENT, "index_type 7");
    REFUSE(part, (gsolve_part)3, GSOLVE_BAD_ARGUMENT, "part 3");
    REFUSE(ncols, (int64_t)1 << 31, GSOLVE_UNSUPPORTED, "2^31");
    REFUSE(count, (int64_t)1 << 32, GSOLVE_UNSUPPORTED, "2^32");
    t = good;
    t.part = GSOLVE_LOWER;
    t.count = (int64_t)1 << 31;
    refuse(ctx, &t, GSOLVE_UNSUPPORTED, "mirror images");
    t.count = 1;
    t.ncols = 4;
    refuse(ctx, &t, GSOLVE_BAD_MATRIX, "3 x 4");
    if (gs_location(ctx) == GSOLVE_HOST) {
        REFUSE(location, GSOLVE_DEVICE, GSOLVE_BAD_ARGUMENT, "pass arrays of the host");
    }
    assert_int_equal(gsolve_assembly_create(NULL, ctx, GSOLVE_F64, &good), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_create(&plan, ctx, GSOLVE_F64, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_create(&plan, NULL, GSOLVE_F64, &good), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_create(&plan, ctx, GSOLVE_TYPE_COUNT, &good),
                     GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_set_values(NULL, one, GSOLVE_HOST), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_csr(NULL, &csr), GSOLVE_BAD_ARGUMENT);
    gsolve_assembly_destroy(NULL);
    gsolve_assembly_destroy(&plan);
    OK(ctx, gsolve_assembly_create(&plan, ctx, GSOLVE_F64, &good));
    assert_int_equal(gsolve_assembly_csr(plan, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_add_values(plan, NULL, GSOLVE_HOST), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_assembly_set_values(plan, one, (gsolve_location)5),
                     GSOLVE_BAD_ARGUMENT);
    gsolve_context_destroy(&ctx); /* destroys the plan, too */
}

/* --- memory ----------------------------------------------------------------------------------- */

static void test_memory_runs_out(void **state)
{
    gsolve_context *ctx = open_context(2);
    triplets t = new_triplets(50, 50, 600, SKIPPED, GSOLVE_LOWER);
    int32_t row[600], col[600];
    gsolve_triplets given = {50, 50, 600, row, col, GSOLVE_I32, 0, GSOLVE_LOWER, GSOLVE_HOST};
    gsolve_assembly *plan = NULL;
    (void)state;

    for (int k = 0; k < 600; k++) {
        row[k] = (int32_t)t.row[k];
        col[k] = (int32_t)t.col[k];
    }
    ALLOCATION_SWEEP(ctx, gsolve_assembly_create(&plan, ctx, GSOLVE_F64, &given));
    gsolve_context_limit_allocations(ctx, 0);
    if (gs_location(ctx) == GSOLVE_DEVICE) { /* the copy of the values on the device */
        assert_int_equal(gsolve_assembly_set_values(plan, t.value, GSOLVE_HOST), GSOLVE_NO_MEMORY);
    }
    gsolve_context_limit_allocations(ctx, -1);
    OK(ctx, gsolve_assembly_set_values(plan, t.value, GSOLVE_HOST));
    gsolve_context_limit_allocations(ctx, 0); /* later calls allocate nothing */
    OK(ctx, gsolve_assembly_set_values(plan, t.value, GSOLVE_HOST));
    OK(ctx, gsolve_assembly_add_values(plan, t.value, GSOLVE_HOST));
    gsolve_context_limit_allocations(ctx, -1);
    assert_plan(ctx, plan, &t, 1, 2);
    assert_int_equal(gsolve_context_use_device(ctx, "cpu"), GSOLVE_BAD_ARGUMENT);
    gsolve_assembly_destroy(&plan);
    free_triplets(&t);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_bad_indices),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_memory_runs_out),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
