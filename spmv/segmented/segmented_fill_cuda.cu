// segmented_fill_cuda.cu: the groups of sum=thread on a GPU: where each group begins, and its
// entries.
#include "core/scan.cuh"
#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

constexpr int block = 128, warps = block / 32; // of fill_groups
constexpr int chunk = 8; // entries of each segment that a warp reads at once, of several segments
constexpr int at_once = 16; // wide groups: segments whose loads overlap

// Elements in a row of the shared tile, so that neither writes nor reads have bank conflicts: of
// chunk rows, and of 32.
template <class T>
constexpr int pitch = 32 + 16 / (int)sizeof(T);
constexpr int wide_pitch = 33;

// The shared memory of a warp: a tile of values and one of columns, or one wide tile of either.
template <class T>
union tiles {
    struct {
        T value[chunk][pitch<T>];
        int32_t col[chunk][pitch<int32_t>];
    } narrow;
    T value[32][wide_pitch];
    int32_t col[32][wide_pitch];
};

// width[g] = stored entries of group g, for g < groups; width[groups] = 0. A warp measures a group.
template <class O>
__global__ void measure_widths(segments_of<O> s, int groups, int64_t *width)
{
    const int64_t g = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;

    if (g > groups) return;
    const int64_t i = g * 32 + threadIdx.x % 32;
    const int longest = __reduce_max_sync(~0u, i < s.count ? s.entries((int32_t)i) : 0);
    if (threadIdx.x % 32 == 0) width[g] = 32 * (int64_t)longest;
}

template <class O>
gsolve_status measure_groups(gs_segmented *s, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int64_t n = (int64_t)s->groups + 1;
    size_t bytes = 0;
    void *space = nullptr;
    gsolve_status status;

    gs_exclusive_sum(nullptr, bytes, s->first, s->first, n, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(q, "measuring groups", measure_widths<O>, blocks_for(32 * n), gs_block_size,
                  segments_of<O>(s), s->groups, s->first));
    TRY(gs_cuda(q, gs_exclusive_sum(space, bytes, s->first, s->first, n, q->stream),
                "numbering entries of groups"));
    TRY(gsolve_copy(ctx, &s->stored, GSOLVE_HOST, s->first + s->groups, GSOLVE_DEVICE,
                    sizeof s->stored));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// The segments of a group, one per lane: first entry, number of entries. width: of the longest.
struct group {
    int64_t from;
    int size, width;
};

// Writes the group's entries: entry j of all 32 segments is contiguous. A tile in shared memory
// transposes: the warp reads `chunk` entries of several segments at a time. to_col and to_value
// point to the first slot of this lane.
template <class T, bool COLUMNS>
__device__ void fill_narrow(tiles<T> &tile, const group &g, const int32_t *col, const T *value,
                            int32_t *to_col, T *to_value)
{
    const int lane = (int)threadIdx.x % 32;
    const int segment = lane / chunk; // the thread's segment among those read together
    const int k = lane % chunk;       // the thread's entry of the segment

    for (int j = 0; j < g.width; j += chunk) {
        T v[chunk];
        int32_t c[chunk];
#pragma unroll
        for (int u = 0; u < chunk; u++) {
            const int l = u * (32 / chunk) + segment;
            const int64_t entry = __shfl_sync(~0u, g.from, l) + j + k;
            const bool in = j + k < __shfl_sync(~0u, g.size, l);
            v[u] = in ? value[entry] : T(0);
            if constexpr (COLUMNS) c[u] = in ? col[entry] : -1;
        }
#pragma unroll
        for (int u = 0; u < chunk; u++) {
            tile.narrow.value[k][u * (32 / chunk) + segment] = v[u];
            if constexpr (COLUMNS) tile.narrow.col[k][u * (32 / chunk) + segment] = c[u];
        }
        __syncwarp();
#pragma unroll
        for (int u = 0; u < chunk; u++) {
            if (j + u >= g.width) break;
            to_value[32 * (j + u)] = tile.narrow.value[u][lane];
            if constexpr (COLUMNS) to_col[32 * (j + u)] = tile.narrow.col[u][lane];
        }
        __syncwarp();
    }
}

// Writes entries j to j + 31 of each segment. The warp reads one segment after the other, so that
// its loads are contiguous.
template <class E>
__device__ void fill_columns(E (&tile)[32][wide_pitch], const group &g, int j, const E *entries,
                             E padding, E *to)
{
    const int lane = (int)threadIdx.x % 32;

    for (int first = 0; first < 32; first += at_once) {
        E e[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t from = __shfl_sync(~0u, g.from, first + u);
            const bool in = j + lane < __shfl_sync(~0u, g.size, first + u);
            e[u] = in ? entries[from + j + lane] : padding;
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) tile[lane][first + u] = e[u];
    }
    __syncwarp();
#pragma unroll 8
    for (int u = 0; u < 32; u++) {
        if (j + u < g.width) to[32 * (j + u)] = tile[u][lane];
    }
    __syncwarp();
}

// A warp writes one group. Groups of up to 2 chunk columns use fill_narrow.
template <class T, class O, bool COLUMNS>
__global__ void __launch_bounds__(block)
    fill_groups(segments_of<O> s, int groups, const int64_t *first, const int32_t *col,
                const T *value, int32_t *to_col, T *to_value)
{
    __shared__ tiles<T> tile[warps];
    const int64_t at = (int64_t)blockIdx.x * warps + threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

    if (at >= groups) return;
    const int64_t i = at * 32 + lane, to = first[at] + lane;
    const group g = {i < s.count ? (int64_t)s.begin((int32_t)i) : 0,
                     i < s.count ? s.entries((int32_t)i) : 0,
                     (int)((first[at + 1] - first[at]) / 32)};

    if (g.width <= 2 * chunk) {
        fill_narrow<T, COLUMNS>(tile[warp], g, col, value, to_col + to, to_value + to);
        return;
    }
    for (int j = 0; j < g.width; j += 32) {
        fill_columns(tile[warp].value, g, j, value, T(0), to_value + to);
        if constexpr (COLUMNS) fill_columns(tile[warp].col, g, j, col, (int32_t)-1, to_col + to);
    }
}

template <class T, class O>
gsolve_status fill(gs_segmented *s, gsolve_context *ctx, bool columns)
{
    const auto kernel = columns ? fill_groups<T, O, true> : fill_groups<T, O, false>;

    if (s->groups == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "filling groups", kernel, (s->groups + warps - 1) / warps, block,
                     segments_of<O>(s), s->groups, s->first, s->csr.col, (const T *)s->csr.value,
                     s->col, (T *)s->value);
}

} // namespace

gsolve_status gs_segmented_measure_groups(gs_segmented *s, gsolve_context *ctx)
{
    return s->csr.offset == GSOLVE_O64 ? measure_groups<int64_t>(s, ctx)
                                       : measure_groups<int32_t>(s, ctx);
}

gsolve_status gs_segmented_fill(gs_segmented *s, gsolve_context *ctx, bool columns)
{
    if (s->csr.type == GSOLVE_F32) {
        return s->csr.offset == GSOLVE_O64 ? fill<float, int64_t>(s, ctx, columns)
                                           : fill<float, int32_t>(s, ctx, columns);
    }
    return s->csr.offset == GSOLVE_O64 ? fill<double, int64_t>(s, ctx, columns)
                                       : fill<double, int32_t>(s, ctx, columns);
}
