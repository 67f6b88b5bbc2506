// peer_assembly_eigen.cpp: setFromTriplets on the triplets that bench_assembly dumped:
// peer_assembly_eigen DUMP RUNS. Prints as peer_assembly_petsc does. The conversion of the arrays
// to Eigen's triplets is not measured.
#include <Eigen/Sparse>
#include <vector>

#include "bench.h"
#include "triplets.h"

int main(int argc, char **argv)
{
    if (argc < 3) return 1;
    typedef Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t> Matrix;
    const int runs = atoi(argv[2]);
    const bench_triplets t = bench_read_triplets(argv[1]);
    std::vector<Eigen::Triplet<double, int32_t>> triplets;
    std::vector<double> seconds(runs);
    Matrix A(t.nrows, t.ncols);

    for (int64_t k = 0; k < t.count; k++) triplets.emplace_back(t.row[k], t.col[k], t.value[k]);
    for (int run = -1; run < runs; run++) {
        const double begin = bench_now();
        A.setFromTriplets(triplets.begin(), triplets.end());
        if (run >= 0) seconds[run] = bench_now() - begin;
    }
    const Eigen::VectorXd sums = A * Eigen::VectorXd::Ones(t.ncols);
    bench_check_row_sums(&t, sums.data());
    printf("%.4f %lld\n", 1e3 * bench_median(seconds.data(), runs), (long long)A.nonZeros());
    return 0;
}
