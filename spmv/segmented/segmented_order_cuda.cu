// segmented_order_cuda.cu: the order of segments on a GPU: whether columns decide it, and the sort.
#include <cub/device/device_radix_sort.cuh>

#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// The column that segment i begins with; 0 for an empty one.
template <class O>
__device__ int32_t first_column(const segments_of<O> &s, const int32_t *col, int32_t i)
{
    return s.size[i] > 0 ? col[s.from[i]] : 0;
}

struct widths { // numbers of whole segments
    int full, narrow, apart;
};

template <class O>
__global__ void look_at_columns(segments_of<O> s, const int32_t *col, int length, int64_t near,
                                widths *out)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x + GS_SEGMENT_AROUND;
    int full = 0, narrow = 0, apart = 0;

    if (i < s.count && s.size[i] == length) {
        const int64_t first = first_column(s, col, (int32_t)i);
        const int64_t step = first - first_column(s, col, (int32_t)(i - GS_SEGMENT_AROUND));
        full = 1;
        narrow = col[s.from[i] + length - 1] - first <= near;
        apart = step > near || step < -near;
    }
    full = __reduce_add_sync(~0u, full);
    narrow = __reduce_add_sync(~0u, narrow);
    apart = __reduce_add_sync(~0u, apart);
    if (threadIdx.x % 32 == 0 && full > 0) {
        atomicAdd(&out->full, full);
        atomicAdd(&out->narrow, narrow);
        atomicAdd(&out->apart, apart);
    }
}

template <class O>
gsolve_status look(const gs_segmented *s, gsolve_context *ctx, bool *by_columns)
{
    gs_queue *q = ctx->queue;
    const int64_t near = GS_SEGMENT_NEAR / (int64_t)gs_type_size(s->csr.type);
    widths *out = nullptr, found = {};
    gsolve_status status;

    *by_columns = false;
    if (s->segments <= GS_SEGMENT_AROUND) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, out, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(out, 0, sizeof *out, q->stream), "a look at the columns"));
    TRY(gs_launch(q, "a look at the columns", look_at_columns<O>,
                  blocks_for(s->segments - GS_SEGMENT_AROUND), gs_block_size, segments_of<O>(s),
                  s->csr.col, s->length, near, out));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, out, GSOLVE_DEVICE, sizeof found));
    *by_columns = (int64_t)found.full * s->length > s->entries / 2 &&
                  found.narrow > found.full / 2 && found.apart > found.full / 2;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, out);
    return status;
}

template <class O>
__global__ void make_keys(segments_of<O> s, const int32_t *col, int length, int order,
                          uint32_t *key, int32_t *segment)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (at >= s.count) return;
    const int32_t i = (int32_t)at;
    const int32_t coarse = order == GS_ORDER_COLUMNS ? first_column(s, col, i) / GS_SEGMENT_COLUMNS
                                                     : i / GS_SEGMENT_WINDOW;
    key[i] = (uint32_t)coarse * (uint32_t)(length + 1) + (uint32_t)(length - s.size[i]);
    segment[i] = i;
}

template <class O>
__global__ void permute(int32_t n, const int32_t *order, segments_of<O> s, const int32_t *target,
                        O *to_from, uint16_t *to_size, int32_t *to_target)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i >= n) return;
    to_from[i] = s.from[order[i]];
    to_size[i] = s.size[order[i]];
    to_target[i] = target[order[i]];
}

// Bits of the greatest key.
int key_bits(const gs_segmented *s, int order)
{
    const int64_t coarse = order == GS_ORDER_COLUMNS ? s->csr.ncols / GS_SEGMENT_COLUMNS
                                                     : s->segments / GS_SEGMENT_WINDOW;
    const int64_t most = (coarse + 1) * (s->length + 1);
    int bits = 1;

    while (bits < 32 && most >> bits) bits++;
    return bits;
}

// The tables in that order, instead of those that there are.
template <class O>
gsolve_status reorder(gs_segmented *s, gsolve_context *ctx, const int32_t *order)
{
    O *from = nullptr;
    uint16_t *size = nullptr;
    int32_t *target = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, from, s->segments);
    ALLOC_DEVICE(ctx, size, s->segments);
    ALLOC_DEVICE(ctx, target, s->segments);
    TRY(gs_launch(ctx->queue, "segments in their order", permute<O>, blocks_for(s->segments),
                  gs_block_size, s->segments, order, segments_of<O>(s), s->target, from, size,
                  target));
    gsolve_free(ctx, GSOLVE_DEVICE, s->from);
    gsolve_free(ctx, GSOLVE_DEVICE, s->size);
    gsolve_free(ctx, GSOLVE_DEVICE, s->target);
    s->from = from;
    s->size = size;
    s->target = target;
    return GSOLVE_OK;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, from);
    gsolve_free(ctx, GSOLVE_DEVICE, size);
    gsolve_free(ctx, GSOLVE_DEVICE, target);
    return status;
}

template <class O>
gsolve_status sort(gs_segmented *s, gsolve_context *ctx, int order)
{
    gs_queue *q = ctx->queue;
    const int32_t n = s->segments;
    const int bits = key_bits(s, order);
    uint32_t *key = nullptr, *sorted = nullptr;
    int32_t *segment = nullptr, *place = nullptr;
    size_t bytes = 0;
    void *space = nullptr;
    gsolve_status status = GSOLVE_OK;

    if (n == 0) return status;
    ALLOC_DEVICE(ctx, key, n);
    ALLOC_DEVICE(ctx, sorted, n);
    ALLOC_DEVICE(ctx, segment, n);
    ALLOC_DEVICE(ctx, place, n);
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, key, sorted, segment, place, n, 0, bits,
                                    q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(q, "keys of segments", make_keys<O>, blocks_for(n), gs_block_size,
                  segments_of<O>(s), s->csr.col, s->length, order, key, segment));
    TRY(gs_cuda(q,
                cub::DeviceRadixSort::SortPairs(space, bytes, key, sorted, segment, place, n, 0,
                                                bits, q->stream),
                "sorting segments"));
    TRY(reorder<O>(s, ctx, place));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, key);
    gsolve_free(ctx, GSOLVE_DEVICE, sorted);
    gsolve_free(ctx, GSOLVE_DEVICE, segment);
    gsolve_free(ctx, GSOLVE_DEVICE, place);
    return status;
}

} // namespace

gsolve_status gs_segmented_look_cuda(const gs_segmented *s, gsolve_context *ctx, bool *by_columns)
{
    return s->csr.offset == GSOLVE_O64 ? look<int64_t>(s, ctx, by_columns)
                                       : look<int32_t>(s, ctx, by_columns);
}

gsolve_status gs_segmented_sort_cuda(gs_segmented *s, gsolve_context *ctx, int order)
{
    return s->csr.offset == GSOLVE_O64 ? sort<int64_t>(s, ctx, order)
                                       : sort<int32_t>(s, ctx, order);
}
