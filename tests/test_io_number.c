/* test_io_number.c: decimal text to double and back, against strtod, bit by bit. */
#include <math.h>

#include "io/number.h"
#include "io/scan.h"
#include "io_support.h"

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double next_finite(void)
{
    for (;;) {
        const double x = from_bits(next());
        if (isfinite(x)) return x;
    }
}

static void check(const char *text)
{
    const double expected = strtod(text, NULL);
    char line[4300] = "";
    gs_real real;
    double fast;

    if (gs_number_read(text, text + strlen(text), 0, &real) != text + strlen(text) ||
        !same_bits(&real.value, &expected, 1)) {
        fail_msg("%s reads as %a and not %a", text, real.value, expected);
    }
    memcpy(line, text, strlen(text)); /* zeros behind it, as gs_scan_real may look there */
    if (gs_scan_real(line, &fast) && !same_bits(&fast, &expected, 1)) {
        fail_msg("%s scans as %a and not %a", text, fast, expected);
    }
}

static void random_digits(void **unused)
{
    char text[400];

    (void)unused;
    for (int k = 0; k < 300000; k++) {
        const double x = next_finite();
        const int digits = (int)(next() % 25);
        snprintf(text, sizeof text, "%.*e", digits, x);
        check(text);
        snprintf(text, sizeof text, "%.*f", digits, ldexp(x, -ilogb(x) + (int)(next() % 60) - 30));
        check(text);
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(next() >> next() % 64),
                 (unsigned long long)(next() >> next() % 64), (int)(next() % 700) - 350);
        check(text);
        snprintf(text, sizeof text, "%.*e", digits, from_bits(next() >> (12 + next() % 52)));
        check(text); /* below the least normal number */
    }
}

/* The middle between two doubles, and what lies just beside it. */
static void middles(void **unused)
{
    char text[1300], beside[1400];

    (void)unused;
    for (int k = 0; k < 3000; k++) {
        const double x = fabs(next_finite()) / 2, y = nextafter(x, INFINITY);
        snprintf(text, sizeof text, "%.1100Lg", ((long double)x + (long double)y) / 2);
        check(text);
        const char *e = strchr(text, 'e') ? strchr(text, 'e') : text + strlen(text);
        snprintf(beside, sizeof beside, "%.*s%s0000000000000000000001%s", (int)(e - text), text,
                 strchr(text, '.') ? "" : ".", e);
        check(beside);
    }
}

/* w 10^q for every exponent: numbers of every length, powers of two, and whole halves, with and
 * without digits beyond the 19th. Large w with q < -300 are below the least normal number. */
static void every_exponent(void **unused)
{
    char text[64];

    (void)unused;
    for (int q = -345; q <= 312; q++) {
        for (int k = 0; k < 600; k++) {
            const uint64_t random = next() >> next() % 64, power = 1ull << k % 64;
            const uint64_t w = k % 3 == 0   ? random
                               : k % 3 == 1 ? power - k / 3 % 2
                                            : (1ull << 53 | next() >> 12) << k % 10;
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)w, q);
            check(text);
            snprintf(text, sizeof text, "%llu000000001e%d", (unsigned long long)w, q - 9);
            check(text);
        }
    }
}

static void corners(void **unused)
{
    static const char *const text[] = {
        "0",
        "-0",
        "0.0",
        "0e9999",
        "1e-99999999999999999999",
        "1e99999999999999999999",
        ".5",
        "5.",
        "+1",
        "1E5",
        "00001",
        "0.00000000000000000000000000000000000000000000000000001e60",
        "2.4703282292062327208e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "9007199254740993",
        "9007199254740992.99999999999999999999",
        "9007199254740993.00000000000000000000000000000000000000000001",
        "12345678901234567890",
        "123456789012345678901234567890",
        "1e22",
        "1e23",
        "8.5e22",
        "6631236846766476000e-3",
        "9007199254740993e22",
        "4503599627370496.5",
        "4503599627370497.5",
        "9007199254740993e-1",
        "18014398509481989e-1",
        "9223372036854776833",
        "18446744073709549568",
        "9999999999999999999e289",
        "1797693134862315807e290",
        "1797693134862315808e290",
        "2470328229206232720e-342",
        "2470328229206232721e-342",
        "7410984687618698162e-342"};
    char nines[2000];
    gs_real real;

    (void)unused;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) check(text[k]);
    memset(nines, '9', 1500);
    nines[1500] = 0;
    nines[300] = '.';
    check(nines);
    static const char *const none[] = {"", "-", "+", ".", "e5", "nan", "inf", "-.e1", "x1"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        assert_null(gs_number_read(none[k], none[k] + strlen(none[k]), 0, &real));
    }
    assert_string_equal(gs_number_read("1e+x", &"1e+x"[4], 0, &real), "e+x");
    assert_string_equal(gs_number_read("1d2", &"1d2"[3], 0, &real), "");
    assert_true(real.value == 100 && real.exponent && !real.integer);
    gs_number_read("25", &"25"[2], -1, &real);
    assert_true(real.value == 2.5 && real.integer);
}

static void written(void **unused)
{
    static const double x[] = {0, -0.0, 1, -1, 0.1, 1e16, 1e17, 1e-5, 1e-6, 123456789, 1e22};
    static const char *const text[] = {
        "0",    "-0",      "1",    "-1",        "0.1", "10000000000000000",
        "1e17", "0.00001", "1e-6", "123456789", "1e22"};
    char buffer[GS_NUMBER_SIZE + 1];

    (void)unused;
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
        *gs_number_write(buffer, x[k]) = 0;
        assert_string_equal(buffer, text[k]);
    }
    for (int k = 0; k < 1000000; k++) {
        const double y = k % 4 == 0   ? next_finite()
                         : k % 4 == 1 ? (double)(int64_t)next() / 9.2e18
                         : k % 4 == 2 ? (double)(next() % 1000000) / 1000
                                      : from_bits(next() >> 12);
        char *end = gs_number_write(buffer, y);
        assert_true(end - buffer < GS_NUMBER_SIZE);
        *end = 0;
        const double back = strtod(buffer, NULL);
        if (!same_bits(&back, &y, 1)) fail_msg("%.17g is written as %s", y, buffer);
    }
}

static void integers(void **unused)
{
    char buffer[32];

    (void)unused;
    *gs_integer_write(buffer, INT64_MIN) = 0;
    assert_string_equal(buffer, "-9223372036854775808");
    *gs_integer_write(buffer, 0) = 0;
    assert_string_equal(buffer, "0");
    for (uint64_t n = 1; n < 1000000000000000; n = n * 3 + 1) {
        char text[GS_SCAN] = "";
        uint64_t back;
        *gs_integer_write(text, (int64_t)n) = 0;
        assert_true(gs_scan_integer(text, &back) == text + strlen(text) && back == n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_digits),  cmocka_unit_test(middles),
        cmocka_unit_test(every_exponent), cmocka_unit_test(corners),
        cmocka_unit_test(written),        cmocka_unit_test(integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
