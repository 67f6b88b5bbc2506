// peer_spmm.cu: see peer_spmm.h. Every call is checked; a failure travels as an exception to the
// function that C calls.
#include "bench/peer_spmm.h"

#include <cstdio>
#include <stdexcept>

#include <cuda_runtime.h>
#include <cusparse.h>

namespace
{

struct algorithm {
    const char *name;
    cusparseSpMMAlg_t alg;
    bool coo;
};

constexpr algorithm algorithms[PEER_SPMM_ALGORITHMS] = {
    {"csr1", CUSPARSE_SPMM_CSR_ALG1, false},
    {"csr2", CUSPARSE_SPMM_CSR_ALG2, false},
    {"csr3", CUSPARSE_SPMM_CSR_ALG3, false},
    {"coo4", CUSPARSE_SPMM_COO_ALG4, true},
};

void check(cudaError_t code)
{
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

void check(cusparseStatus_t code)
{
    if (code != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(code));
}

} // namespace

struct peer_spmm {
    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t A = nullptr;
    cusparseDnMatDescr_t X = nullptr, Y = nullptr;
    cudaDataType type = CUDA_R_64F;
    cusparseSpMMAlg_t alg = CUSPARSE_SPMM_ALG_DEFAULT;
    void *buffer = nullptr;
    int32_t *row = nullptr;

    ~peer_spmm()
    {
        if (A) cusparseDestroySpMat(A);
        if (X) cusparseDestroyDnMat(X);
        if (Y) cusparseDestroyDnMat(Y);
        if (handle) cusparseDestroy(handle);
        cudaFree(buffer);
        cudaFree(row);
    }

    // The row of each entry.
    void expand(const gsolve_csr &csr, int32_t entries)
    {
        check(cudaMalloc(&row, ((size_t)entries + 1) * sizeof *row));
        check(cusparseXcsr2coo(handle, (const int32_t *)csr.start, entries, csr.nrows, row,
                               CUSPARSE_INDEX_BASE_ZERO));
    }

    void name_matrix(const gsolve_csr &csr, bool coo)
    {
        int32_t entries;

        if (csr.offset != GSOLVE_O32) throw std::runtime_error("offsets are not of 32 bits");
        check(cudaMemcpy(&entries, (const int32_t *)csr.start + csr.nrows, sizeof entries,
                         cudaMemcpyDeviceToHost));
        if (coo) {
            expand(csr, entries);
            check(cusparseCreateCoo(&A, csr.nrows, csr.ncols, entries, row, (void *)csr.col,
                                    (void *)csr.value, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                    type));
        } else {
            check(cusparseCreateCsr(&A, csr.nrows, csr.ncols, entries, (void *)csr.start,
                                    (void *)csr.col, (void *)csr.value, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
        }
    }

    void name_block(cusparseDnMatDescr_t *out, const gsolve_dense &v) const
    {
        check(cusparseCreateDnMat(out, v.nrows, v.ncols, v.stride, v.value, type,
                                  v.layout == GSOLVE_ROW_MAJOR ? CUSPARSE_ORDER_ROW
                                                               : CUSPARSE_ORDER_COL));
    }

    void analyse()
    {
        const double one = 1, zero = 0;
        const float one_f = 1, zero_f = 0;
        const void *alpha = type == CUDA_R_32F ? (const void *)&one_f : &one;
        const void *beta = type == CUDA_R_32F ? (const void *)&zero_f : &zero;
        const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
        size_t bytes = 0;

        check(
            cusparseSpMM_bufferSize(handle, plain, plain, alpha, A, X, beta, Y, type, alg, &bytes));
        check(cudaMalloc(&buffer, bytes + 1));
        check(
            cusparseSpMM_preprocess(handle, plain, plain, alpha, A, X, beta, Y, type, alg, buffer));
    }

    void multiply()
    {
        const double one = 1, zero = 0;
        const float one_f = 1, zero_f = 0;
        const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

        check(cusparseSpMM(handle, plain, plain, type == CUDA_R_32F ? (const void *)&one_f : &one,
                           A, X, type == CUDA_R_32F ? (const void *)&zero_f : &zero, Y, type, alg,
                           buffer));
    }
};

extern "C" const char *peer_spmm_name(int algorithm)
{
    return algorithms[algorithm].name;
}

extern "C" peer_spmm *peer_spmm_open(int algorithm, const gsolve_csr *A, gsolve_dense X,
                                     gsolve_dense Y, void *stream, char why[256])
{
    peer_spmm *peer = new peer_spmm;

    try {
        peer->type = A->type == GSOLVE_F32 ? CUDA_R_32F : CUDA_R_64F;
        peer->alg = algorithms[algorithm].alg;
        check(cusparseCreate(&peer->handle));
        check(cusparseSetStream(peer->handle, (cudaStream_t)stream));
        peer->name_matrix(*A, algorithms[algorithm].coo);
        peer->name_block(&peer->X, X);
        peer->name_block(&peer->Y, Y);
        peer->analyse();
        return peer;
    } catch (const std::exception &e) {
        snprintf(why, 256, "%s: %s", algorithms[algorithm].name, e.what());
        delete peer;
        return nullptr;
    }
}

extern "C" void peer_spmm_close(peer_spmm *peer)
{
    delete peer;
}

extern "C" bool peer_spmm_multiply(peer_spmm *peer, char why[256])
{
    try {
        peer->multiply();
        return true;
    } catch (const std::exception &e) {
        snprintf(why, 256, "%s", e.what());
        return false;
    }
}
