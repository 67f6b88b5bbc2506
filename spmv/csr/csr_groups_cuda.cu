// csr_groups_cuda.cu: the products on a GPU where rows have similar lengths: with one column, and
// with several where x and y are column-major. A group of LANES threads of a warp (a subwarp; LANES
// is a power of two up to 32) sums a row: thread l adds the products of entries l, l + LANES, ...
// in their order, and a butterfly of shuffles adds the threads' sums. The order of additions
// depends on LANES alone, so all kernels of this file give a row the same bits. Groups share
// nothing, and no shared memory is used.
//
// One product moves 12 bytes per entry (8 in single precision), 4 or 8 per row, and x and y once.
// With several columns, one pass over the entries serves up to eight of them.
#include "spmv/csr/csr_tiles.cuh"
#include "spmv/multi_rhs/subwarps.cuh"

using namespace gs_tiles;
using namespace gs_subwarps;

namespace
{

// The sums that a product computes besides y: none; x'y, where x is already in a register or cache;
// w'y; w'y and y'y.
enum { NO_SUMS, X_Y, W_Y, W_Y_AND_Y_Y };

// A group of LANES threads has rows_at_once rows at a time, groups rows apart, so that their loads
// overlap. A block has gs_block_size / LANES groups; the grid strides over the rows. With SUMS,
// each thread keeps the terms of its rows in double, and gs_grid_sum adds them in an order that
// depends on the grid alone. With 32 lanes, a cache line of entries is used by one pass of the loop
// only and is marked as evict-first.
template <class T, class O, int LANES, int SUMS>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_groups(gs_row_operands<T> a, int32_t n, double *partial, unsigned *arrived,
                   gs_guard guard)
{
    constexpr int groups = gs_block_size / LANES, at_a_time = rows_at_once<T>;
    constexpr int rows = groups * at_a_time;
    constexpr bool once = LANES == 32;
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
                c[r] = !in ? -1 : once ? __ldcs(&a.col[at[r]]) : __ldg(&a.col[at[r]]);
                v[r] = !in ? T(0) : once ? __ldcs(&a.value[at[r]]) : __ldg(&a.value[at[r]]);
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
                gs_finish(a, i, all);
                if constexpr (SUMS == X_Y) terms[0] += (double)a.x[i] * (double)all;
                if constexpr (SUMS >= W_Y) terms[0] += (double)w[r] * (double)all;
                if constexpr (SUMS > W_Y) terms[1] += (double)all * (double)all;
            }
        }
    }
    if constexpr (SUMS > 0) gs_store_sums<(SUMS > W_Y ? 2 : 1)>(a, terms, partial, arrived);
}

template <class T, class O, int LANES, int SUMS>
gsolve_status launch_groups(gs_queue *q, const gs_row_operands<T> &a, int32_t n, bool irregular)
{
    constexpr int rows = gs_block_size / LANES * rows_at_once<T>;
    constexpr auto kernel = rows_by_groups<T, O, LANES, SUMS>;
    const int grid = groups_grid<kernel>(q, n, rows, irregular && !SUMS);
    return gs_launch_pdl(q, "the product by groups", kernel, grid, gs_block_size, a, n, q->partial,
                         q->arrived);
}

// --- few long rows ----------------------------------------------------------------------------

constexpr int deep = 4; // entries that a thread loads at once

// A warp has one row and reads 32 deep entries of it at once. This kernel serves matrices with
// fewer rows than warps that run at once, where only the entries of a row can overlap. The sums
// have the bits of rows_by_groups.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_warps(gs_row_operands<T> a, int32_t n, gs_guard guard)
{
    const int lane = (int)threadIdx.x % 32;
    const int64_t i = ((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / 32;
    T sum = 0;

    if (guard.has_ended()) return;
    if (i >= n) return; // all lanes of the warp return
    const int64_t to = ((const O *)a.start)[i + 1];
    for (int64_t first = ((const O *)a.start)[i]; first < to; first += 32 * deep) {
        const int64_t at = first + lane;
        int32_t c[deep];
        T v[deep];
#pragma unroll
        for (int u = 0; u < deep; u++) {
            const bool in = at + u * 32 < to;
            c[u] = in ? __ldg(&a.col[at + u * 32]) : -1;
            v[u] = in ? __ldg(&a.value[at + u * 32]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < deep; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&a.x[c[u]]);
        }
    }
    const T total = group_sum(sum, 32);
    if (lane == 0) gs_finish(a, i, total);
}

// Chooses the kernel for LANES threads per row.
template <class T, class O, int LANES, int SUMS>
gsolve_status choose_kernel(gs_queue *q, const gs_row_operands<T> &a, int32_t n, bool irregular)
{
    if constexpr (SUMS == NO_SUMS && LANES == 32) {
        if (n <= q->processors * (2048 / 32)) {
            return gs_launch_pdl(q, "the product by warps", rows_by_warps<T, O>,
                                 blocks_for((int64_t)n * 32), gs_block_size, a, n);
        }
    }
    return launch_groups<T, O, LANES, SUMS>(q, a, n, irregular);
}

template <class T, class O, int SUMS>
gsolve_status choose_lanes(gs_queue *q, const gs_row_operands<T> &a, int32_t n,
                           const gs_csr_tiles *p)
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
gsolve_status choose_sums(gs_queue *q, const gs_row_operands<T> &a, int32_t n,
                          const gs_csr_tiles *p)
{
    return !a.out[0]    ? choose_lanes<T, O, NO_SUMS>(q, a, n, p)
           : a.out[1]   ? choose_lanes<T, O, W_Y_AND_Y_Y>(q, a, n, p)
           : a.w != a.x ? choose_lanes<T, O, W_Y>(q, a, n, p)
                        : choose_lanes<T, O, X_Y>(q, a, n, p);
}

// --- several columns --------------------------------------------------------------------------

// sum[j] += v x_j[c] for C columns. All loads are issued before the first addition.
template <int C, class T>
__device__ void add_products(const block_operands<T> &a, int32_t c, T v, T (&sum)[C])
{
    const T *x = a.x + c;
    T element[C];

#pragma unroll
    for (int j = 0; j < C; j++) element[j] = __ldg(x + j * a.xstride);
#pragma unroll
    for (int j = 0; j < C; j++) sum[j] += v * element[j];
}

// Rows of a group whose loads overlap. With eight columns, one row has loads enough.
template <int C>
constexpr int block_rows_at_once = C == 8 ? 1 : 2;

// A group of `lanes` threads has block_rows_at_once rows at a time and C sums for each of them.
template <class T, class O, int C>
__global__ void __launch_bounds__(gs_block_size)
    columns_by_groups(gsolve_csr A, block_operands<T> a, int lanes, gs_guard guard)
{
    constexpr int at_a_time = block_rows_at_once<C>;
    const int groups = gs_block_size / lanes, rows = groups * at_a_time;
    const O *start = (const O *)A.start;
    const T *value = (const T *)A.value;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;

    if (guard.has_ended()) return;
    for (int64_t base = (int64_t)blockIdx.x * rows; base < A.nrows;
         base += (int64_t)gridDim.x * rows) {
        O at[at_a_time], to[at_a_time];
        T sum[at_a_time][C] = {};
        bool more = false;
#pragma unroll
        for (int r = 0; r < at_a_time; r++) {
            const int64_t i = base + r * groups + group;
            at[r] = i < A.nrows ? start[i] + lane : 0;
            to[r] = i < A.nrows ? start[i + 1] : 0;
            more = more || at[r] < to[r];
        }
        while (more) {
            int32_t c[at_a_time];
            T v[at_a_time];
#pragma unroll
            for (int r = 0; r < at_a_time; r++) {
                const bool in = at[r] < to[r];
                c[r] = in ? __ldg(&A.col[at[r]]) : -1;
                v[r] = in ? __ldg(&value[at[r]]) : T(0);
            }
            more = false;
#pragma unroll
            for (int r = 0; r < at_a_time; r++) {
                if (c[r] >= 0) add_products(a, c[r], v[r], sum[r]);
                at[r] += lanes;
                more = more || at[r] < to[r];
            }
        }
#pragma unroll
        for (int r = 0; r < at_a_time; r++) {
            const int64_t i = base + r * groups + group;
#pragma unroll
            for (int j = 0; j < C; j++) {
                const T all = group_sum(sum[r][j], lanes);
                if (i < A.nrows && lane == 0) finish(a, a.y + j * a.ystride + i, all);
            }
        }
    }
}

template <class T, class O, int C>
gsolve_status columns_at_once(gs_queue *q, const gs_csr_plan *plan, const block_operands<T> &a)
{
    const gs_csr_tiles *p = plan->tiles;
    const int rows = gs_block_size / p->lanes * block_rows_at_once<C>;
    constexpr auto kernel = columns_by_groups<T, O, C>;
    const int grid = groups_grid<kernel>(q, plan->csr.nrows, rows, p->irregular);

    return gs_launch_pdl(q, "the product of columns by groups", kernel, grid, gs_block_size,
                         plan->csr, a, p->lanes);
}

template <class T, class O>
gsolve_status multiply_some(gs_queue *q, const gs_csr_plan *plan, const block_operands<T> &a)
{
    return a.columns == 8   ? columns_at_once<T, O, 8>(q, plan, a)
           : a.columns == 4 ? columns_at_once<T, O, 4>(q, plan, a)
                            : columns_at_once<T, O, 2>(q, plan, a);
}

} // namespace

template <class T>
gsolve_status gs_tiles::by_groups(gs_queue *q, const gs_row_operands<T> &a, const gs_csr_plan *plan)
{
    const int32_t n = plan->csr.nrows;

    return plan->csr.offset == GSOLVE_O64 ? choose_sums<T, int64_t>(q, a, n, plan->tiles)
                                          : choose_sums<T, int32_t>(q, a, n, plan->tiles);
}

template gsolve_status gs_tiles::by_groups<float>(gs_queue *, const gs_row_operands<float> &,
                                                  const gs_csr_plan *);
template gsolve_status gs_tiles::by_groups<double>(gs_queue *, const gs_row_operands<double> &,
                                                   const gs_csr_plan *);

// Where rows are cut into tiles, column-major columns are multiplied one by one: two at once were
// only 3 to 6 % faster. csr.c converts four and more to row-major.
template <class T>
gsolve_status gs_csr_apply_block(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    const block_operands<T> all = operands_of<T>(alpha, x, beta, y);
    gsolve_status status = GSOLVE_OK;

    if (x.layout == GSOLVE_ROW_MAJOR) return gs_csr_apply_rows<T>(q, plan, alpha, x, beta, y);
    for (int32_t j = 0, now; j < x.ncols && status == GSOLVE_OK; j += now) {
        now = plan->tiles->lanes > 0 ? gs_columns_in(x.ncols - j) : 1;
        const block_operands<T> a = some_columns(all, j, now);
        if (now == 1) {
            status = gs_csr_cuda[x.type].apply(q, plan, alpha, a.x, beta, a.y, nullptr);
        } else {
            status = plan->csr.offset == GSOLVE_O64 ? multiply_some<T, int64_t>(q, plan, a)
                                                    : multiply_some<T, int32_t>(q, plan, a);
        }
    }
    return status;
}

template gsolve_status gs_csr_apply_block<float>(gs_queue *, const gs_csr_plan *, double,
                                                 gsolve_dense, double, gsolve_dense);
template gsolve_status gs_csr_apply_block<double>(gs_queue *, const gs_csr_plan *, double,
                                                  gsolve_dense, double, gsolve_dense);
