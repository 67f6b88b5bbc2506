/* test_precond.c: what every preconditioner keeps, tried on all of the list. */
#include "precond_support.h"

#define EACH_TYPE(type) for (gsolve_type type = GSOLVE_F32; type < GSOLVE_TYPE_COUNT; type++)

enum { MOST_COLUMNS = 11 };

static double tolerance_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? 2e-5 : 1e-13;
}

/* --- the map ----------------------------------------------------------------------------- */

static void check_linear(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type, int32_t n)
{
    gsolve_dense r = random_dense(n, 3, 1, type), z = new_dense(n, 3, type);
    const gsolve_dense want = new_dense(n, 1, type);

    for (int32_t i = 0; i < n; i++) {
        set(column_of(r, 2), i, 2 * get(r, i) - 3 * get(column_of(r, 1), i));
    }
    assert_ok(ctx, gsolve_precond_apply(M, r, z));
    for (int32_t i = 0; i < n; i++) {
        assert_true(isfinite(get(z, i)));
        set(want, i, 2 * get(z, i) - 3 * get(column_of(z, 1), i));
    }
    assert_near(column_of(z, 2), want, 10 * tolerance_of(type));
    free(r.value), free(z.value), free(want.value);
}

/* y'(M^-1 x) = (M^-T y)'x */
static void check_adjoint(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type, int32_t n)
{
    gsolve_dense x = random_dense(n, 1, 2, type), y = random_dense(n, 1, 3, type);
    gsolve_dense Mx = new_dense(n, 1, type), My = new_dense(n, 1, type);

    assert_ok(ctx, gsolve_precond_apply(M, x, Mx));
    assert_ok(ctx, gsolve_precond_apply_transpose(M, y, My));
    const double scale = sqrt(dot(Mx, Mx) * dot(y, y));
    assert_true(fabs(dot(y, Mx) - dot(My, x)) <= tolerance_of(type) * scale);
    free(x.value), free(y.value), free(Mx.value), free(My.value);
}

static void check_dot(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type, int32_t n)
{
    gsolve_dense r = random_dense(n, 3, 4, type), z = new_dense(n, 3, type);
    gsolve_dense other = new_dense(n, 3, type);
    double rz[3];

    for (int32_t columns = 1; columns <= 3; columns += 2) {
        r.ncols = z.ncols = other.ncols = columns;
        assert_ok(ctx, gsolve_precond_apply(M, r, z));
        assert_ok(ctx, gsolve_precond_apply_dot(M, r, other, rz));
        assert_same_bits(other, z);
        for (int32_t c = 0; c < columns; c++) {
            const gsolve_dense rc = column_of(r, c), zc = column_of(z, c);
            assert_true(fabs(rz[c] - dot(rc, zc)) <= 1e-13 * sqrt(dot(rc, rc) * dot(zc, zc)));
        }
    }
    free(r.value), free(z.value), free(other.value);
}

typedef gsolve_status application(const gsolve_precond *M, gsolve_dense r, gsolve_dense z);

/* Any number of columns together: to rounding what each has alone, and the same bits every time. */
static void check_together(gsolve_context *ctx, const gsolve_precond *M, application *apply,
                           gsolve_dense r, gsolve_dense alone)
{
    static const int32_t count[] = {2, 3, 8, MOST_COLUMNS};
    gsolve_dense z = new_dense(r.nrows, r.ncols, r.type);
    gsolve_dense again = new_dense(r.nrows, r.ncols, r.type);

    for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
        r.ncols = z.ncols = again.ncols = count[k];
        assert_ok(ctx, apply(M, r, z));
        assert_ok(ctx, apply(M, r, again));
        assert_same_bits(again, z);
        for (int32_t c = 0; c < count[k]; c++) {
            assert_near(column_of(z, c), column_of(alone, c), 10 * tolerance_of(r.type));
        }
    }
    free(z.value), free(again.value);
}

static void check_columns(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type, int32_t n)
{
    gsolve_dense r = random_dense(n, MOST_COLUMNS, 5, type);
    gsolve_dense alone = new_dense(n, MOST_COLUMNS, type);

    for (int turned = 0; turned < 2; turned++) {
        application *apply = turned ? gsolve_precond_apply_transpose : gsolve_precond_apply;
        for (int32_t c = 0; c < MOST_COLUMNS; c++) {
            assert_ok(ctx, apply(M, column_of(r, c), column_of(alone, c)));
        }
        check_together(ctx, M, apply, r, alone);
    }
    free(r.value), free(alone.value);
}

/* The diagonal of a kind that has one is the map. */
static void check_diagonal(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type,
                           int32_t n)
{
    gsolve_dense r = random_dense(n, 1, 6, type), z = new_dense(n, 1, type);
    const gsolve_dense d = {n,
                            1,
                            n,
                            (void *)(uintptr_t)gsolve_precond_diagonal(M),
                            type,
                            GSOLVE_HOST,
                            GSOLVE_COLUMN_MAJOR};

    assert_ok(ctx, gsolve_precond_apply(M, r, z));
    for (int32_t i = 0; d.value && i < n; i++) {
        const double want = get(d, i) * get(r, i);
        assert_true(get(z, i) == (type == GSOLVE_F32 ? (double)(float)want : want));
    }
    free(r.value), free(z.value);
}

static void is_a_linear_map(void **state)
{
    static const int32_t size[][3] = {{5, 4, 3}, {1, 1, 1}, {40, 30, 10}, {3, 1, 1}, {0, 1, 1}};
    gsolve_context *ctx = *state;

    EACH_TYPE(type) for (int s = 0; s < 5; s++) for (int wind = 0; wind < 2; wind++)
    {
        gsolve_csr csr = grid(size[s][0], size[s][1], size[s][2], 0.5 * wind, 7, type);
        EACH_KIND(ctx, plugin)
        {
            gsolve_precond *M = make(ctx, plugin->name, &csr);
            assert_false(gsolve_precond_is_variable(M));
            check_linear(ctx, M, type, csr.nrows);
            check_adjoint(ctx, M, type, csr.nrows);
            check_dot(ctx, M, type, csr.nrows);
            check_columns(ctx, M, type, csr.nrows);
            check_diagonal(ctx, M, type, csr.nrows);
            gsolve_precond_destroy(&M);
            assert_null(M);
        }
        free_csr(&csr);
    }
}

/* --- updates ----------------------------------------------------------------------------- */

static void update_is_create(void **state)
{
    gsolve_context *ctx = *state;

    EACH_TYPE(type)
    {
        gsolve_csr before = grid(20, 16, 8, 0.2, 1, type), after = grid(20, 16, 8, 0.4, 2, type);
        EACH_KIND(ctx, plugin)
        {
            gsolve_precond *M = make(ctx, plugin->name, &before);
            gsolve_precond *fresh = make(ctx, plugin->name, &after);
            gsolve_dense old = both(ctx, M, type, before.nrows);
            assert_ok(ctx, gsolve_precond_update(M, &after));
            gsolve_dense z = both(ctx, M, type, before.nrows);
            gsolve_dense want = both(ctx, fresh, type, before.nrows);
            assert_same_bits(z, want);
            assert_ok(ctx, gsolve_precond_update(M, &before));
            free(z.value);
            z = both(ctx, M, type, before.nrows);
            assert_same_bits(z, old);
            gsolve_precond_destroy(&M);
            gsolve_precond_destroy(&fresh);
            free(z.value), free(want.value), free(old.value);
        }
        free_csr(&before), free_csr(&after);
    }
}

static void any_order_of_entries(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr first = grid(6, 5, 4, 0.2, 1, GSOLVE_F64),
               second = grid(6, 5, 4, 0.1, 2, GSOLVE_F64);
    gsolve_csr muddled = muddle(&first), other = muddle(&second);

    EACH_KIND(ctx, plugin)
    {
        gsolve_precond *M = make(ctx, plugin->name, &muddled), *N = make(ctx, plugin->name, &first);
        gsolve_dense z = both(ctx, M, GSOLVE_F64, 120), want = both(ctx, N, GSOLVE_F64, 120);
        assert_same_bits(z, want);
        free(z.value), free(want.value);
        assert_ok(ctx, gsolve_precond_update(M, &other));
        assert_ok(ctx, gsolve_precond_update(N, &second));
        z = both(ctx, M, GSOLVE_F64, 120), want = both(ctx, N, GSOLVE_F64, 120);
        assert_same_bits(z, want);
        free(z.value), free(want.value);
        gsolve_precond_destroy(&M), gsolve_precond_destroy(&N);
    }
    free_csr(&first), free_csr(&second), free_csr(&muddled), free_csr(&other);
}

/* --- threads ----------------------------------------------------------------------------- */

static void same_bits_for_any_threads(void **state)
{
    static const char *const spec[] = {"cpu,threads=1", "cpu,threads=2", "cpu,threads=3",
                                       "cpu,threads=8"};
    gsolve_csr csr = grid(72, 20, 20, 0.3, 3, GSOLVE_F64);
    gsolve_dense want = {0}, z;

    EACH_KIND(*state, plugin)
    {
        for (int t = 0; t < 4; t++) {
            gsolve_context *ctx = new_context(spec[t]);
            gsolve_precond *M = make(ctx, plugin->name, &csr);
            z = both(ctx, M, GSOLVE_F64, csr.nrows);
            if (t > 0) {
                assert_same_bits(z, want);
                free(z.value);
            } else {
                want = z;
            }
            gsolve_precond_destroy(&M);
            gsolve_context_destroy(&ctx);
        }
        free(want.value);
    }
    free_csr(&csr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(is_a_linear_map),
        TEST(update_is_create),
        TEST(any_order_of_entries),
        TEST(same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
