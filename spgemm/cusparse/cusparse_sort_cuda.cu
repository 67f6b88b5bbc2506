// cusparse_sort_cuda.cu: sorts the columns of each row of a product by cuSPARSE.
#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spgemm/cusparse/cusparse.h"
}

namespace
{

// key[k] = column << 32 | k. A thread owns every step-th entry.
__global__ void __launch_bounds__(gs_block_size)
    make_keys(int64_t n, const int32_t *col, unsigned long long *key)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        key[k] = (unsigned long long)col[k] << 32 | (unsigned)k;
    }
}

// Sorts the keys of each row ascending. A block owns a row. In this bitonic network the lower
// position of each pair receives the smaller key, so that pairs beyond the row's end can be
// skipped. Reads and writes a row of n keys log2(n)^2 / 2 times.
__global__ void __launch_bounds__(gs_block_size)
    sort_rows(int32_t nrows, const int32_t *start, unsigned long long *all)
{
    for (int32_t row = (int32_t)blockIdx.x; row < nrows; row += (int32_t)gridDim.x) {
        unsigned long long *key = all + start[row];
        const int64_t n = start[row + 1] - start[row];
        for (int64_t run = 2; run < 2 * n; run *= 2) {
            for (int64_t distance = run / 2; distance > 0; distance /= 2) {
                for (int64_t k = threadIdx.x;; k += gs_block_size) {
                    const int64_t within = k & (distance - 1), low = 2 * k - within;
                    const int64_t high =
                        distance == run / 2 ? low + run - 1 - 2 * within : low + distance;
                    if (low >= n) break;
                    if (high >= n || key[low] <= key[high]) continue;
                    const unsigned long long x = key[low];
                    key[low] = key[high];
                    key[high] = x;
                }
                __syncthreads();
            }
        }
    }
}

// Splits the sorted keys into columns and their former positions. A thread owns every step-th
// entry.
__global__ void __launch_bounds__(gs_block_size)
    split_keys(int64_t n, const unsigned long long *key, int32_t *col, int32_t *order)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        col[k] = (int32_t)(key[k] >> 32);
        order[k] = (int32_t)(key[k] & 0xffffffffu);
    }
}

} // namespace

extern "C" gsolve_status gs_cusparse_sort_columns(gsolve_context *ctx, gsolve_csr *C,
                                                  int64_t entries, int32_t *order)
{
    gs_queue *q = ctx->queue;
    const int grid = gs_grid(q, entries);
    int32_t *col = (int32_t *)gs_owned_block(ctx, C->col);
    unsigned long long *key = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, key, entries);
    TRY(gs_launch(q, "sorting columns", make_keys, grid, gs_block_size, entries, col, key));
    TRY(gs_launch(q, "sorting columns", sort_rows, gs_grid(q, (int64_t)C->nrows * gs_block_size),
                  gs_block_size, C->nrows, (const int32_t *)C->start, key));
    TRY(gs_launch(q, "sorting columns", split_keys, grid, gs_block_size, entries, key, col, order));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, key);
    return status;
}
