// aggregate_cuda.cu: aggregates on a GPU. The roots are a maximal independent set, found in rounds;
// see aggregate_rules.h. In the kernels of a round a thread owns every step-th node; it reads the
// list of its neighbours and 4 bytes of each, and writes 4 bytes. The host tests only after several
// rounds whether a node is undecided. Decisions compare integers, and no thread reads an element
// that another thread writes in the same launch. So the result does not depend on the order of the
// threads.
#include "core/scan.cuh"
#include "core/sort.cuh"
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
}

#define SMALL static inline __host__ __device__
#include "precond/amg/coarsening/aggregate_rules.h"

namespace
{

constexpr int first_rounds = 8, further_rounds = 4;
constexpr int max_one_block_nodes =
    8192; // up to this number of nodes one thread block runs all rounds in one launch
constexpr int one_block_threads = 1024;

struct stride {
    int64_t first, step;
    __device__ stride()
        : first((int64_t)blockIdx.x * blockDim.x + threadIdx.x),
          step((int64_t)gridDim.x * blockDim.x)
    {
    }
};

template <class O>
struct graph {
    int32_t nodes, block;
    const O *start;
    const int32_t *degree, *neighbour;

    __device__ const int32_t *of(int64_t I) const { return neighbour + (int64_t)start[I * block]; }
};

// --- roots ---------------------------------------------------------------------------------------

template <class O>
__device__ void begin_node(const graph<O> &g, int64_t I, int bits, uint32_t *state, uint32_t *min1,
                           uint32_t *min2)
{
    if (min2) min2[I] = 0;
    state[I] = g.degree[I] ? gs_priority(0, (int32_t)I, bits) : GS_NO_ROOT;
    min1[I] = 0;
}

template <class O>
__device__ void find_min1_of(const graph<O> &g, int64_t I, const uint32_t *state, uint32_t *min1)
{
    if (min1[I] < GS_NEAR_NONE) min1[I] = gs_min_of_states(g.degree[I], g.of(I), state, state[I]);
}

template <class O>
__device__ void find_min2_of(const graph<O> &g, int64_t I, const uint32_t *min1, uint32_t *min2)
{
    if (min2[I] >= GS_NEAR_NONE) return;
    min2[I] = gs_min_of_minima(g.degree[I], g.of(I), min1, min1[I]);
}

// Decides node I. Returns whether it stays undecided.
template <class O>
__device__ bool decide_node(const graph<O> &g, int64_t I, uint32_t round, int bits,
                            const uint32_t *min1, uint32_t *state)
{
    uint32_t own = state[I];

    if (own == GS_ROOT || own == GS_NO_ROOT) return false;
    own = gs_decide_state(g.degree[I], g.of(I), min1, min1[I], own);
    const bool undecided = own != GS_ROOT && own != GS_NO_ROOT;
    state[I] = undecided ? gs_priority(round, (int32_t)I, bits) : own;
    return undecided;
}

// The states and minima before the first round.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    begin(graph<O> g, int bits, uint32_t *state, uint32_t *min1, uint32_t *min2)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) begin_node(g, I, bits, state, min1, min2);
}

// min2[I] = the smallest min1 of node I and its neighbours.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    find_min2(graph<O> g, const uint32_t *min1, uint32_t *min2)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) find_min2_of(g, I, min1, min2);
}

// min1[I] = the smallest state of node I and its neighbours. Reads all neighbours and their states.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    find_min1(graph<O> g, const uint32_t *state, uint32_t *min1)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) find_min1_of(g, I, state, min1);
}

// Decides all nodes, and sets *undecided if one stays undecided.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    decide(graph<O> g, uint32_t round, int bits, const uint32_t *min1, uint32_t *state,
           int32_t *undecided)
{
    const stride s;
    bool undecided_here = false;

    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        undecided_here |= decide_node(g, I, round, bits, min1, state);
    }
    if (__syncthreads_or(undecided_here) && threadIdx.x == 0) *undecided = 1;
}

// Runs all rounds in one thread block, with barriers between their steps. A thread owns every
// one_block_threads-th node.
template <class O>
__global__ void __launch_bounds__(one_block_threads)
    decide_in_one_block(graph<O> g, int bits, uint32_t *min1, uint32_t *min2, uint32_t *state)
{
    const uint32_t *last_min = min2 ? min2 : min1;
    bool undecided_here = true;

    for (int64_t I = threadIdx.x; I < g.nodes; I += one_block_threads) {
        begin_node(g, I, bits, state, min1, min2);
    }
    __syncthreads();
    for (uint32_t round = 1; undecided_here; round++) {
        for (int64_t I = threadIdx.x; I < g.nodes; I += one_block_threads)
            find_min1_of(g, I, state, min1);
        __syncthreads();
        if (min2) {
            for (int64_t I = threadIdx.x; I < g.nodes; I += one_block_threads) {
                find_min2_of(g, I, min1, min2);
            }
            __syncthreads();
        }
        undecided_here = false;
        for (int64_t I = threadIdx.x; I < g.nodes; I += one_block_threads) {
            undecided_here |= decide_node(g, I, round, bits, last_min, state);
        }
        undecided_here = __syncthreads_or(undecided_here);
    }
}

template <class O>
gsolve_status decide_roots(gsolve_context *ctx, const graph<O> &g, uint32_t *state, uint32_t *min1,
                           uint32_t *min2, int32_t *flag)
{
    const uint32_t *last_min = min2 ? min2 : min1;
    gs_queue *q = ctx->queue;
    const int bits = gs_bits_of_priorities(g.nodes), grid = gs_grid(q, g.nodes);
    int32_t undecided = 1;
    uint32_t round = 1;
    gsolve_status status;

    if (g.nodes <= max_one_block_nodes) {
        return gs_launch(q, "roots", decide_in_one_block<O>, 1, one_block_threads, g, bits, min1,
                         min2, state);
    }
    TRY(gs_launch(q, "roots", begin<O>, grid, gs_block_size, g, bits, state, min1, min2));
    for (int rounds = first_rounds; undecided; rounds = further_rounds) {
        for (int r = 0; r < rounds; r++, round++) {
            if (r == rounds - 1) {
                TRY(gs_cuda(q, cudaMemsetAsync(flag, 0, sizeof *flag, q->stream), "roots"));
            }
            TRY(gs_launch(q, "roots", find_min1<O>, grid, gs_block_size, g, state, min1));
            if (min2) {
                TRY(gs_launch(q, "roots", find_min2<O>, grid, gs_block_size, g, min1, min2));
            }
            TRY(gs_launch(q, "roots", decide<O>, grid, gs_block_size, g, round, bits, last_min,
                          state, flag));
        }
        TRY(gsolve_copy(ctx, &undecided, GSOLVE_HOST, flag, GSOLVE_DEVICE, sizeof undecided));
    }
done:
    return status;
}

// sum[0] += the degrees, sum[1] += the number of connected nodes. Integers: their order does not
// matter. A thread owns every step-th node; a warp does two atomic operations.
__global__ void __launch_bounds__(gs_block_size)
    sum_degrees(int32_t nodes, const int32_t *degree, unsigned long long *sum)
{
    const stride s;
    unsigned long long degrees = 0, connected = 0;

    for (int64_t I = s.first; I < nodes; I += s.step) {
        degrees += degree[I];
        connected += degree[I] > 0;
    }
    for (int half = 16; half > 0; half /= 2) {
        degrees += __shfl_down_sync(~0u, degrees, half);
        connected += __shfl_down_sync(~0u, connected, half);
    }
    if (threadIdx.x % 32 > 0) return;
    atomicAdd(&sum[0], degrees);
    atomicAdd(&sum[1], connected);
}

// *grow: whether greedy aggregates would grow, see gs_aggregates_grow.
gsolve_status find_growth(gsolve_context *ctx, int32_t nodes, const int32_t *degree, bool *grow)
{
    gs_queue *q = ctx->queue;
    unsigned long long *sum = nullptr, total[2];
    gsolve_status status;

    ALLOC_DEVICE(ctx, sum, 2);
    TRY(gs_cuda(q, cudaMemsetAsync(sum, 0, sizeof total, q->stream), "degrees"));
    TRY(gs_launch(q, "degrees", sum_degrees, gs_grid(q, nodes), gs_block_size, nodes, degree, sum));
    TRY(gsolve_copy(ctx, total, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof total));
    *grow = gs_aggregates_grow((int64_t)total[0], (int64_t)total[1]);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    return status;
}

// --- aggregates from roots -----------------------------------------------------------------------

// number[I] = 1 for roots, else 0; number[nodes] = 0.
__global__ void __launch_bounds__(gs_block_size)
    mark_roots(int32_t nodes, const uint32_t *state, int32_t *number)
{
    const stride s;
    for (int64_t I = s.first; I <= nodes; I += s.step) {
        number[I] = I < nodes && state[I] == GS_ROOT;
    }
}

// root_aggregate[I] = the aggregate of node I if it is a root or next to one, else -1.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    join_roots(graph<O> g, const uint32_t *state, const int32_t *number, int32_t *root_aggregate)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        root_aggregate[I] =
            state[I] == GS_ROOT ? number[I] : gs_adjacent_root(g.degree[I], g.of(I), state, number);
    }
}

// of = root_aggregate; the other nodes join the aggregate of most of their neighbours.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    join_others(graph<O> g, const int32_t *root_aggregate, int32_t *of)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        of[I] = root_aggregate[I] >= 0
                    ? root_aggregate[I]
                    : gs_majority_aggregate(g.degree[I], g.of(I), root_aggregate);
    }
}

// number = its exclusive prefix sum, in place; nodes + 1 elements.
gsolve_status sum_before(gsolve_context *ctx, int32_t nodes, int32_t *number)
{
    gs_queue *q = ctx->queue;
    const int64_t n = (int64_t)nodes + 1;
    char *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_cuda(q, gs_exclusive_sum(nullptr, bytes, number, number, n, q->stream),
                "numbering roots"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q, gs_exclusive_sum(space, bytes, number, number, n, q->stream),
                "numbering roots"));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

template <class O>
gsolve_status aggregate_in(gsolve_context *ctx, const graph<O> &g, int32_t *of, int32_t *count)
{
    gs_queue *q = ctx->queue;
    const int grid = gs_grid(q, g.nodes);
    uint32_t *state = nullptr, *min1 = nullptr, *min2 = nullptr;
    int32_t *number = nullptr, *root_aggregate = nullptr;
    bool grows = false;
    gsolve_status status;

    TRY(find_growth(ctx, g.nodes, g.degree, &grows));
    ALLOC_DEVICE(ctx, state, g.nodes);
    ALLOC_DEVICE(ctx, min1, g.nodes);
    ALLOC_DEVICE(ctx, number, (int64_t)g.nodes + 1);
    if (grows) ALLOC_DEVICE(ctx, min2, g.nodes);
    TRY(decide_roots(ctx, g, state, min1, min2, number));
    TRY(gs_launch(q, "roots", mark_roots, grid, gs_block_size, g.nodes, state, number));
    TRY(sum_before(ctx, g.nodes, number));
    root_aggregate = (int32_t *)(grows ? min2 : min1);
    TRY(gs_launch(q, "joining roots", join_roots<O>, grid, gs_block_size, g, state, number,
                  root_aggregate));
    if (grows) { // joins the neighbours of these nodes first
        TRY(gs_launch(q, "joining aggregates", join_others<O>, grid, gs_block_size, g,
                      root_aggregate, (int32_t *)min1));
        root_aggregate = (int32_t *)min1;
    }
    TRY(gs_launch(q, "joining aggregates", join_others<O>, grid, gs_block_size, g, root_aggregate,
                  of));
    TRY(gsolve_copy(ctx, count, GSOLVE_HOST, number + g.nodes, GSOLVE_DEVICE, sizeof *count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, state);
    gsolve_free(ctx, GSOLVE_DEVICE, min1);
    gsolve_free(ctx, GSOLVE_DEVICE, min2);
    gsolve_free(ctx, GSOLVE_DEVICE, number);
    return status;
}

gsolve_status aggregate(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                        gs_aggregation, int32_t *of, int32_t *count)
{
    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const graph<O> g = {G->nodes, G->block, start, G->degree, G->neighbour};
        return aggregate_in(ctx, g, of, count);
    });
}

// --- nodes of each aggregate ---------------------------------------------------------------------

// node[I] = I. A thread owns every step-th node.
__global__ void __launch_bounds__(gs_block_size) number_nodes(int32_t nodes, int32_t *node)
{
    const stride s;
    for (int64_t I = s.first; I < nodes; I += s.step) node[I] = (int32_t)I;
}

// start[g] = the position of the first node of aggregate g in the sorted list of[]. Nodes in no
// aggregate (-1) come last. A thread owns an aggregate, and bisects.
__global__ void __launch_bounds__(gs_block_size)
    find_starts(int32_t count, int32_t nodes, const uint32_t *of, int32_t *start)
{
    const stride s;
    for (int64_t g = s.first; g <= count; g += s.step) {
        int32_t low = 0, high = nodes;
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (of[middle] < g) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        start[g] = low;
    }
}

gsolve_status list(gsolve_context *ctx, int32_t nodes, const int32_t *of, int32_t count,
                   int32_t *start, int32_t *member)
{
    gs_queue *q = ctx->queue;
    const int bits = gs_bits_of_nodes(count); // in these bits, -1 is larger than all aggregates
    const uint32_t *key = (const uint32_t *)of;
    uint32_t *sorted = nullptr;
    int32_t *node = nullptr;
    char *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    ALLOC_DEVICE(ctx, sorted, nodes);
    ALLOC_DEVICE(ctx, node, nodes);
    TRY(gs_launch(q, "nodes of aggregates", number_nodes, gs_grid(q, nodes), gs_block_size, nodes,
                  node));
    TRY(gs_cuda(
        q, gs_sort_pairs(nullptr, bytes, {key, sorted}, {node, member}, nodes, bits, q->stream),
        "nodes of aggregates"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q,
                gs_sort_pairs(space, bytes, {key, sorted}, {node, member}, nodes, bits, q->stream),
                "nodes of aggregates"));
    TRY(gs_launch(q, "nodes of aggregates", find_starts, gs_grid(q, (int64_t)count + 1),
                  gs_block_size, count, nodes, sorted, start));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    gsolve_free(ctx, GSOLVE_DEVICE, sorted);
    gsolve_free(ctx, GSOLVE_DEVICE, node);
    return status;
}

} // namespace

extern "C" const gs_aggregate_kernels gs_aggregate_cuda[GSOLVE_TYPE_COUNT] = {{aggregate, list},
                                                                              {aggregate, list}};
