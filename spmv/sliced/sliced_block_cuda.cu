// sliced_block_cuda.cu: the product with several columns at once on a GPU where x lies by rows: all
// that an entry multiplies is one piece of memory, which a few threads, a team, read in packs of 16
// bytes.
//
// The lanes of a warp read 32 entries of 32 lanes of a slice side by side, as for one column. Then
// each of the warp's teams takes one of them after the other: by a shuffle it learns the column and
// the value, and each of its threads multiplies its own pack of x. So a thread holds the sums of
// its pack for as many lanes as a team has threads.
#include "spmv/sliced/sliced_block.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int in_flight = 4; // packs of x that a thread waits for at once

template <class T, int W, int G>
struct sums {
    T of[G][W];
};

// sum += the products of the 32 entries e of the warp's lanes. FULL: none is padding.
template <bool FULL, class T, class V, int W, int G>
__device__ __forceinline__ void add_products(const member<T, W, G> &m, entry<V> e,
                                             sums<T, W, G> &sum)
{
    constexpr int once = G < in_flight ? G : in_flight;

#pragma unroll
    for (int s = 0; s < G; s += once) {
        gs_pack<T, W> x[once];
        T v[once];
#pragma unroll
        for (int u = 0; u < once; u++) {
            const int from = (s + u) * m.teams + m.team;
            const int32_t c = G > 1 ? __shfl_sync(all_lanes, e.c, from) : e.c;
            x[u] = FULL ? m.read(c) : m.read_if(c);
            v[u] = (T)(G > 1 ? __shfl_sync(all_lanes, e.v, from) : e.v);
        }
#pragma unroll
        for (int u = 0; u < once; u++) {
#pragma unroll
            for (int w = 0; w < W; w++) sum.of[s + u][w] += v[u] * x[u].v[w];
        }
    }
}

// The sums over all entries of the warp's lanes; the next entries are read meanwhile.
template <class T, class V, int W, int G>
__device__ __forceinline__ void add_lanes(const member<T, W, G> &m, const lane_entries<V> &lane,
                                          sums<T, W, G> &sum)
{
    constexpr int once = 2;
    const int32_t most = __reduce_max_sync(all_lanes, lane.columns);
    entry<V> now[once];

#pragma unroll
    for (int u = 0; u < once; u++) now[u] = lane.at(u);
    for (int32_t k = 0; k < most; k += once) {
        entry<V> next[once];
#pragma unroll
        for (int u = 0; u < once; u++) next[u] = lane.at(k + once + u);
#pragma unroll
        for (int u = 0; u < once; u++) {
            if (__all_sync(all_lanes, now[u].c >= 0)) {
                add_products<true>(m, now[u], sum);
            } else {
                add_products<false>(m, now[u], sum);
            }
        }
#pragma unroll
        for (int u = 0; u < once; u++) now[u] = next[u];
    }
}

// Each sum that of all lanes of a row, in all of them; share: log2 of those of this thread's lane;
// most: at most.
template <class T, int W, int G>
__device__ void add_shares(const member<T, W, G> &m, int share, int most, sums<T, W, G> &sum)
{
    constexpr int teams = 32 / G;

    for (int d = (1 << most) / 2; d > 0; d /= 2) {
        sums<T, W, G> other;
#pragma unroll
        for (int s = 0; s < G; s++) {
#pragma unroll
            for (int w = 0; w < W; w++) {
                other.of[s][w] = __shfl_xor_sync(all_lanes, sum.of[s][w], d < teams ? d * G : 0);
            }
        }
#pragma unroll
        for (int s = 0; s < G; s++) {
            const bool shared = d < 1 << __shfl_sync(all_lanes, share, s * teams + m.team);
#pragma unroll
            for (int far = 0; far < G; far++) { // so that a constant names the register
                if (!shared || far != (d < teams ? s : s ^ (d / teams))) continue;
#pragma unroll
                for (int w = 0; w < W; w++) sum.of[s][w] += other.of[far][w];
            }
        }
    }
}

constexpr int threads = 128; // of a block

template <class T, class V, int W, int G>
__global__ void __launch_bounds__(threads, G > 4 ? 4 : 8)
    slices_by_teams(gs_sliced s, block_operands<T> a, const int *ended)
{
    const chunk_of_work work(a.chunks);
    sums<T, W, G> sum = {};

    if (ended && *ended) return;
    if (work.at * 32 >= (int64_t)s.slices << s.shift) return;
    const member<T, W, G> m(a, work.chunk);
    const block_seat<V> seat(s, work.at * 32 + threadIdx.x % 32, a.chunks > 1);
    add_lanes(m, seat.entries, sum);
    if (s.most_share > 0) add_shares(m, seat.share, s.most_share, sum);
#pragma unroll
    for (int t = 0; t < G; t++) {
        const int32_t row = __shfl_sync(all_lanes, seat.row, t * m.teams + m.team);
        if (row >= 0 && !m.idle) finish_pack(a, m, row, sum.of[t]);
    }
}

// Parts of long rows, a warp each.
template <class T, int W, int G>
__global__ void __launch_bounds__(gs_block_size)
    parts_by_teams(gs_sliced s, block_operands<T> a, const int *ended)
{
    const chunk_of_work work(a.chunks);
    const int lane = (int)threadIdx.x % 32;
    sums<T, W, G> lanes = {};
    T sum[W] = {};

    if (ended && *ended) return;
    if (work.at >= s.parts) return;
    const gs_sliced_part part = s.part[work.at];
    const member<T, W, G> m(a, work.chunk);
    add_lanes(m, part_entries<T>(s, part, lane, a.chunks > 1), lanes);
#pragma unroll
    for (int t = 0; t < G; t++) {
#pragma unroll
        for (int w = 0; w < W; w++) sum[w] += lanes.of[t][w];
    }
    add_teams<T, W, G>(sum, 16);
    if (part.parts > 1) {
        T *room = (T *)s.sum + m.column; // of this thread's pack
        const int64_t step = (int64_t)a.chunks * G * W;
        if (lane < G) {
            for (int w = 0; w < W; w++) room[work.at * step + w] = sum[w];
        }
        if (!is_last(part.parts, &s.done[part.l * GS_SLICED_CHUNKS + work.chunk])) return;
        for (int w = 0; w < W; w++) {
            sum[w] = 0;
            for (int k = m.team; k < part.parts; k += m.teams) {
                sum[w] += __ldcg(&room[(part.first + k) * step + w]);
            }
        }
        add_teams<T, W, G>(sum, 16);
    }
    if (lane < G && !m.idle) finish_pack(a, m, part.row, sum);
}

template <class T, class V, int W, int G>
gsolve_status launch(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    const int64_t lanes = (int64_t)s->slices << s->shift;
    gsolve_status status = GSOLVE_OK;

    a.chunks = (a.columns + G * W - 1) / (G * W);
    const int64_t work = (lanes + 31) / 32 * 32 * a.chunks;
    if (work > 0) {
        TRY(gs_launch(q, "the product of columns by slices", slices_by_teams<T, V, W, G>,
                      (int)((work + threads - 1) / threads), threads, *s, a, q->guard));
    }
    if (s->parts > 0) {
        TRY(gs_launch(q, "the product of columns by parts", parts_by_teams<T, W, G>,
                      blocks_for((int64_t)s->parts * 32 * a.chunks), gs_block_size, *s, a,
                      q->guard));
    }
done:
    return status;
}

template <class T, class V, int W>
gsolve_status choose_team(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    if (W > 1 && a.columns <= W) return launch<T, V, W, 1>(q, s, a);
    if (a.columns <= 2 * W) return launch<T, V, W, 2>(q, s, a);
    if (a.columns <= 4 * W) return launch<T, V, W, 4>(q, s, a);
    return launch<T, V, W, 8>(q, s, a);
}

} // namespace

template <class T, class V>
gsolve_status gs_by_slices::gs_sliced_by_rows(gs_queue *q, const gs_sliced *s,
                                              const block_operands<T> &a)
{
    return takes_packs(a) ? choose_team<T, V, gs_wide<T>>(q, s, a) : choose_team<T, V, 1>(q, s, a);
}

template gsolve_status gs_by_slices::gs_sliced_by_rows<float, float>(gs_queue *, const gs_sliced *,
                                                                     const block_operands<float> &);
template gsolve_status gs_by_slices::gs_sliced_by_rows<double, float>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
template gsolve_status gs_by_slices::gs_sliced_by_rows<double, double>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
