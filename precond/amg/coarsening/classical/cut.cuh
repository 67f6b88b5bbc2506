// cut.cuh: rows of P made shorter on a GPU, each by the L lanes of a group, whose parting from
// other groups of its warp does not matter; and rows that stand apart put one behind the other.
#ifndef GS_PRECOND_AMG_COARSENING_CLASSICAL_CUT_CUH
#define GS_PRECOND_AMG_COARSENING_CLASSICAL_CUT_CUH

#include "precond/amg/coarsening/classical/counts.cuh"

#define SMALL static inline __device__
#include "precond/amg/coarsening/classical/classical_rules.h"

template <int L>
struct gs_party { // a group that goes its own way
    int lane;
    unsigned mask;
    int64_t unit;

    __device__ gs_party()
        : lane((int)(threadIdx.x % L)),
          mask((L == 32 ? 0xffffffffu : (1u << (L % 32)) - 1) << threadIdx.x % 32 / L * L),
          unit(((int64_t)blockIdx.x * gs_block_size + threadIdx.x) / L)
    {
    }
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned ballot(bool yes) const // of the warp's lanes, those of the group
    {
        return __ballot_sync(mask, yes) & mask;
    }
    template <class T>
    __device__ T from(T x, int of) const // what lane of has, in each lane
    {
        return __shfl_sync(mask, x, of, L);
    }
    __device__ int before(unsigned ballot) const // of those in it
    {
        return __popc(ballot & ((1u << threadIdx.x % 32) - 1));
    }
    template <class T>
    __device__ T sum(T x) const
    {
        return gs_sum_of<L>(x, mask);
    }
    __device__ double largest(double x) const { return gs_largest_of<L>(x, mask); }
};

// Whether entry e of a row of n is among the most, of equal ones the first columns.
template <class W>
__device__ bool gs_is_among(int32_t n, const int32_t *column, const W *weight, int32_t e,
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

// A row's n entries, in any order, each column once, that add up to all: those left after cutting
// go to (to_column, to), ascending, scaled. keep: space for n. How many there are, in each lane.
template <int L, class W, class T>
__device__ int32_t gs_cut(const gs_party<L> &g, int32_t n, const int32_t *column, const W *weight,
                          double all, int most, double truncate, int32_t *keep, int32_t *to_column,
                          T *to)
{
    double largest = 0, kept = 0;
    int32_t left = 0;

    for (int32_t e = g.lane; e < n; e += L) largest = fmax(largest, fabs((double)weight[e]));
    largest = g.largest(largest);
    for (int32_t e = g.lane; e < n; e += L) {
        const bool large = fabs((double)weight[e]) >= truncate * largest;
        keep[e] = large && (most <= 0 || n <= most || gs_is_among(n, column, weight, e, most));
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
    const double scale = gs_scale_of(all, g.sum(kept));
    for (int32_t e = g.lane; e < left; e += L) to[e] = (T)(scale * (double)to[e]);
    return left;
}

// --- rows that stand apart ----------------------------------------------------------------------

// Where rows begin: at offsets of either width, or else stride apart.
struct gs_places {
    const void *start;
    bool wide;
    int64_t stride;

    __device__ int64_t operator[](int64_t row) const
    {
        if (!start) return row * stride;
        return wide ? ((const int64_t *)start)[row] : ((const int32_t *)start)[row];
    }
};

inline gs_places gs_places_of(const gsolve_csr *csr)
{
    return gs_places{csr->start, csr->offset == GSOLVE_O64, 0};
}

template <class T>
__global__ void __launch_bounds__(gs_block_size)
    gs_close_up_rows(int32_t rows, gs_places from, const int32_t *column, const T *value,
                     const int64_t *first, bool wide, void *start, int32_t *to_column, T *to)
{
    const gs_party<4> g;
    const int64_t r = g.unit;

    if (r > rows) return;
    const int64_t begin = first[r], length = r < rows ? first[r + 1] - begin : 0;
    const int64_t there = r < rows ? from[r] : 0;
    if (g.lane == 0 && wide) ((int64_t *)start)[r] = begin;
    if (g.lane == 0 && !wide) ((int32_t *)start)[r] = (int32_t)begin;
    for (int64_t e = g.lane; e < length; e += 4) {
        to_column[begin + e] = column[there + e];
        to[begin + e] = value[there + e];
    }
}

// *Q, owned = rows of length[r] entries (rows + 1 of them, the last any) from places[r] on.
template <class T>
gsolve_status gs_close_up(gsolve_csr *Q, gsolve_context *ctx, int32_t rows, int32_t ncols,
                          const gs_places &places, const int32_t *length, const int32_t *column,
                          const T *value)
{
    int64_t *first = nullptr, entries = 0;
    gsolve_csr C = {};
    gsolve_status status;

    ALLOC_DEVICE(ctx, first, (size_t)rows + 1);
    TRY(gs_add_up(ctx, rows, length, first, &entries));
    TRY(gs_csr_new_at(&C, ctx, GSOLVE_DEVICE, rows, ncols, entries,
                      sizeof(T) == sizeof(float) ? GSOLVE_F32 : GSOLVE_F64));
    TRY(gs_launch(ctx->queue, "closing up rows", gs_close_up_rows<T>,
                  gs_lane_blocks((int64_t)rows + 1, 4), gs_block_size, rows, places, column, value,
                  first, C.offset == GSOLVE_O64, gs_owned_block(ctx, C.start),
                  (int32_t *)gs_owned_block(ctx, C.col), (T *)gs_owned_block(ctx, C.value)));
    *Q = C;
    C = gsolve_csr();
done:
    gsolve_free(ctx, GSOLVE_DEVICE, first);
    gsolve_csr_free(&C, ctx);
    return status;
}

#endif
