/* mfem.cpp: mfem_solver and mfem_precond with matrices and operators of MFEM, and what they say of
 * bad arguments. mfem EX1_GF EX1_MESH EX2_GF EX2_MESH: compares solutions with those of MFEM's own
 * examples 1 and 2, too. */
#include <fstream>
#include <limits>
#include <sstream>

#define main example
#include "../../examples/22_mfem.cpp"
#undef main
#include "common.h"

using mfem::SparseMatrix;
using mfem::Vector;

/* c I + the stencil -1 2 -1 */
static SparseMatrix line(int n, double c)
{
    SparseMatrix A(n, n);
    for (int i = 0; i < n; i++) {
        A.Add(i, i, 2 + c);
        if (i > 0) A.Add(i, i - 1, -1), A.Add(i - 1, i, -1);
    }
    A.Finalize();
    return A;
}

static double residual(const mfem::Operator &A, const Vector &b, const Vector &x)
{
    Vector r(b);
    A.AddMult(x, r, -1);
    return r.Norml2() / b.Norml2();
}

/* The message of the error in which f ends. */
template <class F>
static std::string aborts(F f)
try {
    f();
    return "no error";
} catch (const mfem::ErrorException &e) {
    return e.what();
}

struct shell : mfem::Operator { /* an operator without rows */
    explicit shell(const SparseMatrix &A, bool bad = false) : Operator(A.Height()), A(A), bad(bad)
    {
    }
    void Mult(const Vector &x, Vector &y) const override
    {
        if (bad) MFEM_ABORT("the operator failed");
        A.Mult(x, y);
    }
    void AssembleDiagonal(Vector &d) const override { A.GetDiag(d); }
    const SparseMatrix &A;
    bool bad;
};

struct counter : mfem::IterativeSolverController {
    int calls = 0;
    void MonitorResidual(int, mfem::real_t, const Vector &, bool) override
    {
        converged = ++calls == 5;
    }
};

static void matrices()
{
    const int n = 1000;
    SparseMatrix A = line(n, 0.01), A2 = line(n, 0.02), small = line(n / 2, 1);
    Vector b(n), x(n), y(n), half(n / 2), z(n / 2);
    gsolve::context ctx;
    gsolve::mfem_solver solver(ctx), named(ctx, "cg", "jacobi");

    b = 1, x = 5, half = 1, z = 0.0;
    solver.SetOperator(A);
    solver.Mult(b, x = 0.0);
    CHECK(solver.GetConverged() && residual(A, b, x) <= 1e-8 && solver.GetFinalRelNorm() <= 1e-8);
    solver.SetOperator(A2); // the pattern of before
    solver.Mult(b, x = 0.0);
    CHECK(residual(A2, b, x) <= 1e-8);
    solver.SetOperator(small); // another one
    solver.Mult(half, z);
    CHECK(residual(small, half, z) <= 1e-8);

    named.SetRelTol(1e-10);
    named.SetOperator(A);
    named.Mult(b, x = 0.0);
    const int many = named.GetNumIterations();
    CHECK(named.GetConverged() && many > 20 &&
          named.Explain().find("Converged") != std::string::npos);
    named.Mult(b, x); // iterative_mode is true

    CHECK(named.GetNumIterations() == 0);
    named.iterative_mode = false;
    named.SetMaxIter(3);
    named.Mult(b, x);
    CHECK(!named.GetConverged() && named.GetNumIterations() == 3);
    CHECK(named.Explain().find("limit") != std::string::npos);
    named.SetMaxIter(1000);
    named.SetRelTol(0), named.SetAbsTol(1e-3);
    named.Mult(b, x = 0.0);
    CHECK(named.GetConverged() && named.GetNumIterations() < many);
    counter monitor;
    named.SetController(monitor);
    named.Mult(b, x = 0.0);
    CHECK(!named.GetConverged() && monitor.calls >= 5);

    SparseMatrix once(2); // singular: the second row is empty
    Vector two(2), w(2);
    once.Add(0, 0, 2), once.Add(0, 1, -2), once.Finalize();
    solver.SetOperator(once);
    two = 1, w = 0.0;
    solver.Mult(two, w);
    CHECK(!solver.GetConverged() && std::abs(w[0] - w[1] - 0.5) < 1e-8);
    two[1] = 0;
    solver.Mult(two, w);
    CHECK(solver.GetConverged());

    Vector b2(b), x2(n);
    mfem::Array<const Vector *> B({&b, &b2});
    mfem::Array<Vector *> X({&x, &x2});
    b2 *= 2, x2 = 0.0;
    solver.SetOperator(A);
    solver.ArrayMult(B, X);
    CHECK(solver.GetConverged());
    CHECK(residual(A, b, x) <= 1e-8 && residual(A, b2, x2) <= 1e-8);
}

static void preconditioners()
{
    const int n = 2000;
    SparseMatrix A = line(n, 1e-3), A2 = line(n, 2e-3);
    Vector b(n), x(n), z(n);
    gsolve::context ctx("cpu");
    gsolve::mfem_precond ic(ctx, "ic"), chebyshev(ctx, "chebyshev,degree=6");
    mfem::CGSolver cg, inner;
    mfem::DSmoother jacobi;
    shell S(A);

    b = 1;
    cg.SetRelTol(1e-10), cg.SetMaxIter(2000);
    cg.SetPreconditioner(ic), cg.SetOperator(A); // in a solver of MFEM
    cg.Mult(b, x = 0.0);
    CHECK(cg.GetConverged() && cg.GetNumIterations() < 10 && residual(A, b, x) < 1e-8);
    cg.SetOperator(A2);
    cg.Mult(b, x = 0.0);
    CHECK(cg.GetConverged() && cg.GetNumIterations() < 10 && residual(A2, b, x) < 1e-8);

    gsolve::mfem_solver free(ctx, "cg");
    free.SetOperator(S); // products only
    free.Mult(b, x = 0.0);
    const int plain = free.GetNumIterations();
    CHECK(free.GetConverged() && residual(A, b, x) <= 1e-8);
    free.SetPreconditioner(chebyshev), free.SetOperator(S);
    free.Mult(b, x = 0.0);
    CHECK(free.GetConverged() && residual(A, b, x) <= 1e-8 && free.GetNumIterations() < plain / 2);
    free.SetPreconditioner(jacobi), free.SetOperator(A); // a preconditioner of MFEM
    free.Mult(b, x = 0.0);
    CHECK(free.GetConverged() && residual(A, b, x) <= 1e-8);
    gsolve::mfem_solver flexible(ctx, "fgmres");
    inner.SetMaxIter(20), inner.SetRelTol(1e-3);
    flexible.SetPreconditioner(inner),
        flexible.SetOperator(S); // one that differs in each iteration
    flexible.Mult(b, x = 0.0);
    CHECK(flexible.GetConverged() && residual(A, b, x) <= 1e-8);
    gsolve::mfem_solver with(ctx, "cg");
    with.SetPreconditioner(ic), with.SetOperator(A); // one of gsolve, whose pattern changes later
    with.Mult(b, x = 0.0);
    CHECK(with.GetConverged() && with.GetNumIterations() < 10);
    SparseMatrix other(n, n);
    for (int i = 0; i < n; i++) other.Add(i, i, 2);
    other.Finalize();
    ic.SetOperator(other);
    with.Mult(b, x = 0.0);
    CHECK(with.GetConverged() && with.GetNumIterations() > 10 && residual(A, b, x) <= 1e-8);
}

static void bad_arguments()
{
    SparseMatrix A = line(10, 1), open(10, 10);
    Vector b(10), x(10);
    gsolve::context ctx("cpu");
    gsolve::mfem_solver solver(ctx), wrong(ctx, "cgg");
    gsolve::mfem_precond never(ctx, "ic");
    mfem::Mesh mesh = mfem::Mesh::MakeCartesian2D(4, 4, mfem::Element::TRIANGLE);
    const mfem::H1_FECollection linear(1, 2);
    mfem::FiniteElementSpace nodes(&mesh, &linear, 2, mfem::Ordering::byNODES);
    shell failing(A, true), good(A);

    b = 1, x = 0.0;
    CHECK(aborts([&] { solver.Mult(b, x); }).find("SetOperator") != std::string::npos);
    CHECK(aborts([&] { never.Mult(b, x); }).find("SetOperator") != std::string::npos);
    open.Add(1, 1, 1);
    CHECK(aborts([&] { solver.SetOperator(open); }).find("not finalized") != std::string::npos);
    CHECK(aborts([&] { never.SetElasticity(nodes); }).find("byVDIM") != std::string::npos);
    CHECK(aborts([&] { never.SetOperator(good); }).find("chebyshev") != std::string::npos);
    wrong.SetOperator(A);
    CHECK(aborts([&] { wrong.Mult(b, x); }).find("cgg") != std::string::npos);
    solver.SetOperator(A);
    b[2] = std::numeric_limits<double>::quiet_NaN();
    CHECK(aborts([&] { solver.Mult(b, x); }).find("finite") != std::string::npos);
    b[2] = 1;
    solver.Mult(b, x); // works after an error
    CHECK(solver.GetConverged());
    solver.SetRelTol(-1);
    CHECK(aborts([&] { solver.Mult(b, x); }).find("rtol") != std::string::npos);
    solver.SetRelTol(1e-8), solver.SetOperator(failing);
    CHECK(aborts([&] { solver.Mult(b, x); }).find("the operator failed") != std::string::npos);
    A(3, 3) = std::numeric_limits<double>::infinity();
    CHECK(aborts([&] { solver.SetOperator(A); }).find("finite") != std::string::npos);
}

/* Compares u with a solution that an example of MFEM has written with 8 digits. */
static void compare(const char *solution, mfem::Mesh &mesh, const mfem::GridFunction &u,
                    double sign)
{
    std::ifstream file(solution);
    mfem::GridFunction theirs(&mesh, file);
    CHECK(theirs.Size() == u.Size());
    const double largest = theirs.Normlinf();
    theirs.Add(-sign, u);
    std::printf("difference from %s: %.1e of the largest value\n", solution,
                theirs.Normlinf() / largest);
    CHECK(theirs.Normlinf() <= 1e-6 * largest);
}

int main(int argc, char **argv)
{
    mfem::set_error_action(mfem::MFEM_ERROR_THROW);
    matrices();
    preconditioners();
    bad_arguments();
    CHECK(example() == 0);
    if (argc < 5) return 0;
    mfem::Mesh star(argv[2]), beam(argv[4]);
    refine(star, 50000), refine(beam, 5000);
    const mfem::H1_FECollection plane(1, star.Dimension()), solid(1, beam.Dimension());
    mfem::FiniteElementSpace scalars(&star, &plane);
    mfem::FiniteElementSpace vectors(&beam, &solid, beam.Dimension(), mfem::Ordering::byVDIM);
    mfem::FiniteElementSpace by_nodes(&beam, &solid, beam.Dimension());
    mfem::GridFunction u(&scalars), w(&vectors), w_by_nodes(&by_nodes);
    for (bool partial : {false, true}) poisson(scalars, partial, u), compare(argv[1], star, u, 1);
    elasticity(vectors, w);
    for (int i = 0; i < vectors.GetNDofs(); i++)
        for (int c = 0; c < beam.Dimension(); c++)
            w_by_nodes[by_nodes.DofToVDof(i, c)] = w[vectors.DofToVDof(i, c)];
    compare(argv[3], beam, w_by_nodes, -1); // example 2 writes -u
    return 0;
}
