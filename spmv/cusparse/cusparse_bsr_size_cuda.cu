// cusparse_bsr_size_cuda.cu: the blocks that store the least of a sample of rows.
#include "spmv/cusparse/vendor.cuh"

namespace
{

constexpr int least_block = 2, most_block = 8; // that are tried
constexpr int sampled = 8192;                  // block rows for each of them
constexpr int most_sampled = 2048;             // entries of one: longer ones are left out

struct tally { // of a sample
    unsigned long long entries, blocks;
};

// One thread a block row: its rows merged, block by block.
template <class O>
__global__ void count_blocks(int32_t nrows, const O *start, const int32_t *col, int block,
                             int64_t rows, int64_t step, tally *out)
{
    const int64_t I = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * step;
    int64_t at[most_block], end[most_block], entries = 0;
    unsigned long long blocks = 0;

    if (I >= rows) return;
    for (int r = 0; r < block; r++) {
        const int64_t i = I * block + r;
        at[r] = i < nrows ? start[i] : 0;
        end[r] = i < nrows ? start[i + 1] : 0;
        entries += end[r] - at[r];
    }
    if (entries == 0 || entries > most_sampled) return;
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

} // namespace

gsolve_status gs_vendor_find_block(gs_vendor_matrix *v, gsolve_context *ctx)
{
    constexpr int tried = most_block - least_block + 1;
    const gsolve_csr *A = &v->csr;
    const double size = (double)gs_type_size(A->type);
    tally *space = nullptr, found[tried];
    double least = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, space, tried);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(space, 0, sizeof found, ctx->queue->stream),
                "a sample of the blocks"));
    for (int b = least_block; b <= most_block; b++) {
        const int64_t rows = ((int64_t)A->nrows + b - 1) / b, step = rows / sampled + 1;
        const int blocks = (int)((rows / step + gs_block_size) / gs_block_size);
        tally *to = &space[b - least_block];
        if (A->offset == GSOLVE_O64) {
            TRY(gs_launch(ctx->queue, "a sample of the blocks", count_blocks<int64_t>, blocks,
                          gs_block_size, A->nrows, (const int64_t *)A->start, A->col, b, rows, step,
                          to));
        } else {
            TRY(gs_launch(ctx->queue, "a sample of the blocks", count_blocks<int32_t>, blocks,
                          gs_block_size, A->nrows, (const int32_t *)A->start, A->col, b, rows, step,
                          to));
        }
    }
    TRY(gsolve_copy(ctx, found, GSOLVE_HOST, space, GSOLVE_DEVICE, sizeof found));
    v->chosen.block = least_block;
    for (int b = least_block; b <= most_block; b++) {
        const tally *t = &found[b - least_block];
        const double bytes = (double)t->blocks * (b * b * size + sizeof(int32_t));
        if (t->entries == 0) continue;
        if (least == 0 || bytes / (double)t->entries < least) {
            least = bytes / (double)t->entries;
            v->chosen.block = b;
        }
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}
