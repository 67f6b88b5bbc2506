/* test_ranks_messages.c: what the ranks of a distributed system say about failures: rows of the
 * whole matrix, causes and remedies, and nothing after success. */
#include "dist/comm.h"
#include "dist/counts.h"
#include "gsolve_auto.h"
#include "tests/dist_support.h"

enum { ROWS = 63, BAD = ROWS - 2 }; /* BAD: a row of the last rank, which has more rows than one */

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct refusal {
    const gsolve_csr *A;
    double diagonal; /* of row BAD */
    const char *precond, *sentence;
} refusal;

/* The last rank's rows with this diagonal in row BAD. *value: the values, to be freed. */
static piece spoil(const refusal *r, int rank, int ranks, double **value)
{
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, rank, ranks);
    piece p = take_piece(r->A, rows, rows);
    const int64_t entries = p.start[rows.count];

    *value = malloc((size_t)(entries + 1) * sizeof **value);
    memcpy(*value, p.csr.value, (size_t)entries * sizeof **value);
    for (int32_t i = 0; i < rows.count; i++) {
        for (int64_t k = p.start[i]; k < p.start[i + 1]; k++) {
            if (rows.first + i == BAD && p.col[k] == BAD) (*value)[k] = r->diagonal;
        }
    }
    p.csr.value = *value;
    return p;
}

static int name_row(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const refusal *r = user;
    double *value;
    piece p = spoil(r, rank, ranks, &value);
    piece good = take_piece(r->A, p.csr.rows, p.csr.rows);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    int failures = 0;

    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_create_from(&M, ctx, r->precond, A) == GSOLVE_ZERO_PIVOT, "%s: %s",
           r->precond, gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), r->sentence), "%s: %s", r->precond, gsolve_error(ctx));
    EXPECT(gsolve_matrix_update_dist(A, &good.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_create_from(&M, ctx, r->precond, A) == GSOLVE_OK, "%s: %s", r->precond,
           gsolve_error(ctx));
    EXPECT(gsolve_matrix_update_dist(A, &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_update_from(M, A) == GSOLVE_ZERO_PIVOT, "%s: %s", r->precond,
           gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), r->sentence), "update of %s: %s", r->precond,
           gsolve_error(ctx));
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    drop_piece(&good);
    free(value);
    return failures;
}

/* The caller's diagonal for chebyshev has a zero in row BAD. */
static int name_element(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_row_range rows = gsolve_row_range_even(ROWS, rank, ranks);
    piece p = take_piece(user, rows, rows);
    double diagonal[ROWS];
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    int failures = 0;

    for (int32_t i = 0; i < rows.count; i++) diagonal[i] = rows.first + i == BAD ? 0 : 4;
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_create_chebyshev(
               &M, ctx, "chebyshev", A, gsolve_vector(diagonal, rows.count)) == GSOLVE_ZERO_PIVOT,
           "%s", gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "element 62 of it"), "%s", gsolve_error(ctx));
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    return failures;
}

static void rows(void **state)
{
    static const struct {
        const char *precond, *sentence;
        double diagonal;
    } cases[] = {{"jacobi", "diagonal entry of row 62 (counted from 1) is zero", 0},
                 {"chebyshev", "diagonal entry of row 62 (counted from 1) is zero", 0},
                 {"block_jacobi,size=1", "diagonal block of rows 62 to 62 (counted from 1)", 0},
                 {"ic", "diagonal entry of row 62 (counted from 1) is -2", -2},
                 {"ic,order=rcm", "diagonal entry of row 62 (counted from 1) is -2", -2}};
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,nx=7,ny=9", NULL, NULL));
    assert_int_equal(A.nrows, ROWS);
    for (int k = 0; rank_count(k); k++) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            refusal r = {&A, cases[c].diagonal, cases[c].precond, cases[c].sentence};
            assert_int_equal(run_ranks(rank_count(k), name_row, &r), 0);
        }
        assert_int_equal(run_ranks(rank_count(k), name_element, &A), 0);
    }
    gsolve_context_destroy(&ctx);
}

/* --- what all ranks know ---------------------------------------------------------------------- */

/* After a failure of all ranks, another one of one rank, whose sentence looks like one of all. */
static int agree_again(gsolve_context *ctx, int rank, int ranks, void *user)
{
    gs_comm *comm = ctx->comm;
    const bool bad = rank == ranks - 1;
    gsolve_status status = bad ? gsolve_fail(ctx, GSOLVE_NO_MEMORY, "the first") : GSOLVE_OK;
    char expected[100];
    int failures = 0;

    (void)user;
    snprintf(expected, sizeof expected, "%srank 5: my own", ranks > 1 ? "rank R: " : "");
    if (ranks > 1) expected[5] = (char)('0' + ranks - 1);
    status = gs_comm_check(comm, status);
    EXPECT(status == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx));
    EXPECT(gs_comm_check(comm, status) == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx)); /* known */
    status = bad ? gsolve_fail(ctx, GSOLVE_NO_MEMORY, "rank 5: my own") : GSOLVE_OK;
    EXPECT(gs_comm_check(comm, status) == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx));
    EXPECT(strcmp(gsolve_error(ctx), expected) == 0, "%s", gsolve_error(ctx));
    EXPECT(gs_comm_check(comm, GSOLVE_OK) == GSOLVE_OK, "%s", gsolve_error(ctx));
    return failures;
}

static void agreement(void **state)
{
    (void)state;
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), agree_again, NULL), 0);
    }
}

/* --- counts ----------------------------------------------------------------------------------- */

static int exchange_counts(gsolve_context *ctx, int rank, int ranks, void *user)
{
    int64_t number[64];
    int failures = 0;

    (void)user;
    for (int r = 0; r < ranks; r++) number[r] = (int64_t)1000 * rank + r;
    EXPECT(gs_comm_exchange_counts(ctx->comm, number) == GSOLVE_OK, "%s", gsolve_error(ctx));
    for (int r = 0; r < ranks; r++) {
        EXPECT(number[r] == (int64_t)1000 * r + rank, "from %d: %lld", r, (long long)number[r]);
    }
#ifndef GSOLVE_TEST_MPI /* ceil(log2(ranks)) exchanges, and one allgather for the memory */
    const thread_rank *self = ctx->comm->self;
    const long before = self->exchanges, sums = self->sums;
    int rounds = 0;
    while (1 << rounds < ranks) rounds++;
    EXPECT(gs_comm_exchange_counts(ctx->comm, number) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(self->exchanges - before == rounds, "%ld exchanges", self->exchanges - before);
    EXPECT(self->sums - sums == 1, "%ld sums", self->sums - sums);
#endif
    return failures;
}

static void counts(void **state)
{
    (void)state;
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), exchange_counts, NULL), 0);
    }
#ifndef GSOLVE_TEST_MPI
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        assert_int_equal(run_delayed_ranks(ranks, 3, exchange_counts, NULL), 0);
    }
#endif
}

/* --- success ---------------------------------------------------------------------------------- */

/* The first choice cannot be set up, and the second one solves the system. */
static int solve_second(gsolve_context *ctx, int rank, int ranks, void *user)
{
    static const char *const methods[] = {"cg", "gmres"}, *const preconds[] = {"ic", "jacobi"};
    double *value, b[ROWS], x[ROWS] = {0};
    piece p = spoil(user, rank, ranks, &value);
    const int32_t n = p.csr.rows.count;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_auto *S = NULL;
    int failures = 0;

    for (int32_t i = 0; i < n; i++) b[i] = number_of(p.csr.rows.first + i, 0);
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &p.csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_auto_create_from(&S, ctx, "scale=none,order=none", A) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_auto_set_choices(S, 2, methods, preconds) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_auto_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(result.outcome == GSOLVE_CONVERGED, "%s", gsolve_outcome_text(result.outcome));
    EXPECT(strstr(gsolve_auto_explain(S), "cg + ic failed"), "%s", gsolve_auto_explain(S));
    EXPECT(gsolve_error(ctx)[0] == 0, "%s", gsolve_error(ctx));
    gsolve_auto_destroy(&S);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    free(value);
    return failures;
}

static void success(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A;
    (void)state;

    OK(ctx, gsolve_read_matrix(&A, ctx, "gen:poisson2d,nx=7,ny=9", NULL, NULL));
    for (int k = 0; rank_count(k); k++) {
        refusal r = {&A, -2, NULL, NULL};
        assert_int_equal(run_ranks(rank_count(k), solve_second, &r), 0);
    }
    gsolve_context_destroy(&ctx);
}

/* --- causes ----------------------------------------------------------------------------------- */

typedef struct failing {
    const char *matrix, *method, *precond, *name, *words, *proposed;
} failing;

/* Solves by what the diagnosis proposes. */
static gsolve_outcome follow(gsolve_context *ctx, gsolve_matrix *A, const gsolve_diagnosis *d,
                             gsolve_dense b, gsolve_dense x)
{
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    const char *method = d->method[0] ? d->method : "cg", *precond = d->precond;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;

    result.outcome = GSOLVE_DIVERGED;
    if (gsolve_matrix_statistics(A, &statistics) != GSOLVE_OK) return result.outcome;
    for (int k = 0; k < 8 && !gsolve_outcome_is_success(result.outcome); k++) {
        if (strcmp(d->method, "auto") == 0) {
            if (!gsolve_dist_choose(ctx, &statistics, k, &choice)) break;
            method = choice.method;
            precond = choice.precond;
        }
        if (gsolve_precond_create_from(&M, ctx, precond[0] ? precond : "none", A) == GSOLVE_OK &&
            gsolve_solver_create(&S, ctx, method, A, M) == GSOLVE_OK) {
            gsolve_solver_set(S, strcmp(d->method, "auto") ? d->options : "");
            gsolve_solver_run(S, b, x, &result);
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
    }
    return result.outcome;
}

static int diagnose(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const failing *f = user;
    gsolve_diagnosis d = GSOLVE_INIT(gsolve_diagnosis);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_dist_csr csr = {0};
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    EXPECT(gsolve_read_matrix_dist(&csr, ctx, f->matrix, NULL, NULL) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_create_from(&M, ctx, f->precond, A) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_solver_create(&S, ctx, f->method, A, M) == GSOLVE_OK, "%s", gsolve_error(ctx));
    const size_t n = (size_t)csr.rows.count;
    double *b = malloc((n + 1) * sizeof *b), *x = calloc(n + 1, sizeof *x);
    const gsolve_dense B = gsolve_vector(b, csr.rows.count), X = gsolve_vector(x, csr.rows.count);
    for (int32_t i = 0; i < csr.rows.count; i++) b[i] = 1 + (double)(csr.rows.first + i) / ROWS;
    EXPECT(gsolve_solver_run(S, B, X, &result) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(!gsolve_outcome_is_success(result.outcome), "%s: converged", f->name);
    for (int64_t granted = 0; granted < 100; granted++) { /* allocations of the last rank */
        gsolve_context_limit_allocations(ctx, rank == ranks - 1 ? granted : -1);
        const gsolve_status status = gsolve_solver_diagnose(S, &d);
        EXPECT(status == GSOLVE_OK || status == GSOLVE_NO_MEMORY, "%s", gsolve_error(ctx));
        if (status == GSOLVE_OK && strcmp(d.name, f->name) == 0) break;
    }
    gsolve_context_limit_allocations(ctx, -1);
    EXPECT(gsolve_solver_diagnose(S, &d) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(strcmp(d.name, f->name) == 0, "%s, not %s", d.name, f->name);
    EXPECT(strstr(d.cause, f->words), "%s: %s", f->name, d.cause);
    EXPECT(strcmp(d.method, f->proposed) == 0, "%s: '%s', not '%s'", f->name, d.method,
           f->proposed);
    EXPECT(strstr(gsolve_solver_explain(S), d.cause), "%s", gsolve_solver_explain(S));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    if (d.remedy[0]) {
        memset(x, 0, n * sizeof *x);
        const gsolve_outcome outcome = follow(ctx, A, &d, B, X);
        EXPECT(outcome == GSOLVE_CONVERGED, "%s: %s", d.remedy, gsolve_outcome_text(outcome));
    }
    gsolve_matrix_destroy(&A);
    gsolve_dist_csr_free(&csr, ctx);
    free(b);
    free(x);
    return failures;
}

static void causes(void **state)
{
    static const failing cases[] = {
        {"gen:convdiff3d,n=6", "cg,stall=50", "none", "not symmetric", "which cg needs", "auto"},
        {"gen:convdiff3d,n=6", "gmres,restart=2,maxit=20", "none", "restart", "every 2 iterations",
         "auto"},
        {"gen:poisson2d,n=20", "cg,maxit=3", "jacobi", "iteration limit", "limit of 3", "auto"},
        {"gen:emptyrows,n=60", "gmres,stall=60", "none", "empty row",
         "row 2 of A (counted from 1) is empty", ""},
        {"gen:neumann2d,n=9", "gmres,stall=60", "none", "null space", "sums to 0", ""},
    };
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int k = 1; rank_count(k); k++) { /* one rank says more: test_diagnosis.c */
            assert_int_equal(run_ranks(rank_count(k), diagnose, (void *)(uintptr_t)&cases[c]), 0);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(agreement),
                                       cmocka_unit_test(counts), cmocka_unit_test(success),
                                       cmocka_unit_test(causes)};

    begin_ranks(&argc, &argv);
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
