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

constexpr int sharers = 8, shared = 64; // lanes of a row, for as many entries; the warp the others

// sums of integers, so that their order does not matter.
template <class OA, class OB>
__global__ void __launch_bounds__(gs_block_size)
    count_rows(int32_t nrows, const OA *start, const int32_t *col, const OB *b_start, found *f)
{
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    const int lane = (int)threadIdx.x % 32, e = lane % sharers;
    unsigned long long products = 0, longest = 0;
    const auto count = [&](int64_t from, int64_t to, int step) {
        unsigned long long sum = 0;
        for (int64_t k = from; k < to; k += step) {
            sum += (unsigned long long)(b_start[col[k] + 1] - b_start[col[k]]);
        }
        return sum;
    };

    for (int64_t t = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
         t / 32 * 32 < nrows * (int64_t)sharers; t += threads) {
        const int64_t i = t / sharers, from = i < nrows ? (int64_t)start[i] : 0,
                      to = i < nrows ? (int64_t)start[i + 1] : 0;
        unsigned long long mine = count(from + e, min(to, from + shared), sharers);
        unsigned more = __ballot_sync(0xffffffffu, e == 0 && to > from + shared);
        for (; more; more &= more - 1) {
            const int owner = __ffs((int)more) - 1;
            const int64_t rest = __shfl_sync(0xffffffffu, from, owner) + shared;
            unsigned long long sum = count(rest + lane, __shfl_sync(0xffffffffu, to, owner), 32);
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
            if (lane == owner) mine += sum;
        }
        for (int d = sharers / 2; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, d);
        if (e == 0) products += mine;
        longest = max(longest, min(mine, 0xffffffffull) << 32 | (unsigned)~(unsigned)i);
    }
    products = gs_block_sum(products);
    if (threadIdx.x == 0 && products > 0) atomicAdd(&f->products, products);
    for (int d = 16; d > 0; d /= 2)
        longest = max(longest, __shfl_xor_sync(0xffffffffu, longest, d));
    if (lane == 0 && longest >> 32) atomicMax(&f->longest, longest);
}

template <class OA, class OB>
gsolve_status count_all(gs_queue *q, const gsolve_csr *A, const gsolve_csr *B, found *f)
{
    return gs_launch(q, "counting products", count_rows<OA, OB>,
                     gs_grid(q, (int64_t)A->nrows * sharers), gs_block_size, A->nrows,
                     (const OA *)A->start, A->col, (const OB *)B->start, f);
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
