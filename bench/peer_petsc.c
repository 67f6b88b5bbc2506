/* peer_petsc.c: PETSc on the rows that bench_spmv or bench_amg dumped, under mpirun for more ranks.
 *
 *     peer_petsc DUMP product|cg RUNS           the median in ms of a product, or of an iteration
 *                                               of CG with Jacobi, and how many there were
 *     peer_petsc DUMP PRECOND RUNS cg|bicgstab  medians in ms of the set-up, of set-up and solve,
 *                                               of all ranks' processor time for both; iterations
 *
 * PRECOND: jacobi, icc, ilu (without fill; each rank's own rows), gamg (smoothed aggregation),
 * hypre (BoomerAMG as its authors advise in three dimensions). b = 1, x0 = 0, rtol 1e-8. */
#include <petscksp.h>
#include <string.h>

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

/* --- whole solves ----------------------------------------------------------------------------- */

static const char *options_of(const char *precond)
{
    static const char *const options[][2] = {
        {"jacobi", "-pc_type jacobi"},
        {"icc", "-pc_type bjacobi -sub_pc_type icc"},
        {"ilu", "-pc_type bjacobi -sub_pc_type ilu"},
        {"gamg", "-pc_type gamg"},
        {"hypre", "-pc_type hypre -pc_hypre_type boomeramg -pc_hypre_boomeramg_coarsen_type HMIS "
                  "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_P_max 4 "
                  "-pc_hypre_boomeramg_strong_threshold 0.25"},
    };

    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (strcmp(options[k][0], precond) == 0) return options[k][1];
    }
    return NULL;
}

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of all ranks. */
static double cpu_of_all(double own)
{
    double sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    return sum;
}

/* One set-up and solve: setup, total, cpu in seconds; returns the iterations, or -1. */
static PetscInt solve_once(Mat A, Vec b, Vec x, const char *method, double seconds[3])
{
    KSPConvergedReason reason;
    PetscInt iterations;
    KSP ksp;

    KSPCreate(PETSC_COMM_WORLD, &ksp);
    KSPSetOperators(ksp, A, A);
    KSPSetType(ksp, strcmp(method, "cg") == 0 ? KSPCG : KSPBCGS);
    if (strcmp(method, "cg") != 0) KSPSetPCSide(ksp, PC_RIGHT);
    KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED);
    KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 10000);
    KSPSetFromOptions(ksp);
    VecSet(x, 0);
    MPI_Barrier(PETSC_COMM_WORLD);
    const double begin = bench_now(), cpu = cpu_now();
    KSPSetUp(ksp);
    KSPSetUpOnBlocks(ksp);
    seconds[0] = bench_now() - begin;
    KSPSolve(ksp, b, x);
    seconds[2] = cpu_now() - cpu;
    MPI_Barrier(PETSC_COMM_WORLD);
    seconds[1] = bench_now() - begin;
    seconds[2] = cpu_of_all(seconds[2]);
    KSPGetIterationNumber(ksp, &iterations);
    KSPGetConvergedReason(ksp, &reason);
    KSPDestroy(&ksp);
    return reason > 0 ? iterations : -1;
}

static int solve_whole(Mat A, Vec b, Vec x, const char *precond, int runs, const char *method)
{
    double *list[3], seconds[3];
    PetscInt iterations = 0;

    if (!options_of(precond)) return 1;
    PetscOptionsInsertString(NULL, options_of(precond));
    for (int k = 0; k < 3; k++) list[k] = malloc((size_t)runs * 8);
    for (int run = 0; run < runs && iterations >= 0; run++) {
        iterations = solve_once(A, b, x, method, seconds);
        for (int k = 0; k < 3; k++) list[k][run] = seconds[k];
    }
    if (iterations >= 0) {
        PetscPrintf(PETSC_COMM_WORLD, "%.4f %.4f %.4f %d\n", 1e3 * bench_median(list[0], runs),
                    1e3 * bench_median(list[1], runs), 1e3 * bench_median(list[2], runs),
                    (int)iterations);
    }
    for (int k = 0; k < 3; k++) free(list[k]);
    return iterations < 0;
}

int main(int argc, char **argv)
{
    PetscInitialize(&argc, &argv, NULL, NULL);
    if (argc < 4) return 1;
    int failed = 0;
    const int runs = atoi(argv[3]);
    double *seconds = malloc((size_t)runs * 8);
    PetscInt iterations = 1;
    Mat A = load(argv[1]);
    Vec x, y;
    MatCreateVecs(A, &x, &y);
    VecSet(y, 1);
    VecSet(x, 1);
    if (argc > 4) {
        failed = solve_whole(A, y, x, argv[2], runs, argv[4]);
    } else if (argv[2][0] == 'p') {
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
    if (argc < 5) {
        PetscPrintf(PETSC_COMM_WORLD, "%.4f %d\n", 1e3 * bench_median(seconds, runs),
                    (int)iterations);
    }
    VecDestroy(&x);
    VecDestroy(&y);
    MatDestroy(&A);
    free(seconds);
    PetscFinalize();
    return failed;
}
