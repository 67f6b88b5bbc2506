// triples_cuda.cu: the kernels of formats by coordinates on a GPU, see triples.h. A warp sums an
// interval, 32 entries at a time: a segmented scan adds the entries of equal rows, and the sum of
// the row that is still open is added to the next 32 entries. Loads are coalesced.
#include "core/pdl.cuh"
#include "core/scan.cuh"
#include "matrix/rows.cuh"

extern "C" {
#include "core/try.h"
#include "spmv/yardsticks/triples.h"
}

namespace
{

constexpr int interval = GS_TRIPLES_CUDA;
constexpr int at_once = 4; // times 32: entries that a warp loads at once
constexpr unsigned all = 0xffffffffu;

int blocks_for(int64_t threads)
{
    return (int)((threads + gs_block_size - 1) / gs_block_size);
}

// --- conversion -------------------------------------------------------------------------------

// count[i] = entries of row i except the first `skip`; count[nrows] = 0. A thread counts one row.
template <class O>
__global__ void count_rest(int32_t nrows, const O *start, int64_t skip, int64_t *count)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    if (i > nrows) return;
    const int64_t left = i < nrows ? (int64_t)start[i + 1] - (int64_t)start[i] - skip : 0;
    count[i] = left > 0 ? left : 0;
}

// first[i] = number of remaining entries before row i. A warp copies an interval of entries.
template <class T, class O>
__global__ void copy_rest(gs_triples t, int32_t *col, T *value)
{
    const O *start = (const O *)t.csr.start;

    gs_each_entry(t.entries, t.csr.nrows, t.first, [&](int64_t k, int32_t i) {
        const int64_t from = (int64_t)start[i] + t.skip + k - t.first[i];
        t.row[k] = i;
        col[k] = t.csr.col[from];
        value[k] = ((const T *)t.csr.value)[from];
    });
}

// Fills t's first and entries.
template <class O>
gsolve_status number_rest(gs_triples *t, gsolve_context *ctx)
{
    const int64_t n = (int64_t)t->csr.nrows + 1;
    gs_queue *q = ctx->queue;
    void *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, t->first, n);
    gs_exclusive_sum(nullptr, bytes, t->first, t->first, n, q->stream);
    space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(space ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gs_launch(q, "counting entries", count_rest<O>, blocks_for(n), gs_block_size, t->csr.nrows,
                  (const O *)t->csr.start, t->skip, t->first));
    TRY(gs_cuda(q, gs_exclusive_sum(space, bytes, t->first, t->first, n, q->stream),
                "counting entries"));
    TRY(gsolve_copy(ctx, &t->entries, GSOLVE_HOST, t->first + n - 1, GSOLVE_DEVICE,
                    sizeof t->entries));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

template <class T>
gsolve_status refill(const gs_triples *t, gsolve_context *ctx)
{
    const auto kernel = t->csr.offset == GSOLVE_O64 ? copy_rest<T, int64_t> : copy_rest<T, int32_t>;

    if (t->entries == 0) return GSOLVE_OK;
    return gs_launch(ctx->queue, "copying entries", kernel, gs_entry_blocks(t->entries),
                     gs_block_size, *t, (int32_t *)gs_owned_block(ctx, t->col),
                     (T *)gs_owned_block(ctx, t->value));
}

template <class T>
gsolve_status make(gs_triples *t, gsolve_context *ctx)
{
    int32_t *col;
    T *value;
    gsolve_status status;

    if (t->skip > 0) {
        TRY(t->csr.offset == GSOLVE_O64 ? number_rest<int64_t>(t, ctx)
                                        : number_rest<int32_t>(t, ctx));
    }
    ALLOC_DEVICE(ctx, t->row, t->entries);
    if (t->skip == 0) {
        TRY(gs_find_entry_rows(ctx->queue, &t->csr, t->entries, t->row));
    } else {
        ALLOC_DEVICE(ctx, col, t->entries);
        t->col = col;
        ALLOC_DEVICE(ctx, value, t->entries);
        t->value = value;
        TRY(refill<T>(t, ctx));
    }
    t->intervals = (t->entries + interval - 1) / interval;
    t->head = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)t->intervals, sizeof(T));
    TRY(t->head ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    t->tail = gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)t->intervals, sizeof(T));
    TRY(t->tail ? GSOLVE_OK : GSOLVE_NO_MEMORY);
done:
    return status;
}

// --- sums -------------------------------------------------------------------------------------

template <class T>
struct product {
    int64_t entries, intervals;
    const int32_t *row, *col;
    const T *value, *x;
    T *y, *head, *tail, alpha;
};

// Whether the row of entry k has an entry before it.
template <class T>
__device__ bool is_within(const product<T> &a, int64_t k)
{
    return k > 0 && k < a.entries && a.row[k - 1] == a.row[k];
}

// Stores the sum of the part of row i in interval n. goes_on: the row began before the interval, so
// the sum is only a part.
template <class T>
__device__ void store_part(const product<T> &a, int64_t n, int32_t i, T sum, bool goes_on)
{
    if (goes_on) {
        a.head[n] = sum;
    } else {
        a.y[i] += a.alpha * sum;
    }
}

// The sum of s over the lanes up to this one with the same row i; rows ascend over the lanes.
template <class T>
__device__ T scan_row(int32_t i, T s)
{
    const int lane = (int)threadIdx.x % 32;

    for (int d = 1; d < 32; d *= 2) {
        const T more = __shfl_up_sync(all, s, d);
        const int32_t there = __shfl_up_sync(all, i, d);
        if (lane >= d && there == i) s += more;
    }
    return s;
}

// The row that a warp is summing, and its sum so far.
template <class T>
struct open_row {
    int32_t i;
    bool goes_on;
    T sum;
};

// Adds the first `count` of 32 entries, one per lane: row i, product s.
template <class T>
__device__ void add_step(const product<T> &a, int64_t n, int count, int32_t i, T s,
                         open_row<T> &open)
{
    const int lane = (int)threadIdx.x % 32, last = count - 1;
    const int32_t first = __shfl_sync(all, i, 0), next = __shfl_down_sync(all, i, 1);

    s = scan_row(i, s);
    if (first != open.i) {
        if (lane == 0) store_part(a, n, open.i, open.sum, open.goes_on);
        open = {first, false, T(0)};
    }
    if (i == first) s += open.sum;
    if (lane < last && next != i) store_part(a, n, i, s, i == first && open.goes_on);
    open.sum = __shfl_sync(all, s, last);
    open.i = __shfl_sync(all, i, last);
    open.goes_on = open.goes_on && open.i == first;
}

// Adds alpha times the products of all entries to y. A warp owns an interval of entries and adds
// rows that begin and end in it to y. The part of a row that began before the interval goes to
// head, and the part of a row that begins in it and continues beyond it to tail; add_parts adds
// these. Every element of y is changed by one warp.
template <class T>
__global__ void __launch_bounds__(gs_block_size) add_intervals(product<T> a, gs_guard guard)
{
    const int64_t n = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;

    if (guard.has_ended() || n >= a.intervals) return;
    const int64_t begin = n * interval, end = min(begin + interval, a.entries);
    open_row<T> open = {a.row[begin], is_within(a, begin), T(0)};
    for (int64_t base = begin; base < end; base += at_once * 32) {
        int32_t i[at_once], j[at_once];
        T s[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t k = base + u * 32 + lane;
            i[u] = k < end ? __ldcs(&a.row[k]) : -1;
            j[u] = k < end ? __ldcs(&a.col[k]) : -1;
            s[u] = k < end ? __ldcs(&a.value[k]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (j[u] >= 0) s[u] *= __ldg(&a.x[j[u]]);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t left = end - base - u * 32;
            if (left > 0) add_step(a, n, (int)min(left, (int64_t)32), i[u], s[u], open);
        }
    }
    if (lane > 0) return;
    if (!open.goes_on && is_within(a, end)) {
        a.tail[n] = open.sum;
    } else {
        store_part(a, n, open.i, open.sum, open.goes_on);
    }
}

// A warp adds the parts of the row that begins in interval n and continues beyond it, if there is
// one.
template <class T>
__global__ void add_parts(product<T> a, gs_guard guard)
{
    const int64_t n = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    const int lane = (int)threadIdx.x % 32;

    if (guard.has_ended() || n >= a.intervals) return;
    const int64_t begin = n * interval, end = min(begin + interval, a.entries);
    const int32_t i = a.row[end - 1];
    if (!is_within(a, end) || (a.row[begin] == i && is_within(a, begin))) return;
    T sum = lane == 0 ? a.tail[n] : T(0);
    for (int64_t v = n + 1 + lane; v < a.intervals && a.row[v * interval] == i; v += 32) {
        sum += a.head[v];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(all, sum, d);
    if (lane == 0) a.y[i] += a.alpha * sum;
}

template <class T>
gsolve_status add(gs_queue *q, const gs_triples *t, double alpha, const void *x, void *y)
{
    const product<T> a = {t->entries,          t->intervals, t->row, t->col,
                          (const T *)t->value, (const T *)x, (T *)y, (T *)t->head,
                          (T *)t->tail,        (T)alpha};
    const int blocks = gs_warp_blocks(t->intervals);
    gsolve_status status;

    TRY(gs_launch_pdl(q, "the product by coordinates", add_intervals<T>, blocks, gs_block_size, a));
    TRY(gs_launch_pdl(q, "adding parts of rows", add_parts<T>, blocks, gs_block_size, a));
done:
    return status;
}

} // namespace

extern "C" const gs_triples_kernels gs_triples_cuda[GSOLVE_TYPE_COUNT] = {
    {make<float>, refill<float>, add<float>},
    {make<double>, refill<double>, add<double>},
};
