// sliced_cuda.cu: the product on a GPU for slices of any form, see sliced.h; sliced_rows_cuda.cu
// has the most common form.
//
// A thread sums one lane. A warp reads 32 neighbouring lanes, so its loads are coalesced; shuffles
// add the lanes of a row. A thread has at_once entries in flight, which keeps the memory busy, and
// loads where its next lane lies while it works on this one. A warp sums a part of a long row from
// csr; the warp that finishes last adds the parts of the row in their order.
#include "core/pdl.cuh"
#include "spmv/sliced/sliced_block.cuh"
#include "spmv/sliced/sliced_product.cuh"

extern "C" {
#include "vector/layout.h"
}

using namespace gs_by_slices;

namespace
{

constexpr int at_once = 8; // entries that a thread loads at once

// --- slices -----------------------------------------------------------------------------------

// What a thread must know before it reads its lane.
template <class T>
struct lane_state {
    int32_t first, width, columns; // of the slice; columns of this lane
    int32_t row;                   // -1: no result to write
    int row_shift;
    gs_sliced_head head;
    T w;
};

// Loads the state of lane g of all lanes. LANES: lanes of a slice; 0: s->lanes.
template <class T, int LANES, bool NARROW, int SUMS>
__device__ lane_state<T> load_lane_state(const gs_sliced &s, const operands<T> &a, int64_t g)
{
    const int32_t at = LANES ? (int32_t)(g / LANES) : (int32_t)(g >> s.shift);
    const int lane = (int)(g & ((LANES ? LANES : s.lanes) - 1));
    lane_state<T> t = {0, 0, 0, -1, 0, {0, 0}, T(0)};

    if (at >= s.slices) return t;
    t.first = s.first[at];
    t.width = s.first[at + 1] - t.first;
    if constexpr (NARROW) t.head = s.head[at];
    t.row_shift = row_shift_of(s, at);
    const positions p = positions_of(s, at, t.row_shift);
    const int r = lane >> t.row_shift, sub = lane & ((1 << t.row_shift) - 1);
    t.columns = t.width;
    if (s.length) {
        t.columns = p.first + r < p.end ? columns_of(s.length[p.first + r], sub, t.row_shift) : 0;
    }
    if (sub == 0) t.row = row_at(s, p, r);
    if constexpr (SUMS > 0) t.w = t.row >= 0 ? a.w[t.row] : T(0);
    return t;
}

// The sum of value x over the columns of a lane. step: slots from a column to the next. EACH: every
// column has a base.
template <class T, bool EACH, class V, class I>
__device__ T sum_lane(const V *value, const I *index, const int32_t *base, int32_t columns,
                      int step, const T *x)
{
    constexpr I padding = (I)-1;
    T sum = 0;

    for (int32_t k = 0; k < columns; k += at_once) {
        I c[at_once];
        V v[at_once];
        int32_t b[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const bool in = k + u < columns;
            c[u] = in ? __ldcs(&index[u * step]) : padding;
            v[u] = in ? __ldcs(&value[u * step]) : V(0);
            b[u] = EACH && in ? __ldg(&base[u]) : 0;
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] != padding) sum += (T)v[u] * __ldg(&x[(EACH ? b[u] : 0) + (int32_t)c[u]]);
        }
        index += (int64_t)at_once * step;
        value += (int64_t)at_once * step;
        if (EACH) base += at_once;
    }
    return sum;
}

template <class T, class V, int LANES, bool NARROW>
__device__ T sum_lane_state(const gs_sliced &s, const lane_state<T> &t, int lane, const T *x)
{
    const int step = LANES ? LANES : s.lanes;
    const V *value = (const V *)s.value_of + (int64_t)t.first * step + lane;

    if constexpr (!NARROW) {
        const int32_t *col = s.col + (int64_t)t.first * step + lane;
        return sum_lane<T, false>(value, col, nullptr, t.columns, step, x);
    } else if (t.head.at < 0) {
        const int32_t *col = (const int32_t *)(s.unit + (int64_t)~t.head.at * step) + lane;
        return sum_lane<T, false>(value, col, nullptr, t.columns, step, x);
    } else {
        const uint16_t *unit = s.unit + (int64_t)t.head.at * step + lane;
        return t.head.base < 0
                   ? sum_lane<T, true>(value, unit, s.base + ~t.head.base, t.columns, step, x)
                   : sum_lane<T, false>(value, unit, nullptr, t.columns, step, x + t.head.base);
    }
}

// With LONG, the first blocks compute parts of long rows, one per warp. The other blocks stride
// over all lanes. SUMS 1: w'y, 2: w'y and y'y.
template <class T, class V, int LANES, bool NARROW, bool LONG, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    multiply(gs_sliced s, operands<T> a, double *partial, unsigned *arrived, gs_guard guard)
{
    constexpr int warps = gs_block_size / 32;
    const int for_parts = LONG ? (s.parts + warps - 1) / warps : 0;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double terms[SUMS ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if (LONG && (int)blockIdx.x < for_parts) {
        const int p = (int)blockIdx.x * warps + warp;
        if (p < s.parts) do_part(s, a, p);
        return;
    }
    const int64_t end = (int64_t)s.slices << s.shift;
    const int64_t step = (int64_t)((int)gridDim.x - for_parts) * gs_block_size;
    int64_t g = ((int64_t)((int)blockIdx.x - for_parts) * warps + warp) * 32;
    lane_state<T> now = load_lane_state<T, LANES, NARROW, SUMS>(s, a, g + lane);

    for (; g < end; g += step) {
        const lane_state<T> next = load_lane_state<T, LANES, NARROW, SUMS>(s, a, g + step + lane);
        const int in_slice = LANES ? lane : (int)((g + lane) & (s.lanes - 1));
        T sum = sum_lane_state<T, V, LANES, NARROW>(s, now, in_slice, a.x);
        sum = sum_row_lanes(sum, now.row_shift, s.most_row_shift);
        if (now.row >= 0) {
            finish(a, now.row, sum);
            if constexpr (SUMS > 0) terms[0] += (double)now.w * (double)sum;
            if constexpr (SUMS > 1) terms[1] += (double)sum * (double)sum;
        }
        now = next;
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived, [&](int at, double total) { *a.out[at] = total; });
    }
}

// --- launches ---------------------------------------------------------------------------------

// With sums, the grid has as many blocks as run at once. Without, each thread has one lane.
template <class T, class V, int LANES, bool NARROW, bool LONG, int SUMS>
gsolve_status launch(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    constexpr auto kernel = multiply<T, V, LANES, NARROW, LONG, SUMS>;
    const int for_parts = LONG ? blocks_for((int64_t)s->parts * 32) : 0;
    const int64_t threads = (int64_t)s->slices << s->shift;
    const int grid = SUMS ? gs_grid(q, threads, gs_at_once<kernel>()) : blocks_for(threads);

    if (!SUMS && grid + for_parts == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the product by slices", kernel, grid + for_parts, gs_block_size, *s, a,
                         q->partial, q->arrived);
}

template <class T, class V, bool NARROW>
gsolve_status choose_kernel(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    if (s->lanes != 32) return launch<T, V, 0, NARROW, true, 0>(q, s, a);
    if (a.out[1]) return launch<T, V, 32, NARROW, false, 2>(q, s, a);
    if (a.out[0]) return launch<T, V, 32, NARROW, false, 1>(q, s, a);
    return s->parts > 0 ? launch<T, V, 32, NARROW, true, 0>(q, s, a)
                        : launch<T, V, 32, NARROW, false, 0>(q, s, a);
}

template <class T>
gsolve_status choose_storage(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    if (gs_sliced_row_per_lane(s)) return gs_sliced_rows_cuda<T>(q, s, a);
    return with_values<T>(s, [&](auto stored) {
        using V = decltype(stored);
        return s->narrow ? choose_kernel<T, V, true>(q, s, a) : choose_kernel<T, V, false>(q, s, a);
    });
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_sliced *s, double alpha, const void *x, double beta,
                    void *y, const gs_product_sums *dots)
{
    const gs_vector_kernels *vector = &gs_vector_cuda[s->csr.type];
    const bool fused = s->lanes == 32 && s->parts == 0; // the kernel can compute the sums
    const gs_product_sums none = {}, sums = dots && fused ? *dots : none;
    const int32_t n = s->csr.nrows;
    gsolve_status status;
    const operands<T> a = {(const T *)x,      (T *)y, (T)alpha, (T)beta, (const T *)sums.w,
                           {sums.wy, sums.yy}};

    status = choose_storage(q, s, a);
    if (status != GSOLVE_OK || !dots || fused) return status;
    return gs_sum_product(vector, q, n, y, dots);
}

// --- several columns --------------------------------------------------------------------------

// Multiplies all columns. If there are parts of long rows, s->sum limits the columns of a pass.
template <class T>
gsolve_status multiply_block(gs_queue *q, const gs_sliced *s, double alpha, gsolve_dense x,
                             double beta, gsolve_dense y)
{
    const block_operands<T> all = operands_of<T>(alpha, x, beta, y);
    const int32_t most = s->parts > 0 ? GS_SLICED_BLOCK : x.ncols;
    gsolve_status status = GSOLVE_OK;

    for (int32_t j = 0; j < x.ncols && status == GSOLVE_OK; j += most) {
        const block_operands<T> some = some_columns(all, j, most);
        status = with_values<T>(s, [&](auto stored) {
            using V = decltype(stored);
            return some.xrows ? gs_sliced_row_major<T, V>(q, s, some)
                              : gs_sliced_column_major<T, V>(q, s, some);
        });
    }
    return status;
}

// Whether converting x to row-major pays. The conversion reads and writes all of x. It does not pay
// where neighbouring rows read neighbouring elements, since gathers of a column are then nearly
// coalesced. Elsewhere it pays for more than 4 columns; for 3 or 4 where rows are long, or where x
// is read irregularly, which 32-bit column numbers show.
bool converts_x(const gs_sliced *s, gsolve_dense x)
{
    const bool helps = x.ncols > 4 || !s->narrow || s->entries >= 32 * (int64_t)s->csr.nrows;

    return x.layout == GSOLVE_COLUMN_MAJOR && !s->aligned && x.ncols > 2 && helps;
}

// Where x is converted and rows are sorted, y is converted too: writing a column of y would be a
// scatter.
template <class T>
gsolve_status apply_block(gs_sliced *s, gsolve_context *ctx, double alpha, gsolve_dense x,
                          double beta, gsolve_dense y)
{
    gsolve_dense out = y;
    gsolve_status status;

    if (converts_x(s, x)) {
        TRY(gs_block_convert(&s->space, 0, ctx, GSOLVE_ROW_MAJOR, x, true, &x));
        if (s->order)
            TRY(gs_block_convert(&s->space, 1, ctx, GSOLVE_ROW_MAJOR, y, beta != 0, &out));
    }
    TRY(multiply_block<T>(ctx->queue, s, alpha, x, beta, out));
    if (out.value != y.value) TRY(gs_change_layout(ctx, out, y));
done:
    return status;
}

template <class T>
constexpr gs_sliced_kernels table = {gs_sliced_inspect_cuda,
                                     gs_sliced_count_cuda,
                                     gs_sliced_sort_cuda,
                                     gs_sliced_shape_cuda,
                                     gs_sliced_fits_single_cuda,
                                     gs_sliced_fill_cuda<T>,
                                     apply<T>,
                                     apply_block<T>,
                                     gs_sliced_restore_cuda<T>,
                                     gs_sliced_step_cuda<T>};

} // namespace

extern "C" const gs_sliced_kernels gs_sliced_cuda[GSOLVE_TYPE_COUNT] = {table<float>,
                                                                        table<double>};
