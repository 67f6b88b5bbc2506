/* 13_elasticity.c: an elastic block of N x N x N trilinear hexahedra, clamped at x = 0. The matrix
 * is assembled in blocks of 3 x 3, one for each pair of neighbouring nodes, and solved for three
 * loads at once, in row-major vectors: the three components of a node are adjacent, and so are the
 * three loads of a component. Then the material changes, and the same objects solve again. */
#include <gsolve.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, NODES = N * (N + 1) * (N + 1), ROWS = 3 * NODES, LOADS = 3 };
static double element[8][8][3][3]; /* stiffness of an element with Young's modulus 1 */
static int32_t start[NODES + 1], col[27 * NODES];
static double value[27 * NODES][3][3], xyz[3][NODES], b[ROWS][LOADS], u[ROWS][LOADS];

/* The derivative of corner a's shape function in direction d, at a point of the unit cube. */
static double slope(int a, int d, const double *p)
{
    double s = a >> d & 1 ? 1 : -1;

    for (int k = 0; k < 3; k++) s *= k == d ? 1 : a >> k & 1 ? p[k] : 1 - p[k];
    return s;
}

/* K_ab = the integral of lambda g_a g_b' + mu (g_b g_a' + g_a.g_b I), by 2 x 2 x 2 Gauss points. */
static void make_element(double poisson)
{
    const double gauss[] = {0.21132486540518712, 0.78867513459481288}, h = 1.0 / N;
    const double lambda = poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = 0.5 / (1 + poisson);

    for (int k = 0; k < 8 * 64 * 9; k++) {
        const int q = k % 8, a = k / 8 % 8, c = k / 64 % 8, i = k / 512 % 3, j = k / 1536;
        const double p[] = {gauss[q & 1], gauss[q >> 1 & 1], gauss[q >> 2]};
        double s = lambda * slope(a, i, p) * slope(c, j, p) + mu * slope(a, j, p) * slope(c, i, p);
        for (int d = 0; d < 3 && i == j; d++) s += mu * slope(a, d, p) * slope(c, d, p);
        element[a][c][i][j] += s * h / 8;
    }
}

/* Fills the block rows in the order of their columns. The block of nodes p and q is the sum over
 * the elements that have both as corners. Nodes with x = 0 are clamped and have no number. The
 * upper half has this Young's modulus, the lower half 1. */
static void assemble(double upper)
{
    int32_t count = 0;

    for (int node = 0; node < NODES; node++) {
        const int p[] = {node % N + 1, node / N % (N + 1), node / N / (N + 1)};
        start[node] = count;
        for (int d = 0; d < 3; d++) xyz[d][node] = (double)p[d] / N;
        for (int k = 0; k < 27; k++) {
            const int step[] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            const int q[] = {p[0] + step[0], p[1] + step[1], p[2] + step[2]};
            if (q[0] < 1 || q[0] > N || q[1] < 0 || q[1] > N || q[2] < 0 || q[2] > N) continue;
            memset(value[count], 0, sizeof value[count]);
            for (int a = 0; a < 8; a++) { /* p is corner a, q is corner c of the element at e */
                int e[3], c = 0, inside = 1;
                for (int d = 0; d < 3; d++) {
                    e[d] = p[d] - (a >> d & 1);
                    inside = inside && e[d] >= 0 && e[d] < N && q[d] - e[d] >= 0 && q[d] - e[d] < 2;
                    c += (q[d] - e[d]) * (1 << d);
                }
                for (int i = 0; i < 9 && inside; i++) {
                    value[count][i / 3][i % 3] +=
                        (e[2] < N / 2 ? 1 : upper) * element[a][c][i / 3][i % 3];
                }
            }
            col[count++] = q[0] - 1 + N * (q[1] + (N + 1) * q[2]);
        }
    }
    start[NODES] = count;
}

int main(void)
{
    const gsolve_blocked K = gsolve_blocked_view(NODES, 3, start, col, &value[0][0][0]);
    const gsolve_dense nodes = {NODES, 3, NODES, xyz, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense B = {ROWS, LOADS, LOADS, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_ROW_MAJOR};
    const gsolve_dense U = {ROWS, LOADS, LOADS, u, GSOLVE_F64, GSOLVE_HOST, GSOLVE_ROW_MAJOR};
    const int corner = N - 1 + N * (N + (N + 1) * N); /* the last node */
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result first = GSOLVE_INIT(gsolve_result), second = GSOLVE_INIT(gsolve_result);
    double stretch;

    make_element(0.3);
    assemble(1);
    for (int node = 0; node < NODES; node++) { /* load c pulls the face x = 1 in direction c */
        for (int c = 0; c < LOADS && node % N == N - 1; c++) b[3 * node + c][c] = 0.01 / N / N;
    }
    if (gsolve_context_create(&ctx, "auto") || gsolve_matrix_create_blocks(&A, ctx, "auto", &K) ||
        gsolve_precond_create_from(&M, ctx, "amg,near_null=given", A) ||
        gsolve_precond_set_coordinates(M, nodes) || gsolve_solver_create(&S, ctx, "cg", A, M) ||
        gsolve_solver_run(S, B, U, &first)) {
        goto failed;
    }
    stretch = u[3 * corner][0];
    assemble(0.25);
    if (gsolve_matrix_update_blocks(A, &K) || gsolve_precond_update_from(M, A) ||
        gsolve_solver_run(S, B, U, &second)) {
        goto failed;
    }
    printf("%d unknowns, %d blocks: %s in %d iterations; softer above: %s in %d iterations\n", ROWS,
           (int)start[NODES], gsolve_outcome_text(first.outcome), first.iterations,
           gsolve_outcome_text(second.outcome), second.iterations);
    printf("the pulled corner moves by %.4f, and by %.4f\n", stretch, u[3 * corner][0]);
    gsolve_context_destroy(&ctx);
    return first.outcome || second.outcome || stretch < 0.005 || u[3 * corner][0] < stretch;
failed:
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    return 1;
}
