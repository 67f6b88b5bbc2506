// speculative.cuh: the plan of speculative on a GPU; see speculative_cuda.cu.
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_CUH
#define GS_SPMV_SPECULATIVE_SPECULATIVE_CUH

#include "spmv/product.cuh"

extern "C" {
#include "spmv/speculative/speculative.h"
}

namespace gs_bunches
{

constexpr int lanes = GS_SPECULATIVE_T;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int most_warps = 8;    // of a block
constexpr int most_rows = 512;   // most rows of a tile that writes its empty rows itself
constexpr int piece_rows = 2048; // rows of a piece of the speculator array, which one block checks

struct piece { // an element of the speculator array: rows whose empty rows must be written
    int32_t from, to;
};

// The row that holds the entry before a group's begin, and the groups of the row's first and last
// entries. row = -1 and to = -1: no such row.
struct alignas(16) crossing {
    int32_t row, from, to, unused;
};

// The last row `from` to `to` - 1 that begins at entry k or before; from - 1: none.
template <class O>
__device__ int32_t row_at(const O *start, int64_t k, int32_t from, int32_t to)
{
#pragma unroll 1
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (start[middle] <= k) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from - 1;
}

} // namespace gs_bunches

struct gs_speculative {     // the plan
    int64_t entries, group; // entries of the matrix; entries of a group, B S W T
    int steps, warps;       // S, B
    int tiles, groups;
    int pieces;                    // the paper's dirty_counter after all pieces are recorded
    int32_t *first;                // tiles + 1 elements
    gs_bunches::piece *speculator; // pieces elements
    gs_bunches::crossing *cross; // groups + 1 elements: at the begin of each group, and at the end
    void *head, *tail; // groups elements each, the synchronizer, in the type of the values
    unsigned *arrived; // groups counters: finished parts of the row that begins in the group; 0
                       // between products
    void *space;       // the allocation that holds all arrays
};

// Fills p->space after p's sizes are known. tile: entries of a tile.
gsolve_status gs_speculative_fill(gs_speculative *p, gsolve_context *ctx, const gsolve_csr *A,
                                  int tile);

#endif
