// sliced_rows.cuh: the sum of a row on a GPU where slices are of 32 lanes, one to a row: a warp a
// slice, a thread a row.
//
// What keeps the memory busy is many warps that each have eight columns of their slice under way;
// so a thread holds little, learns where its next slice lies while it works on this one, and takes
// the last few columns by code that knows how many they are.
#ifndef GS_SPMV_SLICED_SLICED_ROWS_CUH
#define GS_SPMV_SLICED_SLICED_ROWS_CUH

#include "spmv/sliced/sliced_product.cuh"

namespace gs_by_slices
{

constexpr int columns_at_once = 8; // entries that a thread reads at once
constexpr int warps_of_block = gs_block_size / 32;

// Blocks of a warp to a slice: where blocks end at different times no gap is left before the next
// kernel. As many as run at once where they make sums, or slices are so narrow that a warp's
// beginning would cost as much as they, and sooner where all read what lies near: a warp then knows
// its next slice early. (On an H200, one a warp: poisson3d 5 % longer, poisson2d and tridiagonal 10
// to 26; shuffled3d 3 % less, circuit, rmat and web 7 to 17.)
inline int blocks_of_slices(const gs_queue *q, const gs_sliced *s, bool sums, int at_once)
{
    const bool near = s->narrow && !s->order;
    const int64_t threads = (int64_t)s->slices * 32, alone = near ? 12 : 6; // columns of a slice

    return !sums && s->columns >= alone * s->slices ? blocks_for(threads)
                                                    : gs_grid(q, threads, at_once);
}

// A lane's columns: its values and column numbers are 32 apart. EACH: base holds what each
// column's numbers count from.
template <class V, class I, bool EACH>
struct lane_of {
    const V *value;
    const I *index;
    const int32_t *base;
};

// sum += N products, whose reads all begin before the first is needed.
template <int N, class T, class V, class I, bool EACH>
__device__ __forceinline__ void add_products(const lane_of<V, I, EACH> &l, const T *x, T &sum)
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
    for (int u = 0; u < N; u++) sum += (T)v[u] * read[u]; // padding is of value 0
}

template <class T, class V, class I, bool EACH>
__device__ __forceinline__ T sum_lane(lane_of<V, I, EACH> l, int columns, const T *x)
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
struct stretch {
    int32_t first, end; // columns
    int32_t place, places_end;
    gs_sliced_head head;

    __device__ stretch(const gs_sliced &s, int32_t at)
        : first(0), end(0), place(0), places_end(0), head{0, 0}
    {
        if (at >= s.slices) return;
        first = s.first[at];
        end = s.first[at + 1];
        if constexpr (NARROW) head = s.head[at];
        place = s.place ? s.place[at] : at * 32;
        places_end = s.place ? s.place[at + 1] : s.csr.nrows;
    }
};

template <class T, class V, bool NARROW>
__device__ __forceinline__ T sum_row(const gs_sliced &s, const stretch<NARROW> &t, int lane,
                                     const T *x)
{
    const V *value = (const V *)s.value_of + (int64_t)t.first * 32 + lane;
    const int columns = t.end - t.first;

    if constexpr (!NARROW) {
        const int32_t *col = s.col + (int64_t)t.first * 32 + lane;
        return sum_lane(lane_of<V, int32_t, false>{value, col, nullptr}, columns, x);
    } else if (t.head.at < 0) {
        const int32_t *col = (const int32_t *)(s.unit + (int64_t)~t.head.at * 32) + lane;
        return sum_lane(lane_of<V, int32_t, false>{value, col, nullptr}, columns, x);
    } else {
        const uint16_t *unit = s.unit + (int64_t)t.head.at * 32 + lane;
        if (t.head.base >= 0) {
            return sum_lane(lane_of<V, uint16_t, false>{value, unit, nullptr}, columns,
                            x + t.head.base);
        }
        return sum_lane(lane_of<V, uint16_t, true>{value, unit, s.base + ~t.head.base}, columns, x);
    }
}

// The row of a lane; -1: it has none.
template <bool NARROW>
__device__ __forceinline__ int32_t row_of(const gs_sliced &s, const stretch<NARROW> &t, int lane)
{
    const int32_t place = t.place + lane;

    return place >= t.places_end ? -1 : s.order ? __ldcs(&s.order[place]) : place;
}

} // namespace gs_by_slices

#endif
