/* test_factor_libraries.c: each library of sparse factorisations in this build: solutions,
 * updates, limits, singular matrices and failures; and what is said of a library that is absent. */
#include <math.h>

#include "factor/factor.h"
#include "gsolve.h"
#include "tests/common.h"

/* --- helpers ---------------------------------------------------------------------------------- */

static bool is_present(int k)
{
    return gs_factor_library_is_present(gs_factor_library_at(k));
}

/* max |A x - b| / max |b|, or of A' if transposed. */
static double residual(const gsolve_csr *A, bool transposed, const double *x, const double *b)
{
    const int32_t m = transposed ? A->ncols : A->nrows;
    double *r = malloc(((size_t)m + 1) * sizeof *r), most = 0, largest = 0;

    for (int32_t i = 0; i < m; i++) r[i] = -b[i];
    for (int32_t i = 0; i < A->nrows; i++) {
        for (int64_t k = gs_start(A, i); k < gs_start(A, i + 1); k++) {
            const int32_t to = transposed ? A->col[k] : i, from = transposed ? i : A->col[k];
            r[to] += gs_value(A, k) * x[from];
        }
    }
    for (int32_t i = 0; i < m; i++) {
        most = fmax(most, fabs(r[i])), largest = fmax(largest, fabs(b[i]));
    }
    free(r);
    return most / largest;
}

static double *values_of(gsolve_context *ctx, const gsolve_csr *A)
{
    return gs_owned_block(ctx, A->value);
}

static gsolve_status create(gs_factorisation **F, gsolve_context *ctx, int k, gs_factor_kind kind,
                            bool diagonal, const gsolve_csr *A)
{
    const gs_factor_request request = {.kind = kind, .diagonal = diagonal, .limit = GS_NO_LIMIT};

    return gs_factorisation_create(F, ctx, gs_factor_library_at(k), &request, A);
}

/* x = A^-1 b and A^-T b, in place, too. */
static void check_solves(const gs_factorisation *F, const gsolve_csr *A)
{
    const int32_t n = A->nrows;
    double *b = random_vector(n, 5), *x = calloc((size_t)n, sizeof *x);

    for (int transposed = 0; transposed < 2; transposed++) {
        assert_int_equal(gs_factorisation_solve(F, transposed, b, x), GSOLVE_OK);
        assert_true(residual(A, transposed, x, b) < 1e-11);
        double *same = malloc((size_t)n * sizeof *same);
        memcpy(same, b, (size_t)n * sizeof *same);
        assert_int_equal(gs_factorisation_solve(F, transposed, same, same), GSOLVE_OK);
        assert_memory_equal(same, x, (size_t)n * sizeof *same);
        free(same);
    }
    free(b);
    free(x);
}

/* --- factors ---------------------------------------------------------------------------------- */

/* Each library and kind: solves; new values in the same pattern; costs. */
static void solves(void **state)
{
    static const struct {
        const char *matrix;
        bool definite, symmetric_pattern;
    } cases[] = {{"gen:poisson3d,n=9", true, true},   {"gen:elasticity3d,n=3", true, true},
                 {"gen:convdiff3d,n=8", false, true}, {"gen:circuit,n=30", true, true},
                 {"gen:random,n=300", false, false},  {"gen:tridiagonal,n=1", true, true}};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gsolve_csr A = read_matrix(ctx, cases[c].matrix);
        double *value = values_of(ctx, &A);
        for (int k = 0; gs_factor_library_at(k); k++) {
            for (gs_factor_kind kind = GS_CHOLESKY; kind < GS_FACTOR_KINDS; kind++) {
                gs_factorisation *F = NULL;
                if (!gs_factor_library_at(k)->computes[kind]) continue;
                if (kind == GS_CHOLESKY && !cases[c].definite) continue;
                OK(ctx, create(&F, ctx, k, kind, cases[c].symmetric_pattern, &A));
                check_solves(F, &A);
                const gs_direct_cost before = gs_factorisation_cost(F);
                assert_true(before.entries >= A.nrows && before.operations >= 0);
                assert_false(F->pivot_ratio <= 0);
                for (int64_t e = 0; e < gs_start(&A, A.nrows); e++) value[e] *= 3;
                for (int32_t i = 0; i < A.nrows; i++) { /* keeps it positive definite */
                    for (int64_t e = gs_start(&A, i); e < gs_start(&A, i + 1); e++) {
                        if (A.col[e] == i) value[e] += 1 + i % 7;
                    }
                }
                OK(ctx, gs_factorisation_update(F, ctx, GS_NO_LIMIT, &A));
                check_solves(F, &A);
                if (kind == GS_CHOLESKY) {
                    assert_true(gs_factorisation_cost(F).entries == before.entries);
                }
                gs_factorisation_destroy(F, ctx);
            }
        }
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* The factors' entries by this library, which keeps the order of A or not. */
static double entries_of(gsolve_context *ctx, int k, gs_factor_kind kind, bool keep,
                         const gsolve_csr *A)
{
    const gs_factor_request request = {
        .kind = kind, .diagonal = true, .ordered = keep, .limit = GS_NO_LIMIT};
    gs_factorisation *F = NULL;

    OK(ctx, gs_factorisation_create(&F, ctx, gs_factor_library_at(k), &request, A));
    check_solves(F, A);
    const double entries = gs_factorisation_cost(F).entries;
    gs_factorisation_destroy(F, ctx);
    return entries;
}

/* A library that keeps the order of a band matrix makes factors that fill the band. */
static void ordered(void **state)
{
    enum { N = 40, BAND = N + 1 }; /* of a grid of N x N points */
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=40");
    (void)state;

    for (int k = 0; gs_factor_library_at(k); k++) {
        for (gs_factor_kind kind = GS_CHOLESKY; kind <= GS_LU; kind++) {
            if (!gs_factor_library_at(k)->computes[kind]) continue;
            const double kept = entries_of(ctx, k, kind, true, &A);
            assert_true(kept > 1.2 * entries_of(ctx, k, kind, false, &A));
            assert_true(kept <= 16. * BAND * N * N); /* blocks of columns hold zeros, too */
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* A is singular for LU, indefinite for Cholesky. Better values can follow. */
static void singular(void **state)
{
    gsolve_context *ctx = open_context(1);
    int32_t row[] = {0, 0, 1, 1, 2}, col[] = {0, 1, 0, 1, 2};
    double value[] = {1, 2, 2, 4, 1};
    gsolve_csr A;
    (void)state;

    OK(ctx, gs_csr_from_triplets(&A, ctx, 3, 3, 5, row, col, value));
    for (int k = 0; gs_factor_library_at(k); k++) {
        for (gs_factor_kind kind = GS_CHOLESKY; kind <= GS_LU; kind++) {
            gs_factorisation *F = NULL;
            if (!gs_factor_library_at(k)->computes[kind]) continue;
            values_of(ctx, &A)[3] = kind == GS_LU ? 4 : 1; /* det = 0, or -3 */
            assert_int_equal(create(&F, ctx, k, kind, true, &A), GSOLVE_ZERO_PIVOT);
            assert_null(F);
            assert_non_null(strstr(gsolve_error(ctx), kind == GS_LU ? "singular" : "not positive"));
            values_of(ctx, &A)[3] = 4; /* a pivot is 0 */
            assert_int_equal(create(&F, ctx, k, kind, true, &A), GSOLVE_ZERO_PIVOT);
            assert_non_null(strstr(gsolve_error(ctx), kind == GS_LU ? "singular" : "not positive"));
            values_of(ctx, &A)[3] = 9;
            OK(ctx, create(&F, ctx, k, kind, true, &A));
            values_of(ctx, &A)[3] = kind == GS_LU ? 4 : 1;
            assert_int_equal(gs_factorisation_update(F, ctx, GS_NO_LIMIT, &A), GSOLVE_ZERO_PIVOT);
            values_of(ctx, &A)[3] = 8;
            OK(ctx, gs_factorisation_update(F, ctx, GS_NO_LIMIT, &A));
            check_solves(F, &A);
            gs_factorisation_destroy(F, ctx);
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* A limit below the cost is refused before the factorisation; one above the bound is not. */
static void limits(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson3d,n=14");
    (void)state;

    for (int k = 0; gs_factor_library_at(k); k++) {
        for (gs_factor_kind kind = GS_CHOLESKY; kind <= GS_LU; kind++) {
            const gs_direct_cost limit[] = {{1000, INFINITY}, {INFINITY, 1000}, {1e7, 1e10}};
            for (int l = 0; l < 3 && gs_factor_library_at(k)->computes[kind]; l++) {
                const gs_factor_request request = {kind, .diagonal = true, .limit = limit[l]};
                gs_factorisation *F = NULL;
                const gsolve_status status =
                    gs_factorisation_create(&F, ctx, gs_factor_library_at(k), &request, &A);
                assert_int_equal(status, l < 2 ? GSOLVE_UNSUPPORTED : GSOLVE_OK);
                if (l < 2) assert_non_null(strstr(gsolve_error(ctx), "limit="));
                if (l == 2) assert_true(gs_cost_fits(gs_factorisation_cost(F), limit[l]));
                gs_factorisation_destroy(F, ctx);
            }
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* So is an update, and it may succeed later. */
static void limits_of_updates(void **state)
{
    static const gs_direct_cost low[] = {{1000, INFINITY}, {INFINITY, 1000}};
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson3d,n=9");
    (void)state;

    for (int k = 0; gs_factor_library_at(k); k++) {
        for (gs_factor_kind kind = GS_CHOLESKY; kind < GS_FACTOR_KINDS; kind++) {
            gs_factorisation *F = NULL;
            if (!gs_factor_library_at(k)->computes[kind]) continue;
            OK(ctx, create(&F, ctx, k, kind, true, &A));
            for (int l = 0; l < 2; l++) {
                assert_int_equal(gs_factorisation_update(F, ctx, low[l], &A), GSOLVE_UNSUPPORTED);
                assert_non_null(strstr(gsolve_error(ctx), "limit"));
                OK(ctx, gs_factorisation_update(F, ctx, GS_NO_LIMIT, &A));
                check_solves(F, &A);
            }
            gs_factorisation_destroy(F, ctx);
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* The option memory of a context limits the factors of each library. */
static void memory(void **state)
{
    gsolve_context *ctx = NULL;
    gsolve_csr A;
    (void)state;

    assert_int_equal(gsolve_context_create(&ctx, "cpu,memory=4e6"), GSOLVE_OK);
    A = read_matrix(ctx, "gen:poisson3d,n=20");
    for (int k = 0; gs_factor_library_at(k); k++) {
        for (gs_factor_kind kind = GS_CHOLESKY; kind <= GS_LU; kind++) {
            const gs_factor_request request = {kind, .diagonal = true,
                                               .limit = gs_factor_limit(ctx, 1e9, 1e15)};
            gs_factorisation *F = NULL;
            if (!gs_factor_library_at(k)->computes[kind]) continue;
            assert_int_equal(
                gs_factorisation_create(&F, ctx, gs_factor_library_at(k), &request, &A),
                GSOLVE_NO_MEMORY);
            assert_non_null(strstr(gsolve_error(ctx), "the factorisation needs"));
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* A failed allocation of gsolve's memory leaves nothing behind. */
static void allocations(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=6");
    const int64_t before = blocks_of(ctx);
    (void)state;

    for (int k = 0; gs_factor_library_at(k); k++) {
        for (gs_factor_kind kind = GS_CHOLESKY; kind < GS_FACTOR_KINDS; kind++) {
            gs_factorisation *F = NULL;
            int granted = 0;
            if (!gs_factor_library_at(k)->computes[kind]) continue;
            for (; !F; granted++) {
                gsolve_context_limit_allocations(ctx, granted);
                const gsolve_status status = create(&F, ctx, k, kind, true, &A);
                gsolve_context_limit_allocations(ctx, -1);
                assert_true(granted < 100);
                if (status == GSOLVE_OK) break;
                assert_int_equal(status, GSOLVE_NO_MEMORY);
                assert_int_equal(blocks_of(ctx), before);
            }
            assert_true(granted >= 2); /* the handle and the library's state */
            check_solves(F, &A);
            gs_factorisation_destroy(F, ctx);
        }
    }
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* --- what is refused -------------------------------------------------------------------------- */

/* An absent library is named with the package and the option that add it. */
static void absent(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=5"),
               wide = read_matrix(ctx, "gen:lp,n=4,cols=9");
    (void)state;

    assert_true(is_present(GS_LIBRARY_CXSPARSE - 1));
    assert_string_equal(gsolve_factor_library_at(0), "cxsparse");
    for (int k = 0; gs_factor_library_at(k); k++) {
        const gs_factor_library *library = gs_factor_library_at(k);
        gs_factorisation *F = NULL;
        if (!is_present(k)) {
            const bool lu = gs_factor_choice_computes((gs_factor_choice)(k + 1), GS_LU);
            assert_int_equal(create(&F, ctx, k, lu ? GS_LU : GS_CHOLESKY, true, &A),
                             GSOLVE_UNSUPPORTED);
            assert_non_null(strstr(gsolve_error(ctx), library->name));
            assert_non_null(strstr(gsolve_error(ctx), library->package));
            assert_non_null(strstr(gsolve_error(ctx), library->option));
            assert_int_equal(create(&F, ctx, k, GS_QR, true, &wide), GSOLVE_UNSUPPORTED);
            assert_non_null(strstr(gsolve_error(ctx), "4 x 9; leave library out"));
            continue;
        }
        for (gs_factor_kind kind = GS_CHOLESKY; kind < GS_FACTOR_KINDS; kind++) {
            if (library->computes[kind]) continue;
            assert_int_equal(create(&F, ctx, k, kind, true, &A), GSOLVE_UNSUPPORTED);
            assert_non_null(strstr(gsolve_error(ctx), "leave library out"));
        }
        if (library->computes[GS_LU]) {
            assert_int_equal(create(&F, ctx, k, GS_LU, false, &wide), GSOLVE_BAD_ARGUMENT);
        }
        assert_null(F);
    }
    gsolve_csr_free(&wide, ctx);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

/* auto: CXSparse for a small factorisation, CHOLMOD or UMFPACK where present for a larger one. */
static void automatic(void **state)
{
    static const struct {
        const char *matrix;
        bool small;
    } cases[] = {
        {"gen:poisson3d,n=6", true}, {"gen:poisson3d,n=16", false}, {"gen:tridiagonal,n=0", true}};
    const bool quick[] = {is_present(GS_LIBRARY_CHOLMOD - 1), is_present(GS_LIBRARY_UMFPACK - 1)};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gsolve_csr A = read_matrix(ctx, cases[c].matrix);
        for (gs_factor_kind kind = GS_CHOLESKY; kind <= GS_LU; kind++) {
            const gs_factor_request request = {kind, .diagonal = true, .limit = GS_NO_LIMIT};
            gs_factorisation *F = NULL;
            OK(ctx, gs_factorisation_create_by(&F, ctx, GS_LIBRARY_AUTO, &request, &A));
            assert_ptr_equal(F->library, cases[c].small || !quick[kind - GS_CHOLESKY] ? &gs_cxsparse
                                         : kind == GS_LU                              ? &gs_umfpack
                                                         : &gs_cholmod);
            gs_factorisation_destroy(F, ctx);
        }
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* --- the method direct ------------------------------------------------------------------------ */

/* Two columns by direct with this library, before and after an update; x: 2 n numbers. Returns
 * whether the library computes it. */
static bool solve_by(gsolve_context *ctx, const char *library, const char *factor, gsolve_type type,
                     gsolve_csr *A, double *x)
{
    const int32_t n = A->nrows;
    const double tolerance = type == GSOLVE_F32 ? 1e-5 : 1e-12;
    double *b = random_vector(2 * (int64_t)n, 3);
    gsolve_csr converted;
    gsolve_matrix *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result results[2] = {GSOLVE_INIT(gsolve_result), GSOLVE_INIT(gsolve_result)};
    char spec[80];

    snprintf(spec, sizeof spec, "direct,library=%s,factor=%s,rtol=%g", library, factor, tolerance);
    OK(ctx, gsolve_csr_convert(&converted, ctx, type, A));
    OK(ctx, gsolve_matrix_create(&M, ctx, "csr", &converted));
    if (gsolve_solver_create(&S, ctx, spec, M, NULL) != GSOLVE_OK) goto done;
    for (int round = 0; round < 2; round++) {
        const gsolve_dense rhs = {n, 2, n, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        const gsolve_dense to = {n, 2, n, x, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        memset(x, 0, 2 * (size_t)n * sizeof *x);
        OK(ctx, gsolve_solver_run(S, rhs, to, results));
        assert_int_equal(results[0].outcome, GSOLVE_CONVERGED);
        assert_int_equal(results[1].outcome, GSOLVE_CONVERGED);
        for (int c = 0; c < 2; c++) {
            assert_true(residual(&converted, false, x + c * n, b + c * n) < 100 * tolerance);
        }
        assert_non_null(strstr(gsolve_solver_note(S), library));
        for (int64_t e = 0; e < gs_start(&converted, n); e++) {
            if (type == GSOLVE_F32) ((float *)gs_owned_block(ctx, converted.value))[e] *= 2;
            if (type == GSOLVE_F64) values_of(ctx, &converted)[e] *= 2;
        }
        OK(ctx, gsolve_matrix_update(M, &converted));
    }
done:
    gsolve_csr_free(&converted, ctx);
    gsolve_matrix_destroy(&M);
    free(b);
    const bool solved = S;
    gsolve_solver_destroy(&S);
    return solved;
}

static void methods(void **state)
{
    static const char *const factors[] = {"auto", "cholesky", "lu"};
    (void)state;

    for (int k = 0; gs_factor_library_at(k); k++) {
        const gs_factor_library *library = gs_factor_library_at(k);
        for (int f = 0; f < 3; f++) {
            for (gsolve_type type = GSOLVE_F64; type <= GSOLVE_F32; type++) {
                const bool computes =
                    f == 0 ? is_present(k) : library->computes[f == 1 ? GS_CHOLESKY : GS_LU];
                double *x[2];
                for (int threads = 1; threads <= 2; threads++) {
                    gsolve_context *ctx = open_context(threads);
                    gsolve_csr A = read_matrix(ctx, "gen:poisson3d,n=11");
                    double *answer = x[threads - 1] = calloc(2 * (size_t)A.nrows, sizeof *answer);
                    assert_int_equal(solve_by(ctx, library->name, factors[f], type, &A, answer),
                                     computes);
                    if (threads == 2) {
                        assert_memory_equal(x[0], x[1], 2 * (size_t)A.nrows * sizeof **x);
                    }
                    gsolve_csr_free(&A, ctx);
                    close_context(ctx);
                }
                free(x[0]);
                free(x[1]);
            }
        }
    }
}

/* auto: Cholesky that meets a negative pivot gives way to LU, in the first factorisation and after
 * an update; a library without LU says why it fails. */
static void indefinite(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:tridiagonal,n=50,low=-1,diag=0.5,high=-1");
    double *x = calloc(100, sizeof *x);
    (void)state;

    for (int k = 0; gs_factor_library_at(k); k++) {
        const gs_factor_library *library = gs_factor_library_at(k);
        if (!is_present(k)) continue;
        assert_int_equal(solve_by(ctx, library->name, "auto", GSOLVE_F64, &A, x),
                         library->computes[GS_LU]);
        if (!library->computes[GS_LU]) {
            assert_non_null(strstr(gsolve_error(ctx), "not positive definite"));
        }
    }
    free(x);
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves),
                                       cmocka_unit_test(ordered),
                                       cmocka_unit_test(singular),
                                       cmocka_unit_test(limits),
                                       cmocka_unit_test(limits_of_updates),
                                       cmocka_unit_test(memory),
                                       cmocka_unit_test(allocations),
                                       cmocka_unit_test(absent),
                                       cmocka_unit_test(automatic),
                                       cmocka_unit_test(methods),
                                       cmocka_unit_test(indefinite)};

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
