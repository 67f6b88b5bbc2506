// sliced_columns_cuda.cu: the product with several columns at once on a GPU where x and y lie by
// columns: a thread sums a lane, as for one column, for C columns of x at once. What neighbouring
// rows read of a column lies close together where they are neighbours in a grid.
#include "spmv/sliced/sliced_block.cuh"
#include "spmv/sliced/sliced_product.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int at_once = 4; // entries that a thread reads at once

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

template <class T, class V, int C>
__device__ __forceinline__ void add_lane(const columns_of_x<T, C> &m, const lane_entries<V> &lane,
                                         T (&sum)[C])
{
    for (int32_t k = 0; k < lane.columns; k += at_once) {
        entry<V> e[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) e[u] = lane.at(k + u);
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const T *x = m.x + e[u].c;
            T read[C];
#pragma unroll
            for (int j = 0; j < C; j++) {
                read[j] = e[u].c >= 0 && j < m.count ? __ldg(&x[j * m.stride]) : T(0);
            }
#pragma unroll
            for (int j = 0; j < C; j++) sum[j] += (T)e[u].v * read[j];
        }
    }
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

template <class T, class V, int C>
__global__ void __launch_bounds__(gs_block_size)
    slices_by_columns(gs_sliced s, block_operands<T> a, const int *ended)
{
    const chunk_of_work work(a.chunks);
    T sum[C] = {};

    if (ended && *ended) return;
    if (work.at * 32 >= (int64_t)s.slices << s.shift) return;
    const columns_of_x<T, C> m(a, work.chunk);
    const block_seat<V> seat(s, work.at * 32 + threadIdx.x % 32, a.chunks > 1);
    add_lane(m, seat.entries, sum);
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
    add_lane(m, part_entries<T>(s, part, lane, a.chunks > 1), sum);
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
    const int64_t lanes = (int64_t)s->slices << s->shift;
    gsolve_status status = GSOLVE_OK;

    a.chunks = (a.columns + C - 1) / C;
    const int64_t work = (lanes + 31) / 32 * 32 * a.chunks;
    if (work > 0) {
        TRY(gs_launch(q, "the product of columns by slices", slices_by_columns<T, V, C>,
                      blocks_for(work), gs_block_size, *s, a, q->guard));
    }
    if (s->parts > 0) {
        TRY(gs_launch(q, "the product of columns by parts", parts_by_columns<T, C>,
                      blocks_for((int64_t)s->parts * 32 * a.chunks), gs_block_size, *s, a,
                      q->guard));
    }
done:
    return status;
}

} // namespace

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
