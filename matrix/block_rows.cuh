// block_rows.cuh: reads block rows of b rows, for conversions to dense blocks. A warp owns 32 / b
// block rows, and a lane owns one row, whose entries it visits in order. The next entries of all 32
// rows are in shared memory, the lookahead. The warp loads them together, so that adjacent lanes
// read adjacent entries of a row.
#ifndef GS_MATRIX_BLOCK_ROWS_CUH
#define GS_MATRIX_BLOCK_ROWS_CUH

#include "core/cuda.cuh"

namespace gs_block_rows
{

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int warps = 4; // per thread block of the kernels that use this file
constexpr int threads = 32 * warps;

template <class E, int REACH>
using lookahead = E[32][REACH + 1]; // one element of padding per row avoids bank conflicts

template <class O>
struct span { // the entries of a row that are left, at to end - 1
    O at, end;
};

// The entries of row i; no entries if the row does not exist.
template <class O>
__device__ span<O> row_span(const O *start, int64_t i, bool there)
{
    return there ? span<O>{start[i], start[i + 1]} : span<O>{0, 0};
}

// to[l][e] = element e of what is left of lane l's row, or none past its end, for e < REACH. All
// lanes of the warp call it.
template <int REACH, class E, class O>
__device__ void read_ahead(lookahead<E, REACH> &to, const E *from, span<O> row, E none)
{
    constexpr int rows = 32 / REACH, at_once = 16; // rows per load of the warp; loads in flight
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

// Visits the blocks of the warp's 32 / B block rows by ascending block column. Lane g B + r passes
// row r of block row g, and lane g B calls found(block column) for each block of block row g. The
// least column that is left in the B rows gives the next block.
template <int B, class O, class Found>
__device__ void walk(const int32_t *col, span<O> row, Found found)
{
    constexpr int reach = 32;
    constexpr uint32_t none = UINT32_MAX / B; // above all block columns
    __shared__ lookahead<int32_t, reach> space[warps];
    lookahead<int32_t, reach> &ahead = space[threadIdx.x / 32];
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
        __syncwarp(); // all lanes have read the lookahead; it may be overwritten
    }
}

// Number of thread blocks for walks through that many block rows of b rows.
inline int blocks_for_walks(int64_t rows, int b)
{
    const int64_t per_block = warps * (32 / b);
    return (int)((rows + per_block - 1) / per_block);
}

// The number of the block row that contains the thread's row; -1: the thread has no row among the
// `rows` block rows. A warp has 32 / B block rows.
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
