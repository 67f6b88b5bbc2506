// segmented_cut_cuda.cu: the tables of segments on a GPU: one scan of what each row becomes, and
// one pass over the rows.
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

constexpr int few = 4; // most segments that the thread of a row writes alone

// What a row becomes, or what all rows before it become.
struct pieces {
    int64_t in_parts;           // entries of long rows
    int32_t segments, partials; // partials: segments of cut rows
    int32_t many, parts;        // many: cut rows; parts: of long rows
};

struct add_pieces {
    __host__ __device__ pieces operator()(const pieces &a, const pieces &b) const
    {
        return {a.in_parts + b.in_parts, a.segments + b.segments, a.partials + b.partials,
                a.many + b.many, a.parts + b.parts};
    }
};

// What row i becomes. A long row has parts instead of segments. Row n, past the end, becomes
// nothing.
template <class O>
struct cut_row {
    const O *start;
    int32_t n;
    int length;

    __host__ __device__ pieces operator()(int32_t i) const
    {
        const int64_t entries = i < n ? (int64_t)start[i + 1] - (int64_t)start[i] : 0;

        if (i >= n) return {};
        if (entries > (int64_t)most_segments * length) return {entries, 0, 0, 0, parts_of(entries)};
        const int32_t segments = entries == 0 ? 1 : (int32_t)((entries + length - 1) / length);
        return {0, segments, segments > 1 ? segments : 0, segments > 1, 0};
    }
};

template <class O>
struct tables {
    O *from;
    uint16_t *size;
    int32_t *target, *row, *begin;
    gs_segmented_part *part;
};

// Describes the parts of row i; the first gets number `first`.
__device__ void describe_parts(int64_t from, int64_t entries, int32_t i, int32_t first,
                               gs_segmented_part *part)
{
    const int32_t parts = parts_of(entries);
    const int64_t size = part_size(entries, parts);

    for (int32_t k = 0; k < parts; k++) {
        const int64_t begin = min(k * size, entries), end = min(begin + size, entries);
        part[first + k] = {from + begin, end - begin, i, first + k, first, parts};
    }
}

// Writes the segments of a row.
template <class O>
struct segment_writer {
    int64_t from, entries;
    int32_t i, first; // row; number of its first segment
    int32_t slot;     // its first index in partial; -1: the row is not cut

    __device__ void write(const tables<O> &t, int length, int32_t k) const
    {
        const int64_t before = (int64_t)k * length;

        t.from[first + k] = (O)(from + before);
        t.size[first + k] = (uint16_t)min((int64_t)length, entries - before);
        t.target[first + k] = slot < 0 ? i : ~(slot + k);
    }
    __device__ segment_writer of_lane(int lane) const
    {
        return {__shfl_sync(~0u, from, lane), __shfl_sync(~0u, entries, lane),
                __shfl_sync(~0u, i, lane), __shfl_sync(~0u, first, lane),
                __shfl_sync(~0u, slot, lane)};
    }
};

// A thread has one row. before: what the rows before each row become, from the scan. The thread
// writes a row of few segments alone; the warp writes the others one row after the other.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    make(cut_row<O> cut, const pieces *before, tables<O> t)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int lane = (int)threadIdx.x % 32;
    const int32_t i = (int32_t)min(at, (int64_t)cut.n);
    const pieces of_row = cut(i), first = before[i];
    const int64_t from = (int64_t)cut.start[i];
    const segment_writer<O> row = {from, i < cut.n ? (int64_t)cut.start[i + 1] - from : 0, i,
                                   first.segments, of_row.many ? first.partials : -1};
    const bool is_many = of_row.segments > few;

    if (of_row.parts > 0) describe_parts(row.from, row.entries, i, first.parts, t.part);
    if (of_row.many) t.row[first.many] = i;
    if (of_row.many || at == cut.n) t.begin[first.many] = first.partials;
    for (int32_t k = 0; k < of_row.segments && !is_many; k++) row.write(t, cut.length, k);
    for (unsigned left = __ballot_sync(~0u, is_many); left; left &= left - 1) {
        const int l = __ffs((int)left) - 1;
        const segment_writer<O> other = row.of_lane(l);
        const int32_t count = __shfl_sync(~0u, of_row.segments, l);
        for (int32_t k = lane; k < count; k += 32) other.write(t, cut.length, k);
    }
}

// Allocates the arrays that `make` fills, and the memory for sums of parts.
gsolve_status new_tables(gs_segmented *s, gsolve_context *ctx, const pieces *all)
{
    gs_queue *q = ctx->queue;
    segment_tables tables;
    gsolve_status status;

    s->segments = all->segments;
    s->partials = all->partials;
    s->many = all->many;
    s->parts = all->parts;
    s->in_parts = all->in_parts;
    TRY(alloc_tables(s, ctx, &tables));
    s->from = tables.from;
    s->size = tables.size;
    s->target = tables.target;
    ALLOC_DEVICE(ctx, s->row, 2 * (size_t)s->many + 1);
    s->begin = s->row + s->many;
    if (s->parts == 0) return status;
    ALLOC_DEVICE(ctx, s->part, s->parts);
    s->part_sum = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)s->parts, gs_type_size(s->csr.type));
    TRY(s->part_sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    ALLOC_DEVICE(ctx, s->done, s->parts);
    TRY(gs_cuda(q, cudaMemsetAsync(s->done, 0, (size_t)s->parts * sizeof *s->done, q->stream),
                "clearing the counters of long rows"));
done:
    return status;
}

template <class O>
gsolve_status cut(gs_segmented *s, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int64_t n = (int64_t)s->csr.nrows + 1;
    const cut_row<O> rule = {(const O *)s->csr.start, s->csr.nrows, s->length};
    const auto rows = thrust::make_transform_iterator(thrust::counting_iterator<int32_t>(0), rule);
    pieces *before = nullptr, all;
    size_t bytes = 0;
    gsolve_status status;

    cub::DeviceScan::ExclusiveScan(nullptr, bytes, rows, before, add_pieces(), pieces(), n,
                                   q->stream);
    before = (pieces *)gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)n * sizeof *before + bytes, 1);
    TRY(before ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_cuda(q,
                cub::DeviceScan::ExclusiveScan(before + n, bytes, rows, before, add_pieces(),
                                               pieces(), n, q->stream),
                "numbering segments"));
    TRY(gsolve_copy(ctx, &all, GSOLVE_HOST, before + n - 1, GSOLVE_DEVICE, sizeof all));
    TRY(new_tables(s, ctx, &all));
    TRY(gs_launch(q, "making segments", make<O>, blocks_for(n), gs_block_size, rule, before,
                  tables<O>{(O *)s->from, s->size, s->target, s->row, s->begin, s->part}));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, before);
    return status;
}

} // namespace

gsolve_status gs_segmented_cut(gs_segmented *s, gsolve_context *ctx)
{
    return s->csr.offset == GSOLVE_O64 ? cut<int64_t>(s, ctx) : cut<int32_t>(s, ctx);
}
