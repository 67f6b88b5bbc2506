// esc_tiles_fill_cuda.cu: computes the values of rows with few products.
#include "spgemm/esc/esc_tiles.cuh"

using namespace gs_esc_tiles;

namespace
{

template <class T>
struct alignas(16) filling { // of a warp
    entries list;
    union {
        T a[small_products];       // the value of each entry of A
        int32_t e[small_products]; // with blocks: its position in the tile
    };
    union {
        T product[small_products];
        int64_t b[small_products]; // with blocks: the position in B
    };
    union {
        int32_t col[small_products];
        uint8_t entry[small_products]; // with blocks: the number of A's entry
    };
    uint8_t order[small_products], head[small_products];
};

// s.order = the order of the first pass without marks; s.head[e] = the first term of entry e of C.
// Returns the number of entries of C in the tile. All lanes of the warp call it.
template <class S>
__device__ int read_order(const uint16_t *order, int total, S &s)
{
    const int lane = (int)threadIdx.x % 32;
    uint16_t word[small_products / 32];
    int heads = 0;

#pragma unroll
    for (int i = 0; i < small_products / 32; i++) {
        word[i] = 32 * i + lane < total ? order[32 * i + lane] : 0;
    }
#pragma unroll
    for (int i = 0; i < small_products / 32; i++) {
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

// s.product = the products of a tile in the order of A's entries; s.col = their columns if COLUMNS.
template <class T, bool COLUMNS>
__device__ void expand_values(const pattern &m, const numbers &n, int total, filling<T> &s)
{
    constexpr int rounds = small_products / 32;
    const int lane = (int)threadIdx.x % 32;
    int number = 0;
    T value[rounds];
    int32_t col[rounds];

#pragma unroll
    for (int i = 0; i < rounds; i++) {
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
    for (int i = 0; i < rounds; i++) {
        const int j = 32 * i + lane;
        if (j >= total) break;
        s.product[j] = value[i];
        if constexpr (COLUMNS) s.col[j] = col[i];
    }
}

// The entries of C in a tile, from position `to` on. A lane owns every 32nd of them.
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

// The blocks of C in a tile, from position `to` on. A lane owns every 32nd element. S as in
// add_blocks.
template <class T, int S>
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
#pragma unroll 2
        for (int k = from; k < end; k++) {
            const int p = s.order[k];
            sum = add_term<T, true, S>(n, sum, first + s.e[s.entry[p]], s.b[p], element);
        }
        ((T *)n.c)[to * size + o] = sum;
        if (n.ccol && element == 0) n.ccol[to + e] = __ldg(m.bcol + s.b[s.order[from]]);
    }
}

// Values, and columns if COLUMNS, of the small rows of a chunk. A warp owns a chunk. With blocks,
// `shares` warps own a chunk, and each processes every shares-th tile, because a tile of blocks
// takes long. Reads the order and A's rows once, and each product's entry of B; writes C once.
// Invariant: each sum adds its terms in A's order; it has at most GS_ESC_STRAIGHT terms.
template <class T, bool COLUMNS, bool BLOCKS, int S>
__global__ void __launch_bounds__(small_threads)
    fill_chunks(pattern m, tile_band now, int shares, const uint8_t *width,
                const uint32_t *row_products, const int64_t *chunk_begin, const uint16_t *order,
                numbers n)
{
    __shared__ filling<T> space[small_warps];
    const int64_t w = (int64_t)blockIdx.x * small_warps + threadIdx.x / 32;
    const int64_t c = now.first + (BLOCKS ? w / shares : w);
    int others =
        BLOCKS ? (int)(w % shares) : 0; // tiles of other warps before this warp's next tile
    filling<T> &s = space[threadIdx.x / 32];

    if (c >= now.last || width[c]) return;
    const int32_t end = (int32_t)min((int64_t)m.nrows, (c + 1) * m.chunk);
    int64_t at = chunk_begin[c] - now.base;
    for (int32_t row = (int32_t)(c * m.chunk); row < end;) {
        const tile t = cut_tile(row_products, row, end);
        if (t.rows > 0 && t.total > 0 && others-- == 0) {
            others = BLOCKS ? shares - 1 : 0;
            const int64_t first = m.a[row], last = m.a[row + t.rows], to = n.cstart[row];
            list_entries(m, first, last, t.total, s.list, [&](int e, int64_t a, int k, bool is) {
                if (is && BLOCKS) s.e[e] = k;
                if (is && !BLOCKS) s.a[e] = __ldg((const T *)n.a + a);
            });
            if constexpr (BLOCKS) {
                fill_blocks<T, S>(m, n, first, t.total, to, order + at, s);
            } else {
                fill_values<T, COLUMNS>(m, n, t.total, to, order + at, s);
            }
            __syncwarp();
        }
        at += t.total;
        row += max(t.rows, 1);
    }
}

// The number of warps for each chunk: more than one if one per chunk would not fill the device, but
// not more than a chunk has rows.
int shares_of(const tile_band &now, int chunk)
{
    constexpr int64_t enough = 32768;
    const int64_t shares = enough / (now.last - now.first);

    return shares < 1 ? 1 : shares > chunk ? chunk : (int)shares;
}

// The kernel that computes the values.
template <class T>
auto kernel_for(const numbers &n)
{
    return are_plain(n)
               ? (n.ccol ? fill_chunks<T, true, false, 0> : fill_chunks<T, false, false, 0>)
           : n.s == 3 ? fill_chunks<T, true, true, 3>
           : n.s == 6 ? fill_chunks<T, true, true, 6>
                      : fill_chunks<T, true, true, 0>;
}

} // namespace

namespace gs_esc_parts
{

gsolve_status fill_tiles(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                         const numbers &n, gsolve_type type)
{
    const int shares = are_plain(n) ? 1 : shares_of(now, m.chunk);

    return gs_launch(q, "the values of a product",
                     type == GSOLVE_F32 ? kernel_for<float>(n) : kernel_for<double>(n),
                     blocks_of(now, shares), small_threads, m, now, shares, p->width,
                     p->row_products, p->chunk_begin, p->order, n);
}

} // namespace gs_esc_parts
