/* test_precond_kinds.c: what each kind of preconditioner promises for itself. */
#include "precond_support.h"

#include <cs.h>

#include "gsolve_plugin.h"
#include "precond/schedule.h"

static const char *note_of(const gsolve_precond *M)
{
    static gsolve_precond_info info;
    gsolve_precond_describe(M, &info);
    return info.note;
}

/* Applies a preconditioner made on the spot. */
static gsolve_dense applied(gsolve_context *ctx, const char *spec, const gsolve_csr *csr,
                            gsolve_dense r, bool transposed)
{
    gsolve_precond *M = make(ctx, spec, csr);
    gsolve_dense z = new_dense(r.nrows, r.ncols, r.type);

    assert_ok(ctx, (transposed ? gsolve_precond_apply_transpose : gsolve_precond_apply)(M, r, z));
    gsolve_precond_destroy(&M);
    return z;
}

/* --- direct solves by CXSparse
 * -------------------------------------------------------------------- */

/* x = A^-1 b, or A^-T b. CXSparse counts by columns: the rows handed over are those of A'. */
static gsolve_dense solved(const gsolve_csr *csr, gsolve_dense b, bool transposed)
{
    const int32_t n = csr->nrows;
    const cs_di view = {.nzmax = (int)gs_start(csr, n),
                        .m = n,
                        .n = n,
                        .nz = -1,
                        .p = (int *)(uintptr_t)csr->start,
                        .i = (int *)(uintptr_t)csr->col,
                        .x = (double *)(uintptr_t)csr->value};
    cs_di *turned = cs_di_transpose(&view, 1);
    gsolve_dense x = new_dense(n, 1, b.type);

    for (int32_t i = 0; i < n; i++) set(x, i, get(b, i));
    assert_int_equal(cs_di_lusol(1, transposed ? &view : turned, x.value, 1), 1);
    cs_di_spfree(turned);
    return x;
}

static void assert_exact(gsolve_context *ctx, const char *spec, const gsolve_csr *csr)
{
    gsolve_dense b = random_dense(csr->nrows, 1, 1, GSOLVE_F64);

    for (int transposed = 0; transposed < 2; transposed++) {
        gsolve_dense z = applied(ctx, spec, csr, b, transposed), x = solved(csr, b, transposed);
        assert_near(z, x, 1e-11);
        free(z.value), free(x.value);
    }
    free(b.value);
}

static void exact_where_nothing_is_left_out(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr line = grid(60, 1, 1, 0, 1, GSOLVE_F64), flow = grid(3000, 1, 1, 0.7, 2, GSOLVE_F64);
    gsolve_csr diagonal = grid(1, 1, 1, 0, 3, GSOLVE_F64);

    assert_exact(ctx, "ic", &line);
    assert_exact(ctx, "ilu", &line);
    assert_exact(ctx, "ilu", &flow);
    assert_exact(ctx, "jacobi", &diagonal);
    assert_exact(ctx, "block_jacobi,size=32", &diagonal);
    free_csr(&line), free_csr(&flow), free_csr(&diagonal);
}

/* Dense blocks on the diagonal, the last one short, of size from 1 up. */
static void exact_on_blocks(void **state)
{
    enum { N = 35 };
    char spec[40];

    for (int32_t size = 1; size <= 32; size++) {
        double a[N * N] = {0};
        for (int32_t i = 0; i < N; i++) {
            for (int32_t j = i / size * size; j < N && j < (i / size + 1) * size; j++) {
                a[i * N + j] = ldexp(noise(4, (uint64_t)(i * N + j)), i % 3 * 30) + 1e-9;
            }
        }
        gsolve_csr csr = from_dense(N, a, GSOLVE_F64);
        snprintf(spec, sizeof spec, "block_jacobi,size=%d", size);
        gsolve_dense b = random_dense(N, 1, 1, GSOLVE_F64), z, x;
        for (int transposed = 0; transposed < 2; transposed++) {
            z = applied(*state, spec, &csr, b, transposed), x = solved(&csr, b, transposed);
            assert_near(z, x, 1e-9);
            free(z.value), free(x.value);
        }
        free(b.value), free_csr(&csr);
    }
}

static void finds_the_size_of_blocks(void **state)
{
    enum { N = 12 };
    double a[N * N] = {0};
    gsolve_precond *M;

    for (int32_t i = 0; i < N; i++) {
        for (int32_t j = 0; j < N; j++) {
            if (abs(i / 3 - j / 3) <= 1) a[i * N + j] = i == j ? 9 : -1;
        }
    }
    gsolve_csr csr = from_dense(N, a, GSOLVE_F64);
    M = make(*state, "block_jacobi", &csr);
    assert_string_equal(note_of(M), "blocks of 3");
    gsolve_precond_destroy(&M);
    free_csr(&csr);
}

/* --- incomplete factors: M agrees with A on A's pattern
 * --------------------------------------------- */

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

/* A pattern that is not symmetric, large enough for a schedule, against a plain factorisation. */
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

/* --- breakdown
 * ---------------------------------------------------------------------------------------- */

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

/* --- what they refuse
 * ----------------------------------------------------------------------------------- */

#define REFUSED(ctx, spec, csr, words)                                                         \
    do {                                                                                       \
        gsolve_precond *refused_ = NULL;                                                       \
        assert_fails(ctx, gsolve_precond_create(&refused_, ctx, spec, csr), GSOLVE_ZERO_PIVOT, \
                     words);                                                                   \
        assert_null(refused_);                                                                 \
    } while (0)

static void names_the_row(void **state)
{
    static const double hole[] = {2, 1, 0, 1, 0, 1, 0, 1, 2},
                        negative[] = {2, 1, 0, 1, -3, 1, 0, 1, 2};
    static const double singular[] = {1, 0, 0, 0, 1, 2, 0, 2, 4},
                        blank[] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    gsolve_context *ctx = *state;
    gsolve_csr csr = from_dense(3, hole, GSOLVE_F64), minus = from_dense(3, negative, GSOLVE_F64);
    gsolve_csr pair = from_dense(3, singular, GSOLVE_F64), empty = from_dense(3, blank, GSOLVE_F64);
    gsolve_csr zero = from_dense(3, negative, GSOLVE_F32),
               tiny = from_dense(3, negative, GSOLVE_F32);

    set_value(&zero, 3, 0);
    set_value(&tiny, 3, 1e-39);
    REFUSED(ctx, "jacobi", &csr, "row 2 (counted from 1) is missing");
    REFUSED(ctx, "jacobi", &zero, "row 2 (counted from 1) is zero");
    REFUSED(ctx, "jacobi", &tiny, "row 2 (counted from 1) is too small");
    REFUSED(ctx, "chebyshev", &csr, "row 2 (counted from 1) is missing");
    REFUSED(ctx, "ilu", &csr, "row 2 (counted from 1) is missing");
    REFUSED(ctx, "ilu", &empty, "row 2 (counted from 1)");
    REFUSED(ctx, "ic", &csr, "row 2 (counted from 1) is 0 (missing)");
    REFUSED(ctx, "ic", &minus, "row 2 (counted from 1) is -3");
    REFUSED(ctx, "block_jacobi,size=1", &csr, "rows 2 to 2 (counted from 1) is singular");
    REFUSED(ctx, "block_jacobi,size=3", &pair, "rows 1 to 3 (counted from 1) is singular");
    free_csr(&csr), free_csr(&minus), free_csr(&pair), free_csr(&empty), free_csr(&zero),
        free_csr(&tiny);
}

/* A refused update leaves the preconditioner as it was. */
static void refused_update_changes_nothing(void **state)
{
    static const char *const spec[] = {"jacobi", "block_jacobi,size=4", "chebyshev", "ilu", "ic"};
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(4, 4, 2, 0, 1, GSOLVE_F64), zeros = grid(4, 4, 2, 0, 1, GSOLVE_F64);
    gsolve_dense r = random_dense(32, 1, 1, GSOLVE_F64), z = new_dense(32, 1, GSOLVE_F64);

    for (int64_t k = gs_start(&zeros, 16); k < gs_start(&zeros, 32); k++) set_value(&zeros, k, 0);
    for (size_t s = 0; s < sizeof spec / sizeof *spec; s++) {
        for (int transposed = 0; transposed < 2; transposed++) {
            gsolve_dense want = applied(ctx, spec[s], &csr, r, transposed);
            gsolve_precond *M = make(ctx, spec[s], &csr);
            assert_int_equal(gsolve_precond_update(M, &zeros), GSOLVE_ZERO_PIVOT);
            assert_ok(
                ctx, (transposed ? gsolve_precond_apply_transpose : gsolve_precond_apply)(M, r, z));
            assert_same_bits(z, want);
            gsolve_precond_destroy(&M);
            free(want.value);
        }
    }
    free_csr(&csr), free_csr(&zeros), free(r.value), free(z.value);
}

/* --- jacobi's option, chebyshev's map
 * --------------------------------------------------------------------- */

static void jacobi_of_magnitudes(void **state)
{
    static const double a[] = {-4, 1, 1, 2};
    gsolve_csr csr = from_dense(2, a, GSOLVE_F64);
    gsolve_precond *M = make(*state, "jacobi", &csr);

    assert_true(((const double *)gsolve_precond_diagonal(M))[0] == -0.25);
    gsolve_precond_destroy(&M);
    M = make(*state, "jacobi,abs=1", &csr);
    assert_true(((const double *)gsolve_precond_diagonal(M))[0] == 0.25);
    assert_true(((const double *)gsolve_precond_diagonal(M))[1] == 0.5);
    gsolve_precond_destroy(&M);
    free_csr(&csr);
}

/* |r| after so many steps of x += M^-1 (b - A x) from 0, over |b|. */
static double reduction(gsolve_context *ctx, const char *spec, const gsolve_csr *csr, int steps)
{
    const int32_t n = csr->nrows;
    gsolve_dense r = random_dense(n, 1, 1, GSOLVE_F64), z = new_dense(n, 1, GSOLVE_F64);
    gsolve_precond *M = make(ctx, spec, csr);
    gsolve_matrix *A = NULL;
    const double size = sqrt(dot(r, r));

    assert_ok(ctx, gsolve_matrix_create(&A, ctx, "csr", csr));
    for (int k = 0; k < steps; k++) {
        assert_ok(ctx, gsolve_precond_apply(M, r, z));
        assert_true(dot(r, z) > 0);
        assert_ok(ctx, gsolve_matrix_apply(A, -1, z, 1, r));
    }
    const double left = sqrt(dot(r, r)) / size;
    gsolve_matrix_destroy(&A);
    gsolve_precond_destroy(&M);
    free(r.value), free(z.value);
    return left;
}

static void chebyshev_contracts(void **state)
{
    gsolve_csr csr = grid(20, 20, 10, 0, 1, GSOLVE_F64);
    const double two = reduction(*state, "chebyshev,degree=2,ratio=10", &csr, 10);
    const double six = reduction(*state, "chebyshev,degree=6,ratio=10", &csr, 10);

    assert_true(two < 0.1);
    assert_true(six < 0.01 * two);
    free_csr(&csr);
}

/* --- schedules
 * -----------------------------------------------------------------------------------------------
 */

/* Each row once, and after all that it depends on: those of earlier levels and of its own share. */
static void check_schedule(gsolve_context *ctx, bool upper, const gsolve_csr *csr, bool expected)
{
    const int32_t n = csr->nrows;
    int64_t *start = calloc((size_t)n + 1, sizeof *start);
    int32_t *col = calloc((size_t)gs_start(csr, n) + 1, sizeof *col),
            *level = calloc((size_t)n, 4);
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

/* --- auto, and a kind of one's own
 * ----------------------------------------------------------------------------- */

static void auto_names_its_choice(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(5, 4, 3, 0, 1, GSOLVE_F64), flow = grid(5, 4, 3, 0.5, 1, GSOLVE_F64);
    gsolve_precond *M = make(ctx, "auto", &csr), *N = make(ctx, "auto", &flow), *none = NULL;
    gsolve_precond_info info;

    gsolve_precond_describe(M, &info);
    assert_string_equal(info.kind, "ic");
    assert_int_equal(info.n, 60);
    assert_true(info.bytes > 0 && info.setup_seconds >= 0);
    gsolve_precond_describe(N, &info);
    assert_string_equal(info.kind, "ilu");
    assert_fails(ctx, gsolve_precond_create(&none, ctx, "auto,size=3", &csr), GSOLVE_BAD_SPEC,
                 "auto");
    gsolve_precond_destroy(&M), gsolve_precond_destroy(&N);
    free_csr(&csr), free_csr(&flow);
}

typedef struct halving {
    double factor;
} halving;

static gsolve_status halving_build(void **self, gsolve_context *ctx, const gsolve_csr *csr,
                                   const void *options)
{
    halving *M = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *M);
    if (!M) return GSOLVE_NO_MEMORY;
    M->factor = *(const double *)options * gs_value(csr, 0);
    *self = M;
    return GSOLVE_OK;
}

static void halving_destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status halving_apply(const void *self, gsolve_context *ctx, gsolve_dense r,
                                   gsolve_dense z)
{
    (void)ctx;
    for (int32_t c = 0; c < r.ncols; c++) {
        for (int32_t i = 0; i < r.nrows; i++) {
            set(column_of(z, c), i, ((const halving *)self)->factor * get(column_of(r, c), i));
        }
    }
    return GSOLVE_OK;
}

static void a_kind_of_ones_own(void **state)
{
    static const gsolve_option options[] = {{"by", "", GSOLVE_REAL, 0, 0.5, 0, 10, NULL}, {0}};
    static const gsolve_precond_kind kind = {.plugin = {"mine", "", options, sizeof(double)},
                                             .build = halving_build,
                                             .destroy = halving_destroy,
                                             .apply = halving_apply,
                                             .varies = true};
    static const gsolve_precond_kind lame = {.plugin = {"lame", "", NULL, 0}};
    static const double two[] = {2, 1, 0, 3}, four[] = {4, 1, 0, 3};
    gsolve_context *ctx = *state;
    gsolve_csr csr = from_dense(2, two, GSOLVE_F64), next = from_dense(2, four, GSOLVE_F64);
    gsolve_dense r = random_dense(2, 2, 1, GSOLVE_F64), z = new_dense(2, 2, GSOLVE_F64);
    double rz[2];
    int count = 0;

    assert_fails(ctx, gsolve_register_precond(ctx, &lame), GSOLVE_BAD_ARGUMENT, "build");
    assert_fails(ctx, gsolve_register_precond(ctx, NULL), GSOLVE_BAD_ARGUMENT, "build");
    assert_ok(ctx, gsolve_register_precond(ctx, &kind));
    assert_fails(ctx, gsolve_register_precond(ctx, &kind), GSOLVE_BAD_ARGUMENT, "already");
    while (gsolve_precond_at(ctx, count)) count++;
    assert_ptr_equal(gsolve_precond_at(ctx, count - 1), &kind.plugin);

    gsolve_precond *M = make(ctx, "mine,by=3", &csr);
    assert_true(gsolve_precond_varies(M));
    assert_null(gsolve_precond_diagonal(M));
    assert_ok(ctx, gsolve_precond_apply_dot(M, r, z, rz));
    assert_true(get(column_of(z, 1), 1) == 6 * get(column_of(r, 1), 1));
    assert_true(fabs(rz[1] - 6 * dot(column_of(r, 1), column_of(r, 1))) < 1e-13);
    assert_fails(ctx, gsolve_precond_apply_transpose(M, r, z), GSOLVE_UNSUPPORTED, "mine");
    assert_ok(ctx, gsolve_precond_update(M, &next)); /* by destroy and build */
    assert_ok(ctx, gsolve_precond_apply(M, r, z));
    assert_true(get(z, 0) == 12 * get(r, 0));
    gsolve_precond_destroy(&M);
    free_csr(&csr), free_csr(&next), free(r.value), free(z.value);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exact_where_nothing_is_left_out),
        TEST(exact_on_blocks),
        TEST(finds_the_size_of_blocks),
        TEST(factors_agree_on_the_pattern),
        TEST(ilu_of_any_pattern),
        TEST(ic_ignores_the_upper_triangle),
        TEST(ic_shifts_on_breakdown),
        TEST(ilu_shifts_on_breakdown),
        TEST(names_the_row),
        TEST(refused_update_changes_nothing),
        TEST(jacobi_of_magnitudes),
        TEST(chebyshev_contracts),
        TEST(schedules_keep_the_order),
        TEST(auto_names_its_choice),
        TEST(a_kind_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
