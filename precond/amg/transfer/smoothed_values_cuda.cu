// smoothed_values_cuda.cu: the prolongator's values on a GPU.
#include "precond/amg/transfer/smoothed.cuh"
#include "precond/lanes.cuh"

#define SMALL static __device__
#include "precond/amg/transfer/smoothed_rule.h"

namespace
{

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

// What has been seen of A's row, as factor_of sums it.
struct row_sums {
    double diagonal, moved, others;
    bool stays;

    // of a row of P of so many entries: of one, 0 if it is too long a row
    __device__ double factor(double damping, int64_t entries) const
    {
        if (stays && entries == 1) return 0;
        return gs_damping_of_row(damping, diagonal, fabs(moved) + others);
    }
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
        q[u] = col[u] >= 0 ? Q[j] : T(0);
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

// Row i of P for one near-null vector, by as many lanes as P's rows are long about; i < 0: none.
// Its entries go to the lanes, the terms of those of A's row pass by in order.
template <int L, class T, class O, class F>
__device__ void smooth_by_lanes(const gs_lanes<L> &g, const filtered<T, O> &A, int32_t i,
                                const int32_t *of, const T *Q, double damping, const F *offset,
                                const int32_t *pcol, term *pass, T *p)
{
    const bool in = i >= 0;
    const int32_t own = in ? of[A.node(i)] : -1;
    // no load waits for own
    const int64_t begin = in ? (int64_t)A.start[i] : 0, to = in ? (int64_t)A.start[i + 1] : 0;
    const int64_t pbegin = in ? (int64_t)offset[i] : 0, pto = in ? (int64_t)offset[i + 1] : 0;
    const int64_t end = own >= 0 ? to : begin, pend = own >= 0 ? pto : pbegin;
    const double of_own = in ? (double)Q[i] : 0;
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
            const row_sums all = {g.sum(sums.diagonal), g.sum(sums.moved), g.sum(sums.others),
                                  g.ballot(sums.stays) != 0};
            factor = all.factor(damping, pend - pbegin);
        }
        if (mine >= 0) p[e0 + g.lane] = (T)((mine == own ? of_own : 0) - factor * sum);
    }
}

template <int L>
constexpr int room_of = 2 * L + 1; // terms of a group: one more, for the sake of banks

template <int L, class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_numbers(filtered<T, O> A, const int32_t *of, const T *Q, double damping, const F *offset,
                   const int32_t *pcol, T *p)
{
    __shared__ term passing[gs_block_size / L * room_of<L>];
    const gs_lanes<L> g;

    smooth_by_lanes(g, A, g.unit < A.n ? (int32_t)g.unit : -1, of, Q, damping, offset, pcol,
                    passing + threadIdx.x / L * room_of<L>, p);
}

// --- of one vector, where rows are short ------------------------------------------------------

// Entries of A's row i, U of them at once, in order: the sums, and to sum[c] what is in aggregate
// mine[c].
template <int U, int C, class T, class O>
__device__ void take_terms(const filtered<T, O> &A, int32_t i, int64_t begin, int64_t end,
                           const int32_t *of, int32_t own, const T *Q, const int32_t (&mine)[C],
                           double (&sum)[C], row_sums *sums)
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
            aggregate[u] = col[u] >= 0 ? of[A.node(col[u])] : -1;
            q[u] = col[u] >= 0 ? Q[col[u]] : T(0);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const double term = __dmul_rn((double)a[u], (double)q[u]);
            sums->stays |= aggregate[u] >= 0 && aggregate[u] != own;
            sums->moved += col[u] == i ? (double)a[u] : 0;
            sums->others += col[u] == i ? 0 : fabs((double)a[u]);
#pragma unroll
            for (int c = 0; c < C; c++) {
                if (aggregate[u] == mine[c]) sum[c] += term;
            }
        }
    }
}

// Row i of P by a thread.
template <class T, class O, class F>
__device__ void smooth_alone(const filtered<T, O> &A, int32_t i, const int32_t *of, const T *Q,
                             double damping, const F *offset, const int32_t *pcol, T *p)
{
    constexpr int at_once = 4; // entries of A, and of P
    const int64_t pbegin = (int64_t)offset[i], pend = (int64_t)offset[i + 1];
    const int32_t own = of[A.node(i)];
    double factor = 0;

    for (int64_t e = pbegin; own >= 0 && e < pend; e += at_once) {
        int32_t mine[at_once];
        double sum[at_once] = {};
        row_sums sums = {};
#pragma unroll
        for (int c = 0; c < at_once; c++) mine[c] = e + c < pend ? pcol[e + c] : -1;
        take_terms<at_once>(A, i, A.start[i], A.start[i + 1], of, own, Q, mine, sum, &sums);
        if (e == pbegin) factor = sums.factor(damping, pend - pbegin);
#pragma unroll
        for (int c = 0; c < at_once; c++) {
            const double q = mine[c] == own ? (double)Q[i] : 0;
            if (mine[c] >= 0) p[e + c] = (T)(q - factor * sum[c]);
        }
    }
}

// A thread a row of P; those whose rows of A are long by a warp each.
template <class T, class O, class F>
__global__ void __launch_bounds__(gs_block_size)
    smooth_short_rows(filtered<T, O> A, const int32_t *of, const T *Q, double damping,
                      const F *offset, const int32_t *pcol, T *p)
{
    constexpr int most = 32; // entries of A's row
    __shared__ term passing[gs_block_size / 32 * room_of<32>];
    const gs_lanes<32> warp;
    const int64_t i = (int64_t)blockIdx.x * gs_block_size + threadIdx.x;
    const bool in = i < A.n, is_long = in && A.start[i + 1] - A.start[i] > most;

    if (in && !is_long) smooth_alone(A, (int32_t)i, of, Q, damping, offset, pcol, p);
    for (unsigned left = warp.ballot(is_long); left; left &= left - 1) {
        smooth_by_lanes(warp, A, (int32_t)(32 * warp.unit + __ffs((int)left) - 1), of, Q, damping,
                        offset, pcol, passing + threadIdx.x / 32 * room_of<32>, p);
    }
}

// --- of several -------------------------------------------------------------------------------

// What of an entry a lane tells the others of its group.
template <class T>
struct entry {
    T a;
    int32_t column;
};

// The lanes of the group whose entries are in aggregate `mine`, which many lanes share.
template <int L>
__device__ unsigned entries_in(const gs_lanes<L> &g, int32_t mine, int32_t aggregate)
{
    unsigned left = g.ballot(mine >= 0), found = 0;

    while (__any_sync(gs_all_lanes, left)) {
        const int32_t whose = __shfl_sync(gs_all_lanes, mine, left ? __ffs((int)left) - 1 : 0, L);
        const unsigned those = g.ballot(aggregate == whose);
        if (mine == whose) found = those;
        left &= ~g.ballot(mine == whose);
    }
    return mine >= 0 ? found : 0;
}

// Row i of P for k near-null vectors. Its entries go to the lanes, which take those of A's row that
// are in their aggregates in order.
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
            int32_t aggregate = -1;
            __syncwarp();
            if (at < end) {
                const int32_t j = A.column(i, at);
                pass[g.lane] = entry<T>{A.a[at], j};
                aggregate = of[A.node(j)];
            }
            __syncwarp();
            for (unsigned left = entries_in(g, mine, aggregate); left; left &= left - 1) {
                const entry<T> now = pass[__ffs((int)left) - 1];
                sum += (double)now.a * (double)Q[(int64_t)now.column * k + c];
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

// Rows of P for one vector by the mean of A's: few entries of P are made of many of A.
template <class T, class O, class F>
gsolve_status smooth(gs_queue *q, double mean, const filtered<T, O> &A, const int32_t *of,
                     const T *Q, double damping, const F *offset, const int32_t *pcol, T *p)
{
    const auto by = [&](auto *kernel, int lanes) {
        return gs_launch(q, "the prolongator's values", kernel, gs_lane_blocks(A.n, lanes),
                         gs_block_size, A, of, Q, damping, offset, pcol, p);
    };

    return mean <= 8     ? by(smooth_short_rows<T, O, F>, 1)
           : mean <= 32  ? by(smooth_numbers<8, T, O, F>, 8)
           : mean <= 128 ? by(smooth_numbers<16, T, O, F>, 16)
                         : by(smooth_numbers<32, T, O, F>, 32);
}

template <class T, class O, class F>
gsolve_status values_in(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                        const gs_aggregates *G, double damping, const O *start, const F *offset,
                        const gsolve_csr *P)
{
    gs_queue *q = ctx->queue;
    T *p = (T *)gs_owned_block(ctx, P->value);
    const filtered<T, O> rows = {A->nrows, G->block, start, A->col, (const T *)A->value, strong};
    const T *Q = (const T *)G->Q;

    if (damping == 0) {
        return gs_launch(q, "the prolongator's values", take_rows<T, F>, gs_grid(q, A->nrows),
                         gs_block_size, A->nrows, G->k, Q, offset, p);
    }
    const double mean = (double)G->entries / (A->nrows + 1.0);
    if (G->k == 1) return smooth(q, mean, rows, G->of, Q, damping, offset, P->col, p);
    return gs_with_lanes(mean, [&](auto lanes) {
        constexpr int L = decltype(lanes)::value;
        return gs_launch(q, "the prolongator's values", smooth_rows<L, T, O, F>,
                         gs_lane_blocks(A->nrows, L), gs_block_size, rows, G->of, G->k, Q, damping,
                         offset, P->col, p);
    });
}

} // namespace

template <class T>
gsolve_status gs_smoothed_values(gsolve_context *ctx, const gsolve_csr *A, const uint32_t *strong,
                                 const gs_aggregates *G, double damping, const gsolve_csr *P)
{
    return gs_with_start(A, [&](auto start) {
        return gs_with_start(P, [&](auto offset) {
            return values_in<T>(ctx, A, strong, G, damping, start, offset, P);
        });
    });
}

template gsolve_status gs_smoothed_values<float>(gsolve_context *, const gsolve_csr *,
                                                 const uint32_t *, const gs_aggregates *, double,
                                                 const gsolve_csr *);
template gsolve_status gs_smoothed_values<double>(gsolve_context *, const gsolve_csr *,
                                                  const uint32_t *, const gs_aggregates *, double,
                                                  const gsolve_csr *);
