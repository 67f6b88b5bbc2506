/* gsolve_mfem_precond.hpp: the preconditioner of gsolve_mfem.hpp, and its views of MFEM's arrays.
 */
#ifndef GSOLVE_MFEM_PRECOND_HPP
#define GSOLVE_MFEM_PRECOND_HPP
#include <mfem.hpp>
#include <optional>

#include "gsolve.hpp"
namespace gsolve
{
/* What both classes use. make() owns what a create function of gsolve makes in ctx. */
struct mfem_tools {
    const context &ctx;
    static constexpr gsolve_type type = type_of<mfem::real_t>();

    template <class F>
    static void attempt(F f)
    try {
        f();
    } catch (const error &e) {
        MFEM_ABORT(e.what());
    }
    void check(gsolve_status s) const { require(s == GSOLVE_OK, gsolve_error(ctx.get()), s); }
    template <class H, class... P, class... Q>
    std::shared_ptr<H> make(void (*destroy)(H **),
                            gsolve_status (*create)(H **, gsolve_context *, P...), Q... q) const
    {
        H *made = nullptr;
        check(create(&made, ctx.get(), q...));
        return {made, [destroy](H *old) { destroy(&old); }};
    }
    static gsolve_dense view(const mfem::real_t *first, int n, int columns = 1)
    {
        return {n, columns, n, const_cast<mfem::real_t *>(first), type, {}, {}};
    }
    /* The rows of op in its own arrays, if it has any. */
    static std::optional<gsolve_csr> rows(const mfem::Operator &op)
    {
        const auto *A = dynamic_cast<const mfem::SparseMatrix *>(&op);
        if (!A) return {};
        require(A->Finalized(), "the mfem::SparseMatrix is not finalized: call its Finalize()");
        const int *start = A->HostReadI(), *col = A->HostReadJ();
        return gsolve_csr{A->Height(), A->Width(), start, col, A->HostReadData(), {}, type, {}};
    }
    static gsolve_status apply(gsolve_context *c, gsolve_dense x, gsolve_dense y, void *op)
    try {
        require(x.location == GSOLVE_HOST,
                "MFEM computes the products of this operator on the host: use the device cpu");
        const mfem::Vector from(static_cast<mfem::real_t *>(x.value), x.nrows);
        mfem::Vector to(static_cast<mfem::real_t *>(y.value), y.nrows);
        static_cast<const mfem::Operator *>(op)->Mult(from, to);
        return GSOLVE_OK;
    } catch (const std::exception &e) {
        return gsolve_fail(c, GSOLVE_BAD_ARGUMENT, "%s", e.what());
    }
    std::shared_ptr<gsolve_matrix> matrix_of(const mfem::Operator &op) const
    {
        const auto csr = rows(op);
        if (csr) return make(gsolve_matrix_destroy, gsolve_matrix_create, "auto", &*csr);
        return make(gsolve_matrix_destroy, gsolve_matrix_create_operator, op.Height(), op.Width(),
                    type, apply, nullptr, const_cast<mfem::Operator *>(&op));
    }
};

/* A preconditioner for mfem_solver and for the solvers of MFEM. `spec`: of gsolve_precond_create.
 * For an operator without rows it is "chebyshev", which needs op.AssembleDiagonal. */
class mfem_precond : public mfem::Solver
{
  public:
    mfem_precond(const context &ctx, const std::string &spec) : tools{ctx}, spec_(spec) {}

    /* Before SetOperator: gives "amg" the rigid body modes of linear elasticity in this space. */
    void SetElasticity(mfem::FiniteElementSpace &space)
    {
        const int d = space.GetVDim();
        mfem::VectorFunctionCoefficient place(d, [](const auto &x, auto &y) { y = x; });
        mfem::GridFunction position(&space);
        mfem::Vector x;
        MFEM_VERIFY(d == space.GetMesh()->SpaceDimension() &&
                        space.GetOrdering() == mfem::Ordering::byVDIM,
                    "SetElasticity needs a space of displacements with Ordering::byVDIM");
        position.ProjectCoefficient(place);
        position.GetTrueDofs(x);
        xyz.Transpose(mfem::DenseMatrix(x.GetData(), d, x.Size() / d));
    }
    void SetOperator(const mfem::Operator &op) override
    {
        height = op.Height(), width = op.Width();
        tools.attempt([&] { set_up(op); });
    }
    void Mult(const mfem::Vector &r, mfem::Vector &z) const override
    {
        tools.attempt([&] {
            require(M != nullptr, "mfem_precond: call SetOperator before Mult");
            const gsolve_dense to = tools.view(z.HostWrite(), height);
            tools.check(gsolve_precond_apply(M.get(), tools.view(r.HostRead(), width), to));
        });
    }
    const std::shared_ptr<gsolve_precond> &handle() const { return M; }

  private:
    void set_up(const mfem::Operator &op)
    {
        const auto csr = tools.rows(op);
        const bool elastic = xyz.Width() > 0;
        if (csr && M && gsolve_precond_update(M.get(), &*csr) == GSOLVE_OK) return;
        M.reset();
        if (csr) {
            const std::string spec = spec_ + (elastic ? ",near_null=given" : "");
            M = tools.make(gsolve_precond_destroy, gsolve_precond_create, spec.c_str(), &*csr);
        } else {
            mfem::Vector diagonal(height);
            op.AssembleDiagonal(diagonal);
            A = tools.matrix_of(op);
            M = tools.make(gsolve_precond_destroy, gsolve_precond_create_chebyshev, spec_.c_str(),
                           A.get(), tools.view(diagonal.HostRead(), height));
        }
        const gsolve_dense place = tools.view(xyz.Data(), xyz.Height(), xyz.Width());
        if (elastic) tools.check(gsolve_precond_set_coordinates(M.get(), place));
    }
    mfem_tools tools;
    std::string spec_;
    mfem::DenseMatrix xyz;
    std::shared_ptr<gsolve_matrix> A; /* without rows; M keeps using it */
    std::shared_ptr<gsolve_precond> M;
};
} // namespace gsolve
#endif
