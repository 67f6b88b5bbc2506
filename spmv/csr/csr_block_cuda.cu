// csr_block_cuda.cu: the product with several columns at once on a GPU, x and y column-major. One
// pass over the entries serves C columns, so a column costs 12 / C bytes per entry (8 / C in single
// precision) and its own gathers from x. Threads, blocks and the order of additions are those
// of csr_groups_cuda.cu and csr_cuda.cu, so each column has the same bits as alone.
#include "core/pdl.cuh"
#include "spmv/csr/csr_tiles.cuh"

using namespace gs_tiles;

namespace
{

template <class T>
struct columns {
    const void *start;
    const int32_t *col;
    const T *value, *x;
    T *y;
    int64_t xstride, ystride;
    T alpha, beta;
};

// y_ij = alpha sum + beta y_ij
template <class T>
__device__ void finish(const columns<T> &a, int64_t i, int j, T sum)
{
    T *y = &a.y[i + j * a.ystride];
    *y = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * *y;
}

// sum[j] += v x_j[c] for C columns. All loads are issued before the first addition.
template <int C, class T>
__device__ void add_products(const columns<T> &a, int32_t c, T v, T (&sum)[C])
{
    const T *x = a.x + c;
    T element[C];

#pragma unroll
    for (int j = 0; j < C; j++) element[j] = __ldg(x + j * a.xstride);
#pragma unroll
    for (int j = 0; j < C; j++) sum[j] += v * element[j];
}

// --- rows of similar lengths ------------------------------------------------------------------

// Rows of a group whose loads overlap. With eight columns, one row has loads enough.
template <int C>
constexpr int block_rows_at_once = C == 8 ? 1 : 2;

// A group of `lanes` threads has block_rows_at_once rows at a time and C sums for each of them.
template <class T, class O, int C>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_groups(columns<T> a, int32_t n, int lanes, gs_guard guard)
{
    constexpr int at_a_time = block_rows_at_once<C>;
    const int groups = gs_block_size / lanes, rows = groups * at_a_time;
    const O *start = (const O *)a.start;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;

    if (guard.has_ended()) return;
    for (int64_t base = (int64_t)blockIdx.x * rows; base < n; base += (int64_t)gridDim.x * rows) {
        O at[at_a_time], to[at_a_time];
        T sum[at_a_time][C] = {};
        bool more = false;
#pragma unroll
        for (int r = 0; r < at_a_time; r++) {
            const int64_t i = base + r * groups + group;
            at[r] = i < n ? start[i] + lane : 0;
            to[r] = i < n ? start[i + 1] : 0;
            more = more || at[r] < to[r];
        }
        while (more) {
            int32_t c[at_a_time];
            T v[at_a_time];
#pragma unroll
            for (int r = 0; r < at_a_time; r++) {
                const bool in = at[r] < to[r];
                c[r] = in ? __ldg(&a.col[at[r]]) : -1;
                v[r] = in ? __ldg(&a.value[at[r]]) : T(0);
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
                if (i < n && lane == 0) finish(a, i, j, all);
            }
        }
    }
}

template <class T, class O, int C>
gsolve_status by_groups(gs_queue *q, const columns<T> &a, int32_t n, const gs_csr_tiles *p)
{
    const int rows = gs_block_size / p->lanes * block_rows_at_once<C>;
    constexpr auto kernel = rows_by_groups<T, O, C>;
    const int grid = groups_grid<kernel>(q, n, rows, p->irregular);

    return gs_launch_pdl(q, "the product of columns by groups", kernel, grid, gs_block_size, a, n,
                         p->lanes);
}

// --- rows of any lengths ----------------------------------------------------------------------

// s[j][k] = product of entry from + k with its element of column j, for k < n.
template <int C, class T>
__device__ void multiply(const columns<T> &a, int64_t from, int n, T (*s)[tile_capacity])
{
    const int32_t *col = a.col + from;
    const T *value = a.value + from;
    int32_t c[at_once];
    T v[at_once];

    read_entries(col, value, (int)threadIdx.x, n, c, v);
#pragma unroll
    for (int u = 0; u < at_once; u++) {
        const int k = u * gs_block_size + (int)threadIdx.x;
        if (c[u] < 0) continue;
#pragma unroll
        for (int j = 0; j < C; j++) s[j][k] = v[u] * __ldg(&a.x[c[u] + j * a.xstride]);
    }
}

// Sums the rows of a tile for C columns from the products in s, as csr_cuda.cu does for one.
template <int C, class T, class O>
__device__ void sum_rows(const columns<T> &a, const tile &t, T (*s)[tile_capacity])
{
    const O *start = (const O *)a.start;
    const int lanes = lanes_for(t.last - t.first);
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;

    for (int32_t base = t.first; base < t.last; base += gs_block_size / lanes) {
        const int32_t i = base + group;
        const interval row = interval_of(start, t, i);
        const bool wait = row.to - row.from > most_own * lanes;
        T sum[C];
        for (int j = 0; j < C; j++) {
            sum[j] = wait ? T(0) : strided(s[j], row.from + lane, row.to, lanes);
            sum[j] = group_sum(sum[j], lanes);
        }
        if (__syncthreads_or(wait)) { // some rows are much longer than the others
            sum_by_warps<C>(wait && lane == 0, row, s);
            for (int j = 0; j < C; j++) {
                if (wait) sum[j] = s[j][row.from];
            }
        }
        if (i >= t.last || lane > 0) continue;
        for (int j = 0; j < C; j++) finish(a, i, j, sum[j]);
    }
}

// Sums this thread's part of n entries for each of C columns.
template <int C, class T>
__device__ void direct_sums(const columns<T> &a, int64_t from, int n, T (&sum)[C])
{
    const int32_t *col = a.col + from;
    const T *value = a.value + from;

    for (int base = (int)threadIdx.x; base < n; base += at_once * gs_block_size) {
        int32_t c[at_once];
        T v[at_once];
        read_entries(col, value, base, n, c, v);
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] >= 0) add_products(a, c[u], v[u], sum);
        }
    }
}

// A block sums one part of a long row for C columns. The block that finishes last adds up the parts
// of the row in their order.
template <int C, class T>
__device__ void sum_part(const columns<T> &a, const gs_csr_tiles &p, int at)
{
    __shared__ bool last;
    const part now = p.part_of[at];
    T *sums = (T *)p.sum, sum[C] = {};

    direct_sums(a, now.from, now.entries, sum);
    for (int j = 0; j < C; j++) sum[j] = gs_block_sum(sum[j]);
    if (now.parts == 1) {
        for (int j = 0; threadIdx.x == 0 && j < C; j++) finish(a, now.row, j, sum[j]);
        return;
    }
    if (threadIdx.x == 0) {
        for (int j = 0; j < C; j++) sums[(int64_t)at * C + j] = sum[j];
        __threadfence();
        last = atomicAdd(&p.done[now.l], 1u) == (unsigned)now.parts - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int j = 0; j < C; j++) {
        T all = 0;
        for (int k = (int)threadIdx.x; k < now.parts; k += gs_block_size) {
            all += __ldcg(&sums[(int64_t)(now.first + k) * C + j]);
        }
        all = gs_block_sum(all);
        if (threadIdx.x == 0) finish(a, now.row, j, all);
    }
    if (threadIdx.x == 0) p.done[now.l] = 0;
}

// Blocks 0 to p.tiles - 1 have one tile each; the blocks after them have one part of a long row
// each.
template <class T, class O, int C>
__global__ void __launch_bounds__(gs_block_size)
    rows_by_tiles(columns<T> a, gs_csr_tiles p, gs_guard guard)
{
    __shared__ T s[C][tile_capacity];

    if (guard.has_ended()) return;
    if ((int)blockIdx.x >= p.tiles) {
        sum_part<C>(a, p, (int)blockIdx.x - p.tiles);
        return;
    }
    const tile t = p.tile_of[blockIdx.x];
    if (t.first == t.last) return;
    multiply<C>(a, t.from, t.entries, s);
    __syncthreads();
    sum_rows<C, T, O>(a, t, s);
}

template <class T, class O, int C>
gsolve_status by_tiles(gs_queue *q, const columns<T> &a, const gs_csr_tiles *p)
{
    static_assert(C <= most_columns, "p.sum holds too few sums per part");
    if (p->tiles + p->parts == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the product of columns by tiles", rows_by_tiles<T, O, C>,
                         p->tiles + p->parts, gs_block_size, a, *p);
}

// --- any number of columns --------------------------------------------------------------------

// Columns in the next pass, a power of two, where `left` columns are left.
int next_columns(const gs_csr_tiles *p, int32_t left)
{
    const int most = p->lanes > 0 ? 8 : most_columns;
    int now = 1;

    while (now * 2 <= left && now * 2 <= most) now *= 2;
    return now;
}

template <class T, class O>
gsolve_status multiply_some(gs_queue *q, const columns<T> &a, int32_t n, const gs_csr_tiles *p,
                            int now)
{
    if (p->lanes == 0) {
        return now == 4 ? by_tiles<T, O, 4>(q, a, p) : by_tiles<T, O, 2>(q, a, p);
    }
    return now == 8   ? by_groups<T, O, 8>(q, a, n, p)
           : now == 4 ? by_groups<T, O, 4>(q, a, n, p)
                      : by_groups<T, O, 2>(q, a, n, p);
}

} // namespace

template <class T>
gsolve_status gs_csr_apply_block(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y)
{
    const gsolve_csr *A = &plan->csr;
    gsolve_status status = GSOLVE_OK;

    if (x.layout == GSOLVE_ROW_MAJOR) return gs_csr_apply_rows<T>(q, plan, alpha, x, beta, y);
    for (int32_t j = 0, now; j < x.ncols && status == GSOLVE_OK; j += now) {
        const T *xj = (const T *)x.value + j * x.stride;
        T *yj = (T *)y.value + j * y.stride;
        const columns<T> a = {A->start, A->col, (const T *)A->value, xj, yj, x.stride, y.stride,
                              (T)alpha, (T)beta};
        now = next_columns(plan->tiles, x.ncols - j);
        if (now == 1) {
            status = gs_csr_cuda[A->type].apply(q, plan, alpha, xj, beta, yj, nullptr);
        } else if (A->offset == GSOLVE_O64) {
            status = multiply_some<T, int64_t>(q, a, A->nrows, plan->tiles, now);
        } else {
            status = multiply_some<T, int32_t>(q, a, A->nrows, plan->tiles, now);
        }
    }
    return status;
}

template gsolve_status gs_csr_apply_block<float>(gs_queue *, const gs_csr_plan *, double,
                                                 gsolve_dense, double, gsolve_dense);
template gsolve_status gs_csr_apply_block<double>(gs_queue *, const gs_csr_plan *, double,
                                                  gsolve_dense, double, gsolve_dense);
