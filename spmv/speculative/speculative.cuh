// speculative.cuh: the plan on a GPU, which the files of the folder share; see speculative_cuda.cu.
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_CUH
#define GS_SPMV_SPECULATIVE_SPECULATIVE_CUH

#include "core/cuda.cuh"

extern "C" {
#include "spmv/speculative/speculative.h"
}

namespace gs_bunches
{

constexpr int lanes = GS_SPECULATIVE_T;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int most_warps = 8;    // of a block
constexpr int most_rows = 512;   // of which a tile mends the empty ones itself
constexpr int piece_rows = 2048; // that a block checks

struct piece { // of the speculator array: rows of which the empty ones are to be written
    int32_t from, to;
};

// The row to which the entry before a group's begin belongs, and the groups of its first and its
// last entry; row -1, to -1: there is none.
struct alignas(16) crossing {
    int32_t row, from, to, unused;
};

// The last of the rows from .. to that begins at entry k or before; from - 1: none.
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
    int64_t entries, group; // of the matrix; of a group, B S W T
    int steps, warps;       // S, B
    int tiles, groups;
    int pieces;                    // the paper's dirty_counter, when all are noted
    int32_t *first;                // tiles + 1
    gs_bunches::piece *speculator; // pieces
    gs_bunches::crossing *cross;   // groups + 1: at the begin of each, and at the end
    void *head, *tail;             // groups each, the synchronizer, in the type of the values
    double *terms;                 // 2 x groups: what rows of several groups add to w'y and to y'y
    unsigned *arrived; // groups: those that are there of the row that begins in the group
    void *space;       // that holds all these
};

// What is in p->space, when p's sizes are known; O is the type of the row starts.
template <class O>
gsolve_status gs_speculative_fill(gs_speculative *p, gsolve_context *ctx, const gsolve_csr *A,
                                  int tile);

#endif
