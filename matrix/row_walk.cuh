// row_walk.cuh: calls a function for each row on a GPU, and sums, minima and maxima over a block.
#ifndef GS_MATRIX_ROW_WALK_CUH
#define GS_MATRIX_ROW_WALK_CUH

#include <cub/block/block_reduce.cuh>

#include "core/cuda.cuh"

constexpr int gs_long_row = 96; // a row of more entries is a warp's

// Calls visit(LANES, i, from, to, lane) for each row i, whose entries are [from, to). A thread owns
// a short row; LANES is 1 then and lane is 0. The 32 lanes of a warp own a long row together; they
// all call visit, with LANES = 32. LANES is a type with a member value. A warp visits the short
// ones of 32 adjacent rows at once, and then the long ones. All threads of the grid call this.
template <class O, class Visit>
__device__ void gs_each_row(int32_t nrows, const O *start, Visit visit)
{
    constexpr unsigned all = 0xffffffffu;
    const int lane = (int)threadIdx.x % 32;
    const int64_t warps = (int64_t)gridDim.x * blockDim.x / 32;

    for (int64_t group = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; group * 32 < nrows;
         group += warps) {
        const int64_t i = group * 32 + lane;
        const int64_t from = i < nrows ? (int64_t)start[i] : 0,
                      to = i < nrows ? (int64_t)start[i + 1] : 0;
        const bool is_long = to - from > gs_long_row;

        if (i < nrows && !is_long) visit(std::integral_constant<int, 1>(), (int32_t)i, from, to, 0);
        __syncwarp();
        for (unsigned left = __ballot_sync(all, is_long); left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            visit(std::integral_constant<int, 32>(), (int32_t)(group * 32 + owner),
                  __shfl_sync(all, from, owner), __shfl_sync(all, to, owner), lane);
        }
    }
}

// Combines x over the threads of the block by op, an associative and commutative function, in
// thread 0. All threads call this.
template <class Op>
__device__ unsigned long long gs_block_combine(unsigned long long x, Op op)
{
    using reduce = cub::BlockReduce<unsigned long long, gs_block_size>;
    __shared__ typename reduce::TempStorage space;

    __syncthreads(); // space may still be in use
    return reduce(space).Reduce(x, op);
}

#endif
