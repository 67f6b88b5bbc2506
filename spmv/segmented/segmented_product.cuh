// segmented_product.cuh: what the kernels of the product share on a GPU: where the sums of segments
// are written, and the parts of rows that are too long for segments.
#ifndef GS_SPMV_SEGMENTED_SEGMENTED_PRODUCT_CUH
#define GS_SPMV_SEGMENTED_SEGMENTED_PRODUCT_CUH

#include "spmv/segmented/segmented.cuh"

namespace gs_segments
{

constexpr int at_once = 8; // entries that a thread loads at once

template <class T>
struct product {
    const int32_t *target; // NULL: segment i is row i
    int32_t segments, parts;
    T *partial;
    const gs_segmented_part *part;
    T *part_sum;
    unsigned *done;
    const int32_t *rows_col; // the rows of csr
    const T *rows_value;
    const T *x; // or expanded
    T *y, alpha, beta;
    const T *w;
    double *out[2]; // w'y and y'y, or NULL
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const product<T> &a, int64_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// Writes the sum of a segment to its target.
template <class T>
__device__ void put(const product<T> &a, int32_t to, T sum)
{
    if (to >= 0) {
        finish(a, to, sum);
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
__device__ T thread_part(const product<T> &a, const gs_segmented_part &p, const T *x)
{
    const int32_t *col = a.rows_col + p.from;
    const T *value = a.rows_value + p.from;
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
            if (c[u] >= 0) sum += v[u] * __ldg(&x[c[u]]);
        }
    }
    return sum;
}

// A block sums a part of a long row. The block that finishes last adds the parts of the row in
// their order and resets the counter.
template <class T>
__device__ void sum_part(const product<T> &a, const gs_segmented_part p, const T *x)
{
    __shared__ bool last;
    T sum = gs_block_sum(thread_part(a, p, x));

    if (p.parts == 1) {
        if (threadIdx.x == 0) finish(a, p.row, sum);
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
        finish(a, p.row, sum);
        a.done[p.first] = 0;
    }
}

// Blocks for `items` items with to_a_block items per block: enough for one item each; for kernels
// with sums, where segments are rows, at most as many as run at once. The blocks for parts are
// added.
template <auto KERNEL>
int grid_for(const gs_queue *q, const gs_segmented *s, int64_t items, int to_a_block)
{
    const int64_t blocks = (items + to_a_block - 1) / to_a_block;
    const int64_t most = s->target ? INT32_MAX : (int64_t)q->processors * gs_at_once<KERNEL>();

    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most) + s->parts;
}

// segmented_threads_cuda.cu and segmented_lanes_cuda.cu: the product with one or with several
// threads per segment.
template <class T>
gsolve_status by_threads(gs_queue *q, const gs_segmented *s, const product<T> &a);
template <class T>
gsolve_status by_lanes(gs_queue *q, const gs_segmented *s, const product<T> &a);

// segmented_block_cuda.cu: many columns, row-major.
template <class T>
gsolve_status multiply_rows(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                            double beta, gsolve_dense y, void *sums);

// segmented_finish_cuda.cu: the rows of y that are cut, from the sums of their segments; and the
// memory for finish=host.
template <class T>
gsolve_status finish_rows(gs_queue *q, const gs_segmented *s, const product<T> &a);
template <class T>
gsolve_status prepare(gs_segmented *s, gsolve_context *ctx);
void drop(gs_segmented *s, gsolve_context *ctx);

} // namespace gs_segments

#endif
