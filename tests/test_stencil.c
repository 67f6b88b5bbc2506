/* test_stencil.c: an operator whose function launches a kernel of its own, on a GPU a CUDA kernel
 * on the context's stream: by cg with chebyshev, and by gmres, on vectors of the host and of the
 * device, with changes of the operator between runs. */
#include <math.h>

#include "tests/common.h"
#include "tests/stencil.h"

enum { SIDE = 70, N = SIDE * SIDE };

typedef struct grid {
    double diagonal;
    int launches;
} grid;

static double element(gsolve_dense x, int32_t k)
{
    return x.type == GSOLVE_F32 ? (double)((const float *)x.value)[k]
                                : ((const double *)x.value)[k];
}

static double stencil_at(gsolve_dense x, int32_t k, double diagonal)
{
    const int32_t i = k / SIDE, j = k % SIDE;
    double sum = diagonal * element(x, k);

    if (i > 0) sum -= element(x, k - SIDE);
    if (i + 1 < SIDE) sum -= element(x, k + SIDE);
    if (j > 0) sum -= element(x, k - 1);
    if (j + 1 < SIDE) sum -= element(x, k + 1);
    return sum;
}

static gsolve_status multiply(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    grid *g = user;

    g->launches++;
    if (gs_on_gpu(ctx)) {
        if (launch_stencil(gsolve_stream(ctx), x.type == GSOLVE_F32, SIDE, g->diagonal, x.value,
                           y.value)) {
            return GSOLVE_OK;
        }
        return gsolve_fail(ctx, GSOLVE_DEVICE_FAILED, "the stencil cannot be launched");
    }
    for (int32_t k = 0; k < N; k++) {
        const double sum = stencil_at(x, k, g->diagonal);
        if (x.type == GSOLVE_F32) ((float *)y.value)[k] = (float)sum;
        if (x.type == GSOLVE_F64) ((double *)y.value)[k] = sum;
    }
    return GSOLVE_OK;
}

static double norm(const double *v)
{
    double sum = 0;
    for (int k = 0; k < N; k++) sum += v[k] * v[k];
    return sqrt(sum);
}

/* |b - A x| / |b|, computed here. */
static double residual_of(const grid *g, const double *b, double *x)
{
    static double r[N];
    const gsolve_dense v = gsolve_vector(x, N);

    for (int32_t k = 0; k < N; k++) r[k] = b[k] - stencil_at(v, k, g->diagonal);
    return norm(r) / norm(b);
}

static gsolve_result solve(gsolve_context *ctx, gsolve_solver *S, const grid *g, double most)
{
    static double b[N], x[N];
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int k = 0; k < N; k++) b[k] = gsolve_random(7, (uint64_t)k), x[k] = 0;
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
    if (result.outcome != GSOLVE_CONVERGED || !(residual_of(g, b, x) <= most)) {
        fail_msg("%s: residual %g; %s", gsolve_solver_name(S), residual_of(g, b, x),
                 gsolve_solver_explain(S));
    }
    return result;
}

/* A solver whose steps are recorded, before and after the operator has changed. */
static void check_method(const char *spec, gsolve_type type, bool polynomial, double most)
{
    gsolve_context *ctx = open_context(2);
    gsolve_dense ones = {.nrows = N, .ncols = 1, .stride = N, .type = GSOLVE_F64};
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    grid g = {.diagonal = 4};
    gsolve_result first = GSOLVE_INIT(gsolve_result);

    OK(ctx, gsolve_matrix_create_operator(&A, ctx, N, N, type, multiply, NULL, &g));
    if (polynomial) OK(ctx, gsolve_precond_create_chebyshev(&M, ctx, "chebyshev", A, ones));
    OK(ctx, gsolve_solver_create(&S, ctx, spec, A, M));
    first = solve(ctx, S, &g, most);
    solve(ctx, S, &g, most);
    g.diagonal = 4.5;
    OK(ctx, gsolve_matrix_update_operator(A, &g));
    if (M) OK(ctx, gsolve_precond_update_chebyshev(M, ones));
    assert_true(solve(ctx, S, &g, most).iterations < first.iterations);
    g.diagonal = 4;
    OK(ctx, gsolve_matrix_update_operator(A, &g));
    if (M) OK(ctx, gsolve_precond_update_chebyshev(M, ones));
    assert_int_equal(solve(ctx, S, &g, most).iterations, first.iterations);
    assert_true(g.launches > 0);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

static void cg_with_chebyshev(void **state)
{
    (void)state;
    check_method("cg", GSOLVE_F64, false, 1.01e-8);
    check_method("cg", GSOLVE_F64, true, 1.01e-8);
    check_method("cg,rtol=3e-5", GSOLVE_F32, true, 1e-4);
}

static void gmres(void **state)
{
    (void)state;
    check_method("gmres,restart=60", GSOLVE_F64, false, 1.01e-8);
    check_method("gmres,restart=20", GSOLVE_F64, true, 1.01e-8);
    check_method("minres", GSOLVE_F64, false, 1.01e-8);
}

int main(void)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cg_with_chebyshev),
        cmocka_unit_test(gmres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
