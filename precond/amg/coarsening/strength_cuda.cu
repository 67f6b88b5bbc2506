// strength_cuda.cu: strong connections on a GPU. The kernels read A twice, once for the norms and
// once for the decisions, and write the flags and the neighbours.
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
}

#define SMALL static inline __device__
#include "matrix/row_rule.h"
#include "precond/amg/coarsening/aggregate_rules.h"
#include "precond/amg/coarsening/classical/classical_rules.h"
#include "precond/amg/coarsening/pairwise_rules.h"

namespace
{

// --- nodes of one unknown ------------------------------------------------------------------------

// m[i] = |a_ii| and the largest |a_ij|, j != i. L threads own a row.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    measure_rows(int32_t n, const O *start, const int32_t *col, const T *a, gs_node_norms *m)
{
    const gs_subwarp<L> g;
    const int64_t end = g.unit < n ? (int64_t)start[g.unit + 1] : 0;
    double diagonal = 0, largest = 0;

    for (int64_t k = (g.unit < n ? (int64_t)start[g.unit] : 0) + g.lane; k < end; k += L) {
        const double v = fabs((double)a[k]);
        if (col[k] == g.unit) {
            diagonal = v;
        } else {
            largest = fmax(largest, v);
        }
    }
    diagonal = g.largest(diagonal);
    largest = g.largest(largest);
    if (g.lane == 0 && g.unit < n) m[g.unit] = gs_node_norms{diagonal, largest};
}

// Decides for each entry whether it is strong, and lists the strong neighbours in order. L threads
// own a row; a ballot gives each strong entry its position.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    connect_rows(int32_t n, const O *start, const int32_t *col, const T *a, double strength,
                 const gs_node_norms *m, gs_connections G)
{
    const gs_subwarp<L> g;
    const bool in = g.unit < n;
    const int64_t begin = in ? (int64_t)start[g.unit] : 0,
                  end = in ? (int64_t)start[g.unit + 1] : 0;
    const gs_node_norms own = in ? m[g.unit] : gs_node_norms{0, 0};
    int64_t at = begin;

    for (int64_t from = begin; __any_sync(gs_all_lanes, from < end); from += L) {
        const int64_t k = from + g.lane;
        const int32_t j = k < end ? col[k] : 0;
        const double v = k < end ? (double)a[k] : 0;
        const bool strong = k < end && j != g.unit && gs_is_strong(v * v, strength, own, m[j]);
        const unsigned strong_lanes = g.ballot(strong);
        if (k < end) G.strong[k] = strong || j == g.unit;
        if (strong) G.neighbour[at + __popc(strong_lanes & g.below())] = j;
        at += __popc(strong_lanes);
    }
    if (in && g.lane == 0) G.degree[g.unit] = (int32_t)(at - begin);
}

// --- nodes of several unknowns -------------------------------------------------------------------

// The position of the first entry of a row at or after node J's columns.
template <class O>
__device__ int64_t first_of(const O *start, const int32_t *col, int32_t block, int32_t row,
                            int32_t J)
{
    int64_t low = (int64_t)start[row], high = (int64_t)start[row + 1];

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (col[middle] / block < J) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

template <class T, class O>
struct nodes_of {
    const O *start;
    const int32_t *col;
    const T *a;
    int32_t block;

    // Whether entry k of row r of node I is the first entry of I in its column node.
    __device__ bool is_first(int32_t I, int32_t r, int64_t k) const
    {
        const int32_t J = col[k] / block;
        if (k > (int64_t)start[I * block + r] && col[k - 1] / block == J) return false;
        for (int32_t s = 0; s < r; s++) {
            const int64_t at = first_of(start, col, block, I * block + s, J);
            if (at < (int64_t)start[I * block + s + 1] && col[at] / block == J) return false;
        }
        return true;
    }

    // The sum of squares in node J's columns, row by row as on the host, without fused operations:
    // the bits are the same.
    __device__ double square(int32_t I, int32_t r, int32_t J) const
    {
        double sum = 0;
        for (int32_t s = r; s < block; s++) {
            const int64_t end = (int64_t)start[I * block + s + 1];
            for (int64_t k = first_of(start, col, block, I * block + s, J);
                 k < end && col[k] / block == J; k++) {
                sum = __dadd_rn(sum, __dmul_rn((double)a[k], (double)a[k]));
            }
        }
        return sum;
    }

    __device__ void mark(int32_t I, int32_t r, int32_t J, uint8_t *strong, uint8_t as) const
    {
        for (int32_t s = r; s < block; s++) {
            const int64_t end = (int64_t)start[I * block + s + 1];
            for (int64_t k = first_of(start, col, block, I * block + s, J);
                 k < end && col[k] / block == J; k++) {
                strong[k] = as;
            }
        }
    }
};

// m[I] = the norms of node I. A warp owns a node. The lane that holds the first entry of a block
// computes the norm of the block. Reads the rows of the node, and bisects them for each block.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    measure_nodes(int32_t nodes, nodes_of<T, O> A, gs_node_norms *m)
{
    const gs_subwarp<32> g;
    const int32_t I = (int32_t)g.unit;
    double diagonal = 0, largest = 0;

    if (g.unit >= nodes) return; // all lanes of the warp
    for (int32_t r = 0; r < A.block; r++) {
        const int64_t end = (int64_t)A.start[I * A.block + r + 1];
        for (int64_t k = (int64_t)A.start[I * A.block + r] + g.lane; k < end; k += 32) {
            const int32_t J = A.col[k] / A.block;
            if (!A.is_first(I, r, k)) continue;
            const double v = sqrt(A.square(I, r, J));
            if (J == I) {
                diagonal = v;
            } else {
                largest = fmax(largest, v);
            }
        }
    }
    diagonal = g.largest(diagonal);
    largest = g.largest(largest);
    if (g.lane == 0) m[I] = gs_node_norms{diagonal, largest};
}

// Sorts list[0, n) by insertion. It is nearly always sorted, because the rows of a node mostly have
// one pattern.
__device__ void insertion_sort(int32_t *list, int32_t n)
{
    for (int32_t e = 1; e < n; e++) {
        const int32_t J = list[e];
        int32_t at = e;
        for (; at > 0 && list[at - 1] > J; at--) list[at] = list[at - 1];
        list[at] = J;
    }
}

// Decides for each block of node I whether it is strong, flags its entries and lists the
// neighbours. A warp owns a node. The lane that holds the first entry of a block decides it. Reads
// the rows of the node and 16 bytes for each block; writes a byte per entry, and the neighbours.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    connect_nodes(int32_t nodes, nodes_of<T, O> A, double strength, const gs_node_norms *m,
                  gs_connections G)
{
    const gs_subwarp<32> g;
    const int32_t I = (int32_t)g.unit;

    if (g.unit >= nodes) return; // all lanes of the warp
    int32_t *list = G.neighbour + (int64_t)A.start[I * A.block];
    int32_t count = 0;
    for (int32_t r = 0; r < A.block; r++) {
        const int64_t end = (int64_t)A.start[I * A.block + r + 1];
        for (int64_t from = (int64_t)A.start[I * A.block + r]; from < end; from += 32) {
            const int64_t k = from + g.lane;
            const bool first = k < end && A.is_first(I, r, k);
            const int32_t J = first ? A.col[k] / A.block : I;
            const bool strong = J != I && gs_is_strong(A.square(I, r, J), strength, m[I], m[J]);
            const unsigned strong_lanes = g.ballot(strong);
            if (first) A.mark(I, r, J, G.strong, strong || J == I);
            if (strong) list[count + __popc(strong_lanes & g.below())] = J;
            count += __popc(strong_lanes);
        }
    }
    __syncwarp();
    if (g.lane > 0) return;
    insertion_sort(list, count);
    G.degree[I] = count;
}

template <class T, class O>
gsolve_status connect_single(gs_queue *q, const gsolve_csr *A, const O *start, double strength,
                             const gs_connections *G, gs_node_norms *m)
{
    const T *a = (const T *)A->value;

    return gs_with_subwarp((double)G->entries / (A->nrows + 1.0), [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        const int blocks = gs_subwarp_blocks(A->nrows, L);
        gsolve_status status;

        TRY(gs_launch(q, "measuring rows", measure_rows<L, T, O>, blocks, gs_block_size, A->nrows,
                      start, A->col, a, m));
        TRY(gs_launch(q, "strong connections", connect_rows<L, T, O>, blocks, gs_block_size,
                      A->nrows, start, A->col, a, strength, m, *G));
    done:
        return status;
    });
}

template <class T, class O>
gsolve_status connect_several(gs_queue *q, const gsolve_csr *A, const O *start, double strength,
                              const gs_connections *G, gs_node_norms *m)
{
    const nodes_of<T, O> nodes = {start, A->col, (const T *)A->value, G->block};
    const int blocks = gs_subwarp_blocks(G->nodes, 32);
    gsolve_status status;

    TRY(gs_launch(q, "measuring nodes", measure_nodes<T, O>, blocks, gs_block_size, G->nodes, nodes,
                  m));
    TRY(gs_launch(q, "strong connections of nodes", connect_nodes<T, O>, blocks, gs_block_size,
                  G->nodes, nodes, strength, m, *G));
done:
    return status;
}

template <class T>
gsolve_status connect(gsolve_context *ctx, const gsolve_csr *A, double strength,
                      const gs_connections *G)
{
    gs_queue *q = ctx->queue;
    gs_node_norms *m = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, m, G->nodes);
    TRY(gs_with_start(A, [&](auto start) {
        return G->block == 1 ? connect_single<T>(q, A, start, strength, G, m)
                             : connect_several<T>(q, A, start, strength, G, m);
    }));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, m);
    return status;
}

// --- pairs ---------------------------------------------------------------------------------------

// Entry (i, j) of sorted rows; 0 if it is missing.
template <class T, class O>
__device__ double entry(const O *start, const int32_t *col, const T *a, int32_t i, int32_t j)
{
    const int64_t at = gs_row_find(col, (int64_t)start[i], (int64_t)start[i + 1], j);

    return at < 0 ? 0 : (double)a[at];
}

// d[i] = a_ii, or 0 if it is missing. A thread owns every step-th row, and bisects it.
template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_diagonal(int32_t n, const O *start, const int32_t *col, const T *a, double *d)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        d[i] = entry(start, col, a, (int32_t)i, (int32_t)i);
    }
}

// weight as in steps.h. L threads own a row; each entry (i, j) looks up (j, i) by binary
// search. Reads A once, and about log2(length) columns of row j for each entry; writes 4 bytes per
// entry.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    compute_weights(int32_t n, int32_t block, const O *start, const int32_t *col, const T *a,
                    const double *d, float *weight)
{
    const gs_subwarp<L> g;
    const int32_t i = (int32_t)g.unit;

    if (g.unit >= n) return; // there are no sums or ballots below
    for (int64_t k = (int64_t)start[i] + g.lane; k < (int64_t)start[i + 1]; k += L) {
        const int32_t j = col[k];
        const bool counts = i / block != j / block && i % block == j % block;
        weight[k] = counts ? gs_weight((double)a[k], entry(start, col, a, j, i), d[i], d[j]) : 0.0f;
    }
}

template <class T>
gsolve_status diagonal(gsolve_context *ctx, const gsolve_csr *A, double *d)
{
    gs_queue *q = ctx->queue;

    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_launch(q, "the diagonal", find_diagonal<T, O>, gs_grid(q, A->nrows),
                         gs_block_size, A->nrows, start, A->col, (const T *)A->value, d);
    });
}

template <class T>
gsolve_status weigh(gsolve_context *ctx, const gsolve_csr *A, int32_t block, const double *d,
                    float *weight)
{
    return gs_with_rows(ctx, A, [&](auto start, auto lanes) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "connections of pairs", compute_weights<L, T, O>,
                         gs_subwarp_blocks(A->nrows, L), gs_block_size, A->nrows, block, start,
                         A->col, (const T *)A->value, d, weight);
    });
}

// --- classical coarsening ------------------------------------------------------------------------

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
    depend_rows(int32_t n, const O *start, const int32_t *col, const T *a, const uint8_t *component,
                double strength, uint8_t *mark, uint8_t *kind)
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
gsolve_status depend(gsolve_context *ctx, const gs_points *p, double strength)
{
    const gsolve_csr *A = p->A;

    return gs_with_rows(ctx, A, [&](auto start, auto lanes) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        constexpr int L = decltype(lanes)::value;
        return gs_launch(ctx->queue, "strong dependences", depend_rows<L, T, O>,
                         gs_subwarp_blocks(A->nrows, L), gs_block_size, A->nrows, start, A->col,
                         (const T *)A->value, p->component, strength, p->mark, p->kind);
    });
}

} // namespace

extern "C" const gs_strength_kernels gs_strength_cuda[GSOLVE_TYPE_COUNT] = {
    {connect<float>, depend<float>, diagonal<float>, weigh<float>},
    {connect<double>, depend<double>, diagonal<double>, weigh<double>}};
