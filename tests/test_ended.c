/* test_ended.c: columns that have ended cost nothing: what a format that counts them is asked to
 * multiply. */
#include "tests/block_support.h"

static int64_t multiplied; /* columns */

static gsolve_status build(void **self, gsolve_context *ctx, const gsolve_csr *csr, int64_t entries,
                           const void *options, void *user)
{
    gsolve_matrix *A = NULL;
    const gsolve_status status = gsolve_matrix_create(&A, ctx, "csr", csr);
    (void)user, (void)options, (void)entries;

    if (status == GSOLVE_OK) *self = A;
    return status;
}

static void destroy(void *self, gsolve_context *ctx)
{
    gsolve_matrix *A = self;
    (void)ctx;

    gsolve_matrix_destroy(&A);
}

static gsolve_status apply(void *self, gsolve_context *ctx, double alpha, gsolve_dense x,
                           double beta, gsolve_dense y)
{
    (void)ctx;
    multiplied += x.ncols;
    return gsolve_matrix_apply(self, alpha, x, beta, y);
}

static const gsolve_format counting = {
    .size = sizeof(gsolve_format),
    .plugin = {"counting", "csr that counts the columns that it multiplies", NULL, 0},
    .build = build,
    .destroy = destroy,
    .apply = apply,
    .apply_block = apply,
};

static set_ open_counting(const char *name, const char *precond)
{
    set_ s = open_set(name, "csr", precond);

    gsolve_matrix_destroy(&s.A);
    OK(s.ctx, gsolve_register_format(s.ctx, &counting));
    OK(s.ctx, gsolve_matrix_create(&s.A, s.ctx, "counting", &s.csr));
    return s;
}

/* A run whose columns end at different times: *own = the products that they took part in until they
 * ended; with a profile, so that nothing is replayed that was counted once. */
static gsolve_result run(set_ *s, const char *spec, int64_t *own)
{
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result), column = GSOLVE_INIT(gsolve_result);

    spread(s, spec);
    OK(s->ctx, gsolve_solver_create(&S, s->ctx, spec, s->A, s->M));
    OK(s->ctx, gsolve_solver_profile(S, true));
    multiplied = *own = 0;
    OK(s->ctx, gsolve_solver_run(S, dense(s->b, s->n, K), dense(s->x, s->n, K), &result));
    check_columns(s, S, 1e-8);
    for (int32_t c = 0; c < K; c++) {
        OK(s->ctx, gsolve_solver_column(S, c, &column));
        *own += column.products;
    }
    gsolve_solver_destroy(&S);
    return result;
}

/* Products of columns that had ended. On a GPU the host sees the end up to two chunks of 16 steps,
 * or one cycle, later, and columns are removed when they are a quarter. */
static int64_t allowed(const set_ *s, const gsolve_result *result)
{
    return s->ctx->device->record ? K * 64 + K / 4 * (int64_t)result->products : 0;
}

/* A run by spec multiplies no more columns that had ended than so many, and those that are allowed;
 * and columns do end early. */
static void check_ended(const char *spec, int64_t most)
{
    set_ s = open_counting("gen:poisson2d,n=50", "jacobi");
    int64_t own;
    const gsolve_result result = run(&s, spec, &own);
    const int64_t more = multiplied - own;

    if (more < 0 || more > most + allowed(&s, &result) ||
        own > 3 * K * (int64_t)result.products / 4) {
        fail_msg("%s: %lld columns were multiplied, %lld of them had not ended", spec,
                 (long long)multiplied, (long long)own);
    }
    close_set(&s);
}

static void side_by_side(void **state)
{
    const char *methods[MOST_METHODS];
    const int count = list_methods(methods, "block_ refine direct gmres");
    (void)state;

    for (int m = 0; m < count; m++) check_ended(methods[m], 0);
    check_ended("gmres,restart=9", 0);
}

/* The columns of a block wait for the end of a cycle. */
static void cycles(void **state)
{
    enum { CYCLE = 8 };
    static const char *const specs[] = {"block_gmres,restart=8", "block_gmres,restart=8,block=16",
                                        "block_gmres,restart=8,block=2"};
    (void)state;

    for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) check_ended(specs[m], K * CYCLE);
}

/* Columns leave block_cg where one block has them all, a quarter at a time, and where that is not
 * turned off; several blocks stay as they are. */
static void leave(void **state)
{
    enum { TAKE_PART = K - 2 }; /* two have nothing to do */
    static const struct {
        const char *matrix, *precond;
    } of[] = {
        {"gen:poisson2d,n=50", "jacobi"}, {"gen:jump3d,n=12", "none"}, {"gen:jump3d,n=12", "ic"}};
    (void)state;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        set_ s = open_counting(of[i].matrix, of[i].precond);
        int64_t own;
        const gsolve_result apart = run(&s, "block_cg,block=1", &own);
        const int64_t all = multiplied;
        const gsolve_result stayed = run(&s, "block_cg,block=16,leave=off", &own);
        const int64_t with_all = multiplied;
        const gsolve_result result = run(&s, "block_cg,block=16,leave=on", &own);
        const bool records = s.ctx->device->record; /* steps, ahead of what it knows of columns */
        const int64_t ahead = records ? K * 64 : 0;
        if (all < TAKE_PART * (int64_t)apart.products || (!records && multiplied >= with_all) ||
            10 * multiplied > 8 * TAKE_PART * (int64_t)result.products + 10 * ahead ||
            result.iterations > apart.iterations || stayed.iterations > apart.iterations) {
            fail_msg("%s: %lld columns in %d products; %d iterations, %d apart", of[i].matrix,
                     (long long)multiplied, result.products, result.iterations, apart.iterations);
        }
        close_set(&s);
    }
}

/* Those that never had to go take no part. */
static void nothing_to_do(void **state)
{
    set_ s = open_counting("gen:poisson2d,n=50", "jacobi");
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    for (int32_t c = 1; c < K; c++) {
        if (c != 5) memset(s.b + c * (int64_t)s.n, 0, (size_t)s.n * 8);
    }
    OK(s.ctx, gsolve_solver_create(&S, s.ctx, "block_cg", s.A, s.M));
    OK(s.ctx, gsolve_solver_profile(S, true));
    multiplied = 0;
    OK(s.ctx, gsolve_solver_run(S, dense(s.b, s.n, K), dense(s.x, s.n, K), &result));
    check_columns(&s, S, 1e-8);
    assert_true(multiplied <= 2 * (result.products + (s.ctx->device->record ? 64 : 0)));
    gsolve_solver_destroy(&S);
    close_set(&s);
}

int main(int argc, char **argv)
{
    need_device();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(cycles),
        cmocka_unit_test(leave),
        cmocka_unit_test(nothing_to_do),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
