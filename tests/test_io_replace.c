/* test_io_replace.c: temporary files do not stay: not when a signal ends the program, nor for ever
 * after it was killed. */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/replace.h"
#include "io_support.h"

static gsolve_status write_vector(gsolve_context *ctx, const char *path)
{
    double value[2] = {1, 2};
    const gsolve_dense v = gsolve_vector(value, 2);

    return gsolve_write_dense(ctx, path, &v, NULL);
}

static bool exists(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

/* A process that has ended. */
static pid_t dead_process(void)
{
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

/* An abandoned file is gone, its target as it was, and the context writes no more. */
static void abandoned(void **state)
{
    bench *b = *state;
    gs_replacement r;
    struct stat s;

    put(b, "x.mtx", "old");
    assert_int_equal(gs_replace_begin(&r, b->ctx, b->path), 0);
    assert_int_equal(gs_replace_write(&r, "new text", 8), 0);
    assert_true(exists(r.temporary));
    gsolve_abandon_files(b->ctx);
    assert_false(exists(r.temporary));
    assert_int_not_equal(gs_replace_end(&r, true, false), 0);
    assert_int_equal(stat(b->path, &s), 0);
    assert_int_equal(s.st_size, 3);
    assert_int_equal(write_vector(b->ctx, b->path), GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "cannot write"));
    gsolve_abandon_files(b->ctx); /* once more: nothing happens */
    gsolve_abandon_files(NULL);
}

/* After a file is complete there is nothing left to remove. */
static void complete(void **state)
{
    bench *b = *state;

    put(b, "x.mtx", "old");
    assert_int_equal(write_vector(b->ctx, b->path), GSOLVE_OK);
    gsolve_abandon_files(b->ctx);
    assert_true(exists(b->path));
}

static gsolve_context *handled;

static void end_by_signal(int number)
{
    gsolve_abandon_files(handled);
    signal(number, SIG_DFL);
    raise(number);
}

/* A process that is ended by a signal while it writes leaves nothing behind. */
static void ended(void **state)
{
    static const int numbers[] = {SIGTERM, SIGHUP, SIGINT};
    bench *b = *state;
    char name[400], ready;

    put(b, "x.mtx", "old");
    for (int k = 0; k < 3; k++) {
        int ends[2], how;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            gs_replacement r;
            handled = b->ctx;
            signal(numbers[k], end_by_signal);
            if (gs_replace_begin(&r, b->ctx, b->path) || write(ends[1], "r", 1) != 1) _exit(1);
            for (;;) pause();
        }
        assert_int_equal(read(ends[0], &ready, 1), 1);
        snprintf(name, sizeof name, "%s.%ld-0.tmp", b->path, (long)child);
        assert_true(exists(name));
        assert_int_equal(kill(child, numbers[k]), 0);
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == numbers[k]);
        assert_false(exists(name));
        close(ends[0]);
        close(ends[1]);
    }
}

/* What dead processes left is removed by the next that writes the same file; nothing else is. */
static void stale(void **state)
{
    bench *b = *state;
    const long dead = (long)dead_process(), alive = (long)getppid();
    const struct {
        const char *before;
        long process;
        const char *after;
        bool stays;
    } files[] = {
        {"x.mtx.", dead, "-0.tmp", false},
        {"x.mtx.", dead, "-17.tmp", false},
        {"x.mtx.", alive, "-0.tmp", true},
        {"y.mtx.", dead, "-0.tmp", true},
        {"x.mtx.", dead, "-0.tmp2", true},
        {"x.mtx.", dead, "-.tmp", true},
        {"x.mtx.", dead, ".tmp", true},
        {"x.mtx.-", dead, "-0.tmp", true},
        {"x.mtx.", 0, "-0.tmp", true},
        {"x.mtxx.", dead, "-0.tmp", true},
        {"x.mtx.99999999999", dead, "-0.tmp", true},
        {"x.mtx.", dead, "-1.tmp", true}, /* the last: locked, so its writer lives elsewhere */
    };
    enum { COUNT = sizeof files / sizeof *files };
    char target[300], path[COUNT][300];

    put(b, "x.mtx", "old");
    memcpy(target, b->path, sizeof target);
    for (int k = 0; k < COUNT; k++) {
        char name[90];
        snprintf(name, sizeof name, "%s%ld%s", files[k].before, files[k].process, files[k].after);
        put(b, name, "half");
        memcpy(path[k], b->path, sizeof path[k]);
    }
    const int lock = open(path[COUNT - 1], O_RDONLY);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(write_vector(b->ctx, target), GSOLVE_OK);
    for (int k = 0; k < COUNT; k++) {
        if (exists(path[k]) != files[k].stays) {
            fail_msg("%s: %s", path[k], files[k].stays ? "gone" : "still there");
        }
    }
    close(lock);
    assert_int_equal(write_vector(b->ctx, target), GSOLVE_OK);
    assert_false(exists(path[COUNT - 1]));
}

/* A path without a folder; and the cache, which is written the same way. */
static void stale_beside(void **state)
{
    static const gsolve_read_options cached = {.cache = true};
    bench *b = *state;
    const long dead = (long)dead_process();
    char back[1000], name[100];
    gsolve_csr csr;

    put(b, "m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir(b->folder), 0);
    snprintf(name, sizeof name, "m.mtx.gscache.%ld-3.tmp", dead);
    put(b, name, "half");
    assert_int_equal(gsolve_read_matrix(&csr, b->ctx, "m.mtx", &cached, NULL), GSOLVE_OK);
    gsolve_csr_free(&csr, b->ctx);
    assert_true(exists("m.mtx.gscache"));
    assert_false(exists(name));
    assert_int_equal(chdir(back), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(abandoned), TEST(complete), TEST(ended), TEST(stale),
                                       TEST(stale_beside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
