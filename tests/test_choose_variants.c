/* test_choose_variants.c: the numbering of the unknowns, the rounding of values in a file and other
 * things that hardly change the iterations do not change the first choice of auto on a CPU. */
#include <math.h>

#include "tests/choose_support.h"

/* A random number, uniform in [0, 1). */
static double random_at(uint64_t seed, int64_t index)
{
    return 0.5 + 0.5 * gsolve_random(seed, (uint64_t)index);
}

/* The first choice on a CPU is cg with the preconditioner. */
static void assert_takes(gsolve_context *ctx, const gsolve_csr *csr, const char *name,
                         const char *precond)
{
    assert_int_equal(count_wrong(&gs_device_host, ctx, csr, name, precond), 0);
}

/* --- other numberings and values ----------------------------------------------------------------
 */

typedef struct entry {
    int32_t col;
    double value;
} entry;

static int by_column(const void *a, const void *b)
{
    return ((const entry *)a)->col - ((const entry *)b)->col;
}

/* The unknowns of csr renumbered at random. */
static gsolve_csr shuffled(gsolve_context *ctx, const gsolve_csr *csr)
{
    const int32_t n = csr->nrows, *start = csr->start;
    int32_t *to = malloc((size_t)n * sizeof *to), *from = malloc((size_t)n * sizeof *from);
    int32_t *new_start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n + 1, sizeof *new_start);
    int32_t *col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)start[n], sizeof *col);
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)start[n], sizeof *value);
    entry row[64];

    for (int32_t i = 0; i < n; i++) to[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
        const int32_t j = (int32_t)(random_at(7, i) * (i + 1)), kept = to[i];
        to[i] = to[j], to[j] = kept;
    }
    for (int32_t i = 0; i < n; i++) from[to[i]] = i;
    new_start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t first = start[from[i]], length = start[from[i] + 1] - first;
        for (int32_t k = 0; k < length; k++) {
            row[k] = (entry){to[csr->col[first + k]], ((const double *)csr->value)[first + k]};
        }
        qsort(row, (size_t)length, sizeof *row, by_column);
        new_start[i + 1] = new_start[i] + length;
        for (int32_t k = 0; k < length; k++) {
            col[new_start[i] + k] = row[k].col, value[new_start[i] + k] = row[k].value;
        }
    }
    free(to), free(from);
    return gsolve_csr_view(n, new_start, col, value);
}

static void numbering_does_not_matter(void **state)
{
    static const struct {
        const char *matrix, *precond;
    } system[] = {{"gen:poisson2d,n=60", "amg"},
                  {"gen:poisson2d,n=150", "amg"},
                  {"gen:neumann2d,n=150", "amg"},
                  {"gen:poisson3d27,n=20", "jacobi"}};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < sizeof system / sizeof *system; k++) {
        gsolve_csr csr = read_matrix(ctx, system[k].matrix), other = shuffled(ctx, &csr);
        assert_takes(ctx, &csr, system[k].matrix, system[k].precond);
        assert_takes(ctx, &other, system[k].matrix, system[k].precond);
        gsolve_csr_free(&other, ctx);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* Gives a grid random conductances from 1 to 2 between neighbours, and adds extra to the diagonal.
 * If rounded, values have 6 digits, as in many files. */
static void set_conductances(gsolve_csr *csr, double extra, bool rounded)
{
    const int32_t n = csr->nrows, *start = csr->start;
    double *value = (double *)csr->value;
    char digits[32];

    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        int32_t diagonal = start[i];
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            const int32_t j = csr->col[k];
            const int64_t edge = (int64_t)(i < j ? i : j) * n + (i < j ? j : i);
            if (i == j) diagonal = k;
            if (i != j) sum += 1 + random_at(3, edge), value[k] = -1 - random_at(3, edge);
        }
        value[diagonal] = sum + extra + (i == 0);
    }
    for (int32_t k = 0; k < start[n] && rounded; k++) {
        snprintf(digits, sizeof digits, "%.6g", value[k]);
        value[k] = strtod(digits, NULL);
    }
}

static void values_of_a_file(void **state)
{
    static const struct {
        double extra;
        bool rounded;
        const char *precond;
    } variant[] = {{0, false, "amg"},
                   {0, true, "amg"},
                   {1e-4, false, "amg"},  /* a long step in time */
                   {2, false, "jacobi"}}; /* a short one */
    gsolve_context *ctx = open_context(1);
    gsolve_csr csr = read_matrix(ctx, "gen:neumann2d,n=150");
    char name[64];
    (void)state;

    for (size_t k = 0; k < sizeof variant / sizeof *variant; k++) {
        snprintf(name, sizeof name, "%g more%s", variant[k].extra,
                 variant[k].rounded ? ", rounded" : "");
        set_conductances(&csr, variant[k].extra, variant[k].rounded);
        assert_takes(ctx, &csr, name, variant[k].precond);
    }
    gsolve_csr_free(&csr, ctx);
    close_context(ctx);
}

/* --- Dirichlet conditions whose columns are kept -----------------------------------------------
 */

/* Makes the rows at the boundary of a grid, where an entry is missing, rows of the identity. Their
 * other entries become 0 or are removed; the columns stay. */
static void replace_boundary(gsolve_csr *csr, int inner, bool keep_zeros)
{
    int32_t *start = (int32_t *)csr->start, *col = (int32_t *)csr->col, count = 0;
    double *value = (double *)csr->value;

    for (int32_t i = 0, from = 0; i < csr->nrows; i++) {
        const int32_t to = start[i + 1];
        const bool fixed = to - from < inner;
        for (int32_t k = from; k < to; k++) {
            if (fixed && !keep_zeros && col[k] != i) continue;
            col[count] = col[k];
            value[count++] = !fixed ? value[k] : col[k] == i;
        }
        from = to;
        start[i + 1] = count;
    }
}

/* The wind multiplies each entry below the diagonal by 1 + wind, and the diagonal keeps the sum of
 * the row. */
static void blow(gsolve_csr *csr, double wind)
{
    const int32_t *start = csr->start;
    double *value = (double *)csr->value;

    for (int32_t i = 0; i < csr->nrows; i++) {
        double more = 0;
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            if (csr->col[k] < i) more += wind * value[k], value[k] *= 1 + wind;
            if (csr->col[k] == i) value[k] -= more;
        }
    }
}

static void assert_bicgstab_takes(gsolve_context *ctx, const gsolve_csr *csr, const char *name,
                                  const char *precond)
{
    const gsolve_choice choice = first_of(&gs_device_host, ctx, csr);

    if (strncmp(choice.method, "bicgstab", 8) != 0 || strcmp(choice.precond, precond) != 0) {
        fail_msg("%s: auto takes %s + %s instead of bicgstab + %s: %s", name, choice.method,
                 choice.precond, precond, choice.why);
    }
}

static void columns_of_fixed_rows(void **state)
{
    static const struct {
        const char *matrix;
        int inner; /* entries of a row that is not at the boundary */
        double wind;
        const char *precond;
    } system[] = {{"gen:poisson2d,n=60", 5, 0, "amg"},
                  {"gen:poisson2d,n=200", 5, 0, "amg"},
                  {"gen:poisson2d,n=200", 5, 10, "ilu"},
                  {"gen:poisson3d,n=80", 7, 0, "amg"},
                  {"gen:poisson3d27,n=20", 27, 0, "ilu"}};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < 2 * (sizeof system / sizeof *system); k++) {
        gsolve_csr csr = read_matrix(ctx, system[k / 2].matrix);
        replace_boundary(&csr, system[k / 2].inner, k % 2);
        if (system[k / 2].wind > 0) blow(&csr, system[k / 2].wind);
        assert_bicgstab_takes(ctx, &csr, system[k / 2].matrix, system[k / 2].precond);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* --- a network ----------------------------------------------------------------------------------
 */

enum { NODES = 1000, LINKS = NODES + NODES / 5 };

/* Lines between NODES nodes, nearly a tree, of conductances from 1 to 1e5; node 0 is earthed. */
static gsolve_csr network(double *dense)
{
    static int32_t start[NODES + 1], col[NODES + 2 * LINKS];
    static double value[NODES + 2 * LINKS];
    int32_t count = 0;

    memset(dense, 0, sizeof(double) * NODES * NODES);
    dense[0] = 1;
    for (int32_t k = 1; k < LINKS; k++) {
        const int32_t i = k < NODES ? k : k - NODES + 300;
        const int32_t j = (int32_t)(random_at(5, k) * i);
        const double g = pow(10, 5 * random_at(6, k));
        dense[i * NODES + j] -= g, dense[j * NODES + i] -= g;
        dense[i * NODES + i] += g, dense[j * NODES + j] += g;
    }
    for (int32_t i = 0; i < NODES; i++) {
        start[i] = count;
        for (int32_t j = 0; j < NODES; j++) {
            if (dense[i * NODES + j] == 0) continue;
            col[count] = j;
            value[count++] = dense[i * NODES + j];
        }
    }
    start[NODES] = count;
    return gsolve_csr_view(NODES, start, col, value);
}

/* amg has one level here, a factorisation. It has little fill because the network is nearly a tree.
 */
static void small_networks(void **state)
{
    gsolve_context *ctx = open_context(1);
    double *dense = malloc(sizeof(double) * NODES * NODES), b[NODES], x[NODES] = {0};
    const gsolve_csr csr = network(dense);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    assert_takes(ctx, &csr, "a network", "amg");
    for (int i = 0; i < NODES; i++) b[i] = 1;
    OK(ctx, gsolve_solve(ctx, &csr, gsolve_vector(b, NODES), gsolve_vector(x, NODES), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    free(dense);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbering_does_not_matter),
        cmocka_unit_test(values_of_a_file),
        cmocka_unit_test(columns_of_fixed_rows),
        cmocka_unit_test(small_networks),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
