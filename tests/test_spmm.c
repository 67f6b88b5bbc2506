/* test_spmm.c [FORMAT | PART PARTS]: products with k columns in every format, or that one, in all
 * layouts, against cs_di_gaxpy of CXSparse column by column; and what does not take blocks by rows.
 */
#include "tests/dense.h"
#include "tests/parts.h"

#include <cs.h>
#include <math.h>

enum { MOST = 64 }; /* columns */

static const int32_t counts[] = {1, 2, 3, 4, 7, 8, 16, 31, 32, 64};
enum { COUNTS = sizeof counts / sizeof *counts };

static const char *only; /* that format */

/* What is done differently in some of them: long rows, padding, shared rows, narrow numbers. */
static const char *const more[] = {
    "sell,most=5,index=16",  "sell,index=16,value=auto",
    "sell,slice=8,sigma=64", "sell,slice=64,index=32",
    "ellr,threads=4,most=9", "ellr,threads=32",
    "bce,blocks=2",          "bsr,block=2",
    "bsr,block=3",           "segmented,length=4",
    "bsr,block=7",           "bsr,block=8",
    "hyb,width=1",
};
enum { SPECS = sizeof more / sizeof *more };

/* The index-th of the formats and the specs above, or NULL. */
static const char *spec_at(const gsolve_context *ctx, int index)
{
    int f = 0;

    for (; gsolve_format_at(ctx, f); f++) {
        if (f == index) return gsolve_format_at(ctx, f)->name;
    }
    return index - f < SPECS ? more[index - f] : NULL;
}

static bool is_wanted(const char *spec)
{
    return !only || gs_spec_is(spec, only);
}

/* --- dense blocks ----------------------------------------------------------------------------- */

static int64_t place_of(gsolve_dense v, int32_t i, int32_t j)
{
    return v.layout == GSOLVE_ROW_MAJOR ? i * v.stride + j : j * v.stride + i;
}

static int64_t places_of(gsolve_dense v)
{
    return v.stride * (v.layout == GSOLVE_ROW_MAJOR ? v.nrows : v.ncols);
}

/* The number in row i and column j of a random block. */
static double number(uint64_t seed, int32_t i, int32_t j)
{
    static double drawn[4093];

    for (int k = 0; drawn[0] == 0 && k < 4093; k++) drawn[4092 - k] = gsolve_random(1, (uint64_t)k);
    return drawn[((uint64_t)i * 67 + (uint64_t)j + seed * 1009) % 4093];
}

/* gap: numbers between its lines, which are 7 */
static gsolve_dense new_block(int32_t nrows, int32_t ncols, gsolve_type type, gsolve_layout layout,
                              int32_t gap, uint64_t seed)
{
    const int64_t stride = (layout == GSOLVE_ROW_MAJOR ? ncols : nrows) + gap;
    gsolve_dense v = {nrows, ncols, stride, NULL, type, GSOLVE_HOST, layout};

    v.value = calloc((size_t)places_of(v) + 1, 8);
    for (int64_t at = 0; at < places_of(v); at++) set(v, at, 7);
    for (int32_t j = 0; j < ncols; j++) {
        for (int32_t i = 0; i < nrows; i++) set(v, place_of(v, i, j), number(seed, i, j));
    }
    return v;
}

/* --- conformance ------------------------------------------------------------------------------ */

enum { X_SEED = 1, Y_SEED };

/* The columns of A x, or A'x, by CXSparse, x as random blocks of that type have it. */
static double *exact_products(const gsolve_csr *A, bool transposed, gsolve_type type)
{
    const int32_t in = transposed ? A->nrows : A->ncols, out = transposed ? A->ncols : A->nrows;
    cs_di columns = {.nzmax = (int)gsolve_csr_entries(A),
                     .m = A->ncols,
                     .n = A->nrows,
                     .p = (int *)(uintptr_t)A->start,
                     .i = (int *)(uintptr_t)A->col,
                     .x = (double *)(uintptr_t)A->value,
                     .nz = -1}; /* of A' */
    cs_di *rows = cs_di_transpose(&columns, 1);
    double *x = calloc((size_t)in + 1, 8), *y = calloc((size_t)out * MOST + 1, 8);

    assert_non_null(rows);
    for (int32_t j = 0; j < MOST; j++) {
        for (int32_t i = 0; i < in; i++) {
            x[i] = number(X_SEED, i, j);
            if (type == GSOLVE_F32) x[i] = (double)(float)x[i];
        }
        cs_di_gaxpy(transposed ? &columns : rows, x, y + (int64_t)j * out);
    }
    cs_di_spfree(rows);
    free(x);
    return y;
}

typedef struct trial {
    gsolve_layout x, y;
    int32_t xgap, ygap;
    double alpha, beta;
} trial;

static const trial trials[] = {
    {GSOLVE_ROW_MAJOR, GSOLVE_ROW_MAJOR, 0, 0, 1, 0},
    {GSOLVE_ROW_MAJOR, GSOLVE_ROW_MAJOR, 1, 4, -0.5, 2},
    {GSOLVE_COLUMN_MAJOR, GSOLVE_COLUMN_MAJOR, 0, 3, 1, 0},
    {GSOLVE_COLUMN_MAJOR, GSOLVE_COLUMN_MAJOR, 3, 0, 2, -1},
    {GSOLVE_ROW_MAJOR, GSOLVE_COLUMN_MAJOR, 4, 0, 1, 0.5},
    {GSOLVE_COLUMN_MAJOR, GSOLVE_ROW_MAJOR, 0, 4, 3, 0},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static void check_numbers(gsolve_dense y, const trial *t, const double *exact, const char *spec)
{
    const double tolerance = y.type == GSOLVE_F32 ? 1e-3 : 1e-11;
    int64_t gaps = 0;

    for (int32_t j = 0; j < y.ncols; j++) {
        for (int32_t i = 0; i < y.nrows; i++) {
            const double old = number(Y_SEED, i, j);
            const double want = t->alpha * exact[(int64_t)j * y.nrows + i] + t->beta * old;
            const double got = get(y, place_of(y, i, j));
            if (fabs(got - want) <= tolerance * (1 + fabs(want))) continue;
            fail_msg("%s, %d columns, layouts %d and %d: (%d, %d) is %g instead of %g", spec,
                     y.ncols, (int)t->x, (int)t->y, i, j, got, want);
        }
    }
    for (int64_t at = 0; at < places_of(y); at++) gaps += get(y, at) == 7;
    assert_true(gaps >= places_of(y) - (int64_t)y.nrows * y.ncols);
}

/* Tests two of the six trials for each number of columns. rotation selects them, so that every
 * format meets every trial with every number of columns. */
static void check_products(gsolve_context *ctx, const gsolve_matrix *M, bool transposed,
                           const double *exact, const char *spec, int rotation)
{
    gsolve_matrix_info info = GSOLVE_INIT(gsolve_matrix_info);

    gsolve_matrix_describe(M, &info);
    const int32_t in = transposed ? info.nrows : info.ncols;
    const int32_t out = transposed ? info.ncols : info.nrows;
    for (int c = 0; c < COUNTS; c++) {
        for (int t = (rotation + c) % (TRIALS / 2); t < TRIALS; t += TRIALS / 2) {
            const trial *now = &trials[t];
            gsolve_dense x = new_block(in, counts[c], info.type, now->x, now->xgap, X_SEED);
            gsolve_dense y = new_block(out, counts[c], info.type, now->y, now->ygap, Y_SEED);
            if (now->beta == 0 && out > 0) set(y, 0, NAN); /* must not be read */
            OK(ctx, (transposed ? gsolve_matrix_apply_transpose
                                : gsolve_matrix_apply)(M, now->alpha, x, now->beta, y));
            check_numbers(y, now, exact, spec);
            free(x.value);
            free(y.value);
        }
    }
}

/* Every format with a matrix of that name and type. */
static void conform(gsolve_context *ctx, const char *name, gsolve_type type, int rotation)
{
    gsolve_csr A = read_matrix(ctx, name), typed;
    double *exact = exact_products(&A, false, type), *back = exact_products(&A, true, type);
    const char *spec;

    OK(ctx, gsolve_csr_convert(&typed, ctx, type, &A));
    for (int s = 0; (spec = spec_at(ctx, s)); s++) {
        gsolve_matrix *M = NULL;
        if (!is_wanted(spec) || !is_mine()) continue;
        if (!create_or_refused(&M, ctx, spec, &typed)) continue;
        check_products(ctx, M, false, exact, spec, rotation + s);
        check_products(ctx, M, true, back, spec, rotation + s + 1);
        gsolve_matrix_destroy(&M);
    }
    gsolve_csr_free(&typed, ctx);
    gsolve_csr_free(&A, ctx);
    free(exact);
    free(back);
}

static const char *const names[] = {
    "gen:tridiagonal,n=1",        "gen:tridiagonal,n=0",       "gen:poisson2d,n=9",
    "gen:elasticity3d,n=2",       "gen:circuit,n=300,dense=2", "gen:rmat,scale=6",
    "gen:random,n=50,cols=80",    "gen:random,n=80,cols=50",   "gen:lp,n=3,cols=1300",
    "gen:emptyrows,n=30,cols=90", "gen:random,n=0,cols=7",     "gen:band,n=333",
};

static void conformance(void **state)
{
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            conform(ctx, names[m], (gsolve_type)type, (int)m + type);
        }
    }
    close_context(ctx);
}

/* --- the same bits ---------------------------------------------------------------------------- */

/* Ten products, into blocks that are other before. */
static void repeat(gsolve_context *ctx, const gsolve_matrix *M, const gsolve_csr *A, int32_t k,
                   gsolve_layout layout, const char *spec)
{
    gsolve_dense x = new_block(A->ncols, k, A->type, layout, 0, X_SEED), first = {0};

    for (int run = 0; run < 10; run++) {
        gsolve_dense y = x;
        y.nrows = A->nrows;
        y.stride = layout == GSOLVE_ROW_MAJOR ? k : A->nrows;
        y.value = malloc((size_t)places_of(y) * gs_type_size(y.type));
        memset(y.value, run, (size_t)places_of(y) * gs_type_size(y.type));
        OK(ctx, gsolve_matrix_apply(M, 1, x, 0, y));
        if (run == 0) {
            first = y;
            continue;
        }
        if (memcmp(first.value, y.value, (size_t)places_of(y) * gs_type_size(y.type)) != 0) {
            fail_msg("%s: other bits in run %d with %d columns", spec, run, k);
        }
        free(y.value);
    }
    free(first.value);
    free(x.value);
}

static void bits(void **state)
{
    static const char *const large[] = {"gen:rmat,scale=13,degree=16",
                                        "gen:circuit,n=20000,dense=2", "gen:band,n=9000"};
    static const int32_t some[] = {3, 8, 32};
    gsolve_context *ctx = open_context(2);
    const bool gpu = gsolve_stream(ctx) != NULL;
    const char *spec;
    (void)state;

    for (size_t m = 0; m < (gpu ? sizeof large / sizeof *large : 1); m++) {
        gsolve_csr A = read_matrix(ctx, gpu ? large[m] : "gen:rmat,scale=8,degree=8");
        for (int s = 0; (spec = spec_at(ctx, s)); s++) {
            gsolve_matrix *M = NULL;
            if (!is_wanted(spec) || strncmp(spec, "cusparse", 8) == 0 || !is_mine()) continue;
            if (gsolve_matrix_create(&M, ctx, spec, &A) == GSOLVE_OK) {
                for (int c = 0; c < 6; c++) {
                    repeat(ctx, M, &A, some[c % 3], c < 3 ? GSOLVE_ROW_MAJOR : GSOLVE_COLUMN_MAJOR,
                           spec);
                }
            }
            gsolve_matrix_destroy(&M);
        }
        gsolve_csr_free(&A, ctx);
    }
    close_context(ctx);
}

/* --- what a column gets alone ------------------------------------------------------------------
 */

enum { FLIPPED = 30000 };

/* Row i has entries in columns n - 2 - i, n - 1 - i and n - i, if there are such. */
static gsolve_csr flipped(void)
{
    gsolve_csr A = {.nrows = FLIPPED, .ncols = FLIPPED, .type = GSOLVE_F64};
    int32_t *start = calloc(FLIPPED + 1, sizeof *start), *col = calloc(3 * FLIPPED, sizeof *col);
    double *value = calloc(3 * FLIPPED, sizeof *value);

    for (int32_t i = 0; i < FLIPPED; i++) {
        start[i + 1] = start[i];
        for (int32_t j = FLIPPED - 2 - i; j <= FLIPPED - i; j++) {
            if (j < 0 || j >= FLIPPED) continue;
            value[start[i + 1]] = 1 + j % 7;
            col[start[i + 1]++] = j;
        }
    }
    A.start = start;
    A.col = col;
    A.value = value;
    return A;
}

/* alpha A x + beta y of each column alone, one behind the other. */
static void *alone(gsolve_context *ctx, const gsolve_matrix *M, gsolve_dense x, int32_t nrows,
                   double alpha, double beta)
{
    const size_t size = gs_type_size(x.type);
    char *all = new_block(nrows, x.ncols, x.type, GSOLVE_COLUMN_MAJOR, 0, Y_SEED).value;

    for (int32_t j = 0; j < x.ncols; j++) {
        gsolve_dense from = x,
                     to = {nrows, 1, nrows, NULL, x.type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
        from.ncols = 1;
        from.value = (char *)x.value + (size_t)j * (size_t)x.stride * size;
        to.value = all + (size_t)j * (size_t)nrows * size;
        OK(ctx, gsolve_matrix_apply(M, alpha, from, beta, to));
    }
    return all;
}

/* Products with at most that many columns have the bits of a column alone: on a GPU csr converts
 * more to row-major if rows have unlike lengths or are long. */
static int32_t most_as_alone(gsolve_context *ctx, const char *matrix)
{
    if (!gsolve_stream(ctx) || !matrix || strstr(matrix, "poisson")) return INT32_MAX;
    return 3;
}

static void check_alone(gsolve_context *ctx, gsolve_context *crowd, const gsolve_csr *A,
                        const char *spec, double alpha, double beta, int32_t most)
{
    static const int32_t some[] = {2, 3, 4, 6, 8, 9, 13, 17};
    gsolve_dense x = new_block(A->ncols, 17, A->type, GSOLVE_COLUMN_MAJOR, 5, X_SEED);
    gsolve_matrix *M = NULL, *N = NULL;
    void *want;

    OK(ctx, gsolve_matrix_create(&M, ctx, spec, A));
    OK(crowd, gsolve_matrix_create(&N, crowd, spec, A));
    want = alone(ctx, M, x, A->nrows, alpha, beta);
    for (size_t c = 0; c < 2 * sizeof some / sizeof *some && some[c / 2] <= most; c++) {
        gsolve_dense y = new_block(A->nrows, some[c / 2], A->type, GSOLVE_COLUMN_MAJOR, 0, Y_SEED);
        x.ncols = y.ncols;
        OK(c % 2 ? crowd : ctx, gsolve_matrix_apply(c % 2 ? N : M, alpha, x, beta, y));
        if (memcmp(want, y.value, (size_t)places_of(y) * gs_type_size(y.type)) != 0) {
            fail_msg("%s: %d columns have other bits than alone", spec, y.ncols);
        }
        free(y.value);
    }
    gsolve_matrix_destroy(&M);
    gsolve_matrix_destroy(&N);
    free(want);
    free(x.value);
}

/* The bits of a column are those that it has alone, on a GPU by csr, on the CPU by all of these and
 * whatever the number of threads is: where x is read from a ring that goes round, forwards and
 * backwards, and where it is not. */
static void columns_alone(void **state)
{
    static const char *const large[] = {"gen:poisson3d,n=28", "gen:band,n=12000",
                                        "gen:circuit,n=40000,dense=2", "gen:emptyrows,n=20000"};
    static const char *const specs[] = {"csr", "sell", "sell,index=32,value=auto", "bce",
                                        "ellr,threads=4"};
    gsolve_context *ctx = open_context(1), *crowd = open_context(3);
    const gsolve_csr turned_round = flipped();
    (void)state;

    for (size_t m = 0; m <= sizeof large / sizeof *large; m++) {
        gsolve_csr A = m > 0 ? read_matrix(ctx, large[m - 1]) : turned_round;
        for (int type = 0; type < GSOLVE_TYPE_COUNT; type++) {
            gsolve_csr typed;
            OK(ctx, gsolve_csr_convert(&typed, ctx, (gsolve_type)type, &A));
            for (size_t s = 0; s < (gsolve_stream(ctx) ? 1 : sizeof specs / sizeof *specs); s++) {
                if (!is_wanted(specs[s])) continue;
                /* the two types use different alphas and betas */
                const bool plain = ((size_t)type + s + m) % 2 == 0;
                check_alone(ctx, crowd, &typed, specs[s], plain ? 1 : 2, plain ? 0 : -0.5,
                            most_as_alone(ctx, m > 0 ? large[m - 1] : NULL));
            }
            gsolve_csr_free(&typed, ctx);
        }
        if (m > 0) gsolve_csr_free(&A, ctx);
    }
    free((void *)(uintptr_t)turned_round.start);
    free((void *)(uintptr_t)turned_round.col);
    free((void *)(uintptr_t)turned_round.value);
    close_context(crowd);
    close_context(ctx);
}

/* --- where vectors lie by columns ------------------------------------------------------------- */

static void expect_refusal(gsolve_context *ctx, gsolve_status status, const char *sentence)
{
    assert_int_equal(status, GSOLVE_BAD_ARGUMENT);
    if (!strstr(gsolve_error(ctx), sentence)) fail_msg("%s", gsolve_error(ctx));
}

static void refusals(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=9");
    const int32_t n = A.nrows;
    gsolve_dense b = new_block(n, 3, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 0, 1), x = b, r = b;
    double relative[3], sums[3];
    gsolve_matrix *M = NULL;
    gsolve_precond *P = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    x.value = calloc((size_t)n * 3, 8);
    r.layout = GSOLVE_ROW_MAJOR;
    OK(ctx, gsolve_matrix_create(&M, ctx, "csr", &A));
    OK(ctx, gsolve_precond_create(&P, ctx, "jacobi", &A));
    OK(ctx, gsolve_solver_create(&S, ctx, "cg", M, P));
    r.stride = 3;
    expect_refusal(ctx, gsolve_precond_apply(P, r, x), "r must be column-major");
    expect_refusal(ctx, gsolve_matrix_apply_dot(M, r, x, b, sums, NULL), "must be column-major");
    expect_refusal(ctx, gsolve_write_dense(ctx, "refused.mtx", &r, NULL), "must be column-major");
    expect_refusal(ctx, gsolve_solve(ctx, &A, b, r, &result), "b and x share memory");
    r.stride = 2;
    expect_refusal(ctx, gsolve_matrix_apply(M, 1, r, 0, x), "strides 2 and");
    r.stride = 3;
    r.layout = (gsolve_layout)7;
    expect_refusal(ctx, gsolve_matrix_apply(M, 1, b, 0, r), "layout 0 and y layout 7");
    expect_refusal(ctx, gsolve_matrix_residual(M, r, x, relative), "b has layout 7");
    expect_refusal(ctx, gsolve_solver_run(S, b, r, &result), "x layout 7");
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&P);
    gsolve_matrix_destroy(&M);
    gsolve_csr_free(&A, ctx);
    free(b.value);
    free(x.value);
    close_context(ctx);
}

/* Without memory for the room in which a block is turned, or for rings. */
static gsolve_status turned(gsolve_context *ctx, const gsolve_csr *A)
{
    gsolve_dense x = new_block(A->ncols, 5, GSOLVE_F64, GSOLVE_ROW_MAJOR, 0, 1);
    gsolve_dense z = new_block(A->ncols, 5, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 0, 3);
    gsolve_dense y = new_block(A->nrows, 5, GSOLVE_F64, GSOLVE_COLUMN_MAJOR, 0, 2);
    gsolve_matrix *M = NULL;
    gsolve_status status = gsolve_matrix_create(&M, ctx, "coo", A);

    if (status == GSOLVE_OK) status = gsolve_matrix_apply(M, 1, x, 1, y);
    if (status == GSOLVE_OK) status = gsolve_matrix_apply_transpose(M, 1, y, 1, x);
    if (status == GSOLVE_OK) status = gsolve_matrix_apply(M, 1, z, 1, y);
    gsolve_matrix_destroy(&M);
    free(x.value);
    free(z.value);
    free(y.value);
    return status;
}

static void out_of_memory(void **state)
{
    gsolve_context *ctx = open_context(1);
    gsolve_csr A = read_matrix(ctx, "gen:poisson2d,n=9");
    (void)state;

    ALLOCATION_SWEEP(ctx, turned(ctx, &A));
    gsolve_csr_free(&A, ctx);
    close_context(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest shared[] = {
        cmocka_unit_test(conformance),
        cmocka_unit_test(bits),
    };
    const struct CMUnitTest other[] = {
        cmocka_unit_test(columns_alone),
        cmocka_unit_test(refusals),
        cmocka_unit_test(out_of_memory),
    };

    only = argc == 2 ? argv[1] : NULL;
    take_part(argc, argv);
    need_device();
    return RUN_PARTS(shared, other);
}
