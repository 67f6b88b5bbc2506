// sliced_step_cuda.cu: the steps of spmv/step.h on a GPU. A warp owns a slice and a thread owns a
// row, as in sliced_rows_cuda.cu. A thread loads its elements of the other vectors before it sums
// its row, so that all waits overlap. Memory moved: the slices, and each vector of the step once.
#include "core/pdl.cuh"
#include "spmv/sliced/sliced_rows.cuh"

using namespace gs_by_slices;

namespace
{

enum { RESIDUAL, STEP, WIDE };

template <class T>
struct step_vectors { // the vectors of a step
    T a, c;
    const T *x, *d, *b, *old;
    T *y;
    double *wide, *ry;
    const double *r;
};

// Element i of each vector.
template <int KIND, class T>
struct terms_of {
    T b, d, x, old;
    double r;

    __device__ __forceinline__ terms_of(const step_vectors<T> &v, int32_t i)
        : b(0), d(0), x(0), old(0), r(0)
    {
        if (i < 0) return;
        b = v.b[i];
        if constexpr (KIND != RESIDUAL) {
            d = v.d[i];
            x = v.x[i];
            if (v.old) old = v.old[i];
        }
        if constexpr (KIND == WIDE) r = v.r[i];
    }
    __device__ __forceinline__ T make(const step_vectors<T> &v, T Ax) const
    {
        if constexpr (KIND == RESIDUAL) return b - Ax;
        return x + v.a * d * (b - Ax) + v.c * (x - old);
    }
};

// One step for all rows, see the head of the file. KIND: RESIDUAL (y = b - A x), STEP, or WIDE (a
// step that writes y in double precision and adds r'y in an order that depends on the grid alone).
template <int KIND, class T, class V, bool NARROW>
__global__ void __launch_bounds__(gs_block_size, 5)
    step_by_slices(gs_sliced s, step_vectors<T> v, double *partial, unsigned *arrived,
                   gs_guard guard)
{
    const int32_t step = (int)gridDim.x * warps_of_block;
    const int lane = (int)threadIdx.x % 32;
    int32_t at = (int)blockIdx.x * warps_of_block + (int)threadIdx.x / 32;
    double sum[1] = {};

    if (guard.has_ended()) return;
    slice_view<NARROW> now(s, at);
    for (; at < s.slices; at += step) {
        const int32_t row = row_of(s, now, lane);
        const slice_view<NARROW> next(s, at + step); // loaded while this slice is summed
        const terms_of<KIND, T> terms(v, row);
        const T Ax = sum_row<T, V, NARROW>(s, now, lane, v.x);
        const T y = terms.make(v, Ax);
        if (row >= 0) {
            if constexpr (KIND == WIDE) {
                v.wide[row] = (double)y;
                sum[0] += terms.r * (double)y;
            } else {
                v.y[row] = y;
            }
        }
        now = next;
    }
    if constexpr (KIND == WIDE) {
        if (v.ry) gs_grid_sum(sum, partial, arrived, [&](int, double total) { *v.ry = total; });
    }
}

template <int KIND, class T, class V, bool NARROW>
gsolve_status launch(gs_queue *q, const gs_sliced *s, const step_vectors<T> &v)
{
    constexpr auto kernel = step_by_slices<KIND, T, V, NARROW>;
    const int grid = blocks_of_slices(q, s, v.ry, gs_at_once<kernel>());

    if (grid == 0) return GSOLVE_OK;
    return gs_launch_pdl(q, "a step by slices", kernel, grid, gs_block_size, *s, v, q->partial,
                         q->arrived);
}

template <int KIND, class T, class V>
gsolve_status choose_index(gs_queue *q, const gs_sliced *s, const step_vectors<T> &v)
{
    return s->narrow ? launch<KIND, T, V, true>(q, s, v) : launch<KIND, T, V, false>(q, s, v);
}

template <class T, class V>
gsolve_status choose_kind(gs_queue *q, const gs_sliced *s, const step_vectors<T> &v)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        if (v.wide) return choose_index<WIDE, T, V>(q, s, v);
    }
    return v.d ? choose_index<STEP, T, V>(q, s, v) : choose_index<RESIDUAL, T, V>(q, s, v);
}

} // namespace

template <class T>
gsolve_status gs_sliced_step_cuda(gs_queue *q, const gs_sliced *s, const void *x,
                                  const gs_step *step)
{
    const step_vectors<T> v = {(T)step->a,         (T)step->c,
                               (const T *)x,       (const T *)step->d,
                               (const T *)step->b, step->c != 0 ? (const T *)step->old : nullptr,
                               (T *)step->y,       step->wide,
                               step->ry,           step->r};

    if constexpr (sizeof(T) > sizeof(float)) {
        if (s->single) return choose_kind<T, float>(q, s, v);
    }
    return choose_kind<T, T>(q, s, v);
}

template gsolve_status gs_sliced_step_cuda<float>(gs_queue *, const gs_sliced *, const void *,
                                                  const gs_step *);
template gsolve_status gs_sliced_step_cuda<double>(gs_queue *, const gs_sliced *, const void *,
                                                   const gs_step *);
