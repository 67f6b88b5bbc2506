// each.cuh: one kernel for all operations that work on vectors element by element.
//
// An operation is a struct. begin() reads the scalars. at<W>(i, sum) processes the elements i to
// i + W - 1 and adds to `sums` partial sums; store(s, total) stores each total. If the column's
// state (core/device.h) is runs_until or later, the kernel only calls skip().
//
// A thread processes W adjacent elements at a time, in strides of the grid; W elements are 16 bytes
// if all vectors are aligned, else W = 1. Every vector is read or written once, coalesced. The
// blocks of the grid depend on n and the device alone, so the sums have a fixed order.
#ifndef GS_VECTOR_EACH_CUH
#define GS_VECTOR_EACH_CUH

#include "core/pdl.cuh"
#include "vector/convergence.h"

struct gs_plain { // defaults: no sums, no scalars
    static constexpr int sums = 0, runs_until = GS_ENDS;
    static constexpr int least_blocks = 1; // resident blocks per multiprocessor: limits registers
    __device__ void begin() {}
    __device__ void skip() {}
};

// Applies op to all n elements. A thread owns the packs first, first + step, ... of W elements, and
// one of the last n mod W elements at most.
template <class Op, int W>
__global__ void __launch_bounds__(gs_block_size, Op::least_blocks)
    gs_each_kernel(int64_t n, Op op, double *partial, unsigned *arrived, gs_guard guard)
{
    double sum[Op::sums ? Op::sums : 1] = {};
    const int64_t packs = n / W, step = (int64_t)gridDim.x * gs_block_size;
    const int64_t first = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (guard.has_ended(Op::runs_until)) {
        op.skip();
        return;
    }
    op.begin();
    for (int64_t i = first; i < packs; i += step) op.template at<W>(i * W, sum);
    if (packs * W + first < n) op.template at<1>(packs * W + first, sum);
    if constexpr (Op::sums > 0) {
        gs_grid_sum(sum, partial, arrived, [&](int s, double total) { op.store(s, total); });
    }
}

template <int W, class Op>
gsolve_status gs_each_launch(gs_queue *q, int64_t n, const Op &op, const char *name)
{
    constexpr auto kernel = gs_each_kernel<Op, W>;
    const int grid = gs_grid(q, n / W + 1, gs_at_once<kernel>());

    return gs_launch_pdl(q, name, kernel, grid, gs_block_size, n, op, q->partial, q->arrived);
}

template <class T, class Op>
gsolve_status gs_each(gs_queue *q, int64_t n, bool aligned, const Op &op, const char *name)
{
    return aligned ? gs_each_launch<gs_wide<T>>(q, n, op, name) : gs_each_launch<1>(q, n, op, name);
}

template <class... P>
bool gs_all_aligned(const P *...p)
{
    return (gs_aligned(p) && ...);
}

#endif
