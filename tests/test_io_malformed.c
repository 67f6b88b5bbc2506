/* test_io_malformed.c: each malformed file gives an error message; so does a lack of memory. */
#include <zlib.h>

#include "io_support.h"

#define MM      "%%MatrixMarket matrix "
#define GENERAL MM "coordinate real general\n"
#define TITLE   "A title                                                                 KEY     \n"

/* --- bad files -----------------------------------------------------------------------------------
 */

#define RB(type, body) TITLE "3 1 1 1\n" type "\n(3I2)           (2I2)           (2F4.1)\n" body

static const struct {
    int line;
    const char *text, *says; /* says: a part of the sentence */
} bad[] = {
    {1, "hello\nworld\n", "begins with 'hello'"},
    {1, "%%MatrixMarkt matrix\n", "begins with"},
    {1,
     "\x7f"
     "ELF",
     "a program or library (ELF)"},
    {1, "%%MatrixMarket\n1 1 1\n", "object"},
    {1, MM "coordinate\n", "field"},
    {1, MM "dense real general\n", "'dense'; it must be one of coordinate and array"},
    {1, MM "coordinate quaternion general\n", "'quaternion'"},
    {1, MM "coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"},
    {1, MM "coordinate complex hermitian\n1 1 1\n1 1 1 1\n", "complex"},
    {1, MM "coordinate real triangular\n", "'triangular'"},
    {1, MM "coordinate pattern skew-symmetric\n1 1 0\n", "skew-symmetric"},
    {1, MM "array pattern general\n1 1\n", "array"},
    {2, GENERAL, "ends before the line with the numbers of rows"},
    {4, GENERAL "% only\n% comments\n", "ends before the line with the numbers of rows"},
    {2, GENERAL "2 2\n1 1 1\n", "number of entries is missing"},
    {2, GENERAL "2 x 1\n", "number of columns is 'x'"},
    {2, GENERAL "-1 2 1\n", "number of rows is '-1'"},
    {2, GENERAL "2147483648 2 1\n1 1 1\n", "number of rows is '2147483648'"},
    {2, GENERAL "99999999999999999999999999 2 1\n1 1 1\n", "number of rows"},
    {2, GENERAL "2 2 1 7\n1 1 1\n", "unexpected '7' after the sizes"},
    {2, GENERAL "2000000000 2 1\n1 1 1\n", "far too"},
    {2, GENERAL "2 2 1000000000000\n1 1 1\n", "truncated"},
    {2, MM "array real general\n2000000000 2000000000\n1\n", "truncated"},
    {2, MM "coordinate real symmetric\n2 3 1\n1 1 1\n", "square"},
    {3, GENERAL "2 2 1\n0 1 1\n", "the row is '0'; it must be a whole number from 1 to 2"},
    {3, GENERAL "2 2 1\n3 1 1\n", "the row is '3'"},
    {3, GENERAL "2 2 1\n1 3 1\n", "the column is '3'"},
    {3, GENERAL "2 2 1\n1 -1 1\n", "the column is '-1'"},
    {3, GENERAL "2 2 1\n1.5 1 1\n", "the row is '1.5'"},
    {4, GENERAL "2 2 2\n1 1 1.0000\n1\n", "the column is missing"},
    {3, GENERAL "2 2 1\n1 1\n  \n", "the value is missing"},
    {3, GENERAL "2 2 1\n1 1 nan\n", "the value is 'nan'"},
    {3, GENERAL "2 2 1\n1 1 -inf\n", "the value is '-inf'"},
    {3, GENERAL "2 2 1\n1 1 1e999\n", "the value is '1e999'"},
    {3, GENERAL "2 2 1\n1 1 0x10\n", "the value is '0x10'"},
    {3, GENERAL "2 2 1\n1 1 1,5\n", "the value is '1,5'"},
    {3, GENERAL "2 2 1\n1 1 1 2\n", "unexpected '2'"},
    {3, MM "coordinate pattern general\n2 2 1\n1 1 1\n", "unexpected '1'"},
    {3, MM "coordinate integer general\n2 2 1\n1 1 1.5\n", "whole number"},
    {3, MM "array real general\n1 2\n1 2\n3\n", "unexpected '2'"},
    {4, GENERAL "2 2 1\n1 1 1\n2 2 2\n", "one entry more than the 1 that the header declares"},
    {5, GENERAL "2 2 3\n1 1 1.0000\n2 2 2\n", "ends after 2 of the 3 entries"},
    {7, GENERAL "2 2 3\n1 1 1.000\n2 2 2\n%\n\n", "ends after 2 of the 3 entries"},
    {4, MM "array real general\n2 1\n1.00\n", "ends after 1 of the 2 entries"},
    {6, MM "coordinate real symmetric\n3 3 3\n1 2 1\n% c\n1 3 1\n3 2 1\n",
     "row 3 and column 2 (counted from 1) and those before it lie on"},
    {4, MM "coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 2 1\n", "different sides"},
    {3, MM "coordinate real skew-symmetric\n2 2 1\n2 2 5\n", "is 5; it must be 0"},
    {3, RB("cua 2 2 1 0", ""), "complex"},
    {3, RB("rue 2 2 1 0", ""), "assembled matrices only"},
    {3, RB("qua 2 2 1 0", ""), "another file"},
    {3, RB("rsa 2 1 1 0", ""), "square"},
    {3, RB("rua 2 x 1 0", ""), "number of columns is 'x'"},
    {3, RB("rua 2 2 99999999 0", ""), "truncated"},
    {2, TITLE "3 1\nrua 2 2 1 0\n", "four or five"},
    {4, TITLE "3 1 1 1\nrua 2 2 1 0\n(3A2) (1I2) (1F4.1)\n 1 2 2\n", "'(3A2)'"},
    {4, TITLE "3 1 1 1\nrua 2 2 1 0\n(3I2) (1F4.1) (1F4.1)\n 1 2 2\n", "'(1F4.1)'"},
    {4, TITLE "3 1 1 1\nrua 2 2 1 0\n(3I2) (1I2)\n 1 2 2\n", "the values is ''"},
    {5, RB("rua 2 2 1 0", " 1 3 2\n 1\n 1.0\n"), "column pointer is ' 3'"},
    {5, RB("rua 2 2 1 0", " 2 2 2\n 1\n 1.0\n"), "column pointer is ' 2'"},
    {6, RB("rua 2 2 1 0", " 1 2 2\n 3\n 1.0\n"), "row number is ' 3'"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n  x \n"), "value is '  x '"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n nan\n"), "value is ' nan'"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n1 1.\n"),
     "it must be a finite decimal number in the columns"},
    {7, RB("rua 2 2 1 0", " 1 2 2\n 1\n"), "ends before the last value"},
    {6, RB("rsa 2 2 2 0", " 1 2 3\n 2 1\n 1.0 1.0\n"), "different sides"},
    {7, RB("rza 2 2 1 0", " 1 2 2\n 1\n 1.0\n"), "must be 0"},
};

static void malformed(void **state)
{
    bench *b = *state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        gsolve_csr csr = {.nrows = 77};
        gsolve_source source = {.size = sizeof source, .stored = 77};
        char begin[400];
        put(b, "bad.mtx", bad[k].text);
        const gsolve_status status = gsolve_read_matrix(&csr, b->ctx, b->path, NULL, &source);
        snprintf(begin, sizeof begin, "%s:%d: ", b->path, bad[k].line);
        if (status != GSOLVE_BAD_FILE || !strstr(gsolve_error(b->ctx), bad[k].says) ||
            strncmp(gsolve_error(b->ctx), begin, strlen(begin)) != 0) {
            fail_msg("expected :%d: %s\nbut status %d: %s\nof\n%s", bad[k].line, bad[k].says,
                     status, gsolve_error(b->ctx), bad[k].text);
        }
        assert_int_equal(csr.nrows, 77);
        assert_int_equal(source.stored, 77);
        assert_int_equal(blocks_of(b->ctx), 0);
    }
}

static void no_text(void **state)
{
    bench *b = *state;
    gsolve_csr csr;
    gsolve_dense v;

    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->folder, NULL, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "directory"));
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, "/no/such/file", NULL, NULL),
                     GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "No such file"));
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, put(b, "e", ""), NULL, NULL),
                     GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "empty"));
    put_bytes(b, "binary", "\0\1\2\3\0\0\n\n", 8);
    assert_int_equal(gsolve_read_dense(&v, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "binary"));
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, NULL, NULL, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_read_matrix(NULL, b->ctx, "x", NULL, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_read_dense(&v, b->ctx, "gen:poisson2d,n=3", NULL, NULL),
                     GSOLVE_UNSUPPORTED);
    put(b, "v.rb", RB("rua 2 2 1 0", " 1 2 2\n 1\n 1.0\n"));
    assert_int_equal(gsolve_read_dense(&v, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
    put(b, "v.mtx", GENERAL "2000000 2000000 1\n1 1 1\n");
    assert_int_equal(gsolve_read_dense(&v, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "far too"));
}

/* --- compressed
 * ------------------------------------------------------------------------------------ */

static size_t pack(unsigned char to[1000], const char *text)
{
    z_stream z = {0};

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, 0), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (unsigned)strlen(text);
    z.next_out = to;
    z.avail_out = 1000;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void compressed(void **state)
{
    static const char *const says[] = {"truncated", "damaged", "other data", "ends after 0 of"};
    bench *b = *state;
    unsigned char packed[2000];
    gsolve_csr csr;
    double x[64];

    size_t bytes = pack(packed, GENERAL "2 2 2\n1 1 1\n");
    bytes += pack(packed + bytes, "2 2 4\n"); /* a second member goes on */
    put_bytes(b, "c", packed, bytes);
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, NULL), GSOLVE_OK);
    spread(x, &csr);
    assert_true(same_bits(x, (double[]){1, 0, 0, 4}, 4));
    gsolve_csr_free(&csr, b->ctx);

    for (int k = 0; k < 4; k++) {
        bytes = pack(packed, GENERAL "2 2 2\n                \n");
        if (k == 0) bytes -= 9;
        if (k == 1) packed[bytes - 6] ^= 1;
        if (k == 2) packed[bytes++] = 'x';
        put_bytes(b, "c", packed, bytes);
        assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, NULL, NULL), GSOLVE_BAD_FILE);
        if (!strstr(gsolve_error(b->ctx), says[k])) fail_msg("%s", gsolve_error(b->ctx));
        assert_int_equal(blocks_of(b->ctx), 0);
    }
}

/* --- memory denied
 * --------------------------------------------------------------------------------------- */

static void denied(void **state)
{
    static const char *const texts[] = {
        GENERAL "2 3 3\n1 1 1\n1 3 2.5\n2 2 -3e5\n",
        GENERAL "2 3 4\n2 2 -3e5\n1 3 2.5\n1 1 1\n1 1 1\n",
        MM "coordinate pattern general\n2 2 1\n1 1\n",
        MM "coordinate real symmetric\n2 2 3\n2 1 2\n1 1 1\n2 1 1\n",
        MM "array real general\n2 2\n1\n2\n3\n4\n",
        MM "array real symmetric\n2 2\n1\n2\n3\n",
        RB("rua 2 2 1 0", " 1 2 2\n 1\n 1.0\n"),
    };
    bench *b = *state;
    unsigned char packed[1000];

    for (size_t k = 0; k < 4 * (sizeof texts / sizeof *texts); k++) {
        const char *text = texts[k / 4];
        const bool wants_dense = k % 2 && strncmp(text, "%%", 2) == 0;
        gsolve_status status = GSOLVE_NO_MEMORY;
        if (k / 2 % 2) {
            put_bytes(b, "n", packed, pack(packed, text));
        } else {
            put(b, "n", text);
        }
        for (int count = 0; status != GSOLVE_OK; count++) {
            gsolve_csr csr = {.nrows = 77};
            gsolve_dense v = {.nrows = 77};
            assert_true(count < 100);
            gsolve_context_limit_allocations(b->ctx, count);
            status = wants_dense ? gsolve_read_dense(&v, b->ctx, b->path, NULL, NULL)
                                 : gsolve_read_matrix(&csr, b->ctx, b->path, NULL, NULL);
            gsolve_context_limit_allocations(b->ctx, -1);
            if (status == GSOLVE_OK) {
                if (wants_dense) gsolve_dense_free(&v, b->ctx);
                if (!wants_dense) gsolve_csr_free(&csr, b->ctx);
            } else {
                assert_int_equal(status, GSOLVE_NO_MEMORY);
                assert_int_equal(wants_dense ? v.nrows : csr.nrows, 77);
            }
            assert_int_equal(blocks_of(b->ctx), 0);
        }
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(malformed), TEST(no_text), TEST(compressed),
                                       TEST(denied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
