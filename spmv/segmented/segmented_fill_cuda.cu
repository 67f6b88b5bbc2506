// segmented_fill_cuda.cu: the groups that threads sum, on a GPU: where each begins, and what is in
// it.
#include <cub/device/device_scan.cuh>

#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

constexpr int warps = gs_block_size / 32;
constexpr int chunk = 8; // entries of each segment that a warp reads at once

// Numbers of a row of the shared tile, so that neither writing nor reading it meets a bank twice.
template <class T>
constexpr int pitch = 32 + 16 / (int)sizeof(T);

// width[g] = entries that group g stores, for g < groups; 0 for g = groups. A warp a group.
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

    cub::DeviceScan::ExclusiveSum(nullptr, bytes, s->first, s->first, n, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(q, "measuring groups", measure_widths<O>, blocks_for(32 * n), gs_block_size,
                  segments_of<O>(s), s->groups, s->first));
    TRY(gs_cuda(q, cub::DeviceScan::ExclusiveSum(space, bytes, s->first, s->first, n, q->stream),
                "places of groups"));
    TRY(gsolve_copy(ctx, &s->stored, GSOLVE_HOST, s->first + s->groups, GSOLVE_DEVICE,
                    sizeof s->stored));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// A warp a group: it reads a few entries of each segment, of several segments side by side, and
// writes them an entry of every segment side by side, by way of a tile in shared memory.
template <class T, class O, bool COLUMNS>
__global__ void __launch_bounds__(gs_block_size)
    fill_groups(segments_of<O> s, int groups, const int64_t *first, const int32_t *col,
                const T *value, int32_t *to_col, T *to_value)
{
    __shared__ T values[warps][chunk][pitch<T>];
    __shared__ int32_t columns[COLUMNS ? warps : 1][chunk][pitch<int32_t>];
    const int64_t g = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int beside = lane / chunk, k = lane % chunk; // this thread's segment of a few; its entry

    if (g >= groups) return;
    const int64_t i = g * 32 + lane, at = first[g] + lane;
    const int64_t from = i < s.count ? (int64_t)s.begin((int32_t)i) : 0;
    const int size = i < s.count ? s.entries((int32_t)i) : 0;
    const int width = (int)((first[g + 1] - first[g]) / 32);

    for (int j = 0; j < width; j += chunk) {
        T v[chunk];
        int32_t c[chunk];
#pragma unroll
        for (int u = 0; u < chunk; u++) {
            const int l = u * (32 / chunk) + beside;
            const int64_t entry = __shfl_sync(~0u, from, l) + j + k;
            const bool in = j + k < __shfl_sync(~0u, size, l);
            v[u] = in ? value[entry] : T(0);
            if constexpr (COLUMNS) c[u] = in ? col[entry] : -1;
        }
#pragma unroll
        for (int u = 0; u < chunk; u++) {
            values[warp][k][u * (32 / chunk) + beside] = v[u];
            if constexpr (COLUMNS) columns[warp][k][u * (32 / chunk) + beside] = c[u];
        }
        __syncwarp();
#pragma unroll
        for (int u = 0; u < chunk; u++) {
            if (j + u >= width) break;
            to_value[at + 32 * (j + u)] = values[warp][u][lane];
            if constexpr (COLUMNS) to_col[at + 32 * (j + u)] = columns[warp][u][lane];
        }
        __syncwarp();
    }
}

template <class T, class O>
gsolve_status fill(gs_segmented *s, gsolve_context *ctx, bool columns)
{
    const auto kernel = columns ? fill_groups<T, O, true> : fill_groups<T, O, false>;

    if (s->groups == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "filling groups", kernel, blocks_for(32 * (int64_t)s->groups),
                     gs_block_size, segments_of<O>(s), s->groups, s->first, s->csr.col,
                     (const T *)s->csr.value, s->col, (T *)s->value);
}

} // namespace

gsolve_status gs_segmented_measure_groups_cuda(gs_segmented *s, gsolve_context *ctx)
{
    return s->csr.offset == GSOLVE_O64 ? measure_groups<int64_t>(s, ctx)
                                       : measure_groups<int32_t>(s, ctx);
}

gsolve_status gs_segmented_fill_cuda(gs_segmented *s, gsolve_context *ctx, bool columns)
{
    if (s->csr.type == GSOLVE_F32) {
        return s->csr.offset == GSOLVE_O64 ? fill<float, int64_t>(s, ctx, columns)
                                           : fill<float, int32_t>(s, ctx, columns);
    }
    return s->csr.offset == GSOLVE_O64 ? fill<double, int64_t>(s, ctx, columns)
                                       : fill<double, int32_t>(s, ctx, columns);
}
