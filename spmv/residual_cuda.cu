// residual_cuda.cu: |b - Ax|^2 from the rows of A, in double. A warp a row, a block for those that
// are long. Shares no code with the formats, so that it can judge them.
#include "core/cuda.cuh"

extern "C" {
#include "spmv/matrix.h"
}

namespace
{

constexpr int most_short = 4096;

template <class T, class O>
struct system {
    const O *start;
    const int32_t *col;
    const T *value, *b, *x;
    int32_t nrows;

    // What thread lane of lanes has of row i's sum.
    __device__ double share(int32_t i, int lane, int lanes) const
    {
        double sum = 0;
        for (O k = start[i] + lane; k < start[i + 1]; k += lanes) {
            sum += (double)value[k] * (double)x[col[k]];
        }
        return sum;
    }
    __device__ bool is_long(int32_t i) const { return start[i + 1] - start[i] > most_short; }
};

__device__ void count(double b, double Ax, double (&sum)[2])
{
    sum[0] += (b - Ax) * (b - Ax);
    sum[1] += b * b;
}

// The long ones among the rows of this block's threads, in turn.
template <class T, class O>
__device__ void long_rows(const system<T, O> &s, int32_t base, double (&sum)[2])
{
    for (int32_t i = base; i < base + gs_block_size && i < s.nrows; i++) {
        if (!s.is_long(i)) continue;
        const double Ax = gs_block_sum(s.share(i, (int)threadIdx.x, gs_block_size));
        if (threadIdx.x == 0) count((double)s.b[i], Ax, sum);
    }
}

template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    squares_of(system<T, O> s, double *partial, unsigned *arrived, double *out)
{
    const int lane = (int)threadIdx.x % 32;
    double sum[2] = {};

    for (int64_t base = (int64_t)blockIdx.x * gs_block_size; base < s.nrows;
         base += (int64_t)gridDim.x * gs_block_size) {
        for (int r = (int)threadIdx.x / 32; r < gs_block_size; r += gs_block_size / 32) {
            const int64_t i = base + r;
            if (i >= s.nrows || s.is_long((int32_t)i)) continue;
            double Ax = s.share((int32_t)i, lane, 32);
            for (int d = 16; d > 0; d /= 2) Ax += __shfl_xor_sync(0xffffffffu, Ax, d);
            if (lane == 0) count((double)s.b[i], Ax, sum);
        }
        const int64_t mine = base + threadIdx.x;
        if (__syncthreads_or(mine < s.nrows && s.is_long((int32_t)mine))) {
            long_rows(s, (int32_t)base, sum);
        }
    }
    gs_grid_sum(sum, partial, arrived, [&](int k, double total) { out[k] = total; });
}

template <class T, class O>
gsolve_status run(gs_queue *q, const gsolve_csr *A, const void *b, const void *x, double *out)
{
    const system<T, O> s = {(const O *)A->start, A->col,       (const T *)A->value,
                            (const T *)b,        (const T *)x, A->nrows};

    return gs_launch(q, "the residual", squares_of<T, O>, gs_grid(q, A->nrows), gs_block_size, s,
                     q->partial, q->arrived, out);
}

template <class T>
gsolve_status squares(gs_queue *q, const gsolve_csr *A, const void *b, const void *x, double *out)
{
    return A->offset == GSOLVE_O64 ? run<T, int64_t>(q, A, b, x, out)
                                   : run<T, int32_t>(q, A, b, x, out);
}

} // namespace

extern "C" const gs_residual_kernels gs_residual_cuda[GSOLVE_TYPE_COUNT] = {{squares<float>},
                                                                            {squares<double>}};
