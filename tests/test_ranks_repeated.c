/* test_ranks_repeated.c: handles that are used again after a call failed because one rank had no
 * memory, see rank_denials.h; and arguments that differ from rank to rank. */
#include <math.h>

#include "tests/rank_denials.h"

/* --- a failed call, and the same call again --------------------------------------------------- */

enum { MOST = 9 }; /* columns */

/* What a rank has made while its allocations were not limited, and the vectors of the call. */
typedef struct objects {
    rank_state *s;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    gsolve_auto *automatic;
    gsolve_dense b, x;
    double values[2][MOST * ROWS];
} objects;

typedef struct setting {
    const char *format, *precond, *method; /* NULL: none; method "automatic": a gsolve_auto */
    int32_t ncols;
    gsolve_layout layout;
    gsolve_location location;
    gsolve_status (*call)(objects *o);
} setting;

static gsolve_status set_vector(objects *o, const setting *how, int which, gsolve_dense *v)
{
    const int32_t n = o->s->n;
    gsolve_context *ctx = o->s->ctx;

    for (int i = 0; i < MOST * ROWS; i++) o->values[which][i] = which ? 0 : 1 + i % 11;
    *v = columns(o->values[which], n, how->ncols);
    v->layout = how->layout;
    if (how->layout == GSOLVE_ROW_MAJOR) v->stride = how->ncols;
    v->location = how->location == GSOLVE_HOST ? GSOLVE_HOST : gs_location(ctx);
    if (v->location == GSOLVE_HOST) return GSOLVE_OK;
    v->value = gsolve_alloc(ctx, GSOLVE_DEVICE, MOST * ROWS, sizeof(double));
    return gsolve_copy(ctx, v->value, GSOLVE_DEVICE, o->values[which], GSOLVE_HOST,
                       sizeof o->values[which]);
}

static gsolve_status make(objects *o, const setting *how)
{
    gsolve_context *ctx = o->s->ctx;
    const bool automatic = how->method && strcmp(how->method, "automatic") == 0;
    gsolve_status status = gsolve_matrix_create_dist(&o->A, ctx, how->format, &o->s->csr);

    if (status == GSOLVE_OK && how->precond) {
        status = gsolve_precond_create_from(&o->M, ctx, how->precond, o->A);
    }
    if (status == GSOLVE_OK && automatic) {
        status = gsolve_auto_create_from(&o->automatic, ctx, "scale=none,order=none", o->A);
    } else if (status == GSOLVE_OK && how->method) {
        status = gsolve_solver_create(&o->S, ctx, how->method, o->A, o->M);
    }
    if (status == GSOLVE_OK) status = set_vector(o, how, 0, &o->b);
    return status == GSOLVE_OK ? set_vector(o, how, 1, &o->x) : status;
}

static void drop_objects(objects *o)
{
    if (o->b.location == GSOLVE_DEVICE) {
        gsolve_dense_free(&o->b, o->s->ctx);
        gsolve_dense_free(&o->x, o->s->ctx);
    }
    gsolve_auto_destroy(&o->automatic);
    gsolve_solver_destroy(&o->S);
    gsolve_precond_destroy(&o->M);
    gsolve_matrix_destroy(&o->A);
    free(o);
}

/* The status of the first call, whose allocations are limited, if the second one succeeds. */
static gsolve_status call_twice(rank_state *s, const setting *how)
{
    objects *o = calloc(1, sizeof *o);
    gsolve_context *ctx = s->ctx;
    const int64_t granted = ctx->allocations_left;
    char error[sizeof ctx->error];
    gsolve_status made, first, second;

    o->s = s;
    ctx->allocations_left = -1;
    made = make(o, how);
    ctx->allocations_left = granted;
    first = made == GSOLVE_OK ? how->call(o) : made;
    memcpy(error, ctx->error, sizeof error);
    const int64_t left = ctx->allocations_left;
    ctx->allocations_left = -1;
    second = made == GSOLVE_OK ? how->call(o) : made;
    drop_objects(o);
    ctx->allocations_left = left;
    if (second != GSOLVE_OK) {
        return gsolve_fail(ctx, GSOLVE_BAD_FILE, "the second call: %.900s", gsolve_error(ctx));
    }
    memcpy(ctx->error, error, sizeof error);
    return first;
}

static gsolve_status multiply(objects *o)
{
    return gsolve_matrix_apply(o->A, 1, o->b, 0, o->x);
}

static gsolve_status multiply_transposed(objects *o)
{
    return gsolve_matrix_apply_transpose(o->A, 1, o->b, 0, o->x);
}

static gsolve_status multiply_dot(objects *o)
{
    double wy[MOST], yy[MOST];

    return gsolve_matrix_apply_dot(o->A, o->b, o->x, o->b, wy, yy);
}

static gsolve_status residual(objects *o)
{
    double norms[MOST];

    return gsolve_matrix_residual(o->A, o->b, o->x, norms);
}

static gsolve_status precondition(objects *o)
{
    return gsolve_precond_apply(o->M, o->b, o->x);
}

static gsolve_status update_precond(objects *o)
{
    const gsolve_status status = gsolve_matrix_update_dist(o->A, &o->s->csr);

    return status == GSOLVE_OK ? gsolve_precond_update_from(o->M, o->A) : status;
}

static gsolve_status run(objects *o)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    return o->S ? gsolve_solver_run(o->S, o->b, o->x, &result)
                : gsolve_auto_run(o->automatic, o->b, o->x, &result);
}

/* New values in the same pattern: statistics and choices are computed again. */
static gsolve_status update_and_run(objects *o)
{
    const gsolve_status status = gsolve_matrix_update_dist(o->A, &o->s->csr);

    return status == GSOLVE_OK ? run(o) : status;
}

#define TWICE(name, ...)                     \
    static gsolve_status name(rank_state *s) \
    {                                        \
        const setting how = {__VA_ARGS__};   \
        return call_twice(s, &how);          \
    }
#define COLUMNS GSOLVE_COLUMN_MAJOR
#define BY_ROWS GSOLVE_ROW_MAJOR
#define HERE    GSOLVE_HOST
#define THERE   GSOLVE_DEVICE

TWICE(product, "csr", NULL, NULL, 3, COLUMNS, HERE, multiply)
TWICE(product_rows, "bsr", NULL, NULL, 3, BY_ROWS, HERE, multiply)
TWICE(product_transposed, "sell", NULL, NULL, 3, COLUMNS, HERE, multiply_transposed)
TWICE(product_dot, "csr", NULL, NULL, 4, COLUMNS, HERE, multiply_dot)
TWICE(residual_here, "csr", NULL, NULL, 4, BY_ROWS, HERE, residual)
TWICE(residual_there, "csr", NULL, NULL, 1, COLUMNS, THERE, residual)
TWICE(chebyshev, "csr", "chebyshev", NULL, 4, COLUMNS, HERE, precondition)
TWICE(ilu, "csr", "ilu", NULL, 4, COLUMNS, HERE, precondition)
TWICE(update_chebyshev, "csr", "chebyshev", NULL, 1, COLUMNS, HERE, update_precond)
TWICE(update_ilu, "csr", "ilu", NULL, 1, COLUMNS, HERE, update_precond)
TWICE(run_cg, "auto", "chebyshev", "cg", 9, BY_ROWS, HERE, run)
TWICE(run_gmres, "csr", NULL, "gmres,restart=9,maxit=30", 9, COLUMNS, HERE, run)
TWICE(run_block, "csr", NULL, "block_gmres", 9, COLUMNS, THERE, update_and_run)
TWICE(run_guess, "csr", NULL, "cg,guess=projection", 2, COLUMNS, HERE, update_and_run)
TWICE(run_least_squares, "csr", NULL, "lsqr,maxit=5", 2, COLUMNS, THERE, update_and_run)
TWICE(run_automatic, "csr", NULL, "automatic", 2, COLUMNS, HERE, run)
TWICE(run_automatic_rows, "csr", NULL, "automatic", 2, BY_ROWS, HERE, update_and_run)

static const function functions[] = {
    {"product", product},
    {"product_rows", product_rows},
    {"product_transposed", product_transposed},
    {"product_dot", product_dot},
    {"residual_here", residual_here},
    {"residual_there", residual_there},
    {"chebyshev", chebyshev},
    {"ilu", ilu},
    {"update_chebyshev", update_chebyshev},
    {"update_ilu", update_ilu},
    {"run_cg", run_cg},
    {"run_gmres", run_gmres},
    {"run_block", run_block},
    {"run_guess", run_guess},
    {"run_least_squares", run_least_squares},
    {"run_automatic", run_automatic},
    {"run_automatic_rows", run_automatic_rows},
};

static gsolve_status prepare_nothing(rank_state *s)
{
    (void)s;
    return GSOLVE_OK;
}

static void drop_nothing(rank_state *s)
{
    (void)s;
}

static void repeated(void **state)
{
    const plan p = {.prepare = prepare_nothing, .drop = drop_nothing};
    (void)state;

    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) deny_all(&functions[f], &p);
}

/* --- arguments that differ -------------------------------------------------------------------- */

/* Rank 0 has other layouts than the others, in the first product or in the second. */
static int layouts(gsolve_context *ctx, int rank, int ranks, void *user)
{
    rank_state *s = calloc(1, sizeof *s);
    gsolve_matrix *A = NULL;
    double y[4 * ROWS];
    int failures = 0;

    (void)user;
    *s = (rank_state){.ctx = ctx, .rank = rank, .ranks = ranks};
    make_rows(s);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &s->csr));
    for (int call = 0; call < 4; call++) {
        const bool by_rows = rank == 0 && call % 2 == 0;
        gsolve_dense from = columns(s->b, s->n, 4), to = columns(s->x, s->n, 4);
        for (int32_t i = 0; i < s->n; i++) { /* column c is (c + 1) e */
            for (int c = 0; c < 4; c++) s->b[by_rows ? 4 * i + c : c * s->n + i] = c + 1;
        }
        from.layout = to.layout = by_rows ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR;
        if (by_rows) from.stride = to.stride = 4;
        EXPECT_OK(ctx, call < 2 ? gsolve_matrix_apply(A, 1, from, 0, to)
                                : gsolve_matrix_apply_transpose(A, 1, from, 0, to));
        for (int32_t i = 0; i < s->n && failures == 0; i++) {
            y[i] = s->x[by_rows ? 4 * i : i];
            EXPECT(s->x[by_rows ? 4 * i + 3 : 3 * s->n + i] == 4 * y[i], "column 3 of row %d", i);
        }
    }
    gsolve_matrix_destroy(&A);
    free(s);
    return failures;
}

static void other_layouts(void **state)
{
    (void)state;
    assert_int_equal(run_delayed_ranks(RANKS, 0, layouts, NULL), 0);
}

/* x of rank 0 is single precision. */
static int types(gsolve_context *ctx, int rank, int ranks, void *user)
{
    rank_state *s = calloc(1, sizeof *s);
    gsolve_matrix *A = NULL;
    float single[ROWS] = {0};
    double norm;
    int failures = 0;

    (void)user;
    *s = (rank_state){.ctx = ctx, .rank = rank, .ranks = ranks};
    make_rows(s);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &s->csr));
    gsolve_dense x = gsolve_vector(s->x, s->n);
    if (rank == 0) x.type = GSOLVE_F32, x.value = single;
    EXPECT(gsolve_matrix_residual(A, gsolve_vector(s->b, s->n), x, &norm) == GSOLVE_BAD_ARGUMENT,
           "types differ");
    EXPECT(strstr(gsolve_error(ctx), "the type of x"), "%s", gsolve_error(ctx));
    EXPECT_OK(ctx, gsolve_matrix_residual(A, gsolve_vector(s->b, s->n), gsolve_vector(s->x, s->n),
                                          &norm));
    gsolve_matrix_destroy(&A);
    free(s);
    return failures;
}

static void other_types(void **state)
{
    (void)state;
    assert_int_equal(run_delayed_ranks(RANKS, 0, types, NULL), 0);
}

static bool end_now(const gsolve_attempt *a, void *user)
{
    (void)user;
    return a->stage != GSOLVE_ATTEMPT_ENDED;
}

/* A monitor of attempts on one rank ends the run on all ranks after the first attempt. */
static int stop_attempts(gsolve_context *ctx, int rank, int ranks, void *user)
{
    static const char *const methods[] = {"cg,maxit=2", "cg"}, *const preconds[] = {"none", "none"};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    rank_state *s = calloc(1, sizeof *s);
    gsolve_matrix *A = NULL;
    gsolve_auto *S = NULL;
    int failures = 0;

    (void)user;
    *s = (rank_state){.ctx = ctx, .rank = rank, .ranks = ranks};
    make_rows(s);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &s->csr));
    EXPECT_OK(ctx, gsolve_auto_create_from(&S, ctx, "scale=none,order=none", A));
    EXPECT_OK(ctx, gsolve_auto_set_choices(S, 2, methods, preconds));
    if (rank == 1) gsolve_auto_set_attempt_monitor(S, end_now, NULL);
    EXPECT_OK(ctx,
              gsolve_auto_run(S, gsolve_vector(s->b, s->n), gsolve_vector(s->x, s->n), &result));
    EXPECT(result.outcome == GSOLVE_ITERATION_LIMIT && result.iterations == 2, "%s after %d",
           gsolve_outcome_text(result.outcome), result.iterations);
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    free(s);
    return failures;
}

static void attempts(void **state)
{
    (void)state;
    assert_int_equal(run_delayed_ranks(RANKS, 0, stop_attempts, NULL), 0);
}

/* The sum of a preconditioner that was created from a given diagonal is that of all ranks. */
static int sum(gsolve_context *ctx, int rank, int ranks, void *user)
{
    rank_state *s = calloc(1, sizeof *s);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    double rz = 0, expected = 0;
    int failures = 0;

    (void)user;
    *s = (rank_state){.ctx = ctx, .rank = rank, .ranks = ranks};
    make_rows(s);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &s->csr));
    EXPECT_OK(ctx, gsolve_precond_create_chebyshev(&M, ctx, "chebyshev", A,
                                                   gsolve_vector(s->diagonal, s->n)));
    EXPECT_OK(ctx, gsolve_precond_apply_dot(M, gsolve_vector(s->b, s->n), gsolve_vector(s->x, s->n),
                                            &rz));
    for (int32_t i = 0; i < s->n; i++) expected += s->b[i] * s->x[i];
    EXPECT_OK(ctx, gs_comm_sum_on_host(ctx->comm, &expected, 1));
    EXPECT(fabs(rz - expected) <= 1e-12 * expected, "%g, not %g", rz, expected);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(s);
    return failures;
}

static void sums(void **state)
{
    (void)state;
    assert_int_equal(run_delayed_ranks(RANKS, 0, sum, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeated), cmocka_unit_test(other_layouts),
                                       cmocka_unit_test(other_types), cmocka_unit_test(attempts),
                                       cmocka_unit_test(sums)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
