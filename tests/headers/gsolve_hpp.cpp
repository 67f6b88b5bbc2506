/* Every class and template of gsolve.hpp, with the containers that a caller may have. The test
 * cxx17 runs it; headers_cxx17 compiles it with warnings. */
#include "gsolve.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

void expect(bool holds, const char *what)
{
    if (holds) return;
    std::printf("FAILED: %s\n", what);
    std::exit(1);
}

template <class F>
void expect_error(gsolve_status status, const char *words, F call)
{
    try {
        call();
    } catch (const gsolve::error &e) {
        expect(e.status == status, e.what());
        expect(std::string(e.what()).find(words) != std::string::npos, e.what());
        return;
    }
    expect(false, words);
}

const std::array<std::int32_t, 4> start{0, 2, 5, 7};
const std::vector<std::int64_t> start64{0, 2, 5, 7};
const std::vector<std::int32_t> col{0, 1, 0, 1, 2, 1, 2};
const std::vector<double> value{2, -1, -1, 2, -1, -1, 2};
const std::vector<float> single{2, -1, -1, 2, -1, -1, 2};

/* The solver lives on after what it was made from, and can be moved. */
gsolve::solver make_solver()
{
    gsolve::context ctx("cpu,threads=1");
    gsolve::matrix A(ctx, "auto", gsolve::csr(3, 3, start, col, value));
    gsolve::precond M(ctx, "jacobi", A);
    gsolve::solver S(ctx, "cg", A, M);
    return S;
}

void test_solves()
{
    gsolve::solver S = make_solver(), moved = std::move(S);
    const double b[] = {1, 0, 1};
    std::vector<double> x(3), six(6);

    expect(moved.run(gsolve::span(b, 3), x).outcome == GSOLVE_CONVERGED, "a solve");
    expect(std::fabs(x[1] - 1) < 1e-7, "the solution");
    expect(moved.run(std::vector<double>{1, 0, 1, 2, 0, 2}, six, 2).outcome == GSOLVE_CONVERGED,
           "a solve with two columns");
    expect(std::fabs(six[4] - 2) < 1e-7, "the second solution");
    expect(moved.name() == "cg" && !moved.explain().empty(), "name and explanation");
    S = make_solver();
    expect(S.get() != nullptr, "assignment");
}

void test_matrices()
{
    gsolve::context ctx("cpu");
    gsolve::matrix A(ctx, "sell", gsolve::csr(3, 3, start64, col, single));
    const std::array<float, 3> x{1, 2, 3};
    std::vector<float> y(3);
    std::vector<double> u(3);

    A.apply(1, x, 0, y);
    expect(y[0] == 0 && y[1] == 0 && y[2] == 4, "a product in single precision");
    A.update(gsolve::csr(3, 3, start64, col, std::vector<float>(7, 1)));
    A.apply(2, x, 1, gsolve::span(y.data(), y.size()));
    expect(y[2] == 14, "new values");
    expect(A.describe().version == 2 && A.describe().type == GSOLVE_F32, "the description");
    expect(gsolve::precond(ctx, "jacobi", A).describe().n == 3, "a preconditioner");
    expect(gsolve::solver(ctx, "gmres", A).name() == "gmres", "a solver without a preconditioner");
    const gsolve_csr rows = gsolve::csr(3, 3, start, col, value);
    gsolve::auto_solver once(ctx, "", gsolve::matrix(ctx, "auto", rows));
    expect(once.run(std::vector<double>{1, 0, 1}, u).outcome == GSOLVE_CONVERGED, "one call");
    expect(ctx.describe().threads > 0, "the context");
}

/* The automatic solver and its matrix, which gets new values. */
void test_auto_solver()
{
    gsolve::context ctx("cpu");
    gsolve::matrix A(ctx, "auto", gsolve::csr(3, 3, start, col, value));
    gsolve::auto_solver S(ctx, "rtol=1e-12", A);
    const std::vector<double> b{1, 0, 1};
    std::vector<double> x(3), larger = value;

    expect(S.run(b, x).outcome == GSOLVE_CONVERGED && std::fabs(x[1] - 1) < 1e-9, "a solution");
    for (double &number : larger) number *= 2;
    A.update(gsolve::csr(3, 3, start, col, larger));
    S.set("rtol=1e-11");
    expect(S.run(b, x).outcome == GSOLVE_CONVERGED && std::fabs(x[1] - 0.5) < 1e-9, "another one");
    expect(S.describe().updates == 1 && S.describe().runs == 2, "what it did");
    expect(S.explain().find("rtol=1e-11") != std::string::npos, "the explanation");
}

/* A = factor * tridiag(-1, 2, -1) as an operator, which its solver keeps alive. */
void test_operators()
{
    gsolve::context ctx("cpu");
    double factor = 1;
    const auto multiply = [&factor](const gsolve_dense &x, const gsolve_dense &y) {
        const auto *from = static_cast<const double *>(x.value);
        auto *to = static_cast<double *>(y.value);
        if (factor < 0) throw std::runtime_error("the factor is negative");
        if (factor == 0) throw 42;
        for (int i = 0; i < 3; i++) {
            to[i] = factor * (2 * from[i] - (i > 0 ? from[i - 1] : 0) - (i < 2 ? from[i + 1] : 0));
        }
    };
    gsolve::matrix A(ctx, 3, 3, multiply, GSOLVE_FUNCTION_DEFINITE);
    gsolve::solver S(ctx, "cg", A);
    const std::vector<double> b{1, 0, 1};
    std::vector<double> x(3);

    expect(S.run(b, x).outcome == GSOLVE_CONVERGED && std::fabs(x[1] - 1) < 1e-7, "an operator");
    factor = 4;
    A.update();
    { // S keeps what A has been
        const gsolve::matrix gone = std::move(A);
    }
    expect(S.run(b, x).outcome == GSOLVE_CONVERGED && std::fabs(x[1] - 0.25) < 1e-7, "updated");
    factor = -1;
    expect_error(GSOLVE_BAD_ARGUMENT, "the factor is negative", [&] { S.run(b, x); });
    factor = 0;
    expect_error(GSOLVE_BAD_ARGUMENT, "no std::exception", [&] { S.run(b, x); });
    expect_error(GSOLVE_BAD_ARGUMENT, "moved from", [&] { A.update(); });
    expect_error(GSOLVE_BAD_ARGUMENT, "flags 0x8",
                 [&] { gsolve::matrix(ctx, 3, 3, multiply, GSOLVE_FUNCTION_VARIABLE); });
    gsolve::matrix plain(ctx, "csr", gsolve::csr(3, 3, start, col, value));
    expect_error(GSOLVE_UNSUPPORTED, "operator", [&] { plain.update(); });
}

/* The rows of A sum to 0, and b is not in its range. */
void test_null_spaces()
{
    gsolve::context ctx("cpu");
    const std::vector<double> neumann{1, -1, -1, 2, -1, -1, 1};
    gsolve::matrix A(ctx, "csr", gsolve::csr(3, 3, start, col, neumann));
    std::vector<double> x(3);
    gsolve_null_space constants = {}, wrong = {};

    constants.constants = true;
    A.set_null_space(constants);
    gsolve::solver S(ctx, "minres", A);
    S.set("rtol=1e-12,maxit=50");
    expect(S.run(std::vector<double>{2, 0, -1}, x).outcome == GSOLVE_LEAST_SQUARES, "a null space");
    expect(std::fabs(x[0] + x[1] + x[2]) < 1e-12, "no constant component");
    std::vector<double> v{1, 2, 3};
    wrong.vectors = gsolve::dense(gsolve::span(v));
    expect_error(GSOLVE_BAD_ARGUMENT, "null space", [&] { A.set_null_space(wrong); });
    A.set_null_space(constants, &constants);
}

void test_errors()
{
    gsolve::context ctx("cpu");
    gsolve::solver S = make_solver();
    std::vector<double> two(2), three(3);

    expect_error(GSOLVE_BAD_SPEC, "unknown device", [] { gsolve::context other("gpu"); });
    expect_error(GSOLVE_BAD_SPEC, "nonsense",
                 [&] { gsolve::matrix A(ctx, "nonsense", gsolve::csr(3, 3, start, col, value)); });
    expect_error(GSOLVE_BAD_ARGUMENT, "start must have",
                 [] { gsolve::csr(2, 2, start, col, value); });
    expect_error(GSOLVE_BAD_ARGUMENT, "fewer elements",
                 [&] { gsolve::csr(3, 3, start, col, two); });
    expect_error(GSOLVE_BAD_ARGUMENT, "columns", [&] { S.run(three, three, 2); });
    expect_error(GSOLVE_BAD_ARGUMENT, "must have 3 rows", [&] { S.run(two, three); });
    gsolve::solver moved = std::move(S);
    expect_error(GSOLVE_BAD_ARGUMENT, "moved from", [&] { S.run(two, three); });
    expect_error(GSOLVE_BAD_ARGUMENT, "moved from", [&] { S.name(); });
    gsolve::matrix A(ctx, "csr", gsolve::csr(3, 3, start, col, value)), B(std::move(A));
    expect_error(GSOLVE_BAD_ARGUMENT, "moved from", [&] { A.describe(); });
    gsolve::precond M(ctx, "jacobi", B), N(std::move(M));
    expect_error(GSOLVE_BAD_ARGUMENT, "moved from", [&] { gsolve::solver(ctx, "cg", B, M); });
}

} // namespace

int main()
{
    test_solves();
    test_matrices();
    test_auto_solver();
    test_operators();
    test_null_spaces();
    test_errors();
    return 0;
}
