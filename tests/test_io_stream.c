/* test_io_stream.c: pipes and open descriptors as files: read to their end, written in place. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include "core/descriptor.h"
#include "core/replace.h"
#include "io_support.h"

enum { ROWS = 300000 }; /* 3 MB of text: more than the first buffer and than a pipe holds */

typedef struct feeder { /* a thread that writes a text into a descriptor and closes it */
    pthread_t thread;
    const char *text;
    size_t bytes;
    int file;
} feeder;

static void *feed(void *user)
{
    const feeder *f = user;

    gs_write_all(f->file, f->text, f->bytes);
    close(f->file);
    return NULL;
}

/* Makes a pipe, whose output is named by path, and starts to write the text into it. */
static int start(feeder *f, char path[64], const char *text, size_t bytes, int flags)
{
    int ends[2];

    assert_int_equal(pipe2(ends, flags), 0);
    snprintf(path, 64, "/dev/fd/%d", ends[0]);
    *f = (feeder){.text = text, .bytes = bytes, .file = ends[1]};
    assert_int_equal(pthread_create(&f->thread, NULL, feed, f), 0);
    return ends[0];
}

static void end(feeder *f, int file)
{
    close(file); /* what is not read is not written */
    pthread_join(f->thread, NULL);
}

static char *long_vector(size_t *bytes)
{
    char *text = malloc((size_t)ROWS * 12 + 100), *p = text;

    p += sprintf(p, "%%%%MatrixMarket matrix array real general\n%d 1\n", ROWS);
    for (int k = 0; k < ROWS; k++) p += sprintf(p, "%d.5\n", k);
    *bytes = (size_t)(p - text);
    return text;
}

/* Also by a descriptor that does not block. */
static void read_pipe(void **state)
{
    bench *b = *state;
    size_t bytes;
    char *text = long_vector(&bytes), path[64];

    for (int k = 0; k < 2; k++) {
        gsolve_dense v = {0};
        gsolve_source source = GSOLVE_INIT(gsolve_source);
        const gsolve_read_options options = {.cache = true};
        feeder f;
        const int file = start(&f, path, text, bytes, k ? O_NONBLOCK : 0);
        assert_int_equal(gsolve_read_dense(&v, b->ctx, path, &options, &source), GSOLVE_OK);
        assert_int_equal(v.nrows, ROWS);
        for (int i = 0; i < ROWS; i++) assert_true(((double *)v.value)[i] == i + 0.5);
        assert_int_equal(source.bytes, bytes);
        assert_string_equal(source.cache, "");
        gsolve_dense_free(&v, b->ctx);
        end(&f, file);
    }
    free(text);
}

static void refused(void **state)
{
    bench *b = *state;
    const char *const wrong[][2] = {
        {"/dev/null", "/dev/null: the file is empty"},
        {"/dev/zero", "/dev/zero: it is a device, neither a file nor a pipe"},
        {"/dev/fd/9999", "/dev/fd/9999: Bad file descriptor"},
        {"/dev/fd/", "/dev/fd/: it is a directory"},
    };
    gsolve_csr A;
    char path[64];
    feeder f;

    for (int k = 0; k < 4; k++) {
        assert_int_equal(gsolve_read_matrix(&A, b->ctx, wrong[k][0], NULL, NULL), GSOLVE_BAD_FILE);
        assert_ptr_equal(strstr(gsolve_error(b->ctx), wrong[k][1]), gsolve_error(b->ctx));
    }
    const int file = start(&f, path, "neither\nnor", 11, 0);
    assert_int_equal(gsolve_read_matrix(&A, b->ctx, path, NULL, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), ":1: the file begins with 'neither'"));
    end(&f, file);
}

/* Each allocation of a read may fail. */
static void no_memory(void **state)
{
    bench *b = *state;
    size_t bytes;
    char *text = long_vector(&bytes), path[64];
    gsolve_status status = GSOLVE_NO_MEMORY;

    signal(SIGPIPE, SIG_IGN);
    for (int64_t count = 0; status == GSOLVE_NO_MEMORY; count++) {
        gsolve_dense v = {0};
        feeder f;
        const int file = start(&f, path, text, bytes, 0);
        gsolve_context_limit_allocations(b->ctx, count);
        status = gsolve_read_dense(&v, b->ctx, path, NULL, NULL);
        gsolve_context_limit_allocations(b->ctx, -1);
        gsolve_dense_free(&v, b->ctx);
        assert_int_equal(blocks_of(b->ctx), 0);
        end(&f, file);
    }
    assert_int_equal(status, GSOLVE_OK);
    free(text);
}

/* Behind what the descriptor has, and nothing else appears in the folder. */
static void write_in_place(void **state)
{
    static const char expected[] = "before\n%%MatrixMarket matrix array real general\n2 1\n1\n2\n";
    bench *b = *state;
    double value[2] = {1, 2};
    const gsolve_dense v = gsolve_vector(value, 2);
    char path[64], found[200] = "";
    struct stat s;

    put(b, "x.mtx", "");
    const int file = open(b->path, O_RDWR);
    assert_true(file >= 0 && write(file, "before\n", 7) == 7);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    assert_int_equal(gsolve_write_dense(b->ctx, path, &v, NULL), GSOLVE_OK);
    assert_int_equal(pread(file, found, sizeof found - 1, 0), (ssize_t)strlen(expected));
    assert_string_equal(found, expected);
    close(file);
    assert_int_equal(gsolve_write_dense(b->ctx, path, &v, NULL), GSOLVE_BAD_FILE);
    assert_int_equal(gsolve_write_dense(b->ctx, "/dev/full", &v, NULL), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "cannot write /dev/full: No space left"));
    assert_int_equal(gsolve_write_dense(b->ctx, "/dev/null", &v, NULL), GSOLVE_OK);
    assert_true(stat("/dev/null", &s) == 0 && S_ISCHR(s.st_mode));
    gsolve_abandon_files(b->ctx);
    assert_int_equal(gsolve_write_dense(b->ctx, "/dev/null", &v, NULL), GSOLVE_BAD_FILE);
}

static void names(void **state)
{
    (void)state;
    assert_int_equal(gsolve_descriptor_of("-", 0), 0);
    assert_int_equal(gsolve_descriptor_of("-", 1), 1);
    assert_int_equal(gsolve_descriptor_of("/dev/stdin", 1), 0);
    assert_int_equal(gsolve_descriptor_of("/dev/stderr", 0), 2);
    assert_int_equal(gsolve_descriptor_of("/dev/fd/63", 0), 63);
    assert_int_equal(gsolve_descriptor_of("/proc/self/fd/5", 0), 5);
    assert_int_equal(gsolve_descriptor_of("./-", 0), -1);
    assert_int_equal(gsolve_descriptor_of("/dev/fd/6x", 0), -1);
    assert_int_equal(gsolve_descriptor_of("/dev/fd/12345678", 0), -1);
    assert_int_equal(gsolve_descriptor_of("A.mtx", 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(read_pipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(write_in_place, set_up, tear_down),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
