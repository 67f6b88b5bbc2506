/* 12_neumann.c: -(u_xx + u_yy) = f on the unit square with du/dn = 0 on its boundary. u is unique
 * only up to a constant, so that A is singular: its null space are the constants. A solution exists
 * only if the integral of f is 0. Here it is not: f = 5 pi^2 cos(pi x) cos(2 pi y) + 1. The solver
 * returns the least-squares solution, which belongs to f without its mean: u = cos(pi x) cos(2 pi
 * y). */
#include <gsolve.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 200, ROWS = N * N }; /* cells */

/* The cell (i, j) exchanges its difference with up to four neighbours. Returns the entries. */
static int32_t add_row(int i, int j, int32_t *col, double *value)
{
    static const int step[4][2] = {{-1, 0}, {0, -1}, {0, 1}, {1, 0}};
    int32_t at = 0, diagonal = 0;

    for (int k = 0; k < 4; k++) {
        const int p = i + step[k][0], q = j + step[k][1];
        if (p < 0 || p >= N || q < 0 || q >= N) continue;
        col[at] = p * N + q, value[at++] = -1;
        diagonal++;
    }
    col[at] = i * N + j, value[at++] = diagonal;
    return at;
}

static int fail(gsolve_context *ctx)
{
    fprintf(stderr, "%s\n", gsolve_error(ctx));
    gsolve_context_destroy(&ctx);
    return 1;
}

int main(void)
{
    const double pi = acos(-1), h = 1.0 / N;
    const gsolve_null_space constants = {.constants = true};
    int32_t *start = calloc(ROWS + 1, sizeof *start), *col = calloc(5 * ROWS, sizeof *col);
    double *value = calloc(5 * ROWS, sizeof *value), *u = calloc(ROWS, sizeof *u);
    double *b = calloc(ROWS, sizeof *b), *exact = calloc(ROWS, sizeof *exact), worst = 0;
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    if (!start || !col || !value || !u || !b || !exact) return 1;
    for (int32_t row = 0; row < ROWS; row++) {
        const int i = row / N, j = row % N;
        start[row + 1] = start[row] + add_row(i, j, col + start[row], value + start[row]);
        exact[row] = cos(pi * (i + 0.5) * h) * cos(2 * pi * (j + 0.5) * h);
        b[row] = h * h * (5 * pi * pi * exact[row] + 1);
    }
    const gsolve_csr csr = gsolve_csr_view(ROWS, start, col, value);

    if (gsolve_context_create(&ctx, "auto")) return fail(NULL);
    if (gsolve_matrix_create(&A, ctx, "auto", &csr)) return fail(ctx);
    if (gsolve_matrix_set_null_space(A, &constants, NULL)) return fail(ctx);
    if (gsolve_precond_create_from(&M, ctx, "amg", A)) return fail(ctx);
    if (gsolve_solver_create(&S, ctx, "cg", A, M)) return fail(ctx);
    if (gsolve_solver_run(S, gsolve_vector(b, ROWS), gsolve_vector(u, ROWS), &result))
        return fail(ctx);

    for (int32_t row = 0; row < ROWS; row++) worst = fmax(worst, fabs(u[row] - exact[row]));
    printf("%s after %d iterations, largest error %.1e\n%s\n", gsolve_outcome_text(result.outcome),
           result.iterations, worst, gsolve_solver_explain(S));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    gsolve_context_destroy(&ctx);
    free(start), free(col), free(value), free(u), free(b), free(exact);
    return result.outcome == GSOLVE_LEAST_SQUARES && worst < 1e-3 ? 0 : 1;
}
