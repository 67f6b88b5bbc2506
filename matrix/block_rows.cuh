// block_rows.cuh: block rows of b rows read by warps, for conversions to dense blocks. A lane walks
// through a row; what lies ahead of it in the 32 rows is in shared memory, where the warp puts it,
// reading the entries of a row side by side.
#ifndef GS_MATRIX_BLOCK_ROWS_CUH
#define GS_MATRIX_BLOCK_ROWS_CUH

#include "core/cuda.cuh"

namespace gs_block_rows
{

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int warps = 4; // of a thread block of these kernels
constexpr int threads = 32 * warps;

template <class E, int REACH>
using window = E[32][REACH + 1]; // one more: lanes at the same place meet different banks

template <class O>
struct span { // of the entries of a row
    O at, end;
};

// That of row i; of none if there is no such row.
template <class O>
__device__ span<O> row_span(const O *start, int64_t i, bool there)
{
    return there ? span<O>{start[i], start[i + 1]} : span<O>{0, 0};
}

// to[l][e] = from[at + e], at being that of lane l's row, or none past its end; a warp together.
template <int REACH, class E, class O>
__device__ void read_ahead(window<E, REACH> &to, const E *from, span<O> row, E none)
{
    constexpr int rows = 32 / REACH, at_once = 16; // reads of a lane
    const int lane = (int)threadIdx.x % 32, sub = lane / REACH, e = lane % REACH;

    for (int l = sub; l < 32; l += at_once * rows) {
        E got[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const O first = __shfl_sync(all_lanes, row.at, l + u * rows);
            const O left = __shfl_sync(all_lanes, row.end, l + u * rows) - first;
            got[u] = e < left ? __ldg(&from[(int64_t)first + e]) : none;
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) to[l + u * rows][e] = got[u];
    }
}

// The blocks of the 32 / B block rows of a warp, ascending: lane g B + r brings row r of block row
// g; lane g B is told of each block by found(block column). The least column that is left in the
// rows of a block row names its next block.
template <int B, class O, class Found>
__device__ void walk(const int32_t *col, span<O> row, Found found)
{
    constexpr int reach = 32;
    constexpr uint32_t none = UINT32_MAX / B; // above all block columns
    __shared__ window<int32_t, reach> space[warps];
    window<int32_t, reach> &ahead = space[threadIdx.x / 32];
    const int lane = (int)threadIdx.x % 32, first = lane - lane % B;
    int used = 0;

    read_ahead<reach>(ahead, col, row, -1);
    __syncwarp();
    for (;;) {
        if (__any_sync(all_lanes, used + B > reach && row.end - row.at > reach)) {
            row.at += used;
            used = 0;
            read_ahead<reach>(ahead, col, row, -1);
            __syncwarp();
        }
        const uint32_t own = used < reach ? (uint32_t)ahead[lane][used] / B : none;
        uint32_t J = own;
#pragma unroll
        for (int r = 0; r < B; r++) J = min(J, __shfl_sync(all_lanes, own, first + r));
        if (!__any_sync(all_lanes, J < none)) return;
        if (J < none && lane == first && first + B <= 32) found((int32_t)J);
        int passed = 0;
#pragma unroll
        for (int c = 0; c < B; c++) {
            passed += J < none && used + c < reach && (uint32_t)ahead[lane][used + c] - J * B < B;
        }
        used += passed;
        __syncwarp(); // before they are overwritten
    }
}

// Thread blocks for walks through so many block rows of b rows.
inline int blocks_for_walks(int64_t rows, int b)
{
    const int64_t of_block = warps * (32 / b);
    return (int)((rows + of_block - 1) / of_block);
}

// Number of the block row that a thread has a row of, 32 / B to a warp; -1: none of below rows.
template <int B>
__device__ int64_t block_row(int64_t rows)
{
    const int64_t warp = (int64_t)blockIdx.x * warps + threadIdx.x / 32;
    const int g = (int)threadIdx.x % 32 / B;
    const int64_t I = warp * (32 / B) + g;
    return g < 32 / B && I < rows ? I : -1;
}

} // namespace gs_block_rows

#endif
