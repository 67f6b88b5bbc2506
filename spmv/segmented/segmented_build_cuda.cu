// segmented_build_cuda.cu: the tables of segments on a GPU, and the groups that threads sum: a few
// scans, one sort, and a pass over the entries.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "spmv/segmented/segmented.cuh"

using namespace gs_segments;

namespace
{

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// A number of facts that a kernel adds up, with no regard to order.
struct facts {
    unsigned long long longest; // row
    int parts, nlong;           // of long rows
    int placed, named;          // parts and long rows that have their places
    unsigned long long in_parts;
};

gsolve_status no_facts(gsolve_context *ctx, facts **out)
{
    gsolve_status status;

    ALLOC_DEVICE(ctx, *out, 1);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(*out, 0, sizeof **out, ctx->queue->stream),
                "a look at the rows"));
done:
    return status;
}

gsolve_status learn(gsolve_context *ctx, const facts *from, facts *to)
{
    return gsolve_copy(ctx, to, GSOLVE_HOST, from, GSOLVE_DEVICE, sizeof *to);
}

// --- rows -------------------------------------------------------------------------------------

template <class O>
__global__ void measure(int32_t n, const O *start, facts *f)
{
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    unsigned long long longest = 0;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += threads) {
        longest = max(longest, (unsigned long long)(start[i + 1] - start[i]));
    }
    for (int d = 16; d > 0; d /= 2) longest = max(longest, __shfl_xor_sync(~0u, longest, d));
    if (threadIdx.x % 32 == 0) atomicMax(&f->longest, longest);
}

template <class O>
gsolve_status measure_rows(gs_segmented *s, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    facts *f = nullptr, found;
    gsolve_status status;

    TRY(no_facts(ctx, &f));
    TRY(gs_launch(q, "lengths of rows", measure<O>, gs_grid(q, s->csr.nrows), gs_block_size,
                  s->csr.nrows, (const O *)s->csr.start, f));
    TRY(learn(ctx, f, &found));
    s->longest = (int64_t)found.longest;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

// --- segments ---------------------------------------------------------------------------------

// segments[i], partials[i]: of row i; 0 for i = nrows. A long row has parts instead.
template <class O>
__global__ void count(int32_t n, const O *start, int length, int32_t *segments, int32_t *partials,
                      facts *f)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i > n) return;
    const int64_t entries = i < n ? (int64_t)(start[i + 1] - start[i]) : 0;
    const bool is_long = entries > (int64_t)most_segments * length;
    const int32_t pieces = is_long ? 0 : (int32_t)((entries + length - 1) / length);
    segments[i] = i < n && entries == 0 ? 1 : pieces;
    partials[i] = pieces > 1 ? pieces : 0;
    if (is_long) {
        atomicAdd(&f->nlong, 1);
        atomicAdd(&f->parts, parts_of(entries));
        atomicAdd(&f->in_parts, (unsigned long long)entries);
    }
}

template <class O>
struct tables {
    O *from;
    uint16_t *size;
    int32_t *target;
    gs_segmented_part *part;
};

// The places of a long row's parts; which row comes first does not matter.
__device__ void name_parts(int64_t from, int64_t entries, int32_t i, gs_segmented_part *part,
                           facts *f)
{
    const int32_t parts = parts_of(entries), first = atomicAdd(&f->placed, parts);
    const int64_t size = part_size(entries, parts);
    const int32_t l = atomicAdd(&f->named, 1);

    for (int32_t k = 0; k < parts; k++) {
        const int64_t begin = min(k * size, entries), end = min(begin + size, entries);
        part[first + k] = {from + begin, end - begin, i, first + k, first, parts, l};
    }
}

// at, slot: the sums of what count found.
template <class O>
__global__ void make(int32_t n, const O *start, int length, const int32_t *at, const int32_t *slot,
                     tables<O> t, facts *f)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i >= n) return;
    const int64_t from = (int64_t)start[i], entries = (int64_t)start[i + 1] - from;
    const int32_t first = at[i], pieces = at[i + 1] - first;
    if (pieces == 0) name_parts(from, entries, (int32_t)i, t.part, f);
    for (int32_t k = 0; k < pieces; k++) {
        const int64_t before = (int64_t)k * length;
        t.from[first + k] = (O)(from + before);
        t.size[first + k] = (uint16_t)min((int64_t)length, entries - before);
        t.target[first + k] = pieces == 1 ? (int32_t)i : ~(slot[i] + k);
    }
}

struct is_cut { // a row of several segments
    const int32_t *slot;
    __device__ bool operator()(int32_t i) const { return slot[i + 1] > slot[i]; }
};

__global__ void begin_rows(int32_t many, const int32_t *row, const int32_t *slot, int32_t partials,
                           int32_t *begin)
{
    const int64_t m = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (m <= many) begin[m] = m < many ? slot[row[m]] : partials;
}

// out[0..n] = the sums before each of in[0..n], and *total = out[n].
gsolve_status add_up(gsolve_context *ctx, int64_t n, const int32_t *in, int32_t *out,
                     int32_t *total)
{
    gs_queue *q = ctx->queue;
    size_t bytes = 0;
    void *space = nullptr;
    gsolve_status status;

    cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, n + 1, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_cuda(q, cub::DeviceScan::ExclusiveSum(space, bytes, in, out, n + 1, q->stream),
                "numbering segments"));
    TRY(gsolve_copy(ctx, total, GSOLVE_HOST, out + n, GSOLVE_DEVICE, sizeof *total));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// s->row, s->begin from where each row's sums begin.
gsolve_status list_rows(gs_segmented *s, gsolve_context *ctx, const int32_t *slot)
{
    gs_queue *q = ctx->queue;
    const int32_t n = s->csr.nrows;
    const thrust::counting_iterator<int32_t> rows(0);
    size_t bytes = 0;
    void *space = nullptr;
    int32_t *found = nullptr;
    gsolve_status status;

    if (s->partials > 0) { // a row has two or more
        ALLOC_DEVICE(ctx, s->row, s->partials / 2);
        ALLOC_DEVICE(ctx, found, 1);
        cub::DeviceSelect::If(nullptr, bytes, rows, s->row, found, n, is_cut{slot}, q->stream);
        space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
        TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
        TRY(gs_cuda(
            q, cub::DeviceSelect::If(space, bytes, rows, s->row, found, n, is_cut{slot}, q->stream),
            "finding cut rows"));
        TRY(gsolve_copy(ctx, &s->many, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof s->many));
    }
    ALLOC_DEVICE(ctx, s->begin, (size_t)s->many + 1);
    TRY(gs_launch(q, "cut rows", begin_rows, blocks_for((int64_t)s->many + 1), gs_block_size,
                  s->many, s->row, slot, s->partials, s->begin));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

// The arrays that make fills, and the sums of parts.
template <class O>
gsolve_status new_tables(gs_segmented *s, gsolve_context *ctx, const facts *found)
{
    O *from = nullptr;
    gsolve_status status;

    s->parts = found->parts;
    s->nlong = found->nlong;
    s->in_parts = (int64_t)found->in_parts;
    ALLOC_DEVICE(ctx, from, s->segments);
    s->from = from;
    ALLOC_DEVICE(ctx, s->size, s->segments);
    ALLOC_DEVICE(ctx, s->target, s->segments);
    ALLOC_DEVICE(ctx, s->part, s->parts);
    s->part_sum = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)s->parts, gs_type_size(s->csr.type));
    TRY(s->part_sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    ALLOC_DEVICE(ctx, s->done, (size_t)s->nlong + 1);
    TRY(gs_cuda(
        ctx->queue,
        cudaMemsetAsync(s->done, 0, ((size_t)s->nlong + 1) * sizeof *s->done, ctx->queue->stream),
        "the parts of long rows"));
done:
    return status;
}

template <class O>
gsolve_status cut(gs_segmented *s, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int32_t n = s->csr.nrows;
    const O *start = (const O *)s->csr.start;
    int32_t *counted = nullptr, *sums = nullptr, *at = nullptr, *slot = nullptr;
    facts *f = nullptr, found;
    gsolve_status status;

    TRY(no_facts(ctx, &f));
    ALLOC_DEVICE(ctx, counted, (size_t)n + 1);
    ALLOC_DEVICE(ctx, sums, (size_t)n + 1);
    ALLOC_DEVICE(ctx, at, (size_t)n + 1);
    ALLOC_DEVICE(ctx, slot, (size_t)n + 1);
    TRY(gs_launch(q, "counting segments", count<O>, blocks_for((int64_t)n + 1), gs_block_size, n,
                  start, s->length, counted, sums, f));
    TRY(add_up(ctx, n, counted, at, &s->segments));
    TRY(add_up(ctx, n, sums, slot, &s->partials));
    TRY(learn(ctx, f, &found));
    TRY(new_tables<O>(s, ctx, &found));
    TRY(gs_launch(q, "making segments", make<O>, blocks_for((int64_t)n + 1), gs_block_size, n,
                  start, s->length, at, slot, tables<O>{(O *)s->from, s->size, s->target, s->part},
                  f));
    TRY(list_rows(s, ctx, slot));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    gsolve_free(ctx, GSOLVE_DEVICE, counted);
    gsolve_free(ctx, GSOLVE_DEVICE, sums);
    gsolve_free(ctx, GSOLVE_DEVICE, at);
    gsolve_free(ctx, GSOLVE_DEVICE, slot);
    return status;
}

// --- groups -----------------------------------------------------------------------------------

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
    int64_t *width = nullptr;
    size_t bytes = 0;
    void *space = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, s->first, n);
    ALLOC_DEVICE(ctx, width, n);
    cub::DeviceScan::ExclusiveSum(nullptr, bytes, width, s->first, n, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(q, "measuring groups", measure_widths<O>, blocks_for(32 * n), gs_block_size,
                  segments_of<O>(s), s->groups, width));
    TRY(gs_cuda(q, cub::DeviceScan::ExclusiveSum(space, bytes, width, s->first, n, q->stream),
                "places of groups"));
    TRY(gsolve_copy(ctx, &s->stored, GSOLVE_HOST, s->first + s->groups, GSOLVE_DEVICE,
                    sizeof s->stored));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, width);
    return status;
}

// A warp a group: a lane writes its segment, one entry of every other lane's beside each.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    fill_groups(segments_of<O> s, int groups, const int64_t *first, const int32_t *col,
                const T *value, int32_t *to_col, T *to_value)
{
    const int64_t g = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;

    if (g >= groups) return;
    const int64_t i = g * 32 + lane, end = first[g + 1];
    const int64_t from = i < s.count ? (int64_t)s.begin((int32_t)i) : 0;
    const int size = i < s.count ? s.entries((int32_t)i) : 0;
    int j = 0;

#pragma unroll 4
    for (int64_t at = first[g] + lane; at < end; at += 32, j++) {
        if (to_col) to_col[at] = j < size ? col[from + j] : -1;
        to_value[at] = j < size ? value[from + j] : T(0);
    }
}

template <class T, class O>
gsolve_status fill(gs_segmented *s, gsolve_context *ctx, bool columns)
{
    if (s->groups == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "filling groups", fill_groups<T, O>,
                     blocks_for(32 * (int64_t)s->groups), gs_block_size, segments_of<O>(s),
                     s->groups, s->first, s->csr.col, (const T *)s->csr.value,
                     columns ? s->col : nullptr, (T *)s->value);
}

} // namespace

gsolve_status gs_segmented_measure_rows_cuda(gs_segmented *s, gsolve_context *ctx)
{
    return s->csr.offset == GSOLVE_O64 ? measure_rows<int64_t>(s, ctx)
                                       : measure_rows<int32_t>(s, ctx);
}

gsolve_status gs_segmented_cut_cuda(gs_segmented *s, gsolve_context *ctx)
{
    return s->csr.offset == GSOLVE_O64 ? cut<int64_t>(s, ctx) : cut<int32_t>(s, ctx);
}

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
