// pairwise_cuda.cu: aggregates by pairs on a GPU: a thread a group, by the rules of the CPU.
#include "core/scan.cuh"
#include "precond/lanes.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/aggregation.h"
}

#define SMALL static inline __device__
#include "matrix/row_rule.h"
#include "precond/amg/coarsening/pairwise_rules.h"

namespace
{

struct stride {
    int64_t first, step;
    __device__ stride()
        : first((int64_t)blockIdx.x * gs_block_size + threadIdx.x),
          step((int64_t)gridDim.x * gs_block_size)
    {
    }
};

// --- what connects nodes ----------------------------------------------------------------------

// Entry (i, j) of ascending rows; 0: none.
template <class T, class O>
__device__ double entry(const O *start, const int32_t *col, const T *a, int32_t i, int32_t j)
{
    const int64_t at = gs_row_find(col, (int64_t)start[i], (int64_t)start[i + 1], j);

    return at < 0 ? 0 : (double)a[at];
}

template <class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_diagonal(int32_t n, const O *start, const int32_t *col, const T *a, double *d)
{
    const stride s;
    for (int64_t i = s.first; i < n; i += s.step) {
        d[i] = entry(start, col, a, (int32_t)i, (int32_t)i);
    }
}

// As on the host.
template <int L, class T, class O>
__global__ void __launch_bounds__(gs_block_size)
    weigh(int32_t n, int32_t block, const O *start, const int32_t *col, const T *a, const double *d,
          float *weight)
{
    const gs_lanes<L> g;
    const int32_t i = (int32_t)g.unit;

    if (g.unit >= n) return; // no sums or ballots here
    for (int64_t k = (int64_t)start[i] + g.lane; k < (int64_t)start[i + 1]; k += L) {
        const int32_t j = col[k];
        const bool counts = i / block != j / block && i % block == j % block;
        weight[k] = counts ? gs_weight((double)a[k], entry(start, col, a, j, i), d[i], d[j]) : 0.0f;
    }
}

template <class T>
gsolve_status weigh_all(gsolve_context *ctx, const gsolve_csr *A, int32_t block, int64_t entries,
                        float *weight)
{
    gs_queue *q = ctx->queue;
    const T *a = (const T *)A->value;
    double *d = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, d, A->nrows);
    TRY(gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        const gsolve_status found =
            gs_launch(q, "the diagonal", find_diagonal<T, O>, gs_grid(q, A->nrows), gs_block_size,
                      A->nrows, start, A->col, a, d);
        if (found != GSOLVE_OK) return found;
        return gs_with_lanes((double)entries / (A->nrows + 1.0), [&](auto lanes) {
            constexpr int L = decltype(lanes)::value;
            return gs_launch(q, "connections of pairs", weigh<L, T, O>, gs_lane_blocks(A->nrows, L),
                             gs_block_size, A->nrows, block, start, A->col, a, d, weight);
        });
    }));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, d);
    return status;
}

// --- pairing ----------------------------------------------------------------------------------

// what(p, g) for all groups.
#define EACH_GROUP(name, what)                                          \
    __global__ void __launch_bounds__(gs_block_size) name(gs_pairing p) \
    {                                                                   \
        const stride s;                                                 \
        for (int64_t g = s.first; g < p.groups; g += s.step) {          \
            what(&p, (int32_t)g);                                       \
        }                                                               \
    }
EACH_GROUP(begin_pairing, gs_begin_pairing)
EACH_GROUP(choose_mates, gs_choose_mate)
EACH_GROUP(meet_mates, gs_meet_mate)
EACH_GROUP(choose_hosts, gs_choose_host)

__global__ void __launch_bounds__(gs_block_size)
    number_nodes(int32_t nodes, int32_t *of, int32_t *member)
{
    const stride s;
    for (int64_t I = s.first; I < nodes; I += s.step) of[I] = member[I] = (int32_t)I;
}

// number[g] = 1 where g leads, or at the end stays; 0 behind the last.
__global__ void __launch_bounds__(gs_block_size)
    mark_leaders(gs_pairing p, bool at_end, int32_t *number)
{
    const stride s;
    for (int64_t g = s.first; g <= p.groups; g += s.step) {
        number[g] = g < p.groups && (at_end ? p.choice[g] < 0 : gs_leads(&p, (int32_t)g));
    }
}

__global__ void __launch_bounds__(gs_block_size)
    unite(gs_pairing p, const int32_t *number, int32_t *member, int32_t *of)
{
    const stride s;
    for (int64_t g = s.first; g < p.groups; g += s.step) {
        gs_unite(&p, (int32_t)g, number[g], member, of);
    }
}

__global__ void __launch_bounds__(gs_block_size)
    settle(gs_pairing p, const int32_t *number, int32_t *of)
{
    const stride s;
    for (int64_t g = s.first; g < p.groups; g += s.step) gs_finish_pair(&p, (int32_t)g, number, of);
}

gsolve_status choose(gs_queue *q, const gs_pairing &p)
{
    const int grid = gs_grid(q, p.groups);
    gsolve_status status;

    TRY(gs_launch(q, "pairing", begin_pairing, grid, gs_block_size, p));
    for (int round = 0; round < GS_PAIRING_ROUNDS; round++) {
        TRY(gs_launch(q, "pairing", choose_mates, grid, gs_block_size, p));
        TRY(gs_launch(q, "pairing", meet_mates, grid, gs_block_size, p));
    }
done:
    return status;
}

// number, and how many groups there will be.
gsolve_status number_leaders(gsolve_context *ctx, const gs_pairing &p, bool at_end, int32_t *number,
                             int32_t *count)
{
    gs_queue *q = ctx->queue;
    const int64_t n = (int64_t)p.groups + 1;
    char *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_launch(q, "numbering groups", mark_leaders, gs_grid(q, n), gs_block_size, p, at_end,
                  number));
    TRY(gs_cuda(q, gs_exclusive_sum(nullptr, bytes, number, number, n, q->stream),
                "numbering groups"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q, gs_exclusive_sum(space, bytes, number, number, n, q->stream),
                "numbering groups"));
    TRY(gsolve_copy(ctx, count, GSOLVE_HOST, number + p.groups, GSOLVE_DEVICE, sizeof *count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

// One pairing: p's groups become half as many; member is theirs in turn.
gsolve_status halve(gsolve_context *ctx, gs_pairing *p, int32_t *number, int32_t **member,
                    int32_t *of)
{
    gs_queue *q = ctx->queue;
    int32_t *wider = nullptr, count = 0;
    gsolve_status status;

    p->member = *member;
    TRY(choose(q, *p));
    TRY(number_leaders(ctx, *p, false, number, &count));
    ALLOC_DEVICE(ctx, wider, (int64_t)count * 2 * p->room);
    TRY(gs_launch(q, "uniting groups", unite, gs_grid(q, p->groups), gs_block_size, *p, number,
                  wider, of));
    gsolve_free(ctx, GSOLVE_DEVICE, *member);
    *member = wider;
    wider = nullptr;
    p->member = *member;
    p->groups = count;
    p->room *= 2;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, wider);
    return status;
}

gsolve_status pair(gsolve_context *ctx, gs_pairing p, int pairings, int32_t *of, int32_t *count)
{
    gs_queue *q = ctx->queue;
    const int32_t nodes = p.groups;
    int32_t *member = nullptr, *number = nullptr;
    gsolve_status status;

    ALLOC_DEVICE(ctx, p.strongest, nodes);
    ALLOC_DEVICE(ctx, p.choice, nodes);
    ALLOC_DEVICE(ctx, p.mate, nodes);
    ALLOC_DEVICE(ctx, number, (int64_t)nodes + 1);
    ALLOC_DEVICE(ctx, member, nodes);
    TRY(gs_launch(q, "pairing", number_nodes, gs_grid(q, nodes), gs_block_size, nodes, of, member));
    for (int made = 0; made < pairings; made++) TRY(halve(ctx, &p, number, &member, of));
    TRY(gs_launch(q, "lone nodes", choose_hosts, gs_grid(q, p.groups), gs_block_size, p));
    TRY(number_leaders(ctx, p, true, number, count));
    TRY(gs_launch(q, "lone nodes", settle, gs_grid(q, p.groups), gs_block_size, p, number, of));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, p.strongest);
    gsolve_free(ctx, GSOLVE_DEVICE, p.choice);
    gsolve_free(ctx, GSOLVE_DEVICE, p.mate);
    gsolve_free(ctx, GSOLVE_DEVICE, number);
    gsolve_free(ctx, GSOLVE_DEVICE, member);
    return status;
}

template <class T>
gsolve_status aggregate(gsolve_context *ctx, const gsolve_csr *A, int32_t block, double strength,
                        int pairings, int32_t *of, int32_t *count)
{
    gs_pairing p = {};
    float *weight = nullptr;
    int64_t entries = 0;
    gsolve_status status;

    TRY(gs_csr_entries(ctx, A, &entries));
    ALLOC_DEVICE(ctx, weight, entries);
    TRY(weigh_all<T>(ctx, A, block, entries, weight));
    p.start = A->start;
    p.wide = A->offset == GSOLVE_O64;
    p.col = A->col;
    p.weight = weight;
    p.block = block;
    p.groups = A->nrows / block;
    p.room = 1;
    p.of = of;
    p.strength = strength;
    TRY(pair(ctx, p, pairings, of, count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, weight);
    return status;
}

} // namespace

extern "C" const gs_pairwise_kernels gs_pairwise_cuda[GSOLVE_TYPE_COUNT] = {{aggregate<float>},
                                                                            {aggregate<double>}};
