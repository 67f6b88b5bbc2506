// blocked_values_cuda.cu: new values of blocks, and the conversion of blocks to rows, on a GPU.
#include "spgemm/blocked/blocked.cuh"

using namespace gs_blocks;

namespace
{

// The position of block column J in [low, high), which contains it.
__device__ int64_t search_block(const int32_t *col, int64_t low, int64_t high, int32_t J)
{
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (__ldg(col + middle) <= J) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// Writes new values of A to the blocks. A warp owns a block row, a lane every 32nd entry of a row.
// If a row has as many entries as its blocks have columns, it is full, and its columns are not
// read. Else each entry bisects the block columns. Reads A once; writes each entry once.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    refill_blocks(shape s, const O *start, const int32_t *col, const T *value, const P *to_start,
                  const int32_t *to_col, T *to)
{
    const int64_t I = row_of_warp();

    if (I >= s.rows) return;
    const int64_t first = to_start[I], last = to_start[I + 1];
    for (int r = 0; r < s.height; r++) {
        const int64_t from = start[I * s.height + r], n = start[I * s.height + r + 1] - from;
        const bool full = n == (last - first) * s.width;
        for (int64_t x = threadIdx.x % 32; x < n; x += 32) {
            const int32_t c = full ? (int32_t)x : __ldg(col + from + x), J = c / s.width;
            const int64_t k = full ? first + J : search_block(to_col, first, last, J);
            to[(k * s.height + r) * s.width + c - J * s.width] = __ldg(value + from + x);
        }
    }
}

template <class T, class O, class P>
gsolve_status refill_from(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    return gs_launch(ctx->queue, "new values of blocks", refill_blocks<T, O, P>,
                     blocks_for(32 * (int64_t)B->csr.nrows), gs_block_size, shape_of(B),
                     offsets_of<O>(A), A->col, (const T *)A->value, offsets_of<P>(&B->csr),
                     B->csr.col, writable(ctx, (const T *)B->csr.value));
}

// --- blocks to rows ------------------------------------------------------------------------------

// Offsets, columns and values of A from blocks. A warp owns a block row. The rows r of its blocks,
// concatenated, are row r of A. So its entries are contiguous in A, in the order of (row, block,
// column). Reads the blocks once, through the cache; writes A once, contiguously.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    spread_blocks(shape s, const P *from_start, const int32_t *from_col, const T *from, O *start,
                  int32_t *col, T *value)
{
    const int64_t I = row_of_warp();
    const int lane = (int)threadIdx.x % 32, size = s.height * s.width;

    if (I >= s.rows) return;
    const int64_t first = from_start[I], n = (from_start[I + 1] - first) * s.width;
    if (lane < s.height) start[I * s.height + lane] = (O)(first * size + lane * n);
    if (I == s.rows - 1 && lane == 0) start[(I + 1) * s.height] = (O)(first * size + n * s.height);
    for (int r = 0; r < s.height; r++) {
        for (int64_t x = lane; x < n; x += 32) {
            const int64_t k = first + x / s.width, to = first * size + r * n + x;
            const int j = (int)(x % s.width);
            col[to] = __ldg(from_col + k) * s.width + j;
            value[to] = __ldg(from + (k * s.height + r) * s.width + j);
        }
    }
}

template <class T, class O, class P>
gsolve_status spread_to(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B)
{
    const int64_t warps = B->csr.nrows;

    return gs_launch(ctx->queue, "spreading blocks", spread_blocks<T, O, P>, blocks_for(32 * warps),
                     gs_block_size, shape_of(B), offsets_of<P>(&B->csr), B->csr.col,
                     (const T *)B->csr.value, writable(ctx, offsets_of<O>(A)),
                     writable(ctx, A->col), writable(ctx, (const T *)A->value));
}

} // namespace

namespace gs_blocks
{

template <class T>
gsolve_status refill(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    if (B->csr.nrows == 0) return GSOLVE_OK;
    return with_offsets(A, &B->csr, [&](auto o, auto p) {
        return refill_from<T, decltype(o), decltype(p)>(ctx, B, A);
    });
}

template <class T>
gsolve_status spread(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B)
{
    gs_queue *q = ctx->queue;

    if (B->csr.nrows == 0) {
        void *start = gs_owned_block(ctx, A->start);
        return gs_cuda(q, cudaMemsetAsync(start, 0, gs_offset_size(A->offset), q->stream),
                       "spreading blocks");
    }
    return with_offsets(A, &B->csr, [&](auto o, auto p) {
        return spread_to<T, decltype(o), decltype(p)>(ctx, A, B);
    });
}

template gsolve_status refill<float>(gsolve_context *, const gs_blocked *, const gsolve_csr *);
template gsolve_status refill<double>(gsolve_context *, const gs_blocked *, const gsolve_csr *);
template gsolve_status spread<float>(gsolve_context *, const gsolve_csr *, const gs_blocked *);
template gsolve_status spread<double>(gsolve_context *, const gsolve_csr *, const gs_blocked *);

} // namespace gs_blocks
