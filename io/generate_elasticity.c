/* generate_elasticity.c: linear elasticity on a cube of trilinear hexahedra, with three
 * displacements per node. The face x = 0 is clamped and its unknowns are removed. All elements are
 * equal, so that there is one element matrix: the integral of B' D B by 2 x 2 x 2 Gauss points
 * (Hughes, The Finite Element Method, section 3.9). The rows of a node depend only on which of the
 * eight elements around it exist. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "io/generators.h"

typedef struct elasticity_options {
    int n;
    double young, poisson;
} elasticity_options;

typedef struct element {
    double K[8][8][3][3]; /* of nodes a and b = x + 2 y + 4 z, and of their displacements */
} element;

typedef struct coupling { /* of a node with the neighbour (m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1) */
    double A[27][3][3];
} coupling;

enum { FIRST, INNER, LAST }; /* the position of a node along an axis */

typedef struct elasticity {
    int32_t n;              /* elements along an edge; nodes x = 1..n, y and z = 0..n, x fastest */
    coupling kind[3][3][3]; /* of the nodes at FIRST, INNER or LAST in z, y and x */
} elasticity;

/* --- one element ----------------------------------------------------------------------------- */

/* dN[a][axis]: derivatives of the shape functions at (x, y, z) in [0, 1]^3. */
static void shape_derivatives(const double at[3], double dN[8][3])
{
    for (int a = 0; a < 8; a++) {
        const int bit[3] = {a & 1, a >> 1 & 1, a >> 2 & 1};
        for (int axis = 0; axis < 3; axis++) {
            dN[a][axis] = bit[axis] ? 1 : -1;
            for (int other = 0; other < 3; other++) {
                if (other != axis) dN[a][axis] *= bit[other] ? at[other] : 1 - at[other];
            }
        }
    }
}

/* K += weight B_a' D B_b
 *    = weight (lambda dN_a,i dN_b,j + mu dN_a,j dN_b,i + mu delta_ij dN_a . dN_b).
 * The inner parentheses in the code make K symmetric to the last bit. */
static void add_point(element *e, double dN[8][3], double lambda, double mu, double weight)
{
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            const double dot = dN[a][0] * dN[b][0] + dN[a][1] * dN[b][1] + dN[a][2] * dN[b][2];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    e->K[a][b][i][j] += weight * (lambda * (dN[a][i] * dN[b][j]) +
                                                  mu * (dN[a][j] * dN[b][i]) + (i == j) * mu * dot);
                }
            }
        }
    }
}

static void integrate(element *e, const elasticity_options *o)
{
    const double lambda = o->young * o->poisson / ((1 + o->poisson) * (1 - 2 * o->poisson));
    const double mu = o->young / (2 * (1 + o->poisson)), h = 1.0 / o->n;
    const double point[2] = {0.5 - 0.5 / sqrt(3), 0.5 + 0.5 / sqrt(3)};

    memset(e, 0, sizeof *e);
    for (int g = 0; g < 8; g++) {
        const double at[3] = {point[g & 1], point[g >> 1 & 1], point[g >> 2 & 1]};
        double dN[8][3];
        shape_derivatives(at, dN);
        add_point(e, dN, lambda, mu, h / 8); /* h^3 / 8, and 1 / h for each derivative */
    }
}

/* --- the elements around a node -------------------------------------------------------------- */

/* Whether the element exists in which a node is the lower (bit 0) or upper (1) one along an axis.
 */
static bool exists(int place, int bit)
{
    return bit ? place != FIRST : place != LAST;
}

/* c += the element in which the node is number a. */
static void add_element(coupling *c, const element *e, int a)
{
    for (int b = 0; b < 8; b++) {
        const int dx = (b & 1) - (a & 1), dy = (b >> 1 & 1) - (a >> 1 & 1),
                  dz = (b >> 2) - (a >> 2);
        double(*A)[3] = c->A[(dz + 1) * 9 + (dy + 1) * 3 + dx + 1];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) A[i][j] += e->K[a][b][i][j];
        }
    }
}

static void set_coupling(coupling *c, const element *e, int z, int y, int x)
{
    memset(c, 0, sizeof *c);
    for (int a = 0; a < 8; a++) {
        if (exists(x, a & 1) && exists(y, a >> 1 & 1) && exists(z, a >> 2)) add_element(c, e, a);
    }
}

static void assemble(elasticity *m, const element *e)
{
    for (int z = FIRST; z <= LAST; z++) {
        for (int y = FIRST; y <= LAST; y++) {
            for (int x = FIRST; x <= LAST; x++) set_coupling(&m->kind[z][y][x], e, z, y, x);
        }
    }
}

/* --- rows ------------------------------------------------------------------------------------ */

static void locate(const elasticity *m, int32_t i, int32_t p[3])
{
    const int32_t node = i / 3, line = node / m->n;

    p[0] = node % m->n + 1;
    p[1] = line % (m->n + 1);
    p[2] = line / (m->n + 1);
}

/* The neighbours of coordinate p that have unknowns: p + low .. p + high. */
static void neighbours(const elasticity *m, int axis, int32_t p, int *low, int *high)
{
    *low = p > (axis == 0) ? -1 : 0;
    *high = p < m->n ? 1 : 0;
}

static int64_t count_row(const void *model, int32_t i)
{
    int32_t p[3];
    int64_t nodes = 1;

    locate(model, i, p);
    for (int axis = 0; axis < 3; axis++) {
        int low, high;
        neighbours(model, axis, p[axis], &low, &high);
        nodes *= high - low + 1;
    }
    return 3 * nodes;
}

static int position(const elasticity *m, int32_t p)
{
    return p == 0 ? FIRST : p == m->n ? LAST : INNER;
}

static int64_t fill_row(const void *model, int32_t i, int32_t *col, double *value)
{
    const elasticity *m = model;
    const int32_t n = m->n;
    const coupling *c;
    int32_t p[3];
    int low[3], high[3];
    int64_t count = 0;

    locate(m, i, p);
    for (int axis = 0; axis < 3; axis++) neighbours(m, axis, p[axis], &low[axis], &high[axis]);
    c = &m->kind[position(m, p[2])][position(m, p[1])][position(m, p[0])];
    for (int dz = low[2]; dz <= high[2]; dz++) {
        for (int dy = low[1]; dy <= high[1]; dy++) {
            for (int dx = low[0]; dx <= high[0]; dx++) {
                const double *A = c->A[(dz + 1) * 9 + (dy + 1) * 3 + dx + 1][i % 3];
                const int32_t node = i / 3 + (dz * (n + 1) + dy) * n + dx;
                for (int j = 0; j < 3; j++, count++) {
                    col[count] = 3 * node + j;
                    value[count] = A[j];
                }
            }
        }
    }
    return count;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options,
                              gs_row_slice *slice)
{
    const elasticity_options *o = options;
    const double rows = 3.0 * o->n * (o->n + 1.0) * (o->n + 1.0);
    elasticity *m = NULL;
    element e;
    gsolve_status status;

    TRY(gs_check_rows(ctx, "elasticity3d", rows));
    ALLOC(ctx, GSOLVE_HOST, m, 1);
    m->n = o->n;
    integrate(&e, o);
    assemble(m, &e);
    const gs_row_source source = {(int64_t)rows, (int64_t)rows, count_row, fill_row, m};
    TRY(gs_csr_by_rows(csr, ctx, &source, slice));
done:
    gsolve_free(ctx, GSOLVE_HOST, m);
    return status;
}

#define OPTION(key, help, kind, initial, least, most) \
    {#key, help, kind, offsetof(elasticity_options, key), initial, least, most, NULL}

static const gsolve_option table[] = {
    OPTION(n, "elements along an edge", GSOLVE_INT, 16, 1, GS_MOST_ROWS),
    OPTION(young, "Young's modulus", GSOLVE_REAL, 1, 1e-100, 1e100),
    OPTION(poisson, "Poisson's ratio", GSOLVE_REAL, 0.3, 0, 0.4999),
    {0},
};

const gs_generator gs_elasticity3d = {
    {"elasticity3d",
     "linear elasticity, trilinear hexahedra, 3 unknowns per node, one face fixed; SPD", table,
     sizeof(elasticity_options)},
    generate,
};
