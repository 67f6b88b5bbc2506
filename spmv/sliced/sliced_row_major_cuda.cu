// sliced_row_major_cuda.cu: the product with several columns at once on a GPU, x row-major, by
// subwarps (see subwarps.cuh): all elements of x that an entry multiplies lie together, and a
// subwarp reads them in packs of 16 bytes.
//
// A subwarp has one lane of a slice. All its threads read the lane's entries, and each multiplies
// its own packs of x. The subwarps of a warp have neighbouring lanes, whose entries are
// contiguous. A thread keeps the sums of one or two packs, so a multiprocessor has registers for
// many warps; the number of warps, rather than prefetching, hides the wait for x. With two packs, a
// thread uses each entry for twice as many columns.
#include "core/pdl.cuh"
#include "spmv/sliced/sliced_block.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int in_flight = 4; // packs of x that a thread has in flight

// A thread of a subwarp of G threads, with P packs, G W columns apart.
template <class T, int W, int G, int P>
struct packs {
    member<T, W, G> m; // the thread's first pack
    int after[P]; // distance from the first pack to each in elements of x; 0 where the pack is idle
    bool idle[P];

    __device__ packs(const block_operands<T> &a, int chunk) : m(a, chunk * P)
    {
#pragma unroll
        for (int p = 0; p < P; p++) {
            idle[p] = m.column + p * G * W >= a.columns;
            after[p] = idle[p] ? 0 : p * G * W;
        }
    }
    __device__ void finish_row(const block_operands<T> &a, int64_t i, const T (&sum)[P][W]) const
    {
#pragma unroll
        for (int p = 0; p < P; p++) {
            if (!idle[p]) finish_columns(a, m.column + p * G * W, i, sum[p]);
        }
    }
};

// sum += the products of the lane's entries. The next entries are loaded while the present ones are
// multiplied.
template <int STEP, class T, class V, int W, int G, int P>
__device__ __forceinline__ void add_products(const packs<T, W, G, P> &packs_of_thread,
                                             const lane_entries<V> &lane, T (&sum)[P][W])
{
    constexpr int once = in_flight / P;

    lane.visit_each([&](auto *index, auto each) {
        some_entries<T, once> now, next;
        now.template read<STEP>(lane, index, each, 0);
        for (int32_t k = 0; k < lane.columns; k += once) {
            gs_pack<T, W> x[once][P];
            next.template read<STEP>(lane, index, each, k + once);
#pragma unroll
            for (int u = 0; u < once; u++) {
#pragma unroll
                for (int p = 0; p < P; p++)
                    x[u][p] = packs_of_thread.m.read_if(now.c[u], packs_of_thread.after[p]);
            }
#pragma unroll
            for (int u = 0; u < once; u++) {
#pragma unroll
                for (int p = 0; p < P; p++) {
#pragma unroll
                    for (int w = 0; w < W; w++) sum[p][w] += now.v[u] * x[u][p].v[w];
                }
            }
            now = next;
        }
    });
}

// Adds the sums of all lanes of a row; each of the row's subwarps gets the result. row_shift: log2
// of the lanes of this subwarp's row; most: the largest row_shift.
template <class T, int W, int G, int P>
__device__ __forceinline__ void add_row_lanes(int row_shift, int most, T (&sum)[P][W])
{
    for (int d = (1 << most) / 2; d > 0; d /= 2) {
#pragma unroll
        for (int p = 0; p < P; p++) {
#pragma unroll
            for (int w = 0; w < W; w++) {
                const T other = __shfl_xor_sync(all_lanes, sum[p][w], d * G);
                if (d < 1 << row_shift) sum[p][w] += other;
            }
        }
    }
}

// A warp has 32 / G lanes and one chunk of columns. STEP: lanes of a slice, or 0.
template <class T, class V, int W, int G, int P, int STEP>
__global__ void __launch_bounds__(gs_block_size)
    slices_by_subwarps(gs_sliced s, block_operands<T> a, gs_guard guard)
{
    const chunk_of_work work(a.chunks);
    T sum[P][W] = {};

    if (guard.has_ended()) return;
    if (work.at * (32 / G) >= (int64_t)s.slices << s.shift) return;
    const packs<T, W, G, P> packs_of_thread(a, work.chunk);
    const block_lane_state<V> lane_state(s, work.at * (32 / G) + packs_of_thread.m.subwarp);
    add_products<STEP>(packs_of_thread, lane_state.entries, sum);
    if (s.most_row_shift > 0)
        add_row_lanes<T, W, G, P>(lane_state.row_shift, s.most_row_shift, sum);
    if (lane_state.row >= 0) packs_of_thread.finish_row(a, lane_state.row, sum);
}

// A warp sums a part of a long row: subwarp s of n takes entries s, s + n, ... The warp that
// finishes last adds the parts of the row in their order.
template <class T, int W, int G, int P>
__global__ void __launch_bounds__(gs_block_size)
    parts_by_subwarps(gs_sliced s, block_operands<T> a, gs_guard guard)
{
    constexpr int subwarps = 32 / G;
    const chunk_of_work work(a.chunks);
    T sum[P][W] = {};

    if (guard.has_ended()) return;
    if (work.at >= s.parts) return;
    const gs_row_part part = s.part[work.at];
    const packs<T, W, G, P> packs_of_thread(a, work.chunk);
    const int subwarp = packs_of_thread.m.subwarp;
    add_products<subwarps>(packs_of_thread, part_entries<T>(s, part, subwarp, subwarps), sum);
#pragma unroll
    for (int p = 0; p < P; p++) add_subwarps<T, W, G>(sum[p], 16);
    if (part.parts > 1) {
        T *sums = (T *)s.sum + packs_of_thread.m.column; // of this thread's packs
        const int64_t step = (int64_t)a.chunks * G * P * W;
#pragma unroll
        for (int p = 0; p < P && subwarp == 0; p++) {
            for (int w = 0; w < W; w++) sums[work.at * step + p * G * W + w] = sum[p][w];
        }
        if (!is_last(part.parts, &s.done[part.l * GS_SLICED_CHUNKS + work.chunk])) return;
#pragma unroll
        for (int p = 0; p < P; p++) {
            for (int w = 0; w < W; w++) {
                sum[p][w] = 0;
                for (int k = subwarp; k < part.parts; k += subwarps) {
                    sum[p][w] += __ldcg(&sums[(part.first + k) * step + p * G * W + w]);
                }
            }
            add_subwarps<T, W, G>(sum[p], 16);
        }
    }
    if (subwarp == 0) packs_of_thread.finish_row(a, part.row, sum);
}

// --- launches ---------------------------------------------------------------------------------

template <class T, class V, int W, int G, int P, int STEP>
gsolve_status launch_slices(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    constexpr int subwarps = 32 / G;
    const int64_t lanes = (int64_t)s->slices << s->shift;

    a.chunks = (a.columns + G * P * W - 1) / (G * P * W);
    const int64_t warps = (lanes + subwarps - 1) / subwarps * a.chunks;
    const int64_t grid = (warps * 32 + gs_block_size - 1) / gs_block_size;
    if (grid > INT32_MAX) {
        return gsolve_fail(q->ctx, GSOLVE_UNSUPPORTED,
                           "a product with %d columns needs 2^31 thread blocks or more; multiply "
                           "fewer columns at a time",
                           a.columns);
    }
    return gs_launch_pdl(q, "the product of columns by slices",
                         slices_by_subwarps<T, V, W, G, P, STEP>, (int)grid, gs_block_size, *s, a);
}

template <class T, int W, int G, int P>
gsolve_status launch_parts(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    a.chunks = (a.columns + G * P * W - 1) / (G * P * W);
    return gs_launch_pdl(q, "the product of columns by parts", parts_by_subwarps<T, W, G, P>,
                         blocks_for((int64_t)s->parts * 32 * a.chunks), gs_block_size, *s, a);
}

// Chooses a subwarp for all columns, or the widest that is possible.
template <class T, class V, int W, int STEP>
gsolve_status choose_subwarp(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    const int most = 32 >> s->most_row_shift; // so that a warp has all lanes of a row
    const int packs = (a.columns + W - 1) / W;

    if (most == 1 || packs == 1) return launch_slices<T, V, W, 1, 1, STEP>(q, s, a);
    if (packs == 2) return launch_slices<T, V, W, 2, 1, STEP>(q, s, a);
    if (most == 2 || packs <= 4) return launch_slices<T, V, W, 2, 2, STEP>(q, s, a);
    if (most == 4 || packs <= 8) return launch_slices<T, V, W, 4, 2, STEP>(q, s, a);
    return launch_slices<T, V, W, 8, 2, STEP>(q, s, a);
}

template <class T, int W>
gsolve_status choose_subwarp_of_parts(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    const int packs = (a.columns + W - 1) / W;

    if (packs <= 2) return launch_parts<T, W, 2, 1>(q, s, a);
    if (packs <= 4) return launch_parts<T, W, 2, 2>(q, s, a);
    if (packs <= 8) return launch_parts<T, W, 4, 2>(q, s, a);
    return launch_parts<T, W, 8, 2>(q, s, a);
}

template <class T, class V, int W>
gsolve_status multiply(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    gsolve_status status = GSOLVE_OK;

    if (s->slices > 0) {
        TRY((s->lanes == 32 ? choose_subwarp<T, V, W, 32>(q, s, a)
                            : choose_subwarp<T, V, W, 0>(q, s, a)));
    }
    if (s->parts > 0) TRY((choose_subwarp_of_parts<T, W>(q, s, a)));
done:
    return status;
}

} // namespace

template <class T, class V>
gsolve_status gs_by_slices::gs_sliced_row_major(gs_queue *q, const gs_sliced *s,
                                                const block_operands<T> &a)
{
    if (gs_sliced_row_per_lane(s) && s->parts > 0) return gs_sliced_row_major_long<T, V>(q, s, a);
    return takes_packs(a) ? multiply<T, V, gs_wide<T>>(q, s, a) : multiply<T, V, 1>(q, s, a);
}

template gsolve_status gs_by_slices::gs_sliced_row_major<float, float>(
    gs_queue *, const gs_sliced *, const block_operands<float> &);
template gsolve_status gs_by_slices::gs_sliced_row_major<double, float>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
template gsolve_status gs_by_slices::gs_sliced_row_major<double, double>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
