// sliced_product.cuh: what the kernels of the product share: the operands, and rows that are too
// long for slices. A warp reads one part of a long row from csr; the warp that finishes last adds
// the parts of the row in their order.
#ifndef GS_SPMV_SLICED_SLICED_PRODUCT_CUH
#define GS_SPMV_SLICED_SLICED_PRODUCT_CUH

#include "spmv/sliced/sliced.cuh"

namespace gs_by_slices
{

template <class T>
struct operands {
    const T *x;
    T *y;
    T alpha, beta;
    const T *w;
    double *out[2]; // w'y and y'y, or NULL
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const operands<T> &a, int32_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// The sum over the lanes of a row, in all of them. most: log2 of the most lanes that any row has.
template <class T>
__device__ T sum_row_lanes(T sum, int row_shift, int most)
{
    for (int d = (1 << most) / 2; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(all_lanes, sum, d);
        if (d < 1 << row_shift) sum += other;
    }
    return sum;
}

// --- long rows --------------------------------------------------------------------------------

template <class T>
__device__ T sum_warp(T sum)
{
    return sum_row_lanes(sum, 5, 5);
}

template <class T>
__device__ T sum_entries(const gs_sliced &s, const gs_row_part &part, const T *x)
{
    const int32_t *col = s.csr.col + part.from;
    const T *value = (const T *)s.csr.value + part.from;
    T sum = 0;

    for (int k = (int)threadIdx.x % 32; k < part.entries; k += 4 * 32) {
        int32_t c[4];
        T v[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            const bool in = k + u * 32 < part.entries;
            c[u] = in ? __ldcs(&col[k + u * 32]) : -1;
            v[u] = in ? __ldcs(&value[k + u * 32]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&x[c[u]]);
        }
    }
    return sum_warp(sum);
}

// A warp sums part p. If it finishes last among the parts of the row, it finishes the row.
template <class T>
__device__ inline void do_part(const gs_sliced &s, const operands<T> &a, int p)
{
    const gs_row_part part = s.part[p];
    const int lane = (int)threadIdx.x % 32;
    T *sums = (T *)s.sum, sum = sum_entries(s, part, a.x);
    unsigned before = 0;

    if (part.parts == 1) {
        if (lane == 0) finish(a, part.row, sum);
        return;
    }
    if (lane == 0) {
        sums[p] = sum;
        __threadfence();
        before = atomicAdd(&s.done[part.l], 1u);
    }
    before = __shfl_sync(all_lanes, before, 0);
    if (before != (unsigned)part.parts - 1) return;
    __threadfence();
    sum = 0;
    for (int k = lane; k < part.parts; k += 32) sum += __ldcg(&sums[part.first + k]);
    sum = sum_warp(sum);
    if (lane == 0) {
        finish(a, part.row, sum);
        s.done[part.l] = 0;
    }
}

} // namespace gs_by_slices

// sliced_rows_cuda.cu: the product where slices have 32 lanes, one per row of any length.
template <class T>
gsolve_status gs_sliced_rows_cuda(gs_queue *q, const gs_sliced *s,
                                  const gs_by_slices::operands<T> &a);

#endif
