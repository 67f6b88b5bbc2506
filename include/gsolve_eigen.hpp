/* gsolve_eigen.hpp: gsolve for the sparse matrices of Eigen 3.3 or later, in C++17.
 *
 *     gsolve::eigen_solver<Eigen::SparseMatrix<double>> solver(A);
 *     x = solver.solve(b); // b: one column or several
 *     if (solver.info() != Eigen::Success) std::cerr << solver.message();
 *
 * eigen_solver has the interface of Eigen::ConjugateGradient; eigen_precond preconditions Eigen's
 * solvers: Eigen::BiCGSTAB<Matrix, gsolve::eigen_precond<Matrix>>. UpLo is 0 for any matrix, Lower
 * | Upper for a symmetric one, Lower or Upper if only this triangle of it is to be read. Rows of
 * int are read in place, and so are columns of int with Lower | Upper; others are converted once.
 */
#ifndef GSOLVE_EIGEN_HPP
#define GSOLVE_EIGEN_HPP
#include "gsolve.hpp"
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <charconv>
#include <optional>
namespace gsolve
{
/* A preconditioner of Eigen's solvers, or the set-up of an eigen_solver (Solves). compute() reads
 * the specs: `device` of gsolve_context_create, `precond` of gsolve_precond_create, and for an
 * eigen_solver `method` of gsolve_solver_create; if it is "", gsolve chooses both. */
template <class Matrix = Eigen::SparseMatrix<double>, int UpLo = 0, bool Solves = false>
struct eigen_precond {
    using Scalar = typename Matrix::Scalar;
    using index = typename Matrix::StorageIndex;
    using rows = Eigen::Ref<const Matrix>;
    using columns = Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>;
    std::string device = "auto", method, precond = "auto";
    Eigen::ComputationInfo info() const { return info_; }
    const std::string &message() const { return message_; } /* why info() is not Success */
    void compute(const rows &m) { analyzePattern(m), factorize(m); }
    void analyzePattern(const rows &) { S.reset(), M.reset(), A.reset(), info_ = Eigen::Success; }
    void factorize(const rows &m)
    {
        attempt(true, [&] { read<UpLo>(m); });
        if (info_ != Eigen::Success) S.reset(), M.reset(), A.reset();
    }
    template <class B>
    auto solve(const B &b) const /* M^-1 b, or NaN if that fails */
    {
        Eigen::Matrix<Scalar, Eigen::Dynamic, B::ColsAtCompileTime> z(b.rows(), b.cols());
        z.setConstant(NAN);
        attempt(M, [&] { check(gsolve_precond_apply(M->get(), view(b), view(z))); });
        return z;
    }
    gsolve_result run(const columns &b, const columns &x, double rtol, std::int64_t maxit) const
    {
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        char options[48] = "rtol="; /* to_chars knows no locale */
        std::to_chars(options + 5, options + 40, rtol);
        attempt(S, [&] {
            S->set(options + (maxit < 0 ? "" : ",maxit=" + std::to_string(maxit)));
            if (b.cols() > 0) check(gsolve_auto_run(S->get(), view(b), view(x), &result));
            const bool minimises = result.outcome == GSOLVE_LEAST_SQUARES && x.rows() != b.rows();
            if (result.outcome == GSOLVE_CONVERGED || minimises) return;
            info_ = Eigen::NoConvergence, message_ = S->explain();
        });
        return result;
    }

  private:
    mutable Eigen::ComputationInfo info_ = Eigen::Success;
    mutable std::string message_;
    std::optional<context> ctx;
    std::optional<matrix> A;
    std::optional<gsolve::precond> M;
    mutable std::optional<auto_solver> S;
    template <class N, class F>
    void attempt(const N &needed, F f) const
    try {
        info_ = Eigen::Success, message_.clear();
        require(bool(needed), "there is no set-up: compute() was not called, or it failed");
        f();
    } catch (const error &e) {
        if (e.status == GSOLVE_NO_MEMORY) throw std::bad_alloc();
        info_ = e.status == GSOLVE_ZERO_PIVOT ? Eigen::NumericalIssue : Eigen::InvalidInput;
        message_ = e.what();
    }
    void check(gsolve_status s) const { require(s == GSOLVE_OK, gsolve_error(ctx->get()), s); }
    static gsolve_dense view(const columns &v)
    {
        auto *first = const_cast<Scalar *>(v.data());
        return {int(v.rows()), int(v.cols()), v.outerStride(), first, type_of<Scalar>(), {}, {}};
    }
    template <int Stored, class R>
    void read(const R &m)
    {
        require((!Stored || m.rows() == m.cols()) && m.nonZeros() <= INT32_MAX,
                "the matrix has 2^31 or more entries, or is not square although UpLo is not 0");
        if constexpr (Stored == Eigen::Lower || Stored == Eigen::Upper) {
            return read<3>(
                Eigen::SparseMatrix<Scalar, 0, index>(m.template selfadjointView<Stored>()));
        } else if constexpr (std::is_same_v<index, int> && (Stored || R::IsRowMajor)) {
            if (m.isCompressed() && m.outerIndexPtr()[0] == 0) return set_up(m); /* A' = A */
        }
        set_up(Eigen::SparseMatrix<Scalar, Eigen::RowMajor, int>(m));
    }
    template <class R>
    void set_up(const R &m)
    {
        const char *with = method.c_str(), *by = precond.c_str();
        const gsolve_csr csr = {int(m.rows()), int(m.cols()), m.outerIndexPtr(), m.innerIndexPtr(),
                                m.valuePtr(),  GSOLVE_O32,    type_of<Scalar>(), GSOLVE_HOST};
        if (!A && !M) ctx.emplace(device);
        if constexpr (Solves) {
            if (A) return A->update(csr);
            A.emplace(*ctx, "auto", csr), S.emplace(*ctx, "", *A);
            if (*with) check(gsolve_auto_set_choices(S->get(), 1, &with, &by));
        } else {
            const matrix now(*ctx, "csr", csr);
            M ? M->update(now) : void(M.emplace(*ctx, precond, now));
        }
    }
};
template <class Matrix = Eigen::SparseMatrix<double>, int UpLo_ = 0>
struct eigen_solver;
} // namespace gsolve
template <class M, int UpLo>
struct Eigen::internal::traits<gsolve::eigen_solver<M, UpLo>> {
    using MatrixType = M;
    using Preconditioner = gsolve::eigen_precond<M, UpLo, true>;
};
/* Solves A x = b, for all columns at once. tolerance() bounds the true |b - A x| / |b|. It is 1e-10
 * at first (float: 1e-5). preconditioner() has the specs. */
template <class Matrix, int UpLo_>
struct gsolve::eigen_solver : Eigen::IterativeSolverBase<eigen_solver<Matrix, UpLo_>> {
    using base = Eigen::IterativeSolverBase<eigen_solver>;
    using Scalar = typename Matrix::Scalar;
    enum { UpLo = UpLo_ };
    eigen_solver() { base::m_tolerance = sizeof(Scalar) == 4 ? Scalar(1e-5) : Scalar(1e-10); }
    explicit eigen_solver(const Eigen::Ref<const Matrix> &A) : eigen_solver() { base::compute(A); }
    const std::string &message() const { return base::m_preconditioner.message(); }
    template <class B, class X>
    void _solve_with_guess_impl(const B &b, X &x) const
    {
        using dense = Eigen::Matrix<Scalar, Eigen::Dynamic, X::ColsAtCompileTime>;
        if constexpr (!std::is_constructible_v<Eigen::Ref<dense>, X &>) {
            dense copy(x); /* sparse, or elements that are not contiguous */
            _solve_with_guess_impl(dense(b), copy), x = copy.sparseView(0);
        } else {
            const auto &p = base::m_preconditioner;
            const auto result = p.run(b, x, base::m_tolerance, base::m_maxIterations);
            base::m_info = p.info(), base::m_iterations = result.iterations;
            base::m_error = Scalar(result.relative_residual);
        }
    }
};
#endif
