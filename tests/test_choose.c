/* test_choose.c: the first choice of auto for systems whose fastest method is known
 * (docs/understand/automatic_choice.md). The choice for a GPU is tested without one, too.
 *
 * test_choose MATRIX... tests nothing: it prints the estimates of the cost model for each matrix.
 */
#include <math.h>

#include "solver/choose/ranking.h"
#include "tests/choose_support.h"

/* --- systems whose fastest method is known ------------------------------------------------------
 */

typedef struct expectation {
    const char *matrix, *precond;
} expectation;

static const expectation known[] = {
    {"gen:poisson2d,n=20", "amg"}, /* slower, but by less than 2 ms */
    {"gen:poisson2d,n=80", "amg"},
    {"gen:poisson2d,n=150", "amg"},
    {"gen:poisson2d,nx=400,ny=100", "amg"},
    {"gen:neumann2d,n=150", "amg"},
    {"gen:poisson3d,n=12", "jacobi"}, /* a factorisation takes ten times as long */
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
    int wrong = 0;

    for (size_t k = 0; k < count; k++) {
        gsolve_csr csr = read_matrix(ctx, system[k].matrix);
        wrong += count_wrong(device, ctx, &csr, system[k].matrix, system[k].precond);
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
    if (wrong > 0) {
        fail_msg("%d of %zu choices changed; if that is intended, change the table `known` or "
                 "`known_on_gpu` in tests/test_choose.c, and the column \"`auto` takes\" in "
                 "docs/understand/automatic_choice.md",
                 wrong, count);
    }
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

/* --- the tables of docs/understand/automatic_choice.md ------------------------------------------
 */

/* Reads a row such as "| `poisson2d,n=60` | 2.2 (112) | 2.9 (49) | 2.9 (8) | `amg` |": the
 * generator in the first cell, the preconditioner at the beginning of the last one. False for other
 * lines, and for matrices that take long to generate. */
static bool read_row(const char *line, char matrix[64], char precond[16])
{
    const char *last = strrchr(line, '|');
    char generator[48];

    if (sscanf(line, "| `%47[a-z0-9,=]`", generator) != 1 || !strstr(generator, "n=")) return false;
    if (strstr(generator, strstr(generator, "3d") ? "n=100" : "n=1000")) return false;
    while (last > line && last[-1] != '|') last--;
    snprintf(matrix, 64, "gen:%s", generator);
    return sscanf(last, " `%15[a-z]`", precond) == 1;
}

static void documented_systems(void **state)
{
    FILE *page = fopen(GSOLVE_SOURCE_DIR "/docs/understand/automatic_choice.md", "r");
    gsolve_context *ctx = open_context(1);
    const gs_device *device = &gs_device_host;
    char line[512], matrix[64], precond[16];
    int rows = 0, wrong = 0;
    (void)state;

    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        if (strncmp(line, "## Measured: one NVIDIA", 23) == 0) device = &gs_device_cuda;
        if (!read_row(line, matrix, precond)) continue;
        gsolve_csr csr = read_matrix(ctx, matrix);
        wrong += count_wrong(device, ctx, &csr, matrix, precond);
        gsolve_csr_free(&csr, ctx);
        rows++;
    }
    fclose(page);
    close_context(ctx);
    assert_true(rows > 10);
    if (wrong > 0) {
        fail_msg("%d rows: change the column \"`auto` takes\" in "
                 "docs/understand/automatic_choice.md",
                 wrong);
    }
}

/* --- the reason of the first choice, and the choices after it -----------------------------------
 */

static const gs_device *const devices[] = {&gs_device_host, &gs_device_cuda};
enum { DEVICES = sizeof devices / sizeof *devices };

/* The fastest has the relative time 1. It is chosen, or multigrid is and the reason says so. On a
 * GPU ic takes several times as long as the fastest. */
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

/* The list of choices has ic once, a factorisation once and minres twice, and amg if the matrix
 * looks elliptic. jacobi is first or, on a GPU, behind amg, whose set-up may not fit into memory.
 * On a GPU ic comes after amg. */
static void assert_attempts(const gs_device *device, const gsolve_context *ctx,
                            const gsolve_statistics *statistics, int multigrids)
{
    int ic = 0, amg = 0, direct = 0, minres = 0, at_ic = 0, at_amg = 0;
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    for (int attempt = 0; choose_on(device, ctx, statistics, attempt, &choice); attempt++) {
        if (strcmp(choice.precond, "ic") == 0) ic++, at_ic = attempt;
        if (strcmp(choice.precond, "amg") == 0) amg++, at_amg = attempt;
        direct += strncmp(choice.method, "direct", 6) == 0;
        minres += strncmp(choice.method, "minres", 6) == 0;
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
    assert_false(choose_on(device, ctx, statistics, -1, &choice));
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
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    (void)state;

    for (size_t k = 0; k < sizeof system / sizeof *system; k++) {
        gsolve_csr csr = read_matrix(ctx, system[k].matrix);
        OK(ctx, gsolve_csr_statistics(ctx, &csr, &statistics));
        for (int d = 0; d < DEVICES; d++) {
            assert_attempts(devices[d], ctx, &statistics, system[k].amg);
        }
        gsolve_csr_free(&csr, ctx);
    }
    close_context(ctx);
}

/* --- estimates ----------------------------------------------------------------------------------
 */

static void print_estimates(gsolve_context *ctx, const char *matrix, const gs_device *device)
{
    gsolve_csr csr = read_matrix(ctx, matrix);
    const gsolve_choice choice = first_of(device, ctx, &csr);
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    gs_cost_estimate e;

    OK(ctx, gsolve_csr_statistics(ctx, &csr, &statistics));
    gsolve_csr_free(&csr, ctx);
    printf("%s %s: %s + %s\n", matrix, device_words(device), choice.method, choice.precond);
    if (strcmp(choice.method, "cg") != 0 ||
        !gs_estimate_cost(&statistics, device == &gs_device_cuda, &e)) {
        printf("  no estimate: %s\n", choice.why);
        return;
    }
    printf("  %s in %d dimensions, %.0f points per side\n", e.kind, e.dimensions, e.length);
    for (int k = 0; k < GS_RANKED_COUNT; k++) {
        printf("  %-8s%8.0f iterations%12.3g ms\n", gs_ranked_precond_name[k], e.iterations[k],
               1e-6 * e.ns[k]);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_systems),      cmocka_unit_test(known_systems_on_gpu),
        cmocka_unit_test(documented_systems), cmocka_unit_test(reasons),
        cmocka_unit_test(attempts),
    };
    need_device();
    for (int k = 1; k < count; k++) {
        gsolve_context *ctx = open_context(1);
        for (int d = 0; d < DEVICES; d++) print_estimates(ctx, arguments[k], devices[d]);
        close_context(ctx);
    }
    if (count > 1) return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
