// aggregate_cuda.cu: aggregates on a GPU. The roots are a maximal independent set, found in rounds;
// see aggregate_rules.h. In the kernels of a round a thread owns every step-th node; it reads the
// list of its neighbours and 4 bytes of each, and writes 4 bytes. Decisions compare integers, and
// no thread reads an element that another thread writes in the same launch. So the result does not
// depend on the order of the threads.
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

constexpr int one_block_threads = 1024;

struct stride {
    int64_t first, step;
    __device__ stride()
        : first((int64_t)blockIdx.x * gs_block_size + threadIdx.x),
          step((int64_t)gridDim.x * gs_block_size)
    {
    }
};

// --- roots ---------------------------------------------------------------------------------------

// Decides all nodes, and sets *undecided if one stays undecided.
__global__ void __launch_bounds__(gs_block_size) decide_nodes(gs_root_search g, int32_t *undecided)
{
    const stride s;
    bool undecided_here = false;

    for (int64_t I = s.first; I < g.nodes; I += s.step) {
        undecided_here |= gs_decide_node(&g, (int32_t)I);
    }
    if (__syncthreads_or(undecided_here) && threadIdx.x == 0) *undecided = 1;
}

gsolve_status decide(gs_queue *q, const gs_root_search *s, bool last, int32_t *undecided)
{
    gsolve_status status;

    if (last) {
        TRY(gs_cuda(q, cudaMemsetAsync(undecided, 0, sizeof *undecided, q->stream), "roots"));
    }
    TRY(gs_launch(q, "roots", decide_nodes, gs_grid(q, s->nodes), gs_block_size, *s, undecided));
done:
    return status;
}

// Runs all rounds in one thread block, with barriers between their steps. A thread owns every
// one_block_threads-th node.
__global__ void __launch_bounds__(one_block_threads) decide_in_one_block(gs_root_search g)
{
    const int32_t first = (int32_t)threadIdx.x;
    bool undecided_here = true;

    for (int32_t I = first; I < g.nodes; I += one_block_threads) gs_begin_root(&g, I);
    __syncthreads();
    for (g.round = 1; undecided_here; g.round++) {
        for (int32_t I = first; I < g.nodes; I += one_block_threads) gs_find_min1(&g, I);
        __syncthreads();
        if (g.min2) {
            for (int32_t I = first; I < g.nodes; I += one_block_threads) gs_find_min2(&g, I);
            __syncthreads();
        }
        undecided_here = false;
        for (int32_t I = first; I < g.nodes; I += one_block_threads) {
            undecided_here |= gs_decide_node(&g, I);
        }
        undecided_here = __syncthreads_or(undecided_here);
    }
}

gsolve_status decide_few(gs_queue *q, const gs_root_search *s)
{
    return gs_launch(q, "roots", decide_in_one_block, 1, one_block_threads, *s);
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

extern "C" const gs_aggregate_kernels gs_aggregate_cuda[GSOLVE_TYPE_COUNT] = {
    {find_growth, nullptr, decide, decide_few, list},
    {find_growth, nullptr, decide, decide_few, list}};
