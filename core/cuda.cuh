// cuda.cuh: the queue, error checks, launches, 16-byte accesses and sums in a fixed order, for all
// .cu files.
#ifndef GS_CORE_CUDA_CUH
#define GS_CORE_CUDA_CUH

#include <cstdint>
#include <cuda_runtime.h>
#include <type_traits>

extern "C" {
#include "core/context.h"
}

struct cusparseContext;
struct CUctx_st;
struct gs_driver;

constexpr int gs_block_size = 256;     // threads of a block
constexpr int gs_most_sums = 8;        // sums that one kernel computes, at most
constexpr int gs_most_partials = 8192; // blocks of a kernel with sums, at most

struct gs_queue {
    cudaStream_t stream;
    bool own; // the queue created the stream and destroys it
    int index, processors, threads;
    gsolve_context *ctx;
    const gs_driver *driver;     // see driver.cuh
    CUctx_st *context, *callers; // the GPU's primary context; the caller's during a public call
    cudaError_t pending;         // the caller's error during a public call
    cudaMemPool_t pool;          // of all memory on the device
    const int *guard;            // see gs_device
    double *partial;             // gs_most_sums x gs_most_partials: the sums of blocks
    unsigned *arrived;           // number of blocks that have written their sums; 0 between kernels
    void *post_buffer[GS_SLOTS]; // page-locked, for post and wait of gs_device
    size_t post_bytes[GS_SLOTS];
    cudaEvent_t post_event[GS_SLOTS]; // the end of the last post
    void *page[GS_PAGES];             // the pages of copy.c, allocated when first needed
    cudaEvent_t page_event[GS_PAGES]; // the end of the last copy that used the page
    cusparseContext *sparse;          // created when first needed
};

// ALLOC of core/try.h in C++, on the device.
#define ALLOC_DEVICE(ctx, pointer, count)                                          \
    do {                                                                           \
        (pointer) = static_cast<std::remove_reference_t<decltype(pointer)>>(       \
            gsolve_alloc(ctx, GSOLVE_DEVICE, (size_t)(count), sizeof *(pointer))); \
        status = (pointer) ? GSOLVE_OK : GSOLVE_NO_MEMORY;                         \
        if (status != GSOLVE_OK) goto done;                                        \
    } while (0)

// Returns GSOLVE_OK, or the status of a failed call after storing a message in the context. what
// names the operation, such as "a memory copy".
inline gsolve_status gs_cuda(gs_queue *q, cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return GSOLVE_OK;
    cudaGetLastError(); // clears the error
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

// Runs call(space, bytes), a function of CUB, with as much scratch memory as it asks for.
template <class Call>
gsolve_status gs_with_space(gsolve_context *ctx, const char *what, Call call)
{
    size_t bytes = 0;
    gsolve_status status = gs_cuda(ctx->queue, call((void *)nullptr, bytes), what);

    if (status != GSOLVE_OK) return status;
    void *space = gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    if (!space) return GSOLVE_NO_MEMORY;
    status = gs_cuda(ctx->queue, call(space, bytes), what);
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// Number of blocks of gs_block_size threads that a multiprocessor runs at once.
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

// Number of blocks for work on that many threads: at most as many as run at once. Kernels stride
// over the rest, so all blocks end at about the same time.
inline int gs_grid(const gs_queue *q, int64_t threads, int blocks_per_processor = 8)
{
    const int64_t blocks = (threads + gs_block_size - 1) / gs_block_size;
    const int64_t most = (int64_t)q->processors * blocks_per_processor;
    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

// W adjacent elements, read and written with one access.
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

// Elements in 16 bytes.
template <class T>
constexpr int gs_wide = 16 / (int)sizeof(T);

inline bool gs_aligned(const void *p)
{
    return (uintptr_t)p % 16 == 0;
}

// The sum over a warp, in its first lane. Neighbouring lanes are added first, lanes 16 apart last.
template <class T>
__device__ T gs_first_lane_sum(T x)
{
#if __CUDA_ARCH__ >= 800 // one instruction adds 32-bit integers
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

// The sum over a block, in thread 0: first the sum of each warp, then the warps in their order. All
// threads of the block must call it.
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

// S sums over a block; thread s < S returns sum s. All threads of the block must call it.
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

// S sums over all blocks of the grid. Each block writes its sums to `partial` and counts itself in
// *arrived. The block that arrives last adds the sums of all blocks, in an order that depends on
// the size of the grid alone, and one thread per sum calls store(s, total). It then resets *arrived
// to 0.
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
