// csr_tiles.cuh: what the kernels of csr share on a GPU: the tiles, and the sum of a row by a group
// of threads.
#ifndef GS_SPMV_CSR_CSR_TILES_CUH
#define GS_SPMV_CSR_CSR_TILES_CUH

#include "spmv/product.cuh"

extern "C" {
#include "spmv/csr/csr.h"
}

namespace gs_tiles
{

constexpr int tile_work = 1024; // the work of a tile, in entries
constexpr int row_work = 1;     // the work of a row besides its entries, in entries
constexpr int most_short = 256; // a longer row that exceeds its tile is cut into parts
constexpr int tile_capacity = tile_work + most_short;
constexpr int part_size = 4096;
constexpr int most_own = 32;   // a warp sums a row with more entries per thread of its group
constexpr int tile_blocks = 8; // blocks that run on a multiprocessor at once, at least
constexpr int at_once = tile_capacity / gs_block_size; // entries that a thread reads at once
constexpr int most_row_major = 32; // row-major: columns in one pass over the tiles
constexpr int most_chunks = 4;     // row-major: chunks of columns in one pass

struct tile {
    int32_t first, last; // rows first to last - 1
    int64_t from;        // number of the first entry
    int32_t entries, unused;
};

using part = gs_row_part;

} // namespace gs_tiles

struct gs_csr_tiles {
    int lanes;      // threads per row where lengths are similar; 0: there are tiles
    bool irregular; // most rows begin far from the column where the row before begins
    int tiles, nlong, parts;
    gs_tiles::tile *tile_of;
    gs_tiles::part *part_of; // parts elements
    void *sum;               // parts x most_row_major sums of parts, in the type of the values
    unsigned *done;          // nlong x most_chunks counters of finished parts; 0 between products
};

namespace gs_tiles
{

// Rows of a group whose loads overlap.
template <class T>
constexpr int rows_at_once = 16 / (int)sizeof(T);

inline int blocks_for(int64_t n)
{
    return (int)((n + gs_block_size - 1) / gs_block_size);
}

// The sum over the aligned group of `lanes` threads; every thread of the group gets it.
template <class T>
__device__ T group_sum(T sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    return sum;
}

// The sum of s[from], s[from + step], ... below to.
template <class T>
__device__ T strided(const T *s, int from, int to, int step)
{
    T sum = 0;

    for (int k = from; k < to; k += step) sum += s[k];
    return sum;
}

// The entries of a row, counted from the first entry of its tile.
struct interval {
    int from, to;
};

template <class O>
__device__ inline interval interval_of(const O *start, const tile &t, int32_t i)
{
    if (i >= t.last) return {0, 0};
    return {(int)((int64_t)start[i] - t.from), (int)((int64_t)start[i + 1] - t.from)};
}

// Threads per row for a tile of `rows` rows: the largest power of two up to 32 with which a block
// sums all rows at once.
__device__ inline int lanes_for(int rows)
{
    int lanes = 1;

    while (lanes < 32 && rows * lanes * 2 <= gs_block_size) lanes *= 2;
    return lanes;
}

// Reads entries base, base + gs_block_size, ... below n; past the end, columns are -1 and values 0.
template <class T>
__device__ void read_entries(const int32_t *col, const T *value, int base, int n,
                             int32_t (&c)[at_once], T (&v)[at_once])
{
#pragma unroll
    for (int u = 0; u < at_once; u++) {
        const int k = base + u * gs_block_size;
        c[u] = k < n ? __ldcs(&col[k]) : -1;
        v[u] = k < n ? __ldcs(&value[k]) : T(0);
    }
}

// Sums the rows for which `wait` is set, one warp per row. The sum replaces the first product of
// the row in s. All threads of the block call this function.
template <class T>
__device__ void sum_by_warps(bool wait, const interval &row, T (&s)[tile_capacity])
{
    __shared__ int waiting;
    __shared__ interval rows[gs_block_size];

    if (threadIdx.x == 0) waiting = 0;
    __syncthreads();
    if (wait) rows[atomicAdd(&waiting, 1)] = row;
    __syncthreads();
    for (int w = (int)threadIdx.x / 32; w < waiting; w += gs_block_size / 32) {
        const interval r = rows[w];
        const T all = group_sum(strided(s, r.from + (int)threadIdx.x % 32, r.to, 32), 32);
        __syncwarp();
        if (threadIdx.x % 32 == 0) s[r.from] = all;
    }
    __syncthreads();
}

// Number of blocks for n rows with `rows` rows per block and pass: as many as run at once; with
// `all`, enough for one pass.
template <auto KERNEL>
int groups_grid(const gs_queue *q, int32_t n, int rows, bool all)
{
    const int64_t items = ((int64_t)n + rows - 1) / rows;
    const int64_t most = all ? INT32_MAX : (int64_t)q->processors * gs_at_once<KERNEL>();

    return (int)(items < 1 ? 1 : items < most ? items : most);
}

// csr_groups_cuda.cu: the product where plan->tiles->lanes > 0, with the sums for which a.out is
// not NULL.
template <class T>
gsolve_status by_groups(gs_queue *q, const gs_row_operands<T> &a, const gs_csr_plan *plan);

} // namespace gs_tiles

// csr_plan_cuda.cu: plan and drop of gs_csr_kernels. known: the row statistics, or NULL.
template <class T>
gsolve_status gs_csr_make_tiles(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                                const gs_row_statistics *known);
void gs_csr_drop_tiles(gs_csr_plan *plan, gsolve_context *ctx);

// gs_csr_kernels' apply_block: column-major, see csr_groups_cuda.cu; row-major, see
// csr_subwarps_cuda.cu.
template <class T>
gsolve_status gs_csr_apply_block(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
template <class T>
gsolve_status gs_csr_apply_rows(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y);

#endif
