/* 10_stokes.c: the Stokes equations -Laplace(u) + grad p = f, div u = 0 on a staggered grid, solved
 * by minres with a block preconditioner of the program. The matrix [A B'; B 0] is symmetric and
 * indefinite; the preconditioner is positive definite: multigrid for the velocity block A, and the
 * scaled identity for the Schur complement B A^-1 B'. Its state is a struct on the stack, to which
 * the library passes a pointer. */
#include <gsolve.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SIDE = 64,              /* cells of a side */
    NU = SIDE * (SIDE - 1), /* horizontal velocities, on inner edges; as many vertical */
    NV = 2 * NU,            /* velocities */
    N = NV + SIDE * SIDE,   /* and pressures */
};

/* --- the matrix, in which the step width is 1 ------------------------------------------------- */

typedef struct rows {
    int32_t n, *start, *col, at; /* the first n rows and columns of the matrix */
    double *value;
} rows;

static void put(rows *A, int32_t col, double value)
{
    if (col >= A->n) return;
    A->col[A->at] = col;
    A->value[A->at++] = value;
}

/* The velocity at edge (i, j), with i across and j along its direction. Direction 0 is u on the
 * edge between the cells (j, i) and (j + 1, i), and 1 is v between (i, j) and (i, j + 1). */
static int32_t edge(int direction, int32_t i, int32_t j)
{
    return direction * NU + i * (SIDE - 1) + j;
}

static int32_t pressure(int direction, int32_t i, int32_t j)
{
    return NV + (direction == 0 ? i * SIDE + j : j * SIDE + i);
}

/* A row of A and B': the five-point stencil, with u = 0 on the walls. */
static void put_velocity(rows *A, int direction, int32_t i, int32_t j)
{
    if (i > 0) put(A, edge(direction, i - 1, j), -1);
    if (j > 0) put(A, edge(direction, i, j - 1), -1);
    put(A, edge(direction, i, j), 4 + (i == 0) + (i == SIDE - 1)); /* half a cell from the wall */
    if (j + 2 < SIDE) put(A, edge(direction, i, j + 1), -1);
    if (i + 1 < SIDE) put(A, edge(direction, i + 1, j), -1);
    put(A, pressure(direction, i, j), -1);
    put(A, pressure(direction, i, j + 1), 1);
}

/* A row of B: minus the divergence in the cell in column x and row y. */
static void put_cell(rows *A, int32_t x, int32_t y)
{
    if (x > 0) put(A, edge(0, y, x - 1), 1);
    if (x + 1 < SIDE) put(A, edge(0, y, x), -1);
    if (y > 0) put(A, edge(1, x, y - 1), 1);
    if (y + 1 < SIDE) put(A, edge(1, x, y), -1);
}

static gsolve_csr assemble(rows *A, int32_t n)
{
    *A = (rows){.n = n};
    A->start = calloc((size_t)n + 1, sizeof *A->start);
    A->col = malloc(7 * (size_t)n * sizeof *A->col);
    A->value = malloc(7 * (size_t)n * sizeof *A->value);
    for (int32_t k = 0; k < n; k++) {
        const int32_t at = k % NU, cell = k - NV;
        if (k < NV) put_velocity(A, k / NU, at / (SIDE - 1), at % (SIDE - 1));
        if (k >= NV) put_cell(A, cell % SIDE, cell / SIDE);
        A->start[k + 1] = A->at;
    }
    return gsolve_csr_view(n, A->start, A->col, A->value);
}

/* --- the preconditioner ------------------------------------------------------------------------
 */

typedef struct blocks {
    gsolve_precond *velocity;
    double schur; /* the Schur complement is about this multiple of the identity */
    int applications;
} blocks;

/* z = M^-1 r, block by block */
static gsolve_status apply(gsolve_context *ctx, gsolve_dense r, gsolve_dense z, void *user)
{
    blocks *M = user;
    gsolve_dense ru = r, zu = z; /* the velocities come first */
    const double *rp = (const double *)r.value + NV;
    double *zp = (double *)z.value + NV;

    (void)ctx;
    M->applications++;
    ru.nrows = zu.nrows = NV;
    for (int32_t i = 0; i < N - NV; i++) zp[i] = rp[i] / M->schur;
    return gsolve_precond_apply(M->velocity, ru, zu);
}

int main(void)
{
    rows K, V;
    const gsolve_csr csr = assemble(&K, N), velocities = assemble(&V, NV);
    double *b = calloc(N, sizeof *b), *x = calloc(N, sizeof *x);
    blocks state = {.schur = 1};
    gsolve_context *ctx = NULL;
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int32_t j = 0; j + 1 < SIDE; j++) b[edge(0, SIDE - 1, j)] = 2; /* the lid moves: u = 1 */
    if (gsolve_context_create(&ctx, "cpu") || gsolve_matrix_create(&A, ctx, "auto", &csr) ||
        gsolve_precond_create(&state.velocity, ctx, "amg", &velocities) ||
        gsolve_precond_create_function(&M, ctx, N, GSOLVE_F64, apply, NULL, &state) ||
        gsolve_solver_create(&S, ctx, "minres,rtol=1e-8", A, M) ||
        gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result)) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
    }
    printf("%d unknowns: minres %s in %d iterations, residual %.1e, %d applications\n", N,
           gsolve_outcome_text(result.outcome), result.iterations, result.relative_residual,
           state.applications);
    gsolve_context_destroy(&ctx); /* also destroys the other handles */
    free(K.start), free(K.col), free(K.value);
    free(V.start), free(V.col), free(V.value);
    free(b), free(x);
    return state.applications > 0 && result.outcome == GSOLVE_CONVERGED ? 0 : 1;
}
