/* 22_mfem.cpp: what examples 1 and 2 of MFEM solve, by gsolve. Poisson's equation, with a matrix
 * and by partial assembly, which has none; then a beam of two materials, whose multigrid knows the
 * rigid body modes. Needs MFEM 4.7 or later; link with -lmfem. */
#include <cmath>
#include <cstdio>
#include <gsolve_mfem.hpp>

static void refine(mfem::Mesh &mesh, double elements)
{
    const int levels = static_cast<int>(
        std::floor(std::log(elements / mesh.GetNE()) / std::log(2.) / mesh.Dimension()));
    for (int level = 0; level < levels; level++) mesh.UniformRefinement();
}

/* -div grad u = 1, u = 0 at the boundary. u belongs to `space`. */
static void poisson(mfem::FiniteElementSpace &space, bool partial, mfem::GridFunction &u)
{
    mfem::Array<int> fixed;
    mfem::ConstantCoefficient one(1);
    mfem::LinearForm b(&space);
    mfem::BilinearForm a(&space);
    mfem::OperatorPtr A;
    mfem::Vector B, X;

    space.GetBoundaryTrueDofs(fixed);
    b.AddDomainIntegrator(new mfem::DomainLFIntegrator(one));
    b.Assemble();
    if (partial) a.SetAssemblyLevel(mfem::AssemblyLevel::PARTIAL);
    a.AddDomainIntegrator(new mfem::DiffusionIntegrator(one));
    a.Assemble();
    u = 0.0;
    a.FormLinearSystem(fixed, u, b, A, X, B);

    gsolve::context ctx(partial ? "cpu" : "auto");        // MFEM computes the products of A
    gsolve::mfem_solver solver(ctx, partial ? "cg" : ""); // gsolve knows nothing of A without rows
    gsolve::mfem_precond chebyshev(ctx, "chebyshev,degree=5");
    if (partial) solver.SetPreconditioner(chebyshev); // from products and the diagonal
    solver.SetRelTol(1e-12);
    solver.SetOperator(*A);
    solver.Mult(B, X);
    std::printf("Poisson%s: %d unknowns, %s, %d iterations\n", partial ? ", partial assembly" : "",
                A->Height(), solver.GetConverged() ? "converged" : "not converged",
                solver.GetNumIterations());
    a.RecoverFEMSolution(X, b, u);
}

/* A beam, fixed at the boundary with attribute 1 and pulled down at that with attribute 2. */
static void elasticity(mfem::FiniteElementSpace &space, mfem::GridFunction &u)
{
    const mfem::Mesh &mesh = *space.GetMesh();
    const int d = mesh.Dimension();
    mfem::Array<int> fixed, clamped(mesh.bdr_attributes.Max());
    mfem::Vector pull(mesh.bdr_attributes.Max()), stiffness(mesh.attributes.Max());
    mfem::VectorArrayCoefficient force(d);
    mfem::LinearForm b(&space);
    mfem::BilinearForm a(&space);
    mfem::OperatorPtr A;
    mfem::Vector B, X;

    clamped = 0, clamped[0] = 1;
    pull = 0.0, pull[1] = -1e-2;
    stiffness = 1.0, stiffness[0] = 50;
    mfem::PWConstCoefficient lame(stiffness);
    space.GetEssentialTrueDofs(clamped, fixed);
    for (int c = 0; c + 1 < d; c++) force.Set(c, new mfem::ConstantCoefficient(0));
    force.Set(d - 1, new mfem::PWConstCoefficient(pull));
    b.AddBoundaryIntegrator(new mfem::VectorBoundaryLFIntegrator(force));
    b.Assemble();
    a.AddDomainIntegrator(new mfem::ElasticityIntegrator(lame, lame));
    a.Assemble();
    u = 0.0;
    a.FormLinearSystem(fixed, u, b, A, X, B);

    gsolve::context ctx;
    gsolve::mfem_precond amg(ctx, "amg");
    gsolve::mfem_solver solver(ctx, "cg");
    amg.SetElasticity(space);
    solver.SetPreconditioner(amg);
    solver.SetOperator(*A);
    solver.Mult(B, X);
    std::printf("Elasticity: %d unknowns, %s, %d iterations\n", A->Height(),
                solver.GetConverged() ? "converged" : "not converged", solver.GetNumIterations());
    a.RecoverFEMSolution(X, b, u);
}

int main()
{
    mfem::Mesh cube = mfem::Mesh::MakeCartesian3D(2, 2, 2, mfem::Element::HEXAHEDRON);
    mfem::Mesh beam = mfem::Mesh::MakeCartesian3D(8, 1, 1, mfem::Element::HEXAHEDRON, 8, 1, 1);
    const mfem::H1_FECollection quadratic(2, 3), linear(1, 3);

    refine(cube, 5000);
    mfem::FiniteElementSpace scalars(&cube, &quadratic);
    mfem::GridFunction u(&scalars), v(&scalars), w;
    poisson(scalars, false, u);
    poisson(scalars, true, v);
    v -= u;
    std::printf("the two agree: %s\n", v.Normlinf() < 1e-9 ? "yes" : "no");

    for (int e = 0; e < beam.GetNBE(); e++) {
        mfem::Vector centre(3);
        mfem::ElementTransformation &T = *beam.GetBdrElementTransformation(e);
        T.Transform(mfem::Geometries.GetCenter(T.GetGeometryType()), centre);
        beam.SetBdrAttribute(e, centre[0] < 1e-9 ? 1 : centre[0] > 8 - 1e-9 ? 2 : 3);
    }
    for (int e = 4; e < 8; e++) beam.SetAttribute(e, 2);
    beam.SetAttributes();
    refine(beam, 5000);
    mfem::FiniteElementSpace vectors(&beam, &linear, 3, mfem::Ordering::byVDIM);
    w.SetSpace(&vectors);
    elasticity(vectors, w);
    return 0;
}
