// speculative_walk.cuh: the rows that end in a tile, and the tiles of a bunch one after the other.
#ifndef GS_SPECULATIVE_WALK_CUH
#define GS_SPECULATIVE_WALK_CUH

#include "spmv/speculative/speculative_tiles.cuh"

namespace gs_bunches
{

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

// The rows that end in the tile: the one open at its begin, unless that is the bunch's first, and
// those from .. to but the last. w: the element for the first of them that this lane writes where
// no row is empty.
template <int SUMS, class O, class T, int W, int N>
__device__ void write_rows(const product<T> &a, int64_t begin, int32_t from, int32_t to,
                           const unsigned (&word)[W], const T *s, bool opens, T w,
                           double (&terms)[N])
{
    const int lane = (int)threadIdx.x % lanes;
    const int first = opens ? 1 : 0;
    int sums = 0;

#pragma unroll
    for (int u = 0; u < W; u++) sums += __popc(word[u]);
    if (sums == to - from) { // no row is empty: the sums lie in the order of the rows
#pragma unroll 1
        for (int j = first + lane; j < sums; j += lanes) {
            finish<SUMS>(a, from - 1 + j, s[j], w, terms);
            if (SUMS > 0 && j + lanes < sums) w = a.w[from - 1 + j + lanes];
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

// What a lane reads ahead: of the tile that is due all, of the next one the columns.
template <class O, class T, int W>
struct reads {
    int32_t c[W];
    T v[W], x[W];
    O at[rows_ahead];
};

// Tile t of those of which lane i knows first[i]; it begins at entry begin, n entries before the
// last one's end. Its columns are there; the next tile's are read.
template <class O, class T, int W>
__device__ void read_tile(const product<T> &a, int64_t begin, int n, int32_t first, int t,
                          reads<O, T, W> &now)
{
    constexpr int size = W * lanes;

    read_values(a, begin, n, now.v);
    read_starts((const O *)a.start, __shfl_sync(all_lanes, first, t),
                __shfl_sync(all_lanes, first, t + 1), now.at);
    gather(a, now.c, now.x);
    read_columns(a, begin + size, n - size, now.c);
}

// The tiles of n entries from begin on, of which lane i knows first[i]; e: the bunch's ends; s:
// room for one tile. Where no row begins in a tile each lane adds up for itself. While a tile is
// summed the next one's values, row starts and elements of x are on their way, and the columns of
// the one after it.
template <int SUMS, class O, int W, class T, int N>
__device__ void walk(const product<T> &a, int64_t begin, int n, int32_t first, T *s, ends<T> &e,
                     double (&terms)[N])
{
    constexpr int size = W * lanes;
    const O *start = (const O *)a.start;
    const int lane = (int)threadIdx.x % lanes;
    reads<O, T, W> now;
    bool opens = true;   // the open row is the bunch's first
    bool spread = false; // the open row's sum over all lanes; else the last lane has it
    T open = 0;

    if (lane == 0) e = {0, 0, first - 1, false};
    if (n > 0) {
        read_columns(a, begin, n, now.c);
        read_tile(a, begin, n, first, 0, now);
    }
#pragma unroll 1
    for (int t = 0; n > 0; t++, begin += size, n -= size) {
        const int32_t from = __shfl_sync(all_lanes, first, t);
        const int32_t to = __shfl_sync(all_lanes, first, t + 1);
        unsigned word[W];
        if (from < to && to - from <= most_rows) describe(start, begin, from, to, now.at, word);
        if (to - from > most_rows) describe_few(start, begin, from, to, word);
#pragma unroll
        for (int u = 0; u < W; u++) {
            const T product = now.v[u] * now.x[u];
            if (from == to) {
                open += product;
            } else {
                s[padded<T>(place_of(u))] = product;
            }
        }
        if (n > size) read_tile(a, begin + size, n - size, first, t + 1, now);
        spread = spread || from == to;
        if (from == to) continue;
        const T before = spread ? warp_sum(open) : __shfl_sync(all_lanes, open, lanes - 1);
        const int32_t due = from - (opens ? 0 : 1) + lane; // the row that this lane writes
        const T w = SUMS > 0 && due < to - 1 ? a.w[due] : T(0);
        __syncwarp();
        const T run = sum_segments(word, before, s);
        if (opens && lane == 0) e.head = s[0];
        write_rows<SUMS, O>(a, begin, from, to, word, s, opens, w, terms);
        __syncwarp(); // all have read
        open = lane == lanes - 1 ? run : T(0);
        opens = spread = false;
    }
    const T left = spread ? warp_sum(open) : __shfl_sync(all_lanes, open, lanes - 1);
    if (lane == 0) {
        (opens ? e.head : e.tail) = left;
        e.closed = !opens;
    }
}

} // namespace gs_bunches

#endif
