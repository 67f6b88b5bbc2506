// sliced_rows.cuh: the sum of a row on a GPU where slices have 32 lanes, one per row. A warp has
// one slice at a time, and thread l sums the row in lane l, column after column. A warp reads a
// column with one coalesced load of 32 values and one of 32 column numbers.
//
// Many warps, each with eight columns of its slice in flight, keep the memory busy. So a thread
// holds little state, loads where its next slice lies while it works on the present one, and
// handles the last columns by code with a fixed count.
#ifndef GS_SPMV_SLICED_SLICED_ROWS_CUH
#define GS_SPMV_SLICED_SLICED_ROWS_CUH

#include "spmv/sliced/sliced_product.cuh"

namespace gs_by_slices
{

constexpr int columns_at_once = 8; // entries that a thread loads at once
constexpr int warps_of_block = gs_block_size / 32;

// Blocks of the grid. With one slice per warp, blocks end at different times and leave no gap
// before the next kernel. The grid is limited to the blocks that run at once, so that warps stride
// over slices, in two cases: for kernels with sums, and where slices are so narrow that starting a
// warp costs as much as its slice. The limit is wider where x is read nearby, since a warp then
// knows its next slice soon. On an H200, one slice per warp made poisson3d 5 % slower, poisson2d
// and tridiagonal 10 to 26 % slower, shuffled3d 3 % faster, and circuit, rmat and web 7 to 17 %
// faster.
inline int blocks_of_slices(const gs_queue *q, const gs_sliced *s, bool sums, int at_once)
{
    const bool near = s->narrow && !s->order;
    const int64_t threads = (int64_t)s->slices * 32;
    const int64_t one_slice = near ? 12 : 6; // least mean columns for one slice per warp

    return !sums && s->columns >= one_slice * s->slices ? blocks_for(threads)
                                                        : gs_grid(q, threads, at_once);
}

// A lane: values and column numbers of its columns are 32 slots apart. EACH: every column has a
// base.
template <class V, class I, bool EACH>
struct lane_view {
    const V *value;
    const I *index;
    const int32_t *base;
};

// sum += N products. All loads are issued before the first is used.
template <int N, class T, class V, class I, bool EACH>
__device__ __forceinline__ void add_products(const lane_view<V, I, EACH> &l, const T *x, T &sum)
{
    constexpr I padding = (I)-1;
    I c[N];
    V v[N];
    T read[N];
    int32_t b[N];

#pragma unroll
    for (int u = 0; u < N; u++) {
        c[u] = __ldcs(&l.index[32 * u]);
        if constexpr (EACH) b[u] = __ldg(&l.base[u]);
    }
#pragma unroll
    for (int u = 0; u < N; u++) v[u] = __ldcs(&l.value[32 * u]);
#pragma unroll
    for (int u = 0; u < N; u++) {
        const int32_t at = (EACH ? b[u] : 0) + (int32_t)c[u];
        read[u] = c[u] != padding ? __ldg(&x[at]) : T(0);
    }
#pragma unroll
    for (int u = 0; u < N; u++) sum += (T)v[u] * read[u]; // padding has value 0
}

template <class T, class V, class I, bool EACH>
__device__ __forceinline__ T sum_lane(lane_view<V, I, EACH> l, int columns, const T *x)
{
    T sum = 0;

    for (; columns >= columns_at_once; columns -= columns_at_once) {
        add_products<columns_at_once>(l, x, sum);
        l.value += 32 * columns_at_once;
        l.index += 32 * columns_at_once;
        if constexpr (EACH) l.base += columns_at_once;
    }
    switch (columns) {
    case 7: add_products<7>(l, x, sum); break;
    case 6: add_products<6>(l, x, sum); break;
    case 5: add_products<5>(l, x, sum); break;
    case 4: add_products<4>(l, x, sum); break;
    case 3: add_products<3>(l, x, sum); break;
    case 2: add_products<2>(l, x, sum); break;
    case 1: add_products<1>(l, x, sum); break;
    }
    return sum;
}

// Where a slice lies.
template <bool NARROW>
struct slice_view {
    int32_t first, end; // first column; end
    int32_t position, positions_end;
    gs_sliced_head head;

    __device__ slice_view(const gs_sliced &s, int32_t at)
        : first(0), end(0), position(0), positions_end(0), head{0, 0}
    {
        if (at >= s.slices) return;
        first = s.first[at];
        end = s.first[at + 1];
        if constexpr (NARROW) head = s.head[at];
        position = s.position ? s.position[at] : at * 32;
        positions_end = s.position ? s.position[at + 1] : s.csr.nrows;
    }
};

template <class T, class V, bool NARROW>
__device__ __forceinline__ T sum_row(const gs_sliced &s, const slice_view<NARROW> &t, int lane,
                                     const T *x)
{
    const V *value = (const V *)s.value_of + (int64_t)t.first * 32 + lane;
    const int columns = t.end - t.first;

    if constexpr (!NARROW) {
        const int32_t *col = s.col + (int64_t)t.first * 32 + lane;
        return sum_lane(lane_view<V, int32_t, false>{value, col, nullptr}, columns, x);
    } else if (t.head.at < 0) {
        const int32_t *col = (const int32_t *)(s.unit + (int64_t)~t.head.at * 32) + lane;
        return sum_lane(lane_view<V, int32_t, false>{value, col, nullptr}, columns, x);
    } else {
        const uint16_t *unit = s.unit + (int64_t)t.head.at * 32 + lane;
        if (t.head.base >= 0) {
            return sum_lane(lane_view<V, uint16_t, false>{value, unit, nullptr}, columns,
                            x + t.head.base);
        }
        return sum_lane(lane_view<V, uint16_t, true>{value, unit, s.base + ~t.head.base}, columns,
                        x);
    }
}

// The row of a lane, or -1.
template <bool NARROW>
__device__ __forceinline__ int32_t row_of(const gs_sliced &s, const slice_view<NARROW> &t, int lane)
{
    const int32_t position = t.position + lane;

    return position >= t.positions_end ? -1 : s.order ? __ldcs(&s.order[position]) : position;
}

} // namespace gs_by_slices

#endif
