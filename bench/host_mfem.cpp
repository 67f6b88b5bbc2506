/* host_mfem.cpp: host_mfem poisson|partial|elasticity RUNS: whole solves of MFEM's examples 1 and 2
 * on larger meshes, by MFEM's CG with its smoothers and by gsolve_mfem.hpp. MFEM's tolerances are
 * such that the true residual is below 1e-8. Prints what host_eigen prints. */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gsolve_mfem.hpp>

static double now()
{
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/* Sets up, solves and returns the number of iterations; *middle is the time between. */
using method = std::function<int(const mfem::Vector &b, mfem::Vector &x, double *middle)>;

static void measure(const char *name, const mfem::Operator &A, const mfem::Vector &b, int runs,
                    const method &solve_by)
{
    std::vector<double> setup, solve;
    mfem::Vector x(b.Size()), r(b.Size());
    int iterations = 0;
    for (int run = 0; run < runs; run++) {
        double middle = 0;
        x = 0.0;
        const double begin = now();
        iterations = solve_by(b, x, &middle);
        setup.push_back(middle - begin), solve.push_back(now() - middle);
    }
    A.Mult(x, r), r -= b;
    std::sort(setup.begin(), setup.end()), std::sort(solve.begin(), solve.end());
    const std::size_t half = setup.size() / 2;
    std::printf("%s;%.4g;%.4g;%d;%.1e\n", name, setup[half], solve[half], iterations,
                r.Norml2() / b.Norml2());
    std::fflush(stdout);
}

/* MFEM's CG with a preconditioner that make() makes, until the true residual is below 1e-8. */
template <class Make>
static method cg(const mfem::Operator &A, Make make)
{
    return [&A, make](const mfem::Vector &b, mfem::Vector &x, double *middle) {
        mfem::CGSolver solver;
        auto precond = make();
        int iterations = 0;
        mfem::Vector r(b.Size());
        solver.SetMaxIter(5000), solver.iterative_mode = true;
        solver.SetPreconditioner(*precond), solver.SetOperator(A);
        *middle = now();
        for (double tolerance = 1e-8; tolerance > 1e-16; tolerance /= 4) {
            solver.SetRelTol(0), solver.SetAbsTol(0);
            A.Mult(x, r), r -= b;
            if (r.Norml2() <= 1e-8 * b.Norml2()) break;
            solver.SetRelTol(1e-8 * b.Norml2() / r.Norml2());
            solver.Mult(b, x);
            iterations += solver.GetNumIterations();
        }
        return iterations;
    };
}

static method gsolve_by(const mfem::Operator &A, const char *name, const char *precond,
                        mfem::FiniteElementSpace *elastic = nullptr)
{
    return [=, &A](const mfem::Vector &b, mfem::Vector &x, double *middle) {
        gsolve::context ctx("cpu");
        gsolve::mfem_precond M(ctx, precond);
        gsolve::mfem_solver solver(ctx, name);
        if (elastic) M.SetElasticity(*elastic);
        if (*precond) solver.SetPreconditioner(M);
        solver.SetOperator(A);
        *middle = now();
        solver.Mult(b, x);
        return solver.GetConverged() ? solver.GetNumIterations() : -1;
    };
}

static void poisson(bool partial, int runs)
{
    mfem::Mesh mesh = mfem::Mesh::MakeCartesian3D(24, 24, 24, mfem::Element::HEXAHEDRON);
    const mfem::H1_FECollection quadratic(2, 3);
    mfem::FiniteElementSpace space(&mesh, &quadratic);
    mfem::ConstantCoefficient one(1);
    mfem::Array<int> fixed;
    mfem::LinearForm b(&space);
    mfem::BilinearForm a(&space);
    mfem::GridFunction u(&space);
    mfem::OperatorPtr A;
    mfem::Vector B, X;
    space.GetBoundaryTrueDofs(fixed);
    b.AddDomainIntegrator(new mfem::DomainLFIntegrator(one)), b.Assemble();
    if (partial) a.SetAssemblyLevel(mfem::AssemblyLevel::PARTIAL);
    a.AddDomainIntegrator(new mfem::DiffusionIntegrator(one)), a.Assemble();
    u = 0.0;
    a.FormLinearSystem(fixed, u, b, A, X, B);
    std::printf("%d;%d\n", A->Height(),
                partial ? 0 : A.As<mfem::SparseMatrix>()->NumNonZeroElems());
    if (partial) {
        const auto jacobi = [&] {
            return std::make_unique<mfem::OperatorJacobiSmoother>(a, fixed);
        };
        measure("MFEM CG, OperatorJacobiSmoother", *A, B, runs, cg(*A, jacobi));
        measure("mfem_solver cg, mfem_precond chebyshev", *A, B, runs,
                gsolve_by(*A, "cg", "chebyshev"));
    } else {
        const auto &rows = *A.As<mfem::SparseMatrix>();
        measure("MFEM CG, GSSmoother", *A, B, runs,
                cg(*A, [&] { return std::make_unique<mfem::GSSmoother>(rows); }));
        measure("MFEM CG, mfem_precond amg", *A, B, runs, cg(*A, [] {
                    static gsolve::context ctx("cpu");
                    return std::make_unique<gsolve::mfem_precond>(ctx, "amg");
                }));
        measure("mfem_solver", *A, B, runs, gsolve_by(*A, "", ""));
    }
}

static void elasticity(int runs)
{
    mfem::Mesh mesh = mfem::Mesh::MakeCartesian3D(96, 12, 12, mfem::Element::HEXAHEDRON, 8, 1, 1);
    const mfem::H1_FECollection linear(1, 3);
    mfem::FiniteElementSpace space(&mesh, &linear, 3, mfem::Ordering::byVDIM);
    mfem::ConstantCoefficient one(1);
    mfem::Array<int> fixed, clamped(mesh.bdr_attributes.Max());
    mfem::Vector down(3), B, X;
    mfem::LinearForm b(&space);
    mfem::BilinearForm a(&space);
    mfem::GridFunction u(&space);
    mfem::SparseMatrix A;
    clamped = 0, clamped[4] = 1; // the face x = 0
    down = 0.0, down[2] = -1e-3;
    mfem::VectorConstantCoefficient weight(down);
    space.GetEssentialTrueDofs(clamped, fixed);
    b.AddDomainIntegrator(new mfem::VectorDomainLFIntegrator(weight)), b.Assemble();
    a.AddDomainIntegrator(new mfem::ElasticityIntegrator(one, one)), a.Assemble();
    u = 0.0;
    a.FormLinearSystem(fixed, u, b, A, X, B);
    std::printf("%d;%d\n", A.Height(), A.NumNonZeroElems());
    measure("MFEM CG, GSSmoother", A, B, runs,
            cg(A, [&] { return std::make_unique<mfem::GSSmoother>(A); }));
    measure("mfem_solver cg, mfem_precond amg", A, B, runs, gsolve_by(A, "cg", "amg", &space));
}

int main(int argc, char **argv)
{
    if (argc < 3) return 1;
    const int runs = std::atoi(argv[2]);
    if (!std::strcmp(argv[1], "elasticity"))
        elasticity(runs);
    else
        poisson(!std::strcmp(argv[1], "partial"), runs);
    return 0;
}
