// blocked_cuda.cu: makes blocks from compressed rows on a GPU.
#include "core/scan.cuh"
#include "spgemm/blocked/blocked.cuh"

extern "C" {
#include "core/try.h"
}

using namespace gs_blocks;

namespace
{

constexpr int most = GS_MAX_BLOCK;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ unsigned below(int lane) // a mask of the lanes before this one
{
    return (1u << lane) - 1;
}

// Visits the entries of a row from k on whose block columns are in [J, J + 32): calls visit(block
// column - J, column, position) in the lanes that have one. Returns the first entry behind them.
// All lanes of the warp call it.
template <class O, class Visit>
__device__ O visit_blocks(const int32_t *col, O k, O end, int32_t J, int width, Visit visit)
{
    const int lane = (int)threadIdx.x % 32;

    for (;;) {
        const int32_t c = k + lane < end ? __ldg(col + k + lane) : -1;
        const int bit = c >= 0 ? min(c / width - J, 32) : 32;
        const unsigned some = __ballot_sync(all_lanes, bit < 32);
        if (bit < 32) visit(bit, c, k + lane);
        k += __popc(some);
        if (some != all_lanes) return k;
    }
}

// Visits the blocks of block row I, ascending. Calls found(number, block column) for each block,
// and entry(number, row, column in the block, position in A) for each entry in it. Returns the
// number of blocks. Each pass finds the blocks among 32 block columns; the first of them holds the
// least column that is left. A warp owns a block row. Reads A's columns twice, the second time
// through the cache.
template <class O, class Found, class Entry>
__device__ int64_t walk(shape s, const O *start, const int32_t *col, int32_t I, Found found,
                        Entry entry)
{
    const int lane = (int)threadIdx.x % 32;
    O at[most], end[most];
    int64_t count = 0;

#pragma unroll
    for (int r = 0; r < most; r++) {
        const int64_t i = (int64_t)I * s.height + r;
        at[r] = r < s.height ? start[i] : 0;
        end[r] = r < s.height ? start[i + 1] : 0;
    }
    for (;;) {
        int32_t least = INT32_MAX;
        unsigned bits = 0;
#pragma unroll
        for (int r = 0; r < most; r++) {
            if (at[r] < end[r]) least = min(least, __ldg(col + at[r]));
        }
        if (least == INT32_MAX) return count; // no column is left
        const int32_t J = least / s.width;
#pragma unroll
        for (int r = 0; r < most; r++) {
            if (at[r] < end[r]) {
                visit_blocks(col, at[r], end[r], J, s.width,
                             [&](int bit, int32_t, O) { bits |= 1u << bit; });
            }
        }
        bits = __reduce_or_sync(all_lanes, bits);
        if (bits >> lane & 1) found(count + __popc(bits & below(lane)), J + lane);
#pragma unroll
        for (int r = 0; r < most; r++) {
            if (at[r] >= end[r]) continue;
            at[r] = visit_blocks(col, at[r], end[r], J, s.width, [&](int bit, int32_t c, O k) {
                entry(count + __popc(bits & below(bit)), r, c - (J + bit) * s.width, (int64_t)k);
            });
        }
        count += __popc(bits);
    }
}

// count[I] = the number of blocks in block row I. A warp owns a block row. Reads A's columns,
// see walk.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    count_blocks(shape s, const O *start, const int32_t *col, int64_t *count)
{
    const int64_t I = row_of_warp();

    if (I >= s.rows) return;
    const int64_t blocks =
        walk(s, start, col, (int32_t)I, [](int64_t, int32_t) {}, [](int64_t, int, int, int64_t) {});
    if (threadIdx.x % 32 == 0) count[I] = blocks;
}

// Block columns and values, which were set to zero. A warp owns a block row, see walk. Reads A's
// values once; writes each entry once, by the lane that read it.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    fill_blocks(shape s, const O *start, const int32_t *col, const T *value, const P *to_start,
                int32_t *to_col, T *to)
{
    const int64_t I = row_of_warp();

    if (I >= s.rows) return;
    const int64_t first = to_start[I];
    walk(
        s, start, col, (int32_t)I, [&](int64_t k, int32_t J) { to_col[first + k] = J; },
        [&](int64_t k, int r, int j, int64_t entry) {
            to[((first + k) * s.height + r) * s.width + j] = __ldg(value + entry);
        });
}

template <class O>
gsolve_status count_of(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A,
                       int64_t *count)
{
    return gs_launch(ctx->queue, "counting blocks", count_blocks<O>,
                     blocks_for(32 * (int64_t)B->csr.nrows), gs_block_size, shape_of(B),
                     offsets_of<O>(A), A->col, count);
}

gsolve_status count(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A, int64_t *number)
{
    if (B->csr.nrows == 0) return GSOLVE_OK;
    return A->offset == GSOLVE_O64 ? count_of<int64_t>(ctx, B, A, number)
                                   : count_of<int32_t>(ctx, B, A, number);
}

template <class T, class O, class P>
gsolve_status fill_from(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    gs_queue *q = ctx->queue;
    T *value = writable(ctx, (const T *)B->csr.value);
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, &B->csr, &entries));
    TRY(gs_cuda(q,
                cudaMemsetAsync(value, 0, (size_t)(entries * B->height * B->width) * sizeof *value,
                                q->stream),
                "filling blocks"));
    TRY(gs_launch(q, "filling blocks", fill_blocks<T, O, P>, blocks_for(32 * (int64_t)B->csr.nrows),
                  gs_block_size, shape_of(B), offsets_of<O>(A), A->col, (const T *)A->value,
                  offsets_of<P>(&B->csr), writable(ctx, B->csr.col), value));
done:
    return status;
}

template <class T>
gsolve_status fill(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    if (B->csr.nrows == 0) return GSOLVE_OK;
    return with_offsets(A, &B->csr, [&](auto o, auto p) {
        return fill_from<T, decltype(o), decltype(p)>(ctx, B, A);
    });
}

// --- sums -------------------------------------------------------------------------------------

// Calls call(space, bytes), a function of CUB, twice: for the size of its work space, and with it.
template <class Call>
gsolve_status with_space(gsolve_context *ctx, Call call)
{
    size_t bytes = 0;
    gsolve_status status = gs_cuda(ctx->queue, call((void *)nullptr, bytes), "counting blocks");

    if (status != GSOLVE_OK) return status;
    void *space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    if (!space) return GSOLVE_NO_MEMORY;
    status = gs_cuda(ctx->queue, call(space, bytes), "counting blocks");
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

gsolve_status total(gsolve_context *ctx, int32_t n, const int64_t *number, int64_t *sum)
{
    int64_t *on_device = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, on_device, 1);
    TRY(with_space(ctx, [&](void *space, size_t &bytes) {
        return gs_sum(space, bytes, number, on_device, n, ctx->queue->stream);
    }));
    TRY(gsolve_copy(ctx, sum, GSOLVE_HOST, on_device, GSOLVE_DEVICE, sizeof *sum));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, on_device);
    return status;
}

template <class P>
gsolve_status offsets_to(gsolve_context *ctx, const gsolve_csr *B, const int64_t *number)
{
    return with_space(ctx, [&](void *space, size_t &bytes) {
        return gs_exclusive_sum(space, bytes, number, writable(ctx, (const P *)B->start),
                                (int64_t)B->nrows + 1, ctx->queue->stream);
    });
}

gsolve_status offsets(gsolve_context *ctx, const gsolve_csr *B, int64_t *number)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(number + B->nrows, 0, sizeof *number, q->stream),
                "counting blocks"));
    TRY(B->offset == GSOLVE_O64 ? offsets_to<int64_t>(ctx, B, number)
                                : offsets_to<int32_t>(ctx, B, number));
done:
    return status;
}

} // namespace

extern "C" const gs_blocked_kernels gs_blocked_cuda[GSOLVE_TYPE_COUNT] = {
    {count, fill<float>, refill<float>, offsets, total, spread<float>},
    {count, fill<double>, refill<double>, offsets, total, spread<double>},
};
