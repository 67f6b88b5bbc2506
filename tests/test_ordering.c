/* test_ordering.c: orders of rows: rcm, amd and nd; and what uses them: ilu, ic and direct. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "factor/ordering.h"

#include "solver/methods/direct.h"
#include "tests/transform_support.h"

/* --- the orders themselves -------------------------------------------------------------------- */

static const gs_ordering all[] = {GS_ORDER_RCM, GS_ORDER_AMD, GS_ORDER_ND};

/* Fills order, or returns false for nd in a build without METIS, whose sentence it checks. */
static bool find_order(gsolve_context *ctx, const gsolve_csr *A, gs_ordering which, int32_t *order)
{
    const gsolve_status status = gs_order_rows(order, ctx, A, which);

    if (status == GSOLVE_OK) return true;
    assert_int_equal(status, GSOLVE_UNSUPPORTED);
    assert_int_equal(which, GS_ORDER_ND);
    assert_non_null(strstr(gsolve_error(ctx), "libmetis-dev"));
    return false;
}

static bool has_metis(gsolve_context *ctx)
{
    gsolve_csr A = read_matrix(ctx, "gen:tridiagonal,n=3");
    int32_t order[3];
    const bool has = find_order(ctx, &A, GS_ORDER_ND, order);

    gsolve_csr_free(&A, ctx);
    return has;
}

static void check_permutation(const int32_t *order, int32_t n)
{
    bool *seen = calloc((size_t)n + 1, sizeof *seen);

    for (int32_t k = 0; k < n; k++) {
        assert_true(order[k] >= 0 && order[k] < n);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

static int32_t bandwidth(const gsolve_csr *A, const int32_t *order)
{
    int32_t *place = malloc(((size_t)A->nrows + 1) * sizeof *place), widest = 0;

    for (int32_t k = 0; k < A->nrows; k++) place[order[k]] = k;
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const int32_t width = abs(place[i] - place[A->col[k]]);
            if (width > widest) widest = width;
        }
    }
    free(place);
    return widest;
}

static void every_order_is_a_permutation(void **state)
{
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int m = 0; m < NASTY; m++) {
        gsolve_csr A = read_matrix(ctx, nasty[m]);
        int32_t *order = malloc(((size_t)A.nrows + 1) * sizeof *order);
        for (int k = 0; k < 3 && A.nrows == A.ncols; k++) {
            if (find_order(ctx, &A, all[k], order)) check_permutation(order, A.nrows);
        }
        free(order);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* A path has bandwidth 1, a grid of n x n about n, one of n x n x n at most that of its natural
 * order, n^2. */
static void rcm_finds_small_bandwidths(void **state)
{
    static const struct {
        const char *matrix;
        int32_t most;
    } known[] = {
        {"gen:tridiagonal,n=1000", 1}, {"gen:poisson2d,n=30", 31}, {"gen:poisson3d,n=8", 64}};
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        gsolve_csr A = shuffled(ctx, known[k].matrix, 5);
        int32_t *order = malloc((size_t)A.nrows * sizeof *order);
        assert_true(find_order(ctx, &A, GS_ORDER_RCM, order));
        check_permutation(order, A.nrows);
        if (bandwidth(&A, order) > known[k].most) {
            fail_msg("%s: bandwidth %d", known[k].matrix, bandwidth(&A, order));
        }
        free(order);
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* Two paths, 0-2-4-...-8 and 1-3-...-9, and two rows of their own. */
static void rcm_keeps_components_apart(void **state)
{
    enum { N = 12 };
    const int32_t i[] = {0, 2, 4, 6, 1, 3, 5, 7, 10}, j[] = {2, 4, 6, 8, 3, 5, 7, 9, 10};
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    int32_t order[N], place[N];

    (void)state;
    OK(ctx, gs_csr_from_triplets(&A, ctx, N, N, 9, i, j, NULL)); /* not symmetric: A + A' counts */
    assert_true(find_order(ctx, &A, GS_ORDER_RCM, order));
    check_permutation(order, N);
    for (int k = 0; k < N; k++) place[order[k]] = k;
    for (int k = 0; k < 8; k++) assert_int_equal(abs(place[i[k]] - place[j[k]]), 1);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* The pattern of A + A' decides: not the values, the transpose or the number of threads. */
static void orders_depend_on_the_graph_alone(void **state)
{
    gsolve_context *ctx = open_context(1), *other = open_context(3);

    (void)state;
    for (int k = 0; k < 3; k++) {
        gsolve_csr A = shuffled(ctx, "gen:circuit,n=500,dense=2", 9), T, same, scaled;
        int32_t *a = malloc((size_t)A.nrows * sizeof *a), *b = malloc((size_t)A.nrows * sizeof *b);
        double *scale = random_scales(A.nrows, 3, 1);
        OK(ctx, gsolve_csr_transpose(&T, ctx, &A));
        OK(other, gsolve_csr_convert(&same, other, GSOLVE_F64, &A));
        scaled = changed(ctx, &A, NULL, scale, NULL);
        if (find_order(ctx, &A, all[k], a)) {
            assert_true(find_order(ctx, &T, all[k], b));
            assert_memory_equal(a, b, (size_t)A.nrows * sizeof *a);
            assert_true(find_order(ctx, &scaled, all[k], b));
            assert_memory_equal(a, b, (size_t)A.nrows * sizeof *a);
            assert_true(find_order(other, &same, all[k], b));
            assert_memory_equal(a, b, (size_t)A.nrows * sizeof *a);
        }
        free(a);
        free(b);
        free(scale);
        gsolve_csr_free(&A, ctx);
        gsolve_csr_free(&T, ctx);
        gsolve_csr_free(&scaled, ctx);
        gsolve_csr_free(&same, other);
    }
    close_context(ctx);
    close_context(other);
}

/* --- solves ----------------------------------------------------------------------------------- */

typedef struct solve {
    gsolve_context *ctx;
    gsolve_csr csr;
    double *b, *x;
    gsolve_matrix *A;
    gsolve_precond *M;
    gsolve_solver *S;
    gsolve_result result;
} solve;

static solve open_solve(gsolve_context *ctx, gsolve_csr csr)
{
    solve s = {.ctx = ctx, .csr = csr, .result = GSOLVE_INIT(gsolve_result)};

    s.b = random_vector(csr.nrows, 3);
    s.x = calloc((size_t)csr.nrows + 1, sizeof *s.x);
    OK(ctx, gsolve_matrix_create(&s.A, ctx, "csr", &csr));
    return s;
}

static void run(solve *s, const char *method, const char *precond)
{
    gsolve_solver_destroy(&s->S);
    gsolve_precond_destroy(&s->M);
    memset(s->x, 0, (size_t)s->csr.nrows * sizeof *s->x);
    OK(s->ctx, gsolve_precond_create_from(&s->M, s->ctx, precond, s->A));
    OK(s->ctx, gsolve_solver_create(&s->S, s->ctx, method, s->A, s->M));
    OK(s->ctx, gsolve_solver_run(s->S, gsolve_vector(s->b, s->csr.nrows),
                                 gsolve_vector(s->x, s->csr.nrows), &s->result));
    assert_int_equal(s->result.outcome, GSOLVE_CONVERGED);
    assert_true(true_residual(&s->csr, s->b, s->x) < 2e-8);
}

static void close_solve(solve *s)
{
    gsolve_solver_destroy(&s->S);
    gsolve_precond_destroy(&s->M);
    gsolve_matrix_destroy(&s->A);
    gsolve_csr_free(&s->csr, s->ctx);
    free(s->b);
    free(s->x);
}

/* Along a path, factors of level 0 in the order of rcm are those of A: one iteration is enough. In
 * a random order they are not. */
static void factors_of_a_shuffled_path(void **state)
{
    gsolve_context *ctx = open_context(2);
    solve spd = open_solve(ctx, shuffled(ctx, "gen:tridiagonal,n=3000", 7));
    solve any = open_solve(ctx, shuffled(ctx, "gen:tridiagonal,n=3000,low=-1,diag=3,high=-1.5", 7));

    (void)state;
    run(&spd, "cg", "ic,order=rcm");
    assert_int_equal(spd.result.iterations, 1);
    run(&spd, "cg", "ic,order=rcm,scale=symmetric");
    assert_int_equal(spd.result.iterations, 1);
    run(&spd, "cg", "ic");
    assert_true(spd.result.iterations > 10);
    run(&any, "gmres", "ilu,order=rcm,scale=rows");
    assert_int_equal(any.result.iterations, 1);
    run(&any, "bicg", "ilu,order=rcm,scale=rows"); /* applies the transpose, too */
    assert_int_equal(any.result.iterations, 1);
    run(&any, "bicg", "ilu,order=rcm,scale=symmetric");
    assert_int_equal(any.result.iterations, 1);
    run(&any, "gmres", "ilu");
    assert_true(any.result.iterations > 4);
    close_solve(&spd);
    close_solve(&any);
    close_context(ctx);
}

/* The ints of CXSparse's amd hold twice the entries, and 8 numbers for each row. */
static void amd_counts_in_ints(void **state)
{
    (void)state;
    assert_true(gs_order_amd_counts(0, 0));
    assert_true(gs_order_amd_counts(1000, (1 << 30) - 1));
    assert_false(gs_order_amd_counts(1000, 1 << 30));
    assert_false(gs_order_amd_counts(1000, (int64_t)3 << 30));
    assert_true(gs_order_amd_counts((1 << 28) - 2, (1 << 30) - 1));
    assert_false(gs_order_amd_counts((1 << 28) - 1, 0));
    assert_false(gs_order_amd_counts(INT32_MAX, INT32_MAX));
}

static void direct_solves_in_each_order(void **state)
{
    static const char *const matrix[] = {"gen:poisson2d,n=20", "gen:convdiff3d,n=7"};
    static const char *const scale[] = {"none", "symmetric", "rows", "auto"};
    static const char *const order[] = {"amd", "none", "rcm", "nd"};
    gsolve_context *ctx = open_context(2);
    const int orders = has_metis(ctx) ? 4 : 3;

    (void)state;
    for (int m = 0; m < 2; m++) {
        solve s = open_solve(ctx, shuffled(ctx, matrix[m], 3));
        for (int k = 0; k < 4 * orders; k++) {
            char method[60];
            snprintf(method, sizeof method, "direct,order=%s,scale=%s", order[k / 4], scale[k % 4]);
            run(&s, method, "none");
            assert_true(s.result.relative_residual < 1e-13);
            assert_int_equal(s.result.iterations, 1);
        }
        close_solve(&s);
    }
    close_context(ctx);
}

/* amd is the default, with its bits. */
static void direct_without_options_is_unchanged(void **state)
{
    gsolve_context *ctx = open_context(2);
    solve s = open_solve(ctx, shuffled(ctx, "gen:convdiff3d,n=7", 3));
    const size_t bytes = (size_t)s.csr.nrows * sizeof(double);
    double *first = malloc(bytes);

    (void)state;
    run(&s, "direct", "none");
    memcpy(first, s.x, bytes);
    run(&s, "direct,order=amd,scale=none", "none");
    assert_memory_equal(first, s.x, bytes);
    free(first);
    close_solve(&s);
    close_context(ctx);
}

/* scale=auto scales the rows of the first values. Symmetric ones that come later are scaled in the
 * same way, so Cholesky does not suit them, also where a failure has left no factors. */
static void scaled_rows_are_not_factored_by_cholesky(void **state)
{
    gsolve_context *ctx = open_context(2);
    solve s = open_solve(ctx, badly_scaled(ctx, "gen:poisson2d,n=10", 4, false, 5));
    gsolve_csr poisson = read_matrix(ctx, "gen:poisson2d,n=10"), symmetric;
    double scale[100];
    const gsolve_dense b = gsolve_vector(s.b, s.csr.nrows), x = gsolve_vector(s.x, s.csr.nrows);

    (void)state;
    for (int i = 0; i < 100; i++) scale[i] = i % 3 == 0 ? 2 : 1; /* exactly symmetric */
    symmetric = changed(ctx, &poisson, NULL, scale, scale);
    for (int32_t i = 0; i < 100; i++) { /* so dominant that a triangle of R A is definite, too */
        for (int64_t e = gs_start(&symmetric, i); e < gs_start(&symmetric, i + 1); e++) {
            if (symmetric.col[e] == i) ((double *)symmetric.value)[e] *= 8;
        }
    }
    run(&s, "direct,scale=auto", "none");
    gs_direct_state *direct = s.S->state;
    gs_factorisation_destroy(direct->factors, ctx);
    direct->factors = NULL;
    OK(ctx, gsolve_matrix_update(s.A, &symmetric));
    OK(ctx, gsolve_solver_run(s.S, b, x, &s.result));
    assert_int_equal(s.result.outcome, GSOLVE_CONVERGED);
    assert_int_equal(direct->factors->request.kind, GS_LU);
    gsolve_csr_free(&symmetric, ctx);
    gsolve_csr_free(&poisson, ctx);
    close_solve(&s);
    close_context(ctx);
}

static void direct_refuses(void **state)
{
    static const struct {
        const char *matrix, *method, *words;
        gsolve_status status;
    } bad[] = {
        {"gen:poisson2d,n=5", "direct,factor=cholesky,scale=rows", "scale=symmetric",
         GSOLVE_BAD_SPEC},
        {"gen:poisson2d,n=5", "direct,factor=qr,order=rcm", "factor=lu", GSOLVE_BAD_SPEC},
        {"gen:random,n=9,cols=7", "direct,scale=rows", "9 x 7; leave them out", GSOLVE_BAD_MATRIX},
        {"gen:random,n=9,cols=7", "direct,factor=cholesky,scale=rows", "use factor=qr",
         GSOLVE_BAD_MATRIX},
        {"gen:poisson2d,n=5", "direct,order=fast", "order", GSOLVE_BAD_SPEC},
    };
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        gsolve_csr csr = read_matrix(ctx, bad[k].matrix);
        gsolve_matrix *A = NULL;
        gsolve_solver *S = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
        assert_int_equal(gsolve_solver_create(&S, ctx, bad[k].method, A, NULL), bad[k].status);
        if (!strstr(gsolve_error(ctx), bad[k].words)) fail_msg("%s", gsolve_error(ctx));
        assert_null(S);
        gsolve_matrix_destroy(&A);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* The file of a set-up holds factors of A alone. */
static void direct_does_not_save_a_transform(void **state)
{
    gsolve_context *ctx = open_context(1);
    solve s = open_solve(ctx, shuffled(ctx, "gen:poisson2d,n=5", 3));

    (void)state;
    run(&s, "direct,order=rcm", "none");
    assert_int_equal(gsolve_solver_save(s.S, "ordered.setup"), GSOLVE_UNSUPPORTED);
    assert_non_null(strstr(gsolve_error(ctx), "order"));
    close_solve(&s);
    close_context(ctx);
}

/* --- preconditioners -------------------------------------------------------------------------- */

static void refuse_precond(gsolve_context *ctx, const char *matrix, const char *spec,
                           gsolve_status expected, const char *words)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    gsolve_precond *M = NULL;

    assert_int_equal(gsolve_precond_create(&M, ctx, spec, &csr), expected);
    if (!strstr(gsolve_error(ctx), words)) fail_msg("%s: %s", spec, gsolve_error(ctx));
    assert_null(M);
    gsolve_csr_free(&csr, ctx);
}

static void preconds_refuse(void **state)
{
    gsolve_context *ctx = open_context(1);

    (void)state;
    refuse_precond(ctx, "gen:poisson2d,n=5", "ic,scale=rows", GSOLVE_BAD_SPEC, "scale=symmetric");
    refuse_precond(ctx, "gen:poisson2d,n=5", "ilu,order=big", GSOLVE_BAD_SPEC, "order");
    refuse_precond(ctx, "gen:random,n=9,cols=7", "ilu,order=rcm", GSOLVE_BAD_MATRIX, "square");
    if (!has_metis(ctx)) {
        refuse_precond(ctx, "gen:poisson2d,n=5", "ic,order=nd", GSOLVE_UNSUPPORTED, "libmetis-dev");
    }
    close_context(ctx);
}

/* A message names the row of the caller's matrix. */
static void a_zero_on_the_diagonal_is_named(void **state)
{
    enum { N = 6 };
    const int32_t i[] = {0, 1, 2, 3, 4, 5, 0, 1, 4, 5}, j[] = {0, 1, 2, 3, 4, 5, 5, 2, 0, 4};
    const double v[] = {2, 2, 2, 0, 2, 2, 1, 1, 1, 1};
    gsolve_context *ctx = open_context(1);
    gsolve_precond *M = NULL;
    gsolve_csr csr;

    (void)state;
    OK(ctx, gs_csr_from_triplets(&csr, ctx, N, N, 10, i, j, v));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gsolve_precond_create(&M, ctx, k ? "ic,order=rcm" : "ilu,order=rcm", &csr),
                         GSOLVE_ZERO_PIVOT);
        assert_non_null(strstr(gsolve_error(ctx), "row 4"));
    }
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* Several columns at once have the values of single ones; new values give those of a new M. */
static void check_columns_and_updates(gsolve_context *ctx, const char *spec, gsolve_type type)
{
    enum { COLUMNS = 11 };
    gsolve_csr wide = shuffled(ctx, "gen:poisson2d,n=14", 2), csr, next;
    double *row = random_scales(wide.nrows, 2, 8);
    const int32_t n = wide.nrows;
    const size_t size = type == GSOLVE_F32 ? 4 : 8, bytes = (size_t)n * COLUMNS * size;
    double *r64 = random_vector((int64_t)n * COLUMNS, 6);
    char *r = malloc(bytes), *z = malloc(bytes), *one = malloc(bytes), *fresh = malloc(bytes);
    gsolve_precond *M = NULL, *N = NULL;

    OK(ctx, gsolve_csr_convert(&csr, ctx, type, &wide));
    gsolve_csr changed_values = changed(ctx, &wide, NULL, row, row);
    OK(ctx, gsolve_csr_convert(&next, ctx, type, &changed_values));
    for (int64_t k = 0; k < (int64_t)n * COLUMNS; k++) {
        if (type == GSOLVE_F32) ((float *)(void *)r)[k] = (float)r64[k];
        if (type == GSOLVE_F64) ((double *)(void *)r)[k] = r64[k];
    }
    gsolve_dense R = {n, COLUMNS, n, r, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR}, Z = R, F = R;
    Z.value = z;
    F.value = fresh;
    OK(ctx, gsolve_precond_create(&M, ctx, spec, &csr));
    OK(ctx, gsolve_precond_apply(M, R, Z));
    for (int c = 0; c < COLUMNS; c++) {
        gsolve_dense from = R, to = R;
        from.ncols = to.ncols = 1;
        from.value = r + (size_t)c * (size_t)n * size;
        to.value = one + (size_t)c * (size_t)n * size;
        OK(ctx, gsolve_precond_apply(M, from, to));
    }
    for (int64_t k = 0; k < (int64_t)n * COLUMNS; k++) {
        const double a =
            type == GSOLVE_F32 ? (double)((float *)(void *)z)[k] : ((double *)(void *)z)[k];
        const double b =
            type == GSOLVE_F32 ? (double)((float *)(void *)one)[k] : ((double *)(void *)one)[k];
        assert_true(fabs(a - b) <= (type == GSOLVE_F32 ? 1e-4 : 1e-12));
    }
    OK(ctx, gsolve_precond_update(M, &next));
    OK(ctx, gsolve_precond_create(&N, ctx, spec, &next));
    OK(ctx, gsolve_precond_apply(M, R, Z));
    OK(ctx, gsolve_precond_apply(N, R, F));
    assert_memory_equal(z, fresh, bytes);
    if (strstr(spec, "rows")) { /* the transposed factors follow, too */
        OK(ctx, gsolve_precond_apply_transpose(M, R, Z));
        OK(ctx, gsolve_precond_apply_transpose(N, R, F));
        assert_memory_equal(z, fresh, bytes);
    }
    gsolve_precond_destroy(&M);
    gsolve_precond_destroy(&N);
    free(row);
    free(r64);
    free(r);
    free(z);
    free(one);
    free(fresh);
    gsolve_csr_free(&wide, ctx);
    gsolve_csr_free(&csr, ctx);
    gsolve_csr_free(&next, ctx);
    gsolve_csr_free(&changed_values, ctx);
}

static void columns_and_updates(void **state)
{
    static const char *const spec[] = {"ic,order=rcm", "ilu,scale=rows,order=amd",
                                       "ic,scale=symmetric", "ilu,scale=auto,order=rcm"};
    gsolve_context *ctx = open_context(2);

    (void)state;
    for (int k = 0; k < 4; k++) {
        check_columns_and_updates(ctx, spec[k], GSOLVE_F64);
        check_columns_and_updates(ctx, spec[k], GSOLVE_F32);
    }
    close_context(ctx);
}

/* A factorisation that breaks down leaves the preconditioner as it was. */
static void a_failed_update_changes_nothing(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = shuffled(ctx, "gen:poisson2d,n=12", 2);
    const int32_t n = csr.nrows;
    double *minus = malloc((size_t)n * sizeof *minus), *r = random_vector(n, 1);
    double *before = malloc((size_t)n * sizeof *r), *after = malloc((size_t)n * sizeof *r);
    gsolve_precond *M = NULL;

    (void)state;
    for (int32_t i = 0; i < n; i++) minus[i] = -1e3;
    gsolve_csr bad = changed(ctx, &csr, NULL, minus, NULL);
    OK(ctx, gsolve_precond_create(&M, ctx, "ic,order=rcm,scale=symmetric", &csr));
    OK(ctx, gsolve_precond_apply(M, gsolve_vector(r, n), gsolve_vector(before, n)));
    assert_int_equal(gsolve_precond_update(M, &bad), GSOLVE_ZERO_PIVOT);
    OK(ctx, gsolve_precond_apply(M, gsolve_vector(r, n), gsolve_vector(after, n)));
    assert_memory_equal(before, after, (size_t)n * sizeof *r);
    gsolve_precond_destroy(&M);
    free(minus);
    free(r);
    free(before);
    free(after);
    gsolve_csr_free(&csr, ctx);
    gsolve_csr_free(&bad, ctx);
    close_context(ctx);
}

static void short_memory(void **state)
{
    gsolve_context *ctx = open_context(2);
    gsolve_csr csr = shuffled(ctx, "gen:poisson2d,n=9", 2);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;

    (void)state;
    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    ALLOCATION_SWEEP(ctx, gsolve_precond_create(&M, ctx, "ilu,scale=rows,order=rcm", &csr));
    gsolve_precond_destroy(&M);
    ALLOCATION_SWEEP(ctx, gsolve_precond_create(&M, ctx, "ic,scale=auto,order=amd", &csr));
    gsolve_precond_destroy(&M);
    if (has_metis(ctx)) {
        ALLOCATION_SWEEP(ctx, gsolve_precond_create(&M, ctx, "ic,order=nd", &csr));
        gsolve_precond_destroy(&M);
    }
    gsolve_csr kept;
    OK(ctx, gsolve_matrix_csr(A, &kept)); /* which on a device makes a copy that stays */
    ALLOCATION_SWEEP(ctx,
                     gsolve_solver_create(&S, ctx, "direct,scale=symmetric,order=rcm", A, NULL));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- signals ---------------------------------------------------------------------------------- */

enum { ORDERS = 60 };

static void *order_by_nd(void *generator)
{
    gsolve_context *ctx = NULL;
    gsolve_csr A;
    int32_t *order;

    if (gsolve_context_create(&ctx, "cpu,threads=1") != GSOLVE_OK) return "no context";
    A = read_matrix(ctx, generator);
    order = malloc((size_t)A.nrows * sizeof *order);
    void *failure = NULL;
    for (int k = 0; k < ORDERS; k++) {
        if (gs_order_rows(order, ctx, &A, GS_ORDER_ND) != GSOLVE_OK) failure = "an order failed";
    }
    free(order);
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
    return failure;
}

static bool metis_is_absent(void)
{
    gsolve_context *ctx = open_context(1);
    const bool has = has_metis(ctx);

    close_context(ctx);
    return !has;
}

/* METIS installs handlers of its own and takes them back; two threads must not mix them up. */
static void threads_that_order_keep_handlers(void **state)
{
    static char generator[2][24] = {"gen:poisson2d,n=47", "gen:poisson2d,n=60"};
    const int number[] = {SIGTERM, SIGABRT};
    struct sigaction before[2], after;
    pthread_t thread[2];
    (void)state;

    if (metis_is_absent()) skip();
    for (int s = 0; s < 2; s++) sigaction(number[s], NULL, &before[s]);
    for (int t = 0; t < 2; t++) {
        assert_int_equal(pthread_create(&thread[t], NULL, order_by_nd, generator[t]), 0);
    }
    for (int t = 0; t < 2; t++) {
        void *failure;
        pthread_join(thread[t], &failure);
        if (failure) fail_msg("%s", (const char *)failure);
    }
    for (int s = 0; s < 2; s++) {
        sigaction(number[s], NULL, &after);
        assert_true(after.sa_handler == before[s].sa_handler);
        assert_int_equal(after.sa_flags, before[s].sa_flags);
    }
}

static volatile sig_atomic_t caught;
static atomic_bool ended;

static void count_signal(int number)
{
    (void)number;
    caught = caught + 1;
}

static void *send_signals(void *thread)
{
    const struct timespec pause = {0, 300000};

    while (!atomic_load(&ended)) {
        pthread_kill(*(pthread_t *)thread, SIGTERM);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* The handler of the program gets SIGTERM, and no order fails by one. */
static void orders_leave_sigterm_to_the_program(void **state)
{
    static char generator[] = "gen:poisson2d,n=47";
    const struct sigaction mine = {.sa_handler = count_signal};
    struct sigaction before;
    pthread_t self = pthread_self(), sender;
    sigset_t mask;
    (void)state;

    if (metis_is_absent()) skip();
    sigaction(SIGTERM, &mine, &before);
    atomic_store(&ended, false);
    assert_int_equal(pthread_create(&sender, NULL, send_signals, &self), 0);
    const char *failure = order_by_nd(generator);
    atomic_store(&ended, true);
    pthread_join(sender, NULL);
    sigaction(SIGTERM, &before, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (failure) fail_msg("%s", failure);
    assert_true(caught > 0);
    assert_false(sigismember(&mask, SIGTERM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_a_permutation),
        cmocka_unit_test(amd_counts_in_ints),
        cmocka_unit_test(rcm_finds_small_bandwidths),
        cmocka_unit_test(rcm_keeps_components_apart),
        cmocka_unit_test(orders_depend_on_the_graph_alone),
        cmocka_unit_test(factors_of_a_shuffled_path),
        cmocka_unit_test(direct_solves_in_each_order),
        cmocka_unit_test(direct_without_options_is_unchanged),
        cmocka_unit_test(scaled_rows_are_not_factored_by_cholesky),
        cmocka_unit_test(direct_refuses),
        cmocka_unit_test(direct_does_not_save_a_transform),
        cmocka_unit_test(preconds_refuse),
        cmocka_unit_test(a_zero_on_the_diagonal_is_named),
        cmocka_unit_test(columns_and_updates),
        cmocka_unit_test(a_failed_update_changes_nothing),
        cmocka_unit_test(short_memory),
        cmocka_unit_test(threads_that_order_keep_handlers),
        cmocka_unit_test(orders_leave_sigterm_to_the_program),
    };

    need_device();
    return cmocka_run_group_tests_name("ordering", tests, NULL, NULL);
}
