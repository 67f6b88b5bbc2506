// work_cuda.cu: the products that each row of C = A B takes, counted on a GPU.
#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spgemm/spgemm.h"
}

namespace
{

struct found {
    unsigned long long products;
    unsigned long long longest; // its products (2^32 - 1 at most) above, ~row below
};

// A warp a row; sums of integers, so that their order does not matter.
template <class OA, class OB>
__global__ void count_rows(int32_t nrows, const OA *start, const int32_t *col, const OB *b_start,
                           found *f)
{
    const int64_t warp = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int64_t warps = (int64_t)gridDim.x * blockDim.x / 32;
    const int lane = (int)(threadIdx.x % 32);
    unsigned long long products = 0, longest = 0;

    for (int64_t i = warp; i < nrows; i += warps) {
        unsigned long long mine = 0;
        for (int64_t k = (int64_t)start[i] + lane; k < (int64_t)start[i + 1]; k += 32) {
            mine += (unsigned long long)(b_start[col[k] + 1] - b_start[col[k]]);
        }
        for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, d);
        products += mine;
        longest = max(longest, min(mine, 0xffffffffull) << 32 | (unsigned)~(unsigned)i);
    }
    if (lane == 0 && products > 0) {
        atomicAdd(&f->products, products);
        atomicMax(&f->longest, longest);
    }
}

template <class OA, class OB>
gsolve_status count_all(gs_queue *q, const gsolve_csr *A, const gsolve_csr *B, found *f)
{
    return gs_launch(q, "counting products", count_rows<OA, OB>, gs_grid(q, (int64_t)A->nrows * 32),
                     gs_block_size, A->nrows, (const OA *)A->start, A->col, (const OB *)B->start,
                     f);
}

gsolve_status count_by_width(gs_queue *q, const gsolve_csr *A, const gsolve_csr *B, found *f)
{
    if (A->offset == GSOLVE_O64) {
        return B->offset == GSOLVE_O64 ? count_all<int64_t, int64_t>(q, A, B, f)
                                       : count_all<int64_t, int32_t>(q, A, B, f);
    }
    return B->offset == GSOLVE_O64 ? count_all<int32_t, int64_t>(q, A, B, f)
                                   : count_all<int32_t, int32_t>(q, A, B, f);
}

gsolve_status count(gs_work_of_product *work, gsolve_context *ctx, const gsolve_csr *A,
                    const gsolve_csr *B)
{
    found *there = nullptr, here = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, there, 1);
    TRY(gs_cuda(ctx->queue, cudaMemsetAsync(there, 0, sizeof *there, ctx->queue->stream),
                "counting products"));
    TRY(count_by_width(ctx->queue, A, B, there));
    TRY(gsolve_copy(ctx, &here, GSOLVE_HOST, there, GSOLVE_DEVICE, sizeof here));
    work->products = (int64_t)here.products;
    work->longest = (int64_t)(here.longest >> 32);
    work->longest_row = here.longest ? (int32_t) ~(uint32_t)here.longest : 0;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, there);
    return status;
}

} // namespace

extern "C" const gs_work_kernels gs_work_cuda[GSOLVE_TYPE_COUNT] = {{count}, {count}};
