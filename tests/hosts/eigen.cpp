/* eigen.cpp: eigen_solver and eigen_precond with every layout of a matrix and of vectors, and what
 * they say of bad arguments. */
#include <Eigen/Sparse>
#include <cmath>
#include <gsolve_eigen.hpp>
#include <vector>

#include "common.h"

constexpr int both = Eigen::Lower | Eigen::Upper;

/* A stencil of a grid; with wind it is not symmetric. */
template <class Matrix>
static Matrix grid(int side, double wind)
{
    using T = typename Matrix::Scalar;
    std::vector<Eigen::Triplet<T>> entries;
    Matrix A(side * side, side * side);
    for (int i = 0; i < side * side; i++) {
        entries.emplace_back(i, i, T(4.5));
        if (i % side > 0) entries.emplace_back(i, i - 1, T(-1 - wind));
        if (i % side + 1 < side) entries.emplace_back(i, i + 1, T(-1 + wind));
        if (i >= side) entries.emplace_back(i, i - side, T(-1));
        if (i + side < side * side) entries.emplace_back(i, i + side, T(-1));
    }
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
}

/* Solves with `stored`, in which the solver must see A. */
template <int UpLo, class Stored, class Matrix>
static void solves(const Stored &stored, const Matrix &A)
{
    using T = typename Matrix::Scalar;
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> B =
        Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>::Random(A.rows(), 5);
    const T bound = sizeof(T) == 4 ? T(2e-5) : T(2e-10);
    gsolve::eigen_solver<Matrix, UpLo> solver(stored);
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> X = solver.solve(B);

    CHECK(solver.info() == Eigen::Success && solver.message().empty());
    CHECK((A * X - B).norm() <= bound * B.norm() && solver.error() <= bound);
    const Rows R = solver.solve(Rows(B));
    CHECK((R - X).norm() <= bound * X.norm());
    Rows wide = Rows::Zero(A.rows(), 7); // a column of rows: not contiguous
    wide.col(3) = solver.solve(B.col(2));
    CHECK((wide.col(3) - X.col(2)).norm() <= bound * X.norm());
    CHECK(wide.col(2).isZero(0) && wide.col(4).isZero(0));
    X.col(1) = solver.solve(B.col(2) + B.col(3));
    CHECK((A * X.col(1) - B.col(2) - B.col(3)).norm() <= 4 * bound * B.norm());
    const Eigen::SparseMatrix<T> sparse = solver.solve(Eigen::SparseMatrix<T>(B.sparseView()));
    CHECK((A * sparse - B).norm() <= bound * B.norm());
}

template <class T, class I>
static void layouts()
{
    using Columns = Eigen::SparseMatrix<T, Eigen::ColMajor, I>;
    using Rows = Eigen::SparseMatrix<T, Eigen::RowMajor, I>;
    const Columns S = grid<Columns>(12, 0), A = grid<Columns>(12, 0.5);
    const Rows rows = A;
    Columns loose = A;

    solves<0>(A, A), solves<0>(rows, Rows(A));
    solves<both>(S, S), solves<both>(Rows(S), Rows(S));
    solves<Eigen::Lower>(S, S), solves<Eigen::Upper>(S, S), solves<Eigen::Lower>(Rows(S), Rows(S));
    const Columns lower = S.template triangularView<Eigen::Lower>();
    solves<Eigen::Lower>(lower, S);
    loose.reserve(Eigen::Matrix<I, Eigen::Dynamic, 1>::Constant(A.cols(), 9));
    CHECK(!loose.isCompressed());
    solves<0>(loose, A), solves<0>(0.5 * (A + A), A);
    Rows tall(2 * A.rows(), A.cols()); // whose lower half has offsets that do not begin at 0
    tall.bottomRows(A.rows()) = rows;
    for (I i = 0; i < I(A.rows()); i++) tall.insert(i, i) = 1;
    tall.makeCompressed();
    solves<0>(tall.bottomRows(A.rows()), rows);
}

static void values_and_guess()
{
    using Matrix = Eigen::SparseMatrix<double>;
    const Matrix A = grid<Matrix>(20, 0.5);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
    gsolve::eigen_solver<Matrix> solver;

    CHECK(solver.tolerance() == 1e-10);
    solver.analyzePattern(A), solver.factorize(A);
    const Eigen::VectorXd x = solver.solve(b);
    CHECK(solver.info() == Eigen::Success && solver.iterations() > 0);
    Eigen::VectorXd again = solver.solveWithGuess(b, x);
    CHECK(solver.iterations() == 0 && (again - x).norm() == 0);
    solver.factorize(Matrix(4 * A));
    again = solver.solve(b);
    CHECK(solver.info() == Eigen::Success && (4 * again - x).norm() <= 1e-8 * x.norm());
    solver.preconditioner().method = "gmres", solver.preconditioner().precond = "jacobi";
    solver.compute(A);
    again = solver.solve(b);
    CHECK((again - x).norm() <= 1e-8 * x.norm() && solver.iterations() > 5);
    const auto many = solver.iterations();
    again = solver.setTolerance(1e-3).solve(b);
    CHECK(solver.info() == Eigen::Success && solver.iterations() < many);
    again = solver.setTolerance(1e-10).setMaxIterations(2).solve(b);
    CHECK(solver.info() == Eigen::NoConvergence && solver.iterations() == 2);
    CHECK(solver.message().find("limit") != std::string::npos && solver.error() > 1e-10);
    const Eigen::MatrixXd none = solver.solve(Eigen::MatrixXd(b.size(), 0));
    CHECK(none.cols() == 0 && none.rows() == b.size());

    const Matrix tall = A.leftCols(50); // least squares
    gsolve::eigen_solver<Matrix> least(tall);
    const Eigen::VectorXd y = least.solve(b);
    CHECK(least.info() == Eigen::Success && y.size() == 50);
    CHECK((tall.transpose() * (tall * y - b)).norm() <= 1e-8 * b.norm());
    Matrix once(2, 2); // singular: the second row is empty
    once.insert(0, 0) = 2, once.insert(0, 1) = -2;
    gsolve::eigen_solver<Matrix> singular(once);
    const Eigen::Vector2d w = singular.solve(Eigen::Vector2d(1, 1));
    CHECK(singular.info() == Eigen::NoConvergence && std::abs(w[0] - w[1] - 0.5) < 1e-8);
    CHECK(singular.message().find("least-squares") != std::string::npos);
    const Eigen::Vector2d exact = singular.solve(Eigen::Vector2d(1, 0));
    CHECK(singular.info() == Eigen::Success && std::abs(exact[0] - exact[1] - 0.5) < 1e-8);
    const Matrix empty(0, 0);
    gsolve::eigen_solver<Matrix> nothing(empty);
    const Eigen::VectorXd z = nothing.solve(Eigen::VectorXd());
    CHECK(nothing.info() == Eigen::Success && z.size() == 0);
}

static void bad_arguments()
{
    using Matrix = Eigen::SparseMatrix<double>;
    const Matrix A = grid<Matrix>(8, 0.5), tall = A.leftCols(5);
    Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows()), x;
    gsolve::eigen_solver<Matrix> solver(A);
    gsolve::eigen_solver<Matrix, both> symmetric(tall);
    gsolve::eigen_precond<Matrix> never;
    Matrix nan = A;

    CHECK(symmetric.info() == Eigen::InvalidInput);
    CHECK(symmetric.message().find("not square") != std::string::npos);
    CHECK(never.solve(b).hasNaN() && never.info() == Eigen::InvalidInput);
    CHECK(never.message().find("compute()") != std::string::npos);
    b[3] = NAN;
    x = solver.solve(b);
    CHECK(solver.info() == Eigen::InvalidInput && !solver.message().empty());
    b[3] = 1;
    x = solver.solve(b); // works after an error
    CHECK(solver.info() == Eigen::Success);
    x = solver.setTolerance(-1).solve(b);
    CHECK(solver.info() == Eigen::InvalidInput);
    solver.setTolerance(1e-10).factorize(grid<Matrix>(8, 1)); // one entry less in each row
    CHECK(solver.info() == Eigen::Success);                   // an entry that is 0 is an entry
    solver.factorize(Matrix(A + Matrix(A * A)));              // another pattern
    CHECK(solver.info() == Eigen::InvalidInput &&
          solver.message().find("pattern") != std::string::npos);
    x = solver.solve(b); // never with the values of before
    CHECK(solver.info() == Eigen::InvalidInput);
    nan.coeffRef(2, 2) = NAN;
    solver.compute(nan);
    CHECK(solver.info() == Eigen::InvalidInput);
    solver.preconditioner().method = "nonsense";
    solver.compute(A);
    x = solver.solve(b);
    CHECK(solver.info() == Eigen::InvalidInput &&
          solver.message().find("nonsense") != std::string::npos);
    solver.preconditioner().device = "nowhere";
    solver.compute(A);
    CHECK(solver.info() == Eigen::InvalidInput &&
          solver.message().find("nowhere") != std::string::npos);
}

template <class Solver, class Matrix>
static Eigen::Index iterations(const Matrix &A, const char *precond)
{
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows());
    Solver solver;
    solver.preconditioner().precond = precond;
    solver.setTolerance(1e-10);
    solver.compute(A);
    const Eigen::VectorXd x = solver.solve(b);
    CHECK(solver.info() == Eigen::Success && (A * x - b).norm() <= 1e-9 * b.norm());
    return solver.iterations();
}

static void preconditioners()
{
    using Matrix = Eigen::SparseMatrix<double>;
    using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, long>;
    using gsolve::eigen_precond;
    const Matrix S = grid<Matrix>(40, 0), A = grid<Matrix>(40, 0.5);
    const Matrix lower = S.triangularView<Eigen::Lower>();
    gsolve::eigen_precond<Matrix> M;
    Matrix zero = S;

    const auto plain =
        iterations<Eigen::ConjugateGradient<Matrix, both, eigen_precond<Matrix>>>(S, "jacobi");
    CHECK((iterations<Eigen::ConjugateGradient<Matrix, both, eigen_precond<Matrix, both>>>(
               S, "ic") < plain));
    CHECK((iterations<Eigen::ConjugateGradient<Matrix, both, eigen_precond<Matrix>>>(S, "amg") <
           plain / 2));
    CHECK((iterations<Eigen::BiCGSTAB<Matrix, eigen_precond<Matrix>>>(A, "ilu") > 0));
    CHECK((iterations<Eigen::BiCGSTAB<Rows, eigen_precond<Rows>>>(Rows(A), "auto") > 0));
    Eigen::ConjugateGradient<Matrix, Eigen::Lower, eigen_precond<Matrix, Eigen::Lower>> half;
    half.compute(lower);
    const Eigen::VectorXd b = Eigen::VectorXd::Ones(S.rows()), x = half.solve(b);
    CHECK(half.info() == Eigen::Success && (S * x - b).norm() <= 1e-9 * b.norm());

    M.precond = "jacobi";
    M.analyzePattern(S), M.factorize(S), M.factorize(Matrix(2 * S));
    CHECK(M.info() == Eigen::Success && (M.solve(b) - b / 9).norm() <= 1e-12);
    CHECK((M.solve(Eigen::MatrixXd(b * Eigen::RowVector2d(1, 2))).col(1) - 2 * b / 9).norm() <=
          1e-12);
    zero.coeffRef(5, 5) = 0;
    M.factorize(zero);
    CHECK(M.info() == Eigen::NumericalIssue && !M.message().empty());
    M.precond = "jacoby";
    M.compute(S);
    CHECK(M.info() == Eigen::InvalidInput && M.message().find("jacobi") != std::string::npos);
}

int main()
{
    layouts<double, int>();
    layouts<double, long>();
    layouts<float, int>();
    values_and_guess();
    bad_arguments();
    preconditioners();
    return 0;
}
