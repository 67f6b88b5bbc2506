/* peer_assembly_petsc.c: MatSetValuesCOO on the triplets that bench_assembly dumped.
 *
 *     peer_assembly_petsc DUMP RUNS    the median in ms of MatSetValuesCOO, and the entries
 *
 * MatSetPreallocationCOO is not measured. The values are inserted into a SeqAIJ matrix by one
 * process. */
#include <petscmat.h>

#include "bench.h"
#include "triplets.h"

int main(int argc, char **argv)
{
    PetscInitialize(&argc, &argv, NULL, NULL);
    if (argc < 3) return 1;
    const int runs = atoi(argv[2]);
    double *seconds = malloc((size_t)runs * 8);
    bench_triplets t = bench_read_triplets(argv[1]);
    const PetscScalar *sums;
    MatInfo info;
    Mat A;
    Vec x, y;

    MatCreate(PETSC_COMM_SELF, &A);
    MatSetSizes(A, t.nrows, t.ncols, t.nrows, t.ncols);
    MatSetType(A, MATSEQAIJ);
    MatSetPreallocationCOO(A, t.count, t.row, t.col);
    for (int run = -2; run < runs; run++) {
        const double begin = bench_now();
        MatSetValuesCOO(A, t.value, INSERT_VALUES);
        if (run >= 0) seconds[run] = bench_now() - begin;
    }
    MatCreateVecs(A, &x, &y);
    VecSet(x, 1);
    MatMult(A, x, y);
    VecGetArrayRead(y, &sums);
    bench_check_row_sums(&t, sums);
    VecRestoreArrayRead(y, &sums);
    MatGetInfo(A, MAT_LOCAL, &info);
    printf("%.4f %.0f\n", 1e3 * bench_median(seconds, runs), info.nz_used);
    VecDestroy(&x);
    VecDestroy(&y);
    MatDestroy(&A);
    free(seconds);
    PetscFinalize();
    return 0;
}
