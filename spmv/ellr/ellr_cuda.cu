// ellr_cuda.cu: FastSpMM on a GPU, see ellr.h and spmv/subwarps.cuh. A subwarp has Q = 1, 2 or 4
// neighbouring lanes of a slice, all of one row: it reads their entries of a column of the slice at
// once, side by side as they are. The sums of lanes are kept apart and added as in the product with
// one column, so that all bits are the same.
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

// How units are dealt: so many neighbouring ones to a block at a time, and neighbouring stretches
// to blocks that are likely to run on one multiprocessor: every processors-th.
struct stretches {
    int32_t units, processors;
    __device__ int64_t first() const
    {
        const int32_t each = (int32_t)gridDim.x / processors; // blocks of a multiprocessor
        const int32_t b = (int32_t)blockIdx.x;
        return (int64_t)(b % processors * each + b / processors) * units;
    }
};

// The same as wished: 0 for what is to be chosen.
struct deal {
    int threads;   // of a block
    int64_t units; // that those of a multiprocessor go through before they go on elsewhere, about
    bool shared;   // as little first cache as can be: the rest is shared memory, which no_row uses
};

template <class T, class V, int Q>
struct lanes_of_rows;

template <class T, int W, class V, int Q>
gsolve_status launch_lanes(gs_queue *q, const lanes_of_rows<T, V, Q> &form, const dense_rows<T> &d);

// V: the type of stored values.
template <class T, class V, int Q>
struct lanes_of_rows {
    static constexpr int pieces = 1;
    static constexpr int at_once = 4 / Q; // columns of a slice that a subwarp reads at once
    static constexpr int log_q = Q == 4 ? 2 : Q == 2 ? 1 : 0;
    gs_sliced s;
    int64_t units;
    deal wished;

    template <int W, int>
    gsolve_status launch(gs_queue *q, const dense_rows<T> &d) const
    {
        return launch_lanes<T, W>(q, *this, d);
    }

    struct lane_state {
        int32_t first, columns, place;
        int lane; // the first of the subwarp's
    };

    __device__ lane_state lane_state_of(int64_t unit, bool in) const
    {
        const int32_t at = (int32_t)(unit >> (5 - log_q));
        const int lane = (int)(unit & ((32 >> log_q) - 1)) << log_q;
        const int share = s.most_share, sub = lane & ((1 << share) - 1);
        const int32_t place = at * (32 >> share) + (lane >> share);

        if (!in || place >= s.csr.nrows) return {0, 0, -1, lane};
        return {s.first[at], columns_of(s.length[place], sub, share), place, lane};
    }

    // sum[q][w] += the products of lane q with column w. EACH: base has one for every column.
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
        const int subwarps = (1 << s.most_share) / Q; // of a row
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

        if (t.place < 0 || (t.lane & ((1 << s.most_share) - 1)) != 0) return no_row;
        const int32_t i = s.order ? s.order[t.place] : t.place;
        return i >= 0 ? i : no_row;
    }
};

// A block goes through a stretch of rows, so that the rows of x that neighbours share stay in its
// multiprocessor's first cache.
template <class T, int W, class V, int Q>
__global__ void __launch_bounds__(1024)
    multiply_lanes(lanes_of_rows<T, V, Q> form, dense_rows<T> d, stretches by, gs_guard guard)
{
    const int subwarp = (int)threadIdx.x >> d.shift, subwarps = (int)blockDim.x >> d.shift;
    const int own = ((int)threadIdx.x & ((1 << d.shift) - 1)) * W; // this thread's first column
    const int subwarp_of_warp = subwarp & ~((32 >> d.shift) - 1);  // the first of the warp
    const int64_t step = (int64_t)gridDim.x * by.units;
    const bool on = own < d.columns;
    const T *x = d.x + (on ? own : 0);

    if (guard.has_ended()) return;
    for (int64_t tile = by.first(); tile < form.units; tile += step) {
        const int64_t end = min(tile + by.units, form.units);
        for (int64_t base = tile; base + subwarp_of_warp < end; base += subwarps) {
            const int64_t unit = base + subwarp;
            const bool in = unit < end;
            T sum[W] = {};
            form.template sum_up<W>(unit, in, x, d.xstride, d.shift, sum);
            const int32_t i = in && on ? form.row(unit) : no_row;
            if (i != no_row) finish<W>(d, i, own, sum);
        }
    }
}

// --- how rows are dealt -----------------------------------------------------------------------

constexpr int64_t usual_units = 1024;
constexpr int least_threads = 64, most_threads = 1024;

struct dealt {
    int threads, grid;
    stretches by;
};

// As many threads of a block as there are units for on every multiprocessor, and stretches that
// come out even; together, those of a multiprocessor are as long as wished. at_once: blocks of so
// many threads that run on one.
template <class AtOnce>
dealt deal_units(const gs_queue *q, int64_t units, int shift, const deal &wished, AtOnce at_once)
{
    const int64_t about = wished.units > 0 ? wished.units : usual_units;
    dealt d = {wished.threads > 0 ? wished.threads : most_threads, 1, {32, 1}};

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

// Blocks of that many threads, a power of two, that a multiprocessor runs at once.
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
    const auto share = cudaFuncAttributePreferredSharedMemoryCarveout;
    const dealt by = deal_units(q, form.units, d.shift, form.wished, blocks_at_once<kernel>);
    gsolve_status status;

    if (form.wished.shared) cudaFuncSetAttribute(kernel, share, cudaSharedmemCarveoutMaxShared);
    status = gs_launch_pdl(q, "the product by rows", kernel, by.grid, by.threads, form, d, by.by);
    if (form.wished.shared) cudaFuncSetAttribute(kernel, share, cudaSharedmemCarveoutDefault);
    return status;
}

template <class T, class V, int Q>
gsolve_status sum_rows(gs_queue *q, const gs_ellr *m, const dense_rows<T> &d)
{
    const gs_sliced *s = m->slices;
    const int subwarps = (1 << s->most_share) / Q; // of a row, which are in one warp
    const lanes_of_rows<T, V, Q> form = {
        *s,
        (int64_t)s->slices * (32 / Q),
        {m->deal.block, (int64_t)m->deal.rows * subwarps, m->deal.shared}};

    return sum_units(q, form, d, 32 / subwarps);
}

template <class T, class V>
gsolve_status by_lanes(gs_queue *q, const gs_ellr *m, const dense_rows<T> &d)
{
    const int share = m->slices->most_share;

    return share >= 2   ? sum_rows<T, V, 4>(q, m, d)
           : share == 1 ? sum_rows<T, V, 2>(q, m, d)
                        : sum_rows<T, V, 1>(q, m, d);
}

template <class T>
gsolve_status multiply(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                       double beta, gsolve_dense y, void *sums)
{
    const gs_ellr *m = (const gs_ellr *)self;
    const gs_sliced *s = m->slices;
    const dense_rows<T> d = gs_subwarp_rows::rows_of<T>(alpha, x, beta, y, sums);
    gsolve_status status;

    TRY((s->light ? by_lanes<T, float>(ctx->queue, m, d) : by_lanes<T, T>(ctx->queue, m, d)));
    TRY(sum_long_rows(ctx->queue, s->part, s->parts, &s->csr, d));
done:
    return status;
}

} // namespace

extern "C" const gs_ellr_kernels gs_ellr_cuda[GSOLVE_TYPE_COUNT] = {{multiply<float>},
                                                                    {multiply<double>}};
