// hash_weigh_cuda.cu: which kernel works on which row, see hash_job.cuh. The lists are the same
// sets in every run; within one, the order may differ, on which no row's bits depend.
#include "spgemm/hash/hash_job.cuh"

namespace gs_hash_rows
{
namespace
{

constexpr int sharers = 8; // lanes that read a row of A
constexpr int rows_of_block = gs_block_size / sharers;

template <class N, class F>
__device__ N over_sharers(N x, F f)
{
    for (int d = sharers / 2; d > 0; d /= 2) x = f(x, __shfl_xor_sync(all_lanes, x, d));
    return x;
}

__device__ int way_to_count_row(int64_t work, int words, int room)
{
    if (work == 0) return 0;
    if (work <= few_products) return count_few;
    if (words <= work) {
        const bool light = work <= warp_products;
        return light && words <= 256    ? count_bits0
               : light && words <= 1024 ? count_bits1
               : words <= 8192          ? count_bits2
                                        : count_bits3;
    }
    if (work <= 3 << 7) return count_table0; // three quarters full at most
    if (work <= 3 << 9) return count_table1;
    if (work <= 3 << 11) return count_table2;
    return work <= 3 << 13 && room >= 4 << 15 ? count_table3 : count_bits3;
}

// The rows of a block's ways, added to those of all.
__device__ void add_rows(const unsigned *mine, facts *f)
{
    __syncthreads();
    if (threadIdx.x < ways && mine[threadIdx.x]) {
        atomicAdd(&f->rows[threadIdx.x], mine[threadIdx.x]);
    }
}

__global__ void __launch_bounds__(gs_block_size)
    weigh(int32_t nrows, rows_of A, rows_of B, int room, uint8_t *way, int32_t *low, int32_t *words,
          int32_t *count, facts *f)
{
    __shared__ unsigned mine[ways];
    const int lane = (int)threadIdx.x % sharers;
    unsigned long long products = 0;

    if (threadIdx.x < ways) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t first = (int64_t)blockIdx.x * rows_of_block; first < nrows;
         first += (int64_t)gridDim.x * rows_of_block) {
        const int64_t row = first + threadIdx.x / sharers;
        const int64_t from = row < nrows ? A.begin(row) : 0,
                      to = row < nrows ? A.begin(row + 1) : 0;
        long long work = 0;
        int least = INT32_MAX, most = -1;
        for (int64_t k = from + lane; k < to; k += sharers) {
            const int64_t j = A.col[k];
            work += B.begin(j + 1) - B.begin(j);
        }
        work = over_sharers(work, [](long long x, long long y) { return x + y; });
        if (__any_sync(all_lanes, work > few_products)) {
            for (int64_t k = from + lane; k < to; k += sharers) {
                const int64_t j = A.col[k], begin = B.begin(j), end = B.begin(j + 1);
                if (begin == end) continue;
                least = min(least, B.col[begin]);
                most = max(most, B.col[end - 1]);
            }
            least = over_sharers(least, [](int x, int y) { return min(x, y); });
            most = over_sharers(most, [](int x, int y) { return max(x, y); });
        }
        if (lane || row >= nrows) continue;
        const int span = most < 0 ? 0 : (int)(((int64_t)most - least) / 32 + 1);
        const int w = way_to_count_row(work, span, room);
        way[row] = (uint8_t)w;
        if (work == 0) count[row] = 0;
        if (work > few_products) {
            low[row] = least;
            words[row] = span;
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
__device__ int way_to_fill_row(int n, int counted, int words, int room)
{
    if (n <= 32) return n > 0 ? fill_few0 : 0;
    if (n <= 64) return fill_few1;
    if (counted >= count_bits0) {
        const int64_t bytes = bits_space<T>(words, n);
        const bool light = counted == count_bits0 || counted == count_bits1;
        for (int w = light ? 0 : 2; w < 6; w++) {
            if (bytes <= bits_bytes(w) && bits_bytes(w) <= room) return fill_bits0 + w;
        }
        return bytes > room && n <= far_entries && bits_space<T>(words, 0) <= far_bytes(room)
                   ? fill_far
                   : fill_bits6;
    }
    for (int w = 0; w < 4; w++) {
        if (n <= table_entries(w) && table_bytes<T>(table_entries(w)) <= room) {
            return fill_table0 + w;
        }
    }
    return fill_bits6;
}

template <class T>
__global__ void __launch_bounds__(gs_block_size)
    weigh_results(int32_t nrows, int room, const int32_t *count, const int32_t *words, uint8_t *way,
                  facts *f)
{
    __shared__ unsigned mine[ways];
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    unsigned long long entries = 0;
    int longest = 0;

    if (threadIdx.x < ways) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t row = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; row < nrows;
         row += threads) {
        const int n = count[row], counted = way[row];
        const int w = way_to_fill_row<T>(n, counted, counted > count_few ? words[row] : 0, room);
        way[row] = (uint8_t)w;
        entries += (unsigned long long)n;
        longest = max(longest, n);
        atomicAdd(&mine[w], 1u);
    }
    add_rows(mine, f);
    entries = gs_block_sum(entries);
    if (threadIdx.x == 0) atomicAdd(&f->entries, entries);
    longest = __reduce_max_sync(all_lanes, longest);
    if (threadIdx.x % 32 == 0) atomicMax(&f->longest, longest);
}

__global__ void __launch_bounds__(gs_block_size)
    weigh_lengths(int32_t nrows, rows_of C, lengths limit, uint8_t *way, facts *f)
{
    __shared__ unsigned mine[ways];
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    int longest = 0;

    if (threadIdx.x < ways) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t row = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; row < nrows;
         row += threads) {
        const int n = (int)(C.begin(row + 1) - C.begin(row));
        int w = n > 0;
        for (int k = 0; k < limits; k++) w += n > limit.most[k];
        way[row] = (uint8_t)w;
        longest = max(longest, n);
        atomicAdd(&mine[w], 1u);
    }
    add_rows(mine, f);
    longest = __reduce_max_sync(all_lanes, longest);
    if (threadIdx.x % 32 == 0) atomicMax(&f->longest, longest);
}

// rows = those of way 1, then of way 2, ...
__global__ void __launch_bounds__(gs_block_size)
    list_rows(int32_t nrows, const uint8_t *way, facts *f, int32_t *rows)
{
    constexpr int warps = gs_block_size / 32;
    __shared__ unsigned of_warp[warps][ways]; // then: where the warp's rows begin in the list
    const int32_t row = (int32_t)(blockIdx.x * gs_block_size + threadIdx.x);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int w = row < nrows ? way[row] : 0;

    for (int k = (int)threadIdx.x; k < warps * ways; k += gs_block_size) of_warp[0][k] = 0;
    __syncthreads();
    const unsigned alike = __match_any_sync(all_lanes, w);
    const unsigned nth = __popc(alike & ((1u << lane) - 1));
    if (nth == 0) of_warp[warp][w] = __popc(alike);
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x < ways) {
        unsigned all = 0, at = 0;
        for (int k = 0; k < warps; k++) all += of_warp[k][threadIdx.x];
        for (int k = 1; k < (int)threadIdx.x; k++) at += f->rows[k];
        if (all > 0) at += atomicAdd(&f->listed[threadIdx.x], all);
        for (int k = 0; k < warps; k++) {
            const unsigned here = of_warp[k][threadIdx.x];
            of_warp[k][threadIdx.x] = at;
            at += here;
        }
    }
    __syncthreads();
    if (w > 0) rows[of_warp[warp][w] + nth] = row;
}

gsolve_status clear(gs_queue *q, facts *f)
{
    return gs_cuda(q, cudaMemsetAsync(f, 0, sizeof *f, q->stream), "classing rows");
}

gsolve_status list(gsolve_context *ctx, int32_t nrows, const uint8_t *way, facts *f, int32_t *rows,
                   facts *seen)
{
    const int64_t blocks = ((int64_t)nrows + gs_block_size - 1) / gs_block_size;
    gsolve_status status = GSOLVE_OK;

    if (nrows > 0) {
        TRY(launch_with(ctx->queue, "listing rows", list_rows, blocks, gs_block_size, 0, nrows, way,
                        f, rows));
    }
    TRY(gsolve_copy(ctx, seen, GSOLVE_HOST, f, GSOLVE_DEVICE, sizeof *seen));
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

    TRY(gs_cuda(q,
                cudaDeviceGetAttribute(&j->room, cudaDevAttrMaxSharedMemoryPerBlockOptin, q->index),
                "the size of shared memory"));
    j->room -= 1 << 10; // what the kernels have besides
    ALLOC_DEVICE(ctx, j->way, n);
    ALLOC_DEVICE(ctx, j->low, n);
    ALLOC_DEVICE(ctx, j->words, n);
    ALLOC_DEVICE(ctx, j->count, n + 1);
    ALLOC_DEVICE(ctx, j->rows, n);
    ALLOC_DEVICE(ctx, j->found, 1);
done:
    return status;
}

void close_job(job *j)
{
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->way);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->low);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->words);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->count);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->rows);
    gsolve_free(j->ctx, GSOLVE_DEVICE, j->found);
    j->way = nullptr;
    j->low = j->words = j->count = j->rows = nullptr;
    j->found = nullptr;
}

gsolve_status class_to_count(job *j)
{
    gs_queue *q = j->ctx->queue;
    gsolve_status status;

    TRY(clear(q, j->found));
    TRY(gs_launch(q, "weighing rows", weigh, gs_grid(q, (int64_t)j->nrows * sharers), gs_block_size,
                  j->nrows, j->A, j->B, j->room, j->way, j->low, j->words, j->count, j->found));
    TRY(list(j->ctx, j->nrows, j->way, j->found, j->rows, &j->seen));
    j->lanes = lanes_for(&j->seen);
done:
    return status;
}

gsolve_status class_to_fill(job *j, gsolve_type type)
{
    gs_queue *q = j->ctx->queue;
    const facts before = j->seen;
    gsolve_status status;

    TRY(clear(q, j->found));
    TRY(gs_launch(q, "weighing results",
                  type == GSOLVE_F32 ? weigh_results<float> : weigh_results<double>,
                  gs_grid(q, j->nrows), gs_block_size, j->nrows, j->room, j->count, j->words,
                  j->way, j->found));
    TRY(list(j->ctx, j->nrows, j->way, j->found, j->rows, &j->seen));
    j->seen.products = before.products;
    j->seen.inputs = before.inputs;
done:
    return status;
}

gsolve_status class_by_length(gsolve_context *ctx, const gsolve_csr *C, lengths limit,
                              int32_t *rows, facts *seen)
{
    gs_queue *q = ctx->queue;
    uint8_t *way = nullptr;
    facts *f = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, way, (size_t)C->nrows);
    ALLOC_DEVICE(ctx, f, 1);
    TRY(clear(q, f));
    TRY(gs_launch(q, "weighing rows", weigh_lengths, gs_grid(q, C->nrows), gs_block_size, C->nrows,
                  rows_of(C), limit, way, f));
    TRY(list(ctx, C->nrows, way, f, rows, seen));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, way);
    gsolve_free(ctx, GSOLVE_DEVICE, f);
    return status;
}

} // namespace gs_hash_rows
