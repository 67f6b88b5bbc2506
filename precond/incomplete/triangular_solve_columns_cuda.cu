// triangular_solve_columns_cuda.cu: triangular solves for several columns at once on a GPU, without
// launches or barriers between levels.
//
// A warp owns a row for all columns, which are row-major. A subwarp has as many lanes as there are
// columns; each subwarp has a share of the row's entries. z is filled with a sentinel first. A lane
// that needs an element of z loads it again until it is not the sentinel. The rows are sorted by
// levels, and a thread block takes its rows by the order in which it begins (ticket): so all rows
// that it waits for belong to blocks that run or have ended, and there is no deadlock. Each sum has
// one order, so that the bits are the same every time. A solve reads the triangle, r and d once,
// and z once per entry through the L2 cache.
#include "core/pdl.cuh"
#include "precond/incomplete/triangular_solve.cuh"

extern "C" {
#include "core/try.h"
}

namespace
{

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int threads = 128;     // of a block
constexpr int loads_at_once = 4; // entries whose elements of z a lane loads at the same time

// The sentinel has all bits set; it is a NaN. A result that is this NaN gets other bits.
__device__ double load_relaxed(const double *p)
{
    double v;

    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(v) : "l"(p) : "memory");
    return v;
}
__device__ float load_relaxed(const float *p)
{
    float v;

    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}
__device__ bool is_unsolved(double v)
{
    return __double_as_longlong(v) == -1;
}
__device__ bool is_unsolved(float v)
{
    return __float_as_int(v) == -1;
}
__device__ void store_relaxed(double *p, double v)
{
    if (is_unsolved(v)) v = __longlong_as_double(0x7ff8000000000000);
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" : : "l"(p), "d"(v) : "memory");
}
__device__ void store_relaxed(float *p, float v)
{
    if (is_unsolved(v)) v = __int_as_float(0x7fc00000);
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" : : "l"(p), "f"(v) : "memory");
}

template <class T>
struct triangle {
    int32_t n;
    const int32_t *order, *start, *col;
    const T *value, *d; // d: NULL, or a factor of each row of r
};

// One lane's share of the sum of row i for a column: every shares-th entry, from `share` on. z: the
// column, with `subwarp` numbers from row to row.
template <class T>
__device__ T sum_share(const triangle<T> &t, int32_t i, int share, int shares, const T *z,
                       int subwarp)
{
    const int32_t to = t.start[i + 1];
    T sum = 0;

    for (int32_t k = t.start[i] + share; k < to; k += loads_at_once * shares) {
        const T *from[loads_at_once];
        T v[loads_at_once], solved[loads_at_once];
        bool waits = true;
#pragma unroll
        for (int u = 0; u < loads_at_once; u++) {
            const bool in = k + u * shares < to;
            from[u] = in ? z + (int64_t)__ldg(&t.col[k + u * shares]) * subwarp : nullptr;
            v[u] = in ? __ldg(&t.value[k + u * shares]) : T(0);
            solved[u] = 0;
        }
        while (waits) {
            waits = false;
#pragma unroll
            for (int u = 0; u < loads_at_once; u++) {
                if (from[u]) solved[u] = load_relaxed(from[u]);
            }
#pragma unroll
            for (int u = 0; u < loads_at_once; u++) waits = waits || is_unsolved(solved[u]);
        }
#pragma unroll
        for (int u = 0; u < loads_at_once; u++) sum += v[u] * solved[u];
    }
    return sum;
}

// z = (I + T)^-1 (d * r), both row-major with `subwarp` numbers per row. *ticket: the number of
// blocks that have begun, 0 before the launch.
template <class T>
__global__ void __launch_bounds__(threads)
    solve_columns(triangle<T> t, int subwarp, int columns, const T *r, T *z, unsigned *ticket,
                  gs_guard guard)
{
    __shared__ unsigned block;
    const int lane = (int)threadIdx.x % 32, share = lane / subwarp, column = lane % subwarp;

    if (guard.has_ended()) return;
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);
    __syncthreads();
    const int64_t at = (int64_t)block * (threads / 32) + threadIdx.x / 32;
    if (at >= t.n) return;
    const int32_t i = t.order[at];
    T own = 0, sum = 0;
    if (column < columns) {
        if (share == 0) own = r[(int64_t)i * subwarp + column];
        if (share == 0 && t.d) own *= t.d[i];
        sum = sum_share(t, i, share, 32 / subwarp, z + column, subwarp);
    }
    for (int d = 16; d >= subwarp; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);
    if (share == 0 && column < columns) store_relaxed(&z[(int64_t)i * subwarp + column], own - sum);
}

gsolve_status make_order(const gs_triangle *t, gsolve_context *ctx)
{
    const size_t bytes = (size_t)t->rows.nrows * sizeof(int32_t);
    gs_vendor_triangle *v = t->vendor;
    int32_t *order = nullptr;
    gsolve_status status = GSOLVE_OK;

    if (v->ticket) return GSOLVE_OK;
    order = (int32_t *)gsolve_alloc(ctx, GSOLVE_HOST, bytes, 1);
    TRY(order ? gs_triangle_level_order(t, ctx, order) : GSOLVE_NO_MEMORY);
    if (!v->order) v->order = (int32_t *)gsolve_alloc(ctx, GSOLVE_DEVICE, bytes, 1);
    TRY(v->order ? GSOLVE_OK : GSOLVE_NO_MEMORY);
    TRY(gsolve_copy(ctx, v->order, GSOLVE_DEVICE, order, GSOLVE_HOST, bytes));
    ALLOC_DEVICE(ctx, v->ticket, 1);
done:
    gsolve_free(ctx, GSOLVE_HOST, order);
    return status;
}

} // namespace

template <class T>
gsolve_status gs_triangle_columns(gs_queue *q, const gs_triangle *t, const void *d, int32_t columns,
                                  int32_t stride, const void *r, void *z)
{
    const gs_vendor_triangle *v = t->vendor;
    const int32_t n = v->rows.nrows;
    const int blocks = (int)(((int64_t)n * 32 + threads - 1) / threads);
    gsolve_status status;

    if (n == 0) return GSOLVE_OK;
    TRY(make_order(t, q->ctx));
    TRY(gs_cuda(q, cudaMemsetAsync(z, 0xff, (size_t)n * stride * sizeof(T), q->stream), "marks"));
    TRY(gs_cuda(q, cudaMemsetAsync(v->ticket, 0, sizeof *v->ticket, q->stream), "marks"));
    TRY(gs_launch_pdl(q, "a triangular solve of columns", solve_columns<T>, blocks, threads,
                      triangle<T>{n, v->order, (const int32_t *)v->rows.start, v->rows.col,
                                  (const T *)v->rows.value, (const T *)d},
                      stride, columns, (const T *)r, (T *)z, v->ticket));
done:
    return status;
}

template gsolve_status gs_triangle_columns<float>(gs_queue *, const gs_triangle *, const void *,
                                                  int32_t, int32_t, const void *, void *);
template gsolve_status gs_triangle_columns<double>(gs_queue *, const gs_triangle *, const void *,
                                                   int32_t, int32_t, const void *, void *);
