// speculative_tiles.cuh: what a warp does with a tile of 32 W entries: products, the descriptor of
// the segments, their sums, and the rows written. Nothing here waits for other warps.
#ifndef GS_SPECULATIVE_TILES_CUH
#define GS_SPECULATIVE_TILES_CUH

#include "core/cuda.cuh"

extern "C" {
#include "spmv/speculative/speculative.h"
}

namespace gs_segments
{

constexpr int lanes = GS_SPECULATIVE_T;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int most_warps = 8;    // of a block
constexpr int most_rows = 512;   // of which a tile mends the empty ones itself
constexpr int piece_rows = 2048; // that a block checks

struct piece { // of the speculator array: rows of which the empty ones are to be written
    int32_t from, to;
};

template <class T>
struct product {
    const void *start;
    const int32_t *col;
    const T *value, *x;
    T *y;
    T alpha, beta;
    const T *w;
    double *out[2]; // w'y; y'y
};

// y_i = alpha sum + beta y_i, and its terms in SUMS sums.
template <int SUMS, class T, int N>
__device__ void finish(const product<T> &a, int32_t i, T sum, double (&terms)[N])
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
    if constexpr (SUMS > 0) terms[0] += (double)a.w[i] * (double)sum;
    if constexpr (SUMS > 1) terms[1] += (double)sum * (double)sum;
}

template <class T>
__device__ T warp_sum(T sum)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);
    return sum;
}

// --- the products -----------------------------------------------------------------------------

// Where product e lies in shared memory: 16 bytes are left out after each 128, so that neither
// writing one after the other nor reading W at once meets a bank twice.
template <class T>
__device__ int padded(int e)
{
    return e + e / (128 / (int)sizeof(T)) * (16 / (int)sizeof(T));
}

template <int W>
constexpr int room = W *lanes * 9 / 8; // products of a tile, padded

// Entries from .. from + n, u lanes + lane to this lane's u-th; column -1 past the last.
template <int W, class T>
__device__ void read_entries(const product<T> &a, int64_t from, int n, int32_t (&c)[W], T (&v)[W])
{
    const int32_t *col = a.col + from;
    const T *value = a.value + from;

#pragma unroll
    for (int u = 0; u < W; u++) {
        const int k = u * lanes + (int)threadIdx.x % lanes;
        c[u] = k < n ? __ldcs(&col[k]) : -1;
        v[u] = k < n ? __ldcs(&value[k]) : T(0);
    }
}

// --- the segment descriptor: bit e % 32 of word e / 32 is set where a row begins at entry e ------

// From the starts of the rows from .. to, which are those that begin in the tile.
template <class O, int W>
__device__ void describe(const O *start, int64_t begin, int32_t from, int32_t to,
                         unsigned (&word)[W])
{
#pragma unroll
    for (int u = 0; u < W; u++) word[u] = 0;
#pragma unroll 1
    for (int32_t base = from; base < to; base += lanes) {
        const int32_t i = base + (int32_t)threadIdx.x % lanes;
        int at = -1;
        if (i < to && start[i] < start[i + 1]) at = (int)((int64_t)start[i] - begin);
#pragma unroll
        for (int u = 0; u < W; u++) {
            word[u] |= __reduce_or_sync(all_lanes, at >> 5 == u ? 1u << (at & 31) : 0u);
        }
    }
}

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

// The same from the entries, where there are many more rows than entries.
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

// s: the tile's products, padded; afterwards, without gaps, the sum of each segment that ends at a
// first entry of a row, before being what the row that was open holds from earlier tiles. Returns
// in the last lane what the row that is open at the end holds.
template <class T, int W>
__device__ T sum_segments(const unsigned (&word)[W], T before, T *s)
{
    constexpr int wide = gs_wide<T>;
    const int lane = (int)threadIdx.x % lanes, at = lane * W / 32, shift = lane * W % 32;
    unsigned bits = 0; // W of the descriptor's
    int rank = 0;      // first entries before this lane's
    T p[W], run = 0;

#pragma unroll
    for (int u = 0; u < W; u += wide) {
        const gs_pack<T, wide> some = gs_load<wide>(s, padded<T>(lane * W) + u);
#pragma unroll
        for (int k = 0; k < wide; k++) p[u + k] = some.v[k];
    }
#pragma unroll
    for (int u = 0; u < W; u++) {
        const unsigned below = u < at ? all_lanes : u == at ? (1u << shift) - 1 : 0;
        rank += __popc(word[u] & below);
        if (u == at) bits = word[u] >> shift & ((1u << W) - 1);
    }
    __syncwarp(); // all have read
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

// --- the rows ---------------------------------------------------------------------------------

// The rows of a dirty tile but the last: which sum is whose has to be counted.
template <int SUMS, class O, class T, int N>
__device__ void mend(const product<T> &a, int32_t from, int32_t to, int sums, const T *s,
                     double (&terms)[N])
{
    const O *start = (const O *)a.start;
    const int lane = (int)threadIdx.x % lanes;
    int before = 1; // the open row's

#pragma unroll 1
    for (int32_t base = from; base < to; base += lanes) {
        const int32_t i = base + lane;
        const bool full = i < to && start[i] < start[i + 1];
        const unsigned others = __ballot_sync(all_lanes, full);
        const int r = before + __popc(others & ((1u << lane) - 1));
        if (i < to && (!full || r < sums)) finish<SUMS>(a, i, full ? s[r] : T(0), terms);
        before += __popc(others);
    }
}

// The same but for the empty rows, which are the speculator's.
template <int SUMS, class O, class T, int W, int N>
__device__ void place(const product<T> &a, int64_t begin, int32_t from, int32_t to,
                      const unsigned (&word)[W], int sums, const T *s, double (&terms)[N])
{
    const O *start = (const O *)a.start;
    const int lane = (int)threadIdx.x % lanes;
    int before = 1;

#pragma unroll
    for (int u = 0; u < W; u++) {
        const int r = before + __popc(word[u] & ((1u << lane) - 1));
        if ((word[u] >> lane & 1) && r < sums) {
            finish<SUMS>(a, row_at(start, begin + u * lanes + lane, from, to), s[r], terms);
        }
        before += __popc(word[u]);
    }
}

// What the rows of a bunch that reach beyond it hold of it.
template <class T>
struct ends {
    T head, tail; // of the row open at its begin; of the row open at its end
    int32_t row;  // open at its begin
    bool closed;  // another row begins in the bunch; else head is all, and tail nothing
};

// The rows that end in the tile: the one open at its begin, which goes to e if it is the bunch's
// first, and those from .. to but the last.
template <int SUMS, class O, class T, int W, int N>
__device__ void write_rows(const product<T> &a, int64_t begin, int32_t from, int32_t to,
                           const unsigned (&word)[W], const T *s, ends<T> &e, double (&terms)[N])
{
    const int lane = (int)threadIdx.x % lanes;
    const int first = e.closed ? 0 : 1;
    int sums = 0;

#pragma unroll
    for (int u = 0; u < W; u++) sums += __popc(word[u]);
    if (!e.closed) e.head = s[0];
    e.closed = true;
    if (sums == to - from) { // no row is empty: the sums lie in the order of the rows
#pragma unroll 1
        for (int j = first + lane; j < sums; j += lanes) {
            finish<SUMS>(a, from - 1 + j, s[j], terms);
        }
        return;
    }
    if (first == 0 && lane == 0) finish<SUMS>(a, from - 1, s[0], terms);
    if (to - from <= most_rows) {
        mend<SUMS, O>(a, from, to, sums, s, terms);
    } else {
        place<SUMS, O>(a, begin, from, to, word, sums, s, terms);
    }
}

// --- the tiles of a bunch ---------------------------------------------------------------------

// Tiles tile .. tile + steps, of which lane i knows first[tile + i]; s: room for one tile. Where no
// row begins in a tile each lane adds up for itself. The entries of the next tile are read while
// this one's are summed, where there are registers for it.
template <int SUMS, class O, int W, class T, int N>
__device__ ends<T> walk(const product<T> &a, int64_t tile, int steps, int64_t entries,
                        int32_t first, T *s, double (&terms)[N])
{
    constexpr int size = W * lanes;
    constexpr bool ahead = W * sizeof(T) <= 32;
    const int lane = (int)threadIdx.x % lanes;
    const O *start = (const O *)a.start;
    ends<T> e = {0, 0, __shfl_sync(all_lanes, first, 0) - 1, false};
    bool spread = false; // the open row's sum over all lanes; else the last lane has it
    T open = 0, v[W];
    int32_t c[W];

#pragma unroll 1
    for (int t = 0; t < steps; t++) {
        const int32_t from = __shfl_sync(all_lanes, first, t);
        const int32_t to = __shfl_sync(all_lanes, first, t + 1);
        const int64_t begin = (tile + t) * size;
        unsigned word[W];
        T p[W];
        if (t == 0 || !ahead) {
            read_entries(a, begin, (int)min(entries - begin, (int64_t)size), c, v);
        }
#pragma unroll
        for (int u = 0; u < W; u++) p[u] = c[u] >= 0 ? __ldg(&a.x[c[u]]) : T(0);
        if (from < to && to - from <= most_rows) describe(start, begin, from, to, word);
        if (to - from > most_rows) describe_few(start, begin, from, to, word);
#pragma unroll
        for (int u = 0; u < W; u++) p[u] *= v[u];
        if (ahead && t + 1 < steps) {
            read_entries(a, begin + size, (int)min(entries - begin - size, (int64_t)size), c, v);
        }
        if (from == to) {
#pragma unroll
            for (int u = 0; u < W; u++) open += p[u];
            spread = true;
            continue;
        }
#pragma unroll
        for (int u = 0; u < W; u++) s[padded<T>(u * lanes + lane)] = p[u];
        const T before = spread ? warp_sum(open) : __shfl_sync(all_lanes, open, lanes - 1);
        __syncwarp();
        const T run = sum_segments(word, before, s);
        write_rows<SUMS, O>(a, begin, from, to, word, s, e, terms);
        __syncwarp(); // all have read
        open = lane == lanes - 1 ? run : T(0);
        spread = false;
    }
    const T left = spread ? warp_sum(open) : __shfl_sync(all_lanes, open, lanes - 1);
    if (e.closed) {
        e.tail = left;
    } else {
        e.head = left;
    }
    return e;
}

} // namespace gs_segments

#endif
