// sliced_rows_cuda.cu: the product on a GPU where slices have 32 lanes, one per row, see
// sliced_rows.cuh. A warp owns a slice and a thread owns a row; nothing is shared. With LONG, the
// first blocks compute parts of long rows, one per warp. SUMS 1: w'y, 2: w'y and y'y, whose terms
// each thread keeps in double; gs_grid_sum adds them in an order that depends on the grid alone.
// Memory moved: the slices once, x by gathers, y once.
#include "core/pdl.cuh"
#include "spmv/sliced/sliced_rows.cuh"

using namespace gs_by_slices;

namespace
{

// y = alpha A x + beta y, see the head of the file. A warp strides over the slices and loads where
// its next slice lies while it sums the present one.
template <class T, class V, bool NARROW, bool LONG, int SUMS>
__global__ void __launch_bounds__(gs_block_size, LONG ? 4 : 6)
    rows_by_slices(gs_sliced s, operands<T> a, double *partial, unsigned *arrived, gs_guard guard)
{
    const int for_parts = LONG ? (s.parts + warps_of_block - 1) / warps_of_block : 0;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    double terms[SUMS ? SUMS : 1] = {};

    if (guard.has_ended()) return;
    if (LONG && (int)blockIdx.x < for_parts) {
        const int p = (int)blockIdx.x * warps_of_block + warp;
        if (p < s.parts) do_part(s, a, p);
        return;
    }
    const int32_t step = ((int)gridDim.x - for_parts) * warps_of_block;
    int32_t at = ((int)blockIdx.x - for_parts) * warps_of_block + warp;
    slice_view<NARROW> now(s, at);
    for (; at < s.slices; at += step) {
        const int32_t row = row_of(s, now, lane);
        const slice_view<NARROW> next(s, at + step); // loaded while this slice is summed
        const T w = SUMS > 0 && row >= 0 ? a.w[row] : T(0);
        const T sum = sum_row<T, V, NARROW>(s, now, lane, a.x);
        if (row >= 0) {
            finish(a, row, sum);
            if constexpr (SUMS > 0) terms[0] += (double)w * (double)sum;
            if constexpr (SUMS > 1) terms[1] += (double)sum * (double)sum;
        }
        now = next;
    }
    if constexpr (SUMS > 0) {
        gs_grid_sum(terms, partial, arrived,
                    [&](int t, double total) { *(t == 0 ? a.out[0] : a.out[1]) = total; });
    }
}

template <class T, class V, bool NARROW, bool LONG, int SUMS>
gsolve_status launch(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    constexpr auto kernel = rows_by_slices<T, V, NARROW, LONG, SUMS>;
    const int for_parts = LONG ? blocks_for((int64_t)s->parts * 32) : 0;
    const int grid = blocks_of_slices(q, s, SUMS > 0, gs_at_once<kernel>());

    if (grid + for_parts == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "the product by slices", kernel, grid + for_parts, gs_block_size, *s, a,
                         q->partial, q->arrived);
}

template <class T, class V, bool NARROW>
gsolve_status choose_kernel(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    if (a.out[1]) return launch<T, V, NARROW, false, 2>(q, s, a);
    if (a.out[0]) return launch<T, V, NARROW, false, 1>(q, s, a);
    return s->parts > 0 ? launch<T, V, NARROW, true, 0>(q, s, a)
                        : launch<T, V, NARROW, false, 0>(q, s, a);
}

} // namespace

template <class T, class V>
gsolve_status gs_sliced_rows_cuda(gs_queue *q, const gs_sliced *s, const operands<T> &a)
{
    return s->narrow ? choose_kernel<T, V, true>(q, s, a) : choose_kernel<T, V, false>(q, s, a);
}

template gsolve_status gs_sliced_rows_cuda<float, float>(gs_queue *, const gs_sliced *,
                                                         const operands<float> &);
template gsolve_status gs_sliced_rows_cuda<double, float>(gs_queue *, const gs_sliced *,
                                                          const operands<double> &);
template gsolve_status gs_sliced_rows_cuda<double, double>(gs_queue *, const gs_sliced *,
                                                           const operands<double> &);
