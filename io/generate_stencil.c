/* generate_stencil.c: finite differences and volumes on regular grids, unknowns numbered with x
 * fastest, Dirichlet boundary values eliminated unless said otherwise. */
#include <math.h>

#include "io/generators.h"

typedef struct grid_options {
    int n, nx, ny, nz;
    double eps, contrast, peclet;
    int seed, cells;
} grid_options;

typedef struct grid {
    int64_t n[3]; /* points in x, y and z */
    int axes;
    const grid_options *o;
    /* Coefficient between point p and its neighbour one step up (+1) or down (-1) along axis; that
     * of a neighbour outside the grid counts on the diagonal unless the boundary is insulated. */
    double (*face)(const struct grid *g, const int64_t p[3], int axis, int side);
    bool insulated;
} grid;

/* The 5 or 7 point row: -face for each neighbour, the diagonal their sum. */
static int64_t star_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const grid *g = model;
    const int64_t step[3] = {1, g->n[0], g->n[0] * g->n[1]};
    const int64_t p[3] = {i % g->n[0], i / g->n[0] % g->n[1], i / step[2]};
    const int axes = g->axes;
    double diagonal = 0;
    int64_t count = 0, at;

    for (int axis = axes - 1; axis >= 0; axis--) { /* the neighbours before i */
        const double f = g->face(g, p, axis, -1);
        if (p[axis] > 0) {
            col[count] = (int32_t)(i - step[axis]);
            value[count++] = -f;
        }
        if (p[axis] > 0 || !g->insulated) diagonal += f;
    }
    col[count] = i;
    at = count++;
    for (int axis = 0; axis < axes; axis++) { /* and after it */
        const double f = g->face(g, p, axis, 1);
        if (p[axis] + 1 < g->n[axis]) {
            col[count] = (int32_t)(i + step[axis]);
            value[count++] = -f;
        }
        if (p[axis] + 1 < g->n[axis] || !g->insulated) diagonal += f;
    }
    value[at] = diagonal;
    return count;
}

/* The 27 point row: 26 on the diagonal, -1 for each neighbour. */
static int64_t cube_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const grid *g = model;
    const int64_t nx = g->n[0], ny = g->n[1], nz = g->n[2];
    const int64_t x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    int64_t count = 0;

    for (int64_t c = z - 1; c <= z + 1; c++) {
        for (int64_t b = y - 1; b <= y + 1; b++) {
            for (int64_t a = x - 1; a <= x + 1; a++) {
                if (a < 0 || b < 0 || c < 0 || a >= nx || b >= ny || c >= nz) continue;
                col[count] = (int32_t)((c * ny + b) * nx + a);
                value[count] = col[count] == i ? 26 : -1;
                count++;
            }
        }
    }
    return count;
}

/* --- coefficients --------------------------------------------------------------------------------- */

static double unit(const grid *g, const int64_t p[3], int axis, int side)
{
    (void)g, (void)p, (void)axis, (void)side;
    return 1;
}

static double anisotropic(const grid *g, const int64_t p[3], int axis, int side)
{
    (void)p, (void)side;
    return axis == 2 ? g->o->eps : 1;
}

/* The coefficient of the block of cells in which p lies: contrast to a random power in [0, 1). */
static double cell(const grid *g, const int64_t p[3])
{
    const int64_t size = g->o->cells;
    const int64_t block = (p[2] / size * 100003 + p[1] / size) * 100003 + p[0] / size;
    return pow(g->o->contrast, gs_uniform((uint64_t)g->o->seed, 1, (uint64_t)block));
}

/* The harmonic mean of the two cells; at the boundary the cell itself. */
static double jump(const grid *g, const int64_t p[3], int axis, int side)
{
    int64_t q[3] = {p[0], p[1], p[2]};
    const double k = cell(g, p);

    q[axis] += side;
    if (q[axis] < 0 || q[axis] >= g->n[axis]) return k;
    return 2 * k * cell(g, q) / (k + cell(g, q));
}

/* Diffusion 1, and a flow that circles about the z axis and rises: the cell Peclet number is peclet
 * where the flow is fastest. First-order upwind: the side the flow comes from gets its share. */
static double convected(const grid *g, const int64_t p[3], int axis, int side)
{
    const double x = ((double)p[0] + 1) / ((double)g->n[0] + 1) - 0.5;
    const double y = ((double)p[1] + 1) / ((double)g->n[1] + 1) - 0.5;
    const double velocity[3] = {-2 * y, 2 * x, 0.5};
    const double inflow = -side * velocity[axis]; /* towards p through this face */

    return 1 + (inflow > 0 ? g->o->peclet * inflow : 0);
}

/* --- the generators ------------------------------------------------------------------------------- */

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const grid_options *o, bool cube,
                              grid g)
{
    const int given[3] = {o->nx, o->ny, o->nz};
    double rows = 1;

    g.o = o;
    for (int axis = 0; axis < 3; axis++) {
        g.n[axis] = axis >= g.axes ? 1 : given[axis] > 0 ? given[axis] : o->n;
        rows *= (double)g.n[axis];
    }
    const gsolve_status status = gs_check_dimensions(ctx, rows, rows);
    if (status != GSOLVE_OK) return status;
    const int64_t n = g.n[0] * g.n[1] * g.n[2];
    const gs_row_source source = {n, n, cube ? 27 : 7, cube ? cube_row : star_row, &g};
    return gs_csr_by_rows(csr, ctx, &source);
}

#define OPTION(key, help, kind, initial, least, most)                                          \
    {#key, help, kind, offsetof(grid_options, key), initial, least, most, NULL}
#define SIZE2                                                                                  \
    OPTION(n, "points along an edge", GSOLVE_INT, 100, 1, 46340),                              \
        OPTION(nx, "points in x, if not n", GSOLVE_INT, 0, 0, 1e9),                            \
        OPTION(ny, "points in y, if not n", GSOLVE_INT, 0, 0, 1e9)
#define SIZE3                                                                                  \
    OPTION(n, "points along an edge", GSOLVE_INT, 32, 1, 1290),                                \
        OPTION(nx, "points in x, if not n", GSOLVE_INT, 0, 0, 1e9),                            \
        OPTION(ny, "points in y, if not n", GSOLVE_INT, 0, 0, 1e9),                            \
        OPTION(nz, "points in z, if not n", GSOLVE_INT, 0, 0, 1e9)

#define GENERATOR(name, axes, cube, face, insulated, summary, ...)                             \
    static const gsolve_option name##_options[] = {__VA_ARGS__, {0}};                          \
    static gsolve_status generate_##name(gsolve_csr *csr, gsolve_context *ctx, const void *o)  \
    {                                                                                          \
        return generate(csr, ctx, o, cube, (grid){{0}, axes, NULL, face, insulated});          \
    }                                                                                          \
    const gs_generator gs_##name = {{#name, summary, name##_options, sizeof(grid_options)},    \
                                    generate_##name}

GENERATOR(poisson2d, 2, false, unit, false, "5-point Laplacian on a rectangle; SPD", SIZE2);
GENERATOR(neumann2d, 2, false, unit, true,
          "5-point Laplacian, insulated boundary; singular, constants are its null space", SIZE2);
GENERATOR(poisson3d, 3, false, unit, false, "7-point Laplacian on a box; SPD", SIZE3);
GENERATOR(poisson3d27, 3, true, unit, false, "27-point stencil on a box: 26 and -1; SPD", SIZE3);
GENERATOR(anisotropic3d, 3, false, anisotropic, false, "7 points with diffusion 1, 1, eps; SPD",
          SIZE3, OPTION(eps, "diffusion in z", GSOLVE_REAL, 0.01, 0, 1e9));
GENERATOR(jump3d, 3, false, jump, false,
          "7 points, coefficients that jump between blocks of cells; SPD", SIZE3,
          OPTION(contrast, "largest over least coefficient", GSOLVE_REAL, 1e4, 1, 1e12),
          OPTION(seed, "of the coefficients", GSOLVE_INT, 1, 0, 1e9),
          OPTION(cells, "edge of a block in cells", GSOLVE_INT, 10, 1, 1e6));
GENERATOR(convdiff3d, 3, false, convected, false,
          "upwind convection-diffusion in a circling flow; nonsymmetric M-matrix", SIZE3,
          OPTION(peclet, "cell Peclet number", GSOLVE_REAL, 10, 0, 1e9));

/* --- tridiagonal ---------------------------------------------------------------------------------- */

typedef struct tridiagonal_options {
    int n;
    double low, diag, high;
} tridiagonal_options;

static int64_t tridiagonal_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const tridiagonal_options *o = model;
    const double band[3] = {o->low, o->diag, o->high};
    int64_t count = 0;

    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < o->n; j++) {
        col[count] = j;
        value[count++] = band[j - i + 1];
    }
    return count;
}

static gsolve_status generate_tridiagonal(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const int64_t n = ((const tridiagonal_options *)options)->n;
    const gs_row_source source = {n, n, 3, tridiagonal_row, options};
    return gs_csr_by_rows(csr, ctx, &source);
}

static const gsolve_option tridiagonal_table[] = {
    {"n", "rows", GSOLVE_INT, offsetof(tridiagonal_options, n), 1000, 0, 2147483000, NULL},
    {"low", "below the diagonal", GSOLVE_REAL, offsetof(tridiagonal_options, low), -1, -1e300, 1e300,
     NULL},
    {"diag", "on it", GSOLVE_REAL, offsetof(tridiagonal_options, diag), 2, -1e300, 1e300, NULL},
    {"high", "above it", GSOLVE_REAL, offsetof(tridiagonal_options, high), -1, -1e300, 1e300, NULL},
    {0},
};

const gs_generator gs_tridiagonal = {
    {"tridiagonal", "three diagonals of constants", tridiagonal_table, sizeof(tridiagonal_options)},
    generate_tridiagonal,
};
