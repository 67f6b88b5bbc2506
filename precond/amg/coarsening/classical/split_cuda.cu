// split_cuda.cu: the splitting on a GPU, with the same result as on the CPU; see split_host.c. L
// threads own a point in the kernels of a round. All decisions compare integers, so that their
// order does not matter.
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/coarsening/classical/classical.h"
}

#define SMALL static inline __device__
#include "precond/amg/coarsening/classical/classical_rules.h"

namespace
{

constexpr int rounds_per_check =
    4; // rounds between two tests of the host whether undecided points are left

// The dependences between points: by one strong connection, and if two_steps by two as well.
template <class O>
struct dependences {
    int32_t n;
    bool two_steps;
    const O *start;
    const int32_t *col;
    const uint8_t *mark;
    uint8_t *kind;
    int32_t *influence;
    uint8_t *dominated; // the last round in which the point was dominated
    int32_t *open;      // for each round of a batch: the points that stay undecided

    // Calls found(j) for this lane's share of the points that i depends on, of any kind, once for
    // each path.
    template <int L, class F>
    __device__ void each_path(const gs_subwarp<L> &g, int32_t i, F found) const
    {
        const int64_t end = (int64_t)start[i + 1];
        for (int64_t k = (int64_t)start[i] + g.lane; k < end; k += L) {
            if (!(mark[k] & GS_STRONG)) continue;
            const int32_t j = col[k];
            found(j);
            if (!two_steps) continue;
            const int64_t end_j = (int64_t)start[j + 1];
            for (int64_t m = (int64_t)start[j]; m < end_j; m++) {
                if (mark[m] & GS_STRONG && col[m] != i) found(col[m]);
            }
        }
    }
};

// influence[j] += 1 for each path from an undecided point to j. L threads own a point. Reads its
// row, and with two_steps the rows of its neighbours.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size) count_influence(dependences<O> w)
{
    const gs_subwarp<L> g;
    const int32_t i = (int32_t)g.unit;

    if (g.unit >= w.n || w.kind[i] != GS_UNDECIDED) return; // there are no ballots below
    w.each_path(g, i, [&](int32_t j) {
        if (w.kind[j] == GS_UNDECIDED) atomicAdd(&w.influence[j], 1);
    });
}

// Makes the undecided points on which no other depends F points. A thread owns a point.
template <class O>
__global__ void mark_f_points(dependences<O> w)
{
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;

    if (i < w.n && w.kind[i] == GS_UNDECIDED && w.influence[i] == 0) w.kind[i] = GS_F;
}

__device__ bool has_ended(const int32_t *open, int batch_round)
{
    return batch_round > 0 && open[batch_round - 1] == 0;
}

// Marks the smaller one of each pair of undecided points, one of which depends on the other, as
// dominated in this round. L threads own a point. Several threads may write the same value to an
// element. Reads as count_influence does.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    mark_dominated(dependences<O> w, int batch_round, int round)
{
    const gs_subwarp<L> g;
    const int32_t i = (int32_t)g.unit;

    if (has_ended(w.open, batch_round) || g.unit >= w.n || w.kind[i] != GS_UNDECIDED)
        return; // there are no ballots below
    const uint64_t own = gs_measure_of(w.influence[i], i);
    w.each_path(g, i, [&](int32_t j) {
        if (w.kind[j] != GS_UNDECIDED) return;
        w.dominated[own < gs_measure_of(w.influence[j], j) ? i : j] = (uint8_t)round;
    });
}

// Makes the undecided points that are not dominated C points; decides the dominated ones. L threads
// own a point. kind changes in place: another thread reads a point that becomes C in this round as
// C, or as undecided and not dominated, and treats both equally. Reads as count_influence does.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    decide(dependences<O> w, int batch_round, int round, uint8_t other)
{
    if (has_ended(w.open, batch_round)) return; // all threads
    const gs_subwarp<L> g;
    const int32_t i = (int32_t)g.unit;
    const bool open = g.unit < w.n && w.kind[i] == GS_UNDECIDED;
    const bool dominated = open && w.dominated[i] == round;
    bool depends = false;

    if (dominated) {
        w.each_path(g, i, [&](int32_t j) {
            const uint8_t kind = w.kind[j];
            depends |= kind == GS_C || (kind == GS_UNDECIDED && w.dominated[j] != round);
        });
    }
    depends = g.ballot(depends) != 0;
    if (open && g.lane == 0 && !dominated) w.kind[i] = GS_C;
    if (dominated && g.lane == 0 && depends) w.kind[i] = other;
    const unsigned left = __ballot_sync(gs_all_lanes, g.lane == 0 && dominated && !depends);
    if (threadIdx.x % 32 == 0 && left) atomicAdd(&w.open[batch_round], __popc(left));
}

template <int L, class O>
gsolve_status run_rounds(gsolve_context *ctx, dependences<O> w, uint8_t other)
{
    const int blocks = gs_subwarp_blocks(w.n, L);
    gs_queue *q = ctx->queue;
    int32_t open = 1;
    int round = 1;
    gsolve_status status = GSOLVE_OK;

    TRY(gs_launch(q, "counting dependent points", count_influence<L, O>, blocks, gs_block_size, w));
    if (!w.two_steps) {
        TRY(gs_launch(q, "isolated F points", mark_f_points<O>, gs_subwarp_blocks(w.n, 1),
                      gs_block_size, w));
    }
    while (open > 0) {
        TRY(gs_cuda(q, cudaMemsetAsync(w.open, 0, rounds_per_check * sizeof *w.open, q->stream),
                    "counts of open points"));
        for (int batch_round = 0; batch_round < rounds_per_check;
             batch_round++, round = round % 255 + 1) {
            TRY(gs_launch(q, "comparing measures", mark_dominated<L, O>, blocks, gs_block_size, w,
                          batch_round, round));
            TRY(gs_launch(q, "choosing C points", decide<L, O>, blocks, gs_block_size, w,
                          batch_round, round, other));
        }
        TRY(gsolve_copy(ctx, &open, GSOLVE_HOST, w.open + rounds_per_check - 1, GSOLVE_DEVICE,
                        sizeof open));
    }
done:
    return status;
}

template <int L, class O>
gsolve_status decide_all(gsolve_context *ctx, const gs_points *p, const O *start, bool two_steps)
{
    const size_t n = (size_t)p->A->nrows;
    dependences<O> w = {p->A->nrows, two_steps, start,   p->A->col, p->mark,
                        p->kind,     nullptr,   nullptr, nullptr};
    gs_queue *q = ctx->queue;
    gsolve_status status;

    ALLOC_DEVICE(ctx, w.influence, n);
    ALLOC_DEVICE(ctx, w.dominated, n);
    ALLOC_DEVICE(ctx, w.open, rounds_per_check);
    TRY(gs_cuda(q, cudaMemsetAsync(w.influence, 0, n * sizeof *w.influence, q->stream),
                "measures"));
    TRY(gs_cuda(q, cudaMemsetAsync(w.dominated, 0, n, q->stream), "measures"));
    TRY(run_rounds<L>(ctx, w, (uint8_t)(two_steps ? GS_INTERMEDIATE_C : GS_F)));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, w.influence);
    gsolve_free(ctx, GSOLVE_DEVICE, w.dominated);
    gsolve_free(ctx, GSOLVE_DEVICE, w.open);
    return status;
}

gsolve_status split(gsolve_context *ctx, const gs_points *p, bool second)
{
    return gs_with_rows(ctx, p->A, [&](auto start, auto lanes) {
        return decide_all<decltype(lanes)::value>(ctx, p, start, second);
    });
}

} // namespace

extern "C" const gs_classical_split_kernels gs_classical_split_cuda[GSOLVE_TYPE_COUNT] = {{split},
                                                                                          {split}};
