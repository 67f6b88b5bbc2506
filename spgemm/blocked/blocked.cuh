// blocked.cuh: shared by the conversions on a GPU.
#ifndef GS_SPGEMM_BLOCKED_BLOCKED_CUH
#define GS_SPGEMM_BLOCKED_BLOCKED_CUH

#include "core/cuda.cuh"

extern "C" {
#include "spgemm/blocked/blocked.h"
}

namespace gs_blocks
{

template <class O>
const O *offsets_of(const gsolve_csr *csr)
{
    return (const O *)csr->start;
}

template <class X>
X *writable(const gsolve_context *ctx, const X *array) // array, which ctx owns, as not const
{
    return (X *)gs_owned_block(ctx, array);
}

inline int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

struct shape {
    int32_t rows; // block rows
    int height, width;
};

inline shape shape_of(const gs_blocked *B)
{
    return {B->csr.nrows, B->height, B->width};
}

// The block row of this thread's warp.
__device__ inline int64_t row_of_warp()
{
    return ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
}

// Calls call(0 of A's offset type, 0 of B's offset type).
template <class Call>
gsolve_status with_offsets(const gsolve_csr *A, const gsolve_csr *B, Call call)
{
    const bool wide = A->offset == GSOLVE_O64, to_wide = B->offset == GSOLVE_O64;

    if (wide) return to_wide ? call(int64_t(), int64_t()) : call(int64_t(), int32_t());
    return to_wide ? call(int32_t(), int64_t()) : call(int32_t(), int32_t());
}

// See gs_blocked_kernels.
template <class T>
gsolve_status refill(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A);
template <class T>
gsolve_status spread(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B);

} // namespace gs_blocks

#endif
