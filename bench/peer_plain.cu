// peer_plain.cu: see peer_plain.h. Every call is checked; a failure travels as an exception to the
// function that C calls.
#include "bench/peer_plain.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include "bench/bench.h"

namespace
{

void check(cudaError_t code)
{
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

void check(cusparseStatus_t code)
{
    if (code != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(code));
}

void check(cublasStatus_t code)
{
    if (code != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(code));
}

// count elements on the device.
template <class T>
struct array {
    T *data = nullptr;
    explicit array(size_t count) { check(cudaMalloc(&data, (count + 1) * sizeof(T))); }
    array(const void *from, size_t count) : array(count)
    {
        check(cudaMemcpy(data, from, count * sizeof(T), cudaMemcpyHostToDevice));
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array() { cudaFree(data); }
    operator T *() const { return data; }
};

__global__ void scale_rows(int n, const double *d, const double *r, double *z) // z = D r
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) z[i] = d[i] * r[i];
}

// One algorithm of cuSPARSE for y = A x.
struct product {
    cusparseHandle_t handle;
    cusparseSpMVAlg_t alg;
    cusparseSpMatDescr_t A = nullptr;
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    void *buffer = nullptr;

    product(cusparseHandle_t h, cusparseSpMVAlg_t algorithm, int n, int64_t entries, int *start,
            int *col, double *value, double *operand, double *result)
        : handle(h), alg(algorithm)
    {
        const double one = 1, zero = 0;
        size_t bytes = 0;

        check(cusparseCreateCsr(&A, n, n, entries, start, col, value, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        check(cusparseCreateDnVec(&x, n, operand, CUDA_R_64F));
        check(cusparseCreateDnVec(&y, n, result, CUDA_R_64F));
        check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, x, &zero,
                                      y, CUDA_R_64F, alg, &bytes));
        check(cudaMalloc(&buffer, bytes + 1));
        check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, x, &zero,
                                      y, CUDA_R_64F, alg, buffer));
    }
    ~product()
    {
        cudaFree(buffer);
        if (x) cusparseDestroyDnVec(x);
        if (y) cusparseDestroyDnVec(y);
        if (A) cusparseDestroySpMat(A);
    }
    product(const product &) = delete;
    product &operator=(const product &) = delete;

    void operator()(double *operand, double *result) const
    {
        const double one = 1, zero = 0;

        check(cusparseDnVecSetValues(x, operand));
        check(cusparseDnVecSetValues(y, result));
        check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, x, &zero, y,
                           CUDA_R_64F, alg, buffer));
    }
};

struct handles { // and their stream
    cudaStream_t stream = nullptr;
    cusparseHandle_t sparse = nullptr;
    cublasHandle_t blas = nullptr;

    handles()
    {
        check(cudaStreamCreate(&stream));
        check(cusparseCreate(&sparse));
        check(cusparseSetStream(sparse, stream));
        check(cublasCreate(&blas));
        check(cublasSetStream(blas, stream));
        check(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
    }
    ~handles()
    {
        if (blas) cublasDestroy(blas);
        if (sparse) cusparseDestroy(sparse);
        if (stream) cudaStreamDestroy(stream);
    }
    handles(const handles &) = delete;
    handles &operator=(const handles &) = delete;
};

std::vector<double> reciprocals(const gsolve_csr *csr)
{
    const int *start = (const int *)csr->start;
    const double *value = (const double *)csr->value;
    std::vector<double> d((size_t)csr->nrows);

    for (int i = 0; i < csr->nrows; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            if (csr->col[k] == i) d[(size_t)i] = 1 / value[k];
        }
    }
    return d;
}

} // namespace

struct peer_plain {
    const peer_method method;
    const int n, m;
    const int64_t entries;
    handles h;
    array<int> start, col;
    array<double> value, d, b, x, work;
    product one, two;
    array<double> coefficients; // of GMRES, for gemv
    peer_variant variant = {};

    // Vectors of work: v(0), v(1), ...
    static int vectors(peer_method method, int m)
    {
        return method == PEER_CG ? 4 : method == PEER_BICGSTAB ? 7 : m + 2;
    }

    peer_plain(const gsolve_csr *csr, peer_method how, int restart)
        : method(how), n(csr->nrows), m(restart), entries(gsolve_csr_entries(csr)),
          start(csr->start, (size_t)n + 1), col(csr->col, (size_t)entries),
          value(csr->value, (size_t)entries), d(reciprocals(csr).data(), (size_t)n), b((size_t)n),
          x((size_t)n), work((size_t)n * (size_t)vectors(how, restart)),
          one(h.sparse, CUSPARSE_SPMV_CSR_ALG1, n, entries, start, col, value, x, b),
          two(h.sparse, CUSPARSE_SPMV_CSR_ALG2, n, entries, start, col, value, x, b),
          coefficients((size_t)restart + 1)
    {
        check(cudaStreamSynchronize(h.stream));
    }

    double *v(int j) const { return work + (size_t)j * (size_t)n; }

    // --- the operations ------------------------------------------------------------------------

    void multiply(double *p, double *q) const { (variant.alg == 1 ? one : two)(p, q); }

    void precondition(const double *r, double *z) const
    {
        scale_rows<<<(unsigned)((n + 255) / 256), 256, 0, h.stream>>>(n, d, r, z);
        check(cudaGetLastError());
    }

    double dot(const double *p, const double *q) const
    {
        double pq;
        check(cublasDdot(h.blas, n, p, 1, q, 1, &pq));
        return pq;
    }

    double norm(const double *r) const
    {
        double size;
        if (!variant.nrm2) return std::sqrt(dot(r, r));
        check(cublasDnrm2(h.blas, n, r, 1, &size));
        return size;
    }

    void axpy(double a, const double *p, double *q) const
    {
        check(cublasDaxpy(h.blas, n, &a, p, 1, q, 1));
    }

    void scale(double a, double *p) const { check(cublasDscal(h.blas, n, &a, p, 1)); }

    void copy(const double *p, double *q) const { check(cublasDcopy(h.blas, n, p, 1, q, 1)); }

    // --- the methods, from x = 0; the number of iterations -------------------------------------

    int cg(double rtol, int maxit) const
    {
        double *r = v(0), *z = v(1), *p = v(2), *q = v(3);

        copy(b, r);
        const double target = rtol * norm(r);
        precondition(r, z);
        copy(z, p);
        double rho = dot(r, z);
        for (int k = 1; k <= maxit; k++) {
            multiply(p, q);
            const double alpha = rho / dot(p, q);
            axpy(alpha, p, x);
            axpy(-alpha, q, r);
            if (norm(r) <= target) return k;
            precondition(r, z);
            const double next = dot(r, z);
            scale(next / rho, p);
            axpy(1, z, p); // p = z + beta p
            rho = next;
        }
        return maxit;
    }

    int bicgstab(double rtol, int maxit) const
    {
        double *r = v(0), *shadow = v(1), *p = v(2), *hat = v(3), *q = v(4), *s = v(5), *t = v(6);

        copy(b, r);
        copy(r, shadow);
        copy(r, p);
        const double target = rtol * norm(r);
        double rho = dot(shadow, r);
        for (int k = 1; k <= maxit; k++) {
            precondition(p, hat);
            multiply(hat, q);
            const double alpha = rho / dot(shadow, q);
            axpy(-alpha, q, r); // r holds s
            precondition(r, s);
            multiply(s, t);
            const double omega = dot(t, r) / dot(t, t);
            axpy(alpha, hat, x);
            axpy(omega, s, x);
            axpy(-omega, t, r);
            if (norm(r) <= target) return k;
            const double next = dot(shadow, r), beta = next / rho * (alpha / omega);
            axpy(-omega, q, p);
            scale(beta, p);
            axpy(1, r, p); // p = r + beta (p - omega q)
            rho = next;
        }
        return maxit;
    }

    // w less its part in the span of v(0) ... v(j); h[i] = v(i)'w.
    void orthogonalise(int j, double *w, double *h_j) const
    {
        const double one_ = 1, minus = -1, zero = 0;
        const size_t bytes = (size_t)(j + 1) * sizeof(double);

        if (variant.classical) {
            check(cublasDgemv(h.blas, CUBLAS_OP_T, n, j + 1, &one_, work, n, w, 1, &zero,
                              coefficients, 1));
            check(cublasDgemv(h.blas, CUBLAS_OP_N, n, j + 1, &minus, work, n, coefficients, 1,
                              &one_, w, 1));
            check(cudaMemcpyAsync(h_j, coefficients, bytes, cudaMemcpyDeviceToHost, h.stream));
            check(cudaStreamSynchronize(h.stream));
            return;
        }
        for (int i = 0; i <= j; i++) {
            h_j[i] = dot(v(i), w);
            axpy(-h_j[i], v(i), w);
        }
    }

    // x += D V y after count steps, H y = g with H upper triangular; z is free.
    void add_solution(int count, std::vector<double> &H, std::vector<double> &g, double *z) const
    {
        const double one_ = 1, zero = 0;

        for (int i = count - 1; i >= 0; i--) {
            for (int k = i + 1; k < count; k++)
                g[(size_t)i] -= H[(size_t)(k * (m + 1) + i)] * g[(size_t)k];
            g[(size_t)i] /= H[(size_t)(i * (m + 1) + i)];
        }
        check(cudaMemcpyAsync(coefficients, g.data(), (size_t)count * sizeof(double),
                              cudaMemcpyHostToDevice, h.stream));
        check(cublasDgemv(h.blas, CUBLAS_OP_N, n, count, &one_, work, n, coefficients, 1, &zero, z,
                          1));
        precondition(z, z);
        axpy(1, z, x);
    }

    // Givens rotation j makes h[j + 1] zero; rotations before it are applied to h first.
    static void rotate(int j, double *h_j, std::vector<double> &c, std::vector<double> &s,
                       std::vector<double> &g)
    {
        for (int i = 0; i < j; i++) {
            const double up = h_j[i], down = h_j[i + 1];
            h_j[i] = c[(size_t)i] * up + s[(size_t)i] * down;
            h_j[i + 1] = c[(size_t)i] * down - s[(size_t)i] * up;
        }
        const double length = std::hypot(h_j[j], h_j[j + 1]);
        c[(size_t)j] = h_j[j] / length;
        s[(size_t)j] = h_j[j + 1] / length;
        h_j[j] = length;
        g[(size_t)j + 1] = -s[(size_t)j] * g[(size_t)j];
        g[(size_t)j] *= c[(size_t)j];
    }

    int gmres(double rtol, int maxit) const
    {
        double *z = v(m + 1);
        std::vector<double> H((size_t)(m * (m + 1))), g((size_t)m + 1), c((size_t)m), s((size_t)m);
        int k = 0;

        copy(b, v(0));
        double beta = norm(v(0));
        const double target = rtol * beta;
        for (bool done = beta <= target; !done && k < maxit;) {
            int j = 0;
            scale(1 / beta, v(0));
            g[0] = beta;
            while (j < m && k < maxit && !done) {
                double *h_j = &H[(size_t)(j * (m + 1))], *w = v(j + 1);
                precondition(v(j), z);
                multiply(z, w);
                orthogonalise(j, w, h_j);
                h_j[j + 1] = norm(w);
                scale(1 / h_j[j + 1], w);
                rotate(j++, h_j, c, s, g);
                k++;
                done = std::fabs(g[(size_t)j]) <= target;
            }
            add_solution(j, H, g, z);
            multiply(x, z);
            copy(b, v(0));
            axpy(-1, z, v(0)); // r = b - A x
            beta = norm(v(0));
            done = beta <= target;
        }
        return k;
    }

    int solve(double rtol, int maxit) const
    {
        return method == PEER_CG         ? cg(rtol, maxit)
               : method == PEER_BICGSTAB ? bicgstab(rtol, maxit)
                                         : gmres(rtol, maxit);
    }
};

extern "C" peer_plain *peer_plain_open(const gsolve_csr *csr, peer_method method, int m,
                                       char why[256])
{
    try {
        if (csr->offset != GSOLVE_O32 || csr->type != GSOLVE_F64 || csr->nrows != csr->ncols) {
            throw std::runtime_error("the matrix is not square, in fp64, of 32-bit offsets");
        }
        return new peer_plain(csr, method, m);
    } catch (const std::exception &e) {
        snprintf(why, 256, "the plain peer cannot start: %s", e.what());
        return nullptr;
    }
}

extern "C" void peer_plain_close(peer_plain *peer)
{
    delete peer;
}

extern "C" bool peer_plain_solve(peer_plain *peer, peer_variant variant, double rtol, int maxit,
                                 const double *b, double *x, int *iterations, double *seconds,
                                 char why[256])
{
    const size_t bytes = (size_t)peer->n * sizeof(double);

    try {
        peer->variant = variant;
        check(cudaMemcpy(peer->b, b, bytes, cudaMemcpyHostToDevice));
        check(cudaMemset(peer->x, 0, bytes));
        check(cudaDeviceSynchronize());
        const double begin = bench_now();
        *iterations = peer->solve(rtol, maxit);
        check(cudaStreamSynchronize(peer->h.stream));
        *seconds = bench_now() - begin;
        check(cudaMemcpy(x, peer->x, bytes, cudaMemcpyDeviceToHost));
        return true;
    } catch (const std::exception &e) {
        snprintf(why, 256, "the plain peer failed: %s", e.what());
        return false;
    }
}
