/* test_context_options.c: the memory limit of a context, the caller's allocators, the log, and
 * memory that is kept for reuse. */
#include "gsolve.h"
#include "tests/common.h"

#define LIMIT 4000000 /* bytes */

static gsolve_context *open_with(const char *keys, const gsolve_context_options *options)
{
    gsolve_context *ctx = NULL;

    if (open_test_device_with(&ctx, "cpu", keys, options)) fail_msg("%s", gsolve_error(NULL));
    return ctx;
}

static gsolve_location location_of(const gsolve_context *ctx)
{
    return ctx->device->alloc ? GSOLVE_DEVICE : GSOLVE_HOST;
}

/* Solves the system of a matrix with b = 1 and copies the solution to x if x is not NULL. */
static gsolve_status solve(gsolve_context *ctx, const char *name, double *x)
{
    gsolve_csr csr = {0};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    double *b = NULL, *found = NULL;
    gsolve_status status = gsolve_read_matrix(&csr, ctx, name, NULL, NULL);

    if (status == GSOLVE_OK) {
        b = malloc((size_t)csr.nrows * sizeof *b);
        found = calloc((size_t)csr.nrows, sizeof *found);
        for (int i = 0; i < csr.nrows; i++) b[i] = 1;
        status = gsolve_solve(ctx, &csr, gsolve_vector(b, csr.nrows),
                              gsolve_vector(found, csr.nrows), &result);
        if (status == GSOLVE_OK) assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        if (x) memcpy(x, found, (size_t)csr.nrows * sizeof *x);
    }
    free(b);
    free(found);
    gsolve_csr_free(&csr, ctx);
    return status;
}

/* --- the limit -------------------------------------------------------------------------------- */

static void limit_holds(void **state)
{
    gsolve_context *ctx = open_with(",memory=4e6", NULL);
    const gsolve_location location = location_of(ctx);
    const size_t used = gs_memory_used(ctx);
    size_t unused, total;
    void *first, *second;
    (void)state;

    first = gsolve_alloc(ctx, location, 3000000, 1);
    assert_non_null(first);
    assert_int_equal(gs_memory_available(ctx), LIMIT - 3000000 - used);
    assert_null(gsolve_alloc(ctx, location, 125001, 8));
    assert_non_null(strstr(gsolve_error(ctx), "125001 elements of 8 bytes"));
    assert_non_null(strstr(gsolve_error(ctx), "limited to 4000000 bytes (option memory)"));
    if (gsolve_context_memory(ctx, &unused, &total) == GSOLVE_OK) {
        assert_true(unused <= LIMIT - 3000000);
        assert_int_equal(total, LIMIT);
    }
    gsolve_free(ctx, location, first);
    second = gsolve_alloc(ctx, location, LIMIT - used, 1);
    assert_non_null(second);
    assert_null(gsolve_alloc(ctx, location, 1, 1));
    if (location == GSOLVE_DEVICE) { /* the limit is for the device */
        first = gsolve_alloc(ctx, GSOLVE_HOST, 2 * LIMIT, 1);
        assert_non_null(first);
        gsolve_free(ctx, GSOLVE_HOST, first);
    }
    gsolve_free(ctx, location, second);
    close_context(ctx);
}

/* A system that does not fit is refused, and what was allocated for it is freed. */
static void system_meets_limit(void **state)
{
    gsolve_context *ctx = open_with(",memory=4e6", NULL);
    gsolve_csr csr = {0};
    (void)state;

    OK(ctx, solve(ctx, "gen:poisson2d,n=20", NULL));
    const int64_t before = blocks_of(ctx);
    if (gsolve_read_matrix(&csr, ctx, "gen:poisson2d,n=300", NULL, NULL) == GSOLVE_OK) {
        gsolve_matrix *A = NULL; /* the rows are on the host, and the limit is the device's */
        assert_int_equal(gsolve_matrix_create(&A, ctx, "sell", &csr), GSOLVE_NO_MEMORY);
        gsolve_csr_free(&csr, ctx);
    }
    assert_non_null(strstr(gsolve_error(ctx), "limited to 4000000 bytes (option memory)"));
    assert_int_equal(blocks_of(ctx), before);
    OK(ctx, solve(ctx, "gen:poisson2d,n=20", NULL));
    close_context(ctx);
}

/* Factors are not counted, but refused if they exceed what the limit leaves. */
static void factors_meet_limit(void **state)
{
    gsolve_context *ctx = open_with(",threads=1,memory=4e6", NULL);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=100");
    double *b = calloc((size_t)csr.nrows, sizeof *b), *x = calloc((size_t)csr.nrows, sizeof *x);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    gsolve_status status = gsolve_solver_create(&S, ctx, "direct", A, NULL);
    if (status == GSOLVE_OK) {
        status =
            gsolve_solver_run(S, gsolve_vector(b, csr.nrows), gsolve_vector(x, csr.nrows), &result);
    }
    if (!ctx->device->alloc) {
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_non_null(strstr(gsolve_error(ctx), "limited to 4000000 bytes (option memory)"));
    }
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* A limit that is never reached changes no bit. */
static void ample_limit(void **state)
{
    enum { ROWS = 900 };
    gsolve_context *plain = open_with(",threads=1", NULL);
    gsolve_context *limited = open_with(",threads=1,memory=1e12", NULL);
    double x[ROWS], y[ROWS];
    (void)state;

    OK(plain, solve(plain, "gen:poisson2d,n=30", x));
    OK(limited, solve(limited, "gen:poisson2d,n=30", y));
    assert_memory_equal(x, y, sizeof x);
    close_context(limited);
    close_context(plain);
}

/* The limit belongs to the device: another device brings its own. */
static void limit_of_another_device(void **state)
{
    gsolve_context *ctx = NULL;
    void *block;
    (void)state;

    assert_int_equal(gsolve_context_create(&ctx, "cpu,memory=1e6"), GSOLVE_OK);
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, 2000000, 1));
    assert_int_equal(gsolve_context_use_device(ctx, "nowhere"), GSOLVE_BAD_SPEC);
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, 2000000, 1));
    OK(ctx, gsolve_context_use_device(ctx, "cpu"));
    block = gsolve_alloc(ctx, GSOLVE_HOST, 2000000, 1);
    assert_non_null(block);
    OK(ctx, gsolve_context_use_device(ctx, "cpu,memory=1e6"));
    assert_null(gsolve_alloc(ctx, GSOLVE_HOST, 1, 1)); /* more is in use already */
    gsolve_free(ctx, GSOLVE_HOST, block);
    block = gsolve_alloc(ctx, GSOLVE_HOST, 100000, 1);
    assert_non_null(block);
    gsolve_context_destroy(&ctx);
    assert_int_equal(gsolve_context_create(&ctx, "cpu,memory=-1"), GSOLVE_BAD_SPEC);
}

/* --- the caller's allocators ------------------------------------------------------------------ */

typedef struct counter {
    int64_t host_blocks, device_blocks, host_bytes, device_bytes;
    int64_t requests, granted; /* later requests fail; negative: none does */
} counter;

/* Blocks whose addresses are aligned to 16 bytes and no more. */
static void *allocate_host(size_t bytes, void *user)
{
    counter *c = user;
    char *block;

    if (c->granted >= 0 && c->requests >= c->granted) return NULL;
    block = aligned_alloc(64, (bytes + 16 + 63) / 64 * 64);
    if (!block) return NULL;
    c->requests++;
    c->host_blocks++;
    c->host_bytes += (int64_t)bytes;
    return block + 16;
}

static void release_host(void *block, size_t bytes, void *user)
{
    counter *c = user;

    assert_non_null(block);
    c->host_blocks--;
    c->host_bytes -= (int64_t)bytes;
    free((char *)block - 16);
}

static void *allocate_device(size_t bytes, void *stream, void *user)
{
    counter *c = user;
    void *block = aligned_alloc(256, (bytes + 255) / 256 * 256);

    (void)stream;
    if (!block) return NULL;
    c->device_blocks++;
    c->device_bytes += (int64_t)bytes;
    return block;
}

static void release_device(void *block, size_t bytes, void *stream, void *user)
{
    counter *c = user;

    (void)stream;
    c->device_blocks--;
    c->device_bytes -= (int64_t)bytes;
    free(block);
}

static gsolve_context_options counted(counter *c)
{
    gsolve_context_options options = {
        .size = sizeof options,
        .user = c,
        .allocate_host = allocate_host,
        .release_host = release_host,
    };

    c->granted = -1;
    if (test_device_is_apart()) {
        options.allocate_device = allocate_device;
        options.release_device = release_device;
    }
    return options;
}

static void all_memory_is_the_callers(void **state)
{
    counter c = {0};
    const gsolve_context_options options = counted(&c);
    gsolve_context *ctx = open_with(",threads=1", &options);
    const int apart_before = apart_allocations;
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    gsolve_csr csr;
    void *block;
    (void)state;

    OK(ctx, solve(ctx, "gen:poisson2d,n=120", NULL));
    block = gsolve_alloc(ctx, GSOLVE_HOST, 6000000, 1); /* would be kept for reuse otherwise */
    assert_int_equal((uintptr_t)block % 64, 0);
    gsolve_free(ctx, GSOLVE_HOST, block);
    assert_true(c.requests > 10);
    csr = read_matrix(ctx, "gen:poisson2d,n=120");
    block = gsolve_alloc(ctx, location_of(ctx), 1000, 1);
    assert_non_null(block);
    gsolve_context_describe(ctx, &info);
    assert_true(c.host_bytes + c.device_bytes >= (int64_t)info.bytes ||
                gs_location(ctx) == GSOLVE_DEVICE);
    assert_int_equal(apart_allocations, apart_before); /* all by the caller's function */
    if (test_device_is_apart()) assert_int_equal(c.device_blocks, 1);
    assert_non_null(csr.start);
    gsolve_context_destroy(&ctx);
    assert_int_equal(c.host_blocks, 0);
    assert_int_equal(c.host_bytes, 0);
    assert_int_equal(c.device_blocks, 0);
    assert_int_equal(c.device_bytes, 0);
}

/* Each failure of the caller's allocator is GSOLVE_NO_MEMORY, and leaks nothing. */
static void callers_allocator_fails(void **state)
{
    gsolve_status status = GSOLVE_NO_MEMORY;
    int64_t granted = 0;
    (void)state;

    for (; status != GSOLVE_OK; granted += 1 + granted / 20) {
        counter c = {0};
        const gsolve_context_options options = counted(&c);
        gsolve_context *ctx = NULL;
        c.granted = granted;
        status = open_test_device_with(&ctx, "cpu", ",threads=1", &options);
        if (status == GSOLVE_OK) status = solve(ctx, "gen:poisson2d,n=20", NULL);
        assert_true(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY);
        gsolve_context_destroy(&ctx);
        assert_int_equal(c.host_blocks, 0);
        assert_true(granted < 100000);
    }
    assert_true(granted > 3);
}

static void bad_options(void **state)
{
    counter c = {0};
    gsolve_context_options options = counted(&c);
    gsolve_context *ctx = NULL;
    (void)state;

    options.size--;
    assert_int_equal(gsolve_context_create_with(&ctx, "cpu", &options), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(NULL), "GSOLVE_INIT(gsolve_context_options)"));
    options.size++;
    options.release_host = NULL;
    assert_int_equal(gsolve_context_create_with(&ctx, "cpu", &options), GSOLVE_BAD_ARGUMENT);
    assert_non_null(strstr(gsolve_error(NULL), "release"));
    options = counted(&c);
    options.allocate_device = allocate_device;
    options.release_device = NULL;
    assert_int_equal(gsolve_context_create_with(&ctx, "cpu", &options), GSOLVE_BAD_ARGUMENT);
    assert_null(ctx);
}

/* --- the log, and memory kept for reuse ------------------------------------------------------- */

typedef struct lines {
    int all, choices, set_ups, conversions;
} lines;

static void count_line(const char *line, void *user)
{
    lines *l = user;

    l->all++;
    l->choices += strstr(line, "converged") != NULL;
    l->set_ups += strncmp(line, "preconditioner jacobi: set-up took", 34) == 0;
    l->conversions += strncmp(line, "format auto: csr -> ", 20) == 0;
    assert_null(strchr(line, '\n'));
}

static void log_has_decisions(void **state)
{
    const gsolve_run_estimate many = {.remaining = 1e7, .most = 1e7, .columns = 1};
    gsolve_context *ctx = open_with(",threads=1", NULL);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=60");
    gsolve_precond *M = NULL;
    gsolve_matrix *A = NULL;
    gsolve_adaptation made;
    lines l = {0};
    (void)state;

    gsolve_context_set_log(ctx, count_line, &l);
    OK(ctx, gsolve_precond_create(&M, ctx, "jacobi", &csr));
    assert_int_equal(l.set_ups, 1);
    OK(ctx, solve(ctx, "gen:poisson2d,n=20", NULL));
    assert_true(l.choices >= 1);
    OK(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    OK(ctx, gsolve_matrix_adapt(A, &many, &made));
    assert_int_equal(l.conversions, made.changed);
    gsolve_context_set_log(ctx, NULL, NULL);
    l.all = 0;
    OK(ctx, solve(ctx, "gen:poisson2d,n=20", NULL));
    assert_int_equal(l.all, 0);
    gsolve_matrix_destroy(&A);
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

static void trim(void **state)
{
    gsolve_context *ctx = open_with(",threads=1", NULL);
    void *block = gsolve_alloc(ctx, GSOLVE_HOST, 50 << 20, 1);
    (void)state;

    assert_non_null(block);
    gsolve_free(ctx, GSOLVE_HOST, block);
    if (!ctx->device->alloc) assert_true(ctx->spare_bytes >= 50 << 20);
    OK(ctx, gsolve_context_trim(ctx));
    assert_int_equal(ctx->spare_bytes, 0);
    OK(ctx, gsolve_context_trim(ctx));
    OK(ctx, solve(ctx, "gen:poisson2d,n=20", NULL));
    assert_int_equal(gsolve_context_trim(NULL), GSOLVE_BAD_ARGUMENT);
    close_context(ctx);
}

/* --- the caller's device ---------------------------------------------------------------------- */

static int entered, left;

static void enter(gs_queue *q)
{
    (void)q;
    assert_int_equal(entered, left); /* only the outermost call enters */
    entered++;
}

static void leave(gs_queue *q)
{
    (void)q;
    left++;
    assert_int_equal(entered, left);
}

/* Each public call makes the device current and the caller's again, also when it fails. Freeing
 * what the calls return does so, too. A GPU cannot be replaced: test_manners looks at it. */
static void calls_enter_and_leave(void **state)
{
    gsolve_context *ctx = open_with(",threads=1", NULL);
    gs_device device = *ctx->device;
    gsolve_matrix *A = NULL;
    (void)state;

    if (gs_on_gpu(ctx)) {
        close_context(ctx);
        return;
    }
    device.enter = enter;
    device.leave = leave;
    entered = left = 0;
    ctx->device = &device;
    OK(ctx, solve(ctx, "gen:poisson2d,n=20", NULL));
    assert_true(entered >= 2);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=10");
    for (int k = 0; k < 10; k++) {
        gsolve_context_limit_allocations(ctx, k);
        if (gsolve_matrix_create(&A, ctx, "sell", &csr) == GSOLVE_OK) gsolve_matrix_destroy(&A);
        gsolve_context_limit_allocations(ctx, -1);
        assert_int_equal(ctx->depth, 0);
    }
    const int before = entered;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    assert_int_equal(entered, before + 1);
    assert_int_equal(gsolve_matrix_create(&A, ctx, "nothing", &csr), GSOLVE_BAD_SPEC);
    assert_int_equal(entered, before + 2);
    assert_int_equal(gsolve_matrix_apply(NULL, 1, (gsolve_dense){0}, 0, (gsolve_dense){0}),
                     GSOLVE_BAD_ARGUMENT);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    assert_int_equal(left, entered);
    close_context(ctx);
    assert_int_equal(left, entered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_holds),
        cmocka_unit_test(system_meets_limit),
        cmocka_unit_test(factors_meet_limit),
        cmocka_unit_test(ample_limit),
        cmocka_unit_test(limit_of_another_device),
        cmocka_unit_test(all_memory_is_the_callers),
        cmocka_unit_test(callers_allocator_fails),
        cmocka_unit_test(bad_options),
        cmocka_unit_test(log_has_decisions),
        cmocka_unit_test(trim),
        cmocka_unit_test(calls_enter_and_leave),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
