// cuda.cuh: what the .cu files share: the queue, checks, 16-byte accesses, sums in a fixed order.
#ifndef GS_CUDA_CUH
#define GS_CUDA_CUH

#include <cub/block/block_reduce.cuh>
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
    bool early; // a kernel can be made ready while the one before runs
    gsolve_context *ctx;
    const int *guard;  // see gs_device
    double *partial;   // gs_most_sums x gs_most_partials: the sums of blocks
    unsigned *arrived; // blocks that have written theirs
    void *page[GS_SLOTS];
    size_t page_bytes[GS_SLOTS];
    cudaEvent_t posted[GS_SLOTS];
    cusparseContext *sparse; // made when first asked for
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

inline gsolve_status gs_launched(gs_queue *q, const char *kernel)
{
    return gs_cuda(q, cudaGetLastError(), kernel);
}

// First in a kernel: waits until the kernels before have ended, having let the next one get ready.
__device__ inline void gs_after_the_last()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

// kernel<<<grid, threads>>>(arguments...) on q's stream. A kernel that begins with
// gs_after_the_last may be made ready while the one before still runs.
template <class... P, class... A>
gsolve_status gs_launch(gs_queue *q, const char *name, void (*kernel)(P...), int grid, int threads,
                        A... arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = dim3((unsigned)grid);
    how.blockDim = dim3((unsigned)threads);
    how.stream = q->stream;
    how.attrs = &early;
    how.numAttrs = q->early ? 1 : 0;
    return gs_cuda(q, cudaLaunchKernelEx(&how, kernel, P(arguments)...), name);
}

// Blocks for work of so many threads: as many as run at once.
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

// The sum over a block, in thread 0.
template <class T>
__device__ T gs_block_sum(T x)
{
    using reduce = cub::BlockReduce<T, gs_block_size>;
    __shared__ typename reduce::TempStorage space;

    __syncthreads(); // the space may still be in use
    return reduce(space).Sum(x);
}

// Adds up S sums over all blocks of the grid, and the extra numbers more[0..count) (to the first),
// in an order that depends on the grid alone: the block that arrives last does it.
// store(s, total) is called by one thread.
template <int S, class Store>
__device__ void gs_grid_sum(const double (&mine)[S], double *partial, unsigned *arrived,
                            const double *more, int count, Store store)
{
    __shared__ bool last;

    for (int s = 0; s < S; s++) {
        const double sum = gs_block_sum(mine[s]);
        if (threadIdx.x == 0) partial[s * gs_most_partials + blockIdx.x] = sum;
    }
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int s = 0; s < S; s++) {
        double sum = 0;
        for (int b = (int)threadIdx.x; b < (int)gridDim.x; b += gs_block_size) {
            sum += __ldcg(&partial[s * gs_most_partials + b]);
        }
        for (int b = (int)threadIdx.x; s == 0 && b < count; b += gs_block_size)
            sum += __ldcg(&more[b]);
        sum = gs_block_sum(sum);
        if (threadIdx.x == 0) store(s, sum);
    }
    if (threadIdx.x == 0) *arrived = 0;
}

#endif
