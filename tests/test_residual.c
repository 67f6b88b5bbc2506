/* test_residual.c: residuals that rounding errors of b - A x hide. Rows i and n-1-i, for i < n/2,
 * are
 *
 *     a_i (x_i - x_j) = b_i,   x_i - x_j = b_j,   j = n-1-i,
 *
 * and the x are near 2^36, so that a_i x_i has a rounding error of up to 2^-18. The difference of
 * the x is a small whole number d_i, without rounding, so the true residual of row i is b_i - a_i
 * d_i. */
#include "tests/dist_support.h"

#include <float.h>

static const double rtol = 1e-8;

typedef enum right_side {
    LUCKY,   /* b - A x is 0 as computed in double precision, and about 1e-6 |b| */
    UNLUCKY, /* b - A x is about 1e-6 |b| as computed, and less than 1e-16 |b| */
    RIGHT_SIDES
} right_side;

typedef struct hidden {
    int32_t n;
    gsolve_type type;
    int32_t *start, *col;
    void *value;
    double *b, *x;
    double norm, residual; /* |b|, and |b - A x| but for its last digits */
} hidden;

static double small_number(int32_t i)
{
    return 1 + floor(4 * fabs(number_of(i, 3)));
}

static hidden make_hidden(int32_t n, gsolve_type type, right_side side)
{
    hidden h = {.n = n, .type = type};
    double bb = 0, rr = 0;

    h.start = malloc(((size_t)n + 1) * sizeof *h.start);
    h.col = malloc(2 * (size_t)n * sizeof *h.col);
    h.value = malloc(2 * (size_t)n * sizeof(double));
    h.b = malloc((size_t)n * sizeof *h.b);
    h.x = malloc((size_t)n * sizeof *h.x);
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = n - 1 - i, pair = i < j ? i : j;
        const double wide = 0.5 + 0.4 * number_of(pair, 1), d = small_number(pair);
        const double a = type == GSOLVE_F32 ? (double)(float)wide : wide;
        const double large = 0x1p36 + 0x1p-14 * floor(0x1p48 * number_of(pair, 2));
        const double factor = i < j ? a : 1;
        double computed, right;
        h.start[i] = 2 * i;
        for (int k = 0; k < 2; k++) {
            h.col[2 * i + k] = k == 0 ? pair : n - 1 - pair;
            gs_put_value(h.value, type, 2 * i + k, k == 0 ? factor : -factor);
        }
        h.x[i] = i < j ? large : large - d;
        computed = factor * large;
        computed -= factor * (large - d);
        right = factor * d;
        h.b[i] = side == LUCKY ? computed : right;
        bb += h.b[i] * h.b[i];
        rr += (h.b[i] - right) * (h.b[i] - right);
    }
    h.start[n] = 2 * n;
    h.norm = sqrt(bb);
    h.residual = sqrt(rr);
    return h;
}

static gsolve_csr rows_of(const hidden *h)
{
    const gsolve_csr csr = {h->n,     h->n,       h->start, h->col,
                            h->value, GSOLVE_O32, h->type,  GSOLVE_HOST};
    return csr;
}

static void free_hidden(hidden *h)
{
    free(h->start);
    free(h->col);
    free(h->value);
    free(h->b);
    free(h->x);
}

/* The residual in plain double precision, row by row. */
static double plain_residual(const hidden *h)
{
    const gsolve_csr csr = rows_of(h);
    double rr = 0;

    for (int32_t i = 0; i < h->n; i++) {
        double r = h->b[i];
        for (int64_t k = gs_start(&csr, i); k < gs_start(&csr, i + 1); k++) {
            const double term = gs_value(&csr, k) * h->x[h->col[k]];
            r -= term;
        }
        rr += r * r;
    }
    return sqrt(rr);
}

static void check_residual(const hidden *h, right_side side, double relative)
{
    const double expected = h->residual / h->norm;

    if (side == LUCKY ? !(fabs(relative - expected) <= 1e-6 * expected) : !(relative < 2e-16)) {
        fail_msg("residual %.17g, not %.17g", relative, expected);
    }
}

/* The systems are what the head of this file says. */
static void rounding_hides(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 60000; n *= 5) {
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            hidden lucky = make_hidden(n, (gsolve_type)type, LUCKY);
            hidden unlucky = make_hidden(n, (gsolve_type)type, UNLUCKY);
            assert_true(plain_residual(&lucky) == 0);
            assert_true(lucky.residual > 10 * rtol * lucky.norm);
            assert_true(plain_residual(&unlucky) > 10 * rtol * unlucky.norm);
            assert_true(unlucky.residual == 0);
            free_hidden(&lucky);
            free_hidden(&unlucky);
        }
    }
}

/* gsolve_matrix_residual, in every form of b and x; the same bits for any number of threads. */
static void is_right(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * RIGHT_SIDES * GSOLVE_TYPE_COUNT; k++) {
        const right_side side = (right_side)(k % RIGHT_SIDES);
        const gsolve_type type = (gsolve_type)(k / RIGHT_SIDES % GSOLVE_TYPE_COUNT);
        hidden h = make_hidden(k < RIGHT_SIDES * GSOLVE_TYPE_COUNT ? 2 : 50000, type, side);
        const gsolve_csr csr = rows_of(&h);
        double first = 0;
        for (int threads = 1; threads <= 4; threads++) {
            gsolve_context *ctx = open_context(threads);
            gsolve_matrix *A = NULL;
            double relative;
            OK(ctx, gsolve_matrix_create(&A, ctx, threads % 2 ? "auto" : "csr", &csr));
            OK(ctx, gsolve_matrix_residual(A, gsolve_vector(h.b, h.n), gsolve_vector(h.x, h.n),
                                           &relative));
            check_residual(&h, side, relative);
            if (threads == 1) first = relative;
            assert_memory_equal(&relative, &first, sizeof first);
            gsolve_matrix_destroy(&A);
            close_context(ctx);
        }
        free_hidden(&h);
    }
}

/* A x = 0 here, and the 1 of b is lost beside products of 1e38 in doubled precision, too: the sum
 * that is computed is 0, and shows nothing. */
static void beyond_doubled_precision(void **state)
{
    static const int32_t start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
    static const double value[] = {0.1, -0.1, 0.3, -0.3};
    double b[] = {1, 1}, x[] = {1e39 / 3, 1e39 / 3}, relative;
    const gsolve_csr csr = gsolve_csr_view(2, start, col, value);
    gsolve_context *ctx = open_context(1);
    gsolve_matrix *A = NULL;
    (void)state;

    OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
    OK(ctx, gsolve_matrix_residual(A, gsolve_vector(b, 2), gsolve_vector(x, 2), &relative));
    assert_true(relative > 1);
    gsolve_matrix_destroy(&A);
    close_context(ctx);
}

/* A matrix, b and x that the caller gives on the device. */
static void on_the_device(void **state)
{
    gsolve_context *ctx = open_context(2);
    const gsolve_location place = gs_location(ctx);
    (void)state;

    for (int side = 0; side < RIGHT_SIDES; side++) {
        hidden h = make_hidden(100, GSOLVE_F64, (right_side)side);
        const gsolve_csr csr = rows_of(&h);
        const size_t bytes = (size_t)h.n * sizeof(double);
        double *b = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)h.n, sizeof *b), relative;
        double *x = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)h.n, sizeof *x);
        gsolve_dense there = gsolve_vector(b, h.n), guess = gsolve_vector(x, h.n);
        gsolve_csr moved;
        gsolve_matrix *A = NULL;
        OK(ctx, gs_csr_move(&moved, ctx, place, &csr));
        OK(ctx, gsolve_copy(ctx, b, GSOLVE_DEVICE, h.b, GSOLVE_HOST, bytes));
        OK(ctx, gsolve_copy(ctx, x, GSOLVE_DEVICE, h.x, GSOLVE_HOST, bytes));
        there.location = guess.location = place;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &moved));
        OK(ctx, gsolve_matrix_residual(A, there, guess, &relative));
        check_residual(&h, (right_side)side, relative);
        gsolve_matrix_destroy(&A);
        gsolve_csr_free(&moved, ctx);
        gsolve_free(ctx, GSOLVE_DEVICE, b);
        gsolve_free(ctx, GSOLVE_DEVICE, x);
        free_hidden(&h);
    }
    close_context(ctx);
}

/* No run converges where the residual is small by luck, and a run of no iterations has converged
 * where only rounding errors make it large. b in single precision: the run computes corrections.
 * A run on a GPU may end at its limit of iterations with an x that meets the tolerance. */
static void outcomes(void **state)
{
    static const char *const method[] = {"gmres", "fgmres", "bicgstab", "bicg",       "cgs",
                                         "tfqmr", "idr",    "lsqr",     "block_gmres"};
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int k = 0; k < 2 * RIGHT_SIDES * GSOLVE_TYPE_COUNT; k++) {
        const right_side side = (right_side)(k % RIGHT_SIDES);
        const gsolve_type type = (gsolve_type)(k / RIGHT_SIDES % GSOLVE_TYPE_COUNT);
        hidden h = make_hidden(k < RIGHT_SIDES * GSOLVE_TYPE_COUNT ? 2 : 40, type, side);
        const gsolve_csr csr = rows_of(&h);
        double *x = malloc((size_t)h.n * sizeof *x);
        gsolve_matrix *A = NULL;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
        for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
            for (int more = 0; more < 2; more++) {
                gsolve_result result = GSOLVE_INIT(gsolve_result);
                gsolve_solver *S = NULL;
                double relative;
                char spec[64];
                snprintf(spec, sizeof spec, "%s,rtol=%g,maxit=%d", method[m], rtol, more ? 50 : 0);
                memcpy(x, h.x, (size_t)h.n * sizeof *x);
                OK(ctx, gsolve_solver_create(&S, ctx, spec, A, NULL));
                OK(ctx,
                   gsolve_solver_run(S, gsolve_vector(h.b, h.n), gsolve_vector(x, h.n), &result));
                OK(ctx, gsolve_matrix_residual(A, gsolve_vector(h.b, h.n), gsolve_vector(x, h.n),
                                               &relative));
                const bool right = side == UNLUCKY && memcmp(x, h.x, (size_t)h.n * sizeof *x) == 0;
                const bool converged = result.outcome == GSOLVE_CONVERGED;
                if ((converged && !(relative <= rtol)) || (right && !(relative < 2e-16)) ||
                    (!gs_on_gpu(ctx) && !converged && (relative <= rtol || side == UNLUCKY))) {
                    fail_msg("%s: %s, residual %g, and %g is said", spec,
                             gsolve_outcome_text(result.outcome), relative,
                             result.relative_residual);
                }
                gsolve_solver_destroy(&S);
            }
        }
        gsolve_matrix_destroy(&A);
        free(x);
        free_hidden(&h);
    }
    close_context(ctx);
}

/* With a known null space: one more equation, 0 = 1, and one more unknown without entries. */
static void with_null_space(void **state)
{
    gsolve_context *ctx = open_context(2);
    (void)state;

    for (int side = 0; side < RIGHT_SIDES; side++) {
        hidden h = make_hidden(20, GSOLVE_F64, (right_side)side);
        const int32_t n = h.n + 1;
        int32_t *start = malloc(((size_t)n + 1) * sizeof *start);
        double *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x);
        double *null = calloc((size_t)n, sizeof *null);
        gsolve_null_space space = {.vectors = gsolve_vector(null, n)};
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        gsolve_csr csr = rows_of(&h);
        gsolve_matrix *A = NULL;
        gsolve_solver *S = NULL;
        memcpy(start, h.start, (size_t)n * sizeof *start);
        memcpy(b, h.b, (size_t)h.n * sizeof *b);
        memcpy(x, h.x, (size_t)h.n * sizeof *x);
        start[n] = start[h.n];
        b[h.n] = null[h.n] = 1;
        csr.nrows = csr.ncols = n;
        csr.start = start;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
        OK(ctx, gsolve_matrix_set_null_space(A, &space, NULL));
        OK(ctx, gsolve_solver_create(&S, ctx, "gmres,maxit=0", A, NULL));
        OK(ctx, gsolve_solver_run(S, gsolve_vector(b, n), gsolve_vector(x, n), &result));
        const bool right = side == LUCKY ? !gsolve_outcome_is_success(result.outcome)
                                         : result.outcome == GSOLVE_LEAST_SQUARES || gs_on_gpu(ctx);
        if (!right) {
            fail_msg("%s: %s", side == LUCKY ? "lucky" : "unlucky",
                     gsolve_outcome_text(result.outcome));
        }
        gsolve_solver_destroy(&S);
        gsolve_matrix_destroy(&A);
        free(start);
        free(b);
        free(x);
        free(null);
        free_hidden(&h);
    }
    close_context(ctx);
}

/* --- over ranks ------------------------------------------------------------------------------- */

typedef struct shared {
    const hidden *h;
    division division;
    right_side side;
} shared;

static int on_rank(gsolve_context *ctx, int rank, int ranks, void *user)
{
    const shared *s = user;
    const gsolve_csr whole = rows_of(s->h);
    const gsolve_row_range rows = divide(s->division, s->h->n, rank, ranks);
    piece p = take_piece(&whole, rows, rows);
    gsolve_dense b = gsolve_vector(s->h->b + rows.first, rows.count);
    double *x = malloc(((size_t)rows.count + 1) * sizeof *x), relative = -1;
    const double expected = s->h->residual / s->h->norm;
    gsolve_dense guess = gsolve_vector(x, rows.count);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    int failures = 0;

    memcpy(x, s->h->x + rows.first, (size_t)rows.count * sizeof *x);
    EXPECT_OK(ctx, gsolve_matrix_create_dist(&A, ctx, "csr", &p.csr));
    EXPECT_OK(ctx, gsolve_matrix_residual(A, b, guess, &relative));
    EXPECT(s->side == LUCKY ? fabs(relative - expected) <= 1e-6 * expected : relative < 2e-16,
           "residual %g, not %g", relative, expected);
    EXPECT_OK(ctx, gsolve_solver_create(&S, ctx, "gmres,maxit=0,rtol=1e-8", A, NULL));
    EXPECT_OK(ctx, gsolve_solver_run(S, b, guess, &result));
    EXPECT((result.outcome == GSOLVE_CONVERGED) == (s->side == UNLUCKY), "%s",
           gsolve_outcome_text(result.outcome));
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    drop_piece(&p);
    free(x);
    return failures;
}

static void over_ranks(void **state)
{
    (void)state;
    for (int k = 0; rank_count(k); k++) {
        for (int d = 0; d < DIVISIONS; d++) {
            for (int side = 0; side < RIGHT_SIDES; side++) {
                hidden h = make_hidden(40, GSOLVE_F64, (right_side)side);
                shared s = {&h, (division)d, (right_side)side};
                assert_int_equal(run_ranks(rank_count(k), on_rank, &s), 0);
                free_hidden(&h);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_doubled_precision),
        cmocka_unit_test(rounding_hides),
        cmocka_unit_test(is_right),
        cmocka_unit_test(on_the_device),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(with_null_space),
        cmocka_unit_test(over_ranks),
    };

    need_device();
    if (argc == 2) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
