// block_counts_cuda.cu: counts the blocks of a sample on a GPU, see block_counts.h.
#include "matrix/block_rows.cuh"

extern "C" {
#include "core/try.h"
#include "matrix/block_counts.h"
}

namespace
{

// Counts the entries and the B x B blocks of the sample, which holds every step-th block row. A
// warp owns 32 / B block rows and a lane one row; gs_block_rows::walk finds the blocks. Rows of
// more than GS_BLOCK_COUNT_LONGEST entries are cut off at one more, so that the sum of a block row
// cannot overflow; a block row of more entries is skipped. Lane 0 adds the warp's totals to *out
// with atomics on integers.
template <int B, class O>
__global__ void __launch_bounds__(gs_block_rows::threads)
    count_blocks(int32_t nrows, const O *start, const int32_t *col, int64_t samples, int64_t step,
                 gs_block_count *out)
{
    const unsigned all = gs_block_rows::all_lanes;
    const int64_t sample = gs_block_rows::block_row<B>(samples);
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = sample * step * B + lane % B;
    gs_block_rows::span<O> row = gs_block_rows::row_span(start, i, sample >= 0 && i < nrows);
    const unsigned most = GS_BLOCK_COUNT_LONGEST + 1;
    const unsigned own = row.end - row.at < (O)most ? (unsigned)(row.end - row.at) : most;
    unsigned entries = 0, blocks = 0;

    for (int r = 0; r < B; r++) entries += __shfl_sync(all, own, lane - lane % B + r);
    if (entries > GS_BLOCK_COUNT_LONGEST) row.at = row.end;
    gs_block_rows::walk<B>(col, row, [&](int32_t) { blocks++; });
    entries = __reduce_add_sync(all, row.at < row.end ? own : 0);
    blocks = __reduce_add_sync(all, blocks);
    if (lane > 0 || entries == 0) return;
    atomicAdd(&out->entries, (unsigned long long)entries);
    atomicAdd(&out->blocks, (unsigned long long)blocks);
}

template <int B, class O>
gsolve_status launch(gsolve_context *ctx, const gsolve_csr *A, gs_block_count *of)
{
    const int64_t rows = ((int64_t)A->nrows + B - 1) / B, step = rows / GS_BLOCK_COUNT_ROWS + 1;
    const int64_t samples = (rows + step - 1) / step;

    if (rows == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "counting the blocks of a sample", count_blocks<B, O>,
                     gs_block_rows::blocks_for_walks(samples, B), gs_block_rows::threads, A->nrows,
                     (const O *)A->start, A->col, samples, step, &of[B - GS_BLOCK_COUNT_LEAST]);
}

template <class O>
gsolve_status launch_all(gsolve_context *ctx, const gsolve_csr *A, gs_block_count *of)
{
    static_assert(GS_BLOCK_COUNT_LEAST == 2 && GS_BLOCK_COUNT_MOST == 8, "a call for each size");
    gsolve_status status;

    TRY((launch<2, O>(ctx, A, of)));
    TRY((launch<3, O>(ctx, A, of)));
    TRY((launch<4, O>(ctx, A, of)));
    TRY((launch<5, O>(ctx, A, of)));
    TRY((launch<6, O>(ctx, A, of)));
    TRY((launch<7, O>(ctx, A, of)));
    TRY((launch<8, O>(ctx, A, of)));
done:
    return status;
}

gsolve_status count(gs_block_count *of, gsolve_context *ctx, const gsolve_csr *A)
{
    constexpr size_t bytes =
        (GS_BLOCK_COUNT_MOST - GS_BLOCK_COUNT_LEAST + 1) * sizeof(gs_block_count);
    gs_block_count *space = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, space, GS_BLOCK_COUNT_MOST - GS_BLOCK_COUNT_LEAST + 1);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(space, 0, bytes, ctx->queue->stream),
                "counting the blocks of a sample"));
    TRY(A->offset == GSOLVE_O64 ? launch_all<int64_t>(ctx, A, space)
                                : launch_all<int32_t>(ctx, A, space));
    TRY(gsolve_copy(ctx, of, GSOLVE_HOST, space, GSOLVE_DEVICE, bytes));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

} // namespace

extern "C" const gs_block_count_kernels gs_block_count_cuda[GSOLVE_TYPE_COUNT] = {{count}, {count}};
