/* test_core.c: contexts, specs, counted memory, and services on compressed rows. */
#include "tests/common.h"

#include <cs.h>
#include <math.h>

static void contexts(void **state)
{
    gsolve_context *ctx = NULL;
    (void)state;

    assert_int_equal(gsolve_context_create(&ctx, "cpu,threads=3"), GSOLVE_OK);
    assert_int_equal(gsolve_threads(ctx), 3);
    assert_string_equal(gsolve_error(ctx), "");
    gsolve_context_destroy(&ctx);
    gsolve_context_destroy(&ctx);
    assert_int_equal(gsolve_context_create(&ctx, "gpu"), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(NULL), "cpu"));
    assert_null(ctx);
    assert_int_equal(gsolve_context_create(&ctx, "cpu,treads=3"), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(NULL), "threads"));
    assert_int_equal(gsolve_context_create(&ctx, "cpu,threads=-1"), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_context_create(&ctx, NULL), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_context_create(&ctx, "auto"), GSOLVE_OK);
    gsolve_context_destroy(&ctx);
}

static void memory(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    (void)state;

    void *a = gsolve_alloc(ctx, GSOLVE_HOST, 1000, 8), *b = gsolve_alloc(ctx, GSOLVE_HOST, 0, 8);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal((uintptr_t)a % 64, 0);
    gsolve_context_describe(ctx, &info);
    assert_int_equal(info.blocks, 2);
    assert_true(info.bytes >= 8000 && info.peak >= 8000);
    gsolve_free(ctx, GSOLVE_HOST, a);
    gsolve_free(ctx, GSOLVE_HOST, NULL);
    gsolve_context_limit_allocations(ctx, 1);
    a = gsolve_alloc(ctx, GSOLVE_HOST, 1, 1);
    assert_non_null(a);
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, 1, 1));
    assert_non_null(strstr(gsolve_error(ctx), "out of memory"));
    gsolve_context_limit_allocations(ctx, -1);
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, SIZE_MAX / 4, 8));
    gsolve_free(ctx, GSOLVE_HOST, a);
    gsolve_free(ctx, GSOLVE_HOST, b);
    close_context(ctx);
}

typedef struct options {
    int whole, word;
    double real;
    bool flag;
} options;

static void specs(void **state)
{
    static const gsolve_option table[] = {
        {"whole", "", GSOLVE_INT, offsetof(options, whole), 5, 1, 9, NULL},
        {"real", "", GSOLVE_REAL, offsetof(options, real), 0.5, -1, 1e10, NULL},
        {"flag", "", GSOLVE_FLAG, offsetof(options, flag), 1, 0, 1, NULL},
        {"word", "", GSOLVE_CHOICE, offsetof(options, word), 0, 0, 0, "red|green|blue"},
        {0},
    };
    static const gsolve_plugin plugin = {"thing", "", table, sizeof(options)};
    static const struct {
        const char *spec, *complaint;
    } bad[] = {
        {"thing,hole=3", "whole, real, flag, word"},
        {"thing,whole", "whole=VALUE"},
        {"thing,whole=0", "from 1 to 9"},
        {"thing,whole=2.5", "whole number"},
        {"thing,whole=99999999999999", "from 1"},
        {"thing,real=2e10", "from -1"},
        {"thing,real=", "real="},
        {"thing,real=1x", "real=1x"},
        {"thing,flag=perhaps", "0 or 1"},
        {"thing,word=pink", "red|green|blue"},
        {"thing,", "after the last comma"},
        {"thing,real=nan", "real=nan"},
        {"thing,real=1e999", "real="},
    };
    gsolve_context *ctx = open_context(1);
    options o;
    (void)state;

    OK(ctx, gs_spec_options(ctx, &plugin, "thing", &o));
    assert_true(o.whole == 5 && o.real == 0.5 && o.flag && o.word == 0);
    OK(ctx, gs_spec_options(ctx, &plugin, "thing,whole=7,real=-2.5e-1,flag=no,word=blue", &o));
    assert_true(o.whole == 7 && o.real == -0.25 && !o.flag && o.word == 2);
    OK(ctx, gs_spec_options(ctx, &plugin, "thing,whole=2,whole=3", &o)); /* the later one counts */
    assert_int_equal(o.whole, 3);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(gs_spec_options(ctx, &plugin, bad[k].spec, &o), GSOLVE_BAD_SPEC);
        if (!strstr(gsolve_error(ctx), bad[k].complaint)) {
            fail_msg("%s: %s", bad[k].spec, gsolve_error(ctx));
        }
    }
    close_context(ctx);
}

static void refused_matrices(void **state)
{
    gsolve_context *ctx = open_context(2);
    int32_t start[] = {0, 2, 3}, col[] = {0, 1, 1};
    double value[] = {1, 2, 3};
    gsolve_csr csr = gsolve_csr_view(2, start, col, value);
    bool clean;
    (void)state;

    OK(ctx, gs_csr_check(ctx, &csr, &clean));
    assert_true(clean);
    col[2] = 2;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "row 1 has column index 2"));
    col[2] = -1;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_MATRIX);
    col[2] = 1;
    value[1] = NAN;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "finite"));
    value[1] = INFINITY;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_MATRIX);
    value[1] = 2;
    start[1] = 4;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_MATRIX);
    assert_non_null(strstr(gsolve_error(ctx), "offsets must not decrease"));
    start[0] = 1;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_MATRIX);
    csr.nrows = -1;
    assert_int_equal(gs_csr_check(ctx, &csr, &clean), GSOLVE_BAD_ARGUMENT);
    close_context(ctx);
}

/* Unsorted rows, duplicates, 64-bit offsets: clean ones come out, and the map leads there. */
static void cleaning(void **state)
{
    gsolve_context *ctx = open_context(2);
    const int64_t start[] = {0, 4, 4, 6};
    const int32_t col[] = {2, 0, 2, 1, 1, 0};
    const double value[] = {1, 2, 4, 8, 16, 32};
    const gsolve_csr csr = {3, 3, start, col, value, GSOLVE_O64, GSOLVE_F64, GSOLVE_HOST};
    gsolve_csr B;
    int64_t *place;
    bool clean;
    (void)state;

    OK(ctx, gs_csr_check(ctx, &csr, &clean));
    assert_false(clean);
    OK(ctx, gs_csr_clean(&B, ctx, &csr, false, &place));
    assert_int_equal(B.offset, GSOLVE_O32);
    assert_int_equal(gsolve_csr_entries(&B), 5);
    assert_int_equal(B.col[0], 0);
    assert_int_equal(B.col[2], 2);
    assert_true(((const double *)B.value)[2] == 5);
    assert_int_equal(place[0], 2);
    assert_int_equal(place[2], 2);
    assert_int_equal(place[5], 3);
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_csr_free(&B, ctx);
    ALLOCATION_SWEEP(ctx, gs_csr_clean(&B, ctx, &csr, false, &place));
    gsolve_free(ctx, GSOLVE_HOST, place);
    gsolve_csr_free(&B, ctx);
    close_context(ctx);
}

static void same_csr(const gsolve_csr *a, const gsolve_csr *b)
{
    const size_t entries = (size_t)gsolve_csr_entries(a);

    assert_int_equal(a->nrows, b->nrows);
    assert_int_equal(a->ncols, b->ncols);
    assert_memory_equal(a->start, b->start, ((size_t)a->nrows + 1) * sizeof(int32_t));
    if (entries == 0) return;
    assert_memory_equal(a->col, b->col, entries * sizeof(int32_t));
    assert_memory_equal(a->value, b->value, entries * sizeof(double));
}

/* Triplets in any order against cs_di_compress of CXSparse; the same bits for any threads. */
static void triplets(void **state)
{
    enum { COUNT = 30000 };
    static const int32_t sizes[][2] = {{1, 1}, {7, 900}, {900, 7}, {200, 200}, {50000, 3}};
    int32_t *i = malloc(COUNT * sizeof *i), *j = malloc(COUNT * sizeof *j);
    double *v = malloc(COUNT * sizeof *v);
    (void)state;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int32_t m = sizes[s][0], n = sizes[s][1];
        for (int k = 0; k < COUNT; k++) {
            i[k] = (int32_t)((gsolve_random(1, (uint64_t)k) + 1) / 2 * m);
            j[k] = (int32_t)((gsolve_random(2, (uint64_t)k) + 1) / 2 * n);
            v[k] = k % 5 - 2; /* whole numbers: any order of summing gives the same */
        }
        gsolve_context *one = open_context(1);
        gsolve_csr A, B, C, D;
        OK(one, gs_csr_from_triplets(&A, one, m, n, COUNT, i, j, v));
        for (int threads = 2; threads <= 8; threads += 3) {
            gsolve_context *many = open_context(threads);
            OK(many, gs_csr_from_triplets(&B, many, m, n, COUNT, i, j, v));
            same_csr(&A, &B);
            OK(many, gsolve_csr_transpose(&C, many, &B));
            OK(many, gsolve_csr_transpose(&D, many, &C));
            same_csr(&A, &D);
            gsolve_csr_free(&B, many);
            gsolve_csr_free(&C, many);
            gsolve_csr_free(&D, many);
            close_context(many);
        }
        cs_di T = {COUNT, n, m, i, j, v, COUNT}; /* rows and columns turned round */
        cs_di *compressed = cs_di_compress(&T);
        cs_di_dupl(compressed);
        assert_int_equal(compressed->p[m], gsolve_csr_entries(&A));
        double sum = 0, other = 0;
        for (int64_t k = 0; k < gsolve_csr_entries(&A); k++) {
            sum += ((const double *)A.value)[k] * (A.col[k] + 1);
            other += compressed->x[k] * (compressed->i[k] + 1);
        }
        assert_true(sum == other);
        cs_di_spfree(compressed);
        gsolve_csr_free(&A, one);
        ALLOCATION_SWEEP(one, gs_csr_from_triplets(&A, one, m, n, COUNT, i, j, v));
        gsolve_csr_free(&A, one);
        close_context(one);
    }
    free(i);
    free(j);
    free(v);
}

static void conversions(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:random,n=100,cols=70"), B, C;
    (void)state;

    OK(ctx, gsolve_csr_convert(&B, ctx, GSOLVE_F32, &A));
    OK(ctx, gsolve_csr_convert(&C, ctx, GSOLVE_F64, &B));
    for (int64_t k = 0; k < gsolve_csr_entries(&A); k++) {
        assert_true(((const double *)C.value)[k] == (double)(float)((const double *)A.value)[k]);
    }
    gsolve_csr_free(&B, ctx);
    gsolve_csr_free(&C, ctx);
    ALLOCATION_SWEEP(ctx, gsolve_csr_transpose(&B, ctx, &A));
    gsolve_csr_free(&B, ctx);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

static gsolve_statistics examine(gsolve_context *ctx, const char *name)
{
    gsolve_csr A = read_matrix(ctx, name);
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);

    OK(ctx, gsolve_csr_statistics(ctx, &A, &t));
    ALLOCATION_SWEEP(ctx, gsolve_csr_statistics(ctx, &A, &t));
    gsolve_csr_free(&A, ctx);
    return t;
}

static void traits(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_statistics t = examine(ctx, "gen:poisson2d,n=20");
    (void)state;

    assert_true(t.symmetric && t.symmetric_pattern && !t.skew);
    assert_int_equal(t.bandwidth, 20);
    assert_int_equal(t.longest_row, 5);
    assert_int_equal(t.shortest_row, 3);
    assert_int_equal(t.dominant_rows, 400);
    assert_int_equal(t.block, 1);
    assert_int_equal(t.length[2], 4); /* the corners: 3 entries */
    assert_int_equal(t.length[3], 400 - 4);
    t = examine(ctx, "gen:elasticity3d,n=3");
    assert_int_equal(t.block, 3);
    assert_true(t.symmetric);
    t = examine(ctx, "gen:convdiff3d,n=6");
    assert_true(t.symmetric_pattern && !t.symmetric);
    t = examine(ctx, "gen:neumann2d,n=10");
    assert_int_equal(t.zero_sum_rows, 100);
    t = examine(ctx, "gen:emptyrows,n=30,share=1");
    assert_int_equal(t.empty_rows, 30);
    assert_int_equal(t.first_empty_row, 0);
    assert_int_equal(t.first_zero_diagonal, 0);
    t = examine(ctx, "gen:tridiagonal,n=50,low=-1,diag=0,high=1");
    assert_true(t.skew && !t.symmetric);
    assert_int_equal(t.zero_diagonals, 50);
    t = examine(ctx, "gen:random,n=20,cols=30");
    assert_true(!t.symmetric && !t.symmetric_pattern);
    t = examine(ctx, "gen:tridiagonal,n=0");
    assert_int_equal(t.entries, 0);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),         cmocka_unit_test(memory),   cmocka_unit_test(specs),
        cmocka_unit_test(refused_matrices), cmocka_unit_test(cleaning), cmocka_unit_test(triplets),
        cmocka_unit_test(conversions),      cmocka_unit_test(traits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
