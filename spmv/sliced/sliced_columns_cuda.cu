// sliced_columns_cuda.cu: the product with several columns at once on a GPU where x and y lie by
// columns: a thread sums a lane, as for one column, for C columns of x at once. What neighbouring
// rows read of a column lies close together where they are neighbours in a grid.
#include "spmv/sliced/sliced_block.cuh"
#include "spmv/sliced/sliced_product.cuh"

using namespace gs_by_slices;

namespace
{

template <int C>
constexpr int at_once = C == 8   ? 1
                        : C == 4 ? 3
                                 : 4; // entries that a thread reads at once

// The chunk's columns of x.
template <class T, int C>
struct columns_of_x {
    const T *x;
    int64_t stride;
    int count; // at most C

    __device__ columns_of_x(const block_operands<T> &a, int chunk)
        : x(a.x + (int64_t)chunk * C * a.xstride), stride(a.xstride),
          count(min(C, a.columns - chunk * C))
    {
    }
};

// sum[j] += the products of the lane's entries with column j; while some are multiplied the next
// ones are read. FULL: the chunk has C columns.
template <int STEP, bool FULL, class T, class V, int C>
__device__ __forceinline__ void add_lane(const columns_of_x<T, C> &m, const lane_entries<V> &lane,
                                         T (&sum)[C])
{
    lane.visit([&](auto *index, auto each) {
        some_entries<T, at_once<C>> now, next;
        now.template read<STEP>(lane, index, each, 0);
        for (int32_t k = 0; k < lane.columns; k += at_once<C>) {
            next.template read<STEP>(lane, index, each, k + at_once<C>);
#pragma unroll
            for (int u = 0; u < at_once<C>; u++) {
                const T *x = m.x + now.c[u];
                T read[C];
#pragma unroll
                for (int j = 0; j < C; j++) {
                    const bool in = now.c[u] >= 0 && (FULL || j < m.count);
                    read[j] = in ? __ldg(&x[j * m.stride]) : T(0);
                }
#pragma unroll
                for (int j = 0; j < C; j++) sum[j] += now.v[u] * read[j];
            }
            now = next;
        }
    });
}

template <class T, int C>
__device__ void finish_row(const block_operands<T> &a, int chunk, int count, int64_t i,
                           const T (&sum)[C])
{
    T *y = a.y + (int64_t)chunk * C * a.ystride + i;

#pragma unroll
    for (int j = 0; j < C; j++) {
        if (j < count) finish(a, y + j * a.ystride, sum[j]);
    }
}

// STEP: lanes of a slice, or 0.
template <class T, class V, int C, int STEP>
__global__ void __launch_bounds__(gs_block_size)
    slices_by_columns(gs_sliced s, block_operands<T> a, const int *ended)
{
    const chunk_of_work work(a.chunks);
    T sum[C] = {};

    if (ended && *ended) return;
    if (work.at * 32 >= (int64_t)s.slices << s.shift) return;
    const columns_of_x<T, C> m(a, work.chunk);
    const block_seat<V> seat(s, work.at * 32 + threadIdx.x % 32);
    if (m.count == C) {
        add_lane<STEP, true>(m, seat.entries, sum);
    } else {
        add_lane<STEP, false>(m, seat.entries, sum);
    }
#pragma unroll
    for (int j = 0; j < C && s.most_share > 0; j++) {
        sum[j] = sum_shares(sum[j], seat.share, s.most_share);
    }
    if (seat.row >= 0) finish_row(a, work.chunk, m.count, seat.row, sum);
}

// Parts of long rows, a warp each.
template <class T, int C>
__global__ void __launch_bounds__(gs_block_size)
    parts_by_columns(gs_sliced s, block_operands<T> a, const int *ended)
{
    const chunk_of_work work(a.chunks);
    const int lane = (int)threadIdx.x % 32;
    T sum[C] = {};

    if (ended && *ended) return;
    if (work.at >= s.parts) return;
    const gs_sliced_part part = s.part[work.at];
    const columns_of_x<T, C> m(a, work.chunk);
    add_lane<32, false>(m, part_entries<T>(s, part, lane, 32), sum);
#pragma unroll
    for (int j = 0; j < C; j++) sum[j] = sum_warp(sum[j]);
    if (part.parts > 1) {
        T *room = (T *)s.sum + work.chunk * C;
        const int64_t step = (int64_t)a.chunks * C;
        for (int j = 0; lane == 0 && j < C; j++) room[work.at * step + j] = sum[j];
        if (!is_last(part.parts, &s.done[part.l * GS_SLICED_CHUNKS + work.chunk])) return;
#pragma unroll
        for (int j = 0; j < C; j++) {
            sum[j] = 0;
            for (int k = lane; k < part.parts; k += 32) {
                sum[j] += __ldcg(&room[(part.first + k) * step + j]);
            }
            sum[j] = sum_warp(sum[j]);
        }
    }
    if (lane == 0) finish_row(a, work.chunk, m.count, part.row, sum);
}

template <class T, class V, int C>
gsolve_status launch(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    const auto slices =
        s->lanes == 32 ? slices_by_columns<T, V, C, 32> : slices_by_columns<T, V, C, 0>;
    const int64_t lanes = (int64_t)s->slices << s->shift;
    gsolve_status status = GSOLVE_OK;

    a.chunks = (a.columns + C - 1) / C;
    const int64_t work = (lanes + 31) / 32 * 32 * a.chunks;
    if (work > 0) {
        TRY(gs_launch(q, "the product of columns by slices", slices, blocks_for(work),
                      gs_block_size, *s, a, q->guard));
    }
    if (s->parts > 0) {
        TRY(gs_launch(q, "the product of columns by parts", parts_by_columns<T, C>,
                      blocks_for((int64_t)s->parts * 32 * a.chunks), gs_block_size, *s, a,
                      q->guard));
    }
done:
    return status;
}

// --- a look at the rows -----------------------------------------------------------------------

constexpr int sample = 4096, deepest = 64; // rows; entries of each

// count[0]: entries of the sample that have one at the same place of the row before; count[1]:
// those that are one column further.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    count_aligned(const O *start, const int32_t *col, int32_t step, int32_t n, unsigned *count)
{
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) * step + 1;
    unsigned both = 0, next = 0;

    if (i < n) {
        const O before = start[i - 1], at = start[i];
        const O most = min(min(at - before, start[i + 1] - at), (O)deepest);
        for (O k = 0; k < most; k++) {
            both++;
            next += col[at + k] == col[before + k] + 1;
        }
    }
    both = gs_block_sum(both);
    next = gs_block_sum(next);
    if (threadIdx.x > 0) return;
    atomicAdd(&count[0], both);
    atomicAdd(&count[1], next);
}

} // namespace

gsolve_status gs_sliced_is_aligned_cuda(gsolve_context *ctx, const gsolve_csr *csr, bool *aligned)
{
    const int32_t step = csr->nrows / sample + 1;
    gs_queue *q = ctx->queue;
    unsigned *count = nullptr, found[2] = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, count, 2);
    TRY(gs_cuda(q, cudaMemsetAsync(count, 0, sizeof found, q->stream), "a look at the rows"));
    if (csr->offset == GSOLVE_O64) {
        TRY(gs_launch(q, "a look at the rows", count_aligned<int64_t>, sample / gs_block_size,
                      gs_block_size, (const int64_t *)csr->start, csr->col, step, csr->nrows,
                      count));
    } else {
        TRY(gs_launch(q, "a look at the rows", count_aligned<int32_t>, sample / gs_block_size,
                      gs_block_size, (const int32_t *)csr->start, csr->col, step, csr->nrows,
                      count));
    }
    TRY(gsolve_copy(ctx, found, GSOLVE_HOST, count, GSOLVE_DEVICE, sizeof found));
    *aligned = found[1] > found[0] / 2;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    return status;
}

template <class T, class V>
gsolve_status gs_by_slices::gs_sliced_by_columns(gs_queue *q, const gs_sliced *s,
                                                 const block_operands<T> &a)
{
    if (a.columns <= 2) return launch<T, V, 2>(q, s, a);
    if (a.columns <= 4) return launch<T, V, 4>(q, s, a);
    return launch<T, V, 8>(q, s, a);
}

template gsolve_status gs_by_slices::gs_sliced_by_columns<float, float>(
    gs_queue *, const gs_sliced *, const block_operands<float> &);
template gsolve_status gs_by_slices::gs_sliced_by_columns<double, float>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
template gsolve_status gs_by_slices::gs_sliced_by_columns<double, double>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
