/* test_portable_bits.c: bits depend neither on the processor nor on the compiler nor on the number
 * of threads. Sums of vectors are those of plain code that adds in the order of vector/blocks.h and
 * vector/blocks.h; products with long rows those of plain code that adds in the order of
 * spmv/csr/csr.h; and solves that call no function of the mathematical library, whose bits are its
 * own, give an x whose bits are recorded here. scripts/compare_builds.py compares whole builds. */
#include "tests/common.h"

#include <inttypes.h>
#include <sys/utsname.h>

#include "precond/jacobi/jacobi.h"
#include "solver/block/block.h"
#include "vector/blocks.h"
#include "vector/vector.h"

enum { LANES = 8, VECTORS = 10, COLUMNS = 5 };

static const int64_t sizes[] = {0, 1, 7, 8, 9, 20, 511, 2048, 2049, 5003, 20011};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 20011 };

/* --- the order of additions, in plain code ------------------------------------------------- */

/* Term i is added to lane i mod 8; then the lanes in pairs. */
static double sum_of_lanes(int64_t n, const double *term)
{
    double s[LANES] = {0};

    for (int64_t i = 0; i < n; i++) s[i % LANES] += term[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* So in each block, or in each piece of a block, one after the other; then the blocks. */
static double sum_of(int64_t n, int64_t piece, const double *term)
{
    const gs_blocks blocks = gs_blocks_of(n);
    double sum = 0;

    for (int k = 0; k < blocks.count; k++) {
        const int64_t to = gs_block_end(&blocks, k);
        double block = 0;
        for (int64_t i = gs_block_begin(&blocks, k); i < to; i += piece) {
            block += sum_of_lanes(to - i < piece ? to - i : piece, term + i);
        }
        sum += block;
    }
    return sum;
}

enum { WHOLE = 1 << 30, PIECE = 512 };

/* --- vectors of either type ------------------------------------------------------------------ */

typedef struct vectors {
    gsolve_type type;
    int64_t n;
    void *v[VECTORS];
    double *term[3];
} vectors;

static vectors new_vectors(gsolve_type type, int64_t n)
{
    vectors s = {.type = type, .n = n};
    double *all = calloc(VECTORS * (LARGEST + 1), sizeof *all);

    for (int k = 0; k < VECTORS; k++) {
        s.v[k] = (char *)all + (size_t)k * LARGEST * gs_type_size(type);
        for (int64_t i = 0; i < n; i++) {
            const double x = gsolve_random(3, (uint64_t)(k * LARGEST + i)) - 0.5;
            if (type == GSOLVE_F32) {
                ((float *)s.v[k])[i] = (float)x;
            } else {
                ((double *)s.v[k])[i] = x;
            }
        }
    }
    for (int k = 0; k < 3; k++) s.term[k] = calloc((size_t)n + 1, sizeof *s.term[k]);
    return s;
}

static void drop_vectors(vectors *s)
{
    free(s->v[0]);
    for (int k = 0; k < 3; k++) free(s->term[k]);
}

static double at(const vectors *s, int k, int64_t i)
{
    return s->type == GSOLVE_F32 ? (double)((float *)s->v[k])[i] : ((double *)s->v[k])[i];
}

/* x rounded to the vectors' type. */
static double rounded(const vectors *s, double x)
{
    return s->type == GSOLVE_F32 ? (double)(float)x : x;
}

/* a x + y in the vectors' type, both operations rounded. */
static double axpy(const vectors *s, double a, double x, double y)
{
    return rounded(s, rounded(s, a * x) + y);
}

static void expect(const vectors *s, const char *what, double got, double want)
{
    if (memcmp(&got, &want, sizeof got) == 0) return;
    fail_msg("%s of %" PRId64 " elements, type %d: %a and not %a", what, s->n, (int)s->type, got,
             want);
}

/* --- the kernels ------------------------------------------------------------------------------ */

static const double number = 0.3;

static gs_ratio ratio(double sign)
{
    return (gs_ratio){.sign = sign, .num = &number};
}

/* The sums of vectors as they are: dot, dot2, dots. */
static void plain_sums(const gsolve_context *ctx, vectors *s)
{
    const gs_vector_kernels *kernels = GS_KERNELS(gs_vector, ctx, s->type);
    double xy, xx, h[2];

    for (int64_t i = 0; i < s->n; i++) {
        s->term[0][i] = at(s, 0, i) * at(s, 1, i);
        s->term[1][i] = at(s, 0, i) * at(s, 0, i);
    }
    kernels->dot(ctx->queue, s->n, s->v[0], s->v[1], &xy);
    expect(s, "dot", xy, sum_of(s->n, WHOLE, s->term[0]));
    kernels->dot2(ctx->queue, s->n, s->v[0], s->v[1], &xy, &xx);
    expect(s, "dot2", xy, sum_of(s->n, WHOLE, s->term[0]));
    expect(s, "dot2", xx, sum_of(s->n, WHOLE, s->term[1]));
    kernels->dots(ctx->queue, s->n, (gs_basis_vectors){2, s->type, s->v[0], LARGEST}, s->v[0], h);
    expect(s, "dots", h[0], sum_of(s->n, WHOLE, s->term[1]));
    expect(s, "dots", h[1], sum_of(s->n, WHOLE, s->term[0]));
}

static gs_convergence_test no_end(void)
{
    static gs_progress progress;
    static double history[GS_HISTORY];
    static int flag, ended;

    progress = (gs_progress){.target = -1, .ceiling = 1e300, .maxit = 1 << 30};
    return (gs_convergence_test){&progress, history, &flag, &ended, NULL, 1, 0};
}

/* r -= a q, r'r, r'(d r); with d NULL as axpy_norm. */
static void residual_sums(const gsolve_context *ctx, vectors *s)
{
    const gs_convergence_test test = no_end();
    double rr, rz;

    for (int64_t i = 0; i < s->n; i++) {
        const double r = axpy(s, -rounded(s, number), at(s, 0, i), at(s, 1, i));
        s->term[0][i] = r * r;
        s->term[1][i] = r * r * at(s, 2, i);
    }
    GS_KERNELS(gs_vector, ctx, s->type)
        ->residual_step(ctx->queue, s->n, ratio(1),
                        (gs_residual_vectors){s->v[0], s->v[2], s->v[1]}, &rr, &rz, &test);
    expect(s, "residual_step", rr, sum_of(s->n, WHOLE, s->term[0]));
    expect(s, "residual_step", rz, sum_of(s->n, WHOLE, s->term[1]));
    for (int64_t i = 0; i < s->n; i++) {
        const double r = axpy(s, rounded(s, number), at(s, 0, i), at(s, 3, i));
        s->term[0][i] = r * r;
    }
    GS_KERNELS(gs_vector, ctx, s->type)
        ->axpy_norm(ctx->queue, s->n, ratio(1), s->v[0], s->v[3], &rr);
    expect(s, "axpy_norm", rr, sum_of(s->n, WHOLE, s->term[0]));
}

/* x += a p + b s, r -= b t, r'r, w'r. */
static void solution_sums(const gsolve_context *ctx, vectors *s)
{
    const gs_solution v = {s->v[0], s->v[1], s->v[2], s->v[3], s->v[4], s->v[5]};
    const gs_convergence_test test = no_end();
    const double a = rounded(s, number), b = -a;
    double rr, wr;

    for (int64_t i = 0; i < s->n; i++) {
        const double r = axpy(s, -b, at(s, 2, i), at(s, 5, i));
        s->term[0][i] = r * r;
        s->term[1][i] = r * at(s, 3, i);
        s->term[2][i] =
            rounded(s, at(s, 4, i) + axpy(s, a, at(s, 0, i), rounded(s, b * at(s, 1, i))));
    }
    GS_KERNELS(gs_vector, ctx, s->type)
        ->solution_step(ctx->queue, s->n, ratio(1), ratio(-1), v, &rr, &wr, &test);
    expect(s, "solution_step", rr, sum_of(s->n, WHOLE, s->term[0]));
    expect(s, "solution_step", wr, sum_of(s->n, WHOLE, s->term[1]));
    for (int64_t i = 0; i < s->n; i++) expect(s, "x of solution_step", at(s, 4, i), s->term[2][i]);
}

/* w += h_0 V_0 + h_1 V_1, w'w in pieces. */
static void combine_sums(const gsolve_context *ctx, vectors *s)
{
    const double h[2] = {0.7, -0.4};
    double ww;

    for (int64_t i = 0; i < s->n; i++) {
        const double w = axpy(s, rounded(s, h[1]), at(s, 1, i),
                              axpy(s, rounded(s, h[0]), at(s, 0, i), at(s, 2, i)));
        s->term[0][i] = w * w;
    }
    GS_KERNELS(gs_vector, ctx, s->type)
        ->combine(ctx->queue, s->n, (gs_basis_vectors){2, s->type, s->v[0], LARGEST}, h, 1, s->v[2],
                  &ww);
    expect(s, "combine", ww, sum_of(s->n, PIECE, s->term[0]));
}

static void pipe_sums(const gsolve_context *ctx, vectors *s)
{
    const gs_pipe v = {s->v[0], s->v[1], s->v[2], s->v[3], s->v[4],
                       s->v[5], s->v[6], s->v[7], s->v[8], s->v[9]};
    const double a = rounded(s, number), b = -a;
    double ru, wu, rr;

    for (int64_t i = 0; i < s->n; i++) { /* z, q and s of the new directions; then r, u, w */
        const double Z = axpy(s, b, at(s, 2, i), at(s, 1, i));
        const double Q = axpy(s, b, at(s, 3, i), at(s, 0, i));
        const double S = axpy(s, b, at(s, 4, i), at(s, 9, i));
        const double R = axpy(s, -a, S, at(s, 7, i)), U = axpy(s, -a, Q, at(s, 8, i));
        s->term[0][i] = R * U;
        s->term[1][i] = axpy(s, -a, Z, at(s, 9, i)) * U;
        s->term[2][i] = R * R;
    }
    GS_KERNELS(gs_vector, ctx, s->type)
        ->pipe_step(ctx->queue, s->n, ratio(1), ratio(-1), v, &ru, &wu, &rr);
    expect(s, "pipe_step", ru, sum_of(s->n, WHOLE, s->term[0]));
    expect(s, "pipe_step", wu, sum_of(s->n, WHOLE, s->term[1]));
    expect(s, "pipe_step", rr, sum_of(s->n, WHOLE, s->term[2]));
}

static void jacobi_sums(const gsolve_context *ctx, vectors *s)
{
    double rz;

    for (int64_t i = 0; i < s->n; i++) {
        s->term[0][i] = at(s, 1, i) * rounded(s, at(s, 0, i) * at(s, 1, i));
    }
    GS_KERNELS(gs_jacobi, ctx, s->type)->apply(ctx->queue, s->n, s->v[0], s->v[1], s->v[2], &rz);
    expect(s, "jacobi", rz, sum_of(s->n, WHOLE, s->term[0]));
}

/* V'W of blocks of columns: block_cg's in whole blocks of rows, block_gmres's in pieces. */
static void block_sums(const gsolve_context *ctx, vectors *s)
{
    const gs_block_columns U = {s->v[0], LARGEST}, V = {s->v[COLUMNS], LARGEST};
    const gs_arnoldi_basis basis = {s->v[0], LARGEST, COLUMNS, 1, COLUMNS};
    const gs_arnoldi_kernels *arnoldi = GS_KERNELS(gs_arnoldi, ctx, s->type);
    double G[GS_BLOCK * GS_BLOCK], C[COLUMNS * COLUMNS];
    void *space = calloc(GS_KERNELS(gs_block, ctx, s->type)->space_size + 1, 1);
    void *other = calloc(arnoldi->space(LARGEST, COLUMNS, COLUMNS) + 1, 1);

    GS_KERNELS(gs_block, ctx, s->type)->gram(ctx->queue, s->n, COLUMNS, U, V, G, space);
    arnoldi->project(ctx->queue, s->n, basis, V, C, COLUMNS, other);
    for (int e = 0; e < COLUMNS * COLUMNS; e++) {
        const int i = e % COLUMNS, j = e / COLUMNS;
        for (int64_t r = 0; r < s->n; r++) s->term[0][r] = at(s, i, r) * at(s, COLUMNS + j, r);
        expect(s, "gram", G[i + j * GS_BLOCK], sum_of(s->n, WHOLE, s->term[0]));
        expect(s, "project", C[i + j * COLUMNS], sum_of(s->n, PIECE, s->term[0]));
    }
    free(space);
    free(other);
}

/* All kernels for all types and sizes. */
static void each_kernel(const gsolve_context *ctx)
{
    static void (*const of[])(const gsolve_context *, vectors *) = {
        plain_sums, residual_sums, solution_sums, combine_sums, pipe_sums, jacobi_sums, block_sums};

    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        for (int e = 0; e < SIZES * GSOLVE_TYPE_COUNT; e++) {
            vectors s =
                new_vectors((gsolve_type)(e % GSOLVE_TYPE_COUNT), sizes[e / GSOLVE_TYPE_COUNT]);
            of[k](ctx, &s);
            drop_vectors(&s);
        }
    }
}

/* At each level of the processor up to the context's, see core/device.h. */
static void kernels(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 16; threads *= 4) {
        gsolve_context *ctx = NULL;
        char spec[32];
        snprintf(spec, sizeof spec, "cpu,threads=%d", threads);
        assert_int_equal(gsolve_context_create(&ctx, spec), GSOLVE_OK);
        for (; ctx->cpu_level >= 0; ctx->cpu_level--) each_kernel(ctx);
        ctx->cpu_level = 0;
        close_context(ctx);
    }
}

/* --- a product with long rows ----------------------------------------------------------------- */

/* Four sums, entry k into the (k mod 4)-th. */
static double sum_of_four(int64_t n, const double *value, const double *x)
{
    double s[4] = {0};

    for (int64_t k = 0; k < n; k++) s[k % 4] += value[k] * x[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* A row of more than 32768 entries in parts of 8192. */
static double row_sum(int64_t n, const double *value, const double *x)
{
    double sum = 0;

    if (n <= 32768) return sum_of_four(n, value, x);
    for (int64_t k = 0; k < n; k += 8192) {
        sum += sum_of_four(n - k < 8192 ? n - k : 8192, value + k, x + k);
    }
    return sum;
}

static void long_rows(void **state)
{
    enum { ROWS = 6, WIDE = 50000 };
    static const int32_t length[ROWS] = {WIDE, 3, 32769, 32768, 0, 40960};
    int32_t start[ROWS + 1] = {0};
    double *x = random_vector(WIDE, 4), *want = calloc(ROWS, 8), *y = calloc(5 * ROWS, 8);
    double *X = calloc(5 * WIDE, 8);
    (void)state;

    for (int i = 0; i < ROWS; i++) start[i + 1] = start[i] + length[i];
    double *value = random_vector(start[ROWS], 8);
    int32_t *col = malloc((size_t)start[ROWS] * sizeof *col);
    for (int i = 0; i < ROWS; i++) {
        for (int32_t k = 0; k < length[i]; k++) col[start[i] + k] = k;
        want[i] = row_sum(length[i], value + start[i], x);
    }
    for (int c = 0; c < 5; c++) memcpy(X + c * WIDE, x, WIDE * 8);
    const gsolve_csr csr = {.nrows = ROWS,
                            .ncols = WIDE,
                            .start = start,
                            .col = col,
                            .value = value,
                            .type = GSOLVE_F64,
                            .offset = GSOLVE_O32};
    const gsolve_dense in = {WIDE, 5, WIDE, X, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense out = {ROWS, 5, ROWS, y, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    for (int threads = 1; threads <= 16; threads *= 4) {
        gsolve_context *ctx = NULL;
        gsolve_matrix *A = NULL;
        char spec[32];
        snprintf(spec, sizeof spec, "cpu,threads=%d", threads);
        assert_int_equal(gsolve_context_create(&ctx, spec), GSOLVE_OK);
        OK(ctx, gsolve_matrix_create(&A, ctx, "csr", &csr));
        OK(ctx, gsolve_matrix_apply(A, 1, gsolve_vector(x, WIDE), 0, gsolve_vector(y, ROWS)));
        assert_memory_equal(y, want, ROWS * 8);
        OK(ctx, gsolve_matrix_apply(A, 1, in, 0, out));
        for (int c = 0; c < 5; c++) assert_memory_equal(y + c * ROWS, want, ROWS * 8);
        gsolve_matrix_destroy(&A);
        close_context(ctx);
    }
    free(x), free(X), free(y), free(want), free(value), free(col);
}

/* --- solves ------------------------------------------------------------------------------------
 */

static const struct {
    const char *matrix, *format, *method, *precond;
    gsolve_type type;
    int columns;
    uint64_t hash; /* of x */
} solves[] = {
#include "tests/portable_bits.h"
};
enum { SOLVES = sizeof solves / sizeof *solves };

/* Fowler, Noll and Vo's hash (FNV-1a). */
static uint64_t hash_of(size_t bytes, const void *data)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    }
    return hash;
}

static gsolve_dense noise(int32_t n, int columns, gsolve_type type, bool zero)
{
    const int64_t count = (int64_t)n * columns;
    void *v = calloc((size_t)count + 1, 8);

    for (int64_t i = 0; i < count && !zero; i++) {
        const double x = gsolve_random(7, (uint64_t)i);
        if (type == GSOLVE_F32) {
            ((float *)v)[i] = (float)x;
        } else {
            ((double *)v)[i] = x;
        }
    }
    return (gsolve_dense){n, columns, n, v, type, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static uint64_t hash_of_solve(int i, int threads)
{
    gsolve_context *ctx = NULL;
    gsolve_csr wide, csr;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    char spec[32];

    snprintf(spec, sizeof spec, "cpu,threads=%d", threads);
    assert_int_equal(gsolve_context_create(&ctx, spec), GSOLVE_OK);
    wide = read_matrix(ctx, solves[i].matrix);
    OK(ctx, gsolve_csr_convert(&csr, ctx, solves[i].type, &wide));
    const gsolve_dense b = noise(csr.nrows, solves[i].columns, solves[i].type, false);
    const gsolve_dense x = noise(csr.nrows, solves[i].columns, solves[i].type, true);
    OK(ctx, gsolve_matrix_create(&A, ctx, solves[i].format, &csr));
    OK(ctx, gsolve_precond_create(&M, ctx, solves[i].precond, &csr));
    OK(ctx, gsolve_solver_create(&S, ctx, solves[i].method, A, M));
    OK(ctx, gsolve_solver_run(S, b, x, &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    const uint64_t hash = hash_of(
        (size_t)csr.nrows * (size_t)solves[i].columns * gs_type_size(solves[i].type), x.value);
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_csr_free(&csr, ctx);
    gsolve_csr_free(&wide, ctx);
    free(b.value);
    free(x.value);
    close_context(ctx);
    return hash;
}

/* A change that alters the arithmetic on purpose records what this test prints. */
/* amg factors its coarsest level by CXSparse, which some distributions compile with fused
 * multiplications and additions where every processor has them. On x86-64 not every processor has.
 */
static bool bits_are_portable(const char *precond)
{
    struct utsname machine;

    assert_int_equal(uname(&machine), 0);
    return strncmp(precond, "amg", 3) != 0 || strcmp(machine.machine, "x86_64") == 0;
}

static void recorded(void **state)
{
    int others = 0;
    (void)state;

    for (int i = 0; i < SOLVES; i++) {
        if (!bits_are_portable(solves[i].precond)) continue;
        for (int threads = 1; threads <= 16; threads = threads == 2 ? 16 : threads + 1) {
            const uint64_t hash = hash_of_solve(i, threads);
            if (hash == solves[i].hash) continue;
            others++;
            print_error("%s, %s, %s + %s, %d thread(s): 0x%016" PRIx64 "\n", solves[i].matrix,
                        solves[i].format, solves[i].method, solves[i].precond, threads, hash);
        }
    }
    assert_int_equal(others, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
