// sliced_rows_cuda.cu: the product and the steps of spmv/step.h on a GPU where slices have 32
// lanes, one per row. A warp has one slice at a time, and thread l sums the row in lane l, column
// after column; nothing is shared. A warp reads a column with one coalesced load of 32 values and
// one of 32 column numbers. Memory moved: the slices once, x by gathers, y once, and each other
// vector of a step once.
//
// Many warps, each with eight columns of its slice in flight, keep the memory busy. So a thread
// holds little state, loads where its next slice lies while it works on the present one, and
// handles the last columns by code with a fixed count.
#include "core/pdl.cuh"
#include "spmv/sliced/sliced_product.cuh"

using namespace gs_by_slices;

namespace
{

// --- the sum of a row ---------------------------------------------------------------------------

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

// --- the product --------------------------------------------------------------------------------

// y = alpha A x + beta y. A warp strides over the slices and loads where its next slice lies while
// it sums the present one. With LONG, the first blocks compute parts of long rows, one per warp.
// SUMS 1: w'y, 2: w'y and y'y, whose terms each thread keeps in double; gs_grid_sum adds them in an
// order that depends on the grid alone.
template <class T, class V, bool NARROW, bool LONG, int SUMS>
__global__ void __launch_bounds__(gs_block_size, LONG ? 4 : 6)
    rows_by_slices(gs_sliced s, operands<T> a, double *partial, unsigned *arrived, gs_guard guard)
{
    const int for_parts = LONG ? (s.parts + warps_of_block - 1) / warps_of_block : 0;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double terms[SUMS ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if (LONG && (int)blockIdx.x < for_parts) {
        const int p = (int)blockIdx.x * warps_of_block + warp;
        if (p < s.parts) do_part(s, a, p);
        return;
    }
    const int32_t step = ((int)gridDim.x - for_parts) * warps_of_block;
    int32_t at = ((int)blockIdx.x - for_parts) * warps_of_block + warp;
    slice_view<NARROW> now(s, at);
    for (; at < s.slices; at += step) {
        const int32_t row = row_of(s, now, lane);
        const slice_view<NARROW> next(s, at + step); // loaded while this slice is summed
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

template <class T, class V, bool NARROW, bool LONG, int SUMS>
gsolve_status launch(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    constexpr auto kernel = rows_by_slices<T, V, NARROW, LONG, SUMS>;
    const int for_parts = LONG ? blocks_for((int64_t)s->parts * 32) : 0;
    const int grid = blocks_of_slices(q, s, SUMS > 0, gs_at_once<kernel>());

    if (grid + for_parts == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the product by slices", kernel, grid + for_parts, gs_block_size, *s, a,
                         q->partial, q->arrived);
}

template <class T, class V, bool NARROW>
gsolve_status choose_kernel(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    if (a.out[1]) return launch<T, V, NARROW, false, 2>(q, s, a);
    if (a.out[0]) return launch<T, V, NARROW, false, 1>(q, s, a);
    return s->parts > 0 ? launch<T, V, NARROW, true, 0>(q, s, a)
                        : launch<T, V, NARROW, false, 0>(q, s, a);
}

// --- steps --------------------------------------------------------------------------------------

enum { RESIDUAL, STEP, WIDE };

template <class T>
struct step_vectors { // the vectors of a step
    T a, c;
    const T *x, *d, *b, *old;
    T *y;
    double *wide, *ry;
    const double *r;
};

// Element i of each vector.
template <int KIND, class T>
struct terms_of {
    T b, d, x, old;
    double r;

    __device__ __forceinline__ terms_of(const step_vectors<T> &v, int32_t i)
        : b(0), d(0), x(0), old(0), r(0)
    {
        if (i < 0) return;
        b = v.b[i];
        if constexpr (KIND != RESIDUAL) {
            d = v.d[i];
            x = v.x[i];
            if (v.old) old = v.old[i];
        }
        if constexpr (KIND == WIDE) r = v.r[i];
    }
    __device__ __forceinline__ T make(const step_vectors<T> &v, T Ax) const
    {
        if constexpr (KIND == RESIDUAL) return b - Ax;
        return x + v.a * d * (b - Ax) + v.c * (x - old);
    }
};

// One step for all rows. A thread loads its elements of the other vectors before it sums its row,
// so that all waits overlap. KIND: RESIDUAL (y = b - A x), STEP, or WIDE (a step that writes y in
// double precision and adds r'y in an order that depends on the grid alone).
template <int KIND, class T, class V, bool NARROW>
__global__ void __launch_bounds__(gs_block_size, 5)
    step_by_slices(gs_sliced s, step_vectors<T> v, double *partial, unsigned *arrived,
                   gs_guard guard)
{
    const int32_t step = (int)gridDim.x * warps_of_block;
    const int lane = (int)threadIdx.x % 32;
    int32_t at = (int)blockIdx.x * warps_of_block + (int)threadIdx.x / 32;
    double sum[1] = {};

    if (guard.has_ended()) return;
    slice_view<NARROW> now(s, at);
    for (; at < s.slices; at += step) {
        const int32_t row = row_of(s, now, lane);
        const slice_view<NARROW> next(s, at + step); // loaded while this slice is summed
        const terms_of<KIND, T> terms(v, row);
        const T Ax = sum_row<T, V, NARROW>(s, now, lane, v.x);
        const T y = terms.make(v, Ax);
        if (row >= 0) {
            if constexpr (KIND == WIDE) {
                v.wide[row] = (double)y;
                sum[0] += terms.r * (double)y;
            } else {
                v.y[row] = y;
            }
        }
        now = next;
    }
    if constexpr (KIND == WIDE) {
        if (v.ry) gs_grid_sum(sum, partial, arrived, [&](int, double total) { *v.ry = total; });
    }
}

template <int KIND, class T, class V, bool NARROW>
gsolve_status launch_step(gs_queue *q, const gs_sliced *s, const step_vectors<T> &v)
{
    constexpr auto kernel = step_by_slices<KIND, T, V, NARROW>;
    const int grid = blocks_of_slices(q, s, v.ry, gs_at_once<kernel>());

    if (grid == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "a step by slices", kernel, grid, gs_block_size, *s, v, q->partial,
                         q->arrived);
}

template <int KIND, class T>
gsolve_status choose_storage(gs_queue *q, const gs_sliced *s, const step_vectors<T> &v)
{
    return with_values<T>(s, [&](auto stored) {
        using V = decltype(stored);
        return s->narrow ? launch_step<KIND, T, V, true>(q, s, v)
                         : launch_step<KIND, T, V, false>(q, s, v);
    });
}

} // namespace

template <class T>
gsolve_status gs_sliced_rows_cuda(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    return with_values<T>(s, [&](auto stored) {
        using V = decltype(stored);
        return s->narrow ? choose_kernel<T, V, true>(q, s, a) : choose_kernel<T, V, false>(q, s, a);
    });
}

template <class T>
gsolve_status gs_sliced_step_cuda(gs_queue *q, const gs_sliced *s, const void *x,
                                  const gs_step *step)
{
    const step_vectors<T> v = {(T)step->a,         (T)step->c,
                               (const T *)x,       (const T *)step->d,
                               (const T *)step->b, step->c != 0 ? (const T *)step->old : nullptr,
                               (T *)step->y,       step->wide,
                               step->ry,           step->r};

    if constexpr (sizeof(T) == sizeof(float)) {
        if (v.wide) return choose_storage<WIDE>(q, s, v);
    }
    return v.d ? choose_storage<STEP>(q, s, v) : choose_storage<RESIDUAL>(q, s, v);
}

#define INSTANTIATE(T)                                                                         \
    template gsolve_status gs_sliced_rows_cuda(gs_queue *, const gs_sliced *,                  \
                                               const operands<T> &);                           \
    template gsolve_status gs_sliced_step_cuda<T>(gs_queue *, const gs_sliced *, const void *, \
                                                  const gs_step *)
INSTANTIATE(float);
INSTANTIATE(double);
