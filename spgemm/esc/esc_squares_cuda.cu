// esc_squares_cuda.cu: the squares of rows with very few products.
#include "spgemm/esc/esc_sort.cuh"
#include "spgemm/esc/esc_squares.cuh"

using namespace gs_esc_squares;

namespace
{

constexpr int32_t no_column = INT32_MIN;

// Sorts and numbers the distinct columns of a row. square[W e + r] = the number of the column of a
// product; a lane holds the columns of products (e, 0) to (e, W - 1). Returns the number of columns
// to all W lanes.
template <int W, class K>
__device__ int number_columns(const int32_t (&col)[W], int32_t least, uint8_t *square)
{
    constexpr int bits = W == 8 ? 6 : 4;
    static_assert(1 << bits == W * W, "the number of a product");
    const int e = (int)threadIdx.x % W;
    unsigned marks = 0;
    K key[W];

#pragma unroll
    for (int r = 0; r < W; r++) {
        key[r] = col[r] < 0 ? ~(K)0 : (K)(uint32_t)(col[r] - least) << bits | (K)(W * e + r);
    }
    sort_keys<W, W>(key);
    K before = __shfl_up_sync(all_lanes, key[W - 1], 1, W);
#pragma unroll
    for (int r = 0; r < W; r++) {
        const bool first = (r == 0 && e == 0) || key[r] >> bits != before >> bits;
        marks |= (unsigned)(key[r] != ~(K)0 && first) << r;
        before = key[r];
    }
    int upto = __popc(marks);
    for (int d = 1; d < W; d *= 2) {
        const int lower = __shfl_up_sync(all_lanes, upto, d, W);
        if (e >= d) upto += lower;
    }
    int place = upto - __popc(marks) - 1;
#pragma unroll
    for (int r = 0; r < W; r++) {
        place += (int)(marks >> r & 1);
        if (key[r] != ~(K)0) square[(int)key[r] & (W * W - 1)] = (uint8_t)place;
    }
    return __shfl_sync(all_lanes, upto, W - 1, W);
}

// Computes this lane's word of the square of its row. Returns the row's entries of C. square: W x W
// bytes of shared memory for the row. All lanes of the warp call it.
template <int W>
__device__ int make_word(const int32_t (&col)[W], uint8_t *square, word_of<W> &word)
{
    word_of<W> *const mine = reinterpret_cast<word_of<W> *>(square) + threadIdx.x % W;
    int32_t least = INT32_MAX, most = 0;

#pragma unroll
    for (int r = 0; r < W; r++) {
        least = min(least, col[r] < 0 ? INT32_MAX : col[r]);
        most = max(most, col[r]);
    }
#pragma unroll
    for (int k = 0; k < W / 4; k++) word.part[k] = ~0u; // no_product
    *mine = word;
    __syncwarp();
    least = __reduce_min_sync(all_lanes, least);
    most = __reduce_max_sync(all_lanes, most);
    const int n = most - least < (1 << 26) - 1
                      ? number_columns<W, uint32_t>(col, least, square)
                      : number_columns<W, unsigned long long>(col, least, square);
    __syncwarp();
    word = *mine;
    __syncwarp();
    return n;
}

// Computes the squares of a chunk, and count[row] = the entries of C. A warp owns a chunk, W lanes
// own a row. If the columns are those of the rows that the lanes processed before, shifted by a
// constant, the squares are the same; so few rows of a grid need a sort. Reads A's columns, two
// offsets of B for each, and B's columns once; writes W x W bytes per row.
template <int W>
__global__ void __launch_bounds__(small_threads)
    place_chunks(pattern m, tile_band now, const uint8_t *width, const int64_t *chunk_begin,
                 uint16_t *order, int32_t *count)
{
    __shared__ __align__(16) uint8_t space[small_warps][32 * W];
    const int64_t c = now.first + (int64_t)blockIdx.x * small_warps + threadIdx.x / 32;
    const int slot = (int)threadIdx.x % 32 / W, e = (int)threadIdx.x % W;
    uint8_t *const square = space[threadIdx.x / 32] + slot * W * W;

    if (c >= now.last || width[c] != W) return;
    word_of<W> *const to = squares_of<W>(order, chunk_begin, c, now);
    word_of<W> word = {};
    int32_t shape[W];
    int n = 0;
#pragma unroll
    for (int r = 0; r < W; r++) shape[r] = 0;
    for (int first = 0; first < m.chunk; first += rows_at_once<W>) {
        const int64_t row = c * m.chunk + first + slot;
        const entry_of_lane mine(m, row, e);
        const int own = mine.j < 0 ? 0 : (int)(m.b[(int64_t)mine.j + 1] - mine.from);
        int32_t col[W];
#pragma unroll
        for (int r = 0; r < W; r++) {
            const int64_t from = __shfl_sync(all_lanes, mine.from, r, W);
            const int length = __shfl_sync(all_lanes, own, r, W);
            col[r] = e < length ? __ldg(m.bcol + from + e) : -1;
        }
        const int32_t origin = __shfl_sync(all_lanes, col[0], 0, W);
        bool other = first == 0;
#pragma unroll
        for (int r = 0; r < W; r++) {
            const int32_t relative = col[r] < 0 ? no_column : col[r] - origin;
            other = other || relative != shape[r];
            shape[r] = relative;
        }
        if (__any_sync(all_lanes, other)) n = make_word<W>(col, square, word);
        to[first * W + threadIdx.x % 32] = word;
        if (e == 0 && row < m.nrows) count[row] = n;
    }
}

} // namespace

namespace gs_esc_parts
{

template <int W>
gsolve_status place_squares(gs_queue *q, const gs_esc_plan *p, const pattern &m,
                            const tile_band &now, int32_t *count)
{
    return gs_launch(q, "sorting short rows of a product", place_chunks<W>,
                     (int)((now.last - now.first + small_warps - 1) / small_warps), small_threads,
                     m, now, p->width, p->chunk_begin, p->order, count);
}

template gsolve_status place_squares<4>(gs_queue *, const gs_esc_plan *, const pattern &,
                                        const tile_band &, int32_t *);
template gsolve_status place_squares<8>(gs_queue *, const gs_esc_plan *, const pattern &,
                                        const tile_band &, int32_t *);

} // namespace gs_esc_parts
