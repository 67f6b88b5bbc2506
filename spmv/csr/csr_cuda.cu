// csr_cuda.cu: the product on a GPU, see csr.h.
//
// Rows of similar lengths are summed by groups of threads, a power of two of them to a row, that
// know nothing of each other.
//
// Else the rows are cut into tiles: the rows whose work begins in a stretch of equal length, work
// being entries plus a toll for each row. A block reads a tile's entries one after the other,
// whatever the rows, leaves the products in shared memory, and sums the rows there: by one thread a
// row, or several where a tile has few rows; a row much longer than the tile's others by a warp.
// Rows longer than a tile are cut into parts of a block each; the block that ends a row's last part
// adds them up.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "core/pdl.cuh"
#include "matrix/begins.cuh"
#include "spmv/csr/csr_tiles.cuh"

extern "C" {
#include "core/try.h"
#include "vector/vector.h"
}

using namespace gs_tiles;

namespace
{

constexpr int shared_share = 40; // of the first cache, in per cent, that tile_blocks blocks take

// --- the plan ---------------------------------------------------------------------------------

template <class O>
__host__ __device__ int64_t work_before(const O *start, int32_t i)
{
    return (int64_t)start[i] + (int64_t)toll * i;
}

// Longer than most_short and the last of its tile, which it overruns: the next row begins in a
// later one.
template <class O>
struct is_long {
    const O *start;
    __device__ bool operator()(int32_t i) const
    {
        return (int64_t)start[i + 1] - (int64_t)start[i] > most_short &&
               work_before(start, i) / tile_work != work_before(start, i + 1) / tile_work;
    }
};

template <class O>
__global__ void make_tiles(int32_t nrows, const O *start, int tiles, tile *out)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int32_t cut[2];

    if (t >= tiles) return;
    for (int end = 0; end < 2; end++) { // the first row whose work begins at or after the stretch
        const int64_t work = (int64_t)(t + end) * tile_work;
        int32_t low = 0, high = nrows;
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (work_before(start, middle) < work) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        cut[end] = low;
    }
    const bool ends_long = cut[1] > cut[0] && is_long<O>{start}(cut[1] - 1);
    const int32_t last = ends_long ? cut[1] - 1 : cut[1];
    out[t] = {cut[0], last, (int64_t)start[cut[0]], (int32_t)(start[last] - start[cut[0]]), 0};
}

template <class O>
__global__ void count_parts(int nlong, const O *start, const int32_t *row, int32_t *count)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (l > nlong) return;
    count[l] =
        l == nlong ? 0 : (int32_t)((start[row[l] + 1] - start[row[l]] + part_size - 1) / part_size);
}

template <class O>
__global__ void name_parts(int nlong, const O *start, const int32_t *row, const int32_t *first,
                           part *out)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (l >= nlong) return;
    const int32_t i = row[l], parts = first[l + 1] - first[l];
    for (int32_t k = 0; k < parts; k++) {
        const int64_t from = (int64_t)start[i] + (int64_t)k * part_size;
        const int64_t left = (int64_t)start[i + 1] - from;
        out[first[l] + k] = {from, left < part_size ? (int32_t)left : part_size, i, l, first[l],
                             parts};
    }
}

int blocks_for(int64_t n)
{
    return (int)((n + gs_block_size - 1) / gs_block_size);
}

// The long rows and their parts; a tile has at most one.
template <class O>
gsolve_status find_long(gs_csr_tiles *p, gsolve_context *ctx, int32_t n, const O *start)
{
    gs_queue *q = ctx->queue;
    const thrust::counting_iterator<int32_t> rows(0);
    const is_long<O> longer{start};
    size_t bytes = 0, more = 0;
    void *space = nullptr;
    int32_t *found = nullptr, *counted = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, p->long_row, (size_t)p->tiles + 1);
    ALLOC_DEVICE(ctx, p->first_part, (size_t)p->tiles + 2);
    ALLOC_DEVICE(ctx, counted, (size_t)p->tiles + 2);
    ALLOC_DEVICE(ctx, found, 1);
    cub::DeviceSelect::If(nullptr, bytes, rows, p->long_row, found, n, longer, q->stream);
    cub::DeviceScan::ExclusiveSum(nullptr, more, counted, p->first_part, p->tiles + 2, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes > more ? bytes : more, 1);
    status = space ? GSOLVE_OK : GSOLVE_NO_MEMORY;
    if (status != GSOLVE_OK) goto done;
    TRY(gs_cuda(q,
                cub::DeviceSelect::If(space, bytes, rows, p->long_row, found, n, longer, q->stream),
                "finding long rows"));
    TRY(gsolve_copy(ctx, &p->nlong, GSOLVE_HOST, found, GSOLVE_DEVICE, sizeof p->nlong));
    TRY(gs_launch(q, "count_parts", count_parts<O>, blocks_for(p->nlong + 1), gs_block_size,
                  p->nlong, start, p->long_row, counted));
    TRY(gs_cuda(
        q,
        cub::DeviceScan::ExclusiveSum(space, more, counted, p->first_part, p->nlong + 1, q->stream),
        "numbering parts"));
    TRY(gsolve_copy(ctx, &p->parts, GSOLVE_HOST, p->first_part + p->nlong, GSOLVE_DEVICE,
                    sizeof p->parts));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, found);
    gsolve_free(ctx, GSOLVE_DEVICE, counted);
    return status;
}

void drop(gs_csr_tiles *p, gsolve_context *ctx)
{
    if (!p) return;
    gsolve_free(ctx, GSOLVE_DEVICE, p->tile_of);
    gsolve_free(ctx, GSOLVE_DEVICE, p->long_row);
    gsolve_free(ctx, GSOLVE_DEVICE, p->first_part);
    gsolve_free(ctx, GSOLVE_DEVICE, p->part_of);
    gsolve_free(ctx, GSOLVE_DEVICE, p->sum);
    gsolve_free(ctx, GSOLVE_DEVICE, p->done);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

template <class O>
__global__ void inspect_rows(int32_t n, const O *start, const int32_t *col, gs_row_statistics *look)
{
    const int64_t threads = (int64_t)gridDim.x * gs_block_size;
    const int64_t first = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const int begins = gs_begins_far(n, start, col, first, threads);
    unsigned longest = 0, empty = 0, near = begins == 0, far = begins == 1;

    for (int64_t i = first; i < n; i += threads) {
        const int64_t length = (int64_t)start[i + 1] - (int64_t)start[i];
        longest = max(longest, (unsigned)min(length, (int64_t)UINT_MAX));
        empty += length == 0;
    }
    for (int d = 16; d > 0; d /= 2) {
        longest = max(longest, __shfl_xor_sync(0xffffffffu, longest, d));
        empty += __shfl_xor_sync(0xffffffffu, empty, d);
        near += __shfl_xor_sync(0xffffffffu, near, d);
        far += __shfl_xor_sync(0xffffffffu, far, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicMax(&look->longest, longest);
        atomicAdd(&look->empty, empty);
        atomicAdd(&look->near, near);
        atomicAdd(&look->far, far);
    }
}

// Rows of a group that are read at once, so that the reads overlap.
template <class T>
constexpr int rows_at_once = 16 / (int)sizeof(T);

template <class O>
gsolve_status find_statistics(gs_row_statistics *look, gsolve_context *ctx, const gsolve_csr *A)
{
    gs_queue *q = ctx->queue;
    gs_row_statistics *space = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, space, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(space, 0, sizeof *space, q->stream), "a look at the rows"));
    TRY(gs_launch(q, "a look at the rows", inspect_rows<O>, gs_grid(q, A->nrows), gs_block_size,
                  A->nrows, (const O *)A->start, A->col, space));
    TRY(gsolve_copy(ctx, look, GSOLVE_HOST, space, GSOLVE_DEVICE, sizeof *look));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// Threads for a row, where the rows are of similar lengths; else 0. About one for every two
// entries, since the second pass over a cache line costs little; one for each where x is read here
// and there, and the wait for it is all that counts.
template <class T>
void choose_lanes(gs_csr_tiles *p, const gs_queue *q, int32_t n, int64_t entries,
                  const gs_row_statistics &look)
{
    const double mean = n > 0 ? (double)entries / n : 0;
    const bool fills = mean <= 256 || (mean <= 4096 && n >= 8 * rows_at_once<T> * q->processors);

    p->lanes = 0;
    p->scattered = look.far > look.near;
    if (look.longest <= 3 * mean + 16 && fills && look.empty <= (unsigned)(n / 4)) {
        p->lanes = 1;
        while (p->lanes < 32 && p->lanes * (p->scattered ? 1 : 2) < mean) p->lanes *= 2;
    }
}

template <class T, class O>
gsolve_status make_parts(gs_csr_tiles *p, gsolve_context *ctx, const gsolve_csr *A, int64_t entries)
{
    gs_queue *q = ctx->queue;
    const O *start = (const O *)A->start;
    const int64_t work = entries + (int64_t)toll * A->nrows;
    T *sum = nullptr;
    gsolve_status status;

    p->tiles = (int)((work + tile_work - 1) / tile_work);
    ALLOC_DEVICE(ctx, p->tile_of, (size_t)p->tiles + 1);
    if (p->tiles > 0) {
        TRY(gs_launch(q, "make_tiles", make_tiles<O>, blocks_for(p->tiles), gs_block_size, A->nrows,
                      start, p->tiles, p->tile_of));
        TRY(find_long(p, ctx, A->nrows, start));
    }
    ALLOC_DEVICE(ctx, p->part_of, (size_t)p->parts + 1);
    ALLOC_DEVICE(ctx, sum, ((size_t)p->parts + 1) * most_by_rows);
    p->sum = sum;
    ALLOC_DEVICE(ctx, p->done, ((size_t)p->nlong + 1) * most_chunks);
    TRY(gs_cuda(q,
                cudaMemsetAsync(p->done, 0, sizeof *p->done * ((size_t)p->nlong + 1) * most_chunks,
                                q->stream),
                "a plan of the product"));
    if (p->nlong > 0) {
        TRY(gs_launch(q, "name_parts", name_parts<O>, blocks_for(p->nlong), gs_block_size, p->nlong,
                      start, p->long_row, p->first_part, p->part_of));
    }
done:
    return status;
}

template <class T, class O>
gsolve_status fill(gs_csr_tiles *p, gsolve_context *ctx, const gsolve_csr *A, int64_t entries,
                   const gs_row_statistics *known)
{
    gs_row_statistics look = known ? *known : gs_row_statistics();
    gsolve_status status = GSOLVE_OK;

    if (!known) TRY(find_statistics<O>(&look, ctx, A));
    choose_lanes<T>(p, ctx->queue, A->nrows, entries, look);
    if (p->lanes == 0) TRY((make_parts<T, O>(p, ctx, A, entries)));
done:
    return status;
}

template <class T>
gsolve_status plan(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                   const gs_row_statistics *look)
{
    const gsolve_csr *A = &plan->csr;
    gs_csr_tiles *p = (gs_csr_tiles *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    gsolve_status status;

    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_csr_tiles();
    status = A->offset == GSOLVE_O64 ? fill<T, int64_t>(p, ctx, A, entries, look)
                                     : fill<T, int32_t>(p, ctx, A, entries, look);
    if (status == GSOLVE_OK) {
        plan->tiles = p;
    } else {
        drop(p, ctx);
    }
    return status;
}

// --- the product ------------------------------------------------------------------------------

template <class T>
struct product {
    const void *start;
    const int32_t *col;
    const T *value, *x;
    T *y;
    T alpha, beta;
    const T *w;
    double *out[2]; // w'y; y'y
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const product<T> &a, int32_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// --- rows of similar lengths ------------------------------------------------------------------

// The sums that a product makes on its way: none; x'y, whose x is at hand; w'y; w'y and y'y.
enum { NO_SUMS, X_Y, W_Y, W_Y_AND_Y_Y };

template <class T, class O, int LANES, bool ONCE, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_groups(product<T> a, int32_t n, double *partial, unsigned *arrived, gs_guard guard)
{
    constexpr int groups = gs_block_size / LANES, at_a_time = rows_at_once<T>;
    constexpr int rows = groups * at_a_time;
    const O *start = (const O *)a.start;
    const int group = (int)threadIdx.x / LANES, lane = (int)threadIdx.x % LANES;
    double terms[SUMS > W_Y ? 2 : 1] = {};

    if (guard.has_ended()) return;
    for (int64_t base = (int64_t)blockIdx.x * rows; base < n; base += (int64_t)gridDim.x * rows) {
        O at[at_a_time], to[at_a_time];
        T sum[at_a_time], w[at_a_time];
        bool more = false;
#pragma unroll
        for (int r = 0; r < at_a_time; r++) {
            const int64_t i = base + r * groups + group;
            at[r] = i < n ? start[i] + lane : 0;
            to[r] = i < n ? start[i + 1] : 0;
            if constexpr (SUMS >= W_Y) w[r] = i < n && lane == 0 ? a.w[i] : T(0);
            sum[r] = 0;
            more = more || at[r] < to[r];
        }
        while (more) {
            int32_t c[at_a_time];
            T v[at_a_time];
#pragma unroll
            for (int r = 0; r < at_a_time; r++) {
                const bool in = at[r] < to[r];
                c[r] = !in ? -1 : ONCE ? __ldcs(&a.col[at[r]]) : __ldg(&a.col[at[r]]);
                v[r] = !in ? T(0) : ONCE ? __ldcs(&a.value[at[r]]) : __ldg(&a.value[at[r]]);
            }
            more = false;
#pragma unroll
            for (int r = 0; r < at_a_time; r++) {
                if (c[r] >= 0) sum[r] += v[r] * __ldg(&a.x[c[r]]);
                at[r] += LANES;
                more = more || at[r] < to[r];
            }
        }
#pragma unroll
        for (int r = 0; r < at_a_time; r++) {
            const int64_t i = base + r * groups + group;
            const T all = group_sum(sum[r], LANES);
            if (i < n && lane == 0) {
                finish(a, (int32_t)i, all);
                if constexpr (SUMS == X_Y) terms[0] += (double)a.x[i] * (double)all;
                if constexpr (SUMS >= W_Y) terms[0] += (double)w[r] * (double)all;
                if constexpr (SUMS > W_Y) terms[1] += (double)all * (double)all;
            }
        }
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived, [&](int s, double total) { *a.out[s] = total; });
    }
}

// ONCE: a line of entries serves one pass only, and need not be kept.
template <class T, class O, int LANES, bool ONCE, int SUMS>
gsolve_status launch_groups(gs_queue *q, const product<T> &a, int32_t n, bool scattered)
{
    constexpr int rows = gs_block_size / LANES * rows_at_once<T>;
    constexpr auto kernel = rows_by_groups<T, O, LANES, ONCE, SUMS>;
    const int grid = groups_grid<kernel>(q, n, rows, scattered && !SUMS);
    return gs_launch_pdl(q, "the product by groups", kernel, grid, gs_block_size, a, n, q->partial,
                         q->arrived);
}

template <class T>
gsolve_status launch_all(gs_queue *q, const product<T> &a, int32_t n, int64_t threads,
                         void (*kernel)(product<T>, int32_t, gs_guard))
{
    if (n == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the product by rows", kernel, blocks_for(threads), gs_block_size, a,
                         n);
}

// --- few long rows, and short ones that are added to y ------------------------------------------

constexpr int deep = 4; // entries that a thread reads at once

// sum += the products of some entries from at on, step apart, in turns.
template <int TURNS, class T>
__device__ __forceinline__ void add_entries(const product<T> &a, int64_t at, int64_t to, int step,
                                            T (&sum)[TURNS])
{
    int32_t c[deep];
    T v[deep];

#pragma unroll
    for (int u = 0; u < deep; u++) {
        const bool in = at + u * step < to;
        c[u] = in ? __ldg(&a.col[at + u * step]) : -1;
        v[u] = in ? __ldg(&a.value[at + u * step]) : T(0);
    }
#pragma unroll
    for (int u = 0; u < deep; u++) {
        if (c[u] >= 0) sum[u % TURNS] += v[u] * __ldg(&a.x[c[u]]);
    }
}

// A warp a row: where there are fewer rows than warps at once, a row's entries are what overlaps.
// The sums are those of rows_by_groups.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_warps(product<T> a, int32_t n, gs_guard guard)
{
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    T sum[1] = {};

    if (guard.has_ended()) return;
    if (i >= n) return; // the whole warp
    const int64_t to = ((const O *)a.start)[i + 1];
    for (int64_t at = ((const O *)a.start)[i]; at < to; at += 32 * deep) {
        add_entries(a, at + lane, to, 32, sum);
    }
    const T total = group_sum(sum[0], 32);
    if (lane == 0) finish(a, (int32_t)i, total);
}

// A thread two rows, and all that it reads at once; y among it. The sums are those of LANES threads
// a row, 1 or 2.
template <class T, class O, int LANES>
__global__ void __launch_bounds__(gs_block_size) short_rows(product<T> a, int32_t n, gs_guard guard)
{
    constexpr int rows = 2;
    const O *start = (const O *)a.start;
    const int64_t first = (int64_t)blockIdx.x * (rows * gs_block_size) + threadIdx.x;
    int64_t at[rows], to[rows];
    T before[rows], sum[rows][LANES] = {};
    bool more = false;

    if (guard.has_ended()) return;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const int64_t i = first + r * gs_block_size;
        at[r] = i < n ? start[i] : 0;
        to[r] = i < n ? start[i + 1] : 0;
        before[r] = i < n ? a.y[i] : T(0);
        more = more || at[r] < to[r];
    }
    while (more) {
        more = false;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            add_entries(a, at[r], to[r], 1, sum[r]);
            at[r] += deep;
            more = more || at[r] < to[r];
        }
    }
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const int64_t i = first + r * gs_block_size;
        const T total = LANES == 2 ? sum[r][0] + sum[r][LANES - 1] : sum[r][0];
        if (i < n) a.y[i] = a.alpha * total + a.beta * before[r];
    }
}

template <class T, class O, int LANES, int SUMS>
gsolve_status choose_kernel(gs_queue *q, const product<T> &a, int32_t n, bool scattered)
{
    if constexpr (SUMS == NO_SUMS && LANES == 32) {
        if (n <= q->processors * (2048 / 32)) {
            return launch_all(q, a, n, (int64_t)n * 32, rows_by_warps<T, O>);
        }
    }
    if constexpr (SUMS == NO_SUMS && LANES <= 2) {
        if (a.beta != 0) return launch_all(q, a, n, ((int64_t)n + 1) / 2, short_rows<T, O, LANES>);
    }
    if constexpr (SUMS == NO_SUMS && LANES < 32) {
        if (scattered) return launch_groups<T, O, LANES, true, NO_SUMS>(q, a, n, true);
    }
    return launch_groups<T, O, LANES, LANES == 32, SUMS>(q, a, n, scattered);
}

template <class T, class O, int SUMS>
gsolve_status by_groups(gs_queue *q, const product<T> &a, int32_t n, const gs_csr_tiles *p)
{
    switch (p->lanes) {
    case 1: return choose_kernel<T, O, 1, SUMS>(q, a, n, p->scattered);
    case 2: return choose_kernel<T, O, 2, SUMS>(q, a, n, p->scattered);
    case 4: return choose_kernel<T, O, 4, SUMS>(q, a, n, p->scattered);
    case 8: return choose_kernel<T, O, 8, SUMS>(q, a, n, p->scattered);
    case 16: return choose_kernel<T, O, 16, SUMS>(q, a, n, p->scattered);
    default: return choose_kernel<T, O, 32, SUMS>(q, a, n, p->scattered);
    }
}

// --- rows of any lengths ----------------------------------------------------------------------

// The products of n entries, into s.
template <class T>
__device__ void multiply(const product<T> &a, int64_t from, int n, T *s)
{
    const int32_t *col = a.col + from;
    const T *value = a.value + from;
    int32_t c[at_once];
    T v[at_once];

    read_entries(col, value, (int)threadIdx.x, n, c, v);
#pragma unroll
    for (int u = 0; u < at_once; u++) {
        if (c[u] >= 0) s[u * gs_block_size + (int)threadIdx.x] = v[u] * __ldg(&a.x[c[u]]);
    }
}

// The rows of a tile from the products in s, by groups of lanes threads; row: of this group's
// first.
template <class T, class O>
__device__ void sum_rows(const product<T> &a, const tile &t, int lanes, stretch row, T (&s)[room])
{
    const O *start = (const O *)a.start;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;

    for (int32_t base = t.first; base < t.last; base += gs_block_size / lanes) {
        const int32_t i = base + group;
        if (base > t.first) row = stretch_of(start, t, i);
        const bool wait = row.to - row.from > own * lanes;
        T sum = wait ? T(0) : strided(s, row.from + lane, row.to, lanes);
        sum = group_sum(sum, lanes);
        if (__syncthreads_or(wait)) { // some rows are much longer
            sum_by_warps<1>(wait && lane == 0, row, &s);
            if (wait) sum = s[row.from];
        }
        if (i < t.last && lane == 0) finish(a, i, sum);
    }
}

// This thread's share of the products of n entries, summed.
template <class T>
__device__ T direct_sum(const product<T> &a, int64_t from, int n)
{
    const int32_t *col = a.col + from;
    const T *value = a.value + from;
    T sum = 0;

    for (int base = (int)threadIdx.x; base < n; base += at_once * gs_block_size) {
        int32_t c[at_once];
        T v[at_once];
        read_entries(col, value, base, n, c, v);
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&a.x[c[u]]);
        }
    }
    return sum;
}

// The sum of a part of a long row; the block that comes last adds up the parts of the row.
template <class T>
__device__ void sum_part(const product<T> &a, const gs_csr_tiles &p, int at)
{
    __shared__ bool last;
    const part now = p.part_of[at];
    T *sums = (T *)p.sum;
    T sum = gs_block_sum(direct_sum(a, now.from, now.entries));

    if (now.parts == 1) {
        if (threadIdx.x == 0) finish(a, now.row, sum);
        return;
    }
    if (threadIdx.x == 0) {
        sums[at] = sum;
        __threadfence();
        last = atomicAdd(&p.done[now.l], 1u) == (unsigned)now.parts - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    sum = 0;
    for (int k = (int)threadIdx.x; k < now.parts; k += gs_block_size) {
        sum += __ldcg(&sums[now.first + k]);
    }
    sum = gs_block_sum(sum);
    if (threadIdx.x == 0) {
        finish(a, now.row, sum);
        p.done[now.l] = 0;
    }
}

template <class T, class O>
__global__ void __launch_bounds__(gs_block_size, tile_blocks)
    rows_by_tiles(product<T> a, gs_csr_tiles p, gs_guard guard)
{
    __shared__ T s[room];

    if (guard.has_ended()) return;
    if ((int)blockIdx.x >= p.tiles) {
        sum_part<T>(a, p, (int)blockIdx.x - p.tiles);
        return;
    }
    const tile t = p.tile_of[blockIdx.x];
    if (t.first == t.last) return;
    const int lanes = lanes_for(t.last - t.first);
    const stretch row = stretch_of((const O *)a.start, t, t.first + (int32_t)threadIdx.x / lanes);
    multiply(a, t.from, t.entries, s);
    __syncthreads();
    sum_rows<T, O>(a, t, lanes, row, s);
}

template <class T, class O>
gsolve_status by_tiles(gs_queue *q, const product<T> &a, const gs_csr_tiles *p)
{
    // what all blocks of a multiprocessor need: all else caches x
    static const cudaError_t carved = cudaFuncSetAttribute(
        rows_by_tiles<T, O>, cudaFuncAttributePreferredSharedMemoryCarveout, shared_share);

    if (p->tiles + p->parts == 0) return GSOLVE_OK;
    if (carved != cudaSuccess) return gs_cuda(q, carved, "the product by tiles");
    return gs_launch_pdl(q, "the product by tiles", rows_by_tiles<T, O>, p->tiles + p->parts,
                         gs_block_size, a, *p);
}

template <class T, class O>
gsolve_status multiply_all(gs_queue *q, const product<T> &a, const gs_csr_plan *plan)
{
    const gs_csr_tiles *p = plan->tiles;
    const gs_vector_kernels *vector = &gs_vector_cuda[plan->csr.type];
    const int32_t n = plan->csr.nrows;
    gsolve_status status;

    if (p->lanes > 0) {
        return !a.out[0]    ? by_groups<T, O, NO_SUMS>(q, a, n, p)
               : a.out[1]   ? by_groups<T, O, W_Y_AND_Y_Y>(q, a, n, p)
               : a.w != a.x ? by_groups<T, O, W_Y>(q, a, n, p)
                            : by_groups<T, O, X_Y>(q, a, n, p);
    }
    status = by_tiles<T, O>(q, a, p);
    if (status != GSOLVE_OK || !a.out[0]) return status;
    const gs_product_sums sums = {a.w, a.out[0], a.out[1]};
    return gs_sum_product(vector, q, n, a.y, &sums);
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_csr_plan *plan, double alpha, const void *x, double beta,
                    void *y, const gs_product_sums *dots)
{
    const gsolve_csr *A = &plan->csr;
    const gs_product_sums none = {}, sums = dots ? *dots : none;
    const product<T> a = {A->start, A->col,  (const T *)A->value, (const T *)x,      (T *)y,
                          (T)alpha, (T)beta, (const T *)sums.w,   {sums.wy, sums.yy}};

    return A->offset == GSOLVE_O64 ? multiply_all<T, int64_t>(q, a, plan)
                                   : multiply_all<T, int32_t>(q, a, plan);
}

void drop_plan(gs_csr_plan *plan, gsolve_context *ctx)
{
    drop(plan->tiles, ctx);
}

} // namespace

extern "C" const gs_csr_kernels gs_csr_cuda[GSOLVE_TYPE_COUNT] = {
    {plan<float>, drop_plan, apply<float>, gs_csr_apply_block<float>},
    {plan<double>, drop_plan, apply<double>, gs_csr_apply_block<double>},
};
