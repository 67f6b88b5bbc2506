// pdl.cuh: programmatic dependent launch (PDL, see the CUDA C++ Programming Guide). The blocks of a
// kernel start as soon as the blocks of the kernel before have ended, before the writes of that
// kernel are visible. This saves time between the short kernels of an iteration. Such a kernel must
// first call gs_wait or has_ended of its guard, and read and write no memory before that.
#ifndef GS_CORE_PDL_CUH
#define GS_CORE_PDL_CUH

#include <atomic>
#include <nv/target>

#include "core/cuda.cuh"

// Waits until all earlier work of the stream is complete and its writes are visible. No kernel
// calls cudaTriggerProgrammaticLaunchCompletion, which would start the next kernel before the end
// of this one: its waiting blocks then occupy multiprocessors, and on an H200 an iteration takes up
// to 10 % longer.
__device__ inline void gs_wait()
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
}

// Whether kernels may be launched with PDL. This needs a device and compiled code of compute
// capability 9 or higher: in older code gs_wait does not wait. All kernels are compiled for the
// same architectures, so the answer for one kernel holds for all.
inline bool gs_supports_pdl(const gs_queue *q, const void *kernel)
{
    enum { UNKNOWN, NO, YES, DEVICES = 1024 }; // the option index of the device cuda is below 1024
    static std::atomic<int> known[DEVICES];
    std::atomic<int> &answer = known[q->index % DEVICES];
    cudaFuncAttributes about;

    if (answer == UNKNOWN) {
        if (cudaFuncGetAttributes(&about, kernel) != cudaSuccess) {
            cudaGetLastError(); // clears the error; the launch reports it
            return false;
        }
        answer = about.ptxVersion >= 90 && about.binaryVersion >= 90 ? YES : NO;
    }
    return answer == YES;
}

// The guard of a queue, see gs_device. It is the last parameter of kernels that run in the steps of
// a solver.
struct gs_guard {
    const int *ended; // or NULL

    // Calls gs_wait and returns whether the column's state is `stage` or later.
    __device__ bool has_ended(int stage = GS_ENDS) const
    {
        gs_wait();
        return ended && *ended >= stage;
    }
};

// kernel<<<grid, threads, shared>>>(arguments...) on q's stream, with PDL if it is supported.
template <class... P, class... A>
gsolve_status gs_launch_pdl_with(gs_queue *q, const char *name, void (*kernel)(P...), dim3 grid,
                                 int threads, size_t shared, A... arguments)
{
    cudaLaunchAttribute pdl = {};
    cudaLaunchConfig_t config = {};

    pdl.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    pdl.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    config.stream = q->stream;
    config.attrs = &pdl;
    config.numAttrs = gs_supports_pdl(q, (const void *)kernel) ? 1 : 0;
    return gs_cuda(q, cudaLaunchKernelEx(&config, kernel, P(arguments)...), name);
}

// gs_launch_pdl_with for a kernel whose last parameter is q's guard, without dynamic shared memory.
template <class... P, class... A>
gsolve_status gs_launch_pdl(gs_queue *q, const char *name, void (*kernel)(P...), int grid,
                            int threads, A... arguments)
{
    return gs_launch_pdl_with(q, name, kernel, dim3((unsigned)grid), threads, 0, arguments...,
                              gs_guard{q->guard});
}

#endif
