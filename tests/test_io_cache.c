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
    gsolve_source source = GSOLVE_INIT(gsolve_source);
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
    gsolve_source source = GSOLVE_INIT(gsolve_source);

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
    gsolve_source source = GSOLVE_INIT(gsolve_source);
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

enum { HEAD = 200 + sizeof(gsolve_inspection) }; /* bytes of the head */

/* Every kind of damage to the cache: it is not used, and made anew. */
static void damaged(void **state)
{
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    struct stat s;
    char cache[400];

    put(b, "m.mtx", TEXT);
    assert_false(read_again(b, 3, &source));
    snprintf(cache, sizeof cache, "%.399s", source.cache);
    assert_int_equal(stat(cache, &s), 0);
    for (int k = 0; k < HEAD + 108; k++) {
        const int file = open(cache, O_RDWR);
        unsigned char byte;
        assert_true(file >= 0);
        if (k < HEAD) { /* a byte of the head: magic, version, stamp, sizes, ... */
            assert_int_equal(pread(file, &byte, 1, k), 1);
            byte ^= 0x40;
            assert_int_equal(pwrite(file, &byte, 1, k), 1);
        } else { /* another length */
            const off_t length = k == HEAD + 107   ? s.st_size + 1
                                 : k == HEAD + 106 ? s.st_size - 1
                                                   : s.st_size * (k - HEAD) / 107;
            assert_int_equal(ftruncate(file, length), 0);
        }
        close(file);
        if (read_again(b, 3, &source)) fail_msg("a damaged cache was used: %d", k);
        assert_true(read_again(b, 3, &source));
    }
}

static void flip_byte(const char *path, off_t at)
{
    const int file = open(path, O_RDWR);
    unsigned char byte;

    assert_true(file >= 0);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

/* Where the file holds something: offsets, columns and values begin on the pages 1, 2 and 3. */
static off_t byte_of_array(int array, int k)
{
    return 4096 * (1 + array) + k;
}

/* Every byte of the arrays, changed one at a time: the cache is not used, and written again. */
static void damaged_arrays(void **state)
{
    static const int bytes[] = {4 * 4, 4 * 4, 4 * 8}; /* 3 rows, 4 entries */
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    char cache[400];

    put(b, "m.mtx", TEXT);
    assert_false(read_again(b, 3, &source));
    snprintf(cache, sizeof cache, "%.399s", source.cache);
    for (int array = 0; array < 3; array++) {
        for (int k = 0; k < bytes[array]; k++) {
            flip_byte(cache, byte_of_array(array, k));
            if (read_again(b, 3, &source)) fail_msg("array %d: byte %d was changed", array, k);
            assert_true(read_again(b, 3, &source));
        }
    }
}

static void damaged_dense(void **state)
{
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_dense v;

    put(b, "v.mtx", "%%MatrixMarket matrix array real general\n2 1\n3\n4\n");
    for (int k = 0; k < 16; k++) {
        for (int from_cache = 0; from_cache < 2; from_cache++) {
            assert_int_equal(gsolve_read_dense(&v, b->ctx, b->path, &cached, &source), GSOLVE_OK);
            assert_int_equal(source.cached, from_cache);
            assert_true(same_bits(v.value, (double[]){3, 4}, 2));
            gsolve_dense_free(&v, b->ctx);
        }
        flip_byte(source.cache, byte_of_array(2, k));
    }
}

/* Threads do not matter: what one writes, three read. */
static void other_threads(void **state)
{
    bench *b = *state;
    gsolve_read_options write = {.cache = true};
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_context *ctx[2];
    gsolve_csr csr;
    char *text = malloc(1 << 22), *p = text;

    p += sprintf(p, "%%%%MatrixMarket matrix coordinate real general\n200000 200000 200000\n");
    for (int i = 1; i <= 200000; i++) p += sprintf(p, "%d %d %d\n", i, i, i);
    put(b, "t.mtx", text); /* 2.4 MB of arrays: several pieces of the hash */
    free(text);
    assert_int_equal(gsolve_context_create(&ctx[0], "cpu,threads=1"), GSOLVE_OK);
    assert_int_equal(gsolve_context_create(&ctx[1], "cpu,threads=3"), GSOLVE_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gsolve_read_matrix(&csr, ctx[k], b->path, &write, &source), GSOLVE_OK);
        assert_int_equal(source.cached, k);
        gsolve_csr_free(&csr, ctx[k]);
        gsolve_context_destroy(&ctx[k]);
    }
}

/* What is no regular file under the cache's name is neither read nor replaced. */
static void no_regular_file(void **state)
{
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    struct stat s;
    char name[400];

    assert_int_equal(setenv("XDG_CACHE_HOME", b->folder, 1), 0);
    put(b, "m.mtx", TEXT);
    snprintf(name, sizeof name, "%s.gscache", b->path);
    alarm(60); /* ends a test that waits for the pipe's other end */
    for (int k = 0; k < 3; k++) {
        assert_int_equal(k == 0   ? mkfifo(name, 0600)
                         : k == 1 ? symlink("/dev/zero", name)
                                  : mkdir(name, 0700),
                         0);
        assert_int_equal(read_again(b, 3, &source), k > 0);
        assert_non_null(strstr(source.cache, "/gsolve/"));
        assert_true(read_again(b, 3, &source)); /* from the user's folder */
        assert_int_equal(lstat(name, &s), 0);
        assert_true(k == 0   ? S_ISFIFO(s.st_mode)
                    : k == 1 ? S_ISLNK(s.st_mode)
                             : S_ISDIR(s.st_mode));
        assert_int_equal(remove(name), 0);
    }
    alarm(0);
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
}

/* Reads b->path with the options cache and later. */
static gsolve_csr read_later(bench *b, gsolve_source *source)
{
    const gsolve_read_options later = {.cache = true, .cache_read_only = true};
    gsolve_csr csr;

    if (gsolve_read_matrix(&csr, b->ctx, b->path, &later, source) != GSOLVE_OK) {
        fail_msg("%s", gsolve_error(b->ctx));
    }
    return csr;
}

/* The statistics of a matrix that was created with what the cache knows. */
static gsolve_statistics statistics_from_cache(bench *b)
{
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    gsolve_csr csr = read_later(b, &source);
    gsolve_matrix *A = NULL;

    assert_true(source.cached && source.inspection.clean);
    assert_int_equal(gsolve_matrix_create_inspected(&A, b->ctx, "csr", &csr, &source.inspection),
                     GSOLVE_OK);
    assert_null(csr.start);
    assert_int_equal(gsolve_matrix_statistics(A, &t), GSOLVE_OK);
    gsolve_matrix_destroy(&A);
    return t;
}

/* The cache is written afterwards, by another context, and keeps the inspection. */
static void written_later(void **state)
{
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_inspection found = GSOLVE_INIT(gsolve_inspection);
    gsolve_context *other = NULL;
    gsolve_csr csr;
    struct stat s;
    char name[400];

    put(b, "m.mtx", TEXT);
    snprintf(name, sizeof name, "%s.gscache", b->path);
    csr = read_later(b, &source);
    assert_false(source.cached || source.inspection.clean);
    assert_string_equal(source.cache, "");
    assert_int_equal(stat(name, &s), -1);
    assert_int_equal(gsolve_csr_inspect(b->ctx, &csr, &found), GSOLVE_OK);
    assert_true(found.clean && found.pattern != 0);
    assert_int_equal(gsolve_context_create(&other, "cpu,threads=2"), GSOLVE_OK);
    assert_int_equal(gsolve_write_cache(other, b->path, &csr, &source, &found), GSOLVE_OK);
    assert_string_equal(source.cache, name);
    gsolve_context_destroy(&other);
    gsolve_csr_free(&csr, b->ctx);
    const gsolve_statistics t = statistics_from_cache(b);
    assert_memory_equal(&t, &found.statistics, sizeof t);
    assert_true(t.symmetric && t.nrows == 3 && t.entries == 4);
    assert_true(read_again(b, 3, &source)); /* without the option later, too */
    for (int k = 120; k < HEAD; k++) {      /* a forged inspection */
        flip_byte(name, k);
        csr = read_later(b, &source);
        if (source.cached) fail_msg("a forged inspection was used: byte %d", k);
        gsolve_csr_free(&csr, b->ctx);
        flip_byte(name, k);
    }
}

/* After gsolve_abandon_files nothing is written, and nothing is left. */
static void abandoned_later(void **state)
{
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    gsolve_context *other = NULL;
    gsolve_csr csr;
    struct stat s;
    char name[400];

    put(b, "m.mtx", TEXT);
    snprintf(name, sizeof name, "%s.gscache", b->path);
    csr = read_later(b, &source);
    assert_int_equal(gsolve_context_create(&other, "cpu"), GSOLVE_OK);
    gsolve_abandon_files(other);
    assert_int_equal(gsolve_write_cache(other, b->path, &csr, &source, NULL), GSOLVE_OK);
    assert_string_equal(source.cache, "");
    assert_int_equal(stat(name, &s), -1);
    gsolve_context_destroy(&other);
    gsolve_csr_free(&csr, b->ctx);
}

/* An inspection of another matrix is refused where its sizes show it; one that is not clean is made
 * again, and finds malformed rows. */
static void other_inspections(void **state)
{
    static const int32_t start[] = {0, 2, 3}, col[] = {0, 1, 1}, outside[] = {0, 2, 1};
    static const double value[] = {1, 2, 3};
    bench *b = *state;
    gsolve_inspection found = GSOLVE_INIT(gsolve_inspection);
    gsolve_csr csr = gsolve_csr_view(2, start, col, value), own;
    gsolve_matrix *A = NULL;

    assert_int_equal(gsolve_csr_inspect(b->ctx, &csr, &found), GSOLVE_OK);
    assert_int_equal(gsolve_read_matrix(&own, b->ctx, "gen:poisson2d,n=3", NULL, NULL), GSOLVE_OK);
    assert_int_equal(gsolve_matrix_create_inspected(&A, b->ctx, "csr", &own, &found),
                     GSOLVE_BAD_ARGUMENT);
    assert_non_null(own.start);
    found.clean = false;
    assert_int_equal(gsolve_matrix_create_inspected(&A, b->ctx, "csr", &own, &found), GSOLVE_OK);
    gsolve_matrix_destroy(&A);
    csr.col = outside;
    assert_int_equal(gsolve_csr_inspect(b->ctx, &csr, &found), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(b->ctx), "column index 2"));
    assert_int_equal(gsolve_matrix_create_inspected(&A, b->ctx, "csr", &csr, NULL),
                     GSOLVE_BAD_MATRIX);
    found.size = 3;
    assert_int_equal(gsolve_csr_inspect(b->ctx, &csr, &found), GSOLVE_BAD_ARGUMENT);
}

static void dense(void **state)
{
    bench *b = *state;
    gsolve_source source = GSOLVE_INIT(gsolve_source);
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
    gsolve_source source = GSOLVE_INIT(gsolve_source);
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
    gsolve_source source = GSOLVE_INIT(gsolve_source);
    char folder[300];

    snprintf(folder, sizeof folder, "%s/user/cache", b->folder);
    const int file = open(put(b, "m.mtx", TEXT), O_RDONLY);
    assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
    snprintf(b->path, sizeof b->path, "/proc/%ld/fd/%d", (long)getpid(), file);
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
    gsolve_source source = GSOLVE_INIT(gsolve_source);

    put(b, "m.mtx", TEXT);
    for (int round = 0; round < 2; round++) { /* without and with a cache */
        gsolve_status status = GSOLVE_NO_MEMORY;
        for (int count = 0; status != GSOLVE_OK; count++) {
            gsolve_csr csr;
            gsolve_context_limit_allocations(b->ctx, count);
            status = gsolve_read_matrix(&csr, b->ctx, b->path, &cached, NULL);
            gsolve_context_limit_allocations(b->ctx, -1);
            if (status == GSOLVE_OK) gsolve_csr_free(&csr, b->ctx);
            assert_int_equal(blocks_of(b->ctx), 0);
        }
        read_again(b, 3, &source);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(beside),         TEST(touched),         TEST(edited),           TEST(damaged),
        TEST(damaged_arrays), TEST(damaged_dense),   TEST(other_threads),    TEST(no_regular_file),
        TEST(dense),          TEST(empty),           TEST(elsewhere),        TEST(denied),
        TEST(written_later),  TEST(abandoned_later), TEST(other_inspections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
