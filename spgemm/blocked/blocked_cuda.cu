// blocked_cuda.cu: blocks from compressed rows, their new values, and rows from blocks, on a GPU.
#include "spgemm/rows.cuh"

extern "C" {
#include "spgemm/blocked/blocked.h"
}

namespace
{

template <class O>
const O *offsets_of(const gsolve_csr *csr)
{
    return (const O *)csr->start;
}

template <class X>
X *writable(const gsolve_context *ctx, const X *array) // array, which ctx owns, as not const
{
    return (X *)gs_owned_block(ctx, array);
}

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

struct shape {
    int32_t rows; // block rows
    int height, width;
};

shape shape_of(const gs_blocked *B)
{
    return {B->csr.nrows, B->height, B->width};
}

// The block row of this thread's warp.
__device__ int64_t row_of_warp()
{
    return ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
}

// Calls call(0 of A's offset type, 0 of B's offset type).
template <class Call>
gsolve_status with_offsets(const gsolve_csr *A, const gsolve_csr *B, Call call)
{
    const bool wide = A->offset == GSOLVE_O64, to_wide = B->offset == GSOLVE_O64;

    if (wide) return to_wide ? call(int64_t(), int64_t()) : call(int64_t(), int32_t());
    return to_wide ? call(int32_t(), int64_t()) : call(int32_t(), int32_t());
}

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

gsolve_status count(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A, int64_t *number)
{
    if (B->csr.nrows == 0) return GSOLVE_OK;
    return with_offsets(A, A, [&](auto o, auto) {
        using O = decltype(o);
        return gs_launch(ctx->queue, "counting blocks", count_blocks<O>,
                         blocks_for(32 * (int64_t)B->csr.nrows), gs_block_size, shape_of(B),
                         offsets_of<O>(A), A->col, number);
    });
}

template <class T>
gsolve_status fill(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    gs_queue *q = ctx->queue;
    T *value = writable(ctx, (const T *)B->csr.value);
    int64_t entries = 0;
    gsolve_status status = GSOLVE_OK;

    if (B->csr.nrows == 0) return GSOLVE_OK;
    TRY(gs_csr_entries(ctx, &B->csr, &entries));
    TRY(gs_cuda(q,
                cudaMemsetAsync(value, 0, (size_t)(entries * B->height * B->width) * sizeof *value,
                                q->stream),
                "filling blocks"));
    status = with_offsets(A, &B->csr, [&](auto o, auto p) {
        using O = decltype(o);
        using P = decltype(p);
        return gs_launch(q, "filling blocks", fill_blocks<T, O, P>,
                         blocks_for(32 * (int64_t)B->csr.nrows), gs_block_size, shape_of(B),
                         offsets_of<O>(A), A->col, (const T *)A->value, offsets_of<P>(&B->csr),
                         writable(ctx, B->csr.col), value);
    });
done:
    return status;
}

gsolve_status number(gsolve_context *ctx, int32_t n, int64_t *count, int64_t *total)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(count + n, 0, sizeof *count, q->stream), "counting blocks"));
    TRY(gs_scan(ctx, "counting blocks", count, count, (int64_t)n + 1, total));
done:
    return status;
}

// --- new values -------------------------------------------------------------------------------

// The position of block column J in [low, high), which contains it.
__device__ int64_t search_block(const int32_t *col, int64_t low, int64_t high, int32_t J)
{
    return gs_rows::last_of(low, high, [&](int64_t k) { return __ldg(col + k) <= J; });
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

template <class T>
gsolve_status refill(gsolve_context *ctx, const gs_blocked *B, const gsolve_csr *A)
{
    if (B->csr.nrows == 0) return GSOLVE_OK;
    return with_offsets(A, &B->csr, [&](auto o, auto p) {
        using O = decltype(o);
        using P = decltype(p);
        return gs_launch(ctx->queue, "new values of blocks", refill_blocks<T, O, P>,
                         blocks_for(32 * (int64_t)B->csr.nrows), gs_block_size, shape_of(B),
                         offsets_of<O>(A), A->col, (const T *)A->value, offsets_of<P>(&B->csr),
                         B->csr.col, writable(ctx, (const T *)B->csr.value));
    });
}

// --- blocks to rows ------------------------------------------------------------------------------

// Offsets, columns and values of A from blocks. A warp owns a block row. The rows r of its blocks,
// concatenated, are row r of A. So its entries are contiguous in A, in the order of (row, block,
// column). Reads the blocks once, through the cache; writes A once, contiguously.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    spread_blocks(shape s, bool column_major, const P *from_start, const int32_t *from_col,
                  const T *from, O *start, int32_t *col, T *value)
{
    const int64_t I = row_of_warp();
    const int lane = (int)threadIdx.x % 32, size = s.height * s.width;
    const int by_row = column_major ? 1 : s.width, by_column = column_major ? s.height : 1;

    if (I >= s.rows) return;
    const int64_t first = from_start[I], n = (from_start[I + 1] - first) * s.width;
    if (lane < s.height) start[I * s.height + lane] = (O)(first * size + lane * n);
    if (I == s.rows - 1 && lane == 0) start[(I + 1) * s.height] = (O)(first * size + n * s.height);
    for (int r = 0; r < s.height; r++) {
        for (int64_t x = lane; x < n; x += 32) {
            const int64_t k = first + x / s.width, to = first * size + r * n + x;
            const int j = (int)(x % s.width);
            col[to] = __ldg(from_col + k) * s.width + j;
            value[to] = __ldg(from + k * size + r * by_row + j * by_column);
        }
    }
}

template <class T>
gsolve_status spread(gsolve_context *ctx, const gsolve_csr *A, const gs_blocked *B,
                     bool column_major)
{
    gs_queue *q = ctx->queue;

    if (B->csr.nrows == 0) {
        void *start = gs_owned_block(ctx, A->start);
        return gs_cuda(q, cudaMemsetAsync(start, 0, gs_offset_size(A->offset), q->stream),
                       "spreading blocks");
    }
    return with_offsets(A, &B->csr, [&](auto o, auto p) {
        using O = decltype(o);
        using P = decltype(p);
        return gs_launch(q, "spreading blocks", spread_blocks<T, O, P>,
                         blocks_for(32 * (int64_t)B->csr.nrows), gs_block_size, shape_of(B),
                         column_major, offsets_of<P>(&B->csr), B->csr.col, (const T *)B->csr.value,
                         writable(ctx, offsets_of<O>(A)), writable(ctx, A->col),
                         writable(ctx, (const T *)A->value));
    });
}

} // namespace

extern "C" const gs_blocked_kernels gs_blocked_cuda[GSOLVE_TYPE_COUNT] = {
    {count, fill<float>, refill<float>, number, spread<float>},
    {count, fill<double>, refill<double>, number, spread<double>},
};
