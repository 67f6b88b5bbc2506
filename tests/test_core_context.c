/* test_core_context.c: contexts, their memory and errors. */
#include "core_support.h"

/* --- contexts -------------------------------------------------------------------------------- */

static void good_specs_open(void **state)
{
    gsolve_context *c = open_context("cpu,threads=3");

    (void)state;
    assert_int_equal(gsolve_threads(c), 3);
    assert_string_equal(info_of(c).device, "cpu");
    assert_int_equal(info_of(c).threads, 3);
    assert_non_null(strstr(info_of(c).description, "3 threads"));
    assert_null(gsolve_stream(c));
    assert_string_equal(gsolve_error(c), "");
    gsolve_context_destroy(&c);
    assert_null(c);
    gsolve_context_destroy(&c);
    gsolve_context_destroy(NULL);

    c = open_context("cpu");
    assert_true(gsolve_threads(c) >= 1);
    gsolve_context_destroy(&c);
    c = open_context("auto");
    gsolve_context_destroy(&c);
    c = open_context("auto,threads=5");
    assert_int_equal(gsolve_threads(c), 5);
    gsolve_context_destroy(&c);
}

static void bad_specs_are_explained(void **state)
{
    static const struct {
        const char *spec, *said, *too;
    } cases[] = {
        {"", "unknown device ''", "cpu"},
        {"gpu", "unknown device 'gpu'", "auto"},
        {"cp", "unknown device 'cp'", "cpu"},
        {"cpux", "unknown device 'cpux'", "cpu"},
        {"cpu,cores=2", "cpu has no option 'cores'", "threads"},
        {"cpu,threads", "option 'threads' needs a value", "threads=VALUE"},
        {"cpu,threads=", "threads= is not allowed", "a whole number from 0 to 4096"},
        {"cpu,threads=-1", "threads=-1 is not allowed", "from 0"},
        {"cpu,threads=4097", "threads=4097 is not allowed", "to 4096"},
        {"cpu,threads=1.5", "threads=1.5 is not allowed", "whole number"},
        {"cpu,threads=99999999999999999999", "is not allowed", "to 4096"},
        {"cpu,threads=2,", "an option is missing after the last comma", "key=value"},
        {"cpu,,threads=2", "an option is missing before a comma", "key=value"},
        {"auto,cores=2", "has no option 'cores'", "threads"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gsolve_context *c = (gsolve_context *)&cases; /* must stay unset */
        assert_int_equal(gsolve_context_create(&c, cases[k].spec), GSOLVE_BAD_SPEC);
        assert_ptr_equal(c, &cases);
        assert_says(NULL, cases[k].said);
        assert_says(NULL, cases[k].too);
    }
    assert_int_equal(gsolve_context_create(NULL, "cpu"), GSOLVE_BAD_ARGUMENT);
    gsolve_context *c = NULL;
    assert_int_equal(gsolve_context_create(&c, NULL), GSOLVE_BAD_ARGUMENT);
    assert_true(strlen(gsolve_error(NULL)) > 0);
}

static void contexts_share_nothing(void **state)
{
    gsolve_context *other = open_context("cpu,threads=1");
    void *block = gsolve_alloc(other, GSOLVE_HOST, 10, 8);

    (void)state;
    assert_int_equal(info_of(other).blocks, 1);
    assert_int_equal(info_of(ctx).blocks, 0);
    assert_int_equal(gsolve_fail(other, GSOLVE_UNSUPPORTED, "number %d", 7), GSOLVE_UNSUPPORTED);
    assert_string_equal(gsolve_error(other), "number 7");
    assert_string_equal(gsolve_error(ctx), "");
    gsolve_context_limit_allocations(other, 0);
    assert_null(gsolve_alloc(other, GSOLVE_HOST, 1, 1));
    void *mine = gsolve_alloc(ctx, GSOLVE_HOST, 1, 1);
    assert_non_null(mine);
    gsolve_free(ctx, GSOLVE_HOST, mine);
    gsolve_free(other, GSOLVE_HOST, block);
    gsolve_context_destroy(&other);
}

static void long_sentences_are_cut(void **state)
{
    char text[5000];

    (void)state;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    gsolve_fail(ctx, GSOLVE_BAD_FILE, "%s", text);
    assert_true(strlen(gsolve_error(ctx)) > 500 && strlen(gsolve_error(ctx)) < 2000);
}

static void codes_have_texts(void **state)
{
    (void)state;
    for (int k = 0; k < GSOLVE_STATUS_COUNT; k++) {
        assert_true(strlen(gsolve_status_text((gsolve_status)k)) > 0);
    }
    for (int k = 0; k < GSOLVE_OUTCOME_COUNT; k++) {
        assert_true(strlen(gsolve_outcome_text((gsolve_outcome)k)) > 0);
    }
    assert_string_equal(gsolve_status_text((gsolve_status)99), "unknown status");
    assert_string_equal(gsolve_status_text((gsolve_status)-1), "unknown status");
    assert_string_equal(gsolve_outcome_text((gsolve_outcome)99), "unknown outcome");
    assert_string_equal(gsolve_version(), GSOLVE_VERSION);
}

static void devices_are_listed(void **state)
{
    (void)state;
    assert_string_equal(gsolve_device_at(0)->name, "cpu");
    assert_null(gsolve_device_at(-1));
    assert_null(gsolve_device_at(5));
}

/* --- memory ---------------------------------------------------------------------------------- */

static void memory_is_counted(void **state)
{
    void *a = gsolve_alloc(ctx, GSOLVE_HOST, 100, 8), *b = gsolve_alloc(ctx, GSOLVE_HOST, 50, 4);
    gsolve_context_info info = info_of(ctx);

    (void)state;
    assert_int_equal(info.blocks, 2);
    assert_int_equal(info.bytes, 1000);
    assert_int_equal(info.peak - info.bytes, 0);
    gsolve_free(ctx, GSOLVE_HOST, a);
    info = info_of(ctx);
    assert_int_equal(info.blocks, 1);
    assert_int_equal(info.bytes, 200);
    assert_int_equal(info.peak, 1000);
    void *c = gsolve_alloc(ctx, GSOLVE_HOST, 900, 1);
    assert_int_equal(info_of(ctx).peak, 1100);
    assert_int_equal(info_of(ctx).allocations - info.allocations, 1);
    gsolve_free(ctx, GSOLVE_HOST, b);
    gsolve_free(ctx, GSOLVE_HOST, c);
    gsolve_free(ctx, GSOLVE_HOST, NULL);
    assert_int_equal(info_of(ctx).bytes, 0);
    assert_int_equal(info_of(ctx).blocks, 0);
}

static void blocks_are_aligned_and_apart(void **state)
{
    enum { COUNT = 300 };
    unsigned char *block[COUNT];

    (void)state;
    for (int k = 0; k < COUNT; k++) {
        block[k] = gsolve_alloc(ctx, k % 2 ? GSOLVE_HOST : GSOLVE_DEVICE, (size_t)k, 3);
        assert_non_null(block[k]);
        assert_int_equal((uintptr_t)block[k] % 64, 0);
        memset(block[k], k, (size_t)k * 3);
    }
    for (int k = 0; k < COUNT; k++) {
        for (int at = 0; at < 3 * k; at++) assert_int_equal(block[k][at], k & 255);
    }
    for (int k = 0; k < COUNT; k++) gsolve_free(ctx, GSOLVE_HOST, block[k * 7 % COUNT]);
    unsigned char *large = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)5 << 20, 1);
    large[0] = large[((size_t)5 << 20) - 1] = 1;
    gsolve_free(ctx, GSOLVE_HOST, large);
}

static void too_much_is_refused(void **state)
{
    (void)state;
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, SIZE_MAX / 2, 4)); /* the product overflows */
    assert_says(ctx, "out of memory");
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, SIZE_MAX - 10, 1));
    assert_int_equal(info_of(ctx).blocks, 0);
}

static void what_is_left_is_freed(void **state)
{
    gsolve_context *c = open_context("cpu");

    (void)state;
    for (int k = 0; k < 5; k++) assert_non_null(gsolve_alloc(c, GSOLVE_HOST, 100, 1));
    gsolve_context_destroy(&c); /* the address sanitizer sees whether this leaks */
}

static void grants_run_out(void **state)
{
    void *block[3];

    (void)state;
    gsolve_context_limit_allocations(ctx, 2);
    for (int k = 0; k < 3; k++) block[k] = gsolve_alloc(ctx, GSOLVE_HOST, 1, 1);
    assert_non_null(block[0]);
    assert_non_null(block[1]);
    assert_null(block[2]);
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, 1, 1));
    gsolve_context_limit_allocations(ctx, -5);
    block[2] = gsolve_alloc(ctx, GSOLVE_HOST, 1, 1);
    assert_non_null(block[2]);
    for (int k = 0; k < 3; k++) gsolve_free(ctx, GSOLVE_HOST, block[k]);
}

static void copies_are_whole(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, ((size_t)1 << 20) + 1, ((size_t)9 << 20) + 7};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        unsigned char *from = gsolve_alloc(ctx, GSOLVE_HOST, n + 1, 1);
        unsigned char *to = gsolve_alloc(ctx, GSOLVE_DEVICE, n + 1, 1);
        for (size_t k = 0; k < n; k++) from[k] = (unsigned char)(k * 31 + (k >> 12));
        to[n] = 99;
        assert_int_equal(gsolve_copy(ctx, to, GSOLVE_DEVICE, from, GSOLVE_HOST, n), GSOLVE_OK);
        assert_true(n == 0 || memcmp(to, from, n) == 0);
        assert_int_equal(to[n], 99);
        gsolve_free(ctx, GSOLVE_HOST, from);
        gsolve_free(ctx, GSOLVE_DEVICE, to);
    }
    assert_int_equal(gsolve_copy(ctx, NULL, GSOLVE_HOST, NULL, GSOLVE_HOST, 0), GSOLVE_OK);
    assert_int_equal(gsolve_copy(NULL, NULL, GSOLVE_HOST, NULL, GSOLVE_HOST, 0),
                     GSOLVE_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(good_specs_open),        TEST(bad_specs_are_explained),
        TEST(contexts_share_nothing), TEST(long_sentences_are_cut),
        TEST(codes_have_texts),       TEST(devices_are_listed),
        TEST(memory_is_counted),      TEST(blocks_are_aligned_and_apart),
        TEST(too_much_is_refused),    TEST(what_is_left_is_freed),
        TEST(grants_run_out),         TEST(copies_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
