// resident.cuh: parts of the kernels of resident systems: the matrix in shared memory, the product
// with it, and sums over all blocks.
#ifndef GS_SOLVER_RESIDENT_RESIDENT_CUH
#define GS_SOLVER_RESIDENT_RESIDENT_CUH

#include "core/cuda.cuh"

extern "C" {
#include "solver/resident/resident.h"
}

constexpr int gs_resident_threads = 512; // of a block; one block to a multiprocessor
constexpr int gs_resident_warps = gs_resident_threads / 32;
constexpr int gs_resident_passes = 4; // most slots of a thread
constexpr int gs_resident_most_blocks = gs_resident_threads / 2;

// The rows of block b are first[b] to first[b + 1]. `lanes` threads sum a row: slot s of a block is
// lane s % lanes of its row s / lanes, and belongs to thread s % threads in pass s / threads. The
// entries of a warp's slots in a pass are interleaved from base on: entry k of all slots, then
// entry k + 1, up to the length of the longest slot. Shorter slots are padded with zeros.
struct gs_resident {
    int blocks, lanes, passes;
    int capacity;   // entries of a block's part, padded
    int32_t *first; // blocks + 1
    int32_t *base;  // blocks x (passes x warps + 1)
    void *value;    // blocks x capacity, in A's type
    int32_t *col;
    double *slot; // see gs_meeting
    gsolve_type type;
};

inline size_t gs_resident_bytes(const gs_resident *p) // of shared memory
{
    return (size_t)p->capacity * ((p->type == GSOLVE_F32 ? 4 : 8) + sizeof(int32_t));
}

gs_resident_steps gs_resident_cg, gs_resident_bicgstab;

// --- sums over all blocks ---------------------------------------------------------------------

// A meeting is a barrier over the grid that also adds up numbers (a grid-wide all-reduce). Every
// block writes its sums into a slot of its own in global memory and waits until the slots of all
// blocks are full; a slot is empty while all its bits are set. There are three sets of slots, used
// in rotation. Once a block has read all slots of this meeting, every block has left the meeting
// before; so it may then empty its slots of that one.
struct gs_meeting {
    double *slot;      // 3 x 2 x blocks
    int blocks, count; // meetings so far
};

__device__ inline double gs_acquire(const double *p)
{
    double v;
    asm volatile("ld.acquire.gpu.global.f64 %0, [%1];" : "=d"(v) : "l"(p) : "memory");
    return v;
}

__device__ inline void gs_release(double *p, double v)
{
    asm volatile("st.release.gpu.global.f64 [%0], %1;" ::"l"(p), "d"(v) : "memory");
}

__device__ inline bool gs_empty(double v)
{
    return __double_as_longlong(v) == -1;
}

__device__ inline double gs_warp_sum(double x)
{
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}

// A meeting of a single block.
template <int S>
__device__ void gs_meet_alone(double (&mine)[S], double (&of_warp)[S][gs_resident_warps])
{
#pragma unroll
    for (int s = 0; s < S; s++) {
        mine[s] = 0;
        for (int w = 0; w < gs_resident_warps; w++) mine[s] += of_warp[s][w];
    }
    __syncthreads();
}

// mine = the sums over all threads of the grid, in every thread, in an order that depends on the
// grid alone. Every thread then sees what any thread wrote before the meeting.
template <int S>
__device__ void gs_meet(double (&mine)[S], gs_meeting &m)
{
    __shared__ double of_warp[S][gs_resident_warps], of_block[S * gs_resident_most_blocks];
    const int t = (int)threadIdx.x, lane = t % 32, B = m.blocks;
    double *slot = m.slot + (m.count % 3) * 2 * B, *before = m.slot + ((m.count + 2) % 3) * 2 * B;

#pragma unroll
    for (int s = 0; s < S; s++) {
        const double sum = gs_warp_sum(mine[s]);
        if (lane == 0) of_warp[s][t / 32] = sum;
    }
    __syncthreads();
    if (B == 1) {
        gs_meet_alone(mine, of_warp);
        return;
    }
    if (t < S) {
        double sum = 0;
        for (int w = 0; w < gs_resident_warps; w++) sum += of_warp[t][w];
        if (gs_empty(sum)) sum = NAN;
        __threadfence();
        gs_release(&slot[t * B + blockIdx.x], sum);
    }
    if (t < S * B) {
        double sum = gs_acquire(&slot[t]);
        while (gs_empty(sum)) sum = gs_acquire(&slot[t]);
        of_block[t] = sum;
    }
    __syncthreads();
    if (t < 2) gs_release(&before[t * B + blockIdx.x], __longlong_as_double(-1));
#pragma unroll
    for (int s = 0; s < S; s++) {
        double sum = 0;
        for (int b = lane; b < B; b += 32) sum += of_block[s * B + b];
        mine[s] = gs_warp_sum(sum);
    }
    m.count++;
}

// --- the matrix -------------------------------------------------------------------------------

// A block's part of the matrix, in shared memory, and the place of this thread's slots in it.
template <class T, int R>
struct gs_part {
    const T *value;
    const int32_t *col;
    int32_t base[R], width[R]; // of this thread's warp in each pass
    int32_t row[R];            // the row whose vector elements this thread keeps, or -1
    int lanes;
};

// Copies the block's part of A from global to shared memory, once for each launch.
template <class T, int R>
__device__ gs_part<T, R> gs_part_load(const gs_resident &plan)
{
    extern __shared__ double space[];
    const int t = (int)threadIdx.x, warp = t / 32, b = (int)blockIdx.x;
    const int32_t *base = plan.base + (int64_t)b * (plan.passes * gs_resident_warps + 1);
    const int32_t entries = base[plan.passes * gs_resident_warps];
    const T *value = (const T *)plan.value + (int64_t)b * plan.capacity;
    const int32_t *col = plan.col + (int64_t)b * plan.capacity;
    T *values = (T *)space;
    int32_t *cols = (int32_t *)(values + plan.capacity);
    gs_part<T, R> part;

    for (int k = t; k < entries; k += gs_resident_threads) {
        values[k] = __ldcs(&value[k]);
        cols[k] = __ldcs(&col[k]);
    }
#pragma unroll
    for (int i = 0; i < R; i++) {
        const int at = i * gs_resident_warps + warp, s = i * gs_resident_threads + t;
        const int32_t row = plan.first[b] + s / plan.lanes;
        part.base[i] = base[at] + t % 32;
        part.width[i] = (base[at + 1] - base[at]) / 32;
        part.row[i] = s % plan.lanes == 0 && row < plan.first[b + 1] ? row : -1;
    }
    part.value = values;
    part.col = cols;
    part.lanes = plan.lanes;
    __syncthreads();
    return part;
}

// y = A x in the rows of this thread. A is read from shared memory, x from global memory, where
// other blocks may have written it before the last meeting.
template <class T, int R>
__device__ void gs_part_multiply(const gs_part<T, R> &A, const T *x, T (&y)[R])
{
#pragma unroll
    for (int i = 0; i < R; i++) {
        const T *value = A.value + A.base[i];
        const int32_t *col = A.col + A.base[i];
        T sum = 0;
#pragma unroll 4
        for (int k = 0; k < A.width[i]; k++) sum += value[k * 32] * x[col[k * 32]];
        for (int d = A.lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        y[i] = A.row[i] >= 0 ? sum : T(0);
    }
}

// mine = the elements of x in the rows of this thread.
template <class T, int R>
__device__ void gs_part_read(const gs_part<T, R> &A, const void *x, T (&mine)[R])
{
#pragma unroll
    for (int i = 0; i < R; i++) mine[i] = A.row[i] >= 0 ? ((const T *)x)[A.row[i]] : T(0);
}

template <class T, int R>
__device__ void gs_part_write(const gs_part<T, R> &A, const T (&mine)[R], void *x)
{
#pragma unroll
    for (int i = 0; i < R; i++) {
        if (A.row[i] >= 0) ((T *)x)[A.row[i]] = mine[i];
    }
}

#endif
