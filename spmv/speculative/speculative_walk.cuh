// speculative_walk.cuh: the rows that end in a tile, and the tiles of a bunch one after the other.
#ifndef GS_SPMV_SPECULATIVE_SPECULATIVE_WALK_CUH
#define GS_SPMV_SPECULATIVE_SPECULATIVE_WALK_CUH

#include "spmv/speculative/speculative_tiles.cuh"

namespace gs_bunches
{

// --- the rows ---------------------------------------------------------------------------------

struct tile_rows {
    int64_t begin;    // the tile's first entry
    int32_t from, to; // rows `from` to `to` - 1 begin in the tile
};

// Writes the rows of a dirty tile except the last: the empty rows before each row are counted to
// find its sum.
template <class O, class T>
__device__ void write_dirty_rows(const gs_row_operands<T> &a, int32_t from, int32_t to, int sums,
                                 const T *s)
{
    const O *start = (const O *)a.start;
    const int lane = (int)threadIdx.x % lanes;
    int before = 1; // the open row

#pragma unroll 1
    for (int32_t base = from; base < to; base += lanes) {
        const int32_t i = base + lane;
        const bool full = i < to && start[i] < start[i + 1];
        const unsigned others = __ballot_sync(all_lanes, full);
        const int r = before + __popc(others & ((1u << lane) - 1));
        if (i < to && (!full || r < sums)) gs_finish(a, i, full ? s[r] : T(0));
        before += __popc(others);
    }
}

// Writes the rows of a dirty tile except the last and except the empty rows, which blocks for the
// speculator array write.
template <class O, class T, int W>
__device__ void write_nonempty_rows(const gs_row_operands<T> &a, const tile_rows &tile,
                                    const unsigned (&word)[W], int sums, const T *s)
{
    const O *start = (const O *)a.start;
    const int lane = (int)threadIdx.x % lanes;
    int before = 1;

#pragma unroll
    for (int u = 0; u < W; u++) {
        const int r = before + __popc(word[u] & ((1u << lane) - 1));
        if ((word[u] >> lane & 1) && r < sums) {
            gs_finish(a, row_at(start, tile.begin + u * lanes + lane, tile.from, tile.to), s[r]);
        }
        before += __popc(word[u]);
    }
}

// A bunch's parts of rows that reach beyond it.
template <class T>
struct ends {
    T head, tail; // part of the row open at its begin; of the row open at its end
    int32_t row;  // the row open at its begin
    bool closed;  // another row begins in the bunch; else head is the complete part, and tail is 0
};

// Writes the rows that end in the tile: the open row, unless it is the bunch's first (opens), and
// rows `from` to `to` - 2.
template <class O, class T, int W>
__device__ void write_rows(const gs_row_operands<T> &a, const tile_rows &tile,
                           const unsigned (&word)[W], const T *s, bool opens)
{
    const int32_t from = tile.from, to = tile.to;
    const int lane = (int)threadIdx.x % lanes;
    const int first = opens ? 1 : 0;
    int sums = 0;

#pragma unroll
    for (int u = 0; u < W; u++) sums += __popc(word[u]);
    if (sums == to - from) { // no row is empty: the sums are in the order of the rows
#pragma unroll 1
        for (int j = first + lane; j < sums; j += lanes) gs_finish(a, from - 1 + j, s[j]);
        return;
    }
    if (first == 0 && lane == 0) gs_finish(a, from - 1, s[0]);
    if (to - from <= most_rows) {
        write_dirty_rows<O>(a, from, to, sums, s);
    } else {
        write_nonempty_rows<O>(a, tile, word, sums, s);
    }
}

// --- tiles with short rows only ---------------------------------------------------------------

constexpr int most_own = 32; // products that a lane adds one by one, at most

// The parts of rows in a tile. Part 0 is that of the open row, the last part that of the row that
// stays open; part j ends where the j-th row of the tile begins. Lanes share a part so that all
// parts are summed at once; with more parts than half the lanes, a lane sums several parts one
// after the other.
template <int R>
struct parts {
    int count; // rows that begin in the tile; the number of parts is count + 1
    int log;   // log2 of the lanes that share a part
    int end[R];
};

template <int R>
__device__ inline int begin_of(const parts<R> &p, int r, int group)
{
    const int before = __shfl_sync(all_lanes, p.end[r], group > 0 ? group - 1 : 0);
    const int last = r > 0 ? __shfl_sync(all_lanes, p.end[r > 0 ? r - 1 : 0], lanes - 1) : 0;

    return group > 0 ? before : last;
}

// Whether to sum the tile part by part: no lane has many products to add.
template <int R>
__device__ inline bool are_short(const parts<R> &p)
{
    const int group = (int)threadIdx.x % lanes >> p.log;
    int most = 0;

    if (p.count >= R * lanes) return false; // some starts are not in registers
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (p.count < r * lanes) break;
        most = max(most, __shfl_sync(all_lanes, p.end[r], group) - begin_of(p, r, group));
    }
    return !__any_sync(all_lanes, most > most_own << p.log);
}

// at: the starts of the first rows; begin: the tile's first entry; count: its rows; n: its entries.
template <class O, int R>
__device__ parts<R> parts_of(const O (&at)[R], int64_t begin, int count, int n)
{
    parts<R> p = {count, count < lanes / 2 ? __clz(count) - (32 - 5) : 0, {}};

#pragma unroll
    for (int r = 0; r < R; r++) p.end[r] = entry_of(r) < count ? (int)((int64_t)at[r] - begin) : n;
    return p;
}

// Writes the rows that end in the tile. from: its first row; s: its products; before: the open
// row's sum over earlier tiles; head: where the open row's sum goes instead of y, or NULL. Returns
// the sum of the row that is open at the end.
template <class T, int R>
__device__ T sum_parts(const gs_row_operands<T> &a, int32_t from, const parts<R> &p, T before,
                       const T *s, T *head)
{
    const int lane = (int)threadIdx.x % lanes, step = 1 << p.log, group = lane >> p.log;
    const bool first = (lane & (step - 1)) == 0;
    T open = 0;

#pragma unroll
    for (int r = 0; r < R; r++) {
        if (p.count < r * lanes) break;
        const int j = r * lanes + group, end = __shfl_sync(all_lanes, p.end[r], group);
        const bool ends = first && j < p.count && (j > 0 || !head);
        T sum = 0;
        for (int k = begin_of(p, r, group) + (lane & (step - 1)); k < end; k += 4 * step) {
            T loaded[4]; // loaded together
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int e = k + u * step;
                loaded[u] = e < end ? s[padded<T>(e)] : T(0);
            }
#pragma unroll
            for (int u = 0; u < 4; u++) sum += loaded[u];
        }
        for (int d = step / 2; d > 0; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);
        if (j == 0) sum = before + sum;
        if (ends) gs_finish(a, from - 1 + j, sum);
        if (j == 0 && first && head) *head = sum;
        if (p.count / lanes == r) open = __shfl_sync(all_lanes, sum, p.count % lanes << p.log);
    }
    return open;
}

// --- the tiles of a bunch ---------------------------------------------------------------------

// What a lane has loaded ahead: all of the next tile to compute, and the columns of the one after
// it.
template <class O, class T, int W>
struct reads {
    int32_t c[W];
    T v[W], x[W];
    O at[rows_ahead<W>];
};

// Loads the tile at entry begin, whose rows are `from` to `to` - 1; n: entries from begin to the
// end of the bunch. Its columns are loaded already; those of the next tile are loaded here.
template <class O, class T, int W>
__device__ void read_tile(const gs_row_operands<T> &a, int64_t begin, int n, int32_t from,
                          int32_t to, reads<O, T, W> &now)
{
    constexpr int size = W * lanes;

    read_entries(a.value + begin, n, now.v);
    read_starts((const O *)a.start, from, to, now.at);
    gather(a.x, now.c, n, now.x);
    if (n > size) read_entries(a.col + begin + size, n - size, now.c);
}

// Writes the rows of a tile by the segmented sum. s: its products. Returns the sum of the row that
// is open at the end.
template <class O, int W, class T, int R>
__device__ T sum_rows(const gs_row_operands<T> &a, const tile_rows &tile, const parts<R> &p,
                      T before, T *s, T *head)
{
    const int32_t from = tile.from, to = tile.to;
    const O *start = (const O *)a.start;
    unsigned word[W];

    if (to - from <= most_rows) {
        describe(start, tile.begin, from, to, p.end, word);
    } else {
        describe_few(start, tile.begin, from, to, word);
    }
    const T run = sum_segments(word, before, s);
    if (head && threadIdx.x % lanes == 0) *head = s[0];
    write_rows<O>(a, tile, word, s, head != nullptr);
    return run;
}

// Computes the tiles of n entries from begin on. Lane i holds first[i]. e: the bunch's ends; s:
// shared memory for one tile. Where no row begins in a tile, each lane adds its own products to its
// sum. While one tile is summed, the values, row starts and elements of x of the next tile and the
// columns of the one after it are loaded.
template <class O, int W, class T>
__device__ void walk(const gs_row_operands<T> &a, int64_t begin, int n, int32_t first, T *s,
                     ends<T> &e)
{
    constexpr int size = W * lanes;
    const int lane = (int)threadIdx.x % lanes;
    int32_t from = __shfl_sync(all_lanes, first, 0), to = __shfl_sync(all_lanes, first, 1);
    reads<O, T, W> now;
    bool opens = true; // the open row is the bunch's first
    // each lane has a part of the open row's sum; else the last lane has all of it
    bool is_spread = false;
    T open = 0;

    if (lane == 0) e = {0, 0, from - 1, false};
    if (n > 0) {
        read_entries(a.col + begin, n, now.c);
        read_tile(a, begin, n, from, to, now);
    }
#pragma unroll 1
    for (int t = 0; n > 0; t++, begin += size, n -= size) {
        const auto p = parts_of(now.at, begin, to - from, min(n, size));
        const bool direct = p.count > 0 && are_short(p);
        const tile_rows tile = {begin, from, to};
#pragma unroll
        for (int u = 0; u < W; u++) now.v[u] *= now.x[u];
        if (p.count == 0) {
#pragma unroll
            for (int u = 0; u < W; u++) open += now.v[u];
        } else {
            store(now.v, s);
        }
        from = to;
        to = __shfl_sync(all_lanes, first, min(t + 2, lanes - 1));
        if (n > size) read_tile(a, begin + size, n - size, from, to, now);
        is_spread = is_spread || p.count == 0;
        if (p.count == 0) continue;
        const T before = is_spread ? warp_sum(open) : __shfl_sync(all_lanes, open, lanes - 1);
        __syncwarp();
        T *head = opens ? &e.head : nullptr;
        const T run = direct ? sum_parts(a, tile.from, p, before, s, head)
                             : sum_rows<O, W>(a, tile, p, before, s, head);
        __syncwarp(); // all lanes have read
        open = lane == lanes - 1 ? run : T(0);
        opens = is_spread = false;
    }
    const T left = is_spread ? warp_sum(open) : __shfl_sync(all_lanes, open, lanes - 1);
    if (lane == 0) {
        (opens ? e.head : e.tail) = left;
        e.closed = !opens;
    }
}

} // namespace gs_bunches

#endif
