// esc_squares_cuda.cu: rows of very few products: at most W entries of A, which refer to rows of B
// of at most W entries, W = 4 or 8. In order, such a row has a square of W x W bytes. Byte r of
// word e is the position in the row of C of a product: that of A's entry r and element e of its row
// of B. If there is no such product, the byte is no_product. W lanes own a row, each lane a word.
// So products are read in the order of B. The products of one entry of A, which have different
// columns, are added at the same time. Either all rows of a chunk have squares or none.
#include "spgemm/esc/esc_sort.cuh"

using namespace gs_esc_parts;

namespace
{

constexpr int no_product = 255;

template <int W>
constexpr int rows_at_once = 32 / W; // rows that a warp processes at the same time

// A word of a square: W bytes, each the position of a product.
template <int W>
struct alignas(W) word_of {
    uint32_t part[W / 4];

    __device__ int operator[](int r) const { return (int)(part[r / 4] >> r % 4 * 8 & 255); }
};

// The entry of A that this lane owns: entry e of a row.
struct entry_of_lane {
    int64_t at, from; // its position in A; the first position of its row of B
    int32_t j;        // its row of B; -1: the row of A has no entry e

    __device__ entry_of_lane(const pattern &m, int64_t row, int e)
        : at(row < m.nrows ? m.a[row] + e : 0), from(0), j(-1)
    {
        if (row >= m.nrows || at >= m.a[row + 1]) return;
        j = __ldg(m.acol + at);
        from = m.b[j];
    }
};

// The words of a chunk, row by row.
template <int W>
__device__ word_of<W> *squares_of(uint16_t *order, const int64_t *chunk_begin, int64_t c,
                                  const tile_band &now)
{
    return reinterpret_cast<word_of<W> *>(order + (chunk_begin[c] - now.base));
}

// --- order ------------------------------------------------------------------------------------

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

// --- values -----------------------------------------------------------------------------------
//
// Each product is added at its position, in the order of A's entries.

constexpr int warps = gs_block_size / 32;

template <class T>
struct alignas(16) entry_of_A {
    int64_t from; // the first position of its row of B
    T value;
};

template <class T, int W, bool COLUMNS>
struct alignas(16) filling {                     // of a warp, whose rows of C are contiguous
    entry_of_A<T> entry[rows_at_once<W>][W + 1]; // W + 1: rows begin in different banks
    T sum[32 * W];
    int32_t col[COLUMNS ? 32 * W : 1];
};

// Adds the products of this lane's word to the sums of its row, in the order of A's entries. All
// lanes of the warp call it.
template <class T, int W, bool COLUMNS>
__device__ void add_products(const pattern &m, const numbers &n, const entry_of_A<T> *entry,
                             word_of<W> word, T *sum, int32_t *column)
{
    const int e = (int)threadIdx.x % W;
    T product[W];
    int32_t col[W];

#pragma unroll
    for (int r = 0; r < W; r++) {
        if (word[r] == no_product) continue;
        const entry_of_A<T> a = entry[r];
        product[r] = times(a.value, __ldg((const T *)n.b + a.from + e));
        if constexpr (COLUMNS) col[r] = __ldg(m.bcol + a.from + e);
    }
#pragma unroll
    for (int r = 0; r < W; r++) {
        const int place = word[r];
        if (place != no_product) {
            sum[place] = plus(sum[place], product[r]);
            if constexpr (COLUMNS) column[place] = col[r];
        }
        __syncwarp();
    }
}

// Values, and columns if COLUMNS, of rows with squares. A warp owns rows_at_once<W> rows, W lanes
// own a row; the sums are in shared memory. Reads W x W bytes of order per row, A's rows, and each
// element of B once; writes C once, contiguously. Invariant: a sum receives its products in A's
// order.
template <class T, int W, bool COLUMNS>
__global__ void __launch_bounds__(gs_block_size)
    add_squares(pattern m, tile_band now, const uint8_t *width, const int64_t *chunk_begin,
                uint16_t *order, numbers n)
{
    __shared__ filling<T, W, COLUMNS> space[warps];
    const int steps = m.chunk / rows_at_once<W>; // warps for a chunk
    const int64_t nth = (int64_t)blockIdx.x * warps + threadIdx.x / 32;
    const int64_t c = now.first + nth / steps;
    const int lane = (int)threadIdx.x % 32, slot = lane / W, e = lane % W;
    const int first = (int)(nth % steps) * rows_at_once<W>;
    filling<T, W, COLUMNS> &s = space[threadIdx.x / 32];

    if (c >= now.last || width[c] != W) return;
    const int64_t begin = min(c * m.chunk + first, (int64_t)m.nrows);
    const int64_t end = min(begin + rows_at_once<W>, (int64_t)m.nrows);
    const int64_t row = min(begin + slot, (int64_t)m.nrows);
    const word_of<W> word = squares_of<W>(order, chunk_begin, c, now)[first * W + lane];
    const entry_of_lane mine(m, row, e);
    s.entry[slot][e] = {mine.from, mine.j < 0 ? T(0) : __ldg((const T *)n.a + mine.at)};
    const int64_t to = n.cstart[begin];
    const int own = (int)(n.cstart[row] - to), all = (int)(n.cstart[end] - to);
    for (int k = lane; k < all; k += 32) s.sum[k] = 0;
    __syncwarp();
    add_products<T, W, COLUMNS>(m, n, s.entry[slot], word, s.sum + own,
                                s.col + (COLUMNS ? own : 0));
    for (int k = lane; k < all; k += 32) {
        ((T *)n.c)[to + k] = s.sum[k];
        if constexpr (COLUMNS) n.ccol[to + k] = s.col[k];
    }
}

template <int W>
gsolve_status place(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                    int32_t *count)
{
    return gs_launch(q, "sorting short rows of a product", place_chunks<W>,
                     (int)((now.last - now.first + small_warps - 1) / small_warps), small_threads,
                     m, now, p->width, p->chunk_begin, p->order, count);
}

template <class T, int W>
gsolve_status fill(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                   const numbers &n)
{
    const int steps = m.chunk / rows_at_once<W>;

    return gs_launch(q, "the values of short rows",
                     n.ccol ? add_squares<T, W, true> : add_squares<T, W, false>,
                     (int)(((now.last - now.first) * steps + warps - 1) / warps), gs_block_size, m,
                     now, p->width, p->chunk_begin, p->order, n);
}

} // namespace

namespace gs_esc_parts
{

gsolve_status place_squares(gs_queue *q, const gs_esc_plan *p, const pattern &m,
                            const tile_band &now, int32_t *count)
{
    gsolve_status status = GSOLVE_OK;

    if (p->has_squares[0]) TRY(place<4>(q, p, m, now, count));
    if (p->has_squares[1]) TRY(place<8>(q, p, m, now, count));
done:
    return status;
}

gsolve_status fill_squares(gs_queue *q, const gs_esc_plan *p, const pattern &m,
                           const tile_band &now, const numbers &n, gsolve_type type)
{
    const bool is_single = type == GSOLVE_F32;
    gsolve_status status = GSOLVE_OK;

    if (p->has_squares[0]) TRY((is_single ? fill<float, 4> : fill<double, 4>)(q, p, m, now, n));
    if (p->has_squares[1]) TRY((is_single ? fill<float, 8> : fill<double, 8>)(q, p, m, now, n));
done:
    return status;
}

} // namespace gs_esc_parts
