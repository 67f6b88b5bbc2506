// scalar_kernels_cuda.cu: the functions of scalar_kernels_body.h on a GPU. A thread owns one
// column, a block is one warp. A thread reads and writes a few scalars of its column in global
// memory; it leaves a column that has ended as it is.
#include "core/pdl.cuh"

extern "C" {
#include "solver/operations/scalar_kernels.h"
}

namespace
{

#define SMALL __device__
#include "vector/convergence_body.h"
#include "vector/norm_body.h"

/* after these two, whose functions it calls */
#include "solver/operations/scalar_kernels_body.h"

#include "solver/operations/normal_kernels_body.h"

constexpr int threads = 32;

#define KERNEL(name)                                                                           \
    __global__ void name##_kernel(const gs_scalar_arguments a)                                 \
    {                                                                                          \
        const int c = (int)(blockIdx.x * blockDim.x + threadIdx.x);                            \
        gs_wait();                                                                             \
        if (c < a.ncols && !a.convergence.ended[c]) name(&a, c);                               \
    }                                                                                          \
    gsolve_status name##_columns(gs_queue *q, const gs_scalar_arguments *a)                    \
    {                                                                                          \
        if (a->ncols == 0) return GSOLVE_OK;                                                   \
        const int blocks = (a->ncols + threads - 1) / threads;                                 \
        return gs_launch_pdl_with(q, #name, name##_kernel, dim3((unsigned)blocks), threads, 0, \
                                  *a);                                                         \
    }
GS_SCALAR_LIST(KERNEL)

} // namespace

#define MEMBER(name) name##_columns,
extern "C" const gs_scalar_kernels gs_scalar_cuda = {GS_SCALAR_LIST(MEMBER)};
