/* test_dist_amg.c [TEST]: algebraic multigrid over 1, 2, 3, 5 and 7 ranks: the levels have the bits
 * of one rank, the iterations are those of one rank, and all ranks fail together. */
#include "dist/comm.h"
#include "precond/amg/amg.h"
#include "precond/amg/distributed/rank_level.h"
#include "precond/amg/distributed/replicated.h"
#include "precond/handle.h"
#include "tests/dist_support.h"

/* Small levels, so that small matrices have several that are distributed. */
#define SMALL_LEVELS "aggregation=mis2,coarsest=30,replicate=60"

typedef struct problem {
    const gsolve_csr *A;
    const double *xyz; /* coordinates of nodes of three unknowns, column-major; or NULL */
    const char *spec, *method;
    division division;
    int columns;
    int32_t unit;            /* row ranges are those of nodes of as many unknowns; 0: of rows */
    const gs_hierarchy *one; /* the levels of one rank */
    /* results */
    int levels, iterations;
} problem;

static gsolve_row_range range_of(const problem *p, int rank, int ranks)
{
    const int32_t unit = p->unit > 0 ? p->unit : 1;
    const gsolve_row_range r = divide(p->division, p->A->nrows / unit, rank, ranks);

    return (gsolve_row_range){unit * r.first, unit * r.total, unit * r.count};
}

/* The coordinates of the nodes of gen:elasticity3d with n x n x n elements, whose face x = 0 is
 * clamped. */
static double *coordinates_of(const gsolve_csr *A, int32_t n)
{
    const int32_t nodes = A->nrows / 3;
    double *xyz = malloc(3 * (size_t)nodes * sizeof *xyz);

    for (int32_t i = 0; i < nodes; i++) {
        xyz[i] = 1 + i % n;
        xyz[nodes + i] = i / n % (n + 1);
        xyz[2 * nodes + i] = i / n / (n + 1);
    }
    return xyz;
}

static gsolve_status set_coordinates(gsolve_precond *M, const problem *p, gsolve_row_range rows)
{
    const int32_t nodes = p->A->nrows / 3, own = rows.count / 3;
    const gsolve_dense xyz = {own,
                              3,
                              nodes,
                              (double *)(uintptr_t)p->xyz + rows.first / 3,
                              GSOLVE_F64,
                              GSOLVE_HOST,
                              GSOLVE_COLUMN_MAJOR};

    return p->xyz ? gsolve_precond_set_coordinates(M, xyz) : GSOLVE_OK;
}

static const gs_hierarchy *levels_of(const gsolve_precond *M)
{
    return ((const gs_amg_state *)M->self)->S.h;
}

/* --- levels ----------------------------------------------------------------------------------- */

/* Whether these rows, of one rank, have the bits of those of A. */
static bool same_rows(const gsolve_dist_csr *own, const gsolve_csr *A)
{
    const size_t size = gs_type_size(A->type);

    if (own->rows.total != A->nrows || own->cols.total != A->ncols || own->type != A->type) {
        return false;
    }
    for (int32_t i = 0; i < own->rows.count; i++) {
        const int64_t at = gs_dist_start(own, i), length = gs_dist_start(own, i + 1) - at;
        const int32_t row = (int32_t)own->rows.first + i;
        const int64_t there = gs_start(A, row);
        if (gs_start(A, row + 1) - there != length) return false;
        for (int64_t k = 0; k < length; k++) {
            if (own->col[at + k] != A->col[there + k]) return false;
        }
        if (memcmp((const char *)own->value + (size_t)at * size,
                   (const char *)A->value + (size_t)there * size, (size_t)length * size)) {
            return false;
        }
    }
    return true;
}

static bool same_csr(const gsolve_csr *A, const gsolve_csr *B)
{
    const int64_t entries = gs_start(A, A->nrows);

    if (A->nrows != B->nrows || A->ncols != B->ncols || entries != gs_start(B, B->nrows)) {
        return false;
    }
    for (int32_t i = 0; i < A->nrows; i++) {
        if (gs_start(A, i) != gs_start(B, i)) return false;
    }
    return memcmp(A->col, B->col, (size_t)entries * sizeof *A->col) == 0 &&
           memcmp(A->value, B->value, (size_t)entries * gs_type_size(A->type)) == 0;
}

/* Compares the levels of h with those of one rank. */
static int compare_levels(const gs_hierarchy *h, const gs_hierarchy *one, int rank, int ranks)
{
    const int apart = h->coarse ? h->levels - 1 : h->levels; /* levels that are distributed */
    int failures = 0;

    EXPECT(gs_hierarchy_levels(h) == one->levels, "%d levels, %d on one rank",
           gs_hierarchy_levels(h), one->levels);
    EXPECT(gs_hierarchy_operator_complexity(h) == gs_hierarchy_operator_complexity(one), "%g, %g",
           gs_hierarchy_operator_complexity(h), gs_hierarchy_operator_complexity(one));
    EXPECT(gs_hierarchy_grid_complexity(h) == gs_hierarchy_grid_complexity(one), "%g, %g",
           gs_hierarchy_grid_complexity(h), gs_hierarchy_grid_complexity(one));
    for (int k = 0; k < h->levels && failures == 0; k++) {
        const gs_rank_level *r = h->level[k].ranks;
        EXPECT(same_rows(&r->rows, &one->level[k].rows), "other rows on level %d", k);
        if (k >= apart || k + 1 >= one->levels) continue;
        EXPECT(same_rows(&r->p, &one->level[k].T.P), "another P on level %d", k);
        EXPECT(same_rows(gs_dist_transpose_csr(r->R), &one->level[k].T.R), "another R on level %d",
               k);
    }
    for (int k = apart; k < one->levels && failures == 0; k++) {
        EXPECT(same_csr(&h->coarse->h->level[k - apart].rows, &one->level[k].rows),
               "other rows on the replicated level %d", k);
    }
    return failures;
}

static int build_levels(gsolve_context *ctx, int rank, int ranks, void *user)
{
    problem *p = user;
    const gsolve_row_range rows = range_of(p, rank, ranks);
    piece own = take_piece(p->A, rows, rows);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, p->spec, A));
    if (M) EXPECT_OK(ctx, set_coordinates(M, p, rows));
    if (M && ranks > 1 && failures == 0) {
        failures += compare_levels(levels_of(M), p->one, rank, ranks);
        EXPECT_OK(ctx, gsolve_precond_update_from(M, A));
        if (failures == 0) failures += compare_levels(levels_of(M), p->one, rank, ranks);
        if (rank == 0 || RANKS_ARE_PROCESSES) p->levels = levels_of(M)->levels;
    }
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    return failures;
}

/* Builds the levels of p on all numbers of ranks. name: of p->A. least: distributed levels, at
 * least. */
static void check_all(gsolve_context *ctx, problem *p, const char *name, int least)
{
    gsolve_precond *M = NULL;

    OK(ctx, gsolve_precond_create(&M, ctx, p->spec, p->A));
    OK(ctx, set_coordinates(M, p, (gsolve_row_range){0, p->A->nrows, p->A->nrows}));
    p->one = levels_of(M);
    for (int k = 0; rank_count(k); k++) {
        for (int d = 0; d < DIVISIONS; d++) {
            p->division = (division)d;
            p->levels = least;
            if (run_ranks(rank_count(k), build_levels, p) != 0 || p->levels < least) {
                fail_msg("%s + %s, division %d on %d ranks: %d levels", name, p->spec, d,
                         rank_count(k), p->levels);
            }
        }
    }
    gsolve_precond_destroy(&M);
}

/* The unknowns of a node of a generated matrix, or 0. */
static int32_t unit_of(const char *name)
{
    return strstr(name, "elasticity") ? 3 : 0;
}

/* edge: elements in each direction if coordinates are set, else 0. */
static void check_levels(const char *name, const char *spec, int32_t edge, int least)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    problem p = {.A = &A, .spec = spec, .unit = unit_of(name)};

    OK(ctx, gsolve_read_matrix(&A, ctx, name, NULL, NULL));
    p.xyz = edge > 0 ? coordinates_of(&A, edge) : NULL;
    check_all(ctx, &p, name, least);
    free((double *)(uintptr_t)p.xyz);
    gsolve_context_destroy(&ctx);
}

static int check_format(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const problem *p = user;
    const gsolve_row_range rows = gsolve_row_range_even(p->A->nrows, rank, ranks);
    gsolve_level_info level = GSOLVE_INIT(gsolve_level_info);
    piece own = take_piece(p->A, rows, rows);
    gsolve_precond *M = NULL;
    gsolve_matrix *A = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, p->spec, A));
    for (int k = 0; k < 2; k++) {
        EXPECT(M && gsolve_precond_level(M, k, &level), "no level %d", k);
        EXPECT(strncmp(level.form, "sell", 4) == 0, "level %d: %s", k, level.form);
    }
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    return failures;
}

/* Distributed levels have the format of the option. */
static void format(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    problem p = {.A = &A, .spec = "amg,format=sell," SMALL_LEVELS};
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson3d,n=12", NULL, NULL));
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), check_format, &p), 0);
    }
    gsolve_context_destroy(&ctx);
}

static void levels(void **state)
{
    (void)state;
    check_levels("gen:poisson3d,n=12", "amg," SMALL_LEVELS, 0, 3);
    check_levels("gen:poisson2d,n=40", "amg,type=f32," SMALL_LEVELS, 0, 3);
    check_levels("gen:jump3d,n=12", "amg," SMALL_LEVELS, 0, 3);
    check_levels("gen:anisotropic3d,n=12", "amg," SMALL_LEVELS, 0, 3);
    check_levels("gen:poisson3d27,n=11", "amg,complexity=1.1," SMALL_LEVELS, 0, 2);
    check_levels("gen:convdiff3d,n=12", "amg," SMALL_LEVELS, 0, 3);
    check_levels("gen:poisson3d,n=10", "amg,aggregation=mis2", 0, 1);
}

static void nodes(void **state)
{
    (void)state;
    check_levels("gen:elasticity3d,n=6", "amg," SMALL_LEVELS, 0, 2);
    check_levels("gen:elasticity3d,n=6", "amg," SMALL_LEVELS, 6, 2);
    check_levels("gen:elasticity3d,n=6", "amg,near_null=given," SMALL_LEVELS, 6, 2);
    check_levels("gen:elasticity3d,n=6", "amg,block=1," SMALL_LEVELS, 0, 2);
}

/* Nodes of four unknowns, each coupled to the next one, and two unknowns at the end: dense blocks
 * of 4 x 4, and, in all rows, of 2 x 2. */
static gsolve_csr chain_of_nodes(gsolve_context *ctx, int32_t nodes)
{
    const int32_t n = 4 * nodes + 2;
    int32_t *i = malloc((size_t)n * 12 * sizeof *i), *j = malloc((size_t)n * 12 * sizeof *j);
    double *v = malloc((size_t)n * 12 * sizeof *v);
    int64_t count = 0;
    gsolve_csr A;

    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = r / 4 * 4 - 4; c < r / 4 * 4 + 8; c++) {
            if (c < 0 || c >= n) continue;
            i[count] = r;
            j[count] = c;
            v[count++] = r == c ? 13 : -1;
        }
    }
    OK(ctx, gs_csr_from_triplets(&A, ctx, n, n, count, i, j, v));
    free(i);
    free(j);
    free(v);
    return A;
}

/* Blocks of 4 x 4 do not divide n; those of 2 x 2 do. */
static void incomplete_nodes(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = chain_of_nodes(ctx, 40);
    problem p = {.A = &A, .spec = "amg," SMALL_LEVELS, .unit = 2};
    (void)state;

    check_all(ctx, &p, "a chain of nodes", 1);
    gsolve_context_destroy(&ctx);
}

/* --- solves ----------------------------------------------------------------------------------- */

/* Solves with A; result->iterations is that of all ranks. */
static int solve_once(gsolve_context *ctx, int rank, int ranks, void *user)
{
    problem *p = user;
    const gsolve_row_range rows = range_of(p, rank, ranks);
    piece own = take_piece(p->A, rows, rows);
    const size_t numbers = (size_t)(rows.count + 1) * (size_t)p->columns;
    double *b = malloc(numbers * sizeof *b), *x = calloc(numbers, sizeof *x);
    const gsolve_dense B = {rows.count, p->columns,  rows.count,         b,
                            GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_dense X = B;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    X.value = x;
    for (int c = 0; c < p->columns; c++) {
        for (int32_t i = 0; i < rows.count; i++) {
            b[i + (int64_t)c * rows.count] = number_of(rows.first + i, c);
        }
    }
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, p->spec, A));
    if (M) EXPECT_OK(ctx, set_coordinates(M, p, rows));
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, p->method, A, M));
    if (S) EXPECT_OK(ctx, gsolve_solver_run(S, B, X, &result));
    EXPECT(result.outcome == GSOLVE_CONVERGED, "%s + %s: %s after %d iterations", p->method,
           p->spec, gsolve_outcome_text(result.outcome), result.iterations);
    EXPECT(result.relative_residual <= 1.01e-8, "residual %g", result.relative_residual);
    if (rank == 0 || RANKS_ARE_PROCESSES) p->iterations = result.iterations;
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    free(b);
    free(x);
    return failures;
}

/* more: iterations that several ranks may take more than one. */
static void check_solve(const char *name, const char *method, const char *spec, int columns,
                        int32_t edge, int more)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    problem p = {
        .A = &A, .spec = spec, .method = method, .columns = columns, .unit = unit_of(name)};
    int one = 0;

    OK(ctx, gsolve_read_matrix(&A, ctx, name, NULL, NULL));
    p.xyz = edge > 0 ? coordinates_of(&A, edge) : NULL;
    for (int k = 0; rank_count(k); k++) {
        p.division = k % 2 ? EVEN : FIRST_EMPTY;
        if (run_ranks(rank_count(k), solve_once, &p) != 0) fail_msg("%s + %s", name, spec);
        if (k == 0) one = p.iterations;
        if (p.iterations > one + more || p.iterations < one - more) {
            fail_msg("%s + %s on %d ranks: %d iterations, %d on one", name, spec, rank_count(k),
                     p.iterations, one);
        }
    }
    free((double *)(uintptr_t)p.xyz);
    gsolve_context_destroy(&ctx);
}

static void solves(void **state)
{
    (void)state;
    check_solve("gen:poisson3d,n=12", "cg", "amg," SMALL_LEVELS, 1, 0, 1);
    check_solve("gen:poisson3d,n=12", "cg", "amg," SMALL_LEVELS, 3, 0, 1);
    check_solve("gen:poisson3d,n=26", "cg", "amg," SMALL_LEVELS, 1, 0, 1); /* type=auto */
    check_solve("gen:jump3d,n=12", "cg", "amg,its=5," SMALL_LEVELS, 1, 0, 1);
    check_solve("gen:anisotropic3d,n=12", "cg", "amg,smoother=l1_jacobi,cycle=w," SMALL_LEVELS, 1,
                0, 1);
    check_solve("gen:poisson3d,n=12", "cg", "amg,smoother=spai0," SMALL_LEVELS, 2, 0, 1);
    check_solve("gen:poisson3d,n=12", "fgmres", "amg,cycle=k," SMALL_LEVELS, 1, 0, 1);
    check_solve("gen:elasticity3d,n=6", "cg", "amg," SMALL_LEVELS, 1, 6, 1);
    check_solve("gen:elasticity3d,n=6", "cg", "amg,aggregation=mis2", 1, 6, 1);
    check_solve("gen:convdiff3d,n=12", "bicgstab", "amg,smoother=l1_jacobi," SMALL_LEVELS, 1, 0, 1);
    check_solve("gen:convdiff3d,n=12", "bicg", "amg,smoother=l1_jacobi," SMALL_LEVELS, 1, 0, 1);
    check_solve("gen:poisson3d,n=12", "cg", "amg,smoother=gs," SMALL_LEVELS, 1, 0, 4);
    check_solve("gen:poisson3d,n=12", "cg", "amg,smoother=ilu," SMALL_LEVELS, 2, 0, 4);
    check_solve("gen:convdiff3d,n=12", "bicg", "amg,smoother=gs," SMALL_LEVELS, 1, 0, 8);
    check_solve("gen:convdiff3d,n=8", "bicgstab", "amg,aggregation=mis2", 1, 0, 1);
}

/* --- updates ---------------------------------------------------------------------------------- */

/* Values that change and come back give the first levels again; memory does not grow. */
static int update_often(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const problem *p = user;
    const gsolve_row_range rows = range_of(p, rank, ranks);
    piece own = take_piece(p->A, rows, rows);
    const int64_t entries = gs_dist_start(&own.csr, rows.count);
    double *value = malloc((size_t)(entries + 1) * sizeof *value);
    gsolve_dist_csr csr = own.csr;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    size_t held = 0;
    int failures = 0;

    csr.value = value;
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, p->spec, A));
    for (int u = 0; u < 100 && failures == 0; u++) {
        for (int64_t k = 0; k < entries; k++) {
            value[k] = ((const double *)own.csr.value)[k] * (u == 99 ? 1 : 1 + u % 7);
        }
        EXPECT_OK(ctx, gsolve_matrix_update_dist(A, &csr));
        EXPECT_OK(ctx, gsolve_precond_update_from(M, A));
        if (u == 1) held = ctx->bytes;
    }
    EXPECT(ctx->bytes == held, "%zu bytes, %zu at first", ctx->bytes, held);
    if (ranks > 1 && failures == 0) {
        failures += compare_levels(levels_of(M), p->one, rank, ranks);
        EXPECT(gsolve_precond_update(M, p->A) == GSOLVE_UNSUPPORTED, "%s", gsolve_error(ctx));
        EXPECT(strstr(gsolve_error(ctx), "gsolve_precond_update_from"), "%s", gsolve_error(ctx));
        EXPECT(gsolve_precond_save(M, "amg.setup") == GSOLVE_UNSUPPORTED, "%s", gsolve_error(ctx));
    }
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    free(value);
    return failures;
}

static void updates(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = {.spec = "amg," SMALL_LEVELS};
    gsolve_csr A;
    gsolve_precond *M = NULL;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson3d,n=9", NULL, NULL));
    OK(ctx, gsolve_precond_create(&M, ctx, p.spec, &A));
    OK(ctx, gsolve_precond_update(M, &A));
    p.A = &A;
    p.one = levels_of(M);
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), update_often, &p), 0);
    }
    gsolve_precond_destroy(&M);
    gsolve_context_destroy(&ctx);
}

/* Runs the body with a generated matrix and small levels on all numbers of ranks. */
static void run_everywhere(const char *name, rank_body *body)
{
    gsolve_context *ctx = open_context(1);
    problem p = {.spec = "amg," SMALL_LEVELS};
    gsolve_csr A;

    OK(ctx, gsolve_read_matrix(&A, ctx, name, NULL, NULL));
    p.A = &A;
    for (int k = 0; rank_count(k); k++) assert_int_equal(run_ranks(rank_count(k), body, &p), 0);
    gsolve_context_destroy(&ctx);
}

/* A null space that the first update cannot use, because the last rank has no memory, is used by
 * the next one. */
static int fail_null_space(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const problem *p = user;
    const gsolve_row_range rows = range_of(p, rank, ranks);
    const gsolve_null_space constants = {.constants = true};
    piece own = take_piece(p->A, rows, rows);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, p->spec, A));
    EXPECT_OK(ctx, gsolve_matrix_set_null_space(A, &constants, NULL));
    gsolve_context_limit_allocations(ctx, rank == ranks - 1 ? 0 : -1);
    EXPECT(gsolve_precond_update_from(M, A) == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx));
    gsolve_context_limit_allocations(ctx, -1);
    EXPECT_OK(ctx, gsolve_precond_update_from(M, A));
    if (ranks > 1 && failures == 0) {
        EXPECT(levels_of(M)->coarse->h->options.null_space == 1, "it is not used");
    }
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    return failures;
}

static void null_spaces(void **state)
{
    (void)state;
    run_everywhere("gen:neumann2d,n=20", fail_null_space);
}

/* --- failures --------------------------------------------------------------------------------- */

enum { FAILING = 3 };

/* What all ranks of a failing call returned. */
typedef struct failing {
    problem p;
    int bad; /* the rank that fails */
    gsolve_status status[FAILING];
    char error[FAILING][1024];
} failing;

/* Creation, near-null vectors, an update, an application to three columns. */
static gsolve_status use(gsolve_context *ctx, const problem *p, const gsolve_matrix *A,
                         gsolve_row_range rows, gsolve_dense b, gsolve_dense x)
{
    gsolve_precond *M = NULL;
    gsolve_status status = gsolve_precond_create_from(&M, ctx, p->spec, A);

    if (status == GSOLVE_OK) status = set_coordinates(M, p, rows);
    if (status == GSOLVE_OK) status = gsolve_precond_update_from(M, A);
    if (status == GSOLVE_OK) status = gsolve_precond_apply(M, b, x);
    gsolve_precond_destroy(&M);
    return status;
}

/* All ranks return the same, while the last one may make 0, 1, 2, ... allocations. */
static int deny(gsolve_context *ctx, int rank, int ranks, void *user)
{
    failing *f = user;
    const gsolve_row_range rows = range_of(&f->p, rank, ranks);
    piece own = take_piece(f->p.A, rows, rows);
    double *values = calloc((size_t)rows.count * 6 + 1, sizeof *values), done = 0;
    const gsolve_dense b = {rows.count, 3,           rows.count,         values,
                            GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_dense x = b;
    gsolve_matrix *A = NULL;
    int64_t granted = 0;
    int failures = 0;

    x.value = values + (int64_t)rows.count * 3;
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    for (; granted < 5000 && done == 0 && failures == 0; granted++) {
        const size_t held = ctx->bytes;
        gsolve_context_limit_allocations(ctx, rank == f->bad ? granted : -1);
        f->status[rank] = use(ctx, &f->p, A, rows, b, x);
        snprintf(f->error[rank], sizeof f->error[rank], "%s", gsolve_error(ctx));
        done = rank == f->bad && f->status[rank] == GSOLVE_OK && ctx->allocations_left > 0;
        gsolve_context_limit_allocations(ctx, -1);
        EXPECT(f->status[rank] == GSOLVE_OK || f->status[rank] == GSOLVE_NO_MEMORY, "%s",
               gsolve_error(ctx));
        EXPECT(granted < 3 || ctx->bytes == held, "%zu bytes after %lld allocations, %zu before",
               ctx->bytes, (long long)granted, held);
        EXPECT_OK(ctx, gs_comm_check(ctx->comm, GSOLVE_OK)); /* all have written */
        for (int k = 1; k < ranks && rank == 0; k++) {
            EXPECT(f->status[k] == f->status[0], "%lld allocations: %d, rank %d: %d",
                   (long long)granted, f->status[0], k, f->status[k]);
            EXPECT(f->status[0] == GSOLVE_OK || !strcmp(f->error[k], f->error[0]), "%s, %s",
                   f->error[0], f->error[k]);
        }
        EXPECT_OK(ctx, gs_comm_sum_on_host(ctx->comm, &done, 1));
    }
    EXPECT(done > 0, "never succeeded");
    if (rank == 0) printf("%lld allocations\n", (long long)granted);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    free(values);
    return failures;
}

static void allocations(void **state)
{
    gsolve_context *ctx = open_context(1);
    failing f = {0};
    gsolve_csr A, E;
    (void)state;

    if (RANKS_ARE_PROCESSES) skip(); /* the ranks share f */
    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson3d,n=7", NULL, NULL));
    OK(ctx, gsolve_read_matrix(&E, ctx, "gen:elasticity3d,n=3", NULL, NULL));
    for (f.bad = 0; f.bad < FAILING; f.bad++) {
        f.p.spec = "amg,its=2," SMALL_LEVELS;
        f.p.A = &A;
        f.p.xyz = NULL;
        f.p.unit = 0;
        if (run_ranks(FAILING, deny, &f)) fail_msg("rank %d", f.bad);
        f.p.spec = "amg,smoother=gs," SMALL_LEVELS;
        f.p.A = &E;
        f.p.xyz = coordinates_of(&E, 3);
        f.p.unit = 3;
        const int failures = run_ranks(FAILING, deny, &f);
        free((double *)(uintptr_t)f.p.xyz);
        if (failures) fail_msg("elasticity, rank %d", f.bad);
    }
    gsolve_context_destroy(&ctx);
}

/* One rank is wrong or stopped; all get its sentence. */
static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    problem *p = user;
    const gsolve_row_range rows = range_of(p, rank, ranks);
    const bool bad = rank == ranks - 1;
    piece own = take_piece(p->A, rows, rows);
    double *xyz = calloc((size_t)rows.count * 3 + 1, sizeof *xyz);
    gsolve_dense v = {rows.count, 1, rows.count, xyz, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    double number = 0;
    int failures = 0;
    static const struct {
        const char *spec, *sentence;
    } refused[] = {
        {"amg,coarsening=classical", "use coarsening=sa"},
        {"amg,coarsening=ua", "use coarsening=sa"},
        {"amg,aggregation=greedy", "use aggregation=mis2"},
        {"amg,block=16", "cut a node of 16 unknowns"},
        {"amg,block=7", "not nodes of 7 unknowns"},
        {"amg,pre=0,post=0", "smooths nothing"},
    };

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    for (size_t k = 0; k < sizeof refused / sizeof *refused && ranks > 1; k++) {
        EXPECT(gsolve_precond_create_from(&M, ctx, refused[k].spec, A) != GSOLVE_OK, "%s",
               refused[k].spec);
        EXPECT(strstr(gsolve_error(ctx), refused[k].sentence), "%s", gsolve_error(ctx));
    }
    gsolve_context_interrupt(ctx, bad);
    EXPECT(gsolve_precond_create_from(&M, ctx, p->spec, A) == GSOLVE_INTERRUPTED, "%s",
           gsolve_error(ctx));
    gsolve_context_interrupt(ctx, false);
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, p->spec, A));
    if (bad) v.nrows--;
    EXPECT(gsolve_precond_set_near_null(M, v) == GSOLVE_BAD_ARGUMENT, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_set_coordinates(M, v) == GSOLVE_BAD_ARGUMENT, "%s", gsolve_error(ctx));
    v = (gsolve_dense){rows.count, 1,           rows.count,         xyz,
                       GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    EXPECT(gsolve_precond_apply_dot(M, v, v, bad ? NULL : &number) == GSOLVE_BAD_ARGUMENT, "%s",
           gsolve_error(ctx));
    if (bad) v.ncols = 2;
    if (ranks > 1) {
        EXPECT(gsolve_precond_set_near_null(M, v) == GSOLVE_BAD_ARGUMENT, "%s", gsolve_error(ctx));
        EXPECT(strstr(gsolve_error(ctx), "numbers of near-null vectors"), "%s", gsolve_error(ctx));
    }
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    free(xyz);
    return failures;
}

static void refusals(void **state)
{
    (void)state;
    run_everywhere("gen:poisson2d,nx=19,ny=16", refuse);
}

/* --- devices with memory of their own --------------------------------------------------------- */

static int refuse_device(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const problem *p = user;
    const gsolve_row_range rows = range_of(p, rank, ranks);
    piece own = take_piece(p->A, rows, rows);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &own.csr));
    EXPECT(gsolve_precond_create_from(&M, ctx, "amg", A) == GSOLVE_UNSUPPORTED, "%s",
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "compute on CPUs"), "%s", gsolve_error(ctx));
    EXPECT_OK(ctx, gsolve_precond_create_from(&M, ctx, "auto", A));
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&own);
    return failures;
}

static void devices(void **state)
{
    gsolve_context *ctx = open_context(1);
    problem p = {.spec = "amg"};
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,n=20", NULL, NULL));
    p.A = &A;
    assert_int_equal(run_ranks(3, refuse_device, &p), 0);
    gsolve_context_destroy(&ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels),           cmocka_unit_test(nodes),
        cmocka_unit_test(incomplete_nodes), cmocka_unit_test(solves),
        cmocka_unit_test(updates),          cmocka_unit_test(null_spaces),
        cmocka_unit_test(allocations),      cmocka_unit_test(refusals),
        cmocka_unit_test(format),
    };

    const struct CMUnitTest elsewhere[] = {cmocka_unit_test(devices)};

    begin_ranks(&argc, &argv);
    need_device();
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (test_device_is("cuda") || test_device_is("apart")) {
        return end_ranks(cmocka_run_group_tests(elsewhere, NULL, NULL));
    }
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
