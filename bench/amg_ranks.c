/* amg_ranks.c: the program of bench/amg_ranks.py: multigrid of gsolve and of PETSc over MPI
 * processes, in turn on the same rows, with the same b = A 1, x0 = 0 and |b - Ax| <= 1e-8 |b|.
 *
 *     mpirun -n 2 amg_ranks MATRIX EDGE RUNS CONFIGURATION...
 *
 * EDGE: of gen:elasticity3d,n=EDGE, whose near-null vectors all get from the coordinates of the
 * nodes; 0: another matrix. CONFIGURATION: "gsolve FORMAT PRECOND", or "petsc OPTIONS" for KSP.
 * Prints a line of JSON for each run: seconds of all ranks until the matrix stands in the solver's
 * storage, of the set-up and of the solve; iterations, the residual |b - Ax| / |b| that PETSc's
 * product finds for x, and the bytes that the process of rank 0 holds most up to then. */
#include <gsolve_io.h>
#include <gsolve_mpi.h>
#include <petscksp.h>
#include <string.h>
#include <sys/resource.h>

enum { UNKNOWNS = 3 }; /* of a node of elasticity3d */

typedef struct problem {
    gsolve_context *ctx;
    gsolve_dist_csr rows; /* of this rank */
    int edge;
    double *xyz; /* coordinates of this rank's nodes, by nodes */
    Mat A;       /* the matrix that checks the solutions */
    Vec b, x, r;
} problem;

typedef struct run {
    double build, setup, solve, residual;
    int iterations; /* -1: not converged */
} run;

static void check(gsolve_context *ctx, gsolve_status status)
{
    if (status == GSOLVE_OK) return;
    fprintf(stderr, "amg_ranks: %s\n", ctx ? gsolve_error(ctx) : gsolve_mpi_error());
    MPI_Abort(PETSC_COMM_WORLD, 1);
}

/* The time when all ranks are here. */
static double now(void)
{
    MPI_Barrier(PETSC_COMM_WORLD);
    return MPI_Wtime();
}

/* --- the system ------------------------------------------------------------------------------- */

/* The nodes of n x n x n elements, whose face x = 0 is fixed and has no unknowns. */
static double *make_coordinates(const gsolve_row_range *rows, int64_t n)
{
    const int64_t first = rows->first / UNKNOWNS, count = rows->count / UNKNOWNS;
    double *xyz = malloc((size_t)(count * UNKNOWNS + 1) * sizeof *xyz);

    for (int64_t k = 0; k < count; k++) {
        const int64_t i = first + k;
        xyz[UNKNOWNS * k] = (double)(1 + i % n);
        xyz[UNKNOWNS * k + 1] = (double)(i / n % (n + 1));
        xyz[UNKNOWNS * k + 2] = (double)(i / n / (n + 1));
    }
    return xyz;
}

static PetscErrorCode set_rigid_body_modes(const problem *s, Mat A)
{
    MatNullSpace modes;
    PetscScalar *to;
    Vec xyz;

    PetscFunctionBeginUser;
    PetscCall(MatCreateVecs(A, &xyz, NULL));
    PetscCall(VecSetBlockSize(xyz, UNKNOWNS));
    PetscCall(VecGetArray(xyz, &to));
    memcpy(to, s->xyz, (size_t)s->rows.rows.count * sizeof *to);
    PetscCall(VecRestoreArray(xyz, &to));
    PetscCall(MatNullSpaceCreateRigidBody(xyz, &modes));
    PetscCall(MatSetNearNullSpace(A, modes));
    PetscCall(MatNullSpaceDestroy(&modes));
    PetscCall(VecDestroy(&xyz));
    PetscFunctionReturn(0);
}

/* *A = the rows in PETSc's storage. start and col: the pattern, in the integers of PETSc. */
static PetscErrorCode make_petsc(const problem *s, const PetscInt *start, const PetscInt *col,
                                 Mat *A)
{
    const PetscInt n = s->rows.rows.count, total = (PetscInt)s->rows.rows.total;

    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, n, n, total, total));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatSetBlockSize(*A, s->edge > 0 ? UNKNOWNS : 1));
    PetscCall(MatSeqAIJSetPreallocationCSR(*A, start, col, s->rows.value));
    PetscCall(MatMPIAIJSetPreallocationCSR(*A, start, col, s->rows.value));
    PetscFunctionReturn(0);
}

/* make_petsc from the rows as they are. */
static PetscErrorCode convert(const problem *s, Mat *A, double *seconds)
{
    const PetscInt n = s->rows.rows.count;
    const bool wide = s->rows.offset == GSOLVE_O64;
    PetscInt *start = malloc(((size_t)n + 1) * sizeof *start), *col;

    PetscFunctionBeginUser;
    for (PetscInt i = 0; i <= n; i++) {
        start[i] = (PetscInt)(wide ? ((const int64_t *)s->rows.start)[i]
                                   : ((const int32_t *)s->rows.start)[i]);
    }
    col = malloc(((size_t)start[n] + 1) * sizeof *col);
    for (PetscInt k = 0; k < start[n]; k++) col[k] = (PetscInt)s->rows.col[k];
    *seconds = -now();
    PetscCall(make_petsc(s, start, col, A));
    if (s->edge > 0) PetscCall(set_rigid_body_modes(s, *A));
    *seconds += now();
    free(start);
    free(col);
    PetscFunctionReturn(0);
}

static PetscErrorCode make_system(problem *s, const char *matrix)
{
    double seconds;

    PetscFunctionBeginUser;
    check(NULL, gsolve_context_create_mpi(&s->ctx, "cpu,threads=1", PETSC_COMM_WORLD));
    check(s->ctx, gsolve_read_matrix_dist(&s->rows, s->ctx, matrix, NULL, NULL));
    s->xyz = make_coordinates(&s->rows.rows, s->edge > 0 ? s->edge : 1);
    PetscCall(convert(s, &s->A, &seconds));
    PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
    PetscCall(VecDuplicate(s->b, &s->r));
    PetscCall(VecSet(s->x, 1));
    PetscCall(MatMult(s->A, s->x, s->b));
    PetscFunctionReturn(0);
}

static PetscErrorCode residual_of(const problem *s, double *residual)
{
    PetscReal norm, whole;

    PetscFunctionBeginUser;
    PetscCall(MatMult(s->A, s->x, s->r));
    PetscCall(VecAXPY(s->r, -1, s->b));
    PetscCall(VecNorm(s->r, NORM_2, &norm));
    PetscCall(VecNorm(s->b, NORM_2, &whole));
    *residual = norm / whole;
    PetscFunctionReturn(0);
}

/* --- one run ---------------------------------------------------------------------------------- */

/* x of PETSc as a vector of gsolve. */
static gsolve_dense view(PetscScalar *value, const problem *s)
{
    const int32_t n = s->rows.rows.count;

    return (gsolve_dense){n, 1, n, value, GSOLVE_F64, GSOLVE_HOST, GSOLVE_COLUMN_MAJOR};
}

static void set_up_gsolve(const problem *s, const gsolve_matrix *A, const char *spec,
                          gsolve_precond **M, gsolve_solver **S)
{
    const int32_t nodes = s->rows.rows.count / UNKNOWNS;
    double *xyz = malloc(((size_t)nodes * UNKNOWNS + 1) * sizeof *xyz); /* by coordinates */

    for (int32_t i = 0; i < nodes; i++) {
        for (int c = 0; c < UNKNOWNS; c++) xyz[c * nodes + i] = s->xyz[UNKNOWNS * i + c];
    }
    check(s->ctx, gsolve_precond_create_from(M, s->ctx, spec, A));
    if (s->edge > 0) {
        check(s->ctx, gsolve_precond_set_coordinates(*M, (gsolve_dense){nodes, UNKNOWNS, nodes, xyz,
                                                                        GSOLVE_F64, GSOLVE_HOST,
                                                                        GSOLVE_COLUMN_MAJOR}));
    }
    check(s->ctx, gsolve_solver_create(S, s->ctx, "cg,rtol=1e-8", A, *M));
    free(xyz);
}

/* text: "FORMAT PRECOND" */
static PetscErrorCode run_gsolve(const problem *s, const char *text, run *run)
{
    gsolve_result result = GSOLVE_INIT(gsolve_result);
    char format[64];
    gsolve_matrix *A = NULL;
    gsolve_precond *M = NULL;
    gsolve_solver *S = NULL;
    PetscScalar *b, *x;

    PetscFunctionBeginUser;
    snprintf(format, sizeof format, "%.*s", (int)strcspn(text, " "), text);
    text += strcspn(text, " ");
    text += strspn(text, " ");
    PetscCall(VecGetArray(s->b, &b));
    PetscCall(VecGetArray(s->x, &x));
    run->build = -now();
    check(s->ctx, gsolve_matrix_create_dist(&A, s->ctx, format, &s->rows));
    run->build += now();
    run->setup = -now();
    set_up_gsolve(s, A, text, &M, &S);
    run->setup += now();
    run->solve = -now();
    check(s->ctx, gsolve_solver_run(S, view(b, s), view(x, s), &result));
    run->solve += now();
    run->iterations = result.outcome == GSOLVE_CONVERGED ? result.iterations : -1;
    PetscCall(VecRestoreArray(s->b, &b));
    PetscCall(VecRestoreArray(s->x, &x));
    gsolve_solver_destroy(&S);
    gsolve_precond_destroy(&M);
    gsolve_matrix_destroy(&A);
    PetscFunctionReturn(0);
}

/* text: options */
static PetscErrorCode run_petsc(const problem *s, const char *text, run *run)
{
    KSPConvergedReason reason;
    PetscInt iterations;
    KSP ksp;
    Mat A;

    PetscFunctionBeginUser;
    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscOptionsInsertString(NULL, text));
    PetscCall(convert(s, &A, &run->build));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 1000));
    PetscCall(KSPSetFromOptions(ksp));
    run->setup = -now();
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    run->setup += now();
    run->solve = -now();
    PetscCall(KSPSolve(ksp, s->b, s->x));
    run->solve += now();
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    run->iterations = reason > 0 ? (int)iterations : -1;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode run_one(const problem *s, int number, const char *configuration)
{
    struct rusage usage;
    run run = {0};

    PetscFunctionBeginUser;
    PetscCall(VecSet(s->x, 0));
    if (strncmp(configuration, "gsolve ", 7) == 0) {
        PetscCall(run_gsolve(s, configuration + 7, &run));
    } else if (strncmp(configuration, "petsc ", 6) == 0) {
        PetscCall(run_petsc(s, configuration + 6, &run));
    } else {
        fprintf(stderr, "amg_ranks: '%s' begins with neither gsolve nor petsc\n", configuration);
        MPI_Abort(PETSC_COMM_WORLD, 1);
    }
    PetscCall(residual_of(s, &run.residual));
    getrusage(RUSAGE_SELF, &usage);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "{\"configuration\": %d, \"build\": %.6f, \"setup\": %.6f, "
                          "\"solve\": %.6f, \"iterations\": %d, \"residual\": %.6e, "
                          "\"bytes\": %ld}\n",
                          number, run.build, run.setup, run.solve, run.iterations, run.residual,
                          1024 * usage.ru_maxrss));
    fflush(stdout);
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    int none = 1, runs;
    problem s = {0};

    PetscCall(PetscInitialize(&none, &argv, NULL, NULL));
    if (argc < 5) {
        fprintf(stderr, "usage: amg_ranks MATRIX EDGE RUNS CONFIGURATION...\n");
        return 1;
    }
    s.edge = atoi(argv[2]);
    runs = atoi(argv[3]);
    PetscCall(make_system(&s, argv[1]));
    for (int k = 0; k < runs; k++) {
        for (int c = 4; c < argc; c++) PetscCall(run_one(&s, c - 4, argv[c]));
    }
    PetscCall(VecDestroy(&s.b));
    PetscCall(VecDestroy(&s.x));
    PetscCall(VecDestroy(&s.r));
    PetscCall(MatDestroy(&s.A));
    gsolve_dist_csr_free(&s.rows, s.ctx);
    gsolve_context_destroy(&s.ctx);
    free(s.xyz);
    PetscCall(PetscFinalize());
    return 0;
}
