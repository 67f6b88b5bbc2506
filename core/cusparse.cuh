// cusparse.cuh: the handle of cuSPARSE, its error codes and its dense vectors.
#ifndef GS_CORE_CUSPARSE_CUH
#define GS_CORE_CUSPARSE_CUH

#include <cusparse.h>

#include "core/cuda.cuh"

// Returns GSOLVE_OK, or the status of a failed call of cuSPARSE after storing a message in the
// context.
inline gsolve_status gs_vendor(gsolve_context *ctx, cusparseStatus_t code, const char *what)
{
    if (code == CUSPARSE_STATUS_SUCCESS) return GSOLVE_OK;
    return gsolve_fail(ctx,
                       code == CUSPARSE_STATUS_ALLOC_FAILED    ? GSOLVE_NO_MEMORY
                       : code == CUSPARSE_STATUS_NOT_SUPPORTED ? GSOLVE_UNSUPPORTED
                                                               : GSOLVE_DEVICE_FAILED,
                       "cuSPARSE: %s: %s", what, cusparseGetErrorString(code));
}

// The queue's cuSPARSE handle, created by the first call.
inline gsolve_status gs_vendor_handle(gsolve_context *ctx, cusparseHandle_t *handle)
{
    gs_queue *q = ctx->queue;
    gsolve_status status = GSOLVE_OK;

    if (!q->sparse) {
        status = gs_vendor(ctx, cusparseCreate(&q->sparse), "creating the handle");
        if (status == GSOLVE_OK) {
            status = gs_vendor(ctx, cusparseSetStream(q->sparse, q->stream), "setting the stream");
        }
    }
    *handle = q->sparse;
    return status;
}

template <class T>
constexpr cudaDataType gs_vendor_type = sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;

// The descriptors of the vectors x and y of a product.
struct gs_vendor_vectors {
    cusparseDnVecDescr_t x = nullptr, y = nullptr;

    gsolve_status make(gsolve_context *ctx, int64_t nx, void *px, int64_t ny, void *py,
                       cudaDataType type)
    {
        gsolve_status status =
            gs_vendor(ctx, cusparseCreateDnVec(&x, nx, px, type), "describing x");
        if (status == GSOLVE_OK) {
            status = gs_vendor(ctx, cusparseCreateDnVec(&y, ny, py, type), "describing y");
        }
        return status;
    }
    void drop()
    {
        if (x) cusparseDestroyDnVec(x);
        if (y) cusparseDestroyDnVec(y);
        x = y = nullptr;
    }
    ~gs_vendor_vectors() { drop(); }
};

#endif
