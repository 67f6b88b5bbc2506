/* generate_stencil.c: finite differences and volumes on regular grids. Unknowns are numbered with x
 * fastest. Dirichlet boundary values are eliminated, except in neumann2d. */
#include <math.h>

#include "core/try.h"
#include "io/generators.h"

typedef struct grid_options {
    int n, nx, ny, nz;
    double eps, contrast, peclet;
    int seed, cells;
} grid_options;

typedef struct grid grid;
struct grid {
    uint32_t n[3]; /* points in x, y and z */
    int axes;
    /* Coefficients between point p and its neighbours one step down (0) and up (1) along each axis.
     * Those of neighbours outside the grid are added to the diagonal unless the boundary is
     * insulated. */
    void (*faces)(const grid *g, const uint32_t p[3], double face[3][2]);
    bool insulated;
    const grid_options *o;
    const double *block; /* of jump3d: the coefficient of each block of cells */
};

static void locate(const grid *g, int32_t i, uint32_t p[3])
{
    const uint32_t line = (uint32_t)i / g->n[0];

    p[0] = (uint32_t)i - line * g->n[0];
    p[2] = line / g->n[1];
    p[1] = line - p[2] * g->n[1];
}

/* --- 5 and 7 points -------------------------------------------------------------------------- */

static int64_t count_star(const void *model, int32_t i)
{
    const grid *g = model;
    uint32_t p[3];
    int64_t count = 1;

    locate(g, i, p);
    for (int axis = 0; axis < 3; axis++) count += (p[axis] > 0) + (p[axis] + 1 < g->n[axis]);
    return count;
}

/* The value is -face for each neighbour; the diagonal is the sum of the faces. */
static int64_t fill_star(const void *model, int32_t i, int32_t *col, double *value)
{
    const grid *g = model;
    const int32_t step[3] = {1, (int32_t)g->n[0], (int32_t)(g->n[0] * g->n[1])};
    uint32_t p[3];
    double face[3][2], diagonal = 0;
    int64_t count = 0, at;

    locate(g, i, p);
    g->faces(g, p, face);
    for (int axis = g->axes - 1; axis >= 0; axis--) { /* neighbours before i */
        if (p[axis] > 0) {
            col[count] = i - step[axis];
            value[count++] = -face[axis][0];
        }
        if (p[axis] > 0 || !g->insulated) diagonal += face[axis][0];
    }
    col[at = count++] = i;
    for (int axis = 0; axis < g->axes; axis++) { /* neighbours after i */
        if (p[axis] + 1 < g->n[axis]) {
            col[count] = i + step[axis];
            value[count++] = -face[axis][1];
        }
        if (p[axis] + 1 < g->n[axis] || !g->insulated) diagonal += face[axis][1];
    }
    value[at] = diagonal;
    return count;
}

/* --- 27 points: 26 on the diagonal, -1 for each neighbour ------------------------------------ */

static int64_t count_cube(const void *model, int32_t i)
{
    const grid *g = model;
    uint32_t p[3];
    int64_t count = 1;

    locate(g, i, p);
    for (int axis = 0; axis < 3; axis++) count *= 1 + (p[axis] > 0) + (p[axis] + 1 < g->n[axis]);
    return count;
}

static int64_t fill_cube(const void *model, int32_t i, int32_t *col, double *value)
{
    const grid *g = model;
    uint32_t p[3];
    int low[3], high[3];
    int64_t count = 0;

    locate(g, i, p);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = -(p[axis] > 0);
        high[axis] = p[axis] + 1 < g->n[axis];
    }
    for (int dz = low[2]; dz <= high[2]; dz++) {
        for (int dy = low[1]; dy <= high[1]; dy++) {
            const int32_t line = i + (dz * (int32_t)g->n[1] + dy) * (int32_t)g->n[0];
            for (int dx = low[0]; dx <= high[0]; dx++, count++) {
                col[count] = line + dx;
                value[count] = line + dx == i ? 26 : -1;
            }
        }
    }
    return count;
}

/* --- coefficients ---------------------------------------------------------------------------- */

static void unit_faces(const grid *g, const uint32_t p[3], double face[3][2])
{
    (void)g, (void)p;
    for (int axis = 0; axis < 3; axis++) face[axis][0] = face[axis][1] = 1;
}

static void anisotropic_faces(const grid *g, const uint32_t p[3], double face[3][2])
{
    unit_faces(g, p, face);
    face[2][0] = face[2][1] = g->o->eps;
}

static uint32_t blocks_along(const grid *g, int axis)
{
    return (g->n[axis] - 1) / (uint32_t)g->o->cells + 1;
}

static double coefficient(const grid *g, const uint32_t p[3])
{
    const uint32_t size = (uint32_t)g->o->cells;
    const size_t line = (size_t)(p[2] / size) * blocks_along(g, 1) + p[1] / size;
    return g->block[line * blocks_along(g, 0) + p[0] / size];
}

/* The harmonic mean of the two cells; at the boundary the cell itself. */
static void jump_faces(const grid *g, const uint32_t p[3], double face[3][2])
{
    const double k = coefficient(g, p);

    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) {
            uint32_t q[3] = {p[0], p[1], p[2]};
            q[axis] += side ? 1 : UINT32_MAX; /* below 0 it wraps, to more than n */
            if (q[axis] < g->n[axis]) {
                const double other = coefficient(g, q);
                face[axis][side] = 2 * k * other / (k + other);
            } else {
                face[axis][side] = k;
            }
        }
    }
}

/* Diffusion 1, and a flow (-2y, 2x, 1/2) that rotates about the z axis and rises, on a cube of edge
 * 1 around the origin. First-order upwind differences: only a face through which the flow enters
 * gets a convective term. The cell Peclet number is `peclet` in the middle of the sides, where a
 * component of the flow is 1. */
static void convected_faces(const grid *g, const uint32_t p[3], double face[3][2])
{
    const double x = (p[0] + 1.0) / (g->n[0] + 1.0) - 0.5;
    const double y = (p[1] + 1.0) / (g->n[1] + 1.0) - 0.5;
    const double velocity[3] = {-2 * y, 2 * x, 0.5};

    for (int axis = 0; axis < 3; axis++) {
        face[axis][0] = 1 + g->o->peclet * fmax(velocity[axis], 0);
        face[axis][1] = 1 + g->o->peclet * fmax(-velocity[axis], 0);
    }
}

/* --- the generators -------------------------------------------------------------------------- */

static gsolve_status set_size(grid *g, gsolve_context *ctx, const char *name)
{
    const int given[3] = {g->o->nx, g->o->ny, g->o->nz};
    double rows = 1;

    for (int axis = 0; axis < 3; axis++) {
        const int n = given[axis] > 0 ? given[axis] : g->o->n;
        g->n[axis] = axis < g->axes ? (uint32_t)n : 1;
        rows *= g->n[axis];
    }
    return gs_check_rows(ctx, name, rows);
}

static gsolve_status generate_star(gsolve_csr *csr, gsolve_context *ctx, const grid *g,
                                   gs_row_slice *slice)
{
    const int64_t rows = (int64_t)g->n[0] * g->n[1] * g->n[2];
    const gs_row_source source = {rows, rows, count_star, fill_star, g};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

static gsolve_status generate_cube(gsolve_csr *csr, gsolve_context *ctx, const grid *g,
                                   gs_row_slice *slice)
{
    const int64_t rows = (int64_t)g->n[0] * g->n[1] * g->n[2];
    const gs_row_source source = {rows, rows, count_cube, fill_cube, g};
    return gs_csr_by_rows(csr, ctx, &source, slice);
}

/* The coefficient of each block of cells: contrast to a random power in [0, 1). */
static gsolve_status generate_jump(gsolve_csr *csr, gsolve_context *ctx, const grid *given,
                                   gs_row_slice *slice)
{
    grid g = *given;
    const int64_t blocks = (int64_t)blocks_along(&g, 0) * blocks_along(&g, 1) * blocks_along(&g, 2);
    double *block = NULL;
    gsolve_status status;

    ALLOC(ctx, GSOLVE_HOST, block, blocks);
#pragma omp parallel for schedule(static) num_threads(gsolve_threads(ctx))
    for (int64_t k = 0; k < blocks; k++) {
        block[k] = pow(g.o->contrast, gs_uniform(g.o->seed, GS_DRAW_VALUE, k, 0));
    }
    g.block = block;
    TRY(generate_star(csr, ctx, &g, slice));
done:
    gsolve_free(ctx, GSOLVE_HOST, block);
    return status;
}

#define OPTION(key, help, kind, initial, least, most) \
    {#key, help, kind, offsetof(grid_options, key), initial, least, most, NULL}
#define SIZE2(initial)                                                       \
    OPTION(n, "points along an edge", GSOLVE_INT, initial, 1, GS_MOST_ROWS), \
        OPTION(nx, "points in x; 0: n", GSOLVE_INT, 0, 0, GS_MOST_ROWS),     \
        OPTION(ny, "points in y; 0: n", GSOLVE_INT, 0, 0, GS_MOST_ROWS)
#define SIZE3 SIZE2(32), OPTION(nz, "points in z; 0: n", GSOLVE_INT, 0, 0, GS_MOST_ROWS)

/* GENERATOR(name, summary, function, axes, faces, insulated, options...) */
#define GENERATOR(name, summary, function, axes, faces, insulated, ...)                       \
    static const gsolve_option name##_options[] = {__VA_ARGS__, {0}};                         \
    static gsolve_status generate_##name(gsolve_csr *csr, gsolve_context *ctx, const void *o, \
                                         gs_row_slice *slice)                                 \
    {                                                                                         \
        grid g = {{0}, axes, faces, insulated, o, NULL};                                      \
        const gsolve_status status = set_size(&g, ctx, #name);                                \
        return status == GSOLVE_OK ? function(csr, ctx, &g, slice) : status;                  \
    }                                                                                         \
    const gs_generator gs_##name = {{#name, summary, name##_options, sizeof(grid_options)},   \
                                    generate_##name}

GENERATOR(poisson2d, "5-point Laplacian on a rectangle; SPD", generate_star, 2, unit_faces, false,
          SIZE2(100));
GENERATOR(neumann2d,
          "5-point Laplacian with Neumann boundary conditions; singular: constant vectors are its "
          "null space",
          generate_star, 2, unit_faces, true, SIZE2(100));
GENERATOR(poisson3d, "7-point Laplacian on a box; SPD", generate_star, 3, unit_faces, false, SIZE3);
GENERATOR(poisson3d27, "27-point stencil on a box, 26 on the diagonal and -1 elsewhere; SPD",
          generate_cube, 3, NULL, false, SIZE3);
GENERATOR(anisotropic3d,
          "7-point stencil of anisotropic diffusion: coefficients 1, 1 and eps in x, y and z; SPD",
          generate_star, 3, anisotropic_faces, false, SIZE3,
          OPTION(eps, "diffusion coefficient in z", GSOLVE_REAL, 0.01, 1e-12, 1e12));
GENERATOR(jump3d,
          "7-point stencil of diffusion with a coefficient that jumps between cubes of points; SPD",
          generate_jump, 3, jump_faces, false, SIZE3,
          OPTION(contrast, "largest coefficient; the smallest is 1", GSOLVE_REAL, 1e4, 1, 1e12),
          OPTION(cells, "points along the edge of a cube of points with equal coefficients",
                 GSOLVE_INT, 10, 1, INT32_MAX),
          OPTION(seed, "seed of the random coefficients", GSOLVE_INT, 1, 0, INT32_MAX));
GENERATOR(convdiff3d, "upwind convection-diffusion in a rotating flow; nonsymmetric M-matrix",
          generate_star, 3, convected_faces, false, SIZE3,
          OPTION(peclet, "cell Peclet number", GSOLVE_REAL, 10, 0, 1e12));
