// relax_cuda.cu: the passes of relax.h on a GPU: some lanes share a row.
#include "precond/amg/row_lanes.cuh"

extern "C" {
#include "core/judge.h"
#include "core/try.h"
#include "precond/amg/relax.h"
}

namespace
{

// --- the longest row --------------------------------------------------------------------------

template <class O>
__global__ void __launch_bounds__(gs_block_size) longest_row(int32_t n, const O *start, int *most)
{
    const int64_t first = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    int own = 0;

    for (int64_t i = first; i < n; i += (int64_t)gridDim.x * gs_block_size) {
        own = max(own, (int)(start[i + 1] - start[i]));
    }
    for (int d = 16; d > 0; d /= 2) own = max(own, __shfl_xor_sync(gs_all_lanes, own, d));
    if (threadIdx.x % 32 == 0) atomicMax(most, own);
}

gsolve_status longest(gsolve_context *ctx, const gsolve_csr *A, int32_t *result)
{
    gs_queue *q = ctx->queue;
    int *most = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, most, 1);
    TRY(gs_cuda(q, cudaMemsetAsync(most, 0, sizeof *most, q->stream), "the longest row"));
    TRY(gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the longest row", longest_row<O>, gs_grid(q, A->nrows), gs_block_size,
                         A->nrows, start, most);
    }));
    TRY(gsolve_copy(ctx, result, GSOLVE_HOST, most, GSOLVE_DEVICE, sizeof *result));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, most);
    return status;
}

// --- the passes -------------------------------------------------------------------------------

template <class T>
struct keep_residual { // r = b - A x
    static constexpr bool reads_x = false;
    const T *b;
    T *r;
    __device__ void at(int64_t i, T Ax, T) const { r[i] = b[i] - Ax; }
};

template <class T>
struct step { // y = x + a d * (b - A x) + c (x - old)
    static constexpr bool reads_x = true;
    T a, c;
    const T *d, *b, *old;
    T *y;
    __device__ void at(int64_t i, T Ax, T x) const
    {
        T next = x + a * d[i] * (b[i] - Ax);
        if (c != 0) next += c * (x - (old ? old[i] : T(0)));
        y[i] = next;
    }
};

template <int L, class T, class O, class End>
__global__ void __launch_bounds__(gs_block_size)
    pass(gs_rows<T, O> A, int32_t n, const T *x, End end, const int *ended)
{
    constexpr int at_once = gs_rows_at_once<T>;
    const gs_lanes<L> g;
    const int64_t groups = (int64_t)gridDim.x * (gs_block_size / L);
    int64_t i[at_once];
    T sum[at_once];

    if (ended && *ended >= GS_ENDS) return;
    for (int r = 0; r < at_once; r++) i[r] = g.unit + r * groups < n ? g.unit + r * groups : -1;
    gs_row_sums<L>(A, g.lane, i, x, sum);
#pragma unroll
    for (int r = 0; r < at_once; r++) {
        const T all = g.sum(sum[r]);
        if (i[r] >= 0 && g.lane == 0) end.at(i[r], all, End::reads_x ? x[i[r]] : T(0));
    }
}

template <class T, class End>
gsolve_status run(gs_queue *q, const gsolve_csr *A, double mean, const void *x, const End &end)
{
    if (A->nrows == 0) return GSOLVE_OK;
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const gs_rows<T, O> rows = {start, A->col, (const T *)A->value};
        return gs_with_lanes(mean / 2, [&](auto lanes) {
            const int64_t groups =
                ((int64_t)A->nrows + gs_rows_at_once<T> - 1) / gs_rows_at_once<T>;
            return gs_launch(q, "smooth by rows", pass<decltype(lanes)::value, T, O, End>,
                             gs_lane_blocks(groups, lanes), gs_block_size, rows, A->nrows,
                             (const T *)x, end, q->guard);
        });
    });
}

template <class T>
gsolve_status residual(gs_queue *q, const gsolve_csr *A, double mean, const void *b, const void *x,
                       void *r)
{
    return run<T>(q, A, mean, x, keep_residual<T>{(const T *)b, (T *)r});
}

template <class T>
gsolve_status relax(gs_queue *q, const gsolve_csr *A, double mean, double a, double c,
                    const void *d, const void *b, const void *x, const void *old, void *y)
{
    return run<T>(q, A, mean, x,
                  step<T>{(T)a, (T)c, (const T *)d, (const T *)b, (const T *)old, (T *)y});
}

} // namespace

extern "C" const gs_relax_kernels gs_relax_cuda[GSOLVE_TYPE_COUNT] = {
    {longest, residual<float>, relax<float>}, {longest, residual<double>, relax<double>}};
