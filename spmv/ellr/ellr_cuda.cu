// ellr_cuda.cu: FastSpMM on a GPU, see ellr.h and subwarp_rows.cuh. A subwarp has Q = 1, 2 or 4
// neighbouring lanes of a slice, all of one row. It reads their entries of a column of the slice
// with one load, since they are contiguous. The sums of lanes are kept apart and added in the order
// of the product with one column, so each column has the same bits as alone.
#include "core/pdl.cuh"
#include "spmv/multi_rhs/subwarp_rows.cuh"
#include "spmv/sliced/sliced.cuh"

extern "C" {
#include "spmv/ellr/ellr.h"
}

using namespace gs_by_slices;
using namespace gs_subwarp_rows;

namespace
{

// How units are distributed: a block takes `units` neighbouring units at a time. Blocks whose
// numbers differ by a multiple of `processors`, which probably run on one multiprocessor, take
// neighbouring intervals.
struct intervals {
    int32_t units, processors;
    __device__ int64_t first() const
    {
        const int32_t each = (int32_t)gridDim.x / processors; // blocks of a multiprocessor
        const int32_t b = (int32_t)blockIdx.x;
        return (int64_t)(b % processors * each + b / processors) * units;
    }
};

// The schedule that the options request; 0: chosen automatically.
struct schedule {
    int threads;   // of a block
    int64_t units; // approximate number of neighbouring units that the blocks of a multiprocessor
                   // compute before they take other ones
};

template <class T, class V, int Q>
struct lanes_of_rows;

template <class T, int W, class V, int Q>
gsolve_status launch_lanes(gs_queue *q, const lanes_of_rows<T, V, Q> &form, const dense_rows<T> &d);

// Units are groups of Q lanes. V: the type of stored values.
template <class T, class V, int Q>
struct lanes_of_rows {
    static constexpr int pieces = 1;
    static constexpr int at_once = 4 / Q; // columns of a slice that a subwarp loads at once
    static constexpr int log_q = Q == 4 ? 2 : Q == 2 ? 1 : 0;
    gs_sliced s;
    int64_t units;
    schedule wished;

    template <int W, int>
    gsolve_status launch(gs_queue *q, const dense_rows<T> &d) const
    {
        return launch_lanes<T, W>(q, *this, d);
    }

    struct lane_state {
        int32_t first, columns, position;
        int lane; // the subwarp's first lane
    };

    __device__ lane_state lane_state_of(int64_t unit, bool in) const
    {
        const int32_t at = (int32_t)(unit >> (5 - log_q));
        const int lane = (int)(unit & ((32 >> log_q) - 1)) << log_q;
        const int row_shift = s.most_row_shift, sub = lane & ((1 << row_shift) - 1);
        const int32_t position = at * (32 >> row_shift) + (lane >> row_shift);

        if (!in || position >= s.csr.nrows) return {0, 0, -1, lane};
        return {s.first[at], columns_of(s.length[position], sub, row_shift), position, lane};
    }

    // sum[q][w] += the products of lane q with column w. EACH: every column of the slice has a
    // base.
    template <int W, bool EACH, class I>
    __device__ __forceinline__ void add_lanes(const V *value, const I *index, const int32_t *base,
                                              int32_t columns, const T *x, int64_t stride,
                                              T (&sum)[Q][W]) const
    {
        constexpr I padding = (I)-1;

        for (int32_t k = 0; k < columns; k += at_once) {
            V v[at_once][Q];
            I c[at_once][Q];
            int32_t b[at_once];
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                b[u] = 0;
                for (int q = 0; q < Q; q++) c[u][q] = padding;
                if (k + u >= columns) continue;
                read_once<Q>(index + (int64_t)(k + u) * 32, c[u]);
                read_once<Q>(value + (int64_t)(k + u) * 32, v[u]);
                if (EACH) b[u] = __ldg(&base[k + u]);
            }
#pragma unroll
            for (int u = 0; u < at_once; u++) {
#pragma unroll
                for (int q = 0; q < Q; q++) {
                    if (c[u][q] == padding) continue;
                    T piece[W];
                    read_piece<W>(x + (int64_t)(b[u] + (int32_t)c[u][q]) * stride, piece);
#pragma unroll
                    for (int w = 0; w < W; w++) sum[q][w] += (T)v[u][q] * piece[w];
                }
            }
        }
    }

    template <int W>
    __device__ __forceinline__ void any_lanes(const lane_state &t, int32_t at, const T *x,
                                              int64_t stride, T (&sum)[Q][W]) const
    {
        const int64_t slot = (int64_t)t.first * 32 + t.lane;
        const V *value = (const V *)s.value_of + slot;

        if (!s.narrow) {
            add_lanes<W, false>(value, s.col + slot, nullptr, t.columns, x, stride, sum);
            return;
        }
        const gs_sliced_head head = s.head[at];
        if (head.at < 0) {
            const int32_t *col = (const int32_t *)(s.unit + (int64_t)~head.at * 32) + t.lane;
            add_lanes<W, false>(value, col, nullptr, t.columns, x, stride, sum);
            return;
        }
        const uint16_t *unit = s.unit + (int64_t)head.at * 32 + t.lane;
        if (head.base < 0) {
            add_lanes<W, true>(value, unit, s.base + ~head.base, t.columns, x, stride, sum);
        } else {
            add_lanes<W, false>(value, unit, nullptr, t.columns, x + head.base * stride, stride,
                                sum);
        }
    }

    template <int W>
    __device__ __forceinline__ void sum_up(int64_t unit, bool in, const T *x, int64_t stride,
                                           int shift, T (&total)[W]) const
    {
        const lane_state t = lane_state_of(unit, in);
        const int subwarps = (1 << s.most_row_shift) / Q; // of a row
        T sum[Q][W] = {};

        if (t.columns > 0) any_lanes<W>(t, (int32_t)(unit >> (5 - log_q)), x, stride, sum);
        for (int d = subwarps / 2; d > 0; d /= 2) {
#pragma unroll
            for (int q = 0; q < Q; q++) {
#pragma unroll
                for (int w = 0; w < W; w++) {
                    sum[q][w] += __shfl_xor_sync(all_lanes, sum[q][w], d << shift);
                }
            }
        }
#pragma unroll
        for (int w = 0; w < W; w++) {
#pragma unroll
            for (int d = Q / 2; d > 0; d /= 2) {
#pragma unroll
                for (int q = 0; q < d; q++) sum[q][w] += sum[q + d][w];
            }
            total[w] = sum[0][w];
        }
    }

    __device__ int32_t row(int64_t unit) const
    {
        const lane_state t = lane_state_of(unit, true);

        if (t.position < 0 || (t.lane & ((1 << s.most_row_shift) - 1)) != 0) return no_row;
        const int32_t i = s.order ? s.order[t.position] : t.position;
        return i >= 0 ? i : no_row;
    }
};

// A subwarp owns one unit at a time, and a block an interval of neighbouring units, so that the
// rows of x that neighbouring rows share stay in the L1 cache of its multiprocessor. Each entry is
// read once for all columns. The lane sums of a row are added in a fixed order.
template <class T, int W, class V, int Q>
__global__ void __launch_bounds__(1024)
    multiply_lanes(lanes_of_rows<T, V, Q> form, dense_rows<T> d, intervals by, gs_guard guard)
{
    const int subwarp = (int)threadIdx.x >> d.shift, subwarps = (int)blockDim.x >> d.shift;
    const int first_column = ((int)threadIdx.x & ((1 << d.shift) - 1)) * W; // of this thread
    const int subwarp_of_warp = subwarp & ~((32 >> d.shift) - 1); // the first subwarp of the warp
    const int64_t step = (int64_t)gridDim.x * by.units;
    const bool on = first_column < d.columns;
    const T *x = d.x + (on ? first_column : 0);

    if (guard.has_ended()) return;
    for (int64_t tile = by.first(); tile < form.units; tile += step) {
        const int64_t end = min(tile + by.units, form.units);
        for (int64_t base = tile; base + subwarp_of_warp < end; base += subwarps) {
            const int64_t unit = base + subwarp;
            const bool in = unit < end;
            T sum[W] = {};
            form.template sum_up<W>(unit, in, x, d.xstride, d.shift, sum);
            const int32_t i = in && on ? form.row(unit) : no_row;
            if (i != no_row) finish<W>(d, i, first_column, sum);
        }
    }
}

// --- the schedule -----------------------------------------------------------------------------

constexpr int64_t usual_units = 1024;
constexpr int least_threads = 64, most_threads = 1024;

struct chosen_schedule {
    int threads, grid;
    intervals by;
};

// Chooses the largest blocks with which every multiprocessor has units, and intervals of about
// equal length; the intervals of a multiprocessor are about as long together as `wished` says.
// at_once(threads): blocks that run on a multiprocessor at once.
template <class AtOnce>
chosen_schedule choose_schedule(const gs_queue *q, int64_t units, int shift, const schedule &wished,
                                AtOnce at_once)
{
    const int64_t about = wished.units > 0 ? wished.units : usual_units;
    chosen_schedule d = {wished.threads > 0 ? wished.threads : most_threads, 1, {32, 1}};

    while (wished.threads == 0 && d.threads > least_threads &&
           (units << shift) < (int64_t)2 * q->processors * d.threads) {
        d.threads /= 2;
    }
    const int64_t blocks = (int64_t)q->processors * at_once(d.threads);
    const int64_t rounds = units / ((int64_t)q->processors * about) + 1;
    d.by.units = (int32_t)(units / (blocks * rounds) / 32 + 1) * 32;
    const int64_t tiles = (units + d.by.units - 1) / d.by.units;
    d.grid = (int)(tiles < blocks ? tiles : blocks);
    if (d.grid == blocks) d.by.processors = q->processors;
    return d;
}

// Blocks of that many threads, a power of two, that run on a multiprocessor at once.
template <auto KERNEL>
int blocks_at_once(int threads)
{
    static int known[11];
    int *blocks = &known[shift_for(threads)];

    if (*blocks == 0) cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, KERNEL, threads, 0);
    return *blocks > 0 ? *blocks : 1;
}

template <class T, int W, class V, int Q>
gsolve_status launch_lanes(gs_queue *q, const lanes_of_rows<T, V, Q> &form, const dense_rows<T> &d)
{
    constexpr auto kernel = multiply_lanes<T, W, V, Q>;
    const chosen_schedule by =
        choose_schedule(q, form.units, d.shift, form.wished, blocks_at_once<kernel>);

    return gs_launch_pdl(q, "the product of several columns", kernel, by.grid, by.threads, form, d,
                         by.by);
}

template <class T, class V, int Q>
gsolve_status sum_rows(gs_queue *q, const gs_sliced *s, const dense_rows<T> &d)
{
    const int subwarps = (1 << s->most_row_shift) / Q; // of a row; they are in one warp
    const lanes_of_rows<T, V, Q> form = {*s,
                                         (int64_t)s->slices * (32 / Q),
                                         {s->schedule.block, (int64_t)s->schedule.rows * subwarps}};

    return sum_units(q, form, d, 32 / subwarps);
}

template <class T, class V>
gsolve_status by_lanes(gs_queue *q, const gs_sliced *s, const dense_rows<T> &d)
{
    return s->most_row_shift >= 2   ? sum_rows<T, V, 4>(q, s, d)
           : s->most_row_shift == 1 ? sum_rows<T, V, 2>(q, s, d)
                                    : sum_rows<T, V, 1>(q, s, d);
}

template <class T>
gsolve_status multiply(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                       double beta, gsolve_dense y, void *sums)
{
    const gs_sliced *s = (const gs_sliced *)self;
    const dense_rows<T> d = gs_subwarp_rows::rows_of<T>(alpha, x, beta, y, sums);
    gsolve_status status;

    TRY(with_values<T>(
        s, [&](auto stored) { return by_lanes<T, decltype(stored)>(ctx->queue, s, d); }));
    TRY(sum_long_rows(ctx->queue, s->part, s->parts, &s->csr, d));
done:
    return status;
}

} // namespace

extern "C" const gs_ellr_kernels gs_ellr_cuda[GSOLVE_TYPE_COUNT] = {{multiply<float>},
                                                                    {multiply<double>}};
