// sliced_sort_cuda.cu: counting and sorting rows by their lengths on a GPU. Cost of a count: one
// pass over the offsets. Cost of a sort: another pass, then two or three passes of a radix sort
// over a key and a row number for each row.
#include "core/sort.cuh"
#include "spmv/sliced/sliced.cuh"

using namespace gs_by_slices;

namespace
{

// --- counting ---------------------------------------------------------------------------------

constexpr int lengths = GS_SLICED_COUNTED + 1;

// rows[m] += rows of m entries; longer rows count as empty. A thread reads one row at a
// time and strides over the rows; a block counts in shared memory. A warp whose rows all have one
// length, the usual case, adds once.
template <class Start>
__global__ void __launch_bounds__(gs_block_size) count_rows(int32_t n, Start start, unsigned *rows)
{
    __shared__ unsigned mine[lengths];
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    const int lane = (int)threadIdx.x % 32;

    for (int m = (int)threadIdx.x; m < lengths; m += gs_block_size) mine[m] = 0;
    __syncthreads();
    for (int64_t base = (int64_t)blockIdx.x * gs_block_size; base < n; base += step) {
        const int64_t i = base + threadIdx.x;
        const int length = i < n ? short_length(start, i, GS_SLICED_COUNTED) : -1;
        const int common = __shfl_sync(all_lanes, length, 0);
        if (__all_sync(all_lanes, length == common)) {
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

// --- sorting ----------------------------------------------------------------------------------

struct sort_keys {
    int32_t window, most;
    uint32_t classes;
    const uint8_t *class_of; // on the device; NULL: the class of a length is classes - 1 - length
    int bits;                // of a key
};

// key[i] = the window of row i times the number of classes, plus the class of row i. A thread makes
// one key.
template <class K, class Start>
__global__ void make_keys(int32_t nrows, Start start, sort_keys w, K *key, int32_t *row)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i >= nrows) return;
    const int32_t length = short_length(start, i, w.most);
    const uint32_t c = w.class_of ? w.class_of[length] : w.classes - 1 - (uint32_t)length;
    key[i] = (K)(i / w.window) * w.classes + c;
    row[i] = (int32_t)i;
}

// first[k] = the first position whose key is k or more; a thread bisects for one k.
template <class K>
__global__ void __launch_bounds__(gs_block_size)
    find_first(int32_t n, const K *key, int32_t keys, int32_t *first)
{
    const int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    int32_t low = 0, high = n;

    if (k >= keys) return;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (key[middle] < (K)k) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    first[k] = low;
}

// Copies to first, on the host, where the rows of each of the keys begin.
template <class K>
gsolve_status fetch_first(gsolve_context *ctx, int32_t n, const K *key, int32_t keys,
                          int32_t *first)
{
    int32_t *found = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, found, keys);
    TRY(gs_launch(ctx->queue, "finding the first rows of classes", find_first<K>, blocks_for(keys),
                  gs_block_size, n, key, keys, found));
    TRY(gsolve_copy(ctx, first, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof *first * (size_t)keys));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

template <class K>
gsolve_status sort_rows(gsolve_context *ctx, const gsolve_csr *A, const sort_keys &w,
                        int32_t *order, int32_t *first)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    K *key = nullptr, *sorted = nullptr;
    int32_t *row = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, key, n);
    ALLOC_DEVICE(ctx, sorted, n);
    ALLOC_DEVICE(ctx, row, n);
    TRY(with_offsets(A, [&](auto *start) {
        return gs_launch(q, "making the keys of rows", make_keys<K, decltype(start)>, blocks_for(n),
                         gs_block_size, n, start, w, key, row);
    }));
    TRY(gs_with_space(ctx, "sorting rows by length", [&](void *space, size_t &bytes) {
        return gs_sort_pairs(space, bytes, {key, sorted}, {row, order}, n, w.bits, q->stream);
    }));
    if (first) {
        TRY(fetch_first(ctx, n, sorted, ((n - 1) / w.window + 1) * (int32_t)w.classes, first));
    }
done:
    gsolve_free(ctx, GSOLVE_DEVICE, key);
    gsolve_free(ctx, GSOLVE_DEVICE, sorted);
    gsolve_free(ctx, GSOLVE_DEVICE, row);
    return status;
}

} // namespace

gsolve_status gs_sliced_count_cuda(gsolve_context *ctx, const gsolve_csr *A, int32_t *rows)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    const size_t bytes = sizeof *rows * lengths;
    unsigned *found = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, found, lengths);
    TRY(gs_cuda(q, cudaMemsetAsync(found, 0, bytes, q->stream), "counting rows"));
    TRY(with_offsets(A, [&](auto *start) {
        return gs_launch(q, "counting rows", count_rows<decltype(start)>, gs_grid(q, n),
                         gs_block_size, n, start, found);
    }));
    TRY(gsolve_copy(ctx, rows, GSOLVE_HOST, found, GSOLVE_DEVICE, bytes));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    return status;
}

gsolve_status gs_sliced_sort_cuda(gsolve_context *ctx, const gsolve_csr *A,
                                  const gs_sliced_classes *by, int32_t **out, int32_t *first)
{
    const int32_t n = A->nrows, longest = by->most < A->ncols ? by->most : A->ncols;
    const uint32_t classes = by->class_of ? (uint32_t)by->classes : (uint32_t)longest + 1;
    sort_keys w = {by->window, by->most, classes, nullptr, 1};
    const uint64_t keys = ((uint64_t)n / (uint64_t)w.window + 1) * classes;
    uint8_t *class_of = nullptr;
    int32_t *order = nullptr;
    gsolve_status status;

    while (keys > (uint64_t)1 << w.bits) w.bits++;
    ALLOC_DEVICE(ctx, order, n);
    if (by->class_of) {
        const size_t bytes = (size_t)by->most + 1;
        ALLOC_DEVICE(ctx, class_of, bytes);
        TRY(gsolve_copy(ctx, class_of, GSOLVE_DEVICE, by->class_of, GSOLVE_HOST, bytes));
        w.class_of = class_of;
    }
    if (n > 0) {
        TRY(w.bits <= 32 ? sort_rows<uint32_t>(ctx, A, w, order, first)
                         : sort_rows<uint64_t>(ctx, A, w, order, first));
    }
    *out = order;
    order = nullptr;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, class_of);
    gsolve_free(ctx, GSOLVE_DEVICE, order);
    return status;
}
