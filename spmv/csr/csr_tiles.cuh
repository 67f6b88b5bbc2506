// csr_tiles.cuh: what the kernels of csr for one column and for several share: the tiles, and how a
// group of threads sums a row. A column has the same bits in both because the sums run alike.
#ifndef GS_SPMV_CSR_CSR_TILES_CUH
#define GS_SPMV_CSR_CSR_TILES_CUH

#include "core/cuda.cuh"

extern "C" {
#include "spmv/csr/csr.h"
}

namespace gs_tiles
{

constexpr int tile_work = 1024, row_work = 1; // a tile's work: entries and a row_work for each row
constexpr int most_short = 256; // a longer row that overruns its tile is cut into parts
constexpr int tile_capacity = tile_work + most_short;
constexpr int part_size = 4096;
constexpr int own = 32;        // entries of a row that each of its threads sums by itself at most
constexpr int tile_blocks = 8; // of a multiprocessor at once, at least
constexpr int at_once = tile_capacity / gs_block_size; // entries that a thread reads at once
constexpr int most_columns = 4;                        // that tiles are multiplied with in one pass
constexpr int most_by_rows = 32;                       // ... where x lies by rows,
constexpr int most_chunks = 4;                         // in so many chunks

struct tile {
    int32_t first, last; // rows
    int64_t from;        // entry
    int32_t entries, unused;
};

struct part {     // of a long row
    int64_t from; // entry
    int32_t entries, row;
    int32_t l;            // the row's number among the long ones
    int32_t first, parts; // number of its first part; how many it has
};

} // namespace gs_tiles

struct gs_csr_tiles {
    int lanes;      // threads a row, where rows are of similar lengths; else 0, and there are tiles
    bool irregular; // x is read here and there
    int tiles, nlong, parts;
    gs_tiles::tile *tile_of;
    int32_t *long_row;       // nlong
    int32_t *first_part;     // nlong + 1
    gs_tiles::part *part_of; // parts
    void *sum;               // parts x most_by_rows: their sums, in the type of the values
    unsigned *done;          // nlong x most_chunks: parts that are there
};

namespace gs_tiles
{

// Rows of a group that are read at once, so that the reads overlap.
template <class T>
constexpr int rows_at_once = 16 / (int)sizeof(T);

inline int blocks_for(int64_t n)
{
    return (int)((n + gs_block_size - 1) / gs_block_size);
}

// The sum over the aligned group of lanes threads, in all of them.
template <class T>
__device__ T group_sum(T sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    return sum;
}

// The sum of s[from], s[from + step], ... before to.
template <class T>
__device__ T strided(const T *s, int from, int to, int step)
{
    T sum = 0;

    for (int k = from; k < to; k += step) sum += s[k];
    return sum;
}

// Where row i lies among the entries of its tile.
struct stretch {
    int from, to;
};

template <class O>
__device__ inline stretch stretch_of(const O *start, const tile &t, int32_t i)
{
    if (i >= t.last) return {0, 0};
    return {(int)((int64_t)start[i] - t.from), (int)((int64_t)start[i + 1] - t.from)};
}

__device__ inline int lanes_for(int rows)
{
    int lanes = 1;

    while (lanes < 32 && rows * lanes * 2 <= gs_block_size) lanes *= 2;
    return lanes;
}

// Entries base, base + a block's threads, ... before n; column -1 past the last.
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

// The sums of the rows for which wait is set, by a warp each; in each row's first products.
template <int C, class T>
__device__ void sum_by_warps(bool wait, const stretch &row, T (*s)[tile_capacity])
{
    __shared__ int waiting;
    __shared__ stretch rows[gs_block_size];

    if (threadIdx.x == 0) waiting = 0;
    __syncthreads();
    if (wait) rows[atomicAdd(&waiting, 1)] = row;
    __syncthreads();
    for (int w = (int)threadIdx.x / 32; w < waiting; w += gs_block_size / 32) {
        const stretch r = rows[w];
        for (int j = 0; j < C; j++) {
            const T all = group_sum(strided(s[j], r.from + (int)threadIdx.x % 32, r.to, 32), 32);
            __syncwarp();
            if (threadIdx.x % 32 == 0) s[j][r.from] = all;
        }
    }
    __syncthreads();
}

// Blocks for n rows, rows to a block at a time: as many as run at once, or all there is work for.
template <auto KERNEL>
int groups_grid(const gs_queue *q, int32_t n, int rows, bool all)
{
    const int64_t items = ((int64_t)n + rows - 1) / rows;
    const int64_t most = all ? INT32_MAX : (int64_t)q->processors * gs_at_once<KERNEL>();

    return (int)(items < 1 ? 1 : items < most ? items : most);
}

} // namespace gs_tiles

// csr_plan_cuda.cu: plan and drop of gs_csr_kernels.
template <class T>
gsolve_status gs_csr_make_tiles(gs_csr_plan *plan, gsolve_context *ctx, int64_t entries,
                                const gs_row_statistics *known);
void gs_csr_drop_tiles(gs_csr_plan *plan, gsolve_context *ctx);

// gs_csr_kernels' apply_block: by columns, see csr_block_cuda.cu; by rows, see
// csr_subwarps_cuda.cu.
template <class T>
gsolve_status gs_csr_apply_block(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                 double beta, gsolve_dense y);
template <class T>
gsolve_status gs_csr_apply_rows(gs_queue *q, const gs_csr_plan *plan, double alpha, gsolve_dense x,
                                double beta, gsolve_dense y);

#endif
