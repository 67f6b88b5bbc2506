// sliced_long_cuda.cu: the lengths of rows on a GPU: the list of long rows and their parts, and
// statistics.
#include "core/scan.cuh"
#include "spmv/sliced/sliced.cuh"

using namespace gs_by_slices;

namespace
{

// --- long rows --------------------------------------------------------------------------------

// count[i] = the parts of row i, 0 unless it is long. A thread owns one row. Thread nrows writes
// the 0 that ends the exclusive scan.
template <class Rows>
__global__ void count_parts(int32_t nrows, Rows rows, int32_t *count)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i > nrows) return;
    const int64_t length = i == nrows ? 0 : rows.full_length((int32_t)i);
    count[i] = length > rows.most ? (int32_t)((length + GS_SLICED_PART - 1) / GS_SLICED_PART) : 0;
}

// Describes all parts; first[i] is the number of the first part of row i. A thread reads one row,
// and a warp writes the parts of each of its long rows.
template <class Rows>
__global__ void describe_parts(int32_t nrows, Rows rows, const int32_t *first, gs_row_part *out)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const bool is_long = i < nrows && first[i + 1] > first[i];

    for (unsigned left = __ballot_sync(all_lanes, is_long); left; left &= left - 1) {
        const int32_t row = (int32_t)(i / 32 * 32) + __ffs((int)left) - 1;
        const int32_t begin = first[row], parts = first[row + 1] - begin;
        for (int32_t k = (int)threadIdx.x % 32; k < parts; k += 32) {
            const int64_t at = (int64_t)k * GS_SLICED_PART;
            const int32_t entries =
                (int32_t)min(rows.full_length(row) - at, (int64_t)GS_SLICED_PART);
            out[begin + k] = {(int64_t)rows.start[row] + at, entries, row, begin, begin, parts, 0};
        }
    }
}

// Copies the order and replaces long rows by -1. A thread owns one position. from: the order, or
// NULL if rows keep their order.
template <class Rows>
__global__ void mark_long_rows(int32_t nrows, Rows rows, const int32_t *from, int32_t *order)
{
    const int64_t position = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (position >= nrows) return;
    const int32_t i = from ? from[position] : (int32_t)position;
    order[position] = rows.full_length(i) > rows.most ? -1 : i;
}

gsolve_status part_long_rows(gs_sliced *s, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int32_t n = s->csr.nrows;
    int32_t *first = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, first, (size_t)n + 1);
    TRY(with_rows(s, [&](auto rows) {
        return gs_launch(q, "counting parts of long rows", count_parts<decltype(rows)>,
                         blocks_for((int64_t)n + 1), gs_block_size, n, rows, first);
    }));
    TRY(gs_scan(ctx, "numbering parts of long rows", first, first, (int64_t)n + 1));
    TRY(with_rows(s, [&](auto rows) {
        return gs_launch(q, "describing parts of long rows", describe_parts<decltype(rows)>,
                         blocks_for(n), gs_block_size, n, rows, first, s->part);
    }));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    return status;
}

gsolve_status mark_order(gs_sliced *s, gsolve_context *ctx)
{
    const int32_t n = s->csr.nrows, *from = s->order;
    gsolve_status status;

    if (!s->order) ALLOC_DEVICE(ctx, s->order, n);
    status = with_rows(s, [&](auto rows) {
        return gs_launch(ctx->queue, "marking long rows", mark_long_rows<decltype(rows)>,
                         blocks_for(n), gs_block_size, n, rows, from, s->order);
    });
done:
    return status;
}

} // namespace

gsolve_status gs_sliced_long_rows_cuda(gs_sliced *s, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const size_t counters = (size_t)s->parts * GS_SLICED_CHUNKS;
    gsolve_status status;

    ALLOC_DEVICE(ctx, s->part, s->parts);
    s->sum = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)s->parts * GS_SLICED_BLOCK, sizeof(double));
    TRY(s->sum ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    ALLOC_DEVICE(ctx, s->done, counters);
    TRY(gs_cuda(q, cudaMemsetAsync(s->done, 0, sizeof *s->done * counters, q->stream),
                "clearing the counters of long rows"));
    TRY(part_long_rows(s, ctx));
    TRY(mark_order(s, ctx));
done:
    return status;
}

// --- row statistics ---------------------------------------------------------------------------

namespace
{

struct row_counts {
    count_t longest, kept, stored;
};

// A warp has one slice at a time and strides over all slices; its threads read the lengths of the
// slice's rows. The width of the slice is the maximum over the warp. Blocks add their counts with
// atomics on integers, so the result does not depend on their order.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    inspect_rows(int32_t nrows, const O *start, int32_t lanes, int32_t most, row_counts *counts)
{
    const warp_stride w;
    const int lane = (int)threadIdx.x % 32;
    const int64_t slices = ((int64_t)nrows + lanes - 1) / lanes;
    count_t kept = 0, stored = 0;
    int32_t longest = 0;

    for (int64_t at = w.first; at < slices; at += w.step) {
        const int64_t end = min((at + 1) * lanes, (int64_t)nrows);
        int32_t width = 0;
        for (int64_t i = at * lanes + lane; i < end; i += 32) {
            const int32_t length = (int32_t)((int64_t)start[i + 1] - (int64_t)start[i]);
            longest = max(longest, length);
            if (length > most) continue;
            kept += (count_t)length;
            width = max(width, length);
        }
        width = __reduce_max_sync(all_lanes, width);
        if (lane == 0) stored += (count_t)width * (count_t)lanes;
    }
    longest = __reduce_max_sync(all_lanes, longest);
    if (lane == 0) atomicMax(&counts->longest, (count_t)longest);
    add(kept, &counts->kept);
    add(stored, &counts->stored);
}

} // namespace

gsolve_status gs_sliced_inspect_cuda(gsolve_context *ctx, const gsolve_csr *A, int32_t lanes,
                                     int32_t most, gs_sliced_facts *facts)
{
    gs_queue *q = ctx->queue;
    const int grid = gs_grid(q, ((int64_t)A->nrows + lanes - 1) / lanes * 32);
    row_counts *counts = nullptr, here = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, counts, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(counts, 0, sizeof *counts, q->stream),
                "computing the statistics of rows"));
    TRY(A->offset == GSOLVE_O64
            ? gs_launch(q, "computing the statistics of rows", inspect_rows<int64_t>, grid,
                        gs_block_size, A->nrows, (const int64_t *)A->start, lanes, most, counts)
            : gs_launch(q, "computing the statistics of rows", inspect_rows<int32_t>, grid,
                        gs_block_size, A->nrows, (const int32_t *)A->start, lanes, most, counts));
    TRY(gsolve_copy(ctx, &here, GSOLVE_HOST, counts, GSOLVE_DEVICE, sizeof here));
    facts->longest = (int64_t)here.longest;
    facts->kept = (int64_t)here.kept;
    facts->stored = (int64_t)here.stored;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, counts);
    return status;
}
