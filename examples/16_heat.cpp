/* 16_heat.cpp: what 15_heat.c computes, with the classes of gsolve.hpp. Nothing is freed by hand,
 * and a failure is an exception. Then the steady state, from an operator that is not assembled, by
 * the automatic solver. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gsolve.hpp>
#include <vector>

constexpr int side = 32, n = side * side, steps = 1000;

/* Five-point stencil: A = I + c tridiag(-1, 2, -1) in both directions. The vectors keep their
 * memory, and the view its pointers. */
struct stencil {
    std::vector<std::int32_t> start, col;
    std::vector<double> value;

    void assemble(double c)
    {
        start.assign(1, 0);
        col.clear();
        value.clear();
        for (int i = 0; i < n; i++) {
            const int x = i % side, y = i / side;
            if (y > 0) put(i - side, -c);
            if (x > 0) put(i - 1, -c);
            put(i, 1 + 4 * c);
            if (x + 1 < side) put(i + 1, -c);
            if (y + 1 < side) put(i + side, -c);
            start.push_back(static_cast<std::int32_t>(col.size()));
        }
    }
    void put(int column, double number)
    {
        col.push_back(column);
        value.push_back(number);
    }
};

/* y = tridiag(-1, 2, -1) x in both directions. */
static void multiply(const gsolve_dense &x, const gsolve_dense &y)
{
    const auto *u = static_cast<const double *>(x.value);
    auto *to = static_cast<double *>(y.value);

    for (int i = 0; i < n; i++) {
        const int c = i % side, r = i / side;
        to[i] = 4 * u[i] - (r > 0 ? u[i - side] : 0) - (c > 0 ? u[i - 1] : 0) -
                (c + 1 < side ? u[i + 1] : 0) - (r + 1 < side ? u[i + side] : 0);
    }
}

int main()
try {
    const double h = 1.0 / (side + 1);
    stencil s;
    std::vector<double> u(n), b(n);
    gsolve_context_info before = GSOLVE_INIT(gsolve_context_info);
    int iterations = 0;

    s.assemble(1);
    const gsolve_csr rows = gsolve::csr(n, n, s.start, s.col, s.value); // sees new values
    gsolve::context ctx, host("cpu"); // multiply computes on the host
    gsolve::matrix A(ctx, "csr", rows);
    gsolve::precond M(ctx, "jacobi", A);
    gsolve::solver S(ctx, "cg", A, M);
    for (int step = 0; step < steps; step++) {
        const double dt = 1e-3 * (1 + 0.5 * std::sin(step)), k = 1 + 0.5 * std::cos(0.1 * step);
        if (step == 1) before = ctx.describe();
        s.assemble(k * dt / (h * h));
        for (std::size_t i = 0; i < n; i++) b[i] = u[i] + dt;
        A.update(rows);
        M.update(A);
        const gsolve_result result = S.run(b, u);
        if (result.outcome != GSOLVE_CONVERGED) {
            std::fprintf(stderr, "step %d: %s\n", step, S.explain().c_str());
            return 2;
        }
        iterations += result.iterations;
    }
    std::printf("%d steps, %d iterations, u in the middle %.6f, allocations after the first step: "
                "%lld\n",
                steps, iterations, u[n / 2 + side / 2],
                static_cast<long long>(ctx.describe().allocations - before.allocations));
    gsolve::matrix steady(host, n, n, multiply, GSOLVE_FUNCTION_DEFINITE);
    gsolve::auto_solver last(host, "rtol=1e-10", steady);
    b.assign(n, h * h);
    if (last.run(b, u).outcome != GSOLVE_CONVERGED) return 2;
    std::printf("the steady state with k = 1: u in the middle %.6f\n", u[n / 2 + side / 2]);
    return 0;
} catch (const gsolve::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
