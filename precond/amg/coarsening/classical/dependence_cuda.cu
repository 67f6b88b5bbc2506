// dependence_cuda.cu: strong connections on a GPU, see classical.h.
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"
}

#define SMALL static inline __device__
#include "precond/amg/coarsening/classical/classical_rules.h"

namespace
{

__device__ bool is_zero(const gsolve_dense &v, int32_t i, int32_t c)
{
    const int64_t at = i + c * v.stride;

    return v.type == GSOLVE_F32 ? ((const float *)v.value)[at] == 0
                                : ((const double *)v.value)[at] == 0;
}

// A thread owns every step-th unknown.
__global__ void find_components(int32_t n, int32_t block, gsolve_dense near_null,
                                uint8_t *component)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        int32_t c = block > 1 ? (int32_t)(i % block) : 0;
        while (block == 1 && c < near_null.ncols - 1 && is_zero(near_null, (int32_t)i, c)) c++;
        component[i] = (uint8_t)c;
    }
}

gsolve_status components(gsolve_context *ctx, int32_t n, int32_t block,
                         const gsolve_dense *near_null, uint8_t *component)
{
    gs_queue *q = ctx->queue;

    return gs_launch(q, "components", find_components, gs_grid(q, n), gs_block_size, n, block,
                     *near_null, component);
}

// a_ii, or 0 if it is missing, in each lane of the subwarp.
template <int L, class T>
__device__ double diagonal_of(const gs_subwarp<L> &g, int64_t begin, int64_t end,
                              const int32_t *col, const T *a)
{
    double own = 0;

    for (int64_t k = begin + g.lane; k < end; k += L) {
        if (col[k] == g.unit) own = (double)a[k];
    }
    return g.sum(own); // one lane has it, the others 0
}

// Sets the flags of each entry and the kind of each row. L threads own a row, and read it three
// times: for the diagonal, the largest dependence, and the decisions.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    connect_rows(int32_t n, const O *start, const int32_t *col, const T *a,
                 const uint8_t *component, double strength, uint8_t *mark, uint8_t *kind)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit, begin = i < n ? (int64_t)start[i] : 0;
    const int64_t end = i < n ? (int64_t)start[i + 1] : 0;
    const double d = diagonal_of(g, begin, end, col, a);
    const uint8_t own = component && i < n ? component[i] : 0;
    double largest = 0;
    bool any = false;

    for (int64_t k = begin + g.lane; k < end; k += L) {
        const int32_t j = col[k];
        if (j != i && (!component || component[j] == own)) {
            largest = fmax(largest, gs_dependence(d, (double)a[k]));
        }
    }
    largest = g.largest(largest);
    for (int64_t k = begin + g.lane; k < end; k += L) {
        const int32_t j = col[k];
        const bool same = j != i && (!component || component[j] == own);
        const bool strong = same && gs_depends(gs_dependence(d, (double)a[k]), strength, largest);
        mark[k] = (uint8_t)((same ? GS_SAME : 0) | (strong ? GS_STRONG : 0));
        any |= strong;
    }
    any = g.ballot(any) != 0;
    if (i < n && g.lane == 0) kind[i] = any ? GS_UNDECIDED : GS_ISOLATED;
}

template <class T>
gsolve_status connect(gsolve_context *ctx, const gs_points *p, double strength)
{
    const gsolve_csr *A = p->A;
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    TRY(gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_with_subwarp((double)entries / (A->nrows + 1.0), [&](auto lanes) {
            constexpr int L = decltype(lanes)::value;
            return gs_launch(ctx->queue, "strong dependences", connect_rows<L, T, O>,
                             gs_subwarp_blocks(A->nrows, L), gs_block_size, A->nrows, start, A->col,
                             (const T *)A->value, p->component, strength, p->mark, p->kind);
        });
    }));
done:
    return status;
}

// d[i] = a_ii. L threads own a row.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    extract_diagonal(int32_t n, const O *start, const int32_t *col, const T *a, double *d)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit, begin = i < n ? (int64_t)start[i] : 0;
    const int64_t end = i < n ? (int64_t)start[i + 1] : 0;
    const double own = diagonal_of(g, begin, end, col, a);

    if (i < n && g.lane == 0) d[i] = own;
}

template <class T>
gsolve_status diagonal(gsolve_context *ctx, const gsolve_csr *A, double *d)
{
    constexpr int L = 8;

    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(ctx->queue, "the diagonal", extract_diagonal<L, T, O>,
                         gs_subwarp_blocks(A->nrows, L), gs_block_size, A->nrows, start, A->col,
                         (const T *)A->value, d);
    });
}

// A thread owns every step-th unknown, and writes the row of the indicator if this is a C point.
template <class T>
__global__ void indicate_rows(int32_t n, int32_t components, const uint8_t *component,
                              const int32_t *number, int64_t stride, T *v)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        if (number[i] < 0) continue;
        for (int32_t c = 0; c < components; c++) {
            v[number[i] + c * stride] = (T)(!component || component[i] == c);
        }
    }
}

template <class T>
gsolve_status indicate(gsolve_context *ctx, int32_t n, const uint8_t *component,
                       const int32_t *number, gsolve_dense indicator)
{
    gs_queue *q = ctx->queue;

    return gs_launch(q, "the components of C points", indicate_rows<T>, gs_grid(q, n),
                     gs_block_size, n, indicator.ncols, component, number, indicator.stride,
                     (T *)indicator.value);
}

} // namespace

extern "C" const gs_classical_dependence_kernels gs_classical_dependence_cuda[GSOLVE_TYPE_COUNT] = {
    {components, connect<float>, diagonal<float>, indicate<float>},
    {components, connect<double>, diagonal<double>, indicate<double>}};
