/* test_failures.c [PART PARTS]: what is left when something fails on the way from a matrix to its
 * solution: memory that is denied, a product or a preconditioner that fails, a context that is
 * destroyed early. */
#include "tests/faults.h"
#include "tests/parts.h"

#include "core/try.h"

enum { N = 36 }; /* unknowns of the systems */

typedef struct path {
    const char *format, *precond, *method;
} path;

/* A system, the solution by a path that nothing disturbs, and one by a path that is disturbed. */
typedef struct trial {
    gsolve_csr csr;
    double b[2 * N], calm[2 * N], x[2 * N];
    char said[1024]; /* of the last failure */
} trial;

static trial open_trial(gsolve_context *ctx)
{
    trial t = {.csr = read_matrix(ctx, "gen:poisson2d,n=6")};

    assert_int_equal(t.csr.nrows, N);
    for (int i = 0; i < 2 * N; i++) t.b[i] = gsolve_random(4, (uint64_t)i);
    return t;
}

/* --- memory that is denied -------------------------------------------------------------------- */

/* Products of all kinds, new values, the residual. */
static gsolve_status use_matrix(gsolve_matrix *A, trial *t)
{
    double y[2 * N], dots[2], relative[2];
    const gsolve_dense X = {N, 2, N, t->b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense Y = {N, 2, N, y, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_status status;

    TRY(gsolve_matrix_apply(A, 1, X, 0, Y));
    TRY(gsolve_matrix_apply_transpose(A, 1, X, 2, Y));
    TRY(gsolve_matrix_apply_dot(A, X, Y, X, dots, NULL));
    TRY(gsolve_matrix_residual(A, X, Y, relative));
    TRY(gsolve_matrix_update(A, &t->csr));
done:
    return status;
}

static gsolve_status use_precond(gsolve_precond *M, trial *t)
{
    double z[2 * N], dots[2];
    const gsolve_dense R = {N, 2, N, t->b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense Z = {N, 2, N, z, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_status status;

    TRY(gsolve_precond_apply(M, R, Z));
    TRY(gsolve_precond_apply_dot(M, R, Z, dots));
    TRY(gsolve_precond_update(M, &t->csr));
done:
    return status;
}

/* One column of doubles, then two of which b is in single precision. */
static gsolve_status use_solver(gsolve_solver *S, trial *t)
{
    float b[2 * N];
    const gsolve_dense B = {N, 2, N, b, GSOLVE_F32, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense X = {N, 2, N, t->x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_status status;

    memset(t->x, 0, sizeof t->x);
    for (int i = 0; i < 2 * N; i++) b[i] = (float)t->b[i];
    TRY(gsolve_solver_run(S, gsolve_vector(t->b, N), gsolve_vector(t->x, N), &result));
    TRY(gsolve_solver_run(S, B, X, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_non_null(gsolve_solver_explain(S));
done:
    return status;
}

/* The matrix and the preconditioner of a solver. */
typedef struct base {
    gsolve_matrix *A;
    gsolve_precond *M;
} base;

static void close_base(base *s)
{
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
}

static gsolve_status make_matrix(gsolve_context *ctx, const char *format, trial *t,
                                 gsolve_matrix **A)
{
    gsolve_status status;

    TRY(gsolve_matrix_create(A, ctx, format, &t->csr));
    TRY(use_matrix(*A, t));
done:
    if (status != GSOLVE_OK) gsolve_matrix_destroy(A);
    return status;
}

static gsolve_status make_precond(gsolve_context *ctx, const char *precond, trial *t,
                                  gsolve_precond **M)
{
    gsolve_status status;

    TRY(gsolve_precond_create(M, ctx, precond, &t->csr));
    TRY(use_precond(*M, t));
done:
    if (status != GSOLVE_OK) gsolve_precond_destroy(M);
    return status;
}

static gsolve_status run_solver(gsolve_context *ctx, const char *method, const base *s, trial *t)
{
    gsolve_solver *S = NULL;
    gsolve_status status;

    TRY(gsolve_solver_create(&S, ctx, method, s->A, s->M));
    TRY(use_solver(S, t));
done:
    gsolve_solver_destroy(&S);
    return status;
}

static void open_base(gsolve_context *ctx, const path *p, trial *t, base *s)
{
    OK(ctx, make_matrix(ctx, p->format, t, &s->A));
    OK(ctx, make_precond(ctx, p->precond, t, &s->M));
}

/* Creates and runs a solver with 0, 1, 2, ... allocations granted. After the last failure it finds
 * the bits of an undisturbed run. The matrix and the preconditioner stay: their own allocations are
 * denied by deny_matrix and deny_precond. They are recomputed only if they kept memory of a failed
 * run, so that every run begins in the same state. */
static void deny_solver(gsolve_context *ctx, const char *format, const char *precond,
                        const char *method)
{
    const path p = {format, precond, method};
    trial t;
    gsolve_status status = GSOLVE_NO_MEMORY;
    base s = {NULL, NULL};
    int64_t least, held;

    if (!is_mine()) return;
    t = open_trial(ctx);
    least = blocks_of(ctx);
    open_base(ctx, &p, &t, &s);
    held = blocks_of(ctx);
    OK(ctx, run_solver(ctx, method, &s, &t));
    memcpy(t.calm, t.x, sizeof t.x);
    for (int64_t granted = 0; status != GSOLVE_OK; granted++) {
        if (blocks_of(ctx) != held) {
            close_base(&s);
            assert_int_equal(blocks_of(ctx), least);
            open_base(ctx, &p, &t, &s);
            assert_int_equal(blocks_of(ctx), held);
        }
        gsolve_context_limit_allocations(ctx, granted);
        status = run_solver(ctx, method, &s, &t);
        gsolve_context_limit_allocations(ctx, -1);
        if (status == GSOLVE_OK) break;
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_non_null(strstr(gsolve_error(ctx), "memory"));
        assert_true(granted < 1000);
    }
    if (memcmp(t.calm, t.x, sizeof t.x) != 0) {
        fail_msg("%s, %s, %s: another solution after failures", format, precond, method);
    }
    close_base(&s);
    assert_int_equal(blocks_of(ctx), least);
    gsolve_csr_free(&t.csr, ctx);
}

/* Creates and uses a matrix with 0, 1, 2, ... allocations granted. */
static void deny_matrix(gsolve_context *ctx, const char *format)
{
    gsolve_matrix *A = NULL;
    trial t;

    if (!is_mine()) return;
    t = open_trial(ctx);
    ALLOCATION_SWEEP(ctx, make_matrix(ctx, format, &t, &A));
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&t.csr, ctx);
}

/* Creates and uses a preconditioner with 0, 1, 2, ... allocations granted. */
static void deny_precond(gsolve_context *ctx, const char *precond)
{
    gsolve_precond *M = NULL;
    trial t;

    if (!is_mine()) return;
    t = open_trial(ctx);
    ALLOCATION_SWEEP(ctx, make_precond(ctx, precond, &t, &M));
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&t.csr, ctx);
}

static void allocations(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_plugin *plugin;
    (void)state;

    for (int i = 0; (plugin = gsolve_format_at(ctx, i)); i++) {
        deny_matrix(ctx, plugin->name);
        deny_solver(ctx, plugin->name, "none", "cg");
    }
    for (int i = 0; (plugin = gsolve_precond_at(ctx, i)); i++) {
        deny_precond(ctx, plugin->name);
        deny_solver(ctx, "auto", plugin->name, "cg");
        deny_solver(ctx, "auto", plugin->name, "refine");
    }
    for (int i = 0; (plugin = gsolve_method_at(i)); i++) {
        deny_solver(ctx, "auto", "jacobi", plugin->name);
    }
    deny_solver(ctx, "auto", "auto", "auto");
    deny_solver(ctx, "auto", "jacobi", "gmres,basis=f32");
    deny_solver(ctx, "auto", "jacobi", "gmres,spectrum=on");
    deny_solver(ctx, "auto", "ic", "cg,norm=preconditioned,spectrum=on");
    deny_solver(ctx, "auto", "jacobi", "minres,norm=preconditioned,spectrum=on");
    close_context(ctx);
}

/* --- new values, for which memory is denied --------------------------------------------------- */

/* y = A x by a matrix of t's values, or z = M^-1 r by a preconditioner. */
typedef struct handle {
    gsolve_matrix *A;
    gsolve_precond *M;
} handle;

static gsolve_status update(handle h, const trial *t)
{
    return h.A ? gsolve_matrix_update(h.A, &t->csr) : gsolve_precond_update(h.M, &t->csr);
}

static gsolve_status apply(handle h, trial *t, bool transposed)
{
    const gsolve_dense x = gsolve_vector(t->b, N), y = gsolve_vector(t->x, N);

    if (h.A)
        return (transposed ? gsolve_matrix_apply_transpose : gsolve_matrix_apply)(h.A, 1, x, 0, y);
    return (transposed ? gsolve_precond_apply_transpose : gsolve_precond_apply)(h.M, x, y);
}

/* calm = what the handle gives for the values of t. */
static void remember(gsolve_context *ctx, handle h, trial *t)
{
    OK(ctx, update(h, t));
    OK(ctx, apply(h, t, false));
    memcpy(t->calm, t->x, N * sizeof *t->x);
    OK(ctx, apply(h, t, true));
    memcpy(t->calm + N, t->x, N * sizeof *t->x);
}

static bool as_remembered(gsolve_context *ctx, handle h, trial *t)
{
    OK(ctx, apply(h, t, false));
    if (memcmp(t->calm, t->x, N * sizeof *t->x) != 0) return false;
    OK(ctx, apply(h, t, true));
    return memcmp(t->calm + N, t->x, N * sizeof *t->x) == 0;
}

/* An update to the values of two, begun from those of one, is denied its first, second, ...
 * allocation: nothing is lost, the handle can be used, and at last the update succeeds as if
 * nothing had been. */
static void deny_update(gsolve_context *ctx, handle h, trial *one, trial *two, const char *name)
{
    gsolve_status status = GSOLVE_NO_MEMORY;

    remember(ctx, h, two);
    for (int64_t granted = 0; status != GSOLVE_OK; granted++) {
        remember(ctx, h, one);
        const int64_t before = blocks_of(ctx);
        gsolve_context_limit_allocations(ctx, granted);
        status = update(h, two);
        gsolve_context_limit_allocations(ctx, -1);
        assert_true(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY);
        assert_true(status == GSOLVE_OK || blocks_of(ctx) <= before);
        OK(ctx, apply(h, two, false)); /* whatever it gives */
        OK(ctx, apply(h, two, true));
        assert_true(granted < 1000);
    }
    if (!as_remembered(ctx, h, two)) fail_msg("%s: another result after denied updates", name);
}

static void updates(void **state)
{
    gsolve_context *ctx = open_context(1);
    trial one = open_trial(ctx), two = open_trial(ctx);
    double *value = (double *)(uintptr_t)two.csr.value;
    const gsolve_plugin *plugin;
    (void)state;

    for (int64_t k = 0; k < gsolve_csr_entries(&two.csr); k++) value[k] *= value[k] > 0 ? 1.5 : 1;
    OK(ctx, gsolve_register_format(ctx, &brittle_format)); /* rebuilds for an update */
    OK(ctx, gsolve_register_precond(ctx, &shaky_precond));
    for (int i = 0; (plugin = gsolve_format_at(ctx, i)); i++) {
        handle h = {NULL, NULL};
        OK(ctx, gsolve_matrix_create(&h.A, ctx, plugin->name, &one.csr));
        deny_update(ctx, h, &one, &two, plugin->name);
        gsolve_matrix_destroy(&h.A);
    }
    for (int i = 0; (plugin = gsolve_precond_at(ctx, i)); i++) {
        handle h = {NULL, NULL};
        OK(ctx, gsolve_precond_create(&h.M, ctx, plugin->name, &one.csr));
        deny_update(ctx, h, &one, &two, plugin->name);
        gsolve_precond_destroy(&h.M);
    }
    gsolve_csr_free(&one.csr, ctx);
    gsolve_csr_free(&two.csr, ctx);
    close_context(ctx);
}

/* --- a product, or an application of a preconditioner, that fails ----------------------------- */

/* The status of a run from x = 0; result must stay as it was where the run fails. */
static gsolve_status run_once(gsolve_solver *S, trial *t)
{
    gsolve_result result, before;
    gsolve_status status;

    memset(&result, 0x5a, sizeof result);
    result.size = sizeof result;
    before = result;
    memset(t->x, 0, sizeof t->x);
    status = gsolve_solver_run(S, gsolve_vector(t->b, N), gsolve_vector(t->x, N), &result);
    if (status == GSOLVE_OK) {
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    } else {
        assert_int_equal(status, GSOLVE_DEVICE_FAILED);
        assert_memory_equal(&result, &before, sizeof result);
    }
    return status;
}

/* A run whose calls fail from the count-th on, then the same solver undisturbed. */
static gsolve_status break_at(gsolve_context *ctx, const path *p, const gsolve_matrix *A,
                              const gsolve_precond *M, trial *t, int count)
{
    gsolve_solver *S = NULL;
    gsolve_status status;

    OK(ctx, gsolve_solver_create(&S, ctx, p->method, A, M));
    successes = count;
    status = run_once(S, t);
    successes = -1;
    if (status != GSOLVE_OK) snprintf(t->said, sizeof t->said, "%s", gsolve_error(ctx));
    OK(ctx, run_once(S, t));
    gsolve_solver_destroy(&S);
    return status;
}

/* The first call that fails is call 0, step, 2 step, ...: the run fails, unless it makes fewer
 * calls. Then the same solver finds the bits of an undisturbed run. */
static void break_each(gsolve_context *ctx, const path *p, const char *said, int step)
{
    trial t = open_trial(ctx);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    int count = 0;

    OK(ctx, gsolve_matrix_create(&A, ctx, p->format, &t.csr));
    OK(ctx, gsolve_precond_create(&M, ctx, p->precond, &t.csr));
    OK(ctx, break_at(ctx, p, A, M, &t, -1));
    memcpy(t.calm, t.x, sizeof t.x);
    const int64_t before = blocks_of(ctx);
    for (; break_at(ctx, p, A, M, &t, count) != GSOLVE_OK; count += step) {
        if (!strstr(t.said, said)) fail_msg("%s said: %s", p->method, t.said);
        assert_memory_equal(t.calm, t.x, N * sizeof *t.x);
        assert_int_equal(blocks_of(ctx), before);
        assert_true(count < 1000);
    }
    assert_true(count > 0);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&t.csr, ctx);
}

static void break_all(gsolve_context *ctx, const char *said, int step)
{
    const gsolve_plugin *method;

    OK(ctx, gsolve_register_format(ctx, &brittle_format));
    OK(ctx, gsolve_register_precond(ctx, &shaky_precond));
    for (int i = 0; (method = gsolve_method_at(i)); i++) {
        const path product = {"brittle", "jacobi", method->name};
        const path precond = {"auto", "shaky", method->name};
        if (!is_mine()) continue;
        break_each(ctx, &product, said, step);
        if (strcmp(method->name, "direct") != 0) break_each(ctx, &precond, said, step);
    }
    close_context(ctx);
    assert_int_equal(alive, 0);
}

static void plugins_that_fail(void **state)
{
    (void)state;
    failure = fail_plainly;
    break_all(open_context(1), "the test wants it so", 1);
}

/* CUDA refuses the launch of a kernel. plugins_that_fail tests every call; here every fifth call is
 * enough. */
static void kernels_that_are_refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    (void)state;

    if (!gsolve_stream(ctx)) {
        close_context(ctx);
        skip();
    }
    failure = launch_refused_kernel;
    break_all(ctx, "CUDA: a kernel that is too wide: ", 5);
}

/* --- a context that is destroyed early -------------------------------------------------------- */

/* Of every method a solver that has run, with all that it stands on. */
static void contexts_destroyed_early(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_plugin *plugin;
    trial t = open_trial(ctx);
    (void)state;

    OK(ctx, gsolve_register_format(ctx, &brittle_format));
    OK(ctx, gsolve_register_precond(ctx, &shaky_precond));
    for (int i = 0; (plugin = gsolve_method_at(i)); i++) {
        gsolve_matrix *A = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, "brittle", &t.csr));
        OK(ctx, gsolve_precond_create(&M, ctx, "shaky", &t.csr));
        OK(ctx, gsolve_solver_create(&S, ctx, plugin->name, A, M));
        OK(ctx, run_once(S, &t));
    }
    for (int i = 0; (plugin = gsolve_format_at(ctx, i)); i++) {
        gsolve_matrix *A = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, plugin->name, &t.csr));
    }
    for (int i = 0; (plugin = gsolve_precond_at(ctx, i)); i++) {
        gsolve_precond *M = NULL;
        OK(ctx, gsolve_precond_create(&M, ctx, plugin->name, &t.csr));
    }
    assert_true(alive > 10);
    gsolve_context_destroy(&ctx);
    assert_null(ctx);
    assert_int_equal(alive, 0);
}

/* A solver outlived what it was made for: it can still be destroyed. */
static void matrices_destroyed_early(void **state)
{
    gsolve_context *ctx = open_context(1);
    const gsolve_plugin *method;
    trial t = open_trial(ctx);
    (void)state;

    for (int i = 0; (method = gsolve_method_at(i)); i++) {
        gsolve_matrix *A = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &t.csr));
        OK(ctx, gsolve_precond_create(&M, ctx, "ic", &t.csr));
        OK(ctx, gsolve_solver_create(&S, ctx, method->name, A, M));
        OK(ctx, run_once(S, &t));
        gsolve_matrix_destroy(&A);
        gsolve_precond_destroy(&M);
        gsolve_solver_destroy(&S);
    }
    gsolve_csr_free(&t.csr, ctx);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(allocations),
        cmocka_unit_test(plugins_that_fail),
        cmocka_unit_test(kernels_that_are_refused),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(updates),
        cmocka_unit_test(contexts_destroyed_early),
        cmocka_unit_test(matrices_destroyed_early),
    };

    need_device();
    take_part(argc, argv);
    return RUN_PARTS(shared, other);
}
