/* 21_eigen.cpp: matrices of Eigen. -div grad u = f on a grid by gsolve's own methods, for several
 * right-hand sides and for new values; then a matrix that is not symmetric by Eigen's BiCGSTAB with
 * a preconditioner of gsolve. Needs Eigen 3.3 or later. */
#include <Eigen/Sparse>
#include <cstdio>
#include <gsolve_eigen.hpp>
#include <vector>

using Matrix = Eigen::SparseMatrix<double>; // columns; Eigen::RowMajor works as well

/* The five-point stencil on a side x side grid, with a wind in the first direction. */
static Matrix grid(int side, double wind)
{
    std::vector<Eigen::Triplet<double>> entries;
    Matrix A(side * side, side * side);

    for (int i = 0; i < side * side; i++) {
        const int x = i % side, y = i / side;
        entries.emplace_back(i, i, 4.0);
        if (x > 0) entries.emplace_back(i, i - 1, -1 - wind);
        if (x + 1 < side) entries.emplace_back(i, i + 1, -1 + wind);
        if (y > 0) entries.emplace_back(i, i - side, -1.0);
        if (y + 1 < side) entries.emplace_back(i, i + side, -1.0);
    }
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
}

int main()
{
    const int side = 100;
    const Matrix A = grid(side, 0), windy = grid(side, 0.5);
    const Eigen::MatrixXd B =
        Eigen::MatrixXd::Ones(A.rows(), 2) * Eigen::Vector2d(1, 2).asDiagonal();

    // A is symmetric and has all entries: its columns are read in place as rows.
    gsolve::eigen_solver<Matrix, Eigen::Lower | Eigen::Upper> solver(A);
    Eigen::MatrixXd X = solver.solve(B);
    if (solver.info() != Eigen::Success) {
        std::fprintf(stderr, "%s\n", solver.message().c_str());
        return 1;
    }
    std::printf("two columns: %d iterations, residual below 1e-10: %s\n",
                static_cast<int>(solver.iterations()), solver.error() <= 1e-10 ? "yes" : "no");

    solver.factorize(Matrix(2 * A)); // new values, the pattern of before
    const Eigen::MatrixXd half = solver.solve(B);
    std::printf("2 A: the solution is half as large: %s\n",
                half.isApprox(X / 2, 1e-8) ? "yes" : "no");

    Eigen::BiCGSTAB<Matrix, gsolve::eigen_precond<Matrix>> bicgstab;
    bicgstab.preconditioner().precond = "ilu";
    bicgstab.setTolerance(1e-10);
    bicgstab.compute(windy);
    const Eigen::VectorXd x = bicgstab.solve(B.col(0));
    std::printf("BiCGSTAB of Eigen with ilu: %s\n",
                bicgstab.info() == Eigen::Success ? "converged" : "not converged");
    return bicgstab.info() != Eigen::Success;
}
