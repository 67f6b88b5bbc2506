// sliced_build_cuda.cu: the structure of the slices on a GPU: their widths, where they begin, and
// how their column numbers are stored. A warp has one slice at a time; the host reads a few totals.
#include "core/scan.cuh"
#include "spmv/sliced/sliced.cuh"

using namespace gs_by_slices;

namespace
{

// --- widths -----------------------------------------------------------------------------------

struct totals {
    count_t columns; // of all slices
    count_t nlong, parts, in_parts;
    gs_row_similarity similar;
};

// The group of a slice.
__device__ const gs_sliced_span &span_of(const gs_sliced_span *span, int32_t spans, int32_t at)
{
    int32_t low = 0, high = spans - 1;

    while (low < high) { // find the last group that begins at or before the slice
        const int32_t middle = low + (high - low + 1) / 2;
        if (span[middle].slice <= at) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return span[low];
}

// A thread stores where one slice begins in the order and how many lanes its rows have.
__global__ void set_positions(gs_sliced s, int32_t spans, const gs_sliced_span *span)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (at == s.slices) s.position[at] = s.csr.nrows;
    if (at >= s.slices) return;
    const gs_sliced_span &group = span_of(span, spans, (int32_t)at);
    s.position[at] = group.position + ((int32_t)at - group.slice) * (s.lanes >> group.row_shift);
    s.row_shift[at] = (uint8_t)group.row_shift;
}

// s.first[at] = the width of slice at, for the scan that follows; 0 at the end. table: the groups,
// or NULL where `all` is the only one. A warp reads the lengths of one slice's rows at a time.
template <class Rows>
__global__ void __launch_bounds__(gs_block_size)
    measure(gs_sliced s, Rows rows, gs_sliced_span all, int32_t spans, const gs_sliced_span *table,
            totals *sum)
{
    const warp_stride w;
    const int lane = (int)threadIdx.x % 32;
    count_t columns = 0, nlong = 0, parts = 0, in_parts = 0;

    for (int64_t at = w.first; at < s.slices; at += w.step) {
        const int row_shift = row_shift_of(s, (int32_t)at);
        const positions p = positions_of(s, (int32_t)at, row_shift);
        int32_t width = table ? span_of(table, spans, (int32_t)at).width : all.width;
        for (int32_t position = p.first + lane; position < p.end; position += 32) {
            const int32_t i = s.order ? s.order[position] : position, length = rows.length(i);
            const int64_t entries = rows.full_length(i);
            width = max(width, columns_of(length, 0, row_shift));
            if (s.length) s.length[position] = length;
            if (entries <= rows.most) continue;
            nlong++;
            parts += (count_t)(entries + GS_SLICED_PART - 1) / GS_SLICED_PART;
            in_parts += (count_t)entries;
        }
        width = __reduce_max_sync(all_lanes, width);
        if (lane == 0) {
            s.first[at] = width;
            columns += (count_t)width;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) s.first[s.slices] = 0;
    add(columns, &sum->columns);
    add(nlong, &sum->nlong);
    add(parts, &sum->parts);
    add(in_parts, &sum->in_parts);
}

// Copies the groups to *table and stores where slices begin in the order, if there are several
// groups.
gsolve_status copy_groups(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                          const gs_sliced_span *span, gs_sliced_span **table)
{
    gsolve_status status = GSOLVE_OK;

    if (spans <= 1) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, *table, spans);
    ALLOC_DEVICE(ctx, s->position, (size_t)s->slices + 1);
    ALLOC_DEVICE(ctx, s->row_shift, s->slices);
    TRY(gsolve_copy(ctx, *table, GSOLVE_DEVICE, span, GSOLVE_HOST, sizeof *span * (size_t)spans));
    TRY(gs_launch(ctx->queue, "finding the positions of slices", set_positions,
                  blocks_for((int64_t)s->slices + 1), gs_block_size, *s, spans, *table));
done:
    return status;
}

gsolve_status measure_all(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                          const gs_sliced_span *span, bool lengths)
{
    gs_queue *q = ctx->queue;
    gs_sliced_span *table = nullptr;
    totals *sum = nullptr, host = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, s->first, (size_t)s->slices + 1);
    if (lengths) ALLOC_DEVICE(ctx, s->length, s->csr.nrows);
    ALLOC_DEVICE(ctx, sum, 1);
    TRY(copy_groups(s, ctx, spans, span, &table));
    TRY(gs_cuda(q, cudaMemsetAsync(sum, 0, sizeof *sum, q->stream), "measuring slices"));
    TRY(with_rows(s, [&](auto rows) {
        return gs_launch(q, "measuring slices", measure<decltype(rows)>,
                         gs_grid(q, (int64_t)s->slices * 32), gs_block_size, *s, rows, *span, spans,
                         table, sum);
    }));
    TRY(gs_sliced_count_similar_cuda(q, &s->csr, &sum->similar));
    TRY(gs_scan(ctx, "numbering columns of slices", s->first, s->first, (int64_t)s->slices + 1));
    TRY(gsolve_copy(ctx, &host, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof host));
    s->columns = (int64_t)host.columns;
    s->nlong = (int32_t)host.nlong;
    s->parts = (int32_t)host.parts;
    s->in_parts = (int64_t)host.in_parts;
    s->aligned = gs_sliced_is_aligned(&host.similar);
    TRY(gs_sliced_fits(ctx, s, s->columns));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, table);
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    return status;
}

// --- 16 bits ----------------------------------------------------------------------------------

struct range { // a range of column numbers
    int32_t least, most;
};

__device__ bool is_narrow(range r)
{
    r.least = __reduce_min_sync(all_lanes, r.least);
    r.most = __reduce_max_sync(all_lanes, r.most);
    return r.most - r.least <= GS_SLICED_SPAN; // also where there are no columns
}

// The range of a complete slice: the first and last stored column of each row, since columns
// ascend.
template <class O>
__device__ range range_of(const gs_sliced &s, const rows_of<O> &rows, const positions &p, int lane)
{
    range all = {INT32_MAX, -1};

    for (int32_t position = p.first + lane; position < p.end; position += 32) {
        const int32_t i = s.order ? s.order[position] : position, length = rows.length(i);
        if (length == 0) continue;
        const int64_t from = (int64_t)rows.start[i];
        all.least = min(all.least, s.csr.col[from]);
        all.most = max(all.most, s.csr.col[from + length - 1]);
    }
    return all;
}

// Whether the column numbers of each column of a slice fit into 16 bits. The slice has at most 32
// lanes.
template <class O>
__device__ bool each_is_narrow(const gs_sliced &s, const rows_of<O> &rows, const positions &p,
                               int row_shift, int32_t width, int lane)
{
    constexpr int ahead = 4;
    const int sub = lane & ((1 << row_shift) - 1);
    const int32_t i = lane < s.lanes ? row_at(s, p, lane >> row_shift) : -1;
    const int32_t columns = columns_of(rows.length(i), sub, row_shift);
    const int32_t *col = s.csr.col + (columns > 0 ? (int64_t)rows.start[i] + sub : 0);

    for (int32_t j = 0; j < width; j += ahead) {
        int32_t c[ahead];
        bool narrow = true;
#pragma unroll
        for (int u = 0; u < ahead; u++) {
            c[u] = j + u < columns ? col[(int64_t)(j + u) << row_shift] : -1;
        }
#pragma unroll
        for (int u = 0; u < ahead; u++) {
            narrow = is_narrow({c[u] < 0 ? INT32_MAX : c[u], c[u]}) && narrow;
        }
        if (!narrow) return false;
    }
    return true;
}

// A warp decides how the column numbers of a slice are stored: s.head[at].at = -1 for 32 bits; base
// = the slice's base, or -1 for one base per column. need[at] = units of the slice, with its bases
// in the upper half.
template <class Rows>
__global__ void __launch_bounds__(gs_block_size) choose_heads(gs_sliced s, Rows rows, count_t *need)
{
    const warp_stride w;
    const int lane = (int)threadIdx.x % 32;

    if (blockIdx.x == 0 && threadIdx.x == 0) need[s.slices] = 0;
    for (int64_t at = w.first; at < s.slices; at += w.step) {
        const int row_shift = row_shift_of(s, (int32_t)at);
        const positions p = positions_of(s, (int32_t)at, row_shift);
        const int32_t width = s.first[at + 1] - s.first[at];
        range all = range_of(s, rows, p, lane);
        const bool one = is_narrow(all);
        all.least = __reduce_min_sync(all_lanes, all.least);
        const bool each =
            !one && s.lanes <= GS_SLICED_EACH && each_is_narrow(s, rows, p, row_shift, width, lane);
        if (lane > 0) continue;
        s.head[at] = {one || each ? 0 : -1, each                           ? -1
                                            : one && all.least < INT32_MAX ? all.least
                                                                           : 0};
        need[at] = (count_t)(one || each ? width : 2 * (int64_t)width) | (count_t)(each ? width : 0)
                                                                             << 32;
    }
}

// Sets the first unit and the base of each slice's head from the prefix sums of `need`. Before, the
// head only says how column numbers are stored. A thread owns one slice.
__global__ void number_units(gs_sliced s, const count_t *before)
{
    const int64_t at = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (at >= s.slices) return;
    const int32_t unit = (int32_t)(before[at] & 0xffffffffu), base = (int32_t)(before[at] >> 32);
    gs_sliced_head &head = s.head[at];
    head.at = head.at < 0 ? ~unit : unit;
    if (head.base < 0) head.base = ~base;
}

// Whether column numbers take 16 bits. If so, allocates s->unit and s->base, without contents.
gsolve_status try_narrow(gs_sliced *s, gsolve_context *ctx)
{
    count_t *need = nullptr;
    int64_t all = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, s->head, s->slices);
    ALLOC_DEVICE(ctx, need, (size_t)s->slices + 1);
    TRY(with_rows(s, [&](auto rows) {
        return gs_launch(ctx->queue, "choosing the storage of columns",
                         choose_heads<decltype(rows)>, blocks_for((int64_t)s->slices * 32 + 1),
                         gs_block_size, *s, rows, need);
    }));
    TRY(gs_scan(ctx, "numbering columns of slices", (int64_t *)need, (int64_t *)need,
                (int64_t)s->slices + 1, &all));
    s->units = all & 0xffffffff;
    s->bases = all >> 32;
    s->narrow = gs_sliced_pays(s);
    if (!s->narrow) goto done;
    if (s->slices > 0) {
        TRY(gs_launch(ctx->queue, "numbering units", number_units, blocks_for(s->slices),
                      gs_block_size, *s, need));
    }
    ALLOC_DEVICE(ctx, s->unit, s->units * s->lanes);
    ALLOC_DEVICE(ctx, s->base, s->bases);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, need);
    return status;
}

} // namespace

gsolve_status gs_sliced_shape_cuda(gs_sliced *s, gsolve_context *ctx, int32_t spans,
                                   const gs_sliced_span *span, bool lengths)
{
    gsolve_status status;

    TRY(measure_all(s, ctx, spans, span, lengths));
    if (s->nlong > 0) TRY(gs_sliced_long_rows_cuda(s, ctx));
    if (s->index != GS_INDEX_32) TRY(try_narrow(s, ctx));
    if (s->narrow) goto done;
    gsolve_free(ctx, GSOLVE_DEVICE, s->head);
    s->head = nullptr;
    ALLOC_DEVICE(ctx, s->col, s->columns * s->lanes);
done:
    return status;
}
