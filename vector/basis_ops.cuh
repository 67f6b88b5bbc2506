// basis_ops.cuh: inner products and linear combinations of the vectors of a Krylov basis with one
// vector w on a GPU. The basis has its own value type V.
#ifndef GS_VECTOR_BASIS_OPS_CUH
#define GS_VECTOR_BASIS_OPS_CUH

#include "vector/vector_op.cuh"

namespace
{

constexpr int group = gs_most_sums; // basis vectors per pass over w

// h[j] = V_j'w for up to `group` vectors of the basis: w is read once for all of them.
template <class T, class V>
struct dots_op : gs_plain {
    static constexpr int sums = group;
    const V *basis;
    const T *w;
    int64_t stride;
    int count;
    double *h;
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto x = gs_load<W>(w, i);
#pragma unroll
        for (int j = 0; j < group; j++) {
            if (j < count) {
                const auto v = gs_load<W>(basis + j * stride, i);
                for (int e = 0; e < W; e++) sum[j] += (double)v.v[e] * (double)x.v[e];
            }
        }
    }
    __device__ void store(int s, double total)
    {
        if (s < count) h[s] = total;
    }
};

// Whether every vector of the basis begins at a multiple of 16 bytes.
template <class V>
bool basis_aligned(const V *basis, int64_t stride)
{
    return gs_aligned(basis) && stride * sizeof(V) % 16 == 0;
}

template <class T, class V>
gsolve_status dots_of(gs_queue *q, int64_t n, gs_basis_vectors v, const T *w, double *h)
{
    const V *basis = (const V *)v.V;
    const int64_t stride = v.stride;
    const bool aligned = basis_aligned(basis, stride) && gs_aligned(w);
    gsolve_status status = GSOLVE_OK;

    for (int first = 0; first < v.m && status == GSOLVE_OK; first += group) {
        const int count = v.m - first < group ? v.m - first : group;
        const dots_op<T, V> op = {{}, basis + first * stride, w, stride, count, h + first};
        status = each<T>(q, n, aligned, op, "dots");
    }
    return status;
}

template <class T>
gsolve_status dots(gs_queue *q, int64_t n, gs_basis_vectors V, const void *w, double *h)
{
    return V.type == GSOLVE_F32 ? dots_of<T, float>(q, n, V, (const T *)w, h)
                                : dots_of<T, double>(q, n, V, (const T *)w, h);
}

// w += sign sum_j h[j] V_j; with N, *ww = w'w of the new w. w is read and written once for all
// vectors.
template <class T, class V, bool N>
struct combine_op : gs_plain {
    static constexpr int sums = N ? 1 : 0;
    const V *basis;
    int64_t stride;
    int m;
    const double *h;
    double sign;
    T *w;
    double *ww;
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        auto x = gs_load<W>(w, i);
#pragma unroll 4
        for (int j = 0; j < m; j++) {
            const T a = (T)(sign * __ldg(&h[j]));
            const auto v = gs_load<W>(basis + j * stride, i);
            for (int e = 0; e < W; e++) x.v[e] += a * (T)v.v[e];
        }
        gs_store<W>(w, i, x);
        if constexpr (N) {
            for (int e = 0; e < W; e++) sum[0] += (double)x.v[e] * (double)x.v[e];
        }
    }
    __device__ void store(int, double total) { *ww = total; }
};

template <class T, class V>
gsolve_status combine_of(gs_queue *q, int64_t n, gs_basis_vectors v, const double *h, double sign,
                         T *w, double *ww)
{
    const V *basis = (const V *)v.V;
    const bool aligned = basis_aligned(basis, v.stride) && gs_aligned(w);

    if (ww) {
        const combine_op<T, V, true> op = {{}, basis, v.stride, v.m, h, sign, w, ww};
        return each<T>(q, n, aligned, op, "combine");
    }
    const combine_op<T, V, false> op = {{}, basis, v.stride, v.m, h, sign, w, ww};
    return each<T>(q, n, aligned, op, "combine");
}

template <class T>
gsolve_status combine(gs_queue *q, int64_t n, gs_basis_vectors V, const double *h, double sign,
                      void *w, double *ww)
{
    return V.type == GSOLVE_F32 ? combine_of<T, float>(q, n, V, h, sign, (T *)w, ww)
                                : combine_of<T, double>(q, n, V, h, sign, (T *)w, ww);
}

} // namespace

#endif
