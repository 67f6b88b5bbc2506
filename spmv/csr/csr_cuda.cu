// csr_cuda.cu: the product with one column on a GPU, see csr.h.
//
// Where rows have similar lengths, csr_groups_cuda.cu multiplies. Else the rows are cut into tiles:
// a tile has the rows whose work begins in a fixed interval, where the work of a row is its number
// of entries plus row_work. Tiles therefore have about equal work, whatever the lengths of rows.
//
// A block has one tile. Its threads read the entries of the tile in order and coalesced, multiply
// them by their elements of x and store the products in shared memory. After a barrier, groups of 1
// to 32 threads sum the rows from shared memory; a warp sums a row that is much longer than the
// others of its tile. A row longer than a tile is cut into parts of part_size entries, one block
// each; the block that finishes last adds up the row's parts in their order. The order of additions
// is fixed by the plan.
//
// One product moves 12 bytes per entry (8 in single precision), 4 or 8 per row, and x and y once.
#include "spmv/csr/csr_tiles.cuh"

using namespace gs_tiles;

namespace
{

// Shared memory for tile_blocks blocks, as a percentage of the L1 cache.
constexpr int carveout_percent = 40;

// s[k] = product of entry from + k with its element of x, for k < n. Thread t computes products t,
// t + gs_block_size, ...
template <class T>
__device__ void multiply(const gs_row_operands<T> &a, int64_t from, int n, T *s)
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

// Sums the rows of a tile from the products in s. A group of `lanes` threads sums a row; row is the
// interval of this group's first row.
template <class T, class O>
__device__ void sum_rows(const gs_row_operands<T> &a, const tile &t, int lanes, interval row,
                         T (&s)[tile_capacity])
{
    const O *start = (const O *)a.start;
    const int group = (int)threadIdx.x / lanes, lane = (int)threadIdx.x % lanes;

    for (int32_t base = t.first; base < t.last; base += gs_block_size / lanes) {
        const int32_t i = base + group;
        if (base > t.first) row = interval_of(start, t, i);
        const bool wait = row.to - row.from > most_own * lanes;
        T sum = wait ? T(0) : strided(s, row.from + lane, row.to, lanes);
        sum = group_sum(sum, lanes);
        if (__syncthreads_or(wait)) { // some rows are much longer than the others
            sum_by_warps(wait && lane == 0, row, s);
            if (wait) sum = s[row.from];
        }
        if (i < t.last && lane == 0) gs_finish(a, i, sum);
    }
}

// The sum of this thread's part of n products: entries t, t + gs_block_size, ...
template <class T>
__device__ T direct_sum(const gs_row_operands<T> &a, int64_t from, int n)
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

// A block sums one part of a long row. The block that finishes last adds up the parts of the row in
// their order, and resets the counter for the next product.
template <class T>
__device__ void sum_part(const gs_row_operands<T> &a, const gs_csr_tiles &p, int at)
{
    __shared__ bool last;
    const part now = p.part_of[at];
    T *sums = (T *)p.sum;
    T sum = gs_block_sum(direct_sum(a, now.from, now.entries));

    if (now.parts == 1) {
        if (threadIdx.x == 0) gs_finish(a, now.row, sum);
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
        gs_finish(a, now.row, sum);
        p.done[now.l] = 0;
    }
}

// Blocks 0 to p.tiles - 1 have one tile each; the blocks after them have one part of a long row
// each.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size, tile_blocks)
    rows_by_tiles(gs_row_operands<T> a, gs_csr_tiles p, gs_guard guard)
{
    __shared__ T s[tile_capacity];

    if (guard.has_ended()) return;
    if ((int)blockIdx.x >= p.tiles) {
        sum_part<T>(a, p, (int)blockIdx.x - p.tiles);
        return;
    }
    const tile t = p.tile_of[blockIdx.x];
    if (t.first == t.last) return;
    const int lanes = lanes_for(t.last - t.first);
    const interval row = interval_of((const O *)a.start, t, t.first + (int32_t)threadIdx.x / lanes);
    multiply(a, t.from, t.entries, s);
    __syncthreads();
    sum_rows<T, O>(a, t, lanes, row, s);
}

template <class T, class O>
gsolve_status by_tiles(gs_queue *q, const gs_row_operands<T> &a, const gs_csr_tiles *p)
{
    // The carve-out covers the shared memory of all blocks of a multiprocessor; the rest of L1
    // caches x.
    static const cudaError_t carved = cudaFuncSetAttribute(
        rows_by_tiles<T, O>, cudaFuncAttributePreferredSharedMemoryCarveout, carveout_percent);

    if (p->tiles + p->parts == 0) return GSOLVE_OK;
    if (carved != cudaSuccess) return gs_cuda(q, carved, "the product by tiles");
    return gs_launch_pdl(q, "the product by tiles", rows_by_tiles<T, O>, p->tiles + p->parts,
                         gs_block_size, a, *p);
}

template <class T, class O>
gsolve_status multiply_all(gs_queue *q, const gs_row_operands<T> &a, const gs_csr_plan *plan)
{
    const gs_csr_tiles *p = plan->tiles;
    const gs_vector_kernels *vector = &gs_vector_cuda[plan->csr.type];
    const int32_t n = plan->csr.nrows;
    gsolve_status status;

    if (p->lanes > 0) return by_groups(q, a, plan);
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
    const gs_row_operands<T> a = gs_row_operands_of<T>(A, alpha, x, beta, y, dots);

    return A->offset == GSOLVE_O64 ? multiply_all<T, int64_t>(q, a, plan)
                                   : multiply_all<T, int32_t>(q, a, plan);
}

} // namespace

extern "C" const gs_csr_kernels gs_csr_cuda[GSOLVE_TYPE_COUNT] = {
    {gs_csr_make_tiles<float>, gs_csr_drop_tiles, apply<float>, gs_csr_apply_block<float>},
    {gs_csr_make_tiles<double>, gs_csr_drop_tiles, apply<double>, gs_csr_apply_block<double>},
};
