// csr_subwarps_cuda.cu: the product with several columns at once on a GPU, x row-major, by subwarps
// (see subwarps.cuh). A subwarp of G threads handles one entry at a time: its threads read the same
// column number and value, and each reads W neighbouring elements of that row of x. A row, tile or
// part of a long row has several subwarps; subwarp s of n takes entries s, s + n, ... Tiles and
// parts are those of csr_tiles.cuh.
#include "spmv/csr/csr_tiles.cuh"
#include "spmv/multi_rhs/subwarps.cuh"

extern "C" {
#include "core/try.h"
}

using namespace gs_tiles;
using namespace gs_subwarps;

namespace
{

constexpr int in_flight = 4; // entries that a subwarp loads at once

template <class T>
struct entries {
    const int32_t *col;
    const T *value;

    __device__ int32_t column(int64_t k) const { return __ldg(&col[k]); }
    __device__ T number(int64_t k) const { return __ldg(&value[k]); }
};

template <class T>
struct shared_entries { // entries in shared memory
    const int32_t *col;
    const T *value;

    __device__ int32_t column(int64_t k) const { return col[k]; }
    __device__ T number(int64_t k) const { return value[k]; }
};

// Adds the products of entries at, at + step, ... below to.
template <class E, class T, int W, int G>
__device__ __forceinline__ void add_products(const E &e, const member<T, W, G> &m, int64_t at,
                                             int64_t to, int step, T (&sum)[W])
{
    for (; at < to; at += in_flight * step) {
        int32_t c[in_flight];
        T v[in_flight];
        gs_pack<T, W> x[in_flight];
#pragma unroll
        for (int u = 0; u < in_flight; u++) {
            const bool in = at + u * step < to;
            c[u] = in ? e.column(at + u * step) : -1;
            v[u] = in ? e.number(at + u * step) : T(0);
        }
#pragma unroll
        for (int u = 0; u < in_flight; u++) x[u] = m.read_if(c[u]);
#pragma unroll
        for (int u = 0; u < in_flight; u++) {
#pragma unroll
            for (int w = 0; w < W; w++) sum[w] += v[u] * x[u].v[w];
        }
    }
}

// --- rows of similar lengths ------------------------------------------------------------------

// A row has `lanes` threads, that is lanes / G subwarps; a warp has 32 / lanes rows and one chunk
// of columns.
template <class T, class O, int W, int G>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_subwarps(gsolve_csr A, block_operands<T> a, int lanes, gs_guard guard)
{
    const chunk_of_work work(a.chunks);
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = work.at * (32 / lanes) + lane / lanes;
    const O *start = (const O *)A.start;
    T sum[W] = {};

    if (guard.has_ended()) return;
    if (work.at * (32 / lanes) >= A.nrows) return;
    const member<T, W, G> m(a, work.chunk);
    if (i < A.nrows) {
        const entries<T> e = {A.col, (const T *)A.value};
        add_products(e, m, (int64_t)start[i] + lane % lanes / G, start[i + 1], lanes / G, sum);
    }
    add_subwarps<T, W, G>(sum, lanes / 2);
    if (i < A.nrows && lane % lanes < G && !m.idle) finish_columns(a, m.column, i, sum);
}

// --- rows of any lengths ----------------------------------------------------------------------

// Sums the rows of a tile whose entries are in shared memory, with `lanes` threads per row. Rows
// that are too long for that are appended to `deferred`.
template <class T, class O, int W, int G>
__device__ void rows_of_tile(const O *start, const block_operands<T> &a, const tile &t,
                             const shared_entries<T> &e, const member<T, W, G> &m, int lanes,
                             int *deferred_count, int32_t *deferred)
{
    const int in_row = (int)threadIdx.x % lanes;

    for (int32_t base = t.first; base < t.last; base += gs_block_size / lanes) {
        const int32_t i = base + (int)threadIdx.x / lanes;
        const interval row = interval_of(start, t, i);
        const bool wait = row.to - row.from > most_own * (lanes / G) && lanes < 32;
        T sum[W] = {};
        if (!wait) add_products(e, m, row.from + in_row / G, row.to, lanes / G, sum);
        add_subwarps<T, W, G>(sum, lanes / 2);
        if (wait && in_row == 0) deferred[atomicAdd(deferred_count, 1)] = i;
        if (i < t.last && !wait && in_row < G && !m.idle) finish_columns(a, m.column, i, sum);
    }
}

// A block has one tile and one chunk of columns. It copies the tile's entries to shared memory;
// then subwarps sum the rows, and a complete warp sums each row that is much longer.
template <class T, class O, int W, int G>
__global__ void __launch_bounds__(gs_block_size)
    tiles_by_subwarps(gsolve_csr A, gs_csr_tiles p, block_operands<T> a, gs_guard guard)
{
    __shared__ int32_t col[tile_capacity], deferred[tile_capacity / most_own];
    __shared__ T value[tile_capacity];
    __shared__ int deferred_count;
    const member<T, W, G> m(a, (int)blockIdx.x % a.chunks);
    const shared_entries<T> e = {col, value};
    const O *start = (const O *)A.start;

    if (guard.has_ended()) return;
    const tile t = p.tile_of[blockIdx.x / a.chunks];
    int lanes = lanes_for(t.last - t.first);
    if (t.first == t.last) return;
    if (lanes < G) lanes = G;
    if (threadIdx.x == 0) deferred_count = 0;
    for (int k = (int)threadIdx.x; k < t.entries; k += gs_block_size) {
        col[k] = __ldg(&A.col[t.from + k]);
        value[k] = __ldg((const T *)A.value + t.from + k);
    }
    __syncthreads();
    rows_of_tile<T, O, W, G>(start, a, t, e, m, lanes, &deferred_count, deferred);
    __syncthreads();
    for (int l = (int)threadIdx.x / 32; l < deferred_count; l += gs_block_size / 32) {
        const interval row = interval_of(start, t, deferred[l]);
        T sum[W] = {};
        add_products(e, m, row.from + m.subwarp, row.to, m.subwarps, sum);
        add_subwarps<T, W, G>(sum, 16);
        if (threadIdx.x % 32 < G && !m.idle) finish_columns(a, m.column, deferred[l], sum);
    }
}

// Adds the sums of the warps of a block. Within a warp all subwarps hold the same sums. The result
// is in the first warp.
template <class T, int W, int G>
__device__ void add_warps(T (&sum)[W])
{
    constexpr int warps = gs_block_size / 32;
    __shared__ T of_warp[warps][G][W];
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;

    for (int w = 0; lane < G && w < W; w++) of_warp[warp][lane][w] = sum[w];
    __syncthreads();
    for (int w = 0; warp == 0 && w < W; w++) {
        sum[w] = 0;
        for (int k = 0; k < warps; k++) sum[w] += of_warp[k][lane % G][w];
    }
}

// A block sums one part of a long row for one chunk of columns. The first warp of the block that
// finishes last adds up the parts of the row in their order.
template <class T, int W, int G>
__global__ void __launch_bounds__(gs_block_size)
    parts_by_subwarps(gsolve_csr A, gs_csr_tiles p, block_operands<T> a, gs_guard guard)
{
    constexpr int subwarps = gs_block_size / G;
    const int at = (int)blockIdx.x / a.chunks, chunk = (int)blockIdx.x % a.chunks;
    const member<T, W, G> m(a, chunk);
    const entries<T> e = {A.col, (const T *)A.value};
    T sum[1][W] = {};

    if (guard.has_ended()) return;
    const part now = p.part_of[at];
    add_products(e, m, now.from + (int)threadIdx.x / G, now.from + now.entries, subwarps, sum[0]);
    add_subwarps<T, W, G>(sum[0], 16);
    add_warps<T, W, G>(sum[0]);
    if (threadIdx.x >= 32) return;
    finish_part<G>(now, at, (T *)p.sum + m.column, (int64_t)a.chunks * G * W,
                   &p.done[now.l * most_chunks + chunk], sum, [&] {
                       if (threadIdx.x < G && !m.idle) finish_columns(a, m.column, now.row, sum[0]);
                   });
}

// --- launches ---------------------------------------------------------------------------------

template <class T, class O, int W, int G>
gsolve_status launch(gs_queue *q, const gs_csr_plan *plan, block_operands<T> a)
{
    const gs_csr_tiles *p = plan->tiles;
    const gsolve_csr *A = &plan->csr;
    gsolve_status status = GSOLVE_OK;

    a.chunks = (a.columns + G * W - 1) / (G * W);
    if (p->lanes > 0) {
        int lanes = p->lanes * G; // G threads work on an entry
        if (lanes > 32) lanes = 32;
        const int64_t warps = ((int64_t)A->nrows * lanes + 31) / 32 * a.chunks;
        const int grid = (int)((warps * 32 + gs_block_size - 1) / gs_block_size);
        return gs_launch_pdl(q, "the product of columns by subwarps", rows_by_subwarps<T, O, W, G>,
                             grid, gs_block_size, *A, a, lanes);
    }
    if (p->tiles > 0) {
        TRY(gs_launch_pdl(q, "the product of columns by tiles", tiles_by_subwarps<T, O, W, G>,
                          p->tiles * a.chunks, gs_block_size, *A, *p, a));
    }
    if (p->parts > 0) {
        TRY(gs_launch_pdl(q, "the product of columns by parts", parts_by_subwarps<T, W, G>,
                          p->parts * a.chunks, gs_block_size, *A, *p, a));
    }
done:
    return status;
}

template <class T, class O, int W>
gsolve_status choose_subwarp(gs_queue *q, const gs_csr_plan *plan, const block_operands<T> &a)
{
    if (W > 1 && a.columns <= W) return launch<T, O, W, 1>(q, plan, a);
    if (a.columns <= 2 * W) return launch<T, O, W, 2>(q, plan, a);
    if (a.columns <= 4 * W) return launch<T, O, W, 4>(q, plan, a);
    return launch<T, O, W, 8>(q, plan, a);
}

template <class T, class O>
gsolve_status choose_pack(gs_queue *q, const gs_csr_plan *plan, const block_operands<T> &a)
{
    return takes_packs(a) ? choose_subwarp<T, O, gs_wide<T>>(q, plan, a)
                          : choose_subwarp<T, O, 1>(q, plan, a);
}

} // namespace

template <class T>
gsolve_status gs_csr_apply_rows(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y)
{
    const block_operands<T> all = operands_of<T>(alpha, x, beta, y);
    const int32_t most = plan->tiles->parts > 0 ? most_row_major : x.ncols;
    gsolve_status status = GSOLVE_OK;

    if (plan->csr.nrows == 0) return GSOLVE_OK;
    for (int32_t j = 0; j < x.ncols && status == GSOLVE_OK; j += most) {
        const block_operands<T> a = some_columns(all, j, most);
        status = plan->csr.offset == GSOLVE_O64 ? choose_pack<T, int64_t>(q, plan, a)
                                                : choose_pack<T, int32_t>(q, plan, a);
    }
    return status;
}

template gsolve_status gs_csr_apply_rows<float>(gs_queue *, const gs_csr_plan *, double,
                                                gsolve_dense, double, gsolve_dense);
template gsolve_status gs_csr_apply_rows<double>(gs_queue *, const gs_csr_plan *, double,
                                                 gsolve_dense, double, gsolve_dense);
