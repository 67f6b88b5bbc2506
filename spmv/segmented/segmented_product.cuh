// segmented_product.cuh: what the kernels of the product share on a GPU: where sums go, and the
// parts of rows too long for segments.
#ifndef GS_SPMV_SEGMENTED_SEGMENTED_PRODUCT_CUH
#define GS_SPMV_SEGMENTED_SEGMENTED_PRODUCT_CUH

#include "spmv/segmented/segmented.cuh"

namespace gs_segments
{

constexpr int at_once = 8; // entries that a thread reads at once

template <class T>
struct product {
    const int32_t *target; // NULL: segment i is row i
    int32_t segments, parts;
    T *partial;
    const gs_segmented_part *part;
    T *part_sum;
    unsigned *done;
    const int32_t *rows_col; // the rows as they are
    const T *rows_value;
    const T *x; // or expanded
    T *y, alpha, beta;
    const T *w;
    double *out[2]; // w'y; y'y
};

// y_i = alpha sum + beta y_i
template <class T>
__device__ void finish(const product<T> &a, int64_t i, T sum)
{
    a.y[i] = a.beta == 0 ? a.alpha * sum : a.alpha * sum + a.beta * a.y[i];
}

// The sum of the segment whose target that is.
template <class T>
__device__ void put(const product<T> &a, int32_t to, T sum)
{
    if (to >= 0) {
        finish(a, to, sum);
    } else {
        a.partial[~to] = sum;
    }
}

// The sum over the aligned group of lanes threads, in all of them.
template <class T>
__device__ T lanes_sum(T sum, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    return sum;
}

// --- parts of long rows -----------------------------------------------------------------------

// This thread's share of a part.
template <class T>
__device__ T share_of(const product<T> &a, const gs_segmented_part &p, const T *x)
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

template <class T>
__device__ void sum_part(const product<T> &a, const gs_segmented_part p, const T *x)
{
    __shared__ bool last;
    T sum = gs_block_sum(share_of(a, p, x));

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

// Blocks for items of work, so many to a block: one each, or with sums on the way, and where all
// items are alike, those that run at once.
template <auto KERNEL>
int grid_for(const gs_queue *q, const gs_segmented *s, int64_t items, int to_a_block)
{
    const int64_t blocks = (items + to_a_block - 1) / to_a_block;
    const int64_t most = s->target ? INT32_MAX : (int64_t)q->processors * gs_at_once<KERNEL>();

    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most) + s->parts;
}

// The product by a thread a segment, or several; in segmented_threads_cuda.cu and
// segmented_lanes_cuda.cu.
template <class T>
gsolve_status by_threads(gs_queue *q, const gs_segmented *s, const product<T> &a);
template <class T>
gsolve_status by_lanes(gs_queue *q, const gs_segmented *s, const product<T> &a);

// Many columns by rows, in segmented_block_cuda.cu.
template <class T>
gsolve_status multiply_rows(gsolve_context *ctx, const void *self, double alpha, gsolve_dense x,
                            double beta, gsolve_dense y, void *sums);

// y of the rows of several segments, from their sums; and what finish=host takes for it. In
// segmented_finish_cuda.cu.
template <class T>
gsolve_status finish_rows(gs_queue *q, const gs_segmented *s, const product<T> &a);
template <class T>
gsolve_status prepare(gs_segmented *s, gsolve_context *ctx);
void drop(gs_segmented *s, gsolve_context *ctx);

} // namespace gs_segments

#endif
