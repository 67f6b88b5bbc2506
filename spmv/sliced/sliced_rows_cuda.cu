// sliced_rows_cuda.cu: the product on a GPU where slices are of 32 lanes, one to a row: a warp a
// slice, a thread a row.
//
// What keeps the memory busy is many warps that each have eight columns of their slice under way;
// so a thread holds little, learns where its next slice lies while it works on this one, and takes
// the last few columns by code that knows how many they are.
#include "spmv/sliced/sliced_product.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int at_once = 8; // entries that a thread reads at once
constexpr int warps_of_block = gs_block_size / 32;

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

    for (; columns >= at_once; columns -= at_once) {
        add_products<at_once>(l, x, sum);
        l.value += 32 * at_once;
        l.index += 32 * at_once;
        if constexpr (EACH) l.base += at_once;
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

// LONG: the first blocks do parts of long rows. SUMS: 1: w'y, 2: and y'y.
template <class T, class V, bool NARROW, bool LONG, int SUMS>
__global__ void __launch_bounds__(gs_block_size, LONG ? 4 : 6)
    rows_by_slices(gs_sliced s, operands<T> a, double *partial, unsigned *arrived, const int *ended)
{
    const int for_parts = LONG ? (s.parts + warps_of_block - 1) / warps_of_block : 0;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double terms[SUMS ? SUMS : 1] = {};

    if (ended && *ended) return;
    if (LONG && (int)blockIdx.x < for_parts) {
        const int p = (int)blockIdx.x * warps_of_block + warp;
        if (p < s.parts) do_part(s, a, p);
        return;
    }
    const int32_t step = ((int)gridDim.x - for_parts) * warps_of_block;
    int32_t at = ((int)blockIdx.x - for_parts) * warps_of_block + warp;
    stretch<NARROW> now(s, at);
    for (; at < s.slices; at += step) {
        const int32_t place = now.place + lane;
        const int32_t row = place >= now.places_end ? -1
                            : s.order               ? __ldcs(&s.order[place])
                                                    : place;
        const stretch<NARROW> next(s, at + step); // is there by the time it is needed
        const T w = SUMS > 0 && row >= 0 ? a.w[row] : T(0);
        const T sum = sum_row<T, V, NARROW>(s, now, lane, a.x);
        if (row >= 0) {
            finish(a, row, sum);
            if constexpr (SUMS > 0) terms[0] += (double)w * (double)sum;
            if constexpr (SUMS > 1) terms[1] += (double)sum * (double)sum;
        }
        now = next;
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived,
                    [&](int t, double total) { *(t == 0 ? a.out[0] : a.out[1]) = total; });
    }
}

// As many blocks as run at once, so that a warp knows its next slice early, and those for parts of
// long rows.
template <class T, class V, bool NARROW, bool LONG, int SUMS>
gsolve_status launch(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    constexpr auto kernel = rows_by_slices<T, V, NARROW, LONG, SUMS>;
    const int for_parts = LONG ? blocks_for((int64_t)s->parts * 32) : 0;
    const int grid = gs_grid(q, (int64_t)s->slices * 32, gs_at_once<kernel>());

    return gs_launch(q, "the product by slices", kernel, grid + for_parts, gs_block_size, *s, a,
                     q->partial, q->arrived, q->guard);
}

template <class T, class V, bool NARROW>
gsolve_status choose_kernel(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    if (a.out[1]) return launch<T, V, NARROW, false, 2>(q, s, a);
    if (a.out[0]) return launch<T, V, NARROW, false, 1>(q, s, a);
    return s->parts > 0 ? launch<T, V, NARROW, true, 0>(q, s, a)
                        : launch<T, V, NARROW, false, 0>(q, s, a);
}

} // namespace

template <class T, class V>
gsolve_status gs_sliced_rows_cuda(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    return s->narrow ? choose_kernel<T, V, true>(q, s, a) : choose_kernel<T, V, false>(q, s, a);
}

template gsolve_status gs_sliced_rows_cuda<float, float>(gs_queue *, const gs_sliced *,
                                                         const operands<float> &);
template gsolve_status gs_sliced_rows_cuda<double, float>(gs_queue *, const gs_sliced *,
                                                          const operands<double> &);
template gsolve_status gs_sliced_rows_cuda<double, double>(gs_queue *, const gs_sliced *,
                                                           const operands<double> &);
