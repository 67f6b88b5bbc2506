/* test_bce.c: what bce makes of matrices whose rows differ. */
#include "tests/common.h"

#include "core/context.h"
#include "spmv/bce/bce.h"

#include <math.h>

static gsolve_matrix_info info_of(gsolve_context *ctx, const char *spec, const gsolve_csr *A)
{
    gsolve_matrix *M = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    OK(ctx, gsolve_matrix_create(&M, ctx, spec, A));
    gsolve_matrix_describe(M, &info);
    gsolve_matrix_destroy(&M);
    return info;
}

/* One block pads much, and the more there may be, the less is moved. */
static void blocks_save_padding(void **state)
{
    static const char *const names[] = {"gen:rmat,scale=14,degree=12", "gen:web,n=30000"};
    static const char *const specs[] = {"bce,blocks=1", "bce,blocks=2", "bce"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        gsolve_csr A = read_matrix(ctx, names[m]);
        gsolve_matrix_info last = GSOLVE_INIT(gsolve_matrix_info);
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            const gsolve_matrix_info info = info_of(ctx, specs[s], &A);
            assert_true(info.stored >= info.entries);
            if (s == 0) assert_true((double)info.stored > 1.5 * (double)info.entries);
            if (s > 0) assert_true(info.bytes <= last.bytes);
            last = info;
        }
        assert_true((double)last.stored < (gs_on_gpu(ctx) ? 1.3 : 1.4) * (double)last.entries);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* The estimate from the lengths of rows is a bound of what is stored, and near it with the
 * default options. */
static void estimate_is_a_bound(void **state)
{
    static const char *const names[] = {"gen:rmat,scale=12,degree=12", "gen:web,n=9000",
                                        "gen:poisson2d,n=60", "gen:random,n=3001,row=40"};
    static const gs_bce_options options[] = {
        {0, GS_BCE_BYTES, 65536, 0, 0}, {5, GS_BCE_BYTES, 1024, 0, 0},
        {0, GS_BCE_PAPER, 1024, 0, 0},  {1, GS_BCE_BYTES, 2048, 0, 0},
        {3, GS_BCE_PAPER, 5000, 0, 0},
    };
    gsolve_context *ctx = open_context(2);
    const bool gpu = gs_on_gpu(ctx);
    int shared = 0, blocks = 0;
    (void)state;

    for (size_t k = 0; k < 4 * sizeof options / sizeof *options; k++) {
        const gs_bce_options *o = &options[k / 4];
        gsolve_csr A = read_matrix(ctx, names[k % 4]);
        int32_t rows[GS_BCE_LONGEST + 1] = {0};
        gs_bce_plan p;
        char spec[100];
        int64_t of_long = 0;
        for (int32_t i = 0; i < A.nrows; i++) {
            const int64_t length = gs_start(&A, i + 1) - gs_start(&A, i);
            rows[gs_sliced_short(&A, i, GS_BCE_LONGEST)]++;
            if (length > GS_BCE_LONGEST) of_long += length;
        }
        gs_bce_make_plan(&p, o, &A, rows, gpu);
        if (gs_bce_may_keep_order(&p, A.nrows)) {
            const int32_t lanes = p.model.lanes;
            gs_bce_keep_order(&p, A.nrows, gs_sliced_estimate_stored(&A, lanes, 1, GS_BCE_LONGEST));
        }
        snprintf(spec, sizeof spec, "bce,blocks=%d,cost=%s,window=%d", o->blocks,
                 o->cost == GS_BCE_PAPER ? "paper" : "bytes", o->window);
        const gsolve_matrix_info info = info_of(ctx, spec, &A);
        char said[40];
        snprintf(said, sizeof said, "%d group%s of rows, ", p.best.blocks,
                 p.best.blocks > 1 ? "s" : "");
        assert_true(strstr(info.note, said) == info.note);
        const bool usual = o->blocks == 0 && o->cost == GS_BCE_BYTES;
        int64_t slices;
        const double stored = gs_bce_estimate_stored(&p, &A, &slices) + (double)of_long;
        if (stored < (double)info.stored || (usual && stored > 1.1 * (double)info.stored)) {
            fail_msg("%s of %s: %.0f estimated, %lld stored", spec, names[k % 4], stored,
                     (long long)info.stored);
        }
        for (int b = 1; b < p.best.blocks; b++) shared += p.lanes[b] != p.lanes[0];
        blocks += p.best.blocks > 1;
        gsolve_csr_free(&A, ctx);
    }
    assert_true(blocks > 0);
    assert_int_equal(shared > 0, gpu); /* groups of several lanes */
    close_context(ctx);
}

/* Where rows are alike they stay in their positions: no order is stored, and nothing is padded. */
static void equal_rows_stay(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr A = read_matrix(ctx, "gen:random,n=4096,row=9");
    (void)state;

    assert_true(gsolve_csr_entries(&A) == 9 * (int64_t)A.nrows);
    const gsolve_matrix_info bce = info_of(ctx, "bce,index=32", &A);
    const gsolve_matrix_info sell = info_of(ctx, "sell,sigma=1,index=32", &A);
    assert_true(bce.stored == bce.entries && bce.bytes == sell.bytes);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* Rows too long for a block, beside blocks of many lanes and of one, in several windows. */
static void long_rows(void **state)
{
    gsolve_context *ctx = open_context(2);
    enum { N = 5000, FULL = 3 };
    int64_t *start = malloc((N + 1) * sizeof *start), entries = 0;
    int32_t *col = malloc((size_t)N * (FULL + 10) * sizeof *col + 8000 * sizeof *col);
    double *x = random_vector(N, 1), *y = malloc(N * sizeof *y), *value;
    gsolve_matrix *M = NULL;
    (void)state;

    for (int32_t i = 0; i < N; i++) { /* one of 3000, some of 500, empty ones, and short ones */
        const int32_t length = i == 1234 ? 3000 : i % 1000 == 7 ? 500 : i % 5;
        start[i] = entries;
        for (int32_t k = 0; k < length; k++) col[entries++] = length > 100 ? k : (i + 7 * k) % 4900;
        for (int32_t k = 1; k < length && length <= 100; k++) { /* a wrap would not ascend */
            col[start[i] + k] = col[start[i]] + k;
        }
    }
    start[N] = entries;
    value = random_vector(entries, 2);
    const gsolve_csr A = {.nrows = N,
                          .ncols = N,
                          .start = start,
                          .col = col,
                          .value = value,
                          .type = GSOLVE_F64,
                          .offset = GSOLVE_O64,
                          .location = GSOLVE_HOST};
    ALLOCATION_SWEEP(ctx, gsolve_matrix_create(&M, ctx, "bce,window=1024", &A));
    OK(ctx, gsolve_matrix_apply(M, 1, gsolve_vector(x, N), 0, gsolve_vector(y, N)));
    for (int32_t i = 0; i < N; i++) {
        double want = 0, size = 1;
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            want += value[k] * x[col[k]];
            size += fabs(value[k] * x[col[k]]);
        }
        assert_true(fabs(y[i] - want) <= 1e-14 * size);
    }
    gsolve_matrix_destroy(&M);
    free(start);
    free(col);
    free(value);
    free(x);
    free(y);
    close_context(ctx);
}

static void refused(void **state)
{
    static const char *const specs[] = {"bce,window=100", "bce,blocks=129", "bce,cost=time"};
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:tridiagonal,n=5");
    gsolve_matrix *M = NULL;
    (void)state;

    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        assert_int_equal(gsolve_matrix_create(&M, ctx, specs[s], &A), GSOLVE_BAD_SPEC);
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_save_padding),
        cmocka_unit_test(estimate_is_a_bound),
        cmocka_unit_test(equal_rows_stay),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(refused),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
