/* test_core_triplets.c: compressed rows from triplets, their transpose and conversion, against
 * dense references on awkward shapes; memory that runs out, numbers of threads. */
#include "core_support.h"

/* --- triplets against a dense reference ------------------------------------------------------ */

typedef struct triplets {
    int32_t nrows, ncols;
    int64_t entries;
    int32_t *i, *j;
    double *v;
} triplets;

enum { SCATTERED, ASCENDING, ONE_ROW, ONE_COLUMN, EVERY_THIRD_ROW, SAME_PLACE, PATTERNS };

static triplets draw(int32_t nrows, int32_t ncols, int64_t entries, int pattern)
{
    triplets t = {nrows, ncols, nrows && ncols ? entries : 0, NULL, NULL, NULL};

    t.i = calloc((size_t)t.entries + 1, sizeof *t.i);
    t.j = calloc((size_t)t.entries + 1, sizeof *t.j);
    t.v = calloc((size_t)t.entries + 1, sizeof *t.v);
    for (int64_t k = 0; k < t.entries; k++) {
        t.i[k] = number(nrows, 3 * k);
        t.j[k] = number(ncols, 3 * k + 1);
        t.v[k] = number(1000000, 3 * k + 2) / 999.0 - 500;
        if (pattern == ASCENDING) t.i[k] = (int32_t)(k * nrows / t.entries);
        if (pattern == ONE_ROW) t.i[k] = nrows / 2;
        if (pattern == ONE_COLUMN) t.j[k] = ncols - 1;
        if (pattern == EVERY_THIRD_ROW) t.i[k] -= t.i[k] % 3;
        if (pattern == SAME_PLACE) t.i[k] = t.j[k] = 0;
    }
    return t;
}

static void drop(triplets *t)
{
    free(t->i);
    free(t->j);
    free(t->v);
}

/* A is the sum of the triplets in their order (v: their values, or ones), to the last bit. */
static void assert_sums(const gsolve_csr *A, const triplets *t, bool ones)
{
    const size_t size = (size_t)t->nrows * (size_t)t->ncols + 1;
    double *sum = calloc(size, sizeof *sum);
    bool *there = calloc(size, sizeof *there);
    int64_t different = 0;

    assert_clean(A);
    assert_int_equal(A->nrows, t->nrows);
    assert_int_equal(A->ncols, t->ncols);
    assert_int_equal(A->type, GSOLVE_F64);
    for (int64_t k = 0; k < t->entries; k++) {
        const int64_t at = (int64_t)t->i[k] * t->ncols + t->j[k];
        different += !there[at];
        there[at] = true;
        sum[at] += ones ? 1 : t->v[k];
    }
    assert_int_equal(gsolve_csr_entries(A), different);
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const int64_t at = (int64_t)i * t->ncols + A->col[k];
            assert_true(there[at]);
            assert_true(value_of(A, k) == sum[at]);
        }
    }
    free(sum);
    free(there);
}

static void assert_transposes(const gsolve_csr *A)
{
    gsolve_csr B, C;
    int64_t before = 0;

    assert_int_equal(gsolve_csr_transpose(&B, ctx, A), GSOLVE_OK);
    assert_clean(&B);
    assert_int_equal(B.nrows, A->ncols);
    assert_int_equal(B.ncols, A->nrows);
    for (int32_t j = 0; j < B.nrows; j++) { /* column j of A, by a search */
        before = gs_start(&B, j);
        for (int32_t i = 0; i < A->nrows; i++) {
            for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
                if (A->col[k] != j) continue;
                assert_int_equal(B.col[before], i);
                assert_true(value_of(&B, before++) == value_of(A, k));
            }
        }
        assert_int_equal(before, gs_start(&B, j + 1));
    }
    assert_int_equal(gsolve_csr_transpose(&C, ctx, &B), GSOLVE_OK);
    assert_same(A, &C);
    gsolve_csr_free(&B, ctx);
    gsolve_csr_free(&C, ctx);
}

static void assert_converts(const gsolve_csr *A)
{
    gsolve_csr B, C;

    assert_int_equal(gsolve_csr_convert(&B, ctx, GSOLVE_F32, A), GSOLVE_OK);
    assert_int_equal(gsolve_csr_convert(&C, ctx, GSOLVE_F64, &B), GSOLVE_OK);
    assert_int_equal(B.type, GSOLVE_F32);
    assert_int_equal(gsolve_csr_entries(&C), gsolve_csr_entries(A));
    for (int64_t k = 0; k < gsolve_csr_entries(A); k++) {
        assert_true(value_of(&C, k) == (double)(float)value_of(A, k));
        assert_int_equal(C.col[k], A->col[k]);
    }
    assert_transposes(&B);
    gsolve_csr_free(&B, ctx);
    assert_int_equal(gsolve_csr_convert(&B, ctx, GSOLVE_F64, A), GSOLVE_OK);
    assert_same(A, &B);
    gsolve_csr_free(&B, ctx);
    gsolve_csr_free(&C, ctx);
}

static void triplets_are_assembled(void **state)
{
    static const int32_t sizes[][2] = {{0, 0},  {0, 5}, {5, 0},    {1, 1},   {1, 40},
                                       {40, 1}, {7, 7}, {100, 30}, {30, 100}};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            for (int64_t entries = 0; entries <= 500; entries = entries ? entries * 10 : 5) {
                triplets t = draw(sizes[s][0], sizes[s][1], entries, pattern);
                gsolve_csr A;
                for (int ones = 0; ones < 2; ones++) {
                    assert_int_equal(gs_csr_from_triplets(&A, ctx, t.nrows, t.ncols, t.entries, t.i,
                                                          t.j, ones ? NULL : t.v),
                                     GSOLVE_OK);
                    assert_sums(&A, &t, ones);
                    assert_transposes(&A);
                    assert_converts(&A);
                    gsolve_csr_free(&A, ctx);
                }
                drop(&t);
            }
        }
    }
}

static void triplets_that_are_not_finite(void **state)
{
    const int32_t i[] = {0, 2, 1}, j[] = {1, 0, 2};
    const double v[] = {1, NAN, 2};
    gsolve_csr A = {.nrows = -7};

    (void)state;
    assert_int_equal(gs_csr_from_triplets(&A, ctx, 3, 3, 3, i, j, v), GSOLVE_BAD_MATRIX);
    assert_says(ctx, "row 2 and column 0");
    assert_int_equal(A.nrows, -7);
}

/* --- memory and threads ---------------------------------------------------------------------- */

static gsolve_status build_triplets(void *arg)
{
    const triplets *t = arg;
    gsolve_csr A = {0};
    const gsolve_status status =
        gs_csr_from_triplets(&A, ctx, t->nrows, t->ncols, t->entries, t->i, t->j, t->v);

    assert_int_equal(status == GSOLVE_OK, A.start != NULL);
    gsolve_csr_free(&A, ctx);
    return status;
}

static gsolve_status build_clean(void *arg)
{
    gsolve_csr A = {0};
    int64_t *place = NULL;
    const gsolve_status status = gs_csr_clean(&A, ctx, arg, false, &place);

    assert_int_equal(status == GSOLVE_OK, A.start != NULL);
    assert_int_equal(status == GSOLVE_OK, place != NULL);
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_csr_free(&A, ctx);
    return status;
}

static gsolve_status build_transpose(void *arg)
{
    gsolve_csr A = {0};
    const gsolve_status status = gsolve_csr_transpose(&A, ctx, arg);

    gsolve_csr_free(&A, ctx);
    return status;
}

static gsolve_status build_convert(void *arg)
{
    gsolve_csr A = {0};
    const gsolve_status status = gsolve_csr_convert(&A, ctx, GSOLVE_F32, arg);

    gsolve_csr_free(&A, ctx);
    return status;
}

/* Rows of 7 entries in the order of their drawing; start is to be freed. */
static gsolve_csr unsorted(const triplets *t, int64_t *start)
{
    gsolve_csr A = {t->nrows, t->ncols, start, t->j, t->v, GSOLVE_O64, GSOLVE_F64, GSOLVE_HOST};

    for (int32_t i = 0; i <= t->nrows; i++) start[i] = t->entries / t->nrows * i;
    return A;
}

static void memory_may_run_out(void **state)
{
    triplets t = draw(100, 100, 700, SCATTERED), rows = draw(100, 100, 700, ASCENDING);
    int64_t start[101];
    gsolve_csr raw = unsorted(&rows, start), A;

    (void)state;
    assert_true(sweep(build_triplets, &t) > 6);
    assert_true(sweep(build_clean, &raw) > 3);
    assert_int_equal(gs_csr_clean(&A, ctx, &raw, gs_rows_ascend(ctx, &raw), NULL), GSOLVE_OK);
    assert_true(sweep(build_transpose, &A) > 3);
    assert_true(sweep(build_convert, &A) > 2);
    gsolve_csr_free(&A, ctx);
    drop(&t);
    drop(&rows);
}

static void threads_do_not_matter(void **state)
{
    triplets t = draw(3000, 2000, 210000, SCATTERED), rows = draw(30000, 2000, 210000, ASCENDING);
    int64_t *start = calloc(30001, sizeof *start), *place[2];
    gsolve_csr raw = unsorted(&rows, start), A[2], B[2], C[2];
    static const int threads[] = {1, 2, 3, 8, 40};
    uint64_t hash[2];
    gsolve_context *reference = NULL;

    (void)state;
    for (int k = 0; k < 5; k++) {
        const int at = k > 0;
        char spec[32];
        snprintf(spec, sizeof spec, "cpu,threads=%d", threads[k]);
        gsolve_context *c = open_context(spec), *mine = ctx;
        ctx = c;
        assert_int_equal(
            gs_csr_from_triplets(&A[at], c, t.nrows, t.ncols, t.entries, t.i, t.j, t.v), GSOLVE_OK);
        assert_int_equal(gsolve_csr_transpose(&B[at], c, &A[at]), GSOLVE_OK);
        assert_int_equal(gs_csr_clean(&C[at], c, &raw, gs_rows_ascend(c, &raw), &place[at]),
                         GSOLVE_OK);
        hash[at] = gs_csr_pattern_hash(c, &A[at]) ^ gs_hash(c, t.v, 210000 * sizeof *t.v, 3);
        if (k == 0) {
            assert_sums(&A[0], &t, false);
            assert_sums(&C[0], &rows, false);
        } else {
            assert_same(&A[0], &A[1]);
            assert_same(&B[0], &B[1]);
            assert_same(&C[0], &C[1]);
            assert_memory_equal(place[0], place[1], 210000 * sizeof *place[0]);
            assert_int_equal(hash[0], hash[1]);
        }
        ctx = mine;
        if (k > 0) gsolve_context_destroy(&c);
        if (k == 0) reference = c; /* holds what the others are compared with */
    }
    gsolve_context_destroy(&reference);
    free(start);
    drop(&t);
    drop(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(triplets_are_assembled),
        TEST(triplets_that_are_not_finite),
        TEST(memory_may_run_out),
        TEST(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
