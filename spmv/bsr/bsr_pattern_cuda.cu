// bsr_pattern_cuda.cu: which blocks there are, on a GPU. An entry owns its block if it is the
// block's first in its row and no earlier row of the block row has an entry there. The blocks of a
// block row are those that its rows own, row after row: nothing has to be sorted.
#include <cub/device/device_scan.cuh>

#include "spmv/bsr/bsr_slices.cuh"
#include "spmv/rows.cuh"

using namespace gs_bsr_parts;

namespace
{

template <class O>
struct rows_of {
    const O *start;
    const int32_t *col;
    int32_t nrows;
    int b;
};

// Whether row i has an entry in the b columns from first on; likely: where that may be.
template <class O>
__device__ bool has_block(const rows_of<O> &A, int64_t i, int32_t first, int64_t likely)
{
    const int64_t end = A.start[i + 1];
    int64_t low = A.start[i], high = end; // the first entry at or after that column

    if (low + likely < end) {
        const int32_t j = A.col[low + likely];
        if (j >= first && j - first < A.b) return true;
    }
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (A.col[middle] < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && A.col[low] - first < A.b;
}

template <class O>
__device__ bool owns(const rows_of<O> &A, int64_t i, int64_t from, int64_t k)
{
    const int32_t j = A.col[k], first = j - j % A.b;

    if (k > from && A.col[k - 1] >= first) return false;
    for (int64_t r = i - i % A.b; r < i; r++) {
        if (has_block(A, r, first, k - from)) return false;
    }
    return true;
}

// A warp a row, and for the rows that the last block row lacks: count[i] = blocks that row i owns;
// or, if count is NULL, their columns from out[first[i]] on.
template <class O>
__global__ void find_owners(rows_of<O> A, int64_t rows, int64_t *count, const int64_t *first,
                            int32_t *out)
{
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;

    if (i >= rows) return;
    const int64_t from = i < A.nrows ? A.start[i] : 0, end = i < A.nrows ? A.start[i + 1] : 0;
    int64_t found = count ? 0 : first[i];
    for (int64_t base = from; base < end; base += 32) {
        const int64_t k = base + lane;
        const bool own = k < end && owns(A, i, from, k);
        const unsigned all = __ballot_sync(0xffffffffu, own);
        if (own && !count) out[found + __popc(all & ((1u << lane) - 1))] = A.col[k] / A.b;
        found += __popc(all);
    }
    if (count && lane == 0) count[i] = found;
}

// first[I] = of_row[I b]
__global__ void keep_block_rows(int64_t n, int b, const int64_t *of_row, int64_t *first)
{
    const int64_t I = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    if (I < n) first[I] = of_row[I * b];
}

template <class O>
gsolve_status launch(gs_bsr *m, gsolve_context *ctx, int64_t *count, const int64_t *first,
                     int32_t *out)
{
    const gsolve_csr *A = &m->csr;
    const int64_t rows = (int64_t)m->rows * m->b;
    const rows_of<O> a = {(const O *)A->start, A->col, A->nrows, m->b};

    if (rows == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "finding blocks", find_owners<O>, gs_warp_blocks(rows),
                     gs_block_size, a, rows, count, first, out);
}

gsolve_status find(gs_bsr *m, gsolve_context *ctx, int64_t *count, const int64_t *first,
                   int32_t *out)
{
    return m->csr.offset == GSOLVE_O64 ? launch<int64_t>(m, ctx, count, first, out)
                                       : launch<int32_t>(m, ctx, count, first, out);
}

} // namespace

gsolve_status gs_bsr_find_pattern(pattern *p, gs_bsr *m, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int64_t rows = (int64_t)m->rows * m->b;
    int64_t *count = nullptr, *first = nullptr;
    void *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, count, rows + 1);
    ALLOC_DEVICE(ctx, first, rows + 1);
    ALLOC_DEVICE(ctx, p->first, (size_t)m->rows + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(count + rows, 0, sizeof *count, q->stream), "counting blocks"));
    TRY(find(m, ctx, count, nullptr, nullptr));
    cub::DeviceScan::ExclusiveSum(nullptr, bytes, count, first, rows + 1, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_cuda(q, cub::DeviceScan::ExclusiveSum(space, bytes, count, first, rows + 1, q->stream),
                "counting blocks"));
    TRY(gsolve_copy(ctx, &m->blocks, GSOLVE_HOST, first + rows, GSOLVE_DEVICE, sizeof m->blocks));
    ALLOC_DEVICE(ctx, p->col, m->blocks);
    TRY(find(m, ctx, nullptr, first, p->col));
    TRY(gs_launch(q, "counting blocks", keep_block_rows, blocks_for((int64_t)m->rows + 1),
                  gs_block_size, (int64_t)m->rows + 1, m->b, first, p->first));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    return status;
}
