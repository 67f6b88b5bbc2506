// pdl.cuh: kernels that are placed on the device as soon as the blocks of the one before have
// ended, not when all that it wrote has been put in place: those of an iteration are short and
// follow each other closely (programmatic dependent launch: CUDA C++ Programming Guide). Such a
// kernel first waits for all that came before, by gs_wait or by its guard, and reads and writes
// nothing until then.
#ifndef GS_CORE_PDL_CUH
#define GS_CORE_PDL_CUH

#include <atomic>
#include <nv/target>

#include "core/cuda.cuh"

// Until all that came before in the stream can be read. That the next kernel may be placed is not
// told before the end of a block (cudaTriggerProgrammaticLaunchCompletion): on an H200 its blocks
// then wait where others could run, and an iteration takes up to a tenth longer.
__device__ inline void gs_wait()
{
    NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
}

// Whether q's device places kernels early and this library's waits for that: both from compute
// capability 9 on. All kernels are compiled for the same ones.
inline bool gs_supports_pdl(const gs_queue *q, const void *kernel)
{
    enum { NOT_ASKED, NO, YES, DEVICES = 1024 }; // as many as the option device= can name
    static std::atomic<int> known[DEVICES];
    std::atomic<int> &answer = known[q->index % DEVICES];
    cudaFuncAttributes about;

    if (answer == NOT_ASKED) {
        if (cudaFuncGetAttributes(&about, kernel) != cudaSuccess) {
            cudaGetLastError(); // the launch itself will tell
            return false;
        }
        answer = about.ptxVersion >= 90 && about.binaryVersion >= 90 ? YES : NO;
    }
    return answer == YES;
}

// A queue's guard (see gs_device): the last parameter of a kernel that takes part in the steps of a
// solver.
struct gs_guard {
    const int *ended; // or NULL

    // Waits; then whether the column has ended.
    __device__ bool has_ended(int stage = GS_ENDS) const
    {
        gs_wait();
        return ended && *ended >= stage;
    }
};

// kernel<<<grid, threads, shared>>>(arguments...) on q's stream, early.
template <class... P, class... A>
gsolve_status gs_launch_pdl_with(gs_queue *q, const char *name, void (*kernel)(P...), dim3 grid,
                                 int threads, size_t shared, A... arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = grid;
    how.blockDim = dim3((unsigned)threads);
    how.dynamicSmemBytes = shared;
    how.stream = q->stream;
    how.attrs = &early;
    how.numAttrs = gs_supports_pdl(q, (const void *)kernel) ? 1 : 0;
    return gs_cuda(q, cudaLaunchKernelEx(&how, kernel, P(arguments)...), name);
}

// The same of a kernel whose last parameter is q's guard.
template <class... P, class... A>
gsolve_status gs_launch_pdl(gs_queue *q, const char *name, void (*kernel)(P...), int grid,
                            int threads, A... arguments)
{
    return gs_launch_pdl_with(q, name, kernel, dim3((unsigned)grid), threads, 0, arguments...,
                              gs_guard{q->guard});
}

#endif
