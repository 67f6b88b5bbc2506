// smoothed_values_cuda.cu: the values of the smoothed prolongator on a GPU. All kernels read A's
// rows, the strong bits, the aggregates and Q, and write P's values. Each entry of P is one sum in
// the order of A's row, so that the bits do not depend on how many threads share a row.
#include "precond/subwarp.cuh"

extern "C" {
#include "precond/amg/coarsening/aggregation.h"
}

#define SMALL static inline __device__
#include "precond/amg/transfer/transfer_rules.h"

namespace
{

// What P = (I - S A_f) Q is computed from, S diagonal. A_f is A with its weak entries moved to
// their rows' own nodes.
template <class T, class O>
struct filtered {
    int32_t n, block;
    const O *start;
    const int32_t *col;
    const T *a;
    const uint32_t *strong; // a bit for each of A's entries
    const int32_t *of;      // the aggregate of each node, -1: none
    const T *Q;             // n x k, row-major
    double damping;

    __device__ int32_t node(int32_t i) const { return block == 1 ? i : i / block; }
    __device__ bool is_strong(int64_t k) const { return strong[k / 32] >> (k % 32) & 1; }
    // the column in A_f of an entry of row i in column j
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

// P: its pattern is given, and its values are written.
template <class T, class O>
struct prolongator {
    const O *offset;
    const int32_t *col;
    T *value;
};

// The factor of row i of A_f Q. own: the aggregate of row i. one_aggregate: row i of P has only its
// own aggregate; the factor is 0 if a strong neighbour is in another one, because the row is too
// long to be smoothed. All lanes of the group get the factor.
template <int L, class T, class O>
__device__ double factor_of(const gs_subwarp<L> &g, const filtered<T, O> &F, int32_t i,
                            int64_t begin, int64_t end, int32_t own, bool one_aggregate)
{
    double diagonal = 0, moved = 0, others = 0;
    bool keeps_tentative = false;

    for (int64_t k = begin + g.lane; k < end; k += L) {
        const int32_t j = F.column(i, k);
        const double v = (double)F.a[k];
        if (F.col[k] == i) diagonal = v;
        if (j == i) {
            moved += v;
        } else {
            others += fabs(v);
        }
        if (one_aggregate) {
            const int32_t a = F.of[F.node(j)];
            keeps_tentative |= a >= 0 && a != own;
        }
    }
    diagonal = g.sum(diagonal); // one lane has it, the others 0
    moved = g.sum(moved);
    others = g.sum(others);
    return g.ballot(keeps_tentative) ? 0
                                     : gs_damping_of_row(F.damping, diagonal, fabs(moved) + others);
}

// --- one near-null vector, long rows -------------------------------------------------------------

struct alignas(16) term { // a_ij q_j, and the aggregate of j
    double product;
    int32_t aggregate;
};

// Sums over the entries of A's row that have been read, as in factor_of.
struct row_sums {
    int32_t own; // the row's aggregate
    double diagonal, moved, others;
    bool keeps_tentative;

    // for a row of P with this many entries; 0 if it has one because A's row is too long
    __device__ double factor(double damping, int64_t entries) const
    {
        if (keeps_tentative && entries == 1) return 0;
        return gs_damping_of_row(damping, diagonal, fabs(moved) + others);
    }
};

// Writes the terms of entries [from, end) of A's row i, at most 2 L of them, to stage: lane l
// writes terms l and L + l. first: adds the entries to sums too.
template <int L, class T, class O>
__device__ void stage_terms(const gs_subwarp<L> &g, const filtered<T, O> &F, int32_t i,
                            int64_t from, int64_t end, bool first, row_sums *sums, term *stage)
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
        aggregate[u] = col[u] >= 0 ? F.of[F.node(j)] : -1;
        q[u] = col[u] >= 0 ? F.Q[j] : T(0);
        if (!first || col[u] < 0) continue;
        sums->keeps_tentative |= aggregate[u] >= 0 && aggregate[u] != sums->own;
        if (col[u] == i) sums->diagonal = (double)a[u];
        (j == i ? sums->moved : sums->others) += j == i ? (double)a[u] : fabs((double)a[u]);
    }
    __syncwarp();
#pragma unroll
    for (int u = 0; u < 2; u++) {
        stage[u * L + g.lane] = term{(double)a[u] * (double)q[u], aggregate[u]};
    }
    __syncwarp();
}

// Row i of P; i < 0: no row. Each lane owns one entry of P's row at a time. The group stages the
// terms of A's row in shared memory, 2 L at a time, and each lane adds those of its aggregate in
// order: the sums do not depend on L. Reads A's row, of and Q once for every L entries of P's row.
template <int L, class T, class O, class F>
__device__ void smooth_by_subwarp(const gs_subwarp<L> &g, const filtered<T, O> &A, int32_t i,
                                  const prolongator<T, F> &P, term *stage)
{
    const bool in = i >= 0;
    const int32_t own = in ? A.of[A.node(i)] : -1;
    // these loads do not depend on own
    const int64_t begin = in ? (int64_t)A.start[i] : 0, to = in ? (int64_t)A.start[i + 1] : 0;
    const int64_t pbegin = in ? (int64_t)P.offset[i] : 0;
    const int64_t pto = in ? (int64_t)P.offset[i + 1] : 0;
    const int64_t end = own >= 0 ? to : begin, pend = own >= 0 ? pto : pbegin;
    const double own_q = in ? (double)A.Q[i] : 0;
    row_sums sums = {own, 0, 0, 0, false};
    double factor = 0;

    for (int64_t e0 = pbegin; __any_sync(gs_all_lanes, e0 < pend); e0 += L) {
        const int32_t my_aggregate = e0 + g.lane < pend ? P.col[e0 + g.lane] : -1;
        const bool first = e0 == pbegin;
        double sum = 0;
        for (int64_t from = begin; __any_sync(gs_all_lanes, from < end); from += 2 * L) {
            stage_terms(g, A, i, from, end, first, &sums, stage);
            const int count = (int)min((int64_t)(2 * L), end - from);
            for (int t = 0; t < count; t++) {
                const term item = stage[t];
                if (item.aggregate == my_aggregate) sum += item.product;
            }
        }
        if (first) { // all lanes of the warp
            const row_sums all = {own, g.sum(sums.diagonal), g.sum(sums.moved), g.sum(sums.others),
                                  g.ballot(sums.keeps_tentative) != 0};
            factor = all.factor(A.damping, pend - pbegin);
        }
        if (my_aggregate >= 0) {
            P.value[e0 + g.lane] = (T)((my_aggregate == own ? own_q : 0) - factor * sum);
        }
    }
}

template <int L>
constexpr int staged_terms = 2 * L + 1; // of a group; one more than used, against bank conflicts

// L threads compute a row of P. The grid has a group for each row.
template <int L, class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_vector(filtered<T, O> A, prolongator<T, F> P)
{
    __shared__ term staged[gs_block_size / L * staged_terms<L>];
    const gs_subwarp<L> g;

    smooth_by_subwarp(g, A, g.unit < A.n ? (int32_t)g.unit : -1, P,
                      staged + threadIdx.x / L * staged_terms<L>);
}

// --- one near-null vector, short rows ------------------------------------------------------------

// Adds the entries [begin, end) of A's row i to sums, and the terms in aggregate my_aggregate[c] to
// sum[c], in the order of the row. U entries are loaded at once, so that their latencies overlap.
template <int U, int C, class T, class O>
__device__ void sum_terms(const filtered<T, O> &A, int32_t i, int64_t begin, int64_t end,
                          const int32_t (&my_aggregate)[C], double (&sum)[C], row_sums *sums)
{
    for (int64_t k = begin; k < end; k += U) {
        int32_t col[U], aggregate[U];
        T a[U], q[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool in = k + u < end;
            col[u] = in ? A.column(i, k + u) : -1;
            a[u] = in ? A.a[k + u] : T(0);
            if (in && A.col[k + u] == i) sums->diagonal = (double)a[u];
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            aggregate[u] = col[u] >= 0 ? A.of[A.node(col[u])] : -1;
            q[u] = col[u] >= 0 ? A.Q[col[u]] : T(0);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const double term = __dmul_rn((double)a[u], (double)q[u]);
            sums->keeps_tentative |= aggregate[u] >= 0 && aggregate[u] != sums->own;
            sums->moved += col[u] == i ? (double)a[u] : 0;
            sums->others += col[u] == i ? 0 : fabs((double)a[u]);
#pragma unroll
            for (int c = 0; c < C; c++) {
                if (aggregate[u] == my_aggregate[c]) sum[c] += term;
            }
        }
    }
}

// One thread computes row i of P, four entries at a time.
template <class T, class O, class F>
__device__ void smooth_by_thread(const filtered<T, O> &A, int32_t i, const prolongator<T, F> &P)
{
    constexpr int at_once = 4; // entries of A, and of P
    const int64_t pbegin = (int64_t)P.offset[i], pend = (int64_t)P.offset[i + 1];
    const int32_t own = A.of[A.node(i)];
    double factor = 0;

    for (int64_t e = pbegin; own >= 0 && e < pend; e += at_once) {
        int32_t my_aggregate[at_once];
        double sum[at_once] = {};
        row_sums sums = {own, 0, 0, 0, false};
#pragma unroll
        for (int c = 0; c < at_once; c++) my_aggregate[c] = e + c < pend ? P.col[e + c] : -1;
        sum_terms<at_once>(A, i, A.start[i], A.start[i + 1], my_aggregate, sum, &sums);
        if (e == pbegin) factor = sums.factor(A.damping, pend - pbegin);
#pragma unroll
        for (int c = 0; c < at_once; c++) {
            const double q = my_aggregate[c] == own ? (double)A.Q[i] : 0;
            if (my_aggregate[c] >= 0) P.value[e + c] = (T)(q - factor * sum[c]);
        }
    }
}

// A thread computes a row of P. Rows with more than 32 entries in A are computed by their whole
// warp, one after the other, after its threads have done the others.
template <class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_short_rows(filtered<T, O> A, prolongator<T, F> P)
{
    constexpr int most = 32; // entries of A's row
    __shared__ term staged[gs_block_size / 32 * staged_terms<32>];
    const gs_subwarp<32> warp;
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const bool in = i < A.n, is_long = in && A.start[i + 1] - A.start[i] > most;

    if (in && !is_long) smooth_by_thread(A, (int32_t)i, P);
    for (unsigned left = warp.ballot(is_long); left; left &= left - 1) {
        smooth_by_subwarp(warp, A, (int32_t)(32 * warp.unit + __ffs((int)left) - 1), P,
                          staged + threadIdx.x / 32 * staged_terms<32>);
    }
}

// --- several near-null vectors -------------------------------------------------------------------

// An entry of A_f that a lane stages for its group.
template <class T>
struct entry {
    T a;
    int32_t column;
};

// The mask of the lanes whose staged entry lies in aggregate my_aggregate. Several lanes have the
// same my_aggregate: the loop runs once for each distinct one.
template <int L>
__device__ unsigned entries_in(const gs_subwarp<L> &g, int32_t my_aggregate, int32_t aggregate)
{
    unsigned left = g.ballot(my_aggregate >= 0), found = 0;

    while (__any_sync(gs_all_lanes, left)) {
        const int32_t wanted =
            __shfl_sync(gs_all_lanes, my_aggregate, left ? __ffs((int)left) - 1 : 0, L);
        const unsigned same = g.ballot(aggregate == wanted);
        if (my_aggregate == wanted) found = same;
        left &= ~g.ballot(my_aggregate == wanted);
    }
    return my_aggregate >= 0 ? found : 0;
}

// L threads compute a row of P for k near-null vectors. Each lane owns one entry of P's row at a
// time, which is a column of an aggregate. The group stages L entries of A's row at a time; each
// lane adds those of its aggregate in order, so that the sums do not depend on L.
template <int L, class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_rows(filtered<T, O> A, int32_t k, prolongator<T, F> P)
{
    __shared__ entry<T> staged[gs_block_size];
    const gs_subwarp<L> g;
    entry<T> *stage = staged + threadIdx.x / L * L;
    const bool in = g.unit < A.n;
    const int32_t i = in ? (int32_t)g.unit : 0, own = in ? A.of[A.node(i)] : -1;
    const int64_t begin = own >= 0 ? (int64_t)A.start[i] : 0;
    const int64_t end = own >= 0 ? (int64_t)A.start[i + 1] : 0;
    const int64_t pbegin = own >= 0 ? (int64_t)P.offset[i] : 0;
    const int64_t pend = own >= 0 ? (int64_t)P.offset[i + 1] : 0;
    const double factor = factor_of(g, A, i, begin, end, own, pend - pbegin == k);

    for (int64_t e0 = pbegin; __any_sync(gs_all_lanes, e0 < pend); e0 += L) {
        const int64_t e = e0 + g.lane;
        const int32_t column = e < pend ? P.col[e] : -1;
        const int32_t my_aggregate = column < 0 ? -1 : column / k;
        const int32_t c = column < 0 ? 0 : column % k;
        double sum = 0;
        for (int64_t from = begin; __any_sync(gs_all_lanes, from < end && e0 < pend); from += L) {
            const int64_t at = from + g.lane;
            int32_t aggregate = -1;
            __syncwarp();
            if (at < end) {
                const int32_t j = A.column(i, at);
                stage[g.lane] = entry<T>{A.a[at], j};
                aggregate = A.of[A.node(j)];
            }
            __syncwarp();
            for (unsigned left = entries_in(g, my_aggregate, aggregate); left; left &= left - 1) {
                const entry<T> item = stage[__ffs((int)left) - 1];
                sum += (double)item.a * (double)A.Q[(int64_t)item.column * k + c];
            }
        }
        if (my_aggregate < 0) continue;
        P.value[e] =
            (T)((my_aggregate == own ? (double)A.Q[(int64_t)i * k + c] : 0) - factor * sum);
    }
}

// P = Q: each row of P has its own aggregate only. A thread copies a row in each round of the grid.
template <class T, class F>
__global__ void __launch_bounds__(gs_block_size)
    copy_rows(int32_t n, int32_t k, const T *Q, const F *offset, T *p)
{
    const int64_t step = (int64_t)gridDim.x * gs_block_size;

    for (int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x; i < n; i += step) {
        const int64_t begin = (int64_t)offset[i], length = (int64_t)offset[i + 1] - begin;
        for (int64_t c = 0; c < length; c++) p[begin + c] = Q[i * k + c];
    }
}

// mean: entries per row of A. A long row of A makes few entries of P: a group of lanes shares it.
template <class T, class O, class F>
gsolve_status smooth(gs_queue *q, double mean, const filtered<T, O> &A, const prolongator<T, F> &P)
{
    const auto by = [&](auto *kernel, int lanes) {
        return gs_launch(q, "the prolongator's values", kernel, gs_subwarp_blocks(A.n, lanes),
                         gs_block_size, A, P);
    };

    return mean <= 8     ? by(smooth_short_rows<T, O, F>, 1)
           : mean <= 32  ? by(smooth_vector<8, T, O, F>, 8)
           : mean <= 128 ? by(smooth_vector<16, T, O, F>, 16)
                         : by(smooth_vector<32, T, O, F>, 32);
}

template <class T, class O, class F>
gsolve_status values_in(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                        const gs_aggregates *G, double damping, const O *start, const F *offset,
                        const gsolve_csr *P)
{
    gs_queue *q = ctx->queue;
    const T *Q = (const T *)G->Q;
    const filtered<T, O> rows = {A->nrows, G->block, start, A->col, (const T *)A->value,
                                 strong,   G->of,    Q,     damping};
    const prolongator<T, F> to = {offset, P->col, (T *)gs_owned_block(ctx, P->value)};

    if (damping == 0) {
        return gs_launch(q, "the prolongator's values", copy_rows<T, F>, gs_grid(q, A->nrows),
                         gs_block_size, A->nrows, G->k, Q, offset, to.value);
    }
    const double mean = (double)G->entries / (A->nrows + 1.0);
    if (G->k == 1) return smooth(q, mean, rows, to);
    return gs_with_subwarp(mean, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(q, "the prolongator's values", smooth_rows<L, T, O, F>,
                         gs_subwarp_blocks(A->nrows, L), gs_block_size, rows, G->k, to);
    });
}

template <class T>
gsolve_status values(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                     const gs_aggregates *G, double damping, const gsolve_csr *P)
{
    return gs_with_start(A, [&](auto start) {
        return gs_with_start(P, [&](auto offset) {
            return values_in<T>(ctx, A, strong, G, damping, start, offset, P);
        });
    });
}

} // namespace

extern "C" const gs_smoothed_kernels gs_smoothed_cuda[GSOLVE_TYPE_COUNT] = {{values<float>},
                                                                            {values<double>}};
