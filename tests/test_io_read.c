/* test_io_read.c: every form of Matrix Market and Boeing files, and real ones. */
#include "io_support.h"

#define MM      "%%MatrixMarket matrix "
#define GENERAL MM "coordinate real general\n"

/* --- good files -------------------------------------------------------------------------- */

static void expect(bench *b, const char *text, int nrows, int ncols, const double *expected)
{
    gsolve_csr csr;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    double x[64];

    if (gsolve_read_matrix(&csr, b->ctx, put(b, "a.mtx", text), NULL, &source) != GSOLVE_OK) {
        fail_msg("%s\n%s", gsolve_error(b->ctx), text);
    }
    assert_int_equal(csr.nrows, nrows);
    assert_int_equal(csr.ncols, ncols);
    spread(x, &csr);
    if (!same_bits(x, expected, nrows * ncols)) fail_msg("other values in\n%s", text);
    assert_int_equal(source.bytes, strlen(text));
    gsolve_csr_free(&csr, b->ctx);
}

static void coordinate(void **state)
{
    const double A[] = {1, 0, 2.5, 0, -3e5, 0};

    expect(*state, GENERAL "2 3 3\n1 1 1\n1 3 2.5\n2 2 -3e5\n", 2, 3, A);
    expect(*state, GENERAL "2 3 3\n2 2 -3e5\n1 3 2.5\n1 1 1", 2, 3, A);
    expect(*state,
           "%%matrixMARKET Matrix\tCoordinate REAL General \r\n% c\r\n%\r\n\r\n 2\t3  3 \r\n"
           "1 1 1\r\n\r\n \t1\t3\v2.5 \r\n% between\n   2 2 -3.D+05\r\n\n\n",
           2, 3, A);
    expect(*state, MM "coordinate integer general\n2 3 3\n1 1 +1\n1 3 2\n2 2 -300000\n", 2, 3,
           (double[]){1, 0, 2, 0, -3e5, 0});
    expect(*state, MM "coordinate pattern general\n2 3 2\n1 1\n2 3\n", 2, 3,
           (double[]){1, 0, 0, 0, 0, 1});
    expect(*state, MM "coordinate double general\n2 3 0\n", 2, 3, (double[6]){0});
    expect(*state, GENERAL "0 0 0\n", 0, 0, NULL);
    expect(*state, GENERAL "1 1 1\n1 1 1e-400\n", 1, 1, (double[]){0});
    expect(*state, GENERAL "1 1 1\n000000000000001 1 .000000000000000000000012345e+22\n", 1, 1,
           (double[]){.12345});
}

static void symmetric(void **state)
{
    expect(*state, MM "coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n3 3 4\n", 3, 3,
           (double[]){1, 2, 0, 2, 0, 3, 0, 3, 4});
    expect(*state, MM "coordinate real symmetric\n3 3 4\n1 1 1\n1 2 2\n2 3 3\n3 3 4\n", 3, 3,
           (double[]){1, 2, 0, 2, 0, 3, 0, 3, 4});
    expect(*state, MM "coordinate real skew-symmetric\n2 2 1\n1 2 2\n", 2, 2,
           (double[]){0, 2, -2, 0});
    expect(*state, MM "coordinate real hermitian\n2 2 2\n2 1 2\n1 1 1\n", 2, 2,
           (double[]){1, 2, 2, 0});
    expect(*state, MM "coordinate real skew-symmetric\n2 2 2\n2 2 0\n2 1 2\n", 2, 2,
           (double[]){0, -2, 2, 0});
    expect(*state, MM "coordinate pattern symmetric\n2 2 1\n2 1\n", 2, 2, (double[]){0, 1, 1, 0});
}

static void array(void **state)
{
    expect(*state, MM "array real general\n2 2\n1\n2\n\n3\n4\n", 2, 2, (double[]){1, 3, 2, 4});
    expect(*state, MM "array integer general\n2 1\n0\n7\n", 2, 1, (double[]){0, 7});
    expect(*state, MM "array real symmetric\n2 2\n1\n2\n3\n", 2, 2, (double[]){1, 2, 2, 3});
    expect(*state, MM "array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
           (double[]){0, -1, -2, 1, 0, -3, 2, 3, 0});
}

static void duplicates(void **state)
{
    bench *b = *state;
    gsolve_csr csr;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    double x[64];

    put(b, "d.mtx", GENERAL "2 2 5\n1 2 1\n2 1 5\n1 2 2\n1 1 3\n1 2 4\n");
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, &source), GSOLVE_OK);
    spread(x, &csr);
    assert_true(same_bits(x, (double[]){3, 7, 5, 0}, 4));
    assert_int_equal(source.duplicates, 2);
    assert_int_equal(source.stored, 5);
    gsolve_csr_free(&csr, b->ctx);
    put(b, "d.mtx", MM "coordinate real symmetric\n2 2 3\n2 1 1\n2 1 5\n1 1 1\n");
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, &source), GSOLVE_OK);
    spread(x, &csr);
    assert_true(same_bits(x, (double[]){1, 6, 6, 0}, 4));
    assert_int_equal(source.duplicates, 1);
    assert_int_equal(source.symmetry, GSOLVE_SYMMETRIC);
    gsolve_csr_free(&csr, b->ctx);
}

static void dense(void **state)
{
    static const struct {
        const char *text;
        int nrows, ncols;
        double value[6];
    } cases[] = {
        {MM "array real general\n3 2\n1\n2\n3\n4\n5\n-0\n", 3, 2, {1, 2, 3, 4, 5, -0.0}},
        {MM "array real symmetric\n2 2\n1\n2\n3\n", 2, 2, {1, 2, 2, 3}},
        {GENERAL "3 2 3\n3 2 6\n1 1 1\n3 2 1\n", 3, 2, {1, 0, 0, 0, 0, 7}},
        {MM "coordinate pattern general\n2 1 1\n2 1\n", 2, 1, {0, 1}},
        {MM "array real general\n0 2\n", 0, 2, {0}},
    };
    bench *b = *state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        gsolve_dense v;
        put(b, "v.mtx", cases[k].text);
        assert_int_equal(gsolve_read_dense(&v, b->ctx, b->path, NULL, NULL), GSOLVE_OK);
        assert_int_equal(v.nrows, cases[k].nrows);
        assert_int_equal(v.ncols, cases[k].ncols);
        assert_true(same_bits(v.value, cases[k].value, v.nrows * v.ncols));
        gsolve_dense_free(&v, b->ctx);
    }
}

/* --- Boeing ------------------------------------------------------------------------------------
 */

#define TITLE "A title                                                                 KEY     \n"

static void boeing(void **state)
{
    const double A[] = {1, 0, -2, 0, 3e5, 0};

    expect(*state,
           TITLE "             3             1             1             1\n"
                 "rua                        2             3             3             0\n"
                 "(4I2)           (26I3)          (1P,3E12.4)         \n"
                 " 1 2 3 4\n  1  2  1\n  1.0000E+00  3.0000E+05 -2.0000E+00\n",
           2, 3, A);
    expect(*state,
           TITLE "             4             1             1             2             0\n"
                 "RUA                        2             3             3             0\n"
                 "(4I1)           (3I1)           (2(1X,D8.2))        \n"
                 "1234\n121\n  1.0D+00  3.0D+05\r\n  -20.D-1\r\n",
           2, 3, A);
    expect(*state, /* the decimal point implied, fields without blanks, exponent without letter */
           TITLE "             3             1             1             1             1\n"
                 "rsa                        2             2             3             0\n"
                 "(3i2)           (3i2)           (3f4.2)             (1f4.1)\n"
                 "F                          1             0\n"
                 " 1 3 4\n 1 2 2\n 150  10.5+1\n",
           2, 2, (double[]){1.5, .1, .1, 5});
    expect(*state,
           TITLE "             2             1             1             0\n"
                 "psa                        1             1             0             0\n"
                 "(2I2)           (1I2)\n 1 1\n",
           1, 1, (double[]){0});
}

/* Numbers of 14 characters in fields of 15, as scipy.io.hb_write writes single precision: the
 * second field would hold 2.0E+007, and the third no number. Lines that fit keep their columns. */
static void boeing_by_words(void **state)
{
    const double A[] = {1, .75, .375, 2, 0, .5};

    expect(*state,
           TITLE "             4             1             1             2\n"
                 "RUA                        2             3             5             0\n"
                 "(4I2)           (26I3)          (3E15.7)            \n"
                 " 1 3 4 6\n  1  2  1  1  2\n"
                 " 1.0000000E+00 2.0000000E+00 7.5000000E-01\n 3.7500000E-01 5.0000000E-01\n",
           2, 3, A);
    expect(*state, /* a blank for the sign of an exponent */
           TITLE "             3             1             1             1\n"
                 "RUA                        1             1             1             0\n"
                 "(4I2)           (26I3)          (3E15.7)            \n"
                 " 1 2\n  1\n  1.0000000E 01\n",
           1, 1, (double[]){10});
}

static void boeing_kinds(void **state)
{
    bench *b = *state;
    gsolve_csr csr;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    double x[64];

    put(b, "z.rb",
        TITLE "3 1 1 1\niza 2 2 1 0\n(3I2)           (1I2)           (1I3)\n 1 2 2\n 2\n -7\n");
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, &source), GSOLVE_OK);
    spread(x, &csr);
    assert_true(same_bits(x, (double[]){0, 7, -7, 0}, 4));
    assert_string_equal(source.kind, "Rutherford-Boeing");
    assert_string_equal(source.field, "integer");
    assert_int_equal(source.symmetry, GSOLVE_SKEW);
    gsolve_csr_free(&csr, b->ctx);
}

/* --- all threads alike ------------------------------------------------------------------------ */

/* A file long enough to be cut into pieces, in an order that asks for sorting. */
static char *long_text(int n, const char *between)
{
    char *text = malloc((size_t)n * 100 + 200), *p = text;

    p += sprintf(p, "%s%d %d %d\n", GENERAL, n, n, 2 * n);
    for (int k = 0; k < n; k++) {
        const int row = (int)((int64_t)k * 7919 % n) + 1;
        p += sprintf(p, "%d %d %.17g\n%s", row, n - row + 1, gsolve_random(1, (uint64_t)k),
                     k == n / 2 ? between : "");
        p += sprintf(p, "%d %d %d\n", row, row, k);
    }
    return text;
}

static void threads(void **state)
{
    bench *b = *state;
    const int n = 40000;

    for (int comment = 0; comment < 2; comment++) {
        char *text = long_text(n, comment ? "% a comment in between\n\n" : "");
        gsolve_csr first = {0};
        put(b, "t.mtx", text);
        for (int count = 1; count <= 8; count++) {
            gsolve_context *ctx = NULL;
            gsolve_csr csr;
            char spec[32];
            snprintf(spec, sizeof spec, "cpu,threads=%d", count);
            assert_int_equal(gsolve_context_create(&ctx, spec), GSOLVE_OK);
            assert_int_equal(gsolve_read_matrix(&csr, ctx, b->path, NULL, NULL), GSOLVE_OK);
            if (count == 1) {
                assert_int_equal(gsolve_csr_convert(&first, b->ctx, GSOLVE_F64, &csr), GSOLVE_OK);
            }
            assert_memory_equal(csr.start, first.start, ((size_t)n + 1) * sizeof(int32_t));
            assert_memory_equal(csr.col, first.col,
                                (size_t)gsolve_csr_entries(&csr) * sizeof(int32_t));
            assert_memory_equal(csr.value, first.value,
                                (size_t)gsolve_csr_entries(&csr) * sizeof(double));
            gsolve_context_destroy(&ctx);
        }
        gsolve_csr_free(&first, b->ctx);
        free(text);
    }
}

static void late_errors(void **state)
{
    bench *b = *state;
    gsolve_csr csr;
    char *text = long_text(40000, ""), *last = strrchr(text, '.'), expected[32];
    int line = 1;

    *last = 'x';
    for (const char *p = text; p < last; p++) line += *p == '\n';
    put(b, "t.mtx", text);
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
    snprintf(expected, sizeof expected, ":%d: the value is", line);
    if (!strstr(gsolve_error(b->ctx), expected)) fail_msg("%s", gsolve_error(b->ctx));
    free(text);
}

typedef struct told {
    int calls;
    int64_t done, total;
} told;

static void tell(int64_t done, int64_t total, void *user)
{
    told *t = user;

    assert_true(done >= 0 && done <= total);
    t->calls++;
    t->done = done;
    t->total = total;
}

static void progress(void **state)
{
    bench *b = *state;
    told t = {0};
    const gsolve_read_options options = {.progress = tell, .user = &t};
    gsolve_csr csr;
    char *text = long_text(40000, "");

    put(b, "t.mtx", text);
    free(text);
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, &options, NULL), GSOLVE_OK);
    gsolve_csr_free(&csr, b->ctx);
    assert_true(t.calls > 0 && t.done > 0 && t.done <= t.total);
}

/* --- real files ------------------------------------------------------------------------------- */

static void collection(void **state)
{
    bench *b = *state;
    char command[600], path[600];
    int files = 0, refused = 0;
    FILE *list;

    snprintf(command, sizeof command, "ls " GSOLVE_SOURCE_DIR "/../shared/matrices/*.mtx.gz 2>&-");
    list = popen(command, "r");
    assert_non_null(list);
    while (fgets(path, sizeof path, list)) {
        gsolve_csr csr;
        path[strcspn(path, "\n")] = 0;
        const gsolve_status status = gsolve_read_matrix(&csr, b->ctx, path, NULL, NULL);
        files++;
        if (status == GSOLVE_OK) {
            gsolve_csr_free(&csr, b->ctx);
        } else if (strstr(gsolve_error(b->ctx), "complex") || strstr(path, "form_skew_fp64")) {
            refused++; /* the latter holds an infinite value */
        } else {
            fail_msg("%s", gsolve_error(b->ctx));
        }
    }
    pclose(list);
    if (files == 0) skip();
    assert_true(refused < files);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(coordinate), TEST(symmetric),   TEST(array),        TEST(duplicates),
        TEST(dense),      TEST(boeing),      TEST(boeing_kinds), TEST(boeing_by_words),
        TEST(threads),    TEST(late_errors), TEST(progress),     TEST(collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
