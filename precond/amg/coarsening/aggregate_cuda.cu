// aggregate_cuda.cu: aggregates on a GPU: roots in rounds, of which several are asked for before
// the host looks whether any node is undecided.
#include "core/scan.cuh"
#include "core/sort.cuh"
#include "precond/lanes.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
}

#define SMALL static inline __host__ __device__
#include "precond/amg/coarsening/aggregate_rules.h"

namespace
{

constexpr int first_rounds = 8, further_rounds = 4;
constexpr int most_alone = 8192; // nodes that one block decides in one launch
constexpr int block_alone = 1024;

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

// --- roots ------------------------------------------------------------------------------------

template <class O>
__device__ void begin_node(const graph<O> &g, int64_t I, int bits, uint32_t *state, uint32_t *seen,
                           uint32_t *further)
{
    if (further) further[I] = 0;
    state[I] = g.degree[I] ? gs_priority(0, (int32_t)I, bits) : GS_NO_ROOT;
    seen[I] = 0;
}

template <class O>
__device__ void see_node(const graph<O> &g, int64_t I, const uint32_t *state, uint32_t *seen)
{
    if (seen[I] < GS_FOUND_NONE) seen[I] = gs_least_found(g.degree[I], g.of(I), state, state[I]);
}

template <class O>
__device__ void read_further_from(const graph<O> &g, int64_t I, const uint32_t *seen,
                                  uint32_t *further)
{
    if (further[I] >= GS_FOUND_NONE) return;
    further[I] = gs_least_found_by_neighbours(g.degree[I], g.of(I), seen, seen[I]);
}

// Whether it remains undecided.
template <class O>
__device__ bool decide_node(const graph<O> &g, int64_t I, uint32_t round, int bits,
                            const uint32_t *seen, uint32_t *state)
{
    uint32_t own = state[I];

    if (own == GS_ROOT || own == GS_NO_ROOT) return false;
    own = gs_decide(g.degree[I], g.of(I), seen, seen[I], own);
    const bool undecided = own != GS_ROOT && own != GS_NO_ROOT;
    state[I] = undecided ? gs_priority(round, (int32_t)I, bits) : own;
    return undecided;
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    begin(graph<O> g, int bits, uint32_t *state, uint32_t *seen, uint32_t *further)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step)
        begin_node(g, I, bits, state, seen, further);
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    read_further(graph<O> g, const uint32_t *seen, uint32_t *further)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) read_further_from(g, I, seen, further);
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    see(graph<O> g, const uint32_t *state, uint32_t *seen)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) see_node(g, I, state, seen);
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    decide(graph<O> g, uint32_t round, int bits, const uint32_t *seen, uint32_t *state,
           int32_t *undecided)
{
    const stride s;
    bool some = false;

    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        some |= decide_node(g, I, round, bits, seen, state);
    }
    if (__syncthreads_or(some) && threadIdx.x == 0) *undecided = 1;
}

// All rounds by one block.
template <class O>
__global__ void __launch_bounds__(block_alone)
    decide_alone(graph<O> g, int bits, uint32_t *seen, uint32_t *further, uint32_t *state)
{
    const uint32_t *looked = further ? further : seen;
    bool some = true;

    for (int64_t I = threadIdx.x; I < g.nodes; I += block_alone) {
        begin_node(g, I, bits, state, seen, further);
    }
    __syncthreads();
    for (uint32_t round = 1; some; round++) {
        for (int64_t I = threadIdx.x; I < g.nodes; I += block_alone) see_node(g, I, state, seen);
        __syncthreads();
        if (further) {
            for (int64_t I = threadIdx.x; I < g.nodes; I += block_alone) {
                read_further_from(g, I, seen, further);
            }
            __syncthreads();
        }
        some = false;
        for (int64_t I = threadIdx.x; I < g.nodes; I += block_alone) {
            some |= decide_node(g, I, round, bits, looked, state);
        }
        some = __syncthreads_or(some);
    }
}

template <class O>
gsolve_status decide_roots(gsolve_context *ctx, const graph<O> &g, uint32_t *state, uint32_t *seen,
                           uint32_t *further, int32_t *flag)
{
    const uint32_t *looked = further ? further : seen;
    gs_queue *q = ctx->queue;
    const int bits = gs_bits_of_priorities(g.nodes), grid = gs_grid(q, g.nodes);
    int32_t undecided = 1;
    uint32_t round = 1;
    gsolve_status status;

    if (g.nodes <= most_alone) {
        return gs_launch(q, "roots", decide_alone<O>, 1, block_alone, g, bits, seen, further,
                         state);
    }
    TRY(gs_launch(q, "roots", begin<O>, grid, gs_block_size, g, bits, state, seen, further));
    for (int rounds = first_rounds; undecided; rounds = further_rounds) {
        for (int r = 0; r < rounds; r++, round++) {
            if (r == rounds - 1) {
                TRY(gs_cuda(q, cudaMemsetAsync(flag, 0, sizeof *flag, q->stream), "roots"));
            }
            TRY(gs_launch(q, "roots", see<O>, grid, gs_block_size, g, state, seen));
            if (further) {
                TRY(gs_launch(q, "roots", read_further<O>, grid, gs_block_size, g, seen, further));
            }
            TRY(gs_launch(q, "roots", decide<O>, grid, gs_block_size, g, round, bits, looked, state,
                          flag));
        }
        TRY(gsolve_copy(ctx, &undecided, GSOLVE_HOST, flag, GSOLVE_DEVICE, sizeof undecided));
    }
done:
    return status;
}

// sum[0] += the degrees, sum[1] += the nodes that have any: whole numbers, in any order.
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

gsolve_status find_growth(gsolve_context *ctx, int32_t nodes, const int32_t *degree, bool *grow)
{
    gs_queue *q = ctx->queue;
    unsigned long long *sum = nullptr, total[2];
    gsolve_status status;

    ALLOC_DEVICE(ctx, sum, 2);
    TRY(gs_cuda(q, cudaMemsetAsync(sum, 0, sizeof total, q->stream), "degrees"));
    TRY(gs_launch(q, "degrees", sum_degrees, gs_grid(q, nodes), gs_block_size, nodes, degree, sum));
    TRY(gsolve_copy(ctx, total, GSOLVE_HOST, sum, GSOLVE_DEVICE, sizeof total));
    *grow = gs_stars_grow((int64_t)total[0], (int64_t)total[1]);
done:
    gsolve_free(ctx, GSOLVE_DEVICE, sum);
    return status;
}

// --- aggregates of roots ----------------------------------------------------------------------

// number[I]: 1 for roots; number[nodes] = 0.
__global__ void __launch_bounds__(gs_block_size)
    mark_roots(int32_t nodes, const uint32_t *state, int32_t *number)
{
    const stride s;
    for (int64_t I = s.first; I <= nodes; I += s.step) {
        number[I] = I < nodes && state[I] == GS_ROOT;
    }
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    join_roots(graph<O> g, const uint32_t *state, const int32_t *number, int32_t *near)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        near[I] =
            state[I] == GS_ROOT ? number[I] : gs_root_near(g.degree[I], g.of(I), state, number);
    }
}

template <class O>
__global__ void __launch_bounds__(gs_block_size)
    join_others(graph<O> g, const int32_t *near, int32_t *of)
{
    const stride s;
    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        of[I] = near[I] >= 0 ? near[I] : gs_most_near(g.degree[I], g.of(I), near);
    }
}

// number = the sums of what stands before, in place; nodes + 1 of them.
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
    uint32_t *state = nullptr, *seen = nullptr, *further = nullptr;
    int32_t *number = nullptr, *near = nullptr;
    bool far = false;
    gsolve_status status;

    TRY(find_growth(ctx, g.nodes, g.degree, &far));
    ALLOC_DEVICE(ctx, state, g.nodes);
    ALLOC_DEVICE(ctx, seen, g.nodes);
    ALLOC_DEVICE(ctx, number, (int64_t)g.nodes + 1);
    if (far) ALLOC_DEVICE(ctx, further, g.nodes);
    TRY(decide_roots(ctx, g, state, seen, further, number));
    TRY(gs_launch(q, "roots", mark_roots, grid, gs_block_size, g.nodes, state, number));
    TRY(sum_before(ctx, g.nodes, number));
    near = (int32_t *)(far ? further : seen);
    TRY(gs_launch(q, "joining roots", join_roots<O>, grid, gs_block_size, g, state, number, near));
    if (far) { // once more: near's neighbours first
        TRY(gs_launch(q, "joining aggregates", join_others<O>, grid, gs_block_size, g, near,
                      (int32_t *)seen));
        near = (int32_t *)seen;
    }
    TRY(gs_launch(q, "joining aggregates", join_others<O>, grid, gs_block_size, g, near, of));
    TRY(gsolve_copy(ctx, count, GSOLVE_HOST, number + g.nodes, GSOLVE_DEVICE, sizeof *count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, state);
    gsolve_free(ctx, GSOLVE_DEVICE, seen);
    gsolve_free(ctx, GSOLVE_DEVICE, further);
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

// --- their nodes ------------------------------------------------------------------------------

__global__ void __launch_bounds__(gs_block_size) number_nodes(int32_t nodes, int32_t *node)
{
    const stride s;
    for (int64_t I = s.first; I < nodes; I += s.step) node[I] = (int32_t)I;
}

// start[g] = the first of the ascending aggregates that is g or more; -1 counts as the most.
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
    const int bits = gs_bits_of_nodes(count); // in which -1 is more than any
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
