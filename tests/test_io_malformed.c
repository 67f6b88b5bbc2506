/* test_io_malformed.c: each malformed file gives an error message; so does a lack of memory. */
#include <zlib.h>

#include "io_support.h"
#include "malformed_files.h"

static void malformed(void **state)
{
    bench *b = *state;

    for (size_t k = 0; k < MALFORMED_FILES; k++) {
        gsolve_csr csr = {.nrows = 77};
        gsolve_source source = {.size = sizeof source, .stored = 77};
        char begin[400];
        put(b, "bad.mtx", malformed_files[k].text);
        const gsolve_status status = gsolve_read_matrix(&csr, b->ctx, b->path, NULL, &source);
        snprintf(begin, sizeof begin, "%s:%d: ", b->path, malformed_files[k].line);
        if (status != GSOLVE_BAD_FILE || !strstr(gsolve_error(b->ctx), malformed_files[k].says) ||
            strncmp(gsolve_error(b->ctx), begin, strlen(begin)) != 0) {
            fail_msg("expected :%d: %s\nbut status %d: %s\nof\n%s", malformed_files[k].line,
                     malformed_files[k].says, status, gsolve_error(b->ctx),
                     malformed_files[k].text);
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
