// esc_squares_fill_cuda.cu: the values of rows with very few products. Each product is added at its
// position, in the order of A's entries.
#include "spgemm/esc/esc_squares.cuh"

using namespace gs_esc_squares;

namespace
{

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

} // namespace

namespace gs_esc_parts
{

template <class T, int W>
gsolve_status fill_squares(gs_queue *q, const gs_esc_plan *p, const pattern &m,
                           const tile_band &now, const numbers &n)
{
    const int steps = m.chunk / rows_at_once<W>;

    return gs_launch(q, "the values of short rows",
                     n.ccol ? add_squares<T, W, true> : add_squares<T, W, false>,
                     (int)(((now.last - now.first) * steps + warps - 1) / warps), gs_block_size, m,
                     now, p->width, p->chunk_begin, p->order, n);
}

#define FILL(T, W)                                                                              \
    template gsolve_status fill_squares<T, W>(gs_queue *, const gs_esc_plan *, const pattern &, \
                                              const tile_band &, const numbers &)
FILL(float, 4);
FILL(float, 8);
FILL(double, 4);
FILL(double, 8);

} // namespace gs_esc_parts
