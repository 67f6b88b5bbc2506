/* test_precond.c: what every preconditioner keeps, tried on all of the list. */
#include "precond_support.h"

#include "core/device.h"

#define EACH_KIND(ctx, plugin)   \
    const gsolve_plugin *plugin; \
    for (int index_ = 0; (plugin = gsolve_precond_at(ctx, index_)) != NULL; index_++)

#define EACH_TYPE(type) for (gsolve_type type = GSOLVE_F32; type < GSOLVE_TYPE_COUNT; type++)

static double tolerance_of(gsolve_type type)
{
    return type == GSOLVE_F32 ? 2e-5 : 1e-13;
}

/* --- the map ------------------------------------------------------------------------------------
 */

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

static void check_columns(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type, int32_t n)
{
    gsolve_dense r = random_dense(n, 9, 5, type), z = new_dense(n, 9, type);
    gsolve_dense one = new_dense(n, 1, type);

    for (int turned = 0; turned < 2; turned++) {
        gsolve_status (*const apply)(const gsolve_precond *, gsolve_dense, gsolve_dense) =
            turned ? gsolve_precond_apply_transpose : gsolve_precond_apply;
        assert_ok(ctx, apply(M, r, z));
        for (int32_t c = 0; c < 9; c++) {
            assert_ok(ctx, apply(M, column_of(r, c), one));
            assert_same_bits(column_of(z, c), one);
        }
    }
    free(r.value), free(z.value), free(one.value);
}

/* The diagonal of a kind that has one is the map. */
static void check_diagonal(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type,
                           int32_t n)
{
    gsolve_dense r = random_dense(n, 1, 6, type), z = new_dense(n, 1, type);
    const gsolve_dense d = {n,    1,          n, (void *)(uintptr_t)gsolve_precond_diagonal(M),
                            type, GSOLVE_HOST};

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
            assert_false(gsolve_precond_varies(M));
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

/* --- updates ------------------------------------------------------------------------------------
 */

/* M^-1 r and M^-T r for a fixed r as two columns. */
static gsolve_dense both(gsolve_context *ctx, const gsolve_precond *M, gsolve_type type, int32_t n)
{
    gsolve_dense r = random_dense(n, 1, 8, type), z = new_dense(n, 2, type);

    assert_ok(ctx, gsolve_precond_apply(M, r, column_of(z, 0)));
    assert_ok(ctx, gsolve_precond_apply_transpose(M, r, column_of(z, 1)));
    free(r.value);
    return z;
}

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

/* The same matrix with each row turned round and its first entry split in two. */
static gsolve_csr muddle(const gsolve_csr *csr)
{
    const int64_t entries = gs_start(csr, csr->nrows);
    const gsolve_csr out = new_csr(csr->nrows, csr->ncols, entries + csr->nrows, csr->type);

    for (int32_t i = 0; i < csr->nrows; i++) {
        const int64_t from = gs_start(csr, i);
        for (int64_t k = gs_start(csr, i + 1) - 1; k > from; k--) {
            append(&out, i, csr->col[k], gs_value(csr, k));
        }
        append(&out, i, csr->col[from], 0.5 * gs_value(csr, from));
        append(&out, i, csr->col[from], 0.5 * gs_value(csr, from));
        close_row(&out, i);
    }
    return out;
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

/* --- threads ------------------------------------------------------------------------------------
 */

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

/* --- memory -------------------------------------------------------------------------------------
 */

/* Grants 0, 1, 2, ... allocations to a call until it succeeds. */
#define SWEEP(ctx, call, after_failure)              \
    for (int64_t grant_ = 0;; grant_++) {            \
        const int64_t before_ = blocks_of(ctx);      \
        gsolve_context_grant(ctx, grant_);           \
        const gsolve_status status_ = (call);        \
        gsolve_context_grant(ctx, -1);               \
        if (status_ == GSOLVE_OK) break;             \
        assert_int_equal(status_, GSOLVE_NO_MEMORY); \
        assert_int_equal(blocks_of(ctx), before_);   \
        after_failure;                               \
        assert_true(grant_ < 1000);                  \
    }

static void assert_still(gsolve_context *ctx, const gsolve_precond *M, gsolve_dense want)
{
    gsolve_dense z = both(ctx, M, want.type, want.nrows);
    assert_same_bits(z, want);
    free(z.value);
}

static void survives_denied_memory(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(16, 12, 8, 0.2, 1, GSOLVE_F64),
               next = grid(16, 12, 8, 0.3, 2, GSOLVE_F64);
    gsolve_csr muddled = muddle(&csr), muddled_next = muddle(&next);
    gsolve_dense r = random_dense(csr.nrows, 1, 1, GSOLVE_F64),
                 z = new_dense(csr.nrows, 1, GSOLVE_F64);

    EACH_KIND(ctx, plugin)
    {
        gsolve_precond *M = NULL, *N = NULL;
        SWEEP(ctx, gsolve_precond_create(&M, ctx, plugin->name, &muddled), assert_null(M));
        SWEEP(ctx, gsolve_precond_apply_transpose(M, r, z), (void)0);
        gsolve_dense old = both(ctx, M, GSOLVE_F64, csr.nrows);
        SWEEP(ctx, gsolve_precond_update(M, &muddled_next), assert_still(ctx, M, old));
        N = make(ctx, plugin->name, &next);
        gsolve_dense want = both(ctx, N, GSOLVE_F64, csr.nrows);
        assert_still(ctx, M, want);
        gsolve_precond_destroy(&M), gsolve_precond_destroy(&N);
        free(old.value), free(want.value);
    }
    free_csr(&csr), free_csr(&next), free_csr(&muddled), free_csr(&muddled_next);
    free(r.value), free(z.value);
}

/* --- what is refused
 * ------------------------------------------------------------------------------ */

static void refuses_matrices(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(4, 4, 1, 0, 1, GSOLVE_F64), wide = new_csr(2, 3, 3, GSOLVE_F64);
    gsolve_csr other = grid(2, 8, 1, 0, 1, GSOLVE_F64), narrow = grid(4, 4, 1, 0, 1, GSOLVE_F32);
    gsolve_precond *M = NULL;

    for (int32_t i = 0; i < 2; i++) append(&wide, i, i, 1), close_row(&wide, i);
    assert_int_equal(gsolve_precond_create(&M, NULL, "ic", &csr), GSOLVE_BAD_ARGUMENT);
    assert_fails(ctx, gsolve_precond_create(&M, ctx, NULL, &csr), GSOLVE_BAD_ARGUMENT, "NULL");
    assert_fails(ctx, gsolve_precond_create(&M, ctx, "ic", NULL), GSOLVE_BAD_ARGUMENT, "NULL");
    assert_fails(ctx, gsolve_precond_create(&M, ctx, "icc", &csr), GSOLVE_BAD_SPEC,
                 "no preconditioner 'icc'; there are none, jacobi");
    assert_fails(ctx, gsolve_precond_create(&M, ctx, "jacobi", &wide), GSOLVE_BAD_MATRIX, "2 x 3");
    set_value(&wide, 1, NAN);
    assert_fails(ctx, gsolve_precond_create(&M, ctx, "none", &wide), GSOLVE_BAD_MATRIX, "finite");
    assert_null(M);

    EACH_KIND(ctx, plugin)
    {
        M = make(ctx, plugin->name, &csr);
        assert_fails(ctx, gsolve_precond_update(M, &other), GSOLVE_BAD_MATRIX, "another pattern");
        assert_fails(ctx, gsolve_precond_update(M, &narrow), GSOLVE_BAD_MATRIX, "or type");
        assert_fails(ctx, gsolve_precond_update(M, NULL), GSOLVE_BAD_ARGUMENT, "matrix");
        gsolve_precond_destroy(&M);
    }
    gsolve_precond_destroy(NULL);
    free_csr(&csr), free_csr(&wide), free_csr(&other), free_csr(&narrow);
}

static void refuses_vectors(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(4, 4, 1, 0, 1, GSOLVE_F64);
    gsolve_dense r = random_dense(16, 2, 1, GSOLVE_F64), z = new_dense(16, 2, GSOLVE_F64), bad = z;
    gsolve_precond *M = make(ctx, "ic", &csr);

    assert_int_equal(gsolve_precond_apply(NULL, r, z), GSOLVE_BAD_ARGUMENT);
    bad.nrows = 15;
    assert_fails(ctx, gsolve_precond_apply(M, bad, z), GSOLVE_BAD_ARGUMENT, "15 x 2");
    assert_fails(ctx, gsolve_precond_apply_transpose(M, r, bad), GSOLVE_BAD_ARGUMENT, "15 x 2");
    bad = z, bad.ncols = 1;
    assert_fails(ctx, gsolve_precond_apply(M, r, bad), GSOLVE_BAD_ARGUMENT, "16 x 1");
    bad = z, bad.stride = 3;
    assert_fails(ctx, gsolve_precond_apply(M, r, bad), GSOLVE_BAD_ARGUMENT, "strides 19 and 3");
    bad = z, bad.type = GSOLVE_F32;
    assert_fails(ctx, gsolve_precond_apply(M, r, bad), GSOLVE_BAD_ARGUMENT, "type");
    bad = z, bad.place = GSOLVE_DEVICE;
    assert_fails(ctx, gsolve_precond_apply(M, bad, z), GSOLVE_BAD_ARGUMENT, "device");
    bad = z, bad.value = NULL;
    assert_fails(ctx, gsolve_precond_apply(M, bad, z), GSOLVE_BAD_ARGUMENT, "no values");
    assert_fails(ctx, gsolve_precond_apply_dot(M, r, z, NULL), GSOLVE_BAD_ARGUMENT, "r'z");
    gsolve_precond_destroy(&M);
    free_csr(&csr), free(r.value), free(z.value);
}

/* A kernel family without kernels for a device is an answer and not a crash. */
static void says_where_kernels_are_missing(void **state)
{
    gsolve_context *ctx = *state;
    const gs_device *device = ctx->device;
    gsolve_csr csr = grid(4, 4, 1, 0, 1, GSOLVE_F64);

    if (gs_device_cuda.plugin.name) skip();
    EACH_KIND(ctx, plugin)
    {
        const gsolve_precond_kind *kind = (const gsolve_precond_kind *)(const void *)plugin;
        char options[64] = {0};
        void *self = NULL;
        assert_true(plugin->option_size <= sizeof options);
        ctx->device = &gs_device_cuda;
        const gsolve_status status = kind->build(&self, ctx, &csr, options);
        ctx->device = device;
        assert_int_equal(status, GSOLVE_UNSUPPORTED);
        assert_non_null(strstr(gsolve_error(ctx), plugin->name));
        assert_null(self);
    }
    free_csr(&csr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(is_a_linear_map, set_up, tear_down),
        cmocka_unit_test_setup_teardown(update_is_create, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_order_of_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(same_bits_for_any_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_denied_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_matrices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_vectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_where_kernels_are_missing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
