// esc_tiles_cuda.cu: sorts the products of rows with few products.
#include "spgemm/esc/esc_sort.cuh"
#include "spgemm/esc/esc_tiles.cuh"

using namespace gs_esc_tiles;

namespace
{

// Sorts the products of a tile by (row, column, number). On entry a lane holds the products 32 i +
// lane. word.v[i] = the number of the product at place V lane + i, with first_term if its (row,
// column) differs from that of the place before.
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
    sort_keys<V, 32>(key);
    K before = __shfl_up_sync(all_lanes, key[V - 1], 1);
#pragma unroll
    for (int i = 0; i < V; i++) {
        const bool first = (i == 0 && lane == 0) || key[i] >> 8 != before >> 8;
        word.v[i] = (uint16_t)((unsigned)(key[i] & 0xff) | (first ? first_term : 0));
        before = key[i];
    }
}

struct alignas(16) sorting { // of a warp
    entries list;
    uint16_t order[small_products];
    uint8_t row[small_products];        // of each entry of A: the number of its row in the tile
    int heads[small_products / 32 + 1]; // a bit for each product: a first term
    int heads_before[small_products / 32 + 1];
};

// Writes the order of a tile of up to 32 V products. Returns to lane l < t.rows the entries of C in
// row l of the tile.
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

// The row of the tile that entry e lies in: the last of `rows` lanes whose `begin` is at most e.
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

// Sorts the products of the small rows of a chunk, tile by tile. A warp owns a chunk. Reads A's
// columns, two offsets of B for each, and B's columns once; writes 2 bytes of order for each
// product, and count[row] = the entries of C. Invariant: equal columns keep the order of A's row,
// because the product's number is the last part of its key.
__global__ void __launch_bounds__(small_threads)
    sort_chunks(pattern m, tile_band now, const uint8_t *width, const uint32_t *row_products,
                const int64_t *chunk_begin, uint16_t *order, int32_t *count)
{
    __shared__ sorting space[small_warps];
    const int64_t c = now.first + (int64_t)blockIdx.x * small_warps + threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    sorting &s = space[threadIdx.x / 32];

    if (c >= now.last || width[c]) return;
    const int32_t end = (int32_t)min((int64_t)m.nrows, (c + 1) * m.chunk);
    int64_t at = chunk_begin[c] - now.base;
    for (int32_t row = (int32_t)(c * m.chunk); row < end;) {
        const tile t = cut_tile(row_products, row, end);
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

} // namespace

namespace gs_esc_parts
{

gsolve_status sort_tiles(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                         int32_t *count)
{
    return gs_launch(q, "sorting rows of a product", sort_chunks, blocks_of(now, 1), small_threads,
                     m, now, p->width, p->row_products, p->chunk_begin, p->order, count);
}

} // namespace gs_esc_parts
