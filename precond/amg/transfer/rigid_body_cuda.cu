// rigid_body_cuda.cu: rigid body modes on a GPU.
#include "core/cuda.cuh"

extern "C" {
#include "precond/amg/transfer/rigid_body.h"
}

#define SMALL static __device__
#include "precond/amg/transfer/rigid_body_rule.h"

namespace
{

// A thread owns every step-th unknown, and computes its element in each mode. Reads the coordinates
// and writes B once.
template <class T>
__global__ void __launch_bounds__(gs_block_size) fill_modes(gsolve_dense xyz, gsolve_dense B)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;
    T *b = (T *)B.value;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < B.nrows; i += step) {
        for (int m = 0; m < B.ncols; m++) {
            b[i + m * B.stride] =
                (T)gs_rigid_body_mode(xyz, i / xyz.ncols, (int)(i % xyz.ncols), m);
        }
    }
}

template <class T>
gsolve_status modes(gsolve_context *ctx, gsolve_dense xyz, gsolve_dense B)
{
    return gs_launch(ctx->queue, "rigid body modes", fill_modes<T>, gs_grid(ctx->queue, B.nrows),
                     gs_block_size, xyz, B);
}

} // namespace

extern "C" const gs_rigid_body_kernels gs_rigid_body_cuda[GSOLVE_TYPE_COUNT] = {{modes<float>},
                                                                                {modes<double>}};
