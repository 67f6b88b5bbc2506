// faults_cuda.cu: kernels that fail, see faults.h.
#include "core/cuda.cuh"

namespace
{

__global__ void too_wide(int *sum)
{
    *sum += (int)threadIdx.x;
}

__global__ void dying()
{
    __trap();
}

} // namespace

extern "C" gsolve_status launch_refused_kernel(gsolve_context *ctx)
{
    return gs_launch(ctx->queue, "a kernel that is too wide", too_wide, 1, 1 << 14,
                     static_cast<int *>(nullptr));
}

extern "C" gsolve_status launch_dying_kernel(gsolve_context *ctx)
{
    return gs_launch(ctx->queue, "a kernel that dies", dying, 1, 1);
}
