/* test_cpu_level.c: the kernels of the CPU give the same bits on every level of the processor: in
 * products by all formats, in solves by all methods and preconditioners, in products of matrices.
 * $GSOLVE_CPU_LEVEL selects a level, and a level that does not exist is refused. */
#include "core/context.h"
#include "tests/common.h"

static const char *const levels[] = {"baseline", "v3", "v4"};
enum { LEVELS = sizeof levels / sizeof *levels };

/* NULL: this processor, or this build, does not have the level. */
static gsolve_context *open_level(const char *level)
{
    gsolve_context *ctx = NULL;

    setenv("GSOLVE_CPU_LEVEL", level, 1);
    const gsolve_status status = gsolve_context_create(&ctx, "cpu,threads=2");
    unsetenv("GSOLVE_CPU_LEVEL");
    if (status != GSOLVE_OK) assert_int_equal(status, GSOLVE_BAD_ARGUMENT);
    return ctx;
}

/* --- bits ------------------------------------------------------------------------------------- */

enum { MOST = 4000 };

typedef struct results { /* of the baseline, to which those of the other levels are compared */
    uint64_t hash[MOST];
    int next;
    bool first;
    gsolve_context *ctx;
} results;

static void same(results *r, const char *what, size_t bytes, const void *data)
{
    const uint64_t hash = gs_hash(r->ctx, data, bytes, 0);

    assert_true(r->next < MOST);
    if (!r->first && r->hash[r->next] != hash) {
        fail_msg("%s has other bits on the level %s than on the baseline", what,
                 levels[r->ctx->cpu_level]);
    }
    r->hash[r->next++] = hash;
}

static gsolve_dense random_block(int32_t n, int32_t columns, gsolve_type type)
{
    const int64_t count = (int64_t)n * columns;
    double *v = random_vector(count, 5);

    for (int64_t i = 0; i < count && type == GSOLVE_F32; i++) ((float *)v)[i] = (float)v[i];
    return (gsolve_dense){n, columns, n, v, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

/* y = A x, y = -0.7 A x + 2 y and y = A'x. */
static void products_in(results *r, const char *format, const gsolve_csr *A, int32_t columns)
{
    const gsolve_dense x = random_block(A->ncols, columns, A->type);
    const gsolve_dense y = random_block(A->nrows, columns, A->type);
    const size_t size = (size_t)columns * gs_type_size(A->type);
    gsolve_matrix *matrix = NULL;

    if (create_or_refused(&matrix, r->ctx, format, A)) {
        OK(r->ctx, gsolve_matrix_apply(matrix, 1, x, 0, y));
        same(r, format, size * (size_t)A->nrows, y.value);
        OK(r->ctx, gsolve_matrix_apply(matrix, -0.7, x, 2, y));
        same(r, format, size * (size_t)A->nrows, y.value);
        OK(r->ctx, gsolve_matrix_apply_transpose(matrix, 1, y, 0, x));
        same(r, format, size * (size_t)A->ncols, x.value);
    }
    gsolve_matrix_destroy(&matrix);
    free(x.value);
    free(y.value);
}

static void products(results *r)
{
    static const char *const matrices[] = {
        "gen:poisson3d,n=9", "gen:elasticity3d,n=4", "gen:rmat,scale=9,degree=20",
        "gen:circuit,n=4000,dense=2", "gen:web,n=3000,longest=900"};
    const gsolve_plugin *format;

    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++) {
        gsolve_csr wide = read_matrix(r->ctx, matrices[m]), A;
        for (int e = 0; e < GSOLVE_TYPE_COUNT; e++) {
            OK(r->ctx, gsolve_csr_convert(&A, r->ctx, (gsolve_type)e, &wide));
            for (int f = 0; (format = gsolve_format_at(r->ctx, f)); f++) {
                if (strcmp(format->name, "auto") == 0) continue; /* chooses by time */
                products_in(r, format->name, &A, 1);
                products_in(r, format->name, &A, 5);
                products_in(r, format->name, &A, 8);
            }
            gsolve_csr_free(&A, r->ctx);
        }
        gsolve_csr_free(&wide, r->ctx);
    }
}

/* --- solves ----------------------------------------------------------------------------------- */

static void solve(results *r, const char *method, const char *precond, const gsolve_csr *csr,
                  int32_t columns)
{
    const gsolve_dense b = random_block(csr->nrows, columns, csr->type);
    const gsolve_dense x = random_block(csr->nrows, columns, csr->type);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    char what[160];

    snprintf(what, sizeof what, "%s with %s", method, precond);
    OK(r->ctx, gsolve_matrix_create(&A, r->ctx, "csr", csr));
    if (gsolve_precond_create(&M, r->ctx, precond, csr) == GSOLVE_OK &&
        gsolve_solver_create(&S, r->ctx, method, A, M) == GSOLVE_OK) {
        OK(r->ctx, gsolve_solver_run(S, b, x, &result));
        same(r, what, (size_t)(csr->nrows * columns) * gs_type_size(csr->type), x.value);
    }
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    free(b.value);
    free(x.value);
}

static void solves(results *r)
{
    static const char *const systems[] = {"gen:poisson3d,n=10", "gen:convdiff3d,n=8"};
    static const char *const preconds[] = {"none",
                                           "jacobi",
                                           "block_jacobi,size=4",
                                           "ilu",
                                           "ic",
                                           "isai",
                                           "chebyshev",
                                           "amg",
                                           "amg,coarsening=classical",
                                           "amg,smoother=gs"};
    const char *method[MOST_METHODS];
    const int methods = list_methods(method, "auto");

    for (size_t m = 0; m < sizeof systems / sizeof *systems; m++) {
        gsolve_csr wide = read_matrix(r->ctx, systems[m]), A;
        for (int e = 0; e < GSOLVE_TYPE_COUNT; e++) {
            OK(r->ctx, gsolve_csr_convert(&A, r->ctx, (gsolve_type)e, &wide));
            for (int s = 0; s < methods; s++) {
                solve(r, method[s], "jacobi", &A, 1);
                solve(r, method[s], "jacobi", &A, 5);
            }
            for (size_t p = 0; p < sizeof preconds / sizeof *preconds; p++) {
                solve(r, "gmres,maxit=9", preconds[p], &A, 1);
                solve(r, "gmres,maxit=9", preconds[p], &A, 3);
            }
            gsolve_csr_free(&A, r->ctx);
        }
        gsolve_csr_free(&wide, r->ctx);
    }
}

/* --- products of matrices --------------------------------------------------------------------- */

static void matrix_products(results *r)
{
    static const char *const by[] = {"gustavson", "esc"};
    gsolve_csr wide = read_matrix(r->ctx, "gen:convdiff3d,n=9"), A, C;

    for (int k = 0; k < 2 * GSOLVE_TYPE_COUNT; k++) {
        gsolve_product *product = NULL;
        OK(r->ctx, gsolve_csr_convert(&A, r->ctx, (gsolve_type)(k / 2), &wide));
        OK(r->ctx, gsolve_product_create(&product, r->ctx, by[k % 2], &A, &A));
        for (int time = 0; time < 2; time++) {
            OK(r->ctx, gsolve_product_csr(product, &C));
            same(r, by[k % 2], (size_t)gs_start(&C, C.nrows) * gs_type_size(C.type), C.value);
            OK(r->ctx, gsolve_product_update(product, &A, &A));
        }
        gsolve_product_destroy(&product);
        gsolve_csr_free(&A, r->ctx);
    }
    gsolve_csr_free(&wide, r->ctx);
}

/* --- the tests -------------------------------------------------------------------------------- */

static void compare(void (*work)(results *))
{
    static results r;

    r = (results){.first = true};
    for (int k = 0; k < LEVELS; k++, r.first = false, r.next = 0) {
        gsolve_context_info info = GSOLVE_INIT(gsolve_context_info);
        r.ctx = open_level(levels[k]);
        if (!r.ctx) break;
        gsolve_context_describe(r.ctx, &info);
        assert_string_equal(info.cpu_level, levels[k]);
        work(&r);
        assert_true(r.next > 0);
        close_context(r.ctx);
    }
}

static void products_have_the_same_bits(void **state)
{
    (void)state;
    compare(products);
}

static void solves_have_the_same_bits(void **state)
{
    (void)state;
    compare(solves);
}

static void matrix_products_have_the_same_bits(void **state)
{
    (void)state;
    compare(matrix_products);
}

/* Without the variable a context has the highest level. */
static void highest_level(void **state)
{
    gsolve_context *ctx = open_level(""), *highest = NULL;
    int k = LEVELS;
    (void)state;

    while (!highest) highest = open_level(levels[--k]);
    assert_int_equal(ctx->cpu_level, k);
    gsolve_context_destroy(&highest);
    gsolve_context_destroy(&ctx);
}

static void unknown_level_is_refused(void **state)
{
    (void)state;
    assert_null(open_level("v9"));
    assert_non_null(strstr(gsolve_error(NULL), "GSOLVE_CPU_LEVEL is 'v9'"));
    assert_non_null(strstr(gsolve_error(NULL), "baseline"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_same_bits),
        cmocka_unit_test(solves_have_the_same_bits),
        cmocka_unit_test(matrix_products_have_the_same_bits),
        cmocka_unit_test(highest_level),
        cmocka_unit_test(unknown_level_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
