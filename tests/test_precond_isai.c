/* test_precond_isai.c: the approximate inverses of incomplete factors, and what they come to as
 * preconditioners. */
#include "precond_solved.h"

#include "gsolve_io.h"
#include "precond/incomplete/isai.h"

static const char *const variants[] = {"isai",
                                       "isai,power=3",
                                       "isai,relax=2",
                                       "isai,factors=ic",
                                       "isai,factors=ic,power=2",
                                       "isai,factors=ic,power=2,relax=1"};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* --- the inverse against dense arithmetic ------------------------------------------------ */

enum { N = 60 };

/* A strict lower triangle with every row of another length, the first of them empty. */
static gs_strict_triangle triangle(gsolve_context *ctx, double l[N][N])
{
    gsolve_csr csr = new_csr(N, N, N * N, GSOLVE_F64);
    gs_strict_triangle L;

    memset(l, 0, N * sizeof *l);
    for (int32_t i = 0; i < N; i++) {
        for (int32_t j = 0; j < i; j++) {
            const double v = noise(3, (uint64_t)(i * N + j));
            if (fabs(v) < (i == N - 1 ? 0.5 : 0.06)) append(&csr, i, j, l[i][j] = 4 * v + 0.1);
        }
        close_row(&csr, i);
    }
    assert_ok(ctx, gs_strict_triangle_extract(&L, ctx, &csr, false));
    free_csr(&csr);
    return L;
}

/* in[i][j]: (I + L)^power has an entry there. */
static void power_of(double l[N][N], int power, bool in[N][N])
{
    for (int32_t i = 0; i < N; i++) {
        for (int32_t j = 0; j < N; j++) in[i][j] = i == j;
    }
    for (int p = 0; p < power; p++) {
        bool next[N][N] = {{0}};
        for (int32_t i = 0; i < N; i++) {
            for (int32_t k = 0; k < N; k++) {
                for (int32_t j = 0; j < N; j++) {
                    next[i][j] |= in[i][k] && (k == j || l[k][j] != 0);
                }
            }
        }
        memcpy(in, next, sizeof next);
    }
}

static int32_t length_of(const bool row[N])
{
    int32_t length = 0;
    for (int32_t j = 0; j < N; j++) length += row[j];
    return length;
}

/* W has exactly the pattern in, and on it W (I + L) is diag(scale). */
static void check_inverse(const gsolve_csr *W, double l[N][N], bool in[N][N], const double *scale)
{
    const double tolerance = W->type == GSOLVE_F32 ? 1e-6 : 1e-14;

    for (int32_t i = 0; i < N; i++) {
        double w[N] = {0};
        assert_int_equal(gs_start(W, i + 1) - gs_start(W, i), length_of(in[i]));
        for (int64_t k = gs_start(W, i), last = -1; k < gs_start(W, i + 1); k++) {
            assert_true(W->col[k] > last);
            last = W->col[k];
            assert_true(in[i][last]);
            w[last] = gs_value(W, k);
        }
        for (int32_t j = 0; j < N; j++) {
            double sum = w[j], size = fabs(w[j]);
            for (int32_t k = j + 1; k <= i; k++) {
                sum += w[k] * l[k][j];
                size += fabs(w[k] * l[k][j]);
            }
            if (in[i][j]) {
                assert_true(fabs(sum - (i == j ? scale[i] : 0)) <= tolerance * (size + scale[i]));
            }
        }
    }
}

static void inverts_on_the_pattern(void **state)
{
    gsolve_context *ctx = *state;
    double l[N][N], scale[N], ones[N];
    gs_strict_triangle L = triangle(ctx, l);
    bool in[N][N], fits = false;

    for (int32_t i = 0; i < N; i++) scale[i] = 1.5 + noise(4, (uint64_t)i), ones[i] = 1;
    for (gsolve_type type = GSOLVE_F32; type <= GSOLVE_F64; type++) {
        for (int power = 1; power <= 4; power++) {
            gsolve_csr W;
            int32_t shortened = -1;
            assert_ok(ctx, gs_isai_pattern(&W, ctx, type, &L, power, N, &shortened));
            assert_int_equal(shortened, 0);
            power_of(l, power, in);
            assert_ok(ctx, gs_isai_fill(&W, ctx, &L, scale, &fits));
            assert_true(fits);
            check_inverse(&W, l, in, scale);
            assert_ok(ctx, gs_isai_fill(&W, ctx, &L, NULL, &fits));
            check_inverse(&W, l, in, ones);
            gsolve_csr_free(&W, ctx);
        }
    }
    gs_strict_triangle_free(&L, ctx);
}

/* A row that grows too long has the highest power that it has room for. */
static void long_rows_keep_a_lower_power(void **state)
{
    enum { LONGEST = 12, POWER = 4 };
    gsolve_context *ctx = *state;
    double l[N][N], ones[N];
    gs_strict_triangle L = triangle(ctx, l);
    bool in[POWER + 1][N][N], want[N][N], fits;
    int32_t expected = 0, shortened, taken[POWER + 1] = {0};
    gsolve_csr W;

    for (int p = 1; p <= POWER; p++) power_of(l, p, in[p]);
    for (int32_t i = 0; i < N; i++) {
        int p = POWER;
        while (p > 1 && length_of(in[p][i]) > LONGEST) p--;
        memcpy(want[i], in[p][i], sizeof want[i]);
        expected += p < POWER && length_of(in[p][i]) < length_of(in[POWER][i]);
        taken[p]++, ones[i] = 1;
    }
    assert_true(taken[1] && taken[2] && taken[3] && taken[4]);
    assert_true(length_of(want[N - 1]) > LONGEST); /* L itself is never cut */
    assert_ok(ctx, gs_isai_pattern(&W, ctx, GSOLVE_F64, &L, POWER, LONGEST, &shortened));
    assert_int_equal(shortened, expected);
    assert_ok(ctx, gs_isai_fill(&W, ctx, &L, NULL, &fits));
    check_inverse(&W, l, want, ones);
    gsolve_csr_free(&W, ctx);
    gs_strict_triangle_free(&L, ctx);
}

/* --- as a preconditioner ----------------------------------------------------------------- */

/* No path in the pattern of the factors is longer than the power, or the steps of relaxation. */
static void exact_where_the_pattern_holds_the_inverse(void **state)
{
    static const char *const spec[][2] = {
        {"isai,power=10", "ilu"},           {"isai,relax=10", "ilu"},
        {"isai,power=3,relax=2", "ilu"},    {"isai,factors=ic,power=10", "ic"},
        {"isai,factors=ic,relax=10", "ic"}, {"isai,factors=ic,power=3,relax=2", "ic"}};
    gsolve_context *ctx = *state;
    gsolve_csr still = grid(4, 4, 3, 0, 1, GSOLVE_F64), flow = grid(4, 4, 3, 0.6, 2, GSOLVE_F64);
    gsolve_dense r = random_dense(48, 1, 1, GSOLVE_F64);

    for (int s = 0; s < 6; s++) {
        const gsolve_csr *csr = s < 3 ? &flow : &still;
        for (int transposed = 0; transposed < 2; transposed++) {
            gsolve_dense z = applied(ctx, spec[s][0], csr, r, transposed);
            gsolve_dense want = applied(ctx, spec[s][1], csr, r, transposed);
            gsolve_dense first =
                applied(ctx, s < 3 ? "isai" : "isai,factors=ic", csr, r, transposed);
            assert_near(z, want, 1e-13);
            assert_true(fabs(get(first, 20) - get(want, 20)) > 1e-6); /* which by itself is not */
            free(z.value), free(want.value), free(first.value);
        }
    }
    free_csr(&still), free_csr(&flow), free(r.value);
}

/* M(A') = M(A)', so that M is symmetric where A is. */
static void follows_the_transpose(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr flow = grid(9, 8, 7, 0.6, 2, GSOLVE_F64), turned = {0};
    gsolve_dense r = random_dense(504, 1, 1, GSOLVE_F64);

    assert_ok(ctx, gsolve_csr_transpose(&turned, ctx, &flow));
    for (int v = 0; v < 3; v++) {
        gsolve_dense z = applied(ctx, variants[v], &turned, r, false);
        gsolve_dense want = applied(ctx, variants[v], &flow, r, true);
        gsolve_dense other = applied(ctx, variants[v], &flow, r, false);
        assert_near(z, want, 1e-13);
        assert_true(fabs(get(other, 100) - get(want, 100)) > 1e-3);
        free(z.value), free(want.value), free(other.value);
    }
    gsolve_csr_free(&turned, ctx), free_csr(&flow), free(r.value);
}

static void symmetric_and_definite(void **state)
{
    gsolve_context *ctx = *state;

    for (gsolve_type type = GSOLVE_F32; type <= GSOLVE_F64; type++) {
        gsolve_csr csr = grid(9, 8, 7, 0, 1, type);
        for (int v = 0; v < VARIANTS; v++) {
            gsolve_dense x = random_dense(504, 2, 1, type), z = new_dense(504, 2, type);
            gsolve_precond *M = make(ctx, variants[v], &csr);
            const gsolve_dense y = column_of(x, 1), Mx = column_of(z, 0), My = column_of(z, 1);
            assert_ok(ctx, gsolve_precond_apply(M, x, z));
            assert_true(fabs(dot(y, Mx) - dot(x, My)) <=
                        (type == GSOLVE_F32 ? 1e-6 : 1e-14) * sqrt(dot(y, y) * dot(Mx, Mx)));
            assert_true(dot(x, Mx) > 0 && dot(y, My) > 0);
            gsolve_precond_destroy(&M);
            free(x.value), free(z.value);
        }
        free_csr(&csr);
    }
}

/* Kershaw's matrix (see test_precond_factors.c), whose ilu has a negative pivot: with ic, M is
 * definite all the same. */
static void definite_where_ic_shifts(void **state)
{
    static const double kershaw[] = {3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, 3};
    gsolve_context *ctx = *state;
    gsolve_csr csr = from_dense(4, kershaw, GSOLVE_F64);

    for (int v = 3; v < VARIANTS; v++) {
        gsolve_precond *M = make(ctx, variants[v], &csr);
        assert_non_null(strstr(note_of(M), "shift 0."));
        for (uint64_t seed = 0; seed < 20; seed++) {
            gsolve_dense r = random_dense(4, 1, seed, GSOLVE_F64), z = new_dense(4, 1, GSOLVE_F64);
            assert_ok(ctx, gsolve_precond_apply(M, r, z));
            assert_true(dot(r, z) > 0);
            free(r.value), free(z.value);
        }
        gsolve_precond_destroy(&M);
    }
    free_csr(&csr);
}

/* Factors that a type can hold and whose inverse it cannot: w_31 = l_32 l_21 - l_31 ~ 1e39. */
static void shifts_where_the_inverse_is_out_of_range(void **state)
{
    static const double a[] = {1e-30, 0, 0, 1, 1e-9, 0, 1, 1, 1};
    gsolve_context *ctx = *state;
    gsolve_csr narrow = from_dense(3, a, GSOLVE_F32), wide = from_dense(3, a, GSOLVE_F64);
    gsolve_precond *M = make(ctx, "ilu", &narrow);

    assert_string_equal(note_of(M), "");
    gsolve_precond_destroy(&M);
    M = make(ctx, "isai", &narrow);
    assert_string_equal(note_of(M), "shift 0.001");
    gsolve_precond_destroy(&M);
    M = make(ctx, "isai,relax=1,shift=0.3", &narrow);
    assert_string_equal(note_of(M), "shift 0.3");
    gsolve_precond_destroy(&M);
    M = make(ctx, "isai", &wide);
    assert_string_equal(note_of(M), "");
    gsolve_precond_destroy(&M);
    free_csr(&narrow), free_csr(&wide);
}

static void says_which_rows_are_shorter(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(4, 1, 1, 0, 1, GSOLVE_F64);
    gsolve_precond *M = make(ctx, "isai,power=3,longest=2", &csr);

    /* rows 3 and 4 of the one factor, columns 3 and 4 of the other */
    assert_string_equal(note_of(M), "4 rows with more than 2 entries have a lower power");
    assert_ok(ctx, gsolve_precond_update(M, &csr));
    assert_string_equal(note_of(M), "4 rows with more than 2 entries have a lower power");
    gsolve_precond_destroy(&M);
    M = make(ctx, "isai,factors=ic,power=3,longest=2,shift=1", &csr);
    assert_string_equal(note_of(M), "shift 1, 2 rows with more than 2 entries have a lower power");
    gsolve_precond_destroy(&M);
    free_csr(&csr);
}

/* --- iterations -------------------------------------------------------------------------- */

static int iterations(gsolve_context *ctx, const char *name, const char *solver, const char *spec)
{
    gsolve_csr csr;
    gsolve_matrix *A = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    assert_ok(ctx, gsolve_read_matrix(&csr, ctx, name, NULL, NULL));
    gsolve_precond *M = make(ctx, spec, &csr);
    gsolve_dense b = random_dense(csr.nrows, 1, 1, GSOLVE_F64),
                 x = new_dense(csr.nrows, 1, GSOLVE_F64);
    assert_ok(ctx, gsolve_matrix_create(&A, ctx, "auto", &csr));
    assert_ok(ctx, gsolve_solver_create(&S, ctx, solver, A, M));
    assert_ok(ctx, gsolve_solver_run(S, b, x, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    gsolve_solver_destroy(&S);
    gsolve_matrix_destroy(&A);
    gsolve_precond_destroy(&M);
    gsolve_csr_free(&csr, ctx);
    free(b.value), free(x.value);
    return result.iterations;
}

/* Between jacobi and the factors themselves, and with more of either option next to them. */
static void nearly_as_good_as_the_factors(void **state)
{
    gsolve_context *ctx = *state;
    const char *name = "gen:poisson3d,n=20", *solver = "cg,rtol=1e-9";
    const int best = iterations(ctx, name, solver, "ic");
    const int plain = iterations(ctx, name, solver, "isai,factors=ic");

    assert_true(plain > best && plain < 2 * best);
    assert_true(plain < 0.75 * iterations(ctx, name, solver, "jacobi"));
    assert_in_range(iterations(ctx, name, solver, "isai"), plain - 1, plain + 1);
    assert_in_range(iterations(ctx, name, solver, "isai,factors=ic,power=2"), best, plain - 2);
    assert_in_range(iterations(ctx, name, solver, "isai,factors=ic,power=4"), best - 1, best + 3);
    assert_in_range(iterations(ctx, name, solver, "isai,factors=ic,relax=3"), best - 1, best + 2);

    name = "gen:convdiff3d,n=20", solver = "gmres,restart=200,rtol=1e-9";
    const int lu = iterations(ctx, name, solver, "ilu");
    const int approximate = iterations(ctx, name, solver, "isai");
    assert_true(approximate > lu);
    assert_true(approximate < 0.8 * iterations(ctx, name, solver, "jacobi"));
    assert_in_range(iterations(ctx, name, solver, "isai,power=2"), lu, approximate - 2);
    assert_in_range(iterations(ctx, name, solver, "isai,relax=3"), lu - 1, lu + 3);
}

/* --- values, threads, columns, memory ---------------------------------------------------- */

static void update_is_create(void **state)
{
    gsolve_context *ctx = *state;

    for (gsolve_type type = GSOLVE_F32; type <= GSOLVE_F64; type++) {
        gsolve_csr before = grid(9, 8, 7, 0.2, 1, type), after = grid(9, 8, 7, 0.3, 2, type);
        gsolve_csr zeros = grid(9, 8, 7, 0.2, 1, type);
        for (int64_t k = gs_start(&zeros, 16); k < gs_start(&zeros, 32); k++) {
            set_value(&zeros, k, 0);
        }
        for (int v = 0; v < VARIANTS; v++) {
            gsolve_precond *M = make(ctx, variants[v], &before);
            gsolve_precond *fresh = make(ctx, variants[v], &after);
            gsolve_dense old = both(ctx, M, type, 504), want = both(ctx, fresh, type, 504), z;
            assert_int_equal(gsolve_precond_update(M, &zeros), GSOLVE_ZERO_PIVOT);
            z = both(ctx, M, type, 504);
            assert_same_bits(z, old);
            free(z.value);
            assert_ok(ctx, gsolve_precond_update(M, &after));
            z = both(ctx, M, type, 504);
            assert_same_bits(z, want);
            gsolve_precond_destroy(&M), gsolve_precond_destroy(&fresh);
            free(z.value), free(old.value), free(want.value);
        }
        free_csr(&before), free_csr(&after), free_csr(&zeros);
    }
}

static void the_same_bits_for_any_number_of_threads(void **state)
{
    static const char *const device[] = {"cpu,threads=1", "cpu,threads=2", "cpu,threads=7"};
    gsolve_csr csr = grid(20, 16, 12, 0.3, 1, GSOLVE_F64);

    (void)state;
    for (int v = 0; v < VARIANTS; v++) {
        gsolve_dense first = {0};
        for (int t = 0; t < 3; t++) {
            gsolve_context *ctx = new_context(device[t]);
            gsolve_precond *M = make(ctx, variants[v], &csr);
            gsolve_dense z = both(ctx, M, GSOLVE_F64, csr.nrows);
            if (t > 0) assert_same_bits(z, first);
            gsolve_precond_destroy(&M);
            gsolve_context_destroy(&ctx);
            if (t > 0) free(z.value);
            if (t == 0) first = z;
        }
        free(first.value);
    }
    free_csr(&csr);
}

/* Each of nine columns to rounding as if it were alone, before and after: work space of either
 * size. */
static void many_columns(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(9, 8, 7, 0.3, 1, GSOLVE_F64);
    gsolve_dense r = random_dense(504, 9, 1, GSOLVE_F64), z = new_dense(504, 9, GSOLVE_F64);
    gsolve_dense one = new_dense(504, 1, GSOLVE_F64);

    for (int v = 0; v < VARIANTS; v++) {
        for (int transposed = 0; transposed < 2; transposed++) {
            gsolve_precond *M = make(ctx, variants[v], &csr);
            gsolve_status (*const apply)(const gsolve_precond *, gsolve_dense, gsolve_dense) =
                transposed ? gsolve_precond_apply_transpose : gsolve_precond_apply;
            assert_ok(ctx, apply(M, column_of(r, 8), column_of(z, 8)));
            assert_ok(ctx, apply(M, r, z));
            for (int32_t c = 0; c < 9; c++) {
                assert_ok(ctx, apply(M, column_of(r, c), one));
                assert_near(column_of(z, c), one, 1e-13);
            }
            gsolve_precond_destroy(&M);
        }
    }
    free_csr(&csr), free(r.value), free(z.value), free(one.value);
}

/* With all that can be asked for; test_precond_refused.c does it without. */
static void survives_denied_memory(void **state)
{
    static const char *const spec[] = {"isai,power=2,relax=1", "isai,factors=ic,power=2,relax=1"};
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(5, 4, 3, 0.2, 1, GSOLVE_F64), next = grid(5, 4, 3, 0.3, 2, GSOLVE_F64);
    gsolve_dense r = random_dense(60, 5, 1, GSOLVE_F64), z = new_dense(60, 5, GSOLVE_F64);

    for (int s = 0; s < 2; s++) {
        gsolve_precond *M = NULL;
        SWEEP(ctx, gsolve_precond_create(&M, ctx, spec[s], &csr), assert_null(M));
        gsolve_dense old = both(ctx, M, GSOLVE_F64, 60), now;
        SWEEP(ctx, gsolve_precond_update(M, &next), {
            now = both(ctx, M, GSOLVE_F64, 60);
            assert_same_bits(now, old);
            free(now.value);
        });
        assert_ok(ctx, gsolve_precond_apply(M, r, z)); /* its matrices keep room for columns */
        SWEEP(ctx, gsolve_precond_apply(M, r, z), (void)0);
        gsolve_precond_destroy(&M);
        free(old.value);
    }
    free_csr(&csr), free_csr(&next), free(r.value), free(z.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inverts_on_the_pattern),
        TEST(long_rows_keep_a_lower_power),
        TEST(exact_where_the_pattern_holds_the_inverse),
        TEST(follows_the_transpose),
        TEST(symmetric_and_definite),
        TEST(definite_where_ic_shifts),
        TEST(shifts_where_the_inverse_is_out_of_range),
        TEST(says_which_rows_are_shorter),
        TEST(nearly_as_good_as_the_factors),
        TEST(update_is_create),
        TEST(the_same_bits_for_any_number_of_threads),
        TEST(many_columns),
        TEST(survives_denied_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
