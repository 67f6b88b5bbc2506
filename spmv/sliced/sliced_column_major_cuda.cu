// sliced_column_major_cuda.cu: the product with several columns at once on a GPU, x and y
// column-major. A thread sums one lane, as for one column, for C columns of x at once, so each
// column has the same bits as alone. The lanes of a warp read nearly contiguous elements of a
// column where neighbouring rows read neighbouring elements, as in grids. The matrix is read once
// for C columns.
#include "spmv/sliced/sliced_block.cuh"
#include "spmv/sliced/sliced_product.cuh"

using namespace gs_by_slices;

namespace
{

// Entries that a thread loads at once.
template <int C>
constexpr int at_once = C == 8   ? 1
                        : C == 4 ? 2
                                 : 4;
constexpr int block_threads = 128;

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

// sum[j] += the products of the lane's entries with column j. The next entries are loaded while the
// present ones are multiplied. FULL: the chunk has C columns.
template <int STEP, bool FULL, class T, class V, int C>
__device__ __forceinline__ void add_lane(const columns_of_x<T, C> &m, const lane_entries<V> &lane,
                                         T (&sum)[C])
{
    lane.template visit<true>([&](auto *index, auto base) {
        some_entries<T, at_once<C>> now, next;
        now.template read<STEP>(lane, index, base, 0);
#pragma unroll 1
        for (int32_t k = 0; k < lane.columns; k += at_once<C>) {
            next.template read<STEP>(lane, index, base, k + at_once<C>);
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

// A warp sums one part of a long row. If it finishes last among the parts of the row, it finishes
// the row.
template <class T, int C>
__device__ __forceinline__ void sum_part_columns(const gs_sliced &s, const block_operands<T> &a,
                                                 const chunk_of_work &work)
{
    const int lane = (int)threadIdx.x % 32;
    const gs_row_part part = s.part[work.at];
    const columns_of_x<T, C> m(a, work.chunk);
    T sum[1][C] = {};

    add_lane<32, false>(m, part_entries<T>(s, part, lane, 32), sum[0]);
    add_subwarps<T, C, 1>(sum[0], 16);
    finish_part<1>(part, work.at, (T *)s.sum + work.chunk * C, (int64_t)a.chunks * C,
                   &s.done[part.l * GS_SLICED_CHUNKS + work.chunk], sum, [&] {
                       if (lane == 0) finish_row(a, work.chunk, m.count, part.row, sum[0]);
                   });
}

template <class T, class V, int C, int STEP>
__device__ __forceinline__ void sum_slice_columns(const gs_sliced &s, const block_operands<T> &a,
                                                  const chunk_of_work &work)
{
    const columns_of_x<T, C> m(a, work.chunk);
    const block_lane_state<V, STEP, true> lane_state(s, work.at * 32 + threadIdx.x % 32);
    T sum[C] = {};

    if (m.count == C) {
        add_lane<STEP, true>(m, lane_state.entries, sum);
    } else {
        add_lane<STEP, false>(m, lane_state.entries, sum);
    }
#pragma unroll
    for (int j = 0; j < C && !STEP && s.most_row_shift > 0; j++) {
        sum[j] = sum_row_lanes(sum[j], lane_state.row_shift, s.most_row_shift);
    }
    if (lane_state.row >= 0) finish_row(a, work.chunk, m.count, lane_state.row, sum);
}

// A warp has 32 lanes and one chunk of columns. STEP: see block_lane_state. With LONG, the first
// blocks compute parts of long rows.
template <class T, class V, int C, int STEP, bool LONG>
__global__ void __launch_bounds__(block_threads, C < 8 && STEP && !LONG ? 10 : 8)
    slices_column_major(gs_sliced s, block_operands<T> a, int for_parts, gs_guard guard)
{
    if (guard.has_ended()) return;
    if (LONG && (int)blockIdx.x < for_parts) {
        const chunk_of_work work(a.chunks);
        if (work.at < s.parts) sum_part_columns<T, C>(s, a, work);
        return;
    }
    const chunk_of_work work(a.chunks, for_parts);
    if (work.at * 32 < (int64_t)s.slices << s.shift) {
        sum_slice_columns<T, V, C, STEP>(s, a, work);
    }
}

template <class T, class V, int C, int STEP>
gsolve_status launch(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    const int64_t lanes = (int64_t)s->slices << s->shift;

    a.chunks = (a.columns + C - 1) / C;
    constexpr int warps = block_threads / 32;
    const int64_t slices = (lanes + 31) / 32;
    const int for_parts = (int)(((int64_t)s->parts * a.chunks + warps - 1) / warps);
    const int64_t grid = for_parts + (slices * a.chunks + warps - 1) / warps;
    if (grid == 0) return GSOLVE_OK;
    return launch_columns(q, "the product of columns by slices",
                          for_parts > 0 ? slices_column_major<T, V, C, STEP, true>
                                        : slices_column_major<T, V, C, STEP, false>,
                          grid, block_threads, a.columns, *s, a, for_parts);
}

} // namespace

template <class T, class V, int C>
static gsolve_status choose_step(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    return gs_sliced_row_per_lane(s) ? launch<T, V, C, 32>(q, s, a) : launch<T, V, C, 0>(q, s, a);
}

namespace gs_by_slices
{

template <class T, class V>
gsolve_status gs_sliced_column_major(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    if (a.columns <= 2) return choose_step<T, V, 2>(q, s, a);
    if (a.columns <= 4) return choose_step<T, V, 4>(q, s, a);
    return choose_step<T, V, 8>(q, s, a);
}

template gsolve_status gs_sliced_column_major<float, float>(gs_queue *, const gs_sliced *,
                                                            const block_operands<float> &);
template gsolve_status gs_sliced_column_major<double, float>(gs_queue *, const gs_sliced *,
                                                             const block_operands<double> &);
template gsolve_status gs_sliced_column_major<double, double>(gs_queue *, const gs_sliced *,
                                                              const block_operands<double> &);

} // namespace gs_by_slices
