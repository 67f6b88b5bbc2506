/* test_precond_factors.c: the incomplete factorisations and the order in which they are solved. */
#include "precond_solved.h"

#include "precond/incomplete/schedule.h"

/* --- incomplete factors: M agrees with A on A's pattern ---------------------------------- */

/* The matrix that M stands for, from M^-1 by columns: n x n by rows. */
static void matrix_of(gsolve_context *ctx, const gsolve_precond *M, int32_t n, double *a)
{
    gsolve_dense r = new_dense(n, n, GSOLVE_F64), z = new_dense(n, n, GSOLVE_F64);

    for (int32_t c = 0; c < n; c++) set(column_of(r, c), c, 1);
    assert_ok(ctx, gsolve_precond_apply(M, r, z));
    double *inverse = calloc((size_t)n * (size_t)n, sizeof *inverse);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) inverse[i * n + j] = get(column_of(z, j), i);
    }
    gsolve_csr csr = from_dense(n, inverse, GSOLVE_F64);
    for (int32_t c = 0; c < n; c++) {
        gsolve_dense x = solved(&csr, column_of(r, c), false);
        for (int32_t i = 0; i < n; i++) a[i * n + c] = get(x, i);
        free(x.value);
    }
    free_csr(&csr), free(inverse), free(r.value), free(z.value);
}

static void assert_agrees(gsolve_context *ctx, const char *spec, const gsolve_csr *csr)
{
    const int32_t n = csr->nrows;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a), off = 0;
    gsolve_precond *M = make(ctx, spec, csr);

    assert_string_equal(note_of(M), "");
    matrix_of(ctx, M, n, a);
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            assert_true(fabs(a[i * n + csr->col[k]] - gs_value(csr, k)) < 1e-11);
            a[i * n + csr->col[k]] = 0;
        }
        for (int32_t j = 0; j < n; j++) off = fmax(off, fabs(a[i * n + j]));
    }
    assert_true(off > 1e-3); /* and is not A */
    gsolve_precond_destroy(&M);
    free(a);
}

static void factors_agree_on_the_pattern(void **state)
{
    gsolve_csr symmetric = grid(4, 4, 3, 0, 1, GSOLVE_F64),
               flow = grid(4, 4, 3, 0.6, 2, GSOLVE_F64);

    assert_agrees(*state, "ic", &symmetric);
    assert_agrees(*state, "ilu", &symmetric);
    assert_agrees(*state, "ilu", &flow);
    free_csr(&symmetric), free_csr(&flow);
}

/* A random pattern that is not symmetric. */
static void ilu_of_any_pattern(void **state)
{
    enum { N = 48 };
    double a[N * N] = {0};

    for (int32_t i = 0; i < N; i++) {
        for (int32_t j = 0; j < N; j++) {
            const double v = noise(5, (uint64_t)(i * N + j));
            if (i == j || fabs(v) < 0.1) a[i * N + j] = i == j ? 2 + v : 10 * v;
        }
    }
    gsolve_csr csr = from_dense(N, a, GSOLVE_F64);
    assert_agrees(*state, "ilu", &csr);
    free_csr(&csr);
}

static void ic_ignores_the_upper_triangle(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(5, 4, 3, 0, 1, GSOLVE_F64), other = grid(5, 4, 3, 0, 1, GSOLVE_F64);
    gsolve_dense r = random_dense(60, 1, 1, GSOLVE_F64);

    for (int32_t i = 0; i < 60; i++) {
        for (int64_t k = gs_start(&csr, i); k < gs_start(&csr, i + 1); k++) {
            if (csr.col[k] > i) set_value(&other, k, 1e6);
        }
    }
    gsolve_dense z = applied(ctx, "ic", &csr, r, false),
                 same = applied(ctx, "ic", &other, r, false);
    assert_same_bits(same, z);
    free_csr(&csr), free_csr(&other), free(r.value), free(z.value), free(same.value);
}

/* --- breakdown --------------------------------------------------------------------------- */

/* Kershaw's matrix (J. Comput. Phys. 26, 1978): positive definite, and IC(0) meets a negative
 * pivot. */
static void ic_shifts_on_breakdown(void **state)
{
    static const double kershaw[] = {3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, 3};
    gsolve_context *ctx = *state;

    for (gsolve_type type = GSOLVE_F32; type <= GSOLVE_F64; type++) {
        gsolve_csr csr = from_dense(4, kershaw, type), easy = from_dense(4, kershaw, type);
        for (int32_t i = 0; i < 4; i++) {
            for (int64_t k = gs_start(&easy, i); k < gs_start(&easy, i + 1); k++) {
                if (easy.col[k] == i) set_value(&easy, k, 30);
            }
        }
        gsolve_precond *M = make(ctx, "ic", &csr);
        assert_non_null(strstr(note_of(M), "shift 0."));
        gsolve_dense r = random_dense(4, 1, 1, type), z = new_dense(4, 1, type);
        for (uint64_t seed = 0; seed < 20; seed++) { /* M is positive definite */
            for (int32_t i = 0; i < 4; i++) set(r, i, noise(seed, (uint64_t)i));
            assert_ok(ctx, gsolve_precond_apply(M, r, z));
            assert_true(dot(r, z) > 0);
        }
        assert_ok(ctx, gsolve_precond_update(M, &easy));
        assert_string_equal(note_of(M), "");
        assert_ok(ctx, gsolve_precond_update(M, &csr));
        assert_non_null(strstr(note_of(M), "shift 0."));
        gsolve_precond_destroy(&M);
        M = make(ctx, "ic,shift=2", &csr);
        assert_string_equal(note_of(M), "shift 2");
        gsolve_precond_destroy(&M);
        free_csr(&csr), free_csr(&easy), free(r.value), free(z.value);
    }
}

static void ilu_shifts_on_breakdown(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = new_csr(2, 2, 4, GSOLVE_F64);
    gsolve_dense r = random_dense(2, 1, 1, GSOLVE_F64), z = new_dense(2, 1, GSOLVE_F64);

    for (int32_t i = 0; i < 2; i++) { /* 0 1; 1 0 with its zeros stored */
        append(&csr, i, 0, i), append(&csr, i, 1, 1 - i), close_row(&csr, i);
    }
    gsolve_precond *M = make(ctx, "ilu", &csr);
    assert_string_equal(note_of(M), "shift 0.001");
    assert_ok(ctx, gsolve_precond_apply(M, r, z));
    assert_true(fabs(get(z, 0) - get(r, 1)) < 0.01 && fabs(get(z, 1) - get(r, 0)) < 0.01);
    gsolve_precond_destroy(&M);
    M = make(ctx, "ilu,shift=0.5", &csr);
    assert_string_equal(note_of(M), "shift 0.5");
    gsolve_precond_destroy(&M);
    free_csr(&csr), free(r.value), free(z.value);
}

/* --- schedules --------------------------------------------------------------------------- */

/* Each row once, and after all that it depends on: those of earlier levels and of its own share. */
static void check_schedule(gsolve_context *ctx, bool upper, const gsolve_csr *csr, bool expected)
{
    const int32_t n = csr->nrows;
    int64_t *start = calloc((size_t)n + 1, sizeof *start);
    int32_t *col = calloc((size_t)gs_start(csr, n) + 1, sizeof *col), *level = calloc((size_t)n, 4);
    int32_t *share = calloc((size_t)n, 4), *order = calloc((size_t)n, 4);
    gs_schedule s;

    for (int32_t i = 0; i < n; i++) {
        start[i + 1] = start[i];
        for (int64_t k = gs_start(csr, i); k < gs_start(csr, i + 1); k++) {
            if (upper ? csr->col[k] > i : csr->col[k] < i) col[start[i + 1]++] = csr->col[k];
        }
    }
    assert_ok(ctx, gs_schedule_create(&s, ctx, upper, n, start, col));
    assert_int_equal(s.row != NULL, expected);
    for (int32_t i = 0; i < n; i++) order[i] = -1;
    for (int32_t b = 0, p = 0; s.row && b < s.levels * s.threads; b++) {
        assert_int_equal(s.begin[b], p);
        for (; p < s.begin[b + 1]; p++) {
            assert_int_equal(order[s.row[p]], -1);
            order[s.row[p]] = p, level[s.row[p]] = b / s.threads, share[s.row[p]] = b;
        }
    }
    for (int32_t i = 0; s.row && i < n; i++) {
        assert_true(order[i] >= 0);
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            const int32_t j = col[k];
            assert_true(level[j] < level[i] || (share[j] == share[i] && order[j] < order[i]));
        }
    }
    gs_schedule_destroy(&s, ctx);
    free(start), free(col), free(level), free(share), free(order);
}

static void schedules_keep_the_order(void **state)
{
    static const char *const spec[] = {"cpu,threads=1", "cpu,threads=2", "cpu,threads=8"};
    gsolve_csr cube = grid(72, 48, 48, 0, 1, GSOLVE_F64),
               plane = grid(700, 200, 1, 0, 1, GSOLVE_F64);
    gsolve_csr line = grid(5000, 1, 1, 0, 1, GSOLVE_F64), loose = grid(1, 1, 1, 0, 1, GSOLVE_F64);

    (void)state;
    for (int t = 0; t < 3; t++) {
        gsolve_context *ctx = new_context(spec[t]);
        for (int upper = 0; upper < 2; upper++) {
            check_schedule(ctx, upper, &cube, true);
            check_schedule(ctx, upper, &plane, true);
            check_schedule(ctx, upper, &line, false);
            check_schedule(ctx, upper, &loose, false);
        }
        gsolve_context_destroy(&ctx);
    }
    free_csr(&cube), free_csr(&plane), free_csr(&line), free_csr(&loose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(factors_agree_on_the_pattern),  TEST(ilu_of_any_pattern),
        TEST(ic_ignores_the_upper_triangle), TEST(ic_shifts_on_breakdown),
        TEST(ilu_shifts_on_breakdown),       TEST(schedules_keep_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
