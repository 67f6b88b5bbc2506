/* test_precond_refused.c: preconditioners where memory or arguments are missing. */
#include "precond_support.h"

#include "core/device.h"

/* --- memory ------------------------------------------------------------------------------ */

static void assert_still(gsolve_context *ctx, const gsolve_precond *M, gsolve_dense want)
{
    gsolve_dense z = both(ctx, M, want.type, want.nrows);
    assert_same_bits(z, want);
    free(z.value);
}

/* An update that is denied each allocation in turn. Until one succeeds M is undefined, and keeps
 * what it has made so far. */
static void update_when_denied(gsolve_context *ctx, gsolve_precond *M, const gsolve_csr *csr)
{
    gsolve_status status = GSOLVE_NO_MEMORY;

    for (int64_t grant = 0; status != GSOLVE_OK; grant++) {
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_true(grant < 1000);
        gsolve_context_limit_allocations(ctx, grant);
        status = gsolve_precond_update(M, csr);
        gsolve_context_limit_allocations(ctx, -1);
    }
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
        update_when_denied(ctx, M, &muddled_next);
        N = make(ctx, plugin->name, &next);
        gsolve_dense want = both(ctx, N, GSOLVE_F64, csr.nrows);
        assert_still(ctx, M, want);
        gsolve_precond_destroy(&M), gsolve_precond_destroy(&N);
        free(want.value);
    }
    free_csr(&csr), free_csr(&next), free_csr(&muddled), free_csr(&muddled_next);
    free(r.value), free(z.value);
}

/* --- what is refused --------------------------------------------------------------------- */

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
                 "unknown preconditioner 'icc' (gsolve calls it 'ic'); allowed: none, jacobi");
    assert_fails(ctx, gsolve_precond_create(&M, ctx, "jacobi", &wide), GSOLVE_BAD_MATRIX, "2 x 3");
    set_value(&wide, 1, NAN);
    assert_fails(ctx, gsolve_precond_create(&M, ctx, "none", &wide), GSOLVE_BAD_MATRIX, "finite");
    assert_null(M);

    EACH_KIND(ctx, plugin)
    {
        M = make(ctx, plugin->name, &csr);
        assert_fails(ctx, gsolve_precond_update(M, &other), GSOLVE_BAD_MATRIX, "pattern or type");
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
    bad = z, bad.location = GSOLVE_DEVICE;
    assert_fails(ctx, gsolve_precond_apply(M, bad, z), GSOLVE_BAD_ARGUMENT, "device");
    bad = z, bad.value = NULL;
    assert_fails(ctx, gsolve_precond_apply(M, bad, z), GSOLVE_BAD_ARGUMENT, "no values");
    assert_fails(ctx, gsolve_precond_apply_dot(M, r, z, NULL), GSOLVE_BAD_ARGUMENT, "rz is NULL");
    gsolve_precond_destroy(&M);
    free_csr(&csr), free(r.value), free(z.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(survives_denied_memory),
        TEST(refuses_matrices),
        TEST(refuses_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
