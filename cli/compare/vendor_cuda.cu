// vendor_cuda.cu: see vendor.h. The loops are those of bench/peer_plain.cu. Every call is checked;
// a failure travels as an exception to cmp_vendor_solve.
//
// libcublas is loaded when the row is measured, because linking it would make every start of the
// command load it.
#include "cli/compare/vendor.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusparse.h>

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
    if (code == CUBLAS_STATUS_SUCCESS) return;
    throw std::runtime_error("cuBLAS failed with status " + std::to_string((int)code));
}

double now()
{
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

// --- cuBLAS ------------------------------------------------------------------------------------

#define NAME_(name) #name
#define NAME(name)  NAME_(name) // after cublas_v2.h has replaced cublasDdot by cublasDdot_v2

struct cublas {
    void *library;
    decltype(&cublasCreate) create;
    decltype(&cublasDestroy) destroy;
    decltype(&cublasSetStream) set_stream;
    decltype(&cublasDdot) dot;
    decltype(&cublasDaxpy) axpy;
    decltype(&cublasDscal) scal;
    decltype(&cublasDcopy) copy;

    // In the folders that the loader knows, and then beside cuSPARSE.
    static void *open()
    {
        const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
        Dl_info sparse;
        void *found = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);

        if (!found && dladdr((void *)&cusparseCreate, &sparse) && sparse.dli_fname) {
            const std::string file = sparse.dli_fname;
            const size_t folder = file.rfind('/');
            if (folder != std::string::npos) {
                found = dlopen((file.substr(0, folder + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
            }
        }
        if (!found) throw std::runtime_error(name + " is not installed");
        return found;
    }

    template <class F>
    void find(F &function, const char *name)
    {
        function = (F)dlsym(library, name);
        if (!function) throw std::runtime_error(std::string("cuBLAS has no function ") + name);
    }

    cublas() : library(open())
    {
        find(create, NAME(cublasCreate));
        find(destroy, NAME(cublasDestroy));
        find(set_stream, NAME(cublasSetStream));
        find(dot, NAME(cublasDdot));
        find(axpy, NAME(cublasDaxpy));
        find(scal, NAME(cublasDscal));
        find(copy, NAME(cublasDcopy));
    }
};

// --- arrays and handles ------------------------------------------------------------------------

// count elements on the device; total counts the bytes.
template <class T>
struct array {
    T *data = nullptr;

    array(size_t count, double &total)
    {
        check(cudaMalloc(&data, (count + 1) * sizeof(T)));
        total += (double)(count * sizeof(T));
    }
    array(const void *from, size_t count, double &total) : array(count, total)
    {
        check(cudaMemcpy(data, from, count * sizeof(T), cudaMemcpyHostToDevice));
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array() { cudaFree(data); }
    operator T *() const { return data; }
};

struct handles { // and their stream
    const cublas &api;
    cudaStream_t stream = nullptr;
    cusparseHandle_t sparse = nullptr;
    cublasHandle_t blas = nullptr;

    explicit handles(const cublas &functions) : api(functions)
    {
        try {
            check(cudaStreamCreate(&stream));
            check(cusparseCreate(&sparse));
            check(cusparseSetStream(sparse, stream));
            check(api.create(&blas)); // scalars are on the host, by default
            check(api.set_stream(blas, stream));
        } catch (...) {
            release();
            throw;
        }
    }
    ~handles() { release(); }
    void release()
    {
        if (blas) api.destroy(blas);
        if (sparse) cusparseDestroy(sparse);
        if (stream) cudaStreamDestroy(stream);
    }
    handles(const handles &) = delete;
    handles &operator=(const handles &) = delete;
};

// y = A x by cuSPARSE with its default algorithm.
struct product {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t A = nullptr;
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    void *buffer = nullptr;

    product(cusparseHandle_t h, int n, int64_t entries, int *start, int *col, double *value,
            double *operand, double *result, double &total)
        : handle(h)
    {
        try {
            prepare(n, entries, start, col, value, operand, result, total);
        } catch (...) {
            release();
            throw;
        }
    }
    void prepare(int n, int64_t entries, int *start, int *col, double *value, double *operand,
                 double *result, double &total)
    {
        const double one = 1, zero = 0;
        size_t bytes = 0;

        check(cusparseCreateCsr(&A, n, n, entries, start, col, value, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        check(cusparseCreateDnVec(&x, n, operand, CUDA_R_64F));
        check(cusparseCreateDnVec(&y, n, result, CUDA_R_64F));
        check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, x, &zero,
                                      y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        check(cudaMalloc(&buffer, bytes + 1));
        total += (double)bytes;
        check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, x, &zero,
                                      y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    }
    ~product() { release(); }
    void release()
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
                           CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    }
};

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
