// csr_plan_cuda.cu: which threads of a GPU work on which rows, see csr_cuda.cu: either a number of
// threads per row, or tiles and the parts of long rows. The pattern alone determines the plan. It
// costs one pass over the row starts; with tiles, the device also compacts the long rows and scans
// their numbers of parts.
#include "core/scan.cuh"
#include "spmv/csr/csr_tiles.cuh"

extern "C" {
#include "core/try.h"
}

using namespace gs_tiles;

namespace
{

template <class O>
__host__ __device__ int64_t work_before(const O *start, int32_t i)
{
    return (int64_t)start[i] + (int64_t)row_work * i;
}

// A long row has more than most_short entries and is the last row of its tile, which it exceeds:
// the next row begins in a later tile.
template <class O>
__host__ __device__ gs_long_rows<O> long_rows(const O *start)
{
    static_assert(row_work == 1, "gs_long_rows counts one unit of work per row");
    return {start, most_short, tile_work};
}

// Products with several column-major columns: more than these are converted to row-major. On an
// H200, the conversion of 4 to 16 columns makes products by tiles 1.3 to 2.4 times faster, that of
// 8 to 16 columns products of long rows by groups 1.2 to 1.7 times faster; short rows lose.
constexpr int32_t most_by_tiles = 3, most_of_long_rows = 7;
constexpr int64_t long_mean = 32; // mean entries of long rows, at least

// A thread makes one tile: it finds the first row of the tile and of the next one by bisection.
template <class O>
__global__ void make_tiles(int32_t nrows, const O *start, int tiles, tile *out)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int32_t cut[2];

    if (t >= tiles) return;
    for (int end = 0; end < 2; end++) {
        // find the first row whose work begins at or after the tile's boundary
        const int64_t work = (int64_t)(t + end) * tile_work;
        int32_t low = 0, high = nrows;
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (work_before(start, middle) < work) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        cut[end] = low;
    }
    const bool ends_long = cut[1] > cut[0] && long_rows(start)(cut[1] - 1);
    const int32_t last = ends_long ? cut[1] - 1 : cut[1];
    out[t] = {cut[0], last, (int64_t)start[cut[0]], (int32_t)(start[last] - start[cut[0]]), 0};
}

// A thread counts the parts of one long row. Thread nlong writes the 0 that ends the exclusive
// scan.
template <class O>
__global__ void count_parts(int nlong, const O *start, const int32_t *row, int32_t *count)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (l > nlong) return;
    count[l] =
        l == nlong ? 0 : (int32_t)((start[row[l] + 1] - start[row[l]] + part_size - 1) / part_size);
}

// A thread writes the descriptions of all parts of one long row.
template <class O>
__global__ void describe_parts(int nlong, const O *start, const int32_t *row, const int32_t *first,
                               part *out)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (l >= nlong) return;
    const int32_t i = row[l], parts = first[l + 1] - first[l];
    for (int32_t k = 0; k < parts; k++) {
        const int64_t from = (int64_t)start[i] + (int64_t)k * part_size;
        const int64_t left = (int64_t)start[i + 1] - from;
        out[first[l] + k] = {from, left < part_size ? (int32_t)left : part_size, i, l, first[l],
                             parts};
    }
}

// Finds the long rows and describes their parts. A tile has at most one long row.
template <class O>
gsolve_status find_long(gs_csr_tiles *p, gsolve_context *ctx, int32_t n, const O *start)
{
    gs_queue *q = ctx->queue;
    int32_t *row = nullptr, *first = nullptr, *found = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, row, (size_t)p->tiles + 1);
    ALLOC_DEVICE(ctx, first, (size_t)p->tiles + 2);
    ALLOC_DEVICE(ctx, found, 1);
    TRY(gs_with_space(ctx, "finding long rows", [&](void *space, size_t &bytes) {
        return gs_select_long(space, bytes, long_rows(start), row, found, n, q->stream);
    }));
    TRY(gsolve_copy(ctx, &p->nlong, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof p->nlong));
    if (p->nlong == 0) goto done;
    TRY(gs_launch(q, "counting parts of long rows", count_parts<O>, blocks_for(p->nlong + 1),
                  gs_block_size, p->nlong, start, row, first));
    TRY(gs_scan(ctx, "numbering parts", first, first, (int64_t)p->nlong + 1, &p->parts));
    ALLOC_DEVICE(ctx, p->part_of, p->parts);
    TRY(gs_launch(q, "describing parts of long rows", describe_parts<O>, blocks_for(p->nlong),
                  gs_block_size, p->nlong, start, row, first, p->part_of));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, row);
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

void drop_tiles(gs_csr_tiles *p, gsolve_context *ctx)
{
    if (!p) return;
    gsolve_free(ctx, GSOLVE_DEVICE, p->tile_of);
    gsolve_free(ctx, GSOLVE_DEVICE, p->part_of);
    gsolve_free(ctx, GSOLVE_DEVICE, p->sum);
    gsolve_free(ctx, GSOLVE_DEVICE, p->done);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

// Sets the threads per row where rows have similar lengths, else 0. There is about one thread for
// every two entries, since the second pass over a cache line costs little. Where x is read
// irregularly, the wait for x dominates, and there is one thread per entry.
template <class T>
void choose_lanes(gs_csr_tiles *p, const gs_queue *q, int32_t n, int64_t entries,
                  const gs_row_statistics &statistics)
{
    const double mean = n > 0 ? (double)entries / n : 0;
    const bool fills = mean <= 256 || (mean <= 4096 && n >= 8 * rows_at_once<T> * q->processors);

    p->lanes = 0;
    p->irregular = statistics.far > statistics.near;
    if (statistics.longest <= 3 * mean + 16 && fills && statistics.empty <= (unsigned)(n / 4)) {
        p->lanes = 1;
        while (p->lanes < 32 && p->lanes * (p->irregular ? 1 : 2) < mean) p->lanes *= 2;
    }
}

// Makes the tiles, the parts of long rows and the memory for the sums of parts.
template <class T, class O>
gsolve_status make_parts(gs_csr_tiles *p, gsolve_context *ctx, const gsolve_csr *A, int64_t entries)
{
    gs_queue *q = ctx->queue;
    const O *start = (const O *)A->start;
    const int64_t work = entries + (int64_t)row_work * A->nrows;
    T *sum = nullptr;
    gsolve_status status;

    p->tiles = (int)((work + tile_work - 1) / tile_work);
    ALLOC_DEVICE(ctx, p->tile_of, (size_t)p->tiles + 1);
    if (p->tiles > 0) {
        TRY(gs_launch(q, "making tiles", make_tiles<O>, blocks_for(p->tiles), gs_block_size,
                      A->nrows, start, p->tiles, p->tile_of));
        TRY(find_long(p, ctx, A->nrows, start));
    }
    ALLOC_DEVICE(ctx, sum, ((size_t)p->parts + 1) * most_row_major);
    p->sum = sum;
    ALLOC_DEVICE(ctx, p->done, ((size_t)p->nlong + 1) * most_chunks);
    TRY(gs_cuda(q,
                cudaMemsetAsync(p->done, 0, sizeof *p->done * ((size_t)p->nlong + 1) * most_chunks,
                                q->stream),
                "clearing the counters of long rows"));
done:
    return status;
}

template <class T, class O>
gsolve_status make_plan(gs_csr_tiles *p, gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                        const gs_row_statistics *known)
{
    gs_sample_sums found;
    gsolve_status status = GSOLVE_OK;

    if (!known) TRY(gs_sample_cuda[A->type].sum(ctx, A, false, &found));
    choose_lanes<T>(p, ctx->queue, A->nrows, entries, known ? *known : found.rows);
    if (p->lanes == 0) TRY((make_parts<T, O>(p, ctx, A, entries)));
done:
    return status;
}

} // namespace

template <class T>
gsolve_status gs_csr_make_tiles(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                                const gs_row_statistics *statistics)
{
    const gsolve_csr *A = &plan->csr;
    gs_csr_tiles *p = (gs_csr_tiles *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    gsolve_status status;

    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_csr_tiles();
    status = A->offset == GSOLVE_O64 ? make_plan<T, int64_t>(p, ctx, A, entries, statistics)
                                     : make_plan<T, int32_t>(p, ctx, A, entries, statistics);
    if (status == GSOLVE_OK) {
        plan->tiles = p;
        plan->most_in_place = p->lanes == 0                              ? most_by_tiles
                              : entries >= long_mean * (int64_t)A->nrows ? most_of_long_rows
                                                                         : INT32_MAX;
    } else {
        drop_tiles(p, ctx);
    }
    return status;
}

template gsolve_status gs_csr_make_tiles<float>(gs_csr_plan *, gsolve_context *, int64_t,
                                                const gs_row_statistics *);
template gsolve_status gs_csr_make_tiles<double>(gs_csr_plan *, gsolve_context *, int64_t,
                                                 const gs_row_statistics *);

void gs_csr_drop_tiles(gs_csr_plan *plan, gsolve_context *ctx)
{
    drop_tiles(plan->tiles, ctx);
}
