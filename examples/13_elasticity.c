/* 13_elasticity.c: an elastic block of N x N x N trilinear hexahedra, clamped at x = 0. The matrix
 * is assembled in blocks of 3 x 3, one for each pair of neighbouring nodes, and solved for three
 * loads at once, in row-major vectors: the three components of a node are adjacent, and so are the
 * three loads of a component. Then the material changes, and the same objects solve again. */
#include <gsolve.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 12, NODES = N * (N + 1) * (N + 1), ROWS = 3 * NODES, LOADS = 3 };
static int32_t start[NODES + 1], col[27 * NODES];
static double value[27 * NODES][9], xyz[3][NODES], b[ROWS][LOADS], u[ROWS][LOADS];

/* The integral of two hat functions, which are 1 at p and at q, over N elements of length 1, times
 * 1 in the first half and `upper` in the second. dp, dq: of the derivative instead. */
static double integral(int p, int q, int dp, int dq, double upper)
{
    double sum = 0;

    for (int e = 0; e < N; e++) {
        double part = p == q ? 1 / 3.0 : 1 / 6.0;
        if (e < p - 1 || e > p || e < q - 1 || e > q) continue; /* one of them is 0 */
        if (dp || dq) part = (!dp ? 0.5 : e < p ? 1 : -1) * (!dq ? 0.5 : e < q ? 1 : -1);
        sum += part * (e < N / 2 ? 1 : upper);
    }
    return sum;
}

/* The integral of two derivatives: of the shape function of node p, a product of hat functions, in
 * direction i, and of that of node q in direction j. */
static double product(const int *p, const int *q, int i, int j, double upper)
{
    return integral(p[0], q[0], i == 0, j == 0, 1) * integral(p[1], q[1], i == 1, j == 1, 1) *
           integral(p[2], q[2], i == 2, j == 2, upper);
}

/* K_pq = the integral of lambda g_p g_q' + mu (g_q g_p' + g_p.g_q I), for Poisson's ratio 0.3. */
static double stiffness(const int *p, const int *q, int i, int j, double upper)
{
    const double mu = 0.5 / 1.3, lambda = 0.3 / (1.3 * 0.4);
    double s = lambda * product(p, q, i, j, upper) + mu * product(p, q, j, i, upper);

    for (int d = 0; d < 3 && i == j; d++) s += mu * product(p, q, d, d, upper);
    return s / N;
}

/* Fills the block rows in the order of their columns. Nodes with x = 0 are clamped and have no
 * number. The upper half has this Young's modulus, the lower half 1. */
static void assemble(double upper)
{
    int32_t count = 0;

    for (int node = 0; node < NODES; node++) {
        const int p[] = {node % N + 1, node / N % (N + 1), node / N / (N + 1)};
        start[node] = count;
        for (int d = 0; d < 3; d++) xyz[d][node] = (double)p[d] / N;
        for (int k = 0; k < 27; k++) {
            const int q[] = {p[0] + k % 3 - 1, p[1] + k / 3 % 3 - 1, p[2] + k / 9 - 1};
            if (q[0] < 1 || q[0] > N || q[1] < 0 || q[1] > N || q[2] < 0 || q[2] > N) continue;
            for (int i = 0; i < 9; i++) value[count][i] = stiffness(p, q, i / 3, i % 3, upper);
            col[count++] = q[0] - 1 + N * (q[1] + (N + 1) * q[2]);
        }
    }
    start[NODES] = count;
}

int main(void)
{
    const gsolve_blocked K = gsolve_blocked_view(NODES, 3, start, col, &value[0][0]);
    const gsolve_dense nodes = {NODES, 3, NODES, xyz, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
    const gsolve_dense B = {ROWS, LOADS, LOADS, b, GSOLVE_F64, GSOLVE_HOST, GSOLVE_ROW_MAJOR};
    const gsolve_dense U = {ROWS, LOADS, LOADS, u, GSOLVE_F64, GSOLVE_HOST, GSOLVE_ROW_MAJOR};
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int node = 0; node < NODES; node++) { /* load c pulls the face x = 1 in direction c */
        for (int c = 0; c < LOADS && node % N == N - 1; c++) b[3 * node + c][c] = 0.01 / N / N;
    }
    assemble(1);
    if (gsolve_context_create(&ctx, "auto") || gsolve_matrix_create_blocks(&A, ctx, "auto", &K) ||
        gsolve_precond_create_from(&M, ctx, "amg,near_null=given", A) ||
        gsolve_precond_set_coordinates(M, nodes) || gsolve_solver_create(&S, ctx, "cg", A, M))
        goto failed;
    for (double upper = 1; upper > 0.2; upper *= 0.25) { /* 1, and then softer */
        assemble(upper);
        if (gsolve_matrix_update_blocks(A, &K) || gsolve_precond_update_from(M, A) ||
            gsolve_solver_run(S, B, U, &result))
            goto failed;
        printf("upper half %g: %s in %d iterations, the last node moves by %.4f\n", upper,
               gsolve_outcome_text(result.outcome), result.iterations, u[ROWS - 3][0]);
        if (result.outcome != GSOLVE_CONVERGED) return 2;
    }
    gsolve_context_destroy(&ctx);
    return 0;
failed:
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    return 1;
}
