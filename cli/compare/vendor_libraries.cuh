// vendor_libraries.cuh: cuSPARSE, cuBLAS and arrays for vendor_cuda.cu. Every call is checked; a
// failure is thrown as a std::runtime_error.
//
// libcublas is loaded when the row is measured, because linking it would make every start of the
// command load it.
#ifndef GS_CLI_COMPARE_VENDOR_LIBRARIES_CUH
#define GS_CLI_COMPARE_VENDOR_LIBRARIES_CUH

#include <cstdint>
#include <stdexcept>
#include <string>

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

} // namespace

#endif
