// hash_rows.cuh: the building blocks of the kernels of the method hash: groups of threads that
// share a row of C, and the loop over the rows of B that a row of A refers to.
#ifndef GS_SPGEMM_HASH_HASH_ROWS_CUH
#define GS_SPGEMM_HASH_HASH_ROWS_CUH

#include "spgemm/rows.cuh"

extern "C" {
#include "spgemm/spgemm.h"
}

#define SMALL __device__ inline
#include "matrix/row_rule.h"
#undef SMALL

namespace gs_hash_rows
{

using namespace gs_rows;

// --- the threads that share a row ---------------------------------------------------------------

struct by_warp {
    static constexpr bool block = false;
    static constexpr int most_threads = gs_block_size; // of a block
    __device__ static int me() { return (int)threadIdx.x % 32; }
    __device__ static int size() { return 32; }
    __device__ static void sync() { __syncwarp(); }
    // The number of the row in the grid, and in the block.
    __device__ static int64_t row()
    {
        return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    }
    __device__ static int slot() { return (int)threadIdx.x / 32; }
};

struct by_block {
    static constexpr bool block = true;
    static constexpr int most_threads = 1024;
    __device__ static int me() { return (int)threadIdx.x; }
    __device__ static int size() { return (int)blockDim.x; }
    __device__ static void sync() { __syncthreads(); }
    __device__ static int64_t row() { return blockIdx.x; }
    __device__ static int slot() { return 0; }
};

// Exclusive prefix sum of x over the threads of a group; *total: the sum over all threads.
template <class GROUP>
__device__ int sum_before(int x, int *total)
{
    const int upto = running_sum(x, 32);
    int before = 0;

    if constexpr (GROUP::block) {
        __shared__ int of_warp[32];
        const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
        __syncthreads(); // a thread may still read the sums of an earlier call
        if (threadIdx.x % 32 == 31) of_warp[warp] = upto;
        __syncthreads();
        *total = 0;
        for (int w = 0; w < warps; w++) {
            const int sum = of_warp[w];
            before += w < warp ? sum : 0;
            *total += sum;
        }
    } else {
        *total = __shfl_sync(all_lanes, upto, 31);
    }
    return before + upto - x;
}

// Sorts key[0..n) ascending by a bitonic network. The elements up to the next power of two are
// padded with the largest key.
template <class GROUP>
__device__ void sort(unsigned long long *key, int n)
{
    int padded = 1;

    while (padded < n) padded *= 2;
    for (int k = n + GROUP::me(); k < padded; k += GROUP::size()) key[k] = ~0ull;
    GROUP::sync();
    for (int run = 2; run <= padded; run *= 2) { // bitonic
        for (int distance = run / 2; distance > 0; distance /= 2) {
            for (int k = GROUP::me(); k < padded / 2; k += GROUP::size()) {
                const int low = 2 * k - (k & (distance - 1)), high = low + distance;
                const unsigned long long x = key[low], y = key[high];
                if ((x > y) == ((low & run) == 0)) {
                    key[low] = y;
                    key[high] = x;
                }
            }
            GROUP::sync();
        }
    }
}

// --- the products of a row ----------------------------------------------------------------------

// How threads share the products of a row. `width` lanes hold a batch of `width` entries of A, one
// each: this lane holds the entries first, first + step, first + 2 step and so on. `size` threads
// read the elements of a row of B; this thread is number `me`.
struct sharing {
    int64_t first, step;
    int width, me, size;
};

// The columns [from, from + width); all columns if width is 0.
struct column_range {
    int32_t from, width;
};

// The row of B that this lane's entry of A refers to, restricted to the columns in `part`. length
// is 0 if the lane has no entry.
template <class T>
struct row_of_lane {
    int64_t begin;
    int length;
    T a;

    __device__ __forceinline__ row_of_lane(const rows_of &A, const rows_of &B, int64_t k,
                                           int64_t to, column_range part)
        : begin(0), length(0), a()
    {
        if (k >= to) return;
        const int32_t j = A.col[k];
        int64_t end = B.begin((int64_t)j + 1);
        begin = B.begin(j);
        if constexpr (!std::is_same_v<T, nothing>) a = A.number<T>(k);
        if (part.width) {
            begin = gs_row_first(B.col, begin, end, part.from);
            end = gs_row_first(B.col, begin, end, (int64_t)part.from + part.width);
        }
        length = (int)(end - begin);
    }
};

// Visits every entry of A before `to`, in the order of the batches, and every element of the row of
// B that it refers to: calls each(is_one, a, fetch(element, number)). is_one is false for a lane
// without an element; each() is called by all lanes of a warp, so it may use warp operations.
// number: the product's number within the row, from 0; computed if NUMBERED. sync() is called after
// each row of B. The values of A and B are not read where T is `nothing`. Memory: each entry of A
// and each element of B is read once; lanes read neighbouring elements of B.
template <class T, bool NUMBERED, class Fetch, class Each, class Sync>
__device__ __forceinline__ void visit_products(const rows_of &A, const rows_of &B, sharing s,
                                               int64_t to, column_range part, Fetch fetch,
                                               Each each, Sync sync)
{
    constexpr int at_once = 4; // rows of B whose elements are loaded before the first is used
    constexpr bool valued = !std::is_same_v<T, nothing>;
    using item = decltype(fetch((int64_t)0, (int64_t)0));
    const int lane = (int)threadIdx.x % s.width;
    int64_t number = 0;

    for (int64_t k = s.first; __any_sync(all_lanes, k < to); k += s.step) {
        const row_of_lane<T> mine(A, B, k, to, part);
        const int length = mine.length;
        int before = 0;
        if constexpr (NUMBERED) before = running_sum(length, s.width) - length;
        const int rows = __reduce_max_sync(all_lanes, k < to ? lane + 1 : 0);
        const int longest = __reduce_max_sync(all_lanes, length);
        for (int r = 0; r < rows; r += at_once) {
            const bool some = length > 0 && lane / at_once == r / at_once;
            if (part.width && !__any_sync(all_lanes, some))
                continue; // no row has columns in that range
            int64_t at[at_once];
            int n[at_once], nth[at_once];
            item x[at_once];
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                at[u] = __shfl_sync(all_lanes, mine.begin, r + u, s.width);
                n[u] = __shfl_sync(all_lanes, length, r + u, s.width);
                nth[u] = NUMBERED ? __shfl_sync(all_lanes, before, r + u, s.width) : 0;
                x[u] = s.me < n[u] ? fetch(at[u] + s.me, number + nth[u] + s.me) : item{};
            }
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                T of_a{};
                if constexpr (valued) of_a = __shfl_sync(all_lanes, mine.a, r + u, s.width);
                each(s.me < n[u], of_a, x[u]);
                if (longest > s.size) {
                    const int most = __reduce_max_sync(all_lanes, n[u]);
                    for (int first = s.size; first < most; first += s.size) {
                        const int e = first + s.me;
                        const item y = e < n[u] ? fetch(at[u] + e, number + nth[u] + e) : item{};
                        each(e < n[u], of_a, y);
                    }
                }
                sync();
            }
        }
        if constexpr (NUMBERED) {
            number += __shfl_sync(all_lanes, before + length, s.width - 1, s.width);
        }
    }
}

// Each warp of a group holds the same batches, and all threads of the group share every row of B.
// So the products come in A's order.
template <class GROUP>
__device__ sharing in_order(int64_t from)
{
    return {from + threadIdx.x % 32, 32, 32, GROUP::me(), GROUP::size()};
}

// Subwarps of `lanes` lanes take the entries of A in turn. The order of the products is not fixed.
template <class GROUP>
__device__ sharing by_subwarps(int64_t from, int lanes)
{
    const int subwarps = GROUP::size() / lanes, lane = GROUP::me() % lanes;
    return {from + GROUP::me() / lanes + (int64_t)subwarps * lane, (int64_t)subwarps * lanes, lanes,
            lane, lanes};
}

// Calls each(column) for every product of the row whose column lies in part, in any order.
template <class GROUP, class Each>
__device__ __forceinline__ void for_columns(const rows_of &A, const rows_of &B, int64_t from,
                                            int64_t to, int lanes, column_range part, Each each)
{
    visit_products<nothing, false>(
        A, B, by_subwarps<GROUP>(from, lanes), to, part,
        [&](int64_t e, int64_t) { return B.col[e]; },
        [&](bool is_one, nothing, int32_t j) {
            if (is_one) each(j);
        },
        [] {});
}

template <class T>
struct element {
    int32_t col;
    T value;
};

// Calls each(is_one, column, a, b) for every product of the row, in A's order.
template <class T, class GROUP, class Each>
__device__ __forceinline__ void for_products(const rows_of &A, const rows_of &B, sharing s,
                                             int64_t to, column_range part, Each each)
{
    visit_products<T, false>(
        A, B, s, to, part, [&](int64_t e, int64_t) { return element<T>{B.col[e], B.number<T>(e)}; },
        [&](bool is_one, T a, element<T> b) { each(is_one, b.col, a, b.value); },
        [] { GROUP::sync(); });
}

// The part of the dynamic shared memory that belongs to the row number `slot` of the block.
__device__ inline char *row_space(int slot, int bytes)
{
    extern __shared__ __align__(16) char gs_hash_space[];
    return gs_hash_space + (int64_t)slot * bytes;
}

} // namespace gs_hash_rows

#endif
