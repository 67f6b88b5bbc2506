// esc_work_cuda.cu: rows dealt out by their products.
#include <cub/device/device_scan.cuh>

#include "spgemm/esc/esc_parts.cuh"

using namespace gs_esc_parts;

namespace
{

typedef unsigned long long count_t;

constexpr int group = 8; // threads for a row of A
constexpr int groups = gs_block_size / group;

__device__ int bin_of(count_t products)
{
    return products <= 512 ? 0 : products <= 1024 ? 1 : products <= 2048 ? 2 : 3;
}

// A row to where it belongs; f: the block's facts. Returns the products that are for tiles.
__device__ count_t deal(facts *f, uint32_t *weight, count_t products, int64_t entries)
{
    const bool is_small = products <= small_room && entries <= far_entries;
    const bool is_medium = products <= medium_room && entries <= medium_entries;

    *weight = is_small || is_medium ? (uint32_t)products : large;
    if (is_small) return products;
    if (is_medium) {
        atomicAdd(&f->medium[bin_of(products)], 1u);
        return products;
    }
    atomicAdd(&f->large, 1u);
    atomicAdd(&f->of_large, products);
    return 0;
}

__device__ count_t products_of(const pattern &m, int64_t from, int64_t to, int step)
{
    count_t sum = 0;

    for (int64_t k = from; k < to; k += step) {
        const int32_t j = __ldg(m.acol + k);
        sum += (count_t)(m.b[j + 1] - m.b[j]);
    }
    return sum;
}

// A block a chunk; its far rows by all threads.
__global__ void __launch_bounds__(gs_block_size)
    count_work(pattern m, uint32_t *weight, int64_t *of_chunk, facts *f)
{
    __shared__ facts mine;
    const int64_t first = (int64_t)blockIdx.x * chunk;
    const int own = (int)threadIdx.x / group, lane = (int)threadIdx.x % group;
    count_t of_tiles = 0;
    bool far = false;

    if (threadIdx.x == 0) mine = facts{};
    __syncthreads();
    for (int r = own; r < chunk; r += groups) {
        const int64_t i = first + r, from = i < m.nrows ? m.a[i] : 0;
        const int64_t to = i < m.nrows ? m.a[i + 1] : 0;
        const bool wait = to - from > far_entries;
        count_t sum = wait ? 0 : products_of(m, from + lane, to, group);
        for (int d = group / 2; d > 0; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);
        if (lane == 0 && !wait && i < m.nrows) of_tiles += deal(&mine, weight + i, sum, to - from);
        far = far || wait;
    }
    if (__syncthreads_or(far)) {
        for (int64_t i = first; i < min(first + chunk, (int64_t)m.nrows); i++) {
            const int64_t from = m.a[i], to = m.a[i + 1];
            if (to - from <= far_entries) continue;
            const count_t sum = gs_block_sum(products_of(m, from + threadIdx.x, to, gs_block_size));
            if (threadIdx.x == 0) deal(&mine, weight + i, sum, to - from);
        }
    }
    of_tiles = gs_block_sum(of_tiles);
    if (threadIdx.x == 0) of_chunk[blockIdx.x] = (int64_t)of_tiles;
    if (threadIdx.x < bins && mine.medium[threadIdx.x]) {
        atomicAdd(&f->medium[threadIdx.x], mine.medium[threadIdx.x]);
    }
    if (threadIdx.x == 0 && mine.large) {
        atomicAdd(&f->large, mine.large);
        atomicAdd(&f->of_large, mine.of_large);
    }
}

struct lists {
    medium_row *medium;
    int medium_at[bins];
    int32_t *large;
    unsigned *filled; // bins + 1: of each list so far
};

// A warp a chunk: its medium and large rows into the lists, in any order: each row is dealt with by
// itself.
__global__ void __launch_bounds__(gs_block_size)
    list_rows(int32_t nrows, int64_t chunks, const uint32_t *weight, const int64_t *chunk_at,
              lists to, int32_t *count)
{
    const int64_t c = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;

    if (c >= chunks) return;
    int64_t at = chunk_at[c];
    for (int64_t row = c * chunk; row < min((c + 1) * chunk, (int64_t)nrows); row += 32) {
        const int64_t i = row + lane;
        const uint32_t w = i < nrows ? weight[i] : 0;
        const int own = w == large ? 0 : (int)w, upto = scan(own);
        const bool is_medium = w != large && w > small_room;
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
                to.medium[to.medium_at[bin] + (int)k] = {at + upto - own, (int32_t)i};
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

// The list of large rows, ascending, so that bands have the same order every time.
gsolve_status order_large(gs_esc_plan *p, gsolve_context *ctx)
{
    const size_t bytes = (size_t)p->larges * sizeof *p->rows;
    int32_t *rows = (int32_t *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)p->larges, sizeof *rows);
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!rows) return status;
    TRY(gsolve_copy(ctx, rows, GSOLVE_HOST, p->rows, GSOLVE_DEVICE, bytes));
    qsort(rows, (size_t)p->larges, sizeof *rows, ascending);
    TRY(gsolve_copy(ctx, p->rows, GSOLVE_DEVICE, rows, GSOLVE_HOST, bytes));
done:
    gsolve_free(ctx, GSOLVE_HOST, rows);
    return status;
}

} // namespace

namespace gs_esc_parts
{

gsolve_status count_rows(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, summary *seen)
{
    gs_queue *q = ctx->queue;
    char *at;
    summary *end;
    gsolve_status status;

    p->chunks = ((int64_t)m.nrows + chunk - 1) / chunk;
    ALLOC_DEVICE(ctx, p->weight, m.nrows);
    at = (char *)gsolve_alloc(ctx, GSOLVE_DEVICE,
                              (size_t)p->chunks * sizeof(int64_t) + sizeof(summary), 1);
    p->chunk_at = (int64_t *)at;
    TRY(at ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    end = (summary *)(p->chunk_at + p->chunks);
    TRY(gs_cuda(q, cudaMemsetAsync(end, 0, sizeof *end, q->stream), "counting products"));
    if (p->chunks > 0) {
        TRY(gs_launch(q, "counting products", count_work, (int)p->chunks, gs_block_size, m,
                      p->weight, p->chunk_at, &end->f));
    }
    TRY(with_space(ctx, "counting products", [&](void *space, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(space, bytes, p->chunk_at, p->chunk_at, p->chunks + 1,
                                             q->stream);
    }));
    TRY(gsolve_copy(ctx, seen, GSOLVE_HOST, end, GSOLVE_DEVICE, sizeof *seen));
done:
    return status;
}

gsolve_status list_long(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, const facts &seen,
                        int32_t *count)
{
    gs_queue *q = ctx->queue;
    lists to = {};
    gsolve_status status = GSOLVE_OK;

    for (int bin = 0; bin < bins; bin++) {
        to.medium_at[bin] = p->medium_at[bin];
        p->medium_at[bin + 1] = p->medium_at[bin] + (int)seen.medium[bin];
    }
    p->larges = (int32_t)seen.large;
    if (p->medium_at[bins] + p->larges == 0) return GSOLVE_OK;
    ALLOC_DEVICE(ctx, p->medium, p->medium_at[bins]);
    ALLOC_DEVICE(ctx, p->rows, p->larges);
    ALLOC_DEVICE(ctx, to.filled, bins + 1);
    to.medium = p->medium;
    to.large = p->rows;
    TRY(gs_cuda(q, cudaMemsetAsync(to.filled, 0, (bins + 1) * sizeof *to.filled, q->stream),
                "listing long rows"));
    TRY(gs_launch(q, "listing long rows", list_rows,
                  (int)((p->chunks * 32 + gs_block_size - 1) / gs_block_size), gs_block_size,
                  m.nrows, p->chunks, p->weight, p->chunk_at, to, count));
    if (p->larges > 0) TRY(order_large(p, ctx));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, to.filled);
    return status;
}

} // namespace gs_esc_parts
