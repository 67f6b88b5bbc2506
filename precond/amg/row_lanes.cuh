// row_lanes.cuh: products of rows with a vector that smoothers make on their way: L lanes a row.
#ifndef GS_ROW_LANES_CUH
#define GS_ROW_LANES_CUH

#include "precond/lanes.cuh"

// Rows of a group that are read at once, so that the reads overlap.
template <class T>
constexpr int gs_rows_at_once = 16 / (int)sizeof(T);

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

#endif
