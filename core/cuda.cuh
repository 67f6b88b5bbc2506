// cuda.cuh: what the .cu files share: the queue, checks, 16-byte accesses, sums in a fixed order.
#ifndef GS_CORE_CUDA_CUH
#define GS_CORE_CUDA_CUH

#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

extern "C" {
#include "core/context.h"
}

struct cusparseContext;

constexpr int gs_block_size = 256;     // threads of a block
constexpr int gs_most_sums = 8;        // of one kernel
constexpr int gs_most_partials = 8192; // blocks whose sums a kernel can add up

struct gs_queue {
    cudaStream_t stream;
    bool own;
    int index, processors, threads;
    gsolve_context *ctx;
    const int *guard;  // see gs_device
    double *partial;   // gs_most_sums x gs_most_partials: the sums of blocks
    unsigned *arrived; // blocks that have written theirs
    void *page[GS_SLOTS];
    size_t page_bytes[GS_SLOTS];
    cudaEvent_t posted[GS_SLOTS];
    void *carried[GS_PAGES];       // the pages of copy.c, made when first needed
    cudaEvent_t arrival[GS_PAGES]; // of what was sent from or to them
    cusparseContext *sparse;       // made when first asked for
};

// ALLOC of core/try.h in C++, on the device.
#define ALLOC_DEVICE(ctx, pointer, count)                                          \
    do {                                                                           \
        (pointer) = static_cast<std::remove_reference_t<decltype(pointer)>>(       \
            gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)(count), sizeof *(pointer))); \
        status = (pointer) ? GSOLVE_OK : GSOLVE_NO_MEMORY;                         \
        if (status != GSOLVE_OK) goto done;                                        \
    } while (0)

// Whether a call succeeded; else the sentence.
inline gsolve_status gs_cuda(gs_queue *q, cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return GSOLVE_OK;
    cudaGetLastError(); // forgets it
    return gsolve_fail(q->ctx,
                       code == cudaErrorMemoryAllocation ? GSOLVE_NO_MEMORY : GSOLVE_DEVICE_FAILED,
                       "CUDA: %s: %s", what, cudaGetErrorString(code));
}

// kernel<<<grid, threads>>>(arguments...) on q's stream.
template <class... P, class... A>
gsolve_status gs_launch(gs_queue *q, const char *name, void (*kernel)(P...), int grid, int threads,
                        A... arguments)
{
    kernel<<<(unsigned)grid, (unsigned)threads, 0, q->stream>>>(P(arguments)...);
    return gs_cuda(q, cudaGetLastError(), name);
}

// Blocks of a kernel that a multiprocessor runs at once.
template <auto KERNEL>
int gs_at_once()
{
    static const int blocks = [] {
        int most = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, KERNEL, gs_block_size, 0);
        return most > 0 ? most : 1;
    }();
    return blocks;
}

// Blocks for work of so many threads: as many as run at once, so that all end together.
inline int gs_grid(const gs_queue *q, int64_t threads, int blocks_per_processor = 8)
{
    const int64_t blocks = (threads + gs_block_size - 1) / gs_block_size;
    const int64_t most = (int64_t)q->processors * blocks_per_processor;
    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

// W elements that move as one.
template <class T, int W>
struct alignas(sizeof(T) * W) gs_pack {
    T v[W];
};

template <int W, class T>
__device__ gs_pack<T, W> gs_load(const T *p, int64_t i)
{
    return *reinterpret_cast<const gs_pack<T, W> *>(p + i);
}

template <int W, class T>
__device__ void gs_store(T *p, int64_t i, gs_pack<T, W> x)
{
    *reinterpret_cast<gs_pack<T, W> *>(p + i) = x;
}

template <class T>
constexpr int gs_wide = 16 / (int)sizeof(T);

inline bool gs_aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

// The sum over a warp, in its first lane: neighbours are added first, lanes 16 apart last.
template <class T>
__device__ T gs_first_lane_sum(T x)
{
#if __CUDA_ARCH__ >= 800 // has an instruction for 32-bit integers
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned>) {
        return __reduce_add_sync(0xffffffffu, x);
    } else
#endif
    {
#pragma unroll
        for (int d = 1; d < 32; d *= 2) x += __shfl_down_sync(0xffffffffu, x, d);
        return x;
    }
}

// The sum over a block, in thread 0: of each warp, then of the warps in their order. Threads of a
// block call it together.
template <class T>
__device__ T gs_block_sum(T x)
{
    constexpr int warps = gs_block_size / 32;
    __shared__ T of_warp[warps];

    __syncthreads(); // of_warp may still be in use
    x = gs_first_lane_sum(x);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x > 0) return x;
#pragma unroll
    for (int w = 1; w < warps; w++) x += of_warp[w];
    return x;
}

// S sums over a block, in the first S threads' result.
template <int S>
__device__ double gs_block_sums(double (&mine)[S])
{
    constexpr int warps = gs_block_size / 32;
    __shared__ double of_warp[S][warps];
    double total = 0;

#pragma unroll
    for (int s = 0; s < S; s++) {
        for (int d = 16; d > 0; d /= 2) mine[s] += __shfl_xor_sync(0xffffffffu, mine[s], d);
        if (threadIdx.x % 32 == 0) of_warp[s][threadIdx.x / 32] = mine[s];
    }
    __syncthreads();
    for (int w = 0; threadIdx.x < S && w < warps; w++) total += of_warp[threadIdx.x][w];
    __syncthreads();
    return total;
}

// Adds up S sums over all blocks of the grid, in an order that depends on the grid alone: the block
// that arrives last does it. store(s, total) is called by one thread for each.
template <int S, class Store>
__device__ void gs_grid_sum(double (&mine)[S], double *partial, unsigned *arrived, Store store)
{
    __shared__ bool last;
    const double own = gs_block_sums(mine);

    if (threadIdx.x < S) {
        partial[threadIdx.x * gs_most_partials + blockIdx.x] = own;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
#pragma unroll
    for (int s = 0; s < S; s++) {
        mine[s] = 0;
        for (int b = (int)threadIdx.x; b < (int)gridDim.x; b += gs_block_size) {
            mine[s] += __ldcg(&partial[s * gs_most_partials + b]);
        }
    }
    const double total = gs_block_sums(mine);
    if (threadIdx.x < S) store((int)threadIdx.x, total);
    if (threadIdx.x == 0) *arrived = 0;
}

#endif
