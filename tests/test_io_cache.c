/* test_io_cache.c: a cache is used only for the very file it was made from. */
#include <fcntl.h>
#include <sys/stat.h>

#include "io_support.h"

#define TEXT \
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1.5\n2 1 2\n2 1 1\n3 3 4\n"

static const gsolve_read_options cached = {.cache = true};

/* Reads b->path; whether it came from the cache; element (0, 1) must be value. */
static bool read_again(bench *b, double value, gsolve_source *source)
{
    gsolve_csr csr;
    double x[64];

    if (gsolve_read_matrix(&csr, b->ctx, b->path, &cached, source) != GSOLVE_OK) {
        fail_msg("%s", gsolve_error(b->ctx));
    }
    spread(x, &csr);
    assert_true(x[1] == value && x[3] == value && x[8] == 4);
    gsolve_csr_free(&csr, b->ctx);
    assert_string_equal(source->field, "real");
    assert_int_equal(source->symmetry, GSOLVE_SYMMETRIC);
    assert_int_equal(source->stored, 4);
    assert_int_equal(source->duplicates, 1);
    assert_int_equal(source->bytes, strlen(TEXT));
    return source->cached;
}

static void beside(void **state)
{
    bench *b = *state;
    gsolve_source source;
    char expected[400];

    put(b, "m.mtx", TEXT);
    assert_false(read_again(b, 3, &source));
    snprintf(expected, sizeof expected, "%s.gscache", b->path);
    assert_string_equal(source.cache, expected);
    assert_true(read_again(b, 3, &source));
    assert_string_equal(source.cache, expected);
    assert_true(read_again(b, 3, &source));
}

static void set_time(const char *path, int64_t ns)
{
    const struct timespec t[2] = {{ns / 1000000000, ns % 1000000000},
                                  {ns / 1000000000, ns % 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void touched(void **state)
{
    bench *b = *state;
    gsolve_source source;

    put(b, "m.mtx", TEXT);
    set_time(b->path, 1000000000000000000);
    assert_false(read_again(b, 3, &source));
    assert_true(read_again(b, 3, &source));
    set_time(b->path, 1000000000000000001);
    assert_false(read_again(b, 3, &source));
    assert_true(read_again(b, 3, &source));
}

/* Another content of the same size and time. */
static void edited(void **state)
{
    bench *b = *state;
    gsolve_source source;
    char text[] = TEXT;

    put(b, "m.mtx", text);
    set_time(b->path, 1000000000000000000);
    assert_false(read_again(b, 3, &source));
    *strstr(text, "2 1 2") = '2';
    strstr(text, "2 1 2")[4] = '7';
    put(b, "m.mtx", text);
    set_time(b->path, 1000000000000000000);
    assert_false(read_again(b, 8, &source));
    assert_true(read_again(b, 8, &source));
}

/* Every kind of damage to the cache: it is not used, and made anew. */
static void damaged(void **state)
{
    bench *b = *state;
    gsolve_source source;
    struct stat s;
    char cache[400];

    put(b, "m.mtx", TEXT);
    assert_false(read_again(b, 3, &source));
    snprintf(cache, sizeof cache, "%.399s", source.cache);
    assert_int_equal(stat(cache, &s), 0);
    for (int k = 0; k < 300; k++) {
        const int file = open(cache, O_RDWR);
        unsigned char byte;
        assert_true(file >= 0);
        if (k < 192) { /* a byte of the head: magic, version, stamp, sizes, ... */
            assert_int_equal(pread(file, &byte, 1, k), 1);
            byte ^= 0x40;
            assert_int_equal(pwrite(file, &byte, 1, k), 1);
        } else { /* another length */
            const off_t length = k == 299   ? s.st_size + 1
                                 : k == 298 ? s.st_size - 1
                                            : s.st_size * (k - 192) / 107;
            assert_int_equal(ftruncate(file, length), 0);
        }
        close(file);
        if (read_again(b, 3, &source)) fail_msg("a damaged cache was used: %d", k);
        assert_true(read_again(b, 3, &source));
    }
}

static void dense(void **state)
{
    bench *b = *state;
    gsolve_source source;
    gsolve_dense v;

    put(b, "v.mtx", TEXT);
    assert_false(read_again(b, 3, &source));
    for (int k = 0; k < 2; k++) { /* the matrix's cache is none for a dense matrix */
        assert_int_equal(gsolve_read_dense(&v, b->ctx, b->path, &cached, &source), GSOLVE_OK);
        assert_int_equal(source.cached, k);
        assert_true(same_bits(v.value, (double[]){1.5, 3, 0, 3, 0, 0, 0, 0, 4}, 9));
        gsolve_dense_free(&v, b->ctx);
    }
    assert_false(read_again(b, 3, &source));
}

static void empty(void **state)
{
    bench *b = *state;
    gsolve_source source;
    gsolve_csr csr;

    put(b, "e.mtx", "%%MatrixMarket matrix coordinate real general\n0 5 0\n");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gsolve_read_matrix(&csr, b->ctx, b->path, &cached, &source), GSOLVE_OK);
        assert_int_equal(source.cached, k);
        assert_true(csr.nrows == 0 && csr.ncols == 5 && gsolve_csr_entries(&csr) == 0);
        gsolve_csr_free(&csr, b->ctx);
    }
}

/* A folder in which no file can be made: that of a process's open files. */
static void elsewhere(void **state)
{
    bench *b = *state;
    gsolve_source source;
    char folder[300];

    snprintf(folder, sizeof folder, "%s/user/cache", b->folder);
    const int file = open(put(b, "m.mtx", TEXT), O_RDONLY);
    assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
    snprintf(b->path, sizeof b->path, "/proc/self/fd/%d", file);
    assert_false(read_again(b, 3, &source));
    assert_string_equal(source.cache, ""); /* its parent is not there either */
    assert_false(read_again(b, 3, &source));
    snprintf(folder, sizeof folder, "%s/user", b->folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_false(read_again(b, 3, &source));
    assert_non_null(strstr(source.cache, "/user/cache/gsolve/"));
    assert_true(read_again(b, 3, &source));
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
    close(file);
}

static void denied(void **state)
{
    bench *b = *state;
    gsolve_source source;

    put(b, "m.mtx", TEXT);
    for (int round = 0; round < 2; round++) { /* without and with a cache */
        gsolve_status status = GSOLVE_NO_MEMORY;
        for (int count = 0; status != GSOLVE_OK; count++) {
            gsolve_csr csr;
            gsolve_context_grant(b->ctx, count);
            status = gsolve_read_matrix(&csr, b->ctx, b->path, &cached, NULL);
            gsolve_context_grant(b->ctx, -1);
            if (status == GSOLVE_OK) gsolve_csr_free(&csr, b->ctx);
            assert_int_equal(blocks_of(b->ctx), 0);
        }
        read_again(b, 3, &source);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(beside), TEST(touched), TEST(edited),    TEST(damaged),
                                       TEST(dense),  TEST(empty),   TEST(elsewhere), TEST(denied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
