/* test_io_write.c: what is written reads back with the same bits, or leaves no trace. */
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

#include "io_support.h"
#include "matrix/csr.h"

/* Files in the test's folder. */
static int count_files(const bench *b)
{
    DIR *folder = opendir(b->folder);
    int count = 0;

    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static const char *at(bench *b, const char *name)
{
    snprintf(b->path, sizeof b->path, "%s/%s", b->folder, name);
    return b->path;
}

static void assert_same(const gsolve_csr *A, const gsolve_csr *B)
{
    assert_int_equal(A->nrows, B->nrows);
    assert_int_equal(A->ncols, B->ncols);
    assert_int_equal(gsolve_csr_entries(A), gsolve_csr_entries(B));
    assert_memory_equal(A->start, B->start, ((size_t)A->nrows + 1) * sizeof(int32_t));
    if (gsolve_csr_entries(A) == 0) return;
    assert_memory_equal(A->col, B->col, (size_t)gsolve_csr_entries(A) * sizeof(int32_t));
    assert_memory_equal(A->value, B->value, (size_t)gsolve_csr_entries(A) * sizeof(double));
}

static void round_trip(bench *b, const gsolve_csr *A, gsolve_symmetry symmetry, const char *name)
{
    gsolve_csr B;
    gsolve_source source = GSOLVE_INIT(gsolve_source);

    if (gsolve_write_matrix(b->ctx, at(b, name), A, symmetry, "two\nlines") != GSOLVE_OK ||
        gsolve_read_matrix(&B, b->ctx, b->path, NULL, &source) != GSOLVE_OK) {
        fail_msg("%s", gsolve_error(b->ctx));
    }
    assert_int_equal(source.symmetry, symmetry);
    assert_same(A, &B);
    gsolve_csr_free(&B, b->ctx);
    assert_int_equal(count_files(b), 1);
    unlink(b->path);
}

/* n rows of up to 7 entries of all magnitudes, some rows empty. */
static void make(gsolve_csr *A, gsolve_context *ctx, int n)
{
    int32_t *start, *col;
    double *value;
    int64_t entries = 0;

    assert_int_equal(gs_csr_new(A, ctx, n, 7 * n + 1, 7 * n, GSOLVE_F64), GSOLVE_OK);
    start = (int32_t *)(uintptr_t)A->start;
    col = (int32_t *)(uintptr_t)A->col;
    value = (double *)(uintptr_t)A->value;
    for (int i = 0; i < n; i++) {
        start[i] = (int32_t)entries;
        for (int k = 0; k < i % 8; k++, entries++) {
            const double x = gsolve_random(7, (uint64_t)entries);
            col[entries] = i + k * n;
            value[entries] = ldexp(x, (int)(gsolve_random(8, (uint64_t)entries) * 1020));
        }
    }
    start[n] = (int32_t)entries;
}

static void general(void **state)
{
    bench *b = *state;
    gsolve_csr A;

    make(&A, b->ctx, 60000);
    round_trip(b, &A, GSOLVE_GENERAL, "a.mtx");
    gsolve_csr_free(&A, b->ctx);
    make(&A, b->ctx, 999);
    round_trip(b, &A, GSOLVE_GENERAL, "a.mtx.gz");
    gsolve_csr_free(&A, b->ctx);
    make(&A, b->ctx, 0);
    round_trip(b, &A, GSOLVE_GENERAL, "a.mtx");
    gsolve_csr_free(&A, b->ctx);
}

static void symmetric(void **state)
{
    bench *b = *state;
    const int32_t start[] = {0, 2, 4, 4}, col[] = {0, 1, 0, 1}, skew_col[] = {1, 2, 0, 0};
    const int32_t skew_start[] = {0, 2, 3, 4}, other_col[] = {0, 2, 0, 1};
    const double value[] = {0.1, -2, -2, 1e300}, skew[] = {3, -5, -3, 5};
    gsolve_csr A = gsolve_csr_view(3, start, col, value);
    gsolve_csr K = gsolve_csr_view(3, skew_start, skew_col, skew);
    gsolve_csr N = gsolve_csr_view(3, start, other_col, value);

    round_trip(b, &A, GSOLVE_SYMMETRIC, "s.mtx");
    round_trip(b, &K, GSOLVE_SKEW, "s.mtx");
    assert_int_equal(gsolve_write_matrix(b->ctx, at(b, "s.mtx"), &N, GSOLVE_SYMMETRIC, NULL),
                     GSOLVE_BAD_MATRIX);
    assert_int_equal(gsolve_write_matrix(b->ctx, b->path, &A, GSOLVE_SKEW, NULL),
                     GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(b->ctx), "row 1"));
    A.ncols = 4;
    assert_int_equal(gsolve_write_matrix(b->ctx, b->path, &A, GSOLVE_SYMMETRIC, NULL),
                     GSOLVE_BAD_MATRIX);
    assert_int_equal(count_files(b), 0);
}

/* The file of a skew-symmetric matrix has no diagonal entries, also if the matrix stores some. */
static void skew_diagonal(void **state)
{
    bench *b = *state;
    const int32_t start[] = {0, 2, 3, 4}, col[] = {0, 1, 0, 2}, least_start[] = {0, 1, 2, 2};
    const double value[] = {0, 3, -3, -0.0};
    const gsolve_csr A = gsolve_csr_view(3, start, col, value);
    const gsolve_csr least = gsolve_csr_view(3, least_start, col + 1, value + 1);
    gsolve_csr B;
    gsolve_source source = GSOLVE_INIT(gsolve_source);

    assert_int_equal(gsolve_write_matrix(b->ctx, at(b, "k.mtx"), &A, GSOLVE_SKEW, NULL), GSOLVE_OK);
    assert_int_equal(gsolve_read_matrix(&B, b->ctx, b->path, NULL, &source), GSOLVE_OK);
    assert_int_equal(source.stored, 1);
    assert_same(&least, &B);
    gsolve_csr_free(&B, b->ctx);
}

static void dense(void **state)
{
    bench *b = *state;
    double x[] = {1, -0.0, 5e-324, 99, 1.0 / 3, 1e17, 0.1, 99};
    float f[] = {0.1f, 3};
    gsolve_dense v = {3, 2, 4, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR}, w;
    gsolve_dense u = {2, 1, 2, f, GSOLVE_F32, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const double flat[] = {x[0], x[1], x[2], x[4], x[5], x[6]}, wide[] = {0.1f, 3};

    assert_int_equal(gsolve_write_dense(b->ctx, at(b, "v.mtx.gz"), &v, NULL), GSOLVE_OK);
    assert_int_equal(gsolve_read_dense(&w, b->ctx, b->path, NULL, NULL), GSOLVE_OK);
    assert_true(w.nrows == 3 && w.ncols == 2 && w.stride == 3);
    assert_true(same_bits(w.value, flat, 6));
    gsolve_dense_free(&w, b->ctx);
    assert_int_equal(gsolve_write_dense(b->ctx, at(b, "v.mtx.gz"), &u, "of floats"), GSOLVE_OK);
    assert_int_equal(gsolve_read_dense(&w, b->ctx, b->path, NULL, NULL), GSOLVE_OK);
    assert_true(same_bits(w.value, wide, 2));
    gsolve_dense_free(&w, b->ctx);
    x[6] = NAN;
    assert_int_equal(gsolve_write_dense(b->ctx, b->path, &v, NULL), GSOLVE_BAD_MATRIX);
    assert_int_equal(count_files(b), 1); /* the old one is still there */
    v.value = NULL;
    assert_int_equal(gsolve_write_dense(b->ctx, b->path, &v, NULL), GSOLVE_BAD_ARGUMENT);
}

static void refused(void **state)
{
    bench *b = *state;
    const int32_t start[] = {0, 1}, col[] = {0};
    const double value[] = {INFINITY};
    gsolve_csr A = gsolve_csr_view(1, start, col, value);
    double x = 1;
    const gsolve_dense v = gsolve_vector(&x, 1);

    assert_int_equal(gsolve_write_matrix(b->ctx, at(b, "r"), &A, GSOLVE_GENERAL, NULL),
                     GSOLVE_BAD_MATRIX);
    assert_int_equal(gsolve_write_matrix(b->ctx, NULL, &A, GSOLVE_GENERAL, NULL),
                     GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_write_dense(b->ctx, "/no/such/folder/v.mtx", &v, NULL),
                     GSOLVE_BAD_FILE);
    assert_non_null(strstr(gsolve_error(b->ctx), "No such file"));
    assert_int_equal(mkdir(at(b, "folder"), 0700), 0); /* cannot be replaced by a file */
    assert_int_equal(gsolve_write_dense(b->ctx, b->path, &v, NULL), GSOLVE_BAD_FILE);
    assert_int_equal(count_files(b), 1);
}

static void full_disk(void **state)
{
    bench *b = *state;
    double x[1000] = {0};
    const gsolve_dense v = gsolve_vector(x, 1000);

    if (symlink("/dev/full", at(b, "full.mtx")) != 0) skip();
    /* a device, be it behind a link, is neither written nor replaced */
    assert_int_equal(gsolve_write_dense(b->ctx, b->path, &v, NULL), GSOLVE_BAD_FILE);
    assert_int_equal(count_files(b), 1);
}

static void denied(void **state)
{
    bench *b = *state;
    const int32_t start[] = {0, 2, 4}, col[] = {1, 0, 0, 1};
    const double value[] = {2, 1, 2, 3};
    const gsolve_csr A = gsolve_csr_view(2, start, col, value);

    for (int k = 0; k < 4; k++) {
        gsolve_status status = GSOLVE_NO_MEMORY;
        const gsolve_symmetry symmetry = k % 2 ? GSOLVE_SYMMETRIC : GSOLVE_GENERAL;
        for (int count = 0; status != GSOLVE_OK; count++) {
            assert_true(count < 100);
            gsolve_context_limit_allocations(b->ctx, count);
            status = gsolve_write_matrix(b->ctx, at(b, k / 2 ? "d.gz" : "d"), &A, symmetry, NULL);
            gsolve_context_limit_allocations(b->ctx, -1);
            assert_int_equal(blocks_of(b->ctx), 0);
            assert_int_equal(count_files(b), status == GSOLVE_OK);
            if (status != GSOLVE_OK) assert_int_equal(status, GSOLVE_NO_MEMORY);
        }
        unlink(b->path);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(general), TEST(symmetric), TEST(skew_diagonal),
                                       TEST(dense),   TEST(refused),   TEST(full_disk),
                                       TEST(denied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
