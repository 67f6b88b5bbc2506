// rows.cuh: the row number of each entry, for conversions on the device.
#ifndef GS_MATRIX_ROWS_CUH
#define GS_MATRIX_ROWS_CUH

#include "core/cuda.cuh"

extern "C" {
#include "matrix/csr.h"
}

constexpr int gs_entries_per_warp = 512; // in gs_each_entry

// The last i from low to high with first[i] <= k: the row of entry k. Empty rows are skipped.
template <class O>
__device__ int32_t gs_row_of(const O *first, int32_t low, int32_t high, int64_t k)
{
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if ((int64_t)first[middle] <= k) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// Calls found(k, i) for each entry k, where i is its row: first[i] <= k < first[i + 1]. A warp owns
// gs_entries_per_warp contiguous entries, whatever the lengths of rows are; its lanes take adjacent
// entries. It bisects `first` for the rows of its interval, then each lane bisects within these.
// entries > 0.
template <class O, class F>
__device__ void gs_each_entry(int64_t entries, int32_t nrows, const O *first, F found)
{
    const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int64_t begin = warp * gs_entries_per_warp,
                  end = min(begin + gs_entries_per_warp, entries);

    if (begin >= end) return;
    const int32_t low = gs_row_of(first, 0, nrows - 1, begin);
    const int32_t high = gs_row_of(first, low, nrows - 1, end - 1);
    for (int64_t k = begin + threadIdx.x % 32; k < end; k += 32) {
        found(k, gs_row_of(first, low, high, k));
    }
}

// row[k] = the row of entry k. Writes are coalesced.
template <class O>
__global__ void gs_find_entry_rows_kernel(int64_t entries, int32_t nrows, const O *start,
                                          int32_t *row)
{
    gs_each_entry(entries, nrows, start, [&](int64_t k, int32_t i) { row[k] = i; });
}

// Number of blocks for one warp per row.
inline int gs_warp_blocks(int64_t rows)
{
    return (int)((rows * 32 + gs_block_size - 1) / gs_block_size);
}

// Number of blocks for gs_each_entry.
inline int gs_entry_blocks(int64_t entries)
{
    return gs_warp_blocks((entries + gs_entries_per_warp - 1) / gs_entries_per_warp);
}

// row[k] = the row of entry k of csr.
inline gsolve_status gs_find_entry_rows(gs_queue *q, const gsolve_csr *csr, int64_t entries,
                                        int32_t *row)
{
    const int blocks = gs_entry_blocks(entries);

    if (entries == 0) return GSOLVE_OK;
    if (csr->offset == GSOLVE_O64) {
        return gs_launch(q, "finding the rows of entries", gs_find_entry_rows_kernel<int64_t>,
                         blocks, gs_block_size, entries, csr->nrows, (const int64_t *)csr->start,
                         row);
    }
    return gs_launch(q, "finding the rows of entries", gs_find_entry_rows_kernel<int32_t>, blocks,
                     gs_block_size, entries, csr->nrows, (const int32_t *)csr->start, row);
}

#endif
