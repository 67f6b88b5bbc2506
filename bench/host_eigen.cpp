/* host_eigen.cpp: host_eigen MATRIX RUNS: whole solves with a sparse matrix of Eigen by Eigen's
 * ConjugateGradient and BiCGSTAB and by gsolve_eigen.hpp, to the same tolerance. Each line is
 * SOLVER;SET-UP MS;SOLVE MS;ITERATIONS;TRUE RESIDUAL. bench/hosts.py makes tables of them. */
#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gsolve_eigen.hpp>

using Matrix = Eigen::SparseMatrix<double>;

static double now()
{
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <class Other>
static void choose(Other &, const char *)
{
}
template <int UpLo>
static void choose(gsolve::eigen_precond<Matrix, UpLo> &precond, const char *spec)
{
    precond.precond = spec;
}

template <class Solver>
static void measure(const char *name, const Matrix &A, int runs, const char *precond = "")
{
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
    std::vector<double> setup, solve;
    double residual = 0;
    long iterations = 0;
    for (int run = 0; run < runs; run++) {
        Solver solver;
        choose(solver.preconditioner(), precond);
        solver.setTolerance(1e-8);
        const double begin = now();
        solver.compute(A);
        const double middle = now();
        const Eigen::VectorXd x = solver.solve(b);
        setup.push_back(middle - begin), solve.push_back(now() - middle);
        residual = (b - A * x).norm() / b.norm();
        iterations = solver.info() == Eigen::Success ? solver.iterations() : -1;
    }
    std::sort(setup.begin(), setup.end()), std::sort(solve.begin(), solve.end());
    const std::size_t half = setup.size() / 2;
    std::printf("%s;%.4g;%.4g;%ld;%.1e\n", name, setup[half], solve[half], iterations, residual);
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc < 3) return 1;
    const int runs = std::atoi(argv[2]);
    gsolve::context ctx("cpu");
    gsolve_csr csr = {};
    gsolve_statistics statistics = GSOLVE_INIT(gsolve_statistics);
    if (gsolve_read_matrix(&csr, ctx.get(), argv[1], nullptr, nullptr) != GSOLVE_OK ||
        gsolve_csr_statistics(ctx.get(), &csr, &statistics) != GSOLVE_OK ||
        csr.offset != GSOLVE_O32) {
        std::fprintf(stderr, "%s\n", gsolve_error(ctx.get()));
        return 1;
    }
    const Matrix A = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>>(
        csr.nrows, csr.ncols, gsolve_csr_entries(&csr), static_cast<const int *>(csr.start),
        csr.col, static_cast<const double *>(csr.value));
    std::printf("%d;%ld\n", csr.nrows, static_cast<long>(A.nonZeros()));
    constexpr int both = Eigen::Lower | Eigen::Upper;
    if (statistics.symmetric) {
        measure<Eigen::ConjugateGradient<Matrix, both>>("Eigen CG, diagonal", A, runs);
        measure<Eigen::ConjugateGradient<Matrix, both, Eigen::IncompleteCholesky<double>>>(
            "Eigen CG, IncompleteCholesky", A, runs);
        measure<Eigen::ConjugateGradient<
            Matrix, both,
            Eigen::IncompleteCholesky<double, Eigen::Lower, Eigen::NaturalOrdering<int>>>>(
            "Eigen CG, IncompleteCholesky in natural order", A, runs);
        measure<Eigen::ConjugateGradient<Matrix, both, gsolve::eigen_precond<Matrix, both>>>(
            "Eigen CG, eigen_precond amg", A, runs, "amg");
        measure<gsolve::eigen_solver<Matrix, both>>("eigen_solver", A, runs);
    } else {
        measure<Eigen::BiCGSTAB<Matrix>>("Eigen BiCGSTAB, diagonal", A, runs);
        measure<Eigen::BiCGSTAB<Matrix, Eigen::IncompleteLUT<double>>>("Eigen BiCGSTAB, ILUT", A,
                                                                       runs);
        measure<Eigen::BiCGSTAB<Matrix, gsolve::eigen_precond<Matrix>>>(
            "Eigen BiCGSTAB, eigen_precond ilu", A, runs, "ilu");
        measure<gsolve::eigen_solver<Matrix>>("eigen_solver", A, runs);
    }
    gsolve_csr_free(&csr, ctx.get());
    return 0;
}
