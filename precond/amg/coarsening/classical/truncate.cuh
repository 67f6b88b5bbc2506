// truncate.cuh: truncates rows of P on a GPU, each by a subwarp of L threads; packs rows that do
// not follow one another.
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_TRUNCATE_CUH
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_TRUNCATE_CUH

#include "precond/amg/prefix_sum.cuh"

#define SMALL static inline __device__
#include "precond/amg/coarsening/classical/classical_rules.h"

template <int L>
struct gs_independent_subwarp { // a subwarp that synchronises by itself, while others of its warp
                                // take other branches
    int lane;
    unsigned mask;
    int64_t unit;

    __device__ gs_independent_subwarp()
        : lane((int)(threadIdx.x % L)),
          mask((L == 32 ? 0xffffffffu : (1u << (L % 32)) - 1) << threadIdx.x % 32 / L * L),
          unit(((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / L)
    {
    }
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned ballot(
        bool yes) const // a mask over the warp: the lanes of this subwarp with `yes`
    {
        return __ballot_sync(mask, yes) & mask;
    }
    template <class T>
    __device__ T from(T x, int of) const // the x of lane `of`, in each lane
    {
        return __shfl_sync(mask, x, of, L);
    }
    __device__ int before(
        unsigned ballot) const // the number of lanes of the ballot before this one
    {
        return __popc(ballot & ((1u << threadIdx.x % 32) - 1));
    }
    template <class T>
    __device__ T sum(T x) const
    {
        return gs_subwarp_sum<L>(x, mask);
    }
    __device__ double largest(double x) const { return gs_subwarp_max<L>(x, mask); }
};

// Whether entry e of a row of n entries is among the `most` largest; of equal ones the first
// columns count.
template <class W>
__device__ bool gs_is_among_largest(int32_t n, const int32_t *column, const W *weight, int32_t e,
                                    int32_t most)
{
    const double own = fabs((double)weight[e]);
    int32_t before = 0;

    for (int32_t f = 0; f < n && before < most; f++) {
        const double other = fabs((double)weight[f]);
        before += other > own || (other == own && column[f] < column[e]);
    }
    return before < most;
}

// What a row keeps: at most `most` entries (0: any number), none below share times the largest.
struct gs_truncation {
    int most;
    double share;
};

// A row's n entries, in any order, each column once; all: their sum.
template <class W>
struct gs_row_entries {
    int32_t n;
    const int32_t *column;
    const W *weight;
    double all;
};

// The entries that are left after truncation go to (to_column, to): sorted by columns, and scaled
// so that their sum is still row.all. keep: work space for n numbers. Returns their number to each
// lane. The lanes of the group share the entries; each lane compares its own with all others, which
// costs n^2 / L comparisons, and no sort.
template <int L, class W, class T>
__device__ int32_t gs_truncate(const gs_independent_subwarp<L> &g, const gs_row_entries<W> &row,
                               gs_truncation limit, int32_t *keep, int32_t *to_column, T *to)
{
    const int32_t n = row.n, *column = row.column;
    const W *weight = row.weight;
    double largest = 0, kept = 0;
    int32_t left = 0;

    for (int32_t e = g.lane; e < n; e += L) largest = fmax(largest, fabs((double)weight[e]));
    largest = g.largest(largest);
    for (int32_t e = g.lane; e < n; e += L) {
        const bool large = fabs((double)weight[e]) >= limit.share * largest;
        keep[e] = large && (limit.most <= 0 || n <= limit.most ||
                            gs_is_among_largest(n, column, weight, e, limit.most));
        left += keep[e];
    }
    left = g.sum(left);
    g.sync();
    for (int32_t e = g.lane; e < n; e += L) {
        int32_t at = 0;
        if (!keep[e]) continue;
        for (int32_t f = 0; f < n; f++) at += keep[f] && column[f] < column[e];
        to_column[at] = column[e];
        to[at] = (T)weight[e];
    }
    g.sync();
    if (left == n) return n;
    for (int32_t e = g.lane; e < left; e += L) kept += (double)to[e];
    const double scale = gs_sum_preserving_scale(row.all, g.sum(kept));
    for (int32_t e = g.lane; e < left; e += L) to[e] = (T)(scale * (double)to[e]);
    return left;
}

// --- packing rows --------------------------------------------------------------------------------

// The positions of rows: offsets of 32 or 64 bits, or multiples of stride.
struct gs_row_positions {
    const void *start;
    bool wide;
    int64_t stride;

    __device__ int64_t operator[](int64_t row) const
    {
        if (!start) return row * stride;
        return wide ? ((const int64_t *)start)[row] : ((const int32_t *)start)[row];
    }
};

inline gs_row_positions gs_row_positions_of(const gsolve_csr *csr)
{
    return gs_row_positions{csr->start, csr->offset == GSOLVE_O64, 0};
}

// The arrays of compressed rows that a kernel writes.
template <class T>
struct gs_packed_rows {
    void *start;
    bool wide; // offsets of 64 bits
    int32_t *col;
    T *value;
};

// Four threads copy a row of `length` entries from positions from[r] to first[r] of the packed
// rows.
template <class T>
__global__ void __launch_bounds__(gs_block_size)
    gs_pack_rows_kernel(int32_t rows, gs_row_positions from, const int32_t *column, const T *value,
                        const int64_t *first, gs_packed_rows<T> to)
{
    const gs_independent_subwarp<4> g;
    const int64_t r = g.unit;

    if (r > rows) return;
    const int64_t begin = first[r], length = r < rows ? first[r + 1] - begin : 0;
    const int64_t source = r < rows ? from[r] : 0;
    if (g.lane == 0 && to.wide) ((int64_t *)to.start)[r] = begin;
    if (g.lane == 0 && !to.wide) ((int32_t *)to.start)[r] = (int32_t)begin;
    for (int64_t e = g.lane; e < length; e += 4) {
        to.col[begin + e] = column[source + e];
        to.value[begin + e] = value[source + e];
    }
}

// *Q, owned = packed rows: length[r] entries from positions[r] on. length has rows + 1 elements;
// the last is not used.
template <class T>
gsolve_status gs_pack_rows(gsolve_csr *Q, gsolve_context *ctx, int32_t rows, int32_t ncols,
                           const gs_row_positions &positions, const int32_t *length,
                           const int32_t *column, const T *value)
{
    int64_t *first = nullptr, entries = 0;
    gsolve_csr C = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, first, (size_t)rows + 1);
    TRY(gs_prefix_sum(ctx, rows, length, first, &entries));
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, rows, ncols, entries,
                      sizeof(T) == sizeof(float) ? GSOLVE_F32 : GSOLVE_F64));
    TRY(gs_launch(ctx->queue, "packing rows", gs_pack_rows_kernel<T>,
                  gs_subwarp_blocks((int64_t)rows + 1, 4), gs_block_size, rows, positions, column,
                  value, first,
                  gs_packed_rows<T>{gs_owned_block(ctx, C.start), C.offset == GSOLVE_O64,
                                    (int32_t *)gs_owned_block(ctx, C.col),
                                    (T *)gs_owned_block(ctx, C.value)}));
    *Q = C;
    C = gsolve_csr();
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_csr_free(&C, ctx);
    return status;
}

#endif
