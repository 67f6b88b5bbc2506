// bce_cuda.cu: counting and sorting rows on a GPU, see bce.h. Cost: one pass over the offsets to
// count; with more than one block a second pass, then two or three passes of a radix sort over a
// key and a row number for each row. The host waits once or twice.
#include "core/cuda.cuh"
#include "core/sort.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/bce/bce.h"
}

namespace
{

constexpr int lengths = GS_BCE_LONGEST + 1;

template <class O>
__device__ int length_of(const O *start, int64_t i)
{
    const O length = start[i + 1] - start[i];
    return length > GS_BCE_LONGEST ? 0 : (int)length;
}

// rows[m] += rows of m entries. A thread reads one row at a time and strides over the rows; a block
// counts in shared memory. A warp whose rows all have one length, the usual case, adds once.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    count_rows(int32_t n, const O *start, unsigned *rows)
{
    __shared__ unsigned mine[lengths];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    const int lane = (int)threadIdx.x % 32;

    for (int m = (int)threadIdx.x; m < lengths; m += gs_block_size) mine[m] = 0;
    __syncthreads();
    for (int64_t base = (int64_t)blockIdx.x * gs_block_size; base < n; base += step) {
        const int64_t i = base + threadIdx.x;
        const int length = i < n ? length_of(start, i) : -1;
        const int common = __shfl_sync(0xffffffffu, length, 0);
        if (__all_sync(0xffffffffu, length == common)) {
            if (lane == 0 && common >= 0) atomicAdd(&mine[common], 32u);
        } else if (length >= 0) {
            atomicAdd(&mine[length], 1u);
        }
    }
    __syncthreads();
    for (int m = (int)threadIdx.x; m < lengths; m += gs_block_size) {
        if (mine[m] > 0) atomicAdd(&rows[m], mine[m]);
    }
}

// A thread computes the key of one row: its window, then its block.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    make_keys(int32_t n, const O *start, const uint8_t *block_of, int32_t window, int32_t blocks,
              uint32_t *key, int32_t *row)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i >= n) return;
    key[i] = (uint32_t)(i / window) * (uint32_t)blocks + block_of[length_of(start, i)];
    row[i] = (int32_t)i;
}

// first[k] = the first position whose key is k or more; a thread bisects for one k.
__global__ void __launch_bounds__(gs_block_size)
    find_first(int32_t n, const uint32_t *key, int32_t keys, int32_t *first)
{
    const int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    int32_t low = 0, high = n;

    if (k >= keys) return;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (key[middle] < (uint32_t)k) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    first[k] = low;
}

int blocks_for(int64_t n)
{
    return (int)((n + gs_block_size - 1) / gs_block_size);
}

gsolve_status count(gsolve_context *ctx, const gsolve_csr *csr, int32_t *rows)
{
    gs_queue *q = ctx->queue;
    const int32_t n = csr->nrows;
    const int grid = gs_grid(q, n);
    unsigned *found = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, found, lengths);
    TRY(gs_cuda(q, cudaMemsetAsync(found, 0, sizeof *found * lengths, q->stream), "counting rows"));
    TRY(csr->offset == GSOLVE_O64
            ? gs_launch(q, "counting rows", count_rows<int64_t>, grid, gs_block_size, n,
                        (const int64_t *)csr->start, found)
            : gs_launch(q, "counting rows", count_rows<int32_t>, grid, gs_block_size, n,
                        (const int32_t *)csr->start, found));
    TRY(gsolve_copy(ctx, rows, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof *rows * lengths));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

// The work space of the sort. Keys and rows have two buffers each; the sort leaves one of them
// current.
struct space {
    gs_double_buffer<uint32_t> key;
    gs_double_buffer<int32_t> row;
    uint8_t *block_of;
    void *sorting;
    size_t bytes; // bytes of sorting
    int bits;     // bits of a key
};

gsolve_status make_space(space *s, gsolve_context *ctx, int32_t n, const gs_bce_places *positions)
{
    gs_queue *q = ctx->queue;
    const int64_t keys = (int64_t)positions->windows * positions->blocks;
    gsolve_status status;

    *s = space();
    while (keys > (int64_t)1 << s->bits) s->bits++;
    for (int half = 0; half < 2; half++) {
        ALLOC_DEVICE(ctx, s->key.array[half], n);
        ALLOC_DEVICE(ctx, s->row.array[half], n);
    }
    ALLOC_DEVICE(ctx, s->block_of, lengths);
    TRY(gsolve_copy(ctx, s->block_of, GSOLVE_DEVICE, positions->block_of, GSOLVE_HOST, lengths));
    TRY(gs_cuda(q, gs_sort_pairs(nullptr, s->bytes, s->key, s->row, n, s->bits, q->stream),
                "sorting rows"));
    s->sorting = gsolve_alloc(ctx, GSOLVE_DEVICE, s->bytes, 1);
    if (!s->sorting) status = GSOLVE_NO_MEMORY;
done:
    return status;
}

void drop_space(space *s, gsolve_context *ctx)
{
    for (int half = 0; half < 2; half++) {
        gsolve_free(ctx, GSOLVE_DEVICE, s->key.array[half]);
        gsolve_free(ctx, GSOLVE_DEVICE, s->row.array[half]);
    }
    gsolve_free(ctx, GSOLVE_DEVICE, s->block_of);
    gsolve_free(ctx, GSOLVE_DEVICE, s->sorting);
}

// Copies to first, on the host, where blocks begin, from the sorted keys.
gsolve_status fetch_first(gsolve_context *ctx, int32_t n, const space *s, int32_t keys,
                          int32_t *first)
{
    int32_t *found = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, found, keys);
    TRY(gs_launch(ctx->queue, "finding blocks", find_first, blocks_for(keys), gs_block_size, n,
                  s->key.array[s->key.current], keys, found));
    TRY(gsolve_copy(ctx, first, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof *first * (size_t)keys));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

template <class O>
gsolve_status sort_rows(gsolve_context *ctx, const gsolve_csr *csr, const gs_bce_places *positions,
                        int32_t **order, int32_t *first)
{
    gs_queue *q = ctx->queue;
    const int32_t n = csr->nrows; // more than one block needs more than one row
    space s;
    gsolve_status status;

    TRY(make_space(&s, ctx, n, positions));
    TRY(gs_launch(q, "making the keys of rows", make_keys<O>, blocks_for(n), gs_block_size, n,
                  (const O *)csr->start, s.block_of, positions->window, positions->blocks,
                  s.key.array[s.key.current], s.row.array[s.row.current]));
    TRY(gs_cuda(q, gs_sort_pairs(s.sorting, s.bytes, s.key, s.row, n, s.bits, q->stream),
                "sorting rows"));
    if (first) TRY(fetch_first(ctx, n, &s, positions->windows * positions->blocks, first));
    *order = s.row.array[s.row.current];
    s.row.array[s.row.current] = nullptr;
done:
    drop_space(&s, ctx);
    return status;
}

gsolve_status sort(gsolve_context *ctx, const gsolve_csr *csr, const gs_bce_places *positions,
                   int32_t **order, int32_t *first)
{
    return csr->offset == GSOLVE_O64 ? sort_rows<int64_t>(ctx, csr, positions, order, first)
                                     : sort_rows<int32_t>(ctx, csr, positions, order, first);
}

} // namespace

extern "C" const gs_bce_kernels gs_bce_cuda[GSOLVE_TYPE_COUNT] = {{count, sort}, {count, sort}};
