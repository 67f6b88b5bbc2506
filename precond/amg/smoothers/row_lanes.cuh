// row_lanes.cuh: products of rows with a vector, or with several columns by rows, that smoothers
// make on their way: L lanes a row.
#ifndef GS_PRECOND_AMG_SMOOTHERS_ROW_LANES_CUH
#define GS_PRECOND_AMG_SMOOTHERS_ROW_LANES_CUH

#include "precond/subwarp.cuh"

// Rows of a group that are read at once, so that the reads overlap.
template <class T>
constexpr int gs_rows_per_subwarp = 16 / (int)sizeof(T);

template <class T, class O>
struct gs_rows {
    const O *start;
    const int32_t *col;
    const T *value;
};

// sum[r] = this lane's part of row i[r] times x; -1: no row. x may be written by others, in places
// that these rows do not read.
template <int L, int R, class T, class O>
__device__ void gs_row_sums(const gs_rows<T, O> &A, int lane, const int64_t (&i)[R], const T *x,
                            T (&sum)[R])
{
    O at[R], to[R];
    bool more = false;

#pragma unroll
    for (int r = 0; r < R; r++) {
        at[r] = i[r] >= 0 ? A.start[i[r]] + lane : 0;
        to[r] = i[r] >= 0 ? A.start[i[r] + 1] : 0;
        sum[r] = 0;
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
            if (c[r] >= 0) sum[r] += v[r] * x[c[r]];
            at[r] += L;
            more = more || at[r] < to[r];
        }
    }
}

// --- several columns ----------------------------------------------------------------------------

// Columns of vectors by rows, some of all that there are. Of a row's L lanes each subwarp of so
// many has a share of the entries, each lane in it W columns.
struct gs_column_group {
    int32_t all;     // numbers of a row, from which on to the next
    int32_t columns; // of these, at most 8
    int subwarp;     // lanes for them: 1, 2, 4, 8
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
    int share, shares; // of the row's entries; how many there are
    int column;        // its first
    int32_t all;
    bool idle; // there is no such column: it does as the first does

    __device__ gs_column_lane(const gs_column_group &c, int lane)
        : share(lane / c.subwarp), shares(L / c.subwarp), column(lane % c.subwarp * W), all(c.all),
          idle(column >= c.columns)
    {
        if (idle) column = 0;
    }
    // Where its numbers of row i are.
    __device__ int64_t at(int64_t i) const { return i * all + column; }

    template <class T>
    __device__ T sum(T x) const // of all shares, in each lane
    {
        for (int d = L / 2; d >= L / shares; d /= 2) x += __shfl_xor_sync(gs_all_lanes, x, d);
        return x;
    }
};

// sum[r] = this lane's share of row i[r] times its columns of x, as above.
template <int L, int W, int R, class T, class O>
__device__ void gs_row_sums(const gs_rows<T, O> &A, const gs_column_lane<L, W> &m,
                            const int64_t (&i)[R], const T *x, gs_pack<T, W> (&sum)[R])
{
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
