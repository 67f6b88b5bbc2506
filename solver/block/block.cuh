// block.cuh: parts of the kernels on blocks: columns, sums over the grid, the factorisation.
#ifndef GS_SOLVER_BLOCK_BLOCK_CUH
#define GS_SOLVER_BLOCK_BLOCK_CUH

#include "core/cuda.cuh"

extern "C" {
#include "solver/block/block.h"
}

namespace
{

constexpr int warps = gs_block_size / 32;
constexpr int tile = 8;           // columns by columns of a Gram matrix that a thread sums
constexpr int most_tiles = 8;     // of two Gram matrices
constexpr int most_blocks = 1024; // of threads

// The counters come first.
constexpr size_t head = 256;
constexpr size_t space_size = head + sizeof(double) * most_tiles * tile * tile * most_blocks;

template <class T>
struct columns {
    T *v;
    int64_t stride;
    __device__ T &operator()(int64_t i, int j) const { return v[i + j * stride]; }
};

template <class T>
columns<T> of(gs_block_columns v)
{
    return {(T *)v.v, v.stride};
}

int rows_grid(const gs_queue *q, int64_t n, int blocks_per_processor)
{
    const int grid = gs_grid(q, n, blocks_per_processor);
    return grid < most_blocks ? grid : most_blocks;
}

// Sums over a warp: afterwards v[0] and v[1] of lane l are the sums of v[2 l] and v[2 l + 1]. In
// each exchange a lane gives half of its numbers to another lane, so that 62 exchanges compute 64
// sums.
template <int HALF>
__device__ void warp_sums(double (&v)[tile * tile])
{
    constexpr int bit = HALF / 2;
    const bool upper = threadIdx.x & bit;

#pragma unroll
    for (int e = 0; e < HALF; e++) {
        const double give = upper ? v[e] : v[e + HALF], keep = upper ? v[e + HALF] : v[e];
        v[e] = keep + __shfl_xor_sync(0xffffffffu, give, bit);
    }
    if constexpr (HALF > 2) warp_sums<HALF / 2>(v);
}

// Adds S numbers of each thread over the warps of a block, lane by lane, and then over the `parts`
// blocks of a group: store(e, total) for element e = s 32 + lane. of_warp has space for all numbers
// of a block, partial for S x 32 sums of each part. The block that finishes last adds the parts in
// their order. All threads of the block must call it.
template <int S, class Store>
__device__ void part_sums(const double (&mine)[S], double (*of_warp)[S * 32], int part, int parts,
                          double *partial, unsigned *arrived, Store store)
{
    constexpr int count = S * 32, share = count < gs_block_size ? gs_block_size / count : 1;
    __shared__ bool last;
    const int t = (int)threadIdx.x;

    __syncthreads(); // of_warp is free
#pragma unroll
    for (int s = 0; s < S; s++) of_warp[t / 32][s * 32 + t % 32] = mine[s];
    __syncthreads();
    for (int e = t; e < count; e += gs_block_size) {
        double total = 0;
        for (int w = 0; w < warps; w++) total += of_warp[w][e];
        partial[(int64_t)part * count + e] = total;
    }
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(arrived, 1u) == (unsigned)parts - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int e = t % count; e < count; e += gs_block_size) { // `share` threads for each e
        double total = 0;
#pragma unroll 16
        for (int p = t / count; p < parts; p += share) {
            total += __ldcg(&partial[(int64_t)p * count + e]);
        }
        of_warp[t / count][e] = total;
    }
    __syncthreads();
    for (int e = t; e < count; e += gs_block_size) {
        double total = 0;
        for (int h = 0; h < share; h++) total += of_warp[h][e];
        store(e, total);
    }
    if (t == 0) *arrived = 0;
}

// --- small matrices: a thread for each element ------------------------------------------------

constexpr int side = GS_BLOCK;
static_assert(side * side == gs_block_size, "a thread for each element");

// See gs_block_factor in block.h.
struct factor {
    int rank, order[side];
    double least;
    bool done[side], negative;
    double d[side], own[side]; // G_ii^-1/2, G_ii^1/2
    double L[side][side], rest[side][side], t[side][side];
    double inverse[side]; // 1 / the square roots of the pivots
};

// The vector that depends least on the vectors chosen before, or -1 if all depend on these; the
// same in all threads of a warp.
__device__ int least_dependent(const factor &f, int b)
{
    const int i = (int)threadIdx.x % 32;
    double value = i < b && !f.done[i] ? f.rest[i][i] : -1;
    int at = i;

    if (!(value > GS_DEPENDENT)) value = -1; // not a number counts as dependent
    for (int step = 16; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, value, step);
        const int there = __shfl_xor_sync(0xffffffffu, at, step);
        if (other > value || (other == value && there < at)) value = other, at = there;
    }
    return value > 0 ? at : -1;
}

// gs_block_factorise in shared memory, by all side x side threads of a block: thread (i, j) owns
// element (i, j) of `rest`, and in the end thread c owns column c of t. All threads may read f
// afterwards.
__device__ void factorise(factor &f, int b, const double *G, const double *floor)
{
    const int i = (int)threadIdx.x % side, j = (int)threadIdx.x / side;
    const bool in = i < b && j < b;

    if (threadIdx.x == 0) f.rank = 0, f.negative = false, f.least = 1;
    __syncthreads();
    if (j == 0) {
        const double own = i < b ? G[i + i * GS_BLOCK] : 0;
        f.done[i] = !(own > (floor && i < b ? floor[i] : 0));
        f.own[i] = f.done[i] ? 0 : sqrt(own);
        f.d[i] = f.done[i] ? 0 : 1 / f.own[i];
        if (own < 0) f.negative = true;
    }
    f.L[i][j] = f.t[i][j] = 0;
    __syncthreads();
    f.rest[i][j] = in ? G[i + j * GS_BLOCK] * f.d[i] * f.d[j] : 0;
    __syncthreads();
    for (int r = 0; r < b; r++) {
        const int p = least_dependent(f, b);
        if (p < 0) break; // the same in all threads
        const double inverse = rsqrt(f.rest[p][p]), root = inverse * f.rest[p][p];
        const bool open = in && !f.done[i] && i != p;
        const double of_i = f.rest[i][p] * inverse, of_j = f.rest[j][p] * inverse;
        const double reduced = open && !f.done[j] && j != p ? f.rest[i][j] - of_i * of_j : 0;
        __syncthreads(); // everything is read
        if (j == 0 && (open || i == p)) f.L[i][r] = i == p ? root : of_i;
        if (open && !f.done[j] && j != p) f.rest[i][j] = reduced;
        __syncthreads();
        if (threadIdx.x == 0) {
            f.done[p] = true, f.order[r] = p, f.inverse[r] = inverse, f.rank = r + 1;
            f.least = fmin(f.least, root * root);
        }
        __syncthreads();
    }
    if ((int)threadIdx.x < f.rank) { // column c of t, from the last row on
        const int c = (int)threadIdx.x;
        for (int r = c; r >= 0; r--) {
            const int p = f.order[r];
            double sum = r == c;
            for (int m = r + 1; m <= c; m++) sum -= f.L[f.order[m]][r] * f.rest[f.order[m]][c];
            f.rest[p][c] = sum * f.inverse[r]; // t before it is scaled; rest is not needed any more
            f.t[p][c] = f.rest[p][c] * f.d[p];
        }
    }
    __syncthreads();
}

} // namespace

#endif
