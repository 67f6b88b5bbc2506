// rows.cuh: the row of each entry, for conversions on the device.
#ifndef GS_ROWS_CUH
#define GS_ROWS_CUH

#include "core/cuda.cuh"

extern "C" {
#include "core/csr.h"
}

// A warp a row.
template <class O>
__global__ void gs_name_rows_kernel(int32_t nrows, const O *start, int32_t *row)
{
    const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    if (i >= nrows) return;
    for (int64_t k = start[i] + threadIdx.x % 32; k < start[i + 1]; k += 32) row[k] = (int32_t)i;
}

// Blocks for a warp a row.
inline int gs_warp_blocks(int64_t rows)
{
    return (int)((rows * 32 + gs_block_size - 1) / gs_block_size);
}

// row[k] = the row of entry k; nrows > 0.
inline gsolve_status gs_name_rows(gs_queue *q, const gsolve_csr *csr, int32_t *row)
{
    const int blocks = gs_warp_blocks(csr->nrows);

    if (csr->offset == GSOLVE_O64) {
        return gs_launch(q, "naming rows", gs_name_rows_kernel<int64_t>, blocks, gs_block_size,
                         csr->nrows, (const int64_t *)csr->start, row);
    }
    return gs_launch(q, "naming rows", gs_name_rows_kernel<int32_t>, blocks, gs_block_size,
                     csr->nrows, (const int32_t *)csr->start, row);
}

#endif
