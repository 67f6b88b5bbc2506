// bsr_blocks_cuda.cu: blocks that a caller gives, on a GPU: their pattern, their values, and rows
// of numbers from the stored form; see bsr_slices.cuh.
#include "matrix/rows.cuh"
#include "spmv/bsr/bsr_slices.cuh"

using namespace gs_bsr_parts;

namespace
{

// --- the pattern ------------------------------------------------------------------------------

// to[i] = from[i] for i < n. A thread copies one offset.
template <class O>
__global__ void widen(int64_t n, const O *from, int64_t *to)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    if (i < n) to[i] = from[i];
}

// --- rows of slices ---------------------------------------------------------------------------

// The row of a slice that a thread has. A warp has 32 rows of a slice, and a thread one of them.
struct slice_row {
    int64_t values; // position of its first value; the next one is 32 further
    int64_t from;   // the first block of its slot, counted as in the caller's arrays
    int32_t I;      // block row, or -1: no row
    int r;          // the row of each block
    int count;      // blocks of the slot
    int width;      // blocks of the slot with padding
    bool first;     // the slot begins with the first block of the block row
};

// start: offsets of the caller's block rows. A part of a block row has the blocks that
// describe_pieces in bsr_build_cuda.cu gave it.
template <class O>
__device__ slice_row row_of_thread(const gs_bsr_slices &m, int32_t rows, int b, const O *start)
{
    const int64_t warp = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32, n = warp / b;
    const int lane = (int)threadIdx.x % 32, p = (int)(warp % b), row = p * 32 + lane, t = row / b;
    slice_row h = {0, 0, -1, row % b, 0, 0, true};

    if (n >= m.count) return h;
    const slice s = m.slice_of[n];
    const int blocks = m.blocks[n * slots + t];
    const bool cut = blocks & is_part;
    const int32_t j = m.row[n * slots + t];
    h.values = (s.first * b + (int64_t)p * s.width) * (b * 32) + lane;
    h.count = blocks & (is_part - 1);
    h.width = s.width;
    h.I = cut ? gs_row_of(m.part_of, 0, rows - 1, j) : j;
    if (h.I < 0) return h;
    h.from = start[h.I];
    if (cut) {
        const int64_t all = start[h.I + 1] - h.from, part = j - m.part_of[h.I];
        h.from += all * part / (m.part_of[h.I + 1] - m.part_of[h.I]);
        h.first = part == 0;
    }
    return h;
}

// Writes the values of given blocks to all slices, and 0 to the padding. A thread owns a row of a
// slice. Memory moved: writes are coalesced; a thread reads a row of each of its blocks, so the
// rows of a block come from one or two cache lines, which neighbouring threads share.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    put_blocks(gs_bsr_slices m, int32_t rows, int b, bool column_major, const O *start,
               const T *value, T *out)
{
    const slice_row h = row_of_thread(m, rows, b, start);
    const int by_row = column_major ? 1 : b, by_column = column_major ? b : 1;
    const T *from = value + h.from * (b * b) + h.r * by_row;

    out += h.values;
    for (int k = 0; k < h.width; k++) {
        for (int c = 0; c < b; c++) {
            out[(int64_t)(k * b + c) * 32] =
                k < h.count ? __ldg(&from[(int64_t)k * (b * b) + c * by_column]) : T(0);
        }
    }
}

// Writes rows of numbers: row r of block row I is the concatenation of the rows r of its blocks. A
// thread owns a row of a slice, which is a row of numbers or a part of one. Reads are coalesced.
template <class T, class O, class P>
__global__ void __launch_bounds__(gs_block_size)
    spread_blocks(gs_bsr_slices m, int32_t rows, int b, const O *start, const int32_t *block_col,
                  const T *value, P *to_start, int32_t *col, T *to)
{
    const slice_row h = row_of_thread(m, rows, b, start);

    if (h.I < 0) return;
    const int64_t first = start[h.I], n = start[h.I + 1] - first;
    const int64_t begin = first * (b * b) + h.r * (n * b), at = begin + (h.from - first) * b;
    if (h.first) to_start[(int64_t)h.I * b + h.r] = (P)begin;
    if (h.first && h.I == rows - 1 && h.r == b - 1) {
        to_start[(int64_t)rows * b] = (P)((first + n) * (b * b));
    }
    for (int k = 0; k < h.count; k++) {
        const int32_t J = __ldg(&block_col[h.from + k]);
        for (int c = 0; c < b; c++) {
            col[at + (int64_t)k * b + c] = J * b + c;
            to[at + (int64_t)k * b + c] = value[h.values + (int64_t)(k * b + c) * 32];
        }
    }
}

template <class T, class O>
gsolve_status put(const gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    const gs_bsr_slices *to = m->slices;
    const int64_t warps = (int64_t)to->count * m->b;

    if (warps == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "storing blocks", put_blocks<T, O>, gs_warp_blocks(warps),
                     gs_block_size, *to, m->rows, m->b, given->column_major,
                     (const O *)given->csr.start, (const T *)given->csr.value, (T *)to->value);
}

template <class T, class O, class P>
gsolve_status spread_typed(const gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *blocks,
                           const gsolve_csr *csr)
{
    const gs_bsr_slices *from = m->slices;
    const int64_t warps = (int64_t)from->count * m->b;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, csr);

    if (warps == 0) {
        return gs_cuda(ctx->queue, cudaMemsetAsync(to.start, 0, sizeof(P), ctx->queue->stream),
                       "making rows from blocks");
    }
    return gs_launch(ctx->queue, "making rows from blocks", spread_blocks<T, O, P>,
                     gs_warp_blocks(warps), gs_block_size, *from, m->rows, m->b,
                     (const O *)blocks->csr.start, blocks->csr.col, (const T *)from->value,
                     (P *)to.start, to.col, (T *)to.value);
}

// --- values -----------------------------------------------------------------------------------

// *first = the number of the first value that is not finite. The threads of the grid stride over
// the values; the minimum does not depend on their order.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    first_bad(int64_t n, const T *value, unsigned long long *first)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        if (!isfinite(value[k])) {
            atomicMin(first, (unsigned long long)k);
            return;
        }
    }
}

} // namespace

gsolve_status gs_bsr_take_pattern(pattern *p, gs_bsr *m, gsolve_context *ctx,
                                  const gs_square_blocks *given)
{
    gs_queue *q = ctx->queue;
    const gsolve_csr *csr = &given->csr;
    const int64_t n = (int64_t)m->rows + 1;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, csr, &m->blocks));
    ALLOC_DEVICE(ctx, p->first, n);
    ALLOC_DEVICE(ctx, p->col, m->blocks);
    TRY(csr->offset == GSOLVE_O64
            ? gs_launch(q, "copying blocks", widen<int64_t>, blocks_for(n), gs_block_size, n,
                        (const int64_t *)csr->start, p->first)
            : gs_launch(q, "copying blocks", widen<int32_t>, blocks_for(n), gs_block_size, n,
                        (const int32_t *)csr->start, p->first));
    TRY(gsolve_copy(ctx, p->col, GSOLVE_DEVICE, csr->col, GSOLVE_DEVICE,
                    (size_t)m->blocks * sizeof *p->col));
done:
    return status;
}

template <class T>
gsolve_status gs_bsr_put_blocks(const gs_bsr *m, gsolve_context *ctx, const gs_square_blocks *given)
{
    return given->csr.offset == GSOLVE_O64 ? put<T, int64_t>(m, ctx, given)
                                           : put<T, int32_t>(m, ctx, given);
}

template <class T>
gsolve_status gs_bsr_spread_slices(const gs_bsr *m, gsolve_context *ctx,
                                   const gs_square_blocks *blocks, const gsolve_csr *csr)
{
    if (blocks->csr.offset == GSOLVE_O64) {
        return csr->offset == GSOLVE_O64 ? spread_typed<T, int64_t, int64_t>(m, ctx, blocks, csr)
                                         : spread_typed<T, int64_t, int32_t>(m, ctx, blocks, csr);
    }
    return csr->offset == GSOLVE_O64 ? spread_typed<T, int32_t, int64_t>(m, ctx, blocks, csr)
                                     : spread_typed<T, int32_t, int32_t>(m, ctx, blocks, csr);
}

template <class T>
gsolve_status gs_bsr_find_bad(gsolve_context *ctx, int64_t n, const void *value, int64_t *at)
{
    constexpr int most_blocks = 4096;
    gs_queue *q = ctx->queue;
    unsigned long long *first = nullptr, found = ~0ull;
    gsolve_status status;

    *at = -1;
    if (n == 0) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, first, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(first, 0xff, sizeof *first, q->stream), "checking blocks"));
    TRY(gs_launch(q, "checking blocks", first_bad<T>,
                  n > (int64_t)most_blocks * gs_block_size ? most_blocks : blocks_for(n),
                  gs_block_size, n, (const T *)value, first));
    TRY(gsolve_copy(ctx, &found, GSOLVE_HOST, first, GSOLVE_DEVICE, sizeof found));
    if (found != ~0ull) *at = (int64_t)found;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    return status;
}

#define INSTANTIATE(T)                                                                            \
    template gsolve_status gs_bsr_put_blocks<T>(const gs_bsr *, gsolve_context *,                 \
                                                const gs_square_blocks *);                        \
    template gsolve_status gs_bsr_spread_slices<T>(const gs_bsr *, gsolve_context *,              \
                                                   const gs_square_blocks *, const gsolve_csr *); \
    template gsolve_status gs_bsr_find_bad<T>(gsolve_context *, int64_t, const void *, int64_t *)
INSTANTIATE(float);
INSTANTIATE(double);
