/* peer_petsc.c: PETSc on the rows that bench_spmv dumped: peer_petsc DUMP product|cg RUNS, under
 * mpirun for more ranks. Prints the median in ms of a product, or of an iteration of CG with
 * Jacobi, and how many. */
#include <petscksp.h>

#include "bench.h"

static Mat load(const char *path)
{
    FILE *file = fopen(path, "rb");
    int32_t n[2], first, last;
    int64_t entries;
    Mat A;

    if (!file || fread(n, 4, 2, file) != 2 || fread(&entries, 8, 1, file) != 1) exit(1);
    int32_t *start = malloc(((size_t)n[0] + 1) * 4), *col = malloc((size_t)entries * 4);
    double *value = malloc((size_t)entries * 8);
    if (fread(start, 4, (size_t)n[0] + 1, file) != (size_t)n[0] + 1 ||
        fread(col, 4, (size_t)entries, file) != (size_t)entries ||
        fread(value, 8, (size_t)entries, file) != (size_t)entries) {
        exit(1);
    }
    fclose(file);
    PetscMPIInt rank, size;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    first = (int32_t)((int64_t)n[0] * rank / size);
    last = (int32_t)((int64_t)n[0] * (rank + 1) / size);
    int32_t *own = malloc(((size_t)(last - first) + 1) * 4);
    for (int32_t i = first; i <= last; i++) own[i - first] = start[i] - start[first];
    MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, last - first, PETSC_DECIDE, n[0], n[1], own,
                              col + start[first], value + start[first], &A);
    free(start), free(col), free(value), free(own);
    return A;
}

int main(int argc, char **argv)
{
    PetscInitialize(&argc, &argv, NULL, NULL);
    if (argc < 4) return 1;
    const int runs = atoi(argv[3]);
    double *seconds = malloc((size_t)runs * 8);
    PetscInt iterations = 1;
    Mat A = load(argv[1]);
    Vec x, y;
    MatCreateVecs(A, &x, &y);
    VecSet(y, 1);
    VecSet(x, 1);
    if (argv[2][0] == 'p') {
        for (int run = -2; run < runs; run++) {
            MPI_Barrier(PETSC_COMM_WORLD);
            const double begin = bench_now();
            MatMult(A, x, y);
            MPI_Barrier(PETSC_COMM_WORLD);
            if (run >= 0) seconds[run] = bench_now() - begin;
        }
    } else {
        KSP ksp;
        PC pc;
        KSPCreate(PETSC_COMM_WORLD, &ksp);
        KSPSetOperators(ksp, A, A);
        KSPSetType(ksp, KSPCG);
        KSPGetPC(ksp, &pc);
        PCSetType(pc, PCJACOBI);
        KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED);
        KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 10000);
        for (int run = -1; run < runs; run++) {
            VecSet(x, 0);
            MPI_Barrier(PETSC_COMM_WORLD);
            const double begin = bench_now();
            KSPSolve(ksp, y, x);
            MPI_Barrier(PETSC_COMM_WORLD);
            KSPGetIterationNumber(ksp, &iterations);
            if (run >= 0) seconds[run] = (bench_now() - begin) / (double)iterations;
        }
        KSPDestroy(&ksp);
    }
    PetscPrintf(PETSC_COMM_WORLD, "%.4f %d\n", 1e3 * bench_median(seconds, runs), (int)iterations);
    VecDestroy(&x);
    VecDestroy(&y);
    MatDestroy(&A);
    free(seconds);
    PetscFinalize();
    return 0;
}
