// segmented_cuda.cu: the product with segments on a GPU, see segmented.h.
//
// sum=thread: a warp sums a group, each thread one segment, with eight entries in flight
// (segmented_threads_cuda.cu). sum=reduce: a few threads sum a segment, several segments at a time
// (segmented_lanes_cuda.cu). The first blocks of the same launch sum the parts of rows that are too
// long for segments, one part per block; the block that finishes last adds the parts of the row in
// their order. If there are cut rows, a second, small launch adds the sums of their segments
// (segmented_finish_cuda.cu).
//
// One product moves 12 bytes per stored entry (8 in single precision), the tables, and x and y
// once.
#include "core/pdl.cuh"
#include "spmv/segmented/segmented_product.cuh"

extern "C" {
#include "vector/vector.h"
}

using namespace gs_segments;

namespace
{

// expanded[k] = x[col[k]]; a thread strides over the entries.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    expand(int64_t n, const int32_t *col, const T *x, T *expanded, gs_guard guard)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    if (guard.has_ended()) return;
#pragma unroll 4
    for (int64_t k = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; k < n; k += step) {
        const int32_t c = __ldcs(&col[k]);
        expanded[k] = c >= 0 ? __ldg(&x[c]) : T(0);
    }
}

template <class T>
gsolve_status apply(gs_queue *q, const gs_segmented *s, double alpha, const void *x, double beta,
                    void *y, const gs_product_sums *dots)
{
    const gs_vector_kernels *vector = &gs_vector_cuda[s->csr.type];
    const int32_t n = s->csr.nrows;
    product<T> a = {s->target,       s->segments, s->parts,
                    (T *)s->partial, s->part,     (T *)s->part_sum,
                    s->done,         s->csr.col,  (const T *)s->csr.value,
                    (const T *)x,    (T *)y,      (T)alpha,
                    (T)beta,         nullptr,     {}};
    gsolve_status status = GSOLVE_OK;

    if (n == 0 && !dots) return status;
    if (dots && !s->target) { // segments are rows
        a.w = (const T *)dots->w;
        a.out[0] = dots->wy;
        a.out[1] = dots->yy;
    }
    if (s->expanded) {
        TRY(gs_launch_pdl(q, "expanding x", expand<T>, gs_grid(q, s->stored), gs_block_size,
                          s->stored, s->reduce ? s->csr.col : s->col, (const T *)x,
                          (T *)s->expanded));
    }
    TRY(s->reduce ? by_lanes(q, s, a) : by_threads(q, s, a));
    TRY(finish_rows(q, s, a));
    if (!dots || a.out[0]) return status;
    TRY(gs_sum_product(vector, q, n, y, dots));
done:
    return status;
}

// A group is a warp. Where lengths differ, segments have 32 entries: with more, single threads take
// long. 4096 warps are about half of those that run at once.
template <class T>
constexpr gs_segmented_kernels table()
{
    return {32,
            32,
            4096,
            GS_SEGMENT_MOST,
            false,
            gs_segmented_measure_rows_cuda,
            gs_segmented_cut_cuda,
            gs_segmented_inspect_cuda,
            gs_segmented_sort_cuda,
            gs_segmented_measure_groups_cuda,
            gs_segmented_fill_cuda,
            prepare<T>,
            drop,
            apply<T>,
            multiply_rows<T>};
}

} // namespace

extern "C" const gs_segmented_kernels gs_segmented_cuda[GSOLVE_TYPE_COUNT] = {table<float>(),
                                                                              table<double>()};
