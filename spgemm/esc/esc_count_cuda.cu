// esc_count_cuda.cu: counts the products of the rows, and classifies rows as small, medium or large
// and chunks as tiles or squares.
#include "spgemm/esc/esc_common.cuh"

using namespace gs_esc_parts;

namespace
{

typedef unsigned long long count_t;

constexpr int group = 8; // threads for a row of A
constexpr int groups = gs_block_size / group;
constexpr int rows_per_group = most_chunk / groups;

__device__ int bin_of(count_t products)
{
    return products <= 512 ? 0 : products <= 1024 ? 1 : products <= 2048 ? 2 : 3;
}

// Classifies a row and counts it in f, the statistics of the block. Returns its products, or 0 if
// it is large.
__device__ count_t classify_row(statistics *f, uint32_t *row_products, count_t products,
                                int64_t entries)
{
    const bool is_small = products <= small_products && entries <= small_entries;
    const bool is_medium = products <= medium_products && entries <= medium_entries;

    *row_products = is_small || is_medium ? (uint32_t)products : large;
    if (is_small) return products;
    if (is_medium) {
        atomicAdd(&f->medium[bin_of(products)], 1u);
        return products;
    }
    atomicAdd(&f->large, 1u);
    atomicAdd(&f->of_large, products);
    return 0;
}

// The products of A's entries from, from + step and so on before `to`. Raises *longest to the
// length of their longest row of B.
__device__ count_t products_of(const pattern &m, int64_t from, int64_t to, int step,
                               int64_t *longest)
{
    count_t sum = 0;

    for (int64_t k = from; k < to; k += step) {
        const int32_t j = __ldg(m.acol + k);
        const int64_t length = m.b[j + 1] - m.b[j];
        sum += (count_t)length;
        *longest = max(*longest, length);
    }
    return sum;
}

// The rows of A that a group of threads counts. The loads of their first entries overlap.
struct rows_of_group {
    int64_t from[rows_per_group], to[rows_per_group];
    count_t products[rows_per_group]; // of this thread's first entry of each row

    __device__ rows_of_group(const pattern &m, int64_t first, int64_t end, int lane,
                             int64_t *longest)
    {
        int32_t j[rows_per_group];
#pragma unroll
        for (int u = 0; u < rows_per_group; u++) {
            const int64_t i = min(first + u * groups, end);
            from[u] = m.a[i];
            to[u] = i < end ? m.a[i + 1] : from[u];
        }
#pragma unroll
        for (int u = 0; u < rows_per_group; u++) {
            j[u] = from[u] + lane < to[u] ? __ldg(m.acol + from[u] + lane) : -1;
        }
#pragma unroll
        for (int u = 0; u < rows_per_group; u++) {
            const int64_t length = j[u] < 0 ? 0 : m.b[(int64_t)j[u] + 1] - m.b[j[u]];
            products[u] = (count_t)length;
            *longest = max(*longest, max(length, to[u] - from[u]));
        }
    }
};

// The width of the squares of a chunk, not smaller than the longest row of A or B in it; 0: the
// squares would be mostly empty.
__device__ int width_of(int longest, count_t products, int rows)
{
    const int width = longest <= 4 ? 4 : 8;
    return longest <= 8 && products >= (count_t)(rows * width * width / 8) ? width : 0;
}

// Adds the statistics of a chunk to those of the matrix. Returns the length of its part of order.
__device__ int64_t close_chunk(statistics *f, const statistics &mine, count_t products, int width,
                               int rows)
{
    if (products > 0) atomicAdd(&f->of_rest, products);
    int *kind = width == 0 ? &f->has_tiles : &f->has_squares[width / 8];
    if (!*(volatile int *)kind) *(volatile int *)kind = 1;
    if (mine.large) {
        atomicAdd(&f->large, mine.large);
        atomicAdd(&f->of_large, mine.of_large);
    }
    return width > 0 ? rows * width * width / 2 : (int64_t)((products + 3) / 4 * 4);
}

// Counts the products of all rows, classifies the rows, and chooses tiles or squares for each
// chunk. A block owns a chunk, and `group` threads own a row; all threads of the block together
// count a row with many entries of A. Reads A's columns and two offsets of B for each, and writes 4
// bytes per row. All sums are of integers, so their order does not matter.
__global__ void __launch_bounds__(gs_block_size)
    count_work(pattern m, bool plain, uint32_t *row_products, int64_t *of_chunk, uint8_t *width,
               statistics *f)
{
    __shared__ statistics mine;
    __shared__ int longest; // of the chunk's rows of A, and their rows of B
    const int64_t first = (int64_t)blockIdx.x * m.chunk;
    const int64_t end = min(first + m.chunk, (int64_t)m.nrows);
    const int own = (int)threadIdx.x / group, lane = (int)threadIdx.x % group;
    count_t products = 0;
    int64_t most = 0;
    bool any_long = false;

    if (threadIdx.x == 0) mine = statistics{};
    if (threadIdx.x == 0) longest = plain ? 0 : INT32_MAX;
    __syncthreads();
    const rows_of_group rows(m, first + own, end, lane, &most);
#pragma unroll
    for (int u = 0; u < rows_per_group; u++) {
        const int64_t i = first + own + u * groups, from = rows.from[u], to = rows.to[u];
        const bool is_long = to - from > small_entries;
        count_t sum = rows.products[u];
        if (!is_long) sum += products_of(m, from + group + lane, to, group, &most);
        sum = gs_rows::over_lanes(sum, group, gs_rows::sum_of());
        if (lane == 0 && !is_long && i < end)
            products += classify_row(&mine, row_products + i, sum, to - from);
        any_long = any_long || is_long;
    }
    const int warp_longest = __reduce_max_sync(all_lanes, (int)min(most, (int64_t)INT32_MAX));
    if (threadIdx.x % 32 == 0) atomicMax(&longest, warp_longest);
    if (__syncthreads_or(any_long)) {
        for (int64_t i = first; i < end; i++) {
            const int64_t from = m.a[i], to = m.a[i + 1];
            if (to - from <= small_entries) continue;
            const count_t sum =
                gs_block_sum(products_of(m, from + threadIdx.x, to, gs_block_size, &most));
            if (threadIdx.x == 0) classify_row(&mine, row_products + i, sum, to - from);
        }
    }
    products = gs_block_sum(products);
    if (threadIdx.x < bins && mine.medium[threadIdx.x]) {
        atomicAdd(&f->medium[threadIdx.x], mine.medium[threadIdx.x]);
    }
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        f->entries[0] = m.a[m.nrows];
        f->entries[1] = m.b[m.inner];
    }
    const int own_width = width_of(longest, products, m.chunk);
    width[blockIdx.x] = (uint8_t)own_width;
    of_chunk[blockIdx.x] = close_chunk(f, mine, products, own_width, m.chunk);
}

struct lists {
    medium_row *medium;
    int medium_begin[bins];
    int32_t *large;
    unsigned *filled; // bins + 1: the number of rows in each list so far
};

// Appends the medium and large rows of a chunk to the lists. A warp owns a chunk. Reads 4 bytes per
// row. The order of a list of medium rows does not matter, because each row is processed
// independently; order_large sorts the large rows.
__global__ void __launch_bounds__(gs_block_size)
    list_rows(int32_t nrows, int64_t chunks, int chunk, const uint32_t *row_products,
              const int64_t *chunk_begin, lists to, int32_t *count)
{
    const int64_t c = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;

    if (c >= chunks) return;
    int64_t at = chunk_begin[c];
    const int64_t end = min((c + 1) * chunk, (int64_t)nrows);
    for (int64_t row = c * chunk; row < end; row += 32) {
        const int64_t i = row + lane;
        const uint32_t w = i < end ? row_products[i] : 0;
        const int own = w == large ? 0 : (int)w, upto = scan(own);
        const bool is_medium = w != large && w > small_products;
        if (w == large) {
            to.large[atomicAdd(&to.filled[bins], 1u)] = (int32_t)i;
            count[i] = 0;
        }
        for (int bin = 0; bin < bins; bin++) {
            const unsigned some = __ballot_sync(all_lanes, is_medium && bin_of(w) == bin);
            if (!some) continue;
            unsigned k = 0;
            if (lane == 0) k = atomicAdd(&to.filled[bin], (unsigned)__popc(some));
            k = __shfl_sync(all_lanes, k, 0) + __popc(some & below(lane));
            if (some >> lane & 1) {
                to.medium[to.medium_begin[bin] + (int)k] = {at + upto - own, (int32_t)i};
            }
        }
        at += __shfl_sync(all_lanes, upto, 31);
    }
}

int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Sorts the list of large rows, so that the bands are the same in every run.
gsolve_status order_large(gs_esc_plan *p, gsolve_context *ctx)
{
    const size_t bytes = (size_t)p->large_rows * sizeof *p->rows;
    int32_t *rows = (int32_t *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)p->large_rows, sizeof *rows);
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!rows) return status;
    TRY(gsolve_copy(ctx, rows, GSOLVE_HOST, p->rows, GSOLVE_DEVICE, bytes));
    qsort(rows, (size_t)p->large_rows, sizeof *rows, ascending);
    TRY(gsolve_copy(ctx, p->rows, GSOLVE_DEVICE, rows, GSOLVE_HOST, bytes));
done:
    gsolve_free(ctx, GSOLVE_HOST, rows);
    return status;
}

} // namespace

namespace gs_esc_parts
{

gsolve_status count_rows(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, bool plain,
                         summary *totals)
{
    gs_queue *q = ctx->queue;
    char *at;
    summary *end;
    gsolve_status status;

    p->chunks = ((int64_t)m.nrows + m.chunk - 1) / m.chunk;
    ALLOC_DEVICE(ctx, p->row_products, m.nrows);
    ALLOC_DEVICE(ctx, p->width, p->chunks);
    at = (char *)gsolve_alloc(ctx, GSOLVE_DEVICE,
                              (size_t)p->chunks * sizeof(int64_t) + sizeof(summary), 1);
    p->chunk_begin = (int64_t *)at;
    TRY(at ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    end = (summary *)(p->chunk_begin + p->chunks);
    TRY(gs_cuda(q, cudaMemsetAsync(end, 0, sizeof *end, q->stream), "counting products"));
    if (p->chunks > 0) {
        TRY(gs_launch(q, "counting products", count_work, (int)p->chunks, gs_block_size, m, plain,
                      p->row_products, p->chunk_begin, p->width, &end->f));
    }
    TRY(gs_scan(ctx, "counting products", p->chunk_begin, p->chunk_begin, p->chunks + 1));
    TRY(gsolve_copy(ctx, totals, GSOLVE_HOST, end, GSOLVE_DEVICE, sizeof *totals));
    p->has_tiles = totals->f.has_tiles;
    for (int k = 0; k < 2; k++) p->has_squares[k] = totals->f.has_squares[k];
done:
    return status;
}

gsolve_status list_long(gs_esc_plan *p, gsolve_context *ctx, const pattern &m,
                        const statistics &stats, int32_t *count)
{
    gs_queue *q = ctx->queue;
    lists to = {};
    gsolve_status status = GSOLVE_OK;

    for (int bin = 0; bin < bins; bin++) {
        to.medium_begin[bin] = p->medium_begin[bin];
        p->medium_begin[bin + 1] = p->medium_begin[bin] + (int)stats.medium[bin];
    }
    p->large_rows = (int32_t)stats.large;
    if (p->medium_begin[bins] + p->large_rows == 0) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, p->medium, p->medium_begin[bins]);
    ALLOC_DEVICE(ctx, p->rows, p->large_rows);
    ALLOC_DEVICE(ctx, to.filled, bins + 1);
    to.medium = p->medium;
    to.large = p->rows;
    TRY(gs_cuda(q, cudaMemsetAsync(to.filled, 0, (bins + 1) * sizeof *to.filled, q->stream),
                "listing long rows"));
    TRY(gs_launch(q, "listing long rows", list_rows,
                  (int)((p->chunks * 32 + gs_block_size - 1) / gs_block_size), gs_block_size,
                  m.nrows, p->chunks, m.chunk, p->row_products, p->chunk_begin, to, count));
    if (p->large_rows > 0) TRY(order_large(p, ctx));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, to.filled);
    return status;
}

} // namespace gs_esc_parts
