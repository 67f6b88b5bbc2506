// sliced_row_major_cuda.cu: the product with several columns at once on a GPU, x row-major, by
// subwarps (see subwarps.cuh): all elements of x that an entry multiplies lie together, and a
// subwarp reads them in packs of 16 bytes.
//
// A subwarp has one lane of a slice. All its threads read the lane's entries, and each multiplies
// its own packs of x. The subwarps of a warp have neighbouring lanes, whose entries are
// contiguous. A thread keeps the sums of one or two packs, so a multiprocessor has registers for
// many warps; the number of warps, rather than prefetching, hides the wait for x. With two packs, a
// thread uses each entry for twice as many columns.
//
// Where there are parts of long rows besides slices of 32 lanes with one row per lane, one launch
// computes both: the first blocks take the parts, which are few and take long, so that they start
// first. This kernel needs few registers: FEW selects the code for it. With two launches, products
// took 1.25 to 2.04 times as long (H200, docs/decisions/021).
#include "spmv/sliced/sliced_block.cuh"

using namespace gs_by_slices;

namespace
{

constexpr int in_flight = 4; // packs of x that a thread has in flight

// A thread of a subwarp of G threads, with P packs, G W columns apart.
template <class T, int W, int G, int P>
struct packs {
    static constexpr int apart = G * W;
    member<T, W, G> m; // the thread's first pack
    int columns;       // of the operands
    int after[P];      // distance from the first pack to each; 0 where the thread lacks the pack

    __device__ packs(const block_operands<T> &a, int chunk) : m(a, chunk * P), columns(a.columns)
    {
#pragma unroll
        for (int p = 0; p < P; p++) after[p] = has(p) ? p * apart : 0;
    }
    __device__ bool has(int p) const { return m.column + p * apart < columns; }

    // Pack p of row c of x; zeros if c is -1. Without FEW, a thread that lacks the pack reads
    // another one instead.
    template <bool FEW>
    __device__ __forceinline__ gs_pack<T, W> read_if(int32_t c, int p) const
    {
        if (FEW) return m.read_if(p == 0 || has(p) ? c : -1, p * apart);
        return m.read_if(c, after[p]);
    }
    __device__ void finish_row(const block_operands<T> &a, int64_t i, const T (&sum)[P][W]) const
    {
#pragma unroll
        for (int p = 0; p < P; p++) {
            if (has(p)) finish_columns(a, m.column + p * apart, i, sum[p]);
        }
    }
};

// sum += the products of COUNT entries.
template <bool FEW, int COUNT, class T, int W, int G, int P>
__device__ __forceinline__ void add_some(const packs<T, W, G, P> &packs_of_thread,
                                         const some_entries<T, COUNT> &e, T (&sum)[P][W])
{
    gs_pack<T, W> x[COUNT][P];

#pragma unroll
    for (int u = 0; u < COUNT; u++) {
#pragma unroll
        for (int p = 0; p < P; p++) x[u][p] = packs_of_thread.template read_if<FEW>(e.c[u], p);
    }
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
#pragma unroll
        for (int p = 0; p < P; p++) {
#pragma unroll
            for (int w = 0; w < W; w++) sum[p][w] += e.v[u] * x[u][p].v[w];
        }
    }
}

// sum += the products of the lane's entries. The next entries are loaded while the present ones are
// multiplied.
template <int STEP, bool FEW, class T, class V, int W, int G, int P>
__device__ __forceinline__ void add_products(const packs<T, W, G, P> &packs_of_thread,
                                             const lane_entries<V> &lane, T (&sum)[P][W])
{
    constexpr int once = in_flight / P;

    lane.template visit<FEW>([&](auto *index, auto base) {
        some_entries<T, once> now, next;
        const auto step = [&](int32_t k) {
            next.template read<STEP>(lane, index, base, k + once);
            add_some<FEW>(packs_of_thread, now, sum);
            now = next;
        };
        now.template read<STEP>(lane, index, base, 0);
        if constexpr (FEW) {
#pragma unroll 1 // an unrolled loop needs many registers, and fewer warps run at once
            for (int32_t k = 0; k < lane.columns; k += once) step(k);
        } else {
            for (int32_t k = 0; k < lane.columns; k += once) step(k);
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

// Sums 32 / G lanes of slices for one chunk of columns. STEP: lanes of a slice, or 0.
template <int STEP, bool FEW, class V, class T, int W, int G, int P>
__device__ __forceinline__ void sum_slices(const gs_sliced &s, const block_operands<T> &a,
                                           const chunk_of_work &work)
{
    const packs<T, W, G, P> packs_of_thread(a, work.chunk);
    const block_lane_state<V, FEW ? STEP : 0, FEW> lane_state(s, work.at * (32 / G) +
                                                                     packs_of_thread.m.subwarp);
    T sum[P][W] = {};

    add_products<STEP, FEW>(packs_of_thread, lane_state.entries, sum);
    if (!FEW && s.most_row_shift > 0) {
        add_row_lanes<T, W, G, P>(lane_state.row_shift, s.most_row_shift, sum);
    }
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

    add_products<subwarps, true>(packs_of_thread, part_entries<T>(s, part, subwarp, subwarps), sum);
#pragma unroll
    for (int p = 0; p < P; p++) add_subwarps<T, W, G>(sum[p], 16);
    finish_part<G>(part, work.at, (T *)s.sum + packs_of_thread.m.column,
                   (int64_t)a.chunks * G * P * W, &s.done[part.l * GS_SLICED_CHUNKS + work.chunk],
                   sum, [&] {
                       if (subwarp == 0) packs_of_thread.finish_row(a, part.row, sum);
                   });
}

// A warp has 32 / G lanes and one chunk of columns. STEP: lanes of a slice, or 0.
template <class T, class V, int W, int G, int P, int STEP>
__global__ void __launch_bounds__(gs_block_size)
    slices_by_subwarps(gs_sliced s, block_operands<T> a, gs_guard guard)
{
    const chunk_of_work work(a.chunks);

    if (guard.has_ended()) return;
    if (work.at * (32 / G) >= (int64_t)s.slices << s.shift) return;
    sum_slices<STEP, false, V, T, W, G, P>(s, a, work);
}

// A warp has a part of a long row and one chunk of columns.
template <class T, int W, int G, int P>
__global__ void __launch_bounds__(gs_block_size)
    parts_by_subwarps(gs_sliced s, block_operands<T> a, gs_guard guard)
{
    const chunk_of_work work(a.chunks);

    if (guard.has_ended()) return;
    if (work.at < s.parts) sum_part<T, W, G, P>(s, a, work);
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
    if (work.at * (32 / G) < (int64_t)s.slices * 32)
        sum_slices<32, true, V, T, W, G, P>(s, a, work);
}

// --- launches ---------------------------------------------------------------------------------

template <int GROUP, int PACKS>
struct shape { // of a subwarp
    static constexpr int G = GROUP, P = PACKS;
};

// Calls launch with a subwarp for that many packs, or the widest with at most `most` threads.
template <class Launch>
gsolve_status choose_subwarp(int packs, int most, Launch launch)
{
    if (most == 1 || packs == 1) return launch(shape<1, 1>());
    if (packs == 2) return launch(shape<2, 1>());
    if (most == 2 || packs <= 4) return launch(shape<2, 2>());
    if (most == 4 || packs <= 8) return launch(shape<4, 2>());
    return launch(shape<8, 2>());
}

// Blocks for that many warps for each chunk of columns.
int64_t blocks_of_warps(int64_t warps, int chunks)
{
    return (warps * chunks * 32 + gs_block_size - 1) / gs_block_size;
}

template <class T, class V, int W, int STEP>
gsolve_status launch_slices(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    const int most = 32 >> s->most_row_shift; // so that a warp has all lanes of a row

    return choose_subwarp((a.columns + W - 1) / W, most, [&](auto by) {
        constexpr int G = decltype(by)::G, P = decltype(by)::P, subwarps = 32 / G;
        const int64_t lanes = (int64_t)s->slices << s->shift;
        a.chunks = (a.columns + G * P * W - 1) / (G * P * W);
        return launch_columns(q, "the product of columns by slices",
                              slices_by_subwarps<T, V, W, G, P, STEP>,
                              blocks_of_warps((lanes + subwarps - 1) / subwarps, a.chunks),
                              gs_block_size, a.columns, *s, a);
    });
}

// A part has two subwarps or more.
template <class T, int W>
gsolve_status launch_parts(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    const int packs = (a.columns + W - 1) / W;

    return choose_subwarp(packs < 2 ? 2 : packs, 32, [&](auto by) {
        constexpr int G = decltype(by)::G, P = decltype(by)::P;
        a.chunks = (a.columns + G * P * W - 1) / (G * P * W);
        return launch_columns(q, "the product of columns by parts", parts_by_subwarps<T, W, G, P>,
                              blocks_of_warps(s->parts, a.chunks), gs_block_size, a.columns, *s, a);
    });
}

// The columns are at most GS_SLICED_BLOCK, so there are at most GS_SLICED_CHUNKS chunks.
template <class T, class V, int W>
gsolve_status launch_both(gs_queue *q, const gs_sliced *s, block_operands<T> a)
{
    return choose_subwarp((a.columns + W - 1) / W, 32, [&](auto by) {
        constexpr int G = decltype(by)::G, P = decltype(by)::P;
        a.chunks = (a.columns + G * P * W - 1) / (G * P * W);
        const int for_parts = (int)blocks_of_warps(s->parts, a.chunks);
        return launch_columns(q, "the product of columns by slices and parts",
                              slices_and_parts<T, V, W, G, P>,
                              for_parts + blocks_of_warps((int64_t)s->slices * G, a.chunks),
                              gs_block_size, a.columns, *s, a, for_parts);
    });
}

template <class T, class V, int W>
gsolve_status multiply(gs_queue *q, const gs_sliced *s, const block_operands<T> &a)
{
    gsolve_status status = GSOLVE_OK;

    if (gs_sliced_row_per_lane(s) && s->parts > 0) return launch_both<T, V, W>(q, s, a);
    if (s->slices > 0) {
        TRY((s->lanes == 32 ? launch_slices<T, V, W, 32>(q, s, a)
                            : launch_slices<T, V, W, 0>(q, s, a)));
    }
    if (s->parts > 0) TRY((launch_parts<T, W>(q, s, a)));
done:
    return status;
}

} // namespace

template <class T, class V>
gsolve_status gs_by_slices::gs_sliced_row_major(gs_queue *q, const gs_sliced *s,
                                                const block_operands<T> &a)
{
    return takes_packs(a) ? multiply<T, V, gs_wide<T>>(q, s, a) : multiply<T, V, 1>(q, s, a);
}

template gsolve_status gs_by_slices::gs_sliced_row_major<float, float>(
    gs_queue *, const gs_sliced *, const block_operands<float> &);
template gsolve_status gs_by_slices::gs_sliced_row_major<double, float>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
template gsolve_status gs_by_slices::gs_sliced_row_major<double, double>(
    gs_queue *, const gs_sliced *, const block_operands<double> &);
