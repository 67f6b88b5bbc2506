/* test_choose.c: what auto takes for systems of which it is known what is fast
 * (docs/understand/automatic_choice.md), and that numbering, rounding and what else does not matter
 * to the iterations does not mislead it. The choice for a GPU is looked at where there is none,
 * too. */
#include <math.h>

#include "tests/common.h"

/* Uniform in [0, 1). */
static double drawn(uint64_t seed, int64_t index)
{
    return 0.5 + 0.5 * gsolve_random(seed, (uint64_t)index);
}

/* gsolve_auto_choose for a context on device, which is asked nothing. */
static bool choose_on(const gs_device *device, const gsolve_context *ctx,
                      const gsolve_statistics *traits, int attempt, gsolve_choice *choice)
{
    gsolve_context there = *ctx;

    there.device = device;
    return gsolve_auto_choose(&there, traits, attempt, choice);
}

static gsolve_choice first_of(const gs_device *device, gsolve_context *ctx, const gsolve_csr *csr)
{
    gsolve_statistics traits;
    gsolve_choice choice;

    OK(ctx, gsolve_csr_statistics(ctx, csr, &traits));
    assert_true(choose_on(device, ctx, &traits, 0, &choice));
    return choice;
}

static void assert_takes_on(const gs_device *device, gsolve_context *ctx, const gsolve_csr *csr,
                            const char *name, const char *precond)
{
    const gsolve_choice choice = first_of(device, ctx, csr);

    if (strcmp(choice.solver, "cg") != 0 || strcmp(choice.precond, precond) != 0) {
        fail_msg("%s: %s + %s, not cg + %s: %s", name, choice.solver, choice.precond, precond,
                 choice.why);
    }
}

/* On the CPU. */
static void assert_takes(gsolve_context *ctx, const gsolve_csr *csr, const char *name,
                         const char *precond)
{
    assert_takes_on(&gs_device_host, ctx, csr, name, precond);
}

/* --- systems ------------------------------------------------------------------------------------
 */

typedef struct expectation {
    const char *matrix, *precond;
} expectation;

static const expectation known[] = {
    {"gen:poisson2d,n=20", "amg"}, /* by little not the fastest */
    {"gen:poisson2d,n=80", "amg"},
    {"gen:poisson2d,n=150", "amg"},
    {"gen:poisson2d,nx=400,ny=100", "amg"},
    {"gen:neumann2d,n=150", "amg"},
    {"gen:poisson3d,n=24", "jacobi"},
    {"gen:poisson3d,nx=12,ny=12,nz=80", "jacobi"}, /* its short edges decide */
    {"gen:poisson3d,n=100", "amg"},
    {"gen:poisson3d27,n=24", "jacobi"},
    {"gen:shuffled3d,n=24", "jacobi"},
    {"gen:anisotropic3d,n=24", "ic"},
    {"gen:anisotropic3d,n=80", "amg"},
    {"gen:jump3d,n=24", "ic"},
    {"gen:jump3d,n=64", "amg"},
    {"gen:elasticity3d,n=10", "jacobi"},
    {"gen:tridiagonal,n=5000", "ic"},
    {"gen:tridiagonal,n=5000,diag=4", "jacobi"},
    {"gen:circuit,n=10000", "jacobi"},
    {"gen:band,n=5000", "jacobi"},
};

static const expectation known_on_gpu[] = {
    {"gen:poisson2d,n=9", "jacobi"},      {"gen:poisson2d,n=150", "jacobi"},
    {"gen:poisson2d,n=300", "amg"},       {"gen:neumann2d,n=300", "amg"},
    {"gen:poisson3d,n=64", "jacobi"},     {"gen:poisson3d,n=96", "amg"},
    {"gen:poisson3d27,n=24", "jacobi"},   {"gen:anisotropic3d,n=24", "jacobi"},
    {"gen:anisotropic3d,n=48", "jacobi"}, {"gen:anisotropic3d,n=80", "amg"},
    {"gen:jump3d,n=24", "jacobi"},        {"gen:jump3d,n=48", "jacobi"},
    {"gen:elasticity3d,n=10", "jacobi"},  {"gen:elasticity3d,n=20", "jacobi"},
    {"gen:tridiagonal,n=5000", "jacobi"}, {"gen:tridiagonal,n=5000,diag=4", "jacobi"},
    {"gen:circuit,n=10000", "jacobi"},    {"gen:band,n=5000", "jacobi"},
};

static void assert_known(const gs_device *device, const expectation *system, size_t count)
{
    gsolve_context *ctx = open_context(1);

    for (size_t k = 0; k < count; k++) {
        gsolve_csr csr = read_matrix(ctx, system[k].matrix);
        assert_takes_on(device, ctx, &csr, system[k].matrix, system[k].precond);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

static void known_systems(void **state)
{
    (void)state;
    assert_known(&gs_device_host, known, sizeof known / sizeof *known);
}

static void known_systems_on_gpu(void **state)
{
    (void)state;
    assert_known(&gs_device_cuda, known_on_gpu, sizeof known_on_gpu / sizeof *known_on_gpu);
}

/* --- the same system in other words -------------------------------------------------------------
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
        const int32_t j = (int32_t)(drawn(7, i) * (i + 1)), kept = to[i];
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

/* A times conductances from 1 to 2 between neighbours, and extra on the diagonal; in 6 digits, as
 * in many a file, if rounded. */
static void weigh(gsolve_csr *csr, double extra, bool rounded)
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
            if (i != j) sum += 1 + drawn(3, edge), value[k] = -1 - drawn(3, edge);
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
        weigh(&csr, variant[k].extra, variant[k].rounded);
        assert_takes(ctx, &csr, name, variant[k].precond);
    }
    gsolve_csr_free(&csr, ctx);
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
        const int32_t j = (int32_t)(drawn(5, k) * i);
        const double g = pow(10, 5 * drawn(6, k));
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

/* Multigrid of one level, which is a factorisation that such a network hardly fills. */
static void small_networks(void **state)
{
    gsolve_context *ctx = open_context(1);
    double *dense = malloc(sizeof(double) * NODES * NODES), b[NODES], x[NODES] = {0};
    const gsolve_csr csr = network(dense);
    gsolve_result result;
    (void)state;

    assert_takes(ctx, &csr, "a network", "amg");
    for (int i = 0; i < NODES; i++) b[i] = 1;
    OK(ctx, gsolve_solve(ctx, &csr, gsolve_vector(b, NODES), gsolve_vector(x, NODES), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    free(dense);
    close_context(ctx);
}

/* --- what is said and what follows --------------------------------------------------------------
 */

static const gs_device *const devices[] = {&gs_device_host, &gs_device_cuda};
enum { DEVICES = sizeof devices / sizeof *devices };

/* The estimate is 1 for the fastest, which is chosen unless multigrid is and the reason says so; on
 * a GPU ic takes many times as long as the fastest. */
static void assert_reason(const gs_device *device, const gsolve_choice *choice)
{
    const char *times = strstr(choice->why, "times: ");
    double jacobi, ic, amg, taken;

    assert_non_null(times);
    assert_int_equal(sscanf(times, "times: jacobi %lf, ic %lf, amg %lf", &jacobi, &ic, &amg), 3);
    taken = choice->precond[0] == 'j' ? jacobi : choice->precond[0] == 'i' ? ic : amg;
    assert_true(taken == 1 || choice->precond[0] == 'a');
    assert_int_equal(strstr(times, "amg is chosen") != NULL, taken > 1);
    assert_true(fmin(jacobi, fmin(ic, amg)) == 1);
    assert_null(strstr(times, "e+"));
    assert_int_equal(strstr(choice->why, "GPU times") != NULL, device == &gs_device_cuda);
    if (device == &gs_device_cuda) assert_true(ic > 3);
}

static void reasons(void **state)
{
    static const char *const matrix[] = {"gen:poisson3d,n=20", "gen:poisson2d,n=150",
                                         "gen:poisson2d,n=50", "gen:elasticity3d,n=6",
                                         "gen:elasticity3d,n=20"};
    gsolve_context *ctx = open_context(1);
    (void)state;

    for (size_t k = 0; k < DEVICES * (sizeof matrix / sizeof *matrix); k++) {
        const gs_device *device = devices[k % DEVICES];
        gsolve_csr csr = read_matrix(ctx, matrix[k / DEVICES]);
        const gsolve_choice choice = first_of(device, ctx, &csr);
        assert_reason(device, &choice);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* Whatever comes first, ic, a factorisation and minres come once each, and multigrid where the
 * matrix looks elliptic; jacobi comes first or, on a GPU, behind multigrid, which may not fit; on a
 * GPU ic does not come first, nor before these. */
static void assert_attempts(const gs_device *device, const gsolve_context *ctx,
                            const gsolve_statistics *traits, int multigrids)
{
    int ic = 0, amg = 0, direct = 0, minres = 0, at_ic = 0, at_amg = 0;
    gsolve_choice choice;

    for (int attempt = 0; choose_on(device, ctx, traits, attempt, &choice); attempt++) {
        if (strcmp(choice.precond, "ic") == 0) ic++, at_ic = attempt;
        if (strcmp(choice.precond, "amg") == 0) amg++, at_amg = attempt;
        direct += strncmp(choice.solver, "direct", 6) == 0;
        minres += strncmp(choice.solver, "minres", 6) == 0;
        if (attempt > 0 && strcmp(choice.precond, "jacobi") == 0) {
            assert_true(device == &gs_device_cuda && attempt == 1 && amg == 1);
        }
        assert_true(choice.why[0] != 0);
    }
    assert_int_equal(ic, 1);
    assert_int_equal(amg, multigrids);
    assert_int_equal(direct, 1);
    assert_int_equal(minres, 2);
    if (device == &gs_device_cuda) assert_true(at_ic > at_amg);
    assert_false(choose_on(device, ctx, traits, -1, &choice));
}

static void attempts(void **state)
{
    static const struct {
        const char *matrix;
        int amg;
    } system[] = {{"gen:poisson3d,n=20", 1},    {"gen:poisson2d,n=150", 1},
                  {"gen:poisson2d,n=300", 1},   {"gen:anisotropic3d,n=24", 1},
                  {"gen:tridiagonal,n=500", 0}, {"gen:tridiagonal,n=500,diag=4", 0}};
    gsolve_context *ctx = open_context(1);
    gsolve_statistics traits;
    (void)state;

    for (size_t k = 0; k < sizeof system / sizeof *system; k++) {
        gsolve_csr csr = read_matrix(ctx, system[k].matrix);
        OK(ctx, gsolve_csr_statistics(ctx, &csr, &traits));
        for (int d = 0; d < DEVICES; d++) {
            assert_attempts(devices[d], ctx, &traits, system[k].amg);
        }
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_systems),
        cmocka_unit_test(known_systems_on_gpu),
        cmocka_unit_test(numbering_does_not_matter),
        cmocka_unit_test(values_of_a_file),
        cmocka_unit_test(small_networks),
        cmocka_unit_test(reasons),
        cmocka_unit_test(attempts),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
