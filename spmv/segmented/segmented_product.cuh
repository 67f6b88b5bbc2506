// segmented_product.cuh: what the kernels of the product share on a GPU: where the sums of segments
// are written, and the parts of rows that are too long for segments.
#ifndef GS_SPMV_SEGMENTED_SEGMENTED_PRODUCT_CUH
#define GS_SPMV_SEGMENTED_SEGMENTED_PRODUCT_CUH

#include "spmv/product.cuh"
#include "spmv/segmented/segmented.cuh"

namespace gs_segments
{

constexpr int at_once = 8; // entries that a thread loads at once

template <class T>
struct product : gs_row_operands<T> {
    const int32_t *target; // NULL: segment i is row i
    int32_t segments, parts;
    T *partial;
    const gs_segmented_part *part;
    T *part_sum;
    unsigned *done;
};

// Writes the sum of a segment to its target.
template <class T>
__device__ void put(const product<T> &a, int32_t to, T sum)
{
    if (to >= 0) {
        gs_finish(a, to, sum);
    } else {
        a.partial[~to] = sum;
    }
}

// The sum over the aligned group of `lanes` threads; every thread of the group gets it.
template <class T>
__device__ T lanes_sum(T sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

// --- parts of long rows -----------------------------------------------------------------------

// The sum of this thread's entries of a part.
template <class T>
__device__ T thread_part(const product<T> &a, const gs_segmented_part &p)
{
    const int32_t *col = a.col + p.from;
    const T *value = a.value + p.from;
    T sum = 0;

    for (int64_t base = threadIdx.x; base < p.entries; base += at_once * gs_block_size) {
        int32_t c[at_once];
        T v[at_once];
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            const int64_t k = base + u * gs_block_size;
            c[u] = k < p.entries ? __ldcs(&col[k]) : -1;
            v[u] = k < p.entries ? __ldcs(&value[k]) : T(0);
        }
#pragma unroll
        for (int u = 0; u < at_once; u++) {
            if (c[u] >= 0) sum += v[u] * __ldg(&a.x[c[u]]);
        }
    }
    return sum;
}

// A block sums a part of a long row. The block that finishes last adds the parts of the row in
// their order and resets the counter.
template <class T>
__device__ void sum_part(const product<T> &a, const gs_segmented_part p)
{
    __shared__ bool last;
    T sum = gs_block_sum(thread_part(a, p));

    if (p.parts == 1) {
        if (threadIdx.x == 0) gs_finish(a, p.row, sum);
        return;
    }
    if (threadIdx.x == 0) {
        a.part_sum[p.slot] = sum;
        __threadfence();
        last = atomicAdd(&a.done[p.first], 1u) == (unsigned)p.parts - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    static_assert(most_parts <= gs_block_size, "a thread adds one part");
    sum = (int)threadIdx.x < p.parts ? __ldcg(&a.part_sum[p.first + (int)threadIdx.x]) : T(0);
    sum = gs_block_sum(sum);
    if (threadIdx.x == 0) {
        gs_finish(a, p.row, sum);
        a.done[p.first] = 0;
    }
}

} // namespace gs_segments

#endif
