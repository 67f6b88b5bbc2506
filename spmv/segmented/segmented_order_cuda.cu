// segmented_order_cuda.cu: the order of segments on a GPU: whether to sort by columns, and the
// sort.
#include "core/sort.cuh"
#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

// The column in the middle of segment i; 0 for an empty segment.
template <class O>
__device__ int32_t middle_column(const segments_of<O> &s, const int32_t *col, int32_t i)
{
    return s.size[i] > 0 ? col[s.from[i] + s.size[i] / 2] : 0;
}

struct distances { // counts of segments with `length` entries
    int full, apart;
};

// A thread compares one segment of full length with the segment GS_SEGMENT_AROUND before it, which
// the same multiprocessor computes at about the same time: apart counts pairs whose columns differ
// by more than `near`.
template <class O>
__global__ void inspect_columns(segments_of<O> s, const int32_t *col, int length, int64_t near,
                                distances *out)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x + GS_SEGMENT_AROUND;
    int full = 0, apart = 0;

    if (i < s.count && s.size[i] == length) {
        const int64_t step = (int64_t)middle_column(s, col, (int32_t)i) -
                             (int64_t)middle_column(s, col, (int32_t)(i - GS_SEGMENT_AROUND));
        full = 1;
        apart = step > near || step < -near;
    }
    full = __reduce_add_sync(~0u, full);
    apart = __reduce_add_sync(~0u, apart);
    if (threadIdx.x % 32 == 0 && full > 0) {
        atomicAdd(&out->full, full);
        atomicAdd(&out->apart, apart);
    }
}

// Whether to sort by columns. Segments of rows that are not cut do not count, since their order
// does not change what they read.
template <class O>
gsolve_status inspect(const gs_segmented *s, gsolve_context *ctx, bool *column_order)
{
    gs_queue *q = ctx->queue;
    const int64_t near = GS_SEGMENT_NEAR / (int64_t)gs_type_size(s->csr.type);
    distances *out = nullptr, found = {};
    gsolve_status status = GSOLVE_OK;

    *column_order = false;
    if (s->segments <= GS_SEGMENT_AROUND ||
        4 * (int64_t)s->partials * s->length < s->entries - s->in_parts) {
        return status;
    }
    ALLOC_DEVICE(ctx, out, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(out, 0, sizeof *out, q->stream),
                "comparing columns of segments"));
    TRY(gs_launch(q, "comparing columns of segments", inspect_columns<O>,
                  blocks_for(s->segments - GS_SEGMENT_AROUND), gs_block_size, segments_of<O>(s),
                  s->csr.col, s->length, near, out));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, out, GSOLVE_DEVICE, sizeof found));
    *column_order = found.apart > found.full / 2;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, out);
    return status;
}

// A thread makes the key of one segment. column_order: segments that are not short come first, by
// their columns; the key of a short one begins with first_short.
template <class O>
__global__ void make_keys(segments_of<O> s, const int32_t *col, int length, bool column_order,
                          int32_t first_short, uint32_t *key, int32_t *segment)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (at >= s.count) return;
    const int32_t i = (int32_t)at;
    const int32_t coarse = column_order && GS_SEGMENT_SHORT * s.size[i] > length
                               ? middle_column(s, col, i) / GS_SEGMENT_COLUMNS
                               : first_short + i / GS_SEGMENT_WINDOW;
    key[i] = (uint32_t)coarse * (uint32_t)(length + 1) + (uint32_t)(length - s.size[i]);
    segment[i] = i;
}

// A thread copies the tables of one segment to its new index.
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
int key_bits(const gs_segmented *s, int32_t first_short)
{
    const int64_t coarse = (int64_t)first_short + s->segments / GS_SEGMENT_WINDOW;
    const int64_t most = (coarse + 1) * (s->length + 1);
    int bits = 1;

    while (bits < 32 && most >> bits) bits++;
    return bits;
}

// Replaces the tables by tables in that order.
template <class O>
gsolve_status reorder(gs_segmented *s, gsolve_context *ctx, const int32_t *order)
{
    segment_tables to = {};
    gsolve_status status;

    TRY(alloc_tables(s, ctx, &to));
    TRY(gs_launch(ctx->queue, "reordering the segments", permute<O>, blocks_for(s->segments),
                  gs_block_size, s->segments, order, segments_of<O>(s), s->target, (O *)to.from,
                  to.size, to.target));
    gsolve_free(ctx, GSOLVE_DEVICE, s->from);
    s->from = to.from;
    s->size = to.size;
    s->target = to.target;
    return status;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, to.from);
    return status;
}

template <class O>
gsolve_status sort(gs_segmented *s, gsolve_context *ctx, int order)
{
    gs_queue *q = ctx->queue;
    const int32_t n = s->segments;
    const bool column_order = order == GS_ORDER_COLUMNS;
    const int32_t first_short = column_order ? s->csr.ncols / GS_SEGMENT_COLUMNS + 1 : 0;
    const int bits = key_bits(s, first_short);
    const int64_t apart = ((int64_t)n + 63) / 64 * 64; // distance of the arrays in the allocation
    uint32_t *key = nullptr;
    int32_t *segment = nullptr;
    size_t bytes = 0;
    gsolve_status status = GSOLVE_OK;

    if (n == 0) return status;
    gs_sort_pairs(nullptr, bytes, {key, key}, {segment, segment}, n, bits, q->stream);
    key = (uint32_t *)gsolve_alloc(ctx, GSOLVE_DEVICE, 4 * (size_t)apart * sizeof *key + bytes, 1);
    TRY(key ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    segment = (int32_t *)key + 2 * apart;
    TRY(gs_launch(q, "making the keys of segments", make_keys<O>, blocks_for(n), gs_block_size,
                  segments_of<O>(s), s->csr.col, s->length, column_order, first_short, key,
                  segment));
    TRY(gs_cuda(q,
                gs_sort_pairs(key + 4 * apart, bytes, {key, key + apart},
                              {segment, segment + apart}, n, bits, q->stream),
                "sorting segments"));
    TRY(reorder<O>(s, ctx, segment + apart));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, key);
    return status;
}

} // namespace

gsolve_status gs_segmented_inspect(const gs_segmented *s, gsolve_context *ctx, bool *column_order)
{
    return s->csr.offset == GSOLVE_O64 ? inspect<int64_t>(s, ctx, column_order)
                                       : inspect<int32_t>(s, ctx, column_order);
}

gsolve_status gs_segmented_sort(gs_segmented *s, gsolve_context *ctx, int order)
{
    return s->csr.offset == GSOLVE_O64 ? sort<int64_t>(s, ctx, order)
                                       : sort<int32_t>(s, ctx, order);
}
