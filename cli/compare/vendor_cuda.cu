// vendor_cuda.cu: see vendor.h. The loops are those of bench/peer_plain.cu. A failure travels as an
// exception to cmp_vendor_solve.
#include "cli/compare/vendor.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "cli/compare/vendor_libraries.cuh"

namespace
{

double now()
{
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

// z = D r. Thread i owns element i; the kernel reads d and r and writes z, 24 bytes an element.
__global__ void scale_rows(int n, const double *d, const double *r, double *z)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) z[i] = d[i] * r[i];
}

// 1 / a_ii, or 1 without jacobi. Duplicates are summed.
std::vector<double> inverse_diagonal(const gsolve_csr *A, bool jacobi)
{
    const int *start = (const int *)A->start;
    const double *value = (const double *)A->value;
    std::vector<double> d((size_t)A->nrows, jacobi ? 0 : 1);

    for (int i = 0; jacobi && i < A->nrows; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            if (A->col[k] == i) d[(size_t)i] += value[k];
        }
        if (d[(size_t)i] == 0) {
            throw std::runtime_error("the diagonal entry of row " + std::to_string(i) +
                                     " (counted from 0) is 0");
        }
        d[(size_t)i] = 1 / d[(size_t)i];
    }
    return d;
}

// --- the methods -------------------------------------------------------------------------------

enum { VECTORS = 7 }; // of bicgstab, which has the most

struct solver {
    cmp_vendor &t;
    const handles &h;
    const int n;
    array<double> d, x, work; // work: v(0), v(1), ...
    product A;
    const double *b; // on the device

    solver(cmp_vendor &run, const handles &libraries, int *start, int *col, double *value,
           double *rhs)
        : t(run), h(libraries), n(run.A->nrows),
          d(inverse_diagonal(run.A, run.jacobi).data(), (size_t)n, run.bytes),
          x((size_t)n, run.bytes), work((size_t)n * VECTORS, run.bytes),
          A(h.sparse, n, gsolve_csr_entries(run.A), start, col, value, x, work, run.bytes), b(rhs)
    {
        check(cudaMemsetAsync(x, 0, (size_t)n * sizeof(double), h.stream));
        check(cudaStreamSynchronize(h.stream));
    }

    double *v(int j) const { return work + (size_t)j * (size_t)n; }

    void precondition(const double *r, double *z) const
    {
        if (!t.jacobi) return copy(r, z);
        scale_rows<<<(unsigned)((n + 255) / 256), 256, 0, h.stream>>>(n, d, r, z);
        check(cudaGetLastError());
    }
    double dot(const double *p, const double *q) const
    {
        double pq;
        check(h.api.dot(h.blas, n, p, 1, q, 1, &pq));
        return pq;
    }
    double norm(const double *r) const { return std::sqrt(dot(r, r)); }
    void axpy(double a, const double *p, double *q) const
    {
        check(h.api.axpy(h.blas, n, &a, p, 1, q, 1));
    }
    void scale(double a, double *p) const { check(h.api.scal(h.blas, n, &a, p, 1)); }
    void copy(const double *p, double *q) const { check(h.api.copy(h.blas, n, p, 1, q, 1)); }

    // Whether the method ends in iteration k, with |r| = size.
    bool ends(int k, double size, double rhs) const
    {
        t.iterations = k;
        t.converged = size <= t.rtol * rhs;
        if (t.converged) return true;
        t.stop = !std::isfinite(size)                           ? "breakdown"
                 : t.follow && !t.follow(k, size / rhs, t.user) ? "stopped"
                 : k >= t.maxit                                 ? "iteration limit"
                                                                : nullptr;
        return t.stop != nullptr;
    }

    void cg() const
    {
        double *r = v(0), *z = v(1), *p = v(2), *q = v(3);

        copy(b, r);
        const double rhs = norm(r);
        if (ends(0, rhs, rhs)) return;
        precondition(r, z);
        copy(z, p);
        double rho = dot(r, z);
        for (int k = 1;; k++) {
            A(p, q);
            const double alpha = rho / dot(p, q);
            axpy(alpha, p, x);
            axpy(-alpha, q, r);
            if (ends(k, norm(r), rhs)) return;
            precondition(r, z);
            const double next = dot(r, z);
            scale(next / rho, p);
            axpy(1, z, p); // p = z + beta p
            rho = next;
        }
    }

    void bicgstab() const
    {
        double *r = v(0), *shadow = v(1), *p = v(2), *hat = v(3), *q = v(4), *s = v(5), *u = v(6);

        copy(b, r);
        copy(r, shadow);
        copy(r, p);
        double rho = dot(shadow, r);
        const double rhs = std::sqrt(rho);
        if (ends(0, rhs, rhs)) return;
        for (int k = 1;; k++) {
            precondition(p, hat);
            A(hat, q);
            const double alpha = rho / dot(shadow, q);
            axpy(-alpha, q, r); // r holds s
            precondition(r, s);
            A(s, u);
            const double omega = dot(u, r) / dot(u, u);
            axpy(alpha, hat, x);
            axpy(omega, s, x);
            axpy(-omega, u, r);
            if (ends(k, norm(r), rhs)) return;
            const double next = dot(shadow, r), beta = next / rho * (alpha / omega);
            axpy(-omega, q, p);
            scale(beta, p);
            axpy(1, r, p); // p = r + beta (p - omega q)
            rho = next;
        }
    }
};

void solve(cmp_vendor &t)
{
    const size_t n = (size_t)t.A->nrows, entries = (size_t)gsolve_csr_entries(t.A);

    check(cudaSetDevice(t.device));
    const cublas api;
    const handles h(api);
    const array<int> start(t.A->start, n + 1, t.bytes), col(t.A->col, entries, t.bytes);
    const array<double> value(t.A->value, entries, t.bytes), b(t.b, n, t.bytes);
    check(cudaDeviceSynchronize());

    const double begin = now();
    const solver S(t, h, start, col, value, b);
    const double ready = now();
    if (t.method == CMP_VENDOR_CG) {
        S.cg();
    } else {
        S.bicgstab();
    }
    check(cudaStreamSynchronize(h.stream));
    t.setup_seconds = ready - begin;
    t.solve_seconds = now() - ready;
    check(cudaMemcpy(t.x, S.x, n * sizeof(double), cudaMemcpyDeviceToHost));
}

} // namespace

extern "C" bool cmp_vendor_solve(cmp_vendor *t, char why[256])
{
    t->bytes = t->setup_seconds = t->solve_seconds = 0;
    t->iterations = 0;
    t->converged = false;
    t->stop = nullptr;
    try {
        solve(*t);
        return true;
    } catch (const std::exception &e) {
        snprintf(why, 256, "%s", e.what());
        return false;
    }
}
