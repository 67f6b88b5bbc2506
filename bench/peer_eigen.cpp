// peer_eigen.cpp: Eigen on the rows that bench_spmv dumped: peer_eigen DUMP product|cg RUNS, with
// as many threads as OMP_NUM_THREADS says. Prints as peer_petsc does.
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <cstdint>
#include <vector>

#include "bench.h"

int main(int argc, char **argv)
{
    if (argc < 4) return 1;
    FILE *file = fopen(argv[1], "rb");
    int32_t n[2];
    int64_t entries;
    if (!file || fread(n, 4, 2, file) != 2 || fread(&entries, 8, 1, file) != 1) return 1;
    std::vector<int32_t> start(n[0] + 1), col(entries);
    std::vector<double> value(entries);
    if (fread(start.data(), 4, start.size(), file) != start.size() ||
        fread(col.data(), 4, col.size(), file) != col.size() ||
        fread(value.data(), 8, value.size(), file) != value.size()) {
        return 1;
    }
    fclose(file);
    typedef Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t> Matrix;
    const Matrix A =
        Eigen::Map<const Matrix>(n[0], n[1], entries, start.data(), col.data(), value.data());
    const int runs = atoi(argv[3]);
    std::vector<double> seconds(runs);
    Eigen::VectorXd x = Eigen::VectorXd::Ones(n[1]), y = Eigen::VectorXd::Ones(n[0]);
    int iterations = 1;
    if (argv[2][0] == 'p') {
        for (int run = -2; run < runs; run++) {
            const double begin = bench_now();
            y.noalias() = A * x;
            if (run >= 0) seconds[run] = bench_now() - begin;
        }
    } else {
        Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> cg;
        cg.setTolerance(1e-8);
        cg.compute(A);
        for (int run = -1; run < runs; run++) {
            const double begin = bench_now();
            x = cg.solve(y);
            iterations = (int)cg.iterations();
            if (run >= 0) seconds[run] = (bench_now() - begin) / iterations;
        }
    }
    printf("%.4f %d\n", 1e3 * bench_median(seconds.data(), runs), iterations);
    return 0;
}
