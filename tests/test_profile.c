/* test_profile.c: the profile of a run counts what the file heads of the methods count, changes no
 * bit and costs no allocation while it is off; estimates of memory against what is allocated. */
#include <math.h>

#include "solver/method.h"
#include "tests/common.h"

static const char *methods[MOST_METHODS + 1]; /* and one more spec */
static int method_count;

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr rows;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    double *b, *x;
    int32_t n, ncols;
    gsolve_result result;
} problem;

static problem open_problem(const char *matrix, const char *method, const char *precond,
                            int32_t ncols)
{
    problem t = {.ctx = open_context(2), .ncols = ncols};

    t.rows = read_matrix(t.ctx, matrix);
    t.n = t.rows.nrows;
    OK(t.ctx, gsolve_matrix_create(&t.A, t.ctx, "csr", &t.rows));
    if (precond) OK(t.ctx, gsolve_precond_create(&t.M, t.ctx, precond, &t.rows));
    OK(t.ctx, gsolve_solver_create(&t.S, t.ctx, method, t.A, t.M));
    t.b = random_vector((int64_t)t.n * ncols, 5);
    t.x = random_vector((int64_t)t.n * ncols, 6);
    return t;
}

static gsolve_status solve(problem *t)
{
    gsolve_dense b = gsolve_vector(t->b, t->n), x = gsolve_vector(t->x, t->n);

    memset(t->x, 0, (size_t)t->n * (size_t)t->ncols * sizeof *t->x);
    b.ncols = x.ncols = t->ncols;
    t->result.size = sizeof t->result;
    return gsolve_solver_run(t->S, b, x, &t->result);
}

static void close_problem(problem *t)
{
    free(t->b);
    free(t->x);
    gsolve_solver_destroy(&t->S);
    gsolve_precond_destroy(&t->M);
    gsolve_matrix_destroy(&t->A);
    gsolve_csr_free(&t->rows, t->ctx);
    close_context(t->ctx);
}

/* The class of that name; calls 0: there is none. */
static gsolve_profile_class class_of(const problem *t, const char *name)
{
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);

    for (int i = 0; gsolve_solver_profile_at(t->S, i, &line); i++) {
        if (strcmp(line.name, name) == 0) return line;
    }
    return (gsolve_profile_class){0};
}

/* --- what is counted ----------------------------------------------------------------------------
 */

static void expect(const problem *t, const char *name, double bytes)
{
    const gsolve_profile_class line = class_of(t, name);

    assert_int_equal(line.calls, t->result.iterations);
    assert_true(line.bytes == bytes * t->result.iterations);
    assert_true(line.seconds >= 0);
}

/* cg.c: beside the product 80 n bytes with a diagonal M, 32 + 48; 40 n in fp32. */
static void counts_of_cg(void **state)
{
    problem t = open_problem("gen:poisson2d,n=40", "cg,resident=off", "jacobi", 1);
    const double n = t.n, entries = (double)gsolve_csr_entries(&t.rows);
    const double product = 12 * entries + 4 * (n + 1) + 16 * n;
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    double bytes = 0, seconds = 0;
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);
    (void)state;

    OK(t.ctx, gsolve_solver_profile(t.S, true));
    OK(t.ctx, solve(&t));
    assert_int_equal(t.result.outcome, GSOLVE_CONVERGED);
    expect(&t, "product + dot", product);
    expect(&t, "update of r", 32 * n);
    expect(&t, "update of p and x", 48 * n);
    gsolve_solver_get_profile(t.S, &profile);
    for (int i = 0; gsolve_solver_profile_at(t.S, i, &line); i++) {
        bytes += line.bytes;
        seconds += line.seconds;
    }
    assert_int_equal(profile.iterations, t.result.iterations);
    assert_true(profile.iteration_bytes == product + 80 * n);
    assert_true(bytes == profile.iteration_bytes * profile.iterations);
    assert_true(seconds > 0 && fabs(seconds - profile.class_seconds) <= 1e-12 * seconds);
    assert_true(profile.iteration_seconds > 0 && profile.seconds > 0);
    close_problem(&t);
}

static void counts_without_and_with_other_preconditioners(void **state)
{
    problem t = open_problem("gen:poisson2d,n=30", "cg,resident=off", NULL, 1);
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);
    (void)state;

    OK(t.ctx, gsolve_solver_profile(t.S, true));
    OK(t.ctx, solve(&t));
    expect(&t, "update of r", 24.0 * t.n);
    expect(&t, "update of p and x", 40.0 * t.n);
    close_problem(&t);
    t = open_problem("gen:poisson2d,n=30", "cg,resident=off", "ic", 1);
    OK(t.ctx, gsolve_solver_profile(t.S, true));
    OK(t.ctx, solve(&t));
    gsolve_precond_describe(t.M, &info);
    assert_true(info.moved > (size_t)gsolve_csr_entries(&t.rows) * 12 - 12 * (size_t)t.n);
    expect(&t, "preconditioner + dot", (double)info.moved);
    close_problem(&t);
}

/* bicgstab.c: beside two products 21 vectors with a diagonal M, and without it 2 fewer. */
static void counts_of_bicgstab(void **state)
{
    (void)state;

    for (int with = 0; with < 2; with++) {
        problem t =
            open_problem("gen:convdiff3d,n=9", "bicgstab,resident=off,rtol=0,maxit=4,stall=0",
                         with ? "jacobi" : NULL, 1);
        const double n = t.n, entries = (double)gsolve_csr_entries(&t.rows);
        const double product = 12 * entries + 4 * (n + 1) + 16 * n;
        gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
        OK(t.ctx, gsolve_solver_profile(t.S, true));
        OK(t.ctx, solve(&t));
        gsolve_solver_get_profile(t.S, &profile);
        assert_int_equal(profile.iterations, 4);
        assert_int_equal(class_of(&t, "product + dot").calls, 8);
        assert_true(profile.iteration_bytes == 2 * product + (with ? 21 : 19) * 8 * n);
        close_problem(&t);
    }
}

/* The matrix is counted once, vectors for each column. */
static void counts_of_columns(void **state)
{
    problem t =
        open_problem("gen:poisson2d,n=30", "cg,resident=off,rtol=0,maxit=5,stall=0", "jacobi", 3);
    const double n = t.n, entries = (double)gsolve_csr_entries(&t.rows);
    (void)state;

    OK(t.ctx, gsolve_solver_profile(t.S, true));
    OK(t.ctx, solve(&t));
    expect(&t, "product", 12 * entries + 4 * (n + 1) + 3 * 16 * n);
    expect(&t, "dot", 3 * 16 * n);
    expect(&t, "update of r", 3 * 32 * n);
    close_problem(&t);
}

/* Every operation of every method has a class and, but for scalars, bytes. */
static void everything_has_a_class(void **state)
{
    static const char *const preconds[] = {NULL, "jacobi", "chebyshev"};
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);
    (void)state;

    for (int k = 0; k < method_count; k++) {
        for (int j = 0; j < 3; j++) {
            problem t = open_problem("gen:poisson2d,n=15", methods[k], preconds[j], 1);
            OK(t.ctx, gsolve_solver_profile(t.S, true));
            OK(t.ctx, solve(&t));
            assert_int_equal(class_of(&t, "other").calls, 0);
            for (int i = 0; gsolve_solver_profile_at(t.S, i, &line); i++) {
                const bool numbers = !strcmp(line.name, "test") || !strcmp(line.name, "scalars");
                assert_true(numbers ? line.bytes == 0 : line.bytes > 0);
            }
            close_problem(&t);
        }
    }
}

/* --- what it changes ----------------------------------------------------------------------------
 */

static void same_bits(void **state)
{
    (void)state;

    for (int k = 0; k < method_count; k++) {
        problem t = open_problem("gen:poisson2d,n=20", methods[k], "jacobi", 2);
        const size_t bytes = (size_t)t.n * (size_t)t.ncols * sizeof(double);
        double *x = malloc(bytes);
        assert_non_null(x);
        OK(t.ctx, solve(&t));
        memcpy(x, t.x, bytes);
        for (int on = 1; on >= 0; on--) {
            const gsolve_result before = t.result;
            OK(t.ctx, gsolve_solver_profile(t.S, on));
            OK(t.ctx, solve(&t));
            assert_memory_equal(x, t.x, bytes);
            assert_int_equal(before.iterations, t.result.iterations);
            assert_int_equal(before.products, t.result.products);
            assert_true(before.relative_residual == t.result.relative_residual);
        }
        free(x);
        close_problem(&t);
    }
}

/* Allocations of a run. */
static int64_t allocations(problem *t)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(t->ctx, &info);
    const int64_t before = info.allocations;
    OK(t->ctx, solve(t));
    gsolve_context_describe(t->ctx, &info);
    return info.allocations - before;
}

/* Off: no classes, no more allocations than before; what the loop took is known all the same. */
static void off(void **state)
{
    problem t = open_problem("gen:poisson2d,n=40", "cg,resident=off", "jacobi", 1);
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    gsolve_profile_class line = GSOLVE_INIT(gsolve_profile_class);
    (void)state;

    gsolve_solver_get_profile(t.S, &profile);
    assert_int_equal(profile.iterations, 0);
    OK(t.ctx, solve(&t));
    const int64_t usual = allocations(&t);
    OK(t.ctx, gsolve_solver_profile(t.S, true));
    OK(t.ctx, solve(&t));
    OK(t.ctx, gsolve_solver_profile(t.S, false));
    assert_int_equal(allocations(&t), usual);
    assert_false(gsolve_solver_profile_at(t.S, 0, &line));
    gsolve_solver_get_profile(t.S, &profile);
    assert_int_equal(profile.iterations, t.result.iterations);
    assert_true(profile.iteration_bytes == 0 && profile.class_seconds == 0);
    assert_true(profile.seconds > 0 && profile.iteration_seconds > 0);
    assert_int_equal(gsolve_solver_profile(NULL, true), GSOLVE_BAD_ARGUMENT);
    close_problem(&t);
}

/* No iteration reads back: the host looks at most once in four, and the last two looks come after
 * the end. A check of the iterate that is kept, at most one in 100 iterations, reads back two sums,
 * each of them again where it is out of range. */
static void copies_to_the_host(void **state)
{
    problem t = open_problem("gen:poisson2d,n=40", "cg,resident=off,rtol=1e-12", "jacobi", 1);
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    (void)state;

    OK(t.ctx, solve(&t));
    gsolve_solver_get_profile(t.S, &profile);
    const int checks = 8 * (t.result.iterations / 100);
    assert_true(t.result.iterations > 40);
    if (t.ctx->device->post) {
        assert_in_range(profile.copies, 1, t.result.iterations / 4 + 2 + checks);
    } else {
        assert_in_range(profile.copies, 0, checks);
    }
    close_problem(&t);
}

static void allocation_failures(void **state)
{
    problem t = open_problem("gen:poisson2d,n=10", "gmres,restart=5", "jacobi", 1);
    (void)state;

    OK(t.ctx, gsolve_solver_profile(t.S, true));
    for (int64_t granted = 0;; granted++) {
        gsolve_context_limit_allocations(t.ctx, granted);
        const gsolve_status status = solve(&t);
        gsolve_context_limit_allocations(t.ctx, -1);
        if (status == GSOLVE_OK) {
            assert_true(granted > 0);
            break;
        }
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_non_null(strstr(gsolve_error(t.ctx), "memory"));
    }
    close_problem(&t);
}

/* --- a device with moments and ranges of its own -------------------------------------------------
 */

struct gs_moment {
    int64_t number;
};

static int64_t marked, moments; /* marks so far; moments that live */
static int depth, deepest, pushes;

static gsolve_status fake_mark(gs_queue *q, gs_moment **moment)
{
    (void)q;
    if (!*moment) {
        *moment = malloc(sizeof **moment);
        assert_non_null(*moment);
        moments++;
    }
    (*moment)->number = marked++;
    return GSOLVE_OK;
}

static gsolve_status fake_between(gs_queue *q, gs_moment *from, gs_moment *to, double *seconds)
{
    (void)q;
    assert_int_equal(to->number, from->number + 1); /* spans do not overlap */
    *seconds = 1;
    return GSOLVE_OK;
}

static void fake_unmark(gs_moment *moment)
{
    free(moment);
    moments--;
}

static void fake_push(const char *name)
{
    assert_true(strlen(name) > 2);
    pushes++;
    if (++depth > deepest) deepest = depth;
}

static void fake_pop(void)
{
    depth--;
    assert_true(depth >= 0);
}

static void moments_and_ranges(void **state)
{
    problem t;
    gs_device fake;
    gsolve_profile profile = GSOLVE_INIT(gsolve_profile);
    (void)state;

    t.ctx = open_context(1);
    if (gs_on_gpu(t.ctx)) { /* which has its own */
        close_context(t.ctx);
        skip();
    }
    close_context(t.ctx);
    t = open_problem("gen:poisson2d,n=20", "cg,resident=off", "jacobi", 1);
    fake = *t.ctx->device;
    fake.mark = fake_mark;
    fake.between = fake_between;
    fake.unmark = fake_unmark;
    fake.range_push = fake_push;
    fake.range_pop = fake_pop;
    t.ctx->device = &fake;
    OK(t.ctx, solve(&t));
    assert_int_equal(marked, 0);
    OK(t.ctx, gsolve_solver_profile(t.S, true));
    OK(t.ctx, solve(&t));
    gsolve_solver_get_profile(t.S, &profile);
    assert_true(class_of(&t, "product + dot").seconds == t.result.iterations);
    assert_true(profile.class_seconds == 3.0 * t.result.iterations);
    assert_true(marked >= 6 * t.result.iterations);
    assert_true(pushes > 6 * t.result.iterations && depth == 0 && deepest == 2);
    gsolve_matrix_destroy(&t.A); /* failures end their ranges, too */
    assert_int_equal(gsolve_matrix_create(&t.A, t.ctx, "nonsense", &t.rows), GSOLVE_BAD_SPEC);
    assert_int_equal(
        gsolve_solver_run(t.S, gsolve_vector(t.b, 1), gsolve_vector(t.x, 1), &t.result),
        GSOLVE_BAD_ARGUMENT);
    assert_int_equal(depth, 0);
    close_problem(&t);
    assert_int_equal(moments, 0);
}

/* --- passes over A ---------------------------------------------------------------------------- */

static int passes, nested, set_up; /* set_up: the range of a preconditioner that is being set up */

/* A preconditioner inspects matrices of its own, such as the coarsest of amg, when it is set up.
 * They do not count. */
static void count_passes(const char *name)
{
    nested++;
    if (strncmp(name, "set-up of the preconditioner", 12) == 0 && set_up == 0) set_up = nested;
    passes += set_up == 0 && strncmp(name, "inspection", strlen("inspection")) == 0;
}

static void end_range(void)
{
    if (set_up == nested--) set_up = 0;
}

/* A solve from rows as the caller gives them, a solver from rows that are handed over, or a
 * preconditioner, where the library makes all choices. */
typedef enum target { SOLVE, SOLVER, PRECOND } target;

/* The passes over A before the first iteration. */
static int passes_of(const char *matrix, target made)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr rows = read_matrix(ctx, matrix);
    const int32_t n = rows.nrows;
    double *b = random_vector(n, 5), *x = random_vector(n, 6);
    gs_device counting = *ctx->device;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    counting.range_push = count_passes;
    counting.range_pop = end_range;
    ctx->device = &counting;
    passes = 0;
    if (made == PRECOND) {
        OK(ctx, gsolve_precond_create(&M, ctx, "auto", &rows));
    } else if (made == SOLVER) {
        OK(ctx, gsolve_matrix_create_owned(&A, ctx, "auto", &rows));
        OK(ctx, gsolve_solver_create(&S, ctx, "auto", A, NULL));
    } else {
        OK(ctx, gsolve_solve(ctx, &rows, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&rows, ctx);
    free(b);
    free(x);
    close_context(ctx);
    return passes;
}

/* The check of A and all statistics take two passes, whatever is chosen. */
static void two_passes_suffice(void **state)
{
    static const char *const names[] = {"gen:poisson2d,n=40",   "gen:convdiff3d,n=8",
                                        "gen:elasticity3d,n=6", "gen:circuit,n=2000",
                                        "gen:shuffled3d,n=8",   "gen:neumann2d,n=20"};
    gsolve_context *ctx = open_context(1);
    const bool gpu = gs_on_gpu(ctx); /* where the device must be the real one */
    (void)state;

    close_context(ctx);
    if (gpu) skip();
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        for (target t = SOLVE; t <= PRECOND; t++) {
            const int count = passes_of(names[k], t);
            if (count < 1 || count > 2) fail_msg("%s, target %d: %d passes", names[k], t, count);
        }
    }
}

/* --- forecasts -----------------------------------------------------------------------------------
 */

static size_t held(const gsolve_context *ctx)
{
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);

    gsolve_context_describe(ctx, &info);
    return info.bytes;
}

/* Of columns columns; what is not foretold are handles and what the host keeps of columns. */
static void foretell(const char *method, int32_t columns)
{
    problem t = open_problem("gen:poisson2d,n=70", "cg", NULL, columns);
    const size_t entries = (size_t)gsolve_csr_entries(&t.rows);
    const size_t resident = gsolve_stream(t.ctx) ? 30 * entries : 0; /* on a GPU's chip */
    const size_t handles = 24 * 1024 + resident;
    double relative[8];
    size_t bytes = 0, taken;
    gsolve_precond *none = NULL; /* auto would make one of its own */

    OK(t.ctx, gsolve_precond_create(&none, t.ctx, "none", &t.rows));
    const gsolve_dense b = {t.n, columns, t.n, t.b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_dense x = b;
    x.value = t.x;
    OK(t.ctx, gsolve_matrix_apply_transpose(t.A, 1, b, 0, x)); /* bicg needs A' */
    OK(t.ctx, gsolve_matrix_apply(t.A, 1, b, 0, x));           /* several columns need space of A */
    OK(t.ctx, gsolve_matrix_residual(t.A, b, x, relative));
    const size_t with = held(t.ctx);
    gsolve_solver_destroy(&t.S);
    const size_t without = held(t.ctx);
    assert_true(without < with);
    OK(t.ctx, gsolve_solver_memory(t.ctx, method, &t.rows, columns, &bytes));
    assert_int_equal(held(t.ctx), without);
    OK(t.ctx, gsolve_solver_create(&t.S, t.ctx, method, t.A, none));
    OK(t.ctx, solve(&t));
    taken = held(t.ctx) - without;
    if (taken < bytes || taken > bytes + handles) {
        fail_msg("%s takes %zu bytes, not %zu", method, taken, bytes);
    }
    assert_true(bytes > 4 * 8 * (size_t)t.n * (size_t)columns);
    gsolve_solver_destroy(&t.S);
    gsolve_precond_destroy(&none);
    close_problem(&t);
}

static void forecasts_of_methods(void **state)
{
    const gsolve_plugin *method;
    problem t;
    gsolve_csr there;
    size_t bytes;
    (void)state;

    for (int k = 0; (method = gsolve_method_at(k)); k++) {
        if (strcmp(method->name, "refine") == 0 || strcmp(method->name, "direct") == 0) continue;
        foretell(method->name, 1);
        foretell(method->name, 3);
    }
    foretell("gmres,basis=f32,restart=7", 1);
    foretell("auto", 1);
    t = open_problem("gen:poisson2d,n=5", "cg", NULL, 1);
    assert_int_equal(gsolve_solver_memory(t.ctx, "refine", &t.rows, 1, &bytes), GSOLVE_UNSUPPORTED);
    assert_int_equal(gsolve_solver_memory(t.ctx, "direct", &t.rows, 1, &bytes), GSOLVE_UNSUPPORTED);
    assert_int_equal(gsolve_solver_memory(t.ctx, "cgg", &t.rows, 1, &bytes), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_solver_memory(t.ctx, "cg", &t.rows, 0, &bytes), GSOLVE_BAD_ARGUMENT);
    ALLOCATION_SWEEP(t.ctx, gsolve_solver_memory(t.ctx, "cg", &t.rows, 1, &bytes));
    OK(t.ctx, gs_csr_move(&there, t.ctx, GSOLVE_DEVICE, &t.rows)); /* auto reads the matrix there */
    assert_int_equal(gsolve_solver_memory(t.ctx, "auto", &there, 1, &bytes),
                     gs_location(t.ctx) == GSOLVE_DEVICE ? GSOLVE_OK : GSOLVE_UNSUPPORTED);
    gsolve_csr_free(&there, t.ctx);
    close_problem(&t);
}

/* Whether a format may keep column numbers in fewer bits, which only the columns tell. */
static bool shortens_columns(const gsolve_plugin *format)
{
    for (const gsolve_option *o = format->option; o && o->key; o++) {
        if (strcmp(o->key, "index") == 0) return true;
    }
    return false;
}

static void forecasts_of_formats(void **state)
{
    problem t = open_problem("gen:poisson2d,n=200", "cg", NULL, 1);
    const bool apart = gs_location(t.ctx) == GSOLVE_DEVICE;
    const gsolve_plugin *format;
    gsolve_matrix *A = NULL;
    size_t bytes;
    int foretold = 0;
    char spec[64];
    (void)state;

    for (int k = 0; (format = gsolve_format_at(t.ctx, k)); k++) {
        const size_t before = held(t.ctx);
        snprintf(spec, sizeof spec, "%s%s", format->name,
                 shortens_columns(format) ? ",index=32" : "");
        const gsolve_status status = gsolve_matrix_memory(t.ctx, spec, &t.rows, &bytes);
        assert_int_equal(held(t.ctx), before);
        assert_true(status == GSOLVE_OK || status == GSOLVE_UNSUPPORTED);
        if (status != GSOLVE_OK) continue;
        foretold++;
        OK(t.ctx, gsolve_matrix_create(&A, t.ctx, spec, &t.rows));
        const double taken =
            (double)(held(t.ctx) - before) -
            (apart ? (double)gs_csr_bytes(&t.rows, gs_start(&t.rows, t.rows.nrows)) : 0);
        gsolve_matrix_destroy(&A);
        const double over = taken - (double)bytes, slack = 0.03 * (double)bytes + 4096;
        /* ps keeps its products on a GPU only, hyb the numbers of its entries before each row */
        const bool on_gpu_only = gs_spec_is(spec, "ps") || gs_spec_is(spec, "hyb");
        if (over > slack || (over < -slack && !on_gpu_only)) {
            fail_msg("%s takes %.0f bytes, not %zu", spec, taken, bytes);
        }
    }
    assert_true(foretold > 0);
    assert_int_equal(gsolve_matrix_memory(t.ctx, "cssr", &t.rows, &bytes), GSOLVE_BAD_SPEC);
    assert_int_equal(gsolve_matrix_memory(t.ctx, "csr", NULL, &bytes), GSOLVE_BAD_ARGUMENT);
    close_problem(&t);
}

static void capacity(void **state)
{
    gsolve_context *ctx = open_context(1);
    size_t unused = 0, total = 0;
    double speed = 0;
    (void)state;

    if (ctx->device->memory) {
        OK(ctx, gsolve_context_memory(ctx, &unused, &total));
        assert_true(unused > 0 && unused <= total);
    } else {
        assert_int_equal(gsolve_context_memory(ctx, &unused, &total), GSOLVE_UNSUPPORTED);
    }
    OK(ctx, gsolve_context_copy_speed(ctx, &speed));
    assert_true(speed > 1e8 && isfinite(speed));
    gsolve_context_limit_allocations(ctx, 1);
    assert_int_equal(gsolve_context_copy_speed(ctx, &speed), GSOLVE_NO_MEMORY);
    gsolve_context_limit_allocations(ctx, -1);
    assert_int_equal(gsolve_context_copy_speed(ctx, NULL), GSOLVE_BAD_ARGUMENT);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_cg),
        cmocka_unit_test(counts_without_and_with_other_preconditioners),
        cmocka_unit_test(counts_of_bicgstab),
        cmocka_unit_test(counts_of_columns),
        cmocka_unit_test(everything_has_a_class),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(off),
        cmocka_unit_test(copies_to_the_host),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(moments_and_ranges),
        cmocka_unit_test(two_passes_suffice),
        cmocka_unit_test(forecasts_of_methods),
        cmocka_unit_test(forecasts_of_formats),
        cmocka_unit_test(capacity),
    };

    method_count = list_methods(methods, "block_ direct");
    methods[method_count++] = "gmres,basis=f32,restart=7";
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
