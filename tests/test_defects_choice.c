/* test_defects_choice.c: auto knows elements and differences of higher order for what they are, and
 * takes neither elastic bodies nor plates for them. */
#include <math.h>

#include "tests/common.h"

/* --- a grid of nodes, with as many neighbours on each side as the reach --------------------------
 *
 * Nodes (x, y, z), 0 <= x, y < side, 0 <= z < depth, in that order. entry[i * width^dims + slot] is
 * the entry between node i and its neighbour at the offset that slot stands for. */

enum { MOST_REACH = 4 };

typedef struct grid {
    int side, depth, reach, width, slots;
    double *entry;
} grid;

static grid open_grid(int side, int dims, int reach)
{
    const int width = 2 * reach + 1;
    grid g = {
        side, dims == 3 ? side : 1, reach, width, dims == 3 ? width * width * width : width * width,
        NULL};

    g.entry = calloc((size_t)side * (size_t)side * (size_t)g.depth * (size_t)g.slots, 8);
    return g;
}

static bool is_inside(const grid *g, int x, int y, int z)
{
    return x >= 0 && x < g->side && y >= 0 && y < g->side && z >= 0 && z < g->depth;
}

/* The entry between the nodes at (x, y, z) and (x + dx, y + dy, z + dz), both inside, or NULL. */
static double *entry_at(const grid *g, int x, int y, int z, int dx, int dy, int dz)
{
    const int flat = g->depth == 1 ? 0 : dz + g->reach;
    const int slot = (flat * g->width + dy + g->reach) * g->width + dx + g->reach;

    if (!is_inside(g, x, y, z) || !is_inside(g, x + dx, y + dy, z + dz)) return NULL;
    return &g->entry[(((int64_t)z * g->side + y) * g->side + x) * g->slots + slot];
}

/* Row (x, y, z) into col and value, its entries that are not 0; their number. */
static int32_t row_of(const grid *g, int x, int y, int z, int32_t *col, double *value)
{
    const int far = g->depth == 1 ? 0 : g->reach;
    int32_t count = 0;

    for (int dz = -far; dz <= far; dz++) {
        for (int dy = -g->reach; dy <= g->reach; dy++) {
            for (int dx = -g->reach; dx <= g->reach; dx++) {
                const double *entry = entry_at(g, x, y, z, dx, dy, dz);
                if (!entry || *entry == 0) continue;
                col[count] = ((z + dz) * g->side + y + dy) * g->side + x + dx;
                value[count++] = *entry;
            }
        }
    }
    return count;
}

/* The matrix of g, which is freed. */
static gsolve_csr close_grid(gsolve_context *ctx, grid *g)
{
    const int32_t n = g->side * g->side * g->depth;
    const size_t most = (size_t)n * (size_t)g->slots;
    int32_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)n + 1, sizeof *start);
    int32_t *col = gsolve_alloc(ctx, GSOLVE_HOST, most, sizeof *col);
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, most, sizeof *value);

    start[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int x = i % g->side, y = i / g->side % g->side, z = i / g->side / g->side;
        start[i + 1] = start[i] + row_of(g, x, y, z, col + start[i], value + start[i]);
    }
    free(g->entry);
    return gsolve_csr_view(n, start, col, value);
}

/* --- elements of degree p on triangles, by numerical integration ---------------------------------
 */

/* phi(t) = prod_{m < count} (p t - m) / (m + 1) and its derivative. */
static void factor_of(int p, int count, double t, double *phi, double *slope)
{
    *phi = 1, *slope = 0;
    for (int m = 0; m < count; m++) {
        *slope = *slope * (p * t - m) / (m + 1) + *phi * p / (m + 1);
        *phi *= (p * t - m) / (m + 1);
    }
}

/* The gradient, in the coordinates (s, t) of the reference triangle, of the shape function that is
 * 1 at (a / p, b / p). */
static void gradient(int p, int a, int b, double s, double t, double *gs, double *gt)
{
    double f[3], d[3];

    factor_of(p, p - a - b, 1 - s - t, &f[0], &d[0]);
    factor_of(p, a, s, &f[1], &d[1]);
    factor_of(p, b, t, &f[2], &d[2]);
    *gs = f[2] * (d[1] * f[0] - d[0] * f[1]);
    *gt = f[1] * (d[2] * f[0] - d[0] * f[2]);
}

/* The integral of the product of two such gradients: Gauss' rule on the square, collapsed. */
static double stiffness(int p, int a, int b, int c, int d)
{
    static const double at[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                0.8611363115940526};
    static const double weight[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                    0.3478548451374538};
    double sum = 0;

    for (int i = 0; i < 16; i++) {
        const double u = 0.5 + 0.5 * at[i % 4], t = 0.5 + 0.5 * at[i / 4], s = u * (1 - t);
        double ax, ay, bx, by;
        gradient(p, a, b, s, t, &ax, &ay);
        gradient(p, c, d, s, t, &bx, &by);
        sum += 0.25 * weight[i % 4] * weight[i / 4] * (1 - t) * (ax * bx + ay * by);
    }
    return sum;
}

/* Adds the triangle whose right angle is at node (x, y) and whose legs have sign * p nodes. */
static void add_triangle(grid *g, int p, int x, int y, int sign)
{
    for (int k = 0; k < (p + 1) * (p + 1); k++) {
        const int a = k % (p + 1), b = k / (p + 1);
        for (int l = 0; l < (p + 1) * (p + 1); l++) {
            const int c = l % (p + 1), d = l / (p + 1);
            if (a + b > p || c + d > p) continue;
            double *entry =
                entry_at(g, x + sign * a, y + sign * b, 0, sign * (c - a), sign * (d - b), 0);
            if (!entry) continue;
            *entry += stiffness(p, a, b, c, d);
            /* where the sum should be 0, what rounding may leave, of either sign */
            if (fabs(*entry) < 1e-12) *entry = (k * 31 + l * 17 + k * l) % 7 < 4 ? 9e-17 : -9e-17;
        }
    }
}

/* -div grad u on the unit square, u = 0 at its boundary: cells * cells squares of two triangles. */
static gsolve_csr triangles(gsolve_context *ctx, int cells, int p)
{
    grid g = open_grid(cells * p - 1, 2, p);

    for (int k = 0; k < cells * cells; k++) {
        const int x = k % cells * p - 1, y = k / cells * p - 1;
        add_triangle(&g, p, x, y, 1);
        add_triangle(&g, p, x + p, y + p, -1);
    }
    return close_grid(ctx, &g);
}

/* --- differences ---------------------------------------------------------------------------------
 */

/* The sum of the second differences of order 2 reach in each direction. */
static gsolve_csr differences(gsolve_context *ctx, int side, int dims, int reach)
{
    static const double weight[][MOST_REACH + 1] = {
        {0},
        {2, -1},
        {30.0 / 12, -16.0 / 12, 1.0 / 12},
        {490.0 / 180, -270.0 / 180, 27.0 / 180, -2.0 / 180},
        {205.0 / 72, -8.0 / 5, 1.0 / 5, -8.0 / 315, 1.0 / 560}};
    grid g = open_grid(side, dims, reach);

    for (int i = 0; i < side * side * g.depth; i++) {
        const int x = i % side, y = i / side % side, z = i / side / side;
        for (int k = -reach; k <= reach; k++) {
            const double w = weight[reach][abs(k)];
            double *along[] = {entry_at(&g, x, y, z, k, 0, 0), entry_at(&g, x, y, z, 0, k, 0),
                               dims == 3 ? entry_at(&g, x, y, z, 0, 0, k) : NULL};
            for (int d = 0; d < 3; d++) *(along[d] ? along[d] : &(double){0}) += w;
        }
    }
    return close_grid(ctx, &g);
}

/* The square of the 5-point Laplacian, 13 points. */
static gsolve_csr plate(gsolve_context *ctx, int side)
{
    grid g = open_grid(side, 2, 2);

    for (int i = 0; i < side * side; i++) {
        for (int slot = 0; slot < 25; slot++) {
            static const double weight[] = {20, -8, 1, 0, 2}; /* [dx^2 + dy^2], but 2 at (1, 1) */
            const int dx = slot % 5 - 2, dy = slot / 5 - 2, square = dx * dx + dy * dy;
            double *entry = entry_at(&g, i % side, i / side, 0, dx, dy, 0);
            if (entry) *entry = square == 2 ? 2 : square == 4 ? 1 : square < 2 ? weight[square] : 0;
        }
    }
    return close_grid(ctx, &g);
}

/* An elastic body whose unknowns are numbered direction by direction. */
static gsolve_csr split_body(gsolve_context *ctx, int n)
{
    char name[64];

    snprintf(name, sizeof name, "gen:elasticity3d,n=%d", n);
    gsolve_csr body = read_matrix(ctx, name);
    const int32_t rows = body.nrows, nodes = rows / 3, *from = body.start;
    int32_t *start = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)rows + 1, sizeof *start), count = 0;
    int32_t *col = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)from[rows], sizeof *col);
    double *value = gsolve_alloc(ctx, GSOLVE_HOST, (size_t)from[rows], sizeof *value);

    for (int32_t i = 0; i < rows; i++) {
        const int32_t old = i % nodes * 3 + i / nodes;
        start[i] = count;
        for (int direction = 0; direction < 3; direction++) {
            for (int32_t k = from[old]; k < from[old + 1]; k++) {
                if (body.col[k] % 3 != direction) continue;
                col[count] = direction * nodes + body.col[k] / 3;
                value[count++] = ((const double *)body.value)[k];
            }
        }
    }
    start[rows] = count;
    gsolve_csr_free(&body, ctx);
    return gsolve_csr_view(rows, start, col, value);
}

/* --- what auto takes -----------------------------------------------------------------------------
 */

static void assert_takes(gsolve_context *ctx, gsolve_csr *csr, const char *name,
                         const char *precond, bool elliptic)
{
    gsolve_statistics traits = GSOLVE_INIT(gsolve_statistics);
    gsolve_choice choice = GSOLVE_INIT(gsolve_choice);

    OK(ctx, gsolve_csr_statistics(ctx, csr, &traits));
    assert_true(gsolve_auto_choose(ctx, &traits, 0, &choice));
    if ((precond && strcmp(choice.precond, precond) != 0) || strcmp(choice.method, "cg") != 0 ||
        (strstr(choice.why, "elliptic") != NULL) != elliptic) {
        fail_msg("%s: %s + %s: %s", name, choice.method, choice.precond, choice.why);
    }
    gsolve_csr_free(csr, ctx);
}

static gsolve_context *open_cpu(void)
{
    gsolve_context *ctx = NULL;

    assert_int_equal(gsolve_context_create(&ctx, "cpu,threads=1"), GSOLVE_OK);
    return ctx;
}

static void elements_of_higher_degree(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr csr;
    (void)state;

    csr = triangles(ctx, 64, 2);
    assert_takes(ctx, &csr, "degree 2", "amg", true);
    csr = triangles(ctx, 32, 3);
    assert_takes(ctx, &csr, "degree 3", "amg", true);
    close_context(ctx);
}

static void differences_of_higher_order(void **state)
{
    gsolve_context *ctx = open_cpu();
    char name[64];
    (void)state;

    for (int reach = 2; reach <= MOST_REACH; reach++) {
        gsolve_csr flat = differences(ctx, 150, 2, reach);
        gsolve_csr cube = differences(ctx, 28, 3, reach);
        snprintf(name, sizeof name, "order %d", 2 * reach);
        assert_takes(ctx, &flat, name, "amg", true);
        assert_takes(ctx, &cube, name, NULL, true); /* too short for multigrid to pay */
    }
    close_context(ctx);
}

/* As many iterations on a finer mesh, or nearly: what multigrid is taken for. */
static void iterations(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr csr = triangles(ctx, 64, 2);
    const int32_t n = csr.nrows;
    double *b = random_vector(n, 3), *x = calloc((size_t)n, sizeof *x);
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    (void)state;

    OK(ctx, gsolve_solve(ctx, &csr, gsolve_vector(b, n), gsolve_vector(x, n), &result));
    assert_int_equal(result.outcome, GSOLVE_CONVERGED);
    assert_true(result.iterations < 50); /* cg + ic: 150 */
    gsolve_csr_free(&csr, ctx);
    free(b);
    free(x);
    close_context(ctx);
}

/* Multigrid on constants takes longer there than ic. */
static void others(void **state)
{
    gsolve_context *ctx = open_cpu();
    gsolve_csr csr = plate(ctx, 80);
    (void)state;

    assert_takes(ctx, &csr, "a plate", "ic", false);
    csr = split_body(ctx, 10);
    assert_takes(ctx, &csr, "linear elasticity", "ic", false);
    close_context(ctx);
}

/* --- rounding ------------------------------------------------------------------------------------
 */

static void entries_of_rounding_size(void **state)
{
    static const int32_t start[] = {0, 3, 6, 9}, col[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const double tiny[] = {2, 1e-17, -1, 1e-17, 3e9, 0.1, -1, 0.1, 2};
    static const double small[] = {2, 1e-10, -1, 1e-10, 3, 0.1, -1, 0.1, 2};
    gsolve_context *ctx = open_cpu();
    gsolve_csr csr = gsolve_csr_view(3, start, col, tiny);
    gsolve_statistics t = GSOLVE_INIT(gsolve_statistics);
    (void)state;

    OK(ctx, gsolve_csr_statistics(ctx, &csr, &t));
    assert_int_equal(t.positive_off, 2); /* 0.1 is more than 1e-12 of 3e9 */
    assert_true(t.least == 1e-17);
    csr = gsolve_csr_view(3, start, col, small);
    OK(ctx, gsolve_csr_statistics(ctx, &csr, &t));
    assert_int_equal(t.positive_off, 4);
    close_context(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_higher_degree),
        cmocka_unit_test(differences_of_higher_order),
        cmocka_unit_test(iterations),
        cmocka_unit_test(others),
        cmocka_unit_test(entries_of_rounding_size),
    };
    need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
