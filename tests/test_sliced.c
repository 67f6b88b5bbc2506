/* test_sliced.c: what cannot be seen of the engine by slices through a format: how it stores. */
#include "tests/common.h"

#include <math.h>

#include "spmv/handle.h"
#include "spmv/sliced/sliced.h"

typedef struct rows { /* compressed rows made by hand, with room for some thousand entries */
    int32_t start[200], col[20000];
    double value[20000];
    gsolve_csr csr;
} rows;

static rows *new_rows(int32_t ncols)
{
    rows *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->csr = (gsolve_csr){.ncols = ncols,
                          .start = r->start,
                          .col = r->col,
                          .value = r->value,
                          .type = GSOLVE_F64,
                          .offset = GSOLVE_O32,
                          .location = GSOLVE_HOST};
    return r;
}

static void add(rows *r, int32_t column, double value)
{
    const int32_t at = r->start[r->csr.nrows + 1]++;
    r->col[at] = column;
    r->value[at] = value;
}

static void end_row(rows *r)
{
    const int32_t at = r->start[++r->csr.nrows];
    r->start[r->csr.nrows + 1] = at;
}

/* The form behind a handle cannot be seen, so it is made here; by other means. */
static gs_sliced *make(gsolve_context *ctx, const rows *r, gsolve_csr *placed,
                       gs_sliced_policy policy)
{
    gs_sliced *s = NULL;

    OK(ctx, gs_csr_move(placed, ctx, gs_location(ctx), &r->csr));
    OK(ctx, gs_sliced_make(&s, ctx, placed, &policy));
    return s;
}

static gs_sliced_policy policy_of(const gsolve_context *ctx, const gs_sliced_group *group,
                                  int index)
{
    return (gs_sliced_policy){
        .lanes = gs_sliced_lanes(ctx), .groups = 1, .group = group, .index = index};
}

/* y = A x on the host by the form, and by the rows. */
static void check(gsolve_context *ctx, const gs_sliced *s, const rows *r)
{
    const gsolve_csr *A = &r->csr;
    double *x = random_vector(A->ncols, 4), *y = calloc((size_t)A->nrows + 1, 8);
    void *there[2] = {gsolve_alloc(ctx, gs_location(ctx), (size_t)A->ncols, 8),
                      gsolve_alloc(ctx, gs_location(ctx), (size_t)A->nrows, 8)};

    OK(ctx, gsolve_copy(ctx, there[0], gs_location(ctx), x, GSOLVE_HOST, (size_t)A->ncols * 8));
    OK(ctx,
       GS_KERNELS(gs_sliced, ctx, A->type)->apply(ctx->queue, s, 1, there[0], 0, there[1], NULL));
    OK(ctx, gsolve_copy(ctx, y, GSOLVE_HOST, there[1], gs_location(ctx), (size_t)A->nrows * 8));
    for (int32_t i = 0; i < A->nrows; i++) {
        double sum = 0, size = 0;
        for (int32_t k = r->start[i]; k < r->start[i + 1]; k++) {
            sum += r->value[k] * x[r->col[k]];
            size += fabs(r->value[k] * x[r->col[k]]);
        }
        assert_true(fabs(sum - y[i]) <= 1e-14 * size);
    }
    for (int k = 0; k < 2; k++) gsolve_free(ctx, gs_location(ctx), there[k]);
    free(x);
    free(y);
}

/* Slices whose columns span just so many: 16 bits up to 65534, from one base or one of each
 * column; beyond that 32. */
static void spans(void **state)
{
    gsolve_context *ctx = open_context(2);
    const gs_sliced_group all = {0, 1, 0};
    (void)state;

    for (int32_t span = GS_SLICED_SPAN; span <= GS_SLICED_SPAN + 1; span++) {
        for (int far = 0; far <= 1; far++) { /* the span within a column of the slice, or not */
            rows *r = new_rows(200000);
            gsolve_csr placed;
            for (int i = 0; i < 40; i++) {
                add(r, far && i == 3 ? 7 + span : 7, i + 1);
                if (!far) add(r, 7 + span, 0.5);
                end_row(r);
            }
            gs_sliced *s = make(ctx, r, &placed, policy_of(ctx, &all, GS_INDEX_16));
            const int32_t slices = s->slices, width = far ? 1 : 2;
            const bool fits = span == GS_SLICED_SPAN;
            assert_true(s->narrow);
            assert_int_equal(s->columns, slices * width);
            assert_int_equal(s->units, slices * width + (far && !fits ? 1 : 0));
            assert_int_equal(s->bases, !far && !fits ? slices * width : 0);
            check(ctx, s, r);
            gs_sliced_destroy(s, ctx);
            gsolve_csr_free(&placed, ctx);
            free(r);
        }
    }
    close_context(ctx);
}

/* Column numbers are kept in 16 bits only where that saves. */
static void choice(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gs_sliced_group all = {0, 1, 0};
    (void)state;

    for (int scattered = 0; scattered <= 1; scattered++) {
        rows *r = new_rows(1000000);
        gsolve_csr placed;
        for (int i = 0; i < 64; i++) {
            for (int k = 0; k < 9; k++) {
                add(r, scattered ? k * 100000 + (i * 7919) % 99000 : i + k, 1);
            }
            end_row(r);
        }
        gs_sliced *s = make(ctx, r, &placed, policy_of(ctx, &all, GS_INDEX_AUTO));
        assert_int_equal(s->narrow, !scattered);
        check(ctx, s, r);
        gs_sliced_destroy(s, ctx);
        gsolve_csr_free(&placed, ctx);
        free(r);
    }
    close_context(ctx);
}

/* Groups of rows with other numbers of lanes, kept entries, long rows, lengths and an order. */
static void policies(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int variant = 0; variant < 12; variant++) {
        const gs_sliced_group groups[] = {{0, 1, 0}, {5, 4, 7}, {5, 1, 0}, {70, 8, 0}};
        rows *r = new_rows(5000);
        gsolve_csr placed;
        for (int i = 0; i < 150; i++) {
            const int length = i % 50 == 9 ? 1500 + i : i % 11;
            for (int k = 0; k < length; k++) add(r, i + 3 * k, 1 + i % 5 + 0.25 * k);
            end_row(r);
        }
        gs_sliced_policy policy = {.lanes = 32,
                                   .groups = variant % 2 && gs_on_gpu(ctx) ? 4 : 1,
                                   .group = groups,
                                   .most = variant / 2 % 2 ? 12 : 0,
                                   .lengths = variant % 5 > 2,
                                   .index = variant % 3};
        OK(ctx, gs_csr_move(&placed, ctx, gs_location(ctx), &r->csr));
        const gs_sliced_classes by = {64, policy.most ? policy.most : INT32_MAX, 0, NULL};
        if (variant > 5) {
            OK(ctx, GS_KERNELS(gs_sliced, ctx, GSOLVE_F64)
                        ->sort(ctx, &placed, &by, &policy.order, NULL));
        }
        gs_sliced *s = NULL;
        OK(ctx, gs_sliced_make(&s, ctx, &placed, &policy));
        assert_int_equal(s->nlong, policy.most ? 3 : 0);
        check(ctx, s, r);
        gs_sliced_destroy(s, ctx);
        gsolve_csr_free(&placed, ctx);
        free(r);
    }
    close_context(ctx);
}

/* keep: only the first entries of a row. */
static void kept(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gs_sliced_group all = {0, 1, 0};
    rows *r = new_rows(100), *first = new_rows(100);
    gsolve_csr placed;
    (void)state;

    for (int i = 0; i < 45; i++) {
        for (int k = 0; k < i % 7; k++) {
            add(r, 10 * k + i % 10, i + k);
            if (k < 3) add(first, 10 * k + i % 10, i + k);
        }
        end_row(r);
        end_row(first);
    }
    gs_sliced_policy policy = policy_of(ctx, &all, GS_INDEX_AUTO);
    policy.keep = 3;
    gs_sliced *s = make(ctx, r, &placed, policy);
    check(ctx, s, first);
    gs_sliced_destroy(s, ctx);
    gsolve_csr_free(&placed, ctx);
    free(r);
    free(first);
    close_context(ctx);
}

/* Padding does not reach x: a row has a nan only from a column that it holds. */
static void padding(void **state)
{
    static const char *const specs[] = {"sell,index=16", "sell,index=32,sigma=1", "ell",
                                        "ellr,threads=2", "ellr,threads=1,index=32"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (size_t f = 0; f < sizeof specs / sizeof *specs; f++) {
        rows *r = new_rows(50);
        double x[50], y[37];
        gsolve_matrix *M = NULL;
        for (int i = 0; i < 37; i++) {
            for (int k = 0; k < i % 6; k++) add(r, 8 * k + 1 + i % 4, 1);
            end_row(r);
        }
        OK(ctx, gsolve_matrix_create(&M, ctx, specs[f], &r->csr));
        for (int held = -1; held < 50; held++) { /* all but one are nan */
            for (int j = 0; j < 50; j++) x[j] = j == held ? 2 : NAN;
            OK(ctx, gsolve_matrix_apply(M, 1, gsolve_vector(x, 50), 0, gsolve_vector(y, 37)));
            for (int i = 0; i < 37; i++) {
                const bool alone = r->start[i + 1] - r->start[i] == 1;
                if (r->start[i + 1] == r->start[i]) {
                    assert_true(y[i] == 0);
                } else {
                    assert_int_equal(!isnan(y[i]), alone && r->col[r->start[i]] == held);
                }
            }
        }
        gsolve_matrix_destroy(&M);
        free(r);
    }
    close_context(ctx);
}

static size_t bytes_of(const gsolve_matrix *M, int64_t *stored)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    gsolve_matrix_describe(M, &info);
    *stored = info.stored;
    return info.bytes;
}

/* value=auto: fp32 as long as every value is exact there, and otherwise what the matrix has. */
static void light(void **state)
{
    const double values[] = {0.1, 1e300, 1e-46, 3, ldexp(1, 24) + 1};
    gsolve_context *ctx = open_context(2);
    rows *r = new_rows(300);
    gsolve_matrix *M = NULL;
    (void)state;

    for (int i = 0; i < 150; i++) {
        for (int k = 0; k < 5; k++) add(r, i + 20 * k, 6 - i % 3);
        end_row(r);
    }
    OK(ctx, gsolve_matrix_create(&M, ctx, "sell,value=auto", &r->csr));
    int64_t stored;
    const size_t least = bytes_of(M, &stored);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        double x[300], y[150];
        r->value[499] = values[v];
        OK(ctx, gsolve_matrix_update(M, &r->csr));
        assert_true(bytes_of(M, &stored) == least + (values[v] == 3 ? 0 : 4 * (size_t)stored));
        for (int j = 0; j < 300; j++) x[j] = j == r->col[499];
        OK(ctx, gsolve_matrix_apply(M, 1, gsolve_vector(x, 300), 0, gsolve_vector(y, 150)));
        assert_true(y[99] == values[v]);
    }
    ALLOCATION_SWEEP(ctx, gsolve_matrix_update(M, (r->value[0] = 0.3, &r->csr)));
    gsolve_matrix_destroy(&M);
    free(r);
    close_context(ctx);
}

/* Rows that are few and long are shared among lanes on a GPU, and nowhere else. */
static void few_long_rows(void **state)
{
    static const char *const specs[] = {"sell", "sell,index=32", "hyb", "hyb,width=333", "ellr"};
    enum { ROWS = 45, COLUMNS = 900 };
    gsolve_context *ctx = open_context(2);
    rows *r = new_rows(COLUMNS);
    double *x = random_vector(COLUMNS, 1), y[ROWS];
    (void)state;

    assert_int_equal(gs_sliced_lanes_per_row(true, 4000, 10800000), 32);
    assert_int_equal(gs_sliced_lanes_per_row(true, 10000, 810000), 8);
    assert_int_equal(gs_sliced_lanes_per_row(true, 1 << 20, 81 << 20), 1);
    assert_int_equal(gs_sliced_lanes_per_row(true, 4000, 20000), 1);
    assert_int_equal(gs_sliced_lanes_per_row(true, 0, 0), 1);
    assert_int_equal(gs_sliced_lanes_per_row(false, 4000, 10800000), 1);
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < 380 + i % 7; k++) add(r, i + 2 * k, 1 + k % 5);
        end_row(r);
    }
    for (size_t f = 0; f < sizeof specs / sizeof *specs; f++) {
        gsolve_matrix *M = NULL;
        OK(ctx, gsolve_matrix_create(&M, ctx, specs[f], &r->csr));
        OK(ctx, gsolve_matrix_apply(M, 1, gsolve_vector(x, COLUMNS), 0, gsolve_vector(y, ROWS)));
        for (int i = 0; i < ROWS; i++) {
            double sum = 0, size = 0;
            for (int32_t k = r->start[i]; k < r->start[i + 1]; k++) {
                sum += r->value[k] * x[r->col[k]];
                size += fabs(r->value[k] * x[r->col[k]]);
            }
            if (!(fabs(sum - y[i]) <= 1e-14 * size)) fail_msg("%s: row %d", specs[f], i);
        }
        gsolve_matrix_destroy(&M);
    }
    free(x);
    free(r);
    close_context(ctx);
}

/* Refused with a sentence: padding that explodes, slices that there are none of. */
static void refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:circuit,n=5000,dense=1");
    gsolve_matrix *M = NULL;
    (void)state;

    assert_int_equal(gsolve_matrix_create(&M, ctx, "ell", &A), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "would store"));
    assert_int_equal(gsolve_matrix_create(&M, ctx, "sell,slice=12", &A), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_matrix_create(&M, ctx, "ellr,threads=3", &A), GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "16 or 32"));
    ALLOCATION_SWEEP(ctx, gsolve_matrix_create(&M, ctx, "sell", &A));
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* sell sorts rows where those that it stores would be padded, however many entries long ones have.
 */
static void sorting(void **state)
{
    gsolve_context *ctx = open_context(1);
    rows *r = new_rows(4000);
    gsolve_matrix *M = NULL;
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);
    (void)state;

    for (int i = 0; i < 150; i++) {
        const int length = i == 70 ? 4000 : i % 2 ? 9 : 1;
        for (int k = 0; k < length; k++) add(r, k, 1);
        end_row(r);
    }
    OK(ctx, gsolve_matrix_create(&M, ctx, "sell", &r->csr));
    gsolve_matrix_describe(M, &info);
    assert_true(info.stored < 4000 + 150 * 7);
    gsolve_matrix_destroy(&M);
    free(r);
    close_context(ctx);
}

/* Rows that a matrix in slices gives up come back as they were. */
static void check_back(gsolve_context *ctx, const char *name, gsolve_type type, const char *spec)
{
    gsolve_csr read = read_matrix(ctx, name), A, there, back;
    gsolve_matrix *M = NULL;

    OK(ctx, gsolve_csr_convert(&A, ctx, type, &read));
    OK(ctx, gs_csr_move(&there, ctx, gs_location(ctx), &A));
    OK(ctx, gs_matrix_create_unchecked(&M, ctx, spec, &there));
    gs_matrix_release_rows(M);
    assert_int_equal(M->csr.col == NULL, gs_on_gpu(ctx)); /* on the CPU they stay */
    assert_int_equal(M->csr.value == NULL, gs_on_gpu(ctx));
    OK(ctx, gs_matrix_restore_rows(M));
    gsolve_matrix_device_csr(M, &there);
    OK(ctx, gs_csr_move(&back, ctx, GSOLVE_HOST, &there));
    assert_memory_equal(back.col, A.col, (size_t)gsolve_csr_entries(&A) * 4);
    assert_memory_equal(back.value, A.value, (size_t)gsolve_csr_entries(&A) * gs_type_size(type));
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&back, ctx);
    gsolve_csr_free(&A, ctx);
    gsolve_csr_free(&read, ctx);
}

static void rows_come_back(void **state)
{
    static const char *const name[] = {"gen:poisson2d,n=57", "gen:poisson3d27,n=7",
                                       "gen:random,n=900,row=9", "gen:emptyrows,n=300",
                                       "gen:random,n=200000,cols=200000,row=2"};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        check_back(ctx, name[k], GSOLVE_F64, "sell");
        check_back(ctx, name[k], GSOLVE_F32, "sell,sigma=64");
        check_back(ctx, name[k], GSOLVE_F64, "sell,slice=8,value=auto");
        check_back(ctx, name[k], GSOLVE_F32, "sell,index=32");
    }
    close_context(ctx);
}

/* A row that is not in the slices is not given up. */
static void long_rows_stay(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:circuit,n=900,dense=2"), there;
    gsolve_matrix *M = NULL;
    (void)state;

    OK(ctx, gs_csr_move(&there, ctx, gs_location(ctx), &A));
    OK(ctx, gs_matrix_create_unchecked(&M, ctx, "sell,most=16", &there));
    gs_matrix_release_rows(M);
    assert_non_null(M->csr.col);
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(void)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans),          cmocka_unit_test(choice),
        cmocka_unit_test(policies),       cmocka_unit_test(kept),
        cmocka_unit_test(padding),        cmocka_unit_test(light),
        cmocka_unit_test(few_long_rows),  cmocka_unit_test(refused),
        cmocka_unit_test(sorting),        cmocka_unit_test(rows_come_back),
        cmocka_unit_test(long_rows_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
