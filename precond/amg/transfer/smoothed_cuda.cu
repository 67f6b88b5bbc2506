// smoothed_cuda.cu: the pattern of the smoothed prolongator on a GPU.
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
}

namespace
{

// Capacity of the list of a subwarp: 32 elements per lane, so that a lane has a flag for each of
// its elements in one word.
template <int L>
constexpr int list_capacity = 32 * L;
static_assert(list_capacity<32> > GS_MAX_SMOOTHED_NEIGHBOURS, "a node's aggregates and its own");

// Writes the aggregates of a node and of its strong neighbours to list, in any order, with
// repetitions. Returns their number to each lane.
template <int L>
__device__ int32_t gather_aggregates(const gs_subwarp<L> &g, const int32_t *neighbour,
                                     int32_t degree, const int32_t *of, int32_t own, int32_t *list)
{
    int32_t n = 0;

    for (int32_t from = 0; __any_sync(gs_all_lanes, from < degree); from += L) {
        const int32_t e = from + g.lane;
        const int32_t a = e < degree ? of[neighbour[e]] : -1;
        const unsigned valid = g.ballot(a >= 0);
        if (a >= 0) list[n + __popc(valid & g.below())] = a;
        n += __popc(valid);
    }
    if (own >= 0) {
        if (g.lane == 0) list[n] = own;
        n++;
    }
    __syncwarp();
    return n;
}

// Replaces the neighbours of node I by its distinct aggregates, sorted. Returns their number to
// each lane. I < 0: no node, but all lanes of the warp call. Each lane compares its elements with
// all others: n^2 / L comparisons in shared memory.
template <int L, class O>
__device__ int32_t sort_node(const gs_subwarp<L> &g, const gs_connections &G, const O *start,
                             const int32_t *of, bool smooth, int64_t I, int32_t *list)
{
    const int32_t own = I >= 0 ? of[I] : -1;
    const int32_t all = own >= 0 && smooth ? G.degree[I] : 0;
    int32_t *neighbour = G.neighbour + (I >= 0 ? (int64_t)start[I * G.block] : 0);
    const int32_t degree = all <= GS_MAX_SMOOTHED_NEIGHBOURS ? all : 0;
    const int32_t n = gather_aggregates(g, neighbour, degree, of, own, list);
    unsigned repeated = 0; // flags of this lane's elements that occur earlier in the list

    for (int32_t e = g.lane, bit = 0; e < n; e += L, bit++) {
        for (int32_t f = 0; f < e; f++) {
            if (list[f] == list[e]) repeated |= 1u << bit;
        }
    }
    __syncwarp();
    for (int32_t e = g.lane, bit = 0; e < n; e += L, bit++) {
        if (repeated >> bit & 1) list[e] = INT32_MAX;
    }
    __syncwarp();
    for (int32_t e = g.lane; e < n; e += L) {
        int32_t rank = 0;
        if (list[e] == INT32_MAX) continue;
        for (int32_t f = 0; f < n; f++) rank += list[f] < list[e];
        neighbour[rank] = list[e];
    }
    __syncwarp();
    return n - g.sum(__popc(repeated));
}

// Replaces the neighbours of nodes by their aggregates, for the nodes with at least `least`
// neighbours: smaller subwarps have too little capacity for them. A warp owns 32 nodes, and
// processes the long ones among them one after the other. Their degree becomes ~n, n being the
// number of their columns, so that sort_short recognises them. Reads and writes as sort_short does.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    sort_long(gs_connections G, const O *start, const int32_t *of, int32_t least)
{
    __shared__ int32_t lists[gs_block_size * 32];
    const gs_subwarp<32> g;
    const int64_t first = g.unit * 32, I = first + g.lane;
    unsigned long_nodes = g.ballot(I < G.nodes && G.degree[I] >= least);

    for (; long_nodes; long_nodes &= long_nodes - 1) {
        const int64_t J = first + __ffs((int)long_nodes) - 1;
        const int32_t n =
            sort_node<32>(g, G, start, of, true, J, lists + threadIdx.x / 32 * list_capacity<32>);
        if (g.lane == 0) G.degree[J] = ~n;
    }
}

// Sorts all other nodes, L threads each, and restores the degrees that sort_long has marked. Reads
// the neighbours and their aggregates once and writes the columns in place.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    sort_short(gs_connections G, const O *start, const int32_t *of, bool smooth)
{
    __shared__ int32_t lists[gs_block_size * 32];
    const gs_subwarp<L> g;
    const int32_t degree = g.unit >= G.nodes ? -1 : smooth ? G.degree[g.unit] : 0;
    const int32_t n = sort_node<L>(g, G, start, of, smooth, degree >= 0 ? g.unit : -1,
                                   lists + threadIdx.x / L * list_capacity<L>);

    if (g.unit < G.nodes && g.lane == 0) G.degree[g.unit] = degree >= 0 ? n : ~degree;
}

gsolve_status columns(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                      const int32_t *of, bool smooth)
{
    const double length = smooth ? (double)G->entries / (A->nrows + 1.0) / G->block : 1;
    gs_queue *q = ctx->queue;

    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_with_subwarp(length, [&](auto lanes) {
            constexpr int L = decltype(lanes)::value;
            gsolve_status status;

            if (smooth) { // else the degrees are not set
                TRY(gs_launch(q, "long rows' columns", sort_long<O>, gs_subwarp_blocks(G->nodes, 1),
                              gs_block_size, *G, start, of, list_capacity<L>));
            }
            TRY(gs_launch(q, "the prolongator's columns", sort_short<L, O>,
                          gs_subwarp_blocks(G->nodes, L), gs_block_size, *G, start, of, smooth));
        done:
            return status;
        });
    });
}

// Writes the offsets and columns of P: a node has `block` rows with the same k columns per
// aggregate. L threads own a node. Moves P's pattern once.
template <int L, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    fill_rows(gs_connections G, const O *start, const int64_t *first, int32_t k, F *offset,
              int32_t *col)
{
    const gs_subwarp<L> g;
    const int64_t I = g.unit;

    if (I >= G.nodes) return; // there are no sums or ballots below
    const int32_t *list = G.neighbour + (int64_t)start[I * G.block];
    const int32_t length = G.degree[I] * k;
    int64_t at = first[I] * G.block * k;
    if (I == 0 && g.lane == 0) offset[0] = 0;
    for (int32_t r = 0; r < G.block; r++, at += length) {
        for (int32_t e = g.lane; e < length; e += L) col[at + e] = list[e / k] * k + e % k;
        if (g.lane == 0) offset[I * G.block + r + 1] = (F)(at + length);
    }
}

template <class F, class O>
gsolve_status fill_in(gs_queue *q, const gs_connections *G, const O *start, const int64_t *first,
                      int32_t k, const gs_csr_arrays *P)
{
    F *offset = (F *)P->start;

    return gs_with_subwarp(4.0 * k * G->block, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(q, "the prolongator's pattern", fill_rows<L, O, F>,
                         gs_subwarp_blocks(G->nodes, L), gs_block_size, *G, start, first, k, offset,
                         P->col);
    });
}

gsolve_status fill(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                   const int64_t *first, int32_t k, const gsolve_csr *P)
{
    gs_queue *q = ctx->queue;
    const gs_csr_arrays to = gs_csr_arrays_of(ctx, P);

    return gs_with_start(A, [&](auto start) {
        return P->offset == GSOLVE_O64 ? fill_in<int64_t>(q, G, start, first, k, &to)
                                       : fill_in<int32_t>(q, G, start, first, k, &to);
    });
}

} // namespace

extern "C" const gs_prolongator_kernels gs_prolongator_cuda[GSOLVE_TYPE_COUNT] = {
    {columns, fill, nullptr}, {columns, fill, nullptr}};
