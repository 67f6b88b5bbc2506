// esc_tiles_cuda.cu: rows of few products: some whole rows to a warp, in its registers.
#include "spgemm/esc/esc_parts.cuh"

using namespace gs_esc_parts;

namespace
{

// Whole rows from row on, at most one a lane.
struct tile {
    int rows, total; // of their products; no rows: row is not for tiles, total are its products
    int at, own;     // products of this lane's row: those before, and their number
};

__device__ tile cut_tile(const uint32_t *weight, int32_t row, int32_t end)
{
    const int lane = (int)threadIdx.x % 32;
    const uint32_t w = row + lane < end ? weight[row + lane] : large;
    const int own = w <= small_room ? (int)w : 1 << 20, upto = scan(own);
    tile t;

    t.rows = __popc(__ballot_sync(all_lanes, upto <= small_room));
    t.total = __shfl_sync(all_lanes, upto, max(t.rows - 1, 0));
    t.at = upto - own;
    t.own = own;
    if (t.rows == 0) {
        const uint32_t first = __shfl_sync(all_lanes, w, 0);
        t.total = first == large ? 0 : (int)first;
    }
    return t;
}

// A tile's entries, see esc_parts.cuh.
struct alignas(16) entries {
    int64_t from[small_room];
    uint32_t begins[small_room / 32];
};

// entry(number, a, e): of A's e-th entry of the tile, which is its entry a. Lanes together.
template <class Entry>
__device__ void list_entries(const pattern &m, int64_t begin, int64_t end, int total, entries &s,
                             Entry entry)
{
    const int lane = (int)threadIdx.x % 32;
    int number = 0, products = 0;

    if (lane < small_room / 32) s.begins[lane] = 0;
    __syncwarp();
    for (int64_t at = begin; at < end && products < total; at += 32) {
        const int64_t a = at + lane;
        const int32_t k = a < end ? __ldg(m.acol + a) : -1;
        const int64_t from = k >= 0 ? m.b[k] : 0;
        const int length = k >= 0 ? (int)(m.b[k + 1] - from) : 0, upto = products + scan(length);
        const unsigned some = __ballot_sync(all_lanes, length > 0);
        const int own = number + __popc(some & below(lane)), p = upto - length;
        if (length > 0) {
            s.from[own] = from - p;
            atomicOr(&s.begins[p / 32], 1u << p % 32);
        }
        entry(own, a, (int)(a - begin), length > 0);
        number += __popc(some);
        products = __shfl_sync(all_lanes, upto, 31);
    }
    __syncwarp();
}

// --- the sort ---------------------------------------------------------------------------------

template <class K>
__device__ void in_order(K &x, K &y)
{
    const K less = min(x, y), more = max(x, y);
    x = less;
    y = more;
}

// The lesser of this lane's key and another's where this one is to be the lower.
template <class K>
__device__ K exchange(K own, K other, bool low)
{
    return (own < other) == low ? own : other;
}

// Bitonic, of 32 V keys, V a lane; all comparisons upwards: merging begins with the mirror image.
template <int V, class K>
__device__ void sort_keys(K (&key)[V])
{
    const int lane = (int)threadIdx.x % 32;

#pragma unroll
    for (int size = 2; size <= 32 * V; size *= 2) {
        if (size <= V) {
#pragma unroll
            for (int x = 0; x < V; x++) {
                if ((x ^ (size - 1)) > x) in_order(key[x], key[x ^ (size - 1)]);
            }
        } else {
            const int lanes = size / V;
            const bool low = (lane & (lanes / 2)) == 0;
            K other[V];
#pragma unroll
            for (int x = 0; x < V; x++) {
                other[x] = __shfl_xor_sync(all_lanes, key[V - 1 - x], lanes - 1);
            }
#pragma unroll
            for (int x = 0; x < V; x++) key[x] = exchange(key[x], other[x], low);
        }
#pragma unroll
        for (int d = size / 4; d > 0; d /= 2) {
            if (d < V) {
#pragma unroll
                for (int x = 0; x < V; x++) {
                    if ((x ^ d) > x) in_order(key[x], key[x ^ d]);
                }
            } else {
                const bool low = (lane & (d / V)) == 0;
#pragma unroll
                for (int x = 0; x < V; x++) {
                    key[x] = exchange(key[x], __shfl_xor_sync(all_lanes, key[x], d / V), low);
                }
            }
        }
    }
}

// word.v[i] = the numbers of the products in places V lane + i after the sort by (row, column,
// number), marked where (row, column) is another than before. Products come striped: of number 32 i
// + lane.
template <int V, class K>
__device__ void sort_products(const int32_t (&col)[V], const int (&row)[V], int32_t least,
                              int col_bits, int total, gs_pack<uint16_t, V> &word)
{
    const int lane = (int)threadIdx.x % 32;
    K key[V];

#pragma unroll
    for (int i = 0; i < V; i++) {
        const int j = 32 * i + lane;
        key[i] =
            j < total ? ((K)row[i] << col_bits | (K)(uint32_t)(col[i] - least)) << 8 | (K)j : ~(K)0;
    }
    sort_keys<V>(key);
    K before = __shfl_up_sync(all_lanes, key[V - 1], 1);
#pragma unroll
    for (int i = 0; i < V; i++) {
        const bool first = (i == 0 && lane == 0) || key[i] >> 8 != before >> 8;
        word.v[i] = (uint16_t)((unsigned)(key[i] & 0xff) | (first ? first_term : 0));
        before = key[i];
    }
}

struct alignas(16) sorting { // a warp's
    entries list;
    uint16_t order[small_room];
    uint8_t row[small_room];        // of each entry
    int heads[small_room / 32 + 1]; // bits: first terms
    int heads_before[small_room / 32 + 1];
};

// The order of a tile of up to 32 V products, and, in lanes < t.rows, the entries of C in each row.
template <int V>
__device__ int sort_tile(const pattern &m, const tile &t, sorting &s, uint16_t *order)
{
    const int lane = (int)threadIdx.x % 32;
    int32_t col[V], least = INT32_MAX, most = 0;
    int row[V], number = 0;
    gs_pack<uint16_t, V> word;

#pragma unroll
    for (int i = 0; i < V; i++) {
        const int j = 32 * i + lane;
        const unsigned begins = s.list.begins[i];
        const int e = number + __popc(begins & up_to(lane)) - 1;
        number += __popc(begins);
        col[i] = j < t.total ? __ldg(m.bcol + s.list.from[e] + j) : -1;
        row[i] = j < t.total ? s.row[e] : 0;
    }
#pragma unroll
    for (int i = 0; i < V; i++) {
        least = min(least, col[i] < 0 ? INT32_MAX : col[i]);
        most = max(most, col[i]);
    }
    least = __reduce_min_sync(all_lanes, least);
    most = __reduce_max_sync(all_lanes, most);
    const int col_bits = 32 - __clz(most - least), row_bits = 32 - __clz(t.rows - 1);
    if (col_bits + row_bits + 8 <= 32) {
        sort_products<V, uint32_t>(col, row, least, col_bits, t.total, word);
    } else {
        sort_products<V, unsigned long long>(col, row, least, col_bits, t.total, word);
    }
    gs_store<V>(s.order, V * lane, word);
    __syncwarp();
    int heads = 0;
#pragma unroll
    for (int i = 0; i < V; i++) {
        const int j = 32 * i + lane;
        const uint16_t now = s.order[j];
        const unsigned marks = __ballot_sync(all_lanes, j < t.total && (now & first_term));
        if (j < t.total) order[j] = now;
        if (lane == 0) s.heads[i] = (int)marks;
        if (lane == 0) s.heads_before[i] = heads;
        heads += __popc(marks);
    }
    if (lane == 0) s.heads_before[V] = heads;
    if (lane == 0) s.heads[V] = 0;
    __syncwarp();
    if (lane >= t.rows) return 0;
    const int from = t.at, to = t.at + t.own;
    return s.heads_before[to / 32] + __popc(s.heads[to / 32] & below(to % 32)) -
           s.heads_before[from / 32] - __popc(s.heads[from / 32] & below(from % 32));
}

// The row, of those of the lanes, that entry e is in: the last that begins at or before it.
__device__ int row_of(int begin, int rows, int e)
{
    int row = 0;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const int there = __shfl_sync(all_lanes, begin, row + d);
        if (row + d < rows && there <= e) row += d;
    }
    return row;
}

__global__ void __launch_bounds__(small_threads)
    sort_chunks(pattern m, tile_band now, const uint32_t *weight, const int64_t *chunk_at,
                uint16_t *order, int32_t *count)
{
    __shared__ sorting space[small_warps];
    const int64_t c = now.first + (int64_t)blockIdx.x * small_warps + threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    sorting &s = space[threadIdx.x / 32];

    if (c >= now.last) return;
    const int32_t end = (int32_t)min((int64_t)m.nrows, (c + 1) * chunk);
    int64_t at = chunk_at[c] - now.base;
    for (int32_t row = (int32_t)(c * chunk); row < end;) {
        const tile t = cut_tile(weight, row, end);
        if (t.rows > 0) {
            const int64_t begin = m.a[row + min(lane, t.rows)];
            const int64_t first = __shfl_sync(all_lanes, begin, 0), last = m.a[row + t.rows];
            const int own = (int)(begin - first);
            list_entries(m, first, last, t.total, s.list, [&](int e, int64_t, int k, bool is) {
                const int r = row_of(own, t.rows, k);
                if (is) s.row[e] = (uint8_t)r;
            });
            const int entries = t.total == 0    ? 0
                                : t.total <= 64 ? sort_tile<2>(m, t, s, order + at)
                                                : sort_tile<8>(m, t, s, order + at);
            if (lane < t.rows) count[row + lane] = entries;
            __syncwarp();
        }
        at += t.total;
        row += max(t.rows, 1);
    }
}

// --- values -----------------------------------------------------------------------------------

template <class T>
struct alignas(16) filling { // a warp's
    entries list;
    union {
        T a[small_room];       // of each entry
        int32_t e[small_room]; // its number in the tile, empty ones counted
    };
    union {
        T product[small_room];
        int64_t b[small_room]; // the entry of B
    };
    union {
        int32_t col[small_room];
        uint8_t entry[small_room]; // of A
    };
    uint8_t order[small_room], head[small_room];
};

// order and head from what the first pass left; returns the entries of C.
template <class S>
__device__ int read_order(const uint16_t *order, int total, S &s)
{
    const int lane = (int)threadIdx.x % 32;
    uint16_t word[small_room / 32];
    int heads = 0;

#pragma unroll
    for (int i = 0; i < small_room / 32; i++) {
        word[i] = 32 * i + lane < total ? order[32 * i + lane] : 0;
    }
#pragma unroll
    for (int i = 0; i < small_room / 32; i++) {
        if (32 * i >= total) break;
        const unsigned marks = __ballot_sync(all_lanes, word[i] & first_term);
        if (word[i] & first_term) {
            s.head[heads + __popc(marks & below(lane))] = (uint8_t)(32 * i + lane);
        }
        s.order[32 * i + lane] = (uint8_t)word[i];
        heads += __popc(marks);
    }
    return heads;
}

template <class T, bool COLUMNS>
__device__ void expand_values(const pattern &m, const numbers &n, int total, filling<T> &s)
{
    constexpr int windows = small_room / 32;
    const int lane = (int)threadIdx.x % 32;
    int number = 0;
    T value[windows];
    int32_t col[windows];

#pragma unroll
    for (int i = 0; i < windows; i++) {
        if (32 * i >= total) break;
        const int j = 32 * i + lane;
        const unsigned begins = s.list.begins[i];
        const int e = number + __popc(begins & up_to(lane)) - 1;
        number += __popc(begins);
        if (j >= total) continue;
        const int64_t b = s.list.from[e] + j;
        value[i] = times(s.a[e], __ldg((const T *)n.b + b));
        if constexpr (COLUMNS) col[i] = __ldg(m.bcol + b);
    }
#pragma unroll
    for (int i = 0; i < windows; i++) {
        const int j = 32 * i + lane;
        if (j >= total) break;
        s.product[j] = value[i];
        if constexpr (COLUMNS) s.col[j] = col[i];
    }
}

template <class T, bool COLUMNS>
__device__ void fill_values(const pattern &m, const numbers &n, int total, int64_t to,
                            const uint16_t *order, filling<T> &s)
{
    const int lane = (int)threadIdx.x % 32;
    const int heads = read_order(order, total, s);

    expand_values<T, COLUMNS>(m, n, total, s);
    __syncwarp();
    for (int e = lane; e < heads; e += 32) {
        const int from = s.head[e], end = e + 1 < heads ? s.head[e + 1] : total;
        T sum = 0;
        for (int k = from; k < end; k++) sum = plus(sum, s.product[s.order[k]]);
        ((T *)n.c)[to + e] = sum;
        if constexpr (COLUMNS) n.ccol[to + e] = s.col[s.order[from]];
    }
}

// Each lane a number of C.
template <class T>
__device__ void fill_blocks(const pattern &m, const numbers &n, int64_t first, int total,
                            int64_t to, const uint16_t *order, filling<T> &s)
{
    const int lane = (int)threadIdx.x % 32, size = n.r * n.t;
    const int heads = read_order(order, total, s);
    int number = 0;

    for (int i = 0; 32 * i < total; i++) {
        const int j = 32 * i + lane;
        const unsigned begins = s.list.begins[i];
        const int e = number + __popc(begins & up_to(lane)) - 1;
        number += __popc(begins);
        if (j < total) s.b[j] = s.list.from[e] + j;
        if (j < total) s.entry[j] = (uint8_t)e;
    }
    __syncwarp();
    for (int o = lane; o < heads * size; o += 32) {
        const int e = o / size, element = o % size;
        const int from = s.head[e], end = e + 1 < heads ? s.head[e + 1] : total;
        T sum = 0;
        for (int k = from; k < end; k++) {
            const int p = s.order[k];
            sum = add_term<T, true>(n, sum, first + s.e[s.entry[p]], s.b[p], element);
        }
        ((T *)n.c)[to * size + o] = sum;
        if (n.ccol && element == 0) n.ccol[to + e] = __ldg(m.bcol + s.b[s.order[from]]);
    }
}

template <class T, bool COLUMNS, bool BLOCKS>
__global__ void __launch_bounds__(small_threads)
    fill_chunks(pattern m, tile_band now, const uint32_t *weight, const int64_t *chunk_at,
                const uint16_t *order, numbers n)
{
    __shared__ filling<T> space[small_warps];
    const int64_t c = now.first + (int64_t)blockIdx.x * small_warps + threadIdx.x / 32;
    filling<T> &s = space[threadIdx.x / 32];

    if (c >= now.last) return;
    const int32_t end = (int32_t)min((int64_t)m.nrows, (c + 1) * chunk);
    int64_t at = chunk_at[c] - now.base;
    for (int32_t row = (int32_t)(c * chunk); row < end;) {
        const tile t = cut_tile(weight, row, end);
        if (t.rows > 0 && t.total > 0) {
            const int64_t first = m.a[row], last = m.a[row + t.rows], to = n.cstart[row];
            list_entries(m, first, last, t.total, s.list, [&](int e, int64_t a, int k, bool is) {
                if (is && BLOCKS) s.e[e] = k;
                if (is && !BLOCKS) s.a[e] = __ldg((const T *)n.a + a);
            });
            if constexpr (BLOCKS) {
                fill_blocks<T>(m, n, first, t.total, to, order + at, s);
            } else {
                fill_values<T, COLUMNS>(m, n, t.total, to, order + at, s);
            }
            __syncwarp();
        }
        at += t.total;
        row += max(t.rows, 1);
    }
}

inline int blocks_of(const tile_band &now)
{
    return (int)((now.last - now.first + small_warps - 1) / small_warps);
}

} // namespace

namespace gs_esc_parts
{

gsolve_status sort_tiles(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                         int32_t *count)
{
    return gs_launch(q, "sorting rows of a product", sort_chunks, blocks_of(now), small_threads, m,
                     now, p->weight, p->chunk_at, p->order, count);
}

template <class T>
gsolve_status fill_tiles(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                         const numbers &n)
{
    const auto kernel = !are_plain(n) ? fill_chunks<T, true, true>
                        : n.ccol      ? fill_chunks<T, true, false>
                                      : fill_chunks<T, false, false>;

    return gs_launch(q, "the values of a product", kernel, blocks_of(now), small_threads, m, now,
                     p->weight, p->chunk_at, p->order, n);
}

template gsolve_status fill_tiles<float>(gs_queue *, const gs_esc_plan *, const pattern &,
                                         const tile_band &, const numbers &);
template gsolve_status fill_tiles<double>(gs_queue *, const gs_esc_plan *, const pattern &,
                                          const tile_band &, const numbers &);

} // namespace gs_esc_parts
