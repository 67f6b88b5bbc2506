// speculative_tiles.cuh: the work of a warp on one tile of 32 W entries: its products, the
// descriptor of its segments and their sums. No function here waits for another warp.
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_TILES_CUH
#define GS_SPMV_SPECULATIVE_SPECULATIVE_TILES_CUH

#include "spmv/speculative/speculative.cuh"

namespace gs_bunches
{

template <class T>
__device__ T warp_sum(T sum)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);
    return sum;
}

// --- the products -----------------------------------------------------------------------------

// Index of product e in shared memory. One element is left out after every 128 bytes, so that
// neither consecutive writes nor reads at strides of powers of two have bank conflicts.
template <class T>
__device__ int padded(int e)
{
    return e + e / (128 / (int)sizeof(T));
}

template <class T, int W>
constexpr int tile_space = W * lanes + W * lanes * (int)sizeof(T) /
                                           128; // shared memory of a tile, in products with padding

// The index of this lane's u-th entry in the tile: the 32 lanes read contiguous entries.
__device__ inline int entry_of(int u)
{
    return u * lanes + (int)threadIdx.x % lanes;
}

// Reads the n entries from p on of one array; 0 past the last. A full tile, the usual case, is read
// without bounds checks.
template <int W, class E>
__device__ void read_entries(const E *p, int n, E (&e)[W])
{
    p += entry_of(0);
    if (n >= W * lanes) {
#pragma unroll
        for (int u = 0; u < W; u++) e[u] = __ldcs(&p[u * lanes]);
        return;
    }
#pragma unroll
    for (int u = 0; u < W; u++) e[u] = entry_of(u) < n ? __ldcs(&p[u * lanes]) : E(0);
}

// Gathers x for the columns c; 0 past the n-th entry.
template <int W, class T>
__device__ void gather(const T *from, const int32_t (&c)[W], int n, T (&x)[W])
{
#pragma unroll
    for (int u = 0; u < W; u++) x[u] = __ldg(&from[c[u]]);
    if (n >= W * lanes) return;
#pragma unroll
    for (int u = 0; u < W; u++) x[u] = entry_of(u) < n ? x[u] : T(0);
}

// Stores the lane's products in s, padded.
template <int W, class T>
__device__ void store(const T (&product)[W], T *s)
{
    s += padded<T>(entry_of(0));
#pragma unroll
    for (int u = 0; u < W; u++) s[padded<T>(u * lanes)] = product[u];
}

// --- the segment descriptor: bit e % 32 of word e / 32 is set where a row begins at entry e ---

// Rows per lane whose starts are loaded ahead.
template <int W>
constexpr int rows_ahead = W / 2;

// Reads the starts of the first rows `from` to `to` - 1.
template <class O, int R>
__device__ void read_starts(const O *start, int32_t from, int32_t to, O (&at)[R])
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int32_t i = from + entry_of(r);
        at[r] = i < to ? start[i] : O(0);
    }
}

// Sets the bit for this lane's row, which begins at entry `at`; -1: none. An empty row begins where
// the next row does.
template <int W>
__device__ void mark(int at, unsigned (&word)[W])
{
#pragma unroll
    for (int u = 0; u < W; u++) {
        word[u] |= __reduce_or_sync(all_lanes, at >> 5 == u ? 1u << (at & 31) : 0u);
    }
}

// The descriptor, from the starts of rows `from` to `to` - 1, which begin in the tile. at: the
// starts of the first rows, relative to the tile's begin.
template <class O, int W, int R>
__device__ void describe(const O *start, int64_t begin, int32_t from, int32_t to,
                         const int (&at)[R], unsigned (&word)[W])
{
#pragma unroll
    for (int u = 0; u < W; u++) word[u] = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (to - from > r * lanes) mark(entry_of(r) < to - from ? at[r] : -1, word);
    }
#pragma unroll 1
    for (int32_t base = from + R * lanes; base < to; base += lanes) {
        const int32_t i = base + (int32_t)threadIdx.x % lanes;
        mark(i < to ? (int)((int64_t)start[i] - begin) : -1, word);
    }
}

// The descriptor of `describe`, found from the entries by bisection, for tiles with many more rows
// than entries.
template <class O, int W>
__device__ void describe_few(const O *start, int64_t begin, int32_t from, int32_t to,
                             unsigned (&word)[W])
{
#pragma unroll
    for (int u = 0; u < W; u++) {
        const int64_t k = begin + u * lanes + (int)threadIdx.x % lanes;
        const int32_t i = row_at(start, k, from, to);
        word[u] = __ballot_sync(all_lanes, i >= from && start[i] == k);
    }
}

// --- the segmented sum ------------------------------------------------------------------------

// s holds the tile's products, padded. Afterwards it holds, without padding, the sum of each
// segment that ends at the first entry of a row. before: the open row's sum over earlier tiles.
// Returns in the last lane the sum of the row that is open at the end.
template <class T, int W>
__device__ T sum_segments(const unsigned (&word)[W], T before, T *s)
{
    const int lane = (int)threadIdx.x % lanes, at = lane * W / 32, shift = lane * W % 32;
    unsigned bits = 0; // W bits of the descriptor
    int rank = 0;      // row beginnings before this lane's
    T p[W], run = 0;

#pragma unroll
    for (int u = 0; u < W; u++) p[u] = s[padded<T>(lane * W) + u];
#pragma unroll
    for (int u = 0; u < W; u++) {
        const unsigned below = u < at ? all_lanes : u == at ? (1u << shift) - 1 : 0;
        rank += __popc(word[u] & below);
        if (u == at) bits = word[u] >> shift & ((1u << W) - 1);
    }
    __syncwarp(); // all lanes have read
    int r = rank;
#pragma unroll
    for (int u = 0; u < W; u++) {
        if (bits >> u & 1) {
            s[r++] = run;
            run = 0;
        }
        run += p[u];
    }
    const unsigned heads = __ballot_sync(all_lanes, bits != 0) & (all_lanes >> (31 - lane));
    const int reach = heads ? lane - (31 - __clz((int)heads)) : lane; // lanes of the same segment
    if (lane == 0 && bits == 0) run = before + run;
#pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
        const T other = __shfl_up_sync(all_lanes, run, d);
        if (d <= reach) run = other + run;
    }
    const T left = __shfl_up_sync(all_lanes, run, 1);
    if (bits) s[rank] = (lane == 0 ? before : left) + s[rank];
    __syncwarp();
    return run;
}

} // namespace gs_bunches

#endif
