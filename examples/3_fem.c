/* 3_fem.c: linear finite elements for -div k grad u = f on an annulus, u = 0 on its boundary, for
 * several k. The mesh consists of rings of points, which are shifted a little. Each element gives 9
 * triplets (row, column, value). gsolve sorts their positions once and adds their values in each
 * step. Points on the boundary have the number -1, so that their triplets are skipped.
 */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>

enum { RINGS = 60, AROUND = 240, POINTS = RINGS * AROUND, UNKNOWNS = POINTS - 2 * AROUND };
enum { ELEMENTS = 2 * (RINGS - 1) * AROUND, STEPS = 3 };

static const double pi = 3.14159265358979324;
static double px[POINTS], py[POINTS];
static int32_t row[ELEMENTS][9], col[ELEMENTS][9];
static double value[ELEMENTS][9], load[UNKNOWNS], u[UNKNOWNS];

static double exact(double x, double y) /* 0 for r = 1 and r = 2 */
{
    const double r = sqrt(x * x + y * y);
    return sin(pi * (r - 1));
}

static double source(double x, double y) /* -(u_rr + u_r / r) */
{
    const double r = sqrt(x * x + y * y);
    return pi * pi * sin(pi * (r - 1)) - pi * cos(pi * (r - 1)) / r;
}

static void make_points(void)
{
    for (int ring = 0; ring < RINGS; ring++) {
        for (int k = 0; k < AROUND; k++) {
            const int p = ring * AROUND + k;
            const int inner = ring > 0 && ring < RINGS - 1;
            const double shift = inner ? 0.3 * sin(12.9898 * p) : 0; /* no two cells are equal */
            const double r = 1 + (ring + shift) / (RINGS - 1);
            const double angle = 2 * pi * (k + 0.5 * (ring % 2) + shift) / AROUND;
            px[p] = r * cos(angle);
            py[p] = r * sin(angle);
        }
    }
}

static int number(int p) /* of the unknown in point p */
{
    return p < AROUND || p >= POINTS - AROUND ? -1 : p - AROUND;
}

/* The corners of element e: two for each quadrangle between two rings. */
static void corners(int e, int node[3])
{
    const int cell = e / 2, ring = cell / AROUND, k = cell % AROUND;
    const int a = ring * AROUND + k, b = ring * AROUND + (k + 1) % AROUND;
    const int c = a + AROUND, d = b + AROUND, odd = ring % 2; /* odd rings are half a step apart */

    node[0] = e % 2 && !odd ? b : a;
    node[1] = e % 2 ? d : b;
    node[2] = !(e % 2) && odd ? d : c;
}

/* The positions of element e. */
static void place(int e)
{
    int node[3];

    corners(e, node);
    for (int k = 0; k < 9; k++) row[e][k] = number(node[k / 3]), col[e][k] = number(node[k % 3]);
}

/* The 3 x 3 matrix of element e for a coefficient k, and its load. */
static void compute(int e, double k)
{
    int n[3];

    corners(e, n);
    const double area2 = (px[n[1]] - px[n[0]]) * (py[n[2]] - py[n[0]]) -
                         (px[n[2]] - px[n[0]]) * (py[n[1]] - py[n[0]]);
    const double x = (px[n[0]] + px[n[1]] + px[n[2]]) / 3, y = (py[n[0]] + py[n[1]] + py[n[2]]) / 3;
    for (int i = 0; i < 3; i++) {
        const int q = n[(i + 1) % 3], r = n[(i + 2) % 3], p = number(n[i]);
        for (int j = 0; j < 3; j++) {
            const int t = n[(j + 1) % 3], v = n[(j + 2) % 3];
            value[e][3 * i + j] =
                k * ((py[q] - py[r]) * (py[t] - py[v]) + (px[r] - px[q]) * (px[v] - px[t])) /
                (2 * fabs(area2));
        }
        if (p >= 0) load[p] += fabs(area2) / 6 * source(x, y);
    }
}

/* The largest error of u, which is exact / k. */
static double error(double k)
{
    double worst = 0;

    for (int p = 0; p < POINTS; p++) {
        const int i = number(p);
        if (i >= 0) worst = fmax(worst, fabs(k * u[i] - exact(px[p], py[p])));
    }
    return worst;
}

int main(void)
{
    const gsolve_triplets triplets = {
        .nrows = UNKNOWNS, .ncols = UNKNOWNS, .count = 9 * ELEMENTS, .row = row, .col = col};
    gsolve_context *ctx = NULL;
    gsolve_assembly *plan = NULL;
    gsolve_auto *solver = NULL;
    gsolve_matrix *A = NULL;
    gsolve_csr csr;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    make_points();
    for (int e = 0; e < ELEMENTS; e++) place(e);
    if (gsolve_context_create(&ctx, "auto") ||
        gsolve_assembly_create(&plan, ctx, GSOLVE_F64, &triplets) ||
        gsolve_assembly_csr(plan, &csr) || gsolve_matrix_create(&A, ctx, "csr", &csr) ||
        gsolve_auto_create_from(&solver, ctx, "rtol=1e-8", A)) {
        goto failed;
    }
    for (int step = 1; step <= STEPS; step++) {
        const double k = step;
        for (int i = 0; i < UNKNOWNS; i++) load[i] = u[i] = 0;
        for (int e = 0; e < ELEMENTS; e++) compute(e, k);
        if (gsolve_matrix_update_assembled(A, plan, value, GSOLVE_HOST) ||
            gsolve_auto_run(solver, gsolve_vector(load, UNKNOWNS), gsolve_vector(u, UNKNOWNS),
                            &result)) {
            goto failed;
        }
        printf("k = %g, %d unknowns: %s in %d iterations, largest error %.1e\n", k, UNKNOWNS,
               gsolve_outcome_text(result.outcome), result.iterations, error(k));
        if (result.outcome != GSOLVE_CONVERGED || error(k) > 5e-3) return 1;
    }
    gsolve_context_destroy(&ctx); /* destroys the other handles, too */
    return 0;
failed:
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    return 1;
}
