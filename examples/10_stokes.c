/* 10_stokes.c: the Stokes equations -Laplace(u) + grad p = f, div u = 0 on a staggered grid, solved
 * by minres with a block preconditioner of the program. The matrix [A B'; B 0] is symmetric and
 * indefinite; the preconditioner is positive definite: multigrid for a Laplacian like that of each
 * velocity component, and the identity for the Schur complement B A^-1 B'. Its state is a struct on
 * the stack, to which the library passes a pointer. */
#include <gsolve_io.h>
#include <stdio.h>

enum {
    SIDE = 64,              /* cells of a side */
    NU = SIDE * (SIDE - 1), /* horizontal velocities, on inner edges; as many vertical */
    NV = 2 * NU,            /* velocities */
    N = NV + SIDE * SIDE,   /* and pressures */
};
static int32_t start[N + 1], col[7 * N], count;
static double value[7 * N], b[N], x[N];

static void put(int32_t column, double number)
{
    col[count] = column;
    value[count++] = number;
}

/* The velocity at edge (i, j), with i across and j along its direction. Direction 0 is u on the
 * edge between the cells (j, i) and (j + 1, i), and 1 is v between (i, j) and (i, j + 1). */
static int32_t edge(int direction, int32_t i, int32_t j)
{
    return direction * NU + i * (SIDE - 1) + j;
}

/* A row of A and B': the five-point stencil with step width 1, and u = 0 on the walls. */
static void put_velocity(int direction, int32_t i, int32_t j)
{
    const int32_t cell = direction == 0 ? i * SIDE + j : j * SIDE + i;

    if (i > 0) put(edge(direction, i - 1, j), -1);
    if (j > 0) put(edge(direction, i, j - 1), -1);
    put(edge(direction, i, j), 4 + (i == 0) + (i == SIDE - 1)); /* half a cell from the wall */
    if (j + 2 < SIDE) put(edge(direction, i, j + 1), -1);
    if (i + 1 < SIDE) put(edge(direction, i + 1, j), -1);
    put(NV + cell, -1);
    put(NV + cell + (direction == 0 ? 1 : SIDE), 1);
}

/* A row of B: minus the divergence in the cell in column c and row r. */
static void put_cell(int32_t c, int32_t r)
{
    if (c > 0) put(edge(0, r, c - 1), 1);
    if (c + 1 < SIDE) put(edge(0, r, c), -1);
    if (r > 0) put(edge(1, c, r - 1), 1);
    if (r + 1 < SIDE) put(edge(1, c, r), -1);
}

typedef struct blocks {
    gsolve_precond *velocity; /* of one component */
    int applications;
} blocks;

/* z = M^-1 r, block by block */
static gsolve_status apply(gsolve_context *ctx, gsolve_dense r, gsolve_dense z, void *user)
{
    blocks *M = user;
    double *from = r.value, *to = z.value;
    const gsolve_dense ru = {NU, 2, NU, from, r.type, r.location, r.layout}; /* u and v */
    const gsolve_dense zu = {NU, 2, NU, to, z.type, z.location, z.layout};

    (void)ctx, M->applications++;
    for (int32_t i = NV; i < N; i++) to[i] = from[i];
    return gsolve_precond_apply(M->velocity, ru, zu);
}

int main(void)
{
    blocks state = {0};
    gsolve_context *ctx = NULL;
    gsolve_csr laplacian = {0}, csr = gsolve_csr_view(N, start, col, value);
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    gsolve_result result = GSOLVE_INIT(gsolve_result);

    for (int32_t k = 0; k < N; k++, start[k] = count) {
        if (k < NV) put_velocity(k / NU, k % NU / (SIDE - 1), k % NU % (SIDE - 1));
        if (k >= NV) put_cell((k - NV) % SIDE, (k - NV) / SIDE);
    }
    for (int32_t j = 0; j + 1 < SIDE; j++) b[edge(0, SIDE - 1, j)] = 2; /* the lid moves: u = 1 */
    if (gsolve_context_create(&ctx, "cpu") || gsolve_matrix_create(&A, ctx, "auto", &csr) ||
        gsolve_read_matrix(&laplacian, ctx, "gen:poisson2d,nx=63,ny=64", NULL, NULL) ||
        gsolve_precond_create(&state.velocity, ctx, "amg", &laplacian) ||
        gsolve_precond_create_function(&M, ctx, N, GSOLVE_F64, apply, NULL, &state) ||
        gsolve_solver_create(&S, ctx, "minres,rtol=1e-8", A, M) ||
        gsolve_solver_run(S, gsolve_vector(b, N), gsolve_vector(x, N), &result)) {
        fprintf(stderr, "%s\n", gsolve_error(ctx));
    }
    printf("%d unknowns: minres %s in %d iterations, residual %.1e, %d applications\n", N,
           gsolve_outcome_text(result.outcome), result.iterations, result.relative_residual,
           state.applications);
    gsolve_context_destroy(&ctx); /* also destroys the other handles and arrays */
    return state.applications > 0 && result.outcome == GSOLVE_CONVERGED ? 0 : 1;
}
