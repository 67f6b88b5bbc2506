// hash_bin_cuda.cu: bins the rows, see hash_job.cuh. The set of rows in a bin is the same in every
// run. The order within a bin may differ; no result depends on it.
#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

constexpr int lanes_per_row = 8; // lanes that read a row of A
constexpr int rows_of_block = gs_block_size / lanes_per_row;

__device__ int count_bin_of_row(int64_t work, int words, int shared_bytes)
{
    if (work == 0) return 0;
    if (work <= short_products) return count_short;
    if (words <= work) {
        const bool light = work <= warp_products;
        return light && words <= 256    ? count_bitmap0
               : light && words <= 1024 ? count_bitmap1
               : words <= 8192          ? count_bitmap2
                                        : count_bitmap3;
    }
    if (work <= 3 << 7) return count_table0; // a table is at most three quarters full
    if (work <= 3 << 9) return count_table1;
    if (work <= 3 << 11) return count_table2;
    return work <= 3 << 13 && shared_bytes >= 4 << 15 ? count_table3 : count_bitmap3;
}

// Adds the block's numbers of rows in each bin to those of the grid.
__device__ void add_rows(const unsigned *mine, statistics *f)
{
    __syncthreads();
    if (threadIdx.x < bins && mine[threadIdx.x]) {
        atomicAdd(&f->rows[threadIdx.x], mine[threadIdx.x]);
    }
}

// The bin of each row for counting its columns, the span of its columns, and the sums in *f.
// lanes_per_row lanes own a row: they add up the lengths of the rows of B and, where there are more
// than short_products products, find the first and the last column. Moves A's columns and, for each
// entry of A, two offsets and up to two columns of B. Bins are counted in shared memory first.
__global__ void __launch_bounds__(gs_block_size)
    bin_by_work(int32_t nrows, rows_of A, rows_of B, int shared_bytes, uint8_t *bin,
                column_spans spans, int32_t *count, statistics *f)
{
    __shared__ unsigned mine[bins];
    const int lane = (int)threadIdx.x % lanes_per_row;
    unsigned long long products = 0;

    if (threadIdx.x < bins) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t first = (int64_t)blockIdx.x * rows_of_block; first < nrows;
         first += (int64_t)gridDim.x * rows_of_block) {
        const int64_t row = first + threadIdx.x / lanes_per_row;
        const int64_t from = row < nrows ? A.begin(row) : 0,
                      to = row < nrows ? A.begin(row + 1) : 0;
        long long work = 0;
        int least = INT32_MAX, most = -1;
        for (int64_t k = from + lane; k < to; k += lanes_per_row) {
            const int64_t j = A.col[k];
            work += B.begin(j + 1) - B.begin(j);
        }
        work = over_lanes(work, lanes_per_row, sum_of());
        if (__any_sync(all_lanes, work > short_products)) {
            for (int64_t k = from + lane; k < to; k += lanes_per_row) {
                const int64_t j = A.col[k], begin = B.begin(j), end = B.begin(j + 1);
                if (begin == end) continue;
                least = min(least, B.col[begin]);
                most = max(most, B.col[end - 1]);
            }
            least = over_lanes(least, lanes_per_row, least_of());
            most = over_lanes(most, lanes_per_row, most_of());
        }
        if (lane || row >= nrows) continue;
        const int span = most < 0 ? 0 : (int)(((int64_t)most - least) / 32 + 1);
        const int w = count_bin_of_row(work, span, shared_bytes);
        bin[row] = (uint8_t)w;
        if (work == 0) count[row] = 0;
        if (work > short_products) {
            spans.low[row] = least;
            spans.words[row] = span;
        }
        products += (unsigned long long)work;
        atomicAdd(&mine[w], 1u);
    }
    add_rows(mine, f);
    products = gs_block_sum(products);
    if (threadIdx.x == 0) atomicAdd(&f->products, products);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        f->inputs = A.begin(nrows);
        count[nrows] = 0;
    }
}

template <class T>
__device__ int fill_bin_of_row(int n, int counted, int words, int shared_bytes)
{
    if (n <= 32) return n > 0 ? fill_short0 : 0;
    if (n <= 64) return fill_short1;
    if (counted >= count_bitmap0) {
        const int64_t bytes = bitmap_space<T>(words, n);
        const bool light = counted == count_bitmap0 || counted == count_bitmap1;
        for (int w = light ? 0 : 2; w < 6; w++) {
            if (bytes <= bitmap_bytes(w) && bitmap_bytes(w) <= shared_bytes)
                return fill_bitmap0 + w;
        }
        return bytes > shared_bytes && n <= far_entries &&
                       bitmap_space<T>(words, 0) <= far_bytes(shared_bytes)
                   ? fill_far
                   : fill_bitmap6;
    }
    for (int w = 0; w < 4; w++) {
        if (n <= table_entries(w) && table_bytes<T>(table_entries(w)) <= shared_bytes) {
            return fill_table0 + w;
        }
    }
    return fill_bitmap6;
}

// bin[row] = choose(row, &n), n = the row's entries of C, for all rows, and the sums in *f. A
// thread owns a row.
template <class Choose>
__device__ void bin_all(int32_t nrows, uint8_t *bin, statistics *f, Choose choose)
{
    __shared__ unsigned mine[bins];
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    int longest = 0;

    if (threadIdx.x < bins) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t row = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; row < nrows;
         row += threads) {
        int n;
        const int w = choose(row, &n);
        bin[row] = (uint8_t)w;
        longest = max(longest, n);
        atomicAdd(&mine[w], 1u);
    }
    add_rows(mine, f);
    longest = __reduce_max_sync(all_lanes, longest);
    if (threadIdx.x % 32 == 0) atomicMax(&f->longest, longest);
}

// The bin of each row for filling it, by its number of entries count[row]. bin[row] is the bin in
// which the row was counted and becomes that for filling. Moves 10 bytes a row.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    bin_by_entries(int32_t nrows, int shared_bytes, const int32_t *count, const int32_t *words,
                   uint8_t *bin, statistics *f)
{
    unsigned long long entries = 0;

    bin_all(nrows, bin, f, [&](int64_t row, int *n) {
        const int counted = bin[row];
        *n = count[row];
        entries += (unsigned long long)*n;
        return fill_bin_of_row<T>(*n, counted, counted > count_short ? words[row] : 0,
                                  shared_bytes);
    });
    entries = gs_block_sum(entries);
    if (threadIdx.x == 0) atomicAdd(&f->entries, entries);
}

// The bin of each row by its length in C alone, see bin_rows_by_length.
__global__ void __launch_bounds__(gs_block_size)
    bin_by_length(int32_t nrows, rows_of C, lengths limit, uint8_t *bin, statistics *f)
{
    bin_all(nrows, bin, f, [&](int64_t row, int *n) {
        *n = (int)(C.begin(row + 1) - C.begin(row));
        int w = *n > 0;
        for (int k = 0; k < limits; k++) w += *n > limit.most[k];
        return w;
    });
}

// Sorts the rows by bin: rows = those of bin 1, then those of bin 2 and so on. A thread owns a row.
// A warp counts its rows of each bin, a block reserves its part of each bin's list with one atomic
// addition. Moves 5 bytes a row.
__global__ void __launch_bounds__(gs_block_size)
    list_rows(int32_t nrows, const uint8_t *bin, statistics *f, int32_t *rows)
{
    constexpr int warps = gs_block_size / 32;
    __shared__ unsigned
        of_warp[warps][bins]; // rows of each warp and bin; then their positions in the list
    const int32_t row = (int32_t)(blockIdx.x * gs_block_size + threadIdx.x);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int w = row < nrows ? bin[row] : 0;

    for (int k = (int)threadIdx.x; k < warps * bins; k += gs_block_size) of_warp[0][k] = 0;
    __syncthreads();
    const unsigned same_bin = __match_any_sync(all_lanes, w);
    const unsigned nth = __popc(same_bin & ((1u << lane) - 1));
    if (nth == 0) of_warp[warp][w] = __popc(same_bin);
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x < bins) {
        unsigned all = 0, at = 0;
        for (int k = 0; k < warps; k++) all += of_warp[k][threadIdx.x];
        for (int k = 1; k < (int)threadIdx.x; k++) at += f->rows[k];
        if (all > 0) at += atomicAdd(&f->listed[threadIdx.x], all);
        for (int k = 0; k < warps; k++) {
            const unsigned rows_here = of_warp[k][threadIdx.x];
            of_warp[k][threadIdx.x] = at;
            at += rows_here;
        }
    }
    __syncthreads();
    if (w > 0) rows[of_warp[warp][w] + nth] = row;
}

gsolve_status clear(gs_queue *q, statistics *f)
{
    return gs_cuda(q, cudaMemsetAsync(f, 0, sizeof *f, q->stream), "binning rows");
}

gsolve_status list(gsolve_context *ctx, int32_t nrows, const uint8_t *bin, statistics *f,
                   int32_t *rows, statistics *stats)
{
    const int64_t blocks = ((int64_t)nrows + gs_block_size - 1) / gs_block_size;
    gsolve_status status;

    TRY(launch_with(ctx->queue, "listing rows", list_rows, blocks, gs_block_size, 0, nrows, bin, f,
                    rows));
    TRY(gsolve_copy(ctx, stats, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof *stats));
done:
    return status;
}

} // namespace

gsolve_status open_job(job *j)
{
    gsolve_context *ctx = j->ctx;
    gs_queue *q = ctx->queue;
    const size_t n = (size_t)j->nrows;
    gsolve_status status;

    TRY(gs_cuda(
        q,
        cudaDeviceGetAttribute(&j->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, q->index),
        "the size of shared memory"));
    j->shared_bytes -= 1 << 10; // the kernels also use static shared memory
    ALLOC_DEVICE(ctx, j->bin, n);
    ALLOC_DEVICE(ctx, j->spans.low, n);
    ALLOC_DEVICE(ctx, j->spans.words, n);
    ALLOC_DEVICE(ctx, j->count, n + 1);
    ALLOC_DEVICE(ctx, j->rows, n);
    ALLOC_DEVICE(ctx, j->device_stats, 1);
done:
    return status;
}

void close_job(job *j)
{
    free_all(j->ctx, j->bin, j->spans.low, j->spans.words, j->count, j->rows, j->device_stats);
    j->bin = nullptr;
    j->spans = {nullptr, nullptr};
    j->count = j->rows = nullptr;
    j->device_stats = nullptr;
}

gsolve_status bin_rows_to_count(job *j)
{
    gs_queue *q = j->ctx->queue;
    gsolve_status status;

    TRY(clear(q, j->device_stats));
    TRY(gs_launch(q, "binning rows", bin_by_work, gs_grid(q, (int64_t)j->nrows * lanes_per_row),
                  gs_block_size, j->nrows, j->A, j->B, j->shared_bytes, j->bin, j->spans, j->count,
                  j->device_stats));
    TRY(list(j->ctx, j->nrows, j->bin, j->device_stats, j->rows, &j->stats));
    j->lanes = lanes_for(&j->stats);
done:
    return status;
}

gsolve_status bin_rows_to_fill(job *j, gsolve_type type)
{
    gs_queue *q = j->ctx->queue;
    const statistics before = j->stats;
    gsolve_status status;

    TRY(clear(q, j->device_stats));
    TRY(gs_launch(q, "binning rows",
                  type == GSOLVE_F32 ? bin_by_entries<float> : bin_by_entries<double>,
                  gs_grid(q, j->nrows), gs_block_size, j->nrows, j->shared_bytes, j->count,
                  j->spans.words, j->bin, j->device_stats));
    TRY(list(j->ctx, j->nrows, j->bin, j->device_stats, j->rows, &j->stats));
    j->stats.products = before.products;
    j->stats.inputs = before.inputs;
done:
    return status;
}

gsolve_status bin_rows_by_length(gsolve_context *ctx, const gsolve_csr *C, lengths limit,
                                 int32_t *rows, statistics *stats)
{
    gs_queue *q = ctx->queue;
    uint8_t *bin = nullptr;
    statistics *f = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, bin, (size_t)C->nrows);
    ALLOC_DEVICE(ctx, f, 1);
    TRY(clear(q, f));
    TRY(gs_launch(q, "binning rows", bin_by_length, gs_grid(q, C->nrows), gs_block_size, C->nrows,
                  rows_of(C), limit, bin, f));
    TRY(list(ctx, C->nrows, bin, f, rows, stats));
done:
    free_all(ctx, bin, f);
    return status;
}

} // namespace gs_hash_rows
