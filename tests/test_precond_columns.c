/* test_precond_columns.c: a preconditioner applied to several columns together: to rounding what
 * each of them has alone, the same bits every time, and nothing beside the columns touched. */
#include <math.h>

#include "tests/common.h"

enum { MOST = 11, GAP = 3 }; /* columns; numbers between them */

typedef struct sample {
    const char *matrix, *precond;
    double rounding; /* in the precision that it works in, of the largest number */
} sample;

#define F32 2e-5
#define F64 1e-11

static const sample samples[] = {
    {"gen:poisson3d,n=14", "amg", F64},
    {"gen:poisson3d,n=14", "amg,type=f32", F32},
    {"gen:poisson3d,n=14", "amg,type=f32,format=sell,coarsest=20", F32},
    {"gen:poisson3d,n=14", "amg,format=sell,coarsest=20,degree=3,its=5", F64},
    {"gen:poisson3d27,n=10", "amg,coarsest=20,cycle=w,smoother=l1_jacobi,pre=2,post=0", F64},
    {"gen:poisson3d27,n=10", "amg,format=sell,coarsest=20,smoother=l1_jacobi,pre=0", F64},
    {"gen:poisson2d,n=30", "amg,coarsest=20,smoother=spai0,coarsening=classical", F64},
    {"gen:poisson2d,n=90", "amg,coarsest=20,smoother=gs", F64},
    {"gen:poisson2d,n=30", "amg,coarsest=20,smoother=gs,type=f32,pre=2", F32},
    {"gen:poisson2d,n=30", "amg,coarsest=20,smoother=ilu,pre=2,post=2", F64},
    {"gen:poisson2d,n=30", "amg,coarsest=20,smoother=ilu,format=sell,degree=3", F64},
    {"gen:poisson2d,n=30", "amg,coarsening=ua,cycle=k,coarsest=20", F64},
    {"gen:poisson2d,n=30", "amg,levels=1,coarsest=1", F64},
    {"gen:poisson2d,n=40", "amg,levels=2,coarsest=2", F64},
    {"gen:elasticity3d,n=6", "amg,coarsest=20", F64},
    {"gen:neumann2d,n=20", "amg,coarsest=20", F64},
    {"gen:convdiff3d,n=12", "amg,coarsest=20", F64},
    {"gen:convdiff3d,n=12", "amg,coarsest=20,smoother=ilu", F64},
    {"gen:convdiff3d,n=12", "amg,coarsest=20,smoother=spai0,type=f32", F32},
    {"gen:tridiagonal,n=9000,low=-1,diag=3,high=-1.5", "amg,coarsest=20,smoother=gs", F64},
    {"gen:tridiagonal,n=1", "amg", F64},
    {"gen:tridiagonal,n=0", "amg", F64},
    {"gen:poisson3d27,n=9", "ic", F64},
    {"gen:poisson2d,n=70", "ic", F64},
    {"gen:convdiff3d,n=12", "ilu", F64},
    {"gen:circuit,n=300,dense=2", "ilu,shift=0.1", F64},
    {"gen:convdiff3d,n=9", "ilu,scale=symmetric,order=rcm", F64},
    {"gen:tridiagonal,n=1", "ilu", F64},
    {"gen:tridiagonal,n=0", "ic", F64},
    {"gen:poisson3d,n=12", "isai", F64},
    {"gen:poisson3d,n=12", "chebyshev", F64},
    {"gen:convdiff3d,n=12", "chebyshev,degree=1", F64},
    {"gen:elasticity3d,n=5", "block_jacobi", F64},
    {"gen:elasticity3d,n=5", "jacobi", F64},
    {"gen:elasticity3d,n=5", "none", F64},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* --- vectors ---------------------------------------------------------------------------------- */

static gsolve_dense new_block(int32_t n, gsolve_type type)
{
    gsolve_dense v = {n, MOST, n + GAP, NULL, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    v.value = calloc((size_t)(MOST * v.stride), gs_type_size(type));
    return v;
}

static double number(gsolve_dense v, int64_t at)
{
    return v.type == GSOLVE_F32 ? (double)((float *)v.value)[at] : ((double *)v.value)[at];
}

static gsolve_dense random_block(int32_t n, gsolve_type type)
{
    const gsolve_dense v = new_block(n, type);

    for (int64_t i = 0; i < MOST * v.stride; i++) {
        const double x = gsolve_random(7, (uint64_t)i);
        if (type == GSOLVE_F32) {
            ((float *)v.value)[i] = (float)x;
        } else {
            ((double *)v.value)[i] = x;
        }
    }
    return v;
}

static gsolve_dense column_of(gsolve_dense v, int32_t c)
{
    v.value = (char *)v.value + (size_t)(c * v.stride) * gs_type_size(v.type);
    v.ncols = 1;
    return v;
}

static void check_near(const sample *s, int32_t columns, int32_t c, gsolve_dense x,
                       gsolve_dense want)
{
    const double rounding = want.type == GSOLVE_F32 ? F32 : s->rounding;
    double most = 0;

    for (int32_t i = 0; i < want.nrows; i++) most = fmax(most, fabs(number(want, i)));
    for (int32_t i = 0; i < want.nrows; i++) {
        if (fabs(number(x, i) - number(want, i)) <= rounding * most) continue;
        fail_msg("%s of %s, column %d of %d: number %d is %.17g and not %.17g", s->precond,
                 s->matrix, c, columns, i, number(x, i), number(want, i));
    }
}

/* --- the test --------------------------------------------------------------------------------- */

typedef gsolve_status application(const gsolve_precond *M, gsolve_dense r, gsolve_dense z);

/* What lies between columns, and after the last that is asked for. */
static void check_untouched(gsolve_dense z, int32_t columns)
{
    for (int64_t i = 0; i < MOST * z.stride; i++) {
        if (i / z.stride >= columns || i % z.stride >= z.nrows) assert_true(number(z, i) == 0);
    }
}

static void check_together(gsolve_context *ctx, const sample *s, const gsolve_precond *M,
                           application *apply, gsolve_dense r, gsolve_dense alone)
{
    static const int32_t count[] = {3, 1, 2, 8, MOST, 5, 2}; /* memory is allocated for 3 and for 8 */
    const size_t bytes = (size_t)(MOST * r.stride) * gs_type_size(r.type);

    for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
        gsolve_dense z = new_block(r.nrows, r.type), again = new_block(r.nrows, r.type);
        r.ncols = z.ncols = again.ncols = count[k];
        OK(ctx, apply(M, r, z));
        OK(ctx, apply(M, r, again));
        assert_memory_equal(again.value, z.value, bytes);
        check_untouched(z, count[k]);
        for (int32_t c = 0; c < count[k]; c++) {
            check_near(s, count[k], c, column_of(z, c), column_of(alone, c));
        }
        free(z.value), free(again.value);
    }
}

static void check_either(gsolve_context *ctx, const sample *s, const gsolve_precond *M,
                         application *apply, gsolve_dense r)
{
    const gsolve_dense alone = new_block(r.nrows, r.type);
    gsolve_status status = GSOLVE_OK;

    for (int32_t c = 0; c < MOST && status == GSOLVE_OK; c++) {
        status = apply(M, column_of(r, c), column_of(alone, c));
    }
    if (status == GSOLVE_OK) check_together(ctx, s, M, apply, r, alone);
    if (apply == gsolve_precond_apply || status != GSOLVE_UNSUPPORTED) OK(ctx, status);
    free(alone.value);
}

static void test_columns(void **state)
{
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (int m = 0; m < 2 * SAMPLES; m++) {
        const sample *s = &samples[m / 2];
        const gsolve_type type = m % 2 ? GSOLVE_F32 : GSOLVE_F64;
        gsolve_csr csr = read_matrix(ctx, s->matrix), typed;
        const gsolve_dense r = random_block(csr.nrows, type);
        gsolve_precond *M = NULL;
        OK(ctx, gsolve_csr_convert(&typed, ctx, type, &csr));
        OK(ctx, gsolve_precond_create(&M, ctx, s->precond, &typed));
        check_either(ctx, s, M, gsolve_precond_apply, r);
        check_either(ctx, s, M, gsolve_precond_apply_transpose, r);
        gsolve_precond_destroy(&M);
        gsolve_csr_free(&typed, ctx);
        gsolve_csr_free(&csr, ctx);
        free(r.value);
    }
    close_context(ctx);
}

/* More and more allocations are granted; what was made before a failure may stay. */
static void refuse_and_try_again(gsolve_context *ctx, const gsolve_precond *M, gsolve_dense r,
                                 gsolve_dense z)
{
    gsolve_status status = GSOLVE_NO_MEMORY;

    for (int64_t granted = 0; status != GSOLVE_OK; granted++) {
        gsolve_context_limit_allocations(ctx, granted);
        status = gsolve_precond_apply(M, r, z);
        gsolve_context_limit_allocations(ctx, -1);
        if (status == GSOLVE_OK) continue;
        assert_int_equal(status, GSOLVE_NO_MEMORY);
        assert_non_null(strstr(gsolve_error(ctx), "memory"));
        assert_true(granted < 100);
    }
}

/* Memory that is denied when several columns come first: refused, and made good later. */
static void test_memory(void **state)
{
    static const char *const precond[] = {"amg,coarsest=20", "chebyshev", "ilu", "isai"};
    gsolve_context *ctx = open_context(1);

    (void)state;
    for (size_t k = 0; k < sizeof precond / sizeof *precond; k++) {
        gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=30");
        const gsolve_dense r = random_block(csr.nrows, csr.type);
        const gsolve_dense z = new_block(csr.nrows, csr.type);
        gsolve_precond *M = NULL;
        OK(ctx, gsolve_precond_create(&M, ctx, precond[k], &csr));
        OK(ctx, gsolve_precond_apply(M, column_of(r, 0), column_of(z, 0)));
        refuse_and_try_again(ctx, M, r, z);
        gsolve_precond_destroy(&M);
        gsolve_csr_free(&csr, ctx);
        free(r.value), free(z.value);
    }
    close_context(ctx);
}

/* --- the work space of one column --------------------------------------------------------------
 */

static gsolve_dense on_device(gsolve_context *ctx, int32_t n, int32_t columns)
{
    gsolve_dense v = {n, columns, n, NULL, GSOLVE_F64, gs_location(ctx), GSOLVE_COLUMN_MAJOR};
    double *from = malloc((size_t)n * (size_t)columns * sizeof *from);

    for (int64_t i = 0; i < (int64_t)n * columns; i++) from[i] = gsolve_random(5, (uint64_t)i);
    v.value = gsolve_alloc(ctx, v.location, (size_t)n * (size_t)columns, sizeof *from);
    assert_non_null(v.value);
    OK(ctx, gsolve_copy(ctx, v.value, v.location, from, GSOLVE_HOST,
                        (size_t)n * (size_t)columns * sizeof *from));
    free(from);
    return v;
}

/* Applies M to this many columns. *made, *kept: the blocks allocated, and those of them that have
 * come to stay. */
static void apply(gsolve_context *ctx, const gsolve_precond *M, gsolve_dense r, gsolve_dense z,
                  int32_t columns, int64_t *made, int64_t *kept)
{
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info), after = before;

    r.ncols = z.ncols = columns;
    gsolve_context_describe(ctx, &before);
    OK(ctx, gsolve_precond_apply(M, r, z));
    gsolve_context_describe(ctx, &after);
    *made = after.allocations - before.allocations;
    *kept = after.blocks - before.blocks;
}

/* A run with one column from x = 0; x on the host. */
static void run_one(gsolve_context *ctx, gsolve_solver *S, gsolve_dense b, double *x)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    b.ncols = 1;
    memset(x, 0, (size_t)b.nrows * sizeof *x);
    OK(ctx, gsolve_solver_run(S, b, gsolve_vector(x, b.nrows), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
}

/* Recorded steps of a run hold the addresses of the work space that one column needs. An
 * application to several columns neither frees nor replaces it. */
static void test_recorded_work(void **state)
{
    static const char *const precond[] = {"ilu,scale=symmetric", "ilu,order=rcm,scale=rows",
                                          "ic,order=rcm"};
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:poisson2d,n=60");
    const int32_t n = csr.nrows;
    const gsolve_dense r = on_device(ctx, n, MOST), z = on_device(ctx, n, MOST);
    double *x = malloc((size_t)n * sizeof *x), *expected = malloc((size_t)n * sizeof *x);
    (void)state;

    for (size_t k = 0; k < sizeof precond / sizeof *precond; k++) {
        gsolve_matrix *A = NULL;
        gsolve_precond *M = NULL;
        gsolve_solver *S = NULL;
        int64_t made, kept;
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
        OK(ctx, gsolve_precond_create(&M, ctx, precond[k], &csr));
        OK(ctx, gsolve_solver_create(&S, ctx, "bicgstab", A, M));
        run_one(ctx, S, r, expected);
        apply(ctx, M, r, z, 2, &made, &kept);
        assert_true(made > 0);
        if (!gs_on_gpu(ctx)) assert_int_equal(made, kept); /* there a product may need more */
        for (int32_t columns = MOST; columns > 0; columns--) {
            run_one(ctx, S, r, x);
            assert_memory_equal(x, expected, (size_t)n * sizeof *x);
            apply(ctx, M, r, z, columns, &made, &kept);
            if (!gs_on_gpu(ctx)) assert_int_equal(made, 0);
        }
        gsolve_solver_destroy(&S);
        gsolve_precond_destroy(&M);
        gsolve_matrix_destroy(&A);
    }
    gsolve_free(ctx, r.location, r.value);
    gsolve_free(ctx, z.location, z.value);
    gsolve_csr_free(&csr, ctx);
    free(expected), free(x);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_recorded_work),
        cmocka_unit_test(test_memory),
    };

    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
