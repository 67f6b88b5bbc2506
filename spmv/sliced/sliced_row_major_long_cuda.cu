// sliced_row_major_long_cuda.cu: the product with several columns at once on a GPU, x row-major,
// where there are parts of long rows besides slices of 32 lanes with one row per lane. Subwarps
// work as in sliced_row_major_cuda.cu. One launch computes both: the first blocks take the parts,
// which are few and take long, so that they start first.
#include "core/pdl.cuh"
#include "spmv/sliced/sliced_few_registers.cuh"

using namespace gs_few_register_slices;

namespace
{

constexpr int in_flight = 4; // packs of x that a thread has in flight

// A thread of a subwarp of G threads, with P packs, G W columns apart.
template <class T, int W, int G, int P>
struct packs {
    static constexpr int apart = G * W;
    member<T, W, G> m; // the thread's first pack
    int columns;       // of the operands

    __device__ packs(const block_operands<T> &a, int chunk) : m(a, chunk * P), columns(a.columns) {}
    __device__ bool has(int p) const { return p == 0 || m.column + p * apart < columns; }
    __device__ void finish_row(const block_operands<T> &a, int64_t i, const T (&sum)[P][W]) const
    {
#pragma unroll
        for (int p = 0; p < P; p++) {
            if (m.column + p * apart < columns) finish_columns(a, m.column + p * apart, i, sum[p]);
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

    lane.visit([&](auto *index) {
        some_entries<T, once> now, next;
        now.template read<STEP>(lane, index, 0);
#pragma unroll 1 // an unrolled loop needs many registers, and fewer warps run at once
        for (int32_t k = 0; k < lane.columns; k += once) {
            gs_pack<T, W> x[once][P];
            next.template read<STEP>(lane, index, k + once);
#pragma unroll
            for (int u = 0; u < once; u++) {
#pragma unroll
                for (int p = 0; p < P; p++) {
                    x[u][p] = packs_of_thread.m.read_if(packs_of_thread.has(p) ? now.c[u] : -1,
                                                        p * packs_of_thread.apart);
                }
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

template <class T, class V, int W, int G, int P>
__device__ __forceinline__ void sum_slices(const gs_sliced &s, const block_operands<T> &a,
                                           const chunk_of_work &work)
{
    const packs<T, W, G, P> packs_of_thread(a, work.chunk);
    const block_lane_state<V, 32> lane_state(s, work.at * (32 / G) + packs_of_thread.m.subwarp);
    T sum[P][W] = {};

    add_products<32>(packs_of_thread, lane_state.entries, sum);
    if (lane_state.row >= 0) packs_of_thread.finish_row(a, lane_state.row, sum);
}

// A warp sums a part of a long row: subwarp s of n takes entries s, s + n, ... If the warp finishes
// last among the parts of the row, it adds them in their order.
template <class T, int W, int G, int P>
__device__ __forceinline__ void sum_part(const gs_sliced &s, const block_operands<T> &a,
                                         const chunk_of_work &work)
{
    constexpr int subwarps = 32 / G;
    const gs_row_part part = s.part[work.at];
    const packs<T, W, G, P> packs_of_thread(a, work.chunk);
    const int subwarp = packs_of_thread.m.subwarp;
    T sum[P][W] = {};

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
#pragma unroll
            for (int w = 0; w < W; w++) sum[p][w] = 0;
        }
        for (int k = subwarp; k < part.parts; k += subwarps) {
#pragma unroll
            for (int p = 0; p < P; p++) {
#pragma unroll
                for (int w = 0; w < W; w++) {
                    sum[p][w] +=
                        __ldcg(&sums[(part.first + k) * step + p * packs_of_thread.apart + w]);
                }
            }
        }
#pragma unroll
        for (int p = 0; p < P; p++) add_subwarps<T, W, G>(sum[p], 16);
    }
    if (subwarp == 0) packs_of_thread.finish_row(a, part.row, sum);
}

// A warp has a part of a long row, or 32 / G lanes of slices, and one chunk of columns.
template <class T, class V, int W, int G, int P>
__global__ void __launch_bounds__(gs_block_size, 4)
    slices_and_parts(gs_sliced s, block_operands<T> a, int for_parts, gs_guard guard)
{
    if (guard.has_ended()) return;
    if ((int)blockIdx.x < for_parts) {
        const chunk_of_work work(a.chunks);
        if (work.at < s.parts) sum_part<T, W, G, P>(s, a, work);
        return;
    }
    const chunk_of_work work(a.chunks, for_parts);
    if (work.at * (32 / G) < (int64_t)s.slices * 32) sum_slices<T, V, W, G, P>(s, a, work);
}

template <class T, class V, int W, int G, int P>
gsolve_status launch(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    constexpr int subwarps = 32 / G;

    a.chunks = (a.columns + G * P * W - 1) / (G * P * W);
    const int for_parts = blocks_for((int64_t)s->parts * 32 * a.chunks);
    const int64_t warps = (int64_t)s->slices * 32 / subwarps * a.chunks;
    const int64_t grid = for_parts + (warps * 32 + gs_block_size - 1) / gs_block_size;
    if (grid > INT32_MAX) {
        return gsolve_fail(q->ctx, GSOLVE_UNSUPPORTED,
                           "a product with %d columns needs 2^31 thread blocks or more; multiply "
                           "fewer columns at a time",
                           a.columns);
    }
    return gs_launch_pdl(q, "the product of columns by slices and parts",
                         slices_and_parts<T, V, W, G, P>, (int)grid, gs_block_size, *s, a,
                         for_parts);
}

// A subwarp for all columns: these are at most GS_SLICED_BLOCK, so there are at most
// GS_SLICED_CHUNKS chunks.
template <class T, class V, int W>
gsolve_status choose_subwarp(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    const int packs = (a.columns + W - 1) / W;

    if (packs == 1) return launch<T, V, W, 1, 1>(q, s, a);
    if (packs == 2) return launch<T, V, W, 2, 1>(q, s, a);
    if (packs <= 4) return launch<T, V, W, 2, 2>(q, s, a);
    if (packs <= 8) return launch<T, V, W, 4, 2>(q, s, a);
    return launch<T, V, W, 8, 2>(q, s, a);
}

} // namespace

namespace gs_by_slices
{

template <class T, class V>
gsolve_status gs_sliced_row_major_long(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    return takes_packs(a) ? choose_subwarp<T, V, gs_wide<T>>(q, s, a)
                          : choose_subwarp<T, V, 1>(q, s, a);
}

template gsolve_status gs_sliced_row_major_long<float, float>(gs_queue *, const gs_sliced *,
                                                              const block_operands<float> &);
template gsolve_status gs_sliced_row_major_long<double, float>(gs_queue *, const gs_sliced *,
                                                               const block_operands<double> &);
template gsolve_status gs_sliced_row_major_long<double, double>(gs_queue *, const gs_sliced *,
                                                                const block_operands<double> &);

} // namespace gs_by_slices
