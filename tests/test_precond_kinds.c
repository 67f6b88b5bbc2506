/* test_precond_kinds.c: what each kind of preconditioner promises for itself. */
#include "precond_solved.h"

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
    assert_exact(ctx, "isai,power=10,relax=6", &line); /* (10 + 1)(6 + 1) > 60 */
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

/* Rows of very different size are no reason to call a block singular. */
static void blocks_of_any_scale(void **state)
{
    static const double a[] = {1e-200, 0, 0, 3e150};
    gsolve_csr csr = from_dense(2, a, GSOLVE_F64);
    gsolve_dense r = random_dense(2, 1, 1, GSOLVE_F64);
    gsolve_dense z = applied(*state, "block_jacobi,size=2", &csr, r, false);

    assert_true(fabs(get(z, 0) * 1e-200 - get(r, 0)) < 1e-15);
    assert_true(fabs(get(z, 1) * 3e150 - get(r, 1)) < 1e-15);
    free_csr(&csr), free(r.value), free(z.value);
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

/* --- what they refuse -------------------------------------------------------------------- */

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
    REFUSED(ctx, "ilu", &csr, "row 2 (counted from 1) has no diagonal");
    REFUSED(ctx, "ilu", &empty, "row 2 (counted from 1)");
    REFUSED(ctx, "ic", &csr, "row 2 (counted from 1) is 0 (missing)");
    REFUSED(ctx, "ic", &minus, "row 2 (counted from 1) is -3");
    REFUSED(ctx, "isai", &csr, "isai needs a full diagonal, but row 2");
    REFUSED(ctx, "isai", &empty, "row 2 (counted from 1)");
    REFUSED(ctx, "isai,factors=ic", &minus, "row 2 (counted from 1) is -3");
    REFUSED(ctx, "block_jacobi,size=1", &csr, "rows 2 to 2 (counted from 1) is singular");
    REFUSED(ctx, "block_jacobi,size=3", &pair, "rows 1 to 3 (counted from 1) is singular");
    free_csr(&csr), free_csr(&minus), free_csr(&pair), free_csr(&empty), free_csr(&zero),
        free_csr(&tiny);
}

/* A refused update leaves the preconditioner as it was. */
static void refused_update_changes_nothing(void **state)
{
    static const char *const spec[] = {"jacobi", "block_jacobi,size=4", "chebyshev", "ilu", "ic",
                                       "isai"};
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

/* --- jacobi's option, chebyshev's map ---------------------------------------------------- */

static void jacobi_of_magnitudes(void **state)
{
    static const double a[] = {-4, 1, 1, 2};
    HOST_ONLY();
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

/* On an eigenvector of D^-1 A M^-1 A is 1 - T((c - lambda) / h) / T(c / h), with T the Chebyshev
 * polynomial of degree + 1, c and h the centre and half the width of [most / ratio, most], and most
 * the sums of these rows, which no number of power iterations exceeds. */
static void chebyshev_is_its_polynomial(void **state)
{
    static const double a[] = {2, 1, 1, 2}, lambda[] = {1.5, 0.5};
    gsolve_csr csr = from_dense(2, a, GSOLVE_F64);
    const double most = 1.5, c = (most + most / 10) / 2, h = (most - most / 10) / 2;

    for (int k = 0; k < 2; k++) {
        const double at = (c - lambda[k]) / h, end = c / h;
        const double T4 = 8 * pow(at, 4) - 8 * at * at + 1,
                     E4 = 8 * pow(end, 4) - 8 * end * end + 1;
        gsolve_dense r = new_dense(2, 1, GSOLVE_F64), z;
        set(r, 0, 1), set(r, 1, k ? -1 : 1);
        z = applied(*state, "chebyshev,degree=3,ratio=10", &csr, r, false);
        assert_true(fabs(get(z, 0) * 2 * lambda[k] - (1 - T4 / E4)) < 1e-9);
        assert_true(fabs(get(z, 1) - (k ? -1 : 1) * get(z, 0)) < 1e-9);
        free(r.value), free(z.value);
    }
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

/* --- auto, and a kind of one's own ------------------------------------------------------- */

static void auto_names_its_choice(void **state)
{
    gsolve_context *ctx = *state;
    gsolve_csr csr = grid(5, 4, 3, 0, 1, GSOLVE_F64), flow = grid(5, 4, 3, 0.5, 1, GSOLVE_F64);
    gsolve_precond *M = make(ctx, "auto", &csr), *N = make(ctx, "auto", &flow), *none = NULL;
    gsolve_precond_info info = GSOLVE_INIT(gsolve_precond_info);

    gsolve_precond_describe(M, &info);
    assert_string_equal(info.kind, "jacobi");
    assert_string_equal(info.spec, "jacobi");
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
                                   const void *options, void *user)
{
    halving *M = gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *M);

    (void)user;
    if (!M) return GSOLVE_NO_MEMORY;
    M->factor = *(const double *)options * gs_value(csr, 0);
    *self = M;
    return GSOLVE_OK;
}

static void halving_destroy(void *self, gsolve_context *ctx)
{
    gsolve_free(ctx, GSOLVE_HOST, self);
}

static gsolve_status halving_apply(void *self, gsolve_context *ctx, gsolve_dense r, gsolve_dense z)
{
    (void)ctx;
    for (int32_t c = 0; c < r.ncols; c++) {
        for (int32_t i = 0; i < r.nrows; i++) {
            set(column_of(z, c), i, ((const halving *)self)->factor * get(column_of(r, c), i));
        }
    }
    return GSOLVE_OK;
}

static bool always(const void *self)
{
    return self != NULL;
}

static void a_kind_of_ones_own(void **state)
{
    HOST_ONLY();
    static const gsolve_option options[] = {{"by", "", GSOLVE_REAL, 0, 0.5, 0, 10, NULL}, {0}};
    static const gsolve_precond_kind kind = {.size = sizeof kind,
                                             .plugin = {"mine", "", options, sizeof(double)},
                                             .build = halving_build,
                                             .destroy = halving_destroy,
                                             .apply = halving_apply,
                                             .is_variable = always};
    static const gsolve_precond_kind lame = {.size = sizeof lame, .plugin = {"lame", "", NULL, 0}};
    static const double two[] = {2, 1, 0, 3}, four[] = {4, 1, 0, 3};
    gsolve_context *ctx = *state;
    gsolve_csr csr = from_dense(2, two, GSOLVE_F64), next = from_dense(2, four, GSOLVE_F64);
    gsolve_dense r = random_dense(2, 2, 1, GSOLVE_F64), z = new_dense(2, 2, GSOLVE_F64);
    double rz[2];
    int count = 0;

    assert_fails(ctx, gsolve_register_precond(ctx, &lame), GSOLVE_BAD_ARGUMENT, "build");
    assert_fails(ctx, gsolve_register_precond(ctx, NULL), GSOLVE_BAD_ARGUMENT, "build");
    assert_int_equal(gsolve_register_precond(NULL, &kind), GSOLVE_BAD_ARGUMENT);
    assert_int_equal(gsolve_register_format(NULL, NULL), GSOLVE_BAD_ARGUMENT);
    assert_ok(ctx, gsolve_register_precond(ctx, &kind));
    assert_fails(ctx, gsolve_register_precond(ctx, &kind), GSOLVE_BAD_ARGUMENT, "already");
    while (gsolve_precond_at(ctx, count)) count++;
    assert_string_equal(gsolve_precond_at(ctx, count - 1)->name, "mine");

    gsolve_precond *M = make(ctx, "mine,by=3", &csr);
    assert_true(gsolve_precond_is_variable(M));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(exact_where_nothing_is_left_out),
        TEST(exact_on_blocks),
        TEST(blocks_of_any_scale),
        TEST(finds_the_size_of_blocks),
        TEST(names_the_row),
        TEST(refused_update_changes_nothing),
        TEST(jacobi_of_magnitudes),
        TEST(chebyshev_is_its_polynomial),
        TEST(chebyshev_contracts),
        TEST(auto_names_its_choice),
        TEST(a_kind_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
