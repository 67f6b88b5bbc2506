// speculative_build_cuda.cu: the plan on a GPU: the rows of tiles, the rows that cross groups, and
// the pieces of the speculator array.
#include "spmv/speculative/speculative.cuh"

extern "C" {
#include "core/try.h"
}

using namespace gs_bunches;

namespace
{

// A thread finds first[t] by bisection; t = p.tiles: the empty rows after the last entry. Where a
// group begins, it also stores which row crosses that entry. tile: entries of a tile.
template <class O>
__global__ void find_rows(int32_t nrows, const O *start, int tile, gs_speculative p)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), of_group = p.warps * p.steps;
    const int64_t k = min((int64_t)t * tile, p.entries);

    if (t > p.tiles) return;
    const int32_t i = row_at(start, k - 1, 0, nrows);
    p.first[t] = i + 1;
    if (t % of_group != 0 && t != p.tiles) return;
    const int g = (t + of_group - 1) / of_group;
    p.cross[g] = i < 0 ? crossing{-1, 0, -1, 0}
                       : crossing{i, (int32_t)((int64_t)start[i] / p.group),
                                  (int32_t)(((int64_t)start[i + 1] - 1) / p.group), 0};
}

// A thread records the rows of one tile if it has more than most_rows, and the rows after the last
// tile.
__global__ void record_dirty_tiles(int32_t nrows, int tiles, const int32_t *first,
                                   piece *speculator, int *dirty_counter)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (t > tiles) return;
    const int32_t from = first[t], rows = (t < tiles ? first[t + 1] : nrows) - from;
    if (rows == 0 || (t < tiles && rows <= most_rows)) return;
    const int pieces = (int)(((int64_t)rows + piece_rows - 1) / piece_rows);
    const int at = atomicAdd(dirty_counter, pieces);
    for (int k = 0; k < pieces; k++) {
        const int32_t begin = k * piece_rows;
        speculator[at + k] = {from + begin, from + begin + min(rows - begin, piece_rows)};
    }
}

size_t aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

// One allocation for all arrays: so that making the plan takes less time than a product.
gsolve_status alloc_space(gs_speculative *p, gsolve_context *ctx, const gsolve_csr *A)
{
    const size_t value = gs_type_size(A->type), groups = (size_t)p->groups + 1;
    const size_t first = aligned(((size_t)p->tiles + 1) * sizeof *p->first);
    const size_t pieces = (size_t)A->nrows / most_rows + 2; // upper bound for all tiles together
    const size_t recorded = aligned(pieces * sizeof *p->speculator), sums = aligned(groups * value);
    const size_t arrived = aligned((groups + 1) * sizeof *p->arrived);
    const size_t cross = groups * sizeof *p->cross;
    char *at =
        (char *)gsolve_alloc(ctx, GSOLVE_DEVICE, first + recorded + cross + 2 * sums + arrived, 1);

    if (!at) return GSOLVE_NO_MEMORY;
    p->space = at;
    p->first = (int32_t *)at;
    p->speculator = (piece *)(at += first);
    p->cross = (crossing *)(at += recorded);
    p->head = at += cross;
    p->tail = at += sums;
    p->arrived = (unsigned *)(at += sums);
    return gs_cuda(ctx->queue, cudaMemsetAsync(at, 0, arrived, ctx->queue->stream),
                   "clearing the synchronizer");
}

} // namespace

gsolve_status gs_speculative_fill(gs_speculative *p, gsolve_context *ctx, const gsolve_csr *A,
                                  int tile)
{
    gs_queue *q = ctx->queue;
    const int blocks = p->tiles / gs_block_size + 1;
    int *dirty_counter;
    gsolve_status status;

    TRY(alloc_space(p, ctx, A));
    dirty_counter = (int *)(p->arrived + p->groups + 1);
    TRY(A->offset == GSOLVE_O64
            ? gs_launch(q, "finding the rows of tiles", find_rows<int64_t>, blocks, gs_block_size,
                        A->nrows, (const int64_t *)A->start, tile, *p)
            : gs_launch(q, "finding the rows of tiles", find_rows<int32_t>, blocks, gs_block_size,
                        A->nrows, (const int32_t *)A->start, tile, *p));
    TRY(gs_launch(q, "recording dirty tiles", record_dirty_tiles, blocks, gs_block_size, A->nrows,
                  p->tiles, p->first, p->speculator, dirty_counter));
    TRY(gsolve_copy(ctx, &p->pieces, GSOLVE_HOST, dirty_counter, GSOLVE_DEVICE, sizeof p->pieces));
done:
    return status;
}
