/* test_assembly_matrix.c: gsolve_matrix_update_assembled: the loop assemble, update, solve;
 * formats, preconditioners, rows on the host; refused matrices; memory. */
#include "tests/assembly_support.h"

enum { SIDE = 12, N = SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1), COUNT = 16 * CELLS + N };

/* Bilinear elements on a grid and a diagonal, of the whole matrix: dense 4 x 4 blocks. */
static triplets elements(double shift)
{
    static const double block[4] = {4. / 6, -1. / 6, -1. / 6, -2. / 6};
    triplets t = new_triplets(N, N, COUNT, RANDOM, GSOLVE_FULL);
    int64_t at = 0;

    for (int c = 0; c < CELLS; c++) {
        const int corner = c / (SIDE - 1) * SIDE + c % (SIDE - 1);
        const int node[4] = {corner, corner + 1, corner + SIDE, corner + SIDE + 1};
        for (int k = 0; k < 16; k++, at++) {
            t.row[at] = node[k / 4];
            t.col[at] = node[k % 4];
            t.value[at] = block[(k / 4) ^ (k % 4)] * (1 + 0.01 * c);
        }
    }
    for (int i = 0; i < N; i++, at++) {
        t.row[at] = t.col[at] = i;
        t.value[at] = shift;
    }
    return t;
}

typedef struct problem {
    gsolve_context *ctx;
    triplets t;
    gsolve_assembly *plan;
    gsolve_matrix *A;
} problem;

static void open_problem(problem *p, const char *format, gsolve_type type)
{
    gsolve_csr csr;

    p->ctx = open_context(2);
    p->t = elements(0.1);
    p->plan = NULL;
    p->A = NULL;
    OK(p->ctx, create_plan(&p->plan, p->ctx, type, &p->t, (layout){GSOLVE_I32, 0, GSOLVE_HOST}));
    const void *value = put_values(p->ctx, GSOLVE_HOST, type, &p->t, 1);
    OK(p->ctx, gsolve_assembly_set_values(p->plan, value, GSOLVE_HOST));
    gsolve_free(p->ctx, GSOLVE_HOST, value);
    OK(p->ctx, gsolve_assembly_csr(p->plan, &csr));
    OK(p->ctx, gsolve_matrix_create(&p->A, p->ctx, format, &csr));
}

static void close_problem(problem *p)
{
    gsolve_matrix_destroy(&p->A);
    gsolve_assembly_destroy(&p->plan);
    free_triplets(&p->t);
    close_context(p->ctx);
}

/* y = A x for a fixed x. */
static void multiply(const problem *p, gsolve_type type, double *y)
{
    float x32[N], y32[N];
    double *x = random_vector(N, 3);
    gsolve_dense from = gsolve_vector(x, N), to = gsolve_vector(y, N);

    for (int i = 0; i < N; i++) x32[i] = (float)x[i];
    if (type == GSOLVE_F32) from.value = x32, to.value = y32, from.type = to.type = type;
    OK(p->ctx, gsolve_matrix_apply(p->A, 1, from, 0, to));
    for (int i = 0; i < N && type == GSOLVE_F32; i++) y[i] = y32[i];
    free(x);
}

/* The update equals gsolve_matrix_update from the matrix of the plan: products and rows. */
static void check_format(const char *format, gsolve_type type, bool rows_on_host)
{
    gsolve_csr csr;
    double y[N], z[N];
    problem p;

    open_problem(&p, format, type);
    if (rows_on_host) OK(p.ctx, gsolve_matrix_csr(p.A, &csr));
    for (int step = 2; step < 5; step++) {
        const gsolve_location location = step % 2 ? GSOLVE_HOST : gs_location(p.ctx);
        const void *value = put_values(p.ctx, location, type, &p.t, step);
        OK(p.ctx, gsolve_matrix_update_assembled(p.A, p.plan, value, location));
        multiply(&p, type, y);
        OK(p.ctx, gsolve_matrix_csr(p.A, &csr));
        assert_assembled(&csr, &p.t, step, 1);
        assert_plan(p.ctx, p.plan, &p.t, step == 2 ? 1 : step - 1, 1); /* unchanged */
        OK(p.ctx, gsolve_assembly_set_values(p.plan, value, location));
        OK(p.ctx, gsolve_assembly_csr(p.plan, &csr));
        OK(p.ctx, gsolve_matrix_update(p.A, &csr));
        multiply(&p, type, z);
        assert_memory_equal(y, z, sizeof y);
        gsolve_free(p.ctx, location, value);
    }
    close_problem(&p);
}

static void test_formats(void **state)
{
    static const char *const formats[] = {"csr", "sell", "auto", "bce", "bsr", "segmented"};
    (void)state;

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        check_format(formats[k], GSOLVE_F64, k % 2);
        check_format(formats[k], GSOLVE_F32, k % 2 == 0);
    }
}

/* Time steps: new values, update, solve. Nothing is allocated from the third step on. */
static void test_loop(void **state)
{
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
    double b[N], x[N], relative;
    int64_t allocations = 0;
    problem p;
    (void)state;

    open_problem(&p, "csr", GSOLVE_F64);
    OK(p.ctx, gsolve_precond_create_from(&M, p.ctx, "jacobi", p.A));
    OK(p.ctx, gsolve_solver_create(&S, p.ctx, "cg,rtol=1e-10", p.A, M));
    for (int i = 0; i < N; i++) b[i] = 1 + i % 3;
    void *value = gsolve_alloc(p.ctx, gs_location(p.ctx), COUNT, sizeof(double));
    for (int step = 0; step < 6; step++) {
        for (int k = COUNT - N; k < COUNT; k++) p.t.value[k] = 0.1 * (step + 1);
        memset(x, 0, sizeof x);
        OK(p.ctx, gsolve_copy(p.ctx, value, gs_location(p.ctx), p.t.value, GSOLVE_HOST,
                              COUNT * sizeof(double)));
        OK(p.ctx, gsolve_matrix_update_assembled(p.A, p.plan, value, gs_location(p.ctx)));
        OK(p.ctx, gsolve_precond_update_from(M, p.A));
        OK(p.ctx, gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result));
        assert_int_equal(result.outcome, GSOLVE_CONVERGED);
        OK(p.ctx, gsolve_matrix_residual(p.A, gsolve_vector(b, N), gsolve_vector(x, N), &relative));
        assert_true(relative <= 1e-10);
        gsolve_context_describe(p.ctx, &info);
        if (step == 2) allocations = info.allocations;
        if (step > 2 && gs_location(p.ctx) == GSOLVE_HOST) {
            assert_int_equal(info.allocations, allocations);
        }
    }
    gsolve_free(p.ctx, gs_location(p.ctx), value);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    close_problem(&p);
}

/* An update itself allocates nothing on any device. */
static void test_no_allocation(void **state)
{
    problem p;
    (void)state;

    open_problem(&p, "csr", GSOLVE_F64);
    const void *value = put_values(p.ctx, gs_location(p.ctx), GSOLVE_F64, &p.t, 2);
    OK(p.ctx, gsolve_matrix_update_assembled(p.A, p.plan, value, gs_location(p.ctx)));
    gsolve_context_limit_allocations(p.ctx, 0);
    OK(p.ctx, gsolve_matrix_update_assembled(p.A, p.plan, value, gs_location(p.ctx)));
    OK(p.ctx, gsolve_matrix_update_assembled(p.A, p.plan, p.t.value, GSOLVE_HOST));
    gsolve_context_limit_allocations(p.ctx, -1);
    gsolve_free(p.ctx, gs_location(p.ctx), value);
    close_problem(&p);
}

static void assert_refused(problem *p, gsolve_assembly *plan, gsolve_status status,
                           const char *part)
{
    assert_int_equal(gsolve_matrix_update_assembled(p->A, plan, p->t.value, GSOLVE_HOST), status);
    if (!strstr(gsolve_error(p->ctx), part)) {
        fail_msg("'%s' lacks '%s'", gsolve_error(p->ctx), part);
    }
}

static gsolve_status no_product(gsolve_context *ctx, gsolve_dense x, gsolve_dense y, void *user)
{
    (void)ctx, (void)x, (void)y, (void)user;
    return GSOLVE_OK;
}

static void test_refused(void **state)
{
    const layout as = {GSOLVE_I32, 0, GSOLVE_HOST};
    gsolve_assembly *other = NULL;
    gsolve_matrix *L = NULL;
    gsolve_csr csr;
    problem p, q;
    (void)state;

    open_problem(&p, "csr", GSOLVE_F64);
    open_problem(&q, "csr", GSOLVE_F64);
    assert_refused(&p, NULL, GSOLVE_BAD_ARGUMENT, "NULL");
    assert_refused(&p, q.plan, GSOLVE_BAD_ARGUMENT, "another context");
    assert_int_equal(gsolve_matrix_update_assembled(NULL, p.plan, p.t.value, GSOLVE_HOST),
                     GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_matrix_update_assembled(p.A, p.plan, NULL, GSOLVE_HOST),
                     GSOLVE_BAD_ARGUMENT);
    OK(p.ctx, create_plan(&other, p.ctx, GSOLVE_F32, &p.t, as));
    assert_refused(&p, other, GSOLVE_BAD_MATRIX, "another pattern or type");
    gsolve_assembly_destroy(&other);
    q.t.col[0] = 5; /* other columns; the entry (0, 0) is lost, too */
    q.t.row[COUNT - N] = 5;
    OK(p.ctx, create_plan(&other, p.ctx, GSOLVE_F64, &q.t, as));
    assert_refused(&p, other, GSOLVE_BAD_MATRIX, "another pattern or type");
    gsolve_assembly_destroy(&other);
    OK(p.ctx, gsolve_matrix_csr(p.A, &csr));
    assert_assembled(&csr, &p.t, 1, 1); /* unchanged so far */
    p.t.value[17] = NAN;
    assert_refused(&p, p.plan, GSOLVE_BAD_MATRIX,
                   "row 1 and column 2 (counted from 0) is not finite");
    p.t.value[17] = 1;
    OK(p.ctx, gsolve_matrix_update_assembled(p.A, p.plan, p.t.value, GSOLVE_HOST));
    OK(p.ctx, gsolve_matrix_csr(p.A, &csr));
    assert_assembled(&csr, &p.t, 1, 1);
    OK(p.ctx, gsolve_matrix_create_operator(&L, p.ctx, N, N, GSOLVE_F64, no_product, NULL, NULL));
    assert_int_equal(gsolve_matrix_update_assembled(L, p.plan, p.t.value, GSOLVE_HOST),
                     GSOLVE_UNSUPPORTED);
    gsolve_matrix_destroy(&L);
    close_problem(&p);
    close_problem(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_refused),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
