// tally_cuda.cu: the sample of blocks on a GPU, see tally.h.
#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/tally.h"
}

namespace
{

// One thread a block row: its rows merged, block by block.
template <class O>
__global__ void count_blocks(int32_t nrows, const O *start, const int32_t *col, int block,
                             int64_t rows, int64_t step, gs_tally *out)
{
    const int64_t I = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * step;
    int64_t at[GS_TALLY_MOST], end[GS_TALLY_MOST], entries = 0;
    unsigned long long blocks = 0;

    if (I >= rows) return;
    for (int r = 0; r < block; r++) {
        const int64_t i = I * block + r;
        at[r] = i < nrows ? start[i] : 0;
        end[r] = i < nrows ? start[i + 1] : 0;
        entries += end[r] - at[r];
    }
    if (entries == 0 || entries > GS_TALLY_LONGEST) return;
    for (int64_t left = entries; left > 0; blocks++) {
        int32_t J = INT32_MAX; // the next block column
        for (int r = 0; r < block; r++) {
            if (at[r] < end[r]) J = min(J, col[at[r]] / block);
        }
        for (int r = 0; r < block; r++) {
            for (; at[r] < end[r] && col[at[r]] / block == J; at[r]++) left--;
        }
    }
    atomicAdd(&out->entries, (unsigned long long)entries);
    atomicAdd(&out->blocks, blocks);
}

template <class O>
gsolve_status launch(gsolve_context *ctx, const gsolve_csr *A, int b, gs_tally *to)
{
    const int64_t rows = ((int64_t)A->nrows + b - 1) / b, step = rows / GS_TALLY_ROWS + 1;
    const int blocks = (int)((rows / step + gs_block_size) / gs_block_size);

    return gs_launch(ctx->queue, "a sample of the blocks", count_blocks<O>, blocks, gs_block_size,
                     A->nrows, (const O *)A->start, A->col, b, rows, step, to);
}

gsolve_status count(gs_tally *of, gsolve_context *ctx, const gsolve_csr *A)
{
    constexpr size_t bytes = (GS_TALLY_MOST - GS_TALLY_LEAST + 1) * sizeof(gs_tally);
    gs_tally *space = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, space, GS_TALLY_MOST - GS_TALLY_LEAST + 1);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(space, 0, bytes, ctx->queue->stream),
                "a sample of the blocks"));
    for (int b = GS_TALLY_LEAST; b <= GS_TALLY_MOST; b++) {
        gs_tally *to = &space[b - GS_TALLY_LEAST];
        TRY(A->offset == GSOLVE_O64 ? launch<int64_t>(ctx, A, b, to)
                                    : launch<int32_t>(ctx, A, b, to));
    }
    TRY(gsolve_copy(ctx, of, GSOLVE_HOST, space, GSOLVE_DEVICE, bytes));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

} // namespace

extern "C" const gs_tally_kernels gs_tally_cuda[GSOLVE_TYPE_COUNT] = {{count}, {count}};
