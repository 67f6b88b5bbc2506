// residual_cuda.cu: b - A x and its norm from the rows of A, in double. A warp computes a row, a
// block one that is long. Shares no code with the formats, so that it can check them.
#include "core/cuda.cuh"

extern "C" {
#include "spmv/handle.h"
}

namespace
{

constexpr int most_short = 4096;

// A column of either type.
struct column {
    const void *at;
    bool single;

    __device__ double operator[](int64_t i) const
    {
        return single ? (double)static_cast<const float *>(at)[i]
                      : static_cast<const double *>(at)[i];
    }
};

template <class T, class O>
struct system {
    const O *start;
    const int32_t *col;
    const T *value;
    column b, x;
    double factor;
    T *r; // or NULL
    int32_t nrows;

    // What thread lane of lanes has of row i's sum.
    __device__ double share(int32_t i, int lane, int lanes) const
    {
        double sum = 0;
        for (int64_t k = (int64_t)start[i] + lane; k < (int64_t)start[i + 1]; k += lanes) {
            sum += (double)value[k] * x[col[k]];
        }
        return sum;
    }
    __device__ bool is_long(int32_t i) const { return start[i + 1] - start[i] > most_short; }

    // Row i, of which A x is known: the sums of gs_residual_sums.
    __device__ void count(int64_t i, double Ax, double (&sum)[4]) const
    {
        const double bi = b[i], ri = bi - Ax, scaled = factor * ri;

        sum[0] += scaled * scaled;
        sum[1] += factor * bi * (factor * bi);
        sum[2] += ri != 0;
        sum[3] += bi != 0;
        if (r) r[i] = (T)scaled;
    }
};

// The long ones among the rows of this block's threads, in turn.
template <class T, class O>
__device__ void long_rows(const system<T, O> &s, int32_t base, double (&sum)[4])
{
    for (int32_t i = base; i < base + gs_block_size && i < s.nrows; i++) {
        if (!s.is_long(i)) continue;
        const double Ax = gs_block_sum(s.share(i, (int)threadIdx.x, gs_block_size));
        if (threadIdx.x == 0) s.count(i, Ax, sum);
    }
}

template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    residual_of(system<T, O> s, double *partial, unsigned *arrived, gs_residual_sums *out)
{
    const int lane = (int)threadIdx.x % 32;
    double sum[4] = {};

    for (int64_t base = (int64_t)blockIdx.x * gs_block_size; base < s.nrows;
         base += (int64_t)gridDim.x * gs_block_size) {
        for (int r = (int)threadIdx.x / 32; r < gs_block_size; r += gs_block_size / 32) {
            const int64_t i = base + r;
            if (i >= s.nrows || s.is_long((int32_t)i)) continue;
            double Ax = s.share((int32_t)i, lane, 32);
            for (int d = 16; d > 0; d /= 2) Ax += __shfl_xor_sync(0xffffffffu, Ax, d);
            if (lane == 0) s.count(i, Ax, sum);
        }
        const int64_t mine = base + threadIdx.x;
        if (__syncthreads_or(mine < s.nrows && s.is_long((int32_t)mine))) {
            long_rows(s, (int32_t)base, sum);
        }
    }
    gs_grid_sum(sum, partial, arrived,
                [&](int k, double total) { reinterpret_cast<double *>(out)[k] = total; });
}

column column_of(gsolve_dense v)
{
    return {v.value, v.type == GSOLVE_F32};
}

template <class T, class O>
gsolve_status run(gs_queue *q, const gsolve_csr *A, gsolve_dense b, gsolve_dense x, double factor,
                  void *r, gs_residual_sums *out)
{
    const system<T, O> s = {(const O *)A->start,
                            A->col,
                            (const T *)A->value,
                            column_of(b),
                            column_of(x),
                            factor,
                            (T *)r,
                            A->nrows};

    return gs_launch(q, "the residual", residual_of<T, O>, gs_grid(q, A->nrows), gs_block_size, s,
                     q->partial, q->arrived, out);
}

template <class T>
gsolve_status residual(gs_queue *q, const gsolve_csr *A, gsolve_dense b, gsolve_dense x,
                       double factor, void *r, gs_residual_sums *out)
{
    return A->offset == GSOLVE_O64 ? run<T, int64_t>(q, A, b, x, factor, r, out)
                                   : run<T, int32_t>(q, A, b, x, factor, r, out);
}

} // namespace

extern "C" const gs_residual_kernels gs_residual_cuda[GSOLVE_TYPE_COUNT] = {{residual<float>},
                                                                            {residual<double>}};
