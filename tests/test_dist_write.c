/* test_dist_write.c: several ranks write the file that one rank writes, byte by byte, and nothing
 * where one of them fails. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/dist_support.h"

enum { MOST_BYTES = 1 << 20 };

typedef struct folder {
    gsolve_context *ctx;
    char name[100];
} folder;

static int open_folder(void **state)
{
    folder *f = calloc(1, sizeof *f);

    f->ctx = open_context(1);
    make_folder(f->name, "dist_write");
    *state = f;
    return 0;
}

static int close_folder(void **state)
{
    folder *f = *state;

    gsolve_context_destroy(&f->ctx);
    remove_folder(f->name);
    free(f);
    return 0;
}

static int count_entries(const char *name)
{
    DIR *d = opendir(name);
    int count = 0;

    assert_non_null(d);
    while (readdir(d)) count++;
    closedir(d);
    return count;
}

static size_t read_bytes(const char *path, char *to)
{
    FILE *file = fopen(path, "rb");
    size_t bytes;

    if (!file) return 0;
    bytes = fread(to, 1, MOST_BYTES, file);
    fclose(file);
    return bytes;
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct job {
    const char *path, *comment;
    int64_t nrows;
    int32_t ncols;
    division division;
    int not_finite[2];  /* elements that are NaN, or -1 */
    int abandons;       /* the rank that has called gsolve_abandon_files, or -1 */
    const char *folder; /* of the ranks, and */
    const char *other;  /* that of rank `elsewhere`; or NULL */
    int elsewhere;
    gsolve_status status; /* of one rank, with its sentence */
    char error[1024];
} job;

static double element(const job *j, int64_t row, int32_t column)
{
    const int64_t k = row + column * j->nrows;

    return k == j->not_finite[0] || k == j->not_finite[1] ? NAN : number_of(row, column);
}

/* Rows with a stride that is larger than their number. */
static gsolve_dense new_columns(const job *j, gsolve_row_range rows)
{
    const int64_t stride = rows.count + 3;
    double *value = calloc((size_t)(stride * j->ncols) + 1, sizeof *value);

    for (int32_t c = 0; c < j->ncols; c++) {
        for (int32_t i = 0; i < rows.count; i++) {
            value[i + c * stride] = element(j, rows.first + i, c);
        }
    }
    return (gsolve_dense){rows.count,  j->ncols,           stride, value, GSOLVE_F64,
                          GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static void write_on_one(gsolve_context *ctx, job *j, const char *path)
{
    gsolve_dense v = new_columns(j, (gsolve_row_range){0, j->nrows, (int32_t)j->nrows});

    j->status = gsolve_write_dense(ctx, path, &v, j->comment);
    snprintf(j->error, sizeof j->error, "%s", j->status ? gsolve_error(ctx) : "");
    free(v.value);
}

static int write_on_ranks(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const job *j = user;
    const gsolve_row_range rows = divide(j->division, j->nrows, rank, ranks);
    const gsolve_dense v = new_columns(j, rows);
    const int64_t blocks = blocks_of(ctx);
    char before[4096];
    gsolve_status status;
    int failures = 0;

    if (j->folder) enter_folder(rank == j->elsewhere ? j->other : j->folder, before);
    if (rank == j->abandons) gsolve_abandon_files(ctx);
    status = gsolve_write_dense_dist(ctx, j->path, rows, &v, j->comment);
    if (j->folder) leave_folder(before);
    EXPECT(status == j->status, "%s: status %d: %s", j->path, status, gsolve_error(ctx));
    if (status) EXPECT(strcmp(gsolve_error(ctx), j->error) == 0, "%s", gsolve_error(ctx));
    EXPECT(blocks_of(ctx) == blocks, "%lld blocks", (long long)(blocks_of(ctx) - blocks));
    free(v.value);
    return failures;
}

static void compare_files(const char *path, const char *expected)
{
    char *a = malloc(MOST_BYTES), *b = malloc(MOST_BYTES);
    const size_t bytes = read_bytes(path, a);

    assert_int_equal(read_bytes(expected, b), bytes);
    assert_true(bytes > 0 && memcmp(a, b, bytes) == 0);
    free(a), free(b);
}

/* All ranks write a file as one rank does, or fail as it does and leave nothing. */
static void check_job(folder *f, job *j, const char *name)
{
    char path[200], expected[200];
    int entries;

    snprintf(path, sizeof path, "%s/x%s", f->name, name);
    snprintf(expected, sizeof expected, "%s/one%s", f->name, name);
    j->path = path;
    if (is_writer()) write_on_one(f->ctx, j, path); /* its sentence names the same path */
    if (is_writer() && !j->status) assert_int_equal(rename(path, expected), 0);
#ifdef GSOLVE_TEST_MPI
    MPI_Bcast(&j->status, sizeof j->status, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(j->error, sizeof j->error, MPI_CHAR, 0, MPI_COMM_WORLD);
#endif
    entries = count_entries(f->name);
    for (int k = RANKS_ARE_PROCESSES; rank_count(k); k++) { /* not each process alone */
        for (j->division = EVEN; j->division < DIVISIONS; j->division++) {
            if (RANKS_ARE_PROCESSES && j->division > FIRST_EMPTY) break; /* they start slowly */
            const int open = count_entries("/proc/self/fd");
            wait_for_writer();
            assert_int_equal(run_ranks(rank_count(k), write_on_ranks, j), 0);
            if (!RANKS_ARE_PROCESSES) assert_int_equal(count_entries("/proc/self/fd"), open);
            if (!j->status) compare_files(path, expected);
            assert_int_equal(count_entries(f->name), entries + !j->status);
            wait_for_writer();
            if (is_writer()) unlink(path);
            wait_for_writer();
        }
    }
    if (is_writer()) unlink(expected);
    wait_for_writer();
}

/* --- tests ------------------------------------------------------------------------------------ */

static void same_bytes(void **state)
{
    static const char *const names[] = {".mtx", "", ".mtx.gz", ".npy", ".txt", ".petsc"};
    static const int sizes[][2] = {{0, 1}, {1, 1}, {5, 3}, {90, 1}, {700, 2}};

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (size_t k = n < 2 ? 0 : 3; k < sizeof sizes / sizeof *sizes; k++) {
            job j = {.comment = n == 1 ? "two\nlines" : NULL,
                     .nrows = sizes[k][0],
                     .ncols = sizes[k][1],
                     .not_finite = {-1, -1},
                     .abandons = -1};
            check_job(*state, &j, names[n]);
        }
    }
}

/* Of several values that are not finite, the first in the file is named. */
static void not_finite(void **state)
{
    static const int where[][2] = {{0, -1}, {35, -1}, {36, 69}, {30, 40}, {59, 4}, {99, 95}};

    for (size_t k = 0; k < sizeof where / sizeof *where; k++) {
        job j = {.nrows = 20, .ncols = 5, .not_finite = {where[k][0], where[k][1]}, .abandons = -1};
        check_job(*state, &j, ".mtx");
        assert_int_equal(j.status, GSOLVE_BAD_MATRIX);
    }
}

static void no_such_folder(void **state)
{
    job j = {.nrows = 20, .ncols = 1, .not_finite = {-1, -1}, .abandons = -1};

    check_job(*state, &j, "/none/x.mtx");
    assert_int_equal(j.status, GSOLVE_BAD_FILE);
    assert_non_null(strstr(j.error, "No such file"));
}

/* One rank cannot write its rows: the file that was there is unchanged. */
static void abandoned(void **state)
{
    folder *f = *state;
    char path[200], before[200];

    snprintf(path, sizeof path, "%s/x.mtx", f->name);
    snprintf(before, sizeof before, "%s/before.mtx", f->name);
    for (int k = RANKS_ARE_PROCESSES; rank_count(k); k++) { /* not each process alone */
        for (int bad = 0; bad < rank_count(k); bad++) {
            job j = {.nrows = 50, .ncols = 2, .not_finite = {-1, -1}, .abandons = -1};
            j.path = path;
            if (is_writer()) write_on_one(f->ctx, &j, path);
            if (is_writer()) write_on_one(f->ctx, &j, before);
            wait_for_writer();
            j.abandons = bad;
            j.status = GSOLVE_BAD_FILE;
            snprintf(j.error, sizeof j.error, "cannot write %s: Operation canceled", path);
            assert_int_equal(run_ranks(rank_count(k), write_on_ranks, &j), 0);
            compare_files(path, before);
            assert_int_equal(count_entries(f->name), 4);
            wait_for_writer();
        }
    }
}

/* A rank does not see the folder of the others: rank 0 writes, in its own folder. */
static void other_hosts(void **state)
{
    folder *f = *state;
    char other[200], path[2][300], one[200];
    job j = {.nrows = 50, .ncols = 2, .not_finite = {-1, -1}, .abandons = -1, .path = "x.mtx"};

    if (!ranks_have_folders()) skip();
    snprintf(other, sizeof other, "%s/other", f->name);
    snprintf(path[0], sizeof path[0], "%s/x.mtx", other);
    snprintf(path[1], sizeof path[1], "%s/x.mtx", f->name);
    snprintf(one, sizeof one, "%s/one.mtx", f->name);
    if (is_writer()) assert_int_equal(mkdir(other, 0700), 0);
    if (is_writer()) write_on_one(f->ctx, &j, one);
    wait_for_writer();
    j.folder = f->name;
    j.other = other;
    for (int k = 1; rank_count(k); k++) {
        for (j.elsewhere = 0; j.elsewhere < rank_count(k); j.elsewhere++) {
            assert_int_equal(run_ranks(rank_count(k), write_on_ranks, &j), 0);
            compare_files(path[j.elsewhere > 0], one);
            assert_int_equal(count_entries(f->name), 4 + (j.elsewhere > 0));
            assert_int_equal(count_entries(other), 2 + (j.elsewhere == 0));
            wait_for_writer();
            if (is_writer()) unlink(path[j.elsewhere > 0]);
            wait_for_writer();
        }
    }
}

/* Arguments that are wrong on one rank. */
static int write_wrong(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_row_range rows = gsolve_row_range_even(20, rank, ranks);
    const job j = {.nrows = 20, .ncols = 2, .not_finite = {-1, -1}};
    const gsolve_dense good = new_columns(&j, rows);
    int failures = 0;

    for (int k = 0; k < 4; k++) {
        gsolve_dense v = good;
        if (rank == ranks - 1 && k == 0) v.value = NULL;
        if (rank == ranks - 1 && k == 1) v.stride = rows.count - 1;
        if (rank == ranks - 1 && k == 2) v.nrows++;
        if (k == 3) v.ncols = -1;
        EXPECT(gsolve_write_dense_dist(ctx, user, rows, &v, NULL) == GSOLVE_BAD_ARGUMENT, "%d: %s",
               k, gsolve_error(ctx));
        EXPECT(strstr(gsolve_error(ctx), "gsolve_write_dense_dist: path or v is NULL"), "%d: %s", k,
               gsolve_error(ctx));
    }
    free(good.value);
    return failures;
}

static void wrong(void **state)
{
    folder *f = *state;
    char path[200];

    snprintf(path, sizeof path, "%s/x.mtx", f->name);
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), write_wrong, path), 0);
    }
    assert_int_equal(count_entries(f->name), 2);
}

/* --- what lies under the name, and a full disk -------------------------------------------------
 */

/* Writes `path` on one rank and on several: they end with the same status and sentence. The folder
 * has as many entries as before. */
static void write_alike(folder *f, job *j, const char *path)
{
    int entries;

    wait_for_writer();
    entries = count_entries(f->name);
    wait_for_writer();
    j->path = path;
    if (is_writer()) write_on_one(f->ctx, j, path);
#ifdef GSOLVE_TEST_MPI
    MPI_Bcast(&j->status, sizeof j->status, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(j->error, sizeof j->error, MPI_CHAR, 0, MPI_COMM_WORLD);
#endif
    for (int k = RANKS_ARE_PROCESSES; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), write_on_ranks, j), 0);
        assert_int_equal(count_entries(f->name), entries);
        wait_for_writer();
    }
}

static void refused(void **state)
{
    static const char *const targets[] = {"/dev/full", "loop", "none/y.mtx"};
    folder *f = *state;
    char path[600];

    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        job j = {.nrows = 50, .ncols = 2, .not_finite = {-1, -1}, .abandons = -1};
        snprintf(path, sizeof path, "%s/%s", f->name, k == 1 ? "loop" : "x.mtx");
        if (is_writer()) assert_int_equal(symlink(targets[k], path), 0);
        write_alike(f, &j, path);
        assert_int_equal(j.status, GSOLVE_BAD_FILE);
        if (is_writer()) unlink(path);
    }
    job j = {.nrows = 50, .ncols = 1, .not_finite = {-1, -1}, .abandons = -1};
    write_alike(f, &j, f->name);
    assert_non_null(strstr(j.error, "Is a directory"));
    snprintf(path, sizeof path, "%s/%0*d", f->name, 300, 0);
    write_alike(f, &j, path);
    assert_non_null(strstr(j.error, "name too long"));
}

/* The link stays, and the file that it names is written; a pipe is written by rank 0. */
static void links_and_pipes(void **state)
{
    folder *f = *state;
    char path[200], target[200], one[200], command[900];
    struct stat about;
    job j = {.nrows = 50, .ncols = 2, .not_finite = {-1, -1}, .abandons = -1};

    snprintf(one, sizeof one, "%s/one.mtx", f->name);
    snprintf(path, sizeof path, "%s/x.mtx", f->name);
    snprintf(target, sizeof target, "%s/y.mtx", f->name);
    if (is_writer()) {
        write_on_one(f->ctx, &j, one);
        write_on_one(f->ctx, &j, target);
        assert_int_equal(symlink("y.mtx", path), 0);
    }
    write_alike(f, &j, path);
    assert_true(lstat(path, &about) == 0 && S_ISLNK(about.st_mode));
    compare_files(target, one);
    wait_for_writer();
    if (is_writer()) assert_true(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    snprintf(command, sizeof command, "cat '%s' >'%s'", path, target);
    for (int k = RANKS_ARE_PROCESSES; rank_count(k); k++) {
        FILE *reader = is_writer() ? popen(command, "r") : NULL;
        wait_for_writer();
        assert_int_equal(run_ranks(rank_count(k), write_on_ranks, &j), 0);
        if (is_writer()) assert_true(reader && pclose(reader) == 0);
        wait_for_writer();
        compare_files(target, one);
    }
}

/* No file may be longer than a number of bytes: the header does not fit, or a part of some rank. */
static void full_disk(void **state)
{
    folder *f = *state;
    char path[200], before[200];
    job old = {.nrows = 9, .ncols = 1, .not_finite = {-1, -1}, .abandons = -1};
    struct rlimit none;

    snprintf(path, sizeof path, "%s/x.mtx", f->name);
    snprintf(before, sizeof before, "%s/before.mtx", f->name);
    if (is_writer()) write_on_one(f->ctx, &old, path);
    if (is_writer()) write_on_one(f->ctx, &old, before);
    wait_for_writer();
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &none), 0);
    for (rlim_t most = 10; most < 2000; most += 300) {
        job j = {.nrows = 50, .ncols = 2, .not_finite = {-1, -1}, .abandons = -1};
        struct rlimit limit = {most, none.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        write_alike(f, &j, path);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        assert_int_equal(j.status, GSOLVE_BAD_FILE);
        assert_non_null(strstr(j.error, "File too large"));
        compare_files(path, before);
    }
}

/* Ranks without rows have no memory, and pass NULL. */
static int write_empty(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_row_range rows = divide(LAST_ALL, 20, rank, ranks);
    const job j = {.nrows = 20, .ncols = 2, .not_finite = {-1, -1}};
    gsolve_dense v = new_columns(&j, rows), own = v;
    int failures = 0;

    if (rank < ranks - 1) own.value = NULL;
    for (int k = 0; k < 2; k++) {
        EXPECT_OK(ctx, gsolve_write_dense_dist(ctx, ((char **)user)[k], rows, &own, NULL));
    }
    free(v.value);
    return failures;
}

static void no_rows(void **state)
{
    folder *f = *state;
    char path[2][200], *paths[2] = {path[0], path[1]}, one[200];
    job j = {.nrows = 20, .ncols = 2, .not_finite = {-1, -1}, .abandons = -1};

    snprintf(path[0], sizeof path[0], "%s/x.mtx", f->name);
    snprintf(path[1], sizeof path[1], "%s/x.npy", f->name); /* rank 0 writes */
    snprintf(one, sizeof one, "%s/one.mtx", f->name);
    if (is_writer()) write_on_one(f->ctx, &j, one);
    for (int k = RANKS_ARE_PROCESSES; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), write_empty, paths), 0);
        compare_files(path[0], one);
        wait_for_writer();
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_folder, close_folder)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(same_bytes),  TEST(not_finite), TEST(no_such_folder), TEST(abandoned),
        TEST(other_hosts), TEST(wrong),      TEST(refused),        TEST(links_and_pipes),
        TEST(full_disk),   TEST(no_rows)};

    begin_ranks(&argc, &argv);
    need_device();
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
