// row_lanes.cuh: device functions for products of rows with a vector, or with several row-major
// columns, as parts of smoothing kernels. L lanes own a row.
#ifndef GS_PRECOND_AMG_SMOOTHERS_ROW_LANES_CUH
#define GS_PRECOND_AMG_SMOOTHERS_ROW_LANES_CUH

#include "precond/subwarp.cuh"

// The number of rows that a subwarp reads at the same time, so that the loads overlap.
template <class T>
constexpr int gs_rows_per_subwarp = 16 / (int)sizeof(T);

template <class T, class O>
struct gs_rows {
    const O *start;
    const int32_t *col;
    const T *value;
};

// How the L lanes of a row share one column: each has every L-th entry. This struct and the next
// one tell a lane its share of the row's entries, the number of shares, the position of its
// elements of row i, and the sum of a number over all shares, in each lane.
struct gs_column_group;

template <int L>
struct gs_one_column {
    static constexpr int lanes = L, width = 1, shares = L;
    static constexpr bool idle = false;
    template <class T>
    static constexpr int rows = gs_rows_per_subwarp<T>; // that a subwarp works on at once
    int share;

    __device__ gs_one_column(const gs_column_group &, int lane) : share(lane) {}
    __device__ int64_t at(int64_t i) const { return i; }
    template <class T>
    __device__ T sum(T x) const
    {
        return gs_subwarp_sum<L>(x, gs_all_lanes);
    }
};

// A group of up to 8 columns of row-major vectors. The L lanes of a row form subwarps of this many
// lanes. Each subwarp has a share of the row's entries; each lane in it has W columns.
struct gs_column_group {
    int32_t all;     // columns of the vectors: the distance from row to row
    int32_t columns; // columns of this group, at most 8
    int subwarp;     // lanes for these columns: 1, 2, 4 or 8
};

template <int W>
gs_column_group gs_column_group_from(int32_t all, int32_t first)
{
    gs_column_group c = {all, all - first < 8 ? all - first : 8, 1};

    while (c.subwarp * W < c.columns) c.subwarp *= 2;
    return c;
}

template <int L, int W>
struct gs_column_lane {
    static constexpr int lanes = L, width = W;
    template <class T>
    static constexpr int rows = 2;
    int share, shares;
    int column; // the first column of this lane
    int32_t all;
    bool idle; // this lane has no column: it computes the first one and stores nothing

    __device__ gs_column_lane(const gs_column_group &c, int lane)
        : share(lane / c.subwarp), shares(L / c.subwarp), column(lane % c.subwarp * W), all(c.all),
          idle(column >= c.columns)
    {
        if (idle) column = 0;
    }
    __device__ int64_t at(int64_t i) const { return i * all + column; }

    template <class T>
    __device__ T sum(T x) const
    {
        for (int d = L / 2; d >= L / shares; d /= 2) x += __shfl_xor_sync(gs_all_lanes, x, d);
        return x;
    }
};

// sum[r] = row i[r] times this lane's columns of x, summed over all shares. i[r] = -1: no row.
// Other threads may write x at the same time, at elements that these rows do not read.
template <class M, int R, class T, class O>
__device__ void gs_row_sums(const gs_rows<T, O> &A, const M &m, const int64_t (&i)[R], const T *x,
                            gs_pack<T, M::width> (&sum)[R])
{
    constexpr int W = M::width;
    O at[R], to[R];
    bool more = false;

#pragma unroll
    for (int r = 0; r < R; r++) {
        at[r] = i[r] >= 0 ? A.start[i[r]] + m.share : 0;
        to[r] = i[r] >= 0 ? A.start[i[r] + 1] : 0;
        sum[r] = {};
        more = more || at[r] < to[r];
    }
    while (more) {
        int32_t c[R];
        T v[R];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const bool in = at[r] < to[r];
            c[r] = in ? __ldg(&A.col[at[r]]) : -1;
            v[r] = in ? __ldg(&A.value[at[r]]) : T(0);
        }
        more = false;
#pragma unroll
        for (int r = 0; r < R; r++) {
            if (c[r] >= 0) {
                const auto X = gs_load<W>(x, m.at(c[r]));
#pragma unroll
                for (int w = 0; w < W; w++) sum[r].v[w] += v[r] * X.v[w];
            }
            at[r] += m.shares;
            more = more || at[r] < to[r];
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
        for (int w = 0; w < W; w++) sum[r].v[w] = m.sum(sum[r].v[w]);
    }
}

#endif
