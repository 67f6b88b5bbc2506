/* peer_ranks_petsc.c: the peer of bench/ranks.py: PETSc solves the systems that gsolve solves over
 * several ranks, with the same rows on each rank. Prints a line of JSON.
 *
 *     mpirun -n 2 peer_ranks_petsc poisson3d|convdiff3d N cg|gmres jacobi|ilu RUNS
 */
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The faces of a point: those of the generators poisson3d and convdiff3d (peclet=1) of gsolve. */
static void faces(int convection, PetscInt n, const PetscInt p[3], double face[3][2])
{
    const double x = (double)(p[0] + 1) / (double)(n + 1) - 0.5;
    const double y = (double)(p[1] + 1) / (double)(n + 1) - 0.5;
    const double velocity[3] = {-2 * y, 2 * x, 0.5};

    for (int a = 0; a < 3; a++) {
        const double v = convection ? velocity[a] : 0;
        face[a][0] = 1 + (v > 0 ? v : 0);
        face[a][1] = 1 + (v < 0 ? -v : 0);
    }
}

static PetscErrorCode make_matrix(Mat *A, int convection, PetscInt n)
{
    const PetscInt step[3] = {1, n, n * n};
    PetscInt first, last;

    PetscFunctionBeginUser;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n, 7,
                           NULL, 7, NULL, A));
    PetscCall(MatGetOwnershipRange(*A, &first, &last));
    for (PetscInt i = first; i < last; i++) {
        const PetscInt p[3] = {i % n, i / n % n, i / n / n};
        double face[3][2], diagonal = 0;
        faces(convection, n, p, face);
        for (int a = 0; a < 3; a++) {
            diagonal += face[a][0] + face[a][1];
            if (p[a] > 0) PetscCall(MatSetValue(*A, i, i - step[a], -face[a][0], INSERT_VALUES));
            if (p[a] < n - 1) {
                PetscCall(MatSetValue(*A, i, i + step[a], -face[a][1], INSERT_VALUES));
            }
        }
        PetscCall(MatSetValue(*A, i, i, diagonal, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_solver(KSP *ksp, Mat A, const char *method, const char *precond)
{
    const int gmres = strcmp(method, "gmres") == 0;
    PC pc;

    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
    PetscCall(KSPSetOperators(*ksp, A, A));
    PetscCall(KSPSetType(*ksp, gmres ? KSPGMRES : KSPCG));
    if (gmres) PetscCall(KSPSetPCSide(*ksp, PC_RIGHT));
    if (gmres) PetscCall(KSPGMRESSetRestart(*ksp, 30));
    PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(*ksp, 1e-8, 0, PETSC_DEFAULT, 10000));
    PetscCall(KSPGetPC(*ksp, &pc));
    PetscCall(PCSetType(pc, strcmp(precond, "jacobi") ? PCBJACOBI : PCJACOBI));
    PetscCall(KSPSetUp(*ksp));
    PetscCall(KSPSetUpOnBlocks(*ksp));
    PetscFunctionReturn(0);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { MOST = 100 };
    double seconds[MOST];
    PetscInt n, iterations = 0;
    PetscMPIInt ranks;
    int runs;
    Mat A;
    Vec x, b;
    KSP ksp;

    if (argc != 6) {
        fprintf(stderr,
                "usage: peer_ranks_petsc poisson3d|convdiff3d N cg|gmres jacobi|ilu RUNS\n");
        return 1;
    }
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    n = atoi(argv[2]);
    runs = atoi(argv[5]) < MOST ? atoi(argv[5]) : MOST;
    PetscCall(make_matrix(&A, strcmp(argv[1], "convdiff3d") == 0, n));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(A, x, b));
    PetscCall(make_solver(&ksp, A, argv[3], argv[4]));
    for (int k = 0; k < runs; k++) {
        PetscCall(VecSet(x, 0));
        PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
        seconds[k] = -MPI_Wtime();
        PetscCall(KSPSolve(ksp, b, x));
        seconds[k] += MPI_Wtime();
    }
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    qsort(seconds, (size_t)runs, sizeof *seconds, compare);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "{\"ranks\": %d, \"iterations\": %d, \"solve\": %.6f}\n", ranks,
                          (int)iterations, seconds[runs / 2]));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFinalize());
    return 0;
}
