// csr_cuda.cu: the product on a GPU, see csr.h.
//
// A tile is the rows whose work begins in a stretch of equal length, work being entries plus a toll
// for each row. A block reads a tile's entries one after the other, whatever the rows, leaves the
// products in shared memory, and sums the rows there: by one thread a row, or several where a tile
// has few rows; a row much longer than the tile's others by a warp. Rows longer than a tile are cut
// into parts of a block each; the block that ends a row's last part adds them up.
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "core/cuda.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/csr/csr.h"
}

namespace
{

constexpr int tile_work = 1536, toll = 1; // a tile's work: entries and a toll for each row
constexpr int most_short = 512;           // entries of a row that is not cut into parts
constexpr int room = tile_work + most_short;
constexpr int part_size = 2048;
constexpr int each = 8; // entries a thread reads at once
constexpr int own = 32; // entries of a row that each of its threads sums by itself at most

struct tile {
    int32_t first, last; // rows
    int64_t from;        // entry
    int32_t entries, unused;
};

} // namespace

struct gs_csr_tiles {
    int tiles, nlong, parts;
    tile *tile_of;
    int32_t *long_row;   // nlong
    int32_t *first_part; // nlong + 1
    int32_t *row_of;     // parts: which of the long rows
    void *part;          // sums of the parts, in the type of the values
    unsigned *done;      // nlong: parts that are there
    double *dot;         // nlong: what the long rows add to x'y
};

namespace
{

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

__global__ void name_parts(int nlong, const int32_t *first, int32_t *row_of)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (l >= nlong) return;
    for (int32_t p = first[l]; p < first[l + 1]; p++) row_of[p] = l;
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
    count_parts<<<blocks_for(p->nlong + 1), gs_block_size, 0, q->stream>>>(p->nlong, start,
                                                                           p->long_row, counted);
    TRY(gs_launched(q, "count_parts"));
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
    gsolve_free(ctx, GSOLVE_DEVICE, p->row_of);
    gsolve_free(ctx, GSOLVE_DEVICE, p->part);
    gsolve_free(ctx, GSOLVE_DEVICE, p->done);
    gsolve_free(ctx, GSOLVE_DEVICE, p->dot);
    gsolve_free(ctx, GSOLVE_HOST, p);
}

template <class T, class O>
gsolve_status fill(gs_csr_tiles *p, gsolve_context *ctx, const gsolve_csr *A, int64_t entries)
{
    gs_queue *q = ctx->queue;
    const O *start = (const O *)A->start;
    const int64_t work = entries + (int64_t)toll * A->nrows;
    T *part = nullptr;
    gsolve_status status;

    p->tiles = (int)((work + tile_work - 1) / tile_work);
    ALLOC_DEVICE(ctx, p->tile_of, (size_t)p->tiles + 1);
    if (p->tiles > 0) {
        make_tiles<<<blocks_for(p->tiles), gs_block_size, 0, q->stream>>>(A->nrows, start, p->tiles,
                                                                          p->tile_of);
        TRY(gs_launched(q, "make_tiles"));
        TRY(find_long(p, ctx, A->nrows, start));
    }
    ALLOC_DEVICE(ctx, p->row_of, (size_t)p->parts + 1);
    ALLOC_DEVICE(ctx, part, (size_t)p->parts + 1);
    p->part = part;
    ALLOC_DEVICE(ctx, p->done, (size_t)p->nlong + 1);
    ALLOC_DEVICE(ctx, p->dot, (size_t)p->nlong + 1);
    TRY(gs_cuda(q, cudaMemsetAsync(p->done, 0, sizeof *p->done * ((size_t)p->nlong + 1), q->stream),
                "a plan of the product"));
    if (p->nlong > 0) {
        name_parts<<<blocks_for(p->nlong), gs_block_size, 0, q->stream>>>(p->nlong, p->first_part,
                                                                          p->row_of);
        TRY(gs_launched(q, "name_parts"));
    }
done:
    return status;
}

template <class T>
gsolve_status plan(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries)
{
    const gsolve_csr *A = &plan->csr;
    gs_csr_tiles *p = (gs_csr_tiles *)gsolve_alloc(ctx, GSOLVE_HOST, 1, sizeof *p);
    gsolve_status status;

    if (!p) return GSOLVE_NO_MEMORY;
    *p = gs_csr_tiles();
    status = A->offset == GSOLVE_O64 ? fill<T, int64_t>(p, ctx, A, entries)
                                     : fill<T, int32_t>(p, ctx, A, entries);
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
    double *xy; // or NULL
};

// y_i = alpha sum + beta y_i; returns x_i y_i where x'y is wanted.
template <class T, bool DOT>
__device__ double finish(const product<T> &a, int32_t i, T sum)
{
    const T y = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];

    a.y[i] = y;
    return DOT ? (double)a.x[i] * (double)y : 0;
}

// The sum of s[from], s[from + step], ... before to.
template <class T>
__device__ T strided(const T *s, int from, int to, int step)
{
    T sum = 0;

    for (int k = from; k < to; k += step) sum += s[k];
    return sum;
}

// The sum over the aligned group of lanes threads, in all of them.
template <class T>
__device__ T group_sum(T sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    return sum;
}

// The products of a tile's entries, into s.
template <class T>
__device__ void multiply(const product<T> &a, int64_t from, int n, T *s)
{
    const int32_t *col = a.col + from;
    const T *value = a.value + from;

    for (int base = 0; base < n; base += each * gs_block_size) {
        int32_t c[each];
        T v[each];
#pragma unroll
        for (int u = 0; u < each; u++) {
            const int k = base + u * gs_block_size + (int)threadIdx.x;
            c[u] = k < n ? __ldcs(&col[k]) : -1;
            v[u] = k < n ? __ldcs(&value[k]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < each; u++) {
            if (c[u] >= 0)
                s[base + u * gs_block_size + (int)threadIdx.x] = v[u] * __ldg(&a.x[c[u]]);
        }
    }
}

// The rows of a tile from the products in s, by groups of lanes threads.
template <class T, class O, bool DOT>
__device__ double sum_rows(const product<T> &a, const tile &t, int lanes, T *s)
{
    __shared__ int waiting, from_of[gs_block_size], to_of[gs_block_size];
    const O *start = (const O *)a.start;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;
    double dot = 0;

    for (int32_t base = t.first; base < t.last; base += gs_block_size / lanes) {
        const int32_t i = base + group;
        const bool mine = i < t.last;
        const int from = mine ? (int)((int64_t)start[i] - t.from) : 0;
        const int to = mine ? (int)((int64_t)start[i + 1] - t.from) : 0;
        const bool wait = to - from > own * lanes;
        T sum = wait ? T(0) : strided(s, from + lane, to, lanes);
        sum = group_sum(sum, lanes);
        if (__syncthreads_or(wait)) { // some rows are much longer: a warp for each
            if (threadIdx.x == 0) waiting = 0;
            __syncthreads();
            if (wait && lane == 0) {
                const int at = atomicAdd(&waiting, 1);
                from_of[at] = from, to_of[at] = to;
            }
            __syncthreads();
            for (int w = (int)threadIdx.x / 32; w < waiting; w += gs_block_size / 32) {
                const T all =
                    group_sum(strided(s, from_of[w] + (int)threadIdx.x % 32, to_of[w], 32), 32);
                __syncwarp();
                if (threadIdx.x % 32 == 0) s[from_of[w]] = all;
            }
            __syncthreads();
            if (wait) sum = s[from];
        }
        if (mine && lane == 0) dot += finish<T, DOT>(a, i, sum);
    }
    return dot;
}

__device__ int lanes_for(int rows)
{
    int lanes = 1;

    while (lanes < 32 && rows * lanes * 2 <= gs_block_size) lanes *= 2;
    return lanes;
}

// Part p of a long row; the block that comes last adds up the parts of the row.
template <class T, class O, bool DOT>
__device__ void long_part(const product<T> &a, const gs_csr_tiles &p, int part, T *s)
{
    __shared__ bool last;
    const O *start = (const O *)a.start;
    const int l = p.row_of[part], first = p.first_part[l], parts = p.first_part[l + 1] - first;
    const int32_t i = p.long_row[l];
    const int64_t from = (int64_t)start[i] + (int64_t)(part - first) * part_size;
    const int64_t left = (int64_t)start[i + 1] - from;
    const int n = left < part_size ? (int)left : part_size;
    T *sums = (T *)p.part;

    multiply(a, from, n, s);
    __syncthreads();
    T sum = gs_block_sum(strided(s, (int)threadIdx.x, n, gs_block_size));
    if (threadIdx.x == 0) {
        sums[part] = sum;
        __threadfence();
        last = atomicAdd(&p.done[l], 1u) == (unsigned)parts - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    sum = 0;
    for (int k = (int)threadIdx.x; k < parts; k += gs_block_size) sum += __ldcg(&sums[first + k]);
    sum = gs_block_sum(sum);
    if (threadIdx.x == 0) {
        const double dot = finish<T, DOT>(a, i, sum);
        if (DOT) p.dot[l] = dot;
        p.done[l] = 0;
    }
}

template <class T, class O, bool DOT>
__global__ void __launch_bounds__(gs_block_size)
    multiply_rows(product<T> a, gs_csr_tiles p, double *partial, unsigned *arrived,
                  const int *ended)
{
    __shared__ T s[room];
    double dot = 0;

    if (ended && *ended) return;
    for (int at = (int)blockIdx.x; at < p.tiles + p.parts; at += (int)gridDim.x) {
        if (at >= p.tiles) {
            long_part<T, O, DOT>(a, p, at - p.tiles, s);
        } else {
            const tile t = p.tile_of[at];
            if (t.first == t.last) continue;
            multiply(a, t.from, t.entries, s);
            __syncthreads();
            dot += sum_rows<T, O, DOT>(a, t, lanes_for(t.last - t.first), s);
        }
        __syncthreads();
    }
    if constexpr (DOT) {
        const double mine[1] = {dot};
        gs_grid_sum(mine, partial, arrived, p.dot, p.nlong,
                    [&](int, double total) { *a.xy = total; });
    }
}

template <class T, class O, bool DOT>
gsolve_status launch(gs_queue *q, const product<T> &a, const gs_csr_tiles *p)
{
    const int64_t items = (int64_t)p->tiles + p->parts;
    static int resident = 0; // blocks of a multiprocessor

    if (!resident) {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, multiply_rows<T, O, DOT>,
                                                      gs_block_size, 0);
    }
    const int64_t most = (int64_t)q->processors * (resident > 0 ? resident : 1);
    const int grid = (int)(items < 1 ? 1 : items < most ? items : most);
    multiply_rows<T, O, DOT>
        <<<grid, gs_block_size, 0, q->stream>>>(a, *p, q->partial, q->arrived, q->guard);
    return gs_launched(q, "the product by rows");
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_csr_plan *plan, double alpha, const void *x, double beta,
                    void *y, double *xy)
{
    const gsolve_csr *A = &plan->csr;
    const product<T> a = {A->start, A->col, (const T *)A->value, (const T *)x, (T *)y, (T)alpha,
                          (T)beta,  xy};

    if (A->offset == GSOLVE_O64) {
        return xy ? launch<T, int64_t, true>(q, a, plan->tiles)
                  : launch<T, int64_t, false>(q, a, plan->tiles);
    }
    return xy ? launch<T, int32_t, true>(q, a, plan->tiles)
              : launch<T, int32_t, false>(q, a, plan->tiles);
}

void drop_plan(gs_csr_plan *plan, gsolve_context *ctx)
{
    drop(plan->tiles, ctx);
}

} // namespace

extern "C" const gs_csr_kernels gs_csr_cuda[GSOLVE_TYPE_COUNT] = {
    {plan<float>, drop_plan, apply<float>, nullptr},
    {plan<double>, drop_plan, apply<double>, nullptr},
};
