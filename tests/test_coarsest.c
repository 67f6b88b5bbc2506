/* test_coarsest.c: the inverse that is made where the matrix lies, and what is found on the way.
 * $GSOLVE_TEST_DEVICE names the device. */
#include <math.h>

#include "core/staging.h"
#include "precond/amg/coarsest/invert.h"
#include "tests/common.h"

typedef struct dense {
    int32_t n;
    double a[200 * 200], inverse[200 * 200], transposed[200 * 200];
    gs_inverted found;
} dense;

/* |i - j| <= 3 apart; symmetric with a dominant diagonal. */
static void fill(dense *d, int32_t n)
{
    memset(d, 0, sizeof *d);
    d->n = n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i < 3 ? 0 : i - 3; j <= i; j++) {
            const double v = i == j ? 9 : gsolve_random(3, (uint64_t)(i * n + j));
            d->a[i * n + j] = d->a[j * n + i] = v;
        }
    }
}

static gsolve_csr rows_of(gsolve_context *ctx, const dense *d, gsolve_type type)
{
    gsolve_csr wide, there, here;
    int32_t *start, *col, at = 0;
    double *value;

    OK(ctx, gs_csr_new(&wide, ctx, d->n, d->n, (int64_t)d->n * d->n, GSOLVE_F64));
    start = (int32_t *)(uintptr_t)wide.start;
    col = (int32_t *)(uintptr_t)wide.col;
    value = (double *)(uintptr_t)wide.value;
    for (int32_t i = 0; i < d->n; i++) {
        start[i] = at;
        for (int32_t j = 0; j < d->n; j++) {
            if (d->a[i * d->n + j] == 0) continue;
            col[at] = j;
            value[at++] = d->a[i * d->n + j];
        }
    }
    start[d->n] = at;
    OK(ctx, gsolve_csr_convert(&here, ctx, type, &wide));
    OK(ctx, gs_csr_move(&there, ctx, gs_location(ctx), &here));
    gsolve_csr_free(&here, ctx);
    gsolve_csr_free(&wide, ctx);
    return there;
}

/* to = the n x n numbers at there, by way of here. */
static void fetch(gsolve_context *ctx, const void *there, gsolve_type type, size_t n, void *here,
                  double *to)
{
    OK(ctx,
       gsolve_copy(ctx, here, GSOLVE_HOST, there, gs_location(ctx), n * n * gs_type_size(type)));
    for (size_t k = 0; k < n * n; k++) {
        to[k] = type == GSOLVE_F32 ? (double)((float *)here)[k] : ((double *)here)[k];
    }
}

static void invert(gsolve_context *ctx, dense *d, gsolve_type type, bool nonsymmetric)
{
    const size_t n = (size_t)d->n, size = gs_type_size(type);
    gsolve_csr A = rows_of(ctx, d, type);
    void *there = gsolve_alloc(ctx, gs_location(ctx), n * n, size), *here = malloc(n * n * size);
    void *turned = gsolve_alloc(ctx, gs_location(ctx), n * n, size);
    gsolve_dense ones, w;
    double *one = malloc(n * 8);

    for (size_t i = 0; i < n; i++) one[i] = 1;
    ones = gsolve_vector(one, d->n);
    OK(ctx, gs_dense_new(&w, ctx, gs_location(ctx), type, d->n, 1));
    if (type == GSOLVE_F32) {
        for (size_t i = 0; i < n; i++) ((float *)here)[i] = 1;
        OK(ctx, gsolve_copy(ctx, w.value, gs_location(ctx), here, GSOLVE_HOST, n * 4));
    } else {
        OK(ctx, gsolve_copy(ctx, w.value, gs_location(ctx), ones.value, GSOLVE_HOST, n * 8));
    }
    OK(ctx, GS_SCALAR_KERNELS(gs_invert, ctx, type)
                ->invert(there, nonsymmetric ? turned : NULL, &d->found, ctx, &A, w));
    fetch(ctx, there, type, n, here, d->inverse);
    if (nonsymmetric) fetch(ctx, turned, type, n, here, d->transposed);
    gsolve_free(ctx, gs_location(ctx), there);
    gsolve_free(ctx, gs_location(ctx), turned);
    gsolve_free(ctx, gs_location(ctx), w.value);
    gsolve_csr_free(&A, ctx);
    free(here), free(one);
}

static void check_inverse(const dense *d, double rounding)
{
    const int32_t n = d->n;

    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;
            for (int32_t k = 0; k < n; k++) sum += d->a[i * n + k] * d->inverse[k * n + j];
            assert_true(fabs(sum) <= rounding);
        }
    }
}

static void inverses(void **state)
{
    static const int32_t sizes[] = {1, 2, 31, 32, 33, 64, 100, 200};
    gsolve_context *ctx = open_context(1);
    dense *d = malloc(sizeof *d);
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            fill(d, sizes[k]);
            invert(ctx, d, (gsolve_type)type, false);
            check_inverse(d, type == GSOLVE_F32 ? 1e-5 : 1e-13);
            assert_true(d->found.norm >= 9 && d->found.norm < 20);
            assert_true(d->found.asymmetry == 0);
            assert_true(d->found.least_pivot > 1 && d->found.most_pivot <= 9);
            assert_true(d->found.largest[0] == 1 && d->found.image[0] > 1);
        }
    }
    free(d);
    close_context(ctx);
}

/* Of a matrix that is not symmetric, with its transpose; and what is left tells a wrong one. */
static void nonsymmetric(void **state)
{
    static const int32_t sizes[] = {1, 31, 33, 100, 200};
    gsolve_context *ctx = open_context(1);
    dense *d = malloc(sizeof *d);
    (void)state;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int32_t n = sizes[k];
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            fill(d, n);
            for (int32_t i = 0; i + 2 < n; i++) d->a[i * n + i + 2] = -4;
            invert(ctx, d, (gsolve_type)type, true);
            check_inverse(d, type == GSOLVE_F32 ? 1e-5 : 1e-13);
            assert_true(d->found.residual <= 1e-12);
            for (int32_t i = 0; i < n; i++) {
                for (int32_t j = 0; j < n; j++) {
                    assert_true(d->transposed[i * n + j] == d->inverse[j * n + i]);
                }
            }
        }
    }
    fill(d, 70); /* a pivot of nearly nothing, and not for lack of rank */
    d->a[0] = 1e-13;
    d->a[1] = 1;
    d->a[70] = -1;
    invert(ctx, d, GSOLVE_F64, true);
    assert_true(!(d->found.residual <= 1e-9));
    free(d);
    close_context(ctx);
}

/* What makes elimination without pivots wrong is seen. */
static void doubts(void **state)
{
    gsolve_context *ctx = open_context(1);
    dense *d = malloc(sizeof *d);
    (void)state;

    fill(d, 70);
    d->a[40 * 70 + 40] = -9;
    invert(ctx, d, GSOLVE_F64, false);
    assert_true(d->found.least_pivot == 0);

    fill(d, 70);
    d->a[69 * 70 + 68] += 0.25;
    invert(ctx, d, GSOLVE_F64, false);
    assert_true(fabs(d->found.asymmetry - 0.25) < 1e-14);

    fill(d, 70); /* rows that sum to 0 */
    for (int32_t i = 0; i < 70; i++) {
        double sum = 0;
        for (int32_t j = 0; j < 70; j++) sum += i == j ? 0 : fabs(d->a[i * 70 + j]);
        for (int32_t j = 0; j < 70; j++) d->a[i * 70 + j] = -fabs(d->a[i * 70 + j]);
        d->a[i * 70 + i] = sum;
    }
    invert(ctx, d, GSOLVE_F64, false);
    assert_true(d->found.image[0] <= 1e-13 * d->found.norm);
    free(d);
    close_context(ctx);
}

int main(void)
{
    need_device();
    const struct CMUnitTest tests[] = {cmocka_unit_test(inverses), cmocka_unit_test(nonsymmetric),
                                       cmocka_unit_test(doubts)};
    gsolve_context *ctx;
    bool inverts;

    ctx = open_context(1);
    inverts = GS_SCALAR_KERNELS(gs_invert, ctx, GSOLVE_F64)->invert;
    close_context(ctx);
    if (!inverts) {
        printf("skipped: only a GPU inverts\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
