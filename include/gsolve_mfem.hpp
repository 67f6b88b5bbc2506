/* gsolve_mfem.hpp: gsolve for MFEM 4.7 or later, in C++17.
 *
 *     gsolve::context ctx;             // must outlive the solver
 *     gsolve::mfem_solver solver(ctx); // gsolve chooses, or solver(ctx, "cg", "amg")
 *     solver.SetOperator(*A);
 *     solver.Mult(B, X);
 *
 * The rows of an mfem::SparseMatrix are read in place. Any other mfem::Operator, such as one of
 * partial assembly, is used by its products, and needs gsolve::context ctx("cpu"). SetOperator with
 * new values in the old pattern updates the set-up. As in MFEM, an error is an MFEM_ABORT. */
#ifndef GSOLVE_MFEM_HPP
#define GSOLVE_MFEM_HPP
#include <charconv>

#include "gsolve_mfem_precond.hpp"
namespace gsolve
{
/* Solves until |b - A x| <= max(rel_tol |b|, abs_tol), recomputed in double precision. rel_tol is
 * 1e-8 at first (float: 1e-5), and max_iter the limit of each method of gsolve. GetFinalNorm() is
 * the true |b - A x|, and GetInitialNorm() is |b|. A controller gets norms and empty vectors. If a
 * square operator is singular and no x solves, x minimises |b - A x|, and has not converged. */
class mfem_solver : public mfem::IterativeSolver
{
  public:
    /* Specs of gsolve_solver_create and gsolve_precond_create. If `method` is empty, gsolve chooses
     * both; after SetPreconditioner, the method. "auto" is "none" for operators without rows. */
    explicit mfem_solver(const context &ctx, const std::string &method = "",
                         const std::string &precond = "auto")
        : tools{ctx}, method_(method), precond_(precond)
    {
        rel_tol = tools.type == GSOLVE_F32 ? mfem::real_t(1e-5) : mfem::real_t(1e-8);
        max_iter = -1;
    }
    /* An mfem_precond in the same context is used directly, any other solver by its products. */
    void SetPreconditioner(mfem::Solver &with) override
    {
        IterativeSolver::SetPreconditioner(with);
        S.reset(), automatic.reset();
    }
    void SetOperator(const mfem::Operator &op) override
    {
        IterativeSolver::SetOperator(op);
        tools.attempt([&] {
            const auto csr = tools.rows(op);
            if (csr && A && gsolve_matrix_update(A.get(), &*csr) == GSOLVE_OK) return;
            S.reset(), automatic.reset();
            A = tools.matrix_of(op);
        });
    }
    void Mult(const mfem::Vector &b, mfem::Vector &x) const override
    {
        if (!iterative_mode) x = 0.0;
        tools.attempt([&] { solve(b.HostRead(), x.HostReadWrite(), 1); });
    }
    void ArrayMult(const mfem::Array<const mfem::Vector *> &B,
                   mfem::Array<mfem::Vector *> &X) const override
    {
        mfem::DenseMatrix b(height, B.Size()), x(width, B.Size());
        for (int c = 0; c < B.Size(); c++) b.SetCol(c, *B[c]);
        for (int c = 0; c < B.Size() && iterative_mode; c++) x.SetCol(c, *X[c]);
        if (!iterative_mode) x = 0.0;
        tools.attempt([&] { solve(b.HostRead(), x.HostReadWrite(), B.Size()); });
        for (int c = 0; c < B.Size(); c++) x.GetColumn(c, *X[c]);
    }
    /* Sentences about the last Mult. */
    std::string Explain() const
    {
        if (automatic) return gsolve_auto_explain(automatic.get());
        return S ? gsolve_solver_explain(S.get()) : "there has been no run";
    }

  private:
    void solve(const mfem::real_t *b, mfem::real_t *x, int columns) const
    {
        const gsolve_dense from = tools.view(b, height, columns);
        const gsolve_dense to = tools.view(x, width, columns);
        const bool watched = controller || print_options.iterations;
        gsolve_result result = GSOLVE_INIT(gsolve_result);
        prepare();
        initial_norm = mfem::Vector(const_cast<mfem::real_t *>(b), height * columns).Norml2();
        if (automatic) {
            gsolve_auto *solver = automatic.get();
            gsolve_auto_set_monitor(solver, watched ? monitor : nullptr, self());
            tools.check(gsolve_auto_set(solver, options().c_str()));
            tools.check(gsolve_auto_run(solver, from, to, &result));
        } else {
            gsolve_solver_set_monitor(S.get(), watched ? monitor : nullptr, self());
            tools.check(gsolve_solver_set(S.get(), options().c_str()));
            tools.check(gsolve_solver_run(S.get(), from, to, &result));
        }
        converged = result.outcome == GSOLVE_CONVERGED ||
                    (result.outcome == GSOLVE_LEAST_SQUARES && height != width);
        final_iter = result.iterations;
        final_norm = result.relative_residual * (initial_norm > 0 ? initial_norm : 1);
        if (print_options.summary || (print_options.warnings && !converged))
            mfem::out << Explain() << std::endl;
    }
    void prepare() const
    {
        auto *own = dynamic_cast<const mfem_precond *>(prec);
        const bool none = precond_ == "auto" && oper && !tools.rows(*oper);
        const char *method = method_.c_str(), *precond = none ? "none" : precond_.c_str();
        require(A != nullptr, "mfem_solver: call SetOperator before Mult");
        if (!prec && !automatic) {
            automatic = tools.make(gsolve_auto_destroy, gsolve_auto_create_from, "", A.get());
            if (*method)
                tools.check(gsolve_auto_set_choices(automatic.get(), 1, &method, &precond));
        } else if (prec && (!S || (own && own->handle() != M))) {
            S.reset();
            M = own ? own->handle() : function();
            S = tools.make(gsolve_solver_destroy, gsolve_solver_create, *method ? method : "auto",
                           A.get(), M.get());
        }
    }
    std::shared_ptr<gsolve_precond> function() const
    {
        const bool varies = dynamic_cast<const IterativeSolver *>(prec) != nullptr;
        auto made = tools.make(gsolve_precond_destroy, gsolve_precond_create_function, height,
                               tools.type, tools.apply, nullptr, prec);
        tools.check(gsolve_precond_set_flags(made.get(), varies ? GSOLVE_FUNCTION_VARIABLE : 0));
        return made;
    }
    std::string options() const
    {
        char rtol[40] = "", atol[40] = ""; /* to_chars knows no locale */
        std::to_chars(rtol, rtol + 39, rel_tol), std::to_chars(atol, atol + 39, abs_tol);
        const std::string maxit = max_iter < 0 ? "" : ",maxit=" + std::to_string(max_iter);
        return std::string("rtol=") + rtol + ",atol=" + atol + maxit;
    }
    void *self() const { return const_cast<mfem_solver *>(this); }
    static bool monitor(int iteration, double relative_residual, void *user)
    {
        const auto *solver = static_cast<const mfem_solver *>(user);
        const mfem::Vector none;
        if (solver->print_options.iterations)
            mfem::out << "   Iteration : " << iteration << "  |r| / |b| = " << relative_residual
                      << '\n';
        return !solver->Monitor(iteration, relative_residual * solver->initial_norm, none, none);
    }
    mfem_tools tools;
    std::string method_, precond_;
    std::shared_ptr<gsolve_matrix> A;
    mutable std::shared_ptr<gsolve_precond> M;
    mutable std::shared_ptr<gsolve_auto> automatic;
    mutable std::shared_ptr<gsolve_solver> S;
};
} // namespace gsolve
#endif
