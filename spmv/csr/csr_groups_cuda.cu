// csr_groups_cuda.cu: the product on a GPU where rows have similar lengths. A group of LANES
// threads of a warp (a subwarp; LANES is a power of two up to 32) sums a row: thread l adds the
// products of entries l, l + LANES, ... in their order, and a butterfly of shuffles adds the
// threads' sums. The order of additions depends on LANES alone, so all kernels of this file and of
// csr_block_cuda.cu give a row the same bits. Groups share nothing, and no shared memory is used.
//
// One product moves 12 bytes per entry (8 in single precision), 4 or 8 per row, and x and y once.
#include "spmv/csr/csr_product.cuh"

using namespace gs_tiles;

namespace
{

// The sums that a product computes besides y: none; x'y, where x is already in a register or cache;
// w'y; w'y and y'y.
enum { NO_SUMS, X_Y, W_Y, W_Y_AND_Y_Y };

// A group of LANES threads has rows_at_once rows at a time, groups rows apart, so that their loads
// overlap. A block has gs_block_size / LANES groups; the grid strides over the rows. With SUMS,
// each thread keeps the terms of its rows in double, and gs_grid_sum adds them in an order that
// depends on the grid alone.
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

// Launches the product by groups. With ONCE, a cache line of entries is used by one pass of the
// loop only and is marked as evict-first.
template <class T, class O, int LANES, bool ONCE, int SUMS>
gsolve_status launch_groups(gs_queue *q, const product<T> &a, int32_t n, bool irregular)
{
    constexpr int rows = gs_block_size / LANES * rows_at_once<T>;
    constexpr auto kernel = rows_by_groups<T, O, LANES, ONCE, SUMS>;
    const int grid = groups_grid<kernel>(q, n, rows, irregular && !SUMS);
    return gs_launch_pdl(q, "the product by groups", kernel, grid, gs_block_size, a, n, q->partial,
                         q->arrived);
}

// Launches a kernel that needs `threads` threads.
template <class T>
gsolve_status launch_all(gs_queue *q, const product<T> &a, int32_t n, int64_t threads,
                         void (*kernel)(product<T>, int32_t, gs_guard))
{
    if (n == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the product of rows", kernel, blocks_for(threads), gs_block_size, a,
                         n);
}

// --- few long rows, and short rows that are added to y ----------------------------------------

constexpr int deep = 4; // entries that a thread loads at once

// Adds the products of up to `deep` entries at, at + step, ... below to; product u is added to
// sum[u mod SUMS_OF_LANES]. All loads of column and value are issued before the first
// multiplication.
template <int SUMS_OF_LANES, class T>
__device__ __forceinline__ void add_entries(const product<T> &a, int64_t at, int64_t to, int step,
                                            T (&sum)[SUMS_OF_LANES])
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
        if (c[u] >= 0) sum[u % SUMS_OF_LANES] += v[u] * __ldg(&a.x[c[u]]);
    }
}

// A warp has one row and reads 32 deep entries of it at once. This kernel serves matrices with
// fewer rows than warps that run at once, where only the entries of a row can overlap. The sums
// have the bits of rows_by_groups.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_warps(product<T> a, int32_t n, gs_guard guard)
{
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    T sum[1] = {};

    if (guard.has_ended()) return;
    if (i >= n) return; // all lanes of the warp return
    const int64_t to = ((const O *)a.start)[i + 1];
    for (int64_t at = ((const O *)a.start)[i]; at < to; at += 32 * deep) {
        add_entries(a, at + lane, to, 32, sum);
    }
    const T total = group_sum(sum[0], 32);
    if (lane == 0) finish(a, (int32_t)i, total);
}

// A thread has two rows, gs_block_size apart, and loads their starts, entries and elements of y at
// once. The sums have the bits of LANES threads per row, 1 or 2: sum[r][l] is the sum of thread l.
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

// Chooses the kernel for LANES threads per row.
template <class T, class O, int LANES, int SUMS>
gsolve_status choose_kernel(gs_queue *q, const product<T> &a, int32_t n, bool irregular)
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
        if (irregular) return launch_groups<T, O, LANES, true, NO_SUMS>(q, a, n, true);
    }
    return launch_groups<T, O, LANES, LANES == 32, SUMS>(q, a, n, irregular);
}

template <class T, class O, int SUMS>
gsolve_status choose_lanes(gs_queue *q, const product<T> &a, int32_t n, const gs_csr_tiles *p)
{
    switch (p->lanes) {
    case 1: return choose_kernel<T, O, 1, SUMS>(q, a, n, p->irregular);
    case 2: return choose_kernel<T, O, 2, SUMS>(q, a, n, p->irregular);
    case 4: return choose_kernel<T, O, 4, SUMS>(q, a, n, p->irregular);
    case 8: return choose_kernel<T, O, 8, SUMS>(q, a, n, p->irregular);
    case 16: return choose_kernel<T, O, 16, SUMS>(q, a, n, p->irregular);
    default: return choose_kernel<T, O, 32, SUMS>(q, a, n, p->irregular);
    }
}

template <class T, class O>
gsolve_status choose_sums(gs_queue *q, const product<T> &a, int32_t n, const gs_csr_tiles *p)
{
    return !a.out[0]    ? choose_lanes<T, O, NO_SUMS>(q, a, n, p)
           : a.out[1]   ? choose_lanes<T, O, W_Y_AND_Y_Y>(q, a, n, p)
           : a.w != a.x ? choose_lanes<T, O, W_Y>(q, a, n, p)
                        : choose_lanes<T, O, X_Y>(q, a, n, p);
}

} // namespace

template <class T>
gsolve_status gs_tiles::by_groups(gs_queue *q, const product<T> &a, const gs_csr_plan *plan)
{
    const int32_t n = plan->csr.nrows;

    return plan->csr.offset == GSOLVE_O64 ? choose_sums<T, int64_t>(q, a, n, plan->tiles)
                                          : choose_sums<T, int32_t>(q, a, n, plan->tiles);
}

template gsolve_status gs_tiles::by_groups<float>(gs_queue *, const product<float> &,
                                                  const gs_csr_plan *);
template gsolve_status gs_tiles::by_groups<double>(gs_queue *, const product<double> &,
                                                   const gs_csr_plan *);
