/* test_defects_auto_precond.c: the method auto uses the caller's preconditioner or says why not,
 * and makes one of its own where the caller has none, which follows the values of the matrix. */
#include "tests/common.h"

/* --- a preconditioner that counts ----------------------------------------------------------------
 */

static int applied;

static gsolve_status build_counter(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                   const void *options, void *user)
{
    (void)user, (void)csr, (void)options;
    *self = gsolve_alloc(ctx, GSOLVE_HOST, 1, 1);
    return *self ? GSOLVE_OK : GSOLVE_NO_MEMORY;
}

static void destroy_counter(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

/* z = r */
static gsolve_status apply_counter(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    gsolve_status status = GSOLVE_OK;
    (void)self;

    applied++;
    for (int32_t c = 0; c < r.ncols && status == GSOLVE_OK; c++) {
        status = gsolve_copy(ctx, (char *)z.value + (size_t)c * (size_t)z.stride * 8, z.location,
                             (const char *)r.value + (size_t)c * (size_t)r.stride * 8, r.location,
                             (size_t)r.nrows * 8);
    }
    return status;
}

static const gsolve_precond_kind counter = {
    .size = sizeof(gsolve_precond_kind),
    .plugin = {"counter", "the identity, which counts how often it is applied", NULL, 0},
    .build = build_counter,
    .destroy = destroy_counter,
    .apply = apply_counter,
};

/* --- systems -------------------------------------------------------------------------------------
 */

typedef struct problem {
    gsolve_context *ctx;
    gsolve_csr csr;
    gsolve_matrix *A;
    double *b, *x; /* b = A times something */
} problem;

static problem open_problem(const char *name)
{
    problem p = {.ctx = open_context(2)};

    applied = 0;
    OK(p.ctx, gsolve_register_precond(p.ctx, &counter));
    p.csr = read_matrix(p.ctx, name);
    OK(p.ctx, gsolve_matrix_create(&p.A, p.ctx, "csr", &p.csr));
    p.b = malloc(((size_t)p.csr.nrows + 1) * 8);
    p.x = random_vector(p.csr.ncols, 3);
    OK(p.ctx, gsolve_matrix_apply(p.A, 1, gsolve_vector(p.x, p.csr.ncols), 0,
                                  gsolve_vector(p.b, p.csr.nrows)));
    return p;
}

/* A keeps A' from its first product with A' on. */
static void need_transposed(problem *p)
{
    double *y = malloc(((size_t)p->csr.ncols + 1) * 8);

    OK(p->ctx, gsolve_matrix_apply_transpose(p->A, 1, gsolve_vector(p->b, p->csr.nrows), 0,
                                             gsolve_vector(y, p->csr.ncols)));
    free(y);
}

static void close_problem(problem *p)
{
    gsolve_matrix_destroy(&p->A);
    gsolve_csr_free(&p->csr, p->ctx);
    free(p->b);
    free(p->x);
    close_context(p->ctx);
}

/* A x = b from x = 0 by S; its iterations. */
static int run(problem *p, gsolve_solver *S)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    memset(p->x, 0, (size_t)p->csr.ncols * 8);
    OK(p->ctx, gsolve_solver_run(S, gsolve_vector(p->b, p->csr.nrows),
                                 gsolve_vector(p->x, p->csr.ncols), &result));
    if (result.outcome != GSOLVE_CONVERGED) fail_msg("%s", gsolve_solver_explain(S));
    return result.iterations;
}

static gsolve_solver *new_solver(problem *p, const char *spec, const gsolve_precond *M)
{
    gsolve_solver *S = NULL;

    OK(p->ctx, gsolve_solver_create(&S, p->ctx, spec, p->A, M));
    return S;
}

static void assert_says(const gsolve_solver *S, const char *part)
{
    if (!strstr(gsolve_solver_note(S), part)) {
        fail_msg("the note does not say '%s': %s", part, gsolve_solver_note(S));
    }
}

/* --- no preconditioner of the caller's -----------------------------------------------------------
 */

static void assert_chooses_both(const char *matrix, const char *method, const char *precond,
                                int most)
{
    problem p = open_problem(matrix);
    gsolve_solver *S;
    int64_t blocks;
    char chosen[64];

    need_transposed(&p);
    blocks = blocks_of(p.ctx);
    S = new_solver(&p, "auto,rtol=1e-9", NULL);
    snprintf(chosen, sizeof chosen, "auto chose %s", method);
    assert_says(S, chosen); /* before a run, too */
    assert_says(S, precond);
    assert_true(run(&p, S) <= most);
    assert_string_equal(gsolve_solver_name(S), method);
    assert_says(S, chosen);
    assert_says(S, precond);
    assert_non_null(strstr(gsolve_solver_explain(S), chosen));
    assert_string_equal(gsolve_error(p.ctx), "");
    gsolve_solver_destroy(&S);
    assert_int_equal(blocks_of(p.ctx), blocks);
    close_problem(&p);
}

static void without_preconditioner(void **state)
{
    (void)state;

    assert_chooses_both("gen:poisson2d,n=300", "cg", "+ amg", 40); /* without: some 800 */
    assert_chooses_both("gen:convdiff3d,n=20", "bicgstab", "+ ilu", 60);
    assert_chooses_both("gen:tridiagonal,n=5000,diag=4", "cg", "+ jacobi", 40);
    assert_chooses_both("gen:lp,n=20,cols=60", "direct", "+ none", 10);
}

/* Row 3 is the sum of the others, so that LU finds no pivot; without rounding, as all numbers are
 * small integers. gmres follows. */
static void second_choice(void **state)
{
    static const int32_t start[] = {0, 2, 4, 7}, col[] = {1, 2, 0, 2, 0, 1, 2};
    static const double value[] = {2, 1, 1, 1, 1, 2, 2};
    gsolve_context *ctx = open_context(1);
    const gsolve_csr csr = gsolve_csr_view(3, start, col, value);
    double b[] = {3, 2, 5}, x[3] = {0}; /* A ones */
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, "auto", A, NULL));
    assert_string_equal(gsolve_error(ctx), "");
    assert_string_equal(gsolve_solver_name(S), "gmres");
    assert_says(S, "direct,limit=60,work=40 + none cannot be set up");
    OK(ctx, gsolve_solver_run(S, gsolve_vector(b, 3), gsolve_vector(x, 3), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* A method that is named gets none, and has nothing to say of auto. */
static void named_methods(void **state)
{
    problem p = open_problem("gen:tridiagonal,n=300");
    gsolve_solver *S = new_solver(&p, "cg", NULL);
    (void)state;

    assert_true(run(&p, S) > 20); /* with ic: 1 */
    assert_string_equal(gsolve_solver_note(S), "");
    gsolve_solver_destroy(&S);
    close_problem(&p);
}

/* --- a preconditioner of the caller's ------------------------------------------------------------
 */

static void given_preconditioner(void **state)
{
    static const char *const names[] = {
        "gen:poisson2d,n=20", "gen:convdiff3d,n=5",
        "gen:tridiagonal,n=50,low=1,diag=0,high=-1",  /* without M: direct */
        "gen:tridiagonal,n=40,low=1,diag=-1,high=1"}; /* likewise */
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        problem p = open_problem(names[m]);
        gsolve_precond *M = NULL;
        OK(p.ctx, gsolve_precond_create(&M, p.ctx, "counter", &p.csr));
        gsolve_solver *S = new_solver(&p, "auto", M);
        run(&p, S);
        if (applied == 0) fail_msg("%s: %s", names[m], gsolve_solver_note(S));
        assert_says(S, "auto chose ");
        assert_says(S, "the preconditioner counter");
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        close_problem(&p);
    }
}

/* Where no method can use it, the note says so. */
static void unusable_preconditioner(void **state)
{
    problem p = open_problem("gen:lp,n=20,cols=60");
    gsolve_csr other = read_matrix(p.ctx, "gen:tridiagonal,n=20");
    gsolve_precond *M = NULL;
    (void)state;

    OK(p.ctx, gsolve_precond_create(&M, p.ctx, "counter", &other));
    gsolve_solver *S = new_solver(&p, "auto", M);
    run(&p, S);
    assert_string_equal(gsolve_solver_name(S), "direct");
    assert_says(S, "The preconditioner counter is not used");
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&other, p.ctx);
    close_problem(&p);
}

/* "none" asks for no preconditioner. */
static void none(void **state)
{
    problem p = open_problem("gen:tridiagonal,n=300"),
            q = open_problem("gen:tridiagonal,n=50,low=1,diag=0,high=-1");
    gsolve_precond *M = NULL, *N = NULL;
    (void)state;

    OK(p.ctx, gsolve_precond_create(&M, p.ctx, "none", &p.csr));
    OK(q.ctx, gsolve_precond_create(&N, q.ctx, "none", &q.csr));
    gsolve_solver *S = new_solver(&p, "auto", M), *T = new_solver(&q, "auto", N);
    assert_true(run(&p, S) > 20);
    assert_says(S, "none");
    run(&q, T);
    assert_string_equal(gsolve_solver_name(T), "direct");
    gsolve_solver_destroy(&S);
    gsolve_solver_destroy(&T);
    gsolve_precond_destroy(&M);
    gsolve_precond_destroy(&N);
    close_problem(&p);
    close_problem(&q);
}

/* --- new values ----------------------------------------------------------------------------------
 */

/* Row and column i times 1 to 1e4. */
static void rescale(gsolve_csr *csr)
{
    static const double factor[] = {1, 10, 100, 1000, 10000};
    double *value = (double *)(uintptr_t)csr->value;

    for (int32_t i = 0; i < csr->nrows; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            value[k] *= factor[i * 7 % 5] * factor[csr->col[k] * 7 % 5];
        }
    }
}

/* After an update the solver does what it would do with its preconditioner made for the new values:
 * the same bits. */
static void assert_follows(const char *matrix, const char *method, const char *precond)
{
    problem p = open_problem(matrix);
    const size_t bytes = (size_t)p.csr.nrows * 8;
    double *first = malloc(bytes);
    gsolve_precond *M = NULL;
    gsolve_solver *S = new_solver(&p, "auto", NULL), *T;
    int iterations;

    assert_says(S, precond);
    run(&p, S);
    rescale(&p.csr);
    OK(p.ctx, gsolve_matrix_update(p.A, &p.csr));
    iterations = run(&p, S);
    memcpy(first, p.x, bytes);
    run(&p, S); /* no update before this one */
    assert_memory_equal(p.x, first, bytes);
    gsolve_solver_destroy(&S);
    OK(p.ctx, gsolve_precond_create(&M, p.ctx, precond, &p.csr));
    T = new_solver(&p, method, M);
    assert_int_equal(run(&p, T), iterations);
    assert_memory_equal(p.x, first, bytes);
    gsolve_solver_destroy(&T);
    gsolve_precond_destroy(&M);
    free(first);
    close_problem(&p);
}

static void new_values(void **state)
{
    (void)state;

    assert_follows("gen:tridiagonal,n=2000,diag=4", "cg,maxit=20000", "jacobi");
    assert_follows("gen:convdiff3d,n=12", "bicgstab,maxit=2000", "ilu");
}

/* A long step in time becomes a short one: a thousand on the diagonal. Multigrid for the matrix of
 * before would take some hundred iterations. */
static void new_values_of_multigrid(void **state)
{
    problem p = open_problem("gen:poisson2d,n=300");
    double *value = (double *)(uintptr_t)p.csr.value;
    gsolve_solver *S = new_solver(&p, "auto", NULL);
    (void)state;

    assert_says(S, "+ amg");
    run(&p, S);
    for (int32_t i = 0; i < p.csr.nrows; i++) {
        for (int64_t k = gs_start(&p.csr, i); k < gs_start(&p.csr, i + 1); k++) {
            if (p.csr.col[k] == i) value[k] += 1000;
        }
    }
    OK(p.ctx, gsolve_matrix_update(p.A, &p.csr));
    assert_true(run(&p, S) <= 20);
    gsolve_solver_destroy(&S);
    close_problem(&p);
}

/* An update that fails is reported, and tried again. */
static void failed_update(void **state)
{
    problem p = open_problem("gen:tridiagonal,n=300,diag=4");
    double *value = (double *)(uintptr_t)p.csr.value;
    gsolve_solver *S = new_solver(&p, "auto", NULL);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    run(&p, S);
    value[0] = 0; /* on the diagonal */
    OK(p.ctx, gsolve_matrix_update(p.A, &p.csr));
    for (int time = 0; time < 2; time++) {
        assert_int_equal(
            gsolve_solver_run(S, gsolve_vector(p.b, 300), gsolve_vector(p.x, 300), &result),
            GSOLVE_ZERO_PIVOT);
    }
    value[0] = 4;
    OK(p.ctx, gsolve_matrix_update(p.A, &p.csr));
    run(&p, S);
    gsolve_solver_destroy(&S);
    close_problem(&p);
}

/* --- memory --------------------------------------------------------------------------------------
 */

/* Whatever is denied, nothing is left over; a solver that is left goes with its context. */
static void memory(void **state)
{
    static const char *const names[] = {"gen:poisson2d,n=20", "gen:convdiff3d,n=5"};
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        problem p = open_problem(names[m]);
        gsolve_solver *S = NULL;
        ALLOCATION_SWEEP(p.ctx, gsolve_solver_create(&S, p.ctx, "auto", p.A, NULL));
        run(&p, S);
        gsolve_solver_destroy(&S);
        S = new_solver(&p, "auto", NULL);
        gsolve_context_destroy(&p.ctx);
        free(p.b);
        free(p.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_preconditioner),
        cmocka_unit_test(second_choice),
        cmocka_unit_test(named_methods),
        cmocka_unit_test(given_preconditioner),
        cmocka_unit_test(unusable_preconditioner),
        cmocka_unit_test(none),
        cmocka_unit_test(new_values),
        cmocka_unit_test(new_values_of_multigrid),
        cmocka_unit_test(failed_update),
        cmocka_unit_test(memory),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
