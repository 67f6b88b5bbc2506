/* test_redistribution.c: other divisions of the rows of a distributed matrix, on 1, 2, 3, 5 and 7
 * ranks, which are threads. */
#include "dist/comm.h"
#include "partition/partition.h"
#include "tests/dist_support.h"

enum { SIDE = 36, MOST = SIDE * SIDE, SPACE = 16 /* for ranks */ };

/* A matrix whose values are whole numbers, so that sums in any order are exact. */
static gsolve_csr generated(gsolve_context *ctx, const char *name)
{
    gsolve_csr A;

    OK(ctx, gsolve_read_matrix(&A, ctx, name, NULL, NULL));
    for (int64_t k = 0; k < gs_start(&A, A.nrows); k++) {
        ((double *)(uintptr_t)A.value)[k] = round(8 * gs_value(&A, k));
    }
    return A;
}

/* P A P' for a random permutation P: row k is row old[k] of A. The columns of a row do not ascend.
 */
static gsolve_csr shuffled(gsolve_context *ctx, const char *name)
{
    gsolve_csr A = generated(ctx, name), B;
    int32_t *old = malloc((size_t)A.nrows * sizeof *old),
            *new = malloc((size_t)A.nrows * sizeof *new);
    int64_t at = 0;

    for (int32_t r = 0; r < A.nrows; r++) old[r] = r;
    for (int32_t r = A.nrows - 1; r > 0; r--) {
        const int32_t s = (int32_t)fabs(gsolve_random(5, (uint64_t)r) * r), kept = old[r];
        old[r] = old[s];
        old[s] = kept;
    }
    for (int32_t r = 0; r < A.nrows; r++) new[old[r]] = r;
    OK(ctx, gs_csr_new(&B, ctx, A.nrows, A.ncols, gs_start(&A, A.nrows), GSOLVE_F64));
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, &B);
    for (int32_t r = 0; r < A.nrows; r++) {
        gs_set_start(&to, r, at);
        for (int64_t k = gs_start(&A, old[r]); k < gs_start(&A, old[r] + 1); k++, at++) {
            to.col[at] = new[A.col[k]];
            ((double *)to.value)[at] = gs_value(&A, k);
        }
    }
    gs_set_start(&to, A.nrows, at);
    gsolve_csr_free(&A, ctx);
    free(old);
    free(new);
    return B;
}

static bool is_built(const char *spec)
{
    if (strcmp(spec, "metis") == 0) return gs_metis_partitioner.divide;
    return strcmp(spec, "scotch") == 0 ? gs_scotch_partitioner.divide != NULL : true;
}

/* --- one redistribution ----------------------------------------------------------------------- */

typedef struct plan {
    const gsolve_csr *A;
    const char *spec;
    division division;
    double most_ghosts;   /* allowed after it, for each one before; 0: any */
    double most_entries;  /* of a rank, for each one of the mean; 0: any */
    const char *name;     /* what it must be; NULL: any */
    uint64_t hash[SPACE]; /* of the new rows of each rank */
} plan;

/* Element i of vector c, a whole number. */
static double element(int64_t i, int c)
{
    return round(100 * number_of(i, c));
}

static gsolve_dense vectors(void *value, int32_t rows, int32_t columns, gsolve_layout layout,
                            gsolve_type type)
{
    return (gsolve_dense){rows,  columns, layout == GSOLVE_ROW_MAJOR ? columns : rows,
                          value, type,    GSOLVE_HOST,
                          layout};
}

/* y = A x in both divisions: the same numbers. */
static int compare_products(gsolve_context *ctx, int rank, int ranks, const gsolve_dist_csr *csr,
                            const gsolve_dist_csr *new, const gsolve_redistribution *R)
{
    const int32_t n = csr->rows.count, m = new->rows.count;
    double *v = calloc((size_t)(3 * n + 2 * m + 1), sizeof *v);
    const gsolve_dense x = gsolve_vector(v, n), y = gsolve_vector(v + n, n),
                       back = gsolve_vector(v + 2 * n, n), X = gsolve_vector(v + 3 * n, m),
                       Y = gsolve_vector(v + 3 * n + m, m);
    gsolve_matrix *A = NULL, *B = NULL;
    int failures = 0;

    for (int32_t i = 0; i < n; i++) v[i] = element(csr->rows.first + i, 0);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", csr));
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&B, ctx, "csr", new));
    EXPECT_OK(ctx, gsolve_matrix_apply(A, 1, x, 0, y));
    EXPECT_OK(ctx, gsolve_redistribution_apply(R, false, x, X));
    EXPECT_OK(ctx, gsolve_matrix_apply(B, 1, X, 0, Y));
    EXPECT_OK(ctx, gsolve_redistribution_apply(R, true, Y, back));
    for (int32_t i = 0; i < n; i++) {
        EXPECT(v[n + i] == v[2 * n + i], "row %d: %g, and %g after it", i, v[n + i], v[2 * n + i]);
    }
    gsolve_matrix_destroy(&A);
    gsolve_matrix_destroy(&B);
    free(v);
    return failures;
}

/* Vectors there, where kernels of the device read them, and back, in both layouts. */
static int compare_vectors(gsolve_context *ctx, int rank, int ranks, const gsolve_dist_csr *csr,
                           const gsolve_dist_csr *new, const gsolve_redistribution *R)
{
    const int32_t n = csr->rows.count, m = new->rows.count;
    float *f = calloc((size_t)(6 * n + 1), sizeof *f);
    gsolve_dense x = vectors(f, n, 3, GSOLVE_ROW_MAJOR, GSOLVE_F32),
                 X = vectors(NULL, m, 3, GSOLVE_COLUMN_MAJOR, GSOLVE_F32),
                 z = vectors(f + 3 * n, n, 3, GSOLVE_COLUMN_MAJOR, GSOLVE_F32);
    int failures = 0;

    X.location = gs_location(ctx);
    X.value = gsolve_alloc(ctx, X.location, (size_t)(3 * m), sizeof *f);
    for (int32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) f[3 * i + c] = (float)element(csr->rows.first + i, c);
    }
    EXPECT_OK(ctx, gsolve_redistribution_apply(R, false, x, X));
    EXPECT_OK(ctx, gsolve_redistribution_apply(R, true, X, z));
    for (int32_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) {
            EXPECT(f[3 * i + c] == f[3 * n + c * n + i], "row %d, column %d", i, c);
        }
    }
    gsolve_free(ctx, X.location, X.value);
    free(f);
    return failures;
}

/* New values: 3 times the old ones. */
static int compare_update(gsolve_context *ctx, int rank, int ranks, const gsolve_dist_csr *csr,
                          const gsolve_dist_csr *new, const gsolve_redistribution *R)
{
    const int64_t given = ((const int64_t *)csr->start)[csr->rows.count],
                  got = ((const int64_t *)new->start)[new->rows.count];
    double *value = malloc((size_t)(given + got + 1) * sizeof *value), *before = value + given;
    gsolve_dist_csr other = *csr;
    int failures = 0;

    for (int64_t k = 0; k < given; k++) value[k] = 3 * ((const double *)csr->value)[k];
    for (int64_t k = 0; k < got; k++) before[k] = ((const double *)new->value)[k];
    other.value = value;
    EXPECT_OK(ctx, gsolve_redistribution_update(R, &other, new));
    for (int64_t k = 0; k < got; k++) {
        EXPECT(((const double *)new->value)[k] == 3 * before[k], "entry %lld", (long long)k);
    }
    EXPECT_OK(ctx, gsolve_redistribution_update(R, csr, new));
    if (rank == 0 && given > 0) value[0] = NAN;
    const gsolve_status status = gsolve_redistribution_update(R, &other, new);
    double any = given > 0 && rank == 0;
    EXPECT_OK(ctx, gs_comm_sum_on_host(ctx->comm, &any, 1));
    EXPECT(status == (any > 0 ? GSOLVE_BAD_MATRIX : GSOLVE_OK), "a NaN: %s", gsolve_error(ctx));
    free(value);
    return failures;
}

static int compare_divisions(gsolve_context *ctx, int rank, int ranks, const plan *p,
                             const gsolve_dist_csr *csr, const gsolve_dist_csr *new,
                             const gsolve_redistribution *R)
{
    gsolve_division_info before = GSOLVE_INIT(gsolve_division_info), after = before;
    int failures = 0;

    EXPECT_OK(ctx, gsolve_dist_csr_division(ctx, csr, &before));
    EXPECT_OK(ctx, gsolve_dist_csr_division(ctx, new, &after));
    EXPECT(after.rows == before.rows && after.entries == before.entries, "%lld rows, %lld entries",
           (long long)after.rows, (long long)after.entries);
    EXPECT(p->most_ghosts == 0 || (double)after.ghosts <= p->most_ghosts * (double)before.ghosts,
           "%s: %lld ghosts, %lld before", p->spec, (long long)after.ghosts,
           (long long)before.ghosts);
    EXPECT(p->most_entries == 0 ||
               (double)after.most_entries * ranks <= p->most_entries * (double)after.entries,
           "%s: %lld of %lld entries on one rank", p->spec, (long long)after.most_entries,
           (long long)after.entries);
    EXPECT(!p->name || strcmp(gsolve_redistribution_name(R), p->name) == 0, "%s is %s", p->spec,
           gsolve_redistribution_name(R));
    return failures;
}

static int redistribute(gsolve_context *ctx, int rank, int ranks, void *user)
{
    plan *p = user;
    const gsolve_row_range rows = divide(p->division, p->A->nrows, rank, ranks);
    piece given = take_piece(p->A, rows, rows);
    gsolve_redistribution *R = NULL;
    gsolve_dist_csr new;
    int failures = 0;

    const gsolve_status status = gsolve_redistribution_create(&R, ctx, p->spec, &given.csr, &new);
    EXPECT(status == GSOLVE_OK, "%s", gsolve_error(ctx));
    if (status == GSOLVE_OK) {
        const int64_t *start = new.start;
        p->hash[rank] = gs_hash(ctx, new.col, (size_t)start[new.rows.count] * sizeof *new.col,
                                (uint64_t) new.rows.first);
        p->hash[rank] =
            gs_hash(ctx, new.value, (size_t)start[new.rows.count] * sizeof(double), p->hash[rank]);
        failures += compare_divisions(ctx, rank, ranks, p, &given.csr, &new, R);
        failures += compare_products(ctx, rank, ranks, &given.csr, &new, R);
        failures += compare_vectors(ctx, rank, ranks, &given.csr, &new, R);
        failures += compare_update(ctx, rank, ranks, &given.csr, &new, R);
        gsolve_dist_csr_free(&new, ctx);
    }
    gsolve_redistribution_destroy(&R);
    drop_piece(&given);
    return failures;
}

/* On each number of ranks, twice: the second time gives the same rows. */
static void check(plan p)
{
    if (!is_built(p.spec)) return;
    for (int k = 0; rank_count(k); k++) {
        plan again = p;
        if (run_ranks(rank_count(k), redistribute, &p)) {
            fail_msg("%s on %d ranks, division %d", p.spec, rank_count(k), p.division);
        }
        assert_int_equal(run_ranks(rank_count(k), redistribute, &again), 0);
        assert_memory_equal(p.hash, again.hash, sizeof p.hash);
    }
}

static const char *const specs[] = {"blocks", "metis", "scotch", "auto"};

static void shuffled_grid(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = shuffled(ctx, "gen:poisson2d,n=36");
    (void)state;

    assert_int_equal(A.nrows, MOST);
    for (int s = 0; s < 4; s++) {
        const bool graph = s == 1 || s == 2 || (s == 3 && gs_partitioner_built());
        check((plan){&A, specs[s], EVEN, graph ? 0.25 : 0, graph ? 1.15 : 1.02, NULL, {0}});
        check((plan){&A, specs[s], FIRST_EMPTY, 0, graph ? 1.15 : 1.02, NULL, {0}});
        check((plan){&A, specs[s], LAST_ALL, 0, graph ? 1.15 : 1.02, NULL, {0}});
        check((plan){&A, specs[s], ONE_EACH, 0, graph ? 1.15 : 1.02, NULL, {0}});
    }
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
}

/* In its own order a long grid has few ghosts. */
static void natural_order(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = generated(ctx, "gen:poisson2d,nx=4,ny=400");
    (void)state;

    check((plan){&A, "auto", EVEN, 0, 1.02, "blocks", {0}});
    check((plan){&A, "auto", LAST_ALL, 0, 1.02, "blocks", {0}});
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
}

/* Matrices with fewer rows than ranks, without entries, of an unsymmetric pattern. */
static void small_and_odd(void **state)
{
    gsolve_context *ctx = open_context(1);
    static const int32_t none[9], entry[4] = {0, 1, 2, 3}, col[3] = {2, 0, 1},
                                  unsymmetric[7] = {0, 3, 3, 4, 6, 6, 8},
                                  cols[8] = {5, 1, 5, 0, 3, 2, 4, 1};
    static const double value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    gsolve_csr empty = gsolve_csr_view(8, none, col, value),
               three = gsolve_csr_view(3, entry, col, value),
               odd = gsolve_csr_view(6, unsymmetric, cols, value),
               nothing = gsolve_csr_view(0, none, col, value);
    (void)state;

    for (int s = 0; s < 4; s++) {
        check((plan){&empty, specs[s], EVEN, 0, 0, NULL, {0}});
        check((plan){&three, specs[s], EVEN, 0, 0, NULL, {0}});
        check((plan){&odd, specs[s], LAST_ALL, 0, 0, NULL, {0}}); /* a duplicate; empty rows */
        check((plan){&nothing, specs[s], EVEN, 0, 0, NULL, {0}});
    }
    gsolve_context_destroy(&ctx);
}

/* --- a solve ---------------------------------------------------------------------------------- */

typedef struct system_of {
    const gsolve_csr *A;
    double x[2][MOST]; /* with the given rows, and redistributed */
} system_of;

static int solve(gsolve_context *ctx, int rank, int ranks, void *user)
{
    system_of *s = user;
    const gsolve_row_range rows = divide(EVEN, s->A->nrows, rank, ranks);
    piece p = take_piece(s->A, rows, rows);
    double *v = calloc((size_t)(2 * rows.count + 1), sizeof *v), *w, *all;
    const gsolve_dense b = gsolve_vector(v, rows.count),
                       x = gsolve_vector(v + rows.count, rows.count);
    gsolve_redistribution *R = NULL;
    gsolve_dist_csr new = {0};
    int failures = 0;

    for (int32_t i = 0; i < rows.count; i++) v[i] = number_of(rows.first + i, 0);
    EXPECT_OK(ctx, gsolve_redistribution_create(&R, ctx, "auto", &p.csr, &new));
    w = calloc((size_t)(2 * new.rows.count + 1), sizeof *w);
    const gsolve_dense B = gsolve_vector(w, new.rows.count),
                       X = gsolve_vector(w + new.rows.count, new.rows.count);
    EXPECT_OK(ctx, gsolve_redistribution_apply(R, false, b, B));
    for (int k = 0; k < 2; k++) {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        EXPECT_OK(ctx, gsolve_solve_dist(ctx, k ? &new : &p.csr, k ? B : b, k ? X : x, &result));
        EXPECT(result.outcome == GSOLVE_CONVERGED, "%s", gsolve_outcome_text(result.outcome));
        if (k) EXPECT_OK(ctx, gsolve_redistribution_apply(R, true, X, x));
        all = calloc(MOST, sizeof *all);
        memcpy(all + rows.first, x.value, (size_t)rows.count * sizeof *all);
        EXPECT_OK(ctx, gs_comm_sum_on_host(ctx->comm, all, MOST));
        if (rank == 0 || RANKS_ARE_PROCESSES) memcpy(s->x[k], all, sizeof s->x[k]);
        free(all);
    }
    gsolve_dist_csr_free(&new, ctx);
    gsolve_redistribution_destroy(&R);
    drop_piece(&p);
    free(v);
    free(w);
    return failures;
}

static void solutions(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = shuffled(ctx, "gen:poisson2d,n=36");
    system_of *s = calloc(1, sizeof *s);
    (void)state;

    s->A = &A;
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), solve, s), 0);
        for (int i = 0; i < MOST; i++) assert_true(fabs(s->x[0][i] - s->x[1][i]) < 1e-6);
    }
    free(s);
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
}

/* --- numbers of a division -------------------------------------------------------------------- */

static int count_division(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_csr *A = user;
    const gsolve_row_range rows = divide(EVEN, A->nrows, rank, ranks);
    piece p = take_piece(A, rows, rows);
    gsolve_division_info d = GSOLVE_INIT(gsolve_division_info);
    int failures = 0;

    EXPECT_OK(ctx, gsolve_dist_csr_division(ctx, &p.csr, &d));
    EXPECT(d.ranks == ranks && d.rows == 105 && d.entries == 3 * 105 - 2, "%lld rows",
           (long long)d.rows);
    EXPECT(d.ghosts == 2 * (ranks - 1) && d.cut == d.ghosts, "%lld ghosts", (long long)d.ghosts);
    EXPECT(d.most_rows == (105 + ranks - 1) / ranks, "%lld rows", (long long)d.most_rows);
    EXPECT(d.most_neighbours == (ranks > 2 ? 2 : ranks - 1), "%d", d.most_neighbours);
    EXPECT(d.most_ghosts == d.most_neighbours, "%lld", (long long)d.most_ghosts);
    EXPECT(d.most_entries >= d.entries / ranks, "%lld", (long long)d.most_entries);
    drop_piece(&p);
    return failures;
}

static void divisions(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = generated(ctx, "gen:poisson2d,nx=1,ny=105");
    (void)state;

    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), count_division, &A), 0);
    }
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
}

/* --- refused ---------------------------------------------------------------------------------- */

/* Expects this failure on all ranks. */
#define EXPECT_FAILURE(expected, text, call)                                                       \
    do {                                                                                           \
        const gsolve_status status_ = (call);                                                      \
        EXPECT(status_ == (expected) && strstr(gsolve_error(ctx), text), "%s", gsolve_error(ctx)); \
    } while (0)

static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_csr *A = user;
    const gsolve_row_range rows = divide(EVEN, A->nrows, rank, ranks);
    piece p = take_piece(A, rows, rows);
    gsolve_redistribution *R = NULL;
    gsolve_dist_csr new = {0}, bad = p.csr;
    gsolve_division_info info = GSOLVE_INIT(gsolve_division_info);
    double *v = calloc((size_t)A->nrows, sizeof *v);
    int failures = 0;

    EXPECT_FAILURE(GSOLVE_BAD_SPEC, "there is no partition 'mets'",
                   gsolve_redistribution_create(&R, ctx, "mets", &p.csr, &new));
    EXPECT_FAILURE(GSOLVE_BAD_ARGUMENT, "an argument is NULL",
                   gsolve_redistribution_create(&R, ctx, rank ? "blocks" : NULL, &p.csr, &new));
    bad.cols.total = A->nrows + 1;
    EXPECT_FAILURE(GSOLVE_BAD_ARGUMENT, "square matrix",
                   gsolve_redistribution_create(&R, ctx, "blocks", &bad, &new));
    bad = p.csr;
    bad.offset = rank == ranks - 1 ? (gsolve_offset)(GSOLVE_O64 + 1) : GSOLVE_O64;
    EXPECT_FAILURE(GSOLVE_BAD_ARGUMENT, "an unknown type",
                   gsolve_redistribution_create(&R, ctx, "blocks", &bad, &new));
    EXPECT_FAILURE(GSOLVE_BAD_ARGUMENT, "an unknown type",
                   gsolve_dist_csr_division(ctx, &bad, &info));
    if (ranks > 1) {
        EXPECT_FAILURE(
            GSOLVE_BAD_ARGUMENT, "are not those of rank 0",
            gsolve_redistribution_create(&R, ctx, rank ? "blocks" : "auto", &p.csr, &new));
    }
    if (!is_built("metis")) {
        EXPECT_FAILURE(GSOLVE_UNSUPPORTED, "needs METIS",
                       gsolve_redistribution_create(&R, ctx, "metis", &p.csr, &new));
    }
    if (!is_built("scotch")) {
        EXPECT_FAILURE(GSOLVE_UNSUPPORTED, "needs Scotch",
                       gsolve_redistribution_create(&R, ctx, "scotch", &p.csr, &new));
    }
    EXPECT(!R && !new.start, "a failed call has set its results");
    EXPECT_OK(ctx, gsolve_redistribution_create(&R, ctx, "blocks", &p.csr, &new));
    EXPECT_FAILURE(GSOLVE_BAD_ARGUMENT, "'from' is",
                   gsolve_redistribution_apply(R, false,
                                               gsolve_vector(v, A->nrows - rows.count - 1),
                                               gsolve_vector(v, new.rows.count)));
    bad = p.csr;
    bad.rows.first++;
    EXPECT_FAILURE(GSOLVE_BAD_MATRIX, "another pattern",
                   gsolve_redistribution_update(R, rank == ranks - 1 ? &bad : &p.csr, &new));
    gsolve_dist_csr_free(&new, ctx);
    gsolve_redistribution_destroy(&R);
    drop_piece(&p);
    free(v);
    return failures;
}

static void refused(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = generated(ctx, "gen:poisson2d,n=10");
    (void)state;

    for (int k = 0; rank_count(k); k++) assert_int_equal(run_ranks(rank_count(k), refuse, &A), 0);
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
}

/* --- memory ----------------------------------------------------------------------------------- */

#ifndef GSOLVE_TEST_MPI
enum { RANKS = 3 };

typedef struct denial {
    const gsolve_csr *A;
    const char *spec;
    int bad;
    int64_t allocations;
    gsolve_status status[RANKS];
    char error[RANKS][1024];
} denial;

static gsolve_status run_all(gsolve_context *ctx, const char *spec, const piece *p, double *v)
{
    const gsolve_dense x = gsolve_vector(v, p->csr.rows.count);
    gsolve_redistribution *R = NULL;
    gsolve_dist_csr new = {0};
    double *moved = NULL;
    gsolve_status status = gsolve_redistribution_create(&R, ctx, spec, &p->csr, &new);

    if (status == GSOLVE_OK) {
        moved = calloc((size_t) new.rows.count + 1, sizeof *moved);
        const gsolve_dense X = gsolve_vector(moved, new.rows.count);
        status = gsolve_redistribution_apply(R, false, x, X);
        if (status == GSOLVE_OK) status = gsolve_redistribution_apply(R, true, X, x);
        if (status == GSOLVE_OK) status = gsolve_redistribution_update(R, &p->csr, &new);
    }
    gsolve_dist_csr_free(&new, ctx);
    gsolve_redistribution_destroy(&R);
    free(moved);
    return status;
}

static int deny(gsolve_context *ctx, int rank, int ranks, void *user)
{
    denial *d = user;
    const gsolve_row_range rows = divide(EVEN, d->A->nrows, rank, ranks);
    piece p = take_piece(d->A, rows, rows);
    double *v = calloc((size_t)rows.count + 1, sizeof *v);
    int failures = 0;

    if (rank == d->bad) gsolve_context_limit_allocations(ctx, d->allocations);
    d->status[rank] = run_all(ctx, d->spec, &p, v);
    snprintf(d->error[rank], sizeof d->error[rank], "%s", gsolve_error(ctx));
    gsolve_context_limit_allocations(ctx, -1);
    if (d->status[rank] != GSOLVE_OK) EXPECT_OK(ctx, run_all(ctx, d->spec, &p, v));
    drop_piece(&p);
    free(v);
    return failures;
}

/* Rank `bad` gets 0, 1, 2, ... allocations, until all ranks succeed. */
static void allocations(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = shuffled(ctx, "gen:poisson2d,n=12");
    (void)state;

    for (int k = 0; k < 8; k++) {
        denial d = {.A = &A, .spec = specs[k / 2], .bad = k % 2 ? 2 : 0};
        if (!is_built(d.spec)) continue;
        do {
            assert_int_equal(run_delayed_ranks(RANKS, 3, deny, &d), 0);
            for (int r = 1; r < RANKS; r++) {
                assert_int_equal(d.status[r], d.status[0]);
                if (d.status[0] != GSOLVE_OK) assert_string_equal(d.error[r], d.error[0]);
            }
            if (d.status[0] != GSOLVE_OK) assert_int_equal(d.status[0], GSOLVE_NO_MEMORY);
            assert_true(d.allocations++ < 1000);
        } while (d.status[0] != GSOLVE_OK);
        assert_true(d.allocations > 10);
    }
    gsolve_csr_free(&A, ctx);
    gsolve_context_destroy(&ctx);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffled_grid), cmocka_unit_test(natural_order),
        cmocka_unit_test(small_and_odd), cmocka_unit_test(solutions),
        cmocka_unit_test(divisions),     cmocka_unit_test(refused),
#ifndef GSOLVE_TEST_MPI
        cmocka_unit_test(allocations),
#endif
    };

    begin_ranks(&argc, &argv);
    need_device();
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
