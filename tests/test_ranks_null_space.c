/* test_ranks_null_space.c: singular systems with a known null space over ranks: constants, several
 * vectors, and a left null space of its own. */
#include "dist/comm.h"
#include "tests/dist_support.h"

enum { SIDE = 12, ROWS = 2 * SIDE * SIDE, MOST_COLUMNS = 2 };

/* The null space of a case. */
typedef enum space {
    CONSTANTS, /* of the Neumann problem on one grid */
    PARTS,     /* two grids that are not connected: a vector for each */
    MIXED,     /* the same, with the constants and one vector */
    SCALED     /* rows scaled by 1 + i % 5: constants, and a left vector */
} space;

typedef struct singular {
    const char *method, *precond;
    space space;
    division division;
    int columns;
    bool consistent; /* b is in the range of A */
    /* results of all ranks */
    gsolve_result result;
    double x[MOST_COLUMNS * ROWS];
} singular;

static double scale_of(space s, int64_t row)
{
    return s == SCALED ? 1 + (double)(row % 5) : 1;
}

/* Five-point Laplacians with Neumann boundary on one grid of SIDE x 2 SIDE points, or on two grids
 * of SIDE x SIDE points. */
typedef struct rows {
    int64_t start[ROWS + 1], col[5 * ROWS];
    double value[5 * ROWS];
} rows;

static gsolve_dist_csr make_rows(rows *r, space s, gsolve_row_range range)
{
    const int step[] = {-SIDE, -1, 1, SIDE};
    int64_t at = 0;

    for (int32_t i = 0; i < range.count; i++) {
        const int64_t row = range.first + i;
        const int64_t diagonal = at++;
        r->start[i] = diagonal;
        r->col[diagonal] = row;
        r->value[diagonal] = 0;
        for (int k = 0; k < 4; k++) {
            const int64_t j = row + step[k];
            if (j < 0 || j >= ROWS || (k % 3 && j / SIDE != row / SIDE)) continue;
            if ((s == PARTS || s == MIXED) && j / (ROWS / 2) != row / (ROWS / 2)) continue;
            r->col[at] = j;
            r->value[at++] = -scale_of(s, row);
            r->value[diagonal] += scale_of(s, row);
        }
    }
    r->start[range.count] = at;
    return (gsolve_dist_csr){.rows = range,
                             .start = r->start,
                             .col = r->col,
                             .value = r->value,
                             .offset = GSOLVE_O64,
                             .type = GSOLVE_F64};
}

/* Sets the null spaces. v: space for two vectors and more. */
static gsolve_status set_space(gsolve_matrix *A, space s, gsolve_row_range range, double *v)
{
    const gsolve_dense one = gsolve_vector(v, range.count);
    gsolve_null_space right = {.constants = s != PARTS}, left = {.constants = false};

    for (int32_t i = 0; i < range.count; i++) {
        const int64_t row = range.first + i;
        v[i] = s == SCALED ? 1 / scale_of(s, row) : row < ROWS / 2;
        v[range.count + i] = row >= ROWS / 2 ? 3 : 0.5; /* orthogonalised */
    }
    if (s == PARTS || s == MIXED) right.vectors = one;
    if (s == PARTS) right.vectors.ncols = 2;
    left.vectors = one;
    return gsolve_matrix_set_null_space(A, &right, s == SCALED ? &left : NULL);
}

/* b = A x for x_i = number_of(i, c), plus a part outside the range. */
static void make_b(const singular *p, const rows *r, gsolve_row_range range, double *b)
{
    for (int c = 0; c < p->columns; c++) {
        for (int32_t i = 0; i < range.count; i++) {
            double sum = 0;
            for (int64_t k = r->start[i]; k < r->start[i + 1]; k++) {
                sum += r->value[k] * number_of(r->col[k], c);
            }
            b[(int64_t)c * range.count + i] = p->consistent ? sum : sum + 0.25;
        }
    }
}

static int solve(gsolve_context *ctx, int rank, int ranks, void *user)
{
    singular *p = user;
    const gsolve_row_range range = divide(p->division, ROWS, rank, ranks);
    rows *r = malloc(sizeof *r);
    const gsolve_dist_csr csr = make_rows(r, p->space, range);
    const size_t n = (size_t)range.count + 1;
    double *b = malloc(4 * n * sizeof *b), *x = calloc(4 * n, sizeof *x);
    const gsolve_dense B = {range.count, p->columns,  range.count,        b,
                            GSOLVE_F64,  GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    gsolve_dense X = B;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    X.value = x;
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(set_space(A, p->space, range, b) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_precond_create_from(&M, ctx, p->precond, A) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_solver_create(&S, ctx, p->method, A, M) == GSOLVE_OK, "%s", gsolve_error(ctx));
    make_b(p, r, range, b);
    for (int32_t i = 0; i < range.count * p->columns; i++) x[i] = 0.5; /* in the null space */
    EXPECT(!S || gsolve_solver_run(S, B, X, &result) == GSOLVE_OK, "%s", gsolve_error(ctx));
    double *all = calloc(MOST_COLUMNS * ROWS, sizeof *all);
    for (int c = 0; c < p->columns; c++) {
        memcpy(all + (int64_t)c * ROWS + range.first, x + (int64_t)c * range.count,
               (size_t)range.count * sizeof *x);
    }
    EXPECT(gs_comm_sum_on_host(ctx->comm, all, MOST_COLUMNS * ROWS) == GSOLVE_OK, "%s",
           gsolve_error(ctx));
    if (rank == 0 || RANKS_ARE_PROCESSES) {
        memcpy(p->x, all, sizeof p->x);
        p->result = result;
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(all);
    free(b);
    free(x);
    free(r);
    return failures;
}

/* |P (b - A x)| / |b|, computed here: P removes what set_space names as the left null space. */
static double residual_of(const singular *p)
{
    rows *r = malloc(sizeof *r);
    double *b = malloc(MOST_COLUMNS * ROWS * sizeof *b), worst = 0;
    const gsolve_row_range range = {0, ROWS, ROWS};

    make_rows(r, p->space, range);
    make_b(p, r, range, b);
    for (int c = 0; c < p->columns; c++) {
        double e[ROWS], bb = 0, rr = 0;
        const int parts = p->space == PARTS || p->space == MIXED ? 2 : 1;
        for (int i = 0; i < ROWS; i++) {
            e[i] = b[c * ROWS + i];
            bb += e[i] * e[i];
            for (int64_t k = r->start[i]; k < r->start[i + 1]; k++) {
                e[i] -= r->value[k] * p->x[c * ROWS + r->col[k]];
            }
        }
        for (int part = 0; part < parts; part++) {
            const int from = part * ROWS / parts, to = (part + 1) * ROWS / parts;
            double we = 0, ww = 0;
            for (int i = from; i < to; i++) {
                we += e[i] / scale_of(p->space, i);
                ww += 1 / (scale_of(p->space, i) * scale_of(p->space, i));
            }
            for (int i = from; i < to; i++) e[i] -= we / ww / scale_of(p->space, i);
        }
        for (int i = 0; i < ROWS; i++) rr += e[i] * e[i];
        worst = fmax(worst, sqrt(rr / bb));
    }
    free(r);
    free(b);
    return worst;
}

/* The mean of x, which has no component in the null space. */
static double mean_of(const singular *p)
{
    double sum = 0, most = 0;

    for (int i = 0; i < ROWS; i++) {
        sum += p->x[i];
        most = fmax(most, fabs(p->x[i]));
    }
    return fabs(sum) / ROWS / most;
}

/* On each number of ranks the solution, the iterations and the outcome of one rank. */
static void check(singular p)
{
    singular *now = malloc(sizeof p), *one = malloc(sizeof p), *again = malloc(sizeof p);
    const gsolve_outcome expected = p.consistent ? GSOLVE_CONVERGED : GSOLVE_LEAST_SQUARES;

    for (int k = 0; rank_count(k); k++) {
        *now = *again = p;
        assert_int_equal(run_ranks(rank_count(k), solve, now), 0);
        if (k == 0) *one = *now;
        const int first = one->result.iterations, here = now->result.iterations;
        if (now->result.outcome != expected || !(residual_of(now) <= 1.01e-8) ||
            !(mean_of(now) <= 1e-10) || abs(here - first) > 1 + first / 5 ||
            fabs(now->result.removed - one->result.removed) > 1e-10) {
            fail_msg("%s + %s, space %d, division %d, %d ranks: %s, %d iterations, %d on one rank; "
                     "residual %.2e, mean %.2e, removed %.15g and %.15g",
                     p.method, p.precond, p.space, p.division, rank_count(k),
                     gsolve_outcome_text(now->result.outcome), here, first, residual_of(now),
                     mean_of(now), now->result.removed, one->result.removed);
        }
        assert_int_equal(run_ranks(rank_count(k), solve, again), 0);
        assert_memory_equal(now->x, again->x, sizeof now->x);
    }
    free(now);
    free(one);
    free(again);
}

static void spaces(void **state)
{
    static const struct {
        const char *method;
        bool symmetric;
    } methods[] = {{"cg", true},       {"pipecg", true},    {"minres", true},
                   {"block_cg", true}, {"gmres", false},    {"idr", false},
                   {"fgmres", false},  {"bicgstab", false}, {"block_gmres", false}};
    (void)state;

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        for (int s = CONSTANTS; s <= SCALED; s++) {
            singular p = {.method = methods[m].method,
                          .precond = s == PARTS ? "none" : "jacobi",
                          .space = (space)s,
                          .division = (division)(((int)m + s) % DIVISIONS),
                          .columns = 1 + s % 2};
            if (methods[m].symmetric && s == SCALED) continue;
            for (int c = 0; c < 2; c++) {
                p.consistent = c == 0;
                check(p);
            }
        }
    }
    check(
        (singular){"cg", "chebyshev", CONSTANTS, EVEN, 2, false, GSOLVE_INIT(gsolve_result), {0}});
}

/* --- errors ----------------------------------------------------------------------------------- */

static int refuse(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const gsolve_row_range range = gsolve_row_range_even(ROWS, rank, ranks);
    rows *r = malloc(sizeof *r);
    gsolve_dist_csr csr = make_rows(r, CONSTANTS, range);
    double *v = malloc(((size_t)range.count + 1) * sizeof *v);
    double *x = calloc((size_t)range.count + 1, sizeof *x);
    gsolve_null_space wrong = {.vectors = gsolve_vector(v, range.count)},
                      constants = {.constants = true};
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    (void)user;
    for (int32_t i = 0; i < range.count; i++) v[i] = (double)(range.first + i);
    EXPECT(gsolve_matrix_create_dist(&A, ctx, "csr", &csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_matrix_set_null_space(A, &wrong, NULL) == GSOLVE_BAD_ARGUMENT, "accepted");
    EXPECT(strstr(gsolve_error(ctx), "vector 1 of the right null space (counted from 1) is not in"),
           "%s", gsolve_error(ctx));
    if (rank == ranks - 1) v[0] = NAN;
    EXPECT(gsolve_matrix_set_null_space(A, &wrong, NULL) == GSOLVE_BAD_ARGUMENT, "accepted");
    EXPECT(strstr(gsolve_error(ctx), "not finite"), "%s", gsolve_error(ctx));
    EXPECT(gsolve_matrix_set_null_space(A, NULL, rank == ranks - 1 ? &constants : NULL) ==
               GSOLVE_BAD_ARGUMENT,
           "accepted");
    EXPECT(strstr(gsolve_error(ctx), "left is given without right"), "%s", gsolve_error(ctx));
    if (ranks > 1) { /* not on all ranks */
        EXPECT(gsolve_matrix_set_null_space(A, rank == 1 ? NULL : &constants, NULL) ==
                   GSOLVE_BAD_ARGUMENT,
               "accepted");
        EXPECT(strstr(gsolve_error(ctx), "rank 1: the dimensions and types of the null spaces"),
               "%s", gsolve_error(ctx));
    }
    EXPECT(gsolve_matrix_set_null_space(A, &constants, NULL) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_solver_create(&S, ctx, "direct", A, NULL) == GSOLVE_UNSUPPORTED, "direct");
    EXPECT(gsolve_solver_create(&S, ctx, "cg", A, NULL) == GSOLVE_OK, "%s", gsolve_error(ctx));
    if (rank == ranks - 1) r->value[0] *= 2; /* the constants are no null space any more */
    EXPECT(gsolve_matrix_update_dist(A, &csr) == GSOLVE_OK, "%s", gsolve_error(ctx));
    memset(v, 0, (size_t)range.count * sizeof *v);
    EXPECT(gsolve_solver_run(S, gsolve_vector(v, range.count), gsolve_vector(x, range.count),
                             &result) == GSOLVE_BAD_ARGUMENT,
           "%s", gsolve_error(ctx));
    EXPECT(strstr(gsolve_error(ctx), "constant vector is not in the null space"), "%s",
           gsolve_error(ctx));
    EXPECT(gsolve_matrix_set_null_space(A, NULL, NULL) == GSOLVE_OK, "%s", gsolve_error(ctx));
    EXPECT(gsolve_solver_run(S, gsolve_vector(v, range.count), gsolve_vector(x, range.count),
                             &result) == GSOLVE_OK,
           "%s", gsolve_error(ctx));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    free(v);
    free(x);
    free(r);
    return failures;
}

static void errors(void **state)
{
    (void)state;
    for (int k = 0; rank_count(k); k++) {
        assert_int_equal(run_ranks(rank_count(k), refuse, NULL), 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spaces), cmocka_unit_test(errors)};

    begin_ranks(&argc, &argv);
    return end_ranks(cmocka_run_group_tests(tests, NULL, NULL));
}
