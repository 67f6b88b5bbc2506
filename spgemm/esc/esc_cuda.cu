// esc_cuda.cu: the steps of a product on a GPU. Work is counted by rows of A, rows are dealt out
// by it, sorted, counted, C is allocated, and filled: two looks of the host, at the products and at
// the entries of C; more only where rows are for bands.
#include <cub/device/device_scan.cuh>

#include "spgemm/esc/esc_parts.cuh"

using namespace gs_esc_parts;

namespace
{

typedef unsigned long long count_t;

// --- work -------------------------------------------------------------------------------------

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

// --- the plan ---------------------------------------------------------------------------------

void drop(gs_esc_plan *p, gsolve_context *ctx)
{
    if (!p) return;
    drop_bands(p, ctx);
    for (void *one : {(void *)p->weight, (void *)p->chunk_at, (void *)p->order, (void *)p->medium,
                      (void *)p->rows, (void *)p->before}) {
        gsolve_free(ctx, GSOLVE_DEVICE, one);
    }
    gsolve_free(ctx, GSOLVE_HOST, p->tiles);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

// What the host must know; behind chunk_at on the device, so that it comes with its last number.
struct summary {
    int64_t of_tiles;
    facts f;
};

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

// Chunks whose products have room together: all, or as many as the numbers before each allow.
gsolve_status cut_tiles(gs_esc_plan *p, gsolve_context *ctx, int64_t products, int64_t room)
{
    int64_t *at = nullptr;
    gsolve_status status = GSOLVE_NO_MEMORY;
    const int64_t most = products <= room ? 1 : p->chunks;

    p->tiles = (tile_band *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)most, sizeof *p->tiles);
    if (!p->tiles) return status;
    p->tiles[0] = {0, p->chunks, 0, products};
    p->tile_bands = 1;
    if (products <= room) return GSOLVE_OK;
    at = (int64_t *)gsolve_alloc(ctx, GSOLVE_HOST, (size_t)p->chunks + 1, sizeof *at);
    if (!at) return status;
    TRY(gsolve_copy(ctx, at, GSOLVE_HOST, p->chunk_at, GSOLVE_DEVICE,
                    ((size_t)p->chunks + 1) * sizeof *at));
    p->tile_bands = 0;
    for (int64_t c = 0, first = 0; c < p->chunks; c++) {
        if (c + 1 < p->chunks && at[c + 2] - at[first] <= room) continue;
        p->tiles[p->tile_bands++] = {first, c + 1, at[first], at[c + 1] - at[first]};
        first = c + 1;
    }
done:
    gsolve_free(ctx, GSOLVE_HOST, at);
    return status;
}

gsolve_status new_order(gs_esc_plan *p, gsolve_context *ctx)
{
    int64_t most = 0;
    gsolve_status status;

    for (int64_t b = 0; b < p->tile_bands; b++) {
        if (p->tiles[b].products > most) most = p->tiles[b].products;
    }
    ALLOC_DEVICE(ctx, p->order, most);
done:
    return status;
}

gsolve_status sort_band(gs_queue *q, const gs_esc_plan *p, const pattern &m, const tile_band &now,
                        int32_t *count)
{
    const gsolve_status status = sort_tiles(q, p, m, now, count);
    return status == GSOLVE_OK ? sort_medium(q, p, m, now, count) : status;
}

// --- C ----------------------------------------------------------------------------------------

template <class O>
gsolve_status scan_entries(gsolve_context *ctx, int32_t n, const int32_t *count, O *start)
{
    return with_space(ctx, "the rows of a product", [&](void *space, size_t &bytes) {
        return cub::DeviceScan::ExclusiveScan(space, bytes, count, start, cuda::std::plus<>{}, O(0),
                                              (int64_t)n + 1, ctx->queue->stream);
    });
}

// C's offsets from the entries of its rows: in 64 bits where the products do not fit 32, and
// narrowed if the entries do.
gsolve_status place_rows(gsolve_csr *C, gsolve_context *ctx, int64_t products, const int32_t *count)
{
    const bool wide = products > INT32_MAX;
    void *start = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)C->nrows + 1,
                               wide ? sizeof(int64_t) : sizeof(int32_t));
    int32_t *narrow = nullptr;
    int64_t entries = 0;
    gsolve_status status = GSOLVE_NO_MEMORY;

    if (!start) return status;
    C->start = start;
    C->offset = wide ? GSOLVE_O64 : GSOLVE_O32;
    TRY(wide ? scan_entries(ctx, C->nrows, count, (int64_t *)start)
             : scan_entries(ctx, C->nrows, count, (int32_t *)start));
    TRY(gs_csr_entries(ctx, C, &entries));
    if (wide && entries <= INT32_MAX) {
        ALLOC_DEVICE(ctx, narrow, (size_t)C->nrows + 1);
        TRY(gs_look_cuda[C->type].narrow(ctx, C, narrow));
        gsolve_free(ctx, GSOLVE_DEVICE, start);
        C->start = narrow;
        C->offset = GSOLVE_O32;
    }
done:
    return status;
}

gsolve_status new_result(gs_blocked *out, gsolve_context *ctx, const gs_blocked *A,
                         const gs_blocked *B, int64_t products, const int32_t *count)
{
    gs_blocked C = {A->csr, A->height, B->width};
    int64_t entries = 0;
    gsolve_status status;

    C.csr.ncols = B->csr.ncols;
    C.csr.start = nullptr;
    C.csr.col = nullptr;
    C.csr.value = nullptr;
    TRY(place_rows(&C.csr, ctx, products, count));
    TRY(gs_csr_entries(ctx, &C.csr, &entries));
    C.csr.col = (int32_t *)gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)entries, sizeof *C.csr.col);
    TRY(C.csr.col ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    C.csr.value = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)entries * (size_t)(C.height * C.width),
                               gs_type_size(C.csr.type));
    TRY(C.csr.value ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    *out = C;
    return GSOLVE_OK;
done:
    gsolve_csr_free(&C.csr, ctx);
    return status;
}

numbers numbers_of(const gs_blocked *A, const gs_blocked *B, const gs_blocked *C, bool columns)
{
    return {A->csr.value,
            B->csr.value,
            (void *)(uintptr_t)C->csr.value,
            offsets_of(&C->csr),
            columns ? (int32_t *)(uintptr_t)C->csr.col : nullptr,
            A->height,
            A->width,
            B->width};
}

// The second pass; a band whose order was overwritten is sorted again.
template <class T>
gsolve_status fill(const gs_esc_plan *p, gsolve_context *ctx, const pattern &m, const numbers &n,
                   int32_t *count)
{
    gs_queue *q = ctx->queue;
    gsolve_status status = GSOLVE_OK;

    for (int64_t b = 0; b < p->tile_bands && p->chunks > 0; b++) {
        const tile_band &now = p->tiles[b];
        if (p->tile_bands > 1) TRY(sort_band(q, p, m, now, count));
        TRY(fill_tiles<T>(q, p, m, now, n));
        TRY(fill_medium<T>(q, p, m, now, n));
    }
    if (p->nbands > 0) TRY(fill_bands<T>(p, ctx, m, n));
done:
    return status;
}

// The first pass: all orders that are kept, and the entries of C's rows.
gsolve_status sort(gs_esc_plan *p, gsolve_context *ctx, const pattern &m, const summary &seen,
                   double room, bool keep, int32_t *count)
{
    const int64_t of_tiles = seen.of_tiles;
    const double bytes = room / sizeof *p->order;
    gsolve_status status;

    TRY(list_long(p, ctx, m, seen.f, count));
    TRY(cut_tiles(p, ctx, of_tiles, keep || bytes > (double)of_tiles ? of_tiles : (int64_t)bytes));
    TRY(new_order(p, ctx));
    for (int64_t b = 0; b < p->tile_bands && p->chunks > 0; b++) {
        TRY(sort_band(ctx->queue, p, m, p->tiles[b], count));
    }
    if (p->larges > 0) TRY(plan_bands(p, ctx, m, room, keep, count));
done:
    return status;
}

template <class T>
gsolve_status multiply(gs_blocked *C, gs_esc_plan **kept, gs_tally_of_product *tally,
                       gsolve_context *ctx, const gs_blocked *A, const gs_blocked *B, double room)
{
    const pattern m = pattern_of(A, B);
    gs_queue *q = ctx->queue;
    gs_blocked made = {};
    gs_esc_plan *p = nullptr;
    int32_t *count = nullptr;
    summary seen = {};
    int64_t entries[2] = {}, products;
    gsolve_status status;

    p = (gs_esc_plan *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_esc_plan();
    TRY(count_rows(p, ctx, m, &seen));
    products = seen.of_tiles + (int64_t)seen.f.of_large;
    if (room == 0) {
        TRY(gs_csr_entries(ctx, &A->csr, &entries[0]));
        TRY(gs_csr_entries(ctx, &B->csr, &entries[1]));
    }
    room = gs_esc_room(room, A, entries[0], B, entries[1], products);
    ALLOC_DEVICE(ctx, count, (size_t)m.nrows + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(count + m.nrows, 0, sizeof *count, q->stream), "a product"));
    TRY(sort(p, ctx, m, seen, room, kept != nullptr, count));
    TRY(new_result(&made, ctx, A, B, products, count));
    TRY(fill<T>(p, ctx, m, numbers_of(A, B, &made, true), count));
    tally->products = products;
    tally->bands = (int)(p->tile_bands + p->nbands);
    *C = made;
    made = {};
    if (kept) *kept = p;
    if (kept) p = nullptr;
done:
    gsolve_csr_free(&made.csr, ctx);
    gsolve_free(ctx, GSOLVE_DEVICE, count);
    drop(p, ctx);
    return status;
}

template <class T>
gsolve_status update(const gs_esc_plan *p, gsolve_context *ctx, const gs_blocked *A,
                     const gs_blocked *B, gs_blocked *C)
{
    return fill<T>(p, ctx, pattern_of(A, B), numbers_of(A, B, C, false), nullptr);
}

} // namespace

extern "C" const gs_esc_kernels gs_esc_cuda[GSOLVE_TYPE_COUNT] = {
    {multiply<float>, update<float>, drop},
    {multiply<double>, update<double>, drop},
};
