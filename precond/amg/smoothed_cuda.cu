// smoothed_cuda.cu: the prolongator on a GPU.
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "precond/lanes.cuh"

extern "C" {
#include "core/try.h"
#include "precond/amg/aggregation.h"
}

#define SMALL static __device__
#include "precond/amg/smoothed_rule.h"

namespace
{

// --- its pattern ------------------------------------------------------------------------------

// Room of a group of lanes for its list: a bit a lane for each of 32 places.
template <int L>
constexpr int room = 32 * L;
static_assert(room<32> > GS_LONGEST_SMOOTHED, "a node's aggregates and its own");

// The aggregates of a node and its strong neighbours into list, in any order; returns how many.
template <int L>
__device__ int32_t gather_aggregates(const gs_lanes<L> &g, const int32_t *neighbour, int32_t degree,
                                     const int32_t *of, int32_t own, int32_t *list)
{
    int32_t n = 0;

    for (int32_t from = 0; __any_sync(gs_all_lanes, from < degree); from += L) {
        const int32_t e = from + g.lane;
        const int32_t a = e < degree ? of[neighbour[e]] : -1;
        const unsigned those = g.ballot(a >= 0);
        if (a >= 0) list[n + __popc(those & g.below())] = a;
        n += __popc(those);
    }
    if (own >= 0) {
        if (g.lane == 0) list[n] = own;
        n++;
    }
    __syncwarp();
    return n;
}

// Node I's columns in place of its neighbours; their number, in each lane. I < 0: none, but all of
// the warp come here.
template <int L, class O>
__device__ int32_t sort_node(const gs_lanes<L> &g, const gs_connections &G, const O *start,
                             const int32_t *of, bool smooth, int64_t I, int32_t *list)
{
    const int32_t own = I >= 0 ? of[I] : -1;
    const int32_t all = own >= 0 && smooth ? G.degree[I] : 0;
    int32_t *neighbour = G.neighbour + (I >= 0 ? (int64_t)start[I * G.block] : 0);
    const int32_t degree = all <= GS_LONGEST_SMOOTHED ? all : 0;
    const int32_t n = gather_aggregates(g, neighbour, degree, of, own, list);
    unsigned again = 0; // whether what the lane looks at stands further ahead too

    for (int32_t e = g.lane, bit = 0; e < n; e += L, bit++) {
        for (int32_t f = 0; f < e; f++) {
            if (list[f] == list[e]) again |= 1u << bit;
        }
    }
    __syncwarp();
    for (int32_t e = g.lane, bit = 0; e < n; e += L, bit++) {
        if (again >> bit & 1) list[e] = INT32_MAX;
    }
    __syncwarp();
    for (int32_t e = g.lane; e < n; e += L) {
        int32_t rank = 0;
        if (list[e] == INT32_MAX) continue;
        for (int32_t f = 0; f < n; f++) rank += list[f] < list[e];
        neighbour[rank] = list[e];
    }
    __syncwarp();
    return n - g.sum(__popc(again));
}

// Nodes with more neighbours than groups of least / 32 lanes have room for, found by a warp among
// 32. Their degree becomes ~ the number of their columns, so that the launch to come knows them.
template <class O>
__global__ void __launch_bounds__(gs_block_size)
    sort_long(gs_connections G, const O *start, const int32_t *of, int32_t least)
{
    __shared__ int32_t lists[gs_block_size * 32];
    const gs_lanes<32> g;
    const int64_t first = g.unit * 32, I = first + g.lane;
    unsigned those = g.ballot(I < G.nodes && G.degree[I] >= least);

    for (; those; those &= those - 1) {
        const int64_t J = first + __ffs((int)those) - 1;
        const int32_t n =
            sort_node<32>(g, G, start, of, true, J, lists + threadIdx.x / 32 * room<32>);
        if (g.lane == 0) G.degree[J] = ~n;
    }
}

template <int L, class O>
__global__ void __launch_bounds__(gs_block_size)
    sort_short(gs_connections G, const O *start, const int32_t *of, bool smooth)
{
    __shared__ int32_t lists[gs_block_size * 32];
    const gs_lanes<L> g;
    const int32_t degree = g.unit >= G.nodes ? -1 : smooth ? G.degree[g.unit] : 0;
    const int32_t n = sort_node<L>(g, G, start, of, smooth, degree >= 0 ? g.unit : -1,
                                   lists + threadIdx.x / L * room<L>);

    if (g.unit < G.nodes && g.lane == 0) G.degree[g.unit] = degree >= 0 ? n : ~degree;
}

gsolve_status columns(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                      const int32_t *of, bool smooth)
{
    const double length = smooth ? (double)G->entries / (A->nrows + 1.0) / G->block : 1;
    gs_queue *q = ctx->queue;

    return gs_with_start(A, [&](auto start) {
        using O = std::remove_const_t<std::remove_pointer_t<decltype(start)>>;
        return gs_with_lanes(length, [&](auto lanes) {
            constexpr int L = decltype(lanes)::value;
            gsolve_status status;

            if (smooth) { // else nobody has told the degrees
                TRY(gs_launch(q, "long rows' columns", sort_long<O>, gs_lane_blocks(G->nodes, 1),
                              gs_block_size, *G, start, of, room<L>));
            }
            TRY(gs_launch(q, "the prolongator's columns", sort_short<L, O>,
                          gs_lane_blocks(G->nodes, L), gs_block_size, *G, start, of, smooth));
        done:
            return status;
        });
    });
}

gsolve_status sum(gsolve_context *ctx, const gs_connections *G, int64_t *first, int64_t *total)
{
    gs_queue *q = ctx->queue;
    const int64_t n = (int64_t)G->nodes + 1;
    const cuda::std::plus<> plus;
    char *space = nullptr;
    size_t bytes = 0;
    gsolve_status status;

    TRY(gs_cuda(q, cudaMemsetAsync(G->degree + G->nodes, 0, sizeof *G->degree, q->stream),
                "the prolongator's rows"));
    TRY(gs_cuda(q,
                cub::DeviceScan::ExclusiveScan(nullptr, bytes, G->degree, first, plus, (int64_t)0,
                                               n, q->stream),
                "the prolongator's rows"));
    ALLOC_DEVICE(ctx, space, bytes);
    TRY(gs_cuda(q,
                cub::DeviceScan::ExclusiveScan(space, bytes, G->degree, first, plus, (int64_t)0, n,
                                               q->stream),
                "the prolongator's rows"));
    TRY(gsolve_copy(ctx, total, GSOLVE_HOST, first + G->nodes, GSOLVE_DEVICE, sizeof *total));
done:
    gsolve_free(ctx, GSOLVE_DEVICE, space);
    return status;
}

template <int L, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    fill_rows(gs_connections G, const O *start, const int64_t *first, int32_t k, F *offset,
              int32_t *col)
{
    const gs_lanes<L> g;
    const int64_t I = g.unit;

    if (I >= G.nodes) return; // no sums or ballots here
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
                      int32_t k, const gsolve_csr *P)
{
    F *offset = (F *)const_cast<void *>(P->start);

    return gs_with_lanes(4.0 * k * G->block, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(q, "the prolongator's pattern", fill_rows<L, O, F>,
                         gs_lane_blocks(G->nodes, L), gs_block_size, *G, start, first, k, offset,
                         const_cast<int32_t *>(P->col));
    });
}

gsolve_status fill(gsolve_context *ctx, const gsolve_csr *A, const gs_connections *G,
                   const int64_t *first, int32_t k, const gsolve_csr *P)
{
    gs_queue *q = ctx->queue;

    return gs_with_start(A, [&](auto start) {
        return P->offset == GSOLVE_O64 ? fill_in<int64_t>(q, G, start, first, k, P)
                                       : fill_in<int32_t>(q, G, start, first, k, P);
    });
}

// --- its values -------------------------------------------------------------------------------

// A_f: A with its weak entries moved to their rows' own nodes.
template <class T, class O>
struct filtered {
    int32_t n, block;
    const O *start;
    const int32_t *col;
    const T *a;
    const uint32_t *strong; // bits

    __device__ int32_t node(int32_t i) const { return block == 1 ? i : i / block; }
    __device__ bool is_strong(int64_t k) const { return strong[k / 32] >> (k % 32) & 1; }
    // of an entry in column j
    __device__ int32_t column(int32_t i, int32_t j, bool is_strong) const
    {
        if (is_strong) return j;
        return block == 1 ? i : i / block * block + j % block;
    }
    __device__ int32_t column(int32_t i, int64_t k) const
    {
        return column(i, col[k], is_strong(k));
    }
};

// What of an entry a lane tells the others of its group.
template <class T>
struct entry {
    T a;
    int32_t column, aggregate;
};

// What row i of A_f Q is subtracted with. alone: the row has its own aggregate only; then 0 if a
// strong neighbour is in another, since the row is too long to be smoothed.
template <int L, class T, class O>
__device__ double factor_of(const gs_lanes<L> &g, const filtered<T, O> &F, int32_t i, int64_t begin,
                            int64_t end, double damping, const int32_t *of, int32_t own, bool alone)
{
    double diagonal = 0, moved = 0, others = 0;
    bool stays = false;

    for (int64_t k = begin + g.lane; k < end; k += L) {
        const int32_t j = F.column(i, k);
        const double v = (double)F.a[k];
        if (F.col[k] == i) diagonal = v;
        if (j == i) {
            moved += v;
        } else {
            others += fabs(v);
        }
        if (alone) {
            const int32_t a = of[F.node(j)];
            stays |= a >= 0 && a != own;
        }
    }
    diagonal = g.sum(diagonal); // of which one lane has it
    moved = g.sum(moved);
    others = g.sum(others);
    return g.ballot(stays) ? 0 : gs_damping_of_row(damping, diagonal, fabs(moved) + others);
}

// --- of one vector ----------------------------------------------------------------------------

struct alignas(16) term { // of A_f Q
    double product;
    int32_t aggregate;
};

// What a lane has seen of A's row, for factor_of's sums.
struct row_sums {
    double diagonal, moved, others;
    bool stays;
};

// Entries from to end of A's row i, at most 2 L, into pass; the sums too unless they have been
// made.
template <int L, class T, class O>
__device__ void pass_terms(const gs_lanes<L> &g, const filtered<T, O> &F, int32_t i, int64_t from,
                           int64_t end, const int32_t *of, int32_t own, const T *Q, bool first,
                           row_sums *sums, term *pass)
{
    int32_t col[2], aggregate[2];
    bool strong[2];
    T a[2], q[2];

#pragma unroll
    for (int u = 0; u < 2; u++) {
        const int64_t k = from + u * L + g.lane;
        const bool in = k < end;
        col[u] = in ? F.col[k] : -1;
        strong[u] = in && F.is_strong(k);
        a[u] = in ? F.a[k] : T(0);
    }
#pragma unroll
    for (int u = 0; u < 2; u++) {
        const int32_t j = F.column(i, col[u], strong[u]);
        aggregate[u] = col[u] >= 0 ? of[F.node(j)] : -1;
        q[u] = aggregate[u] >= 0 ? Q[j] : T(0);
        if (!first || col[u] < 0) continue;
        sums->stays |= aggregate[u] >= 0 && aggregate[u] != own;
        if (col[u] == i) sums->diagonal = (double)a[u];
        (j == i ? sums->moved : sums->others) += j == i ? (double)a[u] : fabs((double)a[u]);
    }
    __syncwarp();
#pragma unroll
    for (int u = 0; u < 2; u++) {
        pass[u * L + g.lane] = term{(double)a[u] * (double)q[u], aggregate[u]};
    }
    __syncwarp();
}

// Row i of P for one near-null vector, by as many lanes as P's rows are long about. Its entries go
// to the lanes, the terms of those of A's row pass by in order.
template <int L, class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_numbers(filtered<T, O> A, const int32_t *of, const T *Q, double damping, const F *offset,
                   const int32_t *pcol, T *p)
{
    constexpr int room = 2 * L + 1; // of a group: one more, for the sake of banks
    __shared__ term passing[gs_block_size / L * room];
    const gs_lanes<L> g;
    term *pass = passing + threadIdx.x / L * room;
    const bool in = g.unit < A.n;
    const int32_t i = in ? (int32_t)g.unit : 0, own = in ? of[A.node(i)] : -1;
    const int64_t begin = own >= 0 ? (int64_t)A.start[i] : 0;
    const int64_t end = own >= 0 ? (int64_t)A.start[i + 1] : 0;
    const int64_t pbegin = own >= 0 ? (int64_t)offset[i] : 0;
    const int64_t pend = own >= 0 ? (int64_t)offset[i + 1] : 0;
    const double of_own = own >= 0 ? (double)Q[i] : 0;
    row_sums sums = {};
    double factor = 0;

    for (int64_t e0 = pbegin; __any_sync(gs_all_lanes, e0 < pend); e0 += L) {
        const int32_t mine = e0 + g.lane < pend ? pcol[e0 + g.lane] : -1;
        const bool first = e0 == pbegin;
        double sum = 0;
        for (int64_t from = begin; __any_sync(gs_all_lanes, from < end); from += 2 * L) {
            pass_terms(g, A, i, from, end, of, own, Q, first, &sums, pass);
            const int count = (int)min((int64_t)(2 * L), end - from);
            for (int t = 0; t < count; t++) {
                const term now = pass[t];
                if (now.aggregate == mine) sum += now.product;
            }
        }
        if (first) { // for all of the warp
            const double diagonal = g.sum(sums.diagonal), moved = g.sum(sums.moved);
            const double others = g.sum(sums.others);
            const bool stays = g.ballot(sums.stays) && pend - pbegin == 1; // too long a row
            factor = stays ? 0 : gs_damping_of_row(damping, diagonal, fabs(moved) + others);
        }
        if (mine >= 0) p[e0 + g.lane] = (T)((mine == own ? of_own : 0) - factor * sum);
    }
}

// --- of several -------------------------------------------------------------------------------

// Row i of P for k near-null vectors. Its entries go to the lanes, those of A's row pass by in
// order.
template <int L, class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_rows(filtered<T, O> A, const int32_t *of, int32_t k, const T *Q, double damping,
                const F *offset, const int32_t *pcol, T *p)
{
    __shared__ entry<T> passing[gs_block_size];
    const gs_lanes<L> g;
    entry<T> *pass = passing + threadIdx.x / L * L;
    const bool in = g.unit < A.n;
    const int32_t i = in ? (int32_t)g.unit : 0, own = in ? of[A.node(i)] : -1;
    const int64_t begin = own >= 0 ? (int64_t)A.start[i] : 0;
    const int64_t end = own >= 0 ? (int64_t)A.start[i + 1] : 0;
    const int64_t pbegin = own >= 0 ? (int64_t)offset[i] : 0;
    const int64_t pend = own >= 0 ? (int64_t)offset[i + 1] : 0;
    const double factor = factor_of(g, A, i, begin, end, damping, of, own, pend - pbegin == k);

    for (int64_t e0 = pbegin; __any_sync(gs_all_lanes, e0 < pend); e0 += L) {
        const int64_t e = e0 + g.lane;
        const int32_t column = e < pend ? pcol[e] : -1;
        const int32_t mine = column < 0 ? -1 : column / k;
        const int32_t c = column < 0 ? 0 : column % k;
        double sum = 0;
        for (int64_t from = begin; __any_sync(gs_all_lanes, from < end && e0 < pend); from += L) {
            const int64_t at = from + g.lane;
            const int count = from < end ? (int)min((int64_t)L, end - from) : 0;
            __syncwarp();
            if (at < end) {
                const int32_t j = A.column(i, at);
                pass[g.lane] = entry<T>{A.a[at], j, of[A.node(j)]};
            }
            __syncwarp();
            for (int t = 0; t < count; t++) {
                if (pass[t].aggregate != mine || mine < 0) continue;
                sum += (double)pass[t].a * (double)Q[(int64_t)pass[t].column * k + c];
            }
        }
        if (mine < 0) continue;
        p[e] = (T)((mine == own ? (double)Q[(int64_t)i * k + c] : 0) - factor * sum);
    }
}

// P = Q: each row has its own aggregate alone.
template <class T, class F>
__global__ void __launch_bounds__(gs_block_size)
    take_rows(int32_t n, int32_t k, const T *Q, const F *offset, T *p)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        const int64_t begin = (int64_t)offset[i], length = (int64_t)offset[i + 1] - begin;
        for (int64_t c = 0; c < length; c++) p[begin + c] = Q[i * k + c];
    }
}

// Lanes for rows of P by the mean of A's: few entries of P are made of many of A.
template <class Go>
gsolve_status with_lanes_of_P(double entries, Go go)
{
    return gs_with_lanes(entries <= 8 ? 4 : entries <= 32 ? 8 : entries <= 128 ? 16 : 32, go);
}

template <class T, class O, class F>
gsolve_status values_in(gs_queue *q, const gsolve_csr *A, const uint32_t *strong,
                        const gs_aggregates *G, double damping, const O *start, const F *offset,
                        int64_t entries, const gsolve_csr *P)
{
    const filtered<T, O> rows = {A->nrows, G->block, start, A->col, (const T *)A->value, strong};
    T *p = (T *)const_cast<void *>(P->value);
    const T *Q = (const T *)G->Q;

    if (damping == 0) {
        return gs_launch(q, "the prolongator's values", take_rows<T, F>, gs_grid(q, A->nrows),
                         gs_block_size, A->nrows, G->k, Q, offset, p);
    }
    const double mean = (double)entries / (A->nrows + 1.0);
    if (G->k == 1) {
        return with_lanes_of_P(mean, [&](auto lanes) {
            constexpr int L = decltype(lanes)::value;
            return gs_launch(q, "the prolongator's values", smooth_numbers<L, T, O, F>,
                             gs_lane_blocks(A->nrows, L), gs_block_size, rows, G->of, Q, damping,
                             offset, P->col, p);
        });
    }
    return gs_with_lanes(mean, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(q, "the prolongator's values", smooth_rows<L, T, O, F>,
                         gs_lane_blocks(A->nrows, L), gs_block_size, rows, G->of, G->k, Q, damping,
                         offset, P->col, p);
    });
}

template <class T>
gsolve_status values(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                     const gs_aggregates *G, double damping, const gsolve_csr *P)
{
    gs_queue *q = ctx->queue;

    return gs_with_start(A, [&](auto start) {
        return gs_with_start(P, [&](auto offset) {
            return values_in<T>(q, A, strong, G, damping, start, offset, G->entries, P);
        });
    });
}

} // namespace

extern "C" const gs_prolongator_kernels gs_prolongator_cuda[GSOLVE_TYPE_COUNT] = {
    {columns, sum, fill, values<float>}, {columns, sum, fill, values<double>}};
