// blas_ops.cuh: zero, copy, scale, inner products and sums of vectors on a GPU, also with the
// vectors of a Krylov basis. Each operation reads and writes every element of its vectors once.
#ifndef GS_VECTOR_BLAS_OPS_CUH
#define GS_VECTOR_BLAS_OPS_CUH

#include "vector/vector_op.cuh"

namespace
{

template <class T>
struct zero_op : gs_plain {
    T *y;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        gs_store<W>(y, i, gs_pack<T, W>{});
    }
};

template <class T>
gsolve_status zero(gs_queue *q, int64_t n, void *y)
{
    return each<T>(q, n, gs_aligned(y), zero_op<T>{{}, (T *)y}, "zero");
}

template <class T, class X>
struct copy_op : gs_plain {
    const X *x;
    T *y;
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        gs_pack<T, W> v;
        for (int w = 0; w < W; w++) v.v[w] = (T)x[i + w];
        gs_store<W>(y, i, v);
    }
};

template <class T>
gsolve_status copy(gs_queue *q, int64_t n, gsolve_type type, const void *x, void *y)
{
    if (type == GSOLVE_F64) {
        return each<T>(q, n, gs_aligned(y), copy_op<T, double>{{}, (const double *)x, (T *)y},
                       "copy");
    }
    return each<T>(q, n, gs_aligned(y), copy_op<T, float>{{}, (const float *)x, (T *)y}, "copy");
}

template <class T>
struct scale_op : gs_plain {
    gs_ratio a;
    T *y;
    T alpha;
    __device__ void begin() { alpha = (T)value_of(a); }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        auto v = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) v.v[w] *= alpha;
        gs_store<W>(y, i, v);
    }
};

template <class T>
gsolve_status scale(gs_queue *q, int64_t n, gs_ratio a, void *y)
{
    return each<T>(q, n, gs_aligned(y), scale_op<T>{{}, a, (T *)y, 0}, "scale");
}

// *out[0] = x'y; with S = 2, *out[1] = x'x.
template <class T, int S>
struct dot_op : gs_plain {
    static constexpr int sums = S, least_blocks = 8;
    const T *x, *y;
    double *out[2];
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto X = gs_load<W>(x, i), Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) {
            sum[0] += (double)X.v[w] * (double)Y.v[w];
            if constexpr (S > 1) sum[1] += (double)X.v[w] * (double)X.v[w];
        }
    }
    __device__ void store(int s, double total) { *out[s] = total; }
};

template <class T>
gsolve_status dot(gs_queue *q, int64_t n, const void *x, const void *y, double *xy)
{
    return each<T>(q, n, gs_all_aligned(x, y),
                   dot_op<T, 1>{{}, (const T *)x, (const T *)y, {xy, nullptr}}, "dot");
}

template <class T>
gsolve_status dot2(gs_queue *q, int64_t n, const void *x, const void *y, double *xy, double *xx)
{
    return each<T>(q, n, gs_all_aligned(x, y),
                   dot_op<T, 2>{{}, (const T *)x, (const T *)y, {xy, xx}}, "dot2");
}

// y = a x + b y; y is not read if b is 0.
template <class T>
struct axpby_op : gs_plain {
    gs_ratio a, b;
    const T *x;
    T *y;
    T alpha, beta;
    __device__ void begin() { alpha = (T)value_of(a), beta = (T)value_of(b); }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto X = gs_load<W>(x, i);
        gs_pack<T, W> Y = {};
        if (beta != 0) Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) {
            Y.v[w] = beta != 0 ? alpha * X.v[w] + beta * Y.v[w] : alpha * X.v[w];
        }
        gs_store<W>(y, i, Y);
    }
};

template <class T>
gsolve_status axpby(gs_queue *q, int64_t n, gs_ratio a, const void *x, gs_ratio b, void *y)
{
    return each<T>(q, n, gs_all_aligned(x, y), axpby_op<T>{{}, a, b, (const T *)x, (T *)y, 0, 0},
                   "axpby");
}

// z = a x + b y + c z, u = d * z. y, d and u may be NULL; z is not read if c is 0.
template <class T>
struct axpbypcz_op : gs_plain {
    gs_ratio a, b, c;
    const T *x, *y, *d;
    T *z, *u;
    T alpha, beta, gamma;
    __device__ void begin()
    {
        alpha = (T)value_of(a), beta = y ? (T)value_of(b) : T(0), gamma = (T)value_of(c);
    }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        const auto X = gs_load<W>(x, i);
        gs_pack<T, W> Y = {}, Z = {};
        if (y) Y = gs_load<W>(y, i);
        if (gamma != 0) Z = gs_load<W>(z, i);
        for (int w = 0; w < W; w++) {
            const T v = y ? alpha * X.v[w] + beta * Y.v[w] : alpha * X.v[w];
            Z.v[w] = gamma != 0 ? v + gamma * Z.v[w] : v;
        }
        gs_store<W>(z, i, Z);
        if (!u) return;
        if (d) {
            const auto D = gs_load<W>(d, i);
            for (int w = 0; w < W; w++) Z.v[w] *= D.v[w];
        }
        gs_store<W>(u, i, Z);
    }
};

template <class T>
gsolve_status axpbypcz(gs_queue *q, int64_t n, const gs_axpbypcz_args *v)
{
    const T *x = (const T *)v->x, *y = (const T *)v->y, *d = (const T *)v->d;
    T *z = (T *)v->z, *w = (T *)v->w;
    const axpbypcz_op<T> op = {{}, v->a, v->b, v->c, x, y, d, z, w, 0, 0, 0};

    return each<T>(q, n, gs_all_aligned(x, y, z, d, w), op, "axpbypcz");
}

// y += a x, *yy = y'y.
template <class T>
struct axpy_norm_op : gs_plain {
    static constexpr int sums = 1;
    gs_ratio a;
    const T *x;
    T *y;
    double *yy;
    T alpha;
    __device__ void begin() { alpha = (T)value_of(a); }
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto X = gs_load<W>(x, i);
        auto Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) {
            Y.v[w] += alpha * X.v[w];
            sum[0] += (double)Y.v[w] * (double)Y.v[w];
        }
        gs_store<W>(y, i, Y);
    }
    __device__ void store(int, double total) { *yy = total; }
};

template <class T>
gsolve_status axpy_norm(gs_queue *q, int64_t n, gs_ratio a, const void *x, void *y, double *yy)
{
    return each<T>(q, n, gs_all_aligned(x, y), axpy_norm_op<T>{{}, a, (const T *)x, (T *)y, yy, 0},
                   "axpy_norm");
}

// --- constants: the vector of ones is not stored ------------------------------------------------

// *out = sum of x_i.
template <class T>
struct sum_op : gs_plain {
    static constexpr int sums = 1, least_blocks = 8;
    const T *x;
    double *out;
    template <int W>
    __device__ void at(int64_t i, double *sum)
    {
        const auto X = gs_load<W>(x, i);
        for (int w = 0; w < W; w++) sum[0] += (double)X.v[w];
    }
    __device__ void store(int, double total) { *out = total; }
};

template <class T>
gsolve_status sum(gs_queue *q, int64_t n, const void *x, double *total)
{
    return each<T>(q, n, gs_aligned(x), sum_op<T>{{}, (const T *)x, total}, "sum");
}

// y_i += sign *a.
template <class T>
struct shift_op : gs_plain {
    const double *a;
    double sign;
    T *y;
    T alpha;
    __device__ void begin() { alpha = (T)(sign * *a); }
    template <int W>
    __device__ void at(int64_t i, double *)
    {
        auto Y = gs_load<W>(y, i);
        for (int w = 0; w < W; w++) Y.v[w] += alpha;
        gs_store<W>(y, i, Y);
    }
};

template <class T>
gsolve_status shift(gs_queue *q, int64_t n, const double *a, double sign, void *y)
{
    return each<T>(q, n, gs_aligned(y), shift_op<T>{{}, a, sign, (T *)y, 0}, "shift");
}

// --- the vectors of a Krylov basis, which has its own value type V, and one vector w ----------

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
