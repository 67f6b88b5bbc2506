// bsr_pattern_cuda.cu: which blocks exist, on a GPU. A group of B threads merges the B rows of a
// block row, once to count its blocks and once to store their columns. No sort is needed.
#include "core/scan.cuh"
#include "matrix/block_rows.cuh"
#include "spmv/bsr/bsr_slices.cuh"

using namespace gs_bsr_parts;

namespace
{

// count[I] = number of blocks of block row I; or, if count is NULL, stores their columns from
// out[first[I]] on. A group of B threads owns a block row; its first thread counts or writes. Reads
// of the columns are coalesced, see gs_block_rows::walk.
template <int B, class O>
__global__ void __launch_bounds__(gs_block_rows::threads)
    find_blocks(const O *start, const int32_t *col, int32_t nrows, int32_t rows, int64_t *count,
                const int64_t *first, int32_t *out)
{
    const int64_t I = gs_block_rows::block_row<B>(rows);
    const int r = (int)threadIdx.x % 32 % B;
    const int64_t i = I * B + r, from = count || I < 0 ? 0 : first[I];
    int64_t found = from;

    gs_block_rows::walk<B>(col, gs_block_rows::row_span(start, i, I >= 0 && i < nrows),
                           [&](int32_t J) {
                               if (!count) out[found] = J;
                               found++;
                           });
    if (count && I >= 0 && r == 0) count[I] = found;
}

template <int B, class O>
gsolve_status launch(gs_bsr *m, gsolve_context *ctx, int64_t *count, const int64_t *first,
                     int32_t *out)
{
    const gsolve_csr *A = &m->csr;

    if (m->rows == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "finding blocks", find_blocks<B, O>,
                     gs_block_rows::blocks_for_walks(m->rows, B), gs_block_rows::threads,
                     (const O *)A->start, A->col, A->nrows, m->rows, count, first, out);
}

template <class O>
gsolve_status find_sized(gs_bsr *m, gsolve_context *ctx, int64_t *count, const int64_t *first,
                         int32_t *out)
{
    switch (m->b) {
    case 2: return launch<2, O>(m, ctx, count, first, out);
    case 3: return launch<3, O>(m, ctx, count, first, out);
    case 4: return launch<4, O>(m, ctx, count, first, out);
    case 5: return launch<5, O>(m, ctx, count, first, out);
    case 6: return launch<6, O>(m, ctx, count, first, out);
    case 7: return launch<7, O>(m, ctx, count, first, out);
    default: return launch<8, O>(m, ctx, count, first, out);
    }
}

gsolve_status find(gs_bsr *m, gsolve_context *ctx, int64_t *count, const int64_t *first,
                   int32_t *out)
{
    return m->csr.offset == GSOLVE_O64 ? find_sized<int64_t>(m, ctx, count, first, out)
                                       : find_sized<int32_t>(m, ctx, count, first, out);
}

} // namespace

gsolve_status gs_bsr_find_pattern(pattern *p, gs_bsr *m, gsolve_context *ctx)
{
    gs_queue *q = ctx->queue;
    const int64_t rows = m->rows;
    int64_t *count = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, count, rows + 1);
    ALLOC_DEVICE(ctx, p->first, rows + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(count + rows, 0, sizeof *count, q->stream), "counting blocks"));
    TRY(find(m, ctx, count, nullptr, nullptr));
    TRY(gs_scan(ctx, "counting blocks", count, p->first, rows + 1, &m->blocks));
    ALLOC_DEVICE(ctx, p->col, m->blocks);
    TRY(find(m, ctx, nullptr, p->first, p->col));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    return status;
}
