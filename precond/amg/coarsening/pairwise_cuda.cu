// pairwise_cuda.cu: pairwise aggregation on a GPU by the rules of pairwise_rules.h, with the same
// result as on the CPU. In the kernels of a pairing a thread owns every step-th group of nodes. It
// reads the rows of A of the nodes in its group.
#include "core/scan.cuh"
#include "precond/subwarp.cuh"

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

// --- weights of connections ----------------------------------------------------------------------

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
    const stride s;
    for (int64_t i = s.first; i < n; i += s.step) {
        d[i] = entry(start, col, a, (int32_t)i, (int32_t)i);
    }
}

// weight as in pairwise_body.h. L threads own a row; each entry (i, j) looks up (j, i) by binary
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
gsolve_status compute_all_weights(gsolve_context *ctx, const gsolve_csr *A, int32_t block,
                                  int64_t entries, float *weight)
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
        return gs_with_subwarp((double)entries / (A->nrows + 1.0), [&](auto lanes) {
            constexpr int L = decltype(lanes)::value;
            return gs_launch(q, "connections of pairs", compute_weights<L, T, O>,
                             gs_subwarp_blocks(A->nrows, L), gs_block_size, A->nrows, block, start,
                             A->col, a, d, weight);
        });
    }));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, d);
    return status;
}

// --- pairing -------------------------------------------------------------------------------------

// Kernel `name` calls function(&p, g) for all groups g. A thread owns every step-th group.
#define EACH_GROUP(name, function)                                      \
    __global__ void __launch_bounds__(gs_block_size) name(gs_pairing p) \
    {                                                                   \
        const stride s;                                                 \
        for (int64_t g = s.first; g < p.groups; g += s.step) {          \
            function(&p, (int32_t)g);                                   \
        }                                                               \
    }
EACH_GROUP(begin_pairing, gs_begin_pairing)
EACH_GROUP(choose_mates, gs_choose_mate)
EACH_GROUP(confirm_mates, gs_confirm_mate)
EACH_GROUP(choose_hosts, gs_choose_host)

// of[I] = member[I] = I: at first, each node is a group. A thread owns every step-th node.
__global__ void __launch_bounds__(gs_block_size)
    number_nodes(int32_t nodes, int32_t *of, int32_t *member)
{
    const stride s;
    for (int64_t I = s.first; I < nodes; I += s.step) of[I] = member[I] = (int32_t)I;
}

// number[g] = 1 if g is a leader, or at the end if g keeps its number; 0 for g = groups.
__global__ void __launch_bounds__(gs_block_size)
    mark_leaders(gs_pairing p, bool at_end, int32_t *number)
{
    const stride s;
    for (int64_t g = s.first; g <= p.groups; g += s.step) {
        number[g] = g < p.groups && (at_end ? p.choice[g] < 0 : gs_is_leader(&p, (int32_t)g));
    }
}

// Writes the merged groups to member and of, see gs_merge_groups. Each leader writes its own group,
// so no two threads write the same element.
__global__ void __launch_bounds__(gs_block_size)
    merge_groups(gs_pairing p, const int32_t *number, int32_t *member, int32_t *of)
{
    const stride s;
    for (int64_t g = s.first; g < p.groups; g += s.step) {
        gs_merge_groups(&p, (int32_t)g, number[g], member, of);
    }
}

// of[I] = the final number of the group of each node, see gs_renumber_nodes.
__global__ void __launch_bounds__(gs_block_size)
    join_singletons(gs_pairing p, const int32_t *number, int32_t *of)
{
    const stride s;
    for (int64_t g = s.first; g < p.groups; g += s.step)
        gs_renumber_nodes(&p, (int32_t)g, number, of);
}

gsolve_status choose(gs_queue *q, const gs_pairing &p)
{
    const int grid = gs_grid(q, p.groups);
    gsolve_status status;

    TRY(gs_launch(q, "pairing", begin_pairing, grid, gs_block_size, p));
    for (int round = 0; round < GS_PAIRING_ROUNDS; round++) {
        TRY(gs_launch(q, "pairing", choose_mates, grid, gs_block_size, p));
        TRY(gs_launch(q, "pairing", confirm_mates, grid, gs_block_size, p));
    }
done:
    return status;
}

// number = the new numbers of the groups, *count of them.
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

// One pairing: about halves the number of groups. *member: replaced by the members of the merged
// groups.
gsolve_status pair_once(gsolve_context *ctx, gs_pairing *p, int32_t *number, int32_t **member,
                        int32_t *of)
{
    gs_queue *q = ctx->queue;
    int32_t *wider = nullptr, count = 0;
    gsolve_status status;

    p->member = *member;
    TRY(choose(q, *p));
    TRY(number_leaders(ctx, *p, false, number, &count));
    ALLOC_DEVICE(ctx, wider, (int64_t)count * 2 * p->capacity);
    TRY(gs_launch(q, "merging groups", merge_groups, gs_grid(q, p->groups), gs_block_size, *p,
                  number, wider, of));
    gsolve_free(ctx, GSOLVE_DEVICE, *member);
    *member = wider;
    wider = nullptr;
    p->member = *member;
    p->groups = count;
    p->capacity *= 2;
done:
    gsolve_free(ctx, GSOLVE_DEVICE, wider);
    return status;
}

gsolve_status pair_groups(gsolve_context *ctx, gs_pairing p, int pairings, int32_t *of,
                          int32_t *count)
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
    for (int pairing = 0; pairing < pairings; pairing++)
        TRY(pair_once(ctx, &p, number, &member, of));
    TRY(gs_launch(q, "single nodes", choose_hosts, gs_grid(q, p.groups), gs_block_size, p));
    TRY(number_leaders(ctx, p, true, number, count));
    TRY(gs_launch(q, "single nodes", join_singletons, gs_grid(q, p.groups), gs_block_size, p,
                  number, of));
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
    TRY(compute_all_weights<T>(ctx, A, block, entries, weight));
    p.start = A->start;
    p.wide = A->offset == GSOLVE_O64;
    p.col = A->col;
    p.weight = weight;
    p.block = block;
    p.groups = A->nrows / block;
    p.capacity = 1;
    p.of = of;
    p.strength = strength;
    TRY(pair_groups(ctx, p, pairings, of, count));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, weight);
    return status;
}

} // namespace

extern "C" const gs_pairwise_kernels gs_pairwise_cuda[GSOLVE_TYPE_COUNT] = {{aggregate<float>},
                                                                            {aggregate<double>}};
