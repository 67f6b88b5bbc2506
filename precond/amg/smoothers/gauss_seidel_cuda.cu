// gauss_seidel_cuda.cu: the colouring for Gauss-Seidel on a GPU (Jones and Plassmann). In each
// round every row is coloured that has no uncoloured neighbour of higher priority. The host tests
// only after several rounds whether a row is left. A row may still appear uncoloured to its
// neighbours after it was coloured; that costs a round and changes no colour.
#include "precond/amg/smoothers/gauss_seidel.cuh"
#include "precond/subwarp.cuh"

extern "C" {
#include "core/try.h"
}

#define INLINE __device__ inline
#define SMALL  __device__ inline
#include "matrix/row_rule.h"
#include "precond/random.h"

#include "precond/amg/smoothers/gauss_seidel_rule.h"

namespace
{

constexpr int first_rounds = 12, further_rounds = 8;

// --- colours -------------------------------------------------------------------------------------

template <class O>
struct pattern {
    const O *start;
    const int32_t *col;
};

template <class O>
pattern<O> pattern_of(const gsolve_csr *A)
{
    return {(const O *)A->start, A->col};
}

// The numbers that the kernels write for the host: whether a row is left, the number of colours,
// whether the pattern is not symmetric.
enum { UNCOLOURED, COUNT, ONE_SIDED, RESULTS };

// results[ONE_SIDED] = 1 if a row has an entry (i, j) without (j, i). L threads own a row, and look
// up each entry by binary search.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    find_one_sided(int32_t n, pattern<O> A, int32_t *results)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit;

    if (i >= n) return;
    for (O k = A.start[i] + g.lane; k < A.start[i + 1]; k += L) {
        const int32_t j = A.col[k];
        const int64_t at = gs_row_find(A.col, A.start[j], A.start[j + 1], (int32_t)i);
        if (at < 0) results[ONE_SIDED] = 1;
    }
}

// This lane's share of the neighbours of row i. *used: the colours base to base + 63 that they
// have. *blocked: one of them has a higher priority and no colour.
template <int L, class O>
__device__ void inspect_neighbours(pattern<O> A, int64_t i, int lane, const int32_t *colour,
                                   int32_t base, unsigned long long *used, bool *blocked)
{
    const uint64_t own = gs_colour_priority(i);

    for (O k = A.start[i] + lane; k < A.start[i + 1]; k += L) {
        const int32_t j = A.col[k], c = __ldcg(&colour[j]);
        if (j == i) continue;
        if (c < 0 && gs_colour_priority(j) > own) *blocked = true;
        if (c >= base && c < base + 64) *used |= 1ull << (c - base);
    }
}

// One round. L threads own a row: they collect the colours of its neighbours, 64 at a time, and
// take the smallest that is free. Reads the patterns of A and B and the colours of the neighbours.
// last: also sets results[UNCOLOURED] if a row is left.
template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    colour_rows(int32_t n, pattern<O> A, pattern<O> B, bool last, int32_t *colour, int32_t *results)
{
    const gs_subwarp<L> g;
    const int64_t i = g.unit;
    bool searching = i < n && colour[i] < 0;
    int32_t found = -1;

    const bool open = searching;
    for (int32_t base = 0; __any_sync(gs_all_lanes, searching); base += 64) {
        unsigned long long used = 0;
        bool blocked = false;
        if (searching) {
            inspect_neighbours<L>(A, i, g.lane, colour, base, &used, &blocked);
            if (B.start) inspect_neighbours<L>(B, i, g.lane, colour, base, &used, &blocked);
        }
        for (int d = L / 2; d > 0; d /= 2) used |= __shfl_xor_sync(gs_all_lanes, used, d);
        blocked = g.ballot(blocked) != 0;
        if (searching && !blocked && ~used) found = base + __ffsll((long long)~used) - 1;
        searching = searching && !blocked && found < 0;
    }
    if (g.lane == 0 && found >= 0) {
        __stcg(&colour[i], found);
        if (found >= __ldcg(&results[COUNT])) atomicMax(&results[COUNT], found + 1);
    }
    if (last && open && found < 0) results[UNCOLOURED] = 1;
}

// Runs rounds until no row is left.
template <class O, class Round>
gsolve_status colour_all(gsolve_context *ctx, int32_t *results, int32_t *host_facts, Round round)
{
    gs_queue *q = ctx->queue;
    gsolve_status status;

    for (int rounds = first_rounds;; rounds = further_rounds) {
        TRY(gs_cuda(q, cudaMemsetAsync(&results[UNCOLOURED], 0, sizeof *results, q->stream),
                    "colours"));
        for (int r = 1; r <= rounds; r++) TRY(round(r == rounds));
        TRY(gsolve_copy(ctx, host_facts, GSOLVE_HOST, results, GSOLVE_DEVICE,
                        RESULTS * sizeof *host_facts));
        if (!host_facts[UNCOLOURED] || host_facts[ONE_SIDED]) break;
    }
done:
    return status;
}

template <class O>
gsolve_status colour_in(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B, double mean,
                        int32_t *colour, int32_t *results, int32_t *host_facts)
{
    gs_queue *q = ctx->queue;
    const int32_t n = A->nrows;
    const pattern<O> rows = pattern_of<O>(A);
    const pattern<O> columns = B ? pattern_of<O>(B) : pattern<O>{nullptr, nullptr};

    return gs_with_subwarp(mean / 2, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        const int grid = gs_subwarp_blocks(n, L);
        gsolve_status status = GSOLVE_OK;
        if (!B) {
            status = gs_launch(q, "one-sided entries", find_one_sided<L, O>, grid, gs_block_size, n,
                               rows, results);
        }
        if (status != GSOLVE_OK) return status;
        return colour_all<O>(ctx, results, host_facts, [&](bool last) {
            return gs_launch(q, "colours", colour_rows<L, O>, grid, gs_block_size, n, rows, columns,
                             last, colour, results);
        });
    });
}

} // namespace

gsolve_status gs_gauss_seidel_colour(gsolve_context *ctx, const gsolve_csr *A, const gsolve_csr *B,
                                     int32_t *colour, int32_t *count)
{
    gs_queue *q = ctx->queue;
    const size_t bytes = (size_t)A->nrows * sizeof *colour;
    int32_t *results = nullptr, host_facts[RESULTS] = {};
    int64_t entries = 0;
    double mean;
    gsolve_status status;

    ALLOC_DEVICE(ctx, results, RESULTS);
    TRY(gs_csr_entries(ctx, A, &entries));
    mean = (double)entries / (A->nrows > 0 ? A->nrows : 1);
    TRY(gs_cuda(q, cudaMemsetAsync(results, 0, RESULTS * sizeof *results, q->stream), "colours"));
    TRY(gs_cuda(q, cudaMemsetAsync(colour, 0xff, bytes, q->stream), "colours")); // -1
    TRY(A->offset == GSOLVE_O64 ? colour_in<int64_t>(ctx, A, B, mean, colour, results, host_facts)
                                : colour_in<int32_t>(ctx, A, B, mean, colour, results, host_facts));
    *count = host_facts[ONE_SIDED] ? -1 : host_facts[COUNT];
done:
    gsolve_free(ctx, GSOLVE_DEVICE, results);
    return status;
}
