/* generate_elasticity.c: linear elasticity on a cube of trilinear hexahedra, three displacements a
 * node, the face x = 0 clamped and its unknowns removed. All elements are alike, so that there is one
 * element matrix, the integral of B' D B by 2 x 2 x 2 Gauss points (Hughes, The Finite Element Method,
 * section 3.9). */
#include <math.h>
#include <string.h>

#include "io/generators.h"

typedef struct elasticity_options {
    int n;
    double young, poisson;
} elasticity_options;

typedef struct elasticity {
    int64_t n;      /* elements along an edge */
    double K[8][8][3][3]; /* of nodes a and b = x + 2 y + 4 z, and of their displacements */
} elasticity;

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

/* K += weight B_a' D B_b: lambda dN_a,i dN_b,j + mu dN_a,j dN_b,i + mu delta_ij grad N_a . grad N_b */
static void add_point(elasticity *e, double dN[8][3], double lambda, double mu, double weight)
{
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            const double dot = dN[a][0] * dN[b][0] + dN[a][1] * dN[b][1] + dN[a][2] * dN[b][2];
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    e->K[a][b][i][j] += weight * (lambda * dN[a][i] * dN[b][j] +
                                                  mu * dN[a][j] * dN[b][i] + (i == j) * mu * dot);
                }
            }
        }
    }
}

static void integrate(elasticity *e, double young, double poisson)
{
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double mu = young / (2 * (1 + poisson)), h = 1 / (double)e->n;
    const double point[2] = {0.5 - 0.5 / sqrt(3), 0.5 + 0.5 / sqrt(3)};

    memset(e->K, 0, sizeof e->K);
    for (int g = 0; g < 8; g++) {
        const double at[3] = {point[g & 1], point[g >> 1 & 1], point[g >> 2 & 1]};
        double dN[8][3];
        shape_derivatives(at, dN);
        add_point(e, dN, lambda, mu, h / 8); /* h^3 / 8, and 1 / h for each derivative */
    }
}

/* sum[m] = the coupling of displacement i of the node at p to the neighbour m of 27. */
static void gather(const elasticity *e, const int64_t p[3], int i, double sum[27][3])
{
    memset(sum, 0, 27 * sizeof *sum);
    for (int a = 0; a < 8; a++) { /* the element in which the node is node a */
        const int bit[3] = {a & 1, a >> 1 & 1, a >> 2 & 1};
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) {
            inside = inside && p[axis] - bit[axis] >= 0 && p[axis] - bit[axis] < e->n;
        }
        for (int b = 0; b < 8 && inside; b++) {
            const int m = ((b >> 2) - bit[2] + 1) * 9 + ((b >> 1 & 1) - bit[1] + 1) * 3 +
                          ((b & 1) - bit[0] + 1);
            for (int j = 0; j < 3; j++) sum[m][j] += e->K[a][b][i][j];
        }
    }
}

static int64_t row(const void *model, int32_t i, int32_t *col, double *value)
{
    const elasticity *e = model;
    const int64_t n = e->n, node = i / 3; /* nodes x = 1 .. n, y and z = 0 .. n, x fastest */
    const int64_t p[3] = {node % n + 1, node / n % (n + 1), node / (n * (n + 1))};
    double sum[27][3];
    int64_t count = 0;

    gather(e, p, i % 3, sum);
    for (int m = 0; m < 27; m++) {
        const int64_t q[3] = {p[0] + m % 3 - 1, p[1] + m / 3 % 3 - 1, p[2] + m / 9 - 1};
        if (q[0] < 1 || q[1] < 0 || q[2] < 0 || q[0] > n || q[1] > n || q[2] > n) continue;
        for (int j = 0; j < 3; j++) {
            col[count] = (int32_t)(3 * ((q[2] * (n + 1) + q[1]) * n + q[0] - 1) + j);
            value[count++] = sum[m][j];
        }
    }
    return count;
}

static gsolve_status generate(gsolve_csr *csr, gsolve_context *ctx, const void *options)
{
    const elasticity_options *o = options;
    const int64_t rows = 3 * (int64_t)o->n * (o->n + 1) * (o->n + 1);
    elasticity e = {.n = o->n};
    const gs_row_source source = {rows, rows, 81, row, &e};

    integrate(&e, o->young, o->poisson);
    return gs_csr_by_rows(csr, ctx, &source);
}

static const gsolve_option table[] = {
    {"n", "elements along an edge", GSOLVE_INT, offsetof(elasticity_options, n), 16, 1, 890, NULL},
    {"young", "modulus of Young", GSOLVE_REAL, offsetof(elasticity_options, young), 1, 1e-300, 1e300,
     NULL},
    {"poisson", "ratio of Poisson", GSOLVE_REAL, offsetof(elasticity_options, poisson), 0.3, 0,
     0.4999, NULL},
    {0},
};

const gs_generator gs_elasticity3d = {
    {"elasticity3d", "trilinear hexahedra, 3 unknowns a node, one face clamped; SPD", table,
     sizeof(elasticity_options)},
    generate,
};
