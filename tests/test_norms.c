/* test_norms.c: norm=preconditioned, the test of a run in the norm sqrt(r'M^-1 r). */
#include "tests/settings_support.h"

static const char *const normed[] = {"cg", "pipecg", "minres"};

/* --- norm=preconditioned ---------------------------------------------------------------------- */

/* sqrt(r'M^-1 r) of column 0 of b (x NULL), or of b - A x. */
static double preconditioned_norm(const trial *t, const double *x)
{
    double *r = malloc((size_t)t->n * sizeof *r), *z = malloc((size_t)t->n * sizeof *z), sum = 0;

    for (int32_t i = 0; i < t->n; i++) {
        r[i] = ((const double *)t->b)[i];
        for (int64_t e = gs_start(&t->csr, i); x && e < gs_start(&t->csr, i + 1); e++) {
            r[i] -= gs_value(&t->csr, e) * x[t->csr.col[e]];
        }
    }
    OK(t->ctx, gsolve_precond_apply(t->M, gsolve_vector(r, t->n), gsolve_vector(z, t->n)));
    for (int32_t i = 0; i < t->n; i++) sum += r[i] * z[i];
    free(r);
    free(z);
    return sqrt(sum);
}

typedef struct history {
    double residual[300];
    int length;
} history;

static bool record(int iteration, double residual, void *user)
{
    history *h = user;

    if (iteration < 300) h->residual[iteration] = residual;
    h->length = iteration + 1;
    return true;
}

/* The monitor gets sqrt(r'M^-1 r) / sqrt(b'M^-1 b), for the initial guess and for iterates. */
static void definition(void **state)
{
    static const char *const preconds[] = {"jacobi", "ic"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int p = 0; p < 2; p++) {
        trial t =
            open_trial(ctx, "gen:jump3d,n=7,cells=2,contrast=100", preconds[p], GSOLVE_F64, 1);
        const double whole = preconditioned_norm(&t, NULL);
        for (size_t i = 0; i < NELEM(normed); i++) {
            for (int steps = 0; steps <= 24; steps += 8) {
                gsolve_result result = GSOLVE_INIT(gsolve_result);
                history h = {.length = 0};
                char spec[64];
                double expected;
                snprintf(spec, sizeof spec, "%s,norm=preconditioned,maxit=%d,rtol=0", normed[i],
                         steps);
                gsolve_solver *S = solver_of(&t, spec);
                gsolve_solver_set_monitor(S, record, &h);
                for (int32_t k = 0; k < t.n; k++) ((double *)t.x)[k] = 1e-2 * (k % 5);
                expected = preconditioned_norm(&t, t.x) / whole;
                OK(ctx, gsolve_solver_run(S, dense_of(&t, t.b), dense_of(&t, t.x), &result));
                assert_int_equal(h.length, steps + 1);
                assert_true(fabs(h.residual[0] - expected) < 1e-10 * expected);
                expected = preconditioned_norm(&t, t.x) / whole; /* of the best iterate */
                double nearest = INFINITY;
                for (int k = 0; k <= steps; k++) {
                    nearest = fmin(nearest, fabs(h.residual[k] - expected));
                }
                if (!(nearest < 1e-6 * expected + 1e-12)) {
                    fail_msg("%s, %s: %g is %g away", spec, preconds[p], expected, nearest);
                }
                gsolve_solver_destroy(&S);
            }
        }
        close_trial(&t);
    }
    close_context(ctx);
}

/* A run converges in the true residual, in both types, with several columns, and where it has to
 * solve for corrections. Without M the bits are those of norm=true. */
static void converges(void **state)
{
    static const char *const matrix[] = {"gen:poisson2d,n=20", "gen:jump3d,n=8,contrast=1e6",
                                         "gen:elasticity3d,n=3"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int k = 0; k < 12; k++) {
        static const char *const preconds[] = {"jacobi", "ic"};
        const gsolve_type type = k % 4 < 2 ? GSOLVE_F64 : GSOLVE_F32;
        const double rtol = type == GSOLVE_F64 ? 1e-9 : 1e-4;
        trial t = open_trial(ctx, matrix[k / 4], preconds[k % 2], type, 3);
        for (size_t i = 0; i < NELEM(normed); i++) {
            gsolve_result result, column = GSOLVE_INIT(gsolve_result);
            char spec[64];
            snprintf(spec, sizeof spec, "%s,norm=preconditioned,rtol=%g", normed[i], rtol);
            gsolve_solver *S = solver_of(&t, spec);
            result = run_trial(&t, S);
            for (int32_t c = 0; c < t.columns; c++) {
                OK(ctx, gsolve_solver_column(S, c, &column));
                if (column.outcome != GSOLVE_CONVERGED || !(column.relative_residual <= rtol)) {
                    fail_msg("%s, %s: %s", matrix[k / 4], spec, gsolve_solver_explain(S));
                }
                assert_true(column_norm(&t, c, true) <= 1.01 * rtol * column_norm(&t, c, false));
            }
            assert_int_equal(result.outcome, GSOLVE_CONVERGED);
            if (type == GSOLVE_F64) { /* b in another type: corrections */
                gsolve_dense x = dense_of(&t, t.x), b = dense_of(&t, NULL);
                float *low = malloc((size_t)(t.n * t.columns) * sizeof *low);
                for (int32_t j = 0; j < t.n * t.columns; j++) low[j] = (float)((double *)t.b)[j];
                b.value = low;
                b.type = GSOLVE_F32;
                memset(t.x, 0, t.bytes);
                OK(ctx, gsolve_solver_run(S, b, x, &result));
                assert_int_equal(result.outcome, GSOLVE_CONVERGED);
                free(low);
            }
            gsolve_solver_destroy(&S);
        }
        close_trial(&t);
    }
    close_context(ctx);
}

static void without_precond(void **state)
{
    gsolve_context *ctx = open_context(2);
    trial t = open_trial(ctx, "gen:poisson2d,n=20", NULL, GSOLVE_F64, 2);
    double *x = malloc(t.bytes);
    (void)state;

    for (size_t i = 0; i < NELEM(normed); i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s,norm=preconditioned", normed[i]);
        gsolve_solver *S = solver_of(&t, spec), *plain = solver_of(&t, normed[i]);
        run_trial(&t, S);
        memcpy(x, t.x, t.bytes);
        run_trial(&t, plain);
        assert_memory_equal(x, t.x, t.bytes);
        gsolve_solver_destroy(&S);
        gsolve_solver_destroy(&plain);
    }
    free(x);
    close_trial(&t);
    close_context(ctx);
}

/* S A S for a graded diagonal S, so that the two norms differ by orders of magnitude. */
static void grade(trial *t, double factor)
{
    double *value = (double *)t->csr.value;

    for (int32_t i = 0; i < t->n; i++) {
        for (int64_t e = gs_start(&t->csr, i); e < gs_start(&t->csr, i + 1); e++) {
            value[e] *= pow(factor, (double)i / t->n) * pow(factor, (double)t->csr.col[e] / t->n);
        }
    }
    OK(t->ctx, gsolve_matrix_update(t->A, &t->csr));
    OK(t->ctx, gsolve_precond_update(t->M, &t->csr));
}

/* The preconditioned test holds long before the true residual is small enough: the run goes on, and
 * "converged" is true. */
static void mismatch(void **state)
{
    gsolve_context *ctx = open_context(2);
    trial t = open_trial(ctx, "gen:poisson2d,n=20", "jacobi", GSOLVE_F64, 2);
    (void)state;

    grade(&t, 1e-3);
    for (size_t i = 0; i < NELEM(normed); i++) {
        history h = {.length = 0};
        char spec[64];
        int first = 0;
        snprintf(spec, sizeof spec, "%s,norm=preconditioned,rtol=1e-6", normed[i]);
        gsolve_solver *S = solver_of(&t, spec);
        gsolve_solver_set_monitor(S, record, &h);
        const gsolve_result result = run_trial(&t, S);
        while (first < h.length && h.residual[first] > 1e-6) first++;
        if (result.outcome != GSOLVE_CONVERGED) fail_msg("%s", gsolve_solver_explain(S));
        assert_true(result.relative_residual <= 1e-6);
        assert_true(first < result.iterations);
        for (int32_t c = 0; c < t.columns; c++) {
            assert_true(column_norm(&t, c, true) <= 1.01e-6 * column_norm(&t, c, false));
        }
        gsolve_solver_destroy(&S);
    }
    close_trial(&t);
    close_context(ctx);
}

/* What is no norm is not taken for one, and other methods have no such option. */
static void no_norm(void **state)
{
    gsolve_context *ctx = open_context(1);
    trial t = open_trial(ctx, "gen:poisson2d,n=8", "jacobi", GSOLVE_F64, 1);
    double *value = (double *)t.csr.value;
    gsolve_solver *S = NULL;
    (void)state;

    for (int32_t i = 0; i < t.n; i++) {
        for (int64_t e = gs_start(&t.csr, i); e < gs_start(&t.csr, i + 1); e++) {
            if (t.csr.col[e] == i && i % 2) value[e] = -value[e];
        }
    }
    OK(ctx, gsolve_matrix_update(t.A, &t.csr));
    OK(ctx, gsolve_precond_update(t.M, &t.csr));
    for (size_t i = 0; i < NELEM(normed); i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s,norm=preconditioned", normed[i]);
        S = solver_of(&t, spec);
        const gsolve_result result = run_trial(&t, S);
        if (result.outcome != GSOLVE_INDEFINITE) fail_msg("%s: %s", spec, gsolve_solver_explain(S));
        gsolve_solver_destroy(&S);
    }
    assert_int_equal(gsolve_solver_create(&S, ctx, "gmres,norm=preconditioned", t.A, t.M),
                     GSOLVE_BAD_SPEC);
    assert_non_null(strstr(gsolve_error(ctx), "gmres has no option 'norm'"));
    close_trial(&t);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition),      cmocka_unit_test(converges),
        cmocka_unit_test(without_precond), cmocka_unit_test(mismatch),
        cmocka_unit_test(no_norm),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
